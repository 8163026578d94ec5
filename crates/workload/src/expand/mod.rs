//! Expansion of traffic as written to a workload.
//!
//! Invariant: flows and patterns are expanded in the order of the file; the first fault is reported.
//!
//! | module | expands |
//! |---|---|
//! | `builder` | the parts that all patterns share: names, streams, drawn flows |
//! | `names` | names of flows and patterns, and their groups |
//! | `simple` | permutation, Poisson |
//! | `incast` | incasts, once or repeated |
//! | `converge` | flows from several hosts to a receiver, at once or in sessions |
//! | `hot_spot` | uniform traffic with hot spots |
//! | `synthetic` | rules for destinations, arrivals and sizes |
//! | `flow_list` | flows from a file |
//! | `places` | hosts of a job's ranks |
//! | `programs` | programs of a job's ranks |
//! | `jobs` | ranks on hosts, and the flows between them |

mod builder;
mod converge;
mod flow_list;
mod hot_spot;
mod incast;
mod jobs;
mod names;
mod places;
mod programs;
mod simple;
mod synthetic;

use settings::FieldPath;
use units::{Bytes, Time};

use crate::change::TrafficChange;
use crate::draw::SizeDistribution;
use crate::environment::Environment;
use crate::error::{HostError, WorkloadError};
use crate::finite::FiniteTraffic;
use crate::flow::Flow;
use crate::run::HostTraffic;
use crate::spec::{FlowSpec, PatternSpec, check};
use crate::workload::{Pattern, Workload};
use builder::PatternBuilder;
use names::{Groups, Names};

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
        let prefixes = (0..patterns.len()).map(|i| PatternBuilder::new(patterns, i, environment).prefix);
        let mut names = Names::new(flows, patterns, prefixes.collect(), environment.hosts());
        for (i, spec) in flows.iter().enumerate() {
            let place = FieldPath::from("flows").index(i);
            let flow = spec.resolve(environment).map_err(|error| error.below(&place))?;
            names.add_flow(&flow.name, &place)?;
            all.push(flow);
        }
        for (i, pattern) in patterns.iter().enumerate() {
            names.add_pattern(pattern, &FieldPath::from("traffic").index(i))?;
        }
        // The names of all patterns are known by now, so a flow's name is checked against each of them.
        let mut described = Vec::new();
        for i in 0..patterns.len() {
            let place = FieldPath::from("traffic").index(i);
            let more = expand(patterns, i, environment, &mut host_traffic);
            let more = more.map_err(|error| error.below(&place))?;
            described.push(pattern(patterns, i, &more, environment).map_err(|error| error.below(&place))?);
            names.add_flows(i, &more, &place)?;
            for flow in more {
                let flow = Flow { pattern: Some(i as u32), ..flow };
                (if flow.named { &mut all } else { &mut unnamed }).push(flow);
            }
        }
        all.append(&mut unnamed);
        let groups = Groups::new(flows, patterns, &names)?;
        for (i, flow) in all.iter_mut().enumerate() {
            flow.group = flow.pattern.map_or_else(|| groups.of_flows[i], |i| groups.of_patterns[i as usize]);
        }
        let finite = FiniteTraffic::of(&all, &host_traffic, environment.end(), |flow| {
            flow.pattern.map_or_else(|| flow.posting.stop(), |i| described[i as usize].stop)
        });
        Ok(Self {
            flows: all,
            groups: groups.all,
            patterns: described,
            declared: declared(patterns),
            host_traffic,
            finite,
            jobs: Vec::new(),
        })
    }
}

/// Describes `patterns[i]`, which makes these flows.
fn pattern(
    patterns: &[PatternSpec],
    i: usize,
    flows: &[Flow],
    environment: &Environment<'_>,
) -> Result<Pattern, WorkloadError> {
    let spec = &patterns[i];
    let PatternBuilder { prefix, carriage, .. } = PatternBuilder::new(patterns, i, environment);
    let first = || flows.iter().map(|flow| flow.posting.start()).min().unwrap_or(Time::NEVER);
    Ok(Pattern {
        name: spec.name().map(str::to_owned),
        label: prefix,
        carriage,
        longest: longest(spec, flows, environment)?,
        start: spec.start().map_or_else(first, |(_, start)| start),
        stop: spec.stop(),
        origin: if let PatternSpec::FlowList(list) = spec { Some(list.origin) } else { None },
    })
}

/// Returns the payload of the longest message that a pattern can post.
fn longest(
    pattern: &PatternSpec,
    flows: &[Flow],
    environment: &Environment<'_>,
) -> Result<Bytes, WorkloadError> {
    Ok(match pattern {
        PatternSpec::Permutation(spec) => spec.bytes,
        PatternSpec::Incast(spec) => spec.bytes,
        PatternSpec::Poisson(spec) => spec.message,
        PatternSpec::HotSpot(spec) => spec.message,
        PatternSpec::Converge(spec) => spec.message,
        PatternSpec::Sessions(spec) => spec.message,
        PatternSpec::Synthetic(spec) => SizeDistribution::new(&spec.size, environment)?.longest(),
        // Each flow of a list is a single message.
        PatternSpec::FlowList(_) => {
            flows.iter().filter_map(|flow| flow.posting.total()).max().unwrap_or_default()
        }
    })
}

/// Returns the changes that patterns declare besides their own start and stop.
fn declared(patterns: &[PatternSpec]) -> Vec<TrafficChange> {
    let of_pattern = |pattern: &PatternSpec| match pattern {
        PatternSpec::HotSpot(hot_spot) => hot_spot.changes(),
        PatternSpec::Permutation(_)
        | PatternSpec::Poisson(_)
        | PatternSpec::Incast(_)
        | PatternSpec::Synthetic(_)
        | PatternSpec::FlowList(_)
        | PatternSpec::Converge(_)
        | PatternSpec::Sessions(_) => Vec::new(),
    };
    patterns.iter().flat_map(of_pattern).collect()
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
    check::carriage(builder.carriage)?;
    match &patterns[i] {
        PatternSpec::Permutation(spec) => builder.permutation(spec),
        PatternSpec::Poisson(spec) => builder.poisson(spec, host_traffic),
        PatternSpec::Incast(spec) => builder.incast(spec),
        PatternSpec::Synthetic(spec) => builder.synthetic(spec, host_traffic),
        PatternSpec::FlowList(spec) => builder.flow_list(spec),
        PatternSpec::Converge(spec) => builder.converge(spec),
        PatternSpec::Sessions(spec) => builder.sessions(spec),
        PatternSpec::HotSpot(spec) => builder.hot_spot(spec, host_traffic),
    }
}
