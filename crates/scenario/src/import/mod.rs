//! Scenarios from what other simulators read.
//!
//! Invariant: of everything that was written it is said what became of it; nothing is left out silently. What comes of
//! an import is a scenario file like any other, which its user reads, changes and keeps.
//!
//! | module | reads |
//! |---|---|
//! | `account` | nothing: what became of each key |
//! | [`hpcc`] | `config.txt` of HPCC's simulator, with its topology and flows |
//! | `hpcc_keys` | nothing: what becomes of keys that stand for themselves |
//! | `hpcc_memory` | nothing: how switches of that simulator share their memory and pause |

mod account;
pub mod hpcc;
mod hpcc_keys;
mod hpcc_memory;

pub use account::{KeyAccount, KeyFate};
