//! What an operator takes of batches: checked before CV-CUDA sees it.

use super::batch::ImageBatch;
use super::check::{Images, refused};
use super::image::{Image, ImageFormat};
use crate::copy::are_apart;
use crate::interface::CudaView;
use crate::{Error, Result};

impl ImageBatch {
    /// The format that all images have.
    pub(super) fn check_one_format(
        &self,
        operation: &'static str,
        argument: &'static str,
    ) -> Result<ImageFormat> {
        let first = self.images()[0].format();
        match self.images().iter().find(|image| image.format() != first) {
            None => Ok(first),
            Some(other) => {
                let (expected, found) =
                    (format!("images of one format, {first:?}"), format!("{:?}", other.format()));
                Err(refused(
                    operation,
                    argument,
                    expected,
                    found,
                    "convert them, or make a batch for each format",
                ))
            }
        }
    }

    /// Fails unless there is an image in the tensor for each, of the same dtype and channels.
    pub(super) fn check_stacks_into(&self, operation: &'static str, to: &Images) -> Result<()> {
        let format = self.check_one_format(operation, "input")?;
        let expected = (self.images().len(), format.dtype(), format.channels());
        let found = (to.samples, to.tensor.dtype(), to.channels);
        if expected == found {
            return Ok(());
        }
        let text = |(samples, dtype, channels)| format!("{samples} images of {channels} channels of {dtype}");
        Err(refused(operation, to.argument, text(expected), text(found), "make it of the batch's kind"))
    }

    /// Fails unless the other has as many images.
    pub(super) fn check_as_many(&self, operation: &'static str, output: &Self) -> Result<()> {
        let (expected, found) = (self.images().len(), output.images().len());
        if expected == found {
            return Ok(());
        }
        let (expected, found) = (format!("{expected} images"), found.to_string());
        Err(refused(operation, "output", expected, found, "make an image for each of the input's"))
    }

    /// Fails unless every array may be written and lies apart from the images.
    pub(super) fn check_apart<'a>(
        &self,
        operation: &'static str,
        argument: &'static str,
        written: impl Iterator<Item = &'a CudaView>,
    ) -> Result<()> {
        for view in written {
            if view.interface().is_read_only() {
                return Err(Error::ReadOnly { operation });
            }
            if !self.images().iter().all(|image| are_apart(image.view(), view)) {
                let (expected, found) =
                    ("memory apart from the input's", "memory that the input lies in, too");
                return Err(refused(operation, argument, expected, found, "write to other memory"));
            }
        }
        Ok(())
    }

    /// Fails unless the images of an output lie apart from each other.
    pub(super) fn check_distinct(&self, operation: &'static str) -> Result<()> {
        let mut views: Vec<&CudaView> = self.images().iter().map(Image::view).collect();
        views.sort_by_key(|view| view.pointer());
        if views.windows(2).all(|pair| are_apart(pair[0], pair[1])) {
            return Ok(());
        }
        let (expected, found) = ("images that lie apart", "two that share memory");
        Err(refused(operation, "output", expected, found, "make each of memory of its own"))
    }
}
