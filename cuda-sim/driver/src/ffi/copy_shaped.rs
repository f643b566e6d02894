//! Copies of rows and slices, described by the structures of `cuda.h`.

use super::argument::In;
use super::call::{Call, entry_points};
use super::copy::copy;
use crate::code::{Code, Result};
use crate::copy::End;
use crate::device::MAX_PITCH;
use crate::log::report;
use crate::place::Claim;
use crate::shape::{Extent, Pitch};

/// `CUDA_MEMCPY2D`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Copy2d {
    source: Side2d,
    target: Side2d,
    width: usize,
    height: usize,
}

/// The fields that `CUDA_MEMCPY2D` has once for the source and once for the target.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Side2d {
    x: usize,
    y: usize,
    memory_type: u32,
    host: usize,
    device: u64,
    array: usize,
    pitch: usize,
}

/// `CUDA_MEMCPY3D`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Copy3d {
    source: Side3d,
    target: Side3d,
    width: usize,
    height: usize,
    depth: usize,
}

/// The fields that `CUDA_MEMCPY3D` has once for the source and once for the target.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Side3d {
    x: usize,
    y: usize,
    z: usize,
    lod: usize,
    memory_type: u32,
    host: usize,
    device: u64,
    array: usize,
    reserved: usize,
    pitch: usize,
    height: usize,
}

entry_points! {
    fn cuMemcpy2D_v2(description: In<Copy2d>) -> in_context |call| {
        copy_2d(call, description, None)
    }

    fn cuMemcpy2DUnaligned_v2(description: In<Copy2d>) -> in_context |call| {
        copy_2d(call, description, None)
    }

    fn cuMemcpy2DAsync_v2(description: In<Copy2d>, stream: usize) -> in_context |call| {
        copy_2d(call, description, Some(stream))
    }

    fn cuMemcpy3D_v2(description: In<Copy3d>) -> in_context |call| {
        copy_3d(call, description, None)
    }

    fn cuMemcpy3DAsync_v2(description: In<Copy3d>, stream: usize) -> in_context |call| {
        copy_3d(call, description, Some(stream))
    }
}

fn copy_2d(call: &Call, description: In<Copy2d>, stream: Option<usize>) -> Result<()> {
    let Copy2d { source, target, width, height } = description.get()?;
    shaped(call, source.deepened(height), target.deepened(height), Extent { width, height, depth: 1 }, stream)
}

fn copy_3d(call: &Call, description: In<Copy3d>, stream: Option<usize>) -> Result<()> {
    let Copy3d { source, target, width, height, depth } = description.get()?;
    shaped(call, source, target, Extent { width, height, depth }, stream)
}

fn shaped(call: &Call, source: Side3d, target: Side3d, extent: Extent, stream: Option<usize>) -> Result<()> {
    if extent.is_empty() {
        // The pitches of nothing do not matter, but the stream must be one.
        return copy(call, End::run(Claim::Unified, 0), End::run(Claim::Unified, 0), extent, stream);
    }
    let source = source.end(call.op, "source", extent)?;
    let target = target.end(call.op, "target", extent)?;
    copy(call, source, target, extent, stream)
}

impl Side2d {
    fn deepened(self, height: usize) -> Side3d {
        let Self { x, y, memory_type, host, device, array, pitch } = self;
        let height = y.saturating_add(height);
        Side3d { x, y, z: 0, lod: 0, memory_type, host, device, array, reserved: 0, pitch, height }
    }
}

impl Side3d {
    fn end(&self, op: &str, side: &str, extent: Extent) -> Result<End> {
        let (claim, base) = self.base()?;
        let pitch = self.pitch(op, side, extent)?;
        Ok(End { claim, address: self.start(base, pitch).ok_or(Code::InvalidValue)?, pitch })
    }

    fn base(&self) -> Result<(Claim, u64)> {
        match self.memory_type {
            1 => Ok((Claim::Host, self.host as u64)),
            2 => Ok((Claim::Device, self.device)),
            3 => Err(Code::NotSupported), // CUDA arrays
            4 => Ok((Claim::Unified, self.device)),
            _ => Err(Code::InvalidValue),
        }
    }

    /// A pitch of 0 is one that was not given, which will do where there is one row; a height likewise.
    fn pitch(&self, op: &str, side: &str, extent: Extent) -> Result<Pitch> {
        let one_row = extent.height == 1 && extent.depth == 1 && self.y == 0 && self.z == 0;
        let one_slice = extent.depth == 1 && self.z == 0;
        let row_end = self.x.checked_add(extent.width).ok_or(Code::InvalidValue)?;
        let slice_end = self.y.checked_add(extent.height).ok_or(Code::InvalidValue)?;
        if self.pitch < row_end && !(self.pitch == 0 && one_row) {
            report!("{op}: the {side}'s rows end at byte {row_end}, past its pitch of {}", self.pitch);
            return Err(Code::InvalidValue);
        }
        if self.height < slice_end && !(self.height == 0 && one_slice) {
            report!("{op}: the {side}'s slices end at row {slice_end}, past its height of {}", self.height);
            return Err(Code::InvalidValue);
        }
        if self.pitch > MAX_PITCH {
            report!("{op}: the {side}'s pitch of {} is above the largest, {MAX_PITCH}", self.pitch);
            return Err(Code::InvalidValue);
        }
        let slice = self.pitch.checked_mul(self.height).ok_or(Code::InvalidValue)?;
        Ok(Pitch { row: self.pitch, slice })
    }

    fn start(&self, base: u64, pitch: Pitch) -> Option<u64> {
        let slices = self.z.checked_mul(pitch.slice)?;
        let rows = self.y.checked_mul(pitch.row)?;
        let offset = slices.checked_add(rows)?.checked_add(self.x)?;
        base.checked_add(offset as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_sizes_of_cuda_h() {
        assert_eq!(size_of::<Copy2d>(), 128);
        assert_eq!(size_of::<Copy3d>(), 200);
    }
}
