//! Switches and channel adapters: their settings, and the plans of nodes and ports that follow from them.

use std::sync::Arc;

use ca_transport::AdapterSpec;
use ca_transport::resolve::AdapterEnv;
use cc_policies::MarkingSpec;
use link_layer::resolve::{Intake, ReceiverPlan};
use link_layer::{CablePlan, LinkPlan, PortPlan};
use packet::{Lane, NodeId, PortId};
use settings::{FieldPath, SettingError};
use switch_arch::resolve::{SwitchEnv, SwitchPlan};
use switch_arch::spec::{BufferingSpec, ShareOverride, SwitchSpec};
use switch_arch::tables::SlToVl;
use topology::{FarEnd, Graph, LaneChanges, Topology};
use units::Bytes;

use super::entries;
use crate::format::{LayerLanes, Scenario};
use crate::plan::{NodePlan, NodePlans};
use crate::text::Faults;

/// Fields of a scenario from which the plans of its nodes follow.
const OF_NODES: [&str; 6] = ["cables", "link", "switch", "switches", "adapter", "adapters"];

/// Checks every value that does not depend on the topology.
pub(super) fn check_values(scenario: &Scenario, faults: &mut Faults<'_>) {
    for (path, spec) in switches(scenario) {
        faults.add_errors(&path, &spec.errors(&scenario.link));
    }
    for (path, spec) in adapters(scenario) {
        faults.add_errors(&path, &spec.errors(&scenario.link));
        if spec.delivery != scenario.adapter.delivery {
            let message =
                "both ends of a connection take packets in the same order, and other hosts have another";
            let help = "leave `delivery` out here, or write the same in `adapter`";
            faults.add(&path.name("delivery"), message, help);
        }
    }
}

/// Plans every node with its ports, unless something is wrong with its settings or its memory.
pub(super) fn plans(
    scenario: &Scenario,
    topology: &Topology,
    (link, cables): (&LinkPlan, &[CablePlan]),
    faults: &mut Faults<'_>,
) -> Option<NodePlans> {
    if OF_NODES.iter().any(|field| faults.any_below(&(*field).into())) {
        return None;
    }
    let graph = topology.graph();
    let lanes = match scenario.layer_lanes {
        LayerLanes::Kept => None,
        LayerLanes::Changed => topology.lane_changes(&scenario.routing),
    };
    let planner = Planner { scenario, graph, link, cables, lanes };
    let hosts = (0..graph.hosts() as u32).map(NodeId);
    let adapters: Vec<_> = hosts.map(|node| planner.adapter(node, faults)).collect();
    let others = (graph.hosts() as u32..graph.nodes() as u32).map(NodeId);
    let switches: Vec<_> = others.map(|node| planner.switch(node, faults)).collect();
    let adapters: Vec<_> = adapters.into_iter().collect::<Option<_>>()?;
    let switches: Vec<_> = switches.into_iter().collect::<Option<_>>()?;
    Some(planner.join(adapters, switches))
}

/// A node and the receive memory of its ports.
struct Planned<S> {
    settings: Arc<S>,
    intake: Intake,
    receivers: Vec<ReceiverPlan>,
}

/// Plans nodes one by one, then their ports.
struct Planner<'a> {
    scenario: &'a Scenario,
    graph: &'a Graph,
    link: &'a LinkPlan,
    cables: &'a [CablePlan],
    /// Rule by which switches change lanes with the scenario's routing.
    lanes: Option<LaneChanges<'a>>,
}

/// All that the plan of a port follows from.
#[derive(Clone, Copy, PartialEq)]
struct PortOrigin<'a> {
    /// The kind of its cable.
    cable: usize,
    far_intake: Intake,
    receiver: &'a ReceiverPlan,
    far_receiver: &'a ReceiverPlan,
}

impl Planner<'_> {
    fn adapter(&self, node: NodeId, faults: &mut Faults<'_>) -> Option<Planned<AdapterSpec>> {
        let (name, scenario) = (self.graph.name(node), self.scenario);
        let own = ("adapters", &scenario.adapters);
        let (path, spec) = entries::settings_of(own, ("adapter", &scenario.adapter), name);
        let cable = &self.cables[self.graph.ports(node)[0].cable];
        let receiver = spec.resolve(AdapterEnv { name, link: self.link, cable });
        let receiver = found(receiver, &path, faults)?;
        Some(Planned { settings: Arc::new(spec.clone()), intake: Intake::ADAPTER, receivers: vec![receiver] })
    }

    fn switch(&self, node: NodeId, faults: &mut Faults<'_>) -> Option<Planned<SwitchPlan>> {
        let (name, scenario) = (self.graph.name(node), self.scenario);
        let own = ("switches", &scenario.switches);
        let (path, spec) = entries::settings_of(own, ("switch", &scenario.switch), name);
        let cables: Vec<_> = self.graph.ports(node).iter().map(|end| self.cables[end.cable]).collect();
        let tables = changes_lanes(scenario).then(|| self.tables(node));
        let numbers: Vec<_> = self.graph.port_numbers(node).collect();
        let (link, sl_to_vl) = (self.link, tables.as_ref());
        let env = SwitchEnv { name, link, cables: &cables, numbers: &numbers, sl_to_vl };
        let planned = spec.resolve(env);
        let (plan, receivers) = found(planned, &path, faults)?;
        Some(Planned { intake: plan.intake, settings: Arc::new(plan), receivers })
    }

    /// Returns a switch's tables of service levels to lanes, without entries of its own.
    fn tables(&self, node: NodeId) -> SlToVl {
        let ports = self.graph.ports(node).len() as u16;
        let mut tables = SlToVl::new(usize::from(ports), self.link.lanes);
        let Some(rule) = &self.lanes else { return tables };
        for (input, output) in (0..ports).flat_map(|input| (0..ports).map(move |output| (input, output))) {
            let (input, output) = (PortId(input), PortId(output));
            let lane = |level| Lane(rule.lane(node, (input, output), level as u8) % self.link.data_lanes);
            tables.set(Some(input), Some(output), core::array::from_fn(lane));
        }
        tables
    }

    /// Joins both ends of each cable.
    fn join(self, adapters: Vec<Planned<AdapterSpec>>, switches: Vec<Planned<SwitchPlan>>) -> NodePlans {
        let of_adapters = adapters.iter().map(|node| (node.intake, &*node.receivers));
        let of_switches = switches.iter().map(|node| (node.intake, &*node.receivers));
        let ends: Vec<_> = of_adapters.chain(of_switches).collect();
        let mut known = Vec::new();
        let nodes = (0..self.graph.nodes() as u32).map(NodeId);
        let ports: Vec<_> = nodes.map(|node| self.ports(node, &ends, &mut known)).collect();
        let mut ports = ports.into_iter();
        NodePlans { adapters: with_ports(adapters, &mut ports), switches: with_ports(switches, &mut ports) }
    }

    /// Plans the ports of a node. Ports of the same origin are one: `known` has those met so far.
    fn ports<'e>(
        &self,
        node: NodeId,
        ends: &[(Intake, &'e [ReceiverPlan])],
        known: &mut Vec<(PortOrigin<'e>, Arc<PortPlan>)>,
    ) -> Vec<Arc<PortPlan>> {
        let plan = |(port, end): (usize, &FarEnd)| {
            let (far_intake, far_receivers) = ends[end.peer.index()];
            let (receiver, far_receiver) =
                (&ends[node.index()].1[port], &far_receivers[end.peer_port.index()]);
            let origin = PortOrigin { cable: end.cable, far_intake, receiver, far_receiver };
            if let Some((_, alike)) = known.iter().find(|(known, _)| *known == origin) {
                return Arc::clone(alike);
            }
            let plan = Arc::new(self.link.port(&self.cables[end.cable], far_intake, receiver, far_receiver));
            known.push((origin, Arc::clone(&plan)));
            plan
        };
        self.graph.ports(node).iter().enumerate().map(plan).collect()
    }
}

fn with_ports<S>(
    nodes: Vec<Planned<S>>,
    ports: &mut impl Iterator<Item = Vec<Arc<PortPlan>>>,
) -> Vec<NodePlan<S>> {
    nodes.into_iter().zip(ports).map(|(node, ports)| NodePlan { settings: node.settings, ports }).collect()
}

/// Returns the value, or reports the error unless the settings have been reported already: nodes share them.
fn found<T>(result: Result<T, impl SettingError>, path: &FieldPath, faults: &mut Faults<'_>) -> Option<T> {
    let error = match result {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    if !faults.has(&path.join(&error.path())) {
        faults.add_errors(path, &[error]);
    }
    None
}

/// Checks that every name and port is one of the fabric's.
pub(super) fn check_names(scenario: &Scenario, graph: &Graph, cables: &[CablePlan], faults: &mut Faults<'_>) {
    entries::check(scenario, graph, faults);
    check_ports(graph, scenario, faults);
    check_rates(scenario, cables, faults);
}

/// Checks that each port with a buffer, a share or a table of its own exists: at the switch, or at one of those that
/// share the settings.
fn check_ports(graph: &Graph, scenario: &Scenario, faults: &mut Faults<'_>) {
    let nodes = || (graph.hosts()..graph.nodes()).map(|index| NodeId(index as u32));
    for (path, spec) in switches(scenario) {
        let entry_name = path.names_upwards().next().filter(|_| path.steps().len() > 1);
        let shares = |node: &NodeId| {
            let entry = entries::entry_of(&scenario.switches, graph.name(*node));
            entry.map(|(entry, _)| entry) == entry_name
        };
        // A cluster has an entry for each of a thousand switches, with hundreds of ports.
        let own: Vec<NodeId> = nodes().filter(shares).collect();
        let Some(widest) = own.iter().copied().max_by_key(|node| graph.ports(*node).len()) else {
            continue;
        };
        let buffers = (0..).zip(spec.buffers.iter().map(|own| Some(own.port)));
        let buffers = buffers.map(|(i, port)| (path.name("buffers").index(i), port));
        let of_shares = own_shares(&path, spec).map(|(entry, own)| (entry, own.port));
        let ports = buffers.chain(of_shares).map(|(entry, port)| (entry.name("port"), port));
        for (field, port) in ports.chain(ports_of_tables(&path, spec)) {
            let exists = |port: &u16| own.iter().any(|node| graph.knows_port(*node, *port));
            let Some(port) = port.filter(|port| !exists(port)) else { continue };
            let whose =
                entry_name.map_or_else(|| "no switch".to_owned(), |name| format!("`{name}` does not"));
            let has = if entry_name.is_some() { "have" } else { "has" };
            let message = format!("{whose} {has} a port {port}");
            faults.add(&field, message, format!("write one of ports {}", graph.listed_ports(widest)));
        }
    }
}

/// Returns the ports that the tables of service levels and of lane arbitration name, with their paths.
fn ports_of_tables(path: &FieldPath, spec: &SwitchSpec) -> Vec<(FieldPath, Option<u16>)> {
    let arbitration = (0..).zip(&spec.vl_arbitration);
    let arbitration =
        arbitration.map(|(i, own)| (path.name("vl_arbitration").index(i).name("port"), own.port));
    let tables = (0..).zip(&spec.sl_to_vl).map(|(i, own)| (path.name("sl_to_vl").index(i), own));
    let ports =
        tables.map(|(entry, own)| [(entry.name("input"), own.input), (entry.name("output"), own.output)]);
    ports.flatten().chain(arbitration).collect()
}

/// Checks that every switch of a fabric that changes lanes has an organisation which can, and that marking can. In a
/// queue for each input and lane, packets from two lanes of an input could be heads for one output and lane at once,
/// and contend as one.
pub(super) fn check_lane_changes(
    scenario: &Scenario,
    topology: &Topology,
    marking: &MarkingSpec,
    faults: &mut Faults<'_>,
) {
    let has_detours = scenario.routing.detours().is_some();
    if !changes_lanes(scenario) && !has_detours {
        return;
    }
    for (path, _) in switches(scenario).filter(|(_, spec)| has_detours && !spec.sl_to_vl.is_empty()) {
        let message = format!("`{}` decides on the lanes of its routes", scenario.routing.word());
        faults.add(&path.name("sl_to_vl"), message, "leave it out, or write another `routing`");
    }
    // `detours` names all that its routes need.
    let is_changed = scenario.layer_lanes == LayerLanes::Changed && !has_detours;
    if is_changed && topology.lane_changes(&scenario.routing).is_none() {
        let message = "the paths of this routing have one layer";
        let help = "leave it out, or add `--set layer_lanes=Kept`: `Changed` is for `DimensionOrder` in a torus with five \
                    switches in a row, and for `DragonflyMinimal`";
        faults.add(&"layer_lanes".into(), message, help);
    }
    for (path, _) in switches(scenario).filter(|(_, spec)| spec.buffering == BufferingSpec::InputFifo) {
        let message = "`InputFifo` has a queue for each input and lane, which cannot change lanes";
        let help = other_lanes("organisation", has_detours);
        faults.add(&path.name("buffering"), message, help);
    }
    if matches!(marking, MarkingSpec::Hp(_)) {
        let message = "HP marking finds the cause of a full buffer among packets of its lane, and here switches change lanes";
        let help = other_lanes("marking", has_detours);
        faults.add(&"congestion_control".into(), message, help);
    }
}

/// Returns the correction of a setting that excludes changes of lanes.
fn other_lanes(setting: &str, has_detours: bool) -> String {
    let lanes = if has_detours {
        "`routing: Native`"
    } else {
        "leave out `sl_to_vl` of every switch and `layer_lanes`"
    };
    format!("write another {setting}, or {lanes}")
}

/// Returns true if switches have tables of service levels to lanes by input and output.
fn changes_lanes(scenario: &Scenario) -> bool {
    scenario.layer_lanes == LayerLanes::Changed
        || switches(scenario).any(|(_, spec)| !spec.sl_to_vl.is_empty())
}

/// Checks that some cable has the rate of each share by rate.
fn check_rates(scenario: &Scenario, cables: &[CablePlan], faults: &mut Faults<'_>) {
    let mut rates: Vec<_> = cables.iter().map(|cable| cable.rate).collect();
    rates.sort_unstable();
    rates.dedup();
    let named: Vec<_> = rates.iter().map(|rate| format!("\"{rate}\"")).collect();
    for (path, spec) in switches(scenario) {
        for (entry, own) in own_shares(&path, spec) {
            let Some(rate) = own.rate.filter(|rate| !rates.contains(rate)) else { continue };
            let message = format!("no cable has a rate of {rate}");
            faults.add(&entry.name("rate"), message, format!("write {}", named.join(" or ")));
        }
    }
}

/// Returns the shares of a switch that differ, in its memory and in its egress pool, with their paths.
fn own_shares<'a>(
    path: &FieldPath,
    spec: &'a SwitchSpec,
) -> impl Iterator<Item = (FieldPath, &'a ShareOverride)> {
    let pool = path.name("egress_pool").name("shares");
    let of_pool = spec.egress_pool.iter().flat_map(|pool| &pool.shares);
    let of_pool = (0..).zip(of_pool).map(move |(i, own)| (pool.index(i), own));
    let memory = path.name("shares");
    (0..).zip(&spec.shares).map(move |(i, own)| (memory.index(i), own)).chain(of_pool)
}

/// Returns every buffer that the scenario states, with its path; the guaranteed part of shared memory is one.
pub(super) fn buffers(scenario: &Scenario) -> Vec<(FieldPath, Bytes)> {
    let of_switches = switches(scenario).flat_map(|(path, spec)| {
        let stated = spec.stated_buffers().into_iter();
        stated.map(move |(field, size)| (path.join(&field), size))
    });
    let of_adapters =
        adapters(scenario).map(|(path, spec)| (path.name("receive_buffer"), spec.receive_buffer));
    of_switches.chain(of_adapters).collect()
}

/// Returns the settings of all switches that differ, with their paths.
pub(crate) fn switches(scenario: &Scenario) -> impl Iterator<Item = (FieldPath, &SwitchSpec)> {
    let own = scenario.switches.iter().map(|(name, spec)| (FieldPath::from("switches").name(name), spec));
    [(FieldPath::from("switch"), &scenario.switch)].into_iter().chain(own)
}

/// Returns the settings of all channel adapters that differ, with their paths.
pub(crate) fn adapters(scenario: &Scenario) -> impl Iterator<Item = (FieldPath, &AdapterSpec)> {
    let own = scenario.adapters.iter().map(|(name, spec)| (FieldPath::from("adapters").name(name), spec));
    [(FieldPath::from("adapter"), &scenario.adapter)].into_iter().chain(own)
}
