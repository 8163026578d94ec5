//! Patterns of a few fields: permutation and Poisson.

use units::{Bytes, Time};

use super::hosts::HostsSpec;
use super::shared::pattern_spec;

pattern_spec! {
    /// Every sender has a receiver of its own, drawn at random, none itself.
    pub struct PermutationSpec {
        /// Hosts that post messages; all if left out.
        #[serde(default)]
        pub senders: HostsSpec,
        /// Hosts that they post to, none to itself; all if left out.
        #[serde(default)]
        pub receivers: HostsSpec,
        /// Time of all messages.
        pub at: Time,
        /// Payload of the one message of each sender.
        pub bytes: Bytes,
    }
}

pattern_spec! {
    /// Every sender posts messages to uniformly drawn receivers, at exponentially distributed intervals.
    pub struct PoissonSpec {
        /// Hosts that post messages; all if left out.
        #[serde(default)]
        pub senders: HostsSpec,
        /// Hosts that they post to, none to itself; all if left out.
        #[serde(default)]
        pub receivers: HostsSpec,
        /// Time from which messages are posted.
        pub from: Time,
        /// Time until which messages are posted, later than `from`.
        pub until: Time,
        /// Payload of each message.
        pub message: Bytes,
        /// Mean rate of payload of each sender, as a share of its link's data rate: above 0, at most 1.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        pub load: f64,
    }
}
