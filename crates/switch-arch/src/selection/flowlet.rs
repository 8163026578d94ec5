//! A flow keeps its port until a gap between its packets (E. Vanini and others, "Let it flow", NSDI 2017).
//!
//! Invariant: packets of an entry that follow each other within the gap leave by one port, as long as it is up and leads
//! to all of their destinations. Flows that share an entry share its burst.

use packet::PortId;
use units::{Span, Time};

use super::packetwise::PacketSelector;
use super::selector::{Choice, Loads, Selector, SelectorSetup};
use crate::spec::FlowletSpec;

/// Bursts of flows, each on a port.
#[derive(Clone, Debug)]
pub struct Flowlet {
    gap: Span,
    entries: Box<[Burst]>,
    then: PacketSelector,
}

state_codec::state!(Flowlet { gap: plan, entries, then: part });

/// The last packet of an entry.
#[derive(Clone, Copy, Debug)]
struct Burst {
    last: Time,
    /// Its port; `u8::MAX` before the first packet.
    port: u8,
}

state_codec::value!(Burst { last, port });

impl Flowlet {
    /// Creates a selector.
    #[must_use]
    pub fn new(spec: FlowletSpec, setup: SelectorSetup) -> Self {
        let none = Burst { last: Time::ZERO, port: u8::MAX };
        let entries = vec![none; spec.entries as usize].into();
        Self { gap: spec.gap, entries, then: PacketSelector::new(spec.then, setup) }
    }
}

impl Selector for Flowlet {
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId {
        let entry = choice.group.hashed(choice.packet.flow_key(), self.entries.len());
        let burst = &mut self.entries[entry];
        let (port, goes_on) = (PortId(burst.port.into()), choice.now.since(burst.last) <= self.gap);
        burst.last = choice.now;
        if goes_on && choice.group.ports().any(|of_group| of_group == port) && loads.is_up(port) {
            return port;
        }
        let port = self.then.choose(choice, loads);
        burst.port = port.0 as u8;
        port
    }
}
