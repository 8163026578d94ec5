//! Credits against the length of cables: buffers, and the bytes by which credits of shared memory run ahead of a port's
//! load.
//!
//! Invariant: a port with at least the needed window can receive at the rate of its cable, whatever goes the other way. A
//! link with less than the needed buffer cannot be busy all the time, whatever else is true.
//!
//! A port of a shared memory regains room when a packet is admitted, so a sender may have a window of the port's
//! guarantee under way. Its credits come back after the flight there and back, the switch's latency, the packet
//! itself, and a packet that an update waits for on its way back. Blocks below `update_blocks` wait for others.

use link_layer::flow_control::credits::BLOCK;
use link_layer::resolve::SharingPlan;
use link_layer::spec::Discipline;
use packet::{Lane, NodeId, PortId};
use telemetry::ShortWindowRecord;
use units::{Bytes, Rate};

use crate::plan::Plan;

/// Receive buffer at the far end of an output's link, against the smallest that keeps the link busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditLoop {
    /// Buffer at the far end.
    pub buffer: Bytes,
    /// Bytes that the link carries until the credit of a packet is back.
    pub needed: Bytes,
}

impl Plan {
    /// Returns the buffer at the far end of an output and lane, and the smallest buffer that the link needs. The credit
    /// of a packet returns, at the earliest, once its tail has left that buffer. `None` without credits.
    #[must_use]
    pub fn credit_loop(&self, (node, port): (NodeId, PortId), lane: Lane) -> Option<CreditLoop> {
        if !self.uses_credits() {
            return None;
        }
        let end = self.graph.ports(node)[port.index()];
        let out = &self.nodes.port(node, port).wire;
        let far = self.nodes.port(end.peer, end.peer_port);
        let longest = self.link.longest_packet();
        let needed = out.rate().amount_in(out.latency() + out.time_for(longest) + far.wire.latency());
        Some(CreditLoop { buffer: far.capacity[lane.index()], needed })
    }

    /// Returns the port of a shared memory that has the smallest part of the window that it needs, if any has less.
    #[must_use]
    pub fn shortest_window(&self) -> Option<ShortWindowRecord> {
        let Discipline::Credits(credits) = &self.link.flow_control else { return None };
        let update = Bytes::new(u64::from(credits.update_blocks) * BLOCK);
        let lanes = usize::from(self.link.data_lanes);
        let of_switch = |node: NodeId| {
            let SharingPlan::Blocks { shares, .. } = &self.nodes.switch(node).sharing else {
                return Vec::new();
            };
            let ports = (0..).map(PortId).zip(shares.chunks(lanes));
            let windows = ports.filter_map(|(port, shares)| {
                Some((port, shares.iter().map(|share| share.guaranteed).min()?))
            });
            windows.map(|(port, window)| self.window(node, port, (window, update))).collect()
        };
        let short = self.graph.switch_ids().flat_map(of_switch).filter(|own| own.window < own.needed);
        // The first of equal ones.
        short.min_by(|one, other| {
            let [a, b] = [one, other].map(|own| own.window.get() as f64 / own.needed.get() as f64);
            a.total_cmp(&b)
        })
    }

    fn window(&self, node: NodeId, port: PortId, (window, update): (Bytes, Bytes)) -> ShortWindowRecord {
        let end = self.graph.ports(node)[port.index()];
        let (there, back) =
            (&self.nodes.port(end.peer, end.peer_port).wire, &self.nodes.port(node, port).wire);
        let packet = self.link.longest_packet();
        let round_trip = there.latency() + back.latency() + there.time_for(packet) + back.time_for(packet);
        let least = there.latency() + self.cable(end.cable).flight;
        let rate = there.rate();
        let at_most = window.get() as f64 * 8e12 / least.ps().max(1) as f64;
        ShortWindowRecord {
            node: self.graph.name(node).to_owned(),
            port: self.graph.port_number((node, port)),
            window,
            needed: rate.amount_in(round_trip) + update,
            packet,
            rate,
            at_most: Rate::bps(at_most as u64).min(rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, ScenarioText};

    fn shortest(sets: &[&str]) -> Option<ShortWindowRecord> {
        let mut source = ScenarioText::find("bench-a32").expect("it ships");
        sets.iter().for_each(|set| source.set(set).expect("a field"));
        let plan = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        plan.expect("nothing is wrong").shortest_window()
    }

    /// The default is as much as the longest cable needs, or half of each port's buffer.
    #[test]
    fn a_central_memory_has_the_window_that_its_cables_need() {
        let central = "switch.buffering=Central";
        assert_eq!(shortest(&[]), None, "ports with buffers of their own have no window");
        assert_eq!(shortest(&[central, "switch.buffer=\"128 KiB\""]), None);
        let two_packets = "switch.sharing=Complete(guaranteed: \"8320 B\")";
        let short = shortest(&[central, two_packets]).expect("two packets are less than a round trip");
        assert_eq!(short.window, Bytes::new(8320));
        assert!(short.needed > short.window && short.at_most <= short.rate, "{short:?}");
        let little = shortest(&[central, "switch.buffer=\"32 KiB\""]).expect("half of it is less");
        assert_eq!(little.window, Bytes::kib(16));
    }
}
