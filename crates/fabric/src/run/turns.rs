//! The turns of a part's nodes: each handles its events of the open window.
//!
//! Invariant: within a window nodes take their turns in any order. Where the window is longer than the adapters'
//! cables, adapters follow switches. A node finishes one instant before it begins the next, and decides exactly once
//! in it.

use ca_transport::Adapter;
use event_kernel::{Density, Stream};
use packet::NodeId;
use parallel::Clock;
use rand::seq::SliceRandom;
use switch_arch::Switch;
use units::Time;

use super::prefetching::Prefetching;
use crate::observe::tap::PartTap;
use crate::state::event::EventKind;
use crate::state::interconnect::{Extent, Interconnect, NodeAccess, Whole};
use crate::state::part::Part;

/// The loop's own state of a part.
#[derive(Debug)]
pub(crate) struct Turns {
    pub(crate) events: u64,
    density: Density,
    prefetching: Prefetching,
    scramble: Option<Stream>,
    /// Only if the run is tapped.
    pub(crate) tap: Option<PartTap>,
}

impl Turns {
    /// Creates the state of the part of this number. With a seed, nodes take their turns in an order that it draws.
    pub(crate) fn new(part: usize, scramble: Option<u64>, clock: Option<Clock>) -> Self {
        let stream = |seed: u64| event_kernel::stream(seed.wrapping_add(part as u64), "scramble", "world");
        Self {
            events: 0,
            density: Density::default(),
            prefetching: Prefetching::new(clock),
            scramble: scramble.map(stream),
            tap: None,
        }
    }

    /// Handles all events before `end`, in windows of the part's event list. No other part sends anything for this
    /// time.
    pub(crate) fn run_until<X: Extent>(&mut self, part: &mut Part, end: Time) {
        self.run_and_tell::<X>(part, end, &mut |_| ());
    }

    /// Handles the same events. Calls `tell` once the part has sent all its mail for this time, if only turns of
    /// adapters are left.
    pub(crate) fn run_and_tell<X: Extent>(
        &mut self,
        part: &mut Part,
        end: Time,
        tell: &mut dyn FnMut(&mut Part),
    ) {
        if self.tap.is_some() {
            return self.run_tapped_until::<X>(part, end);
        }
        while part.interconnect.broken.is_none() && part.interconnect.queue.open(end) {
            let Interconnect { queue, adapters_send_no_mail, .. } = &part.interconnect;
            // Only in the last window of this call: earlier windows still bring turns of switches, which may send
            // mail.
            let tells = *adapters_send_no_mail && queue.window_end() == end;
            self.window::<X>(part, if tells { Some(tell) } else { None });
        }
    }

    /// Handles events before `end` of a fabric in one part, window by window. Stops once the part has handled `until`
    /// events in all, or has found a violation. Returns true if no event before `end` is left.
    pub(crate) fn run_windows(&mut self, part: &mut Part, end: Time, until: u64) -> bool {
        loop {
            let queue = &mut part.interconnect.queue;
            let is_open = if self.density.is_low() { queue.open_in_order(end) } else { queue.open(end) };
            if !is_open {
                return true;
            }
            self.window::<Whole>(part, None);
            // Scrambled turns need windows, in which nodes may have their turns in any order.
            if self.scramble.is_none() && self.density.is_due(self.events) {
                self.look_at_density(part);
            }
            if self.events >= until || part.interconnect.broken.is_some() {
                return false;
            }
        }
    }

    /// Measures the density of events, which decides between the two ways to open windows.
    #[cold]
    fn look_at_density(&mut self, part: &Part) {
        let now = part.interconnect.queue.window_end();
        self.density.look(self.events, now, part.interconnect.window_lengths().longest);
    }

    /// Handles the same events, and looks at each window when it opens.
    #[inline(never)] // Few runs are tapped.
    fn run_tapped_until<X: Extent>(&mut self, part: &mut Part, end: Time) {
        while part.interconnect.broken.is_none() && part.interconnect.queue.open_known(end) {
            self.look(part);
            self.window::<X>(part, None);
        }
    }

    /// Looks at the arrivals of the open window, if the run is tapped.
    pub(crate) fn look(&mut self, part: &Part) {
        if let Some(tap) = &mut self.tap {
            tap.look(part);
        }
    }

    /// Gives every node with events in the open window its turn. Calls `tell` before the turns of adapters, if these
    /// come last.
    pub(crate) fn window<X: Extent>(&mut self, part: &mut Part, mut tell: Option<&mut dyn FnMut(&mut Part)>) {
        self.prefetching.begin_window(part, self.events);
        loop {
            if let Some(stream) = &mut self.scramble {
                part.interconnect.queue.batches().shuffle(stream);
            }
            // Any order gives the same results. Runs with scrambled turns check this.
            while let Some(node) = part.interconnect.queue.next_owner() {
                if X::IS_DIVIDED
                    && part.switch_index(NodeId(node)).is_none()
                    && part.interconnect.queue.leaves_are_last()
                    && let Some(tell) = tell.take()
                {
                    tell(part);
                }
                self.prefetching.before_turn(part);
                let Part { adapters, switches, interconnect, .. } = part;
                self.events += match (node as usize).checked_sub(adapters.len()) {
                    None => turn(
                        &mut adapters[node as usize],
                        &mut interconnect.adapter_access::<X>(NodeId(node)),
                    ),
                    Some(switch) => turn(&mut switches[switch], &mut interconnect.access::<X>(NodeId(node))),
                };
            }
            // Switches may have sent adapters events within this window. Their turns follow in a second round.
            if !part.interconnect.queue.open_leaves() {
                break;
            }
        }
        self.prefetching.end_window(self.events);
    }
}

/// A node, as the loop drives it.
trait Driven<X> {
    /// Handles an event of the node.
    fn handle(&mut self, event: EventKind, access: &mut NodeAccess<'_, X>);

    /// Decides, once all events of an instant are handled.
    fn decide(&mut self, access: &mut NodeAccess<'_, X>);
}

impl<X: Extent> Driven<X> for Adapter {
    #[inline(always)]
    fn handle(&mut self, event: EventKind, access: &mut NodeAccess<'_, X>) {
        match event {
            EventKind::Arrive(_, packet) => self.arrive(packet, access),
            EventKind::Signal(_, signal) => self.on_signal(signal, access),
            EventKind::Adapter(timer) => self.on_timer(timer, access),
            EventKind::Switch(timer) => unreachable!("a switch's {timer:?} at an adapter"),
        }
    }

    #[inline(always)]
    fn decide(&mut self, access: &mut NodeAccess<'_, X>) {
        self.decide(access);
    }
}

impl<X: Extent> Driven<X> for Switch {
    #[inline(always)]
    fn handle(&mut self, event: EventKind, access: &mut NodeAccess<'_, X>) {
        match event {
            EventKind::Arrive(port, packet) => self.arrive(port, packet, access),
            EventKind::Signal(port, signal) => self.on_signal(port, signal, access),
            EventKind::Switch(timer) => self.on_timer(timer, access),
            EventKind::Adapter(timer) => unreachable!("an adapter's {timer:?} at a switch"),
        }
    }

    #[inline(always)]
    fn decide(&mut self, access: &mut NodeAccess<'_, X>) {
        self.decide(access);
    }
}

/// Handles all events of a node in the open window, instant by instant. Returns the number of events.
fn turn<X: Extent>(node: &mut impl Driven<X>, access: &mut NodeAccess<'_, X>) -> u64 {
    let mut events = 0;
    while let Some(mut event) = access.next_instant() {
        loop {
            events += 1;
            node.handle(event.kind(), access);
            let Some(next) = access.next_of_instant() else { break };
            event = next;
        }
        // Once an instant, after all of its events: a decision between two of them would depend on their order.
        node.decide(access);
    }
    events
}
