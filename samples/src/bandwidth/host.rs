//! The host's side of a copy: its memory, and how ours and the driver's calls reach it.

use std::error::Error;

use interop_core::{CudaBuffer, DType, Gpu, PinnedBuffer, Result, cuda_memcpy_d2h, cuda_memcpy_h2d};
use ndarray::{ArrayView2, ArrayViewMut2, s};

use super::driver::{Driver, Rows};
use super::shape::{Shape, WORD};

/// Which host array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// Page-locked, in one piece.
    Pinned,
    /// Ordinary, in one piece.
    Ordinary,
    /// Ordinary, rows with gaps.
    PaddedRows,
    /// Ordinary, a matrix of `f32` whose axes are exchanged.
    Transposed,
}

enum Memory {
    Pinned(PinnedBuffer<u8>),
    Bytes(Vec<u8>),
    Floats(Vec<f32>),
}

/// A host array and its shape.
pub struct Host {
    kind: HostKind,
    memory: Memory,
    shape: Shape,
}

impl Host {
    /// All zero, from which or to which `bytes` are copied.
    pub fn new(gpu: &Gpu, kind: HostKind, bytes: usize) -> Result<Self> {
        let shape = match kind {
            HostKind::Pinned | HostKind::Ordinary => Shape::packed(bytes),
            HostKind::PaddedRows => Shape::padded_rows(bytes),
            HostKind::Transposed => Shape::transposed(bytes),
        };
        let memory = match kind {
            HostKind::Pinned => Memory::Pinned(PinnedBuffer::zeros(gpu, bytes)?),
            HostKind::Ordinary | HostKind::PaddedRows => Memory::Bytes(vec![0; shape.host_bytes()]),
            HostKind::Transposed => Memory::Floats(vec![0.0; bytes / WORD]),
        };
        Ok(Self { kind, memory, shape })
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// A packed device array of the same elements.
    pub fn device(&self, gpu: &Gpu) -> Result<CudaBuffer> {
        let Shape { rows, columns, .. } = self.shape;
        match self.kind {
            HostKind::Pinned | HostKind::Ordinary => device_array(gpu, &[columns * WORD], DType::U8),
            HostKind::PaddedRows => device_array(gpu, &[rows, columns * WORD], DType::U8),
            HostKind::Transposed => device_array(gpu, &[columns, rows], DType::F32),
        }
    }

    /// With the gaps.
    pub fn bytes(&self) -> &[u8] {
        match &self.memory {
            Memory::Pinned(pinned) => pinned,
            Memory::Bytes(bytes) => bytes,
            // SAFETY: the same memory, all of it initialised; bytes have no alignment.
            Memory::Floats(floats) => unsafe {
                std::slice::from_raw_parts(floats.as_ptr().cast(), floats.len() * WORD)
            },
        }
    }

    /// With the gaps.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Pinned(pinned) => pinned,
            Memory::Bytes(bytes) => bytes,
            // SAFETY: as in `bytes`, borrowed mutably, and any bytes are an `f32`.
            Memory::Floats(floats) => unsafe {
                std::slice::from_raw_parts_mut(floats.as_mut_ptr().cast(), floats.len() * WORD)
            },
        }
    }

    /// Our upload.
    pub fn upload(&self, device: &mut CudaBuffer) -> std::result::Result<(), Box<dyn Error>> {
        let Shape { rows, columns, pitch, .. } = self.shape;
        match &self.memory {
            Memory::Pinned(pinned) => cuda_memcpy_h2d(pinned, device)?,
            Memory::Bytes(bytes) if self.kind == HostKind::Ordinary => cuda_memcpy_h2d(bytes, device)?,
            Memory::Bytes(bytes) => {
                let padded = ArrayView2::from_shape((rows, pitch), bytes)?;
                cuda_memcpy_h2d(&padded.slice(s![.., ..columns * WORD]), device)?;
            }
            Memory::Floats(floats) => {
                cuda_memcpy_h2d(&ArrayView2::from_shape((rows, columns), floats)?.reversed_axes(), device)?;
            }
        }
        Ok(())
    }

    /// Our download.
    pub fn download(&mut self, device: &CudaBuffer) -> std::result::Result<(), Box<dyn Error>> {
        let Shape { rows, columns, pitch, .. } = self.shape;
        match &mut self.memory {
            Memory::Pinned(pinned) => cuda_memcpy_d2h(device, pinned)?,
            Memory::Bytes(bytes) if self.kind == HostKind::Ordinary => cuda_memcpy_d2h(device, bytes)?,
            Memory::Bytes(bytes) => {
                let mut padded = ArrayViewMut2::from_shape((rows, pitch), bytes)?;
                cuda_memcpy_d2h(device, &mut padded.slice_mut(s![.., ..columns * WORD]))?;
            }
            Memory::Floats(floats) => {
                let matrix = ArrayViewMut2::from_shape((rows, columns), floats)?;
                cuda_memcpy_d2h(device, &mut matrix.reversed_axes())?;
            }
        }
        Ok(())
    }

    /// The driver's upload. It has no call for exchanged axes.
    pub fn upload_by(
        &self,
        driver: &Driver,
        device: &mut CudaBuffer,
    ) -> std::result::Result<(), Box<dyn Error>> {
        match self.kind {
            HostKind::Pinned | HostKind::Ordinary => driver.upload(self.bytes(), device)?,
            HostKind::PaddedRows => driver.upload_rows(self.bytes(), self.rows(), device)?,
            HostKind::Transposed => return Err("the driver exchanges no axes".into()),
        }
        Ok(())
    }

    /// The driver's download. It has no call for exchanged axes.
    pub fn download_by(
        &mut self,
        driver: &Driver,
        device: &CudaBuffer,
    ) -> std::result::Result<(), Box<dyn Error>> {
        let rows = self.rows();
        match self.kind {
            HostKind::Pinned | HostKind::Ordinary => driver.download(device, self.bytes_mut())?,
            HostKind::PaddedRows => driver.download_rows(device, self.bytes_mut(), rows)?,
            HostKind::Transposed => return Err("the driver exchanges no axes".into()),
        }
        Ok(())
    }

    fn rows(&self) -> Rows {
        let Shape { rows, columns, pitch, .. } = self.shape;
        Rows { width: columns * WORD, pitch, count: rows }
    }
}

/// An array that the driver's calls may use in their own stream, too: it was allocated in ours, which they do not
/// wait for.
pub fn device_array(gpu: &Gpu, shape: &[usize], dtype: DType) -> Result<CudaBuffer> {
    let array = CudaBuffer::new(gpu, shape, dtype)?;
    gpu.synchronize()?;
    Ok(array)
}
