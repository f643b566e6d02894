//! [`Operators`]: the library's operators, each made when it is first used.

use std::sync::{Arc, Mutex};

use super::library::{Library, OperatorHandle, Status};
use super::session::Shared;
use crate::Result;
use crate::driver::is_end_of_device;
use crate::lock::lock;

/// One of the library's operators.
struct Operator {
    library: Arc<Library>,
    handle: OperatorHandle,
    /// The largest filter that it was made for: width and height.
    largest: (i32, i32),
}

/// The operators of one stream. Each is used by one thread at a time, as some keep filters and buffers from call to call
/// that they update without a lock.
#[derive(Default)]
pub(super) struct Operators {
    made: [Slot; Kind::Composite as usize + 1],
    /// Those that larger ones took the place of, where operators are recorded: what was recorded uses their buffers.
    replaced: Mutex<Vec<Operator>>,
}

type Slot = Mutex<Option<Operator>>;

/// Which operator, in any order.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Resize,
    CvtColor,
    ConvertTo,
    Normalize,
    Reformat,
    Gaussian,
    Flip,
    CustomCrop,
    CopyMakeBorder,
    PadAndStack,
    Rotate,
    WarpAffine,
    Composite,
}

/// For operators that can take batches of images of different sizes with a filter or a matrix for each, which is not
/// used here: the least there is.
const MAX_BATCH: i32 = 1;

impl Shared {
    /// Calls `use_it` with the operator, which must be good for filters of this size where it has one.
    pub fn with_operator<T>(
        &self,
        operation: &'static str,
        kind: Kind,
        filter: (i32, i32),
        use_it: impl FnOnce(OperatorHandle) -> Result<T>,
    ) -> Result<T> {
        let mut slot = lock(&self.operators.made[kind as usize]);
        let is_enough =
            |operator: &Operator| operator.largest.0 >= filter.0 && operator.largest.1 >= filter.1;
        if !slot.as_ref().is_some_and(is_enough) {
            let largest = slot.as_ref().map_or((0, 0), |operator| operator.largest);
            let larger = (largest.0.max(filter.0), largest.1.max(filter.1));
            let made = Operator::new(operation, &self.library, kind, larger)?;
            if let Some(old) = slot.replace(made) {
                self.retire(operation, old)?;
            }
        }
        match &*slot {
            Some(operator) => use_it(operator.handle),
            None => unreachable!("just made"),
        }
    }

    /// Drops an operator, which frees its buffers, once nothing that is queued uses them; where operators are recorded,
    /// with the others.
    fn retire(&self, operation: &'static str, old: Operator) -> Result<()> {
        if self.recording.is_some() {
            lock(&self.operators.replaced).push(old);
            return Ok(());
        }
        let waited = self.gpu.synchronize().map_err(|error| error.during(operation));
        if waited.as_ref().is_err_and(|error| !is_end_of_device(error)) {
            std::mem::forget(old);
        }
        waited
    }
}

impl Operator {
    fn new(operation: &'static str, library: &Arc<Library>, kind: Kind, largest: (i32, i32)) -> Result<Self> {
        let mut handle = OperatorHandle::NULL;
        let (function, status) = kind.create(library, &mut handle, largest);
        library.check(operation, function, status)?;
        Ok(Self { library: library.clone(), handle, largest })
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        // SAFETY: made in `new`, destroyed once here; nobody uses it, as it is behind the lock.
        unsafe { (self.library.operators.nvcvOperatorDestroy)(self.handle) };
    }
}

/// Calls a function that makes an operator, and says which.
macro_rules! create {
    ($library:ident.$function:ident($($argument:expr),*)) => {
        // SAFETY: the pointer is valid for the write; numbers out of range are refused.
        (stringify!($function), unsafe { ($library.operators.$function)($($argument),*) })
    };
}

impl Kind {
    fn create(
        self,
        library: &Library,
        handle: &mut OperatorHandle,
        (width, height): (i32, i32),
    ) -> (&'static str, Status) {
        match self {
            Self::Resize => create!(library.cvcudaResizeCreate(handle)),
            Self::CvtColor => create!(library.cvcudaCvtColorCreate(handle)),
            Self::ConvertTo => create!(library.cvcudaConvertToCreate(handle)),
            Self::Normalize => create!(library.cvcudaNormalizeCreate(handle)),
            Self::Reformat => create!(library.cvcudaReformatCreate(handle)),
            Self::Gaussian => create!(library.cvcudaGaussianCreate(handle, width, height, MAX_BATCH)),
            Self::Flip => create!(library.cvcudaFlipCreate(handle, MAX_BATCH)),
            Self::CustomCrop => create!(library.cvcudaCustomCropCreate(handle)),
            Self::CopyMakeBorder => create!(library.cvcudaCopyMakeBorderCreate(handle)),
            Self::PadAndStack => create!(library.cvcudaPadAndStackCreate(handle)),
            Self::Rotate => create!(library.cvcudaRotateCreate(handle, MAX_BATCH)),
            Self::WarpAffine => create!(library.cvcudaWarpAffineCreate(handle, MAX_BATCH)),
            Self::Composite => create!(library.cvcudaCompositeCreate(handle)),
        }
    }
}
