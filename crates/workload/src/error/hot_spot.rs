//! Faults in hot spots.

use units::Time;

/// A fault in a hot spot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HotSpotError {
    /// A hot spot has no contributors, or more than there are senders besides its targets.
    #[error("{given} hosts cannot contribute to this hot spot")]
    Contributors {
        /// Number of contributors as given.
        given: u32,
        /// Number of senders that are no target.
        others: usize,
    },
    /// The only host that could contribute is the target.
    #[error("the only host that could contribute to this hot spot is its target")]
    NoContributors,
    /// A host contributes, and does not send.
    #[error("`{name}` is none of the senders, so it cannot contribute")]
    NoSender {
        /// The host.
        name: String,
    },
    /// The fraction is not a share of a host's load.
    #[error("a fraction of {given} is not a share of a host's load")]
    FractionRange {
        /// The fraction as given.
        given: f64,
    },
    /// A hot spot has no target.
    #[error("a hot spot needs a target")]
    NoTargets,
    /// A host is named as a target twice.
    #[error("`{name}` is a target twice")]
    TargetTwice {
        /// The host.
        name: String,
    },
    /// Hot spots are out of order, or overlap.
    #[error("a hot spot begins at {from}, and the one before it ends at {last}")]
    WindowsOverlap {
        /// The beginning as given.
        from: Time,
        /// The end of the previous hot spot.
        last: Time,
    },
}

impl HotSpotError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Contributors { others, .. } => {
                format!("write 1 to {others}, the number of senders that are no target")
            }
            Self::NoSender { .. } => "name senders only, or add it to `senders`".to_owned(),
            Self::NoContributors => "name others".to_owned(),
            Self::FractionRange { .. } => "write a number above 0 and at most 1".to_owned(),
            Self::NoTargets => "name at least one host".to_owned(),
            Self::TargetTwice { .. } => "name each once".to_owned(),
            Self::WindowsOverlap { last, .. } => {
                format!("write {last} or later, and keep hot spots in order")
            }
        }
    }
}
