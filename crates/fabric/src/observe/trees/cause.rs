//! The cause of a root: kinds of roots, and the rule that names a cause.
//!
//! Invariant: a cause is named only if it holds whatever else is true; `docs/models/congestion-trees.md` has the rule
//! and its order.

use std::collections::BTreeSet;

use packet::{Lane, NodeId, PortId};
use scenario::{CreditLoop, Plan};
use switch_arch::spec::BufferingSpec;
use telemetry::Cause;
use units::{Bytes, Rate};

use crate::state::world::{OutputLane, World};

/// A queue is above the threshold if it holds more than 1 / `QUEUE_PART` of an input's buffer.
const QUEUE_PART: u64 = 4;

/// The way in which an output is an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootKind {
    /// Its wire is busy nearly all the time.
    Full,
    /// It leads to an adapter that has no room.
    Receiver,
    /// Its wire is idle at times, and so is every other wire of its switch, although packets wait in input FIFOs.
    HeadOfLine,
    /// It lacks credit, and its far end's buffer is too small for the link.
    CreditLoop,
}

impl RootKind {
    const ALL: [Self; 4] = [Self::Full, Self::Receiver, Self::HeadOfLine, Self::CreditLoop];
}

/// Observations of a root over all of its samples.
#[derive(Clone, Debug, Default)]
pub(super) struct RootFacts {
    kinds: [u32; RootKind::ALL.len()],
    /// Ports of the root's switch by which contributors' data came.
    pub(super) feeders: BTreeSet<PortId>,
    /// Hosts that send contributors' data.
    pub(super) senders: BTreeSet<NodeId>,
}

state_codec::value!(RootFacts { kinds, feeders, senders });

/// Settings of a plan on which roots and their causes depend.
#[derive(Debug)]
pub(super) struct Setting {
    /// By switch, the queue length above which an output counts as congested.
    pub(super) thresholds: Vec<Bytes>,
    /// By switch, true if its packets wait in a single FIFO at each input and lane.
    pub(super) has_fifos: Vec<bool>,
    /// By port of every node, then by lane: the buffer at the far end, and the smallest buffer that keeps the link
    /// busy. Empty without credits.
    credit_loops: Vec<CreditLoop>,
    /// By adapter, the payload that its host takes.
    drains: Vec<Option<Rate>>,
    lanes: usize,
    /// Payload of a longest packet, and its length on the wire.
    share: (u64, u64),
}

impl Setting {
    pub(super) fn new(plan: &Plan) -> Self {
        let (link, switches) = (plan.link(), &plan.nodes().switches);
        let part = |buffer: Bytes| Bytes::new(buffer.get() / QUEUE_PART);
        Self {
            thresholds: switches.iter().map(|switch| part(switch.settings.buffer)).collect(),
            has_fifos: switches
                .iter()
                .map(|switch| switch.settings.buffering == BufferingSpec::InputFifo)
                .collect(),
            credit_loops: credit_loops(plan),
            drains: plan.nodes().adapters.iter().map(|adapter| adapter.settings.drain_limit).collect(),
            lanes: usize::from(link.data_lanes),
            share: (u64::from(link.mtu.bytes()), link.longest_on_wire().get()),
        }
    }

    /// Returns the payload within a number of bytes on the wire, for packets of the greatest length.
    pub(super) fn payload(&self, on_the_wire: Bytes) -> Bytes {
        Bytes::new(
            (u128::from(on_the_wire.get()) * u128::from(self.share.0) / u128::from(self.share.1)) as u64,
        )
    }

    /// Returns the cause of a root if the buffer at its far end is too small.
    pub(super) fn short_loop(&self, world: &World, (node, port, lane): OutputLane) -> Option<Cause> {
        let port = world.graph.position((node, port));
        let CreditLoop { buffer, needed } = *self.credit_loops.get(port * self.lanes + lane.index())?;
        (buffer < needed).then_some(Cause::CreditRoundTrip { buffer, needed })
    }

    /// Returns the cause of a root, if the rule names any.
    pub(super) fn cause(&self, world: &World, root: OutputLane, facts: &RootFacts) -> Option<Cause> {
        match facts.usual_kind() {
            // A receiver without room may also be a host with a buffer too small for its link, however fast it
            // consumes.
            RootKind::Receiver => self.slow_receiver(world, root).or_else(|| self.short_loop(world, root)),
            RootKind::CreditLoop => self.short_loop(world, root),
            RootKind::HeadOfLine => Some(Cause::HeadOfLine),
            RootKind::Full => too_slow(world, root, facts),
        }
    }

    fn slow_receiver(&self, world: &World, (node, port, _): OutputLane) -> Option<Cause> {
        let (peer, _) = world.peer(node, port);
        let takes = (*self.drains.get(peer.index())?)?;
        let (payload, wire) = self.share;
        let brings = u128::from(world.rate(node, port).get()) * u128::from(payload);
        (u128::from(takes.get()) * u128::from(wire) < brings).then_some(Cause::SlowReceiver { takes })
    }
}

/// Returns the cause of a root with a busy wire: a link slower than the links that feed it, or several senders that
/// share it.
fn too_slow(world: &World, (node, port, _): OutputLane, facts: &RootFacts) -> Option<Cause> {
    let rate = |port: PortId| world.rate(node, port);
    let feeding = facts.feeders.iter().map(|feeder| rate(*feeder)).min()?;
    let (is_slower, several) = (rate(port) < feeding, facts.feeders.len() > 1 && facts.senders.len() > 1);
    match (is_slower, several) {
        (true, true) => Some(Cause::SlowerLinkOfSeveral { feeding }),
        (true, false) => Some(Cause::SlowerLink { feeding }),
        (false, true) => Some(Cause::MoreSenders),
        (false, false) => None,
    }
}

/// Returns the buffer at the far end of every output and lane, and the smallest buffer that the link needs; empty without
/// credits.
fn credit_loops(plan: &Plan) -> Vec<CreditLoop> {
    let graph = plan.graph();
    let nodes = (0..graph.nodes() as u32).map(NodeId);
    let outputs =
        nodes.flat_map(|node| (0..graph.ports(node).len() as u16).map(move |port| (node, PortId(port))));
    let lanes = (0..plan.link().data_lanes).map(Lane);
    outputs.flat_map(|output| lanes.clone().filter_map(move |lane| plan.credit_loop(output, lane))).collect()
}

impl RootFacts {
    pub(super) fn count(&mut self, kind: RootKind) {
        self.kinds[kind as usize] += 1;
    }

    /// Returns the kind at most samples; of equal numbers, the first.
    fn usual_kind(&self) -> RootKind {
        let most = self.kinds.iter().max().expect("there are kinds");
        let place = self.kinds.iter().position(|number| number == most).expect("the greatest is one of them");
        RootKind::ALL[place]
    }
}
