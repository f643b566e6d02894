//! [`Bench`]: carries out one case after the other in memory that it allocates once.

use interop_core::{CudaArray, CudaBuffer, DType, Gpu, cuda_memcpy_d2d, cuda_memcpy_d2h, cuda_memcpy_h2d};

use crate::case::{Case, Direction, Side};
use crate::described::Described;
use crate::host::HostPart;
use crate::noise::Noise;
use crate::placement::{Placement, WINDOW};
use crate::reference::{each_element, owner};
use crate::window::{Bytes, Window};
use crate::wire::Wire;

/// A result whose error is what is wrong, in words.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Memory for both sides of a copy, used by one thread.
pub struct Bench {
    devices: Vec<Device>,
    noise: Noise,
    wire: Wire,
    source: Window,
    target: Window,
}

/// One way in which the device was opened, with room for the windows of both sides.
struct Device {
    gpu: Gpu,
    source: CudaBuffer,
    target: CudaBuffer,
}

/// One end of a copy, ready for it.
struct End<'a> {
    name: &'static str,
    place: Place<'a>,
    bytes: Bytes<'a>,
}

/// Where an end lies.
enum Place<'a> {
    Host(&'a Side),
    Device(Described),
}

impl Bench {
    /// Allocates its memory on every device. There must be one at least, and all are device 0.
    ///
    /// # Errors
    /// The device or the host has too little memory.
    pub fn new(gpus: &[Gpu], noise: &Noise) -> Result<Self> {
        let first = gpus.first().ok_or("no device to copy with")?;
        let (source, target) = (Window::new(first)?, Window::new(first)?);
        let devices = gpus.iter().map(Device::new).collect::<Result<_>>()?;
        Ok(Self { devices, noise: noise.clone(), wire: Wire::new()?, source, target })
    }

    /// Carries out a case.
    ///
    /// # Errors
    /// What is wrong with the copy.
    ///
    /// # Panics
    /// Only where the library does.
    pub fn check(&mut self, case: &Case) -> Result<()> {
        self.wire.bind()?;
        let (source, target) = self.devices[case.device % self.devices.len()].places(case)?;
        let (from, to) = (source.placement().clone(), target.placement().clone());
        self.fill(case, &from, &to);
        let before = self.source.first(from.bytes, case.is_pinned);
        let after = self.target.first(to.bytes, case.is_pinned);
        let mut ends = [
            End { name: "source", place: source, bytes: before },
            End { name: "target", place: target, bytes: after },
        ];
        // In a shared window, the target's bytes are the source's, too.
        let first = usize::from(case.is_shared);
        put(&self.wire, &mut ends[first..])?;
        let [source, target] = &mut ends;
        copy_as_reference(case, (&from, source.bytes.expected), (&to, target.bytes.expected));
        copy_with_library(case, source, target).map_err(|error| format!("refused: {error}"))?;
        get(&self.wire, &mut ends[first..])?;
        ends[first..].iter().try_for_each(|end| end.compare(case))
    }

    /// Makes up the bytes before the copy.
    fn fill(&mut self, case: &Case, from: &Placement, to: &Placement) {
        let before = self.source.first(from.bytes, false).expected;
        let after = self.target.first(to.bytes, false).expected;
        self.noise.fill(before, case.noise);
        self.noise.fill(after, case.noise.rotate_left(32));
        if case.dtype == DType::Bool {
            each_element(&case.shape, from, to, &mut |from, to| {
                before[from] &= 1;
                after[to] &= 1;
            });
        }
        if case.direction == Direction::Fill {
            make_value(case, &mut before[from.offset..][..case.dtype.size()]);
        }
        if case.is_shared {
            after.copy_from_slice(before);
        }
    }
}

impl Device {
    fn new(gpu: &Gpu) -> Result<Self> {
        let window = || CudaBuffer::new(gpu, &[WINDOW], DType::U8);
        let device = Self { gpu: gpu.clone(), source: window()?, target: window()? };
        // The allocations are queued on the library's stream, behind which ours does not wait.
        gpu.synchronize()?;
        Ok(device)
    }

    fn places<'a>(&self, case: &'a Case) -> interop_core::Result<(Place<'a>, Place<'a>)> {
        let on_device = |side, arena| Described::new(&self.gpu, case, side, arena).map(Place::Device);
        let source = match case.direction {
            Direction::ToDevice | Direction::Fill => Place::Host(&case.source),
            _ if case.is_shared => on_device(&case.source, &self.target)?,
            _ => on_device(&case.source, &self.source)?,
        };
        let target = match case.direction {
            Direction::ToHost => Place::Host(&case.target),
            _ => on_device(&case.target, &self.target)?,
        };
        Ok((source, target))
    }
}

impl Place<'_> {
    fn placement(&self) -> &Placement {
        match self {
            Self::Host(side) => side.placement(),
            Self::Device(described) => &described.placement,
        }
    }
}

impl End<'_> {
    /// Puts the expected bytes where the library finds them.
    fn put(&mut self, wire: &Wire) -> Result<()> {
        match &self.place {
            Place::Host(_) => self.bytes.actual.copy_from_slice(self.bytes.expected),
            // SAFETY: the window is that of the described array, in which no copy runs now; `put` waits.
            Place::Device(described) => unsafe { wire.put(self.bytes.expected, described.start) }?,
        }
        Ok(())
    }

    /// Gets the bytes from where the library left them.
    fn get(&mut self, wire: &Wire) -> Result<()> {
        if let Place::Device(described) = &self.place {
            // SAFETY: the window is that of the described array, in which no copy runs now; `get` waits.
            unsafe { wire.get(described.start, self.bytes.actual) }?;
        }
        Ok(())
    }

    fn compare(&self, case: &Case) -> Result<()> {
        let Bytes { expected, actual } = &self.bytes;
        if expected == actual {
            return Ok(());
        }
        let differing = || (0..expected.len()).filter(|&position| expected[position] != actual[position]);
        let position = differing().next().unwrap_or_default();
        let what = match owner(&case.shape, self.place.placement(), case.dtype.size(), position) {
            Some(index) => format!("of element {index} in C order"),
            None => "between or around the elements".to_owned(),
        };
        let (count, expected, found) = (differing().count(), expected[position], actual[position]);
        let first = format!("byte {position}, {what}, is {found:#04x} instead of {expected:#04x}");
        Err(format!("{count} bytes of the {} are wrong; the first, {first}", self.name).into())
    }
}

fn put(wire: &Wire, ends: &mut [End<'_>]) -> Result<()> {
    let queued = ends.iter_mut().try_for_each(|end| end.put(wire));
    wire.wait()?;
    queued
}

fn get(wire: &Wire, ends: &mut [End<'_>]) -> Result<()> {
    let queued = ends.iter_mut().try_for_each(|end| end.get(wire));
    wire.wait()?;
    queued
}

fn copy_as_reference(case: &Case, (from, before): (&Placement, &[u8]), (to, after): (&Placement, &mut [u8])) {
    let item = case.dtype.size();
    each_element(&case.shape, from, to, &mut |from, to| {
        after[to..to + item].copy_from_slice(&before[from..from + item]);
    });
}

/// Makes a value of random bytes: one that repeats some of its bytes now and then.
fn make_value(case: &Case, value: &mut [u8]) {
    let unit = (value.len() >> (case.noise % 5)).max(1);
    for index in unit..value.len() {
        value[index] = value[index - unit];
    }
    if case.dtype == DType::Bool {
        value[0] &= 1;
    }
}

fn copy_with_library(case: &Case, source: &mut End<'_>, target: &mut End<'_>) -> interop_core::Result<()> {
    match (&mut source.place, &mut target.place) {
        (Place::Host(side), Place::Device(device)) if case.direction == Direction::Fill => {
            HostPart::new(case, side, source.bytes.actual)?.fill(device)?;
            device.memory().gpu().synchronize() // a fill is only queued
        }
        (Place::Host(side), Place::Device(device)) => {
            cuda_memcpy_h2d(&HostPart::new(case, side, source.bytes.actual)?, device)?;
            // It was read by now, though it need not have arrived: what it holds next is not copied.
            let invert = |bytes: &mut [u8]| bytes.iter_mut().for_each(|byte| *byte = !*byte);
            invert(source.bytes.actual);
            let arrived = device.memory().gpu().synchronize();
            invert(source.bytes.actual);
            arrived
        }
        (Place::Device(device), Place::Host(side)) => {
            cuda_memcpy_d2h(device, &mut HostPart::new(case, side, target.bytes.actual)?)
        }
        (Place::Device(source), Place::Device(target)) => cuda_memcpy_d2d(source, target),
        (Place::Host(_), Place::Host(_)) => unreachable!("no case copies from host to host"),
    }
}
