//! Prefetching, for fabrics larger than any cache: requests the memory of the next turns ahead of these turns.
//!
//! Invariant: prefetching changes nothing, so guesses may be wrong. Requests issued together are served together;
//! during the turns each event would wait alone. Four passes follow the path from an event to its memory:
//!
//! | pass | of an arrival | of the departure of a tail |
//! |---|---|---|
//! | 1 | the packet, the node's head and cables | the node's head and cables |
//! | 2 | an entry of the forwarding table; the queue pair | inputs with a packet for the output |
//! | 3 | input, output, queue; endpoint | input, output, queue of the next input |
//! | 4 | flow, message | the packet at the head of that queue |
//!
//! Prefetching takes time itself, and its gain depends on how slow memory is. That differs between machines and,
//! where other programs share the memory, from hour to hour. So some windows are handled without prefetching now and
//! then, and the faster way is kept.

use core::time::Duration;

use link_layer::Signal;
use packet::{Lane, PacketId, PortId, VoqId};
use parallel::{Clock, Contest, Stopwatch};
use prefetch::prefetch;
use switch_arch::SwitchTimer;

use crate::state::event::EventKind;
use crate::state::part::Part;

/// Events prefetched for at a time.
const AHEAD: usize = 64;
/// The number of nodes from which prefetching may pay; smaller fabrics fit into the cache. It never pays on targets
/// for which the compiler has no prefetch instruction.
const NODES: usize = if cfg!(target_arch = "x86_64") { 256 } else { usize::MAX };
/// Least number of events between the starts of two timed windows. Reading the clock takes as long as an event, and a
/// window may have few events.
const TIMED: u64 = 1024;
/// Time of timed windows after which a slice ends.
const SLICE: Duration = Duration::from_micros(500);
/// Most slices of the faster way until the slower way is tried again.
const LONGEST_HOLD: u32 = 64;

/// Progress of prefetching in the open window.
#[derive(Debug)]
pub(crate) struct Prefetching {
    /// Number of the window's events that have been prefetched for.
    done: usize,
    /// Empty except while memory is asked for.
    coming: Coming,
    /// False if the open window is handled without prefetching.
    is_on: bool,
    /// Clock of the contest; `None` turns prefetching off.
    clock: Option<Clock>,
    /// Between prefetching and none.
    contest: Contest,
    /// Events of the part before the last window that was timed.
    timed: u64,
    /// Since the start of the open window, if it is timed.
    stopwatch: Option<Stopwatch>,
    /// Events of the slice's timed windows, and their time.
    slice: (u64, Duration),
}

/// Coming events, by the memory that they need. Nodes are positions among the part's adapters or switches.
#[derive(Debug, Default)]
struct Coming {
    /// Arrivals at adapters.
    received: Vec<(u32, PacketId)>,
    /// Adapters with an event of another kind, after which they may send.
    senders: Vec<u32>,
    /// Arrivals at inputs of switches.
    arrivals: Vec<(u32, PortId, PacketId)>,
    /// Departures of tails from switches, each with the queue of its packet.
    departures: Vec<(u32, VoqId)>,
    /// Credits for outputs of switches.
    credits: Vec<(u32, PortId, Lane)>,
}

impl Prefetching {
    /// Creates the state of a part. `clock` times its events.
    pub(crate) fn new(clock: Option<Clock>) -> Self {
        Self {
            done: 0,
            coming: Coming::default(),
            is_on: false,
            clock,
            contest: Contest::new(LONGEST_HOLD),
            timed: 0,
            stopwatch: None,
            slice: Default::default(),
        }
    }

    /// Begins a window. `events` counts the events that the part has handled before.
    #[inline]
    pub(crate) fn begin_window(&mut self, part: &Part, events: u64) {
        if part.interconnect.queue.is_in_order() {
            // No batch is known before its turn, so there is nothing to prefetch for.
            self.is_on = false;
            return;
        }
        if part.numbers.len() >= NODES
            && let Some(clock) = self.clock
        {
            self.is_on = self.contest.is_first();
            self.done = 0;
            if events - self.timed >= TIMED {
                (self.timed, self.stopwatch) = (events, Some(Stopwatch::start(clock)));
            }
        }
    }

    /// Ends the window, and chooses the way of the next window. `events` counts the events that the part has handled.
    #[inline]
    pub(crate) fn end_window(&mut self, events: u64) {
        let Some(stopwatch) = self.stopwatch.take() else { return };
        let (handled, elapsed) = &mut self.slice;
        *handled += events - self.timed;
        *elapsed += stopwatch.elapsed();
        // A single window is too short to compare: the clock's resolution and other programs would decide the
        // contest.
        if *elapsed >= SLICE {
            self.contest.end_slice(*handled as f64 / elapsed.as_secs_f64(), true);
            self.slice = Default::default();
        }
    }

    /// Prefetches for the current batch's events and for some later events, unless done already.
    #[inline]
    pub(crate) fn before_turn(&mut self, part: &Part) {
        if !self.is_on {
            return;
        }
        debug_assert!(
            !part.interconnect.queue.is_in_order(),
            "batches that are not known are not prefetched for"
        );
        // A step takes a fixed number of events. It may reach into later batches, and then spares their turns a step.
        while self.done < part.interconnect.queue.batch_end() {
            self.more(part);
        }
    }

    /// Prefetches for the next events. Each pass needs memory that the previous pass has requested.
    #[inline(never)]
    fn more(&mut self, part: &Part) {
        let Part { adapters, switches, interconnect, .. } = part;
        let pool = &interconnect.pool;
        let Coming { received, senders, arrivals, departures, credits } = &mut self.coming;
        let adapter_at = |place: u32| &adapters[place as usize];
        let switch_at = |place: u32| &switches[place as usize];

        // Pass 1.
        let mut last = None;
        for event in interconnect.queue.window_events(self.done).take(AHEAD) {
            let (node, kind) = (event.node(), event.kind());
            // Events of a batch lie side by side. Its node's memory is requested once, not for every event.
            let is_next = last.replace(node) != Some(node);
            if is_next {
                interconnect.prefetch_cables(node);
            }
            if let EventKind::Arrive(_, packet) = kind {
                prefetch(&pool[packet]);
            }
            let Some(switch) = part.switch_index(node) else {
                if is_next {
                    adapters[node.index()].prefetch();
                }
                match kind {
                    EventKind::Arrive(_, packet) => received.push((node.0, packet)),
                    _ => senders.push(node.0),
                }
                continue;
            };
            if is_next {
                switches[switch].prefetch_head();
            }
            let place = switch as u32;
            match kind {
                EventKind::Arrive(input, packet) => arrivals.push((place, input, packet)),
                EventKind::Switch(SwitchTimer::TailLeft { output, input, lane, .. }) => {
                    departures.push((place, VoqId { input, output, lane }));
                }
                EventKind::Signal(output, Signal::Credit { lane, .. }) => credits.push((place, output, lane)),
                _ => {}
            }
        }
        self.done = (self.done + AHEAD).min(interconnect.queue.window_len());

        // Pass 2.
        received.iter().for_each(|(node, packet)| adapter_at(*node).prefetch_queue_pair(&pool[*packet]));
        senders.iter().for_each(|node| adapter_at(*node).prefetch_schedule());
        arrivals.iter().for_each(|(node, _, packet)| switch_at(*node).prefetch_route(&pool[*packet]));
        departures.iter().for_each(|(node, voq)| switch_at(*node).prefetch_queue(voq.output, voq.lane));

        // Pass 3.
        received.iter().for_each(|(node, packet)| adapter_at(*node).prefetch_for_arrival(&pool[*packet]));
        senders.iter().for_each(|node| adapter_at(*node).prefetch_for_send());
        for (node, input, packet) in arrivals.drain(..) {
            let packet = &pool[packet];
            if let Some(output) = switch_at(node).output_of(packet) {
                switch_at(node).prefetch_for_arrival(VoqId { input, output, lane: packet.lrh.lane });
            }
        }
        departures.iter().for_each(|(node, voq)| switch_at(*node).prefetch_for_departure(*voq));
        credits.drain(..).for_each(|(node, output, lane)| switch_at(node).prefetch_output(output, lane));

        // Pass 4.
        received.drain(..).for_each(|(node, packet)| adapter_at(node).prefetch_for_reply(&pool[packet]));
        senders.drain(..).for_each(|node| adapter_at(node).prefetch_message());
        departures.drain(..).for_each(|(node, voq)| switch_at(node).prefetch_next(voq, pool));
    }
}
