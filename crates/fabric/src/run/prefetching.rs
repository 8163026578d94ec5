//! Prefetching, for fabrics larger than any cache: the memory that the next turns need is asked for before them.
//!
//! Invariant: prefetching changes nothing, so guesses may be wrong. Memory that is asked for together arrives together;
//! during the turns each event would wait alone. Four passes follow what leads from an event to its memory:
//!
//! | pass | of an arrival | of the departure of a tail |
//! |---|---|---|
//! | `prefetch_node` | the packet, the node's head | the node's head |
//! | `prefetch_way` | an entry of the forwarding table; the queue pair | inputs with a packet for the output |
//! | `prefetch_rest` | input, output, queue; endpoint | input, output, queue of the next input |
//! | `prefetch_next` | flow, message | the packet at the head of that queue |

use link_layer::Signal;
use packet::{NodeId, VoqId};
use prefetch::prefetch;
use switch_arch::SwitchTimer;

use crate::state::event::{Event, EventKind};
use crate::state::part::Part;

/// Events prefetched for at a time.
const AHEAD: usize = 64;
/// The number of nodes from which prefetching pays; smaller fabrics fit into the cache.
const NODES: usize = 512;

/// Progress of prefetching in the open window.
#[derive(Debug, Default)]
pub(crate) struct Prefetching {
    /// Number of the window's events that have been prefetched for.
    done: usize,
}

impl Prefetching {
    /// Starts over with the events of a window just opened.
    #[inline]
    pub(crate) fn begin_window(&mut self) {
        self.done = 0;
    }

    /// Prefetches for the current batch's events and for some later events, unless done already.
    #[inline]
    pub(crate) fn before_turn(&mut self, part: &Part) {
        if part.numbers.len() < NODES {
            return;
        }
        while self.done < part.interconnect.queue.batch_end() {
            self.more(part);
        }
    }

    /// Prefetches for the next events. Each pass needs memory that the one before it asked for.
    #[inline(never)]
    fn more(&mut self, part: &Part) {
        let events = part.interconnect.queue.window_events(self.done).take(AHEAD);
        let mut last = None;
        for event in events.clone() {
            let node = event.node();
            if last.replace(node) != Some(node) {
                prefetch_node(part, node);
            }
            if let EventKind::Arrive(_, packet) = event.kind() {
                prefetch(&part.interconnect.pool[packet]);
            }
        }
        events.clone().for_each(|event| prefetch_way(part, *event));
        events.clone().for_each(|event| prefetch_rest(part, *event));
        events.for_each(|event| prefetch_next(part, *event));
        self.done += AHEAD;
    }
}

/// Prefetches the part of a node that every event needs.
#[inline]
fn prefetch_node(part: &Part, node: NodeId) {
    match part.switch_index(node) {
        Some(switch) => part.switches[switch].prefetch_head(),
        None => part.adapters[node.index()].prefetch(),
    }
}

/// Prefetches what tells the parts of a node that the event needs.
#[inline]
fn prefetch_way(part: &Part, event: Event) {
    let pool = &part.interconnect.pool;
    let Some(switch) = part.switch_index(event.node()) else {
        let adapter = &part.adapters[event.node().index()];
        return match event.kind() {
            EventKind::Arrive(_, packet) => adapter.prefetch_queue_pair(&pool[packet]),
            _ => adapter.prefetch_schedule(),
        };
    };
    let switch = &part.switches[switch];
    match event.kind() {
        EventKind::Arrive(_, packet) => switch.prefetch_route(&pool[packet]),
        EventKind::Switch(SwitchTimer::TailLeft { output, lane, .. }) => switch.prefetch_queue(output, lane),
        _ => {}
    }
}

/// Prefetches the parts of a node that depend on the event and on its packet.
#[inline]
fn prefetch_rest(part: &Part, event: Event) {
    let pool = &part.interconnect.pool;
    let Some(switch) = part.switch_index(event.node()) else {
        let adapter = &part.adapters[event.node().index()];
        return match event.kind() {
            EventKind::Arrive(_, packet) => adapter.prefetch_for_arrival(&pool[packet]),
            _ => adapter.prefetch_for_send(),
        };
    };
    let switch = &part.switches[switch];
    match event.kind() {
        EventKind::Arrive(input, packet) => {
            let packet = &pool[packet];
            if let Some(output) = switch.output_of(packet) {
                switch.prefetch_for_arrival(VoqId { input, output, lane: packet.lrh.lane });
            }
        }
        EventKind::Signal(port, Signal::Credit { lane, .. }) => switch.prefetch_output(port, lane),
        EventKind::Switch(SwitchTimer::TailLeft { output, input, lane, .. }) => {
            switch.prefetch_for_departure(VoqId { input, output, lane });
        }
        _ => {}
    }
}

/// Prefetches what depends on the rest: the packet that is likely to be next at an output whose wire falls idle, and the
/// flow and message of a reply or of the next packet that a host sends.
#[inline]
fn prefetch_next(part: &Part, event: Event) {
    let pool = &part.interconnect.pool;
    let Some(switch) = part.switch_index(event.node()) else {
        let adapter = &part.adapters[event.node().index()];
        return match event.kind() {
            EventKind::Arrive(_, packet) => adapter.prefetch_for_reply(&pool[packet]),
            _ => adapter.prefetch_message(),
        };
    };
    if let EventKind::Switch(SwitchTimer::TailLeft { output, input, lane, .. }) = event.kind() {
        part.switches[switch].prefetch_next(VoqId { input, output, lane }, pool);
    }
}
