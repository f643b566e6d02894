//! The CUDA Array Interface, version 3: the descriptor as a validated value, and the trait of everything that
//! has memory on a GPU.

mod array;
mod descriptor;
#[cfg(feature = "json")]
mod json;
mod part;
mod raw;
mod stream;
mod view;

pub use array::CudaArray;
pub use descriptor::CudaArrayInterface;
pub use raw::RawInterface;
pub use stream::StreamHandle;
pub use view::CudaView;
