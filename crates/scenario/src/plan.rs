//! A plan: everything that a run needs, complete and checked.
//!
//! Invariant: only [`Scenario::check`](crate::Scenario::check) makes a plan. A plan contains no alternative that cannot
//! occur in a run, so nothing that holds one checks anything again.

use std::collections::BTreeMap;
use std::sync::Arc;

use ca_transport::{AdapterSpec, Compliance};
use cc_policies::own::{OwnPolicies, OwnPolicy};
use cc_policies::{Control, ResponseSpec, Scheme};
use event_kernel::Digest;
use link_layer::flow_control::headroom::slowest_reaction;
use link_layer::spec::Discipline;
use link_layer::{CablePlan, LinkPlan, PortPlan};
use packet::{FlowId, Lane, NodeId, PortId, ServiceLevel};
use ron::ser::PrettyConfig;
use switch_arch::SwitchPlan;
use telemetry::Phase;
use topology::{ChangedCables, Graph, Routes};
use units::{Span, Time};
use workload::Workload;

use crate::format::Scenario;
use crate::format::parse::options;
use crate::layers;
use crate::series::SeriesPlan;

/// An experiment, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The scenario as it was read, with its name and with `Guideline` and `sharing` resolved.
    pub(crate) scenario: Scenario,
    pub(crate) run: RunPlan,
    pub(crate) graph: Arc<Graph>,
    pub(crate) changed_cables: Vec<ChangedCables>,
    pub(crate) routes: Routes,
    pub(crate) cables: Vec<CablePlan>,
    pub(crate) link: LinkPlan,
    pub(crate) nodes: NodePlans,
    pub(crate) control: Control,
    pub(crate) own: OwnPolicies,
    pub(crate) workload: Workload,
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) watch: Vec<WatchPlan>,
    pub(crate) series: SeriesPlan,
    pub(crate) dependency_cycle: Option<String>,
    pub(crate) packets_may_overtake: bool,
}

/// Times and seed of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunPlan {
    pub(crate) seed: u64,
    pub(crate) duration: Span,
    pub(crate) until_done: bool,
    pub(crate) sample: Span,
    pub(crate) keeps_completions: bool,
    pub(crate) phases: Vec<Phase>,
}

/// A node of a plan. Nodes that are alike share their settings and the plans of their ports.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePlan<S> {
    /// Settings of the node.
    pub settings: Arc<S>,
    /// Its ports, in order.
    pub ports: Vec<Arc<PortPlan>>,
}

/// All nodes of a plan, in the order of their numbers: channel adapters first.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePlans {
    /// Channel adapters.
    pub adapters: Vec<NodePlan<AdapterSpec>>,
    /// Switches.
    pub switches: Vec<NodePlan<SwitchPlan>>,
}

/// A quantity to record at each sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WatchPlan {
    /// Bytes that wait in a switch for an output and lane.
    Queue {
        /// The switch.
        switch: NodeId,
        /// The output.
        output: PortId,
        /// The lane.
        lane: Lane,
    },
    /// State of the response that controls a flow.
    Control {
        /// The flow.
        flow: FlowId,
    },
}

impl NodePlans {
    /// Returns the settings of a channel adapter.
    ///
    /// # Panics
    /// If the node is a switch.
    #[must_use]
    pub fn adapter(&self, node: NodeId) -> &AdapterSpec {
        &self.adapters[node.index()].settings
    }

    /// Returns the settings of a switch.
    ///
    /// # Panics
    /// If the node is a channel adapter.
    #[must_use]
    pub fn switch(&self, node: NodeId) -> &SwitchPlan {
        &self.switches[node.index() - self.adapters.len()].settings
    }

    /// Returns true if switches choose the lane of each packet anew, by input, output and service level.
    #[must_use]
    pub fn change_lanes(&self) -> bool {
        self.switches.iter().any(|switch| switch.settings.sl_to_vl.is_some())
    }

    /// Returns a port.
    ///
    /// # Panics
    /// If the node has no such port.
    #[must_use]
    pub fn port(&self, node: NodeId, port: PortId) -> &PortPlan {
        let ports = match node.index().checked_sub(self.adapters.len()) {
            None => &self.adapters[node.index()].ports,
            Some(switch) => &self.switches[switch].ports,
        };
        &ports[port.index()]
    }
}

impl Plan {
    /// Returns the scenario as it was read, with its name, and with settings that stand for others replaced by them.
    #[must_use]
    pub const fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Name of the experiment.
    ///
    /// # Panics
    /// Never: the check gives every scenario a name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.scenario.name.as_deref().expect("the check gives every scenario a name")
    }

    /// Description of the experiment.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.scenario.about
    }

    /// Seed of all random streams without a seed of their own.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.run.seed
    }

    /// Seed of congestion control: of the draws of markers and responses.
    #[must_use]
    pub fn marking_seed(&self) -> u64 {
        self.scenario.seeds.marking.unwrap_or(self.run.seed)
    }

    /// Seed of the paths: of hashes, of drawn tables, and of selectors.
    #[must_use]
    pub fn paths_seed(&self) -> u64 {
        self.scenario.seeds.ecmp.unwrap_or(self.run.seed)
    }

    /// Simulated time; of a run [until it is done](Self::until_done) the longest.
    #[must_use]
    pub const fn duration(&self) -> Span {
        self.run.duration
    }

    /// True if the run ends when all finite traffic is delivered.
    #[must_use]
    pub const fn until_done(&self) -> bool {
        self.run.until_done
    }

    /// Interval of the series over time.
    #[must_use]
    pub const fn sample(&self) -> Span {
        self.run.sample
    }

    /// True if completion times of messages are recorded.
    #[must_use]
    pub const fn keeps_completions(&self) -> bool {
        self.run.keeps_completions
    }

    /// The intervals between declared changes of traffic, in order, from the start of the run to its end.
    #[must_use]
    pub fn phases(&self) -> &[Phase] {
        &self.run.phases
    }

    /// The nodes and the cables between them.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The fabric, for those who keep it longer than the plan.
    #[must_use]
    pub fn shared_graph(&self) -> Arc<Graph> {
        Arc::clone(&self.graph)
    }

    /// Single cables that differ from the topology, by entry of `changed_cables`.
    #[must_use]
    pub fn changed_cables(&self) -> &[ChangedCables] {
        &self.changed_cables
    }

    /// The forwarding tables.
    #[must_use]
    pub const fn routes(&self) -> &Routes {
        &self.routes
    }

    /// A cycle in which packets of the flows could wait for each other, output by output. Only scenarios that allow one
    /// (`dependency_cycles: Allowed`) can have one.
    #[must_use]
    pub fn dependency_cycle(&self) -> Option<&str> {
        self.dependency_cycle.as_deref()
    }

    /// Returns true if packets of a flow may overtake each other, by a selector, entropy or detours. A missing number
    /// is a fault of the simulator only where they may not, and nothing is dropped.
    #[must_use]
    pub const fn packets_may_overtake(&self) -> bool {
        self.packets_may_overtake
    }

    /// Returns the service level of packets from one host to another, for a flow that asks for `asked`.
    #[must_use]
    pub fn service_level(&self, asked: ServiceLevel, from: NodeId, to: NodeId) -> ServiceLevel {
        layers::service_level(&self.routes, asked, from, to)
    }

    /// Returns a kind of cable by its index, [`FarEnd::cable`](topology::FarEnd::cable).
    ///
    /// # Panics
    /// If there is none at this position.
    #[must_use]
    pub fn cable(&self, position: usize) -> &CablePlan {
        &self.cables[position]
    }

    /// Returns true if the longest reaction to a PAUSE is the standard's at the rate of every cable, so that
    /// `link.flow_control: Pause()` has to state none.
    #[must_use]
    pub fn knows_reactions(&self) -> bool {
        self.cables.iter().all(|cable| slowest_reaction(cable.rate).is_some())
    }

    /// Returns the name of a kind of cable by its index.
    ///
    /// # Panics
    /// If there is none at this position.
    #[must_use]
    pub fn cable_name(&self, position: usize) -> &str {
        self.scenario.cables.keys().nth(position).expect("a kind of cable has a name")
    }

    /// The properties that all links share.
    #[must_use]
    pub const fn link(&self) -> &LinkPlan {
        &self.link
    }

    /// Channel adapters and switches with their ports.
    #[must_use]
    pub const fn nodes(&self) -> &NodePlans {
        &self.nodes
    }

    /// Congestion control: its three decisions.
    #[must_use]
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// The policies of the program that checked the scenario, by name.
    #[must_use]
    pub const fn own(&self) -> &OwnPolicies {
        &self.own
    }

    /// The policies of congestion control that are the program's own, so that no other program can repeat the run.
    #[must_use]
    pub fn own_policies(&self) -> Vec<OwnPolicy> {
        self.control.own_policies(&self.own)
    }

    /// The hosts whose adapters do not comply with the congestion control, in the order of their numbers.
    pub fn hosts_that_ignore_control(&self) -> impl Iterator<Item = &str> {
        let hosts = (0..).map(NodeId).zip(&self.nodes.adapters);
        let apart = hosts.filter(|(_, node)| node.settings.congestion_control != Compliance::Comply);
        apart.map(|(node, _)| self.graph.name(node))
    }

    /// Congestion control as the scenario names it; `Guideline` is replaced by its settings.
    #[must_use]
    pub const fn scheme(&self) -> &Scheme {
        &self.scenario.congestion_control
    }

    /// The scheme of congestion control, by its name in the scenario, by the name of its parameters, or by the name of
    /// the program's own response.
    #[must_use]
    pub fn congestion_control(&self) -> &str {
        match self.scheme() {
            Scheme::Off => "Off",
            Scheme::Iba(iba) => iba.name.as_deref().unwrap_or("Iba"),
            Scheme::Guideline => "Guideline",
            Scheme::Hp(_) => "Hp",
            Scheme::Dcqcn(_) => "Dcqcn",
            Scheme::Mixed(Control { response: ResponseSpec::Own(own), .. }) => &own.name,
            Scheme::Mixed(_) => "Mixed",
        }
    }

    /// True if links have InfiniBand's credits: neither PFC nor drops.
    #[must_use]
    pub const fn uses_credits(&self) -> bool {
        matches!(self.link.flow_control, Discipline::Credits(_))
    }

    /// The traffic.
    #[must_use]
    pub const fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The text files that the traffic names, by name. With the scenario written out, they are all that a run needs.
    #[must_use]
    pub const fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// The quantities to record at each sample besides goodput.
    #[must_use]
    pub fn watch(&self) -> &[WatchPlan] {
        &self.watch
    }

    /// The ports and sources to record over time.
    #[must_use]
    pub const fn series(&self) -> &SeriesPlan {
        &self.series
    }

    /// All ports and lanes that can carry data, by node, port and lane.
    pub fn lanes(&self) -> impl Iterator<Item = (NodeId, PortId, Lane)> {
        let ports = (0..self.graph.nodes() as u32)
            .map(NodeId)
            .flat_map(|node| (0..self.graph.ports(node).len() as u16).map(move |port| (node, PortId(port))));
        ports.flat_map(|(node, port)| {
            let lanes = self.nodes.port(node, port).capacity.len() as u8;
            (0..lanes).map(move |lane| (node, port, Lane(lane)))
        })
    }

    /// The digest of everything that a run depends on: of [`resolved`](Self::resolved), and of the name and the text
    /// of each of the [`files`](Self::files). Plans with one digest have the same results in one version of the
    /// simulator.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let files = self.files.iter().flat_map(|(name, text)| [name, text]).map(|text| Digest::of_text(text));
        Digest::combine([Digest::of_text(&self.resolved())].into_iter().chain(files))
    }

    /// The scenario as a file, with its name, every override and every default written out. Reading it gives the same
    /// plan.
    ///
    /// # Panics
    /// Never: a scenario is plain data.
    #[must_use]
    pub fn resolved(&self) -> String {
        let layout = PrettyConfig::new().depth_limit(3).new_line("\n");
        let ron = options().to_string_pretty(&self.scenario, layout).expect("a scenario is plain data");
        format!("// The scenario as it was run, with every default and override written out.\n{ron}\n")
    }
}

/// Returns the intervals between changes of traffic. The first begins with the run; changes at its end or later count
/// for nothing.
pub(crate) fn phases(workload: &Workload, end: Time) -> Vec<Phase> {
    let mut changes = workload.changes();
    changes.retain(|change| change.at < end);
    let mut begins: Vec<(String, Time)> =
        changes.into_iter().map(|change| (change.what, change.at)).collect();
    if begins.first().is_none_or(|(_, at)| *at > Time::ZERO) {
        begins.insert(0, ("start".to_owned(), Time::ZERO));
    }
    let ends = begins.iter().skip(1).map(|(_, at)| *at).chain([end]).collect::<Vec<_>>();
    begins.into_iter().zip(ends).map(|((name, from), to)| Phase::new(name, from, to)).collect()
}
