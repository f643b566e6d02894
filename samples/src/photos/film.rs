//! What a scene's colours go through to become a photograph: darker corners, grain, and bytes.

use image::RgbImage;

use super::color::Color;
use super::noise::speck;
use super::spot::Spot;

/// How much darker the corners are than the middle.
const VIGNETTE: f32 = 0.28;

/// How much brighter or darker a grain is than it should be, at the most.
const GRAIN: f32 = 0.013;

/// Takes the photograph of a scene, which is a colour for each place.
pub fn photograph(width: u32, height: u32, scene: impl Fn(Spot) -> Color) -> RgbImage {
    let aspect = width as f32 / height as f32;
    RgbImage::from_fn(width, height, |x, y| {
        let spot = spot(x, y, height);
        let (across, down) = (2.0 * spot.x / aspect - 1.0, 2.0 * spot.y - 1.0);
        let corner = (across * across + down * down) / 2.0;
        let grain = GRAIN * (2.0 * speck(x as i32, y as i32, 0xF11A) - 1.0);
        let gray = Color { red: grain, green: grain, blue: grain };
        image::Rgb((scene(spot) * (1.0 - VIGNETTE * corner * corner) + gray).bytes())
    })
}

/// Where the middle of a pixel lies.
pub fn spot(x: u32, y: u32, height: u32) -> Spot {
    let pixel = 1.0 / height as f32;
    Spot { x: (x as f32 + 0.5) * pixel, y: (y as f32 + 0.5) * pixel, pixel }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_darker_than_the_middle() {
        let picture = photograph(31, 21, |_| Color::hex(0x808080));
        let (middle, corner) = (picture[(15, 10)][0], picture[(0, 0)][0]);
        assert!((122..=134).contains(&middle) && corner < 110, "{middle} {corner}");
    }
}
