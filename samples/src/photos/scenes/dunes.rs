//! Dunes in the low sun: each has a bright side and one in the shade.

use crate::photos::color::Color;
use crate::photos::noise::{fractal, smooth};
use crate::photos::spot::{Spot, humps, step};

const SKY: [(f32, Color); 2] = [(0.0, Color::hex(0x5E96C8)), (0.45, Color::hex(0xF2DFC4))];
const HAZE: Color = Color::hex(0xEBCFA8);
const LIT: Color = Color::hex(0xF0B56C);
const SHADE: Color = Color::hex(0x9C5A3C);
const DUNES: u32 = 5;

pub fn dunes(spot: Spot) -> Color {
    (0..DUNES).fold(Color::along(&SKY, spot.y), |behind, dune| {
        let nearness = (dune + 1) as f32 / DUNES as f32;
        let crest = crest(spot.x, nearness, dune);
        behind.mix(sand(spot, crest, nearness, dune), spot.below(crest))
    })
}

fn crest(x: f32, nearness: f32, dune: u32) -> f32 {
    let wide = 2.1 - 0.9 * nearness;
    let swell = smooth(x * wide + 0.37 * dune as f32, 0.5, 80 + dune);
    0.30 + 0.52 * nearness * nearness + 0.10 * nearness - (0.12 + 0.20 * nearness) * swell
}

fn sand(spot: Spot, crest: f32, nearness: f32, dune: u32) -> Color {
    let depth = spot.y - crest;
    // The edge between light and shade winds down from the crest.
    let wind = 0.5 * (fractal(spot.x * 1.1 + depth * 1.7, depth * 2.2, 3, 90 + dune) - 0.5);
    let rising = crest - self::crest(spot.x + 0.02, nearness, dune);
    let light = step(-0.006, 0.010, rising + 0.05 * wind + 0.02 * depth);
    let ripples = humps(depth * (70.0 - 35.0 * nearness) + 5.0 * smooth(spot.x * 5.0, depth * 9.0, 85));
    let grain = fractal(spot.x * 60.0, spot.y * 60.0, 2, 86) - 0.5;
    let texture = 1.0 + nearness * (0.10 * (ripples - 0.5) * step(0.03, 0.12, depth) + 0.08 * grain);
    let sand = SHADE.mix(LIT, light) * texture;
    sand.mix(HAZE, 0.75 * (1.0 - nearness) + 0.1 * depth)
}
