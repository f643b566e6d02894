//! Mountains with snow, woods and a meadow below them.

use super::pines::Pines;
use crate::photos::color::Color;
use crate::photos::noise::fractal;
use crate::photos::spot::{Spot, step};

const SKY: [(f32, Color); 2] = [(0.0, Color::hex(0x2F6FB5)), (0.6, Color::hex(0xC9E2F0))];

pub fn peaks(spot: Spot) -> Color {
    let far = mountain(spot, sky(spot), 0.52, 0.30, 301, 0.55);
    let near = mountain(spot, far, 0.60, 0.52, 317, 0.12);
    let woods = Pines { count: 26.0, tall: 0.12, seed: 330 };
    let edge = 0.76 + 0.05 * fractal(spot.x * 2.0, 4.4, 3, 331);
    let green = Color::hex(0x1D3A2C) * (1.0 + 0.6 * (fractal(spot.x * 40.0, spot.y * 40.0, 2, 332) - 0.5));
    let with_woods = near.mix(green, woods.cover(spot, edge));
    let meadow_top = 0.83 + 0.06 * fractal(spot.x * 1.3, 9.1, 3, 333) - 0.03 * spot.x;
    with_woods.mix(meadow(spot), spot.below(meadow_top))
}

fn sky(spot: Spot) -> Color {
    let clouds = step(0.55, 0.8, fractal(spot.x * 2.2, spot.y * 5.0, 5, 340));
    Color::along(&SKY, spot.y).mix(Color::hex(0xFFFFFF), 0.85 * clouds)
}

fn mountain(spot: Spot, behind: Color, foot: f32, tall: f32, seed: u32, haze: f32) -> Color {
    let crest = foot - tall * ridge(spot.x * 1.5, seed);
    let depth = spot.y - crest;
    // Ribs run down from the crest; the sun stands to the left.
    let bend = 0.25 * fractal(spot.x * 5.0, spot.y * 3.0, 3, seed + 3);
    let rib = |x: f32| fractal(x * 5.0 + bend * 3.0, depth * 3.0 + x, 6, seed + 5);
    let light = step(-0.02, 0.03, rib(spot.x + 0.008) - rib(spot.x));
    let snow_line = 0.14 + 0.12 * tall + 1.1 * (rib(spot.x) - 0.5);
    let snow = step(0.03, -0.03, depth - snow_line);
    let rock = Color::hex(0x55586A).mix(Color::hex(0x9C9088), light);
    let white = Color::hex(0x9FB4D2).mix(Color::hex(0xFFFCF5), light);
    let color = rock.mix(white, snow).mix(Color::hex(0x9DB8CC), haze + 0.3 * step(0.15, 0.5, depth));
    behind.mix(color, spot.below(crest))
}

/// Pointed where the noise crosses its middle.
fn ridge(x: f32, seed: u32) -> f32 {
    let pointed = |x: f32, seed| 1.0 - (2.0 * fractal(x, 0.5, 1, seed) - 1.0).abs();
    let rough = fractal(x * 9.0, 3.5, 4, seed + 2);
    0.62 * pointed(x, seed) + 0.26 * pointed(x * 2.6 + 0.4, seed + 1) + 0.12 * rough
}

fn meadow(spot: Spot) -> Color {
    let grass = fractal(spot.x * 30.0, spot.y * 60.0, 3, 350);
    let shade = fractal(spot.x * 3.0, spot.y * 9.0, 3, 351);
    let green = Color::hex(0x4E7A32).mix(Color::hex(0xA6B85A), shade) * (0.75 + 0.5 * grass);
    let flowers = step(0.76, 0.82, fractal(spot.x * 60.0, spot.y * 90.0, 2, 352));
    green.mix(Color::hex(0xFFF3D0), 0.8 * flowers)
}
