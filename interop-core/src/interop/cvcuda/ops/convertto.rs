//! Conversion between element types.

use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{MOST_NUMBERS, Rules, check_output, refused};
use crate::interop::cvcuda::library::ConvertTo;
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Result, Tensor};

/// How [`CvCuda::convertto`] makes integers of what lies between them (`NVCVRoundMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(i32)]
#[non_exhaustive]
pub enum Round {
    /// To the nearest, of two the even one; what is out of range becomes the nearest end of it.
    #[default]
    Nearest = 0,
    /// Toward 0; what is out of range becomes the nearest end of it.
    Truncate = 1,
    /// To the nearest, of two the even one; what is out of range is taken modulo its length. For up to 16 bits.
    NearestWrap = 2,
    /// Toward 0; what is out of range is taken modulo its length. For up to 16 bits.
    TruncateWrap = 3,
}

impl Round {
    /// Every way there is.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Nearest, Self::Truncate, Self::NearestWrap, Self::TruncateWrap].into_iter()
    }
}

const fn rules(operation: &'static str) -> Rules {
    Rules { counts_in_32_bits: false, channels: &[1, 2, 3, 4], ..Rules::of(operation, MOST_NUMBERS) }
}

impl CvCuda {
    /// `input * scale + offset` as elements of `dtype`, as a new tensor. Integers are made as `round` says; floats are not
    /// rounded.
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1 to 4 channels; u8, i8, u16, i16, i32, f16, f32 or f64.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn convertto(
        &self,
        input: &Tensor,
        dtype: DType,
        scale: f64,
        offset: f64,
        round: Round,
    ) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::convertto";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        rules(OPERATION).check_dtype(&self.shared.library, "dtype", dtype)?;
        let output = self.output(OPERATION, input.shape(), dtype, images.layout)?;
        self.queue_convertto(OPERATION, input, &output, scale, offset, round)?;
        Ok(output)
    }

    /// Writes `input * scale + offset` to `output`, which has the same layout and shape. Integers are made as `round` says;
    /// floats are not rounded.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn convertto_into(
        &self,
        input: &Tensor,
        output: &mut Tensor,
        scale: f64,
        offset: f64,
        round: Round,
    ) -> Result<()> {
        self.queue_convertto("CvCuda::convertto_into", input, output, scale, offset, round)
    }

    fn queue_convertto(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        scale: f64,
        offset: f64,
        round: Round,
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_layout(operation, &to)?;
        from.check_same_images(operation, &to)?;
        check_output(operation, &[input], output)?;
        self.check_round(operation, output.dtype(), round)?;
        self.shared.call(operation, Kind::ConvertTo, (0, 0), &[input], output, |library, call| {
            let (operator, stream, [input], output) = (call.operator, call.stream, call.inputs, call.output);
            let status = match library.convert_to {
                // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's
                // rules.
                ConvertTo::WithoutRounding(submit) => unsafe {
                    submit(operator, stream, input, output, scale, offset)
                },
                // SAFETY: as above.
                ConvertTo::WithRounding(submit) => unsafe {
                    submit(operator, stream, input, output, scale, offset, round as i32)
                },
            };
            ("cvcudaConvertToSubmit", status)
        })
    }

    /// Before 0.17, CV-CUDA rounded in one way only; it never wraps to 32 bits.
    fn check_round(&self, operation: &'static str, dtype: DType, round: Round) -> Result<()> {
        let is_chosen = matches!(self.shared.library.convert_to, ConvertTo::WithRounding(_));
        if !is_chosen && round != Round::default() {
            let found = format!("{round:?} with {}", self.library());
            let expected = "the default before CV-CUDA 0.17";
            return Err(refused(operation, "round", expected, found, "use a newer CV-CUDA"));
        }
        if dtype == DType::I32 && matches!(round, Round::NearestWrap | Round::TruncateWrap) {
            let found = format!("{round:?} for i32");
            let remedy = "use Nearest or Truncate, which end at the range's ends";
            return Err(refused(operation, "round", "a way without wrapping", found, remedy));
        }
        Ok(())
    }
}
