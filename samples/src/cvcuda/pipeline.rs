//! Photographs of any size into the input of a network: uploaded, resized, their colours turned round, normalised, laid
//! out as planes of floats.

use interop_core::cvcuda::{ColorConversion, CvCuda, Interpolation, Recorded, Round, Scale};
use interop_core::{DType, Error, HostArray, Layout, Result, Tensor, as_tensor};

/// Means of the channels blue, green and red, of values from 0 to 1 (ImageNet's).
pub const MEAN: [f32; 3] = [0.406, 0.456, 0.485];
/// Their standard deviations.
pub const DEVIATION: [f32; 3] = [0.225, 0.224, 0.229];

/// The steps, with memory for a batch, which serves again and again.
#[derive(Debug)]
pub struct Preprocessor {
    cv: CvCuda,
    /// RGB, u8, NHWC; and each image of it as a tensor.
    resized: Tensor,
    slots: Vec<Tensor>,
    /// The steps from `resized` to `planes`, which are the same for every batch.
    others: Recorded,
    /// f32, NCHW.
    planes: Tensor,
}

impl Preprocessor {
    /// For batches of `count` images, which become `size` = (height, width).
    ///
    /// # Errors
    /// Those of allocations and operators.
    pub fn new(cv: &CvCuda, count: usize, size: (usize, usize)) -> Result<Self> {
        let resized = Tensor::packed(cv.gpu(), &[count, size.0, size.1, 3], DType::U8, Layout::NHWC)?;
        let slot = |index| as_tensor(resized.slice(0, index..index + 1)?, Layout::NHWC);
        let slots = (0..count).map(slot).collect::<Result<_>>()?;
        let normalization = cv.normalization(&MEAN, &DEVIATION, Scale::Deviation { epsilon: 0.0 })?;
        let (others, planes) = cv.record(|cv| {
            let turned = cv.cvtcolor(&resized, ColorConversion::BgrToRgb)?;
            let floats = cv.convertto(&turned, DType::F32, 1.0 / 255.0, 0.0, Round::default())?;
            let normalized = cv.normalize(&floats, &normalization)?;
            cv.reformat(&normalized, Layout::NCHW)
        })?;
        Ok(Self { cv: cv.clone(), resized, slots, others, planes })
    }

    /// Takes as many images as the batch has, arrays of rows, columns and RGB in host memory. Returns when all is queued;
    /// the tensor, f32 of layout NCHW, is overwritten by the next batch.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for more or fewer images than the batch has; those of copies and operators.
    pub fn run(&mut self, photos: &[impl HostArray]) -> Result<&Tensor> {
        check_count(photos.len(), self.slots.len())?;
        for (photo, slot) in photos.iter().zip(&mut self.slots) {
            let pixels = Tensor::from_host(self.cv.gpu(), photo, Layout::HWC)?; // ANCHOR: steps
            let image =
                as_tensor(pixels.reshape(&[1, pixels.shape()[0], pixels.shape()[1], 3])?, Layout::NHWC)?;
            self.cv.resize_into(&image, slot, Interpolation::Linear)?;
        }
        self.others.run()?; // ANCHOR_END: steps
        Ok(&self.planes)
    }

    /// The images after the first step: RGB, u8, layout NHWC.
    pub fn resized(&self) -> &Tensor {
        &self.resized
    }
}

/// Too few would leave images of the batch before in their slots, and what is too many would have none.
fn check_count(photos: usize, batch: usize) -> Result<()> {
    if photos == batch {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        operation: "Preprocessor::run",
        argument: "photos",
        expected: format!("as many as the batch has, {batch}"),
        found: photos.to_string(),
        remedy: "make a Preprocessor for batches of that many",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_takes_neither_more_nor_fewer_photos() {
        check_count(3, 3).expect("as many as the batch has");
        for count in [0, 2, 4] {
            let error = check_count(count, 3).expect_err("not a whole batch");
            assert!(matches!(error, Error::InvalidArgument { argument: "photos", .. }), "{error}");
            assert!(error.to_string().contains(&format!("has, 3, got {count}; ")), "{error}");
        }
    }
}
