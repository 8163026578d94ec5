//! The manual of the file format: every field with its type, range, default and meaning, and every choice.
//!
//! Invariant: the manual is made from the types that read a scenario, and from their documentation. Nothing is written
//! twice.
//!
//! A *place* is a field by its path. `[]` stands for any element of a list, `NAME` for any name in a map, and a choice
//! with parts of its own is a step: `traffic[].Poisson.load`.
//!
//! | module | contents |
//! |---|---|
//! | `wording` | documentation comments as the manual prints them |
//! | `kind` | the type, the range and the default of a field, in words |
//! | `entry` | the description of a place: its fields and choices |
//! | `places` | every place with fields or choices, each once |
//! | `lookup` | the places that a path means, or the names that may be meant |
//! | `page` | the page `docs/scenario.md` |

mod entry;
mod kind;
mod lookup;
mod page;
mod places;
mod wording;

pub use entry::{Choice, Entry, Field};
pub use lookup::{UnknownPlace, find};
pub use page::page;
