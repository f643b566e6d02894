//! What the driver keeps for each thread: its stack of contexts, its default streams, whether it runs a
//! callback.
//!
//! None of it has a destructor, which might run before that of another thread-local that calls the driver.
//! [`thread_end`] cleans up instead.

use std::cell::{Cell, RefCell};
use std::mem::{ManuallyDrop, take};
use std::sync::Arc;

use crate::code::{Code, Result};
use crate::context::Context;
use crate::order::Order;
use crate::stream::{PER_THREAD, Stream};
use crate::thread_end;

#[derive(Default)]
struct Kept {
    /// Whether this thread is known to [`thread_end`].
    cleared_at_end: bool,
    stack: Vec<Arc<Context>>,
    streams: Vec<Arc<Stream>>,
}

thread_local! {
    static KEPT: ManuallyDrop<RefCell<Kept>> = const {
        let kept = Kept { cleared_at_end: false, stack: Vec::new(), streams: Vec::new() };
        ManuallyDrop::new(RefCell::new(kept))
    };
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

fn with_kept<T>(body: impl FnOnce(&mut Kept) -> T) -> T {
    KEPT.with(|kept| body(&mut kept.borrow_mut()))
}

/// Keeps something for this thread, until its end at most.
fn keep<T>(body: impl FnOnce(&mut Kept) -> T) -> T {
    with_kept(|kept| {
        if !std::mem::replace(&mut kept.cleared_at_end, true) {
            thread_end::clear_at_end();
        }
        body(kept)
    })
}

/// Drops what is kept for this thread. It may keep something again.
pub fn clear() {
    drop(with_kept(take));
}

/// The context that calls of this thread act on.
pub fn top() -> Option<Arc<Context>> {
    with_kept(|kept| kept.stack.last().cloned())
}

/// Pushes a context.
pub fn push(context: Arc<Context>) {
    keep(|kept| kept.stack.push(context));
}

/// Pops the current context.
pub fn pop() -> Result<Arc<Context>> {
    with_kept(|kept| kept.stack.pop()).ok_or(Code::InvalidContext)
}

/// Replaces the current context; None only pops it.
pub fn set(context: Option<Arc<Context>>) {
    let _ = pop();
    if let Some(context) = context {
        push(context);
    }
}

/// Takes a context off this thread's stack if it is current, as destroying it does.
pub fn pop_if_current(handle: usize) {
    with_kept(|kept| kept.stack.pop_if(|context| context.handle == handle));
}

/// This thread's default stream in a context. It ends with the thread.
pub fn default_stream(context: &Context, order: &Arc<Order>) -> Result<Arc<Stream>> {
    keep(|Kept { streams, .. }| {
        if let Some(stream) = streams.iter().find(|stream| Arc::ptr_eq(&stream.order, order)) {
            return Ok(Arc::clone(stream));
        }
        let stream = Arc::new(Stream::start(PER_THREAD, context.handle, order, 0, 0)?);
        streams.push(Arc::clone(&stream));
        Ok(stream)
    })
}

/// Runs a callback of the program, during which the driver may not be called.
pub fn callback(body: impl FnOnce()) {
    IN_CALLBACK.set(true);
    body();
    IN_CALLBACK.set(false);
}

/// Whether this thread runs a callback.
pub fn in_callback() -> bool {
    IN_CALLBACK.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_for_a_thread_goes_when_it_ends() {
        let context = Arc::new(Context::created(1, 0, 0).unwrap());
        let order = context.order().unwrap();
        let (kept, its_order) = (Arc::clone(&context), Arc::clone(&order));
        let thread = std::thread::spawn(move || {
            push(Arc::clone(&kept));
            push(Arc::clone(&kept));
            Arc::downgrade(&default_stream(&kept, &its_order).unwrap())
        });
        let stream = thread.join().unwrap();
        assert_eq!(Arc::strong_count(&context), 1);
        assert!(stream.upgrade().is_none());
    }
}
