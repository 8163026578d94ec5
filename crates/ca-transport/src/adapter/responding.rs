//! The response policy learns of packets sent, acknowledgements and notifications.
//!
//! Invariant: a policy sees 64-bit packet numbers of one endpoint, or the eras of a state that endpoints share.

use cc_policies::policy::{Acknowledgement, Notification, Response, SentPacket};
use packet::Psn;
use units::Time;

use super::Adapter;
use super::endpoint_slot::NO_FLOW;
use crate::endpoint::{Endpoint, ReplyOutcome};

impl Adapter {
    /// Notifies the response of packets that are acknowledged.
    pub(super) fn notify_acknowledged(
        &mut self,
        endpoint: u32,
        replied: &ReplyOutcome,
        marked: bool,
        now: Time,
    ) {
        let slot = &mut self.endpoints[endpoint as usize];
        let state = self.schedule.state(slot.flow);
        let ReplyOutcome { named: psn, next, packets, .. } = *replied;
        let reaction =
            self.config.response.on_acknowledged(state, Acknowledgement { psn, next, packets, marked }, now);
        slot.endpoint.set_window(self.config.response.window(state));
        if reaction.reached_trigger {
            self.tally.trigger_events += 1;
        }
    }

    /// Notifies the response of a packet that an endpoint sends.
    pub(super) fn notify_sent(&mut self, endpoint: u32, psn: Psn, sent: SentPacket, now: Time) {
        let slot = &mut self.endpoints[endpoint as usize];
        let state = self.schedule.state(slot.flow);
        self.config.response.on_sent(state, sent, now);
        if slot.unacknowledged {
            let present = self.shared.decreases[slot.flow as usize];
            let (number, next) = slot.endpoint.number_of(psn);
            self.shared.eras[endpoint as usize].sent(number, present);
            // DEVIATION: the slides do not say how a rate recovers without acknowledgements. Here every packet sent
            // counts as an unmarked acknowledgement.
            let silence = Acknowledgement { psn: number, next, packets: 1, marked: false };
            self.config.response.on_acknowledged(state, silence, now);
        }
    }

    /// Notifies the response of a congestion notification for an endpoint, of packet `psn` if the notification names
    /// a packet. Returns true if the response has reached its trigger.
    pub(super) fn notify_marked(&mut self, endpoint: u32, psn: Option<Psn>, now: Time) -> bool {
        let slot = &mut self.endpoints[endpoint as usize];
        // An endpoint that sends no data has no rate to reduce.
        if slot.flow == NO_FLOW {
            return false;
        }
        let present = self.shared.decreases[slot.flow as usize];
        let (named, next) = match psn {
            Some(psn) if slot.unacknowledged => {
                let era = self.shared.eras[endpoint as usize];
                (Some(era.of(slot.endpoint.number_of(psn).0, present)), present + 1)
            }
            Some(psn) => {
                let (named, next) = slot.endpoint.number_of(psn);
                (Some(named), next)
            }
            None => (None, slot.endpoint.number_of(Psn::new(0)).1),
        };
        let state = self.schedule.state(slot.flow);
        let notified = Notification { psn: named, next };
        let reaction = self.config.response.on_notification(state, notified, now);
        self.shared.decreases[slot.flow as usize] += u64::from(reaction.decreased);
        if !slot.unacknowledged {
            slot.endpoint.set_window(self.config.response.window(state));
        }
        reaction.reached_trigger
    }
}
