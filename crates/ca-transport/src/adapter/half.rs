//! The halves that an adapter's queue pairs are made of, and whose state controls what they send.
//!
//! Invariant: what a half sends is of one controlled flow. Where flows are shared, they are found by name when a queue
//! pair is opened, and never looked up again.

use std::collections::BTreeMap;

use cc_policies::policy::{Acknowledgement, Notification, Response, SentPacket, StateScope, TrafficKind};
use packet::{Lid, PacketId, Psn, QpNumber, ServiceLevel, TransportService};
use units::Time;
use workload::Operation;

use super::{Adapter, FlowEnd};
use crate::any::AnyTransport;
use crate::transport::Transport as _;

/// No controlled flow: for a half that sends no data.
const NONE: u32 = u32::MAX;

/// A half of a queue pair, or of an end-to-end context.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Half {
    pub(super) transport: AnyTransport,
    pub(super) service: TransportService,
    /// What it sends is not acknowledged: silence has to do for good news.
    pub(super) silent: bool,
    pub(super) timer_set: bool,
    /// Whether a closed window held back what is to be sent next.
    pub(super) held_by_window: bool,
    /// The controlled flow that it belongs to, if it sends data.
    pub(super) flow: u32,
    /// A positive acknowledgement of its that still waits to be sent.
    pub(super) queued_ack: Option<PacketId>,
    pub(super) era: Era,
}

const _: () = assert!(size_of::<Half>() == 128, "two cache lines: there may be a million queue pairs");

/// What a half that shares a state knows of the last decrease of it: its first packet since. Its own numbers say
/// nothing to others that share the state, and theirs nothing to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Era {
    /// How often the state had been decreased when the half last sent.
    number: u64,
    /// The lowest packet that it has sent in this era.
    first: u64,
}

/// What queue pairs share.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// The halves of an end-to-end context. A context holds a path, and with it the service level.
    contexts: BTreeMap<(Lid, ServiceLevel, bool), u32>,
    flows: BTreeMap<FlowKey, u32>,
    /// How often each controlled flow's state has been decreased, by flow.
    decreases: Vec<u64>,
}

/// Who shares a controlled flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FlowKey {
    ServiceLevel(ServiceLevel),
    Context(Lid, ServiceLevel),
    Destination(Lid, ServiceLevel),
}

impl Era {
    /// A packet is sent in the present era of its state.
    pub(super) fn sent(&mut self, packet: u64, present: u64) {
        if self.number == present {
            self.first = self.first.min(packet);
        } else {
            *self = Self { number: present, first: packet };
        }
    }

    /// The era in which a packet was sent, as far as it matters: the present one, or one before.
    pub(super) const fn of(&self, packet: u64, present: u64) -> u64 {
        if self.number == present && packet >= self.first { present } else { present.saturating_sub(1) }
    }
}

impl Adapter {
    /// The half for a queue pair that is being opened.
    pub(super) fn half_for(&mut self, number: QpNumber, end: &FlowEnd, posts: bool) -> u32 {
        let context = (end.peer, end.service_level, posts);
        let known = self.shared.contexts.get(&context).filter(|_| end.transport == TransportService::Rd);
        let half = known.copied().unwrap_or_else(|| self.new_half(end.transport, posts));
        if end.transport == TransportService::Rd {
            self.shared.contexts.insert(context, half);
        }
        self.halves[half as usize].transport.join(number);
        let answers_reads = !posts && end.operation == Operation::RdmaRead;
        if (posts || answers_reads) && self.halves[half as usize].flow == NONE {
            self.control(half, end, if posts { TrafficKind::Requests } else { TrafficKind::ReadResponses });
        }
        half
    }

    fn new_half(&mut self, service: TransportService, posts: bool) -> u32 {
        self.schedule.add_member();
        self.timers.reserve(1);
        self.halves.push(Half {
            transport: AnyTransport::new(service, posts, 0),
            service,
            silent: false,
            timer_set: false,
            held_by_window: false,
            flow: NONE,
            queued_ack: None,
            era: Era::default(),
        });
        self.halves.len() as u32 - 1
    }

    /// Puts what a half sends under the control of a flow, its own or one that it shares.
    fn control(&mut self, half: u32, end: &FlowEnd, sends: TrafficKind) {
        let level = end.service_level;
        let key = match self.kind.response.scope(end.transport, sends) {
            StateScope::QueuePair => None,
            StateScope::EeContext => Some(FlowKey::Context(end.peer, level)),
            StateScope::DestinationLevel => Some(FlowKey::Destination(end.peer, level)),
            StateScope::ServiceLevel => Some(FlowKey::ServiceLevel(level)),
        };
        let flow = key.and_then(|key| self.shared.flows.get(&key).copied()).unwrap_or_else(|| {
            let lane = self.kind.sl_to_vl[usize::from(level.0)];
            self.shared.decreases.push(0);
            self.schedule.add_flow(self.kind.response.at_rest(level), lane)
        });
        if let Some(key) = key {
            self.shared.flows.insert(key, flow);
        }
        let half = &mut self.halves[half as usize];
        half.flow = flow;
        half.silent = !sends.is_acknowledged(end.transport);
        if !half.silent {
            half.transport.set_window(self.kind.response.window(self.schedule.state(flow)));
        }
    }

    /// The response hears of a packet that a half sends.
    pub(super) fn tell_of_sent(&mut self, half: u32, psn: Psn, sent: SentPacket, now: Time) {
        let half = &mut self.halves[half as usize];
        let state = self.schedule.state(half.flow);
        self.kind.response.on_sent(state, sent, now);
        if half.silent {
            let present = self.shared.decreases[half.flow as usize];
            let (number, next) = half.transport.number_of(psn);
            half.era.sent(number, present);
            // DEVIATION: the slides do not say what raises a rate that no acknowledgement does. Here every packet
            // that is sent counts as an unmarked acknowledgement would: no news is good news.
            let silence = Acknowledgement { psn: number, next, packets: 1, marked: false };
            self.kind.response.on_acknowledged(state, silence, now);
        }
    }

    /// A congestion notification packet reached a half.
    pub(super) fn tell_of_notification(&mut self, half: u32, psn: Option<Psn>, now: Time) -> bool {
        let half = &mut self.halves[half as usize];
        if half.flow == NONE {
            return false;
        }
        let present = self.shared.decreases[half.flow as usize];
        let (named, next) = match psn {
            Some(psn) if half.silent => {
                (Some(half.era.of(half.transport.number_of(psn).0, present)), present + 1)
            }
            Some(psn) => {
                let (named, next) = half.transport.number_of(psn);
                (Some(named), next)
            }
            None => (None, half.transport.number_of(Psn::new(0)).1),
        };
        let state = self.schedule.state(half.flow);
        let notified = Notification { psn: named, next };
        let reaction = self.kind.response.on_notification(state, notified, now);
        self.shared.decreases[half.flow as usize] += u64::from(reaction.decreased);
        if !half.silent {
            half.transport.set_window(self.kind.response.window(state));
        }
        reaction.reached_trigger
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cc_policies::hp::HpResponse;
    use cc_policies::hp::spec::{HpResponseSpec, RateControl, RpiAfterDecrease};
    use cc_policies::policy::{Notification, Response};
    use proptest::prelude::*;

    /// What can happen to a state that three halves share.
    #[derive(Clone, Copy, Debug)]
    enum Op {
        Send(usize),
        /// A notification that names the packet that this half sent so many before its last.
        Notify(usize, u64),
    }

    proptest! {
        /// "PSN >= APSN" for halves whose numbers say nothing to each other: a notification counts if, and only if, its
        /// packet was sent after the last decrease, by the clock of a spectator who sees every packet.
        #[test]
        fn a_notification_counts_if_its_packet_was_sent_after_the_last_decrease(
            starts in [0..1u64 << 40, 0..1u64 << 40, 0..1u64 << 40],
            ops in prop::collection::vec(prop_oneof![
                (0..3usize).prop_map(Op::Send),
                (0..3usize).prop_map(Op::Send),
                (0..3usize, 0..6u64).prop_map(|(half, back)| Op::Notify(half, back)),
            ], 0..200),
        ) {
            let response = HpResponse::new(&HpResponseSpec {
                rate: Some(RateControl::Lipd { max_ipd: 255 }),
                window: None,
                rpi_after_decrease: RpiAfterDecrease::Reloaded,
            });
            let mut state = response.at_rest(ServiceLevel(0));
            let (mut eras, mut present) = ([Era::default(); 3], 0);
            let mut sent: [Vec<usize>; 3] = Default::default();
            let mut last_decrease = None;
            for (clock, op) in ops.into_iter().enumerate() {
                match op {
                    Op::Send(half) => {
                        eras[half].sent(starts[half] + sent[half].len() as u64, present);
                        sent[half].push(clock);
                    }
                    Op::Notify(half, back) => {
                        let Some(place) = (sent[half].len() as u64).checked_sub(1 + back) else { continue };
                        let psn = Some(eras[half].of(starts[half] + place, present));
                        let notified = Notification { psn, next: present + 1 };
                        let reaction = response.on_notification(&mut state, notified, Time::ZERO);
                        let after = last_decrease.is_none_or(|decrease| sent[half][place as usize] > decrease);
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
