//! What every entry point does before and after its own work.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::code::{Code, Result};
use crate::context::Context;
use crate::current;
use crate::order::Order;
use crate::state::{self, State};
use crate::stream::Stream;

/// A call that acts on the current context.
pub struct Call {
    /// The entry point, for messages.
    pub op: &'static str,
    /// The driver.
    pub state: &'static State,
    /// The current context.
    pub context: Arc<Context>,
    /// The order of its work.
    pub order: Arc<Order>,
}

impl Call {
    /// The stream that a handle means.
    pub fn stream(&self, handle: usize) -> Result<Arc<Stream>> {
        self.state.stream(handle, &self.context)
    }
}

/// Runs an entry point that needs nothing.
pub fn any_time(_op: &'static str, body: impl FnOnce() -> Result<()>) -> c_int {
    // No state of ours is left half changed: locks are taken over after a panic, see `sync`.
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Code::Unknown));
    result.map_or_else(|code| code as c_int, |()| 0)
}

/// Runs an entry point that needs `cuInit`.
pub fn initialized(op: &'static str, body: impl FnOnce(&'static State) -> Result<()>) -> c_int {
    any_time(op, || {
        if current::in_callback() {
            return Err(Code::NotPermitted);
        }
        body(state::get()?)
    })
}

/// Runs an entry point that needs a current context, on which nothing failed so far.
pub fn in_context(op: &'static str, body: impl FnOnce(&Call) -> Result<()>) -> c_int {
    initialized(op, |state| {
        let context = current::top().ok_or(Code::InvalidContext)?;
        let order = context.order()?;
        order.check()?;
        body(&Call { op, state, context, order })
    })
}

/// Defines entry points, and the `lookup` of their module by name.
///
/// `fn name(argument: Type) -> runner |call| { body }`: the runner is one of the functions above, which passes
/// `call`.
macro_rules! entry_points {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $runner:ident $(|$call:ident|)? $body:block
    )*) => {
        $(
            $(#[$doc])*
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
                $crate::ffi::call::$runner(stringify!($name), |$($call)?| $body)
            }
        )*

        /// The address of an entry point of this module.
        pub fn lookup(name: &str) -> Option<*const std::ffi::c_void> {
            match name {
                $(stringify!($name) => Some($name as *const std::ffi::c_void),)*
                _ => None,
            }
        }
    };
}
pub(super) use entry_points;
