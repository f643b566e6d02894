//! New host memory for a download.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::workers::HUGE_PAGE;

/// Asks the system for huge pages under memory that holds nothing yet: giving it page by page costs more than the copy.
/// A wish only, where it is not granted the copy is slower.
pub(super) fn prefer_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    let Some(pages) = huge_pages(memory) else { return };
    #[cfg(target_os = "linux")]
    // SAFETY: whole pages within memory that is borrowed mutably; the advice changes nothing that it holds.
    let _ = unsafe { libc::madvise(pages.start as *mut libc::c_void, pages.len(), libc::MADV_HUGEPAGE) };
    #[cfg(not(target_os = "linux"))]
    let _ = pages;
}

/// Whether the system has yet to give this memory, all or some of it: allocators hand out again what they got back. Of
/// memory without a whole huge page, which takes little time to give, it is not asked; where it cannot be asked, the
/// memory counts as new.
pub(super) fn is_new<T>(memory: &mut [MaybeUninit<T>]) -> bool {
    huge_pages(memory).is_some_and(|pages| !is_given(pages.start) || !is_given(pages.end - HUGE_PAGE))
}

/// The addresses of the whole huge pages within, if there are any.
fn huge_pages<T>(memory: &mut [MaybeUninit<T>]) -> Option<Range<usize>> {
    let start = memory.as_mut_ptr() as usize;
    let end = (start + size_of_val(memory)) / HUGE_PAGE * HUGE_PAGE;
    let start = start.next_multiple_of(HUGE_PAGE);
    (start < end).then_some(start..end)
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
        prefer_huge_pages(memory.spare_capacity_mut());
        assert!(is_new(memory.spare_capacity_mut()));
        memory.resize(64 << 20, 1);
        memory.clear();
        assert!(!is_new(memory.spare_capacity_mut()));
        assert!(!is_new(&mut memory.spare_capacity_mut()[..100]));
    }
}
