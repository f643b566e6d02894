//! [`Described`]: an array in a window on the device, described as another library would.

use interop_core::{
    CudaArray, CudaArrayInterface, CudaBuffer, DType, Gpu, Memory, Result, StridedLayout, Tensor,
};

use crate::case::{Case, Side};
use crate::placement::Placement;

/// An array on the device, and where it lies in its window.
pub struct Described {
    memory: Memory,
    interface: CudaArrayInterface,
    pub placement: Placement,
    /// Address of the window's first byte.
    pub start: u64,
}

impl Described {
    /// One side of a case: in the window that begins with `arena`, or in a tensor of its own.
    pub fn new(gpu: &Gpu, case: &Case, side: &Side, arena: &CudaBuffer) -> Result<Self> {
        match side {
            Side::Strided(placement) | Side::Flat(placement) => {
                Self::in_arena(arena, &case.shape, case.dtype, placement.clone())
            }
            Side::Tensor(layout) => Self::of_tensor(&Tensor::new(gpu, &case.shape, case.dtype, *layout)?),
        }
    }

    fn in_arena(arena: &CudaBuffer, shape: &[usize], dtype: DType, placement: Placement) -> Result<Self> {
        let layout = StridedLayout::strided(shape, &placement.strides, dtype.size())?;
        let start = arena.pointer();
        let interface = CudaArrayInterface::new(dtype, layout, start + placement.offset as u64, false, None)?;
        Ok(Self { memory: arena.memory(), interface, placement, start })
    }

    fn of_tensor(tensor: &Tensor) -> Result<Self> {
        let (memory, interface) = (tensor.memory(), tensor.cuda_array_interface());
        // It is ours only once the allocation, queued on the library's stream, was made.
        memory.gpu().synchronize()?;
        let range = memory.range();
        let placement = Placement {
            offset: (interface.pointer() - range.start) as usize,
            strides: interface.layout().strides().to_vec(),
            bytes: (range.end - range.start) as usize,
        };
        Ok(Self { memory, interface, placement, start: range.start })
    }
}

impl CudaArray for Described {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        self.interface.clone()
    }

    fn memory(&self) -> Memory {
        self.memory.clone()
    }
}
