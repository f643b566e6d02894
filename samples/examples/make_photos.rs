//! Draws the pictures in `samples/photos` anew: `cargo run --package samples --example make_photos`.

use std::error::Error;
use std::path::Path;

use samples::photos;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("photos");
    std::fs::create_dir_all(&folder)?;
    for photo in photos::draw() {
        let bytes = photo.encode()?;
        std::fs::write(folder.join(photo.file), &bytes)?;
        println!(
            "{:15} {:3} x {:3} {:6} bytes",
            photo.file,
            photo.image.width(),
            photo.image.height(),
            bytes.len()
        );
    }
    Ok(())
}
