//! Rows of tulips that run towards a windmill.

use crate::photos::color::Color;
use crate::photos::noise::{fractal, smooth};
use crate::photos::spot::{Spot, humps, step};

const HORIZON: f32 = 0.45;
const SKY: [(f32, Color); 2] = [(0.0, Color::hex(0x6FA8DC)), (HORIZON, Color::hex(0xF3E6D2))];
const VANISHING: f32 = 0.36;
const FLOWERS: [Color; 4] =
    [Color::hex(0xD9304A), Color::hex(0xF2B930), Color::hex(0xE870A0), Color::hex(0xF5EFE6)];
const HUB: (f32, f32) = (0.53, 0.275);

pub fn tulips(spot: Spot) -> Color {
    let trees = HORIZON - 0.012 - 0.03 * fractal(spot.x * 14.0, 1.2, 3, 401);
    let behind = sky(spot).mix(Color::hex(0x6E8A72), spot.below(trees));
    windmill(spot, behind).mix(field(spot), spot.below(HORIZON))
}

fn sky(spot: Spot) -> Color {
    let clouds = step(0.48, 0.75, fractal(spot.x * 3.0, spot.y * 7.0, 5, 402));
    Color::along(&SKY, spot.y).mix(Color::hex(0xFFFDF8), 0.85 * clouds)
}

fn field(spot: Spot) -> Color {
    let scale = 1.0 / (spot.y - HORIZON + 0.012);
    let (across, away) = ((spot.x - VANISHING) * scale * 2.2, scale * 5.0);
    let row = across.floor();
    let heads = smooth(across * 8.0, away * 7.0, 403);
    let leaves = Color::hex(0x3E6B35) * (0.6 + 0.8 * smooth(across * 16.0, away * 7.0, 404));
    let flower = FLOWERS[(row as i32).rem_euclid(4) as usize] * (0.72 + 0.42 * heads);
    // Far away the gaps between rows and heads blur.
    let blur = step(5.0, 15.0, scale);
    let gaps = step(0.25, 0.55, humps(across)) * step(0.22, 0.45, heads);
    let near = leaves.mix(flower, gaps + (0.7 - gaps) * blur);
    near.mix(Color::hex(0xE8D8C0), 0.4 * step(20.0, 80.0, scale))
}

fn windmill(spot: Spot, behind: Color) -> Color {
    let half = 0.03 + 0.13 * (spot.y - HUB.1);
    let body = spot.inside((half - (spot.x - HUB.0).abs()).min(spot.y - HUB.1 + 0.01));
    let light = 0.75 - 0.5 * (spot.x - HUB.0) / half;
    let bricks = Color::hex(0x8A5A44) * light;
    let with_body = behind.mix(bricks, body);
    let cap = Spot { y: HUB.1 + (spot.y - HUB.1) * 1.3, ..spot }.disc(HUB, 0.036) * (1.0 - spot.below(HUB.1));
    let gallery = spot.within([HUB.0 - 0.062, HUB.0 + 0.062], [0.385, 0.392]);
    let wood = with_body.mix(Color::hex(0x4A3A34), cap.max(gallery));
    [(0.6, -0.8), (0.8, 0.6), (-0.6, 0.8), (-0.8, -0.6)].into_iter().fold(wood, |behind, (x, y)| {
        let at = |along: f32, aside: f32| (HUB.0 + x * along - y * aside, HUB.1 + y * along + x * aside);
        let sail = spot.stroke(at(0.05, 0.012), at(0.19, 0.012), 0.020);
        let arm = spot.stroke(at(0.0, 0.0), at(0.2, 0.0), 0.006);
        behind.mix(Color::hex(0xF4EBDD), 0.85 * sail).mix(Color::hex(0x3A2E2A), arm)
    })
}
