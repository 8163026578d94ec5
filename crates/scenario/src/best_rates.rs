//! Best rates of flows: the rate of each alone, and fair rates of all together.
//!
//! Invariant: rates are payload. A link carries the headers of a flow's packets, too; acknowledgements and flow
//! control count as free. A flow that keeps a number of messages outstanding has at most this number in the time that
//! one message takes on the empty fabric, and at most a queue pair's outstanding packets in the time of one packet.
//! Detours depend on the loads, so a flow that may take some has no rate alone, and there are no fair rates.

use std::collections::BTreeMap;

use ca_transport::message::Message;
use packet::{NodeId, PortId, QpNumber, TransportService};
use switch_arch::spec::SelectionSpec;
use units::{Bytes, Span};
use workload::{Flow, MessageSchedule, Posting};

use crate::data_paths::{DataOutput, DataPaths};
use crate::ideal::IdealTimes;
use crate::plan::Plan;

/// Most flows for which fair rates are computed: their rounds are as many as different rates.
const MOST_FLOWS: usize = 4096;

/// Share of a rate within which two limits count as equal.
const EQUAL: f64 = 1e-9;

/// Best rates of some flows of a plan.
#[derive(Clone, Debug)]
pub struct BestRates {
    /// Parts of paths.
    parts: Vec<PathPart>,
    /// Payload or wire capacity of each part, in bit/s.
    capacities: Vec<f64>,
    /// The flows, by their numbers in the plan.
    flows: BTreeMap<usize, Demand>,
}

/// The part that a flow takes of the fabric.
#[derive(Clone, Debug)]
struct Demand {
    /// Parts of its path, with the capacity that a bit of its payload takes.
    parts: Vec<(usize, f64)>,
    /// Payload rate of its path without others, in bit/s.
    alone: f64,
    /// Most payload that it asks for, in bit/s; `None` if its messages are listed or drawn.
    asked: Option<f64>,
    /// Packets with different service levels share a link by weights.
    service_level: u8,
    /// True if its packets may take detours.
    may_detour: bool,
}

/// A part of a path that flows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathPart {
    /// A host that makes payload at a limited rate.
    Bus(NodeId),
    /// An output of a node.
    Output(NodeId, PortId),
    /// A host that takes payload at a limited rate.
    Drain(NodeId),
}

impl Plan {
    /// Returns the best rates of the first `named` flows, and of all flows if they are few.
    #[must_use]
    pub fn best_rates(&self, named: usize) -> BestRates {
        let flows = self.workload().flows.len();
        let count = if flows <= MOST_FLOWS { flows } else { named.min(MOST_FLOWS) };
        self.best_rates_of(&(0..count).collect::<Vec<_>>())
    }

    /// Returns the payload rate of each flow without others, in bit/s, as [`BestRates::alone`] has it. `None` beyond
    /// the first flows that ask for a known rate, if they are many, and for flows that may take detours.
    #[must_use]
    pub fn rates_alone(&self) -> Vec<Option<f64>> {
        let flows = &self.workload().flows;
        let asks = |flow: &Flow| {
            matches!(
                flow.posting,
                Posting::Scheduled(MessageSchedule::Saturate { .. } | MessageSchedule::Paced { .. })
            )
        };
        let asking = flows.iter().enumerate().filter(|(_, flow)| asks(flow)).map(|(number, _)| number);
        let best = self.best_rates_of(&asking.take(MOST_FLOWS).collect::<Vec<_>>());
        (0..flows.len()).map(|flow| best.alone(flow)).collect()
    }

    /// Returns the best rates of the flows with these numbers.
    fn best_rates_of(&self, chosen: &[usize]) -> BestRates {
        let flows = &self.workload().flows;
        let keys = if chosen.is_empty() { Vec::new() } else { self.flow_keys() };
        let mut ideal = IdealTimes::new(self);
        let (mut numbers, mut all_parts, mut capacities) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut demands = BTreeMap::new();
        let mut paths = DataPaths::new(self);
        for number in chosen.iter().copied() {
            let flow = &flows[number];
            let path = paths.of(flow, keys[number]);
            let parts = self.parts_of(flow, &path).into_iter().map(|(part, capacity, cost)| {
                let place = *numbers.entry(part).or_insert_with(|| {
                    all_parts.push(part);
                    capacities.push(capacity);
                    capacities.len() - 1
                });
                (place, cost)
            });
            let demand = Demand {
                parts: parts.collect(),
                alone: self.widest(flow, &path),
                asked: self.asked(number, &mut ideal),
                service_level: flow.service_level.0,
                may_detour: self.may_detour(flow),
            };
            demands.insert(number, demand);
        }
        BestRates { parts: all_parts, capacities, flows: demands }
    }

    /// Returns the parts of a flow's path, with their capacity and the capacity that a bit of payload takes.
    /// A part of several that packets are spread over takes a share of them.
    fn parts_of(&self, flow: &Flow, path: &[DataOutput]) -> Vec<(PathPart, f64, f64)> {
        let per_bit = self.wire_bits_per_bit(flow);
        let outputs = path.iter().map(|output| {
            let (node, port) = output.at;
            (PathPart::Output(node, port), self.bps(output), per_bit * output.share)
        });
        let bus = self.nodes().adapter(flow.source).injection_limit;
        let drain = self.nodes().adapter(flow.destination).drain_limit;
        let bus = bus.map(|rate| (PathPart::Bus(flow.source), rate.get() as f64, 1.0));
        let drain = drain.map(|rate| (PathPart::Drain(flow.destination), rate.get() as f64, 1.0));
        outputs.chain(bus).chain(drain).collect()
    }

    fn bps(&self, DataOutput { at: (node, port), .. }: &DataOutput) -> f64 {
        self.nodes().port(*node, *port).wire.rate().get() as f64
    }

    /// Returns the payload rate of a flow's path without others. By load, packets fill every output that they may
    /// choose; a flowlet fills a single output, and packets dealt out evenly fill none before the slowest.
    fn widest(&self, flow: &Flow, path: &[DataOutput]) -> f64 {
        let adapter = |host| self.nodes().adapter(host);
        let limits = [adapter(flow.source).injection_limit, adapter(flow.destination).drain_limit];
        let hosts = limits.into_iter().flatten().map(|rate| rate.get() as f64).fold(f64::INFINITY, f64::min);
        let selector = |output: &DataOutput| {
            let (node, _) = output.at;
            let is_switch = !self.graph().is_host(node);
            is_switch
                .then(|| self.nodes().switch(node).selection.map(|selection| selection.selector))
                .flatten()
        };
        let of_hop = |outputs: &[DataOutput]| -> f64 {
            let rates = outputs.iter().map(|output| self.bps(output));
            let evenly = || outputs.iter().map(|output| self.bps(output) / output.share);
            match outputs.iter().filter(|output| output.share < 1.0).find_map(selector) {
                Some(SelectionSpec::LeastLoaded(_)) => rates.sum(),
                Some(SelectionSpec::Flowlet(_)) => rates.fold(0.0, f64::max),
                _ => evenly().fold(f64::INFINITY, f64::min),
            }
        };
        let hops = path.chunk_by(|one, next| one.hop == next.hop).map(of_hop);
        hosts.min(hops.fold(f64::INFINITY, f64::min) / self.wire_bits_per_bit(flow))
    }

    /// Returns the bits on the wire of a flow's message for each bit of its payload.
    fn wire_bits_per_bit(&self, flow: &Flow) -> f64 {
        let size = match &flow.posting {
            Posting::Scheduled(
                MessageSchedule::Saturate { message, .. } | MessageSchedule::Paced { message, .. },
            ) => *message,
            Posting::Scheduled(MessageSchedule::Listed(messages)) => {
                messages.first().map_or(self.mtu_bytes(), |message| message.bytes)
            }
            Posting::Drawn { .. } | Posting::Job { .. } => self.mtu_bytes(),
        };
        let mtu = self.link().mtu;
        let message = Message::new(QpNumber(0), flow.operation, size, mtu);
        let wire = |number| {
            let segment = message.segment(number, mtu);
            u64::from(self.link().framing.bytes(flow.transport, segment.opcode, segment.payload))
        };
        // Packets between the first and the last are alike.
        let last = message.end - 1;
        let between = last.saturating_sub(1);
        let ends = wire(0) + if last > 0 { wire(last) } else { 0 };
        let all = ends + if between > 0 { between * wire(1) } else { 0 };
        all as f64 / size.get().max(1) as f64
    }

    fn mtu_bytes(&self) -> Bytes {
        Bytes::from(self.link().mtu)
    }

    /// Returns the most payload that a flow asks for, in bit/s.
    fn asked(&self, number: usize, ideal: &mut IdealTimes<'_>) -> Option<f64> {
        let flow = &self.workload().flows[number];
        match &flow.posting {
            Posting::Scheduled(MessageSchedule::Paced { rate, .. }) => Some(rate.get() as f64),
            Posting::Scheduled(MessageSchedule::Saturate { outstanding, message, .. }) => {
                if !matches!(flow.transport, TransportService::Rc | TransportService::Rd) {
                    return Some(f64::INFINITY);
                }
                let over = |bytes: f64, time: Span| bytes * 8.0 / time.seconds();
                let messages = f64::from(*outstanding) * message.get() as f64;
                let by_messages = over(messages, ideal.times(number, *message).acknowledged);
                let packet = self.mtu_bytes().min(*message);
                let packets = f64::from(self.nodes().adapter(flow.requester()).max_outstanding);
                let by_packets =
                    over(packets * packet.get() as f64, ideal.times(number, packet).acknowledged);
                Some(by_messages.min(by_packets))
            }
            Posting::Scheduled(MessageSchedule::Listed(_)) | Posting::Drawn { .. } | Posting::Job { .. } => {
                None
            }
        }
    }
}

impl BestRates {
    /// Returns the payload rate of a flow without others, at most what it asks for, in bit/s. `None` if the rate that
    /// it asks for is not known, since its messages are listed or drawn, or if it may take detours.
    #[must_use]
    pub fn alone(&self, flow: usize) -> Option<f64> {
        let demand = self.flows.get(&flow).filter(|demand| !demand.may_detour)?;
        Some(demand.alone.min(demand.asked?))
    }

    /// Returns the max-min fair payload rates of these flows together, in bit/s: no rate can be raised without lowering
    /// a rate that is not higher. `None` if the rates that some ask for are not known, or weights of lanes or detours
    /// decide.
    #[must_use]
    pub fn fair(&self, flows: &[usize]) -> Option<Vec<f64>> {
        let demands: Vec<_> = flows.iter().map(|flow| self.flows.get(flow)).collect::<Option<_>>()?;
        let asked: Vec<_> = demands.iter().map(|demand| demand.asked).collect::<Option<_>>()?;
        let level = demands.first().map(|demand| demand.service_level);
        if demands.iter().any(|demand| Some(demand.service_level) != level || demand.may_detour) {
            return None;
        }
        let mut fixed: Vec<Option<f64>> = vec![None; demands.len()];
        while fixed.iter().any(Option::is_none) {
            let limits = self.limits(&demands, &fixed);
            let limit = |place: usize| {
                let parts = demands[place].parts.iter().map(|(part, _)| limits[*part]);
                parts.fold(asked[place], f64::min)
            };
            let rising = (0..demands.len()).filter(|place| fixed[*place].is_none());
            let rising: Vec<_> = rising.map(|place| (place, limit(place))).collect();
            let lowest = rising.iter().map(|(_, limit)| *limit).fold(f64::INFINITY, f64::min);
            for (place, limit) in rising {
                if limit <= lowest * (1.0 + EQUAL) {
                    fixed[place] = Some(lowest);
                }
            }
        }
        fixed.into_iter().collect()
    }

    /// Returns the part of a flow's path with the highest load at these payload rates of flows, and that load as a share
    /// of its capacity.
    #[must_use]
    pub fn busiest(&self, flow: usize, rates: &[(usize, f64)]) -> Option<(PathPart, f64)> {
        // Of equally loaded parts the last is nearest to the destination.
        self.loads(flow, rates).into_iter().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns the parts of a flow's path, each with its load at these payload rates of flows, as a share of its
    /// capacity; empty if the flow has no best rate, or may take detours.
    #[must_use]
    pub fn loads(&self, flow: usize, rates: &[(usize, f64)]) -> Vec<(PathPart, f64)> {
        let mut loads = vec![0.0; self.capacities.len()];
        for (flow, rate) in rates {
            let parts = self.flows.get(flow).map_or(&[][..], |demand| &demand.parts);
            parts.iter().for_each(|(part, cost)| loads[*part] += rate * cost);
        }
        let load = |(part, _): &(usize, f64)| (self.parts[*part], loads[*part] / self.capacities[*part]);
        let own = self.flows.get(&flow).filter(|demand| !demand.may_detour);
        own.map_or(&[][..], |demand| &demand.parts).iter().map(load).collect()
    }

    /// Returns for each part the equal rate of its flows that still rise at which the part is full.
    fn limits(&self, demands: &[&Demand], fixed: &[Option<f64>]) -> Vec<f64> {
        let (mut left, mut weight) = (self.capacities.clone(), vec![0.0; self.capacities.len()]);
        for (demand, fixed) in demands.iter().zip(fixed) {
            for (part, cost) in &demand.parts {
                match fixed {
                    Some(rate) => left[*part] -= rate * cost,
                    None => weight[*part] += cost,
                }
            }
        }
        let limit = |(left, weight): (f64, f64)| {
            if weight > 0.0 { left.max(0.0) / weight } else { f64::INFINITY }
        };
        left.into_iter().zip(weight).map(limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, ScenarioText};

    fn plan(scenario: &str, sets: &[&str]) -> Plan {
        let mut source = ScenarioText::find(scenario).unwrap();
        for set in sets {
            source.set(set).unwrap();
        }
        Scenario::read(&source).unwrap().check(&source).unwrap()
    }

    /// A flow between groups of a dragonfly may take detours, and has no rate alone; one within a group does not.
    #[test]
    fn flows_that_may_take_detours_have_no_rate_alone() {
        let flow = |name: &str, to: &str| {
            format!(
                "(name: \"{name}\", from: \"h1\", to: \"{to}\", start: \"0 s\", message: \"64 KiB\", \
                 load: Saturate(outstanding: 4))"
            )
        };
        let flows = format!("flows=[{}, {}]", flow("near", "h3"), flow("far", "h9"));
        let rates = |routing: &str, lanes: &str| {
            let dragonfly = "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"host\", \
                             local_cable: \"trunk\", global_cable: \"trunk\")";
            plan("paths-parking-lot", &[dragonfly, routing, lanes, &flows]).rates_alone()
        };
        let minimal = rates("routing=Native", "link.data_lanes=2");
        assert!(minimal.iter().all(Option::is_some), "{minimal:?}");
        for (routing, lanes) in [("Valiant", 4), ("Ugal", 4), ("Par", 5)] {
            let own = rates(&format!("routing={routing}"), &format!("link.data_lanes={lanes}"));
            assert_eq!(own, [minimal[0], None], "{routing}");
        }
    }

    /// Flows of listed and drawn messages have no rate alone; the others have that of the best rates.
    #[test]
    fn rates_alone_are_those_of_the_best_rates() {
        for (scenario, known) in [("victim", 3), ("gran2011-scenario1", 5), ("roce400-leaf-spine", 1)] {
            let plan = plan(scenario, &[]);
            let (best, rates) = (plan.best_rates(plan.workload().flows.len()), plan.rates_alone());
            assert_eq!(rates, (0..rates.len()).map(|flow| best.alone(flow)).collect::<Vec<_>>());
            assert!(rates.iter().flatten().count() >= known, "{scenario}: {rates:?}");
        }
    }

    /// Rates of `victim`'s links by hand: 16 Gb/s for 2,048 bytes of payload in packets of about 2,074.
    #[test]
    fn fair_rates_share_the_narrowest_link_and_leave_the_rest_alone() {
        let best = plan("victim", &[]).best_rates(3);
        let alone = best.alone(0).unwrap();
        assert!((15.7e9..16e9).contains(&alone), "{alone}");
        let fair = best.fair(&[0, 1, 2]).unwrap();
        assert!((fair[1] - alone / 2.0).abs() < 1e3 && (fair[2] - alone / 2.0).abs() < 1e3, "{fair:?}");
        // The trunk of `victim` and `far` is twice as fast as a host's link, or the victim has what is left of it.
        assert!(fair[0] > alone * 0.99, "{fair:?}");
        assert_eq!(best.fair(&[0]).unwrap(), [alone]);
    }

    #[test]
    fn paced_flows_ask_for_their_rate_and_listed_ones_for_an_unknown_one() {
        let flow = |load: &str| {
            format!(
                "flows=[(name: \"F\", from: \"H1\", to: \"H2\", start: \"0 s\", message: \"4 KiB\", load: {load})]"
            )
        };
        let best = |load: &str| plan("one-flow", &[&flow(load)]).best_rates(1);
        assert_eq!(best("Paced(\"1 Gb/s\")").alone(0), Some(1e9));
        assert_eq!(best("Messages(3)").alone(0), None);
        assert_eq!(best("Messages(3)").fair(&[0]), None);
        let (one, many) = (best("Saturate(outstanding: 1)"), best("Saturate(outstanding: 64)"));
        assert!(one.alone(0).unwrap() < 0.9 * many.alone(0).unwrap(), "a message at a time leaves gaps");
    }

    #[test]
    fn a_slow_host_limits_its_flows() {
        let best = plan("victim", &["adapters={\"H4\": (drain_limit: \"1 Gb/s\")}"]).best_rates(3);
        assert_eq!(best.alone(0), Some(1e9));
        let (part, load) = best.busiest(0, &[(0, 0.99e9)]).unwrap();
        assert!(matches!(part, PathPart::Drain(_)) && load == 0.99, "{part:?} {load}");
    }
}
