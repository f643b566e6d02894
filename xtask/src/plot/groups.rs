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
}

impl Group<'_> {
    /// Whether its copies are of several kinds of host memory, though one alone may have been measured.
    pub fn is_mixed(&self) -> bool {
        self.series.iter().any(|s| matches!(s.host_memory, HostMemory::Pinned | HostMemory::Pageable))
    }
}

/// Copies from and to host arrays that are there and in one piece, and copies within the device.
pub fn flat_copies(sweep: &Bandwidth) -> Vec<Group<'_>> {
    let flat = |s: &Series| matches!(s.host_memory, HostMemory::Pinned | HostMemory::Pageable);
    let groups = [
        group(sweep, Direction::H2d, "host to device", flat),
        group(sweep, Direction::D2h, "device to host", flat),
        group(sweep, Direction::D2d, "within the device", |_| true),
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
pub fn times(sweep: &Bandwidth) -> Vec<Group<'_>> {
    let mut groups = flat_copies(sweep);
    let place = groups.iter().position(|g| g.direction == Direction::D2d).unwrap_or(groups.len());
    groups.splice(place..place, fresh(sweep));
    groups
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
    (!series.is_empty()).then(|| Group { title: title.to_owned(), direction, series })
}
