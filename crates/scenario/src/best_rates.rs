//! Best rates of flows: the rate of each alone, and fair rates of all together.
//!
//! Invariant: rates are payload. A link carries the headers of a flow's packets, too; acknowledgements and flow
//! control count as free. A flow that keeps a number of messages outstanding has at most this number in the time that
//! one message takes on the empty fabric, and at most a queue pair's outstanding packets in the time of one packet.
//! Detours depend on the loads, so a flow that may take some has no rate alone, and there are no fair rates. Where
//! loads decide over which outputs packets are spread, fair rates are known only if other parts limit every flow.

use std::collections::BTreeMap;

use ca_transport::message::Message;
use packet::{NodeId, PortId, QpNumber, TransportService};
use units::{Bytes, Span};
use workload::{Flow, MessageSchedule, Posting};

use crate::data_paths::{DataOutput, DataPaths, Spread};
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
    parts: Vec<PartUse>,
    /// Payload rate of its path without others, in bit/s.
    alone: f64,
    /// Most payload that it asks for, in bit/s; `None` if its messages are listed or drawn.
    asked: Option<f64>,
    /// Packets with different service levels share a link by weights.
    service_level: u8,
    /// True if its packets may take detours.
    may_detour: bool,
}

/// The use that a flow makes of a part of its path.
#[derive(Clone, Copy, Debug)]
struct PartUse {
    part: usize,
    /// Capacity that a bit of the flow's payload takes.
    cost: f64,
    /// True if loads decide how much of the flow passes: then `cost` is that of even spreading.
    is_by_load: bool,
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
            let parts = self.parts_of(flow, &path).into_iter().map(|(part, capacity, cost, is_by_load)| {
                let part = *numbers.entry(part).or_insert_with(|| {
                    all_parts.push(part);
                    capacities.push(capacity);
                    capacities.len() - 1
                });
                PartUse { part, cost, is_by_load }
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

    /// Returns the parts of a flow's path, with their capacity, the capacity that a bit of payload takes, and whether
    /// loads decide about that. A part of several that packets are spread over takes a share of them.
    fn parts_of(&self, flow: &Flow, path: &[DataOutput]) -> Vec<(PathPart, f64, f64, bool)> {
        let per_bit = self.wire_bits_per_bit(flow);
        let outputs = path.iter().map(|output| {
            let (node, port) = output.at;
            (
                PathPart::Output(node, port),
                self.bps(output),
                per_bit * output.share,
                output.spread.is_by_load(),
            )
        });
        let bus = self.nodes().adapter(flow.source).injection_limit;
        let drain = self.nodes().adapter(flow.destination).drain_limit;
        let bus = bus.map(|rate| (PathPart::Bus(flow.source), rate.get() as f64, 1.0, false));
        let drain = drain.map(|rate| (PathPart::Drain(flow.destination), rate.get() as f64, 1.0, false));
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
        let of_hop = |outputs: &[DataOutput]| -> f64 {
            let rates = outputs.iter().map(|output| self.bps(output));
            let evenly = || outputs.iter().map(|output| self.bps(output) / output.share);
            match outputs[0].spread {
                Spread::ByLoad => rates.sum(),
                Spread::Bursts => rates.fold(0.0, f64::max),
                Spread::Single | Spread::Evenly => evenly().fold(f64::INFINITY, f64::min),
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
    /// a rate that is not higher. `None` if the rates that some ask for are not known, or weights of lanes, detours or
    /// the spreading of packets by load decide.
    #[must_use]
    pub fn fair(&self, flows: &[usize]) -> Option<Vec<f64>> {
        let demands: Vec<_> = flows.iter().map(|flow| self.flows.get(flow)).collect::<Option<_>>()?;
        let asked: Vec<_> = demands.iter().map(|demand| demand.asked).collect::<Option<_>>()?;
        let level = demands.first().map(|demand| demand.service_level);
        if demands.iter().any(|demand| Some(demand.service_level) != level || demand.may_detour) {
            return None;
        }
        let is_by_load = self.by_load(&demands);
        let mut fixed: Vec<Option<f64>> = vec![None; demands.len()];
        while fixed.iter().any(Option::is_none) {
            let limits = self.limits(&demands, &fixed);
            let limit = |place: usize| {
                let parts = demands[place].parts.iter().map(|own| limits[own.part]);
                parts.fold(asked[place], f64::min)
            };
            let rising = (0..demands.len()).filter(|place| fixed[*place].is_none());
            let rising: Vec<_> = rising.map(|place| (place, limit(place))).collect();
            let lowest = rising.iter().map(|(_, limit)| *limit).fold(f64::INFINITY, f64::min);
            let is_lowest = |limit: f64| limit <= lowest * (1.0 + EQUAL);
            for (place, limit) in rising {
                if !is_lowest(limit) {
                    continue;
                }
                // A part that packets could avoid is no limit by itself.
                let mut parts = demands[place].parts.iter();
                let is_firm = parts.any(|own| !is_by_load[own.part] && is_lowest(limits[own.part]));
                if !is_firm && !is_lowest(asked[place]) {
                    return None;
                }
                fixed[place] = Some(lowest);
            }
        }
        fixed.into_iter().collect()
    }

    /// Returns true if loads decide which of several parts some flow of a known rate takes.
    #[must_use]
    pub fn spread_by_load(&self) -> bool {
        let known = self.flows.values().filter(|demand| demand.asked.is_some());
        known.flat_map(|demand| &demand.parts).any(|own| own.is_by_load)
    }

    /// Returns the part of a flow's path with the highest load at these payload rates of flows, and that load as a share
    /// of its capacity. `None` if that is not known of some part which may be busier.
    #[must_use]
    pub fn busiest(&self, flow: usize, rates: &[(usize, f64)], full: f64) -> Option<(PathPart, f64)> {
        // Of equally loaded parts the last is nearest to the destination.
        let loads = self.loads(flow, rates);
        let most = loads.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        (loads.len() == self.flows.get(&flow)?.parts.len() || most.1 >= full).then_some(most)
    }

    /// Returns the parts of a flow's path, each with its load at these payload rates of flows, as a share of its
    /// capacity; empty if the flow has no best rate, or may take detours. Parts are left out if loads decide how much
    /// of some flow passes them.
    #[must_use]
    pub fn loads(&self, flow: usize, rates: &[(usize, f64)]) -> Vec<(PathPart, f64)> {
        let mut loads = vec![0.0; self.capacities.len()];
        for (flow, rate) in rates {
            let parts = self.flows.get(flow).map_or(&[][..], |demand| &demand.parts);
            parts.iter().for_each(|own| loads[own.part] += rate * own.cost);
        }
        let all: Vec<_> = rates.iter().filter_map(|(flow, _)| self.flows.get(flow)).collect();
        let is_by_load = self.by_load(&all);
        let load = |own: &PartUse| (self.parts[own.part], loads[own.part] / self.capacities[own.part]);
        let own = self.flows.get(&flow).filter(|demand| !demand.may_detour);
        let own = own.map_or(&[][..], |demand| &demand.parts).iter();
        own.filter(|own| !is_by_load[own.part]).map(load).collect()
    }

    /// Returns for each part whether loads decide how much of some of these flows passes it.
    fn by_load(&self, flows: &[&Demand]) -> Vec<bool> {
        let mut is_by_load = vec![false; self.capacities.len()];
        let parts = flows.iter().flat_map(|demand| &demand.parts);
        parts.for_each(|own| is_by_load[own.part] |= own.is_by_load);
        is_by_load
    }

    /// Returns for each part the equal rate of its flows that still rise at which the part is full.
    fn limits(&self, demands: &[&Demand], fixed: &[Option<f64>]) -> Vec<f64> {
        let (mut left, mut weight) = (self.capacities.clone(), vec![0.0; self.capacities.len()]);
        for (demand, fixed) in demands.iter().zip(fixed) {
            for PartUse { part, cost, .. } in &demand.parts {
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
mod tests;
