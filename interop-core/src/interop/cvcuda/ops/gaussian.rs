//! Gaussian blur.

use super::Border;
use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{Rules, check_output, refused};
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Result, Tensor};

/// The largest side of a filter: the operator keeps a number for each of its pixels, and is made for the largest sides so
/// far.
const LARGEST: i32 = 1023;

/// The filter of [`CvCuda::gaussian`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    /// Height and width of the filter in pixels: odd, 1 to 1023.
    pub kernel: (i32, i32),
    /// Standard deviations down and across, in pixels: above 0.
    pub sigma: (f64, f64),
    /// What lies beyond the edges.
    pub border: Border,
}

impl Gaussian {
    /// A square filter of `kernel` pixels and the same `sigma` both ways, the edges continued as
    /// [`Border::Reflect101`] says.
    pub fn square(kernel: i32, sigma: f64) -> Self {
        Self { kernel: (kernel, kernel), sigma: (sigma, sigma), border: Border::Reflect101 }
    }

    fn check(&self, operation: &'static str) -> Result<()> {
        let ((height, width), (down, across)) = (self.kernel, self.sigma);
        let is_odd = |side: i32| (1..=LARGEST).contains(&side) && side % 2 == 1;
        if !is_odd(height) || !is_odd(width) {
            let found = format!("{height} x {width}");
            return Err(refused(
                operation,
                "kernel",
                format!("odd sides of 1 to {LARGEST}"),
                found,
                "use the next odd size",
            ));
        }
        let is_width = |sigma: f64| sigma.is_finite() && sigma > 0.0;
        if !is_width(down) || !is_width(across) {
            let (expected, found) = ("finite deviations above 0", format!("{down} and {across}"));
            return Err(refused(
                operation,
                "sigma",
                expected,
                found,
                "for no blur one way, use a kernel of 1 there",
            ));
        }
        Ok(())
    }
}

const fn rules(operation: &'static str) -> Rules {
    Rules::of(operation, &[DType::U8, DType::U16, DType::I16, DType::I32, DType::F16, DType::F32])
}

impl CvCuda {
    /// The images of `input` blurred, as a new tensor. A filter with a larger side than all before has the operator made
    /// anew, which waits for the stream.
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, u16, i16, i32, f16 or f32.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn gaussian(&self, input: &Tensor, filter: &Gaussian) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::gaussian";
        filter.check(OPERATION)?;
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        let output = self.output(OPERATION, input.shape(), input.dtype(), images.layout)?;
        self.queue_gaussian(OPERATION, input, &output, filter)?;
        Ok(output)
    }

    /// Blurs the images of `input` into `output`, which has the same layout, dtype and shape.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn gaussian_into(&self, input: &Tensor, output: &mut Tensor, filter: &Gaussian) -> Result<()> {
        self.queue_gaussian("CvCuda::gaussian_into", input, output, filter)
    }

    fn queue_gaussian(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        filter: &Gaussian,
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_alike(operation, &to)?;
        check_output(operation, &[input], output)?;
        filter.check(operation)?;
        let ((height, width), (down, across)) = (filter.kernel, filter.sigma);
        self.shared.call(operation, Kind::Gaussian, (width, height), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises, and the operator is good for this
            // filter; the tensors keep the operator's rules.
            let status = unsafe {
                (library.operators.cvcudaGaussianSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    width,
                    height,
                    across,
                    down,
                    filter.border as i32,
                )
            };
            ("cvcudaGaussianSubmit", status)
        })
    }
}
