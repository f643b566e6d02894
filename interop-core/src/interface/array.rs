//! [`CudaArray`]: what everything with memory on a GPU implements.

use std::sync::Arc;

use super::CudaArrayInterface;
use crate::Memory;

/// An array on a GPU that can be shared: it describes itself, and hands out its memory.
///
/// This is `__cuda_array_interface__` with what that lacks, an owner: whoever takes the array holds its
/// [`Memory`] and so keeps it alive. Implementing it is safe, as whoever takes the array checks that what it
/// describes lies within its memory.
///
/// ```
/// use interop_core::{CudaArray, CudaArrayInterface, CudaBuffer, DType, Gpu, Memory};
///
/// struct Frame { pixels: CudaBuffer, number: u64 }
///
/// impl CudaArray for Frame {
///     fn cuda_array_interface(&self) -> CudaArrayInterface { self.pixels.cuda_array_interface() }
///     fn memory(&self) -> Memory { self.pixels.memory() }
/// }
///
/// let gpu = Gpu::open(0)?;
/// let frame = Frame { pixels: CudaBuffer::new(&gpu, &[4, 4], DType::U8)?, number: 7 };
/// let shared = CudaBuffer::from_cuda(&frame)?;
/// drop(frame); // `shared` keeps the memory
/// # Ok::<(), interop_core::Error>(())
/// ```
pub trait CudaArray {
    /// Where the elements lie. Its stream is not heeded: work on the memory is ordered by the stream of
    /// [`Memory::gpu`], behind which a foreign one was put when the memory was taken in.
    fn cuda_array_interface(&self) -> CudaArrayInterface;

    /// The memory that they lie in.
    fn memory(&self) -> Memory;
}

macro_rules! pointers_to_arrays {
    ($($pointer:ty),*) => { $(
        impl<T: CudaArray + ?Sized> CudaArray for $pointer {
            fn cuda_array_interface(&self) -> CudaArrayInterface {
                (**self).cuda_array_interface()
            }

            fn memory(&self) -> Memory {
                (**self).memory()
            }
        }
    )* };
}

pointers_to_arrays!(&T, &mut T, Box<T>, Arc<T>);
