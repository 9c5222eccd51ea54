//! Memory that will be needed soon.

/// No more cache lines than this of one row are fetched: a longer one is met in order, which processors foresee.
#[cfg(target_arch = "x86_64")]
const MOST_LINES: usize = 32;

/// Has the processor fetch some numbers while it works on others: a pass over shuffled rows then takes two thirds of
/// the time.
#[inline]
pub fn fetch<T>(numbers: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in numbers.chunks(64 / size_of::<T>()).take(MOST_LINES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer is to numbers that are there; and a prefetch never reads for the program.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = numbers;
}
