//! The steps of the pipeline in plain Rust.

use image::RgbImage;
use ndarray::{Array3, Array4};

use super::pipeline::{DEVIATION, MEAN};

/// An image resized as CV-CUDA's linear interpolation does it: the value between the four pixels around, pixel centres at
/// halves, edges continued. Values are not rounded.
pub fn resize(image: &RgbImage, (height, width): (usize, usize)) -> Array3<f32> {
    let (rows, columns) = (axis(image.height(), height), axis(image.width(), width));
    Array3::from_shape_fn((height, width, 3), |(y, x, channel)| {
        let ((top, bottom, down), (left, right, across)) = (rows[y], columns[x]);
        let at = |y: u32, x: u32| f32::from(image.get_pixel(x, y)[channel]);
        let upper = at(top, left) * (1.0 - across) + at(top, right) * across;
        let lower = at(bottom, left) * (1.0 - across) + at(bottom, right) * across;
        upper * (1.0 - down) + lower * down
    })
}

/// For each pixel of a new axis: the two old ones around, and how near it is to the second.
fn axis(old: u32, new: usize) -> Vec<(u32, u32, f32)> {
    let scale = old as f32 / new as f32;
    let position = |at: usize| ((at as f32 + 0.5) * scale - 0.5).clamp(0.0, (old - 1) as f32);
    let pair = |place: f32| {
        let first = place.floor() as u32;
        (first, (first + 1).min(old - 1), place - place.floor())
    };
    (0..new).map(|at| pair(position(at))).collect()
}

/// Images of RGB, each of the same size, as the network wants them: planes of blue, green and red, normalised.
pub fn network_input(images: &[Array3<f32>]) -> Array4<f32> {
    let (height, width, _) = images.first().map_or((0, 0, 3), Array3::dim);
    Array4::from_shape_fn((images.len(), 3, height, width), |(n, channel, y, x)| {
        (images[n][[y, x, 2 - channel]] / 255.0 - MEAN[channel]) / DEVIATION[channel]
    })
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn the_same_size_changes_nothing() {
        let image = RgbImage::from_fn(3, 2, |x, y| Rgb([x as u8, y as u8, 7]));
        let same = resize(&image, (2, 3));
        assert!(
            same.indexed_iter()
                .all(|((y, x, c), value)| *value == f32::from(image.get_pixel(x as u32, y as u32)[c]))
        );
    }

    #[test]
    fn half_the_size_is_the_mean_of_two_by_two() {
        let image = RgbImage::from_fn(4, 2, |x, y| Rgb([(x * 10 + y) as u8; 3]));
        let half = resize(&image, (1, 2));
        assert_eq!((half[[0, 0, 0]], half[[0, 1, 2]]), (5.5, 25.5));
    }

    #[test]
    fn channels_are_turned_round_and_normalised() {
        let image = Array3::from_shape_fn((1, 1, 3), |(_, _, c)| [255.0, 0.0, 51.0][c]);
        let planes = network_input(&[image]);
        assert_eq!(planes.dim(), (1, 3, 1, 1));
        assert_eq!(planes[[0, 0, 0, 0]], (0.2 - 0.406) / 0.225);
        assert_eq!(planes[[0, 2, 0, 0]], (1.0 - 0.485) / 0.229);
    }
}
