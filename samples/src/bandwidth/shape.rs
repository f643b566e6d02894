//! How the bytes of a host array lie, next to the packed bytes on the device.

/// A machine word of the content: every size is a multiple of it.
pub const WORD: usize = 4;
const ROW_BYTES: usize = 512;
const GAP_BYTES: usize = 64;

/// Rows of words on the host, and where each word lies on the device.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Rows on the host.
    pub rows: usize,
    /// Words of a row.
    pub columns: usize,
    /// Bytes from one row of the host to the next.
    pub pitch: usize,
    /// Words on the device from one row of the host to the next.
    pub row_step: usize,
    /// Words on the device from one word of a row to the next.
    pub column_step: usize,
}

impl Shape {
    /// All in one piece.
    pub fn packed(bytes: usize) -> Self {
        Self { rows: 1, columns: bytes / WORD, pitch: bytes, row_step: bytes / WORD, column_step: 1 }
    }

    /// Rows of 512 bytes with 64 bytes after each.
    pub fn padded_rows(bytes: usize) -> Self {
        let columns = ROW_BYTES / WORD;
        let pitch = ROW_BYTES + GAP_BYTES;
        Self { rows: bytes / ROW_BYTES, columns, pitch, row_step: columns, column_step: 1 }
    }

    /// A matrix about as high as wide, in the order of its rows; on the device in the order of its columns.
    pub fn transposed(bytes: usize) -> Self {
        let words = bytes / WORD;
        let rows = 1 << (words.ilog2() / 2);
        let columns = words / rows;
        Self { rows, columns, pitch: columns * WORD, row_step: 1, column_step: rows }
    }

    /// Bytes of the host array, with its gaps.
    pub fn host_bytes(&self) -> usize {
        self.rows * self.pitch
    }

    /// Bytes that are copied.
    pub fn device_bytes(&self) -> usize {
        self.rows * self.columns * WORD
    }

    /// Where a word of the device lies on the host, in bytes.
    pub fn host_offset(&self, word: usize) -> usize {
        let (row, column) = match self.column_step {
            1 => (word / self.columns, word % self.columns),
            step => (word % step, word / step),
        };
        row * self.pitch + column * WORD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_own_place_on_the_host() {
        for shape in [Shape::packed(4096), Shape::padded_rows(4096), Shape::transposed(8192)] {
            let words = shape.device_bytes() / WORD;
            let mut offsets: Vec<usize> = (0..words).map(|word| shape.host_offset(word)).collect();
            assert!(offsets.iter().all(|offset| offset + WORD <= shape.host_bytes()), "{shape:?}");
            offsets.sort_unstable();
            offsets.dedup();
            assert_eq!(offsets.len(), words, "{shape:?}");
            let second_row = shape.host_offset(shape.row_step % words);
            assert_eq!(second_row, shape.pitch % shape.host_bytes(), "{shape:?}");
        }
    }
}
