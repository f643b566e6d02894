//! Owners that misbehave or use CV-CUDA while they are dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::driver::CudaContext;
use interop_core::cvcuda::{CvCuda, Flip, Recorded};
use interop_core::{DType, Error, Layout, Result, Tensor};

use crate::children::is_alone;
use crate::foreign::{OnDrop, counted, owned_by};
use crate::stand_in::StandIn;
use crate::{counting, real_or_stand_in};

const SHAPE: [usize; 3] = [8, 8, 3];

/// Queues work on an image that is dropped at once, so that only what waits for the stream keeps its owner;
/// then has the stream pass it.
fn retire(cv: &CvCuda, image: Tensor) {
    cv.flip(&image, Flip::Both).unwrap();
    drop(image);
    cv.gpu().synchronize().unwrap();
}

#[test]
fn the_panic_of_an_owner_stops_neither_other_operators_nor_the_drop() {
    let Some(cv) = real_or_stand_in() else { return };
    let panicking = || owned_by(cv.gpu(), &SHAPE, OnDrop::new(|| panic!("an owner's own")));
    let (last, drops) = counted(cv.gpu(), &SHAPE);
    retire(&cv, panicking());
    retire(&cv, panicking());
    retire(&cv, last);
    let (next, _) = counted(cv.gpu(), &SHAPE);
    cv.flip(&next, Flip::Both).unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 1, "who waited behind them is released");
    retire(&cv, panicking());
    drop(cv);
}

/// Records work on two images whose only owners are the recording, the first's panics when it is dropped, and then what
/// `end` does: what came of it, and how often the second's owner was dropped.
fn record_and(
    cv: &CvCuda,
    end: impl FnOnce() -> Result<()>,
) -> (std::thread::Result<Result<Recorded>>, usize) {
    let panicking = owned_by(cv.gpu(), &SHAPE, OnDrop::new(|| panic!("an owner's own")));
    let (other, drops) = counted(cv.gpu(), &SHAPE);
    let record = || {
        let recorded = cv.record(|cv| {
            cv.flip(&panicking, Flip::Both)?;
            cv.flip(&other, Flip::Both)?;
            drop((panicking, other));
            end()
        });
        recorded.map(|(recorded, ())| recorded)
    };
    let came = catch_unwind(AssertUnwindSafe(record));
    (came, drops.load(Ordering::SeqCst))
}

#[test]
fn the_panic_of_an_owner_leaves_the_error_of_a_recording_as_it_is() {
    let Some(cv) = real_or_stand_in() else { return };
    let failure = Error::ReadOnly { operation: "on purpose" };
    let (came, drops) = record_and(&cv, || Err(failure.clone()));
    assert_eq!(came.expect("no panic").map(drop), Err(failure));
    assert_eq!(drops, 1, "who comes behind it is released");
    cv.record(|_| Ok(())).expect("the handle is as it was");
}

// A panic in a drop while another unwinds would end the process.
#[test]
fn the_panic_of_an_owner_does_not_meet_that_of_a_recording() {
    let Some(cv) = real_or_stand_in() else { return };
    let (came, drops) = record_and(&cv, || panic!("the caller's own"));
    let panic = came.map(|recorded| recorded.map(drop)).expect_err("the caller's panic goes on");
    assert_eq!(panic.downcast_ref(), Some(&"the caller's own"));
    assert_eq!(drops, 1, "who comes behind it is released");
    cv.record(|_| Ok(())).expect("the handle is as it was");
}

#[test]
fn the_panic_of_an_owner_leaves_the_error_of_a_lost_recording_as_it_is() {
    // It would end what other tests record at the same time.
    if !is_alone("owners::the_panic_of_an_owner_leaves_the_error_of_a_lost_recording_as_it_is") {
        return;
    }
    let Some(cv) = real_or_stand_in() else { return };
    let theirs = CudaContext::new(cv.gpu().info().ordinal).unwrap();
    let (came, drops) = record_and(&cv, || {
        assert!(theirs.synchronize().is_err(), "cuCtxSynchronize");
        Ok(())
    });
    let error = came.expect("no panic").map(drop).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { argument: "operators", .. }), "{error}");
    assert_eq!(drops, 1, "who comes behind it is released");
}

#[test]
fn the_panic_of_an_owner_does_not_leave_the_drop_of_what_was_recorded() {
    let Some(cv) = real_or_stand_in() else { return };
    let (came, drops) = record_and(&cv, || Ok(()));
    let recorded = came.expect("no panic").expect("a recording");
    assert_eq!(drops, 0, "it is kept");
    recorded.run().unwrap();
    drop(recorded);
}

#[test]
fn the_panic_of_an_owner_does_not_reach_c() {
    let stand_in = StandIn::new("panic", &[]);
    let Some(cv) = stand_in.open() else { return };
    let image = owned_by(cv.gpu(), &SHAPE, OnDrop::new(|| panic!("an owner's own")));
    let handle = cv.share(&image).unwrap();
    stand_in.take(handle);
    drop(image);
    // The last reference: it goes in C, which calls the owner's drop.
    stand_in.give_up(handle);
    stand_in.assert_nothing_lives();
}

// Each way by which an owner may be dropped: with what waits for the stream, and by the library.
#[test]
fn an_owner_may_use_cv_cuda_while_it_is_dropped() {
    let stand_in = StandIn::new("using", &[]);
    let Some(cv) = stand_in.open() else { return };
    let runs = Arc::new(AtomicUsize::new(0));
    let using = || {
        let (its, runs) = (cv.clone(), runs.clone());
        let run = move || {
            let (image, _) = counting(its.gpu(), &SHAPE, Layout::HWC);
            its.flip(&image, Flip::Both).unwrap();
            its.tensor(&[4], DType::U8, None).unwrap();
            runs.fetch_add(1, Ordering::SeqCst);
        };
        owned_by(cv.gpu(), &SHAPE, OnDrop::new(run))
    };
    let image = using();
    let handle = cv.share(&image).unwrap();
    stand_in.take(handle);
    drop(image);
    stand_in.give_up(handle);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    retire(&cv, using());
    retire(&cv, using());
    let (next, _) = counted(cv.gpu(), &SHAPE);
    cv.flip(&next, Flip::Both).unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    drop((cv, next));
    stand_in.assert_nothing_lives();
}

// What waits for the stream is kept by the handle, which such an owner keeps in turn.
#[test]
fn owners_that_keep_the_handle_are_released_with_it() {
    let stand_in = StandIn::new("cycle", &[]);
    let Some(cv) = stand_in.open() else { return };
    for _ in 0..10_000 {
        let image = owned_by(cv.gpu(), &SHAPE, cv.clone());
        cv.flip(&image, Flip::Both).unwrap();
    }
    cv.gpu().synchronize().unwrap();
    drop(cv);
    stand_in.assert_nothing_lives();
}
