//! Noise that is the same on every machine: integers, and the arithmetic of floats that IEEE 754 fixes.

/// A number from 0 to 1 for each point of a grid.
pub fn speck(x: i32, y: i32, seed: u32) -> f32 {
    let mut bits = (x as u32).wrapping_mul(0x9E37_79B1);
    bits ^= (y as u32).wrapping_mul(0x85EB_CA77).rotate_left(11) ^ seed.wrapping_mul(0xC2B2_AE3D);
    for multiplier in [0x2C1B_3C6D, 0x297A_2D39] {
        bits = (bits ^ (bits >> 15)).wrapping_mul(multiplier);
    }
    bits ^= bits >> 16;
    (bits >> 8) as f32 / (1 << 24) as f32
}

/// Noise from 0 to 1 that changes smoothly over a distance of 1.
pub fn smooth(x: f32, y: f32, seed: u32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (column, row) = (left as i32, top as i32);
    let (across, down) = (ease(x - left), ease(y - top));
    let between = |row| {
        let start = speck(column, row, seed);
        start + (speck(column.wrapping_add(1), row, seed) - start) * across
    };
    let upper = between(row);
    upper + (between(row.wrapping_add(1)) - upper) * down
}

/// Noise from 0 to 1 with ever finer detail: each octave has half the size and strength of the one before.
pub fn fractal(x: f32, y: f32, octaves: u32, seed: u32) -> f32 {
    let (mut x, mut y, mut strength, mut sum, mut total) = (x, y, 1.0, 0.0, 0.0);
    for octave in 0..octaves {
        sum += strength * smooth(x, y, seed.wrapping_add(octave));
        total += strength;
        strength *= 0.5;
        // Twice as fine, and turned, so that the grids do not show.
        (x, y) = (1.6 * x + 1.2 * y, 1.6 * y - 1.2 * x);
    }
    sum / total
}

fn ease(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_between_zero_and_one_and_varies() {
        let values: Vec<f32> =
            (0..1000).map(|n| fractal(n as f32 * 0.37 - 90.0, n as f32 * 0.11, 4, 1)).collect();
        assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
        let (low, high) = values.iter().fold((1f32, 0f32), |(low, high), v| (low.min(*v), high.max(*v)));
        assert!(low < 0.3 && high > 0.7, "{low} to {high}");
    }

    #[test]
    fn is_continuous() {
        for n in -200..200 {
            let at = n as f32 * 0.25;
            assert!((smooth(at, 0.5, 3) - smooth(at + 1e-3, 0.5, 3)).abs() < 5e-3, "at {at}");
        }
    }
}
