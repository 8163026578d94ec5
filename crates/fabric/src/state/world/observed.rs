//! Nodes of all processes that share a run, as instruments, the record and the loop of rank 0 see them.
//!
//! Invariant: a node shows the same in this process as in another. So code outside this module never asks where a
//! node is, except for work on nodes of this process alone. Rank 0 holds no node of another rank. It asks all other
//! ranks the same [`RankQuestion`], and each answers for its own nodes, in the order of node numbers or of flows. Read in
//! this order, the answers are the same as from a single process.
//!
//! ```text
//! rank 0   question    ............   reads the answers node by node, each from its rank
//! others   ........    own nodes      ....................................................
//! ```
//!
//! | of a node of another process | known from |
//! |---|---|
//! | rates and routes | the plan |
//! | observations for instruments | the last [look](World::look_at_others) |
//! | events, packet-hops, violations | the last [advance](World::count_others) |
//! | all else | a question of its own: a [total](World::total), or [rows](World::rows) |
//!
//! | module | contents |
//! |---|---|
//! | here | nodes of any process, and the functions that observe them |
//! | `away` | the parts of other processes, as rank 0 knows them |
//! | `rows` | answers, read node by node |
//! | `seen` | observations for instruments, from the answers of ranks |
//! | `question` | the questions |

mod away;
mod question;
mod rows;
mod seen;

use std::collections::{BTreeMap, BTreeSet};

use ca_transport::{Adapter, FiniteMessages};
use cc_policies::ControlState;
use event_kernel::{Lookahead, WindowLengths};
use packet::{FlowId, Lane, NodeId, Packet, PortId, VoqId};
use parallel::Ranks;
use scenario::Plan;
use state_codec::Value;
use units::{Bytes, Rate, Time};
use workload::job::{JobMotion, RankReport};

use self::away::Away;
use super::{Node, OutputLane, World};
use crate::state::interconnect::NodeViolation;
use crate::state::part::Part;

pub(crate) use self::away::Counts;
pub(crate) use self::question::RankQuestion;
pub(crate) use self::rows::{Rows, taken};
pub(crate) use self::seen::{Blocked, LaneSeen};

/// The parts of other processes: only of rank 0, and while it does not hold all parts itself.
#[derive(Debug, Default)]
pub(crate) struct Others<'a>(Option<Away<'a>>);

/// A node, where it is.
enum Observed<'w> {
    /// A node of this process.
    Here(Node<'w>),
    /// In another process. This is the knowledge of rank 0 about it.
    Away(&'w Away<'w>),
}

/// Finite traffic that is worked on, and flows that have failed.
#[derive(Debug)]
pub(crate) struct Unfinished {
    /// True if a message of a finite flow is open at an endpoint that has not given up, or a rank of a job goes on
    /// without the network.
    pub(crate) works: bool,
    /// Flows with an endpoint that has given up, and the time at which it did.
    pub(crate) failed: Vec<(Time, FlowId)>,
    /// What moves in jobs.
    pub(crate) motion: JobMotion,
}

state_codec::value!(Unfinished { works, failed, motion });

impl Unfinished {
    fn and(mut self, other: Self) -> Self {
        self.failed.extend(other.failed);
        Self { works: self.works || other.works, motion: self.motion.plus(other.motion), ..self }
    }
}

impl<'a> Others<'a> {
    /// Creates the knowledge of rank 0 about other ranks. `inner` has the lookahead within each part, of all parts.
    pub(crate) fn new(ranks: &'a dyn Ranks, inner: &[Lookahead], plan: &'a Plan) -> Self {
        Self(Some(Away::new(ranks, inner, plan)))
    }
}

/// Answers to questions.
impl World<'_> {
    /// Returns a node, or the knowledge of rank 0 about it.
    fn observed(&self, node: NodeId) -> Observed<'_> {
        match (self.own_node(node), &self.others.0) {
            (Some(here), _) => Observed::Here(here),
            (None, Some(away)) => Observed::Away(away),
            (None, None) => panic!("{node:?} is of this process, or this is rank 0"),
        }
    }

    /// Returns true if this process has the node.
    pub(crate) fn is_here(&self, node: NodeId) -> bool {
        self.place(node).is_some()
    }

    /// Returns the answers of all other ranks to a question that each answers with a single value, by rank.
    pub(crate) fn of_others<T: Value>(&self, question: &RankQuestion) -> Vec<T> {
        self.others.0.as_ref().map_or_else(Vec::new, |away| away.all(self.now(), question))
    }

    /// Returns the sum of the values of all processes. `own` is the value of this process.
    pub(crate) fn total<T: Value>(&self, question: &RankQuestion, own: T, sum: impl Fn(T, T) -> T) -> T {
        self.of_others(question).into_iter().fold(own, sum)
    }

    /// Returns the answers of all other ranks to a question that each answers node by node.
    pub(crate) fn rows(&self, question: &RankQuestion) -> Rows<'_> {
        let answers = self.others.0.as_ref().map(|away| away.ask(self.now(), question));
        Rows::new(self, answers.unwrap_or_default())
    }

    /// Returns the rank that has a node; `None` for a node of this process.
    fn rank_of(&self, node: NodeId) -> Option<usize> {
        let away = self.others.0.as_ref().filter(|_| !self.is_here(node))?;
        Some(away.rank(self.places[node.index()].part))
    }

    /// Asks the other ranks for their counts after an advance.
    pub(crate) fn count_others(&mut self) {
        let counts = self.of_others(&RankQuestion::Counts);
        if let Some(away) = &mut self.others.0 {
            away.counts = counts;
        }
    }

    /// Returns the counts of other ranks; nothing in a run by this process alone.
    fn counts(&self) -> impl Iterator<Item = &Counts> {
        self.others.0.iter().flat_map(|away| &away.counts)
    }
}

/// Counts of all parts, as of the last advance.
impl World<'_> {
    /// Returns the number of events that other ranks have handled.
    pub(crate) fn events_of_others(&self) -> u64 {
        self.counts().map(|counts| counts.events).sum()
    }

    /// Returns the number of packets that crossed a link, each counted once a link.
    pub(crate) fn packet_hops(&self) -> u64 {
        let own: u64 = self.parts.iter().map(|part| part.interconnect.packet_hops).sum();
        own + self.counts().map(|counts| counts.packet_hops).sum::<u64>()
    }

    /// Returns the earliest violation that a node reported. Of several at the same instant, the first node's counts.
    pub(crate) fn broken(&self) -> Option<NodeViolation> {
        let others = self.counts().filter_map(|counts| counts.broken);
        self.parts.iter().filter_map(Part::broken).chain(others).min_by_key(|found| (found.at, found.node))
    }

    /// Returns the time before which no part has anything to do; `None` if all parts are idle for ever. Called once
    /// before mail is collected.
    pub(crate) fn next_time(&mut self) -> Option<Time> {
        let own = self.parts.iter_mut().filter_map(Part::next_time).min();
        own.into_iter().chain(self.counts().filter_map(|counts| counts.next)).min()
    }

    /// Returns the lengths of the windows of all parts' event lists.
    pub(crate) fn window_lengths(&self) -> impl Iterator<Item = WindowLengths> {
        let others = self.others.0.iter().flat_map(|away| &away.lists).copied();
        self.parts.iter().map(|part| part.interconnect.window_lengths()).chain(others)
    }
}

/// Flows.
impl World<'_> {
    /// Returns the payload of a flow that its destination's host has taken.
    pub(crate) fn delivered(&self, flow: FlowId) -> Bytes {
        let (node, queue_pair) = self.flows[flow.index()].sink;
        match self.observed(node) {
            Observed::Here(here) => here.adapter().sink(queue_pair).delivered,
            Observed::Away(away) => away.seen.delivered(flow),
        }
    }

    /// Returns the payload of all flows that hosts have taken.
    pub(crate) fn taken_by_hosts(&self) -> Bytes {
        let others = self.others.0.as_ref().map_or(Bytes::ZERO, |away| away.seen.taken);
        self.adapters().map(Adapter::taken_by_host).sum::<Bytes>() + others
    }

    /// Returns the flow of each message that is posted and not complete, if the last look has asked for them.
    pub(crate) fn open_flows(&self) -> impl Iterator<Item = FlowId> {
        let others = self.others.0.iter().flat_map(|away| &away.seen.open).copied();
        self.adapters().flat_map(Adapter::open_flows).chain(others)
    }

    /// Returns the state of congestion control at a flow's source, and the rate of the link there.
    pub(crate) fn control(&self, flow: FlowId) -> (ControlState, Rate) {
        let (node, queue_pair) = self.flows[flow.index()].source;
        let state = match self.observed(node) {
            Observed::Here(here) => here.adapter().control_state(queue_pair, self.now()).unwrap_or_default(),
            Observed::Away(away) => away.seen.control(flow),
        };
        (state, self.rate(node, PortId(0)))
    }

    /// Returns a packet without payload that goes the way of a flow's data.
    pub(crate) fn probe(&self, flow: FlowId) -> Packet {
        let ends = &self.flows[flow.index()];
        let (node, queue_pair) = ends.source;
        match self.observed(node) {
            Observed::Here(here) => here.adapter().probe(queue_pair),
            Observed::Away(away) => away.probe(flow, ends),
        }
    }

    /// Returns the messages of finite flows that are posted, delivered, and to come.
    pub(crate) fn finite_messages(&self, now: Time) -> FiniteMessages {
        let each = self.adapters().map(|adapter| adapter.finite_messages(now));
        let own = each.fold(FiniteMessages::default(), FiniteMessages::plus);
        self.others
            .0
            .iter()
            .flat_map(|away| away.all(now, &RankQuestion::Finite))
            .fold(own, FiniteMessages::plus)
    }

    /// Returns the ranks of jobs of all processes, by job and rank.
    pub(crate) fn job_ranks(&self) -> Vec<RankReport> {
        let own: Vec<RankReport> = self.adapters().flat_map(Adapter::job_ranks).collect();
        let mut all = self.total(&RankQuestion::Jobs, own, |mut all, more| {
            all.extend(more);
            all
        });
        all.sort_unstable_by_key(|report| (report.job, report.rank));
        all
    }

    /// Returns the finite traffic that is worked on, and the flows that have failed, of all processes.
    pub(crate) fn unfinished(&self) -> Unfinished {
        let mut all = self.total(&RankQuestion::Unfinished, self.own_unfinished(), Unfinished::and);
        // Ranks answer one after the other, and the order of failures must not depend on the division.
        all.failed.sort_unstable();
        all
    }

    /// Returns the unfinished traffic of this process.
    pub(crate) fn own_unfinished(&self) -> Unfinished {
        Unfinished {
            works: self.adapters().any(|own| own.works_on_finite() || own.jobs_go_on()),
            failed: self.adapters().flat_map(Adapter::failures).map(|(flow, at)| (at, flow)).collect(),
            motion: self.adapters().map(Adapter::job_motion).fold(JobMotion::default(), JobMotion::plus),
        }
    }
}

/// Ports, lanes and queues.
impl World<'_> {
    /// Returns the data rate of the cable at a port.
    pub(crate) fn rate(&self, node: NodeId, port: PortId) -> Rate {
        match self.observed(node) {
            Observed::Here(here) => here.port(port).wire().rate(),
            Observed::Away(away) => away.rate(node, port),
        }
    }

    /// Returns a port and lane at the present instant.
    pub(crate) fn lane_seen(&self, (node, port, lane): OutputLane) -> LaneSeen {
        let now = self.now();
        match self.observed(node) {
            Observed::Here(Node::Adapter(adapter)) => LaneSeen::of(adapter.observed(lane), now),
            Observed::Here(Node::Switch(switch)) => {
                let view = switch.view();
                let queue = view.waiting(port, lane).get() as u32;
                let marked = view.marks(port, lane).total();
                LaneSeen { marked, queue, ..LaneSeen::of(view.observed(port, lane), now) }
            }
            Observed::Away(away) => away.seen.lane(self, (node, port, lane)),
        }
    }

    /// Shows the counts of a node's ports and lanes to `see`, in order, without their queues and marks.
    pub(crate) fn visit_counts(&self, node: NodeId, see: impl FnMut(LaneSeen)) {
        let now = self.now();
        match self.observed(node) {
            Observed::Here(Node::Adapter(adapter)) => {
                adapter.all_observed().map(|counts| LaneSeen::of(counts, now)).for_each(see);
            }
            Observed::Here(Node::Switch(switch)) => {
                switch.view().all_observed().map(|counts| LaneSeen::of(counts, now)).for_each(see);
            }
            Observed::Away(away) => self.lanes_of(node).map(|at| away.seen.lane(self, at)).for_each(see),
        }
    }

    /// Returns the bytes that wait in a switch for an output and lane.
    pub(crate) fn waiting(&self, (node, port, lane): OutputLane) -> Bytes {
        match self.observed(node) {
            Observed::Here(here) => here.switch().view().waiting(port, lane),
            Observed::Away(away) => Bytes::new(away.seen.lane(self, (node, port, lane)).queue.into()),
        }
    }

    /// Returns true for each threshold of marking that an output's queue has crossed: for marking some packets, and
    /// for marking all.
    pub(crate) fn crossed(&self, (node, port, lane): OutputLane) -> [bool; 2] {
        let margins = match self.observed(node) {
            Observed::Here(Node::Adapter(_)) => [None; 2],
            Observed::Here(Node::Switch(switch)) => switch.view().margins(port, lane),
            Observed::Away(away) => return away.seen.crossed(self, (node, port, lane)),
        };
        margins.map(|margin| margin.is_some_and(|margin| margin.crossings > 0))
    }

    /// Returns true if the head of a switch's virtual output queue is, or could be, the next packet to leave its
    /// buffer. A packet of the queue must also have arrived on this lane.
    pub(crate) fn is_fed(&self, node: NodeId, voq: VoqId, arrived_on: Lane) -> bool {
        match self.observed(node) {
            Observed::Here(here) => {
                let view = here.switch().view();
                view.is_head(voq) && view.arrived_on(voq, arrived_on, self.pool(node))
            }
            Observed::Away(away) => away.seen.is_fed(node, voq, arrived_on),
        }
    }

    /// Returns the room of a switch's input and lane, as its receiver counts it.
    pub(crate) fn room(&self, (node, input, lane): OutputLane) -> Bytes {
        match self.observed(node) {
            Observed::Here(here) => here.port(input).room(lane),
            Observed::Away(away) => away.seen.room((node, input, lane)),
        }
    }

    /// Shows the outputs and lanes of switches that [may wait](Self::visit_own_blocked) for room at another switch.
    pub(crate) fn visit_blocked(&self, mut see: impl FnMut(Blocked)) {
        self.visit_own_blocked(&mut see);
        self.others.0.iter().flat_map(|away| &away.seen.blocked).copied().for_each(see);
    }

    /// Lets a copy of a packet pass a switch to which it comes by `input`: sets its lane behind the switch, and returns its
    /// output. `None` at an adapter, without a route, and at a switch that has yet to decide between it and a detour.
    pub(crate) fn pass(&self, node: NodeId, input: PortId, packet: &mut Packet) -> Option<PortId> {
        match self.observed(node) {
            Observed::Here(Node::Switch(switch)) => switch.pass(input, packet),
            Observed::Away(away) if !self.is_host(node) => away.pass(node, input, packet),
            Observed::Here(Node::Adapter(_)) | Observed::Away(_) => None,
        }
    }

    /// Returns the ports by which a packet from `input` may leave a switch that chooses one of them by its selector,
    /// or by the hash of packets that differ in their key, as all packets of a flow that `is_sprayed`. Each is given
    /// with the lane of the next link if the switch changes it. `None` at an adapter, and at a switch that does not
    /// choose for this packet.
    pub(crate) fn choices(
        &self,
        node: NodeId,
        input: PortId,
        (packet, is_sprayed): (&Packet, bool),
    ) -> Option<Vec<(PortId, Option<Lane>)>> {
        match self.observed(node) {
            Observed::Here(Node::Switch(switch)) if is_sprayed || switch.selects(packet) => {
                let outputs = switch.outputs_of(packet, is_sprayed).into_iter();
                Some(outputs.map(|output| (output, switch.lane_of(input, output, packet))).collect())
            }
            Observed::Away(away) if !self.is_host(node) => away.choices(node, input, (packet, is_sprayed)),
            Observed::Here(_) | Observed::Away(_) => None,
        }
    }

    /// Returns the packets that wait at these switches, and at these lanes of hosts. `add` decides which packets of a
    /// place are kept.
    pub(crate) fn packets_at(
        &self,
        places: &BTreeSet<(NodeId, Lane)>,
        add: impl Fn(&mut Vec<Packet>, &Packet),
    ) -> BTreeMap<(NodeId, Lane), Vec<Packet>> {
        let mut all = BTreeMap::new();
        let (own, at): (Vec<_>, Vec<_>) = places.iter().copied().partition(|(node, _)| self.is_here(*node));
        for place in own {
            let packets: &mut Vec<_> = all.entry(place).or_default();
            self.visit_waiting(place, &mut |packet| add(packets, packet));
        }
        if !at.is_empty() {
            let mut rows = self.rows(&RankQuestion::Packets { at: at.clone() });
            for place in at {
                let packets: &mut Vec<_> = all.entry(place).or_default();
                let told: Vec<Packet> = rows.next(place.0, Vec::new);
                told.iter().for_each(|packet| add(packets, packet));
            }
        }
        all
    }
}
