//! What depends on the environment or ends a process: each in a process of its own.

mod support;

use std::ptr::null_mut;
use std::thread;

use support::child::{child, passes};
use support::*;

#[test]
#[ignore = "run by the other tests, in a child process"]
fn scenario() {
    match std::env::var("SCENARIO").unwrap().as_str() {
        "early" => early(),
        "overrun" => overrun(),
        "clean" => clean(),
        "leak" => leak(),
        "no pools" => no_pools(),
        "init fails" => init_fails(),
        "small" => small(),
        "pins" => pins(),
        "version" => version(),
        "threads" => threads(),
        "release" => release(),
        "abandon" => abandon(),
        "fork" => fork(),
        other => panic!("no scenario {other}"),
    }
}

fn early() {
    assert!(!cuda_sim::is_installed());
    assert_eq!(cuda_sim::stats(), None);
    cuda_sim::install().unwrap();
    let (mut count, mut address) = (0, 0);
    assert_eq!(cu!(cuDeviceGetCount(&mut count)), CUresult::CUDA_ERROR_NOT_INITIALIZED);
    assert_eq!(cu!(cuMemAlloc_v2(&mut address, 1)), CUresult::CUDA_ERROR_NOT_INITIALIZED);
    assert_eq!(cuda_sim::stats(), Some(cuda_sim::Stats::default()));
    assert_eq!(cu!(cuInit(1)), INVALID);
    ok!(cuDriverGetVersion(&mut count));
    assert_eq!(count, 12000);
}

#[test]
fn before_cu_init_calls_fail() {
    passes("early", &[]);
}

fn threads() {
    let installs: Vec<_> = (0..8).map(|_| thread::spawn(|| cuda_sim::install().is_ok())).collect();
    assert!(installs.into_iter().all(|install| install.join().unwrap()));
    cuda_sim::install().unwrap();
    assert!(cuda_sim::is_installed());
    // SAFETY: looks for libraries only.
    assert!(unsafe { sys::is_culib_present() });
    ready();
}

#[test]
fn installing_from_many_threads_and_again_is_installing_once() {
    passes("threads", &[]);
}

fn overrun() {
    ready();
    let address = alloc(1000);
    let bytes = [0_u8; 1100];
    assert_eq!(cu!(cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), 1100)), INVALID);
    ok!(cuMemFree_v2(address));
    assert_eq!(cu!(cuMemFree_v2(address)), INVALID);
}

#[test]
fn a_mistake_is_explained_unless_the_log_is_off() {
    let log = passes("overrun", &[]);
    assert!(log.contains("cuda-sim: cuMemcpyHtoD_v2 writes 1100 bytes at 0x"), "{log}");
    assert!(log.contains(": 100 bytes past the end of allocation #1 (1000 bytes at 0x"), "{log}");
    assert!(log.contains("from cuMemAlloc_v2)"), "{log}");
    assert!(log.contains("double free of allocation #1"), "{log}");
    let log = passes("overrun", &[("CUDA_SIM_LOG", "0")]);
    assert!(!log.contains("cuda-sim"), "{log}");
}

fn clean() {
    ready();
    let (address, memory, stream, event) = (alloc(1000), pinned(500), stream(0), event());
    let stats = cuda_sim::stats().unwrap();
    assert_eq!((stats.device_bytes, stats.device_allocations), (1000, 1));
    assert_eq!((stats.pinned_bytes, stats.pinned_allocations), (500, 1));
    assert_eq!((stats.streams, stats.events, stats.contexts), (1, 1, 1));
    ok!(cuEventDestroy_v2(event));
    ok!(cuStreamDestroy_v2(stream));
    ok!(cuMemFreeHost(memory.cast()));
    ok!(cuMemFree_v2(address));
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(cuda_sim::stats(), Some(cuda_sim::Stats::default()));
}

#[test]
fn all_counts_return_to_zero_and_no_leak_is_told() {
    let log = passes("clean", &[("CUDA_SIM_LEAK_CHECK", "exitcode:9")]);
    assert!(!log.contains("not freed"), "{log}");
}

fn leak() {
    ready();
    let (_address, _memory, _stream, _event) = (alloc(1000), pinned(500), stream(0), event());
    let mut bytes = [0_u8; 10];
    ok!(cuMemHostRegister_v2(bytes.as_mut_ptr().cast(), 10, 0));
}

#[test]
fn leaks_are_told_by_kind() {
    let log = passes("leak", &[("CUDA_SIM_LEAK_CHECK", "1")]);
    for line in [
        "cuda-sim: not freed at exit:",
        "device memory: 1 allocations, 1000 bytes; the first is allocation #1 (1000 bytes at 0x",
        "pinned host memory: 1 blocks, 500 bytes",
        "registered host memory: 1 blocks, 10 bytes",
        "streams: 1",
        "events: 1",
        "contexts: 1",
    ] {
        assert!(log.contains(line), "no `{line}` in\n{log}");
    }
    assert!(!passes("leak", &[]).contains("not freed"));
    let code = child("leak", &[("CUDA_SIM_LEAK_CHECK", "exitcode:9")]).status.code();
    assert_eq!(code, Some(9));
}

fn release() {
    let context = ready();
    let address = alloc(64);
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    let (mut flags, mut active, mut other) = (0, 7, 0);
    ok!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
    assert_eq!(active, 0);
    assert_eq!(cu!(cuMemAlloc_v2(&mut other, 1)), CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_eq!(cu!(cuDevicePrimaryCtxRelease_v2(0)), CUresult::CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(ready(), context, "the handle is the same");
    assert_eq!(cu!(cuMemFree_v2(address)), INVALID, "the memory is gone");
    let address = upload(&[1, 2, 3]);
    assert_eq!(download(address, 3), [1, 2, 3]);
}

#[test]
fn a_released_primary_context_takes_its_memory_along_and_can_return() {
    let log = passes("release", &[("CUDA_SIM_LEAK_CHECK", "1")]);
    assert!(
        log.contains("device memory that only the end of its context freed: 1 allocations, 64 bytes"),
        "{log}"
    );
}

fn abandon() {
    let primary = ready();
    let (_stream, _event, mut own) = (stream(0), event(), null_mut());
    ok!(cuCtxCreate_v2(&mut own, 0, 0));
    let (_stream, _other, destroyed) = (stream(1), event(), [event(), event()]);
    destroyed.into_iter().for_each(|event| ok!(cuEventDestroy_v2(event)));
    ok!(cuStreamSynchronize(null_mut())); // a default stream ends with its context, as it must
    let _memory = pinned(70);
    ok!(cuCtxDestroy_v2(own));
    ok!(cuCtxSetCurrent(primary));
    ok!(cuStreamDestroy_v2(stream(0)));
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(cuda_sim::stats(), Some(cuda_sim::Stats::default()));
}

#[test]
fn what_only_the_end_of_a_context_destroys_is_told_as_a_leak() {
    let log = passes("abandon", &[("CUDA_SIM_LEAK_CHECK", "1")]);
    let told: Vec<_> = log.lines().filter(|line| line.starts_with("cuda-sim:")).collect();
    assert_eq!(
        told,
        [
            "cuda-sim: not freed at exit:",
            "cuda-sim:   host memory that only the end of its context freed: 1 blocks, 70 bytes",
            "cuda-sim:   streams that only the end of their context destroyed: 2",
            "cuda-sim:   events that only the end of their context destroyed: 2",
        ]
    );
    let code = child("abandon", &[("CUDA_SIM_LEAK_CHECK", "exitcode:9")]).status.code();
    assert_eq!(code, Some(9));
}

fn no_pools() {
    ready();
    let (mut address, mut supported, mut pool) = (0, 7, null_mut());
    let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
    ok!(cuDeviceGetAttribute(&mut supported, attribute, 0));
    assert_eq!(supported, 0);
    let not_supported = CUresult::CUDA_ERROR_NOT_SUPPORTED;
    assert_eq!(cu!(cuMemAllocAsync(&mut address, 16, null_mut())), not_supported);
    assert_eq!(cu!(cuDeviceGetDefaultMemPool(&mut pool, 0)), not_supported);
    let address = alloc(16);
    ok!(cuMemFree_v2(address));
}

#[test]
fn without_pools_asynchronous_allocation_is_refused() {
    passes("no pools", &[("CUDA_SIM_MEMORY_POOLS", "0")]);
}

fn init_fails() {
    cuda_sim::install().unwrap();
    let code = cu!(cuInit(0)) as i32;
    assert_eq!(code.to_string(), std::env::var("EXPECTED").unwrap());
    let mut count = 7;
    assert_eq!(cu!(cuDeviceGetCount(&mut count)), CUresult::CUDA_ERROR_NOT_INITIALIZED);
}

#[test]
fn no_device_and_a_configuration_that_makes_no_sense_fail_at_once() {
    passes("init fails", &[("CUDA_SIM_DEVICES", "0"), ("EXPECTED", "100")]);
    let log = passes("init fails", &[("CUDA_SIM_DEVICES", "3"), ("EXPECTED", "1")]);
    assert!(log.contains("CUDA_SIM_DEVICES=3"), "{log}");
}

fn small() {
    ready();
    let (mut address, mut free, mut total) = (alloc(600), 0, 0);
    ok!(cuMemGetInfo_v2(&mut free, &mut total));
    assert_eq!((free, total), (400, 1000));
    assert_eq!(cu!(cuMemAlloc_v2(&mut address, 401)), CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    ok!(cuMemFree_v2(address));
    ok!(cuMemAlloc_v2(&mut address, 1000));
}

#[test]
fn the_device_is_as_large_as_it_is_told_to_be() {
    let log = passes("small", &[("CUDA_SIM_MEMORY_BYTES", "1000")]);
    assert!(log.contains("cuMemAlloc_v2 asks for 401 bytes, but 400 of 1000 are free"), "{log}");
}

fn pins() {
    ready();
    let (mut memory, mut own) = (null_mut(), [0_u8; 400]);
    let first = pinned(600);
    let out_of_memory = CUresult::CUDA_ERROR_OUT_OF_MEMORY;
    assert_eq!(cu!(cuMemHostAlloc(&mut memory, 401, 0)), out_of_memory);
    assert_eq!(cu!(cuMemAllocHost_v2(&mut memory, 401)), out_of_memory);
    ok!(cuMemHostRegister_v2(own.as_mut_ptr().cast(), 400, 0));
    assert_eq!(cu!(cuMemHostAlloc(&mut memory, 1, 0)), out_of_memory);
    assert!(memory.is_null());
    ok!(cuMemHostUnregister(own.as_mut_ptr().cast()));
    ok!(cuMemFreeHost(first.cast()));
    ok!(cuMemFreeHost(pinned(1000).cast()));
}

#[test]
fn as_much_is_pinned_as_may_be() {
    let log = passes("pins", &[("CUDA_SIM_PINNED_BYTES", "1000")]);
    assert!(log.contains("401 bytes of host memory are to be pinned, but 400 of 1000 are free"), "{log}");
}

fn version() {
    cuda_sim::install().unwrap();
    let mut version = 0;
    ok!(cuDriverGetVersion(&mut version));
    assert_eq!(version, 12040);
}

#[test]
fn the_driver_is_as_new_as_it_is_told_to_be() {
    passes("version", &[("CUDA_SIM_DRIVER_VERSION", "12040")]);
}

mod c {
    unsafe extern "C" {
        pub fn fork() -> i32;
        pub fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
        pub fn _exit(status: i32) -> !;
    }
}

fn fork() {
    ready();
    let address = alloc(16);
    // SAFETY: the child makes one call that takes no lock in it, and ends without running exit handlers.
    let child = unsafe { c::fork() };
    if child == 0 {
        let code = cu!(cuMemFree_v2(address)) as i32;
        // SAFETY: no requirements.
        unsafe { c::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: the pointer is to a live variable.
    assert_eq!(unsafe { c::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status >> 8, CUresult::CUDA_ERROR_NOT_INITIALIZED as i32);
    ok!(cuMemFree_v2(address));
}

#[test]
fn a_forked_child_has_no_driver_and_does_its_parent_no_harm() {
    passes("fork", &[]);
}
