//! A forest that fades into the mist.

use super::pines::Pines;
use crate::photos::color::Color;
use crate::photos::noise::fractal;
use crate::photos::spot::{Spot, step};

const MIST: Color = Color::hex(0xDDE5E2);
const NEAR: Color = Color::hex(0x15291F);
const ROWS: u32 = 5;

pub fn forest(spot: Spot) -> Color {
    let sky = Color::hex(0xB9CCD3).mix(Color::hex(0xF1EFE4), step(0.0, 0.6, spot.y));
    (0..ROWS).fold(sky, |behind, row| {
        let nearness = (row + 1) as f32 / ROWS as f32;
        let trees =
            Pines { count: 17.0 - 11.0 * nearness, tall: 0.22 + 0.42 * nearness, seed: 200 + 7 * row };
        let ground = 0.48 + 0.50 * nearness - 0.10 * fractal(spot.x * 1.7, 2.5, 3, 210 + row);
        behind.mix(needles(spot, ground, nearness), trees.cover(spot, ground))
    })
}

/// Mist gathers at the feet of the trees.
fn needles(spot: Spot, ground: f32, nearness: f32) -> Color {
    let texture = 1.0 + 0.55 * nearness * (fractal(spot.x * 45.0, spot.y * 45.0, 2, 220) - 0.5);
    let mist = fractal(spot.x * 2.5, spot.y * 5.0, 3, 221);
    let foot = step(-0.30, 0.05, spot.y - ground) * (0.85 - 0.6 * nearness) * (0.5 + mist);
    let color = MIST.mix(NEAR, 0.15 + 0.85 * nearness * nearness) * texture;
    color.mix(MIST, foot)
}
