//! A lighthouse on a rock at dusk.

use super::stars::stars;
use crate::photos::color::Color;
use crate::photos::noise::fractal;
use crate::photos::spot::{Spot, humps, step};

const HORIZON: f32 = 0.74;
const SKY: [(f32, Color); 4] = [
    (0.0, Color::hex(0x1B2748)),
    (0.35, Color::hex(0x4B4A7E)),
    (0.6, Color::hex(0xC8718A)),
    (HORIZON, Color::hex(0xFFC38A)),
];
const MIDDLE: f32 = 0.35;
const LAMP: (f32, f32) = (MIDDLE, 0.235);
const FOOT: f32 = 0.78;

pub fn lighthouse(spot: Spot) -> Color {
    let behind = sky(spot).mix(sea(spot), spot.below(HORIZON));
    let with_tower = tower(spot, behind + Color::hex(0xFFE9A8) * beam(spot));
    let slope = (spot.x - MIDDLE).abs();
    let crest = 0.735 + 2.4 * slope * slope + 0.10 * fractal(spot.x * 7.0, 3.1, 5, 71) - 0.03;
    with_tower.mix(rock(spot, crest), spot.below(crest))
}

fn sky(spot: Spot) -> Color {
    let clouds = step(0.5, 0.78, fractal(spot.x * 2.2, spot.y * 11.0, 4, 61));
    let sky = Color::along(&SKY, spot.y).mix(Color::hex(0x7A5A86), 0.55 * clouds);
    sky + Color::hex(0xFFFFFF) * (stars(spot, 62) * step(0.4, 0.1, spot.y) * (1.0 - clouds))
}

fn sea(spot: Spot) -> Color {
    let scale = 1.0 / (spot.y - HORIZON + 0.04);
    let waves = fractal(spot.x * scale, scale * 6.0, 3, 64);
    Color::hex(0x2A3358).mix(Color::hex(0xE79A86), step(0.42, 0.8, waves) * step(1.0, HORIZON, spot.y))
}

/// Two cones of light, which widen and fade.
fn beam(spot: Spot) -> f32 {
    let (x, y) = ((spot.x - LAMP.0).abs(), spot.y - LAMP.1 + (spot.x - LAMP.0) * 0.18);
    let width = 0.012 + 0.16 * x;
    let cone = 0.5 * step(1.0, 0.0, y.abs() / width) * step(0.75, 0.0, x);
    cone + 0.6 * spot.glow(LAMP, 0.035)
}

fn tower(spot: Spot, behind: Color) -> Color {
    let across = |half: f32| half - (spot.x - MIDDLE).abs();
    let half = 0.038 + 0.05 * (spot.y - 0.28);
    let wall = spot.inside(across(half).min(spot.y - 0.28).min(FOOT - spot.y));
    // Round: brightest a little left of the middle, towards the last light.
    let bend = 1.0 - 0.75 * ((spot.x - MIDDLE) / half + 0.35).abs();
    let band = step(0.42, 0.5, humps((spot.y - 0.28) / 0.2 + 0.25) - 0.3);
    let paint = Color::hex(0xF5E4DA).mix(Color::hex(0xB0323A), band) * (0.45 + 0.55 * bend);
    let with_wall = behind.mix(paint, wall);
    let window = spot.within([MIDDLE - 0.008, MIDDLE + 0.008], [0.435, 0.46])
        + spot.within([MIDDLE - 0.008, MIDDLE + 0.008], [0.60, 0.625]);
    let with_window = with_wall.mix(Color::hex(0xFFD27A), window);
    let gallery = spot.within([MIDDLE - 0.055, MIDDLE + 0.055], [0.268, 0.284]);
    let lantern = spot.within([MIDDLE - 0.026, MIDDLE + 0.026], [0.2, 0.268]);
    let roof = spot.inside(((spot.y - 0.155) * 0.75 - (spot.x - MIDDLE).abs()).min(0.203 - spot.y));
    with_window
        .mix(Color::hex(0xFFF4C4), lantern)
        .mix(Color::hex(0x2A2430), gallery)
        .mix(Color::hex(0x6E2430), roof)
}

fn rock(spot: Spot, crest: f32) -> Color {
    let relief = fractal(spot.x * 9.0, spot.y * 12.0, 5, 72);
    let lit = fractal(spot.x * 9.0 - 0.25, spot.y * 12.0 - 0.3, 5, 72) - relief;
    let color = Color::hex(0x2B2733).mix(Color::hex(0x57464F), relief) + Color::hex(0xE08060) * (0.9 * lit);
    color * (1.0 - 0.5 * step(0.0, 0.3, spot.y - crest))
}
