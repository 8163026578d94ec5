//! ECN before PFC: the margin by which marks come before PAUSE frames. It describes a plan; no plan is refused for it.
//!
//! Invariant: below the bound no input reaches its threshold before some output is above `Kmin`, whatever the traffic.
//!
//! The worst case is that of Zhu and others (SIGCOMM 2015; see [`link_layer::memory::thresholds`]): on every lane every output holds
//! just `t_ECN`, and all of one lane came in at one port. Here thresholds are by port and lane: with `G` guaranteed to
//! each, `S` shared, `n` ports and `p` lanes, an input may hold `G + alpha (S - s)`, so that
//!
//! ```text
//! own memory   t_ECN < limit / n                         the least limit of all ports and lanes
//! complete     t_ECN < G / n + S / (p n)
//! dynamic      t_ECN < G / n + alpha S / (n (1 + p alpha))
//! ```

use cc_policies::MarkingSpec;
use link_layer::resolve::SharingPlan;
use link_layer::spec::Discipline;
use link_layer::{PauseMemory, PauseThreshold, PortPlan};
use packet::{NodeId, PortId};
use units::Bytes;

use crate::plan::Plan;

/// The switch that can send PAUSE soonest, compared with the thresholds of marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EcnFirst {
    /// The switch with the lowest bound.
    pub switch: String,
    /// The bound below which marking has to begin, for each output and lane.
    pub bound: Bytes,
    /// The queue above which marking begins.
    pub kmin: Bytes,
    /// The queue above which every packet is marked.
    pub kmax: Bytes,
    /// A host that drains less than its link can bring: it sends PAUSE without any mark, since hosts do not mark.
    pub slow_host: Option<String>,
}

impl Plan {
    /// Compares ECN with PFC; `None` without PFC, or without marking by the length of a queue (RED).
    #[must_use]
    pub fn ecn_first(&self) -> Option<EcnFirst> {
        let MarkingSpec::Red(marking) = &self.control().marking else { return None };
        if !matches!(self.link().flow_control, Discipline::Pause(_)) {
            return None;
        }
        let graph = self.graph();
        let switches = (graph.hosts()..graph.nodes()).map(|node| NodeId(node as u32));
        let bounds = switches.map(|node| (self.ecn_bound(node), node));
        let (bound, node) = bounds.min_by_key(|(bound, _)| *bound)?;
        let switch = graph.name(node).to_owned();
        let (kmin, kmax, slow_host) = (marking.kmin, marking.kmax, self.slow_host());
        Some(EcnFirst { switch, bound, kmin, kmax, slow_host })
    }

    /// Returns the first host that receives data faster than it drains it.
    fn slow_host(&self) -> Option<String> {
        let graph = self.graph();
        let framing = self.link().framing;
        let mtu = Bytes::from(self.link().mtu);
        let on_the_wire = self.link().longest_packet() + framing.around();
        let slow = |node: NodeId| {
            let brings = self.cable(graph.ports(node)[0].cable).rate;
            // The payload's share of the link, with the longest headers: a host that is named is certainly too slow.
            let brings = u128::from(brings.get()) * u128::from(mtu.get()) / u128::from(on_the_wire.get());
            let receives = self.workload().flows.iter().any(|flow| flow.destination == node);
            let limit = self.nodes().adapter(node).drain_limit;
            receives && limit.is_some_and(|limit| u128::from(limit.get()) < brings)
        };
        let host = (0..graph.hosts() as u32).map(NodeId).find(|node| slow(*node));
        host.map(|node| graph.name(node).to_owned())
    }

    /// Returns the bound for an output and lane of this switch: below it none of its inputs can be at its threshold.
    fn ecn_bound(&self, node: NodeId) -> Bytes {
        let (ports, lanes) = (self.graph().ports(node).len() as u16, self.link().data_lanes);
        let SharingPlan::Bytes { shared, rule, .. } = self.nodes().switch(node).sharing else {
            return PauseMemory::with_shared(Bytes::ZERO, ports, lanes)
                .ecn_bound(PauseThreshold::Static(self.least_threshold(node, ports)));
        };
        let memory = PauseMemory::with_shared(shared, ports, lanes);
        // The paper's beta is alpha times the number of priorities.
        let threshold = rule.alpha.map_or_else(
            || PauseThreshold::Static(memory.highest_static() * u64::from(ports)),
            |alpha| PauseThreshold::Dynamic(alpha.of_all(u64::from(lanes))),
        );
        memory.ecn_bound(threshold) + Bytes::new(rule.guaranteed.get() / u64::from(ports))
    }

    /// Returns the least threshold of PAUSE of all ports and lanes of a switch that have their own memory.
    fn least_threshold(&self, node: NodeId, ports: u16) -> Bytes {
        let ports = (0..ports).map(|port| self.nodes().port(node, PortId(port)));
        ports.flat_map(PortPlan::thresholds).min().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use link_layer::MemorySharing;
    use link_layer::flow_control::pause::LoadChange;

    use super::*;
    use crate::{Scenario, ScenarioText};

    fn plan(set: &[&str]) -> Plan {
        let mut source = ScenarioText::find("roce-victim").expect("it ships");
        for one in set {
            source.set(one).expect("it can be set");
        }
        Scenario::read(&source).expect("it is read").check(&source).expect("nothing is wrong")
    }

    /// Returns true if an input is at its threshold when on each lane every output holds `ecn` bytes, all from one port.
    fn pauses(plan: &Plan, ecn: u64) -> bool {
        let node = NodeId(plan.graph().hosts() as u32);
        let MemorySharing::Bytes(mut pool) = plan.nodes().switch(node).sharing.build() else {
            panic!("its memory is shared")
        };
        let held = plan.graph().ports(node).len() as u32 * ecn as u32;
        (0..plan.link().data_lanes).for_each(|_| pool.on_load_change(LoadChange { before: 0, after: held }));
        held >= pool.limit(held)
    }

    #[test]
    fn at_the_bound_the_pool_itself_pauses() {
        let dynamic = |alpha: &str, guaranteed: &str| {
            format!("switch.sharing=Dynamic(alpha: {alpha}, guaranteed: \"{guaranteed}\")")
        };
        for lanes in ["1", "4"] {
            for sharing in [dynamic("1.0", "0 B"), dynamic("0.125", "4 KiB"), dynamic("8.0", "2 KiB")] {
                let lanes = format!("link.data_lanes={lanes}");
                let plan = plan(&["congestion_control=Dcqcn()", &lanes, &sharing]);
                let bound = plan.ecn_first().expect("there are both").bound.get();
                // Within the rounding of each term.
                assert!(!pauses(&plan, bound - 3), "{lanes}, {sharing}: below {bound}");
                assert!(pauses(&plan, bound + 3), "{lanes}, {sharing}: above {bound}");
            }
        }
    }

    #[test]
    fn own_memory_and_memory_shared_without_a_threshold_have_bounds_too() {
        let bound = |sharing: &str| {
            let plan = plan(&["congestion_control=Dcqcn()", &format!("switch.sharing={sharing}")]);
            let first = plan.ecn_first().expect("there are both");
            assert_eq!((first.switch.as_str(), first.kmin), ("S", Bytes::new(5_000)));
            let node = NodeId(plan.graph().hosts() as u32);
            (first.bound, plan.nodes().switch(node).sharing, plan.least_threshold(node, 1))
        };
        let (own, _, limit) = bound("Static");
        assert_eq!(own.get(), limit.get() / 5);
        let (complete, sharing, _) = bound("Complete(guaranteed: \"0 B\")");
        let SharingPlan::Bytes { shared, .. } = sharing else { panic!("it is shared") };
        assert_eq!(complete.get(), shared.get() / 5);
    }

    #[test]
    fn a_host_that_drains_too_slowly_is_named() {
        let slow = |limit: &str| {
            let limit = format!("adapter.drain_limit=\"{limit}\"");
            plan(&["congestion_control=Dcqcn()", &limit]).ecn_first().expect("there are both").slow_host
        };
        // 40 Gb/s bring 35.99 Gb/s of payload with the longest headers; H4 is the first host to which anyone sends.
        assert_eq!(slow("35.9 Gb/s").as_deref(), Some("H4"));
        assert_eq!(slow("37 Gb/s"), None);
    }

    #[test]
    fn without_pfc_or_red_there_is_no_comparison() {
        assert_eq!(plan(&[]).ecn_first(), None);
        assert_eq!(plan(&["congestion_control=Dcqcn()", "link.flow_control=Lossy"]).ecn_first(), None);
    }
}
