//! What only the end of its context freed.

/// Counts over all contexts that ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reclaimed {
    /// Streams that were not destroyed.
    pub streams: usize,
    /// Events that were not destroyed.
    pub events: usize,
    /// Graphs that were not destroyed.
    pub graphs: usize,
    /// Allocations of device memory, and their bytes.
    pub device: (u64, u64),
    /// Blocks of host memory, and their bytes.
    pub host: (u64, u64),
}

impl Reclaimed {
    /// Counts what one more context still owned.
    pub fn add(&mut self, other: &Self) {
        self.streams += other.streams;
        self.events += other.events;
        self.graphs += other.graphs;
        self.device = (self.device.0 + other.device.0, self.device.1 + other.device.1);
        self.host = (self.host.0 + other.host.0, self.host.1 + other.host.1);
    }

    /// One line a kind. Empty where contexts owned nothing more when they ended.
    pub fn lines(&self) -> Vec<String> {
        let Self { streams, events, graphs, device: (allocations, bytes), host: (blocks, host_bytes) } = self;
        let lines = [
            (
                *allocations > 0,
                format!(
                    "device memory that only the end of its context freed: {allocations} allocations, {bytes} bytes"
                ),
            ),
            (
                *blocks > 0,
                format!(
                    "host memory that only the end of its context freed: {blocks} blocks, {host_bytes} bytes"
                ),
            ),
            (*streams > 0, format!("streams that only the end of their context destroyed: {streams}")),
            (*events > 0, format!("events that only the end of their context destroyed: {events}")),
            (*graphs > 0, format!("graphs that only the end of their context destroyed: {graphs}")),
        ];
        lines.into_iter().filter_map(|(any, line)| any.then_some(line)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_reclaimed_is_told() {
        let mut total = Reclaimed::default();
        assert!(total.lines().is_empty());
        let one = Reclaimed { streams: 1, device: (2, 30), ..Reclaimed::default() };
        total.add(&one);
        total.add(&one);
        let lines = total.lines();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].ends_with("freed: 4 allocations, 60 bytes"), "{lines:?}");
        assert!(lines[1].ends_with("destroyed: 2"), "{lines:?}");
    }
}
