//! One image over another.

use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{Rules, check_output};
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Result, Tensor};

const fn rules(operation: &'static str, channels: &'static [usize]) -> Rules {
    Rules { channels, ..Rules::of(operation, &[DType::U8]) }
}

impl CvCuda {
    /// `foreground` where `mask` is 255, `background` where it is 0, and in proportion between, as a new tensor.
    ///
    /// Takes HWC, NHWC, CHW and NCHW, u8: three channels in both pictures, one in the mask, all of the same size and number.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn composite(&self, foreground: &Tensor, background: &Tensor, mask: &Tensor) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::composite";
        let images = rules(OPERATION, &[3]).images(&self.shared.library, "foreground", foreground)?;
        let output = self.output(OPERATION, foreground.shape(), foreground.dtype(), images.layout)?;
        self.queue_composite(OPERATION, [foreground, background, mask], &output)?;
        Ok(output)
    }

    /// As [`CvCuda::composite`], into `output`, which has the layout, size and number of images of the others, and three
    /// channels, or four: then the last is 255.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn composite_into(
        &self,
        foreground: &Tensor,
        background: &Tensor,
        mask: &Tensor,
        output: &mut Tensor,
    ) -> Result<()> {
        self.queue_composite("CvCuda::composite_into", [foreground, background, mask], output)
    }

    fn queue_composite(&self, operation: &'static str, inputs: [&Tensor; 3], output: &Tensor) -> Result<()> {
        let images = rules(operation, &[3]).images(&self.shared.library, "foreground", inputs[0])?;
        let others = [
            rules(operation, &[3]).images(&self.shared.library, "background", inputs[1])?,
            rules(operation, &[1]).images(&self.shared.library, "mask", inputs[2])?,
            rules(operation, &[3, 4]).images(&self.shared.library, "output", output)?,
        ];
        for other in others {
            images.check_layout(operation, &other)?;
            images.check_samples(operation, &other)?;
            images.check_same_size(operation, &other)?;
        }
        check_output(operation, &inputs, output)?;
        self.shared.call(operation, Kind::Composite, (0, 0), &inputs, output, |library, call| {
            let [foreground, background, mask] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules.
            let status = unsafe {
                (library.operators.cvcudaCompositeSubmit)(
                    call.operator,
                    call.stream,
                    foreground,
                    background,
                    mask,
                    call.output,
                )
            };
            ("cvcudaCompositeSubmit", status)
        })
    }
}
