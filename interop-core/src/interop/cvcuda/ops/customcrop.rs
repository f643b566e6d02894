//! A part of an image.

use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{Images, Rules, check_output, ends_within, refused};
use crate::interop::cvcuda::library::RectI;
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Result, Tensor};

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Columns left of it.
    pub x: usize,
    /// Rows above it.
    pub y: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Rect {
    /// As CV-CUDA takes it, if it has pixels and lies within the images.
    fn within(self, operation: &'static str, images: &Images) -> Result<RectI> {
        let ends = |start, len, most| len > 0 && ends_within(start, len, most);
        if ends(self.x, self.width, images.width) && ends(self.y, self.height, images.height) {
            // Fits: the images' sides were checked.
            let [x, y, width, height] = [self.x, self.y, self.width, self.height].map(|side| side as i32);
            return Ok(RectI { x, y, width, height });
        }
        let expected =
            format!("at least one pixel, all within {} columns and {} rows", images.width, images.height);
        Err(refused(operation, "rect", expected, format!("{self:?}"), "clip it to the image"))
    }
}

const fn rules(operation: &'static str) -> Rules {
    Rules {
        counts_in_32_bits: false,
        ..Rules::of(
            operation,
            &[
                DType::U8,
                DType::I8,
                DType::U16,
                DType::I16,
                DType::U32,
                DType::I32,
                DType::U64,
                DType::I64,
                DType::F16,
                DType::F32,
                DType::F64,
            ],
        )
    }
}

impl CvCuda {
    /// The rectangle `rect` of each image of `input`, as a new tensor. (Without a copy:
    /// [`CudaView::slice`](crate::CudaView::slice) twice.)
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, i8, u16, i16, u32, i32, u64, i64, f16, f32 or f64.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn customcrop(&self, input: &Tensor, rect: Rect) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::customcrop";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        rect.within(OPERATION, &images)?;
        let shape = images.shape(images.layout, (rect.height, rect.width), images.channels);
        let output = self.output(OPERATION, &shape, input.dtype(), images.layout)?;
        self.queue_customcrop(OPERATION, input, &output, rect)?;
        Ok(output)
    }

    /// Copies the rectangle `rect` of each image of `input` to `output`, whose images have the size of the rectangle, and
    /// which has the same layout, dtype, number of images and channels.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn customcrop_into(&self, input: &Tensor, output: &mut Tensor, rect: Rect) -> Result<()> {
        self.queue_customcrop("CvCuda::customcrop_into", input, output, rect)
    }

    fn queue_customcrop(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        rect: Rect,
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        let native = rect.within(operation, &from)?;
        let cropped = Images { height: rect.height, width: rect.width, ..from };
        cropped.check_alike(operation, &to)?;
        check_output(operation, &[input], output)?;
        self.shared.call(operation, Kind::CustomCrop, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules,
            // and the rectangle lies within.
            let status = unsafe {
                (library.operators.cvcudaCustomCropSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    native,
                )
            };
            ("cvcudaCustomCropSubmit", status)
        })
    }
}
