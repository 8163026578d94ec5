//! The digest of a run: all deliveries, then the counters of all lanes.
//!
//! Invariant: the digest depends on the deliveries, traffic, peaks, waits and marks of every lane, in the order of
//! nodes, ports and lanes. It depends on nothing that varies with the execution. Queues at outputs show in the
//! packets that left them and their times.

use event_kernel::Digest;
use packet::{MarkCode, NodeId};
use state_codec::{StateWriter, Value};
use telemetry::Marks;

use crate::state::world::observed::RankQuestion;
use crate::state::world::{Node, OutputLane, World};

/// Number of codes of marks that every lane absorbs. A lane absorbs other codes only if it counted such marks, so
/// that its digest does not depend on the number of codes.
const CODES_OF_FIRST_DIGESTS: usize = 2;

/// Returns the digest at the present instant.
pub(crate) fn of(world: &World) -> Digest {
    let mut rows = world.rows(&RankQuestion::Digests);
    let mut all: Vec<_> = hosts(world).map(|host| rows.next(host, || of_host(world, host))).collect();
    all.extend(lanes(world).map(|at| rows.next(at.0, || of_lane(world, at))));
    Digest::combine(all)
}

/// Answers with the digests of this process's nodes.
pub(crate) fn put(world: &World<'_>, to: &mut StateWriter) {
    let own_hosts = hosts(world).filter(|host| world.is_here(*host));
    own_hosts.for_each(|host| of_host(world, host).put(to));
    let own_lanes = lanes(world).filter(|(node, ..)| world.is_here(*node));
    own_lanes.for_each(|at| of_lane(world, at).put(to));
}

/// Returns the channel adapters of all processes.
fn hosts(world: &World<'_>) -> impl Iterator<Item = NodeId> {
    world.numbers().take(world.hosts)
}

/// Returns all lanes of all processes, in the order of nodes, ports and lanes.
fn lanes(world: &World<'_>) -> impl Iterator<Item = OutputLane> {
    world.numbers().flat_map(|node| world.lanes_of(node))
}

/// Returns the digest of all deliveries to an adapter.
fn of_host(world: &World<'_>, host: NodeId) -> Digest {
    world.adapter(host).digest()
}

/// Returns the digest of a lane of a port.
fn of_lane(world: &World<'_>, (node, port, lane): OutputLane) -> Digest {
    let (input, output) = world.lane_counts(node, port, lane);
    let mut digest = Digest::new();
    let stalled = output.stalled_time(world.now());
    for word in [output.bytes.get(), output.packets, input.peak().get(), stalled.ps()] {
        digest.absorb(word);
    }
    let marks = match world.node(node) {
        Node::Adapter(_) => Marks::default(), // Adapters do not mark.
        Node::Switch(switch) => *switch.view().marks(port, lane),
    };
    for code in MarkCode::all() {
        let marks = marks.of(code);
        if code.index() < CODES_OF_FIRST_DIGESTS {
            digest.absorb(marks);
        } else if marks > 0 {
            digest.absorb(code.index() as u64);
            digest.absorb(marks);
        }
    }
    digest
}
