//! Exact integer quantities and their spelling.
//!
//! Invariant: no quantity is a float, and no conversion is silently lossy. A text with more precision than the unit can
//! represent is an error, not a rounding.
//!
//! | type | contents | in text |
//! |---|---|---|
//! | [`Time`] | picoseconds since the start of the run | `"100 ms"` |
//! | [`Span`] | picoseconds between two times | `"1.024 us"` |
//! | [`Bytes`] | a count of bytes | `"8 KiB"` |
//! | [`Rate`] | bits a second | `"13.2 Gb/s"` |
//! | [`Length`] | millimetres of cable | `"2 m"` |
//!
//! [`PackedOption`] is a time or an amount that may be missing.
//!
//! [`words`] splits files of such quantities, as other tools write them, into words.

mod packed;
mod quantity;
mod spelling;
pub mod words;

pub use packed::{Packable, PackedOption};
pub use quantity::{Bytes, Length, Rate, Span, Time};
pub use spelling::{UnitError, grouped};
