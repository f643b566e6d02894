//! Resize.

use super::Interpolation;
use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{BETWEEN_PIXELS, Rules, check_output, refused};
use crate::interop::cvcuda::operator::Kind;
use crate::{Result, Tensor};

const fn rules(operation: &'static str) -> Rules {
    Rules::of(operation, BETWEEN_PIXELS)
}

impl CvCuda {
    /// The images of `input` with `size` = (height, width) in pixels, as a new tensor.
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, u16, i16, f16 or f32.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`], [`Error::OutOfMemory`](crate::Error::OutOfMemory) or
    /// [`Error::SizeOverflow`](crate::Error::SizeOverflow).
    pub fn resize(
        &self,
        input: &Tensor,
        size: (usize, usize),
        interpolation: Interpolation,
    ) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::resize";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        if size.0 == 0 || size.1 == 0 {
            return Err(refused(
                OPERATION,
                "size",
                "at least 1 x 1",
                format!("{} x {}", size.0, size.1),
                "ask for more",
            ));
        }
        let shape = images.shape(images.layout, size, images.channels);
        let output = self.output(OPERATION, &shape, input.dtype(), images.layout)?;
        self.queue_resize(OPERATION, input, &output, interpolation)?;
        Ok(output)
    }

    /// Resizes the images of `input` to the size of those of `output`, which has the same layout, dtype, number of
    /// images and channels.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for what the operator does not take,
    /// [`Error::ReadOnly`](crate::Error::ReadOnly), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch),
    /// [`Error::CvCuda`](crate::Error::CvCuda) or [`Error::Driver`](crate::Error::Driver).
    pub fn resize_into(
        &self,
        input: &Tensor,
        output: &mut Tensor,
        interpolation: Interpolation,
    ) -> Result<()> {
        self.queue_resize("CvCuda::resize_into", input, output, interpolation)
    }

    fn queue_resize(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        interpolation: Interpolation,
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_form(operation, &to)?;
        check_output(operation, &[input], output)?;
        self.shared.call(operation, Kind::Resize, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules.
            let status = unsafe {
                (library.operators.cvcudaResizeSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    interpolation as i32,
                )
            };
            ("cvcudaResizeSubmit", status)
        })
    }
}
