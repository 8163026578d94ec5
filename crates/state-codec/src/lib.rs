//! The state of a run as bytes, and back: what checkpoints are made of.
//!
//! Invariant: no field is forgotten. A type names all of its fields where it says how it is saved ([`value!`], [`state!`]);
//! a field that is missing there does not compile.
//!
//! | a type is | trait | how it is loaded |
//! |---|---|---|
//! | a value: all of it belongs to the state | [`Value`] | made anew |
//! | an object that is partly built from the plan | [`State`] | the saved fields are replaced in an object that is just built |
//!
//! Packets are known by slots of a pool, and messages by keys, which differ from run to run and from part to part.
//! [`StateWriter`] numbers them in the order in which the state first mentions them, so equal states have equal bytes.
//!
//! ```text
//! integer     LEB128: 7 bits a byte, least significant first        float    8 bytes, least significant first
//! sequence    length, then the elements                             option   0, or 1 and the value
//! enum        tag, then the fields of the variant                   packet, message: its number
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `error` | the reason for which bytes are no state |
//! | `writer`, `reader` | integers, tags, numbers of packets and messages |
//! | `traits` | [`Value`] and [`State`] |
//! | `fields` | the macros by which types implement them |
//! | `values` | both for types of the standard library, and random streams |

mod error;
mod fields;
mod reader;
mod traits;
mod values;
mod writer;

pub use error::StateError;
pub use reader::StateReader;
pub use traits::{State, Value};
pub use writer::{PoolSlot, StateWriter};
