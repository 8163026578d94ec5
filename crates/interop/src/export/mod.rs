//! Files for a cluster's own tools, from a plan.
//!
//! Invariant: a value that the target holds differently, or not at all, has an entry in the account of the export. A
//! plan of another kind of network than the target's is refused.
//!
//! | module | contents |
//! |---|---|
//! | `account` | the fate of values that the target does not hold as they are |
//! | `error` | reasons why a plan cannot be exported |
//! | `port_names` | names of the ports of an imported RoCEv2 fabric |
//! | [`addresses`] | GUIDs, LIDs and numbers of ports: an imported cluster's, or by a rule |
//! | [`ibsim`] | a net file of ibsim: nodes and cables |
//! | [`lfts`] | forwarding tables, as OpenSM reads them |
//! | `congestion` | InfiniBand's congestion control, as subnet managers set it |
//! | `adaptive` | adaptive routing, as keys of NVIDIA's OpenSM |
//! | [`opensm`] | keys `cc_*` and `ar_*` of an `opensm.conf` |
//! | [`ibccconfig`] | command lines of `ibccconfig` |
//! | [`mlx5`] | DCQCN parameters of ConnectX adapters |
//! | [`goal`] | the programs of jobs, for `LogGOPSim` and its relatives |
//! | [`sonic`] | thresholds of ECN, PFC and memory, in the tables of `config_db.json` |

mod account;
mod adaptive;
pub mod addresses;
mod congestion;
mod error;
pub mod goal;
pub mod ibccconfig;
pub mod ibsim;
pub mod lfts;
pub mod mlx5;
pub mod opensm;
mod port_names;
pub mod sonic;

pub use account::{Exported, ValueAccount, ValueFate};
pub use error::ExportError;
pub use port_names::PortNames;
