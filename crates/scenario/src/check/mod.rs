//! From a scenario as written to a plan.
//!
//! Invariant: every range that the documentation of a field states is checked here, or by the crate that
//! owns the field. All faults that do not follow from one another are reported together.
//!
//! Four phases, each on the results of the one before:
//!
//! | phase | modules | checks |
//! |---|---|---|
//! | values | `run` | name, duration, samples |
//! | | `link`, `node`, `pausing`, `sharing` | cables, lanes, flow control, memory, as far as the topology has no say in them |
//! | fabric | `node` | names of switches and adapters, ports that differ |
//! | | `sharing`, `pausing` | memory that is shared, headroom, and the room beside them |
//! | | `marking` | ports whose marking differs, and buffers too small for the trigger of marking |
//! | routes | `routing` | forwarding tables |
//! | | `transport` | transport services that can carry a flow and that congestion control reaches |
//! | | `dcqcn` | thresholds and rates that fit the fabric |
//! | traffic | `traffic` | flows, and routes between their hosts |
//! | | `routing` | cycles in which packets could wait for each other |
//! | | `watch` | objects to be watched |

mod dcqcn;
mod link;
mod marking;
mod node;
mod pausing;
mod routing;
mod run;
mod sharing;
mod traffic;
mod transport;
mod watch;

use cc_policies::{Control, MarkingSpec, ResponseSpec};
use settings::FieldPath;
use topology::{Graph, Routes, TopologyError, TopologyErrorKind, TopologySpec};

use crate::diagnostics::{Diagnostic, in_two, nearest};
use crate::format::Scenario;
use crate::format::ranges::{self, RangeViolation};
use crate::plan::Plan;
use crate::resolve::{guideline, topology_file};
use crate::text::{Faults, ScenarioText};

use self::traffic::CheckedTraffic;

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
        let has_rates = self.check_values(faults);
        let graph = self.graph(faults).filter(|_| has_rates)?;
        let control = guideline::resolve(&mut self, &graph);
        self.check_fabric(&control.marking, &graph, faults);
        let routes = self.check_routes(&control, &graph, faults)?;
        let traffic = self.check_traffic(&control.response, &graph, &routes, faults)?;
        let stem = faults.source.stem();
        faults.found.is_empty().then(|| Plan::new(self, stem, control, graph, routes, traffic))
    }

    /// Checks every value that can be judged without the topology, and reads a topology that stands in a file. Returns
    /// whether every cable has a rate: without that nothing else can be judged.
    fn check_values(&mut self, faults: &mut Faults<'_>) -> bool {
        self.check_ranges(faults);
        run::check(self, faults);
        topology_file::resolve(self, faults);
        link::check_cables(self, faults);
        link::check(self, faults);
        pausing::check_values(self, faults);
        node::check_values(self, faults);
        sharing::check_values(self, faults);
        if let Err(fault) = self.congestion_control.check() {
            faults.of_setting(&"congestion_control".into(), fault);
        }
        link::check_rates(self, faults)
    }

    /// Checks that every number is in the range that its field states.
    fn check_ranges(&self, faults: &mut Faults<'_>) {
        for RangeViolation { path, value, range } in ranges::violations(self) {
            let value = value.unwrap_or_else(|| faults.written(&path));
            faults.add_range(&path, format!("{value} is out of range"), range);
        }
        faults.sort();
    }

    /// Checks the nodes against the graph.
    fn check_fabric(&self, marking: &MarkingSpec, graph: &Graph, faults: &mut Faults<'_>) {
        node::check_names(self, graph, faults);
        sharing::check_memory(self, graph, faults);
        pausing::check_memory(self, graph, faults);
        marking::check_ports(marking, graph, faults);
        marking::check_trigger(self, marking, graph, faults);
    }

    /// Makes the forwarding tables, and checks the settings that depend on them.
    fn check_routes(&self, control: &Control, graph: &Graph, faults: &mut Faults<'_>) -> Option<Routes> {
        let routes = routing::routes(self, graph, faults)?;
        transport::check(self, &control.response, faults);
        dcqcn::check(self, control, graph, &routes, faults);
        Some(routes)
    }

    /// Makes the flows, and checks them against the routes.
    fn check_traffic(
        &self,
        response: &ResponseSpec,
        graph: &Graph,
        routes: &Routes,
        faults: &mut Faults<'_>,
    ) -> Option<CheckedTraffic> {
        let (workload, files) = traffic::workload(self, graph, routes, faults)?;
        if faults.found.is_empty() {
            routing::check(self, graph, routes, &workload.flows, faults);
        }
        watch::check(self, response, graph, &workload.flows, faults);
        Some((workload, files))
    }

    /// The fabric, unless something is wrong with it.
    fn graph(&self, faults: &mut Faults<'_>) -> Option<Graph> {
        if matches!(self.topology, TopologySpec::HpccFile(_)) {
            return None; // Its file has faults.
        }
        let cables: Vec<&str> = self.cables.keys().map(String::as_str).collect();
        match self.topology.build(&cables) {
            Ok(graph) => Some(graph),
            Err(error) => {
                let path = FieldPath::from("topology").join(&relative(&error.path()));
                match self.names_for(&error, &cables) {
                    Some(help) => faults.add(&path, in_two(&error.to_string()).0, help),
                    None => faults.of_crate(&path, &error),
                }
                None
            }
        }
    }

    /// The name that was probably meant, where an unknown one stands in the topology.
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

/// A path as another crate writes it.
fn relative(path: &str) -> FieldPath {
    FieldPath::parse(path).unwrap_or_default()
}
