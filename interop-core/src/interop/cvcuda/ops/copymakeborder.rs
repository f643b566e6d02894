//! Borders around images.

use super::Border;
use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{Images, MOST_NUMBERS, Rules, check_output, ends_within, refused};
use crate::interop::cvcuda::library::Float4;
use crate::interop::cvcuda::operator::Kind;
use crate::{Result, Tensor};

/// How many pixels are added around an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Margins {
    /// Rows above.
    pub top: usize,
    /// Rows below.
    pub bottom: usize,
    /// Columns to the left.
    pub left: usize,
    /// Columns to the right.
    pub right: usize,
}

impl Margins {
    /// The same on all four sides.
    pub fn all(pixels: usize) -> Self {
        Self { top: pixels, bottom: pixels, left: pixels, right: pixels }
    }
}

const fn rules(operation: &'static str) -> Rules {
    Rules::of(operation, MOST_NUMBERS)
}

impl CvCuda {
    /// The images of `input` with `margins` around, as a new tensor. `value` has a number for each channel, for
    /// [`Border::Constant`].
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, i8, u16, i16, i32, f16, f32 or f64.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn copymakeborder(
        &self,
        input: &Tensor,
        margins: Margins,
        border: Border,
        value: [f32; 4],
    ) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::copymakeborder";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        let size = margins.around(OPERATION, &images)?;
        let shape = images.shape(images.layout, size, images.channels);
        let output = self.output(OPERATION, &shape, input.dtype(), images.layout)?;
        self.queue_copymakeborder(OPERATION, input, &output, (margins.top, margins.left), border, value)?;
        Ok(output)
    }

    /// Copies the images of `input` to `output`, whose images are larger, `top` rows and `left` columns from their
    /// corner; what is around is filled as `border` says. It has the same layout, dtype, number of images and channels.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn copymakeborder_into(
        &self,
        input: &Tensor,
        output: &mut Tensor,
        (top, left): (usize, usize),
        border: Border,
        value: [f32; 4],
    ) -> Result<()> {
        const OPERATION: &str = "CvCuda::copymakeborder_into";
        self.queue_copymakeborder(OPERATION, input, output, (top, left), border, value)
    }

    fn queue_copymakeborder(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        corner: (usize, usize),
        border: Border,
        value: [f32; 4],
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_form(operation, &to)?;
        let (top, left) = check_room(operation, &from, &to, corner)?;
        check_output(operation, &[input], output)?;
        self.shared.call(operation, Kind::CopyMakeBorder, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules,
            // and the input has room in the output.
            let status = unsafe {
                (library.operators.cvcudaCopyMakeBorderSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    top,
                    left,
                    border as i32,
                    Float4(value),
                )
            };
            ("cvcudaCopyMakeBorderSubmit", status)
        })
    }
}

impl Margins {
    /// Height and width of an image with the margins around.
    fn around(self, operation: &'static str, images: &Images) -> Result<(usize, usize)> {
        let sum = |parts: [usize; 3]| {
            let all = parts.into_iter().try_fold(0usize, usize::checked_add);
            all.filter(|side| i32::try_from(*side).is_ok())
        };
        let height = sum([self.top, images.height, self.bottom]);
        height.zip(sum([self.left, images.width, self.right])).ok_or_else(|| {
            refused(
                operation,
                "margins",
                "sides below 2^31 in all",
                format!("{self:?}"),
                "use smaller margins",
            )
        })
    }
}

/// The corner as CV-CUDA takes it, if the input fits into the output from there.
fn check_room(
    operation: &'static str,
    from: &Images,
    to: &Images,
    (top, left): (usize, usize),
) -> Result<(i32, i32)> {
    if ends_within(top, from.height, to.height) && ends_within(left, from.width, to.width) {
        // Fit: they are within the output, whose sides were checked.
        return Ok((top as i32, left as i32));
    }
    let expected = format!("room for {} x {} pixels from ({top}, {left}) on", from.height, from.width);
    Err(refused(
        operation,
        "output",
        expected,
        format!("{} x {}", to.height, to.width),
        "make the output larger",
    ))
}
