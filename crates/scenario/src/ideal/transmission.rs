//! The packets of a message at its source's adapter, and the way of the last one.
//!
//! Invariant: a message whose packets follow each other takes at least the time of its packets and of this way.

use units::{Bytes, Span, Time};
use workload::job::ideal::Transmission;

use super::{IdealTime, IdealTimes, PacketTrain, message};

impl IdealTimes<'_> {
    /// Returns the packets of a message at its source's adapter, and the time from the end of the last one to its
    /// delivery if no other packet is on its way. `time` is the time of the message.
    ///
    /// # Panics
    /// If the plan has no such flow.
    pub fn transmission(&mut self, number: usize, size: Bytes, time: &IdealTime) -> (Transmission, Span) {
        self.times(number, size);
        let (plan, (_, [there, _])) = (self.plan, self.paths.as_ref().expect("paths are known with times"));
        let (flow, mtu) = (&plan.workload().flows[number], plan.link().mtu);
        let message = message(flow, size, mtu);
        let packet = |number| {
            let segment = message.segment(number, mtu);
            let length = self.length(flow.transport, segment.opcode, segment.payload);
            (length, Bytes::new(u64::from(segment.payload)))
        };
        let pace = |(length, payload)| {
            let bus = there.injection.map_or(Span::ZERO, |limit| limit.time_for(payload));
            bus.max(there.wires[0].time_for(length))
        };
        let (before, last) = (message.end - 1, packet(message.end - 1));
        let paced = if before > 0 { pace(packet(0)) } else { Span::ZERO };
        let sent = Transmission { before, packet: paced, last: less(time.occupied, paced * before) };
        let alone = match &there.spread {
            Some(spread) => spread.transit(last.0),
            None => {
                let mut train = PacketTrain::new(there.clone());
                train.pass(last.0, last.1, Time::ZERO);
                train.taken.since_start()
            }
        };
        (sent, less(alone, pace(last)).min(less(time.delivered, time.occupied)))
    }
}

/// Returns the part of a span beyond another.
fn less(span: Span, other: Span) -> Span {
    Span::from_ps(span.ps().saturating_sub(other.ps()))
}
