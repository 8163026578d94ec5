//! Names of flows, patterns and groups.
//!
//! Invariant: flows and patterns share a set of names, each given once. A group never has the name of a flow. It has
//! the name of a pattern only if the pattern belongs to it.

use std::collections::BTreeMap;

use settings::FieldPath;

use crate::error::{FlowError, NameError, NameOwner, WorkloadError};
use crate::flow::Flow;
use crate::spec::{FlowSpec, Label, Labelled, PatternSpec};
use crate::workload::Group;

/// The names given so far.
pub(super) struct Names {
    known: BTreeMap<String, Owner>,
    /// Every name that the scenario writes: of flows, patterns and groups.
    written: Vec<String>,
    /// The beginnings of names that patterns make, as [`PatternBuilder`](super::builder::PatternBuilder) has them.
    prefixes: Vec<String>,
    /// True if the names of two hosts could be read as the names of two others in the name of a flow.
    ambiguous_hosts: bool,
}

/// The object that has a name.
enum Owner {
    /// A flow, with its place in `flows` if it stands there.
    Flow(Option<FieldPath>),
    /// A pattern, by its place in `traffic`, which belongs to the group of this name.
    Pattern { place: FieldPath, group: String },
}

impl Names {
    /// Starts with no names for the flows and patterns of a scenario. `prefixes` are the beginnings of the names of
    /// flows by pattern.
    pub(super) fn new(
        flows: &[FlowSpec],
        patterns: &[PatternSpec],
        prefixes: Vec<String>,
        hosts: &[&str],
    ) -> Self {
        let labels = flows.iter().map(FlowSpec::label).chain(patterns.iter().map(PatternSpec::label));
        let written = labels.flat_map(|label| [label.name, label.group]).flatten().map(str::to_owned);
        Self {
            known: BTreeMap::new(),
            written: written.collect(),
            prefixes,
            ambiguous_hosts: hosts.iter().any(|host| host.contains("->")),
        }
    }

    /// Adds the flows of the pattern at `place`, which is `patterns[i]`.
    pub(super) fn add_flows(
        &mut self,
        i: usize,
        flows: &[Flow],
        place: &FieldPath,
    ) -> Result<(), WorkloadError> {
        // A pattern of a million flows would otherwise keep a million names.
        if self.differ_by_hosts(i, flows) {
            return Ok(());
        }
        flows.iter().try_for_each(|flow| self.add_flow_of_pattern(&flow.name, place))
    }

    /// Returns true if the names of these flows need no look to be unique. The scenario names none of these flows,
    /// and nothing else has a name that begins as theirs do. No two flows have the same hosts.
    fn differ_by_hosts(&self, i: usize, flows: &[Flow]) -> bool {
        let own = &self.prefixes[i];
        let other =
            |j: usize, prefix: &str| j == i || prefix != own && !below(prefix, own) && !below(own, prefix);
        let hosts = |flow: &Flow| (flow.source, flow.destination);
        !self.ambiguous_hosts
            && self.prefixes.iter().enumerate().all(|(j, prefix)| other(j, prefix))
            && !self.written.iter().any(|name| below(name, own))
            && !flows.iter().any(|flow| flow.named)
            && flows.is_sorted_by(|a, b| hosts(a) < hosts(b))
    }

    /// Adds a flow of `flows` that stands at `place`.
    pub(super) fn add_flow(&mut self, name: &str, place: &FieldPath) -> Result<(), WorkloadError> {
        match self.known.insert(name.to_owned(), Owner::Flow(Some(place.clone()))) {
            None => Ok(()),
            Some(_) => Err(second_flow(name, place)),
        }
    }

    /// Adds a flow of the pattern at `place`.
    fn add_flow_of_pattern(&mut self, name: &str, place: &FieldPath) -> Result<(), WorkloadError> {
        match self.known.insert(name.to_owned(), Owner::Flow(None)) {
            None => Ok(()),
            // The name of a flow of `flows` is written, so it can be changed.
            Some(Owner::Flow(earlier)) => Err(second_flow(name, earlier.as_ref().unwrap_or(place))),
            Some(Owner::Pattern { place, .. }) => Err(taken(name, NameOwner::Flow).below(&place)),
        }
    }

    /// Adds the pattern at `place`, if it has a name.
    pub(super) fn add_pattern(
        &mut self,
        pattern: &PatternSpec,
        place: &FieldPath,
    ) -> Result<(), WorkloadError> {
        let Label { name: Some(name), group } = pattern.label() else { return Ok(()) };
        if name.is_empty() {
            return Err(empty(NameOwner::Pattern).below(place));
        }
        let owner = Owner::Pattern { place: place.clone(), group: group.unwrap_or(name).to_owned() };
        match self.known.insert(name.to_owned(), owner) {
            None => Ok(()),
            Some(Owner::Flow(_)) => Err(taken(name, NameOwner::Flow).below(place)),
            Some(Owner::Pattern { .. }) => Err(taken(name, NameOwner::Pattern).below(place)),
        }
    }

    /// Checks the name of a group, as the field `group` gives it.
    fn check_group(&self, name: &str) -> Result<(), NameError> {
        if name.is_empty() {
            return Err(NameError::Empty { whose: NameOwner::Group });
        }
        let taken = || name.to_owned();
        match self.known.get(name) {
            Some(Owner::Flow(_)) => Err(NameError::Taken { name: taken(), by: NameOwner::Flow }),
            Some(Owner::Pattern { group, .. }) if group != name => {
                Err(NameError::PatternElsewhere { name: taken(), group: group.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// The groups of a scenario, and the group that each flow of `flows` and each pattern belongs to.
pub(super) struct Groups {
    pub(super) all: Vec<Group>,
    pub(super) of_flows: Vec<Option<u32>>,
    pub(super) of_patterns: Vec<Option<u32>>,
}

impl Groups {
    /// Finds the groups; `names` are the names of all flows and patterns.
    pub(super) fn new(
        flows: &[FlowSpec],
        patterns: &[PatternSpec],
        names: &Names,
    ) -> Result<Self, WorkloadError> {
        let mut groups = Self { all: Vec::new(), of_flows: Vec::new(), of_patterns: Vec::new() };
        let mut numbers = BTreeMap::new();
        let mut number = |label: Label<'_>, own: Option<&str>, place: FieldPath| {
            if let Some(written) = label.group {
                names.check_group(written).map_err(|error| WorkloadError::at(place.name("group"), error))?;
            }
            let Some(name) = label.group.or(own) else { return Ok(None) };
            let next = groups.all.len() as u32;
            let number = *numbers.entry(name.to_owned()).or_insert(next);
            if number == next {
                groups.all.push(Group { name: name.to_owned() });
            }
            Ok(Some(number))
        };
        for (i, flow) in flows.iter().enumerate() {
            groups.of_flows.push(number(flow.label(), None, FieldPath::from("flows").index(i))?);
        }
        for (i, pattern) in patterns.iter().enumerate() {
            let place = FieldPath::from("traffic").index(i);
            groups.of_patterns.push(number(pattern.label(), pattern.name(), place)?);
        }
        Ok(groups)
    }
}

/// Returns true if a name begins with this prefix and a colon, as the names of a pattern's flows do.
fn below(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(':'))
}

/// The fault of a flow with the name of another flow.
fn second_flow(name: &str, place: &FieldPath) -> WorkloadError {
    WorkloadError::at("name", FlowError::DuplicateName { name: name.to_owned() }).below(place)
}

/// The fault of a name that `by` has.
fn taken(name: &str, by: NameOwner) -> WorkloadError {
    WorkloadError::at("name", NameError::Taken { name: name.to_owned(), by })
}

fn empty(whose: NameOwner) -> WorkloadError {
    WorkloadError::at("name", NameError::Empty { whose })
}
