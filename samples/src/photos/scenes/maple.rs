//! A maple in autumn.

use crate::photos::color::Color;
use crate::photos::noise::fractal;
use crate::photos::spot::{Spot, step};

const HORIZON: f32 = 0.70;
const SKY: [(f32, Color); 2] = [(0.0, Color::hex(0x4D8CC7)), (HORIZON, Color::hex(0xDCEBEE))];

/// The crown's boughs: where they are, and how large.
const BOUGHS: [((f32, f32), f32); 9] = [
    ((0.50, 0.26), 0.17),
    ((0.34, 0.34), 0.14),
    ((0.66, 0.33), 0.15),
    ((0.26, 0.46), 0.11),
    ((0.75, 0.46), 0.11),
    ((0.42, 0.47), 0.14),
    ((0.60, 0.48), 0.14),
    ((0.50, 0.38), 0.16),
    ((0.52, 0.17), 0.10),
];

pub fn maple(spot: Spot) -> Color {
    let hill = HORIZON - 0.02 - 0.07 * fractal(spot.x * 2.0, 5.5, 4, 501);
    let behind = sky(spot).mix(Color::hex(0x7F9A86), spot.below(hill));
    let ground = behind.mix(meadow(spot), spot.below(HORIZON + 0.03 * (spot.x - 0.4) * (spot.x - 0.4)));
    crown(spot, trunk(spot, ground))
}

fn sky(spot: Spot) -> Color {
    let clouds = step(0.52, 0.8, fractal(spot.x * 3.0, spot.y * 6.0, 4, 502));
    Color::along(&SKY, spot.y).mix(Color::hex(0xFFFFFF), 0.8 * clouds)
}

fn meadow(spot: Spot) -> Color {
    let grass = fractal(spot.x * 26.0, spot.y * 55.0, 3, 503);
    let green = Color::hex(0x5E7F35).mix(Color::hex(0xB8B658), grass) * (0.75 + 0.4 * grass);
    let below = Spot { y: 0.83 + (spot.y - 0.83) * 3.2, ..spot }.distance((0.5, 0.83));
    let shaded = green * (1.0 - 0.45 * step(0.42, 0.2, below));
    // Leaves have fallen, most of them near the trunk.
    let fallen = fractal(spot.x * 45.0, spot.y * 80.0, 2, 504);
    shaded.mix(Color::hex(0xD9702A), 0.9 * step(0.60, 0.68, fallen - 0.25 * step(0.25, 0.6, below)))
}

fn trunk(spot: Spot, behind: Color) -> Color {
    let flare = 0.022 + 0.02 * step(0.74, 0.84, spot.y);
    let middle = 0.5 + 0.02 * (spot.y - 0.6);
    let stem = spot.inside((flare - (spot.x - middle).abs()).min(spot.y - 0.4).min(0.83 - spot.y));
    let left = spot.stroke((0.5, 0.62), (0.36, 0.44), 0.018);
    let right = spot.stroke((0.505, 0.6), (0.65, 0.43), 0.018);
    let bark = fractal(spot.x * 60.0, spot.y * 14.0, 3, 505);
    let wood = Color::hex(0x3A2A22).mix(Color::hex(0x7A6252), bark) * (1.0 - 6.0 * (spot.x - middle));
    behind.mix(wood, stem.max(left).max(right))
}

fn crown(spot: Spot, behind: Color) -> Color {
    let ragged = 0.10 * (fractal(spot.x * 16.0, spot.y * 16.0, 4, 506) - 0.5);
    let depth = |(center, radius): ((f32, f32), f32)| radius - spot.distance(center) + ragged;
    let deepest = BOUGHS.into_iter().map(depth).fold(-1.0, f32::max);
    let holes = fractal(spot.x * 22.0, spot.y * 22.0, 3, 507);
    let cover = spot.inside(deepest) * step(0.22, 0.30, holes + 0.3 * step(0.0, 0.05, deepest));
    behind.mix(leaves(spot), cover)
}

/// Clumps of leaves, brighter towards the sun above on the left.
fn leaves(spot: Spot) -> Color {
    let clump = |x: f32, y: f32| fractal(x * 9.0, y * 9.0, 3, 508);
    let light = 1.4 * (clump(spot.x, spot.y) - clump(spot.x - 0.03, spot.y - 0.04));
    let leaf = fractal(spot.x * 55.0, spot.y * 55.0, 2, 509) - 0.5;
    let hue = fractal(spot.x * 5.0, spot.y * 5.0, 3, 510);
    let color = Color::hex(0xB5301E).mix(Color::hex(0xF2A62C), step(0.3, 0.75, hue + 0.5 * leaf));
    color * (0.95 + light + 0.4 * leaf - 0.35 * step(0.3, 0.65, spot.y))
}
