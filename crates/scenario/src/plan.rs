//! A checked scenario: all that a run needs to know.
//!
//! Invariant: only [`Scenario::check`] makes a plan, so whoever holds one need not check anything again.

use std::collections::BTreeMap;

use link_layer::SharedMemory;
use link_layer::credits::BLOCK;
use link_layer::spec::{CableSpec, LinkSpec};
use packet::{Lane, NodeId, PortId, ServiceLevel};
use ron::ser::PrettyConfig;
use telemetry::Phase;
use topology::{Graph, Routes};
use units::{Span, Time};
use workload::Workload;

use ca_transport::spec::AdapterSpec;
use cc_policies::spec::Scheme;
use switch_arch::spec::SwitchSpec;

use crate::read::options;
use crate::spec::{Completions, Scenario, WatchSpec};

/// A scenario that has been checked, and what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// As written, with its name and every default filled in.
    scenario: Scenario,
    name: String,
    cables: Vec<CableSpec>,
    graph: Graph,
    routes: Routes,
    workload: Workload,
    files: BTreeMap<String, String>,
    phases: Vec<Phase>,
}

impl Plan {
    /// Of a scenario that has been checked, and the graph, routes and workload that follow from it.
    pub(crate) fn new(
        mut scenario: Scenario,
        stem: &str,
        graph: Graph,
        routes: Routes,
        (workload, files): (Workload, BTreeMap<String, String>),
    ) -> Self {
        let name = scenario.name.get_or_insert_with(|| stem.to_owned()).clone();
        let cables = scenario.cables.values().cloned().collect();
        let phases = phases(&workload, scenario.duration.after_start());
        Self { scenario, name, cables, graph, routes, workload, files, phases }
    }

    /// What the experiment is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the experiment shows.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.scenario.about
    }

    /// Seed of all random streams.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.scenario.seed
    }

    /// How long it is simulated.
    #[must_use]
    pub fn duration(&self) -> Span {
        self.scenario.duration
    }

    /// Interval of the series over time.
    #[must_use]
    pub fn sample(&self) -> Span {
        self.scenario.sample
    }

    /// Who is cabled to whom.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Which port leads to which host.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// The service level of what one host sends to the other for a flow that asks for `asked`.
    #[must_use]
    pub fn service_level(&self, asked: ServiceLevel, from: NodeId, to: NodeId) -> ServiceLevel {
        service_level(&self.routes, asked, from, to)
    }

    /// A kind of cable, by its place as an [`End`](topology::End) of the graph gives it.
    ///
    /// # Panics
    /// If there is none at this place.
    #[must_use]
    pub fn cable(&self, place: usize) -> &CableSpec {
        &self.cables[place]
    }

    /// What all links have in common.
    #[must_use]
    pub fn link(&self) -> &LinkSpec {
        &self.scenario.link
    }

    /// A switch's own settings, or those of all switches.
    #[must_use]
    pub fn switch_of(&self, node: NodeId) -> &SwitchSpec {
        self.scenario.switches.get(self.graph.name(node)).unwrap_or(&self.scenario.switch)
    }

    /// The memory that all ports and lanes of a switch share, if they do: as large as their buffers together.
    #[must_use]
    pub fn shared_memory_of(&self, node: NodeId) -> Option<SharedMemory> {
        shared_memory(self.switch_of(node), self.graph.ports(node).len(), self.link().data_lanes)
    }

    /// A channel adapter's own settings, or those of all adapters.
    #[must_use]
    pub fn adapter_of(&self, node: NodeId) -> &AdapterSpec {
        self.scenario.adapters.get(self.graph.name(node)).unwrap_or(&self.scenario.adapter)
    }

    /// Congestion control.
    #[must_use]
    pub fn scheme(&self) -> &Scheme {
        &self.scenario.congestion_control
    }

    /// The scheme of congestion control in the scenario's own word.
    #[must_use]
    pub fn congestion_control(&self) -> &'static str {
        match self.scheme() {
            Scheme::Off => "Off",
            Scheme::Iba(_) => "Iba",
            Scheme::Guideline => unreachable!("a plan has the settings that a guideline stands for"),
            Scheme::Hp(_) => "Hp",
            Scheme::Dcqcn(_) => "Dcqcn",
            Scheme::Mixed(_) => "Mixed",
        }
    }

    /// What is written down at each sample besides goodput.
    #[must_use]
    pub fn watch(&self) -> &[WatchSpec] {
        &self.scenario.watch
    }

    /// Who sends what to whom, when.
    #[must_use]
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The files that its traffic names, by name: beside the scenario written out, it can be run again.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// Whether completion times of messages are kept.
    #[must_use]
    pub fn keeps_completions(&self) -> bool {
        self.scenario.completions == Completions::Kept
    }

    /// The stretches between declared changes of traffic, in order, from the start of the run to its end.
    #[must_use]
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// The scenario as a file, with its name, every override and every default written out. Reading it
    /// gives the same plan.
    ///
    /// # Panics
    /// Never: a plan is plain data.
    #[must_use]
    pub fn resolved(&self) -> String {
        let layout = PrettyConfig::new().depth_limit(3).new_line("\n");
        let ron = options().to_string_pretty(&self.scenario, layout).expect("a scenario is plain data");
        format!("// The scenario as it was run, with every default and override written out.\n{ron}\n")
    }
}

/// The memory of a switch with so many ports and lanes, in blocks of credit. Each buffer counts in whole blocks, so
/// that it is the same memory where each port and lane has its own.
pub(crate) fn memory(spec: &SwitchSpec, ports: usize, lanes: u8) -> u32 {
    let lanes = || (0..lanes).map(Lane);
    let buffers = (0..ports as u16).map(PortId).flat_map(|port| lanes().map(move |lane| (port, lane)));
    buffers.map(|(port, lane)| (spec.buffer_of(port, lane).get() / BLOCK) as u32).sum()
}

/// The memory that the ports and lanes of a switch share, if they do. What is guaranteed has been checked.
pub(crate) fn shared_memory(spec: &SwitchSpec, ports: usize, lanes: u8) -> Option<SharedMemory> {
    let guaranteed = (spec.sharing.guaranteed()?.get() / BLOCK) as u16;
    let receivers = ports * usize::from(lanes);
    Some(SharedMemory::new(receivers, memory(spec, ports, lanes), guaranteed, spec.sharing.alpha()))
}

/// The service level of what one host sends to another: where the routing has L layers, the flow's own levels
/// 0, 1, ... stand for L levels each, one a layer. With one layer it is the flow's own.
///
/// This is what a path record says in IBA (`PathRecord:SL`), and how OpenSM's torus-2QoS uses it.
pub(crate) fn service_level(routes: &Routes, asked: ServiceLevel, from: NodeId, to: NodeId) -> ServiceLevel {
    let level = u32::from(asked.0) * routes.layers() + routes.layer(from, to);
    ServiceLevel(u8::try_from(level).expect("levels have been checked"))
}

/// The stretches between changes: the first begins with the run; changes at or after its end are none.
fn phases(workload: &Workload, end: Time) -> Vec<Phase> {
    let mut changes = workload.changes();
    changes.retain(|change| change.at < end);
    let mut begins: Vec<(String, Time)> =
        changes.into_iter().map(|change| (change.what, change.at)).collect();
    if begins.first().is_none_or(|(_, at)| *at > Time::ZERO) {
        begins.insert(0, ("start".to_owned(), Time::ZERO));
    }
    let ends = begins.iter().skip(1).map(|(_, at)| *at).chain([end]).collect::<Vec<_>>();
    begins.into_iter().zip(ends).map(|((name, from), to)| Phase { name, from, to }).collect()
}
