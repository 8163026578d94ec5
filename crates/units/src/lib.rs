//! Exact integer quantities and their spelling.
//!
//! Invariant: no quantity is ever a float, and no conversion loses anything silently. A string that
//! asks for more precision than the unit holds is an error, not a rounding.
//!
//! | type | holds | in text |
//! |---|---|---|
//! | [`Time`] | picoseconds since the start of the run | `"100 ms"` |
//! | [`Span`] | picoseconds between two times | `"1.024 us"` |
//! | [`Bytes`] | a count of bytes | `"8 KiB"` |
//! | [`Rate`] | bits a second | `"13.2 Gb/s"` |
//! | [`Length`] | millimetres of cable | `"2 m"` |
//!
//! [`words`] takes apart files of such quantities that other tools write.

mod quantity;
mod spelling;
pub mod words;

pub use quantity::{Bytes, Length, Rate, Span, Time};
pub use spelling::UnitError;
