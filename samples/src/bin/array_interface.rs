//! The CUDA Array Interface, field by field.

use std::process::ExitCode;

use interop_core::{
    CudaArray, CudaArrayInterface, CudaBuffer, DType, Error, Gpu, Layout, RawInterface, StreamHandle, Tensor,
};
use samples::Outcome;

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    let buffer = CudaBuffer::zeros(gpu, &[10, 10, 3], DType::U8)?;
    let tensor = Tensor::new(gpu, &[10, 10, 3], DType::U8, Layout::HWC)?;
    let empty = CudaBuffer::new(gpu, &[0, 3], DType::F32)?;
    fields_of_exported_arrays(gpu, &buffer, &tensor, &empty);
    what_is_refused();
    there_and_back(gpu, &tensor)
}

fn fields_of_exported_arrays(gpu: &Gpu, buffer: &CudaBuffer, tensor: &Tensor, empty: &CudaBuffer) {
    let (packed, padded, nothing) =
        (buffer.cuda_array_interface(), tensor.cuda_array_interface(), empty.cuda_array_interface());

    println!("field     packed buffer     padded tensor     no elements");
    let row = |name: &str, show: &dyn Fn(&CudaArrayInterface) -> String| {
        println!("{name:<9} {:<17} {:<17} {}", show(&packed), show(&padded), show(&nothing));
    };
    row("shape", &|interface| format!("{:?}", interface.shape()));
    row("typestr", &|interface| format!("{:?}", interface.typestr()));
    row("strides", &|interface| format!("{:?}", interface.strides()).replace("Some(", "").replace(')', ""));
    row("data", &|interface| match interface.data() {
        (0, read_only) => format!("(0, {read_only})"),
        (_, read_only) => format!("(address, {read_only})"),
    });
    row("version", &|interface| interface.version().to_string());
    let stream = |interface: &CudaArrayInterface| interface.stream() == Some(gpu.stream());
    row("stream", &|interface| if stream(interface) { "the Gpu's".into() } else { "another".into() });
    println!();

    assert_eq!(packed.strides(), None, "None exactly for C order without gaps");
    assert_eq!(padded.strides(), Some(&[32, 3, 1][..]), "bytes, not elements");
    assert_eq!(nothing.data().0, 0, "0 exactly for no elements");
    assert!([&packed, &padded, &nothing].into_iter().all(stream), "work on it is ordered by this stream");
}

fn what_is_refused() {
    let good = RawInterface {
        shape: vec![2, 3],
        typestr: "<f4".into(),
        data: (0x1000, false),
        ..Default::default()
    };
    assert!(CudaArrayInterface::try_from(good.clone()).is_ok());
    let bad = [
        ("version 1", RawInterface { version: 1, ..good.clone() }),
        ("a mask", RawInterface { has_mask: true, ..good.clone() }),
        ("big-endian data", RawInterface { typestr: ">f4".into(), ..good.clone() }),
        ("stream 0", RawInterface { stream: Some(0), ..good.clone() }),
        ("null data", RawInterface { data: (0, false), ..good.clone() }),
        ("too few strides", RawInterface { strides: Some(vec![4]), ..good }),
    ];
    for (what, raw) in bad {
        match CudaArrayInterface::try_from(raw) {
            Ok(interface) => panic!("{what} was accepted: {interface:?}"),
            Err(error) => println!("{what}:\n    {error}"),
        }
    }
    println!();
}

fn there_and_back(gpu: &Gpu, tensor: &Tensor) -> Outcome {
    let json = tensor.cuda_array_interface().to_json();
    let shown = json.replace(&tensor.pointer().to_string(), "ADDRESS");
    println!("as JSON:\n    {}", shown.replace(&gpu.stream().to_raw().to_string(), "STREAM"));
    let read = CudaArrayInterface::from_json(&json)?;
    assert_eq!(read, tensor.cuda_array_interface());
    assert_ne!(read.stream(), Some(StreamHandle::LEGACY));

    // A bare descriptor has no owner: taking it as an array is `unsafe`.
    // SAFETY: `tensor` owns the memory and outlives the buffer; its stream is the Gpu's.
    let borrowed = unsafe { CudaBuffer::from_interface(gpu, read) }?;
    assert_eq!(borrowed.pointer(), tensor.pointer());

    // A host address is refused, not copied to.
    let host = [0f32; 4];
    // SAFETY: refused, so that nothing is ever read or written there.
    let refused = unsafe { CudaBuffer::from_raw_pointer(gpu, host.as_ptr() as u64, &[4], DType::F32) };
    match refused {
        Err(error @ Error::NotDeviceMemory { .. }) => {
            let address = format!("{:#x}", host.as_ptr() as u64);
            println!("a host address:\n    {}", error.to_string().replace(&address, "0x..."));
            Ok(())
        }
        other => Err(format!("expected the host address to be refused, got {other:?}").into()),
    }
}
