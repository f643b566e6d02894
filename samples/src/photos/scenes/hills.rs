//! Hills in the haze of the morning, and the sun above them.

use crate::photos::color::Color;
use crate::photos::noise::fractal;
use crate::photos::spot::{Spot, step};

const SKY: [(f32, Color); 3] =
    [(0.0, Color::hex(0x4A6FA5)), (0.38, Color::hex(0xE9A98A)), (0.6, Color::hex(0xFFE0A8))];
const SUN: (f32, f32) = (1.02, 0.36);
const HAZE: Color = Color::hex(0xF3BF93);
const NEAR: Color = Color::hex(0x1E2F2C);
const RANGES: u32 = 6;

pub fn hills(spot: Spot) -> Color {
    (0..RANGES).fold(sky(spot), |behind, range| {
        let nearness = (range + 1) as f32 / RANGES as f32;
        let rough = 1.3 + 0.5 * range as f32;
        let crest = 0.42 + 0.5 * nearness - 0.22 * fractal(spot.x * rough, 7.3, 5, 40 + 9 * range);
        behind.mix(slope(spot, crest, nearness), spot.below(crest))
    })
}

fn sky(spot: Spot) -> Color {
    let clouds = step(0.5, 0.75, fractal(spot.x * 2.0, spot.y * 9.0, 4, 11));
    let sky = Color::along(&SKY, spot.y).mix(Color::hex(0xFFD0B0), 0.5 * clouds);
    let lit = sky + Color::hex(0xFF9A50) * (0.55 * spot.glow(SUN, 0.13));
    lit.mix(Color::hex(0xFFF8E0), spot.disc(SUN, 0.05))
}

/// Haze lies in the valleys, so that a hill is paler the further one looks down its side.
fn slope(spot: Spot, crest: f32, nearness: f32) -> Color {
    let grass = fractal(spot.x * 70.0, spot.y * 90.0, 2, 5) - 0.5;
    let depth = (spot.y - crest) * (1.6 - 1.4 * nearness);
    let color = HAZE.mix(NEAR, nearness * nearness * 0.25 + nearness * 0.75);
    color.mix(HAZE, depth) * (1.0 + 0.35 * grass * nearness * nearness)
        + Color::hex(0xFF9040) * (0.12 * spot.glow(SUN, 0.2))
}
