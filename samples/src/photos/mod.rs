//! Small pictures that look like photographs: what the lessons about images work on. They are drawn by arithmetic
//! alone, so that they need nobody's leave and no network, and lie, encoded, in the folder `photos`.

mod color;
mod files;
mod film;
mod noise;
mod scenes;
mod spot;

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, ImageResult};

pub use files::{FILES, decoded, decoded_from};

/// The quality of the JPEG files, of 100.
const QUALITY: u8 = 85;

/// A picture and the file that it is kept in.
#[derive(Clone, Debug)]
pub struct Photo {
    /// The file's name; its extension says how the picture is encoded, `jpg` or `png`.
    pub file: &'static str,
    /// The picture, in colour, in grey, or with transparency.
    pub image: DynamicImage,
}

impl Photo {
    /// The bytes of the file.
    ///
    /// # Errors
    /// Those of the encoder.
    pub fn encode(&self) -> ImageResult<Vec<u8>> {
        let mut bytes = Vec::new();
        if self.file.ends_with(".jpg") {
            self.image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY))?;
        } else {
            self.image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)?;
        }
        Ok(bytes)
    }
}

/// Draws all twelve, each of its own size. They are the same every time.
pub fn draw() -> Vec<Photo> {
    [
        ("aurora.jpg", film::photograph(451, 193, scenes::aurora).into()),
        ("balloon.png", scenes::balloon(131, 175).into()),
        ("beach.jpg", film::photograph(301, 451, scenes::beach).into()),
        ("city.jpg", film::photograph(300, 225, scenes::city).into()),
        ("dunes.jpg", film::photograph(480, 270, scenes::dunes).into()),
        ("forest.jpg", film::photograph(211, 157, scenes::forest).into()),
        ("hills.jpg", film::photograph(480, 320, scenes::hills).into()),
        ("lighthouse.jpg", film::photograph(225, 400, scenes::lighthouse).into()),
        ("maple.jpg", film::photograph(240, 240, scenes::maple).into()),
        ("moon.png", scenes::moon(160, 200).into()),
        ("peaks.jpg", film::photograph(350, 280, scenes::peaks).into()),
        ("tulips.jpg", film::photograph(225, 300, scenes::tulips).into()),
    ]
    .map(|(file, image)| Photo { file, image })
    .into()
}
