//! Faults in the rules of synthetic traffic.

use units::Bytes;

/// A fault in synthetic traffic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SyntheticError {
    /// The load exceeds the link's data rate while the host is on.
    #[error("a mean load of {given} is more than a host can offer that is on for {most:.3} of the time")]
    LoadWhileOn {
        /// The load as given.
        given: f64,
        /// Share of the time for which a host is on.
        most: f64,
    },
    /// The shift leads a host to itself, or is not less than the number of hosts.
    #[error("a shift by {given} leads no host to another, or is not less than the number of hosts, {hosts}")]
    ShiftRange {
        /// The shift as given.
        given: u32,
        /// Number of hosts.
        hosts: usize,
    },
    /// A permutation of bits needs a number of hosts that is a power of two.
    #[error("the bits of a host's number make no pattern of {hosts} hosts")]
    HostsNotPowerOfTwo {
        /// Number of hosts.
        hosts: u32,
    },
    /// A transposition needs an even number of bits.
    #[error("the numbers of {hosts} hosts have an odd number of bits, with no two halves to transpose")]
    TransposeOfOddBits {
        /// Number of hosts.
        hosts: u32,
    },
    /// The rule leads every host to itself.
    #[error("with {hosts} hosts this leads every host to itself")]
    NobodySends {
        /// Number of hosts.
        hosts: usize,
    },
    /// A rule gives each sender a receiver of its own, and there are too few.
    #[error("{senders} hosts cannot send to {receivers}, each to one of its own")]
    TooFewReceivers {
        /// Number of hosts that send.
        senders: usize,
        /// Number of hosts that receive.
        receivers: usize,
    },
    /// The longest message is shorter than the shortest.
    #[error("the longest message, {most}, is shorter than the shortest, {least}")]
    SizesReversed {
        /// The shortest as given.
        least: Bytes,
        /// The longest as given.
        most: Bytes,
    },
    /// All messages are posted at the start, and their number is missing.
    #[error("the number of messages that each host posts at the start is missing")]
    AtOnceWithoutMessages,
}

impl SyntheticError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::LoadWhileOn { most, .. } => {
                format!("write at most {most:.3}, or make times on longer")
            }
            Self::ShiftRange { hosts, .. } => format!("write 1 to {}", hosts - 1),
            Self::HostsNotPowerOfTwo { .. } => {
                "take a topology whose number of hosts is a power of two, or another rule".to_owned()
            }
            Self::TransposeOfOddBits { .. } => {
                "take a topology of 4, 16, 64, ... hosts, or another rule".to_owned()
            }
            Self::NobodySends { .. } => "take another rule, or more hosts".to_owned(),
            Self::TooFewReceivers { .. } => "let fewer send, or more receive".to_owned(),
            Self::SizesReversed { least, .. } => format!("write at least {least}"),
            Self::AtOnceWithoutMessages => "write `messages`".to_owned(),
        }
    }
}
