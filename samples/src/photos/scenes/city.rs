//! A city at night, across the water.

use crate::photos::color::Color;
use crate::photos::noise::{fractal, smooth, speck};
use crate::photos::spot::{Spot, step};

const SHORE: f32 = 0.70;
const SKY: [(f32, Color); 3] =
    [(0.0, Color::hex(0x0B1230)), (0.45, Color::hex(0x2A2A5C)), (SHORE, Color::hex(0xA05A78))];

pub fn city(spot: Spot) -> Color {
    let water = spot.below(SHORE);
    if water == 0.0 {
        return land(spot);
    }
    let depth = spot.y - SHORE;
    // Waves draw every light out, the more the nearer they are.
    let ripple = (0.004 + 0.12 * depth) * (fractal(spot.x * 5.0, 45.0 * spot.y, 2, 51) - 0.5);
    let color = land(spot.mirrored(SHORE, ripple)) * (0.75 - 0.9 * depth) + Color::hex(0x060C22);
    land(spot).mix(color, water)
}

fn land(spot: Spot) -> Color {
    let far = houses(spot, sky(spot), 16.0, [0.30, 0.52], 0.35);
    houses(spot, far, 9.0, [0.12, 0.46], 1.0)
}

fn sky(spot: Spot) -> Color {
    let clouds = step(0.45, 0.8, fractal(spot.x * 2.0, spot.y * 6.0, 4, 52));
    Color::along(&SKY, spot.y).mix(Color::hex(0x6B4A78), 0.5 * clouds)
}

/// A row of houses with this many on a picture's height, between these heights above the shore.
fn houses(spot: Spot, behind: Color, count: f32, heights: [f32; 2], nearness: f32) -> Color {
    let seed = count as u32;
    let column = (spot.x * count).floor();
    let house = column as i32;
    let tall = speck(house, 0, seed);
    let top = SHORE - heights[0] - (heights[1] - heights[0]) * tall * tall;
    let left = (column + 0.04 + 0.06 * speck(house, 1, seed)) / count;
    let right = (column + 1.0 - 0.08 * speck(house, 2, seed)) / count;
    let mast = (left + right) / 2.0;
    let spire = if tall > 0.6 { spot.within([mast - 0.002, mast + 0.002], [top - 0.06, top]) } else { 0.0 };
    let wall = Color::hex(0x4A3A62).mix(Color::hex(0x10142A), nearness);
    let haze = wall.mix(Color::hex(0x7A4A6A), 0.4 * step(top, SHORE, spot.y) * (1.0 - 0.5 * nearness));
    let front = haze + lights(spot, [left, right], top, house, nearness);
    behind.mix(front, spot.within([left, right], [top, 1.0]).max(spire))
}

/// Windows, some of which are lit.
fn lights(spot: Spot, sides: [f32; 2], top: f32, house: i32, nearness: f32) -> Color {
    const WIDE: f32 = 0.0155;
    const HIGH: f32 = 0.021;
    let columns = ((sides[1] - sides[0] - 0.008) / WIDE).floor().max(1.0);
    let margin = (sides[1] - sides[0] - columns * WIDE) / 2.0;
    let (x, y) = ((spot.x - sides[0] - margin) / WIDE, (spot.y - top - 0.012) / HIGH);
    if x < 0.0 || x >= columns || y < 0.0 || spot.y > SHORE - 0.015 {
        return Color::hex(0);
    }
    let (column, row) = (x.floor(), y.floor());
    let chance = speck(house * 64 + column as i32, row as i32, 54);
    // Whole floors are dark, and others busy.
    let busy = 0.30 + 0.5 * smooth(house as f32 * 3.7, row * 0.6, 55);
    let pane = Spot { x: x - column, y: y - row, pixel: spot.pixel / HIGH };
    let shape = pane.within([0.2, 0.8], [0.18, 0.78]);
    let warm = Color::hex(0xFFC870).mix(Color::hex(0xCFE0FF), step(0.75, 0.8, speck(house, row as i32, 56)));
    let lit = if chance < busy { 0.55 + 0.45 * chance / busy } else { 0.05 };
    warm * (shape * lit * (0.25 + 0.75 * nearness))
}
