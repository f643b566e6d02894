//! New host memory for a download.

use std::mem::MaybeUninit;

use super::workers::HUGE_PAGE;

/// Asks the system for huge pages under memory that holds nothing yet: giving it page by page costs more than the copy.
/// A wish only, where it is not granted the copy is slower. Returns whether the system has yet to give the memory:
/// allocators hand out again what they got back.
pub(super) fn prefer_huge_pages<T>(memory: &mut [MaybeUninit<T>]) -> bool {
    let start = memory.as_mut_ptr() as usize;
    let end = start + size_of_val(memory);
    let (first, last) = (start.next_multiple_of(HUGE_PAGE), end / HUGE_PAGE * HUGE_PAGE);
    if first >= last || is_given(first) && is_given(last - HUGE_PAGE) {
        return false;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: whole pages within memory that is borrowed mutably; the advice changes nothing that it holds.
    let _ = unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
    true
}

/// Whether there is memory behind an address, the start of a page in memory of this process.
#[cfg(target_os = "linux")]
fn is_given(page: usize) -> bool {
    let mut state = 0;
    // SAFETY: the state of one byte's page is one byte; the call changes nothing that memory holds.
    let asked = unsafe { libc::mincore(page as *mut libc::c_void, 1, &mut state) };
    asked == 0 && state & 1 == 1
}

#[cfg(not(target_os = "linux"))]
fn is_given(_page: usize) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_new_until_it_is_written() {
        let mut memory = Vec::<u8>::with_capacity(64 << 20);
        assert!(prefer_huge_pages(memory.spare_capacity_mut()));
        memory.resize(64 << 20, 1);
        memory.clear();
        assert!(!prefer_huge_pages(memory.spare_capacity_mut()));
        assert!(!prefer_huge_pages(&mut memory.spare_capacity_mut()[..100]));
    }
}
