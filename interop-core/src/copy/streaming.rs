//! Copies within host memory that leave what they write in the caches, or write past them: for bytes that the copying
//! core does not read again soon.

/// The bytes of a cache line, on every x86-64 and nearly every 64-bit ARM processor.
pub(super) const LINE: usize = 64;
/// Runs shorter than this are copied as usual, in bytes.
const SHORTEST: usize = 256;

/// Where the copied bytes are to be found afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stores {
    /// In the caches of the processor that copied them.
    Cached,
    /// In memory: neither is the target read first, nor does it push out what the caches hold.
    Streaming,
}

/// Copies a run of bytes.
///
/// # Safety
/// `bytes` bytes can be read from `source` and written to `target`, and the two share none. After streaming
/// stores, [`fence`] comes before any other access to the bytes, by this thread too.
pub(super) unsafe fn copy_run(stores: Stores, source: *const u8, target: *mut u8, bytes: usize) {
    match stores {
        // SAFETY: the caller's promise.
        Stores::Streaming if bytes >= SHORTEST => unsafe { stream_run(source, target, bytes) },
        // SAFETY: as above.
        _ => unsafe { target.copy_from_nonoverlapping(source, bytes) },
    }
}

/// Copies as many bytes as a line has: past the caches where they are one.
///
/// # Safety
/// As [`copy_run`], of [`LINE`] bytes.
pub(super) unsafe fn copy_line(stores: Stores, source: *const u8, target: *mut u8) {
    match stores {
        // SAFETY: the caller's promise.
        Stores::Streaming if target.addr().is_multiple_of(LINE) => unsafe {
            stream_run(source, target, LINE);
        },
        // SAFETY: as above.
        _ => unsafe { target.copy_from_nonoverlapping(source, LINE) },
    }
}

/// Orders streaming stores before whatever comes next.
pub(super) fn fence(stores: Stores) {
    #[cfg(target_arch = "x86_64")]
    if stores == Stores::Streaming {
        // SAFETY: every x86-64 processor has it.
        unsafe { std::arch::x86_64::_mm_sfence() };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = stores;
}

/// # Safety
/// As [`copy_run`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream_run(source: *const u8, target: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    const PART: usize = size_of::<__m128i>();
    let head = target.align_offset(LINE).min(bytes);
    let end = bytes - (bytes - head) % LINE;
    // Rows of whole lines have neither.
    if head > 0 {
        // SAFETY: the head is a part of the run.
        unsafe { target.copy_from_nonoverlapping(source, head) };
    }
    for at in (head..end).step_by(PART) {
        // SAFETY: the part lies within the run; reading needs no alignment.
        let part = unsafe { _mm_loadu_si128(source.wrapping_add(at).cast()) };
        // SAFETY: as above; whole parts behind the head are aligned; the caller fences before the next access.
        unsafe { _mm_stream_si128(target.wrapping_add(at).cast(), part) };
    }
    if end < bytes {
        // SAFETY: the rest is a part of the run.
        unsafe { target.wrapping_add(end).copy_from_nonoverlapping(source.wrapping_add(end), bytes - end) };
    }
}

/// # Safety
/// As [`copy_run`].
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream_run(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { target.copy_from_nonoverlapping(source, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_no_other_is_copied() {
        let source: Vec<u8> = (0..5000u32).map(|index| (index * 31 % 251) as u8 + 1).collect();
        for (first, start, bytes) in [(0, 0, 4096), (3, 1, 4001), (1, 63, 257), (7, 64, 256), (0, 5, 255)] {
            let mut target = vec![0u8; 5000];
            let to = target[start..start + bytes].as_mut_ptr();
            // SAFETY: both slices hold so many bytes, and are two vectors.
            unsafe { copy_run(Stores::Streaming, source[first..first + bytes].as_ptr(), to, bytes) };
            fence(Stores::Streaming);
            assert_eq!(target[start..start + bytes], source[first..first + bytes], "{first} {start} {bytes}");
            assert!(target[..start].iter().chain(&target[start + bytes..]).all(|byte| *byte == 0));
        }
    }
}
