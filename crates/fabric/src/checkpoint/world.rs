//! The state of a world: of its nodes, its pending events and its packets.
//!
//! Invariant: nodes are saved by number, events in their total order, and packets in the order in which nodes and
//! events mention them. Equal states therefore have equal bytes, whatever the history, the order of scheduling, and
//! the number of parts. A state can be loaded into a world of any number of parts.

use event_kernel::EventOrder;
use packet::{NodeId, Packet, PacketPool};
use state_codec::{State, StateError, StateReader, StateWriter, Value};
use units::Time;

use crate::state::event::{Event, EventKind};
use crate::state::part::Part;
use crate::state::world::{Node, NodePlace, World};

/// Saves a world between two windows.
///
/// # Panics
/// If a packet is under way that no node and no event knows.
pub(crate) fn save(world: &World, to: &mut StateWriter) {
    (world.now, world.packet_hops()).put(to);
    world.parts.iter().for_each(|part| to.add_pool(part.interconnect.pool.successors()));
    for (node, place) in (0..).map(NodeId).zip(&world.places) {
        to.enter_pool(place.part.index());
        match world.node(node) {
            Node::Adapter(adapter) => adapter.save(to),
            Node::Switch(switch) => switch.save(to),
        }
    }
    save_events(world, to);
    let packets = to.packets().to_vec();
    // A packet that nothing mentions would vanish from the resumed run, and only its audit would notice.
    assert_eq!(packets.len(), world.packets(), "a node or an event knows each packet under way");
    for packet in packets {
        let pool = &world.parts[packet.pool].interconnect.pool;
        pool.in_slot(packet.slot).expect("a packet that is mentioned").put(to);
    }
}

/// Loads a world that is at rest.
///
/// # Errors
/// If the bytes are not the state of such a world.
pub(crate) fn load(world: &mut World, from: &mut StateReader<'_>) -> Result<(), StateError> {
    // The saved sum cannot be divided among these parts. Only sums over all parts are reported.
    (world.now, world.parts[0].interconnect.packet_hops) = Value::take(from)?;
    // Every event up to the present instant is handled. The ends of windows depend on the parts.
    world.window_end = Time::from_ps(world.now.ps().saturating_add(1));
    for part in &mut world.parts {
        part.interconnect.now = world.now;
        part.interconnect.queue.resume(world.window_end);
        from.add_pool();
    }
    for (number, &NodePlace { part, index }) in world.places.iter().enumerate() {
        from.enter_pool(part.index());
        let part = &mut world.parts[part.index()];
        if number < world.hosts {
            part.adapters[index as usize].load(from)?;
        } else {
            part.switches[index as usize].load(from)?;
        }
    }
    load_events(world, from)?;
    load_packets(&mut world.parts, from)
}

fn save_events(world: &World, to: &mut StateWriter) {
    let of_part = world.parts.iter().enumerate().flat_map(|(number, part)| {
        let scheduled = part.interconnect.queue.scheduled();
        scheduled
            .map(move |(at, order, event)| ((at, part.number(event.node()), order), number, event.kind()))
    });
    let mut events: Vec<_> = of_part.collect();
    // By node numbers of the fabric, since numbers within a part depend on the division.
    events.sort_by_key(|(rank, ..)| *rank);
    events.len().put(to);
    let mut last = Time::ZERO;
    for ((at, node, order), part, kind) in events {
        (at.since(last), node, order).put(to);
        to.enter_pool(part);
        kind.put(to);
        last = at;
    }
}

fn load_events(world: &mut World, from: &mut StateReader<'_>) -> Result<(), StateError> {
    let mut last = Time::ZERO;
    for _ in 0..from.length()? {
        let (since, node, order): (_, NodeId, EventOrder) = Value::take(from)?;
        let (at, number) = (last + since, node.index());
        let place = world.places.get(number).copied().filter(|_| at > world.now && at < Time::NEVER);
        // Checked here, since the event list would panic, and a damaged state must be an error.
        let place = place.ok_or_else(|| from.malformed("an event is past, or of no node"))?;
        from.enter_pool(place.part.index());
        let kind: EventKind = Value::take(from)?;
        let part = &mut world.parts[place.part.index()];
        let before = if number < world.hosts { 0 } else { part.adapters.len() as u32 };
        let node = NodeId(before + place.index);
        part.interconnect.queue.push(at, order, Event::new(node, kind));
        last = at;
    }
    Ok(())
}

/// Loads the packets that nodes and events have mentioned, each into the pool of its part.
pub(super) fn load_packets(parts: &mut [Part], from: &mut StateReader<'_>) -> Result<(), StateError> {
    let mut packets: Vec<Vec<Packet>> = vec![Vec::new(); parts.len()];
    for mentioned in from.packets().to_vec() {
        packets[mentioned.pool].push(Value::take(from)?);
    }
    for (number, (part, packets)) in parts.iter_mut().zip(packets).enumerate() {
        let linked = packets.into_iter().zip(from.successors(number).iter().copied());
        part.interconnect.pool = PacketPool::restored(linked);
    }
    Ok(())
}
