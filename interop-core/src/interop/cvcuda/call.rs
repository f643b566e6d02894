//! One call of an operator on tensors.

use std::ffi::c_void;
use std::ops::Range;

use super::library::{Library, OperatorHandle, Status, TensorHandle};
use super::operator::Kind;
use super::session::{CvCuda, Shared};
use crate::{DType, Layout, Memory, Result, Tensor};

/// What an operator's function is called with. All of it is live until the function returns, and the memory of the
/// tensors until the stream has passed what it queued.
pub(super) struct Call<const N: usize> {
    pub operator: OperatorHandle,
    pub stream: *mut c_void,
    pub inputs: [TensorHandle; N],
    pub output: TensorHandle,
}

impl Shared {
    /// Has `submit` call the library's function, whose name and status it returns. `filter` is the size of the filter
    /// that the operator must be good for, (0, 0) where it has none.
    pub fn call<const N: usize>(
        &self,
        operation: &'static str,
        kind: Kind,
        filter: (i32, i32),
        inputs: &[&Tensor; N],
        output: &Tensor,
        submit: impl FnOnce(&Library, Call<N>) -> (&'static str, Status),
    ) -> Result<()> {
        let mut handles = [TensorHandle::NULL; N];
        let natives = inputs.map(|input| self.native(operation, input));
        for (handle, native) in handles.iter_mut().zip(natives) {
            *handle = native?;
        }
        let written = self.native(operation, output)?;
        let reads: [&Memory; N] = inputs.map(|input| input.shared_memory());
        self.queue(operation, &reads, &[output.shared_memory()], |stream| {
            self.with_operator(operation, kind, filter, |operator| {
                let call = Call { operator, stream, inputs: handles, output: written };
                let (function, status) = submit(&self.library, call);
                self.library.check(operation, function, status)
            })
        })
    }

    /// Sets all bytes of a new output to 0: where operators are recorded, at each run.
    pub fn clear(&self, operation: &'static str, output: &Tensor) -> Result<()> {
        let memory = output.shared_memory();
        let Range { start, end } = memory.range();
        let bytes = (end - start) as usize;
        self.queue(operation, &[], &[memory], |stream| {
            let driver = self.gpu.context().driver();
            // SAFETY: all of it is the output's memory, which `queue` orders and keeps until the stream has passed; the
            // stream is live, and its context is current.
            unsafe { driver.cuMemsetD8Async(operation, start, 0, bytes, stream.cast()) }
        })
    }
}

impl CvCuda {
    /// A new tensor for an operator's output.
    pub(super) fn output(
        &self,
        operation: &'static str,
        shape: &[usize],
        dtype: DType,
        layout: Layout,
    ) -> Result<Tensor> {
        Tensor::padded(operation, self.gpu(), shape, dtype, Some(layout))
    }
}
