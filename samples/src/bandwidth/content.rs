//! What is copied: words that tell where they belong, and of which no byte is 0.

use std::error::Error;

use super::shape::{Shape, WORD};

/// Two contents that differ in every byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Of even turns.
    Even,
    /// Of odd turns.
    Odd,
}

/// How much is prepared and compared around a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every byte.
    Whole,
    /// Pieces spread over the whole.
    Spread,
}

/// From here on not every byte is changed before and compared after every copy, as by the script that measures
/// PyTorch and CuPy: what the processor has just written is slower to read for the link.
pub const SPREAD_FROM: usize = 2 << 20;
/// How many pieces are compared then.
pub const PIECES: usize = 512;
/// Bytes of a piece.
pub const PIECE: usize = 64;

impl Content {
    /// Of the turn with this number.
    pub fn of_turn(turn: usize) -> Self {
        if turn.is_multiple_of(2) { Self::Even } else { Self::Odd }
    }

    /// A word of the content: each place has another, and no byte is 0 in either content.
    fn word(self, place: usize) -> u32 {
        let flip = if self == Self::Even { 0 } else { 0x8080_8080 };
        ((place as u32).wrapping_mul(2_654_435_761) | 0x0101_0101) ^ flip
    }

    /// Writes the content into a host array; its gaps stay.
    pub fn fill(self, host: &mut [u8], shape: &Shape) {
        for (row, bytes) in host.chunks_exact_mut(shape.pitch).enumerate() {
            let words = bytes[..shape.columns * WORD].chunks_exact_mut(WORD);
            for (column, word) in words.enumerate() {
                let place = row * shape.row_step + column * shape.column_step;
                word.copy_from_slice(&self.word(place).to_ne_bytes());
            }
        }
    }

    /// As `fill`, the spread pieces alone.
    pub fn fill_pieces(self, host: &mut [u8], shape: &Shape) {
        for place in words_of_pieces(shape.device_bytes()) {
            let offset = shape.host_offset(place);
            host[offset..offset + WORD].copy_from_slice(&self.word(place).to_ne_bytes());
        }
    }

    /// Compares a host array, and that its gaps are 0.
    pub fn check(self, host: &[u8], shape: &Shape) -> Result<(), Box<dyn Error>> {
        for (row, bytes) in host.chunks_exact(shape.pitch).enumerate() {
            let (words, gap) = bytes.split_at(shape.columns * WORD);
            self.check_row(words, row, shape)?;
            if gap.iter().any(|byte| *byte != 0) {
                return Err(format!("a copy wrote into the gap after row {row}").into());
            }
        }
        Ok(())
    }

    fn check_row(self, words: &[u8], row: usize, shape: &Shape) -> Result<(), Box<dyn Error>> {
        // In blocks without a branch inside: as fast as memory.
        const BLOCK: usize = 1024;
        for (block, bytes) in words.chunks(BLOCK * WORD).enumerate() {
            let places = (block * BLOCK..).map(|column| row * shape.row_step + column * shape.column_step);
            let differ = bytes.chunks_exact(WORD).zip(places).fold(0, |differ, (word, place)| {
                differ | (u32::from_ne_bytes([word[0], word[1], word[2], word[3]]) ^ self.word(place))
            });
            if differ != 0 {
                let column = block * BLOCK;
                return Err(format!("wrong bytes arrived in row {row}, after word {column}").into());
            }
        }
        Ok(())
    }

    /// Compares the spread pieces of a host array.
    pub fn check_pieces(self, host: &[u8], shape: &Shape) -> Result<(), Box<dyn Error>> {
        for place in words_of_pieces(shape.device_bytes()) {
            let offset = shape.host_offset(place);
            if host[offset..offset + WORD] != self.word(place).to_ne_bytes() {
                return Err(format!("wrong bytes arrived at offset {offset}").into());
            }
        }
        Ok(())
    }

    /// Compares the spread pieces where they were gathered one behind the other.
    pub fn check_gathered(self, pieces: &[u8], bytes: usize) -> Result<(), Box<dyn Error>> {
        for (word, place) in pieces.chunks_exact(WORD).zip(words_of_pieces(bytes)) {
            if word != self.word(place).to_ne_bytes() {
                return Err(format!("wrong bytes arrived at offset {}", place * WORD).into());
            }
        }
        Ok(())
    }
}

/// Zeroes the spread pieces of a host array.
pub fn clear_pieces(host: &mut [u8], shape: &Shape) {
    for place in words_of_pieces(shape.device_bytes()) {
        let offset = shape.host_offset(place);
        host[offset..offset + WORD].fill(0);
    }
}

/// The first byte of the first piece, and the bytes from one piece to the next. The last piece ends the copy.
pub fn pieces(bytes: usize) -> (usize, usize) {
    let pitch = bytes / PIECES;
    (pitch - PIECE, pitch)
}

fn words_of_pieces(bytes: usize) -> impl Iterator<Item = usize> {
    let (first, pitch) = pieces(bytes);
    (0..PIECES).flat_map(move |piece| (0..PIECE / WORD).map(move |w| (first + piece * pitch) / WORD + w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_zero_and_the_contents_differ_in_every_byte() {
        for place in 0..100_000 {
            let (even, odd) =
                (Content::Even.word(place).to_ne_bytes(), Content::Odd.word(place).to_ne_bytes());
            assert!(even.iter().chain(&odd).all(|byte| *byte != 0));
            assert!(even.iter().zip(&odd).all(|(even, odd)| even != odd));
        }
    }

    #[test]
    fn one_wrong_byte_is_found_in_every_shape() {
        for shape in [Shape::packed(1 << 16), Shape::padded_rows(1 << 16), Shape::transposed(1 << 16)] {
            let mut host = vec![0; shape.host_bytes()];
            Content::Odd.fill(&mut host, &shape);
            assert!(Content::Odd.check(&host, &shape).is_ok() && Content::Even.check(&host, &shape).is_err());
            assert!(Content::Odd.check_pieces(&host, &shape).is_ok());
            for wrong in [0, 517, shape.host_bytes() - 1] {
                host[wrong] ^= 2;
                assert!(Content::Odd.check(&host, &shape).is_err(), "{shape:?} {wrong}");
                host[wrong] ^= 2;
            }
            clear_pieces(&mut host, &shape);
            assert!(Content::Odd.check_pieces(&host, &shape).is_err());
            Content::Odd.fill_pieces(&mut host, &shape);
            assert!(Content::Odd.check(&host, &shape).is_ok());
        }
    }
}
