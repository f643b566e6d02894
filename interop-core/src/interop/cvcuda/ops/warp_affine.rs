//! Affine transformation.

use super::{Border, WarpInterpolation};
use crate::cvcuda::CvCuda;
use crate::interop::cvcuda::check::{BETWEEN_PIXELS, Rules, check_output, fits, refused};
use crate::interop::cvcuda::library::Float4;
use crate::interop::cvcuda::operator::Kind;
use crate::{Result, Tensor};

const fn rules(operation: &'static str) -> Rules {
    Rules::of(operation, BETWEEN_PIXELS)
}

impl CvCuda {
    /// The images of `input` moved by a matrix of two rows: the pixel at (x, y) goes to `(m[0][0] x + m[0][1] y + m[0][2],
    /// m[1][0] x + m[1][1] y + m[1][2])`. As a new tensor of the same shape; what comes from beyond the edges is filled as
    /// `border` says, with `value`, a number for each channel, for [`Border::Constant`].
    ///
    /// Takes HWC, NHWC, CHW and NCHW; 1, 3 or 4 channels; u8, u16, i16, f16 or f32.
    ///
    /// # Errors
    /// As [`CvCuda::resize`].
    pub fn warp_affine(
        &self,
        input: &Tensor,
        matrix: [[f32; 3]; 2],
        interpolation: WarpInterpolation,
        border: Border,
        value: [f32; 4],
    ) -> Result<Tensor> {
        const OPERATION: &str = "CvCuda::warp_affine";
        let images = rules(OPERATION).images(&self.shared.library, "input", input)?;
        let output = self.output(OPERATION, input.shape(), input.dtype(), images.layout)?;
        self.queue_warp_affine(OPERATION, input, &output, matrix, interpolation, border, value)?;
        Ok(output)
    }

    /// As [`CvCuda::warp_affine`], into `output`, which has the same layout, dtype, number of images and channels, and may
    /// have another size.
    ///
    /// # Errors
    /// As [`CvCuda::resize_into`].
    pub fn warp_affine_into(
        &self,
        input: &Tensor,
        output: &mut Tensor,
        matrix: [[f32; 3]; 2],
        interpolation: WarpInterpolation,
        border: Border,
        value: [f32; 4],
    ) -> Result<()> {
        const OPERATION: &str = "CvCuda::warp_affine_into";
        self.queue_warp_affine(OPERATION, input, output, matrix, interpolation, border, value)
    }

    #[allow(clippy::too_many_arguments, reason = "the operator's own")]
    fn queue_warp_affine(
        &self,
        operation: &'static str,
        input: &Tensor,
        output: &Tensor,
        matrix: [[f32; 3]; 2],
        interpolation: WarpInterpolation,
        border: Border,
        value: [f32; 4],
    ) -> Result<()> {
        let (from, to) = rules(operation).pair(&self.shared.library, input, output)?;
        from.check_form(operation, &to)?;
        check_output(operation, &[input], output)?;
        check_matrix(operation, matrix, (to.height, to.width))?;
        self.shared.call(operation, Kind::WarpAffine, (0, 0), &[input], output, |library, call| {
            let [input] = call.inputs;
            // SAFETY: operator, stream and tensors are live, as `call` promises; the tensors keep the operator's rules;
            // the matrix has six numbers, which are read during the call.
            let status = unsafe {
                (library.operators.cvcudaWarpAffineSubmit)(
                    call.operator,
                    call.stream,
                    input,
                    call.output,
                    matrix.as_ptr().cast(),
                    interpolation as i32,
                    border as i32,
                    Float4(value),
                )
            };
            ("cvcudaWarpAffineSubmit", status)
        })
    }
}

/// CV-CUDA inverts the matrix, and divides by a determinant of 0 without a word. Coordinates it computes as floats and
/// makes integers of, which must hold them.
fn check_matrix(operation: &'static str, matrix: [[f32; 3]; 2], size: (usize, usize)) -> Result<()> {
    let [[a, b, c], [d, e, f]] = matrix.map(|row| row.map(f64::from));
    let determinant = a * e - b * d;
    let (height, width) = (size.0 as f64, size.1 as f64);
    let back = |x: f64, y: f64| {
        let (x, y) = (x - c, y - f);
        [(e * x - b * y) / determinant, (a * y - d * x) / determinant]
    };
    let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)];
    if corners.iter().flat_map(|(x, y)| back(*x, *y)).all(fits) {
        return Ok(());
    }
    let expected = "an invertible matrix, by which every pixel comes from within 2^30 of the image";
    Err(refused(operation, "matrix", expected, format!("{matrix:?}"), "check how it is made"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_taken(matrix: [[f32; 3]; 2]) -> bool {
        check_matrix("test", matrix, (1080, 1920)).is_ok()
    }

    #[test]
    fn a_matrix_without_inverse_is_refused() {
        assert!(is_taken([[2.0, 0.0, 3.0], [0.0, 4.0, -8.0]]));
        // The determinant is more than an f32 holds.
        assert!(is_taken([[1e25, 0.0, 0.0], [0.0, 1e25, 0.0]]));
        for matrix in [
            [[0.0; 3]; 2],
            [[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]],
            [[f32::NAN, 0.0, 0.0], [0.0, 1.0, 0.0]],
            [[1.0, 0.0, f32::INFINITY], [0.0, 1.0, 0.0]],
        ] {
            assert!(!is_taken(matrix), "{matrix:?}");
        }
    }

    #[test]
    fn coordinates_beyond_what_integers_hold_are_refused() {
        assert!(!is_taken([[1.0, 0.0, 3e38], [0.0, 1.0, 0.0]]));
        assert!(!is_taken([[1e-9, 0.0, 0.0], [0.0, 1.0, 0.0]]));
    }
}
