//! Deadlocks: packets that wait for each other in a cycle, found during a run.
//!
//! Invariant: a reported deadlock can never resolve. No wait is reported for its length alone.
//!
//! Two things are taken to last for ever, and each follows from the other:
//!
//! ```text
//! blocked output   the packet at the head of a queue is longer than the room that the far end can ever have
//! lasting use      packets of a queue whose head cannot leave keep their memory; room that nobody can use is lost
//! ```
//!
//! The room that a receiver can ever have is its present room and all memory that is not in lasting use. The receiver
//! divides it in its own way ([`ReceiveMemory::most_room`](link_layer::ReceiveMemory::most_room)): credits or pauses,
//! own memory or shared. The search starts from all outputs that are blocked at present. It drops every output that
//! the lasting use of the others does not block, until it finds none to drop. The rest is the greatest set of outputs
//! that block each other. A cycle exists in it, since the memory that a blocked output feeds is used by packets for
//! blocked outputs.
//!
//! Hosts accept all packets, so an output to a host is never blocked.
//!
//! | module | contents |
//! |---|---|
//! | `motion` | packets and signals on the wires, and a fabric in which nothing moves any more |
//! | `waits` | blocked outputs, and the cycle among them |
//! | `proof` | the greatest set of outputs that block each other |

mod motion;
mod proof;
#[cfg(test)]
mod tests;
mod waits;

use core::fmt::{self, Display, Formatter};

use packet::Lane;
use units::Time;

use self::motion::Motion;
use self::waits::Waits;
use crate::state::world::World;

/// A cycle of packets that wait for each other for ever: a fault of the scenario's routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The cycle: each output waits for room in the buffer that the next output empties, the last for the first.
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
    /// Number of the output.
    pub port: u16,
    /// The lane.
    pub lane: Lane,
    /// The switch at the far end, by name.
    pub peer: String,
    /// True if the ports of the far end share its memory.
    pub shared: bool,
}

impl Display for Deadlock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "by {}, packets wait for each other in a circle, and nothing can ever move there:",
            self.found
        )?;
        for BlockedOutput { node, port, lane, peer, shared } in &self.cycle {
            write!(f, "\n  {node}, port {port}, {lane}: waits for room at {peer}")?;
            if *shared {
                write!(f, "\n  {peer}'s memory is full")?;
            }
        }
        write!(f, "\n{} outputs stand still in all, on the circle and behind it", self.stuck)
    }
}

impl std::error::Error for Deadlock {}

/// Returns true if outputs may block each other: nearly always false. A proof looks at every node.
pub(crate) fn is_suspected(world: &World<'_>) -> bool {
    let mut waits = Waits::present(world);
    waits.drop_open_ends();
    !waits.is_empty()
}

/// Returns a deadlock, if the world has any. This process holds all parts, as themselves or as images.
pub(crate) fn find(world: &World) -> Option<Deadlock> {
    let waits = Waits::that_last(world)?;
    // Outputs behind the cycle are stuck too, but the message shows only the outputs that cause it.
    let cycle = waits.cycle()?;
    let name = |node| world.name(node).to_owned();
    let cycle = cycle.iter().map(|at| BlockedOutput {
        node: name(at.from),
        port: world.graph.port_number((at.from, at.output)),
        lane: at.lane,
        peer: name(at.to),
        shared: world.switch(at.to).view().shares_memory(),
    });
    Some(Deadlock { cycle: cycle.collect(), stuck: waits.len(), found: world.now() })
}

impl<'a> Waits<'a> {
    /// Returns the outputs that block each other for ever.
    fn that_last(world: &'a World<'a>) -> Option<Self> {
        let mut waits = Self::present(world);
        waits.drop_open_ends();
        if waits.is_empty() {
            return None;
        }
        // Only now: this visits every pending event of the fabric, while nearly all looks end above.
        let motion = Motion::of(world);
        waits.prove(&motion);
        Some(waits)
    }
}
