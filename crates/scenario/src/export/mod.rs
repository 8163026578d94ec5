//! Files for a cluster's own tools, from a plan.
//!
//! Invariant: a value that the target holds differently, or not at all, has an entry in the account of the export. A plan of
//! another kind of network than the target's is refused.
//!
//! | module | contents |
//! |---|---|
//! | `account` | the fate of values that the target does not hold as they are |
//! | `error` | reasons why a plan cannot be exported |
//! | [`addresses`] | GUIDs, LIDs and numbers of ports: those of an imported cluster, or by a rule |
//! | [`ibsim`] | a net file of ibsim: nodes and cables |
//! | [`lfts`] | forwarding tables, as OpenSM reads them |

mod account;
pub mod addresses;
mod error;
pub mod ibsim;
pub mod lfts;

pub use account::{Exported, ValueAccount, ValueFate};
pub use error::ExportError;
