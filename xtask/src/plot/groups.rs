//! Which series share a panel: few enough that their lines and labels can be told apart.

use crate::contract::bandwidth::{Bandwidth, Direction, HostMemory, Pattern, Series};

/// The series of one panel.
pub struct Group<'a> {
    /// What they have in common, in words.
    pub title: String,
    /// Which way all of them go.
    pub direction: Direction,
    /// At least one.
    pub series: Vec<&'a Series>,
    /// Whether its copies are of several kinds of host memory, though one alone may have been measured.
    pub mixed: bool,
}

impl Group<'_> {
    fn mixed(self) -> Self {
        Self { mixed: true, ..self }
    }
}

/// Copies from and to host arrays that are there and in one piece, and copies within the device.
pub fn flat_copies(sweep: &Bandwidth) -> Vec<Group<'_>> {
    let flat = |s: &Series| matches!(s.host_memory, HostMemory::Pinned | HostMemory::Pageable);
    let groups = [
        group(sweep, Direction::H2d, "host to device", flat).map(Group::mixed),
        group(sweep, Direction::D2h, "device to host", flat).map(Group::mixed),
        within(sweep),
    ];
    groups.into_iter().flatten().collect()
}

/// Copies into new arrays, and copies from and to arrays that are not in one piece.
pub fn shapes(sweep: &Bandwidth) -> Vec<Group<'_>> {
    let mut groups = fresh(sweep);
    let patterns = [
        (Some(Pattern::PaddedRows), "padded rows of 512 bytes"),
        (Some(Pattern::Transposed), "transposed f32 matrix"),
        (None, "rows not in one piece"),
    ];
    for (pattern, words) in patterns {
        let strided = |s: &Series| s.host_memory == HostMemory::Strided && s.pattern == pattern;
        groups.extend(group(sweep, Direction::H2d, &format!("host to device, {words}"), strided));
        groups.extend(group(sweep, Direction::D2h, &format!("device to host, {words}"), strided));
    }
    groups
}

/// What copies cost that are too small for a rate to mean much; how strided arrays are walked shows at any size.
/// Small copies differ by microseconds whatever the memory, so each kind of it has a panel.
pub fn times(sweep: &Bandwidth) -> Vec<Group<'_>> {
    let mut groups = Vec::new();
    for (direction, way) in [(Direction::H2d, "host to device"), (Direction::D2h, "device to host")] {
        for (memory, words) in
            [(HostMemory::Pinned, "pinned memory"), (HostMemory::Pageable, "ordinary memory")]
        {
            let title = format!("{way}, {words}");
            groups.extend(group(sweep, direction, &title, |s| s.host_memory == memory));
        }
    }
    groups.extend(fresh(sweep));
    groups.extend(within(sweep));
    groups
}

fn within(sweep: &Bandwidth) -> Option<Group<'_>> {
    group(sweep, Direction::D2d, "within the device", |_| true)
}

fn fresh(sweep: &Bandwidth) -> Vec<Group<'_>> {
    let fresh = |s: &Series| s.host_memory == HostMemory::Fresh;
    let groups = [
        group(sweep, Direction::H2d, "host to device, from a new array", fresh),
        group(sweep, Direction::D2h, "device to host, into a new array", fresh),
    ];
    groups.into_iter().flatten().collect()
}

/// None where no series belongs to it.
fn group<'a>(
    sweep: &'a Bandwidth,
    direction: Direction,
    title: &str,
    belongs: impl Fn(&Series) -> bool,
) -> Option<Group<'a>> {
    let series: Vec<&Series> =
        sweep.series.iter().filter(|s| s.direction == direction && belongs(s)).collect();
    (!series.is_empty()).then(|| Group { title: title.to_owned(), direction, series, mixed: false })
}
