//! Streams that are told to be slow.

mod support;

use std::time::{Duration, Instant};

use support::child::passes;
use support::*;

const DELAY: Duration = Duration::from_millis(20);

#[test]
#[ignore = "run by the other tests, in a child process"]
fn scenario() {
    match std::env::var("SCENARIO").unwrap().as_str() {
        "each" => each(),
        "unordered" => unordered(),
        other => panic!("no scenario {other}"),
    }
}

fn delayed(scenario: &str) {
    passes(scenario, &[("CUDA_SIM_STREAM_DELAY_US", &DELAY.as_micros().to_string())]);
}

fn each() {
    ready();
    let (stream, start, end, device) = (stream(1), event(), event(), alloc(1));
    ok!(cuEventRecord(start, stream));
    (0..3).for_each(|_| ok!(cuMemsetD8Async(device, 1, 1, stream)));
    ok!(cuEventRecord(end, stream));
    ok!(cuStreamSynchronize(stream));
    let mut milliseconds = 0.0;
    ok!(cuEventElapsedTime(&mut milliseconds, start, end));
    let least = 4.0 * DELAY.as_secs_f32() * 1e3; // three fills and the second event
    assert!(milliseconds >= least, "{milliseconds}");
    let host = Instant::now();
    assert_eq!(download(device, 1), [1]);
    assert!(host.elapsed() >= DELAY, "a blocking copy is queued too");
}

#[test]
fn each_piece_of_work_waits() {
    delayed("each");
}

/// A copy back that is not waited for. Where this thread was held up for as long as the stream, there is
/// nothing to be seen, so it tries again.
fn unordered() {
    ready();
    let (stream, device) = (stream(1), upload(&[1; 8]));
    let seen = (0..100).find_map(|_| {
        let memory = pinned(8);
        let host = Instant::now();
        ok!(cuMemcpyDtoHAsync_v2(memory.cast(), device, 8, stream));
        std::thread::sleep(DELAY / 4); // long enough for a quick stream
        let early = bytes_of(memory, 8).to_vec();
        let in_time = host.elapsed() < DELAY;
        ok!(cuStreamSynchronize(stream));
        assert_eq!(bytes_of(memory, 8), [1; 8]);
        ok!(cuMemFreeHost(memory.cast()));
        in_time.then_some(early)
    });
    assert_eq!(seen, Some(vec![0xcd; 8]));
}

#[test]
fn a_missing_synchronisation_shows() {
    delayed("unordered");
}
