//! [`Spot`]: where in a picture a pixel lies, and which shapes cover it.

/// A place in a picture whose height is 1: from the left, and from the top down.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub x: f32,
    pub y: f32,
    /// The side of a pixel: edges are that soft.
    pub pixel: f32,
}

impl Spot {
    /// How much of the pixel lies within a shape, given how deep within it the place is.
    pub fn inside(self, depth: f32) -> f32 {
        (depth / self.pixel + 0.5).clamp(0.0, 1.0)
    }

    /// How much of the pixel lies below a line.
    pub fn below(self, line: f32) -> f32 {
        self.inside(self.y - line)
    }

    /// How much of the pixel lies within a disc.
    pub fn disc(self, center: (f32, f32), radius: f32) -> f32 {
        self.inside(radius - self.distance(center))
    }

    /// How much of the pixel lies within an upright box.
    pub fn within(self, x: [f32; 2], y: [f32; 2]) -> f32 {
        let across = (self.x - x[0]).min(x[1] - self.x);
        self.inside(across.min(self.y - y[0]).min(y[1] - self.y))
    }

    /// How much of the pixel lies on a stroke.
    pub fn stroke(self, from: (f32, f32), to: (f32, f32), width: f32) -> f32 {
        let (along_x, along_y) = (to.0 - from.0, to.1 - from.1);
        let reach = (self.x - from.0) * along_x + (self.y - from.1) * along_y;
        let share = (reach / (along_x * along_x + along_y * along_y)).clamp(0.0, 1.0);
        self.disc((from.0 + along_x * share, from.1 + along_y * share), width / 2.0)
    }

    pub fn distance(self, from: (f32, f32)) -> f32 {
        let (x, y) = (self.x - from.0, self.y - from.1);
        (x * x + y * y).sqrt()
    }

    /// A light's halo: 1 at its centre, half at the given distance, fading on and on.
    pub fn glow(self, center: (f32, f32), reach: f32) -> f32 {
        let distance = self.distance(center) / reach;
        1.0 / (1.0 + distance * distance)
    }

    /// The place that still water mirrors here, if its shore lies at this height.
    pub fn mirrored(self, shore: f32, ripple: f32) -> Self {
        Self { x: self.x + ripple, y: (2.0 * shore - self.y).min(shore) + ripple, ..self }
    }
}

/// 0 up to `from`, 1 from `to` on, and smooth in between; `to` may be the smaller one.
pub fn step(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Humps of height 1, each 1 wide.
pub fn humps(at: f32) -> f32 {
    let t = at - at.floor();
    4.0 * t * (1.0 - t)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPOT: Spot = Spot { x: 0.5, y: 0.5, pixel: 0.01 };

    #[test]
    fn shapes_cover_what_lies_within_and_half_of_what_lies_on_the_edge() {
        assert_eq!((SPOT.below(0.4), SPOT.below(0.5), SPOT.below(0.6)), (1.0, 0.5, 0.0));
        assert_eq!((SPOT.disc((0.5, 0.3), 0.3), SPOT.disc((0.5, 0.3), 0.1)), (1.0, 0.0));
        assert_eq!((SPOT.within([0.4, 0.6], [0.4, 0.6]), SPOT.within([0.4, 0.6], [0.6, 0.7])), (1.0, 0.0));
        assert_eq!(SPOT.stroke((0.0, 0.0), (1.0, 1.0), 0.1), 1.0);
        assert_eq!(SPOT.stroke((0.0, 0.0), (0.3, 0.3), 0.1), 0.0);
    }

    #[test]
    fn water_mirrors_what_is_as_far_above_the_shore() {
        let mirrored = Spot { y: 0.75, ..SPOT }.mirrored(0.5, 0.0);
        assert_eq!((mirrored.x, mirrored.y), (0.5, 0.25));
    }
}
