//! What the samples of CV-CUDA share.

pub mod operators;
pub mod pipeline;
pub mod record;
pub mod reference;
pub mod speed;

use std::error::Error;

use interop_core::Gpu;
use interop_core::cvcuda::CvCuda;

use crate::Waived;

/// Opens CV-CUDA and says which it is. Without the library or a GPU, the sample is waived.
///
/// # Errors
/// [`Waived`], or why a library that is there cannot be used.
pub fn open(gpu: &Gpu) -> Result<CvCuda, Box<dyn Error>> {
    use interop_core::Error::{CvCudaNeedsGpu, CvCudaNotFound};
    match CvCuda::open(gpu) {
        Ok(cv) => {
            let (major, minor, patch) = cv.library().version;
            println!("CV-CUDA         {major}.{minor}.{patch}, {}", cv.library().path.display());
            Ok(cv)
        }
        Err(error @ (CvCudaNeedsGpu | CvCudaNotFound { .. })) => Err(Waived(error.to_string()).into()),
        Err(error) => Err(error.into()),
    }
}
