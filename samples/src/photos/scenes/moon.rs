//! The full moon above the sea, in grey.

use image::{GrayImage, Luma};

use crate::photos::film;
use crate::photos::noise::{fractal, speck};
use crate::photos::spot::{Spot, step};

const HORIZON: f32 = 0.72;
const MOON: (f32, f32) = (0.44, 0.34);
const RADIUS: f32 = 0.19;

/// Draws it.
pub fn moon(width: u32, height: u32) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| {
        let spot = film::spot(x, y, height);
        let light = sky(spot) + (sea(spot) - sky(spot)) * spot.below(HORIZON);
        // Bands of a few levels, as of a film with little range: they keep the file small.
        Luma([(light.clamp(0.0, 1.0) * 85.0 + 0.5) as u8 * 3])
    })
}

fn sky(spot: Spot) -> f32 {
    let night = 0.05 + 0.10 * spot.y + 0.30 * spot.glow(MOON, 0.17);
    let disc = spot.disc(MOON, RADIUS);
    let face = night + (surface(spot) - night) * disc;
    let clouds = step(0.45, 0.75, fractal(spot.x * 2.2, spot.y * 10.0, 4, 701)) * step(0.25, 0.5, spot.y);
    face + (0.16 + 0.25 * spot.glow(MOON, 0.2) - face) * 0.75 * clouds
}

/// Plains, and craters with a bright rim.
fn surface(spot: Spot) -> f32 {
    let plains = step(0.45, 0.62, fractal(spot.x * 7.0, spot.y * 7.0, 4, 702));
    let rim = spot.distance(MOON) / RADIUS;
    let craters: f32 = (0..14).map(|number| crater(spot, number)).sum();
    (0.93 - 0.28 * plains + craters) * (1.0 - 0.25 * rim * rim * rim * rim)
}

fn crater(spot: Spot, number: i32) -> f32 {
    let random = |which| speck(number, which, 703) - 0.5;
    let center = (MOON.0 + 1.5 * RADIUS * random(0), MOON.1 + 1.5 * RADIUS * random(1));
    let radius = 0.012 + 0.022 * (random(2) + 0.5);
    let at = spot.distance(center) / radius;
    0.06 * step(0.5, 0.0, (at - 1.0).abs()) - 0.07 * step(0.9, 0.6, at)
}

/// Its light glitters on the waves below it.
fn sea(spot: Spot) -> f32 {
    let scale = 1.0 / (spot.y - HORIZON + 0.03);
    let waves = fractal(spot.x * scale * 0.8, scale * 6.0, 3, 704);
    let road = step(0.12 + 0.5 * (spot.y - HORIZON), 0.0, (spot.x - MOON.0).abs());
    0.07 + 0.10 * waves + 0.85 * road * step(0.42, 0.70, waves)
}
