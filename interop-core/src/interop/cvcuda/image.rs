//! [`Image`]: one image as CV-CUDA's batches take it; [`ImageFormat`]: what its pixels are.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use super::check::{Images, Rules, refused};
use super::keep::{keeping, release};
use super::library::{ImageBuffer, ImageData, ImageHandle, ImagePlane, Library, MAX_PLANES, STRIDED_CUDA};
use super::session::CvCuda;
use crate::interface::CudaView;
use crate::{DType, Layout, Memory, Result, Tensor, as_tensor};

macro_rules! formats {
    ($($name:ident = $code:literal, $dtype:ident x $channels:literal, $doc:literal;)*) => {
        /// The pixels of an [`Image`]: element type, channels and their order (`NVCVImageFormat`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u64)]
        #[non_exhaustive]
        pub enum ImageFormat {
            $(#[doc = $doc] $name = $code,)*
        }

        impl ImageFormat {
            /// The type of a channel's value.
            pub fn dtype(self) -> DType {
                match self { $(Self::$name => DType::$dtype,)* }
            }

            /// Channels a pixel.
            pub fn channels(self) -> usize {
                match self { $(Self::$name => $channels,)* }
            }
        }
    };
}

formats! {
    U8 = 0x27_ffff_0081, U8 x 1, "One value of 8 bits.";
    U16 = 0x107_ffff_0081, U16 x 1, "One value of 16 bits.";
    I16 = 0x2000_0107_ffff_0081, I16 x 1, "One signed value of 16 bits.";
    F32 = 0x4000_0307_ffff_0081, F32 x 1, "One float of 32 bits.";
    Rgb8 = 0x280_0011_008b, U8 x 3, "Red, green, blue of 8 bits.";
    Bgr8 = 0x280_0011_008f, U8 x 3, "Blue, green, red of 8 bits.";
    Rgba8 = 0x3c0_0011_0084, U8 x 4, "Red, green, blue, alpha of 8 bits.";
    Bgra8 = 0x3c0_0011_0087, U8 x 4, "Blue, green, red, alpha of 8 bits.";
    RgbF32 = 0x4000_0680_0011_008b, F32 x 3, "Red, green, blue as floats of 32 bits.";
    BgrF32 = 0x4000_0680_0011_008f, F32 x 3, "Blue, green, red as floats of 32 bits.";
    RgbaF32 = 0x4000_07c0_0011_0084, F32 x 4, "Red, green, blue, alpha as floats of 32 bits.";
    BgraF32 = 0x4000_07c0_0011_0087, F32 x 4, "Blue, green, red, alpha as floats of 32 bits.";
}

/// One image on the GPU, for batches of images of different sizes. It shares the memory that it was made of and keeps it
/// alive; clones share everything.
#[derive(Clone)]
pub struct Image {
    native: Arc<NativeImage>,
    view: CudaView,
    format: ImageFormat,
}

struct NativeImage {
    library: Arc<Library>,
    handle: ImageHandle,
}

const RULES: Rules = Rules {
    layouts: &[Layout::HWC],
    older: &[Layout::HWC],
    ..Rules::of("CvCuda::image", &[DType::U8, DType::U16, DType::I16, DType::F32])
};

impl CvCuda {
    /// Takes a tensor of layout HWC as an image with pixels of this format, without a copy.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) where layout, dtype or channels are others, or the
    /// image takes 2 GiB or more; [`Error::CvCuda`](crate::Error::CvCuda).
    pub fn image(&self, tensor: &Tensor, format: ImageFormat) -> Result<Image> {
        let images = RULES.images(&self.shared.library, "tensor", tensor)?;
        if (tensor.dtype(), images.channels) != (format.dtype(), format.channels()) {
            let expected = format!("{} channels of {} for {format:?}", format.channels(), format.dtype());
            let found = format!("{} of {}", images.channels, tensor.dtype());
            return Err(refused(RULES.operation, "tensor", expected, found, "name the format that it has"));
        }
        self.shared.check_device(RULES.operation, tensor.shared_memory())?;
        let library = &self.shared.library;
        let native = NativeImage::wrap(library, describe(&images, format), tensor.shared_memory())?;
        Ok(Image { native: Arc::new(native), view: tensor.cuda(), format })
    }
}

impl Image {
    /// Rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.view.shape()[0], self.view.shape()[1])
    }

    /// What its pixels are.
    pub fn format(&self) -> ImageFormat {
        self.format
    }

    /// The image as an array of rows, columns and channels, which shares its memory.
    pub fn cuda(&self) -> CudaView {
        self.view.clone()
    }

    /// The image as a tensor of layout HWC, which shares its memory.
    ///
    /// # Errors
    /// None that an image can have.
    pub fn tensor(&self) -> Result<Tensor> {
        as_tensor(&self.view, Layout::HWC)
    }

    /// The image for this library: itself, or another one of the same memory where it is another copy's.
    pub(super) fn of_library(self, cv: &CvCuda) -> Result<Self> {
        match self.native.library.is_same(&cv.shared.library) {
            true => Ok(self),
            false => cv.image(&self.tensor()?, self.format),
        }
    }

    pub(super) fn handle(&self) -> ImageHandle {
        self.native.handle
    }

    pub(super) fn view(&self) -> &CudaView {
        &self.view
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (height, width) = self.size();
        write!(f, "Image({height} x {width}, {:?})", self.format)
    }
}

/// One plane of pixels, as the library's C interface describes it.
fn describe(images: &Images, format: ImageFormat) -> ImageData {
    let tensor = images.tensor;
    // A single row has no next one; its stride may be anything.
    let packed = images.width * images.channels * tensor.dtype().size();
    let stride = if images.height == 1 { packed as isize } else { tensor.strides()[0] };
    // Fit: the sides were checked, and all rows lie within 2 GiB.
    let (width, height, row_stride) = (images.width as i32, images.height as i32, stride as i32);
    let plane = ImagePlane { width, height, row_stride, first: tensor.pointer() as *mut c_void };
    let none = ImagePlane { width: 0, height: 0, row_stride: 0, first: ptr::null_mut() };
    let mut planes = [none; MAX_PLANES];
    planes[0] = plane;
    let buffer = ImageBuffer { planes_used: 1, planes };
    ImageData { format: format as u64, buffer_type: STRIDED_CUDA, buffer }
}

impl NativeImage {
    fn wrap(library: &Arc<Library>, data: ImageData, memory: &Memory) -> Result<Self> {
        let mut handle = ImageHandle::NULL;
        let wrap = |context| {
            // SAFETY: both pointers are valid for the call; the description is of elements within the memory that the
            // context keeps, and `release` takes that context.
            unsafe { (library.types.nvcvImageWrapDataConstruct)(&data, Some(release), context, &mut handle) }
        };
        keeping(library, RULES.operation, "nvcvImageWrapDataConstruct", memory, wrap)?;
        Ok(Self { library: library.clone(), handle })
    }
}

impl Drop for NativeImage {
    fn drop(&mut self) {
        // SAFETY: this reference is given back once; batches that hold the image keep their own.
        let _ = unsafe { (self.library.types.nvcvImageDecRef)(self.handle, ptr::null_mut()) };
    }
}
