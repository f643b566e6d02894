//! CV-CUDA's rules for tensors: how rows are padded, and which strides it takes.
//!
//! Read in `Tensor::CalcRequirements` of CV-CUDA 0.15 and probed on 0.19.0.

use super::Layout;
use super::label::MAX_TENSOR_RANK;
use crate::layout::StridedLayout;
use crate::{Error, Result};

/// Rows begin at multiples of this many bytes (`cudaDevAttrTexturePitchAlignment` of every device).
pub(crate) const PADDED: usize = 32;
/// Rows follow each other without gaps: CV-CUDA's row alignment of 1.
pub(crate) const PACKED: usize = 1;

/// The strides that CV-CUDA gives a tensor that it allocates itself: the axis before the packed ones begins at
/// multiples of `row_alignment` bytes.
pub(crate) fn strides(
    operation: &'static str,
    shape: &[usize],
    itemsize: usize,
    layout: Option<Layout>,
    row_alignment: usize,
) -> Result<StridedLayout> {
    check_rank(operation, shape.len(), layout)?;
    let pixels = layout.is_some_and(|layout| layout.ends_in_pixels());
    let strided = match first_packed(shape.len(), pixels).checked_sub(1) {
        Some(row) => StridedLayout::with_row_alignment(shape, itemsize, row, row_alignment),
        None => StridedLayout::packed(shape, itemsize),
    };
    strided.map_err(|error| error.during(operation))
}

/// Fails unless CV-CUDA can lay out a tensor of this shape itself.
#[cfg(feature = "cvcuda")]
pub(crate) fn check_shape(
    operation: &'static str,
    shape: &[usize],
    dtype: crate::DType,
    layout: Option<Layout>,
    row_alignment: usize,
) -> Result<()> {
    let strided = strides(operation, shape, dtype.size(), layout, row_alignment)?;
    if !strided.is_empty() {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        operation,
        argument: "shape",
        expected: "at least one element along each axis".to_owned(),
        found: format!("{shape:?}"),
        remedy: "use Tensor::new, which makes empty tensors, too",
    })
}

/// Fails unless CV-CUDA takes an array of these strides as a tensor with this layout.
pub(crate) fn check_wrappable(
    operation: &'static str,
    array: &StridedLayout,
    layout: Option<Layout>,
) -> Result<()> {
    check_rank(operation, array.rank(), layout)?;
    if array.is_empty() {
        return Ok(());
    }
    // Without a layout, CV-CUDA takes the last axis for channels.
    let first_packed = first_packed(array.rank(), layout.is_none_or(|layout| layout.ends_in_pixels()));
    let (shape, strides) = (array.shape(), array.strides());
    let mut inner = array.itemsize() as isize;
    for axis in (0..array.rank()).rev() {
        if shape[axis] == 1 {
            continue;
        }
        let (is_packed, stride) = (axis >= first_packed, strides[axis]);
        if (is_packed && stride != inner) || stride < inner {
            return Err(unwrappable(operation, axis, stride, inner, is_packed, layout));
        }
        // Fits: the extent of the whole array does.
        inner = stride * shape[axis] as isize;
    }
    Ok(())
}

/// The axes from here on lie packed.
fn first_packed(rank: usize, pixels: bool) -> usize {
    rank.saturating_sub(if pixels { 2 } else { 1 })
}

fn check_rank(operation: &'static str, rank: usize, layout: Option<Layout>) -> Result<()> {
    if rank > MAX_TENSOR_RANK {
        return Err(Error::RankTooLarge { operation, max: MAX_TENSOR_RANK, found: rank });
    }
    if rank == 0 {
        let (expected, found) = ("a tensor of at least one axis".to_owned(), "none".to_owned());
        return Err(Error::InvalidLayout {
            operation,
            expected,
            found,
            remedy: "use shape [1], or a CudaBuffer",
        });
    }
    match layout {
        Some(layout) if layout.rank() != rank => {
            let (expected, found) =
                (format!("{} axes for the layout {layout}", layout.rank()), rank.to_string());
            let remedy = "name a layout with a letter for each axis";
            Err(Error::InvalidLayout { operation, expected, found, remedy })
        }
        _ => Ok(()),
    }
}

fn unwrappable(
    operation: &'static str,
    axis: usize,
    found: isize,
    needed: isize,
    is_packed: bool,
    layout: Option<Layout>,
) -> Error {
    let relation = if is_packed { "(packed)" } else { "or more" };
    let expected = format!("a stride of {needed} bytes {relation} along axis {axis}");
    let remedy = match layout {
        None => {
            "name the layout (without one the last two axes must be packed), or copy it with to_contiguous"
        }
        Some(_) => "copy it with to_contiguous first",
    };
    Error::InvalidLayout { operation, expected, found: found.to_string(), remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(shape: &[usize], itemsize: usize, layout: Option<Layout>) -> Vec<isize> {
        strides("test", shape, itemsize, layout, PADDED).unwrap().strides().to_vec()
    }

    // The table of CV-CUDA 0.19.0.
    #[test]
    fn rows_are_padded_as_cv_cuda_pads_them() {
        assert_eq!(padded(&[10, 10, 3], 1, None), [320, 32, 1]);
        assert_eq!(padded(&[10, 10, 3], 1, Some(Layout::HWC)), [32, 3, 1]);
        assert_eq!(padded(&[2, 10, 10, 3], 1, Some(Layout::NHWC)), [320, 32, 3, 1]);
        assert_eq!(padded(&[2, 3, 10, 10], 4, Some(Layout::NCHW)), [1920, 640, 64, 4]);
        assert_eq!(padded(&[10, 5], 1, Some(Layout::HW)), [32, 1]);
        assert_eq!(padded(&[10, 3], 1, Some(Layout::WC)), [3, 1]);
        assert_eq!(padded(&[7], 2, None), [2]);
        assert_eq!(strides("test", &[10, 10, 3], 1, None, PACKED).unwrap().strides(), [30, 3, 1]);
    }

    fn wraps(shape: &[usize], strides: &[isize], itemsize: usize, layout: Option<Layout>) -> Result<()> {
        check_wrappable("test", &StridedLayout::strided(shape, strides, itemsize)?, layout)
    }

    #[test]
    fn what_cv_cuda_takes_is_taken() {
        assert_eq!(wraps(&[10, 5], &[5, 1], 1, Some(Layout::HW)), Ok(()));
        assert_eq!(wraps(&[10, 5], &[32, 1], 1, Some(Layout::HW)), Ok(()));
        assert_eq!(wraps(&[10, 10, 3], &[30, 3, 1], 1, Some(Layout::HWC)), Ok(()));
        assert_eq!(wraps(&[10, 10, 3], &[32, 3, 1], 1, Some(Layout::HWC)), Ok(()));
        assert_eq!(wraps(&[1, 10, 3], &[999, 3, 1], 1, Some(Layout::HWC)), Ok(()));
        // Case 5.
        assert_eq!(wraps(&[1080, 1920], &[2048, 1], 1, Some(Layout::HW)), Ok(()));
    }

    #[test]
    fn what_cv_cuda_refuses_is_refused_with_the_axis_and_the_remedy() {
        let nhwc = Some(Layout::NHWC);
        for (result, axis, remedy) in [
            (wraps(&[10, 10, 3], &[40, 4, 1], 1, Some(Layout::HWC)), "axis 1", "to_contiguous"),
            (wraps(&[10, 10, 3], &[320, 32, 1], 1, None), "axis 1", "name the layout"),
            // Case 4: NHWC permuted from NCHW.
            (wraps(&[1, 512, 512, 3], &[3145728, 2048, 4, 1048576], 4, nhwc), "axis 3", "to_contiguous"),
            (wraps(&[10, 5], &[1, 10], 1, Some(Layout::HW)), "axis 1", "to_contiguous"),
            (wraps(&[10, 5], &[-5, 1], 1, Some(Layout::HW)), "axis 0", "to_contiguous"),
            (wraps(&[10, 5], &[0, 1], 1, Some(Layout::HW)), "axis 0", "to_contiguous"),
            (wraps(&[10, 5], &[20, 2], 1, Some(Layout::HW)), "axis 1", "to_contiguous"),
            // Case 5.
            (wraps(&[1080, 1920], &[2048, 1], 1, None), "axis 0", "name the layout"),
        ] {
            let text = result.unwrap_err().to_string();
            assert!(text.contains(axis) && text.contains(remedy), "{text}");
        }
    }

    // Cases 34 and 35.
    #[test]
    fn what_cv_cuda_takes_wrongly_is_refused() {
        let ones = StridedLayout::packed(&[1; 16], 1).unwrap();
        let rank = check_wrappable("test", &ones, None);
        assert_eq!(rank, Err(Error::RankTooLarge { operation: "test", max: 15, found: 16 }));
        assert!(matches!(wraps(&[4, 4], &[4, 1], 1, Some(Layout::HWC)), Err(Error::InvalidLayout { .. })));
        assert!(matches!(strides("test", &[], 1, None, PADDED), Err(Error::InvalidLayout { .. })));
        assert!(Layout::new("HH").is_err() && Layout::new("").is_err() && Layout::new("é").is_err());
        assert!(Layout::new("ABCDEFGHIJKLMNOP").is_err());
    }
}
