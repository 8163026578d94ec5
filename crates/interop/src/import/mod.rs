//! Scenarios from the files of clusters.
//!
//! Invariant: every setting of the input has an entry in the account of the import; nothing is left out silently. The
//! result is a scenario file like any other, which its user reads, changes and keeps.
//!
//! | module | contents |
//! |---|---|
//! | `account` | the fate of each key of a configuration |
//! | [`text`] | texts as files of other people hold them |
//! | `source` | the text of a file, with the places of its parts |
//! | `settings` | fields of a scenario without a fabric |
//! | `target` | the kind of fabric that settings are for |
//! | `job` | jobs, put into a scenario of a fabric |
//! | [`goal`] | jobs in GOAL, put into a scenario |
//! | [`infiniband`] | InfiniBand clusters, from the files of `ibnetdiscover`, ibsim and OpenSM |
//! | [`lldp`] | cables of a RoCEv2 fabric, by the neighbours that switches see, or a list |
//! | [`opensm`] | lanes and congestion control, from `opensm.conf` and command lines of `ibccconfig` |
//! | [`mlx5`] | DCQCN parameters of ConnectX adapters |
//! | [`sonic`] | thresholds of ECN, PFC and memory of a SONiC switch |

mod account;
pub mod goal;
pub mod infiniband;
mod job;
pub mod lldp;
pub mod mlx5;
pub mod opensm;
mod settings;
pub mod sonic;
pub mod source;
mod target;
pub mod text;

pub use account::{ImportedScenario, KeyAccount, KeyFate, changes};
pub use job::ImportedJob;
pub use settings::ImportedSettings;
pub use source::SourceText;
pub use target::SettingsTarget;
