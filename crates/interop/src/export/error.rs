//! Reasons why a plan cannot be exported.
//!
//! Invariant: a message names the target and the field of the scenario that does not fit.

use packet::{Framing, Lid};
use settings::{FieldPath, SettingError};

use scenario::Diagnostic;
use scenario::ScenarioText;

/// The reason why a target cannot hold a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// A target of InfiniBand, and packets of another framing.
    #[error("{target} is for InfiniBand, and the scenario's framing is {framing:?}")]
    NotInfiniBand {
        /// The target.
        target: &'static str,
        /// Framing of the scenario.
        framing: Framing,
    },
    /// A target of RoCEv2, and packets of InfiniBand's framing.
    #[error("{target} is for RoCEv2, and the scenario's framing is {framing:?}")]
    NotEthernet {
        /// The target.
        target: &'static str,
        /// Framing of the scenario.
        framing: Framing,
    },
    /// Another congestion control than DCQCN.
    #[error("{target} holds DCQCN, and the scenario has {found}")]
    NotDcqcn {
        /// The target.
        target: &'static str,
        /// Congestion control of the scenario.
        found: String,
    },
    /// A target with PFC, and links without it.
    #[error("sonic holds thresholds of PFC, and the scenario's flow control is none")]
    NoPfc,
    /// A target with shared memory, and a switch with buffers at its ports.
    #[error("sonic holds shared memory, and ports of `{switch}` have buffers of their own")]
    MemoryNotShared {
        /// Name of the switch.
        switch: String,
    },
    /// Ports of an imported fabric, without the table of their names.
    #[error(
        "the links number the ports of `{switch}`, and no `ports.csv` beside the scenario has their names"
    )]
    UnnamedPorts {
        /// Name of the switch.
        switch: String,
    },
    /// A host that several ports of a switch lead to.
    #[error("`{switch}` has several ports for `{host}`, and a linear forwarding table holds one")]
    SeveralPorts {
        /// Name of the switch.
        switch: String,
        /// Name of the host.
        host: String,
    },
    /// More nodes than unicast LIDs.
    #[error("InfiniBand has {} unicast LIDs, and the fabric {nodes} hosts and switches", Lid::MAX_UNICAST.0)]
    TooManyNodes {
        /// Number of nodes.
        nodes: usize,
    },
    /// Another congestion control than InfiniBand's.
    #[error("{target} holds InfiniBand's congestion control, and the scenario has {found}")]
    OtherControl {
        /// The target.
        target: &'static str,
        /// Congestion control of the scenario.
        found: String,
    },
    /// A target that sets congestion control, and a scenario without it.
    #[error("ibccconfig sets congestion control, and the scenario has none")]
    NothingToSet,
    /// A scenario without jobs.
    #[error("goal holds the program of a job, and the scenario has no jobs")]
    NoJobs,
    /// A scenario with several jobs, none of them named.
    #[error("goal holds the program of one job, and the scenario has {}", jobs.join(", "))]
    SeveralJobs {
        /// Names of the jobs.
        jobs: Vec<String>,
    },
    /// A job that the scenario does not have.
    #[error("the scenario has no job `{given}`")]
    UnknownJob {
        /// The name.
        given: String,
        /// Names of the jobs.
        jobs: Vec<String>,
    },
    /// A congestion control table with more entries than the target reads.
    #[error("the congestion control table has {entries} entries, and OpenSM reads {most}")]
    TableTooLong {
        /// Number of entries.
        entries: usize,
        /// Most that OpenSM reads.
        most: usize,
    },
    /// A congestion control table with a longer line than the target reads.
    #[error("the line of the congestion control table has {bytes} bytes, and OpenSM reads {most}")]
    LineTooLong {
        /// Length of the line.
        bytes: usize,
        /// Longest that OpenSM reads.
        most: usize,
    },
}

impl ExportError {
    /// Returns the fault of the scenario that was read from this text, at the field's place in it.
    #[must_use]
    pub fn diagnostic(&self, source: &ScenarioText) -> Diagnostic {
        source.diagnostic(self)
    }
}

impl SettingError for ExportError {
    fn path(&self) -> FieldPath {
        match self {
            Self::NotInfiniBand { .. } | Self::NotEthernet { .. } => "link.framing".into(),
            Self::NoPfc => "link.flow_control".into(),
            Self::NoJobs | Self::SeveralJobs { .. } | Self::UnknownJob { .. } => "jobs".into(),
            Self::MemoryNotShared { .. } => "switch.buffering".into(),
            Self::SeveralPorts { .. } => "routing".into(),
            Self::TooManyNodes { .. } | Self::UnnamedPorts { .. } => "topology".into(),
            Self::OtherControl { .. } | Self::NotDcqcn { .. } | Self::NothingToSet => {
                "congestion_control".into()
            }
            Self::TableTooLong { .. } | Self::LineTooLong { .. } => "congestion_control.response.cct".into(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotInfiniBand { .. } => {
                "name a scenario with `framing: InfiniBand`; RoCEv2 has `export mlx5` and `export sonic`".to_owned()
            }
            Self::NotEthernet { .. } => {
                "name a scenario with `framing: RoCEv2`; InfiniBand has `export opensm` and `export ibccconfig`".to_owned()
            }
            Self::NotDcqcn { .. } => {
                "choose `congestion_control: Dcqcn(...)`, or `Mixed(...)` with its echo and its response".to_owned()
            }
            Self::NoPfc => "choose `flow_control: Pause(...)`".to_owned(),
            Self::MemoryNotShared { .. } => {
                "choose `buffering: Central` with `sharing: Dynamic(...)` or `Complete(...)`".to_owned()
            }
            Self::SeveralPorts { .. } => {
                "choose a routing with one path to a host: `--set routing=MinHop`, or that of the topology, `--set routing=Native`"
                    .to_owned()
            }
            Self::OtherControl { .. } => {
                "choose `congestion_control: Iba(...)`, or `Guideline`; DCQCN has `export mlx5` and `export sonic`".to_owned()
            }
            Self::UnnamedPorts { .. } => {
                "give the folder of the import, which has it: `--cluster DIR`; or take `Ethernet0`, `Ethernet4` and so on: `--assigned`"
                    .to_owned()
            }
            Self::NoJobs => "name a scenario with `jobs`".to_owned(),
            Self::SeveralJobs { jobs } | Self::UnknownJob { jobs, .. } => {
                format!("name one of them: `--job NAME`, with {}", jobs.join(", "))
            }
            Self::TooManyNodes { .. } => "name a scenario with a smaller fabric".to_owned(),
            Self::NothingToSet => {
                "choose `congestion_control: Iba(...)`; `export opensm` has a key that turns it off".to_owned()
            }
            Self::TableTooLong { most, .. } => {
                format!("write at most {most} entries, or use `export ibccconfig`, which sets all")
            }
            Self::LineTooLong { .. } => {
                "write a shorter table, or use `export ibccconfig`, which sets it block by block".to_owned()
            }
        })
    }
}
