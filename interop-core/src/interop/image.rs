//! The crate `image`'s images, as host arrays.

use std::ops::{Deref, DerefMut};

use image::{DynamicImage, ImageBuffer, Pixel};

use crate::copy::download;
use crate::interface::CudaView;
use crate::layout::StridedLayout;
use crate::{Element, Error, HostArray, HostArrayMut, HostView, HostViewMut, Result};

/// An image is an array of shape `[height, width, channels]` in C order, of three axes even where there is
/// one channel. What its container holds behind the pixels is not copied.
///
/// ```
/// use image::{Rgb, RgbImage};
/// use interop_core::{Gpu, Layout, Tensor};
///
/// let gpu = Gpu::open(0)?;
/// let image = RgbImage::from_fn(40, 30, |x, y| Rgb([x as u8, y as u8, 0])); // width, height
/// let tensor = Tensor::from_host(&gpu, &image, Layout::HWC)?;
/// assert_eq!((tensor.shape(), tensor.strides()), (&[30, 40, 3][..], &[128, 3, 1][..])); // elements, bytes
/// assert_eq!(tensor.to_image::<Rgb<u8>>()?, image);
/// # Ok::<(), interop_core::Error>(())
/// ```
impl<P, C> HostArray for ImageBuffer<P, C>
where
    P: Pixel<Subpixel: Element>,
    C: Deref<Target = [P::Subpixel]>,
{
    fn host_view(&self) -> HostView<'_> {
        let samples: &[P::Subpixel] = self.as_raw();
        match layout_within::<P>(self.dimensions(), samples.len()) {
            // SAFETY: the layout is of the samples' own size, packed, and has no more elements than there are
            // samples, which are borrowed for the view's life.
            Some(layout) => unsafe {
                HostView::from_raw_parts(samples.as_ptr().cast(), P::Subpixel::DTYPE, layout)
            },
            None => HostView::from_slice(samples),
        }
    }
}

/// What the container holds behind the pixels is not written.
///
/// ```
/// use image::{GrayImage, Luma};
/// use interop_core::{CudaBuffer, DType, Gpu, cuda_memcpy_d2h};
///
/// let gpu = Gpu::open(0)?;
/// let mut buffer = CudaBuffer::new(&gpu, &[30, 40, 1], DType::U8)?; // height, width, channels
/// buffer.fill(7u8)?;
/// let mut image = GrayImage::new(40, 30); // width, height
/// cuda_memcpy_d2h(&buffer, &mut image)?;
/// assert_eq!(image[(39, 29)], Luma([7]));
/// # Ok::<(), interop_core::Error>(())
/// ```
impl<P, C> HostArrayMut for ImageBuffer<P, C>
where
    P: Pixel<Subpixel: Element>,
    C: DerefMut<Target = [P::Subpixel]>,
{
    fn host_view_mut(&mut self) -> HostViewMut<'_> {
        let dimensions = self.dimensions();
        let samples: &mut [P::Subpixel] = self;
        match layout_within::<P>(dimensions, samples.len()) {
            // SAFETY: the layout is of the samples' own size, packed, and has no more elements than there are
            // samples, which are borrowed mutably for the view's life.
            Some(layout) => unsafe {
                HostViewMut::from_raw_parts(samples.as_mut_ptr().cast(), P::Subpixel::DTYPE, layout)
            },
            None => HostViewMut::from_slice(samples),
        }
    }
}

/// An image of any pixel type is the array that its own type is, such as one of `u8` and shape
/// `[height, width, 3]` for `ImageRgb8`.
///
/// ```
/// use image::{DynamicImage, Luma};
/// use interop_core::{CudaBuffer, DType, Gpu};
///
/// let gpu = Gpu::open(0)?;
/// let image = DynamicImage::new_luma16(40, 30); // width, height
/// let buffer = CudaBuffer::from_host(&gpu, &image)?;
/// assert_eq!((buffer.shape(), buffer.dtype()), (&[30, 40, 1][..], DType::U16));
/// assert_eq!(DynamicImage::from(buffer.to_image::<Luma<u16>>()?), image);
/// # Ok::<(), interop_core::Error>(())
/// ```
impl HostArray for DynamicImage {
    fn host_view(&self) -> HostView<'_> {
        match self {
            Self::ImageLuma8(image) => image.host_view(),
            Self::ImageLumaA8(image) => image.host_view(),
            Self::ImageRgb8(image) => image.host_view(),
            Self::ImageRgba8(image) => image.host_view(),
            Self::ImageLuma16(image) => image.host_view(),
            Self::ImageLumaA16(image) => image.host_view(),
            Self::ImageRgb16(image) => image.host_view(),
            Self::ImageRgba16(image) => image.host_view(),
            Self::ImageRgb32F(image) => image.host_view(),
            Self::ImageRgba32F(image) => image.host_view(),
            // None in the version that this is built with. Bytes can be had of any that is to come.
            other => HostView::from_slice(other.as_bytes()),
        }
    }
}

impl CudaView {
    /// The elements as a new image: of an array of shape `[height, width, channels]`, of a batch of one such,
    /// `[1, height, width, channels]`, or, for pixels of one channel, of shape `[height, width]`.
    ///
    /// ```
    /// use image::{Luma, Rgb, Rgba};
    /// use interop_core::{CudaBuffer, DType, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let planes = CudaBuffer::zeros(&gpu, &[3, 30, 40], DType::F32)?;
    /// let image = planes.permute(&[1, 2, 0])?.to_image::<Rgb<f32>>()?;
    /// assert_eq!(image.dimensions(), (40, 30)); // width, height
    ///
    /// let red = planes.slice(0, 0..1)?.reshape(&[30, 40])?;
    /// assert_eq!(red.to_image::<Luma<f32>>()?.dimensions(), (40, 30));
    /// assert!(red.to_image::<Rgba<f32>>().is_err()); // one channel, not four
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidView`] for another number of axes, another number of channels than the pixel type has,
    /// or a side of more than 2^32 - 1 pixels; else as [`CudaView::to_vec`].
    pub fn to_image<P: Pixel<Subpixel: Element>>(&self) -> Result<ImageBuffer<P, Vec<P::Subpixel>>> {
        const OPERATION: &str = "to_image";
        let (width, height) = dimensions::<P>(OPERATION, self.shape())?;
        let samples = download::<P::Subpixel>(OPERATION, self)?;
        // There are as many as the image has.
        ImageBuffer::from_raw(width, height, samples).ok_or_else(|| too_long(OPERATION, self.shape()))
    }
}

/// The layout of an image of this width and height, where `len` samples hold it. They do, unless the container
/// was longer when the image was made from it; then there is no image to copy.
fn layout_within<P: Pixel<Subpixel: Element>>(
    (width, height): (u32, u32),
    len: usize,
) -> Option<StridedLayout> {
    let shape = [height as usize, width as usize, usize::from(P::CHANNEL_COUNT)];
    let layout = StridedLayout::packed(&shape, size_of::<P::Subpixel>()).ok()?;
    (layout.len() <= len).then_some(layout)
}

/// Width and height of the image that an array of this shape is.
fn dimensions<P: Pixel>(operation: &'static str, shape: &[usize]) -> Result<(u32, u32)> {
    let (height, width, channels) = match *shape {
        [height, width] => (height, width, 1),
        [height, width, channels] | [1, height, width, channels] => (height, width, channels),
        _ => return Err(no_image(operation, shape)),
    };
    if channels != usize::from(P::CHANNEL_COUNT) {
        return Err(wrong_channels::<P>(operation, shape, channels));
    }
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width), Ok(height)) => Ok((width, height)),
        _ => Err(too_long(operation, shape)),
    }
}

fn no_image(operation: &'static str, shape: &[usize]) -> Error {
    Error::InvalidView {
        operation,
        expected:
            "an array of shape [height, width, channels], [1, height, width, channels] or [height, width]"
                .to_owned(),
        found: format!("shape {shape:?}"),
        remedy: "take one image of a batch with `slice`",
    }
}

fn wrong_channels<P: Pixel>(operation: &'static str, shape: &[usize], channels: usize) -> Error {
    Error::InvalidView {
        operation,
        expected: format!("{} channel(s), for pixels of {}", P::CHANNEL_COUNT, P::COLOR_MODEL),
        found: format!("{channels} in shape {shape:?}"),
        remedy: "name a pixel type of as many channels, or put the axis of the channels last with `permute`",
    }
}

fn too_long(operation: &'static str, shape: &[usize]) -> Error {
    Error::InvalidView {
        operation,
        expected: format!("an image of at most {} pixels a side", u32::MAX),
        found: format!("shape {shape:?}"),
        remedy: "take a part of it with `slice`, or the elements with `to_vec`",
    }
}
