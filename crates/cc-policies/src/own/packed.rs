//! The state of a flow under a response of one's own, as bytes.
//!
//! Invariant: a state is `Copy` and of a fixed size, like that of a built-in response, so that it lies beside the flow.
//! A type that does not fit does not compile.

use units::{Bytes, Rate, Span, Time};

/// Most bytes of a flow's state.
const MOST: usize = 24;

/// State of a flow, as bytes. Only the response that made it can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedState([u8; MOST]);

state_codec::value!(PackedState { 0 });

/// A value of a fixed number of bytes. [`packed!`](crate::packed) implements it for a struct.
pub trait Packed: Copy {
    /// Number of bytes.
    const BYTES: usize;

    /// Writes the value to [`BYTES`](Self::BYTES) bytes.
    fn pack(self, to: &mut [u8]);

    /// Reads the value that [`pack`](Self::pack) has written.
    fn unpack(from: &[u8]) -> Self;
}

impl PackedState {
    /// Packs a state.
    #[inline]
    pub(super) fn of<T: Packed>(state: T) -> Self {
        const { assert!(T::BYTES <= MOST, "the state of a flow has at most 24 bytes") };
        let mut bytes = [0; MOST];
        state.pack(&mut bytes[..T::BYTES]);
        Self(bytes)
    }

    /// Unpacks the state.
    #[inline]
    pub(super) fn get<T: Packed>(&self) -> T {
        T::unpack(&self.0[..T::BYTES])
    }
}

/// Implements [`Packed`](crate::own::Packed) for a struct, all of whose fields are named with their types.
///
/// ```
/// use cc_policies::own::Packed;
/// use units::{Span, Time};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Backoff { gap: Span, until: Time, marks: u32 }
/// cc_policies::packed!(Backoff { gap: Span, until: Time, marks: u32 });
///
/// assert_eq!(Backoff::BYTES, 20);
/// let state = Backoff { gap: Span::from_ns(3), until: Time::NEVER, marks: 7 };
/// let mut bytes = [0; 20];
/// state.pack(&mut bytes);
/// assert_eq!(Backoff::unpack(&bytes), state);
/// ```
///
/// A field that is not named does not compile:
///
/// ```compile_fail
/// #[derive(Clone, Copy)]
/// struct Backoff { gap: u64, marks: u32 }
/// cc_policies::packed!(Backoff { gap: u64 });
/// ```
#[macro_export]
macro_rules! packed {
    ($type:ty { $($field:ident: $kind:ty),* $(,)? }) => {
        impl $crate::own::Packed for $type {
            const BYTES: usize = 0 $(+ <$kind as $crate::own::Packed>::BYTES)*;

            fn pack(self, to: &mut [u8]) {
                let Self { $($field),* } = self;
                let rest = to;
                $(let (part, rest) = rest.split_at_mut(<$kind as $crate::own::Packed>::BYTES);
                <$kind as $crate::own::Packed>::pack($field, part);)*
                debug_assert!(rest.is_empty(), "the bytes are those of the fields");
            }

            fn unpack(from: &[u8]) -> Self {
                let rest = from;
                $(let (part, rest) = rest.split_at(<$kind as $crate::own::Packed>::BYTES);
                let $field = <$kind as $crate::own::Packed>::unpack(part);)*
                debug_assert!(rest.is_empty(), "the bytes are those of the fields");
                Self { $($field),* }
            }
        }
    };
}

/// Implements [`Packed`] for numbers.
macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Packed for $type {
            const BYTES: usize = size_of::<Self>();

            #[inline]
            fn pack(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn unpack(from: &[u8]) -> Self {
                Self::from_le_bytes(from.try_into().expect("as many bytes as were packed"))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

/// Implements [`Packed`] for types that a number stands for.
macro_rules! by_number {
    ($($type:ty: $number:ty, $to:expr, $from:expr;)*) => {$(
        impl Packed for $type {
            const BYTES: usize = <$number>::BYTES;

            #[inline]
            fn pack(self, to: &mut [u8]) {
                <$number>::pack($to(self), to);
            }

            #[inline]
            fn unpack(from: &[u8]) -> Self {
                $from(<$number>::unpack(from))
            }
        }
    )*};
}

by_number! {
    bool: u8, u8::from, |byte| byte != 0;
    Time: u64, Time::ps, Time::from_ps;
    Span: u64, Span::ps, Span::from_ps;
    Bytes: u64, Bytes::get, Bytes::new;
    Rate: u64, Rate::get, Rate::bps;
}

/// The state of a response that keeps none.
impl Packed for () {
    const BYTES: usize = 0;

    fn pack(self, _: &mut [u8]) {}

    fn unpack(_: &[u8]) {}
}

#[cfg(test)]
mod tests {
    use core::fmt::Debug;

    use super::*;

    fn survives<T: Packed + PartialEq + Debug>(value: T) {
        assert_eq!(PackedState::of(value).get::<T>(), value);
    }

    #[test]
    fn values_survive() {
        [0, 1, u64::MAX].into_iter().for_each(survives);
        [i32::MIN, -1, i32::MAX].into_iter().for_each(survives);
        [0.0, -1.5, f64::MIN_POSITIVE, f64::INFINITY].into_iter().for_each(survives);
        [false, true].into_iter().for_each(survives);
        [Time::ZERO, Time::NEVER].into_iter().for_each(survives);
        survives(Span::from_ns(7));
        survives(Bytes::kib(3));
        survives(Rate::gbps(400));
        survives(());
    }
}
