//! The folder `photos` holds what the program `make_photos` draws.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use image::{ColorType, DynamicImage};
use samples::photos::{self, Photo};

/// How much a JPEG's decoded samples may differ, of 255: another version of the encoder may round otherwise.
const LEVELS: u8 = 4;

static DRAWN: LazyLock<Vec<Photo>> = LazyLock::new(photos::draw);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("photos")
}

fn kept(photo: &Photo) -> DynamicImage {
    image::open(folder().join(photo.file)).expect(photo.file)
}

#[test]
fn the_folder_holds_the_pictures_and_no_others() {
    let expected: BTreeSet<String> =
        DRAWN.iter().map(|photo| photo.file.to_owned()).chain(["README.md".to_owned()]).collect();
    let entries = std::fs::read_dir(folder()).expect("the folder");
    let found: BTreeSet<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_file_is_as_drawn() {
    for photo in DRAWN.iter() {
        let (kept, file) = (kept(photo), photo.file);
        assert_eq!(kept.color(), photo.image.color(), "{file}");
        if file.ends_with(".png") {
            assert!(kept == photo.image, "{file} differs; run make_photos");
            continue;
        }
        let drawn = image::load_from_memory(&photo.encode().expect(file)).expect(file);
        assert_eq!((kept.width(), kept.height()), (drawn.width(), drawn.height()), "{file}");
        let differences =
            kept.as_bytes().iter().zip(drawn.as_bytes()).map(|(one, other)| one.abs_diff(*other));
        let largest = differences.max().expect("pixels");
        assert!(largest <= LEVELS, "{file} differs by {largest} levels; run make_photos");
    }
}

/// Of the mean over all samples.
fn loss(one: &DynamicImage, other: &DynamicImage) -> f64 {
    let pairs = one.as_bytes().iter().zip(other.as_bytes());
    let sum: u64 = pairs.map(|(one, other)| u64::from(one.abs_diff(*other))).sum();
    sum as f64 / one.as_bytes().len() as f64
}

#[test]
fn encoding_keeps_what_was_drawn() {
    for photo in DRAWN.iter() {
        let loss = loss(&kept(photo), &photo.image);
        assert!(loss < 6.0, "{}: {loss} levels", photo.file);
    }
}

#[test]
fn twelve_small_pictures_of_different_shapes_and_kinds() {
    let sizes: BTreeSet<(u32, u32)> =
        DRAWN.iter().map(|photo| (photo.image.width(), photo.image.height())).collect();
    assert_eq!((DRAWN.len(), sizes.len()), (12, 12));
    assert!(sizes.iter().any(|(width, height)| width < height) && sizes.contains(&(211, 157)), "{sizes:?}");

    let colors: Vec<ColorType> = DRAWN.iter().map(|photo| photo.image.color()).collect();
    let count = |color| colors.iter().filter(|other| **other == color).count();
    assert_eq!((count(ColorType::Rgb8), count(ColorType::L8), count(ColorType::Rgba8)), (10, 1, 1));

    let bytes: usize = DRAWN.iter().map(|photo| photo.encode().expect(photo.file).len()).sum();
    assert!(bytes < 250_000, "{bytes} bytes");
}

#[test]
fn the_balloon_is_cut_out_with_soft_edges() {
    let balloon = DRAWN.iter().find(|photo| photo.file == "balloon.png").expect("a balloon").image.to_rgba8();
    let share = |wanted: fn(u8) -> bool| {
        let count = balloon.pixels().filter(|pixel| wanted(pixel.0[3])).count();
        count as f64 / f64::from(balloon.width() * balloon.height())
    };
    let (clear, opaque) = (share(|alpha| alpha == 0), share(|alpha| alpha == 255));
    assert!(clear > 0.3 && opaque > 0.3 && clear + opaque < 0.999, "{clear} clear, {opaque} opaque");
}
