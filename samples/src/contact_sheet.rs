//! Pictures side by side on one sheet, as a lesson shows what went in and what came out.

use image::error::{LimitError, LimitErrorKind};
use image::{ImageError, ImageResult, Rgb, RgbImage, imageops};

/// Pixels between two cells, and around all of them.
pub const MARGIN: u32 = 12;

/// A dark grey, which lends no picture a tint.
pub const BACKGROUND: Rgb<u8> = Rgb([34, 34, 34]);

/// How much wider than high a sheet should be.
const PROPORTION: f64 = 3.0 / 2.0;

/// Lays out pictures row by row, each in the middle of its cell and at its own size. The cells are all as wide
/// as the widest picture and as high as the highest, and as many stand in a row as bring the sheet nearest to
/// 3:2. Of no pictures, the sheet is one margin wide and high.
///
/// ```
/// use image::{Rgb, RgbImage};
/// use samples::contact_sheet::{MARGIN, contact_sheet};
///
/// let photos = [RgbImage::from_pixel(20, 10, Rgb([200; 3])), RgbImage::from_pixel(10, 30, Rgb([90; 3]))];
/// let sheet = contact_sheet(&photos)?;
/// assert_eq!(sheet.dimensions(), (2 * 20 + 3 * MARGIN, 30 + 2 * MARGIN)); // width, height
/// assert_eq!(sheet[(MARGIN, MARGIN + 10)], Rgb([200; 3])); // in the middle of its cell
/// # Ok::<(), image::ImageError>(())
/// ```
///
/// # Errors
/// [`ImageError::Limits`] where the sheet would be larger than an image can be, or than memory allows.
pub fn contact_sheet(pictures: &[RgbImage]) -> ImageResult<RgbImage> {
    let grid = Grid::of(pictures);
    let mut sheet = blank(grid.width(), grid.height())?;
    for (index, picture) in pictures.iter().enumerate() {
        let (x, y) = grid.corner(index as u64, picture);
        imageops::replace(&mut sheet, picture, x as i64, y as i64);
    }
    Ok(sheet)
}

/// The cells of a sheet; all lengths in pixels.
#[derive(Clone, Copy)]
struct Grid {
    columns: u64,
    rows: u64,
    cell_width: u64,
    cell_height: u64,
}

impl Grid {
    fn of(pictures: &[RgbImage]) -> Self {
        let count = pictures.len() as u64;
        let longest = |side: fn(&RgbImage) -> u32| pictures.iter().map(side).max().unwrap_or(0).into();
        let (cell_width, cell_height) = (longest(RgbImage::width), longest(RgbImage::height));
        let with = |columns| Self { columns, rows: count.div_ceil(columns), cell_width, cell_height };
        let all = (1..=count).map(with);
        let nearest = all.min_by(|one, other| one.distortion().total_cmp(&other.distortion()));
        nearest.unwrap_or(Self { columns: 0, rows: 0, cell_width, cell_height })
    }

    fn width(self) -> u64 {
        length(self.columns, self.cell_width)
    }

    fn height(self) -> u64 {
        length(self.rows, self.cell_height)
    }

    /// 1 for a sheet of the right proportion; more, the wider or the higher it is.
    fn distortion(self) -> f64 {
        let proportion = self.width() as f64 / self.height() as f64 / PROPORTION;
        proportion.max(1.0 / proportion)
    }

    /// Where a picture's upper left corner goes.
    fn corner(self, index: u64, picture: &RgbImage) -> (u64, u64) {
        let (column, row) = (index % self.columns, index / self.columns);
        let across = (self.cell_width - u64::from(picture.width())) / 2;
        let down = (self.cell_height - u64::from(picture.height())) / 2;
        (length(column, self.cell_width) + across, length(row, self.cell_height) + down)
    }
}

/// Of as many cells, with the margins before, between and behind them.
fn length(cells: u64, cell: u64) -> u64 {
    let margin = u64::from(MARGIN);
    cells.saturating_mul(cell + margin).saturating_add(margin)
}

fn blank(width: u64, height: u64) -> ImageResult<RgbImage> {
    let limit = |kind| ImageError::Limits(LimitError::from_kind(kind));
    let too_large = || limit(LimitErrorKind::DimensionError);
    let (width, height) = match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width), Ok(height)) => (width, height),
        _ => return Err(too_large()),
    };
    let len = (width as usize).checked_mul(height as usize).and_then(|pixels| pixels.checked_mul(3));
    let len = len.ok_or_else(too_large)?;
    let mut samples = Vec::new();
    samples.try_reserve_exact(len).map_err(|_| limit(LimitErrorKind::InsufficientMemory))?;
    // All its channels are alike.
    samples.resize(len, BACKGROUND.0[0]);
    RgbImage::from_raw(width, height, samples).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb<u8> = Rgb([200, 0, 0]);

    fn red(width: u32, height: u32) -> RgbImage {
        RgbImage::from_pixel(width, height, RED)
    }

    /// The corners of all that is not background, row by row, of pictures that do not touch.
    fn corners(sheet: &RgbImage) -> Vec<(u32, u32)> {
        let is_red = |x: u32, y: u32| sheet[(x, y)] == RED;
        let starts = |&(x, y): &(u32, u32)| is_red(x, y) && !is_red(x - 1, y) && !is_red(x, y - 1);
        sheet.enumerate_pixels().map(|(x, y, _)| (x, y)).filter(starts).collect()
    }

    #[test]
    fn no_picture_leaves_a_margin() {
        assert_eq!(contact_sheet(&[]).unwrap(), RgbImage::from_pixel(MARGIN, MARGIN, BACKGROUND));
    }

    #[test]
    fn one_picture_has_a_margin_on_every_side() {
        let sheet = contact_sheet(&[red(5, 3)]).unwrap();
        assert_eq!(sheet.dimensions(), (5 + 2 * MARGIN, 3 + 2 * MARGIN));
        assert_eq!(corners(&sheet), [(MARGIN, MARGIN)]);
        let count = sheet.pixels().filter(|pixel| **pixel == RED).count();
        assert_eq!(count, 15);
        assert_eq!(sheet[(0, 0)], BACKGROUND);
    }

    #[test]
    fn many_pictures_fill_rows_of_a_sheet_that_is_about_three_to_two() {
        let sheet = contact_sheet(&vec![red(40, 40); 24]).unwrap();
        let step = 40 + MARGIN;
        assert_eq!(sheet.dimensions(), (6 * step + MARGIN, 4 * step + MARGIN));
        let expected: Vec<_> = (0..24).map(|n| (MARGIN + n % 6 * step, MARGIN + n / 6 * step)).collect();
        assert_eq!(corners(&sheet), expected);
        for count in 4..60 {
            let sheet = contact_sheet(&vec![red(40, 30); count]).unwrap();
            let proportion = f64::from(sheet.width()) / f64::from(sheet.height());
            assert!((0.9..=2.5).contains(&proportion), "{count} pictures: {proportion}");
        }
    }

    #[test]
    fn pictures_of_different_sizes_stand_in_the_middle_of_their_cells() {
        let sheet = contact_sheet(&[red(20, 10), red(8, 30), red(1, 1)]).unwrap();
        // Cells of 20 by 30: two in a row would make 76 by 96, three 108 by 54.
        assert_eq!(sheet.dimensions(), (3 * (20 + MARGIN) + MARGIN, 30 + 2 * MARGIN));
        let mut found = corners(&sheet);
        found.sort_unstable();
        assert_eq!(found, [(12, 22), (32 + 12 + 6, 12), (64 + 12 + 9, 12 + 14)]);
    }

    #[test]
    fn a_sheet_that_no_image_can_be_is_refused() {
        let wide = RgbImage::new(u32::MAX, 0);
        assert!(matches!(contact_sheet(std::slice::from_ref(&wide)), Err(ImageError::Limits(_))));
        let both = contact_sheet(&[RgbImage::new(u32::MAX / 2, 0), RgbImage::new(0, u32::MAX / 2)]);
        assert!(matches!(both, Err(ImageError::Limits(_))));
    }
}
