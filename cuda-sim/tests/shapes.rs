//! 2-D and 3-D copies: every byte where it belongs, and descriptions that make no sense refused.

mod support;

use std::ptr::{null, null_mut};

use support::sys::{CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUmemorytype};
use support::*;

/// A 2-D copy from packed host rows to device rows, to be changed by each test.
fn to_device(host: &[u8], device: u64, pitch: usize, width: usize, height: usize) -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: host.as_ptr().cast(),
        srcDevice: 0,
        srcArray: null_mut(),
        srcPitch: width,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstHost: null_mut(),
        dstDevice: device,
        dstArray: null_mut(),
        dstPitch: pitch,
        WidthInBytes: width,
        Height: height,
    }
}

#[test]
fn rows_go_to_their_pitch_and_come_back_for_every_width() {
    ready();
    for width in 1..=65 {
        let (pitch, height) = (72, 5);
        let bytes = pattern(width * height);
        let device = alloc(pitch * (height - 1) + width);
        ok!(cuMemcpy2D_v2(&to_device(&bytes, device, pitch, width, height)));
        for row in 0..height {
            assert_eq!(download(device + (row * pitch) as u64, width), bytes[row * width..][..width]);
        }
        let mut back = vec![0; width * height];
        let mut copy = to_device(&[], 0, pitch, width, height);
        (copy.srcMemoryType, copy.srcDevice, copy.srcPitch) = (copy.dstMemoryType, device, pitch);
        (copy.dstMemoryType, copy.dstPitch) = (CUmemorytype::CU_MEMORYTYPE_HOST, width);
        copy.dstHost = back.as_mut_ptr().cast();
        ok!(cuMemcpy2DUnaligned_v2(&copy));
        assert_eq!(back, bytes);
        ok!(cuMemFree_v2(device));
    }
}

#[test]
fn the_gap_between_rows_is_left_alone() {
    ready();
    let device = alloc(3 * 8);
    ok!(cuMemcpy2D_v2(&to_device(&pattern(15), device, 8, 5, 3)));
    assert_eq!(download(device, 16), [0, 1, 2, 3, 4, 0xcd, 0xcd, 0xcd, 5, 6, 7, 8, 9, 0xcd, 0xcd, 0xcd]);
    ok!(cuMemFree_v2(device));
}

#[test]
fn an_offset_moves_the_first_row() {
    ready();
    let device = alloc(4 * 8);
    ok!(cuMemsetD8_v2(device, 0, 32));
    let bytes = pattern(9);
    let mut copy = to_device(&bytes, device, 8, 2, 2);
    (copy.srcXInBytes, copy.srcY, copy.srcPitch) = (1, 1, 3);
    (copy.dstXInBytes, copy.dstY) = (3, 2);
    ok!(cuMemcpy2D_v2(&copy));
    let mut expected = [0; 32];
    expected[19..21].copy_from_slice(&[4, 5]);
    expected[27..29].copy_from_slice(&[7, 8]);
    assert_eq!(download(device, 32), expected);
    ok!(cuMemFree_v2(device));
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    ready();
    let (bytes, device) = (pattern(64), alloc(31));
    let fits = |pitch, width, height| cu!(cuMemcpy2D_v2(&to_device(&bytes, device, pitch, width, height)));
    assert_eq!(fits(8, 7, 4), OK, "ends with the last byte");
    assert_eq!(fits(8, 8, 4), INVALID, "one byte past the end");
    assert_eq!(fits(6, 7, 4), INVALID, "pitch below the width");
    assert_eq!(fits(0, 7, 2), INVALID, "no pitch");
    assert_eq!(fits(0, 7, 1), OK, "one row needs none");
    assert_eq!(fits(1 << 40, 7, 1), INVALID, "above the largest pitch");
    assert_eq!(fits(8, usize::MAX, 4), INVALID);
    assert_eq!(fits(8, 7, usize::MAX), INVALID);
    assert_eq!(fits(8, 0, 4), OK, "nothing to copy");
    assert_eq!(fits(8, 7, 0), OK, "nothing to copy");
    let mut array = to_device(&bytes, device, 8, 7, 4);
    array.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
    assert_eq!(cu!(cuMemcpy2D_v2(&array)), CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(cu!(cuMemcpy2D_v2(null())), INVALID);
    ok!(cuMemFree_v2(device));
}

/// A 3-D copy from packed host slices to device slices.
fn slices(host: &[u8], device: u64, [pitch, rows]: [usize; 2], extent: [usize; 3]) -> CUDA_MEMCPY3D {
    let [width, height, depth] = extent;
    CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: host.as_ptr().cast(),
        srcDevice: 0,
        srcArray: null_mut(),
        reserved0: null_mut(),
        srcPitch: width,
        srcHeight: height,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_UNIFIED,
        dstHost: null_mut(),
        dstDevice: device,
        dstArray: null_mut(),
        reserved1: null_mut(),
        dstPitch: pitch,
        dstHeight: rows,
        WidthInBytes: width,
        Height: height,
        Depth: depth,
    }
}

#[test]
fn slices_go_to_their_height_and_come_back() {
    ready();
    let (pitch, rows, [width, height, depth]) = (8, 5, [3, 4, 2]);
    let bytes = pattern(width * height * depth);
    let device = alloc(pitch * rows * depth);
    let mut copy = slices(&bytes, device, [pitch, rows], [width, height, depth]);
    ok!(cuMemcpy3D_v2(&copy));
    for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
        let row = download(device + ((z * rows + y) * pitch) as u64, width);
        assert_eq!(row, bytes[(z * height + y) * width..][..width]);
    }
    let mut back = vec![0; bytes.len()];
    (copy.srcMemoryType, copy.srcDevice) = (CUmemorytype::CU_MEMORYTYPE_DEVICE, device);
    (copy.srcPitch, copy.srcHeight) = (pitch, rows);
    (copy.dstMemoryType, copy.dstHost) = (CUmemorytype::CU_MEMORYTYPE_HOST, back.as_mut_ptr().cast());
    (copy.dstPitch, copy.dstHeight) = (width, height);
    ok!(cuMemcpy3DAsync_v2(&copy, null_mut()));
    ok!(cuStreamSynchronize(null_mut()));
    assert_eq!(back, bytes);
    ok!(cuMemFree_v2(device));
}

#[test]
fn slices_that_do_not_fit_are_refused() {
    ready();
    let (bytes, device) = (pattern(64), alloc(2 * 4 * 8));
    let fits = |pitch, rows, extent| cu!(cuMemcpy3D_v2(&slices(&bytes, device, [pitch, rows], extent)));
    assert_eq!(fits(8, 4, [8, 4, 2]), OK);
    assert_eq!(fits(8, 3, [8, 4, 2]), INVALID, "height below the rows");
    assert_eq!(fits(8, 0, [8, 4, 2]), INVALID, "no height");
    assert_eq!(fits(8, 0, [8, 4, 1]), OK, "one slice needs none");
    assert_eq!(fits(8, 5, [8, 4, 2]), INVALID, "past the end");
    assert_eq!(fits(8, 4, [8, 4, usize::MAX]), INVALID);
    assert_eq!(fits(8, 4, [8, 4, 0]), OK, "nothing to copy");
    ok!(cuMemFree_v2(device));
}
