//! Reading ahead, for fabrics larger than any cache: the memory that the next turns need is read together before them.
//!
//! Invariant: reading changes nothing, and nothing depends on the values read, so guesses may be wrong. Independent
//! reads wait for memory together; during the turns each would wait alone.

use link_layer::Signal;
use packet::{PacketPool, PortId, VoqId};
use switch_arch::SwitchTimer;

use crate::state::event::{Event, EventKind};
use crate::state::world::World;

/// Events read ahead for at a time.
const AHEAD: usize = 64;
/// The number of nodes from which reading ahead pays; smaller fabrics fit into the cache.
const NODES: usize = 1024;

/// Progress of reading ahead in the open window.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Number of the window's events that have been read ahead for.
    read_to: usize,
}

impl ReadAhead {
    /// Starts over with the events of a window just opened.
    #[inline]
    pub(crate) fn begin_window(&mut self) {
        self.read_to = 0;
    }

    /// Reads the memory that the current batch's events need, and that of some later events, unless done already.
    #[inline]
    pub(crate) fn before_turn(&mut self, world: &World) {
        if world.names.len() < NODES {
            return;
        }
        while self.read_to < world.interconnect.queue.batch_end() {
            self.read_more(world);
        }
    }

    /// Reads ahead for the next events.
    #[inline(never)]
    fn read_more(&mut self, world: &World) {
        let pool = &world.interconnect.pool;
        let events = world.interconnect.queue.window_events(self.read_to).take(AHEAD);
        // Each pass needs the answers of the one before it.
        let packets = events.clone().fold(0, |read, event| read ^ read_packet(pool, event));
        let mut outputs = [PortId(0); AHEAD];
        for (event, output) in events.clone().zip(&mut outputs) {
            *output = read_node(world, event);
        }
        let rest =
            events.zip(outputs).fold(0, |read, (event, output)| read ^ read_rest(world, event, output));
        core::hint::black_box(packets ^ rest);
        self.read_to += AHEAD;
    }
}

/// Reads the packet that arrives.
#[inline]
fn read_packet(pool: &PacketPool, event: &Event) -> u64 {
    match event.kind {
        EventKind::Arrive(_, packet) => u64::from(pool[packet].wire),
        _ => 0,
    }
}

/// Reads the part of a node that every event needs. Returns the output that the packet is routed to, if it is known.
#[inline]
fn read_node(world: &World, event: &Event) -> PortId {
    let Some(switch) = world.switch_index(event.node) else {
        return PortId(world.adapters[event.node.index()].fetch() as u16);
    };
    match event.kind {
        EventKind::Arrive(_, packet) => world.switches[switch].output_of(&world.interconnect.pool[packet]),
        EventKind::Switch(SwitchTimer::TailLeft { output, .. }) => Some(output),
        EventKind::Signal(port, _) => Some(port),
        _ => None,
    }
    .unwrap_or(PortId(0))
}

/// Reads the part of a node that depends on the event and on the output read before.
#[inline]
fn read_rest(world: &World, event: &Event, output: PortId) -> u64 {
    let pool = &world.interconnect.pool;
    let Some(switch) = world.switch_index(event.node) else {
        let adapter = &world.adapters[event.node.index()];
        return match event.kind {
            EventKind::Arrive(_, packet) => adapter.fetch_for_arrival(&pool[packet]),
            _ => adapter.fetch_for_send(),
        };
    };
    let switch = &world.switches[switch];
    match event.kind {
        EventKind::Arrive(input, packet) => {
            switch.fetch_for_arrival(VoqId { input, output, lane: pool[packet].lrh.lane })
        }
        EventKind::Signal(port, Signal::Credit { lane, .. }) => switch.fetch_output(port, lane),
        EventKind::Switch(SwitchTimer::TailLeft { output, input, lane, .. }) => {
            switch.fetch_for_departure(VoqId { input, output, lane }, pool)
        }
        _ => 0,
    }
}
