//! The bytes that a 1-D, 2-D or 3-D transfer touches.

/// How much is moved: bytes a row, rows a slice, slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes a row.
    pub width: usize,
    /// Rows a slice.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// How far apart rows and slices begin on one side of a transfer, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitch {
    /// From row to row.
    pub row: usize,
    /// From slice to slice.
    pub slice: usize,
}

impl Extent {
    /// One run of bytes.
    pub fn bytes(width: usize) -> Self {
        Self { width, height: 1, depth: 1 }
    }

    /// Whether there is nothing to move.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// The pitch of rows without gaps. None where the total overflows.
    pub fn packed(&self) -> Option<Pitch> {
        let slice = self.width.checked_mul(self.height)?;
        slice.checked_mul(self.depth)?;
        Some(Pitch { row: self.width, slice })
    }

    /// Bytes from the first touched to the last, inclusive. The gap after the last row is not touched.
    pub fn span(&self, pitch: Pitch) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        let slices = (self.depth - 1).checked_mul(pitch.slice)?;
        let rows = (self.height - 1).checked_mul(pitch.row)?;
        slices.checked_add(rows)?.checked_add(self.width)
    }

    /// The same bytes in as few rows as possible: rows without gaps on both sides are one run.
    pub fn merged(self, first: Pitch, second: Pitch) -> Self {
        let mut extent = self;
        if extent.height > 1 && first.row == extent.width && second.row == extent.width {
            extent = Self { width: extent.width * extent.height, height: 1, ..extent };
        }
        if extent.height == 1
            && extent.depth > 1
            && first.slice == extent.width
            && second.slice == extent.width
        {
            extent = Self::bytes(extent.width * extent.depth);
        }
        extent
    }

    /// Where each row begins, on two sides at once.
    pub fn rows(self, first: Pitch, second: Pitch) -> impl Iterator<Item = (usize, usize)> {
        (0..self.depth).flat_map(move |z| {
            (0..self.height)
                .map(move |y| (z * first.slice + y * first.row, z * second.slice + y * second.row))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: Extent = Extent { width: 3, height: 2, depth: 2 };

    #[test]
    fn the_span_ends_with_the_last_row() {
        assert_eq!(EXTENT.span(Pitch { row: 8, slice: 100 }), Some(111));
        assert_eq!(Extent::bytes(5).span(Pitch { row: 0, slice: 0 }), Some(5));
        assert_eq!(Extent { height: 0, ..EXTENT }.span(Pitch { row: 8, slice: 16 }), Some(0));
    }

    #[test]
    fn overflow_is_seen() {
        assert_eq!(EXTENT.span(Pitch { row: usize::MAX, slice: 1 }), None);
        assert_eq!(Extent { width: usize::MAX, height: 2, depth: 1 }.packed(), None);
    }

    #[test]
    fn rows_are_counted_on_both_sides() {
        let rows: Vec<_> = EXTENT.rows(Pitch { row: 4, slice: 10 }, Pitch { row: 3, slice: 6 }).collect();
        assert_eq!(rows, [(0, 0), (4, 3), (10, 6), (14, 9)]);
    }

    #[test]
    fn packed_rows_merge_to_one_run() {
        let packed = EXTENT.packed().unwrap();
        assert_eq!(EXTENT.merged(packed, packed), Extent::bytes(12));
        let gaps = Pitch { row: 4, slice: 8 };
        assert_eq!(EXTENT.merged(packed, gaps), EXTENT);
        let slices = Pitch { row: 3, slice: 64 };
        assert_eq!(EXTENT.merged(packed, slices), Extent { width: 6, height: 1, depth: 2 });
    }
}
