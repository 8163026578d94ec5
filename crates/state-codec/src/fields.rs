//! Macros by which types name their fields.
//!
//! Invariant: a type that has a field which its macro does not name does not compile.

/// Implements [`Value`](crate::Value), and [`State`](crate::State), for a type all of whose fields are values.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Counts { sent: u64, last: Option<u16> }
/// state_codec::value!(Counts { sent, last });
///
/// #[derive(Debug, PartialEq)]
/// enum Place { Nowhere, Queue(u32), Wire { from: u8, to: u8 } }
/// state_codec::value!(enum Place { 0 = Nowhere, 1 = Queue(number), 2 = Wire { from, to } });
///
/// let mut to = state_codec::StateWriter::new();
/// state_codec::Value::put(&Place::Wire { from: 1, to: 2 }, &mut to);
/// let mut from = state_codec::StateReader::new(to.bytes());
/// assert_eq!(state_codec::Value::take(&mut from), Ok(Place::Wire { from: 1, to: 2 }));
/// ```
///
/// `value!(by_hand TYPE)` implements only `State`, of a type whose `Value` is implemented by hand.
///
/// A field that is not named does not compile:
///
/// ```compile_fail
/// struct Counts { sent: u64, last: Option<u16> }
/// state_codec::value!(Counts { sent });
/// ```
#[macro_export]
macro_rules! value {
    (enum $type:ty { $($tag:literal = $variant:ident
        $(( $($inner:ident),* $(,)? ))? $({ $($field:ident),* $(,)? })?),* $(,)? }) => {
        impl $crate::Value for $type {
            fn put(&self, to: &mut $crate::StateWriter) {
                match self {
                    $(Self::$variant $(( $($inner),* ))? $({ $($field),* })? => {
                        to.tag($tag);
                        $($( $crate::Value::put($inner, to); )*)?
                        $($( $crate::Value::put($field, to); )*)?
                    })*
                }
            }

            fn take(from: &mut $crate::StateReader<'_>) -> Result<Self, $crate::StateError> {
                Ok(match from.tag()? {
                    $($tag => Self::$variant
                        $(( $({ let $inner = $crate::Value::take(from)?; $inner }),* ))?
                        $({ $($field: $crate::Value::take(from)?),* })?,)*
                    _ => return Err(from.malformed(concat!("no variant of ", stringify!($type)))),
                })
            }
        }
        $crate::value!(@state [] $type);
    };
    (by_hand $type:ty) => {
        $crate::value!(@state [] $type);
    };
    ([$($generics:tt)*] $type:ty { $($field:tt),* $(,)? }) => {
        impl<$($generics)*> $crate::Value for $type {
            fn put(&self, to: &mut $crate::StateWriter) {
                $($crate::Value::put(&self.$field, to);)*
                let _ = to;
            }

            fn take(from: &mut $crate::StateReader<'_>) -> Result<Self, $crate::StateError> {
                let _ = &from;
                Ok(Self { $($field: $crate::Value::take(from)?),* })
            }
        }
        $crate::value!(@state [$($generics)*] $type);
    };
    ($type:ty { $($field:tt),* $(,)? }) => {
        $crate::value!([] $type { $($field),* });
    };
    (@state [$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $crate::State for $type {
            fn save(&self, to: &mut $crate::StateWriter) {
                $crate::Value::put(self, to);
            }

            fn load(&mut self, from: &mut $crate::StateReader<'_>) -> Result<(), $crate::StateError> {
                *self = $crate::Value::take(from)?;
                Ok(())
            }
        }
    };
}

/// Implements [`State`](crate::State) for a type, field by field.
///
/// | field | meaning |
/// |---|---|
/// | `name` | a value, which is saved |
/// | `name: part` | an object with a state of its own |
/// | `name: plan` | built from the plan, and the same during the whole run |
/// | `name: derived` | computed anew from the rest, by who loads the object |
///
/// ```
/// use state_codec::{State, StateReader, StateWriter};
/// struct Queue { limit: u64, length: u64 }
/// state_codec::state!(Queue { limit: plan, length });
///
/// let mut to = StateWriter::new();
/// Queue { limit: 9, length: 4 }.save(&mut to);
/// let mut built = Queue { limit: 9, length: 0 };
/// built.load(&mut StateReader::new(to.bytes()))?;
/// assert_eq!((built.limit, built.length), (9, 4));
/// # Ok::<(), state_codec::StateError>(())
/// ```
///
/// A field that is not named does not compile:
///
/// ```compile_fail
/// struct Queue { limit: u64, length: u64 }
/// state_codec::state!(Queue { length });
/// ```
#[macro_export]
macro_rules! state {
    (enum $type:ty { $($tag:literal = $variant:ident
        $(( $($inner:ident $(: $part:ident)?),* $(,)? ))?
        $({ $($field:ident $(: $role:ident)?),* $(,)? })?),* $(,)? }) => {
        impl $crate::State for $type {
            fn save(&self, to: &mut $crate::StateWriter) {
                match self {
                    $(Self::$variant $(( $($inner),* ))? $({ $($field),* })? => {
                        to.tag($tag);
                        $($( $crate::state!(@save to $inner $($part)?); )*)?
                        $($( $crate::state!(@save to $field $($role)?); )*)?
                    })*
                }
            }

            fn load(&mut self, from: &mut $crate::StateReader<'_>) -> Result<(), $crate::StateError> {
                let tag = from.tag()?;
                match self {
                    $(Self::$variant $(( $($inner),* ))? $({ $($field),* })? if tag == $tag => {
                        $($( $crate::state!(@load from $inner $($part)?); )*)?
                        $($( $crate::state!(@load from $field $($role)?); )*)?
                    })*
                    _ => return Err(from.malformed(concat!("another variant of ", stringify!($type)))),
                }
                Ok(())
            }
        }
    };
    ([$($generics:tt)*] $type:ty { $($field:ident $(: $role:ident)?),* $(,)? }) => {
        impl<$($generics)*> $crate::State for $type {
            fn save(&self, to: &mut $crate::StateWriter) {
                let Self { $($field),* } = self;
                $($crate::state!(@save to $field $($role)?);)*
            }

            fn load(&mut self, from: &mut $crate::StateReader<'_>) -> Result<(), $crate::StateError> {
                let Self { $($field),* } = self;
                $($crate::state!(@load from $field $($role)?);)*
                Ok(())
            }
        }
    };
    ($type:ty { $($field:ident $(: $role:ident)?),* $(,)? }) => {
        $crate::state!([] $type { $($field $(: $role)?),* });
    };
    (@save $to:ident $field:ident) => { $crate::Value::put($field, $to) };
    (@save $to:ident $field:ident part) => { $crate::State::save($field, $to) };
    (@save $to:ident $field:ident plan) => {{ let _ = $field; }};
    (@save $to:ident $field:ident derived) => {{ let _ = $field; }};
    (@load $from:ident $field:ident) => { $crate::Value::replace($field, $from)? };
    (@load $from:ident $field:ident part) => { $crate::State::load($field, $from)? };
    (@load $from:ident $field:ident derived) => {{ let _ = $field; }};
    (@load $from:ident $field:ident plan) => {{ let _ = $field; }};
}
