//! Stars, which several scenes have.

use crate::photos::noise::speck;
use crate::photos::spot::Spot;

/// Places for a star on a picture's height.
const PLACES: f32 = 110.0;

/// How bright the sky is with stars: most places have none.
pub fn stars(spot: Spot, seed: u32) -> f32 {
    let (column, row) = ((spot.x * PLACES).floor(), (spot.y * PLACES).floor());
    let random = |which| speck(column as i32, row as i32, seed + which);
    if random(0) < 0.985 {
        return 0.0;
    }
    random(1) * spot.disc(((column + 0.5) / PLACES, (row + 0.5) / PLACES), 0.0035)
}
