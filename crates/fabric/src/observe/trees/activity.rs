//! Activity of every output and lane between two samples.
//!
//! Invariant: activity is a difference of counters that nodes keep anyway.

use link_layer::LinkPlan;
use packet::Lane;
use units::{Bytes, Rate, Span};

use crate::state::world::observed::LaneSeen;
use crate::state::world::{OutputLane, World};

/// An output is stalled if packets waited, with the wire free, for at least 1 / `STALLED_PART` of the sampling interval.
const STALLED_PART: u64 = 10;
/// An output is fully used if its wire was busy for at least this percentage of the sampling interval.
const FULL_PERCENT: u64 = 90;

/// Activity of all outputs since the previous sample.
#[derive(Debug)]
pub(super) struct Activity {
    pub(super) lanes: usize,
    /// Bytes on the wire around each packet.
    around: Bytes,
    /// Time since the previous sample.
    interval: Span,
    /// By port of every node, then by lane.
    outputs: Vec<OutputActivity>,
}

state_codec::state!(Activity { lanes: plan, around: plan, interval, outputs });

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutputActivity {
    /// Time stalled and bytes sent, from the start to the previous sample.
    stalled: Span,
    bytes: Bytes,
    /// Time stalled since the previous sample.
    pub(super) waited: Span,
    /// Bytes on the wire since the previous sample.
    sent: Bytes,
    pub(super) is_stalled: bool,
}

state_codec::value!(OutputActivity { stalled, bytes, waited, sent, is_stalled });

impl Activity {
    /// Creates the activity of a run of these links that has not begun.
    pub(super) fn new(link: &LinkPlan) -> Self {
        let (lanes, around) = (usize::from(link.data_lanes), link.framing.around());
        Self { lanes, around, interval: Span::ZERO, outputs: Vec::new() }
    }

    /// Measures the activity since the previous sample, which was `interval` ago.
    pub(super) fn measure(&mut self, world: &World, interval: Span) {
        self.interval = interval;
        self.outputs.resize(world.graph.far_ends().len() * self.lanes, OutputActivity::default());
        let (mut outputs, around) = (self.outputs.iter_mut(), self.around);
        let mut settle = |seen: LaneSeen| {
            let output = outputs.next().expect("an output and lane that is seen has a place");
            output.settle(&seen, around, interval);
        };
        world.numbers().for_each(|node| world.visit_counts(node, &mut settle));
    }

    /// Returns the place of an output and lane among all.
    pub(super) fn place(&self, world: &World, (node, port, lane): OutputLane) -> usize {
        let port = world.graph.position((node, port));
        port * self.lanes + lane.index()
    }

    /// Returns the activity of an output and lane.
    pub(super) fn of(&self, world: &World, output: OutputLane) -> &OutputActivity {
        &self.outputs[self.place(world, output)]
    }

    /// Returns the time for which the wire of an output was busy, with packets of all lanes.
    fn busy(&self, world: &World, (node, port, _): OutputLane) -> (Span, Rate) {
        let lanes = (0..self.lanes as u8).map(Lane);
        let sent: Bytes = lanes.map(|lane| self.of(world, (node, port, lane)).sent).sum();
        let rate = world.rate(node, port);
        (rate.time_for(sent), rate)
    }

    /// Returns true if the wire of an output was busy nearly all the time.
    pub(super) fn is_full(&self, world: &World, output: OutputLane) -> bool {
        self.busy(world, output).0.ps() * 100 >= self.interval.ps() * FULL_PERCENT
    }

    /// Returns the bytes that the wire of an output could have carried while it was stalled.
    pub(super) fn idle(&self, world: &World, output: OutputLane) -> Bytes {
        let (busy, rate) = self.busy(world, output);
        // With several lanes, the wire may have been busy with other lanes while this lane waited.
        let free = Span::from_ps(self.interval.ps().saturating_sub(busy.ps()));
        rate.amount_in(self.of(world, output).waited.min(free))
    }
}

impl OutputActivity {
    fn settle(&mut self, seen: &LaneSeen, around: Bytes, interval: Span) {
        self.waited = seen.stalled - self.stalled;
        let on_the_wire = seen.sent + Bytes::new(around.get() * seen.packets);
        self.sent = on_the_wire - self.bytes;
        (self.stalled, self.bytes) = (seen.stalled, on_the_wire);
        self.is_stalled = self.waited.ps() * STALLED_PART >= interval.ps().max(1);
    }
}
