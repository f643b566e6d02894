//! What an operator takes: checked before CV-CUDA sees it.

use super::library::Library;
use crate::copy::are_apart;
use crate::{DType, Error, Layout, Result, Tensor};

/// Which images an operator takes.
pub(super) struct Rules {
    pub operation: &'static str,
    pub layouts: &'static [Layout],
    /// The layouts before CV-CUDA 0.18.
    pub older: &'static [Layout],
    /// Whether the kernels count the bytes of a tensor in 32 bits. Of a tensor with an axis N CV-CUDA checks that itself;
    /// of one without, the device faults (seen on 0.19.0).
    pub counts_in_32_bits: bool,
    pub channels: &'static [usize],
    pub dtypes: &'static [DType],
}

/// The first version whose operators take planes of pixels, and 16-bit floats.
const TAKES_PLANES: (u32, u32, u32) = (0, 18, 0);

/// Layouts of interleaved pixels, which all operators take.
const PIXELS: &[Layout] = &[Layout::HWC, Layout::NHWC];
/// Layouts of pixels and of planes.
pub(super) const PIXELS_AND_PLANES: &[Layout] = &[Layout::HWC, Layout::NHWC, Layout::CHW, Layout::NCHW];

/// What operators take that find values between pixels.
pub(super) const BETWEEN_PIXELS: &[DType] = &[DType::U8, DType::U16, DType::I16, DType::F16, DType::F32];
/// What operators take that move or scale values.
pub(super) const MOST_NUMBERS: &[DType] =
    &[DType::U8, DType::I8, DType::U16, DType::I16, DType::I32, DType::F16, DType::F32, DType::F64];

/// Up to this many bytes a pixel is read at once, from an address that is a multiple of its size.
const WIDEST: usize = 16;

/// One or more images of the same size in a tensor that keeps an operator's rules.
#[derive(Clone, Copy)]
pub(super) struct Images<'a> {
    pub argument: &'static str,
    pub tensor: &'a Tensor,
    pub layout: Layout,
    pub samples: usize,
    pub height: usize,
    pub width: usize,
    pub channels: usize,
}

/// An argument that an operator does not take.
pub(super) fn refused(
    operation: &'static str,
    argument: &'static str,
    expected: impl Into<String>,
    found: impl Into<String>,
    remedy: &'static str,
) -> Error {
    Error::InvalidArgument { operation, argument, expected: expected.into(), found: found.into(), remedy }
}

impl Rules {
    /// What most operators take: 1, 3 or 4 channels of pixels or, from 0.18 on, planes, counted in 32 bits.
    pub const fn of(operation: &'static str, dtypes: &'static [DType]) -> Self {
        Self {
            operation,
            layouts: PIXELS_AND_PLANES,
            older: PIXELS,
            counts_in_32_bits: true,
            channels: &[1, 3, 4],
            dtypes,
        }
    }

    /// The images in a tensor, if the operator takes them.
    pub fn images<'a>(
        &self,
        library: &Library,
        argument: &'static str,
        tensor: &'a Tensor,
    ) -> Result<Images<'a>> {
        let is_old = library.info.version < TAKES_PLANES;
        let layouts = if is_old { self.older } else { self.layouts };
        let refuse =
            |expected, found, remedy| Err(refused(self.operation, argument, expected, found, remedy));
        let Some(layout) = tensor.layout().filter(|layout| layouts.contains(layout)) else {
            let found = tensor.layout().map_or("no layout".to_owned(), |layout| layout.to_string());
            let remedy = "name the layout (as_tensor), add or split the axis (reshape), or use reformat";
            return refuse(one_of(layouts), found, remedy);
        };
        let shape = tensor.shape();
        let axis = |letter| layout.axis(letter).map_or(1, |axis| shape[axis]);
        let images = Images {
            argument,
            tensor,
            layout,
            samples: axis('N'),
            height: axis('H'),
            width: axis('W'),
            channels: axis('C'),
        };
        self.check_dtype(library, argument, tensor.dtype())?;
        if !self.channels.contains(&images.channels) {
            let found = format!("{} channels", images.channels);
            return refuse(
                format!("{} channels", one_of(self.channels)),
                found,
                "make it with as many channels (cvtcolor, or slice the axis C)",
            );
        }
        images.check_size(self.operation)?;
        if self.counts_in_32_bits {
            images.check_bytes(self.operation)?;
        }
        images.check_alignment(self.operation)?;
        Ok(images)
    }

    /// The images in an operator's input and output, if it takes both.
    pub fn pair<'a>(
        &self,
        library: &Library,
        input: &'a Tensor,
        output: &'a Tensor,
    ) -> Result<(Images<'a>, Images<'a>)> {
        Ok((self.images(library, "input", input)?, self.images(library, "output", output)?))
    }

    /// Fails unless the operator takes elements of this type.
    pub fn check_dtype(&self, library: &Library, argument: &'static str, dtype: DType) -> Result<()> {
        let is_old = library.info.version < TAKES_PLANES;
        let is_taken = |dtype: &DType| !(is_old && *dtype == DType::F16);
        if self.dtypes.contains(&dtype) && is_taken(&dtype) {
            return Ok(());
        }
        let taken: Vec<DType> = self.dtypes.iter().copied().filter(is_taken).collect();
        let remedy =
            "take another dtype; convertto converts between those that it takes, f16 from CV-CUDA 0.18 on";
        Err(refused(self.operation, argument, one_of(&taken), dtype.to_string(), remedy))
    }
}

/// Such as `u8, u16 or f32`.
fn one_of<T: ToString>(choices: &[T]) -> String {
    let texts: Vec<String> = choices.iter().map(T::to_string).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

impl Images<'_> {
    /// CV-CUDA counts rows, columns and images in 32 bits.
    fn check_size(&self, operation: &'static str) -> Result<()> {
        let sides = [self.samples, self.height, self.width];
        if sides.iter().all(|side| i32::try_from(*side).is_ok()) && !self.tensor.is_empty() {
            return Ok(());
        }
        let (expected, found) = ("sides of 1 to 2^31 - 1", format!("shape {:?}", self.tensor.shape()));
        Err(refused(operation, self.argument, expected, found, "leave empty images out, split larger ones"))
    }

    /// Without an axis N, the first element and the last may lie at most so far apart.
    fn check_bytes(&self, operation: &'static str) -> Result<()> {
        // Along an axis of one element the stride says nothing.
        let stepped = self.tensor.shape().iter().zip(self.tensor.strides()).filter(|(len, _)| **len > 1);
        let bytes =
            stepped.map(|(len, stride)| *len as u64 * stride.unsigned_abs() as u64).max().unwrap_or(0);
        if self.layout.axis('N').is_some() || bytes <= i32::MAX as u64 {
            return Ok(());
        }
        let (expected, found) = ("an image of less than 2 GiB", format!("{bytes} bytes"));
        Err(refused(
            operation,
            self.argument,
            expected,
            found,
            "take parts of it (slice), one after the other",
        ))
    }

    /// Pixels of two or four channels are read at once: from another address the device faults.
    fn check_alignment(&self, operation: &'static str) -> Result<()> {
        let item = self.tensor.dtype().size();
        let is_read_at_once = self.layout.ends_in_pixels() && self.channels.is_power_of_two();
        if !is_read_at_once {
            return Ok(());
        }
        let pixel = (item * self.channels).min(WIDEST);
        let is_multiple = |bytes: u64| bytes.is_multiple_of(pixel as u64);
        let strides = self.tensor.shape().iter().zip(self.tensor.strides()).rev().skip(2);
        let mut stepped =
            strides.filter(|(len, _)| **len > 1).map(|(_, stride)| stride.unsigned_abs() as u64);
        if is_multiple(self.tensor.pointer()) && stepped.all(is_multiple) {
            return Ok(());
        }
        let expected = format!("pixels at multiples of {pixel} bytes, address and strides");
        let found = format!("address {:#x} and strides {:?}", self.tensor.pointer(), self.tensor.strides());
        let remedy = "make it with Tensor::new or to_contiguous, whose pixels are aligned";
        Err(refused(operation, self.argument, expected, found, remedy))
    }

    /// The shape of as many images with this layout, size and number of channels.
    pub fn shape(&self, layout: Layout, (height, width): (usize, usize), channels: usize) -> Vec<usize> {
        let len = |letter| match letter {
            'N' => self.samples,
            'H' => height,
            'W' => width,
            _ => channels,
        };
        layout.as_str().chars().map(len).collect()
    }

    /// Fails unless the other holds as many images.
    pub fn check_samples(&self, operation: &'static str, other: &Images) -> Result<()> {
        agree(operation, other.argument, "images", self.samples, other.samples)
    }

    /// Fails unless the other's images have as many rows and columns.
    pub fn check_same_size(&self, operation: &'static str, other: &Images) -> Result<()> {
        agree(operation, other.argument, "rows", self.height, other.height)?;
        agree(operation, other.argument, "columns", self.width, other.width)
    }

    /// Fails unless the other's pixels have as many channels.
    fn check_channels(&self, operation: &'static str, other: &Images) -> Result<()> {
        agree(operation, other.argument, "channels", self.channels, other.channels)
    }

    /// Fails unless the other's elements are of the same type.
    pub fn check_dtype(&self, operation: &'static str, other: &Images) -> Result<()> {
        let (expected, found) = (self.tensor.dtype(), other.tensor.dtype());
        if expected == found {
            return Ok(());
        }
        let remedy = "make it of the input's dtype, or convert with convertto";
        Err(refused(operation, other.argument, expected.to_string(), found.to_string(), remedy))
    }

    /// Fails unless the pixels have so many channels.
    pub fn check_has_channels(&self, operation: &'static str, channels: usize) -> Result<()> {
        agree(operation, self.argument, "channels", channels, self.channels)
    }

    /// Fails unless the other has the same layout, dtype, number of images and channels.
    pub fn check_form(&self, operation: &'static str, other: &Images) -> Result<()> {
        self.check_layout(operation, other)?;
        self.check_dtype(operation, other)?;
        self.check_samples(operation, other)?;
        self.check_channels(operation, other)
    }

    /// Fails unless the other holds as many images, of the same size and number of channels.
    pub fn check_same_images(&self, operation: &'static str, other: &Images) -> Result<()> {
        self.check_samples(operation, other)?;
        self.check_same_size(operation, other)?;
        self.check_channels(operation, other)
    }

    /// Fails unless the other is alike in everything but its strides.
    pub fn check_alike(&self, operation: &'static str, other: &Images) -> Result<()> {
        self.check_form(operation, other)?;
        self.check_same_size(operation, other)
    }

    /// Fails unless the other has the same layout.
    pub fn check_layout(&self, operation: &'static str, other: &Images) -> Result<()> {
        if self.layout == other.layout {
            return Ok(());
        }
        let (expected, found) = (self.layout.to_string(), other.layout.to_string());
        Err(refused(
            operation,
            other.argument,
            expected,
            found,
            "give it the input's layout, or use reformat",
        ))
    }
}

/// Whether a coordinate, and one a little further, is one that 32 bits hold.
pub(super) fn fits(coordinate: f64) -> bool {
    coordinate.abs() <= f64::from(1 << 30)
}

/// Whether `len` from `start` on end at most at `most`.
pub(super) fn ends_within(start: usize, len: usize, most: usize) -> bool {
    start.checked_add(len).is_some_and(|end| end <= most)
}

fn agree(
    operation: &'static str,
    argument: &'static str,
    what: &str,
    expected: usize,
    found: usize,
) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (format!("{expected} {what}"), found.to_string());
    Err(refused(
        operation,
        argument,
        expected,
        found,
        "make it of the size and number that the function's docs name",
    ))
}

/// Fails unless `output` may be written, and lies apart from what is read meanwhile.
pub(super) fn check_output(operation: &'static str, inputs: &[&Tensor], output: &Tensor) -> Result<()> {
    if output.interface().is_read_only() {
        return Err(Error::ReadOnly { operation });
    }
    // Whole memories are compared with less effort, and almost always lie apart.
    let owned = output.shared_memory().range();
    let is_elsewhere = |input: &Tensor| {
        let range = input.shared_memory().range();
        range.end <= owned.start || owned.end <= range.start
    };
    if inputs.iter().all(|input| is_elsewhere(input) || are_apart(input, output)) {
        return Ok(());
    }
    let (expected, found) = ("memory apart from the inputs'", "memory that an input's lies in, too");
    Err(refused(operation, "output", expected, found, "write to another tensor"))
}
