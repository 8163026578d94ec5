//! Outputs that are roots of congestion while other paths of the same flows are little loaded: a question about paths.
//!
//! Invariant: the question states loads, and no effect. It is asked only if roots with such paths cost the victims half
//! of all that trees cost them, and if the advised settings make a plan.

use std::collections::BTreeMap;

use ca_transport::DeliverySpec;
use packet::{NodeId, PortId};
use scenario::{LayerLanes, OtherPaths, Plan, Scenario, ScenarioText};
use telemetry::RootRecord;
use topology::{RoutingSpec, Through, TopologySpec};

use super::command::{Advice, Command};
use super::facts::Facts;
use super::words;
use crate::congestion::worst;

/// Share of a root's load at which another path is little loaded.
const LITTLE: f64 = 0.5;
/// Share of a root's load from which an output that every path takes would be the next obstacle.
const AS_FULL: f64 = 0.95;
/// Share of the cost of all trees that roots beside other paths have at least.
const MOST: f64 = 0.5;
/// Most roots that are looked at, the worst first, and most contributors of each, the largest first.
const MOST_ROOTS: usize = 64;
const MOST_FLOWS: usize = 16;

/// Settings with which reliable connections take packets in any order.
const ANY_ORDER: [&str; 2] = ["adapter.delivery=AnyOrder", "adapter.recovery=SelectiveRepeat"];
/// Selectors that are compared.
const SELECTORS: &str = "switch.selection=Hash,RoundRobin,LeastLoaded";

/// Loads of the fabric's links over the run.
struct Links<'a> {
    facts: Facts<'a>,
    plan: &'a Plan,
    /// Share of its rate that each output carried, by position.
    loads: Vec<f64>,
}

/// Returns the question about paths, if the roots of trees have others beside them.
pub(super) fn question(facts: Facts<'_>) -> Option<Advice> {
    let plan = facts.plan?;
    // Packets that overtake each other are spread already; another program knows no policies of this one.
    if facts.record.congestion.roots.is_empty()
        || plan.packets_may_overtake()
        || !plan.own_policies().is_empty()
    {
        return None;
    }
    let links = Links::new(facts, plan)?;
    if plan.routes().have_groups() {
        let evidence = links.beside_other_paths()?;
        let sets = any_order(plan);
        let with_turns = sets.iter().cloned().chain(["switch.selection=RoundRobin".to_owned()]);
        let words = ["--vary", SELECTORS].map(str::to_owned).to_vec();
        let reason = format!("{evidence}; selectors that do not keep to one path");
        return makes_a_plan(plan, with_turns).then(|| Advice::new(reason, Command::Sweep(sets, words)));
    }
    let lanes = lanes_of_detours(plan)?;
    let evidence = links.beside_idle_cables()?;
    let kept = (plan.scenario().layer_lanes != LayerLanes::Kept).then(|| "layer_lanes=Kept".to_owned());
    let lanes = format!("link.data_lanes={lanes}");
    let own: Vec<_> = any_order(plan).into_iter().chain([lanes]).chain(kept).collect();
    let with_detours = own.iter().cloned().chain(["routing=Par".to_owned()]);
    let value = format!("Par;{}", own.join(";"));
    let reason = format!("{evidence}; routes that take detours by load");
    makes_a_plan(plan, with_detours).then(|| Advice::new(reason, Command::Comparison("routing", value)))
}

/// Returns the overrides with which packets may overtake each other.
pub(super) fn any_order(plan: &Plan) -> Vec<String> {
    match plan.scenario().adapter.delivery {
        DeliverySpec::AnyOrder(_) => Vec::new(),
        DeliverySpec::InOrder => ANY_ORDER.map(str::to_owned).to_vec(),
    }
}

/// Returns true if the scenario of a plan with further overrides can be run.
pub(super) fn makes_a_plan(plan: &Plan, sets: impl Iterator<Item = String>) -> bool {
    let files = plan.files().iter().map(|(name, text)| (name.clone(), text.clone())).collect();
    let mut text = ScenarioText::new("plan.ron", &plan.resolved()).with_files(files);
    let is_set = sets.into_iter().all(|set| text.set(&set).is_ok());
    is_set && Scenario::read(&text).is_ok_and(|scenario| scenario.check(&text).is_ok())
}

/// Returns the lanes that progressive adaptive routing takes; `None` if the routes are fixed, or the fabric has no
/// others.
fn lanes_of_detours(plan: &Plan) -> Option<u32> {
    let scenario = plan.scenario();
    let has_others = matches!(scenario.topology, TopologySpec::Dragonfly(_) | TopologySpec::HyperX(_));
    let is_fixed = matches!(
        scenario.routing,
        RoutingSpec::Native | RoutingSpec::DragonflyMinimal | RoutingSpec::DimensionOrder
    );
    if !has_others || !is_fixed {
        return None;
    }
    let cables: Vec<&str> = scenario.cables.keys().map(String::as_str).collect();
    let topology = scenario.topology.build(&cables).ok()?;
    let lanes = u32::from(topology.detours(Through::default(), true).ok()?.lanes());
    let highest = plan.workload().flows.iter().map(|flow| flow.service_level.0).max().unwrap_or(0);
    Some(lanes * (u32::from(highest) + 1))
}

impl<'a> Links<'a> {
    /// Adds up the lanes of each link; `None` if the record is of another fabric.
    fn new(facts: Facts<'a>, plan: &'a Plan) -> Option<Self> {
        let mut loads = vec![0.0; plan.graph().far_ends().len()];
        let seconds = facts.record.simulated.seconds();
        if plan.lanes().count() != facts.record.lanes.len() {
            return None;
        }
        for ((node, port, _), lane) in plan.lanes().zip(&facts.record.lanes) {
            let sent = lane.sent.get() as f64 * 8.0;
            loads[plan.graph().position((node, port))] += sent / (lane.rate.get() as f64 * seconds);
        }
        Some(Self { facts, plan, loads })
    }

    fn load(&self, at: (NodeId, PortId)) -> f64 {
        self.loads[self.plan.graph().position(at)]
    }

    /// Returns the output of a root towards another switch.
    fn output(&self, root: &RootRecord) -> Option<(NodeId, PortId)> {
        let graph = self.plan.graph();
        let node = graph.find(&root.node)?;
        let at = (node, graph.port_numbered(node, root.port)?);
        (!graph.is_host(graph.far_end(at).0)).then_some(at)
    }

    /// Returns a sentence on the worst root that passes, if such roots have at least half of the cost of all.
    fn worst_of(&self, mut evidence: impl FnMut(&Self, &RootRecord) -> Option<String>) -> Option<String> {
        let roots = worst(self.facts.record);
        let lost: u64 = roots.iter().map(|root| root.lost.get()).sum();
        let cost = |root: &RootRecord| if lost > 0 { root.lost.get() as f64 } else { root.stalled.seconds() };
        let all: f64 = roots.iter().map(|root| cost(root)).sum();
        let (mut passed, mut first) = (0.0, None);
        for root in roots.into_iter().take(MOST_ROOTS) {
            if let Some(said) = evidence(self, root) {
                passed += cost(root);
                first.get_or_insert(said);
            }
        }
        first.filter(|_| passed >= MOST * all)
    }

    /// Says which root had a little loaded path beside it.
    fn beside_other_paths(&self) -> Option<String> {
        let mut paths = OtherPaths::new(self.plan, &self.loads);
        let mut known = BTreeMap::new();
        self.worst_of(|links, root| {
            let at = links.output(root)?;
            let load = links.load(at);
            let flows = root.contributors.iter().take(MOST_FLOWS).map(|one| one.flow as usize);
            let freest = flows.map(|flow| {
                let found = known.entry((flow, at)).or_insert_with(|| paths.freest(flow, AS_FULL * load));
                (flow, *found)
            });
            let (flow, freest) = freest.min_by(|one, other| one.1.load.total_cmp(&other.1.load))?;
            let (Some(other), true) = (freest.at, freest.load <= LITTLE * load) else { return None };
            Some(format!(
                "{} carried {} of its rate over the run, and on another path of {} {} carried most, {}",
                links.name(at),
                words::percent(load.min(1.0)),
                links.facts.record.flows[flow].name,
                links.name(other),
                words::percent(freest.load.min(1.0))
            ))
        })
    }

    /// Says which root the cables between switches carried far less than, on average.
    fn beside_idle_cables(&self) -> Option<String> {
        let graph = self.plan.graph();
        let outputs = graph
            .switch_ids()
            .flat_map(|node| (0..graph.ports(node).len() as u16).map(move |port| (node, PortId(port))));
        let between = outputs.filter(|at| !graph.is_host(graph.far_end(*at).0));
        let (count, sum) = between.fold((0, 0.0), |(count, sum), at| (count + 1, sum + self.load(at)));
        let mean = sum / f64::from(count.max(1));
        self.worst_of(|links, root| {
            let at = links.output(root)?;
            let load = links.load(at);
            (mean <= LITTLE * load).then(|| {
                format!(
                    "{} carried {} of its rate over the run, and cables between switches {} on average",
                    links.name(at),
                    words::percent(load.min(1.0)),
                    words::percent(mean)
                )
            })
        })
    }

    fn name(&self, at: (NodeId, PortId)) -> String {
        let graph = self.plan.graph();
        format!("{} port {} to {}", graph.name(at.0), graph.port_number(at), graph.name(graph.far_end(at).0))
    }
}
