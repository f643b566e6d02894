//! Tensors that CV-CUDA lays out, owns and gives back.

use super::library::{MAX_RANK, STRIDED_CUDA, TensorData, TensorHandle, TensorLayout, TensorRequirements};
use super::names;
use super::native::{NativeSlot, NativeTensor};
use super::session::{CvCuda, Shared};
use crate::interface::CudaView;
use crate::layout::StridedLayout;
use crate::tensor::{PACKED, PADDED, check_shape};
use crate::{CudaArrayInterface, DType, Layout, Memory, Result, Tensor};

impl CvCuda {
    /// Has CV-CUDA make a tensor, which it owns: the page's `cvcuda.Tensor(shape, dtype, layout)`. It lays it out, asks
    /// for its memory (which comes from the pool of [`CvCuda::gpu`]) and gives that back with the last reference.
    ///
    /// `shape` is in elements, 1 to 15 axes of at least one element. The content is undefined.
    ///
    /// ```no_run
    /// use interop_core::cvcuda::CvCuda;
    /// use interop_core::{CudaBuffer, DType, Gpu, Layout, cuda_memcpy_h2d};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let cv = CvCuda::open(&gpu)?;
    /// let mut tensor = cv.tensor(&[10, 10, 3], DType::U8, Layout::HWC)?;
    /// cuda_memcpy_h2d(&[7u8; 300], &mut tensor)?; // heeds the padding of the rows
    /// let buffer = CudaBuffer::from_cuda(tensor.cuda())?; // no copy; keeps CV-CUDA's tensor alive
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidLayout`](crate::Error::InvalidLayout), [`Error::RankTooLarge`](crate::Error::RankTooLarge),
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a dtype that CV-CUDA lacks or an
    /// axis without elements, [`Error::SizeOverflow`](crate::Error::SizeOverflow) or
    /// [`Error::CvCuda`](crate::Error::CvCuda).
    pub fn tensor(&self, shape: &[usize], dtype: DType, layout: impl Into<Option<Layout>>) -> Result<Tensor> {
        self.shared.managed("CvCuda::tensor", shape, dtype, layout.into(), 0)
    }

    /// As [`CvCuda::tensor`], without padding: the page's `rowalign=1`.
    ///
    /// # Errors
    /// As [`CvCuda::tensor`].
    pub fn packed_tensor(
        &self,
        shape: &[usize],
        dtype: DType,
        layout: impl Into<Option<Layout>>,
    ) -> Result<Tensor> {
        self.shared.managed("CvCuda::packed_tensor", shape, dtype, layout.into(), 1)
    }
}

impl Shared {
    /// `row_alignment` in bytes; 0 for CV-CUDA's own.
    fn managed(
        &self,
        operation: &'static str,
        shape: &[usize],
        dtype: DType,
        layout: Option<Layout>,
        row_alignment: i32,
    ) -> Result<Tensor> {
        let expected = if row_alignment == 0 { PADDED } else { PACKED };
        check_shape(operation, shape, dtype, layout, expected)?;
        let _current = self.gpu.context().enter(operation)?;
        let requirements = self.requirements(operation, shape, dtype, layout, row_alignment)?;
        let native = self.construct(operation, &requirements)?;
        self.adopt(operation, native, dtype, layout)
    }

    /// Of a shape that was checked: CV-CUDA reads beyond its arrays for more axes than it has (case 34).
    fn requirements(
        &self,
        operation: &'static str,
        shape: &[usize],
        dtype: DType,
        layout: Option<Layout>,
        row_alignment: i32,
    ) -> Result<TensorRequirements> {
        let extents: Vec<i64> = shape.iter().map(|&len| len as i64).collect();
        let code = names::dtype(operation, dtype, self.library.info.version)?;
        let layout = names::layout(layout);
        let mut found = std::mem::MaybeUninit::<TensorRequirements>::zeroed();
        let function = self.library.types.nvcvTensorCalcRequirements;
        let (rank, target) = (extents.len() as i32, found.as_mut_ptr());
        // SAFETY: `extents` has `rank` lengths, at most 15; the last pointer is valid for the write.
        let status = unsafe { function(rank, extents.as_ptr(), code, layout, 0, row_alignment, target) };
        self.library.check(operation, "nvcvTensorCalcRequirements", status)?;
        // SAFETY: the function wrote it; any bytes, zeros too, make one.
        Ok(unsafe { found.assume_init() })
    }

    fn construct(&self, operation: &'static str, requirements: &TensorRequirements) -> Result<NativeTensor> {
        let function = self.library.types.nvcvTensorConstruct;
        self.allocator(operation)?.supply(operation, |allocator| {
            let mut handle = TensorHandle::NULL;
            // SAFETY: both pointers are valid for the call; the allocator is live, and the tensor keeps it.
            let status = unsafe { function(requirements, allocator, &mut handle) };
            self.library.check(operation, "nvcvTensorConstruct", status)?;
            // SAFETY: a new tensor comes with one reference, which is ours.
            Ok(unsafe { NativeTensor::from_raw(self.library.clone(), handle) })
        })
    }

    /// A tensor whose memory is that of CV-CUDA's.
    fn adopt(
        &self,
        operation: &'static str,
        native: NativeTensor,
        dtype: DType,
        layout: Option<Layout>,
    ) -> Result<Tensor> {
        let mut data = EMPTY;
        // SAFETY: the handle is live; the pointer is valid for the write.
        let status = unsafe { (self.library.types.nvcvTensorExportData)(native.handle(), &mut data) };
        self.library.check(operation, "nvcvTensorExportData", status)?;
        let rank = usize::try_from(data.rank).unwrap_or(0).min(MAX_RANK);
        let shape: Vec<usize> = data.shape[..rank].iter().map(|&len| len as usize).collect();
        let strides: Vec<isize> = data.strides[..rank].iter().map(|&stride| stride as isize).collect();
        let strided = StridedLayout::strided(&shape, &strides, dtype.size());
        let strided = strided.map_err(|error| error.during(operation))?;
        let start = data.first as u64;
        // The last row's padding is part of what was allocated; what is described ends before it.
        let range = start..start + strided.extent().end as u64;
        let memory = Memory::of_partner(&self.gpu, range, native.share(operation)?);
        let interface = CudaArrayInterface::new(dtype, strided, start, false, None);
        let view = CudaView::within(operation, memory, interface.map_err(|error| error.during(operation))?)?;
        Ok(Tensor::of_partner(view, layout, NativeSlot::holding(native)))
    }
}

/// To be written by the library.
const EMPTY: TensorData = TensorData {
    dtype: 0,
    layout: TensorLayout::NONE,
    rank: 0,
    shape: [0; MAX_RANK],
    buffer_type: STRIDED_CUDA,
    strides: [0; MAX_RANK],
    first: std::ptr::null_mut(),
};
