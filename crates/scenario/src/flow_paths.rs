//! Outputs by which the data of flows leaves nodes, for files and pages.
//!
//! Invariant: the run has the same paths, as in `pattern_use`. A flow has all outputs of its path, or none. A flow that
//! may take detours has none: switches choose them under way.

use packet::Lane;

use crate::data_paths::{DataOutput, DataPaths};
use crate::plan::Plan;

/// Most outputs of all flows together: 2 MB in a file.
const MOST_OUTPUTS: usize = 50_000;

/// An output that the data of a flow may leave by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowOutput {
    /// Number of the flow in the plan.
    pub flow: u32,
    /// Links between the flow's source host and the output's node. Outputs of one flow with the same number are
    /// alternatives.
    pub hop: u32,
    /// The output's first lane, by its place among [`Plan::lanes`].
    pub lane: u32,
}

/// Paths of the first flows of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPaths {
    /// Outputs, flow by flow, from the source to the destination.
    pub outputs: Vec<FlowOutput>,
    /// Number of flows with a path.
    pub flows: usize,
    /// Number of later flows, which have none, since there would be too many outputs, or since the first of them may
    /// take detours.
    pub left_out_flows: usize,
}

impl Plan {
    /// Returns the paths of the first flows, at most 50,000 outputs in all.
    #[must_use]
    pub fn flow_paths(&self) -> FlowPaths {
        self.first_flow_paths(usize::MAX)
    }

    /// Returns the paths of the first flows, at most so many, and at most 50,000 outputs in all. Flows with a name come
    /// first.
    #[must_use]
    pub fn first_flow_paths(&self, most: usize) -> FlowPaths {
        self.bounded_flow_paths(most, MOST_OUTPUTS)
    }

    fn bounded_flow_paths(&self, most_flows: usize, most: usize) -> FlowPaths {
        // By position of the port: its first lane.
        let lanes = (0..).zip(self.lanes()).filter(|(_, (.., lane))| *lane == Lane(0));
        let lanes: Vec<u32> = lanes.map(|(place, _)| place).collect();
        let all = &self.workload().flows;
        let (mut outputs, mut flows, mut paths) = (Vec::new(), 0, DataPaths::new(self));
        for (flow, key) in all.iter().zip(self.flow_keys()).take(most_flows) {
            let path = paths.of(flow, key);
            if self.may_detour(flow) || outputs.len() + path.len() > most {
                break;
            }
            let number = flows as u32;
            outputs.extend(path.into_iter().map(|DataOutput { at, hop, .. }| FlowOutput {
                flow: number,
                hop,
                lane: lanes[self.graph().position(at)],
            }));
            flows += 1;
        }
        FlowPaths { outputs, flows, left_out_flows: all.len() - flows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, ScenarioText};

    fn plan(name: &str) -> Plan {
        let text = ScenarioText::find(name).expect("it ships");
        Scenario::read(&text).expect("it is right").check(&text).expect("it can run")
    }

    /// Each path begins at the flow's source and goes on where its last link ends, up to the destination.
    #[test]
    fn paths_lead_from_source_to_destination() {
        let plan = plan("victim");
        let paths = plan.flow_paths();
        let lanes: Vec<_> = plan.lanes().collect();
        assert_eq!((paths.flows, paths.left_out_flows), (plan.workload().flows.len(), 0));
        for (number, flow) in (0..).zip(&plan.workload().flows) {
            let mut at = flow.source;
            let own = paths.outputs.iter().filter(|output| output.flow == number);
            for (hop, output) in own.enumerate() {
                let (node, port, _) = lanes[output.lane as usize];
                assert_eq!((node, output.hop as usize), (at, hop));
                at = plan.graph().ports(node)[port.index()].peer;
            }
            assert_eq!(at, flow.destination);
        }
    }

    /// A packet of a sprayed flow may take each of the four spines, and one of a hashed flow a single spine.
    #[test]
    fn sprayed_flows_have_all_their_paths() {
        for (sets, spines) in [
            (&[][..], 1),
            (&["switch.selection=RoundRobin"], 4),
            (&["switch.selection=Flowlet"], 4),
            (&["adapter.entropy=Random"], 4),
            (&["switch.selection=RoundRobin", "switch.selected_packets=(small: \"5 KB\")"], 1),
        ] {
            let mut text = ScenarioText::find("paths-incast").expect("it ships");
            sets.iter().try_for_each(|set| text.set(set)).expect("they are fields");
            let plan = Scenario::read(&text).expect("it is right").check(&text).expect("it can run");
            let paths = plan.flow_paths();
            let number = plan.workload().flows.len() - 1;
            let (flow, lanes) = (&plan.workload().flows[number], plan.lanes().collect::<Vec<_>>());
            let own = paths.outputs.iter().filter(|output| output.flow as usize == number);
            let own: Vec<_> = own.map(|output| (output.hop, lanes[output.lane as usize].0)).collect();
            let at = |hop| own.iter().filter(|one| one.0 == hop).map(|one| one.1).collect::<Vec<_>>();
            assert_eq!([0, 1, 2, 3].map(|hop| at(hop).len()), [1, spines, spines, 1], "{sets:?}");
            assert_eq!(at(0), [flow.source], "{sets:?}");
            assert!(own.is_sorted_by_key(|one| one.0), "{own:?}");
        }
    }

    /// The first two flows stay on their switch and in their group; the third leaves it, and may take detours.
    #[test]
    fn paths_end_before_the_first_flow_with_detours() {
        let flow = |to: u8| {
            format!(
                "(name: \"f{to}\", from: \"h1\", to: \"h{to}\", start: \"0 s\", message: \"4 KiB\", \
                 load: Saturate(outstanding: 4))"
            )
        };
        let flows = format!("flows=[{}, {}, {}, {}]", flow(2), flow(3), flow(9), flow(4));
        let topology = "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"host\", \
                        local_cable: \"trunk\", global_cable: \"trunk\")";
        for (routing, with_path) in [("Native", 4), ("Valiant", 2), ("Ugal", 2), ("Par", 2)] {
            let mut text = ScenarioText::find("paths-permutation").expect("it ships");
            let routing_set = format!("routing={routing}");
            let sets = [topology, &flows, "traffic=[]", "link.data_lanes=5", &routing_set];
            sets.iter().try_for_each(|set| text.set(set)).expect("they are fields");
            let plan = Scenario::read(&text).expect("it is right").check(&text).expect("it can run");
            let paths = plan.flow_paths();
            assert_eq!((paths.flows, paths.left_out_flows), (with_path, 4 - with_path), "{routing}");
            // Minimal routes decide the fair shares of flows that keep to them, and of no others.
            let best = plan.best_rates(4);
            assert!(best.fair(&[0, 1]).is_some(), "{routing}");
            assert_eq!(best.fair(&[0, 1, 2]).is_some(), with_path == 4, "{routing}");
        }
    }

    #[test]
    fn flows_beyond_the_bound_are_counted() {
        let plan = plan("victim");
        let all = plan.flow_paths();
        let most = all.outputs.len() - 1;
        let some = plan.bounded_flow_paths(usize::MAX, most);
        assert_eq!((some.flows, some.left_out_flows), (all.flows - 1, 1));
        assert!(some.outputs.len() <= most && all.outputs.starts_with(&some.outputs));
        assert_eq!(plan.first_flow_paths(all.flows - 1), some);
    }
}
