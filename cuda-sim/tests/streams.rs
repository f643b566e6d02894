//! Streams: what waits for what, and which calls return before the work is done.

mod support;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use support::*;

const NON_BLOCKING: u32 = 1;

/// `CU_STREAM_PER_THREAD`
fn per_thread() -> CUstream {
    std::ptr::without_provenance_mut(2)
}

#[test]
fn work_on_one_stream_is_done_in_order() {
    ready();
    let (stream, memory, device) = (stream(NON_BLOCKING), pinned(3), alloc(3));
    ok!(cuMemsetD8Async(device, 0, 3, stream));
    let stall = Stall::new(stream);
    ok!(cuMemsetD8Async(device, 1, 3, stream));
    ok!(cuMemsetD8Async(device + 1, 2, 1, stream));
    ok!(cuMemcpyDtoHAsync_v2(memory.cast(), device, 3, stream));
    stall.reached();
    assert_eq!(cu!(cuStreamQuery(stream)), NOT_READY);
    stall.release();
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamQuery(stream));
    assert_eq!(bytes_of(memory, 3), [1, 2, 1]);
    ok!(cuMemFreeHost(memory.cast()));
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn pinned_copies_return_at_once_and_read_their_source_late() {
    ready();
    let (stream, memory, device) = (stream(NON_BLOCKING), pinned(1 << 20), alloc(1 << 20));
    bytes_of(memory, 1 << 20).fill(1);
    let stall = Stall::new(stream);
    ok!(cuMemcpyHtoDAsync_v2(device, memory.cast(), 1 << 20, stream));
    stall.reached();
    bytes_of(memory, 1 << 20).fill(2); // what a program must not do; here it shows that the copy is pending
    stall.release();
    ok!(cuStreamSynchronize(stream));
    assert_eq!(download(device, 1 << 20), vec![2; 1 << 20]);
    ok!(cuMemFreeHost(memory.cast()));
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn small_pageable_copies_to_the_device_are_taken_aside() {
    ready();
    let (stream, device) = (stream(NON_BLOCKING), alloc(100));
    let stall = Stall::new(stream);
    let mut bytes = [1_u8; 100];
    ok!(cuMemcpyHtoDAsync_v2(device, bytes.as_ptr().cast(), 100, stream));
    bytes.fill(2);
    stall.release();
    ok!(cuStreamSynchronize(stream));
    assert_eq!(download(device, 100), [1; 100]);
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn large_pageable_copies_and_all_back_to_pageable_memory_block() {
    ready();
    let (stream, device) = (stream(NON_BLOCKING), alloc(1 << 20));
    let mut bytes = pattern(1 << 20);
    ok!(cuMemcpyHtoDAsync_v2(device, bytes.as_ptr().cast(), 1 << 20, stream));
    ok!(cuStreamQuery(stream));
    bytes.fill(0);
    ok!(cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), device, 1 << 20, stream));
    ok!(cuStreamQuery(stream));
    assert_eq!(bytes, pattern(1 << 20));
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_only() {
    own_context(|| {
        let (blocking, free) = (stream(0), stream(NON_BLOCKING));
        let stall = Stall::new(free);
        stall.reached();
        ok!(cuStreamSynchronize(null_mut()));
        stall.release();

        let stall = Stall::new(blocking);
        let event = event();
        ok!(cuEventRecord(event, null_mut()));
        stall.reached();
        assert_eq!(cu!(cuEventQuery(event)), NOT_READY);
        assert_eq!(cu!(cuStreamQuery(null_mut())), NOT_READY);
        stall.release();
        ok!(cuEventSynchronize(event));
    });
}

#[test]
fn blocking_streams_and_the_threads_default_stream_wait_for_the_legacy_stream() {
    own_context(|| {
        let (blocking, free) = (stream(0), stream(NON_BLOCKING));
        let stall = Stall::new(null_mut());
        stall.reached();
        let events = [blocking, per_thread(), free].map(|stream| {
            let event = event();
            ok!(cuEventRecord(event, stream));
            event
        });
        ok!(cuEventSynchronize(events[2]));
        assert_eq!(cu!(cuEventQuery(events[0])), NOT_READY);
        assert_eq!(cu!(cuEventQuery(events[1])), NOT_READY);
        stall.release();
        ok!(cuEventSynchronize(events[0]));
        ok!(cuEventSynchronize(events[1]));
    });
}

/// The legacy stream is one a context: tests that stall it use a context of their own.
fn own_context(body: impl FnOnce()) {
    ready();
    let mut context = null_mut();
    ok!(cuCtxCreate_v2(&mut context, 0, 0));
    body();
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    ready();
    let (first, second, event) = (stream(NON_BLOCKING), stream(NON_BLOCKING), event());
    let (memory, device) = (pinned(4), alloc(4));
    ok!(cuStreamWaitEvent(second, event, 0)); // never recorded: nothing to wait for
    ok!(cuStreamSynchronize(second));
    let stall = Stall::new(first);
    ok!(cuMemsetD8Async(device, 9, 4, first));
    ok!(cuEventRecord(event, first));
    ok!(cuStreamWaitEvent(second, event, 0));
    ok!(cuMemcpyDtoHAsync_v2(memory.cast(), device, 4, second));
    stall.reached();
    assert_eq!(cu!(cuStreamQuery(second)), NOT_READY);
    stall.release();
    ok!(cuStreamSynchronize(second));
    assert_eq!(bytes_of(memory, 4), [9; 4]);
    ok!(cuEventDestroy_v2(event));
    assert_eq!(cu!(cuEventQuery(event)), CUresult::CUDA_ERROR_INVALID_HANDLE);
    ok!(cuMemFreeHost(memory.cast()));
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(first));
    ok!(cuStreamDestroy_v2(second));
}

#[test]
fn a_destroyed_stream_finishes_its_work() {
    ready();
    let (stream, device) = (stream(NON_BLOCKING), alloc(4));
    let stall = Stall::new(stream);
    ok!(cuMemsetD8Async(device, 4, 4, stream));
    ok!(cuStreamDestroy_v2(stream));
    assert_eq!(cu!(cuStreamSynchronize(stream)), CUresult::CUDA_ERROR_INVALID_HANDLE);
    stall.release();
    ok!(cuCtxSynchronize());
    assert_eq!(download(device, 4), [4; 4]);
    ok!(cuMemFree_v2(device));
}

#[test]
fn events_measure_time_when_they_are_done() {
    ready();
    let (stream, start, end) = (stream(NON_BLOCKING), event(), event());
    let mut milliseconds = -1.0;
    let elapsed = cu!(cuEventElapsedTime(&mut milliseconds, start, end));
    assert_eq!(elapsed, CUresult::CUDA_ERROR_INVALID_HANDLE, "never recorded");
    let host = Instant::now();
    ok!(cuEventRecord(start, stream));
    ok!(cuEventSynchronize(start)); // an event's time is when its stream gets to it
    let stall = Stall::new(stream);
    ok!(cuEventRecord(end, stream));
    assert_eq!(cu!(cuEventElapsedTime(&mut milliseconds, start, end)), NOT_READY);
    std::thread::sleep(Duration::from_millis(20));
    stall.release();
    ok!(cuEventSynchronize(end));
    ok!(cuEventElapsedTime(&mut milliseconds, start, end));
    let most = host.elapsed().as_secs_f32() * 1e3;
    assert!((20.0..=most).contains(&milliseconds), "{milliseconds} of {most}");
    ok!(cuEventElapsedTime(&mut milliseconds, end, start));
    assert!((-most..=-20.0).contains(&milliseconds), "{milliseconds} of {most}");
    ok!(cuEventDestroy_v2(start));
    ok!(cuEventDestroy_v2(end));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn memory_freed_under_queued_work_is_a_fault_that_stays() {
    own_context(|| {
        let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
        let mut address = 0;
        ok!(cuMemAllocAsync(&mut address, 16, first));
        let stall = Stall::new(second);
        ok!(cuMemsetD8Async(address, 1, 16, second));
        ok!(cuMemFreeAsync(address, first)); // the mistake: `first` does not wait for `second`
        assert_eq!(cu!(cuMemsetD8Async(address, 1, 16, second)), INVALID);
        ok!(cuStreamSynchronize(first));
        stall.release();
        let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
        assert_eq!(cu!(cuStreamSynchronize(second)), illegal);
        assert_eq!(cu!(cuMemAlloc_v2(&mut address, 16)), illegal);
    });
    let device = alloc(1);
    ok!(cuMemFree_v2(device)); // another context is not affected
}

#[test]
fn memory_freed_in_stream_order_is_there_until_its_turn() {
    ready();
    let (stream, memory) = (stream(NON_BLOCKING), pinned(16));
    let mut address = 0;
    ok!(cuMemAllocAsync(&mut address, 16, stream));
    let stall = Stall::new(stream);
    ok!(cuMemsetD8Async(address, 6, 16, stream));
    ok!(cuMemcpyDtoHAsync_v2(memory.cast(), address, 16, stream));
    ok!(cuMemFreeAsync(address, stream));
    stall.release();
    ok!(cuStreamSynchronize(stream));
    assert_eq!(bytes_of(memory, 16), [6; 16]);
    ok!(cuMemFreeHost(memory.cast()));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn freeing_waits_for_work_that_uses_the_memory() {
    ready();
    let (stream, device) = (stream(NON_BLOCKING), alloc(16));
    let stall = Stall::new(stream);
    ok!(cuMemsetD8Async(device, 1, 16, stream));
    let free = std::thread::spawn(move || {
        ready();
        ok!(cuMemFree_v2(device));
    });
    std::thread::sleep(Duration::from_millis(20));
    assert!(!free.is_finished());
    stall.release();
    free.join().unwrap();
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamDestroy_v2(stream));
}

static FROM_CALLBACK: AtomicI32 = AtomicI32::new(-1);

extern "C" fn call_back_in(_data: *mut c_void) {
    let mut address = 0;
    FROM_CALLBACK.store(cu!(cuMemAlloc_v2(&mut address, 16)) as i32, Ordering::SeqCst);
}

#[test]
fn a_host_function_may_not_call_the_driver() {
    ready();
    let stream = stream(NON_BLOCKING);
    ok!(cuLaunchHostFunc(stream, Some(call_back_in), null_mut()));
    ok!(cuStreamSynchronize(stream));
    let not_permitted = CUresult::CUDA_ERROR_NOT_PERMITTED as i32;
    assert_eq!(FROM_CALLBACK.load(Ordering::SeqCst), not_permitted);
    assert_eq!(cu!(cuLaunchHostFunc(stream, None, null_mut())), INVALID);
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn a_stream_tells_how_it_was_made() {
    let context = ready();
    let mut stream = null_mut();
    ok!(cuStreamCreateWithPriority(&mut stream, NON_BLOCKING, -100));
    let (mut flags, mut priority, mut owner) = (0, 0, null_mut());
    ok!(cuStreamGetFlags(stream, &mut flags));
    ok!(cuStreamGetPriority(stream, &mut priority));
    ok!(cuStreamGetCtx(stream, &mut owner));
    assert_eq!((flags, priority, owner), (NON_BLOCKING, -5, context));
    assert_eq!(cu!(cuStreamCreate(&mut stream, 2)), INVALID);
}
