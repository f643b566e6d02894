//! A row of pines, which several scenes have.

use crate::photos::noise::speck;
use crate::photos::spot::Spot;

/// A row of pines that stand on one line.
pub struct Pines {
    /// Trees on a picture's height.
    pub count: f32,
    /// The height of the tallest.
    pub tall: f32,
    pub seed: u32,
}

impl Pines {
    /// How much of the pixel they cover, if they stand on this line; below it, all.
    pub fn cover(&self, spot: Spot, ground: f32) -> f32 {
        let column = (spot.x * self.count).floor() as i32;
        let tree = |column| spot.inside(self.depth(spot, ground, column));
        let trees = (column - 1..=column + 1).map(tree).fold(0.0, f32::max);
        trees.max(spot.below(ground))
    }

    /// How deep the place lies within a tree: a cone of branches, which droop.
    fn depth(&self, spot: Spot, ground: f32, column: i32) -> f32 {
        let random = |which| speck(column, which, self.seed);
        let height = self.tall * (0.45 + 0.55 * random(0));
        let middle = (column as f32 + 0.2 + 0.6 * random(1)) / self.count;
        let down = (spot.y - ground + height) / height;
        let branch = down * (7.0 + 4.0 * random(2));
        let droop = branch - branch.floor();
        let half = height * (0.05 + 0.19 * down) * (0.55 + 0.45 * droop) * (down * 9.0).clamp(0.0, 1.0);
        (half - (spot.x - middle).abs()).min(down * height)
    }
}
