//! Upload, compute and download at once: images go to the GPU, are turned from planes to pixels there, and come
//! back; first in one lane, each step after the other, then in three lanes that overlap. The GPU has engines of
//! its own for each direction, so three lanes keep all of them busy.

use std::process::ExitCode;

use interop_core::{
    CudaArray, CudaArrayInterface, CudaBuffer, DType, DeviceCopy, Gpu, Memory, PinnedBuffer, PinnedCopy,
    Result, StridedLayout, cuda_memcpy_d2d_async, cuda_memcpy_d2h_async, cuda_memcpy_h2d_async,
};
use samples::Outcome;
use samples::timeline::{Span, Step, document, seconds};

const LANES: usize = 3;
const CHANNELS: usize = 3;

/// How much there is to do.
#[derive(Clone, Copy)]
struct Work {
    images: usize,
    /// Rows and columns of an image.
    size: [usize; 2],
    /// Runs of each kind; the fastest counts.
    runs: usize,
}

fn main() -> ExitCode {
    samples::run(|gpu| {
        let few = Work { images: 7, size: [24, 40], runs: 1 };
        let many = Work { images: 18, size: [1024, 1024], runs: 5 };
        if gpu.info().simulated { check(gpu, few) } else { measure(gpu, many) }
    })
}

fn check(gpu: &Gpu, work: Work) -> Outcome {
    run(gpu, 1, work)?;
    run(gpu, LANES, work)?;
    println!("{} images in one lane and in {LANES}: every value is right", work.images);
    println!("no time is measured on a simulated device");
    Ok(())
}

fn measure(gpu: &Gpu, work: Work) -> Outcome {
    run(gpu, LANES, work)?; // warms up
    let (serial, overlapped) = (fastest(gpu, 1, work)?, fastest(gpu, LANES, work)?);
    let bytes = work.images * pixels(work) * CHANNELS * size_of::<f32>();
    let (before, after) = (seconds(&serial), seconds(&overlapped));
    println!("{} images, {:.0} MB each way; every value is right", work.images, bytes as f64 / 1e6);
    println!("one lane     {:7.3} ms", before * 1e3);
    println!("{LANES} lanes      {:7.3} ms", after * 1e3);
    println!("speed-up     {:7.2}", before / after);
    let runs: [(&str, &[Span]); 2] = [("serial", &serial), ("overlapped", &overlapped)];
    samples::document::write("timeline.json", &document(gpu.info(), LANES, &runs))?;
    Ok(())
}

fn fastest(gpu: &Gpu, lanes: usize, work: Work) -> Result<Vec<Span>> {
    let mut best = run(gpu, lanes, work)?;
    for _ in 1..work.runs {
        let next = run(gpu, lanes, work)?;
        if seconds(&next) < seconds(&best) {
            best = next;
        }
    }
    Ok(best)
}

fn pixels(work: Work) -> usize {
    work.size[0] * work.size[1]
}

// ANCHOR: lane
/// A stream, and the device memory that is ordered by it.
struct Lane {
    gpu: Gpu,
    planes: CudaBuffer,
    pixels: Pixels,
}

/// What an image needs until it is back.
struct Image {
    upload: PinnedCopy<f32>,
    compute: DeviceCopy,
    download: PinnedCopy<f32>,
}

impl Lane {
    fn new(gpu: &Gpu, work: Work) -> Result<Self> {
        let gpu = gpu.with_new_stream()?;
        let [height, width] = work.size;
        let planes = CudaBuffer::new(&gpu, &[CHANNELS, height, width], DType::F32)?;
        let pixels = Pixels(CudaBuffer::new(&gpu, &[height, width, CHANNELS], DType::F32)?);
        Ok(Self { gpu, planes, pixels })
    }

    /// Queues the three steps of an image behind those of the image before. Nothing is waited for: the stream
    /// orders the steps, and the handles keep the memory.
    fn queue(
        &mut self,
        (lane, chunk): (usize, usize),
        source: PinnedBuffer<f32>,
        target: PinnedBuffer<f32>,
        steps: &mut Vec<Step>,
    ) -> Result<Image> {
        let Self { gpu, planes, pixels } = self;
        let (step, upload) =
            Step::queue(gpu, (lane, "upload", chunk), || Ok(cuda_memcpy_h2d_async(source, planes)?))?;
        steps.push(step);
        let (step, compute) =
            Step::queue(gpu, (lane, "compute", chunk), || cuda_memcpy_d2d_async(&*planes, pixels))?;
        steps.push(step);
        let (step, download) =
            Step::queue(gpu, (lane, "download", chunk), || Ok(cuda_memcpy_d2h_async(&pixels.0, target)?))?;
        steps.push(step);
        Ok(Image { upload, compute, download })
    }
}
// ANCHOR_END: lane

/// Pixel after pixel in memory, seen as planes: a copy of planes into it interleaves the channels.
struct Pixels(CudaBuffer);

impl CudaArray for Pixels {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        let whole = self.0.cuda_array_interface();
        let (shape, strides) = (self.0.shape(), self.0.strides());
        let [height, width, channels] = [shape[0], shape[1], shape[2]];
        let turned = StridedLayout::strided(
            &[channels, height, width],
            &[strides[2], strides[0], strides[1]],
            self.0.dtype().size(),
        );
        let turned = turned.and_then(|layout| {
            CudaArrayInterface::new(whole.dtype(), layout, whole.pointer(), false, whole.stream())
        });
        turned.unwrap_or(whole) // of the same elements, so it is valid as the whole is
    }

    fn memory(&self) -> Memory {
        self.0.memory()
    }
}

/// Sends all images through so many lanes, in turn, and checks what comes back.
fn run(gpu: &Gpu, lanes: usize, work: Work) -> Result<Vec<Span>> {
    let mut lanes = (0..lanes).map(|_| Lane::new(gpu, work)).collect::<Result<Vec<Lane>>>()?;
    let len = CHANNELS * pixels(work);
    let mut buffers = Vec::new();
    for chunk in 0..work.images {
        let mut source = PinnedBuffer::zeros(gpu, len)?;
        source.iter_mut().zip(0..).for_each(|(element, index)| *element = value(chunk, index));
        buffers.push((source, PinnedBuffer::zeros(gpu, len)?));
    }
    lanes.iter().try_for_each(|lane| lane.gpu.synchronize())?;

    let beginning = gpu.timestamp()?;
    let (mut steps, mut images) = (Vec::new(), Vec::new());
    let turns = (0..lanes.len()).cycle();
    for ((chunk, lane), (source, target)) in (0..work.images).zip(turns).zip(buffers) {
        images.push(lanes[lane].queue((lane, chunk), source, target, &mut steps)?);
    }
    for (chunk, image) in images.into_iter().enumerate() {
        image.upload.wait()?;
        image.compute.wait()?;
        check_pixels(chunk, &image.download.wait()?, pixels(work));
    }
    steps.iter().map(|step| step.span(&beginning)).collect()
}

/// The element of an image at a place in its planes; every one of an image is different.
fn value(chunk: usize, index: usize) -> f32 {
    (index + 7 * chunk) as f32
}

fn check_pixels(chunk: usize, found: &[f32], pixels: usize) {
    let expected = |at: usize| value(chunk, at % CHANNELS * pixels + at / CHANNELS);
    let wrong = found.iter().enumerate().position(|(at, found)| *found != expected(at));
    assert_eq!(wrong, None, "first wrong element of image {chunk}");
}
