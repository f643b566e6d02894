//! [`NativeTensor`]: a reference to a tensor of the library, counted there.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock};

use super::keep::{keeping, release};
use super::library::{Library, MAX_RANK, STRIDED_CUDA, TensorData, TensorHandle};
use super::names;
use crate::interface::CudaView;
use crate::lock::lock;
use crate::{Layout, Result, Tensor};

/// One counted reference to an `NVCVTensorHandle`.
pub(super) struct NativeTensor {
    library: Arc<Library>,
    handle: TensorHandle,
}

impl NativeTensor {
    /// Wraps the memory of a view without a copy. The library's tensor keeps it until its last reference goes.
    pub fn wrap(
        operation: &'static str,
        library: &Arc<Library>,
        view: &CudaView,
        layout: Option<Layout>,
    ) -> Result<Self> {
        let data = describe(operation, library, view, layout)?;
        let mut handle = TensorHandle::NULL;
        let wrap = |context| {
            // SAFETY: both pointers are valid for the call; the description is of elements within the memory that the
            // context keeps, and `release` takes that context.
            unsafe { (library.types.nvcvTensorWrapDataConstruct)(&data, Some(release), context, &mut handle) }
        };
        keeping(library, operation, "nvcvTensorWrapDataConstruct", view.shared_memory(), wrap)?;
        Ok(Self { library: library.clone(), handle })
    }

    /// Takes over a reference that the library just gave.
    ///
    /// # Safety
    /// The handle is live, and one reference to it is the caller's to give.
    pub unsafe fn from_raw(library: Arc<Library>, handle: TensorHandle) -> Self {
        Self { library, handle }
    }

    pub fn handle(&self) -> TensorHandle {
        self.handle
    }

    /// Another reference.
    pub fn share(&self, operation: &'static str) -> Result<Self> {
        // SAFETY: the handle is live as long as `self`; no count is asked for.
        let status = unsafe { (self.library.types.nvcvTensorIncRef)(self.handle, ptr::null_mut()) };
        self.library.check(operation, "nvcvTensorIncRef", status)?;
        Ok(Self { library: self.library.clone(), handle: self.handle })
    }

    /// How many references there are, those of others included.
    pub fn references(&self, operation: &'static str) -> Result<usize> {
        let mut count = 0;
        // SAFETY: the handle is live as long as `self`; the pointer is valid for the write.
        let status = unsafe { (self.library.types.nvcvTensorRefCount)(self.handle, &mut count) };
        self.library.check(operation, "nvcvTensorRefCount", status)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }
}

impl Drop for NativeTensor {
    fn drop(&mut self) {
        // SAFETY: this reference is given back once. The library cannot fail for a live handle.
        let _ = unsafe { (self.library.types.nvcvTensorDecRef)(self.handle, ptr::null_mut()) };
    }
}

/// The library's handle of a [`Tensor`], made when it is first used there. Two copies of the library in one process know
/// nothing of each other's handles: each has its own.
#[derive(Default)]
pub(crate) struct NativeSlot {
    /// Of the library that used it first; almost always there is no other.
    first: OnceLock<NativeTensor>,
    others: Mutex<Vec<NativeTensor>>,
}

impl NativeSlot {
    pub(super) fn holding(native: NativeTensor) -> Self {
        Self { first: OnceLock::from(native), others: Mutex::default() }
    }

    /// Has `use_it` look at this library's tensor, which is made now if there is none, and lives as long as the slot.
    pub(super) fn with<T>(
        &self,
        operation: &'static str,
        library: &Arc<Library>,
        tensor: &Tensor,
        use_it: impl FnOnce(&NativeTensor) -> T,
    ) -> Result<T> {
        let wrap = || NativeTensor::wrap(operation, library, &tensor.cuda(), tensor.layout());
        if self.first.get().is_none() {
            // Another thread may be faster; then this one goes.
            let _ = self.first.set(wrap()?);
        }
        if let Some(native) = self.first.get().filter(|native| native.library.is_same(library)) {
            return Ok(use_it(native));
        }
        let mut others = lock(&self.others);
        if let Some(native) = others.iter().find(|native| native.library.is_same(library)) {
            return Ok(use_it(native));
        }
        let made = wrap()?;
        let result = use_it(&made);
        others.push(made);
        Ok(result)
    }
}

impl std::fmt::Debug for NativeSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.first.get().is_some() { "known to CV-CUDA" } else { "not known to CV-CUDA" })
    }
}

/// The view as the library's C interface describes it.
fn describe(
    operation: &'static str,
    library: &Library,
    view: &CudaView,
    layout: Option<Layout>,
) -> Result<TensorData> {
    let mut data = TensorData {
        dtype: names::dtype(operation, view.dtype(), library.info.version)?,
        layout: names::layout(layout),
        rank: view.shape().len() as i32,
        shape: [0; MAX_RANK],
        buffer_type: STRIDED_CUDA,
        strides: [0; MAX_RANK],
        first: view.pointer() as *mut c_void,
    };
    let mut inner = view.dtype().size() as i64;
    let axes = view.shape().iter().zip(view.strides()).enumerate().take(MAX_RANK);
    // A tensor has at most 15 axes, and sizes fit: they are those of an array in memory.
    for (axis, (&len, &stride)) in axes.rev() {
        data.shape[axis] = len as i64;
        // Along an axis of one element any stride will do; CV-CUDA reckons with it all the same.
        data.strides[axis] = if len == 1 { inner } else { stride as i64 };
        inner = data.strides[axis].saturating_mul(data.shape[axis]);
    }
    Ok(data)
}
