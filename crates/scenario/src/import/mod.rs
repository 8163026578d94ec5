//! Scenarios from the input files of other simulators.
//!
//! Invariant: every setting of the input has an entry in the account of the import; nothing is left out silently. The
//! result is a scenario file like any other, which its user reads, changes and keeps.
//!
//! | module | contents |
//! |---|---|
//! | `account` | the fate of each key of a configuration |
//! | [`hpcc`] | the reader of `config.txt` of HPCC's simulator, with its topology and flows |

mod account;
pub mod hpcc;

pub use account::{KeyAccount, KeyFate, changes};
