//! Copies: host arrays of any strides, a padded tensor, and what a flat copy does to it.

use std::process::ExitCode;

use interop_core::{
    CudaBuffer, DType, Gpu, Layout, Tensor, cuda_memcpy_d2d, cuda_memcpy_d2h, cuda_memcpy_d2h_raw,
    cuda_memcpy_h2d, cuda_memcpy_h2d_raw,
};
use ndarray::{Array2, Array3, s};
use samples::Outcome;

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    strided_host_arrays(gpu)?;
    the_flat_copy(gpu)?;
    device_to_device(gpu)?;
    what_is_refused(gpu)
}

fn strided_host_arrays(gpu: &Gpu) -> Outcome {
    let host = Array2::from_shape_fn((6, 8), |(row, column)| (row * 8 + column) as i32);
    let views = [
        ("as it is", host.view()),
        ("transposed", host.t()),
        ("every second column", host.slice(s![.., ..;2])),
        ("rows in reverse", host.slice(s![..;-1, ..])),
    ];
    for (what, view) in views {
        let mut buffer = CudaBuffer::new(gpu, view.shape(), DType::I32)?;
        cuda_memcpy_h2d(&view, &mut buffer)?;
        let mut back = Array2::<i32>::zeros(view.raw_dim());
        cuda_memcpy_d2h(&buffer, &mut back)?;
        assert_eq!(back, view);
        println!("host array {what:<20} shape {:?}, strides {:?}: equal", view.shape(), view.strides());
    }

    // Into a part of a larger host array: the rest stays as it was.
    let mut target = Array2::<i32>::zeros((3, 4));
    cuda_memcpy_d2h(
        &CudaBuffer::from_host(gpu, &Array2::from_elem((3, 2), 7))?,
        &mut target.slice_mut(s![.., 1..3]),
    )?;
    assert_eq!(target, ndarray::array![[0, 7, 7, 0], [0, 7, 7, 0], [0, 7, 7, 0]]);
    println!("into columns 1 and 2 of a larger array: the others are untouched");
    println!();
    Ok(())
}

fn the_flat_copy(gpu: &Gpu) -> Outcome {
    let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
    let flat = host.as_slice().unwrap_or_default();
    let tensor = Tensor::new(gpu, &[10, 10, 3], DType::U8, Layout::HWC)?;

    // What NVIDIA's page does: as many bytes as the host array holds, in one piece. ANCHOR: flat
    // SAFETY: the tensor holds at least as many bytes as the host array and lives through the call.
    unsafe { cuda_memcpy_h2d_raw(gpu, &host, tensor.pointer()) }?;
    // ANCHOR_END: flat
    let seen = tensor.to_vec::<u8>()?;
    let wrong = (0..10).filter(|row| seen[row * 30..][..30] != flat[row * 30..][..30]).count();
    println!("flat copy to a tensor of strides {:?}: {wrong} of 10 rows are wrong", tensor.strides());
    println!("    row 1 should begin {:?}, the tensor has {:?}", &flat[30..34], &seen[30..34]);
    assert_eq!(wrong, 9, "only the first row is where it belongs");

    let mut back = Array3::<u8>::zeros((10, 10, 3));
    // SAFETY: as above.
    unsafe { cuda_memcpy_d2h_raw(gpu, tensor.pointer(), &mut back) }?;
    assert_eq!(back, host);
    println!("    and the flat copy back returns the same bytes, which hides it");

    let mut tensor = tensor;
    cuda_memcpy_h2d(&host, &mut tensor)?;
    assert_eq!(tensor.to_vec::<u8>()?, flat);
    println!("cuda_memcpy_h2d heeds the strides: 10 of 10 rows are right\n");
    Ok(())
}

fn device_to_device(gpu: &Gpu) -> Outcome {
    let host = Array3::from_shape_fn((4, 5, 3), |(y, x, c)| (y * 15 + x * 3 + c) as f32);
    let packed = CudaBuffer::from_host(gpu, &host)?;
    let mut padded = Tensor::new(gpu, &[4, 5, 3], DType::F32, Layout::HWC)?;
    cuda_memcpy_d2d(&packed, &mut padded)?;
    assert_eq!(padded.to_vec::<f32>()?, packed.to_vec::<f32>()?);
    println!("device to device, strides {:?} to {:?}: equal\n", packed.strides(), padded.strides());
    Ok(())
}

fn what_is_refused(gpu: &Gpu) -> Outcome {
    let mut buffer = CudaBuffer::zeros(gpu, &[10, 10], DType::F32)?;
    let refusals = [
        ("f64 to f32", cuda_memcpy_h2d(&Array2::<f64>::zeros((10, 10)), &mut buffer)),
        ("another shape", cuda_memcpy_h2d(&Array2::<f32>::zeros((5, 20)), &mut buffer)),
        ("too small a slice", cuda_memcpy_h2d(&[0f32; 99], &mut buffer)),
        ("too large a slice", cuda_memcpy_h2d(&[0f32; 101], &mut buffer)),
    ];
    for (what, refusal) in refusals {
        match refusal {
            Ok(()) => return Err(format!("{what} was copied").into()),
            Err(error) => println!("{what}:\n    {error}"),
        }
    }
    Ok(())
}
