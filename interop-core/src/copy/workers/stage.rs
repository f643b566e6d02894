//! [`Stage`]: pinned memory through which small copies go, in the order of one stream.
//!
//! The driver waits for a small copy longer than the copy takes. An upload from here need not be waited for: when
//! the call returns, its bytes are in this memory, and whatever is queued on the stream next runs behind it.

use std::sync::Arc;

use super::blocks::{Blocks, Ends};
use super::tuning::Tuning;
use crate::Result;
use crate::copy::rows::copy_rows;
use crate::copy::streaming::{LINE, Stores, copy_run, fence};
use crate::driver::{Context, Event, HostAllocation, Route, Stream, Transfer};
use crate::layout::Axis;

/// Bytes of a segment: to gather so many takes some 30 us beside an H200, to queue them one or two.
pub(super) const SEGMENT: usize = 512 << 10;
/// To the host, the next ones are on their way while so many are scattered.
pub(super) const TO_HOST: usize = 256 << 10;
/// So many copies from or to a segment each can be on their way.
const SEGMENTS: usize = 4;

/// Segments of pinned memory, used one after the other. All copies are queued on the same stream.
pub(crate) struct Stage {
    memory: HostAllocation,
    /// Of each segment, behind the last copy that used it.
    passed: Vec<Event>,
    /// Whether that copy may still be on its way.
    is_used: [bool; SEGMENTS],
    segment: usize,
    /// Bytes of the segment that were given out.
    used: usize,
}

impl Stage {
    /// The most bytes of a row of [`Stage::upload_rows`].
    pub const WIDEST_ROW: usize = SEGMENT;
    /// The most bytes of [`Stage::download_run`].
    pub const LONGEST_DOWNLOAD: usize = TO_HOST;
    /// Bytes of pinned memory that it takes.
    pub const BYTES: usize = SEGMENT * SEGMENTS;

    pub(super) fn new(context: &Arc<Context>, operation: &'static str) -> Result<Self> {
        Ok(Self {
            memory: HostAllocation::new(context.clone(), operation, Self::BYTES)?,
            passed: (0..SEGMENTS).map(|_| Event::new(context.clone(), operation)).collect::<Result<_>>()?,
            is_used: [false; SEGMENTS],
            segment: 0,
            used: 0,
        })
    }

    /// Waits for the stream, and so for all copies that were queued from here.
    pub fn synchronize(&mut self, operation: &'static str, stream: &Stream) -> Result<()> {
        stream.synchronize(operation)?;
        self.passed_all();
        Ok(())
    }

    /// Copies a run of bytes to the device. It was read on return, and what is queued on the stream next runs behind
    /// the copy.
    ///
    /// # Safety
    /// The bytes can be read from `source` on, and written from `target` on until the stream has passed; the context
    /// is current, and the stream always the same.
    pub unsafe fn upload_run(
        &mut self,
        operation: &'static str,
        (source, target): (*const u8, u64),
        bytes: usize,
        way: (&Context, &Stream),
    ) -> Result<()> {
        let gather = |start, pinned, piece| {
            let stores = Tuning::stores_of_run(start);
            // SAFETY: the caller vouches for the source; the room holds so many bytes, which no copy uses. The fence
            // comes behind each piece.
            unsafe { copy_run(stores, source.wrapping_add(start), pinned, piece) };
            stores
        };
        // SAFETY: the caller's promise.
        unsafe { self.upload_pieces(operation, target, (bytes, SEGMENT), gather, way) }
    }

    /// Copies rows of `width` bytes, which are one run on the device, as [`Stage::upload_run`].
    ///
    /// # Safety
    /// As [`Stage::upload_run`], of all rows; the width is from 1 to [`SEGMENT`] bytes.
    pub unsafe fn upload_rows(
        &mut self,
        operation: &'static str,
        (source, target): (*const u8, u64),
        (rows, width): (Axis, usize),
        way: (&Context, &Stream),
    ) -> Result<()> {
        let gather = |start: usize, pinned, piece: usize| {
            let stores = Tuning::stores_of_rows(start, rows.len * width);
            let first = source.wrapping_offset(rows.source * (start / width) as isize);
            // SAFETY: the caller vouches for the rows; the room holds so many bytes, which no copy uses. The fence
            // comes behind each piece.
            unsafe { copy_rows(first, pinned, Axis { len: piece / width, ..rows }, width, stores) };
            stores
        };
        let pieces = (rows.len * width, SEGMENT / width * width);
        // SAFETY: the caller's promise.
        unsafe { self.upload_pieces(operation, target, pieces, gather, way) }
    }

    /// Copies so many bytes in pieces of up to so many, which `gather` puts where it is told: from which byte on,
    /// where, and how many. It returns with which stores, and leaves the fence to this.
    ///
    /// # Safety
    /// The bytes can be written from `target` on until the stream has passed; the context is current, and the stream
    /// always the same; a piece is not larger than [`SEGMENT`].
    unsafe fn upload_pieces(
        &mut self,
        operation: &'static str,
        target: u64,
        (bytes, largest): (usize, usize),
        gather: impl Fn(usize, *mut u8, usize) -> Stores,
        (context, stream): (&Context, &Stream),
    ) -> Result<()> {
        for start in (0..bytes).step_by(largest) {
            let piece = largest.min(bytes - start);
            let pinned = self.room(operation, piece, stream)?;
            fence(gather(start, pinned, piece));
            let route = Route::HostToDevice { source: pinned, target: target + start as u64 };
            let transfer = Transfer::of_run(route, piece).past_the_command_buffer();
            // SAFETY: the caller vouches for the target and the context; the room is used again only when the
            // stream has passed.
            unsafe { transfer.queue(operation, context, stream) }?;
        }
        Ok(())
    }

    /// Copies a run of up to [`Stage::LONGEST_DOWNLOAD`] bytes to the host. It is there on return.
    ///
    /// # Safety
    /// As [`Stage::upload_run`], the other way, and no more than [`Stage::LONGEST_DOWNLOAD`] bytes.
    pub unsafe fn download_run(
        &mut self,
        operation: &'static str,
        (source, target): (u64, *mut u8),
        bytes: usize,
        (context, stream): (&Context, &Stream),
    ) -> Result<()> {
        let pinned = self.room(operation, bytes, stream)?;
        let transfer = Transfer::of_run(Route::DeviceToHost { source, target: pinned }, bytes);
        // SAFETY: the caller vouches for the source and the context; the room is used again only when the stream
        // has passed.
        unsafe { transfer.queue(operation, context, stream) }?;
        stream.wait_for_copies(operation)?;
        self.passed_all();
        // SAFETY: the caller vouches for the target; the room holds the bytes: the stream has passed.
        unsafe { target.copy_from_nonoverlapping(pinned, bytes) };
        Ok(())
    }

    /// Makes a copy whose blocks fit a segment each: one to the host is complete on return, one to the device as
    /// [`Stage::upload_run`] says.
    ///
    /// # Safety
    /// No block is larger than [`SEGMENT`]; the device's elements stay until the stream has passed; the context is
    /// current, and the stream always the same.
    pub(super) unsafe fn copy(&mut self, blocks: &Blocks, way: (&Context, &Stream)) -> Result<()> {
        match blocks.ends() {
            // SAFETY: the caller's promise.
            Ends::ToDevice { source, .. } => unsafe { self.upload(blocks, source, way) },
            // SAFETY: the caller's promise.
            Ends::ToHost { target, .. } => unsafe { self.download(blocks, target, way) },
        }
    }

    /// # Safety
    /// As [`Stage::copy`].
    unsafe fn upload(&mut self, blocks: &Blocks, source: *const u8, way: (&Context, &Stream)) -> Result<()> {
        let largest = blocks.cut().largest();
        for block in blocks.cut().blocks() {
            let pinned = self.room(blocks.operation(), largest, way.1)?;
            // SAFETY: the block fits the room, which no copy uses.
            unsafe { blocks.gather(source, &blocks.cut().whole(block), pinned) };
            // SAFETY: as above; the room is used again only when the stream has passed.
            unsafe { blocks.queue(block, pinned, way) }?;
        }
        Ok(())
    }

    /// # Safety
    /// As [`Stage::copy`].
    unsafe fn download(&mut self, blocks: &Blocks, target: *mut u8, way: (&Context, &Stream)) -> Result<()> {
        let operation = blocks.operation();
        for some in blocks.cut().blocks().chunks(SEGMENTS) {
            let mut on_the_way = Vec::with_capacity(SEGMENTS);
            for block in some {
                let pinned = self.room(operation, SEGMENT, way.1)?;
                // SAFETY: the block fits the room, which is used again only when the stream has passed.
                unsafe { blocks.queue(block, pinned, way) }?;
                self.passed[self.segment].record(operation, way.1)?;
                on_the_way.push((self.segment, pinned, block));
            }
            for (segment, pinned, block) in on_the_way {
                self.passed[segment].synchronize(operation)?;
                // SAFETY: the room holds the block: the event has passed.
                unsafe { blocks.scatter(target, &blocks.cut().whole(block), pinned) };
            }
        }
        Ok(())
    }

    /// Starts over, when the stream has passed all copies that were queued from here.
    fn passed_all(&mut self) {
        (self.segment, self.used, self.is_used) = (0, 0, [false; SEGMENTS]);
    }

    /// Memory for up to [`SEGMENT`] bytes that no copy uses.
    fn room(&mut self, operation: &'static str, bytes: usize, stream: &Stream) -> Result<*mut u8> {
        if self.used + bytes > SEGMENT {
            self.passed[self.segment].record(operation, stream)?;
            self.is_used[self.segment] = true;
            let next = (self.segment + 1) % SEGMENTS;
            if self.is_used[next] {
                self.passed[next].synchronize(operation)?;
                self.is_used[next] = false;
            }
            (self.segment, self.used) = (next, 0);
        }
        let start = self.segment * SEGMENT + self.used;
        self.used += bytes.next_multiple_of(LINE);
        Ok(self.memory.start().as_ptr().wrapping_add(start))
    }
}
