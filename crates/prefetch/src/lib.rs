//! Prefetching: memory is brought into the processor's cache before it is needed.
//!
//! Invariant: a prefetch changes nothing and reads no value, so a prefetch of the wrong memory costs time and nothing
//! else. This crate has the only `unsafe` of the program: Rust has no safe function for the instruction.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks the processor to bring the first cache line of `value` into the second level of its cache, and does not wait for it.
/// Does nothing on processors other than x86-64.
///
/// The second level, since a processor may leave a prefetch into the first one undone while as many misses are under way as that
/// level can have, and since memory asked for long ahead is evicted from there before it is needed.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_at(core::ptr::from_ref(value).cast());
}

/// Asks the same for all cache lines of the first `bytes` bytes from `value` on.
#[inline(always)]
pub fn prefetch_bytes<T>(value: &T, bytes: usize) {
    let first = core::ptr::from_ref(value).cast::<u8>();
    (0..bytes).step_by(LINE).for_each(|offset| prefetch_at(first.wrapping_add(offset)));
    // A value that does not begin a cache line may end in one more.
    if align_of::<T>() < LINE && bytes > 0 {
        prefetch_at(first.wrapping_add(bytes - 1));
    }
}

/// Asks for all cache lines of `value`.
#[inline(always)]
pub fn prefetch_all<T>(value: &T) {
    prefetch_bytes(value, size_of::<T>());
}

#[inline(always)]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "Rust has no safe function for the instruction")
)]
fn prefetch_at(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, which ends in no fault for any address (Intel SDM,
        // volume 2, PREFETCHh); the address is within a value besides.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_value_stays_as_it_is() {
        let value = [7_u64; 100];
        super::prefetch(&value);
        super::prefetch_all(&value);
        super::prefetch_bytes(&value, 0);
        assert_eq!(value, [7; 100]);
    }
}
