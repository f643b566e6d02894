//! [`NativeTensor`]: a reference to a tensor of the library, counted there.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, OnceLock};

use super::library::{Library, MAX_RANK, STRIDED_CUDA, TensorData, TensorHandle, TensorLayout};
use super::names;
use crate::interface::CudaView;
use crate::{Layout, Memory, Result, Tensor};

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
        let kept = Box::into_raw(Box::new(view.shared_memory().clone()));
        let wrap = library.types.nvcvTensorWrapDataConstruct;
        // SAFETY: both pointers are valid for the call; the description is of elements within the memory that the
        // context keeps, and `release` takes that context.
        let status = unsafe { wrap(&data, Some(release), kept.cast(), &mut handle) };
        let made = library.check(operation, "nvcvTensorWrapDataConstruct", status);
        if made.is_err() {
            // SAFETY: it came from a box, and the library keeps no context of what it refused.
            drop(unsafe { Box::from_raw(kept) });
        }
        made.map(|()| Self { library: library.clone(), handle })
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

    /// Whether the library's functions are those of `library`.
    fn is_of(&self, library: &Library) -> bool {
        let address = |library: &Library| library.types.nvcvTensorDecRef as *const () as usize;
        address(&self.library) == address(library)
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

/// The library's handle of a [`Tensor`], made when it is first used there.
#[derive(Default)]
pub(crate) struct NativeSlot(OnceLock<NativeTensor>);

impl NativeSlot {
    pub(super) fn holding(native: NativeTensor) -> Self {
        Self(OnceLock::from(native))
    }

    /// The handle, made now if there is none.
    pub(super) fn get(
        &self,
        operation: &'static str,
        library: &Arc<Library>,
        tensor: &Tensor,
    ) -> Result<Borrowed<'_>> {
        if let Some(native) = self.0.get() {
            if native.is_of(library) {
                return Ok(Borrowed::Kept(native));
            }
            // Two copies of the library in one process know nothing of each other's handles.
            let wrapped = NativeTensor::wrap(operation, library, &tensor.cuda(), tensor.layout());
            return wrapped.map(Borrowed::Made);
        }
        let made = NativeTensor::wrap(operation, library, &tensor.cuda(), tensor.layout())?;
        Ok(Borrowed::Kept(self.0.get_or_init(|| made)))
    }
}

impl std::fmt::Debug for NativeSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.get().is_some() { "known to CV-CUDA" } else { "not known to CV-CUDA" })
    }
}

/// A handle for the length of a call.
pub(super) enum Borrowed<'a> {
    /// The tensor keeps it.
    Kept(&'a NativeTensor),
    /// It is made for this call.
    Made(NativeTensor),
}

impl Borrowed<'_> {
    pub fn handle(&self) -> TensorHandle {
        self.tensor().handle()
    }

    pub fn tensor(&self) -> &NativeTensor {
        match self {
            Self::Kept(native) => native,
            Self::Made(native) => native,
        }
    }
}

/// Gives up what wrapped memory was kept by: called by the library on whatever thread drops the last reference.
unsafe extern "C" fn release(context: *mut c_void, _data: *const TensorData) {
    // SAFETY: the context is the box that `wrap` gave, and the library calls this once.
    let memory = unsafe { Box::from_raw(context.cast::<Memory>()) };
    // A foreign owner's drop may panic, which must not unwind into C++; the panic's message was printed.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(memory)));
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
    // A tensor has at most 15 axes, and sizes fit: they are those of an array in memory.
    for (axis, (&len, &stride)) in view.shape().iter().zip(view.strides()).enumerate().take(MAX_RANK) {
        data.shape[axis] = len as i64;
        data.strides[axis] = stride as i64;
    }
    Ok(data)
}

/// The layout of no axes: CV-CUDA's `NVCV_TENSOR_NONE`.
pub(super) const NO_LAYOUT: TensorLayout = TensorLayout { letters: [0; MAX_RANK + 1], rank: 0 };
