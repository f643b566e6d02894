//! The figures of a sweep.

use super::figure::{Ceiling, Figure, Line, Panel, Spot};
use super::groups::{Group, flat_copies, shapes, times};
use super::header::source;
use super::scale::{Growth, three_digits, time_in_words};
use crate::contract::bandwidth::{Bandwidth, Direction, HostMemory, Implementation, Point, Series};

/// Sizes that every plot of rates shows, so that plots can be laid side by side. Smaller copies are all latency,
/// which the plot of times shows.
const SIZES: (u64, u64) = (4 << 10, 1 << 30);

/// One band a colour: those of all lines would hide whose they are.
const BAND: &str = "the band is interop-core's 10th to 90th percentile";

/// Every figure that has a line.
pub fn all(sweep: &Bandwidth) -> Vec<Figure> {
    let rates = format!("GB/s (1e9 bytes a second), median; {BAND}");
    let seconds = format!("median (labels: smallest to largest copy); {BAND}; log axes");
    let bandwidth = Figure {
        name: "bandwidth",
        title: "Copy bandwidth by size".to_owned(),
        subtitles: subtitles(sweep, &rates),
        panels: flat_copies(sweep).iter().filter_map(|group| bandwidth_panel(sweep, group)).collect(),
    };
    let shapes = Figure {
        name: "bandwidth-shapes",
        title: "Copy bandwidth of new and strided host arrays".to_owned(),
        subtitles: subtitles(sweep, &rates),
        panels: shapes(sweep).iter().filter_map(|group| bandwidth_panel(sweep, group)).collect(),
    };
    let time = Figure {
        name: "copy-time",
        title: "Time of one copy by size".to_owned(),
        subtitles: subtitles(sweep, &seconds),
        panels: times(sweep).iter().map(|group| time_panel(sweep, group)).collect(),
    };
    [bandwidth, shapes, time].into_iter().filter(|figure| !figure.panels.is_empty()).collect()
}

/// Where the numbers come from, and how to read them.
fn subtitles(sweep: &Bandwidth, reading: &str) -> Vec<String> {
    let module = sweep.host.get("nvidia_driver").and_then(|value| value.as_str());
    vec![source(&sweep.device, module, &sweep.date, &sweep.commit), reading.to_owned()]
}

/// None where every copy was smaller than the sizes shown.
fn bandwidth_panel(sweep: &Bandwidth, group: &Group<'_>) -> Option<Panel> {
    let spot = |p: &Point| Spot {
        bytes: p.bytes as f64,
        value: p.gbps_median,
        band: Some((p.gbps_p10, p.gbps_p90)),
    };
    let lines = lines(group, SIZES.0, spot, |_, last| format!("{} GB/s", three_digits(last)));
    let counted = if group.direction == Direction::D2d { " (each byte counted once)" } else { "" };
    (!lines.is_empty()).then(|| Panel {
        title: format!("{}, GB/s{counted}", group.title),
        growth: Growth::Linear,
        sizes: (SIZES.0, largest(sweep)),
        tick: three_digits,
        ceiling: ceiling(sweep, group),
        lines,
    })
}

fn time_panel(sweep: &Bandwidth, group: &Group<'_>) -> Panel {
    let spot = |p: &Point| {
        let value = p.seconds_median();
        // The spread of the rate, turned into times around the median time.
        let band = (value * p.gbps_median / p.gbps_p90, value * p.gbps_median / p.gbps_p10);
        Spot { bytes: p.bytes as f64, value, band: Some(band) }
    };
    Panel {
        title: format!("{}, time of a copy", group.title),
        growth: Growth::Log,
        sizes: (smallest(sweep), largest(sweep)),
        tick: time_in_words,
        lines: lines(group, 0, spot, |first, last| match first == last {
            true => time_in_words(last),
            false => format!("{} to {}", time_in_words(first), time_in_words(last)),
        }),
        ceiling: None,
    }
}

/// Without the points below a size, and without lines that have no others; `words` gets their ends.
fn lines(
    group: &Group<'_>,
    from: u64,
    spot: impl Fn(&Point) -> Spot,
    words: impl Fn(f64, f64) -> String,
) -> Vec<Line> {
    let line = |series: &&Series| {
        let banded = series.implementation == Implementation::InteropCore;
        let shown = |spot: Spot| Spot { band: spot.band.filter(|_| banded), ..spot };
        let points = series.points.iter().filter(|p| p.bytes >= from).map(&spot).map(shown);
        let mut points: Vec<Spot> = points.collect();
        points.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
        let ends = words(points.first()?.value, points.last()?.value);
        Some(Line {
            label: format!("{}: {ends}", name(series, group.mixed)),
            implementation: series.implementation,
            memory: series.host_memory,
            points,
        })
    };
    group.series.iter().filter_map(line).collect()
}

/// The link's rate and how much of it was reached; a copy within the device uses no link.
fn ceiling(sweep: &Bandwidth, group: &Group<'_>) -> Option<Ceiling> {
    let value = sweep.device.link_gbps()?;
    let link = sweep.device.link_in_words()?;
    let host = group.series.iter().filter(|s| s.direction != Direction::D2d);
    let rates = host.flat_map(|s| s.points.iter().map(|p| (*s, p.gbps_median)));
    let (best, rate) = rates.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let reached = 100.0 * rate / value;
    let best = name(best, group.mixed);
    let label = format!("{link}: {value:.1} GB/s; {reached:.0} % reached ({best})");
    Some(Ceiling { value, label })
}

/// A whole power of two.
fn smallest(sweep: &Bandwidth) -> u64 {
    let bytes = sweep.series.iter().flat_map(|s| s.points.iter().map(|p| p.bytes));
    bytes.min().map_or(SIZES.0, |bytes| 1 << bytes.ilog2()).min(SIZES.0)
}

fn largest(sweep: &Bandwidth) -> u64 {
    let bytes = sweep.series.iter().flat_map(|s| s.points.iter().map(|p| p.bytes));
    bytes.max().and_then(u64::checked_next_power_of_two).unwrap_or(u64::MAX).max(SIZES.1)
}

/// Who copied, and in a mixed panel from or to what: else its title says so.
fn name(series: &Series, mixed: bool) -> String {
    let who = series.implementation.name();
    match series.host_memory {
        _ if !mixed => who.to_owned(),
        HostMemory::Pinned => format!("{who}, pinned"),
        HostMemory::Pageable => format!("{who}, ordinary"),
        HostMemory::Fresh => format!("{who}, fresh"),
        HostMemory::Strided => format!("{who}, strided"),
        HostMemory::None => who.to_owned(),
    }
}
