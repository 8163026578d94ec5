//! Expansion of traffic as written to a workload.
//!
//! Invariant: flows and patterns are expanded in the order of the file; the first fault is reported.
//!
//! | module | expands |
//! |---|---|
//! | `builder` | the parts that all patterns share: names, streams, drawn flows |
//! | `simple` | permutation, incast, Poisson |
//! | `converge` | flows from several hosts to one, at once or in sessions |
//! | `hot_spot` | uniform traffic with hot spots |
//! | `synthetic` | rules for destinations, arrivals and sizes |
//! | `flow_list` | flows from a file |

mod builder;
mod converge;
mod flow_list;
mod hot_spot;
mod simple;
mod synthetic;

use std::collections::BTreeMap;

use settings::FieldPath;

use crate::environment::Environment;
use crate::error::{FlowError, HostError, WorkloadError};
use crate::flow::{Flow, ListedMessage};
use crate::run::HostTraffic;
use crate::spec::{FlowSpec, PatternSpec};
use crate::workload::Workload;
use builder::PatternBuilder;

impl Workload {
    /// Builds the workload that these flows and patterns describe.
    ///
    /// # Errors
    /// If a field or a file is wrong, with its path in the scenario.
    pub fn build(
        flows: &[FlowSpec],
        patterns: &[PatternSpec],
        environment: &Environment<'_>,
    ) -> Result<Self, WorkloadError> {
        let (mut all, mut unnamed, mut host_traffic) = (Vec::new(), Vec::new(), Vec::new());
        // Names of flows, with their place in `flows` if they stand there.
        let mut known: BTreeMap<String, Option<FieldPath>> = BTreeMap::new();
        for (i, spec) in flows.iter().enumerate() {
            let place = FieldPath::from("flows").index(i);
            let flow = spec.resolve(environment).map_err(|error| error.below(&place))?;
            if known.insert(flow.name.clone(), Some(place.clone())).is_some() {
                return Err(duplicate(flow.name, &place));
            }
            all.push(flow);
        }
        for i in 0..patterns.len() {
            let place = FieldPath::from("traffic").index(i);
            let more = expand(patterns, i, environment, &mut host_traffic);
            for flow in more.map_err(|error| error.below(&place))? {
                match known.insert(flow.name.clone(), None) {
                    Some(earlier) => return Err(duplicate(flow.name, &earlier.unwrap_or(place))),
                    None => (if flow.named { &mut all } else { &mut unnamed }).push(flow),
                }
            }
        }
        all.append(&mut unnamed);
        let declared = patterns.iter().flat_map(|pattern| match pattern {
            PatternSpec::HotSpot(hot_spot) => hot_spot.changes(),
            PatternSpec::Permutation { .. }
            | PatternSpec::Poisson { .. }
            | PatternSpec::Incast { .. }
            | PatternSpec::Synthetic(_)
            | PatternSpec::FlowList(_)
            | PatternSpec::Converge(_)
            | PatternSpec::Sessions(_) => Vec::new(),
        });
        Ok(Self { flows: all, declared: declared.collect(), host_traffic })
    }
}

/// Returns the flows of `patterns[i]`, by source and then by destination. Traffic that its hosts draw during the run is
/// added to `host_traffic`.
fn expand(
    patterns: &[PatternSpec],
    i: usize,
    environment: &Environment<'_>,
    host_traffic: &mut Vec<HostTraffic>,
) -> Result<Vec<Flow>, WorkloadError> {
    let hosts = environment.hosts().len();
    if hosts < 2 {
        return Err(WorkloadError::whole(HostError::TooFew { hosts }));
    }
    let builder = PatternBuilder::new(patterns, i, environment);
    match &patterns[i] {
        PatternSpec::Permutation { at, bytes } => {
            builder.permutation(ListedMessage { at: *at, bytes: *bytes })
        }
        PatternSpec::Poisson { from, until, message, load } => {
            builder.poisson((*from, *until), *message, *load, host_traffic)
        }
        PatternSpec::Incast { at, to, senders, bytes } => {
            builder.incast(to, *senders, ListedMessage { at: *at, bytes: *bytes })
        }
        PatternSpec::Synthetic(spec) => builder.synthetic(spec, host_traffic),
        PatternSpec::FlowList(spec) => builder.flow_list(spec),
        PatternSpec::Converge(spec) => builder.converge(spec),
        PatternSpec::Sessions(spec) => builder.sessions(spec),
        PatternSpec::HotSpot(spec) => builder.hot_spot(spec, host_traffic),
    }
}

/// The fault of a flow at `place` whose name is taken.
fn duplicate(name: String, place: &FieldPath) -> WorkloadError {
    WorkloadError::at("name", FlowError::DuplicateName { name }).below(place)
}
