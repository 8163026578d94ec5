//! The digest of a run: all deliveries, then the counters of all lanes.
//!
//! Invariant: the digest depends on the deliveries, the traffic, the peaks, the waits and the marks of every lane, in
//! the order of nodes, ports and lanes, and on nothing that depends on the execution. Queues at outputs show in the
//! packets that left them and their times.

use ca_transport::Adapter;
use event_kernel::Digest;
use packet::MarkCode;
use switch_arch::Switch;
use telemetry::{LaneInput, LaneOutput, Marks};
use units::Time;

use crate::state::world::World;

/// Number of codes of marks that every lane absorbs. Of the others, a lane absorbs those that it counted, so that its
/// digest does not depend on the number of codes.
const CODES_OF_FIRST_DIGESTS: usize = 2;

/// Returns the digest at the present instant.
pub(crate) fn of(world: &World) -> Digest {
    let now = world.now();
    let none = Marks::default();
    let adapters = world.adapters().flat_map(Adapter::all_observed);
    let adapters = adapters.map(|observed| lane(observed, &none, now));
    let switches = world.switches().map(Switch::view);
    let switches = switches.flat_map(|switch| switch.all_observed().zip(switch.all_marks()));
    let switches = switches.map(|(observed, marks)| lane(observed, marks, now));
    Digest::combine(world.adapters().map(Adapter::digest).chain(adapters).chain(switches))
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
