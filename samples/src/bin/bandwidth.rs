//! The bandwidth sweep: 4 KiB to 1 GiB, up, down and within the device, from pinned and ordinary memory. Each
//! point is checked for the right data. On the simulated device only the data is checked: a time measured
//! there means nothing.

use std::path::PathBuf;
use std::process::ExitCode;

use interop_core::{
    CudaBuffer, DType, Gpu, HostArray, HostArrayMut, PinnedBuffer, Result, cuda_memcpy_d2d, cuda_memcpy_d2h,
    cuda_memcpy_h2d,
};
use samples::Outcome;
use samples::bandwidth::{Direction, HostMemory, Point, Series, Timing, document, timed};

const SMALLEST: u32 = 12;
const LARGEST: u32 = 30;

fn main() -> ExitCode {
    samples::run(|gpu| if gpu.info().simulated { check(gpu) } else { sweep(gpu) })
}

/// Every kind of copy once, in a few sizes, checked and not timed.
fn check(gpu: &Gpu) -> Outcome {
    let once = Timing { warm_up: 0, at_least: 1, at_most: 1, budget: std::time::Duration::ZERO };
    for exponent in [SMALLEST, 16, 20] {
        all_series(gpu, exponent..=exponent, once)?;
    }
    println!("checked the data of every kind of copy, at 4 KiB, 64 KiB and 1 MiB");
    println!("no bandwidth is measured on a simulated device");
    Ok(())
}

fn sweep(gpu: &Gpu) -> Outcome {
    let series = all_series(gpu, SMALLEST..=LARGEST, Timing::FULL)?;
    print_table(&series);
    let folder =
        std::env::var_os("INTEROP_OUT").map_or_else(|| PathBuf::from("target/interop"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("bandwidth.json");
    std::fs::write(&file, format!("{}\n", document(gpu.info(), &series)))?;
    println!("\nwritten to bandwidth.json");
    Ok(())
}

fn all_series(gpu: &Gpu, exponents: std::ops::RangeInclusive<u32>, timing: Timing) -> Result<Vec<Series>> {
    use Direction::{DeviceToDevice, DeviceToHost, HostToDevice};
    use HostMemory::{None, Pageable, Pinned};
    let kinds = [
        (HostToDevice, Pinned),
        (HostToDevice, Pageable),
        (DeviceToHost, Pinned),
        (DeviceToHost, Pageable),
        (DeviceToDevice, None),
    ];
    kinds
        .into_iter()
        .map(|(direction, host_memory)| {
            let points = exponents
                .clone()
                .map(|exponent| {
                    let bytes = 1 << exponent;
                    let seconds = match (direction, host_memory) {
                        (HostToDevice, Pinned) => upload(gpu, pinned(gpu, bytes)?, timing)?,
                        (HostToDevice, _) => upload(gpu, vec![0; bytes], timing)?,
                        (DeviceToHost, Pinned) => download(gpu, pinned(gpu, bytes)?, timing)?,
                        (DeviceToHost, _) => download(gpu, vec![0; bytes], timing)?,
                        (DeviceToDevice, _) => across(gpu, bytes, timing)?,
                    };
                    Ok(Point { bytes, seconds })
                })
                .collect::<Result<Vec<Point>>>()?;
            Ok(Series { direction, host_memory, points })
        })
        .collect()
}

fn pinned(gpu: &Gpu, bytes: usize) -> Result<PinnedBuffer<u8>> {
    PinnedBuffer::zeros(gpu, bytes)
}

/// Bytes without a period that a wrong offset could hide behind.
fn pattern(bytes: usize, seed: u32) -> impl Iterator<Item = u8> {
    (0..bytes as u32).map(move |index| (index.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 24) as u8)
}

fn fill(target: &mut [u8], seed: u32) {
    let values = pattern(target.len(), seed);
    for (byte, value) in target.iter_mut().zip(values) {
        *byte = value;
    }
}

fn check_equal(found: &[u8], seed: u32) {
    let wrong = found.iter().zip(pattern(found.len(), seed)).position(|(found, expected)| *found != expected);
    assert_eq!(wrong, None, "first wrong byte of a copy of {} bytes", found.len());
}

trait Host: HostArray + HostArrayMut + std::ops::DerefMut<Target = [u8]> {}
impl<T: HostArray + HostArrayMut + std::ops::DerefMut<Target = [u8]>> Host for T {}

fn upload(gpu: &Gpu, mut host: impl Host, timing: Timing) -> Result<Vec<f64>> {
    fill(&mut host, 1);
    let mut device = CudaBuffer::zeros(gpu, &[host.len()], DType::U8)?;
    let seconds = timed(timing, || cuda_memcpy_h2d(&host, &mut device))?;
    check_equal(&device.to_vec::<u8>()?, 1);
    Ok(seconds)
}

fn download(gpu: &Gpu, mut host: impl Host, timing: Timing) -> Result<Vec<f64>> {
    fill(&mut host, 2);
    let device = CudaBuffer::from_host(gpu, &host)?;
    let seconds = timed(timing, || cuda_memcpy_d2h(&device, &mut host))?;
    host.fill(0);
    cuda_memcpy_d2h(&device, &mut host)?;
    check_equal(&host, 2);
    Ok(seconds)
}

fn across(gpu: &Gpu, bytes: usize, timing: Timing) -> Result<Vec<f64>> {
    let source = CudaBuffer::from_host(gpu, &pattern(bytes, 3).collect::<Vec<u8>>())?;
    let mut target = CudaBuffer::zeros(gpu, &[bytes], DType::U8)?;
    let seconds = timed(timing, || cuda_memcpy_d2d(&source, &mut target))?;
    check_equal(&target.to_vec::<u8>()?, 3);
    Ok(seconds)
}

fn print_table(series: &[Series]) {
    println!("GB/s (1e9 bytes a second), median; device to device counts each byte once\n");
    print!("{:>9}", "size");
    for series in series {
        print!("  {:>12}", format!("{} {}", series.direction.name(), series.host_memory.name()));
    }
    println!();
    for exponent in SMALLEST..=LARGEST {
        let row = (exponent - SMALLEST) as usize;
        print!("{:>9}", size(exponent));
        for point in series.iter().filter_map(|series| series.points.get(row)) {
            print!("  {:>12.2}", point.gbps(0.5));
        }
        println!();
    }
}

fn size(exponent: u32) -> String {
    let unit = ["B", "KiB", "MiB", "GiB"][exponent as usize / 10];
    format!("{} {unit}", 1 << (exponent % 10))
}
