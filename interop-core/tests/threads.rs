//! The copy threads are there when a large copy needs them, not before, and gone with the last handle. A process of its
//! own: it counts them.

use std::path::{Path, PathBuf};
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

/// How many a device says that it has, without the caller; None where its copies are the driver's: on one core.
fn promised(gpu: &Gpu) -> Option<usize> {
    match gpu.copy_path() {
        CopyPath::Threads { threads, .. } => Some(threads - 1),
        _ => None,
    }
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
        let expected = promised(&gpu).unwrap_or(0);
        assert!(expected < wanted, "{expected}");
        assert_eq!(copy_threads().len(), expected, "wanted {wanted}");
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
