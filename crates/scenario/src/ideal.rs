//! Ideal completion times: the time of each message on the empty fabric, to which slowdowns refer.
//!
//! Invariant: the ideal uses the engine's own lengths, wires and rules, so a message alone takes exactly this time if
//! its packets have a single path, else at least this time ([`spread`]). It leaves out delays by
//! flow control and windows: buffers and windows count as large enough, and flow-control packets as free.
//!
//! ```text
//! packet k starts on wire h once   it has arrived (onto a faster wire: late enough for its tail)
//!                       and once   packet k - 1 has left wire h; on the first wire, the host's bus has supplied it
//! the host takes packet k once     it has arrived, and the host has taken packet k - 1
//! the acknowledgement starts once  the last packet has arrived; acknowledgements of earlier packets count as free
//! ```
//!
//! From some packet on, all packets of full length follow at the pace of the slowest part that they have passed so far.
//! The remaining ones are then skipped instead of followed one by one.

mod paths;
mod spread;
mod transmission;

use ca_transport::message::{Message, Segment};
use link_layer::Wire;
use packet::{Mtu, NodeId, Opcode, QpNumber, TransportService};
use smallvec::{SmallVec, smallvec};
use units::{Bytes, Rate, Span, Time};
use workload::{Flow, Operation, Posting};

use self::spread::{Batch, SpreadPath};
use crate::data_paths::DataPaths;
use crate::plan::Plan;

/// Times of messages on the empty fabric of a plan.
#[derive(Debug)]
pub struct IdealTimes<'a> {
    plan: &'a Plan,
    /// The last times computed, with their key: messages of one flow often have one size.
    last: Option<(IdealKey, IdealTime)>,
    /// The paths from the source to the destination, and back.
    paths: Option<(PathKey, [HostPath; 2])>,
    /// Hash keys of the flows; empty if no switch has several ports to a host.
    keys: Vec<u64>,
    data_paths: DataPaths<'a>,
    /// The switch that packets left last on any route, and the least times from there to all nodes.
    around: Option<(NodeId, Vec<Span>)>,
}

/// Times of a message on the empty fabric, from its posting on.
#[derive(Clone, Copy, Debug)]
pub struct IdealTime {
    /// Time until the destination's host has taken the last payload.
    pub delivered: Span,
    /// Time until the acknowledgement of the last packet is back at the source, or, for an RDMA READ, until the last
    /// response has arrived.
    pub acknowledged: Span,
    /// Time until the first byte of its last packet leaves the source's adapter.
    pub departed: Span,
    /// Time for which it keeps a later message from the source's adapter.
    pub occupied: Span,
}

/// The properties on which an ideal time depends: with true, the message has immediate data.
type IdealKey = (PathKey, Bytes, bool);

/// The properties on which the paths of a flow depend: its ends, its hash key, its service level, its transport and its
/// operation.
type PathKey = (NodeId, NodeId, u64, u8, TransportService, Operation);

/// The wires from one host to another, and the rates of the hosts' buses.
#[derive(Clone, Debug)]
struct HostPath {
    /// The wires of the only path; with several paths, the first wire.
    wires: SmallVec<[Wire; 8]>,
    injection: Option<Rate>,
    drain: Option<Rate>,
    /// Several paths, all by the same first wire.
    spread: Option<Box<SpreadPath>>,
}

impl<'a> IdealTimes<'a> {
    /// Creates the times of a plan.
    #[must_use]
    pub fn new(plan: &'a Plan) -> Self {
        let (graph, routes) = (plan.graph(), plan.routes());
        let has_groups = graph.switch_ids().any(|switch| routes.table(switch).groups() > 0);
        let keys = if has_groups { plan.flow_keys() } else { Vec::new() };
        Self { plan, last: None, paths: None, keys, data_paths: DataPaths::new(plan), around: None }
    }

    /// Returns the times of a message of the flow with this number: the least that are possible, where packets may take
    /// several paths.
    ///
    /// # Panics
    /// If the plan has no such flow.
    pub fn times(&mut self, number: usize, size: Bytes) -> IdealTime {
        let plan = self.plan;
        let flow = &plan.workload().flows[number];
        let hash = self.keys.get(number).copied().unwrap_or(0);
        let level = flow.service_level.0;
        let ways = (flow.source, flow.destination, hash, level, flow.transport, flow.operation);
        let key = (ways, size, matches!(flow.posting, Posting::Job { .. }));
        if let Some((_, time)) = self.last.filter(|(last, _)| *last == key) {
            return time;
        }
        if self.paths.as_ref().is_none_or(|(last, _)| *last != ways) {
            self.paths = Some((ways, [self.path_there(flow, hash), self.path_back(flow)]));
        }
        let (_, [there, back]) = self.paths.as_ref().expect("the paths are computed above");
        let is_read = flow.operation == Operation::RdmaRead;
        let answer = |opcode, from| back.single(self.length(flow.transport, opcode, 0), from);
        let from = if is_read { answer(Opcode::ReadRequest, Time::ZERO) } else { Time::ZERO };
        let mut pipe = PacketTrain::new(there.clone());
        let taken = self.delivered(&mut pipe, flow, size, from);
        let (arrived, taken) = match &there.spread {
            Some(spread) => spread.ends(&self.batches(there, flow, size, (from, pipe.free[0])), from),
            None => (pipe.arrived, taken),
        };
        let acknowledged = if is_read { arrived } else { answer(Opcode::Acknowledge, arrived) };
        let time = IdealTime {
            delivered: taken.since_start(),
            acknowledged: acknowledged.since_start(),
            departed: pipe.departed.since_start(),
            occupied: pipe.free[0].max(pipe.bus_free).since_start(),
        };
        self.last = Some((key, time));
        time
    }

    /// Returns the packets of a message that starts at `from`, and has left the first wire at `left`.
    fn batches(
        &self,
        path: &HostPath,
        flow: &Flow,
        size: Bytes,
        (from, left): (Time, Time),
    ) -> SmallVec<[Batch; 3]> {
        let mtu: Mtu = self.plan.link().mtu;
        let message = message(flow, size, mtu);
        let batch = |number, packets, last_start| {
            let Segment { opcode, payload, .. } = message.segment(number, mtu);
            let length = self.length(flow.transport, opcode, payload);
            Batch { packets, length, payload: Bytes::new(u64::from(payload)), last_start }
        };
        let (wire, last) = (&path.wires[0], message.end - 1);
        let end = batch(last, 1, from);
        let end = Batch { last_start: from.max(left - wire.time_for(end.length)), ..end };
        let mut batches = smallvec![end];
        if last > 0 {
            batches.push(batch(0, 1, from));
        }
        if last > 1 {
            let between = batch(1, last - 1, from);
            let pace = path.injection.map_or(Span::ZERO, |limit| limit.time_for(between.payload));
            let last_start = end.last_start - pace.max(wire.time_for(between.length));
            batches.push(Batch { last_start, ..between });
        }
        batches
    }

    fn length(&self, transport: TransportService, opcode: Opcode, payload: u16) -> Bytes {
        Bytes::new(u64::from(self.plan.link().framing.bytes(transport, opcode, payload)))
    }

    /// Returns the time at which the host takes the last packet of a message that starts at `from` at the earliest.
    fn delivered(&self, pipe: &mut PacketTrain, flow: &Flow, size: Bytes, from: Time) -> Time {
        let mtu: Mtu = self.plan.link().mtu;
        let message = message(flow, size, mtu);
        let mut number = 0;
        while number < message.end {
            let Segment { opcode, payload, last } = message.segment(number, mtu);
            let (length, bytes) =
                (self.length(flow.transport, opcode, payload), Bytes::new(u64::from(payload)));
            let before = pipe.free_times();
            pipe.pass(length, bytes, from);
            number += 1;
            // If this packet is neither the first nor the last, all later ones but the last are like it.
            let alike = message.end.saturating_sub(number + 1);
            if number > 1 && !last && alike > 0 {
                let pace = pipe.pace(length, bytes);
                if pipe
                    .free_times()
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

/// Returns a message of a flow: those of jobs have immediate data.
pub(crate) fn message(flow: &Flow, size: Bytes, mtu: Mtu) -> Message {
    let message = Message::new(QpNumber(0), flow.operation, size, mtu);
    if matches!(flow.posting, Posting::Job { .. }) { message.with_immediate(0) } else { message }
}

/// A train of packets over a path.
struct PacketTrain {
    path: HostPath,
    /// By wire, the time at which the last packet has left it.
    free: SmallVec<[Time; 8]>,
    bus_free: Time,
    /// Departure of the last packet's first byte.
    departed: Time,
    arrived: Time,
    taken: Time,
}

impl HostPath {
    /// Returns the time at which a packet without payload arrives that starts at `from`.
    fn single(&self, length: Bytes, from: Time) -> Time {
        if let Some(spread) = &self.spread {
            return from + spread.transit(length);
        }
        let mut train = PacketTrain::new(self.clone());
        train.pass(length, Bytes::ZERO, from);
        train.arrived
    }
}

impl PacketTrain {
    fn new(path: HostPath) -> Self {
        let free = SmallVec::from_elem(Time::ZERO, path.wires.len());
        let start = Time::ZERO;
        Self { path, free, bus_free: start, departed: start, arrived: start, taken: start }
    }

    /// Passes a packet that starts at `from` at the earliest.
    fn pass(&mut self, length: Bytes, payload: Bytes, from: Time) {
        let mut ready = from.max(self.bus_free);
        for (place, wire) in self.path.wires.iter().enumerate() {
            let start = ready.max(self.free[place]);
            if place == 0 {
                self.departed = start;
                if let Some(limit) = self.path.injection {
                    self.bus_free = start + limit.time_for(payload);
                }
            }
            let wire_time = wire.time_for(length);
            self.free[place] = start + wire_time;
            ready = wire.arrives(start, wire_time);
            if let Some(next) = self.path.wires.get(place + 1).filter(|next| next.rate() > wire.rate()) {
                let tail = self.free[place] + wire.latency();
                let due = tail.ps().saturating_sub(next.time_for(length).ps());
                ready = ready.max(Time::from_ps(due));
            }
        }
        self.arrived = ready;
        self.taken = match self.path.drain {
            Some(limit) => ready.max(self.taken) + limit.time_for(payload),
            None => ready,
        };
    }

    /// Returns the times at which each wire, and then the host, is free for the next packet.
    fn free_times(&self) -> SmallVec<[Time; 8]> {
        self.free.iter().copied().chain([self.taken]).collect()
    }

    /// Returns the steady distance between packets of this length at each wire and at the host: that at the slowest part
    /// passed so far.
    fn pace(&self, length: Bytes, payload: Bytes) -> SmallVec<[Span; 8]> {
        let at_most = |rate: Option<Rate>| rate.map_or(Span::ZERO, |rate| rate.time_for(payload));
        let wires = self.path.wires.iter().map(|wire| wire.time_for(length));
        let mut slowest = at_most(self.path.injection);
        let parts = wires.chain([at_most(self.path.drain)]);
        parts
            .map(|part| {
                slowest = slowest.max(part);
                slowest
            })
            .collect()
    }

    /// Passes this number of packets at this pace.
    fn skip(&mut self, packets: u64, pace: &[Span]) {
        for (free, pace) in self.free.iter_mut().zip(pace) {
            *free += *pace * packets;
        }
        if self.path.injection.is_some() {
            self.bus_free += pace[0] * packets;
        }
        let last = pace[pace.len() - 1] * packets;
        (self.arrived, self.taken) = (self.arrived + last, self.taken + last);
    }
}

#[cfg(test)]
mod tests {
    use super::spread::Stage;
    use super::*;

    /// A packet by a single path takes the time that its wires and latencies alone allow; before a faster wire it also waits
    /// for as much as that wire must not run short of.
    #[test]
    fn a_way_of_single_wires_takes_a_packet_no_longer_than_they_do() {
        let wire = |rate| Wire::cut_through(Rate::gbps(rate), Span::from_ns(100 + rate));
        let end = |rate| Wire::store_and_forward(Rate::gbps(rate), Span::from_ns(7));
        for rates in [[8, 8, 8], [8, 32, 8], [32, 8, 32], [40, 8, 16], [8, 16, 32], [32, 16, 8], [16, 32, 8]]
        {
            let wires = [wire(rates[0]), wire(rates[1]), end(rates[2])];
            let stage = |wire| Stage { before: Span::ZERO, wires: vec![wire] };
            let spread = SpreadPath { stages: wires.into_iter().map(stage).collect(), drain: None };
            let path =
                HostPath { wires: wires.into_iter().collect(), injection: None, drain: None, spread: None };
            for length in [30, 300, 2074].map(Bytes::new) {
                let alone = path.single(length, Time::ZERO).since_start();
                let least = spread.transit(length);
                let is_exact = rates.is_sorted_by(|before, after| before >= after);
                assert!(
                    least <= alone && (least == alone || !is_exact),
                    "{rates:?} {length:?}: {least:?}, {alone:?}"
                );
            }
        }
    }

    /// A train that is skipped once it is steady gives the same times as one followed packet by packet.
    #[test]
    fn skipping_packets_gives_the_times_of_following_them() {
        let slow = Wire::cut_through(Rate::gbps(8), Span::from_ns(100));
        let fast = Wire::cut_through(Rate::gbps(32), Span::from_ns(300));
        let end = |rate| Wire::store_and_forward(rate, Span::from_ns(5));
        let (injection, drain) = (Some(Rate::gbps(9)), Some(Rate::gbps(7)));
        for wires in [vec![slow, fast, end(Rate::gbps(8))], vec![fast, slow, end(Rate::gbps(32))]] {
            for (injection, drain) in [(None, None), (injection, None), (None, drain), (injection, drain)] {
                let path = HostPath { wires: wires.clone().into(), injection, drain, spread: None };
                let (mut followed, mut skipped) = (PacketTrain::new(path.clone()), PacketTrain::new(path));
                let (first, length, payload) = (Bytes::new(2090), Bytes::new(2074), Bytes::new(2048));
                followed.pass(first, payload, Time::ZERO);
                skipped.pass(first, payload, Time::ZERO);
                (0..1000).for_each(|_| followed.pass(length, payload, Time::ZERO));
                for passed in 1..=1000 {
                    let before = skipped.free_times();
                    skipped.pass(length, payload, Time::ZERO);
                    let pace = skipped.pace(length, payload);
                    let even =
                        skipped.free_times().iter().zip(&before).zip(&pace).all(|((a, b), p)| *a == *b + *p);
                    if even {
                        assert!(passed < 10, "the train becomes steady late: {passed}");
                        skipped.skip(1000 - passed, &pace);
                        break;
                    }
                }
                assert_eq!(skipped.free_times(), followed.free_times());
                assert_eq!(skipped.bus_free, followed.bus_free);
            }
        }
    }
}
