//! Pixels into planes, and planes into pixels.

use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{MOST_NUMBERS, PIXELS_AND_PLANES, Rules, check_output, refused};
use crate::interop::cvcuda::operator::Kind;
use crate::{Layout, Result, Tensor};

const fn rules(operation: &'static str) -> Rules {
    Rules { older: PIXELS_AND_PLANES, ..Rules::of(operation, MOST_NUMBERS) }
}

impl CvCuda {
    /// The images of `input` with their axes in the order of `layout`, as a new tensor: HWC, CHW, NHWC or NCHW, each
    /// from each; without an axis N there is one image.
    ///
    /// Takes 1, 3 or 4 channels; u8, i8, u16, i16, i32, f16, f32 or f64.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn reformat(&self, input: &Tensor, layout: Layout) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::reformat";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        if !PIXELS_AND_PLANES.contains(&layout) || (layout.axis('N').is_none() && images.samples > 1) {
            let expected = format!("HWC, CHW, NHWC or NCHW, with N for {} images", images.samples);
            return Err(refused(OPERATION, "layout", expected, layout.to_string(), "name one of them"));
        }
        let shape = images.shape(layout, (images.height, images.width), images.channels);
        let output = self.output(OPERATION, &shape, input.dtype(), layout)?;
        self.queue_reformat(OPERATION, input, &output)?;
        Ok(output)
    }

    /// Writes the images of `input` to `output` in the order of its layout. It has the same dtype, number and size of
    /// images, and channels.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn reformat_into(&self, input: &Tensor, output: &mut Tensor) -> Result<()> {
        self.queue_reformat("CvCuda::reformat_into", input, output)
    }

    fn queue_reformat(&self, operation: &'static str, input: &Tensor, output: &Tensor) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_dtype(operation, &to)?;
        from.check_same_images(operation, &to)?;
        check_output(operation, &[input], output)?;
        self.shared.call(operation, Kind::Reformat, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules.
            let status = unsafe {
                (library.operators.cvcudaReformatSubmit)(call.operator, call.stream, input, call.output)
            };
            ("cvcudaReformatSubmit", status)
        })
    }
}
