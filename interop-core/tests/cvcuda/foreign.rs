//! Memory that another object owns.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use interop_core::{
    CudaArrayInterface, CudaBuffer, DType, Gpu, Layout, Memory, StridedLayout, Tensor, as_tensor,
};

use crate::common::Described;

/// Runs a closure once, when it drops.
pub struct OnDrop<F: FnOnce() + Send + Sync>(Option<F>);

impl<F: FnOnce() + Send + Sync> OnDrop<F> {
    pub fn new(run: F) -> Self {
        Self(Some(run))
    }
}

impl<F: FnOnce() + Send + Sync> Drop for OnDrop<F> {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(|run| run());
    }
}

/// An image of zeros (HWC, u8) in memory that `owner` keeps, together with the buffer that it is.
pub fn owned_by(gpu: &Gpu, shape: &[usize], owner: impl Any + Send + Sync) -> Tensor {
    of_buffer(gpu, CudaBuffer::zeros(gpu, shape, DType::U8).unwrap(), shape, owner)
}

/// An image (HWC, u8) of the memory of a buffer, which `owner` keeps together with that.
pub fn of_buffer(gpu: &Gpu, buffer: CudaBuffer, shape: &[usize], owner: impl Any + Send + Sync) -> Tensor {
    let (address, bytes, stream) = (buffer.pointer(), buffer.size_bytes(), gpu.stream());
    // SAFETY: the owner keeps the buffer, whose stream is live.
    let memory = unsafe { Memory::from_owner(gpu, address, bytes, false, Some(stream), (owner, buffer)) };
    let layout = StridedLayout::packed(shape, 1).unwrap();
    let interface = CudaArrayInterface::new(DType::U8, layout, address, false, None).unwrap();
    as_tensor(Described { memory: memory.unwrap(), interface }, Layout::HWC).unwrap()
}

/// Such an image, and how often its owner was dropped.
pub fn counted(gpu: &Gpu, shape: &[usize]) -> (Tensor, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    let counter = drops.clone();
    let owner = OnDrop::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    (owned_by(gpu, shape, owner), drops)
}
