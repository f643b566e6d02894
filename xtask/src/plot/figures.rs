//! The two figures of a sweep.

use super::figure::{Ceiling, Figure, Line, Panel, Spot};
use super::scale::{Growth, three_digits, time_in_words};
use crate::contract::bandwidth::{Bandwidth, Direction, HostMemory, Implementation, Point, Series};

const DIRECTIONS: [(Direction, &str); 3] = [
    (Direction::H2d, "host to device"),
    (Direction::D2h, "device to host"),
    (Direction::D2d, "within the device"),
];

/// Sizes that every plot shows, so that plots can be laid side by side.
const SIZES: (u64, u64) = (4 << 10, 1 << 30);

/// Bandwidth by size, and time by size.
pub fn all(sweep: &Bandwidth) -> [Figure; 2] {
    [
        Figure {
            name: "bandwidth",
            title: "Copy bandwidth by size".to_owned(),
            subtitles: subtitles(
                sweep,
                "GB/s (1e9 bytes a second), median; the band is the 10th to 90th percentile",
            ),
            panels: panels(sweep, bandwidth_panel),
        },
        Figure {
            name: "copy-time",
            title: "Time of one copy by size".to_owned(),
            subtitles: subtitles(
                sweep,
                "median; the band is the 10th to 90th percentile; both axes logarithmic",
            ),
            panels: panels(sweep, time_panel),
        },
    ]
}

/// The GPU, driver, link, date and commit, and how to read the numbers.
fn subtitles(sweep: &Bandwidth, reading: &str) -> Vec<String> {
    let device = &sweep.device;
    let mut machine = device.name.clone();
    if let Some(module) = sweep.host.get("nvidia_driver").and_then(|value| value.as_str()) {
        machine += &format!(", driver {module}");
    }
    machine += &format!(", CUDA {}", device.driver);
    if let Some(link) = device.link_in_words() {
        machine += &format!(", {link}");
    }
    let day = sweep.date.split('T').next().unwrap_or_default();
    vec![format!("{machine}; {day}, commit {}", sweep.commit), reading.to_owned()]
}

type MakePanel = fn(&Bandwidth, &str, &[&Series]) -> Panel;

fn panels(sweep: &Bandwidth, make: MakePanel) -> Vec<Panel> {
    let of = |direction| sweep.series.iter().filter(|s| s.direction == direction).collect::<Vec<_>>();
    let with_series = DIRECTIONS.into_iter().map(|(direction, title)| (title, of(direction)));
    with_series
        .filter(|(_, series)| !series.is_empty())
        .map(|(title, series)| make(sweep, title, &series))
        .collect()
}

fn bandwidth_panel(sweep: &Bandwidth, title: &str, series: &[&Series]) -> Panel {
    let spot =
        |p: &Point| Spot { bytes: p.bytes as f64, value: p.gbps_median, low: p.gbps_p10, high: p.gbps_p90 };
    let lines = lines(series, spot, |value| format!("{} GB/s", three_digits(value)));
    let counted = match series.first().map(|s| s.direction) {
        Some(Direction::D2d) => " (each byte counted once)",
        _ => "",
    };
    Panel {
        title: format!("{title}, GB/s{counted}"),
        growth: Growth::Linear,
        sizes: sizes(sweep),
        tick: three_digits,
        ceiling: ceiling(sweep, series),
        lines,
    }
}

fn time_panel(sweep: &Bandwidth, title: &str, series: &[&Series]) -> Panel {
    let spot = |p: &Point| {
        let value = p.seconds_median();
        // The spread of the rate, turned into times around the median time.
        let (low, high) = (value * p.gbps_median / p.gbps_p90, value * p.gbps_median / p.gbps_p10);
        Spot { bytes: p.bytes as f64, value, low, high }
    };
    Panel {
        title: format!("{title}, time of a copy"),
        growth: Growth::Log,
        sizes: sizes(sweep),
        tick: time_in_words,
        lines: lines(series, spot, time_in_words),
        ceiling: None,
    }
}

fn lines(series: &[&Series], spot: impl Fn(&Point) -> Spot, words: impl Fn(f64) -> String) -> Vec<Line> {
    let line = |series: &&Series| {
        let mut points: Vec<Spot> = series.points.iter().map(&spot).collect();
        points.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
        let end = points.last().map(|p| words(p.value)).unwrap_or_default();
        Line {
            label: format!("{}: {end}", name(series)),
            implementation: series.implementation,
            memory: series.host_memory,
            points,
        }
    };
    series.iter().map(line).collect()
}

/// The link's rate and how much of it was reached; a copy within the device uses no link.
fn ceiling(sweep: &Bandwidth, series: &[&Series]) -> Option<Ceiling> {
    let value = sweep.device.link_gbps()?;
    let link = sweep.device.link_in_words()?;
    let host = series.iter().filter(|s| s.direction != Direction::D2d);
    let rates = host.flat_map(|s| s.points.iter().map(|p| (*s, p.gbps_median)));
    let (best, rate) = rates.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let reached = 100.0 * rate / value;
    let label = format!("{link}: {value:.1} GB/s; {reached:.0} % reached ({})", name(best));
    Some(Ceiling { value, label })
}

fn sizes(sweep: &Bandwidth) -> (u64, u64) {
    let bytes = || sweep.series.iter().flat_map(|s| s.points.iter().map(|p| p.bytes));
    let low = bytes().min().map_or(SIZES.0, |b| 1 << b.ilog2()).min(SIZES.0);
    let high = bytes().max().and_then(u64::checked_next_power_of_two).unwrap_or(u64::MAX).max(SIZES.1);
    (low, high)
}

fn name(series: &Series) -> String {
    let who = match series.implementation {
        Implementation::InteropCore => "interop-core",
        Implementation::Driver => "driver",
        Implementation::Pytorch => "PyTorch",
        Implementation::Cupy => "CuPy",
    };
    let memory = match series.host_memory {
        HostMemory::Pinned => "pinned",
        HostMemory::Pageable => "pageable",
        HostMemory::Fresh => "fresh",
        HostMemory::Strided => "strided",
        HostMemory::None => return who.to_owned(),
    };
    format!("{who}, {memory}")
}
