//! A hot-air balloon, cut out: all around it the picture is transparent.

use image::{Rgba, RgbaImage};

use crate::photos::color::Color;
use crate::photos::film;
use crate::photos::spot::{Spot, step};

const CENTER: (f32, f32) = (0.374, 0.36);
const RADIUS: f32 = 0.325;
const MOUTH: f32 = 0.79;
const BASKET: [f32; 2] = [0.87, 0.96];
const STRIPES: [Color; 3] = [Color::hex(0xD9483B), Color::hex(0xF3B843), Color::hex(0x2E7FA8)];

/// Draws it.
pub fn balloon(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        let spot = film::spot(x, y, height);
        let layers = [flame(spot), ropes(spot), basket(spot), envelope(spot)];
        let (color, cover) = layers.into_iter().fold((Color::hex(0), 0.0), over);
        let [red, green, blue] = color.bytes();
        Rgba([red, green, blue, (cover * 255.0 + 0.5) as u8])
    })
}

/// Lays a layer of some cover on what is there.
fn over((below, below_cover): (Color, f32), (color, cover): (Color, f32)) -> (Color, f32) {
    let total = cover + below_cover * (1.0 - cover);
    if total == 0.0 { (below, 0.0) } else { (below.mix(color, cover / total), total) }
}

/// How far the envelope reaches from its middle: a ball that tapers to the mouth.
fn half(y: f32) -> f32 {
    let down = y - CENTER.1;
    let ball = (RADIUS * RADIUS - down * down).max(0.0).sqrt();
    let taper = 0.06 + (MOUTH - y) * 0.62;
    if down > 0.0 { ball.max(taper.min(RADIUS)).min(RADIUS - 0.35 * down * down) } else { ball }
}

fn envelope(spot: Spot) -> (Color, f32) {
    let half = half(spot.y).max(1e-3);
    let across = (spot.x - CENTER.0) / half;
    let cover = spot.inside((half - (spot.x - CENTER.0).abs()).min(MOUTH - spot.y));
    // Towards the sides the stripes turn away from the eye.
    let turn = 4.0 * across * (1.0 + 0.5 * across * across) + 0.5;
    let stripe = turn.floor();
    let pixel = 4.0 * (1.0 + 1.5 * across * across) * spot.pixel / half;
    let [left, right] = [-1, 0].map(|side| STRIPES[(stripe as i32 + side).rem_euclid(3) as usize]);
    let cloth = left.mix(right, (turn - stripe) / pixel);
    let sun = spot.glow((CENTER.0 - 0.13, CENTER.1 - 0.14), 0.30);
    (cloth * (0.55 + 0.55 * sun) + Color::hex(0xFFFFFF) * (0.25 * sun * sun * sun), cover)
}

fn ropes(spot: Spot) -> (Color, f32) {
    let rope =
        |side: f32| spot.stroke((CENTER.0 + side * 0.058, MOUTH), (CENTER.0 + side * 0.04, BASKET[0]), 0.005);
    (Color::hex(0x5A4636), 0.9 * rope(-1.0).max(rope(1.0)))
}

fn basket(spot: Spot) -> (Color, f32) {
    let weave = ((spot.x * 60.0).floor() + (spot.y * 60.0).floor()) as i32 % 2;
    let light = 0.9 - 4.0 * (spot.x - CENTER.0) + 0.12 * weave as f32;
    let cover = spot.within([CENTER.0 - 0.048, CENTER.0 + 0.048], BASKET);
    let rim = spot.within([CENTER.0 - 0.052, CENTER.0 + 0.052], [BASKET[0], BASKET[0] + 0.014]);
    (Color::hex(0x9A6B3E).mix(Color::hex(0x5A3A22), rim) * light, cover.max(rim))
}

/// Half transparent.
fn flame(spot: Spot) -> (Color, f32) {
    let narrow = Spot { x: CENTER.0 + (spot.x - CENTER.0) * 2.2, ..spot };
    let near = narrow.distance((CENTER.0, 0.825)) / 0.05;
    (Color::hex(0xFFE08A).mix(Color::hex(0xFF8A3C), near), 0.85 * step(1.0, 0.0, near))
}
