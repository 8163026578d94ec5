//! Deadlocks: packets that wait for each other in a cycle, found during a run.
//!
//! Invariant: a reported deadlock can never resolve. No wait is reported for its length alone.
//!
//! ```text
//! blocked  an output and lane for which a packet waits that is longer than the room in the buffer that it feeds
//! stuck    blocked, and all packets in that buffer wait there, behind packets for outputs that are stuck as well
//! ```
//!
//! The stuck outputs are the greatest set for which the second line is true: memory becomes free only if a packet
//! leaves, and packets leave only by other outputs of the set. The room is the receiver's own count, so a credit still
//! on a wire cannot change it. Hosts accept all packets, so an output to a host is never stuck.

use core::fmt::{self, Display, Formatter};

use packet::{Lane, NodeId, PacketPool, PortId, VoqId};
use switch_arch::{Switch, SwitchView};
use units::Time;

use crate::state::world::World;

/// A cycle of packets that wait for each other for ever: a fault of the scenario's routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The cycle: each output waits for room in the buffer that the next one empties, the last for the first.
    pub cycle: Vec<BlockedOutput>,
    /// Number of stuck outputs and lanes, on the cycle and behind it.
    pub stuck: usize,
    /// Time of detection: the first sample after the cycle closed.
    pub found: Time,
}

/// An output and lane of a switch by which no packet can leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedOutput {
    /// The switch, by name.
    pub node: String,
    /// The output.
    pub port: PortId,
    /// The lane.
    pub lane: Lane,
    /// The switch at the far end, by name.
    pub peer: String,
}

impl Display for Deadlock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "by {}, packets wait for each other in a circle, and nothing can ever move there:",
            self.found
        )?;
        for BlockedOutput { node, port, lane, peer } in &self.cycle {
            write!(f, "\n  {node}, port {port}, {lane}: waits for room at {peer}")?;
        }
        write!(f, "\n{} outputs stand still in all, on the circle and behind it", self.stuck)
    }
}

impl std::error::Error for Deadlock {}

/// Returns the deadlock of the world, if there is one.
pub(crate) fn find(world: &World) -> Option<Deadlock> {
    let mut stuck = StuckOutputs::blocked(world);
    loop {
        while stuck.drop_if(|stuck, at| !stuck.is_held(at)) {}
        if !stuck.drop_if(|stuck, at| !stuck.is_whole(at)) {
            break;
        }
    }
    let all = stuck.members.len();
    let cycle = stuck.cycle()?;
    Some(Deadlock { cycle: cycle.iter().map(|at| stuck.name(at)).collect(), stuck: all, found: world.now() })
}

/// An output and lane of a switch, and the input of another switch that it feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FeedingOutput {
    from: NodeId,
    output: PortId,
    lane: Lane,
    to: NodeId,
    input: PortId,
}

/// The outputs that may be stuck; the search drops those that can move.
struct StuckOutputs<'a> {
    world: &'a World,
    /// Sorted by node, port and lane.
    members: Vec<FeedingOutput>,
}

impl<'a> StuckOutputs<'a> {
    fn blocked(world: &'a World) -> Self {
        let mut members = Vec::new();
        for (place, switch) in world.switches.iter().map(Switch::view).enumerate() {
            let from = world.switch_number(place);
            for output in (0..switch.radix() as u16).map(PortId) {
                let (to, input) = world.interconnect.peer(from, output);
                let Some(next) = world.switch_index(to) else { continue };
                for lane in (0..switch.lanes() as u8).map(Lane) {
                    let room = world.switches[next].view().room(input, lane);
                    if switch.is_blocked(output, lane, room, &world.interconnect.pool) {
                        members.push(FeedingOutput { from, output, lane, to, input });
                    }
                }
            }
        }
        Self { world, members }
    }

    /// Drops the members for which `is_out` is true while all members are present. Returns true if one was dropped.
    fn drop_if(&mut self, is_out: impl Fn(&Self, &FeedingOutput) -> bool) -> bool {
        let left: Vec<_> = self.members.iter().copied().filter(|at| !is_out(self, at)).collect();
        let fewer = left.len() < self.members.len();
        self.members = left;
        fewer
    }

    /// Returns true if the packets that are first to leave the buffer fed by this output wait for other members.
    fn is_held(&self, at: &FeedingOutput) -> bool {
        let switch = self.switch(at.to);
        let mut firsts = switch.head_outputs(at.input, at.lane);
        firsts.all(|output| {
            let voq = VoqId { input: at.input, output, lane: at.lane };
            self.member(at.to, output, at.lane).is_some() && !switch.can_cross(voq, self.pool())
        })
    }

    /// Returns true if all packets that occupy the buffer fed by this output wait there.
    fn is_whole(&self, at: &FeedingOutput) -> bool {
        self.switch(at.to).everything_queued(at.input, at.lane, self.pool())
    }

    /// Follows members, each to one that it waits for, until one repeats. Returns the cycle.
    fn cycle(&self) -> Option<Vec<FeedingOutput>> {
        let mut path = vec![*self.members.first()?];
        loop {
            let last = path[path.len() - 1];
            let mut firsts = self.switch(last.to).head_outputs(last.input, last.lane);
            let next = firsts.find_map(|output| self.member(last.to, output, last.lane))?;
            if let Some(start) = path.iter().position(|at| *at == next) {
                return Some(path.split_off(start));
            }
            path.push(next);
        }
    }

    fn member(&self, from: NodeId, output: PortId, lane: Lane) -> Option<FeedingOutput> {
        let key = (from, output, lane);
        let place = self.members.binary_search_by_key(&key, |at| (at.from, at.output, at.lane));
        place.ok().map(|place| self.members[place])
    }

    fn switch(&self, node: NodeId) -> &'a dyn SwitchView {
        self.world.switch(node).view()
    }

    fn pool(&self) -> &'a PacketPool {
        &self.world.interconnect.pool
    }

    fn name(&self, at: &FeedingOutput) -> BlockedOutput {
        let name = |node| self.world.name(node).to_owned();
        BlockedOutput { node: name(at.from), port: at.output, lane: at.lane, peer: name(at.to) }
    }
}
