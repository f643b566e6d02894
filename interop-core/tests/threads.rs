//! The copy threads are there when a large copy needs them, not before, and gone with the last handle. A process of its
//! own: it counts them.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use interop_core::{CopyPath, CudaBuffer, DType, Gpu, GpuOptions, cuda_memcpy_d2h, cuda_memcpy_h2d};

const MIB: usize = 1 << 20;

/// The copy threads of this process, by their names: folders of Linux that tell about them.
fn copy_threads() -> Vec<PathBuf> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads of this process");
    let folders = tasks.map(|task| task.expect("a thread of this process").path());
    // One that ends meanwhile has no name any more.
    let name = |folder: &PathBuf| std::fs::read_to_string(folder.join("comm")).unwrap_or_default();
    folders.filter(|folder| name(folder).starts_with("interop-copy")).collect()
}

/// How long a thread has run, in ticks, mostly of 10 ms each (`man 5 proc_pid_stat`, fields 14 and 15).
fn busy(folder: &Path) -> u64 {
    let text = std::fs::read_to_string(folder.join("stat")).expect("what the thread used");
    // The second field is the thread's name, in parentheses.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.map(|ticks| ticks.parse::<u64>().expect("ticks")).sum()
}

/// How many a device promises for so many that were asked for, without the caller: none where its copies are the
/// driver's.
fn promised(gpu: &Gpu, wanted: usize) -> usize {
    let cores = available_parallelism().map_or(1, usize::from);
    let threads = match gpu.copy_path() {
        CopyPath::Threads { threads, .. } => threads,
        _ => 1,
    };
    assert_eq!(threads, wanted.min(cores), "wanted {wanted}, on {cores} cores");
    threads - 1
}

/// Leaves this thread, and those that it starts, one of the cores that it may use.
#[cfg(target_os = "linux")]
fn keep_to_one_core() {
    // SAFETY: a set of cores is a mask, and an empty one where all bytes are 0.
    let (mut all, mut one): (libc::cpu_set_t, libc::cpu_set_t) = unsafe { std::mem::zeroed() };
    // SAFETY: the set is as long as is said.
    assert_eq!(unsafe { libc::sched_getaffinity(0, size_of_val(&all), &mut all) }, 0);
    // SAFETY: the numbers are within the set.
    let first = (0..libc::CPU_SETSIZE as usize).find(|core| unsafe { libc::CPU_ISSET(*core, &all) });
    // SAFETY: as above.
    unsafe { libc::CPU_SET(first.expect("a core"), &mut one) };
    // SAFETY: the set is as long as is said.
    assert_eq!(unsafe { libc::sched_setaffinity(0, size_of_val(&one), &one) }, 0);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "counts threads as Linux lists them")]
fn as_many_work_as_promised_and_none_stays() {
    for wanted in [2, 3, 64] {
        let gpu = GpuOptions::new().copy_threads(wanted).open(0).unwrap();
        let mut small = CudaBuffer::new(&gpu, &[1000], DType::U8).unwrap();
        cuda_memcpy_h2d(&[1u8; 1000][..], &mut small).unwrap();
        assert_eq!(copy_threads().len(), 0, "for a small copy");
        let mut large = CudaBuffer::new(&gpu, &[8 * MIB], DType::U8).unwrap();
        let mut host = vec![7u8; 8 * MIB];
        cuda_memcpy_h2d(&host, &mut large).unwrap();
        host.fill(0);
        cuda_memcpy_d2h(&large, &mut host).unwrap();
        assert!(host.iter().all(|byte| *byte == 7));
        assert_eq!(copy_threads().len(), promised(&gpu, wanted), "wanted {wanted}");
        // Each does its part, in a few copies, however busy the machine is.
        let begin = Instant::now();
        while copy_threads().iter().any(|thread| busy(thread) < 2) {
            assert!(begin.elapsed() < Duration::from_secs(60), "a thread has nothing to do");
            cuda_memcpy_h2d(&host, &mut large).unwrap();
        }
        drop((small, large, gpu));
        assert_eq!(copy_threads().len(), 0, "after the last handle");
    }
}

/// In a process of its own, which starts no thread besides.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_may_use_one_core_leaves_large_copies_to_the_driver() {
    const NAME: &str = "a_process_that_may_use_one_core_leaves_large_copies_to_the_driver";
    const IS_THAT_PROCESS: &str = "INTEROP_TEST_ONE_CORE";
    if std::env::var_os(IS_THAT_PROCESS).is_none() {
        let mut test = std::process::Command::new(std::env::current_exe().unwrap());
        let output = test.env(IS_THAT_PROCESS, "1").args(["--exact", NAME]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    keep_to_one_core();
    let gpu = GpuOptions::new().copy_threads(4).open(0).unwrap();
    let host: Vec<u32> = (0..2 * MIB as u32).map(|word| word.wrapping_mul(2_654_435_761)).collect();
    let buffer = CudaBuffer::from_host(&gpu, &host).unwrap();
    assert!(buffer.to_vec::<u32>().unwrap() == host);
    assert_eq!(copy_threads().len(), 0, "after large copies");
    let reason = "this process may use one core only".to_owned();
    assert_eq!(gpu.copy_path(), CopyPath::Driver { reason });
}
