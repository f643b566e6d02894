//! The pictures' files: those of this workspace, which are part of the program, or those of a folder.

use std::path::Path;

use image::{ImageReader, ImageResult, RgbImage};

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
    FILES.iter().map(|(_, bytes)| Ok(image::load_from_memory(bytes)?.into_rgb8())).collect()
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
    files
        .iter()
        .map(|file| Ok(ImageReader::open(file)?.with_guessed_format()?.decode()?.into_rgb8()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_part_of_the_program() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/photos"));
        assert_eq!(decoded().expect("pictures"), decoded_from(folder).expect("pictures"));
    }
}
