//! Operators on batches of images of different sizes.

use std::ffi::c_void;

use super::{ColorConversion, Interpolation};
use crate::cvcuda::{CvCuda, Image, ImageBatch, ImageFormat};
use crate::interop::cvcuda::check::refused;
use crate::interop::cvcuda::library::{ImageBatchHandle, Library, OperatorHandle, Status};
use crate::interop::cvcuda::operator::Kind;
use crate::{Layout, Memory, Result};

impl CvCuda {
    /// The images of a batch, each with its size = (height, width) of `sizes` in pixels, as a new batch.
    ///
    /// # Errors
    /// As [`CvCuda::resize_batch_into`], [`Error::OutOfMemory`](crate::Error::OutOfMemory) or
    /// [`Error::SizeOverflow`](crate::Error::SizeOverflow).
    pub fn resize_batch(
        &self,
        input: &ImageBatch,
        sizes: &[(usize, usize)],
        interpolation: Interpolation,
    ) -> Result<ImageBatch> {
        const OPERATION: &str = "CvCuda::resize_batch";
        if sizes.len() != input.images().len() {
            let expected = format!("{}, one for each image", input.images().len());
            return Err(refused(OPERATION, "sizes", expected, sizes.len().to_string(), "give as many"));
        }
        if let Some(size) = sizes.iter().find(|size| size.0 == 0 || size.1 == 0) {
            return Err(refused(
                OPERATION,
                "sizes",
                "at least 1 x 1 each",
                format!("{size:?}"),
                "ask for more",
            ));
        }
        let kinds = input.images().iter().zip(sizes).map(|(image, size)| (*size, image.format()));
        let output = self.new_batch(OPERATION, kinds)?;
        self.queue_resize_batch(OPERATION, input, &output, interpolation)?;
        Ok(output)
    }

    /// Resizes the images of a batch to the sizes of those of `output`, which are of the same formats.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn resize_batch_into(
        &self,
        input: &ImageBatch,
        output: &mut ImageBatch,
        interpolation: Interpolation,
    ) -> Result<()> {
        self.queue_resize_batch("CvCuda::resize_batch_into", input, output, interpolation)
    }

    fn queue_resize_batch(
        &self,
        operation: &'static str,
        input: &ImageBatch,
        output: &ImageBatch,
        interpolation: Interpolation,
    ) -> Result<()> {
        let (from, to) =
            (input.check_one_format(operation, "input")?, output.check_one_format(operation, "output")?);
        if from != to {
            let (expected, found) = (format!("{from:?}"), format!("{to:?}"));
            return Err(refused(operation, "output", expected, found, "make it of the input's format"));
        }
        self.call_batch(
            operation,
            Kind::Resize,
            input,
            output,
            |library, operator, stream, [input, output]| {
                let submit = library.operators.cvcudaResizeVarShapeSubmit;
                // SAFETY: operator, stream and batches are live, as `call_batch` promises; the batches are of one format.
                let status = unsafe { submit(operator, stream, input, output, interpolation as i32) };
                ("cvcudaResizeVarShapeSubmit", status)
            },
        )
    }

    /// The images of a batch in other colours, of `format`, as a new batch.
    ///
    /// # Errors
    /// As [`CvCuda::cvtcolor_batch_into`], [`Error::OutOfMemory`](crate::Error::OutOfMemory) or
    /// [`Error::SizeOverflow`](crate::Error::SizeOverflow).
    pub fn cvtcolor_batch(
        &self,
        input: &ImageBatch,
        conversion: ColorConversion,
        format: ImageFormat,
    ) -> Result<ImageBatch> {
        const OPERATION: &str = "CvCuda::cvtcolor_batch";
        let dtype = input.check_one_format(OPERATION, "input")?.dtype();
        if (format.channels(), format.dtype()) != (conversion.channels().1, dtype) {
            let expected = format!("{} channels of {dtype}", conversion.channels().1);
            let found = format!("{format:?}");
            return Err(refused(
                OPERATION,
                "format",
                expected,
                found,
                "name one with the channels of the new colours",
            ));
        }
        let output = self.new_batch(OPERATION, input.images().iter().map(|image| (image.size(), format)))?;
        self.queue_cvtcolor_batch(OPERATION, input, &output, conversion)?;
        Ok(output)
    }

    /// Converts the images of a batch into those of `output`, which are of the same sizes and of a format with the new
    /// channels.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn cvtcolor_batch_into(
        &self,
        input: &ImageBatch,
        output: &mut ImageBatch,
        conversion: ColorConversion,
    ) -> Result<()> {
        self.queue_cvtcolor_batch("CvCuda::cvtcolor_batch_into", input, output, conversion)
    }

    fn queue_cvtcolor_batch(
        &self,
        operation: &'static str,
        input: &ImageBatch,
        output: &ImageBatch,
        conversion: ColorConversion,
    ) -> Result<()> {
        let from = input.check_one_format(operation, "input")?;
        let to = output.check_one_format(operation, "output")?;
        let found = (from.channels(), to.channels());
        if conversion.channels() != found || from.dtype() != to.dtype() {
            let expected = format!("{:?} channels of one dtype", conversion.channels());
            let found = format!("{found:?} of {} and {}", from.dtype(), to.dtype());
            return Err(refused(
                operation,
                "conversion",
                expected,
                found,
                "name the conversion between these formats",
            ));
        }
        input.check_as_many(operation, output)?;
        let sizes = input.images().iter().map(Image::size).zip(output.images().iter().map(Image::size));
        if let Some((expected, found)) = sizes.into_iter().find(|(input, output)| input != output) {
            let (expected, found) = (format!("an image of {expected:?}"), format!("{found:?}"));
            return Err(refused(
                operation,
                "output",
                expected,
                found,
                "make each image of the size of the input's",
            ));
        }
        self.call_batch(
            operation,
            Kind::CvtColor,
            input,
            output,
            |library, operator, stream, [input, output]| {
                let submit = library.operators.cvcudaCvtColorVarShapeSubmit;
                // SAFETY: operator, stream and batches are live, as `call_batch` promises; their images pair up.
                let status = unsafe { submit(operator, stream, input, output, conversion as i32) };
                ("cvcudaCvtColorVarShapeSubmit", status)
            },
        )
    }

    /// A batch of new images of these sizes and formats.
    fn new_batch(
        &self,
        operation: &'static str,
        kinds: impl Iterator<Item = ((usize, usize), ImageFormat)>,
    ) -> Result<ImageBatch> {
        let image = |((height, width), format): ((usize, usize), ImageFormat)| {
            let shape = [height, width, format.channels()];
            self.image(&self.output(operation, &shape, format.dtype(), Layout::HWC)?, format)
        };
        let images: Result<Vec<Image>> = kinds.map(image).collect();
        self.batch_for(operation, images.map_err(|error| error.during(operation))?)
    }

    /// Has `submit` call the library's function, whose name and status it returns.
    fn call_batch(
        &self,
        operation: &'static str,
        kind: Kind,
        input: &ImageBatch,
        output: &ImageBatch,
        submit: impl FnOnce(
            &Library,
            OperatorHandle,
            *mut c_void,
            [ImageBatchHandle; 2],
        ) -> (&'static str, Status),
    ) -> Result<()> {
        input.check_taken(operation, "input", &self.shared)?;
        output.check_taken(operation, "output", &self.shared)?;
        input.check_as_many(operation, output)?;
        output.check_distinct(operation)?;
        input.check_apart(operation, "output", output.images().iter().map(Image::view))?;
        let shared = &self.shared;
        let reads: Vec<&Memory> = input.memories().collect();
        let writes: Vec<&Memory> = output.memories().collect();
        let queued = shared.queue(operation, &reads, &writes, |stream| {
            shared.with_operator(operation, kind, (0, 0), |operator| {
                let handles = [input.handle(), output.handle()];
                let (function, status) = submit(&shared.library, operator, stream, handles);
                shared.library.check(operation, function, status)
            })
        });
        // Also after an error: a part may be queued.
        queued.and(shared.keep(operation, (input.clone(), output.clone())))
    }
}
