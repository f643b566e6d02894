//! [`Layout`]: a letter for each axis of a tensor.

use std::fmt;

use crate::{Error, Result};

/// The most axes that a CV-CUDA tensor has (`NVCV_TENSOR_MAX_RANK`).
pub(crate) const MAX_TENSOR_RANK: usize = 15;

/// What each axis of a tensor means: N the samples, D depth, H rows, W columns, C channels, F frames; other
/// letters are free.
///
/// ```
/// use interop_core::Layout;
///
/// assert_eq!(Layout::NHWC.rank(), 4);
/// assert_eq!(Layout::new("NCHW")?, Layout::NCHW);
/// assert!(Layout::new("HH").is_err()); // one letter, one axis
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    letters: [u8; MAX_TENSOR_RANK],
    rank: u8,
}

impl Layout {
    /// Columns.
    pub const W: Self = Self::known("W");
    /// Rows, columns.
    pub const HW: Self = Self::known("HW");
    /// Columns, channels.
    pub const WC: Self = Self::known("WC");
    /// Samples, columns.
    pub const NW: Self = Self::known("NW");
    /// Rows, columns, channels: an image as cameras and image files give it.
    pub const HWC: Self = Self::known("HWC");
    /// Channels, rows, columns: an image as most networks want it.
    pub const CHW: Self = Self::known("CHW");
    /// Samples, rows, columns.
    pub const NHW: Self = Self::known("NHW");
    /// Samples of [`Layout::HWC`].
    pub const NHWC: Self = Self::known("NHWC");
    /// Samples of [`Layout::CHW`].
    pub const NCHW: Self = Self::known("NCHW");

    /// A layout from its letters, one for each axis.
    ///
    /// # Errors
    /// [`Error::InvalidLayout`] for no letter or more than 15, for anything but ASCII letters, and for a
    /// letter that occurs twice.
    pub fn new(letters: &str) -> Result<Self> {
        let bytes = letters.as_bytes();
        let repeats = |(axis, letter): (usize, &u8)| bytes[..axis].contains(letter);
        let expected = if !(1..=MAX_TENSOR_RANK).contains(&bytes.len()) {
            format!("1 to {MAX_TENSOR_RANK} letters")
        } else if !bytes.iter().all(u8::is_ascii_alphabetic) {
            "ASCII letters".to_owned()
        } else if bytes.iter().enumerate().any(repeats) {
            "each letter once".to_owned()
        } else {
            return Ok(Self::known(letters));
        };
        Err(Error::InvalidLayout {
            operation: "Layout::new",
            expected,
            found: format!("{letters:?}"),
            remedy: "write one distinct ASCII letter for each axis, such as NHWC",
        })
    }

    const fn known(text: &str) -> Self {
        let mut letters = [0; MAX_TENSOR_RANK];
        let mut axis = 0;
        while axis < text.len() && axis < MAX_TENSOR_RANK {
            letters[axis] = text.as_bytes()[axis];
            axis += 1;
        }
        Self { letters, rank: axis as u8 }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// The letters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.letters[..self.rank()]).unwrap_or_default()
    }

    /// Which axis has this letter.
    ///
    /// ```
    /// use interop_core::Layout;
    ///
    /// assert_eq!(Layout::NHWC.axis('W'), Some(2));
    /// assert_eq!(Layout::NHWC.axis('D'), None);
    /// ```
    pub fn axis(&self, letter: char) -> Option<usize> {
        self.letters[..self.rank()].iter().position(|found| char::from(*found) == letter)
    }

    /// Whether the last two axes are columns and channels, which CV-CUDA keeps packed as pixels.
    pub fn ends_in_pixels(&self) -> bool {
        self.letters[..self.rank()].ends_with(b"WC")
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layout({})", self.as_str())
    }
}
