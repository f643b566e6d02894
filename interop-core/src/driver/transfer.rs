//! [`Transfer`]: one block copy, 1-D, 2-D or 3-D, queued on a stream.

use std::ffi::c_void;
use std::ops::Range;
use std::ptr;

use cudarc::driver::sys;

use super::{Context, Stream};
use crate::Result;

/// Runs of so many bytes from pinned memory to the device seem to be copied by the processor into the driver's own
/// command buffer: to queue them takes it up to 2 us longer than to have the copy engine fetch as many in two rows
/// (driver 580.159, on an H200).
const INTO_THE_COMMAND_BUFFER: Range<usize> = 4 << 10..32 << 10;

/// Where the first byte of a block is on both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Route {
    HostToDevice { source: *const u8, target: u64 },
    DeviceToHost { source: u64, target: *mut u8 },
    DeviceToDevice { source: u64, target: u64 },
}

/// A block copy: `depth` slices of `height` rows of `width` contiguous bytes. Pitches are bytes from row to
/// row, slice heights are rows from slice to slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub route: Route,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub source_pitch: usize,
    pub target_pitch: usize,
    pub source_slice: usize,
    pub target_slice: usize,
}

impl Transfer {
    /// One run of bytes.
    pub fn of_run(route: Route, bytes: usize) -> Self {
        Self {
            route,
            width: bytes,
            height: 1,
            depth: 1,
            source_pitch: bytes,
            target_pitch: bytes,
            source_slice: 1,
            target_slice: 1,
        }
    }

    /// The same copy, for the engine where it is a run from pinned memory to the device that the processor would
    /// copy: as two rows.
    pub fn past_the_command_buffer(self) -> Self {
        let is_run = self.height == 1 && self.depth == 1;
        let is_upload = matches!(self.route, Route::HostToDevice { .. });
        let is_taken_in = is_run && is_upload && INTO_THE_COMMAND_BUFFER.contains(&self.width);
        if !is_taken_in || !self.width.is_multiple_of(2) {
            return self;
        }
        let width = self.width / 2;
        Self { width, height: 2, source_pitch: width, target_pitch: width, ..self }
    }

    /// Queues the copy on `stream`.
    ///
    /// # Safety
    /// Every byte of the block is readable at the source and writable at the target, and stays so until the
    /// stream has passed the copy; device memory is reachable from `context`, which is current.
    pub unsafe fn queue(&self, operation: &'static str, context: &Context, stream: &Stream) -> Result<()> {
        if self.depth > 1 {
            // SAFETY: the caller's promise is that of the function.
            unsafe { self.queue_3d(operation, context, stream) }
        } else if self.height > 1 {
            // SAFETY: the caller's promise is that of the function.
            unsafe { self.queue_2d(operation, context, stream) }
        } else {
            // SAFETY: the caller's promise is that of the function.
            unsafe { self.queue_1d(operation, context, stream) }
        }
    }

    /// # Safety
    /// As [`Transfer::queue`].
    unsafe fn queue_1d(&self, operation: &'static str, context: &Context, stream: &Stream) -> Result<()> {
        let (driver, width, stream) = (context.driver(), self.width, stream.raw());
        match self.route {
            Route::HostToDevice { source, target } => {
                // SAFETY: the caller vouches for `width` bytes on both sides.
                unsafe { driver.cuMemcpyHtoDAsync_v2(operation, target, source.cast(), width, stream) }
            }
            Route::DeviceToHost { source, target } => {
                // SAFETY: the caller vouches for `width` bytes on both sides.
                unsafe { driver.cuMemcpyDtoHAsync_v2(operation, target.cast(), source, width, stream) }
            }
            Route::DeviceToDevice { source, target } => {
                // SAFETY: the caller vouches for `width` bytes on both sides.
                unsafe { driver.cuMemcpyDtoDAsync_v2(operation, target, source, width, stream) }
            }
        }
    }

    /// # Safety
    /// As [`Transfer::queue`].
    unsafe fn queue_2d(&self, operation: &'static str, context: &Context, stream: &Stream) -> Result<()> {
        let (source, target) = self.route.sides();
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: source.kind,
            srcHost: source.host,
            srcDevice: source.device,
            srcArray: ptr::null_mut(),
            srcPitch: self.source_pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: target.kind,
            dstHost: target.host,
            dstDevice: target.device,
            dstArray: ptr::null_mut(),
            dstPitch: self.target_pitch,
            WidthInBytes: self.width,
            Height: self.height,
        };
        // SAFETY: the caller vouches for the block on both sides; the driver reads `copy` during the call.
        unsafe { context.driver().cuMemcpy2DAsync_v2(operation, &copy, stream.raw()) }
    }

    /// # Safety
    /// As [`Transfer::queue`].
    unsafe fn queue_3d(&self, operation: &'static str, context: &Context, stream: &Stream) -> Result<()> {
        let (source, target) = self.route.sides();
        let copy = sys::CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: source.kind,
            srcHost: source.host,
            srcDevice: source.device,
            srcArray: ptr::null_mut(),
            reserved0: ptr::null_mut(),
            srcPitch: self.source_pitch,
            srcHeight: self.source_slice,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: target.kind,
            dstHost: target.host,
            dstDevice: target.device,
            dstArray: ptr::null_mut(),
            reserved1: ptr::null_mut(),
            dstPitch: self.target_pitch,
            dstHeight: self.target_slice,
            WidthInBytes: self.width,
            Height: self.height,
            Depth: self.depth,
        };
        // SAFETY: the caller vouches for the block on both sides; the driver reads `copy` during the call.
        unsafe { context.driver().cuMemcpy3DAsync_v2(operation, &copy, stream.raw()) }
    }
}

/// One side of a 2-D or 3-D copy, as the driver's structs spell it.
struct Side {
    kind: sys::CUmemorytype,
    host: *mut c_void,
    device: u64,
}

impl Side {
    fn host(address: *mut u8) -> Self {
        Self { kind: sys::CUmemorytype::CU_MEMORYTYPE_HOST, host: address.cast(), device: 0 }
    }

    fn device(address: u64) -> Self {
        Self { kind: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE, host: ptr::null_mut(), device: address }
    }
}

impl Route {
    /// The same route so many bytes further on each side.
    pub fn offset(self, from: isize, to: isize) -> Self {
        match self {
            Self::HostToDevice { source, target } => Self::HostToDevice {
                source: source.wrapping_offset(from),
                target: target.wrapping_add_signed(to as i64),
            },
            Self::DeviceToHost { source, target } => Self::DeviceToHost {
                source: source.wrapping_add_signed(from as i64),
                target: target.wrapping_offset(to),
            },
            Self::DeviceToDevice { source, target } => Self::DeviceToDevice {
                source: source.wrapping_add_signed(from as i64),
                target: target.wrapping_add_signed(to as i64),
            },
        }
    }

    fn sides(self) -> (Side, Side) {
        match self {
            Self::HostToDevice { source, target } => (Side::host(source.cast_mut()), Side::device(target)),
            Self::DeviceToHost { source, target } => (Side::device(source), Side::host(target)),
            Self::DeviceToDevice { source, target } => (Side::device(source), Side::device(target)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_that_the_processor_would_copy_become_two_rows() {
        let up = Route::HostToDevice { source: ptr::null(), target: 4096 };
        let down = Route::DeviceToHost { source: 4096, target: ptr::null_mut() };
        let rows = |route, bytes| {
            let transfer = Transfer::of_run(route, bytes).past_the_command_buffer();
            assert_eq!(transfer.width * transfer.height, bytes);
            let pitches = (transfer.source_pitch, transfer.target_pitch);
            assert_eq!(pitches, (transfer.width, transfer.width), "one behind the other");
            transfer.height
        };
        assert_eq!([4095, 4096, 4097, 16384, 32766, 32768].map(|bytes| rows(up, bytes)), [1, 2, 1, 2, 2, 1]);
        assert_eq!(rows(down, 16384), 1);
        let rows = Transfer { height: 3, ..Transfer::of_run(up, 8192) };
        assert_eq!(rows.past_the_command_buffer().height, 3);
    }
}
