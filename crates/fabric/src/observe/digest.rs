//! The digest of a run: all deliveries, then the counters of all lanes.
//!
//! Invariant: the digest depends on the deliveries, the traffic, the peaks, the waits and the marks of every lane, in
//! the order of nodes, ports and lanes, and on nothing that depends on the execution. Queues at outputs show in the
//! packets that left them and their times.

use ca_transport::Adapter;
use event_kernel::Digest;
use packet::MarkCode;
use state_codec::{StateWriter, Value};
use telemetry::{LaneInput, LaneOutput, Marks};
use units::Time;

use crate::state::world::World;
use crate::state::world::question::{Question, taken};

/// Number of codes of marks that every lane absorbs. Of the others, a lane absorbs those that it counted, so that its
/// digest does not depend on the number of codes.
const CODES_OF_FIRST_DIGESTS: usize = 2;

/// Returns the digest at the present instant.
pub(crate) fn of(world: &World) -> Digest {
    let Some(away) = &world.away else {
        return Digest::combine(hosts(world).chain(lanes(world)));
    };
    // Each rank has its own nodes in order.
    let answers = away.ask(world.now(), &Question::Digests);
    let mut readers = answers.readers();
    let (mut own_hosts, mut own_lanes) = (hosts(world), lanes(world));
    let mut all = Vec::new();
    for host in world.numbers().take(world.hosts) {
        all.extend(match world.rank_away(host) {
            Some(rank) => Some(taken(&mut readers[rank])),
            None => own_hosts.next(),
        });
    }
    for node in world.numbers() {
        for _ in 0..world.radix(node) * world.lanes {
            all.extend(match world.rank_away(node) {
                Some(rank) => Some(taken(&mut readers[rank])),
                None => own_lanes.next(),
            });
        }
    }
    Digest::combine(all)
}

/// Answers with the digests of this process's nodes.
pub(crate) fn put(world: &World<'_>, to: &mut StateWriter) {
    hosts(world).chain(lanes(world)).for_each(|digest| digest.put(to));
}

/// Returns the digests of all deliveries, by adapter of this process.
fn hosts(world: &World<'_>) -> impl Iterator<Item = Digest> {
    world.adapters().map(Adapter::digest)
}

/// Returns the digests of all lanes of this process, in the order of nodes, ports and lanes.
fn lanes(world: &World<'_>) -> impl Iterator<Item = Digest> {
    let now = world.now();
    let adapters = world.adapters().flat_map(Adapter::all_observed);
    let adapters = adapters.map(move |observed| lane(observed, &Marks::default(), now));
    let switches = world.switches().map(|(_, switch)| switch.view());
    let switches = switches.flat_map(|switch| switch.all_observed().zip(switch.all_marks()));
    adapters.chain(switches.map(move |(observed, marks)| lane(observed, marks, now)))
}

/// Returns the digest of one lane of a port.
fn lane((input, output): (&LaneInput, &LaneOutput), marks: &Marks, now: Time) -> Digest {
    let mut digest = Digest::new();
    for word in [output.bytes.get(), output.packets, input.peak().get(), output.without_credit(now).ps()] {
        digest.absorb(word);
    }
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
