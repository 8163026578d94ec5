//! Faults in the hosts that a flow or pattern names.

/// A fault in a choice of hosts.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HostError {
    /// The topology has no such host.
    #[error("`{given}` is not a host of the topology")]
    Unknown {
        /// The name as given.
        given: String,
    },
    /// No host has this name, or begins with it.
    #[error("no host is called `{given}`")]
    NoneMatches {
        /// The name as given, or its beginning and `*`.
        given: String,
    },
    /// A list of hosts is empty.
    #[error("this names no host")]
    Nobody,
    /// The last host of a range comes before the first.
    #[error("the last host of `{given}` comes before the first")]
    RangeReversed {
        /// The range as given.
        given: String,
    },
    /// All hosts are attached to the same switch.
    #[error("no host that could send is attached to another switch than a host that could receive")]
    OneRack,
    /// The receiver of a pattern would send to itself.
    #[error("`{name}` is among the hosts that send to it")]
    ReceiverAmongSenders {
        /// The receiver.
        name: String,
    },
    /// The topology has too few hosts for a pattern.
    #[error("a pattern needs at least 2 hosts, and the topology has {hosts}")]
    TooFew {
        /// Number of hosts of the topology.
        hosts: usize,
    },
    /// A pattern has no senders, or more than there are other hosts.
    #[error("{given} hosts cannot send to this one")]
    Senders {
        /// Number of senders as given.
        given: u32,
        /// Number of other hosts.
        others: usize,
    },
}

impl HostError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Unknown { .. } => "name one that is".to_owned(),
            Self::NoneMatches { .. } => "write a host's name, or a part of some and `*`".to_owned(),
            Self::Nobody => "name at least one".to_owned(),
            Self::RangeReversed { .. } => "write them in the order of the topology".to_owned(),
            Self::OneRack => {
                "take another rule, or a topology in which hosts have several switches".to_owned()
            }
            Self::ReceiverAmongSenders { .. } => "name another, or let fewer send".to_owned(),
            Self::TooFew { .. } => "leave the pattern out, or take a topology with more hosts".to_owned(),
            Self::Senders { others, .. } => {
                format!("write 1 to {others}, the number of other hosts that can")
            }
        }
    }
}
