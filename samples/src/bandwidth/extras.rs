//! Figures beside the sweep: an allocation, the smallest copy, and both directions at once.

use std::error::Error;
use std::time::Instant;

use interop_core::{CudaBuffer, DType, Gpu};

use super::driver::Driver;
use super::duplex::{self, duplex};
use super::series::{Direction, Figure, HostMemory, Implementation, Series};

const ALLOCATION: usize = 16 << 20;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Timed allocations.
    pub allocations: usize,
    /// Bytes of each copy of the full duplex.
    pub duplex_bytes: usize,
    /// Timed rounds of the full duplex.
    pub rounds: usize,
}

impl Effort {
    /// For results that are reported.
    pub const FULL: Self = Self { allocations: 200, duplex_bytes: duplex::BYTES, rounds: 15 };
    /// For a look at the data alone.
    pub const ONCE: Self = Self { allocations: 1, duplex_bytes: 1 << 20, rounds: 2 };
}

/// Every figure; that of the smallest copy is taken from the sweep.
///
/// # Errors
/// The first error of a call, or wrong data.
pub fn all(
    gpu: &Gpu,
    driver: &Driver,
    series: &[Series],
    effort: Effort,
) -> Result<Vec<Figure>, Box<dyn Error>> {
    let mut figures = allocations(gpu, driver, effort.allocations)?.to_vec();
    figures.extend(smallest_copies(series));
    figures.extend(duplex(gpu.info().ordinal, effort.duplex_bytes, effort.rounds)?);
    Ok(figures)
}

/// In turns, after a few that are not counted.
fn allocations(gpu: &Gpu, driver: &Driver, timed: usize) -> Result<[Figure; 2], Box<dyn Error>> {
    const WARM_UP: usize = 10;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..WARM_UP + timed {
        ours.push(microseconds(|| CudaBuffer::new(gpu, &[ALLOCATION], DType::U8).map(drop))?);
        theirs.push(microseconds(|| driver.allocate_and_free(ALLOCATION))?);
    }
    let figure = |implementation, values: Vec<f64>| Figure {
        name: "allocate and free 16 MiB",
        implementation,
        unit: "us",
        values: values[WARM_UP..].to_vec(),
    };
    Ok([figure(Implementation::InteropCore, ours), figure(Implementation::Driver, theirs)])
}

fn microseconds<E>(call: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let before = Instant::now();
    call()?;
    Ok(before.elapsed().as_secs_f64() * 1e6)
}

fn smallest_copies(series: &[Series]) -> impl Iterator<Item = Figure> {
    let ordinary = |series: &&Series| {
        series.direction == Direction::HostToDevice && series.host_memory == HostMemory::Pageable
    };
    series.iter().filter(ordinary).filter_map(|series| {
        let point = series.points.iter().find(|point| point.bytes == 4)?;
        let values = point.seconds.iter().map(|seconds| seconds * 1e6).collect();
        let implementation = series.implementation;
        Some(Figure { name: "4-byte copy to the device", implementation, unit: "us", values })
    })
}
