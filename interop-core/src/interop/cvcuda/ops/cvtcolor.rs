//! Conversion between colour spaces.

use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{Rules, check_output};
use crate::interop::cvcuda::operator::Kind;
use crate::{DType, Result, Tensor};

macro_rules! conversions {
    ($($name:ident = $code:literal, $from:literal to $to:literal, $doc:literal;)*) => {
        /// From which colours to which, channel by channel (`NVCVColorConversionCode`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        #[non_exhaustive]
        pub enum ColorConversion {
            $(#[doc = $doc] $name = $code,)*
        }

        impl ColorConversion {
            /// Every conversion there is here.
            pub fn all() -> impl Iterator<Item = Self> {
                [$(Self::$name),*].into_iter()
            }

            /// Channels of the input and of the output.
            pub fn channels(self) -> (usize, usize) {
                match self { $(Self::$name => ($from, $to),)* }
            }
        }
    };
}

conversions! {
    RgbToRgba = 0, 3 to 4, "Adds an alpha channel of the largest value; the same for BGR.";
    RgbaToRgb = 1, 4 to 3, "Takes the alpha channel away; the same for BGR.";
    BgrToRgba = 2, 3 to 4, "Turns the channels round and adds an alpha channel; the same for RGB to BGRA.";
    RgbaToBgr = 3, 4 to 3, "Turns the channels round and takes the alpha channel away; the same for BGRA to RGB.";
    BgrToRgb = 4, 3 to 3, "Turns the channels round; the same for RGB to BGR.";
    BgraToRgba = 5, 4 to 4, "Turns the colour channels round; the same for RGBA to BGRA.";
    BgrToGray = 6, 3 to 1, "0.299 R + 0.587 G + 0.114 B.";
    RgbToGray = 7, 3 to 1, "0.299 R + 0.587 G + 0.114 B.";
    GrayToRgb = 8, 1 to 3, "The same value in each channel; the same for BGR.";
    GrayToRgba = 9, 1 to 4, "The same value in each colour channel, alpha the largest value; the same for BGRA.";
    BgraToGray = 10, 4 to 1, "0.299 R + 0.587 G + 0.114 B.";
    RgbaToGray = 11, 4 to 1, "0.299 R + 0.587 G + 0.114 B.";
    BgrToHsv = 40, 3 to 3, "Hue (0 to 179 for u8, degrees for f32), saturation, value.";
    RgbToHsv = 41, 3 to 3, "Hue (0 to 179 for u8, degrees for f32), saturation, value.";
    HsvToBgr = 54, 3 to 3, "Back from hue, saturation, value.";
    HsvToRgb = 55, 3 to 3, "Back from hue, saturation, value.";
    BgrToHsvFull = 66, 3 to 3, "Hue (0 to 255 for u8), saturation, value.";
    RgbToHsvFull = 67, 3 to 3, "Hue (0 to 255 for u8), saturation, value.";
    HsvToBgrFull = 70, 3 to 3, "Back from hue (0 to 255 for u8), saturation, value.";
    HsvToRgbFull = 71, 3 to 3, "Back from hue (0 to 255 for u8), saturation, value.";
    BgrToYuv = 82, 3 to 3, "Luma and two colour differences.";
    RgbToYuv = 83, 3 to 3, "Luma and two colour differences.";
    YuvToBgr = 84, 3 to 3, "Back from luma and two colour differences.";
    YuvToRgb = 85, 3 to 3, "Back from luma and two colour differences.";
}

const fn rules(operation: &'static str) -> Rules {
    Rules { counts_in_32_bits: false, ..Rules::of(operation, &[DType::U8, DType::U16, DType::F32]) }
}

impl CvCuda {
    /// The images of `input` in other colours, as a new tensor.
    ///
    /// Takes HWC, NHWC, CHW and NCHW; as many channels as [`ColorConversion::channels`] says; u8, u16 or f32.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn cvtcolor(&self, input: &Tensor, conversion: ColorConversion) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::cvtcolor";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        let size = (images.height, images.width);
        let shape = images.shape(images.layout, size, conversion.channels().1);
        let output = self.output(OPERATION, &shape, input.dtype(), images.layout)?;
        self.queue_cvtcolor(OPERATION, input, &output, conversion)?;
        Ok(output)
    }

    /// Converts the images of `input` into `output`, which has the same layout, dtype, number and size, and the channels
    /// of the new colours.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn cvtcolor_into(
        &self,
        input: &Tensor,
        output: &mut Tensor,
        conversion: ColorConversion,
    ) -> Result<()> {
        self.queue_cvtcolor("CvCuda::cvtcolor_into", input, output, conversion)
    }

    fn queue_cvtcolor(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        conversion: ColorConversion,
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        let channels = conversion.channels();
        from.check_has_channels(operation, channels.0)?;
        to.check_has_channels(operation, channels.1)?;
        from.check_layout(operation, &to)?;
        from.check_dtype(operation, &to)?;
        from.check_samples(operation, &to)?;
        from.check_same_size(operation, &to)?;
        check_output(operation, &[input], output)?;
        self.shared.call(operation, Kind::CvtColor, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules.
            let status = unsafe {
                (library.operators.cvcudaCvtColorSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    conversion as i32,
                )
            };
            ("cvcudaCvtColorSubmit", status)
        })
    }
}
