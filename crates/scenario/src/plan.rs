//! A checked scenario: all that a run needs to know.
//!
//! Invariant: only [`Scenario::check`] makes a plan, so whoever holds one need not check anything again.

use std::collections::BTreeMap;

use link_layer::flow_control::credits::BLOCK;
use link_layer::flow_control::pause::PAUSE_FRAME;
use link_layer::spec::{CableSpec, Discipline, LinkSpec, PauseSpec};
use link_layer::{Headroom, LaneMemory, MemoryPool, MemorySharing, PauseLoop, SharedMemory};
use packet::{Lane, NodeId, PortId, ServiceLevel};
use ron::ser::PrettyConfig;
use telemetry::Phase;
use topology::{Graph, Routes};
use units::{Bytes, Span, Time};
use workload::Workload;

use ca_transport::spec::AdapterSpec;
use cc_policies::{Control, Scheme};
use switch_arch::spec::{Forwarding, SwitchSpec};

use crate::cycles;
use crate::format::parse::options;
use crate::format::{Completions, Scenario, WatchSpec};

/// A scenario that has been checked, and what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// As written, with its name and every default filled in.
    scenario: Scenario,
    name: String,
    cables: Vec<CableSpec>,
    control: Control,
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
        control: Control,
        graph: Graph,
        routes: Routes,
        (workload, files): (Workload, BTreeMap<String, String>),
    ) -> Self {
        let name = scenario.name.get_or_insert_with(|| stem.to_owned()).clone();
        let cables = scenario.cables.values().cloned().collect();
        let phases = phases(&workload, scenario.duration.after_start());
        Self { scenario, name, cables, control, graph, routes, workload, files, phases }
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

    /// A cycle in which packets of the flows could wait for each other, output by output: only where the scenario
    /// allows one (`dependency_cycles: Allowed`).
    #[must_use]
    pub fn dependency_cycle(&self) -> Option<String> {
        cycles::cycle(&self.scenario, &self.graph, &self.routes, &self.workload.flows)
    }

    /// The service level of what one host sends to the other for a flow that asks for `asked`.
    #[must_use]
    pub fn service_level(&self, asked: ServiceLevel, from: NodeId, to: NodeId) -> ServiceLevel {
        cycles::service_level(&self.routes, asked, from, to)
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

    /// Returns the memory that all ports and lanes of a switch share, which is as large as their buffers together.
    #[must_use]
    pub fn memory_sharing_of(&self, node: NodeId) -> MemorySharing {
        match (self.shared_memory_of(node), self.pool_of(node)) {
            (Some(memory), _) => MemorySharing::Blocks(memory),
            (None, Some(pool)) => MemorySharing::Bytes(pool),
            (None, None) => MemorySharing::Own,
        }
    }

    /// The memory that all ports and lanes of a switch share under credits, if they do: as large as their buffers
    /// together.
    #[must_use]
    pub fn shared_memory_of(&self, node: NodeId) -> Option<SharedMemory> {
        if !matches!(self.link().flow_control, Discipline::Credits(_)) {
            return None;
        }
        shared_memory(self.switch_of(node), self.graph.ports(node).len(), self.link().data_lanes)
    }

    /// The same under PFC, or without flow control: what is left beside headroom.
    #[must_use]
    pub fn pool_of(&self, node: NodeId) -> Option<MemoryPool> {
        pool(&self.scenario, &self.graph, node)
    }

    /// What each lane of a port may hold under PFC, or without flow control, and what it may take in beyond that.
    #[must_use]
    pub fn pause_memory_of(&self, node: NodeId, port: PortId) -> Vec<LaneMemory> {
        let headroom = headroom(&self.scenario, &self.graph, node, port);
        let most = if self.graph.is_host(node) { None } else { self.pool_of(node).map(|pool| pool.most()) };
        let lanes = (0..self.link().data_lanes).map(Lane);
        let limit = |lane: Lane| {
            most.unwrap_or_else(|| {
                let size = if self.graph.is_host(node) {
                    self.adapter_of(node).receive_buffer
                } else {
                    self.switch_of(node).buffer_of(port, lane)
                };
                (size - headroom).get()
            })
        };
        let memory = |lane| LaneMemory { limit: limit(lane) as u32, headroom: headroom.get() as u32 };
        lanes.map(memory).collect()
    }

    /// A channel adapter's own settings, or those of all adapters.
    #[must_use]
    pub fn adapter_of(&self, node: NodeId) -> &AdapterSpec {
        self.scenario.adapters.get(self.graph.name(node)).unwrap_or(&self.scenario.adapter)
    }

    /// Returns the decisions of the congestion control.
    #[must_use]
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// Returns the congestion control as the scenario names it; `Guideline` is replaced by its settings.
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
            Scheme::Guideline => "Guideline",
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

/// The same to the byte.
pub(crate) fn memory_in_bytes(spec: &SwitchSpec, ports: u16, lanes: u8) -> Bytes {
    let buffers = (0..ports).flat_map(|port| (0..lanes).map(move |lane| (PortId(port), Lane(lane))));
    buffers.map(|(port, lane)| spec.buffer_of(port, lane)).sum()
}

/// The headroom of each lane of a port: as written, or what can still come in by its cable once it has asked for a
/// pause. None without PFC.
///
/// A receiver acts on a packet once its header is there and it is routed, or, if it does not cut through, once its tail
/// is: so much later a PAUSE is sent than in reality, where what comes in is counted byte by byte.
pub(crate) fn headroom(scenario: &Scenario, graph: &Graph, node: NodeId, port: PortId) -> Bytes {
    let Discipline::Pause(pause) = &scenario.link.flow_control else { return Bytes::ZERO };
    pause.headroom.unwrap_or_else(|| {
        let cables: Vec<_> = scenario.cables.values().collect();
        computed_headroom(scenario, graph, node, cables[graph.ports(node)[port.index()].cable], pause)
    })
}

fn computed_headroom(
    scenario: &Scenario,
    graph: &Graph,
    node: NodeId,
    cable: &CableSpec,
    pause: &PauseSpec,
) -> Bytes {
    let (link, rate) = (&scenario.link, cable.data_rate());
    let on_the_wire = link.longest_packet() + link.framing.around();
    let (latency, cuts_through) = if graph.is_host(node) {
        (Span::ZERO, false)
    } else {
        let spec = scenario.switches.get(graph.name(node)).unwrap_or(&scenario.switch);
        (spec.latency, spec.forwarding == Forwarding::CutThrough)
    };
    let lead = if cuts_through { link.framing.route_header() } else { on_the_wire };
    let pause_loop = PauseLoop {
        rate,
        flight: cable.time_of_flight(),
        longest_frame: on_the_wire,
        // Other lanes may have begun to ask at the same time.
        pause_frame: Bytes::new(PAUSE_FRAME.get() * u64::from(link.data_lanes)),
        reaction: pause.reaction + latency + rate.time_for(lead),
    };
    Headroom::of(pause_loop).total()
}

/// The memory that the ports and lanes of a switch share under PFC, or without flow control, if they do. What is
/// guaranteed has been checked.
pub(crate) fn pool(scenario: &Scenario, graph: &Graph, node: NodeId) -> Option<MemoryPool> {
    let spec = scenario.switches.get(graph.name(node)).unwrap_or(&scenario.switch);
    let (ports, lanes) = (graph.ports(node).len() as u16, scenario.link.data_lanes);
    let guaranteed = spec.sharing.guaranteed()?;
    if matches!(scenario.link.flow_control, Discipline::Credits(_)) {
        return None;
    }
    let headroom: Bytes = (0..ports).map(|port| headroom(scenario, graph, node, PortId(port))).sum();
    let reserved = (headroom.get() + u64::from(ports) * guaranteed.get()) * u64::from(lanes);
    let receivers = usize::from(ports) * usize::from(lanes);
    let shared = memory_in_bytes(spec, ports, lanes).get() - reserved;
    Some(MemoryPool::new(receivers, shared, guaranteed.get() as u32, spec.sharing.alpha()))
}

/// The memory that the ports and lanes of a switch share under credits, if they do. What is guaranteed has been checked.
pub(crate) fn shared_memory(spec: &SwitchSpec, ports: usize, lanes: u8) -> Option<SharedMemory> {
    let guaranteed = (spec.sharing.guaranteed()?.get() / BLOCK) as u16;
    let receivers = ports * usize::from(lanes);
    Some(SharedMemory::new(receivers, memory(spec, ports, lanes), guaranteed, spec.sharing.alpha()))
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
