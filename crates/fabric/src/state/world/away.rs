//! The parts of other processes, as rank 0 knows them, and the questions by which it learns of them.
//!
//! Invariant: rank 0 holds no node of another rank. It asks all other ranks one question at a time, and each answers for its own
//! nodes, in the order of node numbers or of flows. So the answers, read in this order, are those of one process.
//!
//! ```text
//! rank 0   question    ............   reads the answers node by node, each from its rank
//! others   ........    own nodes      ....................................................
//! ```

use core::ops::Range;

use event_kernel::{Lookahead, WindowLengths};
use packet::{Bth, BthFlags, FlowId, Lane, Lrh, NodeId, Opcode, Packet, PortId, Psn};
use parallel::Ranks;
use scenario::Plan;
use state_codec::{StateReader, StateWriter, Value};
use units::{Rate, Time};

use super::question::{Question, taken};
use super::seen::Seen;
use super::{FlowEnds, World};
use crate::state::interconnect::NodeViolation;
use crate::state::part_id::PartId;

/// Counts of a rank after an advance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Events handled.
    pub(crate) events: u64,
    /// Packets that crossed a link, each counted once a link.
    pub(crate) packet_hops: u64,
    /// Earliest violation.
    pub(crate) broken: Option<NodeViolation>,
    /// Time before which the rank has nothing to do; `None` if it has nothing to do at all.
    pub(crate) next: Option<Time>,
}

state_codec::value!(Counts { events, packet_hops, broken, next });

/// The parts of other ranks.
#[derive(Debug)]
pub(crate) struct Away<'a> {
    ranks: &'a dyn Ranks,
    /// Number of parts of all ranks.
    pub(crate) parts: usize,
    plan: &'a Plan,
    /// Lengths of the windows of their parts' event lists.
    pub(crate) lists: Vec<WindowLengths>,
    /// By rank, without rank 0: after the last advance.
    pub(crate) counts: Vec<Counts>,
    /// At the last look.
    pub(crate) seen: Seen,
}

/// The answers of all other ranks.
#[derive(Debug)]
pub(crate) struct Answers(Vec<Vec<u8>>);

/// Returns the parts of a rank: neighbours, since parts are numbered by their first nodes.
pub(crate) fn parts_of(rank: usize, ranks: usize, parts: usize) -> Range<usize> {
    rank * parts / ranks..(rank + 1) * parts / ranks
}

/// Returns the rank that a part belongs to.
pub(crate) fn rank_of(part: usize, ranks: usize, parts: usize) -> usize {
    ((part + 1) * ranks - 1) / parts
}

impl<'a> Away<'a> {
    /// Creates what rank 0 knows of others. `inner` has the lookahead within each part, of all parts.
    pub(crate) fn new(ranks: &'a dyn Ranks, inner: &[Lookahead], plan: &'a Plan) -> Self {
        let own = parts_of(0, ranks.count(), inner.len());
        let lists = inner[own.end..].iter().map(|lookahead| WindowLengths::of(*lookahead)).collect();
        let (parts, seen) = (inner.len(), Seen::default());
        Self { ranks, parts, plan, lists, counts: Vec::new(), seen }
    }

    /// Asks all other ranks, at the present instant.
    pub(crate) fn ask(&self, now: Time, question: &Question) -> Answers {
        let mut messages = vec![Vec::new(); self.ranks.count()];
        for message in &mut messages[1..] {
            let mut to = StateWriter::new();
            (true, now).put(&mut to);
            question.put(&mut to);
            *message = to.into_bytes();
        }
        self.ranks.exchange(&mut messages);
        messages.iter_mut().for_each(Vec::clear);
        self.ranks.exchange(&mut messages);
        Answers(messages)
    }

    /// Returns the answers to a question that each rank answers with one value, by rank.
    pub(crate) fn all<T: Value>(&self, now: Time, question: &Question) -> Vec<T> {
        let answers = self.ask(now, question);
        answers.readers().iter_mut().skip(1).map(taken).collect()
    }

    /// Asks for the counts after an advance.
    pub(crate) fn count(&mut self, now: Time) {
        self.counts = self.all(now, &Question::Counts);
    }

    /// Returns the rank that has a part.
    pub(crate) fn rank(&self, part: PartId) -> usize {
        rank_of(part.index(), self.ranks.count(), self.parts)
    }

    /// Returns the data rate of the cable at a port.
    pub(crate) fn rate(&self, node: NodeId, port: PortId) -> Rate {
        self.plan.nodes().port(node, port).wire.rate()
    }

    /// Returns the port by which a packet leaves a switch, and the lane of the next link if the switch chooses it anew: for a packet that
    /// came by `input`.
    pub(crate) fn forwards(
        &self,
        (node, input): (NodeId, PortId),
        packet: &Packet,
    ) -> Option<(PortId, Option<Lane>)> {
        let output = self.plan.routes().table(node).output(packet.lrh.destination(), || packet.flow_key())?;
        let lanes = self.plan.nodes().switch(node).sl_to_vl.as_ref();
        Some((output, lanes.map(|lanes| lanes.lane((input, output), packet.lrh.service_level()))))
    }

    /// Returns a packet without payload that goes the way of a flow's data, as [`Adapter::probe`](ca_transport::Adapter::probe) does.
    pub(crate) fn probe(&self, number: FlowId, ends: &FlowEnds) -> Packet {
        let flow = &self.plan.workload().flows[number.index()];
        let (source, sink) = (ends.source.0, ends.sink.0);
        let service_level = self.plan.service_level(flow.service_level, source, sink);
        let lrh = Lrh::new(
            source.lid(),
            sink.lid(),
            self.plan.link().lanes[usize::from(service_level.0)],
            service_level,
        );
        let bth = Bth {
            destination_qp: ends.sink.1,
            psn: Psn::new(0),
            opcode: Opcode::Acknowledge,
            transport: flow.transport,
            flags: BthFlags::empty(),
        };
        Packet::new(lrh, bth, ends.source.1, number, 0)
    }

    /// Returns the plan, which every rank has read.
    pub(crate) fn plan(&self) -> &'a Plan {
        self.plan
    }
}

impl Answers {
    /// Returns a reader for the answer of each rank; that of rank 0 reads nothing.
    pub(crate) fn readers(&self) -> Vec<StateReader<'_>> {
        self.0.iter().map(|answer| StateReader::new(answer)).collect()
    }
}

impl World<'_> {
    /// Returns the rank that has a node, if it is away.
    pub(crate) fn rank_away(&self, node: NodeId) -> Option<usize> {
        let away = self.away.as_ref().filter(|_| self.is_away(node))?;
        Some(away.rank(self.places[node.index()].part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_belongs_to_one_rank_and_no_rank_is_idle() {
        for ranks in 1..=6 {
            for parts in ranks..=20 {
                let all: Vec<_> = (0..ranks).map(|rank| parts_of(rank, ranks, parts)).collect();
                assert!(all.iter().all(|own| !own.is_empty()), "{all:?}");
                let owners: Vec<_> =
                    all.iter().enumerate().flat_map(|(rank, own)| own.clone().map(move |_| rank)).collect();
                let found: Vec<_> = (0..parts).map(|part| rank_of(part, ranks, parts)).collect();
                assert_eq!(found, owners, "{ranks} ranks, {parts} parts");
            }
        }
    }
}
