//! The check of a scenario.
//!
//! Invariant: a fault is printed word for word as the command line prints it. A run that would need more memory than a page should take
//! is refused, with its estimate.

use page::numbers::Numbers;
use results::RunFiles;
use scenario::{Diagnostic, FlowOutput, Plan, Scenario, ScenarioText};
use serde::{Deserialize, Serialize};

use crate::fields::{FieldData, fields};

/// Most memory that a run may be expected to need natively. The page needs up to 4/3 of it: it reads every row of the tables for its own
/// (`fct.csv` of 0.5 million messages: 404 bytes each, natively 305). That is 1 GiB, and 2 GiB for two runs side by side: half of what a
/// laptop of 4 GiB has, and a quarter of what a module of 32 bits can address.
const MOST_BYTES: u64 = 768 << 20;

/// Most flows with a path in a judgement: a picture of more would be a tangle.
const MOST_FLOWS: usize = 64;

/// A scenario with settings, as the page has it.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Name of the file in messages, `NAME` of a shipped scenario or `NAME.ron`.
    pub name: String,
    /// Text of the scenario.
    pub text: String,
    /// Settings, each `PATH=VALUE`.
    pub sets: Vec<String>,
    /// Seed of all random streams; that of the scenario if `None`.
    pub seed: Option<u64>,
}

/// The judgement on a case.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// Faults; none if the scenario can run.
    pub faults: Vec<Fault>,
    /// Facts of the plan.
    pub facts: Option<PlanFacts>,
    /// The graph of the fabric.
    pub graph: Option<GraphData>,
    /// The first named flows, with their paths.
    pub flows: Vec<PathData>,
    /// Fields that controls can change.
    pub fields: Vec<FieldData>,
}

/// A fault.
#[derive(Debug, Serialize)]
pub struct Fault {
    /// The text that the command line prints.
    pub printed: String,
    /// Path of the field; empty if none is at fault.
    pub path: String,
    /// Line, from 1; `None` for a fault of the text as a whole.
    pub line: Option<usize>,
    /// Column, from 1.
    pub column: usize,
    /// Length in characters.
    pub length: usize,
    /// The setting in which the fault stands; `None` if it stands in the text.
    pub setting: Option<String>,
}

/// Facts of a plan.
#[derive(Debug, Serialize)]
pub struct PlanFacts {
    /// Number of hosts.
    pub hosts: usize,
    /// Number of switches.
    pub switches: usize,
    /// Number of flows.
    pub flows: usize,
    /// Simulated time in s; the longest if the run ends when its traffic is delivered.
    pub duration_s: f64,
    /// Congestion control, as the scenario names it.
    pub scheme: String,
    /// Memory that a run needs natively, in bytes: an estimate.
    pub memory_bytes: u64,
    /// Events: an estimate.
    pub events: u64,
    /// Reason why the run is too large for a page.
    pub refusal: Option<String>,
}

/// The graph of a fabric, as the components of the report draw it.
#[derive(Debug, Serialize)]
pub struct GraphData {
    /// Names of all nodes, hosts first.
    pub nodes: Vec<String>,
    /// Number of hosts.
    pub hosts: usize,
    /// Outputs: node, port and peer, in turn.
    pub outputs: Vec<u32>,
}

/// A named flow with its path.
#[derive(Debug, Serialize)]
pub struct PathData {
    /// Name of the flow.
    pub name: String,
    /// Source host of its data.
    pub from: u32,
    /// Destination host of its data.
    pub to: u32,
    /// Outputs by which its data leaves nodes, by their places among [`GraphData::outputs`].
    pub outputs: Vec<u32>,
}

/// Checks a case.
#[must_use]
pub fn check(case: &Case) -> Checked {
    let source = match source(case) {
        Ok(source) => source,
        Err(diagnostic) => {
            return refused(&diagnostic, Vec::new());
        }
    };
    let fields = fields(&source);
    match plan(&source) {
        Ok(plan) => {
            let (facts, graph) = (Some(facts(&plan)), Some(graph(&plan)));
            Checked { faults: Vec::new(), facts, graph, flows: named_flows(&plan), fields }
        }
        Err(diagnostic) => refused(&diagnostic, fields),
    }
}

fn refused(diagnostic: &Diagnostic, fields: Vec<FieldData>) -> Checked {
    Checked { faults: faults(diagnostic), facts: None, graph: None, flows: Vec::new(), fields }
}

/// Returns the plan of a case.
///
/// # Errors
/// If the scenario or a setting has a fault.
pub(crate) fn plan_of(case: &Case) -> Result<Plan, Diagnostic> {
    plan(&source(case)?)
}

fn source(case: &Case) -> Result<ScenarioText, Diagnostic> {
    let mut source = ScenarioText::new(&case.name, &case.text);
    for setting in &case.sets {
        source.set(setting)?;
    }
    if let Some(seed) = case.seed {
        source.set(&format!("seed={seed}"))?;
    }
    Ok(source)
}

fn plan(source: &ScenarioText) -> Result<Plan, Diagnostic> {
    Scenario::read(source)?.check(source)
}

fn faults(diagnostic: &Diagnostic) -> Vec<Fault> {
    let fault = |fault: &scenario::LocatedFault| Fault {
        printed: Diagnostic::from(fault.clone()).to_string(),
        path: fault.path.clone(),
        line: fault.place.as_ref().map(|place| place.line),
        column: fault.place.as_ref().map_or(1, |place| place.column),
        length: fault.place.as_ref().map_or(0, |place| place.width),
        setting: fault.file.strip_prefix("--set ").map(str::to_owned),
    };
    diagnostic.faults().iter().map(fault).collect()
}

fn facts(plan: &Plan) -> PlanFacts {
    PlanFacts {
        hosts: plan.graph().hosts(),
        switches: plan.graph().switches(),
        flows: plan.workload().flows.len(),
        duration_s: plan.duration().seconds(),
        scheme: plan.congestion_control().to_owned(),
        memory_bytes: plan.memory().total().get(),
        events: plan.expected_work().events.iter().sum(),
        refusal: refusal(plan),
    }
}

/// Returns the reason why a plan is too large for a page, with the estimate and the remedy.
pub(crate) fn refusal(plan: &Plan) -> Option<String> {
    let estimate = plan.memory();
    let (_, _, remedy) = estimate.largest();
    let most = MOST_BYTES / 1_000_000;
    (estimate.total().get() > MOST_BYTES).then(|| {
        format!(
            "This scenario needs about {estimate}: more than the {most} MB that a page may take. To run it here, {remedy}. \
             `backwater sim {}` has no such limit.",
            plan.name()
        )
    })
}

/// Returns the graph of a plan.
pub(crate) fn graph(plan: &Plan) -> GraphData {
    let graph = plan.graph();
    let mut outputs = Vec::new();
    for node in graph.host_ids().chain(graph.switch_ids()) {
        for (port, far) in (1..).zip(graph.ports(node)) {
            outputs.extend([node.0, port, far.peer.0]);
        }
    }
    GraphData { nodes: graph.names().map(str::to_owned).collect(), hosts: graph.hosts(), outputs }
}

/// Returns the first named flows with their paths.
fn named_flows(plan: &Plan) -> Vec<PathData> {
    let (all, lanes) = (&plan.workload().flows, plan.lanes().collect::<Vec<_>>());
    let named = all.iter().take_while(|flow| flow.named).take(MOST_FLOWS).count();
    // Outputs of the graph are the ports in their order.
    let output = |at: &FlowOutput| {
        let (node, port, _) = lanes[at.lane as usize];
        plan.graph().position((node, port)) as u32
    };
    let paths = plan.first_flow_paths(named).outputs;
    let path = |own: &[FlowOutput]| {
        let flow = &all[own[0].flow as usize];
        let (from, to) = (flow.source.0, flow.destination.0);
        PathData { name: flow.name.to_string(), from, to, outputs: own.iter().map(output).collect() }
    };
    paths.chunk_by(|one, other| one.flow == other.flow).map(path).collect()
}

/// Returns the data of the report's page, and its numbers.
pub(crate) fn page_data(
    files: &[results::OutputFile],
    manifest: &results::Manifest,
) -> Result<(String, Numbers), String> {
    page::data_of_files(RunFiles::Written(files), manifest).map_err(|error| error.to_string())
}
