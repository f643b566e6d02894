//! The pictures' files: those of this workspace, which are part of the program, or those of a folder.

use std::path::Path;

use image::{DynamicImage, ImageReader, ImageResult, Rgb, RgbImage};

macro_rules! embedded {
    ($($file:literal),* $(,)?) => {
        /// Each file of the folder `photos`: its name and its bytes.
        pub const FILES: &[(&str, &[u8])] = &[
            $(($file, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/photos/", $file)))),*
        ];
    };
}

embedded![
    "aurora.jpg",
    "balloon.png",
    "beach.jpg",
    "city.jpg",
    "dunes.jpg",
    "forest.jpg",
    "hills.jpg",
    "lighthouse.jpg",
    "maple.jpg",
    "moon.png",
    "peaks.jpg",
    "tulips.jpg",
];

/// The pictures of this workspace in red, green and blue, in the order of their names.
///
/// # Errors
/// Those of the decoder.
pub fn decoded() -> ImageResult<Vec<RgbImage>> {
    FILES.iter().map(|(_, bytes)| Ok(on_white(image::load_from_memory(bytes)?))).collect()
}

/// The PNG and JPEG files of a folder in red, green and blue, in the order of their names.
///
/// # Errors
/// Those of the file system and the decoder.
pub fn decoded_from(folder: &Path) -> ImageResult<Vec<RgbImage>> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| {
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        ["png", "jpg", "jpeg"].iter().any(|known| extension == *known)
    });
    files.sort();
    files.iter().map(|file| Ok(on_white(ImageReader::open(file)?.with_guessed_format()?.decode()?))).collect()
}

/// A picture in red, green and blue; where it is transparent, on white.
fn on_white(picture: DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8();
    }
    let transparent = picture.into_rgba8();
    RgbImage::from_fn(transparent.width(), transparent.height(), |x, y| {
        let [red, green, blue, alpha] = transparent.get_pixel(x, y).0.map(u32::from);
        let mixed = |value: u32| ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        Rgb([red, green, blue].map(mixed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_part_of_the_program() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/photos"));
        let mut glass = image::RgbaImage::new(2, 1);
        glass.put_pixel(1, 0, image::Rgba([10, 20, 30, 255]));
        assert_eq!(on_white(glass.into()).into_raw(), [255, 255, 255, 10, 20, 30]);
        assert_eq!(decoded().expect("pictures"), decoded_from(folder).expect("pictures"));
    }
}
