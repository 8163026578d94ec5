//! Scenarios from the files of clusters and of other simulators.
//!
//! Invariant: every setting of the input has an entry in the account of the import; nothing is left out silently. The
//! result is a scenario file like any other, which its user reads, changes and keeps.
//!
//! | module | contents |
//! |---|---|
//! | `account` | the fate of each key of a configuration |
//! | `source` | the text of a file, with the places of its parts |
//! | [`hpcc`] | the reader of `config.txt` of HPCC's simulator, with its topology and flows |
//! | [`infiniband`] | InfiniBand clusters, from the files of `ibnetdiscover`, ibsim and OpenSM |

mod account;
pub mod hpcc;
pub mod infiniband;
mod source;

pub use account::{ImportedScenario, KeyAccount, KeyFate, changes};
pub use source::SourceText;
