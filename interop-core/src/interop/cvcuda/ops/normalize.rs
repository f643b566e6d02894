//! Normalisation.

use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{Images, MOST_NUMBERS, Rules, check_output, refused};
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Gpu, Layout, Result, Tensor, as_tensor};

/// `CVCUDA_NORMALIZE_SCALE_IS_STDDEV`
const IS_DEVIATION: u32 = 1;

/// What [`CvCuda::normalize`] computes: `(input - base) * scale * global_scale + shift`, where base and scale have a number
/// for each channel and lie on the device.
#[derive(Debug)]
pub struct Normalization {
    base: Numbers,
    scale: Numbers,
    kind: Scale,
    /// A factor for all channels.
    pub global_scale: f32,
    /// Added to all channels.
    pub shift: f32,
}

/// A number for each channel, as CV-CUDA wants it for pixels (NHWC) and for planes (NCHW): the same memory.
#[derive(Debug)]
struct Numbers {
    pixels: Tensor,
    planes: Tensor,
}

impl Numbers {
    fn upload(operation: &'static str, gpu: &Gpu, numbers: &[f32]) -> Result<Self> {
        let mut pixels =
            Tensor::padded(operation, gpu, &[1, 1, 1, numbers.len()], DType::F32, Some(Layout::NHWC))?;
        crate::cuda_memcpy_h2d(numbers, &mut pixels).map_err(|error| error.during(operation))?;
        let planes = as_tensor(pixels.reshape(&[1, numbers.len(), 1, 1])?, Layout::NCHW)?;
        Ok(Self { pixels, planes })
    }

    fn of(&self, layout: Layout) -> &Tensor {
        if layout.ends_in_pixels() { &self.pixels } else { &self.planes }
    }

    fn len(&self) -> usize {
        self.pixels.len()
    }
}

/// What the numbers of a [`Normalization`] are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Factors.
    Factor,
    /// Standard deviations: the factor is `1 / sqrt(deviation^2 + epsilon)`.
    Deviation {
        /// Keeps small deviations from making the factor huge.
        epsilon: f32,
    },
}

const fn rules(operation: &'static str) -> Rules {
    Rules::of(operation, MOST_NUMBERS)
}

impl CvCuda {
    /// Uploads the numbers of a normalisation: for each channel, or one for all of them.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for anything but 1, 3 or 4 numbers, as many of both kinds;
    /// as [`Tensor::from_host`].
    pub fn normalization(&self, base: &[f32], scale: &[f32], kind: Scale) -> Result<Normalization> {
        const OPERATION: &str = "CvCuda::normalization";
        if ![1, 3, 4].contains(&base.len()) || base.len() != scale.len() {
            let (expected, found) =
                ("1, 3 or 4 numbers of both", format!("{} and {}", base.len(), scale.len()));
            return Err(refused(OPERATION, "base and scale", expected, found, "give one for each channel"));
        }
        Ok(Normalization {
            base: Numbers::upload(OPERATION, self.gpu(), base)?,
            scale: Numbers::upload(OPERATION, self.gpu(), scale)?,
            kind,
            global_scale: 1.0,
            shift: 0.0,
        })
    }

    /// The images of `input` normalised, as a new tensor of the same dtype.
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, i8, u16, i16, i32, f16, f32 or f64.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn normalize(&self, input: &Tensor, normalization: &Normalization) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::normalize";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        let output = self.output(OPERATION, input.shape(), input.dtype(), images.layout)?;
        self.queue_normalize(OPERATION, input, &output, normalization)?;
        Ok(output)
    }

    /// Normalises the images of `input` into `output`, which has the same layout, dtype and shape.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn normalize_into(
        &self,
        input: &Tensor,
        output: &mut Tensor,
        normalization: &Normalization,
    ) -> Result<()> {
        self.queue_normalize("CvCuda::normalize_into", input, output, normalization)
    }

    fn queue_normalize(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        normalization: &Normalization,
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_alike(operation, &to)?;
        normalization.check(operation, &from)?;
        let Normalization { global_scale, shift, .. } = normalization;
        let (base, scale) = (normalization.base.of(from.layout), normalization.scale.of(from.layout));
        check_output(operation, &[input, base, scale], output)?;
        let (flags, epsilon) = normalization.flags();
        self.shared.call(
            operation,
            Kind::Normalize,
            (0, 0),
            &[input, base, scale],
            output,
            |library, call| {
                let [input, base, scale] = call.inputs;
                // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules,
                // and base and scale have a number for each channel or one for all.
                let status = unsafe {
                    (library.operators.cvcudaNormalizeSubmit)(
                        call.operator,
                        call.stream,
                        input,
                        base,
                        scale,
                        call.output,
                        *global_scale,
                        *shift,
                        epsilon,
                        flags,
                    )
                };
                ("cvcudaNormalizeSubmit", status)
            },
        )
    }
}

impl Normalization {
    fn check(&self, operation: &'static str, images: &Images) -> Result<()> {
        let found = self.base.len();
        if found == 1 || found == images.channels {
            return Ok(());
        }
        let expected = format!("numbers for {} channels, or one for all", images.channels);
        Err(refused(operation, "normalization", expected, found.to_string(), "make one for these channels"))
    }

    fn flags(&self) -> (u32, f32) {
        match self.kind {
            Scale::Factor => (0, 0.0),
            Scale::Deviation { epsilon } => (IS_DEVIATION, epsilon),
        }
    }
}
