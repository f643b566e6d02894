//! Photographs of any size into the input of a network: uploaded, resized, their colours turned round, normalised, laid
//! out as planes of floats.

use interop_core::cvcuda::{ColorConversion, CvCuda, Interpolation, Normalization, Round, Scale};
use interop_core::{DType, Error, HostArray, Layout, Result, Tensor, as_tensor};

/// Means of the channels blue, green and red, of values from 0 to 1 (ImageNet's).
pub const MEAN: [f32; 3] = [0.406, 0.456, 0.485];
/// Their standard deviations.
pub const DEVIATION: [f32; 3] = [0.225, 0.224, 0.229];

/// The steps, with memory for a batch, which serves again and again.
#[derive(Debug)]
pub struct Preprocessor {
    cv: CvCuda,
    normalization: Normalization,
    /// RGB, u8, NHWC; and each image of it as a tensor.
    resized: Tensor,
    slots: Vec<Tensor>,
    /// BGR, u8, NHWC.
    turned: Tensor,
    /// f32, NHWC.
    floats: Tensor,
    normalized: Tensor,
    /// f32, NCHW.
    planes: Tensor,
}

impl Preprocessor {
    /// For batches of `count` images, which become `size` = (height, width).
    ///
    /// # Errors
    /// Those of allocations.
    pub fn new(cv: &CvCuda, count: usize, size: (usize, usize)) -> Result<Self> {
        let pixels = [count, size.0, size.1, 3];
        let new = |shape: &[usize], dtype, layout: Layout| Tensor::packed(cv.gpu(), shape, dtype, layout);
        let resized = new(&pixels, DType::U8, Layout::NHWC)?;
        let slot = |index| as_tensor(resized.slice(0, index..index + 1)?, Layout::NHWC);
        Ok(Self {
            cv: cv.clone(),
            normalization: cv.normalization(&MEAN, &DEVIATION, Scale::Deviation { epsilon: 0.0 })?,
            slots: (0..count).map(slot).collect::<Result<_>>()?,
            resized,
            turned: new(&pixels, DType::U8, Layout::NHWC)?,
            floats: new(&pixels, DType::F32, Layout::NHWC)?,
            normalized: new(&pixels, DType::F32, Layout::NHWC)?,
            planes: new(&[count, 3, size.0, size.1], DType::F32, Layout::NCHW)?,
        })
    }

    /// Takes as many images as the batch has, arrays of rows, columns and RGB in host memory. Returns when all is queued;
    /// the tensor, f32 of layout NCHW, is overwritten by the next batch.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for another number of images; those of copies and operators.
    pub fn run(&mut self, photos: &[impl HostArray]) -> Result<&Tensor> {
        if photos.len() != self.slots.len() {
            // Else pictures of the batch before would stay, or some be left out.
            return Err(Error::InvalidArgument {
                operation: "Preprocessor::run",
                argument: "photos",
                expected: format!("{}, one for each image of the batch", self.slots.len()),
                found: photos.len().to_string(),
                remedy: "make a preprocessor for as many",
            });
        }
        for (photo, slot) in photos.iter().zip(&mut self.slots) {
            let pixels = Tensor::from_host(self.cv.gpu(), photo, Layout::HWC)?; // ANCHOR: steps
            let image =
                as_tensor(pixels.reshape(&[1, pixels.shape()[0], pixels.shape()[1], 3])?, Layout::NHWC)?;
            self.cv.resize_into(&image, slot, Interpolation::Linear)?;
        }
        self.cv.cvtcolor_into(&self.resized, &mut self.turned, ColorConversion::BgrToRgb)?;
        self.cv.convertto_into(&self.turned, &mut self.floats, 1.0 / 255.0, 0.0, Round::default())?;
        self.cv.normalize_into(&self.floats, &mut self.normalized, &self.normalization)?;
        self.cv.reformat_into(&self.normalized, &mut self.planes)?; // ANCHOR_END: steps
        Ok(&self.planes)
    }

    /// The images after the first step: RGB, u8, layout NHWC.
    pub fn resized(&self) -> &Tensor {
        &self.resized
    }
}
