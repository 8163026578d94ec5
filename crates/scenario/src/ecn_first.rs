//! ECN before PFC: the margin by which marks come before PAUSE frames. It describes a plan; no plan is refused for it.
//!
//! Invariant: below the bound no input reaches its threshold before some output is above `Kmin`, whatever the traffic.
//!
//! The worst case is that of Zhu and others (SIGCOMM 2015; see [`link_layer::memory::thresholds`]): on every lane every output holds
//! just `t_ECN`, and all of one lane came in at one port. Here thresholds are by port and lane: with `G` guaranteed to
//! each, `S` shared, `n` ports and `p` lanes, an input may hold `G + alpha (S - s)`, so that, if all shares are alike,
//!
//! ```text
//! own memory   t_ECN < limit / n                         the least limit of all ports and lanes
//! complete     t_ECN < G / n + S / (p n)
//! dynamic      t_ECN < G / n + alpha S / (n (1 + p alpha))
//! ```
//!
//! If shares differ, the bound is that of the port and lane that pauses first, by [`earliest_pause`]. If outputs have
//! different `Kmin`, by the rates of their links, it is their mean that has to be below the bound: an input is at its
//! threshold by the sum of the queues.

use cc_policies::MarkingSpec;
use cc_policies::dcqcn::spec::{RateThresholds, RedMarkingSpec};
use link_layer::resolve::SharingPlan;
use link_layer::spec::Discipline;
use link_layer::{Share, earliest_pause};
use packet::{Lane, NodeId, PortId};
use units::Bytes;

use crate::plan::Plan;

/// The switch that can send PAUSE soonest, compared with the thresholds of marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EcnFirst {
    /// The switch with the lowest bound.
    pub switch: String,
    /// The bound below which marking has to begin, for each output and lane.
    pub bound: Bytes,
    /// The queue above which marking begins: the mean over the switch's outputs.
    pub kmin: Bytes,
    /// The queue above which every packet is marked: the mean over the switch's outputs.
    pub kmax: Bytes,
    /// True if thresholds differ by the rates of links.
    pub by_rate: bool,
    /// A host that drains less than its link can bring: it sends PAUSE without any mark, since hosts do not mark.
    pub slow_host: Option<String>,
}

impl EcnFirst {
    /// Returns the largest `Kmin` and `Kmax`, in the ratio of today's and in whole KB if they have that much, with which
    /// every packet is marked before PAUSE can come; `None` if today's are such, or if `Kmin` would be nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use units::Bytes;
    ///
    /// let first = scenario::EcnFirst {
    ///     switch: "leaf1".to_owned(),
    ///     bound: Bytes::new(300_500),
    ///     kmin: Bytes::new(50_000),
    ///     kmax: Bytes::new(2_000_000),
    ///     by_rate: false,
    ///     slow_host: None,
    /// };
    /// assert_eq!(first.fitting(), Some([Bytes::new(7_500), Bytes::new(300_000)]));
    /// ```
    #[must_use]
    pub fn fitting(&self) -> Option<[Bytes; 2]> {
        let [bound, kmin, kmax] = [self.bound, self.kmin, self.kmax].map(Bytes::get);
        if kmax < bound {
            return None;
        }
        let below = bound.checked_sub(1)?;
        let largest = if below < 1000 { below } else { below / 1000 * 1000 };
        let smallest = u64::try_from(u128::from(kmin) * u128::from(largest) / u128::from(kmax)).ok()?;
        (smallest > 0).then_some([smallest, largest].map(Bytes::new))
    }
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
        // A switch without cables, which changes may leave, pauses nobody.
        let switches = switches.filter(|node| !graph.ports(*node).is_empty());
        let hardest = switches
            .map(|node| self.ecn_first_at(node, marking))
            .min_by_key(|first| first.bound.get() as i64 - first.kmin.get() as i64)?;
        Some(EcnFirst { slow_host: self.slow_host(), ..hardest })
    }

    /// Compares ECN with PFC at a switch.
    fn ecn_first_at(&self, node: NodeId, marking: &RedMarkingSpec) -> EcnFirst {
        let graph = self.graph();
        let outputs = graph.ports(node);
        let ports = outputs.len() as u64;
        let rates = outputs.iter().map(|end| self.cable(end.cable).rate);
        let thresholds: Vec<_> = rates.filter_map(|rate| marking.thresholds(rate)).collect();
        let mean = |of: fn(&RateThresholds) -> Bytes| {
            let sum: Bytes = thresholds.iter().map(of).sum();
            Bytes::new(sum.get().div_ceil(ports))
        };
        EcnFirst {
            switch: graph.name(node).to_owned(),
            bound: Bytes::new(self.earliest_pause(node).get() / ports),
            kmin: mean(|own| own.kmin),
            kmax: mean(|own| own.kmax),
            by_rate: !marking.by_rate.is_empty(),
            slow_host: None,
        }
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

    /// Returns the least amount for which an input of this switch is at its threshold, if the outputs hold so much on each
    /// lane, and all of a lane came in at one port.
    fn earliest_pause(&self, node: NodeId) -> Bytes {
        let lanes = usize::from(self.link().data_lanes);
        let SharingPlan::Bytes { shared, shares } = &self.nodes().switch(node).sharing else {
            return self.least_threshold(node);
        };
        let of_lane = |lane: usize| shares.iter().skip(lane).step_by(lanes);
        let least = |lane| of_lane(lane).map(|share| share.guaranteed).min().unwrap_or_default();
        let pauses = (0..lanes).filter(|lane| self.link().pauses(Lane(*lane as u8))).map(|lane| {
            let others: Vec<_> = (0..lanes).filter(|other| *other != lane).map(least).collect();
            let mut different: Vec<Share> = Vec::new();
            for share in of_lane(lane) {
                if !different.contains(share) {
                    different.push(*share);
                }
            }
            different.into_iter().map(|share| earliest_pause(*shared, share, &others)).min()
        });
        pauses.flatten().min().unwrap_or_default()
    }

    /// Returns the least threshold of PAUSE of all ports and lanes of a switch that have their own memory.
    fn least_threshold(&self, node: NodeId) -> Bytes {
        let ports = (0..self.graph().ports(node).len() as u16).map(PortId);
        let thresholds =
            ports.flat_map(|port| (0..).map(Lane).zip(self.nodes().port(node, port).thresholds()));
        let pausing = thresholds.filter(|(lane, _)| self.link().pauses(*lane));
        pausing.map(|(_, limit)| limit).min().unwrap_or_default()
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
        let hog = |lane| usize::from(lane); // Port 1.
        (0..plan.link().data_lanes).for_each(|lane| {
            pool.on_load_change(hog(lane), LoadChange { before: 0, after: held });
        });
        (0..plan.link().data_lanes).any(|lane| held >= pool.limit(hog(lane), held))
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
            (first.bound, plan.nodes().switch(node).sharing.clone(), plan.least_threshold(node))
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
    fn a_switch_without_cables_is_left_out() {
        let alone = plan(&[
            "congestion_control=Dcqcn()",
            "topology=Chain(hosts: [5, 0], host_cable: \"host\", trunk_cable: \"host\")",
            "changed_cables={\"s1:s2\": Removed}",
            "flows=[(name: \"F\", from: \"h1\", to: \"h2\", start: \"0 s\", message: \"1 KiB\", load: Messages(1))]",
        ]);
        assert_eq!(alone.ecn_first().expect("there are both").switch, "s1");
    }

    #[test]
    fn without_pfc_or_red_there_is_no_comparison() {
        assert_eq!(plan(&[]).ecn_first(), None);
        assert_eq!(plan(&["congestion_control=Dcqcn()", "link.flow_control=Lossy"]).ecn_first(), None);
    }
}
