//! Memory: round trips, bounds, lifetimes, and what an address is.

mod support;

use std::ptr::{null, null_mut};

use support::sys::{self, CUpointer_attribute as Attribute};
use support::*;

#[test]
fn bytes_come_back() {
    ready();
    for len in [1, 255, 256, 65_537, 1 << 20] {
        let bytes = pattern(len);
        let address = upload(&bytes);
        assert_eq!(address % 256, 0);
        assert_eq!(download(address, len), bytes);
        let copy = alloc(len);
        ok!(cuMemcpyDtoD_v2(copy, address, len));
        assert_eq!(download(copy, len), bytes);
        ok!(cuMemFree_v2(address));
        ok!(cuMemFree_v2(copy));
    }
}

#[test]
fn bytes_come_back_from_any_offset() {
    ready();
    let (bytes, device) = (pattern(100_000), alloc(100_010));
    for offset in 0..10 {
        ok!(cuMemsetD8_v2(device, 0, 100_010));
        ok!(cuMemcpyHtoD_v2(device + offset, bytes.as_ptr().cast(), 100_000));
        assert_eq!(download(device + offset, 100_000), bytes, "at {offset}");
        let all = download(device, 100_010);
        let (before, after) = (&all[..offset as usize], &all[offset as usize + 100_000..]);
        assert!(before.iter().chain(after).all(|&byte| byte == 0), "around {offset}");
    }
    ok!(cuMemFree_v2(device));
}

#[test]
fn overlapping_copies_within_an_allocation_move_all_bytes() {
    ready();
    let address = upload(&pattern(100));
    ok!(cuMemcpyDtoD_v2(address + 10, address, 90));
    assert_eq!(download(address + 10, 90), pattern(90));
    ok!(cuMemFree_v2(address));
}

#[test]
fn some_addresses_are_aligned_to_no_more_than_256() {
    ready();
    let addresses: Vec<u64> = (0..8).map(|_| alloc(1)).collect();
    assert!(addresses.iter().all(|address| address % 256 == 0));
    assert!(addresses.iter().any(|address| address % 512 != 0));
    addresses.iter().for_each(|&address| ok!(cuMemFree_v2(address)));
}

#[test]
fn fresh_memory_is_poisoned() {
    ready();
    let address = alloc(33);
    assert_eq!(download(address, 33), [0xcd; 33]);
    ok!(cuMemFree_v2(address));
}

#[test]
fn fresh_pinned_memory_is_poisoned() {
    ready();
    let mut other = null_mut();
    ok!(cuMemAllocHost_v2(&mut other, 5000));
    let blocks = [pinned(5000), other.cast()];
    for memory in blocks {
        assert_eq!(bytes_of(memory, 5000), [0xcd; 5000]);
        bytes_of(memory, 5000).fill(0);
    }
    blocks.into_iter().for_each(|memory| ok!(cuMemFreeHost(memory.cast())));
    let again = pinned(5000);
    assert_eq!(bytes_of(again, 5000), [0xcd; 5000], "also where memory was used before");
    ok!(cuMemFreeHost(again.cast()));
}

#[test]
fn an_overrun_is_refused_and_touches_nothing() {
    ready();
    let address = upload(&pattern(100));
    let mut bytes = vec![7; 200];
    assert_eq!(cu!(cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), 101)), INVALID);
    assert_eq!(cu!(cuMemcpyHtoD_v2(address + 100, bytes.as_ptr().cast(), 1)), INVALID);
    assert_eq!(cu!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address + 1, 100)), INVALID);
    assert_eq!(cu!(cuMemsetD8_v2(address, 0, 101)), INVALID);
    assert_eq!(cu!(cuMemsetD32_v2(address, 0, usize::MAX)), INVALID);
    assert_eq!(bytes, [7; 200]);
    assert_eq!(download(address, 100), pattern(100));
    ok!(cuMemFree_v2(address));
}

#[test]
fn freed_memory_is_refused() {
    ready();
    let address = alloc(100);
    let mut byte = 0_u8;
    assert_eq!(cu!(cuMemFree_v2(address + 1)), INVALID, "not its start");
    ok!(cuMemFree_v2(address));
    assert_eq!(cu!(cuMemcpyDtoH_v2((&raw mut byte).cast(), address, 1)), INVALID);
    assert_eq!(cu!(cuMemFree_v2(address)), INVALID);
    assert_eq!(cu!(cuMemFree_v2(0)), INVALID);
}

#[test]
fn host_and_device_addresses_are_not_confused() {
    ready();
    let address = alloc(16);
    let mut bytes = [0_u8; 16];
    let host = (&raw mut bytes).addr() as u64;
    assert_eq!(cu!(cuMemcpyDtoD_v2(address, host, 16)), INVALID);
    assert_eq!(cu!(cuMemcpyHtoD_v2(host, bytes.as_ptr().cast(), 16)), INVALID);
    let device = std::ptr::without_provenance(address as usize);
    assert_eq!(cu!(cuMemcpyHtoD_v2(address, device, 16)), INVALID);
    assert_eq!(cu!(cuMemcpyHtoD_v2(address, null(), 16)), INVALID);
    ok!(cuMemcpyHtoD_v2(address, null(), 0));
    ok!(cuMemFree_v2(address));
}

#[test]
fn memory_runs_out() {
    ready();
    let mut address = 0;
    let out_of_memory = CUresult::CUDA_ERROR_OUT_OF_MEMORY;
    assert_eq!(cu!(cuMemAlloc_v2(&mut address, (4 << 30) + 1)), out_of_memory);
    assert_eq!(cu!(cuMemAllocAsync(&mut address, 5 << 30, null_mut())), out_of_memory);
    assert_eq!(cu!(cuMemAlloc_v2(&mut address, 0)), INVALID);
    assert_eq!(cu!(cuMemAlloc_v2(null_mut(), 16)), INVALID);
    assert_eq!(address, 0);
}

#[test]
fn fills_repeat_their_value_and_want_alignment() {
    ready();
    let address = alloc(16);
    ok!(cuMemsetD8_v2(address, 1, 16));
    ok!(cuMemsetD16_v2(address + 2, 0x0302, 2));
    ok!(cuMemsetD32_v2(address + 8, 0x0706_0504, 1));
    assert_eq!(download(address, 16), [1, 1, 2, 3, 2, 3, 1, 1, 4, 5, 6, 7, 1, 1, 1, 1]);
    assert_eq!(cu!(cuMemsetD32_v2(address + 2, 0, 1)), INVALID);
    ok!(cuMemsetD2D8_v2(address, 4, 9, 2, 4));
    assert_eq!(download(address, 8), [9, 9, 2, 3, 9, 9, 1, 1]);
    assert_eq!(cu!(cuMemsetD2D8_v2(address, 1, 9, 2, 4)), INVALID, "rows would overlap");
    assert_eq!(cu!(cuMemsetD2D8_v2(address, 5, 9, 2, 4)), INVALID, "the last row ends past the end");
    ok!(cuMemFree_v2(address));
}

#[test]
fn rows_of_wide_values_want_alignment_too() {
    ready();
    let address = alloc(32);
    ok!(cuMemsetD2D16Async(address, 6, 0x0201, 2, 2, null_mut()));
    ok!(cuMemsetD2D32Async(address + 12, 8, 0x0605_0403, 1, 2, null_mut()));
    ok!(cuStreamSynchronize(null_mut()));
    let expected =
        [1, 2, 1, 2, 0xcd, 0xcd, 1, 2, 1, 2, 0xcd, 0xcd, 3, 4, 5, 6, 0xcd, 0xcd, 0xcd, 0xcd, 3, 4, 5, 6];
    assert_eq!(download(address, 24), expected);
    let d32 =
        |address, pitch, width, height| cu!(cuMemsetD2D32Async(address, pitch, 0, width, height, null_mut()));
    assert_eq!(d32(address + 2, 8, 1, 2), INVALID, "an address of no whole word");
    assert_eq!(d32(address, 6, 1, 2), INVALID, "a pitch of no whole word");
    assert_eq!(d32(address, 4, 2, 2), INVALID, "rows would overlap");
    assert_eq!(d32(address, 0, 2, 1), OK, "one row needs no pitch");
    assert_eq!(d32(0, 8, 1, 2), INVALID, "no memory");
    assert_eq!((d32(address, 4, 0, 2), d32(address, 4, 2, 0)), (OK, OK), "nothing to fill");
    assert_eq!(cu!(cuMemsetD2D16Async(address + 1, 4, 0, 1, 2, null_mut())), INVALID);
    ok!(cuMemFree_v2(address));
}

#[test]
fn pinned_memory_is_a_device_address_too() {
    ready();
    let memory = pinned(100);
    bytes_of(memory, 100).copy_from_slice(&pattern(100));
    let mut address = 0;
    ok!(cuMemHostGetDevicePointer_v2(&mut address, memory.cast(), 0));
    assert_eq!(address, memory.addr() as u64);
    let target = alloc(100);
    ok!(cuMemcpyDtoD_v2(target, address, 100));
    assert_eq!(download(target, 100), pattern(100));
    ok!(cuMemsetD8_v2(address, 3, 100));
    assert_eq!(bytes_of(memory, 100), [3; 100]);
    assert_eq!(cu!(cuMemcpyHtoD_v2(target, memory.cast(), 101)), INVALID);
    ok!(cuMemFree_v2(target));
    ok!(cuMemFreeHost(memory.cast()));
    assert_eq!(cu!(cuMemFreeHost(memory.cast())), INVALID);
}

#[test]
fn registered_memory_is_the_programs_own() {
    ready();
    let mut bytes = pattern(8192);
    let memory = bytes.as_mut_ptr().cast();
    ok!(cuMemHostRegister_v2(memory, 8192, 0));
    let again = cu!(cuMemHostRegister_v2(memory, 10, 0));
    assert_eq!(again, CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_eq!(cu!(cuMemFreeHost(memory)), INVALID);
    ok!(cuMemHostUnregister(memory));
    let again = cu!(cuMemHostUnregister(memory));
    assert_eq!(again, CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_eq!(bytes, pattern(8192));
}

#[test]
fn managed_memory_is_read_and_written_on_both_sides() {
    ready();
    let mut address = 0;
    ok!(cuMemAllocManaged(&mut address, 16, 1));
    ok!(cuMemsetD8_v2(address, 5, 16));
    assert_eq!(bytes_of(std::ptr::with_exposed_provenance_mut(address as usize), 16), [5; 16]);
    assert_eq!(attribute::<i32>(address, Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED), Ok(1));
    ok!(cuMemFree_v2(address));
}

#[test]
fn pitched_memory_has_rows_of_a_multiple_of_512() {
    ready();
    let (mut address, mut pitch) = (0, 0);
    ok!(cuMemAllocPitch_v2(&mut address, &mut pitch, 700, 3, 4));
    assert_eq!((address % 512, pitch), (0, 1024));
    assert_eq!(attribute::<usize>(address, Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE), Ok(3 * 1024));
    assert_eq!(cu!(cuMemAllocPitch_v2(&mut address, &mut pitch, 700, 3, 5)), INVALID);
    ok!(cuMemFree_v2(address));
}

fn attribute<T: Default>(address: u64, attribute: Attribute) -> Result<T, CUresult> {
    let mut value = T::default();
    match cu!(cuPointerGetAttribute((&raw mut value).cast(), attribute, address)) {
        OK => Ok(value),
        code => Err(code),
    }
}

#[test]
fn an_address_tells_what_it_is() {
    let context = ready();
    let address = alloc(100);
    let inside = address + 40;
    assert_eq!(attribute::<usize>(inside, Attribute::CU_POINTER_ATTRIBUTE_CONTEXT), Ok(context.addr()));
    assert_eq!(attribute::<u32>(inside, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), Ok(2));
    assert_eq!(attribute::<u64>(inside, Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER), Ok(inside));
    assert_eq!(attribute::<u64>(inside, Attribute::CU_POINTER_ATTRIBUTE_HOST_POINTER), Err(INVALID));
    assert_eq!(attribute::<i32>(inside, Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL), Ok(0));
    assert_eq!(attribute::<u64>(inside, Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), Ok(address));
    assert_eq!(attribute::<usize>(inside, Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE), Ok(100));
    let (mut start, mut size) = (0, 0);
    ok!(cuMemGetAddressRange_v2(&mut start, &mut size, inside));
    assert_eq!((start, size), (address, 100));
    ok!(cuMemFree_v2(address));
    assert_eq!(attribute::<u32>(inside, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), Err(INVALID));
}

#[test]
fn an_unknown_address_is_an_error_of_the_single_question_only() {
    ready();
    let local = 0_u8;
    let address = (&raw const local).addr() as u64;
    assert_eq!(attribute::<u32>(address, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), Err(INVALID));
    let (mut kind, mut pointer) = (77_u32, 77_u64);
    let mut attributes =
        [Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER];
    let mut values = [(&raw mut kind).cast(), (&raw mut pointer).cast()];
    ok!(cuPointerGetAttributes(2, attributes.as_mut_ptr(), values.as_mut_ptr(), address));
    assert_eq!((kind, pointer), (0, 0));
}

#[test]
fn pools_count_what_is_allocated_from_them() {
    ready();
    let mut properties = pool_properties();
    let mut pool = null_mut();
    ok!(cuMemPoolCreate(&mut pool, &properties));
    let mut address = 0;
    ok!(cuMemAllocFromPoolAsync(&mut address, 1000, pool, null_mut()));
    let used = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
    let mut bytes = 0_u64;
    ok!(cuMemPoolGetAttribute(pool, used, (&raw mut bytes).cast()));
    assert_eq!(bytes, 1000);
    let handle = Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    assert_eq!(attribute::<usize>(address, handle), Ok(pool.addr()));
    ok!(cuMemFreeAsync(address, null_mut()));
    ok!(cuMemPoolGetAttribute(pool, used, (&raw mut bytes).cast()));
    assert_eq!(bytes, 0);
    ok!(cuMemPoolDestroy(pool));
    assert_eq!(cu!(cuMemPoolDestroy(pool)), INVALID);
    properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_INVALID;
    assert_ne!(cu!(cuMemPoolCreate(&mut pool, &properties)), OK);
}

fn pool_properties() -> sys::CUmemPoolProps {
    sys::CUmemPoolProps {
        allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        win32SecurityAttributes: null_mut(),
        reserved: [0; 64],
    }
}

#[test]
fn memory_that_is_not_from_a_pool_is_not_freed_asynchronously() {
    ready();
    let address = alloc(16);
    assert_eq!(cu!(cuMemFreeAsync(address, null_mut())), INVALID);
    ok!(cuMemFree_v2(address));
}
