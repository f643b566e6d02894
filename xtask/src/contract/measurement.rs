//! What can be a measurement. The bounds are far from what any machine does, and keep what is drawn finite.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::bandwidth::{Direction, HostMemory, Implementation, Point, Series};
use super::device::Device;
use crate::error::{Error, Result};

const GBPS: RangeInclusive<f64> = 1e-9..=1e9;
/// Of a copy or a call: far from what any machine takes, and finite.
pub const SECONDS: RangeInclusive<f64> = 1e-12..=1e6;
const MOST_BYTES: u64 = 1 << 50;

/// Refuses what was measured on no real device.
pub fn check_device(device: &Device, origin: &str) -> Result<()> {
    match device.simulated {
        false => Ok(()),
        true => Err(wrong(origin, "device.simulated", "false", "true")
            .remedy("a time measured on the simulated driver is no result; measure on a GPU")),
    }
}

/// Refuses series that cannot have been measured, or of which two would be the same line.
pub fn check_series(series: &[Series], origin: &str) -> Result<()> {
    if series.is_empty() {
        return Err(wrong(origin, "series", "at least one", "none"));
    }
    for (s, line) in series.iter().enumerate() {
        let field = format!("series[{s}]");
        check_line(line, origin, &field)?;
        if let Some(first) = series[..s].iter().position(|other| other.same_line(line)) {
            let expected = "each implementation, direction, host memory and pattern once";
            return Err(wrong(origin, &field, expected, format!("those of series[{first}] again")));
        }
    }
    Ok(())
}

/// A peer may bring its own lines only: it must not replace ours.
pub fn check_peers(series: &[Series], origin: &str) -> Result<()> {
    only_peers(series.iter().map(|line| line.implementation), origin, "series", "a series")
}

/// Refuses the first of a `list`'s entries, each `entry`, that is not a peer's.
pub fn only_peers(
    implementations: impl Iterator<Item = Implementation>,
    origin: &str,
    list: &str,
    entry: &str,
) -> Result<()> {
    let got = format!("{entry} of this library or the driver");
    let is_peer = |implementation: &Implementation| implementation.is_peer();
    only_those(implementations, is_peer, origin, list, ("`pytorch` or `cupy`", &got))
}

/// Refuses the first of a `list`'s implementations that `may` not be there, in words for what was
/// expected and what came.
pub fn only_those<T>(
    mut implementations: impl Iterator<Item = T>,
    may: impl Fn(&T) -> bool,
    origin: &str,
    list: &str,
    (expected, got): (&str, &str),
) -> Result<()> {
    match implementations.position(|implementation| !may(&implementation)) {
        Some(index) => Err(wrong(origin, &format!("{list}[{index}].implementation"), expected, got)),
        None => Ok(()),
    }
}

fn check_line(line: &Series, origin: &str, field: &str) -> Result<()> {
    let within = line.direction == Direction::D2d;
    if within != (line.host_memory == HostMemory::None) {
        let got = format!("{:?} with {:?}", line.host_memory, line.direction).to_lowercase();
        let expected = "`none` for `d2d` and only there";
        return Err(wrong(origin, &format!("{field}.host_memory"), expected, got));
    }
    if let Some(pattern) = line.pattern
        && line.host_memory != HostMemory::Strided
    {
        let got = format!("`{}` with {:?}", pattern.word(), line.host_memory).to_lowercase();
        return Err(wrong(origin, &format!("{field}.pattern"), "a pattern for `strided` only", got));
    }
    if line.points.is_empty() {
        return Err(wrong(origin, &format!("{field}.points"), "at least one", "none"));
    }
    line.points.iter().enumerate().try_for_each(|(p, point)| {
        check_point(point).map_err(|(name, expected, got)| {
            wrong(origin, &format!("{field}.points[{p}].{name}"), &expected, got)
        })
    })
}

/// The field, what it should be, what it is.
pub type Wrong = (&'static str, String, String);

fn check_point(point: &Point) -> std::result::Result<(), Wrong> {
    if !(1..=MOST_BYTES).contains(&point.bytes) {
        return Err(("bytes", format!("1 to {MOST_BYTES}"), point.bytes.to_string()));
    }
    in_range("gbps_median", point.gbps_median, &GBPS)?;
    in_range("gbps_p10", point.gbps_p10, &GBPS)?;
    in_range("gbps_p90", point.gbps_p90, &GBPS)?;
    in_order("gbps_median", [point.gbps_p10, point.gbps_median, point.gbps_p90])?;
    if point.seconds.is_empty() {
        return Err(("seconds", "each copy's time".to_owned(), "an empty list".to_owned()));
    }
    point.seconds.iter().try_for_each(|value| in_range("seconds", *value, &SECONDS))
}

/// Refuses a text, the field `name`, that is empty or longer than so many bytes.
pub fn check_text(name: &'static str, text: &str, longest: usize) -> std::result::Result<(), Wrong> {
    match (1..=longest).contains(&text.len()) {
        true => Ok(()),
        false => Err((name, format!("1 to {longest} bytes of text"), format!("{} bytes", text.len()))),
    }
}

/// Refuses a median, the field `name`, that is not between its percentiles.
pub fn in_order(name: &'static str, [p10, median, p90]: [f64; 3]) -> std::result::Result<(), Wrong> {
    if p10 > median || median > p90 {
        return Err((name, "p10 <= median <= p90".to_owned(), format!("{p10}, {median}, {p90}")));
    }
    Ok(())
}

/// Refuses a value of the field `name` that is out of a range, or no number.
pub fn in_range(
    name: &'static str,
    value: f64,
    range: &RangeInclusive<f64>,
) -> std::result::Result<(), Wrong> {
    match range.contains(&value) {
        true => Ok(()),
        false => Err((name, format!("{:e} to {:e}", range.start(), range.end()), format!("{value:e}"))),
    }
}

/// The middle of all values, or between the two in the middle; none of none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[n / 2]),
        n => Some(f64::midpoint(sorted[n / 2 - 1], sorted[n / 2])),
    }
}

/// The error of a field that cannot have been measured.
pub fn wrong(origin: &str, field: &str, expected: &str, got: impl Display) -> Error {
    Error::new(format!("reading {origin}, field `{field}`"))
        .expected(expected)
        .got(got)
        .remedy("measure again, or mend the program that wrote it")
}
