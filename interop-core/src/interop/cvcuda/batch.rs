//! [`ImageBatch`]: images of different sizes, which an operator takes at once.

use std::ptr;
use std::sync::Arc;

use super::check::refused;
use super::image::Image;
use super::library::{ImageBatchData, ImageBatchHandle, ImageBatchRequirements, ImageHandle, Library};
use super::recording::NOT_RECORDED;
use super::session::{CvCuda, Shared};
use crate::{Memory, Result};

/// Images of different sizes, as one argument of an operator (`ImageBatchVarShape`). It keeps the images, and its list of
/// them is on the device already; so it does not change. Clones share everything.
#[derive(Clone)]
pub struct ImageBatch {
    shared: Arc<Batch>,
}

struct Batch {
    library: Arc<Library>,
    handle: ImageBatchHandle,
    images: Vec<Image>,
    /// No bytes, on the stream that the list was uploaded on and that its memory is freed on.
    lane: Memory,
}

const OPERATION: &str = "CvCuda::image_batch";

impl CvCuda {
    /// Makes a batch of images.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for no image, or 2^31 or more;
    /// [`Error::CvCuda`](crate::Error::CvCuda).
    pub fn image_batch(&self, images: impl IntoIterator<Item = Image>) -> Result<ImageBatch> {
        self.batch_for(OPERATION, images.into_iter().collect())
    }

    /// [`CvCuda::image_batch`] on behalf of `operation`.
    pub(super) fn batch_for(&self, operation: &'static str, images: Vec<Image>) -> Result<ImageBatch> {
        let images: Result<Vec<Image>> = images.into_iter().map(|image| image.of_library(self)).collect();
        let batch = images.and_then(|images| self.shared.batch(images));
        batch.map_err(|error| error.during(operation))
    }
}

impl Shared {
    /// A batch of images, whose list is uploaded at once: so no operator changes the batch, and threads and streams may
    /// share it.
    fn batch(&self, images: Vec<Image>) -> Result<ImageBatch> {
        let count = i32::try_from(images.len()).ok().filter(|count| *count > 0).ok_or_else(|| {
            refused(
                OPERATION,
                "images",
                "1 to 2^31 - 1 of them",
                images.len().to_string(),
                "leave empty batches out",
            )
        })?;
        images.iter().try_for_each(|image| self.check_device(OPERATION, image.view().shared_memory()))?;
        let _current = self.gpu.context().enter(OPERATION)?;
        let batch = self.construct_batch(count, images)?;
        batch.fill(count)?;
        batch.upload(self.gpu.queue().raw().cast())?;
        Ok(ImageBatch { shared: Arc::new(batch) })
    }

    /// A batch with room for so many images, which are still to be pushed.
    fn construct_batch(&self, capacity: i32, images: Vec<Image>) -> Result<Batch> {
        let types = &self.library.types;
        let mut found = std::mem::MaybeUninit::<ImageBatchRequirements>::zeroed();
        // SAFETY: the pointer is valid for the write.
        let status = unsafe { (types.nvcvImageBatchVarShapeCalcRequirements)(capacity, found.as_mut_ptr()) };
        self.library.check(OPERATION, "nvcvImageBatchVarShapeCalcRequirements", status)?;
        // SAFETY: the function wrote it; any bytes, zeros too, make one.
        let requirements = unsafe { found.assume_init() };
        let lane = Memory::allocate(OPERATION, &self.gpu, 0)?;
        self.allocator(OPERATION)?.supply(OPERATION, |allocator| {
            let mut handle = ImageBatchHandle::NULL;
            // SAFETY: both pointers are valid for the call; the allocator is live, and the batch keeps it.
            let status =
                unsafe { (types.nvcvImageBatchVarShapeConstruct)(&requirements, allocator, &mut handle) };
            self.library.check(OPERATION, "nvcvImageBatchVarShapeConstruct", status)?;
            Ok(Batch { library: self.library.clone(), handle, images, lane })
        })
    }
}

impl Batch {
    fn fill(&self, count: i32) -> Result<()> {
        let handles: Vec<ImageHandle> = self.images.iter().map(Image::handle).collect();
        let push = self.library.types.nvcvImageBatchVarShapePushImages;
        // SAFETY: there are as many handles, all live; the batch takes references of its own.
        let status = unsafe { push(self.handle, handles.as_ptr(), count) };
        self.library.check(OPERATION, "nvcvImageBatchVarShapePushImages", status)
    }

    fn upload(&self, stream: *mut std::ffi::c_void) -> Result<()> {
        let mut data = ImageBatchData::zeroed();
        // SAFETY: batch and stream are live; the pointer is valid for the write.
        let status = unsafe { (self.library.types.nvcvImageBatchExportData)(self.handle, stream, &mut data) };
        self.library.check(OPERATION, "nvcvImageBatchExportData", status)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        let Ok(_current) = self.lane.gpu().context().enter("drop of ImageBatch") else { return };
        // SAFETY: this reference, the only one, is given back once.
        let _ = unsafe { (self.library.types.nvcvImageBatchDecRef)(self.handle, ptr::null_mut()) };
    }
}

impl ImageBatch {
    /// The images, in the order in which they were given.
    pub fn images(&self) -> &[Image] {
        &self.shared.images
    }

    /// Fails unless operators of this handle take the batch.
    pub(super) fn check_taken(
        &self,
        operation: &'static str,
        argument: &'static str,
        by: &Shared,
    ) -> Result<()> {
        if by.recording.is_some() {
            // They wait for an event outside of the recording (CV-CUDA 0.19: cudaErrorStreamCaptureIsolation).
            let (expected, found) = ("a tensor, where operators are recorded", "a batch of images");
            return Err(refused(operation, argument, expected, found, NOT_RECORDED));
        }
        if self.shared.library.is_same(&by.library) {
            return Ok(());
        }
        let (expected, found) =
            (format!("a batch of {}", by.library.info), format!("one of {}", self.shared.library.info));
        Err(refused(
            operation,
            argument,
            expected,
            found,
            "make the batch with the handle that runs the operator",
        ))
    }

    pub(super) fn handle(&self) -> ImageBatchHandle {
        self.shared.handle
    }

    /// All memory that an operator on the batch uses.
    pub(super) fn memories(&self) -> impl Iterator<Item = &Memory> {
        let images = self.shared.images.iter().map(|image| image.view().shared_memory());
        images.chain([&self.shared.lane])
    }
}

impl std::fmt::Debug for ImageBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ImageBatch({:?})", self.images())
    }
}
