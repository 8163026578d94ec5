//! Prefetching, for fabrics larger than any cache: the memory that the next turns need is asked for before them.
//!
//! Invariant: prefetching changes nothing, so guesses may be wrong. Memory that is asked for together arrives together;
//! during the turns each event would wait alone.

use link_layer::Signal;
use packet::{PortId, VoqId};
use prefetch::prefetch;
use switch_arch::SwitchTimer;

use crate::state::event::{Event, EventKind};
use crate::state::part::Part;

/// Events prefetched for at a time.
const AHEAD: usize = 64;
/// The number of nodes from which prefetching pays; smaller fabrics fit into the cache.
const NODES: usize = 1024;

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
        let pool = &part.interconnect.pool;
        let events = part.interconnect.queue.window_events(self.done).take(AHEAD);
        for event in events.clone() {
            if let EventKind::Arrive(_, packet) = event.kind() {
                prefetch(&pool[packet]);
            }
        }
        let mut outputs = [PortId(0); AHEAD];
        for (event, output) in events.clone().zip(&mut outputs) {
            *output = prefetch_node(part, event);
        }
        for (event, output) in events.zip(outputs) {
            prefetch_rest(part, event, output);
        }
        self.done += AHEAD;
    }
}

/// Prefetches the part of a node that every event needs. Returns the output that the packet is routed to, if it is known.
#[inline]
fn prefetch_node(part: &Part, event: &Event) -> PortId {
    let Some(switch) = part.switch_index(event.node()) else {
        part.adapters[event.node().index()].prefetch();
        return PortId(0);
    };
    match event.kind() {
        EventKind::Arrive(_, packet) => part.switches[switch].output_of(&part.interconnect.pool[packet]),
        EventKind::Switch(SwitchTimer::TailLeft { output, .. }) => Some(output),
        EventKind::Signal(port, _) => Some(port),
        _ => None,
    }
    .unwrap_or(PortId(0))
}

/// Prefetches the part of a node that depends on the event and on its packet's output.
#[inline]
fn prefetch_rest(part: &Part, event: &Event, output: PortId) {
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
            switch.prefetch_for_arrival(VoqId { input, output, lane: pool[packet].lrh.lane });
        }
        EventKind::Signal(port, Signal::Credit { lane, .. }) => switch.prefetch_output(port, lane),
        EventKind::Switch(SwitchTimer::TailLeft { output, input, lane, .. }) => {
            switch.prefetch_for_departure(VoqId { input, output, lane }, pool);
        }
        _ => {}
    }
}
