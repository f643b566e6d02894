//! New host memory for a download.

use std::mem::MaybeUninit;

use super::workers::HUGE_PAGE;

/// Asks the system for huge pages under new memory: giving it page by page costs more than the copy. A wish
/// only, where it is not granted the copy is slower.
pub(super) fn prefer_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    let start = memory.as_mut_ptr() as usize;
    let end = start + size_of_val(memory);
    let (first, last) = (start.next_multiple_of(HUGE_PAGE), end / HUGE_PAGE * HUGE_PAGE);
    if first >= last {
        return;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: whole pages within memory that is borrowed mutably; the advice changes nothing that it holds.
    let _ = unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
}
