//! Patterns of a few fields: permutation, Poisson, incast.

use units::{Bytes, Time};

use super::shared::pattern_spec;

pattern_spec! {
    /// Every host sends to one other and receives from one other, drawn at random, none to itself.
    pub struct PermutationSpec {
        /// Time of all messages.
        pub at: Time,
        /// Payload of the one message of each host.
        pub bytes: Bytes,
    }
}

pattern_spec! {
    /// Every host sends messages to uniformly drawn others, at exponentially distributed intervals.
    pub struct PoissonSpec {
        /// Time from which messages are posted.
        pub from: Time,
        /// Time until which messages are posted, later than `from`.
        pub until: Time,
        /// Payload of each message.
        pub message: Bytes,
        /// Mean rate of payload of each host, as a share of its link's data rate: above 0, at most 1.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        pub load: f64,
    }
}

pattern_spec! {
    /// Some hosts send one message each to one host, all at once: the hosts that follow it in order,
    /// going on from the first after the last.
    pub struct IncastSpec {
        /// Time of all messages.
        pub at: Time,
        /// Host that receives.
        pub to: String,
        /// Number of hosts that send: 1 to all others.
        #[schemars(range(min = 1))]
        pub senders: u32,
        /// Payload of each message.
        pub bytes: Bytes,
    }
}
