//! How long a message takes where nothing else is under way: what its slowdown is measured against.
//!
//! Invariant: the engine's own lengths, wires and rules, so a message alone takes exactly so long, but for what flow
//! control and windows hold back: buffers and windows count as large enough, and flow-control packets as free.
//!
//! ```text
//! packet k on wire h starts when   it has come in (or, onto a faster wire, late enough for its tail)
//!                        and when  packet k - 1 has left wire h; on the first wire, and the host's bus has it
//! it is taken when                 it has come in, and the host has taken packet k - 1
//! ```
//!
//! From some packet on, all that are of full length follow at the pace of the slowest part that they have passed so
//! far. Then the rest of them need not be followed one by one.

use ca_transport::message::{Message, Segment};
use link_layer::Wire;
use packet::{Mtu, NodeId, Opcode, QpNumber, TransportService};
use scenario::Plan;
use units::{Bytes, Rate, Span, Time};
use workload::{Flow, Operation};

/// Times of messages on the empty fabric of a plan.
pub(crate) struct Ideal<'a> {
    plan: &'a Plan,
    /// What was asked last: messages of one flow are often of one size.
    last: Option<(Key, Span)>,
    way: Option<((NodeId, NodeId), Way)>,
}

/// What a time depends on.
type Key = (NodeId, NodeId, TransportService, Operation, Bytes);

/// The wires from a host to another, and what the hosts' buses can do.
#[derive(Clone, Debug)]
struct Way {
    wires: Vec<Wire>,
    injection: Option<Rate>,
    drain: Option<Rate>,
}

impl<'a> Ideal<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        Self { plan, last: None, way: None }
    }

    /// From the posting of a message to when its last payload is taken.
    pub(crate) fn time(&mut self, flow: &Flow, size: Bytes) -> Span {
        let key = (flow.source, flow.destination, flow.transport, flow.operation, size);
        if let Some((_, time)) = self.last.filter(|(last, _)| *last == key) {
            return time;
        }
        let ends = (flow.source, flow.destination);
        if self.way.as_ref().is_none_or(|(last, _)| *last != ends) {
            self.way = Some((ends, self.way(flow.source, flow.destination)));
        }
        let asked = if flow.operation == Operation::RdmaRead {
            let mut request = Pipe::new(self.way(flow.destination, flow.source));
            request.pass(self.length(flow.transport, Opcode::ReadRequest, 0), Bytes::ZERO, Time::ZERO);
            request.arrived
        } else {
            Time::ZERO
        };
        let (_, way) = self.way.as_ref().expect("it was found");
        let time = self.delivered(&mut Pipe::new(way.clone()), flow, size, asked).since_start();
        self.last = Some((key, time));
        time
    }

    fn way(&self, from: NodeId, to: NodeId) -> Way {
        let graph = self.plan.graph();
        let hops = self.plan.routes().path(graph, from, to).expect("a checked flow has a way");
        let wires = hops.iter().map(|(node, port)| self.plan.nodes().port(*node, *port).wire);
        Way {
            wires: wires.collect(),
            injection: self.plan.nodes().adapter(from).injection_limit,
            drain: self.plan.nodes().adapter(to).drain_limit,
        }
    }

    fn length(&self, transport: TransportService, opcode: Opcode, payload: u16) -> Bytes {
        Bytes::new(u64::from(self.plan.link().framing.bytes(transport, opcode, payload)))
    }

    /// When the last packet of a message that may begin at `from` is taken.
    fn delivered(&self, pipe: &mut Pipe, flow: &Flow, size: Bytes, from: Time) -> Time {
        let mtu: Mtu = self.plan.link().mtu;
        let message = Message::new(QpNumber(0), flow.operation, size, mtu);
        let mut number = 0;
        while number < message.end {
            let Segment { opcode, payload, last } = message.segment(number, mtu);
            let (length, bytes) =
                (self.length(flow.transport, opcode, payload), Bytes::new(u64::from(payload)));
            let before = pipe.marks();
            pipe.pass(length, bytes, from);
            number += 1;
            // Of the packets to come, all but the last are like this one if this is neither the first nor the last.
            let alike = message.end.saturating_sub(number + 1);
            if number > 1 && !last && alike > 0 {
                let pace = pipe.pace(length, bytes);
                if pipe
                    .marks()
                    .iter()
                    .zip(&before)
                    .zip(&pace)
                    .all(|((now, then), pace)| *now == *then + *pace)
                {
                    pipe.skip(alike, &pace);
                    number += alike;
                }
            }
        }
        pipe.taken
    }
}

/// Packets that follow each other over a way.
struct Pipe {
    way: Way,
    /// When each wire has its last packet behind it.
    free: Vec<Time>,
    bus_free: Time,
    arrived: Time,
    taken: Time,
}

impl Pipe {
    fn new(way: Way) -> Self {
        let free = vec![Time::ZERO; way.wires.len()];
        Self { way, free, bus_free: Time::ZERO, arrived: Time::ZERO, taken: Time::ZERO }
    }

    /// A packet passes that may start at `from`.
    fn pass(&mut self, length: Bytes, payload: Bytes, from: Time) {
        let mut ready = from.max(self.bus_free);
        for (place, wire) in self.way.wires.iter().enumerate() {
            let start = ready.max(self.free[place]);
            if place == 0
                && let Some(limit) = self.way.injection
            {
                self.bus_free = start + limit.time_for(payload);
            }
            let wire_time = wire.time_for(length);
            self.free[place] = start + wire_time;
            ready = wire.arrives(start, wire_time);
            if let Some(next) = self.way.wires.get(place + 1).filter(|next| next.rate() > wire.rate()) {
                let tail = self.free[place] + wire.latency();
                let due = tail.ps().saturating_sub(next.time_for(length).ps());
                ready = ready.max(Time::from_ps(due));
            }
        }
        self.arrived = ready;
        self.taken = match self.way.drain {
            Some(limit) => ready.max(self.taken) + limit.time_for(payload),
            None => ready,
        };
    }

    /// All that the next packet meets: the wires, and the host.
    fn marks(&self) -> Vec<Time> {
        self.free.iter().copied().chain([self.taken]).collect()
    }

    /// How far apart packets of this length are at each mark when they follow each other for long: as far as at the
    /// slowest part before it.
    fn pace(&self, length: Bytes, payload: Bytes) -> Vec<Span> {
        let at_most = |rate: Option<Rate>| rate.map_or(Span::ZERO, |rate| rate.time_for(payload));
        let wires = self.way.wires.iter().map(|wire| wire.time_for(length));
        let mut slowest = at_most(self.way.injection);
        let parts = wires.chain([at_most(self.way.drain)]);
        parts
            .map(|part| {
                slowest = slowest.max(part);
                slowest
            })
            .collect()
    }

    /// So many packets more have passed at this pace.
    fn skip(&mut self, packets: u64, pace: &[Span]) {
        for (free, pace) in self.free.iter_mut().zip(pace) {
            *free += *pace * packets;
        }
        if self.way.injection.is_some() {
            self.bus_free += pace[0] * packets;
        }
        let last = pace[pace.len() - 1] * packets;
        (self.arrived, self.taken) = (self.arrived + last, self.taken + last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long train of packets, skipped where it is even and followed one by one, over wires of any order.
    #[test]
    fn what_is_skipped_takes_as_long_as_what_is_followed() {
        let slow = Wire::cut_through(Rate::gbps(8), Span::from_ns(100));
        let fast = Wire::cut_through(Rate::gbps(32), Span::from_ns(300));
        let end = |rate| Wire::store_and_forward(rate, Span::from_ns(5));
        let (injection, drain) = (Some(Rate::gbps(9)), Some(Rate::gbps(7)));
        for wires in [vec![slow, fast, end(Rate::gbps(8))], vec![fast, slow, end(Rate::gbps(32))]] {
            for (injection, drain) in [(None, None), (injection, None), (None, drain), (injection, drain)] {
                let way = Way { wires: wires.clone(), injection, drain };
                let (mut followed, mut skipped) = (Pipe::new(way.clone()), Pipe::new(way));
                let (first, length, payload) = (Bytes::new(2090), Bytes::new(2074), Bytes::new(2048));
                followed.pass(first, payload, Time::ZERO);
                skipped.pass(first, payload, Time::ZERO);
                (0..1000).for_each(|_| followed.pass(length, payload, Time::ZERO));
                for passed in 1..=1000 {
                    let before = skipped.marks();
                    skipped.pass(length, payload, Time::ZERO);
                    let pace = skipped.pace(length, payload);
                    let even =
                        skipped.marks().iter().zip(&before).zip(&pace).all(|((a, b), p)| *a == *b + *p);
                    if even {
                        assert!(passed < 10, "evenness comes late: {passed}");
                        skipped.skip(1000 - passed, &pace);
                        break;
                    }
                }
                assert_eq!(skipped.marks(), followed.marks());
                assert_eq!(skipped.bus_free, followed.bus_free);
            }
        }
    }
}
