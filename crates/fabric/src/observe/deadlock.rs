//! Packets that wait for each other in a circle, found while a run goes on.
//!
//! Invariant: what is called a deadlock can never come loose. Nothing is called one for having waited long.
//!
//! ```text
//! blocked  an output and lane for which a packet waits that is longer than the room in the buffer that it feeds
//! stuck    blocked, and whatever is in that buffer waits there, behind packets for outputs that are stuck as well
//! ```
//!
//! The stuck outputs are the greatest set of which the second line is true: room comes free only if something
//! leaves, and nothing leaves but by others of the set. Rooms are those that the receivers count, so no credit that
//! is still on a wire can change it. Hosts take what they are sent, so an output to a host is never stuck.

use core::fmt::{self, Display, Formatter};

use packet::{Lane, NodeId, PacketPool, PortId, VoqId};
use switch_arch::{Switch, SwitchView};
use units::Time;

use crate::state::world::World;

/// Packets wait for each other in a circle, and will for ever: a fault of the scenario's routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The circle: each waits for room in the buffer that the next one has to empty, the last for the first.
    pub cycle: Vec<Wait>,
    /// How many outputs and lanes are stuck in all, on the circle and behind it.
    pub stuck: usize,
    /// When it was found: at the first sample after it closed.
    pub found: Time,
}

/// An output of a switch, on a lane, by which nothing can leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The switch, by name.
    pub node: String,
    /// The output.
    pub port: PortId,
    /// The lane.
    pub lane: Lane,
    /// The switch at the other end, by name.
    pub peer: String,
}

impl Display for Deadlock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "by {}, packets wait for each other in a circle, and nothing can ever move there:",
            self.found
        )?;
        for Wait { node, port, lane, peer } in &self.cycle {
            write!(f, "\n  {node}, port {port}, {lane}: waits for room at {peer}")?;
        }
        write!(f, "\n{} outputs stand still in all, on the circle and behind it", self.stuck)
    }
}

impl std::error::Error for Deadlock {}

/// The deadlock that the world is in, if it is in one.
pub(crate) fn find(world: &World) -> Option<Deadlock> {
    let mut stuck = Stuck::blocked(world);
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

/// An output of a switch, a lane, and the input that it feeds: also of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Channel {
    from: NodeId,
    output: PortId,
    lane: Lane,
    to: NodeId,
    input: PortId,
}

/// Outputs that may be stuck, fewer and fewer.
struct Stuck<'a> {
    world: &'a World,
    /// In order of node, port and lane.
    members: Vec<Channel>,
}

impl<'a> Stuck<'a> {
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
                        members.push(Channel { from, output, lane, to, input });
                    }
                }
            }
        }
        Self { world, members }
    }

    /// Drops those for which `is_out`, as they stand before any is dropped; whether there was one.
    fn drop_if(&mut self, is_out: impl Fn(&Self, &Channel) -> bool) -> bool {
        let left: Vec<_> = self.members.iter().copied().filter(|at| !is_out(self, at)).collect();
        let fewer = left.len() < self.members.len();
        self.members = left;
        fewer
    }

    /// Whether what is first to leave the buffer that this output feeds waits for other members.
    fn is_held(&self, at: &Channel) -> bool {
        let switch = self.switch(at.to);
        let mut firsts = switch.head_outputs(at.input, at.lane);
        firsts.all(|output| {
            let voq = VoqId { input: at.input, output, lane: at.lane };
            self.member(at.to, output, at.lane).is_some() && !switch.can_cross(voq, self.pool())
        })
    }

    /// Whether all that occupies the buffer that this output feeds waits there.
    fn is_whole(&self, at: &Channel) -> bool {
        self.switch(at.to).everything_queued(at.input, at.lane, self.pool())
    }

    /// From one member to the next that it waits for, until one comes again.
    fn cycle(&self) -> Option<Vec<Channel>> {
        let mut way = vec![*self.members.first()?];
        loop {
            let last = way[way.len() - 1];
            let mut firsts = self.switch(last.to).head_outputs(last.input, last.lane);
            let next = firsts.find_map(|output| self.member(last.to, output, last.lane))?;
            if let Some(start) = way.iter().position(|at| *at == next) {
                return Some(way.split_off(start));
            }
            way.push(next);
        }
    }

    fn member(&self, from: NodeId, output: PortId, lane: Lane) -> Option<Channel> {
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

    fn name(&self, at: &Channel) -> Wait {
        let name = |node| self.world.name(node).to_owned();
        Wait { node: name(at.from), port: at.output, lane: at.lane, peer: name(at.to) }
    }
}
