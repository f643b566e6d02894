//! The primary context under threads that retain and release it at once: each finds it as if it were alone.

mod support;

use std::ptr::null_mut;
use std::thread;

use support::child::passes;
use support::*;

#[test]
#[ignore = "run by the other tests, in a child process"]
fn scenario() {
    match std::env::var("SCENARIO").unwrap().as_str() {
        "many" => at_once(8, 100, use_memory),
        "two" => at_once(2, 2000, use_memory),
        "two with streams" => at_once(2, 200, use_streams),
        other => panic!("no scenario {other}"),
    }
}

/// Threads that retain, use and release the context over and over. Mostly two overlap, sometimes a release is
/// the last one and the next retain opens the context anew.
fn at_once(threads: usize, rounds: usize, body: fn()) {
    let user = move || {
        for _ in 0..rounds {
            ready();
            body();
            ok!(cuCtxSetCurrent(null_mut()));
            ok!(cuDevicePrimaryCtxRelease_v2(0));
        }
    };
    let users: Vec<_> = (0..threads).map(|_| thread::spawn(user)).collect();
    users.into_iter().for_each(|user| user.join().unwrap());
    assert_eq!(cuda_sim::stats(), Some(cuda_sim::Stats::default()));
}

/// Short, so that ends and beginnings of the context meet often.
fn use_memory() {
    let (device, memory) = (alloc(64), pinned(64));
    ok!(cuMemsetD8_v2(device, 7, 64));
    ok!(cuMemcpyDtoH_v2(memory.cast(), device, 64));
    assert_eq!(bytes_of(memory, 64), [7; 64]);
    ok!(cuMemFreeHost(memory.cast()));
    ok!(cuMemFree_v2(device));
}

fn use_streams() {
    let (stream, event, device) = (stream(1), event(), alloc(1000));
    let (source, target, mut pooled) = (pinned(1000), pinned(1000), 0);
    bytes_of(source, 1000).copy_from_slice(&pattern(1000));
    ok!(cuMemAllocAsync(&mut pooled, 1000, stream));
    ok!(cuMemcpyHtoDAsync_v2(pooled, source.cast(), 1000, stream));
    ok!(cuMemcpyDtoDAsync_v2(device, pooled, 1000, stream));
    ok!(cuMemFreeAsync(pooled, stream));
    ok!(cuMemcpyDtoHAsync_v2(target.cast(), device, 1000, stream));
    ok!(cuEventRecord(event, stream));
    ok!(cuEventSynchronize(event));
    assert_eq!(bytes_of(target, 1000), pattern(1000));
    [source, target].into_iter().for_each(|memory| ok!(cuMemFreeHost(memory.cast())));
    ok!(cuMemFree_v2(device));
    ok!(cuEventDestroy_v2(event));
    ok!(cuStreamDestroy_v2(stream));
}

/// Nothing goes wrong, nothing leaks, and nothing is said.
fn quietly(scenario: &str) {
    let log = passes(scenario, &[("CUDA_SIM_LEAK_CHECK", "exitcode:9")]);
    assert!(!log.contains("cuda-sim"), "{log}");
}

#[test]
fn threads_that_retain_and_release_do_not_end_each_others_context() {
    quietly("many");
}

#[test]
fn what_one_has_just_allocated_is_not_reclaimed_by_the_last_release_of_another() {
    // Several processes, so that threads are interrupted anywhere.
    thread::scope(|scope| {
        for scenario in ["two", "two", "two", "two", "two with streams", "two with streams"] {
            scope.spawn(move || quietly(scenario));
        }
    });
}
