//! Every kind of copy of the sweep.

use std::error::Error;
use std::ops::RangeInclusive;

use interop_core::{Gpu, PinnedBuffer};

use super::device_copy::DeviceCopy;
use super::download::Download;
use super::driver::Driver;
use super::fresh::Fresh;
use super::host::HostKind;
use super::measure::{Timing, in_turns};
use super::series::{Direction, HostMemory, Implementation, Pattern, Point, Series};
use super::upload::Upload;

/// The exponent of 2 of the smallest size in bytes.
pub const SMALLEST: u32 = 2;
/// The exponent of 2 of the largest size in bytes.
pub const LARGEST: u32 = 30;
/// A strided array of fewer bytes has few rows, and its pattern no meaning.
const SMALLEST_STRIDED: u32 = 12;

/// What is copied from where to where.
type Kind = (Direction, HostMemory, Option<Pattern>);

const KINDS: [Kind; 10] = {
    use Direction::{DeviceToDevice, DeviceToHost, HostToDevice};
    use HostMemory::{Fresh, None as Nothing, Pageable, Pinned, Strided};
    [
        (HostToDevice, Pinned, None),
        (HostToDevice, Pageable, None),
        (HostToDevice, Strided, Some(Pattern::PaddedRows)),
        (HostToDevice, Strided, Some(Pattern::Transposed)),
        (DeviceToHost, Pinned, None),
        (DeviceToHost, Pageable, None),
        (DeviceToHost, Fresh, None),
        (DeviceToHost, Strided, Some(Pattern::PaddedRows)),
        (DeviceToHost, Strided, Some(Pattern::Transposed)),
        (DeviceToDevice, Nothing, None),
    ]
};

/// Each kind in every size, ours and the driver's in turns.
///
/// # Errors
/// The first error of a copy, or wrong data.
pub fn all_series(
    gpu: &Gpu,
    driver: &Driver,
    exponents: RangeInclusive<u32>,
    timing: Timing,
) -> Result<Vec<Series>, Box<dyn Error>> {
    let mut scratch = PinnedBuffer::<u8>::zeros(gpu, 1 << *exponents.end())?;
    let mut all = Vec::new();
    for kind in KINDS {
        let mut series: Vec<Series> = contenders(kind).iter().map(|by| empty(kind, *by)).collect();
        let from = if kind.1 == HostMemory::Strided { SMALLEST_STRIDED } else { 0 };
        for exponent in exponents.clone().filter(|exponent| *exponent >= from) {
            let bytes = 1 << exponent;
            let seconds = point(gpu, driver, kind, bytes, timing, &mut scratch)
                .map_err(|error| format!("{} {}: {error}", kind.0.name(), kind.1.name()))?;
            for (series, seconds) in series.iter_mut().zip(seconds) {
                series.points.push(Point { bytes, seconds });
            }
        }
        all.extend(series.into_iter().filter(|series| !series.points.is_empty()));
    }
    Ok(all)
}

fn contenders((_, _, pattern): Kind) -> &'static [Implementation] {
    match pattern {
        // The driver has no such call.
        Some(Pattern::Transposed) => &[Implementation::InteropCore],
        _ => &[Implementation::InteropCore, Implementation::Driver],
    }
}

fn empty((direction, host_memory, pattern): Kind, implementation: Implementation) -> Series {
    Series { implementation, direction, host_memory, pattern, points: Vec::new() }
}

fn point(
    gpu: &Gpu,
    driver: &Driver,
    kind: Kind,
    bytes: usize,
    timing: Timing,
    scratch: &mut [u8],
) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let by = contenders(kind);
    let host = match kind {
        (_, HostMemory::Pinned, _) => HostKind::Pinned,
        (_, _, Some(Pattern::PaddedRows)) => HostKind::PaddedRows,
        (_, _, Some(Pattern::Transposed)) => HostKind::Transposed,
        _ => HostKind::Ordinary,
    };
    match kind {
        (_, HostMemory::Fresh, _) => in_turns(&mut Fresh::new(gpu, driver, bytes, scratch)?, by, timing),
        (Direction::HostToDevice, ..) => {
            in_turns(&mut Upload::new(gpu, driver, host, bytes, scratch)?, by, timing)
        }
        (Direction::DeviceToHost, ..) => {
            in_turns(&mut Download::new(gpu, driver, host, bytes, scratch)?, by, timing)
        }
        (Direction::DeviceToDevice, ..) => {
            in_turns(&mut DeviceCopy::new(gpu, driver, bytes, scratch)?, by, timing)
        }
    }
}
