//! The state of some parts, sent from process to process.
//!
//! Invariant: a loaded part goes on as the saved part does. Processes of a run divide the fabric in the same way, so
//! nodes and events have the numbers that they have in their part.
//!
//! | saved of each part | saved of all |
//! |---|---|
//! | counts, nodes, events in any order | packets, in the order of their first mention |

use event_kernel::EventOrder;
use packet::NodeId;
use state_codec::{State, StateError, StateReader, StateWriter, Value};
use units::Time;

use super::world::load_packets;
use crate::state::event::{Event, EventKind};
use crate::state::interconnect::NodeViolation;
use crate::state::part::Part;

/// Saves parts between two windows, after mail is exchanged. `events` has the number of events that each part has
/// handled.
pub(crate) fn save(parts: &[Part], events: impl Iterator<Item = u64>, to: &mut StateWriter) {
    parts.iter().for_each(|part| to.add_pool(part.interconnect.pool.successors()));
    for (pool, (part, events)) in parts.iter().zip(events).enumerate() {
        to.enter_pool(pool);
        (events, part.interconnect.packet_hops, part.interconnect.broken).put(to);
        part.adapters.iter().for_each(|adapter| adapter.save(to));
        part.switches.iter().for_each(|switch| switch.save(to));
        let scheduled = part.interconnect.queue.scheduled();
        part.interconnect.queue.len().put(to);
        for (at, order, event) in scheduled {
            (at, event.node(), order).put(to);
            event.kind().put(to);
        }
    }
    // Packets come last: only after all nodes and events is it known which packets they mention, and in which order.
    for packet in to.packets().to_vec() {
        let pool = &parts[packet.pool].interconnect.pool;
        pool.in_slot(packet.slot).expect("a packet that is mentioned").put(to);
    }
}

/// Replaces the state of parts. All events before `handled` are handled. Returns the number of events that each part
/// has handled.
///
/// # Errors
/// If the bytes are not the state of such parts.
pub(crate) fn load(
    parts: &mut [Part],
    handled: Time,
    from: &mut StateReader<'_>,
) -> Result<Vec<u64>, StateError> {
    let mut counts = Vec::with_capacity(parts.len());
    parts.iter().for_each(|_| from.add_pool());
    for (pool, part) in parts.iter_mut().enumerate() {
        from.enter_pool(pool);
        let (events, packet_hops, broken): (u64, u64, Option<NodeViolation>) = Value::take(from)?;
        counts.push(events);
        part.adapters.iter_mut().try_for_each(|adapter| adapter.load(from))?;
        part.switches.iter_mut().try_for_each(|switch| switch.load(from))?;
        let interconnect = &mut part.interconnect;
        (interconnect.packet_hops, interconnect.broken) = (packet_hops, broken);
        interconnect.start_over(handled);
        for _ in 0..from.length()? {
            let (at, node, order): (Time, NodeId, EventOrder) = Value::take(from)?;
            let kind: EventKind = Value::take(from)?;
            interconnect.queue.push(at, order, Event::new(node, kind));
        }
    }
    load_packets(parts, from)?;
    from.finish().map(|()| counts)
}
