//! A beach with a sunshade, seen along the shore.

use crate::photos::color::Color;
use crate::photos::noise::{fractal, smooth};
use crate::photos::spot::{Spot, step};

const HORIZON: f32 = 0.36;
const SKY: [(f32, Color); 2] = [(0.0, Color::hex(0x3F8FD2)), (HORIZON, Color::hex(0xCFE8F2))];
const SEA: [(f32, Color); 3] =
    [(HORIZON, Color::hex(0x1F5F9A)), (0.52, Color::hex(0x2E9DB5)), (0.66, Color::hex(0x9ADBD0))];

pub fn beach(spot: Spot) -> Color {
    let shore = 0.6 + 0.12 * spot.x + 0.045 * (fractal(spot.x * 3.0, 1.7, 3, 21) - 0.5);
    let water = sky(spot).mix(sea(spot, shore), spot.below(HORIZON));
    let beach = water.mix(sand(spot, shore), spot.below(shore));
    sunshade(spot, beach)
}

fn sky(spot: Spot) -> Color {
    let clouds = fractal(spot.x * 4.0, spot.y * 9.0, 5, 3) + 0.25 * spot.y;
    Color::along(&SKY, spot.y).mix(Color::hex(0xFFFFFF), 0.9 * step(0.52, 0.75, clouds))
}

fn sea(spot: Spot, shore: f32) -> Color {
    // Waves look smaller towards the horizon.
    let scale = 1.0 / (spot.y - HORIZON + 0.03);
    let waves = fractal(spot.x * scale * 0.9, scale * 5.0, 3, 8) - 0.5;
    let line = (shore - spot.y) * 14.0 + 0.9 * fractal(spot.x * 9.0, spot.y * 12.0, 3, 6);
    let foam = step(0.85, 0.35, line).max(0.8 * step(0.16, 0.04, (line - 1.7).abs()));
    let water = Color::along(&SEA, spot.y) * (1.0 + 0.35 * waves);
    water.mix(Color::hex(0xFAFDFB), foam * (0.75 + 0.25 * smooth(spot.x * 60.0, spot.y * 60.0, 4)))
}

fn sand(spot: Spot, shore: f32) -> Color {
    let grain = fractal(spot.x * 55.0, spot.y * 80.0, 2, 31) - 0.5;
    let dents = fractal(spot.x * 7.0, spot.y * 16.0, 3, 32) - 0.5;
    let sand = Color::hex(0xB89B72).mix(Color::hex(0xEAD3A2), step(0.0, 0.09, spot.y - shore));
    sand * (1.0 + 0.10 * grain + 0.22 * dents)
}

fn sunshade(spot: Spot, behind: Color) -> Color {
    const TOP: (f32, f32) = (0.40, 0.62);
    const RADIUS: f32 = 0.135;
    let flat = Spot { y: TOP.1 + (spot.y - 0.885) * 4.5, x: spot.x - 0.06, ..spot };
    let shaded = behind * (1.0 - 0.4 * step(0.16, 0.10, flat.distance(TOP)));
    let pole = spot.stroke((TOP.0, TOP.1), (TOP.0 + 0.03, 0.885), 0.008);
    let with_pole = shaded.mix(Color::hex(0xF4F0E6), pole);
    let across = (spot.x - TOP.0) / RADIUS;
    let edge = TOP.1 + 0.12 - 0.015 * (1.0 - across * across);
    let round = Spot { y: TOP.1 + 0.11 + (spot.y - TOP.1 - 0.11) * 1.1, ..spot };
    let cover = round.disc((TOP.0, TOP.1 + 0.11), RADIUS) * (1.0 - spot.below(edge));
    // Seen from the side, the stripes are narrower towards the rim.
    let stripe = ((across * (1.0 + 0.45 * across * across)) * 3.4 + 0.5).floor() as i32;
    let cloth = if stripe.rem_euclid(2) == 0 { Color::hex(0xD8413A) } else { Color::hex(0xF8F1E4) };
    with_pole.mix(cloth * (1.02 - 0.22 * across), cover)
}
