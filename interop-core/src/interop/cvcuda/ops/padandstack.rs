//! Images of different sizes in one tensor.

use super::Border;
use crate::cvcuda::{CvCuda, ImageBatch};
use crate::interop::cvcuda::check::{Images, Rules, ends_within, refused};
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Layout, Memory, Result, Tensor};

const fn rules(operation: &'static str) -> Rules {
    Rules {
        layouts: &[Layout::NHWC],
        older: &[Layout::NHWC],
        ..Rules::of(operation, &[DType::U8, DType::U16, DType::I16, DType::F32])
    }
}

impl CvCuda {
    /// Puts each image of a batch into an image of `size` = (height, width) of a new tensor of layout NHWC, `corners` =
    /// (top, left) pixels from its corner, one for each image; what is around is filled as `border` says, with `value` for
    /// [`Border::Constant`].
    ///
    /// Takes images of one format.
    ///
    /// # Errors
    /// As [`CvCuda::padandstack_into`], [`Error::OutOfMemory`](crate::Error::OutOfMemory) or
    /// [`Error::SizeOverflow`](crate::Error::SizeOverflow).
    pub fn padandstack(
        &self,
        input: &ImageBatch,
        size: (usize, usize),
        corners: &[(usize, usize)],
        border: Border,
        value: f32,
    ) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::padandstack";
        let format = input.check_one_format(OPERATION, "input")?;
        if size.0 == 0 || size.1 == 0 {
            return Err(refused(OPERATION, "size", "at least 1 x 1", format!("{size:?}"), "ask for more"));
        }
        let shape = [input.images().len(), size.0, size.1, format.channels()];
        let output = self.output(OPERATION, &shape, format.dtype(), Layout::NHWC)?;
        self.queue_padandstack(OPERATION, input, &output, corners, border, value)?;
        Ok(output)
    }

    /// As [`CvCuda::padandstack`], into `output`, which has an image for each of the batch, large enough for it, and its
    /// format's dtype and channels.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn padandstack_into(
        &self,
        input: &ImageBatch,
        output: &mut Tensor,
        corners: &[(usize, usize)],
        border: Border,
        value: f32,
    ) -> Result<()> {
        self.queue_padandstack("CvCuda::padandstack_into", input, output, corners, border, value)
    }

    fn queue_padandstack(
        &self,
        operation: &'static str,
        input: &ImageBatch,
        output: &Tensor,
        corners: &[(usize, usize)],
        border: Border,
        value: f32,
    ) -> Result<()> {
        let to = rules(operation).images(&self.shared.library, "output", output)?;
        input.check_taken(operation, "input", &self.shared)?;
        input.check_stacks_into(operation, &to)?;
        input.check_apart(operation, "output", [output.cuda()].iter())?;
        let (top, left) = self.upload_corners(operation, input, &to, corners)?;
        let natives = [output, &top, &left].map(|tensor| self.shared.native(operation, tensor));
        let [output_native, top_native, left_native] = natives;
        let (output_handle, top_handle, left_handle) = (output_native?, top_native?, left_native?);
        let numbers = [top.shared_memory(), left.shared_memory()];
        let reads: Vec<&Memory> = input.memories().chain(numbers).collect();
        let queued = self.shared.queue(operation, &reads, &[output.shared_memory()], |stream| {
            self.shared.with_operator(operation, Kind::PadAndStack, (0, 0), |operator| {
                // SAFETY: operator, stream, batch and tensors are live; output and corners have room for every image.
                let status = unsafe {
                    (self.shared.library.operators.cvcudaPadAndStackSubmit)(
                        operator,
                        stream,
                        input.handle(),
                        output_handle,
                        top_handle,
                        left_handle,
                        border as i32,
                        value,
                    )
                };
                self.shared.library.check(operation, "cvcudaPadAndStackSubmit", status)
            })
        });
        // Also after an error: a part may be queued.
        queued.and(self.shared.keep(operation, input.clone()))
    }

    /// The rows above and the columns to the left of each image, on the device: shape [1, 1, N, 1] of i32.
    fn upload_corners(
        &self,
        operation: &'static str,
        input: &ImageBatch,
        to: &Images,
        corners: &[(usize, usize)],
    ) -> Result<(Tensor, Tensor)> {
        let images = input.images();
        if corners.len() != images.len() {
            let expected = format!("{}, one for each image", images.len());
            return Err(refused(operation, "corners", expected, corners.len().to_string(), "give as many"));
        }
        for (index, (image, &(top, left))) in images.iter().zip(corners).enumerate() {
            let (height, width) = image.size();
            if !ends_within(top, height, to.height) || !ends_within(left, width, to.width) {
                let expected = format!("within {} x {} pixels for image {index}", to.height, to.width);
                let found = format!("{height} x {width} pixels from ({top}, {left}) on");
                return Err(refused(
                    operation,
                    "corners",
                    expected,
                    found,
                    "resize the image, or ask for more room",
                ));
            }
        }
        // Fit: they lie within the output, whose sides were checked.
        let tops: Vec<i32> = corners.iter().map(|corner| corner.0 as i32).collect();
        let lefts: Vec<i32> = corners.iter().map(|corner| corner.1 as i32).collect();
        Ok((self.upload_numbers(operation, &tops)?, self.upload_numbers(operation, &lefts)?))
    }

    fn upload_numbers(&self, operation: &'static str, numbers: &[i32]) -> Result<Tensor> {
        let shape = [1, 1, numbers.len(), 1];
        let mut tensor = Tensor::padded(operation, self.gpu(), &shape, DType::I32, Some(Layout::NHWC))?;
        crate::cuda_memcpy_h2d(numbers, &mut tensor).map_err(|error| error.during(operation))?;
        Ok(tensor)
    }
}
