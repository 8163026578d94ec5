//! The endpoints of an adapter's queue pairs, and the flows that control their sending.
//!
//! Invariant: all packets of an endpoint belong to one controlled flow. Flows that endpoints share are found by key
//! when a queue pair is opened, and by number from then on.

use std::collections::BTreeMap;

use packet::{Lid, PacketId, ServiceLevel, TransportService};

use crate::endpoint::any::AnyEndpoint;

/// Number of the controlled flow of an endpoint that sends no data.
pub(super) const NO_FLOW: u32 = u32::MAX;

/// An endpoint of a queue pair, or of an end-to-end context, with its place in the adapter.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct EndpointSlot {
    pub(super) endpoint: AnyEndpoint,
    pub(super) service: TransportService,
    /// Unacknowledged service: each packet sent counts as an unmarked acknowledgement.
    pub(super) unacknowledged: bool,
    pub(super) timer_set: bool,
    /// True if a closed window held back the next packet.
    pub(super) held_by_window: bool,
    /// Number of its controlled flow; [`NO_FLOW`] if it sends no data.
    pub(super) flow: u32,
    /// Positive acknowledgement without a mark that waits to be sent, and that a later packet may raise.
    pub(super) open_ack: Option<PacketId>,
}

state_codec::state!(EndpointSlot {
    endpoint: part,
    service: plan,
    unacknowledged: plan,
    timer_set,
    held_by_window,
    flow: plan,
    open_ack,
});

const _: () =
    assert!(size_of::<EndpointSlot>() == 88, "as small as can be: there may be a million queue pairs");

/// An unacknowledged endpoint's first packet since the last decrease of its flow's state. Endpoints that share a
/// state number their packets independently: the era makes these numbers comparable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DecreaseEra {
    /// Decreases of the state when the endpoint last sent.
    number: u64,
    /// Lowest packet that the endpoint has sent in this era.
    first: u64,
}

state_codec::value!(DecreaseEra { number, first });

/// End-to-end contexts and controlled flows that queue pairs share.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedFlows {
    /// Endpoints of end-to-end contexts, by peer, service level and direction. A context holds a path, and therefore
    /// the service level.
    pub(super) contexts: BTreeMap<(Lid, ServiceLevel, bool), u32>,
    pub(super) flows: BTreeMap<SharedFlowKey, u32>,
    /// Decreases of each controlled flow's state, by flow.
    pub(super) decreases: Vec<u64>,
    /// Eras by endpoint, up to the last unacknowledged endpoint. Entries of acknowledged endpoints are not used.
    pub(super) eras: Vec<DecreaseEra>,
}

state_codec::state!(SharedFlows { contexts: plan, flows: plan, decreases: part, eras });

/// Key of a controlled flow that endpoints share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SharedFlowKey {
    ServiceLevel(ServiceLevel),
    Context(Lid, ServiceLevel),
    Destination(Lid, ServiceLevel),
}

impl DecreaseEra {
    /// Notes a packet sent in the `present` era of the state.
    pub(super) fn sent(&mut self, packet: u64, present: u64) {
        if self.number == present {
            self.first = self.first.min(packet);
        } else {
            *self = Self { number: present, first: packet };
        }
    }

    /// Returns the era in which a packet was sent: the present era, or an earlier one.
    pub(super) const fn of(&self, packet: u64, present: u64) -> u64 {
        if self.number == present && packet >= self.first { present } else { present.saturating_sub(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cc_policies::hp::HpResponse;
    use cc_policies::hp::spec::{HpResponseSpec, RateControl, RpiAfterDecrease};
    use cc_policies::policy::{Notification, Response};
    use proptest::prelude::*;
    use units::Time;

    /// A step of the test, on a state that three endpoints share.
    #[derive(Clone, Copy, Debug)]
    enum Op {
        Send(usize),
        /// Notify an endpoint of the packet that it sent this number of packets before its last.
        Notify(usize, u64),
    }

    proptest! {
        /// "PSN >= APSN" for endpoints with numbers that cannot be compared. A notification counts exactly if its
        /// packet was sent after the last decrease, by the clock of an observer who sees every packet.
        #[test]
        fn a_notification_counts_if_its_packet_was_sent_after_the_last_decrease(
            starts in [0..1u64 << 40, 0..1u64 << 40, 0..1u64 << 40],
            ops in prop::collection::vec(prop_oneof![
                (0..3usize).prop_map(Op::Send),
                (0..3usize).prop_map(Op::Send),
                (0..3usize, 0..6u64).prop_map(|(endpoint, back)| Op::Notify(endpoint, back)),
            ], 0..200),
        ) {
            let response = HpResponse::new(&HpResponseSpec {
                rate: Some(RateControl::Lipd { max_ipd: 255 }),
                rpi_after_decrease: RpiAfterDecrease::Reloaded,
                ..HpResponseSpec::NONE
            });
            let mut state = response.at_rest(ServiceLevel(0));
            let (mut eras, mut present) = ([DecreaseEra::default(); 3], 0);
            let mut sent: [Vec<usize>; 3] = Default::default();
            let mut last_decrease = None;
            for (clock, op) in ops.into_iter().enumerate() {
                match op {
                    Op::Send(endpoint) => {
                        eras[endpoint].sent(starts[endpoint] + sent[endpoint].len() as u64, present);
                        sent[endpoint].push(clock);
                    }
                    Op::Notify(endpoint, back) => {
                        let Some(place) = (sent[endpoint].len() as u64).checked_sub(1 + back) else { continue };
                        let psn = Some(eras[endpoint].of(starts[endpoint] + place, present));
                        let notified = Notification { psn, next: present + 1 };
                        let reaction = response.on_notification(&mut state, notified, Time::ZERO);
                        let sent_at = sent[endpoint][usize::try_from(place).expect("a place in the list")];
                        let after = last_decrease.is_none_or(|decrease| sent_at > decrease);
                        prop_assert_eq!(reaction.decreased, after);
                        if reaction.decreased {
                            present += 1;
                            last_decrease = Some(clock);
                        }
                    }
                }
            }
        }
    }
}
