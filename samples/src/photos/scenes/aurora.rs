//! Northern lights above a lake.

use super::pines::Pines;
use super::stars::stars;
use crate::photos::color::Color;
use crate::photos::noise::{fractal, smooth};
use crate::photos::spot::{Spot, step};

const SHORE: f32 = 0.72;
const SKY: [(f32, Color); 2] = [(0.0, Color::hex(0x060B22)), (SHORE, Color::hex(0x173A4A))];

pub fn aurora(spot: Spot) -> Color {
    let water = spot.below(SHORE);
    if water == 0.0 {
        return land(spot);
    }
    let depth = spot.y - SHORE;
    let ripple = (0.01 + 0.12 * depth) * (fractal(spot.x * 6.0, spot.y * 45.0, 3, 601) - 0.5);
    let mirrored = land(spot.mirrored(SHORE, ripple)) * (0.75 - 0.8 * depth) + Color::hex(0x04101A);
    land(spot).mix(mirrored, water)
}

fn land(spot: Spot) -> Color {
    let sky = Color::along(&SKY, spot.y)
        + Color::hex(0xE8F0FF) * (0.9 * stars(spot, 605))
        + curtain(spot, 0.50, 602)
        + curtain(spot, 0.36, 612);
    let mountains = SHORE - 0.04 - 0.20 * fractal(spot.x * 1.6, 1.5, 5, 603);
    let with_mountains = sky.mix(Color::hex(0x0D2230), spot.below(mountains));
    let pines = Pines { count: 21.0, tall: 0.17, seed: 604 };
    let ground = SHORE - 0.012;
    with_mountains.mix(Color::hex(0x040A0E), pines.cover(spot, ground))
}

/// A curtain of light: sharp below, fading upwards, in folds.
fn curtain(spot: Spot, height: f32, seed: u32) -> Color {
    let hem = height + 0.34 * (fractal(spot.x * 1.3, height, 3, seed) - 0.5);
    let up = hem - spot.y;
    let folds = 0.3 + 0.7 * fractal(spot.x * 16.0, 0.5 + up * 0.6, 3, seed + 4);
    let fade = step(-0.03, 0.02, up) / (1.0 + (up.max(0.0) * 5.0) * (up.max(0.0) * 5.0));
    let patches = step(0.25, 0.65, smooth(spot.x * 1.7, 0.5, seed + 8));
    let color = Color::hex(0x3DF08A).mix(Color::hex(0x9A4FD0), step(0.05, 0.34, up));
    color * (fade * folds * patches)
}
