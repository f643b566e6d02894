//! Both directions at once: an upload and a download from two threads, each with a `Gpu`, and so a stream, of its
//! own. Each is measured alone, too.

use std::error::Error;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use interop_core::{Gpu, PinnedBuffer};

use super::content::{Content, Extent};
use super::download::Download;
use super::driver::Driver;
use super::host::HostKind;
use super::measure::{Bench, Turn};
use super::series::{Figure, Implementation};
use super::upload::Upload;

/// Of each copy of a result that is reported; the figures' names say so.
pub const BYTES: usize = 256 << 20;

/// Start and end of a copy.
type Span = (Instant, Instant);

#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

/// What each copy moves, how often, and who starts and ends it together.
#[derive(Clone, Copy)]
struct Plan<'a> {
    ordinal: usize,
    bytes: usize,
    rounds: usize,
    together: &'a Barrier,
}

/// Both at once, the upload alone, the download alone; GB/s.
///
/// # Errors
/// The first error of a copy, or wrong data.
pub fn duplex(ordinal: usize, bytes: usize, rounds: usize) -> Result<[Figure; 3], Box<dyn Error>> {
    let (alone, two) = (Barrier::new(1), Barrier::new(2));
    let plan = Plan { ordinal, bytes, rounds, together: &alone };
    let up = in_thread(Way::Up, plan).map(|spans| rates(&spans, bytes))?;
    let down = in_thread(Way::Down, plan).map(|spans| rates(&spans, bytes))?;
    let plan = Plan { together: &two, ..plan };
    let (both_up, both_down) = thread::scope(|scope| {
        let down = scope.spawn(move || in_thread(Way::Down, plan));
        (in_thread(Way::Up, plan), down.join())
    });
    let both_down = both_down.map_err(|_| "the download's thread panicked")?;
    // From the first start to the last end.
    let overlap = |(up, down): (Span, Span)| (up.0.min(down.0), up.1.max(down.1));
    let spans: Vec<Span> = both_up?.into_iter().zip(both_down?).map(overlap).collect();
    let figure =
        |name, values| Figure { name, implementation: Implementation::InteropCore, unit: "GB/s", values };
    Ok([
        figure("full duplex, pinned", rates(&spans, 2 * bytes)),
        figure("upload alone, pinned, 256 MiB", up),
        figure("download alone, pinned, 256 MiB", down),
    ])
}

fn rates(spans: &[Span], bytes: usize) -> Vec<f64> {
    spans.iter().map(|(start, end)| bytes as f64 / (*end - *start).as_secs_f64() / 1e9).collect()
}

/// In a thread of its own, since a current context belongs to a thread.
fn in_thread(way: Way, plan: Plan<'_>) -> Result<Vec<Span>, String> {
    let copies = || copies(way, plan);
    let joined = thread::scope(|scope| scope.spawn(copies).join());
    joined.unwrap_or_else(|_| Err("a copy's thread panicked".to_owned()))
}

fn copies(way: Way, plan: Plan<'_>) -> Result<Vec<Span>, String> {
    let mut opened = Resources::open(plan);
    match (way, &mut opened) {
        (Way::Up, Ok(open)) => rounds(open.upload(plan.bytes), plan),
        (Way::Down, Ok(open)) => rounds(open.download(plan.bytes), plan),
        (_, Err(error)) => rounds::<Upload<'_>>(Err(error.as_str().into()), plan),
    }
}

/// What a thread has for itself.
struct Resources {
    gpu: Gpu,
    driver: Driver,
    scratch: PinnedBuffer<u8>,
}

impl Resources {
    fn open(plan: Plan<'_>) -> Result<Self, String> {
        let gpu = Gpu::open(plan.ordinal).map_err(|error| error.to_string())?;
        let driver = Driver::new(plan.ordinal).map_err(|error| error.to_string())?;
        let scratch = PinnedBuffer::zeros(&gpu, plan.bytes).map_err(|error| error.to_string())?;
        Ok(Self { gpu, driver, scratch })
    }

    fn upload(&mut self, bytes: usize) -> Result<Upload<'_>, Box<dyn Error>> {
        Upload::new(&self.gpu, &self.driver, HostKind::Pinned, bytes, &mut self.scratch)
    }

    fn download(&mut self, bytes: usize) -> Result<Download<'_>, Box<dyn Error>> {
        Download::new(&self.gpu, &self.driver, HostKind::Pinned, bytes, &mut self.scratch)
    }
}

/// The spans of all rounds but the first. After an error the rounds go on without copies: nobody waits for ever.
fn rounds<B: Bench>(bench: Result<B, Box<dyn Error>>, plan: Plan<'_>) -> Result<Vec<Span>, String> {
    let mut bench = bench.map_err(|error| error.to_string());
    let mut spans = Vec::new();
    for round in 0..=plan.rounds {
        let extent = if round == plan.rounds { Extent::Whole } else { Extent::Spread };
        let turn = Turn { content: Content::of_turn(round), extent };
        step(&mut bench, |bench| bench.prepare(turn));
        plan.together.wait();
        let before = Instant::now();
        step(&mut bench, |bench| bench.copy(Implementation::InteropCore));
        spans.push((before, Instant::now()));
        // Nobody compares while the other still copies.
        plan.together.wait();
        step(&mut bench, |bench| bench.check(turn));
    }
    bench.map(|_| spans.split_off(1))
}

fn step<B>(bench: &mut Result<B, String>, call: impl FnOnce(&mut B) -> Result<(), Box<dyn Error>>) {
    if let Ok(inner) = bench
        && let Err(error) = call(inner)
    {
        *bench = Err(error.to_string());
    }
}
