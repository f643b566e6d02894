//! Rotation.

use super::WarpInterpolation;
use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{BETWEEN_PIXELS, Rules, check_output, fits, refused};
use crate::interop::cvcuda::library::Double2;
use crate::interop::cvcuda::operator::Kind;
use crate::{Result, Tensor};

const fn rules(operation: &'static str) -> Rules {
    Rules::of(operation, BETWEEN_PIXELS)
}

impl CvCuda {
    /// The images of `input` turned by `degrees` around their upper left corner and then moved by `shift` = (x, y)
    /// pixels, as a new tensor of the same shape. What no pixel of the input comes to is 0.
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, u16, i16, f16 or f32.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn rotate(
        &self,
        input: &Tensor,
        degrees: f64,
        shift: (f64, f64),
        interpolation: WarpInterpolation,
    ) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::rotate";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        let output = self.output(OPERATION, input.shape(), input.dtype(), images.layout)?;
        // The operator writes no pixel that comes from outside the input.
        self.shared.clear(OPERATION, &output)?;
        self.queue_rotate(OPERATION, input, &output, degrees, shift, interpolation)?;
        Ok(output)
    }

    /// Turns the images of `input` by `degrees` around their upper left corner and moves them by `shift` = (x, y) pixels,
    /// into `output`, which has the same layout, dtype and shape. What no pixel of the input comes to stays as it is.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn rotate_into(
        &self,
        input: &Tensor,
        output: &mut Tensor,
        degrees: f64,
        shift: (f64, f64),
        interpolation: WarpInterpolation,
    ) -> Result<()> {
        self.queue_rotate("CvCuda::rotate_into", input, output, degrees, shift, interpolation)
    }

    fn queue_rotate(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        degrees: f64,
        shift: (f64, f64),
        interpolation: WarpInterpolation,
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_alike(operation, &to)?;
        check_output(operation, &[input], output)?;
        if !degrees.is_finite() || !fits(shift.0) || !fits(shift.1) {
            let (expected, found) =
                ("finite numbers, the shift within 2^30", format!("{degrees} and {shift:?}"));
            return Err(refused(operation, "degrees and shift", expected, found, "check how they are made"));
        }
        self.shared.call(operation, Kind::Rotate, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules.
            let status = unsafe {
                (library.operators.cvcudaRotateSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    degrees,
                    Double2 { x: shift.0, y: shift.1 },
                    interpolation as i32,
                )
            };
            ("cvcudaRotateSubmit", status)
        })
    }
}
