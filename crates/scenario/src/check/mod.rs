//! From a scenario as written to a plan.
//!
//! Invariant: every range that the documentation of a field states is checked here, or by the crate that
//! owns the field. All faults that do not follow from one another are reported together.
//!
//! Four phases, each on the results of the one before:
//!
//! | phase | modules | checks |
//! |---|---|---|
//! | values | `times` | times that no sum can wrap |
//! | | `run` | name, duration, samples |
//! | | `link`, `node` | cables, lanes, flow control, memory, as far as they do not depend on the topology |
//! | fabric | `cables` | single cables that differ, found by `selected` |
//! | | `entries` | names and patterns of switches and adapters |
//! | | `node` | memory beside headroom and guarantees, names of switches and adapters, ports that differ |
//! | | `marking` | ports whose marking differs, and buffers too small for the trigger of marking |
//! | routes | `routing` | forwarding tables |
//! | | `transport` | transport services that can carry a flow and that congestion control reaches |
//! | | `dcqcn` | thresholds and rates that fit the fabric |
//! | traffic | `traffic` | flows, and routes between their hosts |
//! | | `routing` | cycles in which packets could wait for each other |
//! | | `detours` | settings that non-minimal routes need |
//! | | `overtaking` | flows with packets that could overtake each other |
//! | | `until_done` | traffic that ends, if the run is to wait for it |
//! | | `watch`, `series` | objects to be watched and recorded, found by `selected` |

mod cables;
mod dcqcn;
mod detours;
pub(crate) mod entries;
mod link;
mod marking;
pub(crate) mod node;
mod overtaking;
mod routing;
mod run;
pub(crate) mod selected;
mod series;
mod times;
mod traffic;
mod transport;
mod until_done;
mod watch;

use std::sync::Arc;

use cc_policies::{Control, MarkingSpec};
use link_layer::{CablePlan, LinkPlan};
use packet::{Framing, Lid};
use settings::{FieldPath, SettingError};
use topology::{Routes, Topology, TopologyError, TopologyErrorKind, TopologySpec};
use workload::Flow;

use crate::diagnostics::Diagnostic;
use crate::format::Scenario;
use crate::format::range_check::{self, RangeViolation, TextViolation};
use crate::plan::{NodePlans, Plan};
use crate::resolve::{guideline, selection, sharing, topology_file};
use crate::text::{Faults, ScenarioText};
use settings::nearest;

impl Scenario {
    /// Checks the scenario; `source` is the text that it was read from.
    ///
    /// # Errors
    /// If anything is out of range, missing, or at odds with something else.
    pub fn check(self, source: &ScenarioText) -> Result<Plan, Diagnostic> {
        let mut faults = Faults::new(source);
        match self.into_plan(&mut faults) {
            Some(plan) if faults.found.is_empty() => Ok(plan),
            _ => Err(faults.into_diagnostic()),
        }
    }

    /// Goes through the phases, as far as the faults found allow.
    fn into_plan(mut self, faults: &mut Faults<'_>) -> Option<Plan> {
        let (cables, link) = self.check_values(faults);
        let (topology, cables) = (self.topology(faults)?, cables?);
        let graph = topology.graph();
        let control = guideline::resolve(&mut self, graph, &cables);
        let nodes = self.check_fabric(&control.marking, &topology, (link.as_ref(), &cables), faults);
        let routes = self.check_routes(&control, (&topology, &cables), faults)?;
        let (workload, files) = traffic::workload(&self, (graph, &cables), &routes, faults)?;
        until_done::check(&self, &workload, faults);
        transport::check_patterns(&self, &control.response, (graph, &workload), faults);
        let flows = &workload.flows;
        detours::check(&self, link.as_ref(), &routes, flows, faults);
        let packets_may_overtake = link
            .as_ref()
            .zip(nodes.as_ref())
            .is_some_and(|(link, nodes)| overtaking::check(&self, (link, nodes, &routes), &workload, faults));
        let dependency_cycle = match (&link, &nodes) {
            (Some(link), Some(nodes)) if faults.found.is_empty() => {
                routing::check(&self, (link, nodes), (graph, &routes), flows, faults)
            }
            _ => None,
        };
        let watch = watch::resolve(&self, &control.response, (graph, flows), faults);
        let series = series::resolve(&self, (graph, flows), faults);
        let (link, nodes) = (link?, nodes?);
        let run = run::plan(&self, &workload);
        self.name.get_or_insert_with(|| names::rule::plain(faults.source.stem()));
        let (graph, changed_cables) = topology.into_parts();
        Some(Plan {
            scenario: self,
            run,
            graph: Arc::new(graph),
            changed_cables,
            routes,
            cables,
            link,
            nodes,
            control,
            own: faults.source.own().clone(),
            workload,
            files,
            watch,
            series,
            dependency_cycle,
            packets_may_overtake,
        })
    }

    /// Checks every value that does not depend on the topology, and reads a topology from its file. Returns the cables
    /// and the properties of all links, if nothing is wrong with them.
    fn check_values(&mut self, faults: &mut Faults<'_>) -> (Option<Vec<CablePlan>>, Option<LinkPlan>) {
        self.check_ranges(faults);
        // Further checks add times up.
        if !times::check(faults) {
            return (None, None);
        }
        run::check(self, faults);
        topology_file::resolve(self, faults);
        sharing::resolve(self);
        selection::resolve(self);
        let cables = link::cables(self, faults);
        let link = link::resolve(self, cables.as_deref(), faults);
        node::check_values(self, faults);
        if let Err(fault) = self.congestion_control.check() {
            faults.of_setting(&"congestion_control".into(), fault);
        }
        if let Err(fault) = self.congestion_control.check_own(faults.source.own()) {
            faults.of_setting(&"congestion_control".into(), fault);
        }
        (cables, link)
    }

    /// Checks that every number is in the range that its field states, and that every text may stand in a scenario.
    fn check_ranges(&self, faults: &mut Faults<'_>) {
        let violations = range_check::violations(self);
        for RangeViolation { path, value, range } in violations.numbers {
            let value = if value.is_finite() { value.to_string() } else { faults.written(&path) };
            faults.add_range(&path, format!("{value} is out of range"), range);
        }
        for TextViolation { path, of_key, fault } in violations.texts {
            if of_key {
                faults.add_name(&path, fault, fault.help());
            } else {
                faults.add(&path, fault, fault.help());
            }
        }
        faults.sort();
    }

    /// Plans the nodes, unless something is wrong with them, and checks the marking of their ports.
    fn check_fabric(
        &self,
        marking: &MarkingSpec,
        topology: &Topology,
        (link, cables): (Option<&LinkPlan>, &[CablePlan]),
        faults: &mut Faults<'_>,
    ) -> Option<NodePlans> {
        let graph = topology.graph();
        let nodes = link.and_then(|link| node::plans(self, topology, (link, cables), faults));
        node::check_names(self, graph, cables, faults);
        node::check_lane_changes(self, topology, marking, faults);
        marking::check_ports(marking, (graph, cables), faults);
        if let Some(nodes) = &nodes {
            marking::check_trigger(self, marking, (graph, nodes), faults);
        }
        nodes
    }

    /// Makes the forwarding tables, and checks the settings that depend on them.
    fn check_routes(
        &self,
        control: &Control,
        (topology, cables): (&Topology, &[CablePlan]),
        faults: &mut Faults<'_>,
    ) -> Option<Routes> {
        let routes = routing::routes(self, topology, faults)?;
        transport::check_flows(self, &control.response, faults);
        dcqcn::check(self, control, (topology.graph(), cables), &routes, faults);
        Some(routes)
    }

    /// Builds the fabric, unless the topology has faults.
    fn topology(&self, faults: &mut Faults<'_>) -> Option<Topology> {
        if matches!(self.topology, TopologySpec::HpccFile(_)) {
            return None; // Its file has faults.
        }
        let cables: Vec<&str> = self.cables.keys().map(String::as_str).collect();
        let topology = self.topology.build(&cables).map_err(|error| {
            let mut fault = error.fault();
            fault.help = self.names_for(&error, &cables).or(fault.help);
            faults.of_setting(&"topology".into(), fault);
        });
        let topology = topology.ok()?;
        let (nodes, most) = (topology.graph().nodes(), Lid::MAX_UNICAST.index());
        if self.link.framing == Framing::InfiniBand && nodes > most {
            let message = format!("{nodes} hosts and switches are too many for one subnet of InfiniBand");
            let help = format!(
                "it has {most} unicast LIDs, 0x0001 to 0xBFFF; RoCEv2 (`link.framing`) has no such limit"
            );
            faults.add(&"topology".into(), message, help);
            return None;
        }
        self.port_numbers(faults);
        cables::change(self, topology, &cables, faults)
    }

    /// Checks the numbers that links give to ports. Ethernet's ports may be called from 0; port 0 of a switch of
    /// InfiniBand is its management port, and 255 is reserved (IBA 14.2.5.3).
    fn port_numbers(&self, faults: &mut Faults<'_>) {
        let TopologySpec::Custom(custom) = &self.topology else { return };
        if self.link.framing != Framing::InfiniBand {
            return;
        }
        for (place, link) in custom.links.iter().enumerate() {
            for (field, number) in [("from_port", link.from_port), ("to_port", link.to_port)] {
                let Some(number) = number.filter(|number| !(1..=254).contains(number)) else { continue };
                let path = FieldPath::from("topology").name("links").index(place).name(field);
                let help = "write 1 to 254; RoCEv2 (`link.framing`) has ports from 0".to_owned();
                faults.add(&path, format!("{number} is no port of a switch of InfiniBand"), help);
            }
        }
    }

    /// Suggests a name for an unknown one in the topology.
    fn names_for(&self, error: &TopologyError, cables: &[&str]) -> Option<String> {
        match (error.kind(), &self.topology) {
            (TopologyErrorKind::UnknownCable { given }, _) => Some(nearest::help(given, cables, "cables")),
            (TopologyErrorKind::UnknownNode { given }, TopologySpec::Custom(custom)) => {
                let nodes = custom.hosts.iter().chain(&custom.switches).map(String::as_str);
                Some(nearest::help(given, nodes, "nodes"))
            }
            _ => None,
        }
    }
}

/// Returns the path of a flow, or of the pattern that makes it. `i` is its place in the list of all flows.
fn of_flow(i: usize, flow: &Flow) -> FieldPath {
    match flow.pattern {
        Some(pattern) => FieldPath::from("traffic").index(pattern as usize),
        None if flow.named => FieldPath::from("flows").index(i),
        None => flow.field().into(),
    }
}
