//! What the driver keeps for each thread: its stack of contexts, its default streams, whether it runs a
//! callback.
//!
//! All accesses use `try_with`: a destructor of another thread-local may call the driver when these are gone.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::code::{Code, Result};
use crate::context::Context;
use crate::order::Order;
use crate::stream::{PER_THREAD, Stream};

thread_local! {
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
    static STREAMS: RefCell<Vec<Arc<Stream>>> = const { RefCell::new(Vec::new()) };
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

fn with_stack<T>(body: impl FnOnce(&mut Vec<Arc<Context>>) -> T) -> Result<T> {
    STACK.try_with(|stack| body(&mut stack.borrow_mut())).map_err(|_| Code::InvalidContext)
}

/// The context that calls of this thread act on.
pub fn top() -> Option<Arc<Context>> {
    with_stack(|stack| stack.last().cloned()).ok().flatten()
}

/// Pushes a context.
pub fn push(context: Arc<Context>) -> Result<()> {
    with_stack(|stack| stack.push(context))
}

/// Pops the current context.
pub fn pop() -> Result<Arc<Context>> {
    with_stack(Vec::pop)?.ok_or(Code::InvalidContext)
}

/// Replaces the current context; None only pops it.
pub fn set(context: Option<Arc<Context>>) -> Result<()> {
    with_stack(|stack| {
        stack.pop();
        stack.extend(context);
    })
}

/// Takes a context off this thread's stack if it is current, as destroying it does.
pub fn pop_if_current(handle: usize) -> Result<()> {
    with_stack(|stack| {
        if stack.last().is_some_and(|context| context.handle == handle) {
            stack.pop();
        }
    })
}

/// This thread's default stream in a context. It ends with the thread.
pub fn default_stream(context: &Context, order: &Arc<Order>) -> Result<Arc<Stream>> {
    let find = |streams: &RefCell<Vec<Arc<Stream>>>| {
        let mut streams = streams.borrow_mut();
        if let Some(stream) = streams.iter().find(|stream| Arc::ptr_eq(&stream.order, order)) {
            return Ok(Arc::clone(stream));
        }
        let stream = Arc::new(Stream::start(PER_THREAD, context.handle, order, 0, 0)?);
        streams.push(Arc::clone(&stream));
        Ok(stream)
    };
    STREAMS.try_with(find).unwrap_or(Err(Code::InvalidContext))
}

/// Runs a callback of the program, during which the driver may not be called.
pub fn callback(body: impl FnOnce()) {
    IN_CALLBACK.set(true);
    body();
    IN_CALLBACK.set(false);
}

/// Whether this thread runs a callback.
pub fn in_callback() -> bool {
    IN_CALLBACK.try_with(Cell::get).unwrap_or(false)
}
