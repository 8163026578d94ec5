//! Ports and sources that are recorded over time (`series`).
//!
//! Invariant: each name and pattern selects at least one object; an object that several select is recorded once.

use std::collections::BTreeSet;

use packet::{FlowId, NodeId, PortId};
use settings::{FieldPath, glob};
use topology::Graph;
use workload::Flow;

use super::selected;
use crate::format::Scenario;
use crate::series::{PauseLogPlan, PortSeriesPlan, SeriesPlan, SourceSeriesPlan};
use crate::text::Faults;
use settings::nearest;

/// Finds all that is to be recorded.
pub(super) fn resolve(
    scenario: &Scenario,
    (graph, flows): (&Graph, &[Flow]),
    faults: &mut Faults<'_>,
) -> SeriesPlan {
    let (spec, path) = (&scenario.series, FieldPath::from("series"));
    SeriesPlan {
        ports: PortSeriesPlan {
            named: ports(&path.name("ports"), &spec.ports, graph, faults),
            busiest: spec.busiest_ports as usize,
            longest_queues: spec.longest_queues as usize,
        },
        sources: SourceSeriesPlan {
            named: sources(&path.name("sources"), &spec.sources, (graph, flows), faults),
            busiest: spec.busiest_sources as usize,
        },
        pauses: PauseLogPlan {
            ports: ports(&path.name("pauses"), &spec.pauses, graph, faults),
            kept: spec.pauses_kept as usize,
        },
    }
}

/// Returns the ports that texts select, in order, each once.
fn ports(
    path: &FieldPath,
    texts: &[String],
    graph: &Graph,
    faults: &mut Faults<'_>,
) -> Vec<(NodeId, PortId)> {
    let each = texts.iter().enumerate();
    let mut found: Vec<_> =
        each.flat_map(|(i, text)| selected::ports(&path.index(i), text, graph, faults)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the flows that texts select by their names or their source hosts, in order, each once.
fn sources(
    path: &FieldPath,
    texts: &[String],
    (graph, flows): (&Graph, &[Flow]),
    faults: &mut Faults<'_>,
) -> Vec<FlowId> {
    let mut found = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let is_meant =
            |flow: &Flow| glob::matches(text, &flow.name) || glob::matches(text, graph.name(flow.source));
        let before = found.len();
        let meant = (0..).map(FlowId).zip(flows).filter(|(_, flow)| is_meant(flow));
        found.extend(meant.map(|(number, _)| number));
        if found.len() == before {
            let named = flows.iter().filter(|flow| flow.named).map(|flow| &*flow.name);
            let sources = flows.iter().map(|flow| graph.name(flow.source));
            let known: BTreeSet<&str> = named.chain(sources).collect();
            let help = nearest::help(text, known, "named flows and hosts that send");
            faults.add(&path.index(i), format!("no flow has the name or the source host `{text}`"), help);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
