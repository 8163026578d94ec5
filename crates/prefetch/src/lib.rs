//! Prefetching: memory is brought into the processor's cache before it is needed.
//!
//! Invariant: a prefetch changes nothing and reads no value, so a prefetch of the wrong memory costs time and nothing
//! else. This crate has the only `unsafe` of the project: Rust has no safe function for the instruction.

/// Asks the processor to bring the first cache line of `value` into all levels of its cache, and does not wait for it.
/// Does nothing on processors other than x86-64.
#[inline(always)]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "Rust has no safe function for the instruction")
)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, which ends in no fault for any address (Intel SDM,
        // volume 2, PREFETCHh); the address is that of a value besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_value_stays_as_it_is() {
        let value = [7_u64; 100];
        super::prefetch(&value);
        assert_eq!(value, [7; 100]);
    }
}
