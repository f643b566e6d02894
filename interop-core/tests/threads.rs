//! The copy threads are there when a large copy needs them, not before, and gone with the last handle. A process of its
//! own: it counts them.

use interop_core::{CopyPath, CudaBuffer, DType, Gpu, GpuOptions, cuda_memcpy_d2h, cuda_memcpy_h2d};

const MIB: usize = 1 << 20;

/// How many copy threads this process has by their names on Linux.
fn copy_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads of this process");
    // One that ends meanwhile has no name any more.
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with("interop-copy")).count()
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
fn as_many_are_started_as_promised_and_none_stays() {
    for wanted in [2, 3, 64] {
        let gpu = GpuOptions::new().copy_threads(wanted).open(0).unwrap();
        let mut small = CudaBuffer::new(&gpu, &[1000], DType::U8).unwrap();
        cuda_memcpy_h2d(&[1u8; 1000][..], &mut small).unwrap();
        assert_eq!(copy_threads(), 0, "for a small copy");
        let mut large = CudaBuffer::new(&gpu, &[8 * MIB], DType::U8).unwrap();
        let mut host = vec![7u8; 8 * MIB];
        cuda_memcpy_h2d(&host, &mut large).unwrap();
        host.fill(0);
        cuda_memcpy_d2h(&large, &mut host).unwrap();
        assert!(host.iter().all(|byte| *byte == 7));
        let expected = promised(&gpu).unwrap_or(0);
        assert!(expected < wanted, "{expected}");
        assert_eq!(copy_threads(), expected, "wanted {wanted}");
        drop((small, large, gpu));
        assert_eq!(copy_threads(), 0, "after the last handle");
    }
}
