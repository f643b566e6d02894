//! Mirror images.

use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{Rules, check_output};
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Result, Tensor};

/// Which way [`CvCuda::flip`] mirrors an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Flip {
    /// Upside down: around the x axis.
    Vertical = 0,
    /// Left to right: around the y axis.
    Horizontal = 1,
    /// Both: half a turn.
    Both = -1,
}

const fn rules(operation: &'static str) -> Rules {
    Rules {
        counts_in_32_bits: false,
        ..Rules::of(operation, &[DType::U8, DType::U16, DType::I32, DType::F16, DType::F32])
    }
}

impl CvCuda {
    /// The images of `input` mirrored, as a new tensor.
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, u16, i32, f16 or f32.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn flip(&self, input: &Tensor, flip: Flip) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::flip";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        let output = self.output(OPERATION, input.shape(), input.dtype(), images.layout)?;
        self.queue_flip(OPERATION, input, &output, flip)?;
        Ok(output)
    }

    /// Mirrors the images of `input` into `output`, which has the same layout, dtype and shape.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn flip_into(&self, input: &Tensor, output: &mut Tensor, flip: Flip) -> Result<()> {
        self.queue_flip("CvCuda::flip_into", input, output, flip)
    }

    fn queue_flip(&self, operation: &'static str, input: &Tensor, output: &Tensor, flip: Flip) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_alike(operation, &to)?;
        check_output(operation, &[input], output)?;
        self.shared.call(operation, Kind::Flip, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules.
            let status = unsafe {
                (library.operators.cvcudaFlipSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    flip as i32,
                )
            };
            ("cvcudaFlipSubmit", status)
        })
    }
}
