//! An example of every pattern and rule, for tests that have to cover them all.
//!
//! Invariant: each list holds an example of each variant, in the order of declaration. The `place` functions match
//! exhaustively, so a new variant compiles only once it has a place here, and a test compares places and examples.

use packet::{ServiceLevel, TransportService};
use units::{Bytes, Rate, Span, Time};

use super::converge::{ConvergeSpec, SessionsSpec};
use super::flow::LoadSpec;
use super::hosts::HostsSpec;
use super::hot_spot::{ContributorSpec, HotSpotSpec, HotSpotWindowSpec, SpacingSpec};
use super::incast::{IncastSpec, RepeatSpec, SenderRule, SendersSpec};
use super::pattern::PatternSpec;
use super::simple::{PermutationSpec, PoissonSpec};
use super::synthetic::{ArrivalSpec, BitPermutation, DestinationSpec, FlowListSpec, SizeSpec, SyntheticSpec};
use packet::Operation;

impl BitPermutation {
    /// Every permutation.
    pub const ALL: [Self; 5] =
        [Self::Complement, Self::Reverse, Self::Rotation, Self::Shuffle, Self::Transpose];

    const fn place(self) -> usize {
        match self {
            Self::Complement => 0,
            Self::Reverse => 1,
            Self::Rotation => 2,
            Self::Shuffle => 3,
            Self::Transpose => 4,
        }
    }
}

impl DestinationSpec {
    /// An example of each rule, for any number of hosts that is a power of two and at least 4.
    pub const EXAMPLES: [Self; 6] = [
        Self::Uniform,
        Self::OtherRacks,
        Self::Permutation,
        Self::Shift(1),
        Self::Bits(BitPermutation::Reverse),
        Self::AllToAll,
    ];

    const fn place(self) -> usize {
        match self {
            Self::Uniform => 0,
            Self::OtherRacks => 1,
            Self::Permutation => 2,
            Self::Shift(_) => 3,
            Self::Bits(_) => 4,
            Self::AllToAll => 5,
        }
    }
}

impl ArrivalSpec {
    /// An example of each rule.
    pub const EXAMPLES: [Self; 5] = [
        Self::Fixed { load: 0.3 },
        Self::Poisson { load: 0.3 },
        Self::OnOff { load: 0.3, on: Span::from_us(5), off: Span::from_us(5) },
        Self::Closed { outstanding: 2 },
        Self::AtOnce,
    ];

    const fn place(self) -> usize {
        match self {
            Self::Fixed { .. } => 0,
            Self::Poisson { .. } => 1,
            Self::OnOff { .. } => 2,
            Self::Closed { .. } => 3,
            Self::AtOnce => 4,
        }
    }
}

impl SizeSpec {
    /// Returns an example of each rule; the distribution is in the file `sizes.txt`.
    #[must_use]
    pub fn examples() -> Vec<Self> {
        let (least, most) = (Bytes::new(100), Bytes::kib(8));
        vec![Self::Fixed(Bytes::kib(4)), Self::Uniform { least, most }, Self::Cdf("sizes.txt".to_owned())]
    }

    #[cfg(test)]
    const fn place(&self) -> usize {
        match self {
            Self::Fixed(_) => 0,
            Self::Uniform { .. } => 1,
            Self::Cdf(_) => 2,
        }
    }
}

impl SendersSpec {
    /// Returns an example of each rule, for at least 4 hosts `h1`, `h2`, ...: two of them are attached to another
    /// switch than any receiver.
    #[must_use]
    pub fn examples() -> Vec<Self> {
        vec![
            Self::Next(2),
            Self::By(SenderRule::Named(HostsSpec::One("h?".to_owned()))),
            Self::By(SenderRule::Drawn(3)),
            Self::By(SenderRule::OtherRacks(2)),
            Self::Hosts(HostsSpec::Several(vec!["h1*".to_owned(), "h?".to_owned()])),
        ]
    }

    #[cfg(test)]
    const fn place(&self) -> usize {
        match self {
            Self::Next(_) => 0,
            Self::By(SenderRule::Named(_)) => 1,
            Self::By(SenderRule::Drawn(_)) => 2,
            Self::By(SenderRule::OtherRacks(_)) => 3,
            Self::Hosts(_) => 4,
        }
    }
}

impl RepeatSpec {
    /// An example of each repetition.
    pub const EXAMPLES: [Self; 3] = [
        Self::Once,
        Self::Every { interval: Span::from_us(10), until: None },
        Self::Poisson { interval: Some(Span::from_us(5)), load: None, until: Some(us(80)) },
    ];

    const fn place(self) -> usize {
        match self {
            Self::Once => 0,
            Self::Every { .. } => 1,
            Self::Poisson { .. } => 2,
        }
    }
}

impl LoadSpec {
    /// An example of each load.
    pub const EXAMPLES: [Self; 3] =
        [Self::Saturate { outstanding: 2 }, Self::Paced(Rate::gbps(8)), Self::Messages(3)];

    const fn place(self) -> usize {
        match self {
            Self::Saturate { .. } => 0,
            Self::Paced(_) => 1,
            Self::Messages(_) => 2,
        }
    }
}

impl PatternSpec {
    /// Returns an example of each pattern, for hosts `h1`, `h2`, ...: 4 or 8 of them. The list of flows is in the
    /// file `flow.txt`. Combine rules of synthetic traffic from their own examples.
    #[must_use]
    pub fn examples() -> Vec<Self> {
        let (from, until, message, load) = (us(1), us(50), Bytes::kib(2), 0.3);
        vec![
            Self::Permutation(PermutationSpec {
                name: None,
                group: None,
                transport: TransportService::Uc,
                operation: Operation::Send,
                service_level: ServiceLevel(1),
                senders: HostsSpec::One("h1..h2".to_owned()),
                receivers: HostsSpec::all(),
                at: from,
                bytes: message,
            }),
            Self::Poisson(PoissonSpec {
                name: None,
                group: None,
                transport: TransportService::Rc,
                operation: Operation::RdmaRead,
                service_level: ServiceLevel::default(),
                senders: HostsSpec::all(),
                receivers: HostsSpec::Several(vec!["h1".to_owned(), "h?".to_owned()]),
                from,
                until,
                message,
                load,
            }),
            Self::Incast(IncastSpec {
                name: Some("burst".to_owned()),
                group: Some("incasts".to_owned()),
                transport: TransportService::Rc,
                operation: Operation::RdmaWrite,
                service_level: ServiceLevel::default(),
                at: from,
                repeat: RepeatSpec::Once,
                to: HostsSpec::One("h2".to_owned()),
                senders: SendersSpec::Next(3),
                bytes: message,
            }),
            Self::Synthetic(SyntheticSpec {
                name: None,
                group: Some("background".to_owned()),
                transport: TransportService::Rc,
                operation: Operation::RdmaWrite,
                senders: HostsSpec::all(),
                receivers: HostsSpec::all(),
                destinations: DestinationSpec::Uniform,
                arrivals: ArrivalSpec::Poisson { load },
                size: SizeSpec::Fixed(message),
                start: from,
                stop: Some(until),
                messages: None,
                service_level: ServiceLevel::default(),
            }),
            Self::FlowList(FlowListSpec {
                name: Some("trace".to_owned()),
                group: None,
                transport: TransportService::Rc,
                operation: Operation::RdmaWrite,
                file: "flow.txt".to_owned(),
                origin: Time::ZERO,
                host_prefix: None,
            }),
            Self::Converge(converge()),
            Self::Sessions(sessions()),
            Self::HotSpot(HotSpotSpec {
                senders: HostsSpec::all(),
                receivers: HostsSpec::all(),
                name: None,
                group: None,
                transport: TransportService::Rc,
                operation: Operation::RdmaWrite,
                service_level: ServiceLevel::default(),
                from,
                until,
                message,
                load,
                arrivals: SpacingSpec::Poisson,
                contributors: ContributorSpec::All,
                windows: vec![HotSpotWindowSpec {
                    from: us(10),
                    until: us(20),
                    fraction: 0.5,
                    to: vec!["h1".to_owned()],
                }],
            }),
        ]
    }

    #[cfg(test)]
    const fn place(&self) -> usize {
        match self {
            Self::Permutation(_) => 0,
            Self::Poisson(_) => 1,
            Self::Incast(_) => 2,
            Self::Synthetic(_) => 3,
            Self::FlowList(_) => 4,
            Self::Converge(_) => 5,
            Self::Sessions(_) => 6,
            Self::HotSpot(_) => 7,
        }
    }
}

fn converge() -> ConvergeSpec {
    ConvergeSpec {
        name: Some("local".to_owned()),
        group: None,
        from: SendersSpec::Hosts(HostsSpec::One("h3*".to_owned())),
        to: "h1".to_owned(),
        start: us(1),
        jitter: Span::from_us(2),
        stop: Some(us(40)),
        service_level: ServiceLevel::default(),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: Bytes::kib(4),
        load: LoadSpec::Saturate { outstanding: 2 },
    }
}

fn sessions() -> SessionsSpec {
    SessionsSpec {
        name: Some("web".to_owned()),
        group: None,
        from: SendersSpec::Hosts(HostsSpec::One("h3*".to_owned())),
        to: "h1".to_owned(),
        start: us(1),
        stop: us(40),
        on: Span::from_us(5),
        off: Span::from_us(5),
        service_level: ServiceLevel::default(),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        message: Bytes::kib(4),
        load: LoadSpec::Paced(Rate::gbps(8)),
    }
}

const fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

/// Asserts that a constant list holds each variant at its place.
macro_rules! assert_places {
    ($($list:expr),*) => {
        $(const _: () = {
            let mut i = 0;
            while i < $list.len() {
                assert!($list[i].place() == i, "an example is out of place");
                i += 1;
            }
        };)*
    };
}

assert_places!(
    BitPermutation::ALL,
    DestinationSpec::EXAMPLES,
    ArrivalSpec::EXAMPLES,
    RepeatSpec::EXAMPLES,
    LoadSpec::EXAMPLES
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_holds_each_variant_at_its_place() {
        let places = PatternSpec::examples().iter().map(PatternSpec::place).collect::<Vec<_>>();
        assert_eq!(places, (0..8).collect::<Vec<_>>());
        let places = SizeSpec::examples().iter().map(SizeSpec::place).collect::<Vec<_>>();
        assert_eq!(places, (0..3).collect::<Vec<_>>());
        let places = SendersSpec::examples().iter().map(SendersSpec::place).collect::<Vec<_>>();
        assert_eq!(places, (0..5).collect::<Vec<_>>());
    }
}
