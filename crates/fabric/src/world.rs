//! The loop, and the way that it lends to nodes.
//!
//! Invariant: one instant is finished before the next begins; every node that something happened to
//! decides exactly once in it. What nodes do to each other goes over wires, which take time, so the
//! order in which nodes decide cannot matter.

use ca_transport::{Adapter, AdapterWake};
use event_kernel::{Digest, EventQueue, Order, Stream};
use link_layer::{Broken, Outlet, Signal};
use packet::{Lane, NodeId, PacketId, PacketPool, PortId};
use rand::seq::SliceRandom;
use switch_arch::{Switch, SwitchWake};
use telemetry::{Audit, Progress};
use units::{Span, Time};

use crate::ahead;
use crate::deadlock::{self, Deadlock};
use crate::event::{Event, What};
use crate::margins::Crossings;
use crate::probe::Probes;
use crate::record;
use crate::stop::{Stop, Violation};
use crate::trees::Trees;
use crate::watch::Watch;

/// How a run ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Silence the sources at the end, run to quiet, and demand every packet delivered and every credit home.
    pub drain: bool,
    /// Let the nodes that something happened to in one instant decide in an order drawn from this seed, so
    /// that simultaneous events are planned in another order. Nothing may depend on it: a test says so.
    pub scramble: Option<u64>,
}

/// How long a drain waits for credits alone, when no packet and no host has anything left to do. By then every
/// link has sent its credits several times over: the slowest refreshes them each 0.3 ms.
const PATIENCE: Span = Span::from_us(10_000);
/// How often a drain looks whether all is quiet.
const DRAIN_STEP: Span = Span::from_us(10);
/// Events between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 18;

/// Every node, every wire, and what is to come.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) names: Vec<String>,
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) probes: Probes,
    pub(crate) trees: Trees,
    pub(crate) crossings: Crossings,
    pub(crate) watch: Watch,
    pub(crate) end: Time,
    pub(crate) fabric: Wiring,
    pub(crate) events: u64,
    pub(crate) audit: Audit,
    /// The run's digest, taken when its time is over and before it is drained.
    pub(crate) digest: Digest,
    touched: Vec<NodeId>,
    is_touched: Vec<bool>,
    /// How many of the events to come have been read ahead for.
    pub(crate) read_ahead: usize,
    scramble: Option<Stream>,
}

/// What nodes share: the clock, the packets, the cables.
#[derive(Debug)]
pub(crate) struct Wiring {
    pub(crate) queue: EventQueue<Event>,
    pub(crate) pool: PacketPool,
    /// What is at the other end, by node and port.
    pub(crate) peers: Vec<(NodeId, PortId)>,
    /// Where each node's ports begin in `peers`.
    pub(crate) first_port: Vec<u32>,
    pub(crate) now: Time,
    pub(crate) packet_hops: u64,
    /// Events to come other than credits and their alarms, which never end.
    work_to_come: u64,
    broken: Option<(NodeId, PortId, Lane, Broken)>,
}

impl World {
    pub(crate) fn new(
        names: Vec<String>,
        adapters: Vec<Adapter>,
        switches: Vec<Switch>,
        peers: &[Vec<(NodeId, PortId)>],
        probes: Probes,
        trees: Trees,
        end: Time,
    ) -> Self {
        let first_port = peers.iter().scan(0, |next, ports| {
            let first = *next;
            *next += ports.len() as u32;
            Some(first)
        });
        Self {
            touched: Vec::with_capacity(names.len()),
            is_touched: vec![false; names.len()],
            read_ahead: 0,
            names,
            adapters,
            switches,
            probes,
            trees,
            crossings: Crossings::default(),
            watch: Watch::default(),
            end,
            fabric: Wiring {
                queue: EventQueue::new(),
                pool: PacketPool::default(),
                first_port: first_port.collect(),
                peers: peers.concat(),
                now: Time::ZERO,
                packet_hops: 0,
                work_to_come: 0,
                broken: None,
            },
            events: 0,
            audit: Audit::default(),
            digest: Digest::new(),
            scramble: None,
        }
    }

    /// Runs to the end, and to quiet if asked.
    pub(crate) fn run(&mut self, options: Options, progress: &mut dyn FnMut(Progress)) -> Result<(), Stop> {
        self.scramble = options.scramble.map(|seed| event_kernel::stream(seed, "scramble", "world"));
        for (node, adapter) in self.adapters.iter_mut().enumerate() {
            adapter.bring_up(&mut self.fabric.outlet(node));
        }
        for (node, switch) in self.switches.iter_mut().enumerate() {
            switch.bring_up(&mut self.fabric.outlet(self.adapters.len() + node));
        }
        self.run_until(self.end, progress)?;
        self.digest = record::digest(self);
        self.check_conservation()?;
        if options.drain { self.drain(progress) } else { Ok(()) }
    }

    /// Handles every event up to and with the instant `end`, with the probes that look on the way.
    fn run_until(&mut self, end: Time, progress: &mut dyn FnMut(Progress)) -> Result<(), Stop> {
        let mut report_at = self.events + PROGRESS_EVERY;
        loop {
            let look = self.probes.deadline();
            let stop = end.min(look);
            while let Some((now, event)) = self.fabric.queue.pop_before(after(stop)) {
                self.instant(now, event);
                if self.fabric.broken.is_some() {
                    return Err(self.violation().into());
                }
                if self.events >= report_at {
                    report_at = self.events + PROGRESS_EVERY;
                    progress(Progress { now, packet_hops: self.fabric.packet_hops });
                }
            }
            self.fabric.now = stop;
            if look > end {
                progress(Progress { now: end, packet_hops: self.fabric.packet_hops });
                return Ok(());
            }
            if self.probes.look(look, &self.adapters) {
                let mut trees = core::mem::take(&mut self.trees);
                trees.look(self);
                self.trees = trees;
                let mut crossings = core::mem::take(&mut self.crossings);
                crossings.look(self);
                self.crossings = crossings;
                let mut watch = core::mem::take(&mut self.watch);
                watch.look(self);
                self.watch = watch;
                self.check_deadlock()?;
            }
        }
    }

    /// Handles all events of one instant, the first of which is at hand, and lets nodes decide.
    #[inline(always)] // Runs take an eighth longer where it is called: see docs/performance.md.
    fn instant(&mut self, now: Time, first: Event) {
        self.fabric.now = now;
        let mut event = first;
        loop {
            self.handle(event);
            let Some(next) = self.fabric.queue.pop_at(now) else { break };
            self.touch(event.node);
            event = next;
        }
        // Most instants have one event, and need no list.
        let mut turn = Some(event.node);
        if !self.touched.is_empty() {
            self.touch(event.node);
            if let Some(stream) = &mut self.scramble {
                self.touched.shuffle(stream);
            }
            turn = self.next_touched();
        }
        while let Some(node) = turn {
            self.decide(node);
            turn = self.next_touched();
        }
    }

    /// Something has happened to this node in this instant.
    fn touch(&mut self, node: NodeId) {
        if !core::mem::replace(&mut self.is_touched[node.index()], true) {
            self.touched.push(node);
        }
    }

    fn next_touched(&mut self) -> Option<NodeId> {
        let node = self.touched.pop()?;
        self.is_touched[node.index()] = false;
        Some(node)
    }

    fn decide(&mut self, node: NodeId) {
        let outlet = &mut self.fabric.outlet(node.index());
        match node.index().checked_sub(self.adapters.len()) {
            None => self.adapters[node.index()].decide(outlet),
            Some(switch) => self.switches[switch].decide(outlet),
        }
    }

    fn handle(&mut self, event: Event) {
        self.events += 1;
        if self.fabric.queue.crowd() >= ahead::CROWD {
            self.look_ahead();
        }
        self.fabric.work_to_come -= u64::from(event.is_work());
        let node = event.node.index();
        let outlet = &mut self.fabric.outlet(node);
        match (event.what, node.checked_sub(self.adapters.len())) {
            (What::Arrive(_, packet), None) => self.adapters[node].arrive(packet, outlet),
            (What::Arrive(port, packet), Some(switch)) => self.switches[switch].arrive(port, packet, outlet),
            (What::Signal(_, signal), None) => self.adapters[node].heard(signal, outlet),
            (What::Signal(port, signal), Some(switch)) => self.switches[switch].heard(port, signal, outlet),
            (What::Adapter(wake), _) => self.adapters[node].woken(wake, outlet),
            (What::Switch(wake), Some(switch)) => self.switches[switch].woken(wake, outlet),
            (What::Switch(_), None) => unreachable!("an adapter is not woken as a switch"),
        }
    }

    /// Silences the sources and runs until every node is at rest.
    fn drain(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Stop> {
        self.adapters.iter_mut().for_each(Adapter::silence);
        let (start, mut worked) = (self.fabric.now, self.fabric.now);
        loop {
            self.run_until(self.fabric.now + DRAIN_STEP, progress)?;
            let now = self.fabric.now;
            if self.fabric.work_to_come > 0 {
                worked = now;
            }
            let Some(node) = self.restless(now) else {
                self.check_conservation()?;
                assert_eq!(self.audit.under_way, 0, "packets are under way, and every node is at rest");
                self.audit.drained = true;
                self.audit.drain = now.since(start);
                return Ok(());
            };
            if now.since(worked) > PATIENCE {
                self.check_deadlock()?;
                let node = self.names[node].clone();
                return Err(Violation::Unrest { node, waited: now.since(start) }.into());
            }
        }
    }

    /// The first node that is not at rest.
    fn restless(&self, now: Time) -> Option<usize> {
        let adapter = self.adapters.iter().position(|adapter| !adapter.at_rest(now));
        let switch = || {
            let mut switches = self.switches.iter();
            switches.position(|switch| !switch.at_rest(now)).map(|switch| switch + self.adapters.len())
        };
        adapter.or_else(switch)
    }

    /// Whatever was made has come in, was dropped or is under way.
    fn check_conservation(&mut self) -> Result<(), Violation> {
        let (mut injected, mut delivered, mut waiting) = (0, 0, 0);
        for adapter in &self.adapters {
            let (made, came) = adapter.turnover();
            injected += made;
            delivered += came;
            waiting += adapter.waiting_for_host();
        }
        let under_way = self.fabric.pool.len() as u64 - waiting;
        let dropped = self.dropped();
        self.audit = Audit { injected, delivered, dropped, under_way, ..core::mem::take(&mut self.audit) };
        let at = self.fabric.now;
        if injected != delivered + dropped + under_way {
            return Err(Violation::Conservation { injected, delivered, dropped, under_way, at });
        }
        let missed = |adapter: &Adapter| adapter.tally().naks + adapter.tally().gaps;
        let missed: u64 = self.adapters.iter().map(missed).sum();
        if dropped == 0 && missed > 0 { Err(Violation::Sequence { missed, at }) } else { Ok(()) }
    }

    /// Packets that found no room, which credits exclude.
    fn dropped(&self) -> u64 {
        let adapters = self.adapters.iter().map(|adapter| adapter.port().dropped());
        adapters.chain(self.switches.iter().map(Switch::dropped)).sum()
    }

    /// No packets wait for each other in a circle.
    fn check_deadlock(&self) -> Result<(), Deadlock> {
        deadlock::find(self).map_or(Ok(()), Err)
    }

    fn violation(&self) -> Violation {
        let (node, port, lane, what) = self.fabric.broken.expect("something is broken");
        Violation::AtNode { node: self.names[node.index()].clone(), port, lane, at: self.fabric.now, what }
    }
}

/// The instant after this one.
fn after(instant: Time) -> Time {
    Time::from_ps(instant.ps().saturating_add(1))
}

impl Wiring {
    fn outlet(&mut self, node: usize) -> NodeOutlet<'_> {
        NodeOutlet { node: NodeId(node as u32), wiring: self }
    }

    /// What is at the other end of a cable.
    #[inline]
    pub(crate) fn peer(&self, node: NodeId, port: PortId) -> (NodeId, PortId) {
        self.peers[self.first_port[node.index()] as usize + port.index()]
    }

    // Its place in the order depends on what the event is, which each caller knows: there it costs nothing.
    #[inline(always)]
    fn plan(&mut self, at: Time, event: Event, sequence: u32) {
        self.work_to_come += u64::from(event.is_work());
        self.push(at, event.order(sequence), event);
    }

    #[inline(never)]
    fn push(&mut self, at: Time, order: Order, event: Event) {
        self.queue.push(at, order, event);
    }
}

/// The way to the world of the node whose turn it is.
struct NodeOutlet<'a> {
    node: NodeId,
    wiring: &'a mut Wiring,
}

impl NodeOutlet<'_> {
    fn peer(&self, port: PortId) -> (NodeId, PortId) {
        self.wiring.peer(self.node, port)
    }

    #[inline]
    fn deliver(&mut self, port: PortId, at: Time, packet: PacketId) {
        let (node, port) = self.peer(port);
        self.wiring.packet_hops += 1;
        self.wiring.plan(at, Event { node, what: What::Arrive(port, packet) }, 0);
    }

    #[inline]
    fn signal(&mut self, port: PortId, at: Time, signal: Signal, sequence: u32) {
        let (node, port) = self.peer(port);
        self.wiring.plan(at, Event { node, what: What::Signal(port, signal) }, sequence);
    }

    fn broken(&mut self, port: PortId, lane: Lane, what: Broken) {
        self.wiring.broken.get_or_insert((self.node, port, lane, what));
    }
}

macro_rules! outlet {
    ($wake:ty, $what:path) => {
        impl Outlet<$wake> for NodeOutlet<'_> {
            #[inline]
            fn now(&self) -> Time {
                self.wiring.now
            }

            #[inline]
            fn packets(&mut self) -> &mut PacketPool {
                &mut self.wiring.pool
            }

            #[inline]
            fn deliver(&mut self, port: PortId, at: Time, packet: PacketId) {
                self.deliver(port, at, packet);
            }

            #[inline]
            fn signal(&mut self, port: PortId, at: Time, signal: Signal, sequence: u32) {
                self.signal(port, at, signal, sequence);
            }

            #[inline(always)]
            fn wake(&mut self, at: Time, what: $wake) {
                let event = Event { node: self.node, what: $what(what) };
                self.wiring.plan(at, event, 0);
            }

            fn broken(&mut self, port: PortId, lane: Lane, what: Broken) {
                self.broken(port, lane, what);
            }
        }
    };
}

outlet!(AdapterWake, What::Adapter);
outlet!(SwitchWake, What::Switch);
