//! The loop, and the way that it lends to nodes.
//!
//! Invariant: what nodes do to each other goes over wires, which take time. So in a window as long as the quickest
//! wire takes, nodes have their turns one after the other, in any order; each handles all that happens to it in the
//! window. One instant of a node is finished before its next begins, and the node decides exactly once in it.

use ca_transport::{Adapter, AdapterWake};
use event_kernel::{Digest, EventQueue, Order, Stream};
use link_layer::{Broken, Outlet, Port, Signal};
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
    /// Let nodes have their turns in each window in an order drawn from this seed, so that events are planned in
    /// another order. Nothing may depend on it: a test says so.
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
    /// How many events of the open window have been read ahead for.
    pub(crate) read_to: usize,
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
    /// The earliest promise found broken.
    broken: Option<(Time, NodeId, PortId, Lane, Broken)>,
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
        let links = || adapters.iter().map(Adapter::port).chain(switches.iter().flat_map(Switch::links));
        let lookahead = links().map(Port::lookahead).min().unwrap_or(Span::ZERO);
        Self {
            fabric: Wiring {
                queue: EventQueue::new(names.len(), lookahead),
                pool: PacketPool::default(),
                first_port: first_port.collect(),
                peers: peers.concat(),
                now: Time::ZERO,
                packet_hops: 0,
                broken: None,
            },
            names,
            adapters,
            switches,
            probes,
            trees,
            crossings: Crossings::default(),
            watch: Watch::default(),
            end,
            events: 0,
            audit: Audit::default(),
            digest: Digest::new(),
            read_to: 0,
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
            while self.fabric.queue.open(after(stop)) {
                self.window();
                if self.fabric.broken.is_some() {
                    return Err(self.violation().into());
                }
                if self.events >= report_at {
                    report_at = self.events + PROGRESS_EVERY;
                    progress(Progress { now: self.fabric.now, packet_hops: self.fabric.packet_hops });
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

    /// Lets every node that something happens to in the open window have its turn.
    fn window(&mut self) {
        self.read_to = 0;
        if let Some(stream) = &mut self.scramble {
            self.fabric.queue.turns().shuffle(stream);
        }
        while let Some(node) = self.fabric.queue.next_owner() {
            if self.names.len() >= ahead::NODES {
                self.look_ahead();
            }
            let outlet = &mut NodeOutlet { node: NodeId(node), wiring: &mut self.fabric };
            self.events += match (node as usize).checked_sub(self.adapters.len()) {
                None => turn_of_adapter(&mut self.adapters[node as usize], outlet),
                Some(switch) => turn_of_switch(&mut self.switches[switch], outlet),
            };
        }
    }

    /// Silences the sources and runs until every node is at rest.
    fn drain(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Stop> {
        self.adapters.iter_mut().for_each(Adapter::silence);
        let (start, mut worked) = (self.fabric.now, self.fabric.now);
        loop {
            self.run_until(self.fabric.now + DRAIN_STEP, progress)?;
            let now = self.fabric.now;
            if self.fabric.queue.planned().any(Event::is_work) {
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
        let (at, node, port, lane, what) = self.fabric.broken.expect("something is broken");
        Violation::AtNode { node: self.names[node.index()].clone(), port, lane, at, what }
    }
}

/// All that happens to an adapter in the open window. Returns how many events that were.
fn turn_of_adapter(adapter: &mut Adapter, outlet: &mut NodeOutlet<'_>) -> u64 {
    let mut events = 0;
    while let Some(mut event) = outlet.next_instant() {
        loop {
            events += 1;
            match event.what {
                What::Arrive(_, packet) => adapter.arrive(packet, outlet),
                What::Signal(_, signal) => adapter.heard(signal, outlet),
                What::Adapter(wake) => adapter.woken(wake, outlet),
                What::Switch(_) => unreachable!("an adapter is not woken as a switch"),
            }
            let Some(next) = outlet.next_of_instant() else { break };
            event = next;
        }
        adapter.decide(outlet);
    }
    events
}

/// All that happens to a switch in the open window. Returns how many events that were.
fn turn_of_switch(switch: &mut Switch, outlet: &mut NodeOutlet<'_>) -> u64 {
    let mut events = 0;
    while let Some(mut event) = outlet.next_instant() {
        loop {
            events += 1;
            match event.what {
                What::Arrive(port, packet) => switch.arrive(port, packet, outlet),
                What::Signal(port, signal) => switch.heard(port, signal, outlet),
                What::Switch(wake) => switch.woken(wake, outlet),
                What::Adapter(_) => unreachable!("a switch is not woken as an adapter"),
            }
            let Some(next) = outlet.next_of_instant() else { break };
            event = next;
        }
        switch.decide(outlet);
    }
    events
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

    /// The node's next event in the open window, which begins an instant.
    #[inline]
    fn next_instant(&mut self) -> Option<Event> {
        let (now, event) = self.wiring.queue.pop()?;
        self.wiring.now = now;
        Some(event)
    }

    /// The node's next event, if it is of the same instant.
    #[inline]
    fn next_of_instant(&mut self) -> Option<Event> {
        self.wiring.queue.pop_at(self.wiring.now)
    }

    fn broken(&mut self, port: PortId, lane: Lane, what: Broken) {
        let (now, node) = (self.wiring.now, self.node);
        if self.wiring.broken.is_none_or(|(at, by, ..)| (now, node) < (at, by)) {
            self.wiring.broken = Some((now, node, port, lane, what));
        }
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
