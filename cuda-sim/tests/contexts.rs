//! Contexts: which is current where, and what ends with one.

mod support;

use std::cell::RefCell;
use std::ptr::null_mut;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use support::*;

fn current() -> CUcontext {
    let mut context = null_mut();
    ok!(cuCtxGetCurrent(&mut context));
    context
}

fn create() -> CUcontext {
    let mut context = null_mut();
    ok!(cuCtxCreate_v2(&mut context, 0, 0));
    context
}

#[test]
fn each_thread_has_a_stack() {
    let primary = ready();
    let own = create();
    assert_eq!(current(), own);
    ok!(cuCtxPushCurrent_v2(primary));
    assert_eq!(current(), primary);
    thread::scope(|scope| {
        scope.spawn(|| assert!(current().is_null(), "another thread has none"));
    });
    let mut popped = null_mut();
    ok!(cuCtxPopCurrent_v2(&mut popped));
    assert_eq!((popped, current()), (primary, own));
    ok!(cuCtxDestroy_v2(own));
    assert_eq!(current(), primary, "destroying the current context pops it");
    ok!(cuCtxSetCurrent(null_mut()));
    assert!(current().is_null());
    assert_eq!(cu!(cuCtxPopCurrent_v2(&mut popped)), CUresult::CUDA_ERROR_INVALID_CONTEXT);
}

#[test]
fn without_a_context_calls_fail_and_with_one_any_thread_may_free() {
    ready();
    let address = upload(&pattern(100));
    thread::spawn(move || {
        let mut other = 0;
        let no_context = CUresult::CUDA_ERROR_INVALID_CONTEXT;
        assert_eq!(cu!(cuMemAlloc_v2(&mut other, 1)), no_context);
        assert_eq!(cu!(cuMemFree_v2(address)), no_context);
        assert_eq!(cu!(cuStreamSynchronize(null_mut())), no_context);
        ready();
        assert_eq!(download(address, 100), pattern(100));
        ok!(cuMemFree_v2(address));
    })
    .join()
    .unwrap();
}

/// Frees device memory when its thread ends, in the context that is current then and in one that it pushes.
struct FreesAtEnd {
    memory: [u64; 2],
    context: CUcontext,
    results: Sender<(&'static str, CUresult)>,
}

impl Drop for FreesAtEnd {
    fn drop(&mut self) {
        // A panic here would end the process: the results are judged elsewhere.
        let tell = |name, result| self.results.send((name, result)).unwrap_or_default();
        let (mut found, mut address, per_thread) = (null_mut(), 0, std::ptr::without_provenance_mut(2));
        tell("current", cu!(cuCtxGetCurrent(&mut found)));
        tell("the same", if found == self.context { OK } else { INVALID });
        tell("free", cu!(cuMemFree_v2(self.memory[0])));
        tell("push", cu!(cuCtxPushCurrent_v2(self.context)));
        tell("free pushed", cu!(cuMemFree_v2(self.memory[1])));
        tell("alloc", cu!(cuMemAllocAsync(&mut address, 16, per_thread)));
        tell("free async", cu!(cuMemFreeAsync(address, per_thread)));
        tell("synchronize", cu!(cuStreamSynchronize(per_thread)));
        tell("pop", cu!(cuCtxPopCurrent_v2(&mut found)));
    }
}

thread_local! {
    static HELD: RefCell<Option<FreesAtEnd>> = const { RefCell::new(None) };
}

#[test]
fn a_destructor_of_a_thread_local_may_call_the_driver() {
    ready();
    let (results, received) = channel();
    let thread = thread::spawn(move || {
        HELD.with(|_| ()); // before the driver knows of this thread: its own thread-locals would end first
        let context = ready();
        let memory = [alloc(100), alloc(200)];
        HELD.set(Some(FreesAtEnd { memory, context, results }));
    });
    thread.join().unwrap();
    let results: Vec<_> = received.iter().collect();
    assert_eq!(results.len(), 9);
    assert!(results.iter().all(|&(_, result)| result == OK), "{results:?}");
}

#[test]
fn many_threads_at_once() {
    ready();
    thread::scope(|scope| {
        for seed in 0..8_u8 {
            scope.spawn(move || {
                ready();
                let stream = stream(1);
                for round in 0..50 {
                    let len = 1 + usize::from(seed) * 1000 + round;
                    let bytes = vec![seed; len];
                    let address = alloc(len);
                    ok!(cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), len, stream));
                    ok!(cuStreamSynchronize(stream));
                    assert_eq!(download(address, len), bytes);
                    ok!(cuMemFree_v2(address));
                }
                ok!(cuStreamDestroy_v2(stream));
            });
        }
    });
}

#[test]
fn the_end_of_a_context_is_the_end_of_what_it_owns() {
    ready();
    let context = create();
    let (address, stream, event) = (alloc(100), stream(0), event());
    ok!(cuCtxDestroy_v2(context));
    assert_eq!(cu!(cuMemFree_v2(address)), INVALID);
    assert_eq!(cu!(cuStreamQuery(stream)), CUresult::CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(cu!(cuEventQuery(event)), CUresult::CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(cu!(cuCtxDestroy_v2(context)), CUresult::CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(cu!(cuCtxSetCurrent(context)), CUresult::CUDA_ERROR_INVALID_CONTEXT);
}

#[test]
fn a_context_destroyed_elsewhere_is_told_to_be() {
    ready();
    let context = create().addr();
    thread::spawn(move || ok!(cuCtxDestroy_v2(std::ptr::without_provenance_mut(context)))).join().unwrap();
    let mut address = 0;
    assert_eq!(cu!(cuMemAlloc_v2(&mut address, 1)), CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

#[test]
fn an_event_is_recorded_in_its_own_context_only() {
    ready();
    let event = event();
    let context = create();
    assert_eq!(cu!(cuEventRecord(event, null_mut())), CUresult::CUDA_ERROR_INVALID_HANDLE);
    ok!(cuCtxDestroy_v2(context));
    ok!(cuEventRecord(event, null_mut()));
    ok!(cuEventDestroy_v2(event));
}

#[test]
fn the_device_tells_what_it_is() {
    ready();
    let mut name = [0_u8; 64];
    ok!(cuDeviceGetName(name.as_mut_ptr().cast(), 64, 0));
    assert_eq!(std::ffi::CStr::from_bytes_until_nul(&name).unwrap().to_str(), Ok(cuda_sim::DEVICE_NAME));
    ok!(cuDeviceGetName(name.as_mut_ptr().cast(), 4, 0));
    assert_eq!(&name[..4], b"Sim\0");
    let (mut bytes, mut device, mut pitch) = (0, 7, 0);
    ok!(cuDeviceTotalMem_v2(&mut bytes, 0));
    assert_eq!(bytes, 4 << 30);
    ok!(cuCtxGetDevice(&mut device));
    let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT;
    ok!(cuDeviceGetAttribute(&mut pitch, attribute, 0));
    assert_eq!((device, pitch), (0, 32));
    assert_eq!(cu!(cuDeviceGet(&mut device, 1)), CUresult::CUDA_ERROR_INVALID_DEVICE);
    assert_eq!(cu!(cuDeviceGet(&mut device, -1)), CUresult::CUDA_ERROR_INVALID_DEVICE);
    let unknown = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX;
    assert_eq!(cu!(cuDeviceGetAttribute(&mut pitch, unknown, 0)), INVALID);
}

#[test]
fn what_is_not_simulated_says_so() {
    ready();
    let mut module = null_mut();
    let loaded = cu!(cuModuleLoadData(&mut module, c".version 8.0".as_ptr().cast()));
    assert_eq!(loaded, CUresult::CUDA_ERROR_NOT_SUPPORTED);
}
