//! From traffic as written to a workload, with every check on the way.
//!
//! Invariant: fields are checked flow by flow and pattern by pattern, in the order of the file; the
//! first fault is the one reported.

use std::collections::BTreeMap;

use packet::{NodeId, ServiceLevel};
use units::{Bytes, Rate, Time};

use crate::error::{WorkloadError, WorkloadErrorKind as Kind};
use crate::flow::{Flow, ListedMessage, MessageSchedule, Posting, Workload};
use crate::spec::{FlowSpec, Load, PatternSpec};
use crate::{LONGEST_MESSAGE, MAX_LISTED, pattern};

/// What a scenario's traffic meets.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The hosts, in the order of their nodes.
    pub hosts: &'a [&'a str],
    /// The data rate of a host's link.
    pub host_rate: &'a dyn Fn(NodeId) -> Rate,
    /// The run's seed.
    pub seed: u64,
    /// When the run ends.
    pub end: Time,
    /// The files that patterns name, by name.
    pub files: &'a BTreeMap<String, String>,
}

impl Workload {
    /// The workload that these flows and patterns describe, in a run without an end or files. `hosts` names
    /// the hosts in the order of their nodes, `host_rate` is the data rate of a host's link, and `seed` is the run's.
    ///
    /// # Errors
    /// If a field is wrong, with its path in the scenario.
    pub fn build(
        flows: &[FlowSpec],
        patterns: &[PatternSpec],
        hosts: &[&str],
        host_rate: &dyn Fn(NodeId) -> Rate,
        seed: u64,
    ) -> Result<Self, WorkloadError> {
        let files = &BTreeMap::new();
        Self::in_setting(flows, patterns, Setting { hosts, host_rate, seed, end: Time::NEVER, files })
    }

    /// The workload that these flows and patterns describe.
    ///
    /// # Errors
    /// If a field or a file is wrong, with its path in the scenario.
    pub fn in_setting(
        flows: &[FlowSpec],
        patterns: &[PatternSpec],
        setting: Setting<'_>,
    ) -> Result<Self, WorkloadError> {
        let site = Site::new(setting);
        let mut host_traffic = Vec::new();
        let mut known = BTreeMap::new();
        let (mut all, mut unnamed) = (Vec::new(), Vec::new());
        for (i, spec) in flows.iter().enumerate() {
            all.push(spec.flow(&site).map_err(|(field, kind)| at_flow(i, field, kind))?);
            if known.insert(spec.name.clone(), Some(i)).is_some() {
                return Err(duplicate(i, &spec.name));
            }
        }
        for i in 0..patterns.len() {
            if let PatternSpec::HotSpot(hot_spot) = &patterns[i] {
                let at = |(field, kind)| WorkloadError::new(format!("traffic[{i}].{field}"), kind);
                hot_spot.check_windows(&site).map_err(at)?;
            }
            let more = pattern::flows(patterns, i, &site, &mut host_traffic).map_err(|(field, kind)| {
                let dot = if field.is_empty() { "" } else { "." };
                WorkloadError::new(format!("traffic[{i}]{dot}{field}"), kind)
            })?;
            for flow in more {
                match known.insert(flow.name.clone(), None) {
                    Some(Some(i)) => return Err(duplicate(i, &flow.name)),
                    Some(None) => {
                        let kind = Kind::DuplicateFlow { name: flow.name };
                        return Err(WorkloadError::new(format!("traffic[{i}].name"), kind));
                    }
                    None => (if flow.named { &mut all } else { &mut unnamed }).push(flow),
                }
            }
        }
        all.append(&mut unnamed);
        let declared = patterns.iter().flat_map(|pattern| match pattern {
            PatternSpec::HotSpot(hot_spot) => hot_spot.changes(),
            _ => Vec::new(),
        });
        Ok(Self { flows: all, declared: declared.collect(), host_traffic })
    }
}

impl FlowSpec {
    pub(crate) fn flow(&self, site: &Site<'_>) -> Result<Flow, Fault> {
        if self.name.is_empty() {
            return Err(("name", Kind::EmptyName));
        }
        let source = site.host(&self.from).map_err(|kind| ("from", kind))?;
        let destination = site.host(&self.to).map_err(|kind| ("to", kind))?;
        if source == destination {
            return Err(("to", Kind::FlowToItself { name: self.to.clone() }));
        }
        if let Some(stop) = self.stop {
            check_period(self.start, stop).map_err(|kind| ("stop", kind))?;
        }
        if self.service_level > ServiceLevel(15) {
            return Err(("service_level", Kind::ServiceLevel { given: self.service_level.0 }));
        }
        if !self.operation.is_carried_by(self.transport) {
            let (transport, operation) = (self.transport, self.operation);
            return Err(("operation", Kind::NotCarried { transport, operation }));
        }
        check_message(self.message).map_err(|kind| ("message", kind))?;
        Ok(Flow {
            name: self.name.clone(),
            named: true,
            group: None,
            source,
            destination,
            service_level: self.service_level,
            transport: self.transport,
            operation: self.operation,
            posting: Posting::Scheduled(self.schedule()?),
        })
    }

    fn schedule(&self) -> Result<MessageSchedule, Fault> {
        let (message, start, stop) = (self.message, self.start, self.stop.unwrap_or(Time::NEVER));
        match self.load {
            Load::Saturate { outstanding: 0 } => Err(("load.outstanding", Kind::Outstanding)),
            Load::Saturate { outstanding } => {
                Ok(MessageSchedule::Saturate { outstanding, message, start, stop })
            }
            Load::Paced(rate) if rate == Rate::bps(0) => Err(("load", Kind::ZeroRate)),
            Load::Paced(rate) => Ok(MessageSchedule::Paced { message, rate, start, stop }),
            Load::Messages(_) if self.stop.is_some() => Err(("stop", Kind::StopWithMessages)),
            Load::Messages(0) => Err(("load", Kind::NoMessages)),
            Load::Messages(n) if u64::from(n) > MAX_LISTED => {
                Err(("load", Kind::TooManyMessages { expected: n.into(), most: MAX_LISTED }))
            }
            Load::Messages(n) => Ok(MessageSchedule::Listed(
                vec![ListedMessage { at: start, bytes: message }; n as usize].into(),
            )),
        }
    }
}

/// What is wrong with a flow or a pattern, and in which of its fields; no field if in the whole.
pub(crate) type Fault = (&'static str, Kind);

/// What flows and patterns are built against.
pub(crate) struct Site<'a> {
    pub(crate) hosts: &'a [&'a str],
    by_name: BTreeMap<&'a str, NodeId>,
    pub(crate) host_rate: &'a dyn Fn(NodeId) -> Rate,
    pub(crate) seed: u64,
    pub(crate) end: Time,
    files: &'a BTreeMap<String, String>,
}

impl<'a> Site<'a> {
    fn new(setting: Setting<'a>) -> Self {
        let Setting { hosts, host_rate, seed, end, files } = setting;
        let by_name = hosts.iter().copied().zip((0..).map(NodeId)).collect();
        Self { hosts, by_name, host_rate, seed, end, files }
    }

    /// The text of a file beside the scenario.
    pub(crate) fn file(&self, name: &str) -> Result<&'a str, Kind> {
        let given = || name.to_owned();
        if name.contains(['/', '\\']) || !name.ends_with(".txt") {
            return Err(Kind::FileName { given: given() });
        }
        self.files.get(name).map(String::as_str).ok_or_else(|| Kind::NoSuchFile { given: given() })
    }

    pub(crate) fn host(&self, name: &str) -> Result<NodeId, Kind> {
        self.by_name.get(name).copied().ok_or_else(|| Kind::UnknownHost { given: name.to_owned() })
    }

    pub(crate) fn name(&self, host: NodeId) -> &str {
        self.hosts[host.index()]
    }
}

pub(crate) fn check_message(given: Bytes) -> Result<(), Kind> {
    if given == Bytes::ZERO || given > LONGEST_MESSAGE { Err(Kind::MessageSize { given }) } else { Ok(()) }
}

pub(crate) fn check_period(start: Time, stop: Time) -> Result<(), Kind> {
    if stop <= start { Err(Kind::StopBeforeStart { start, stop }) } else { Ok(()) }
}

fn at_flow(i: usize, field: &str, kind: Kind) -> WorkloadError {
    WorkloadError::new(format!("flows[{i}].{field}"), kind)
}

fn duplicate(i: usize, name: &str) -> WorkloadError {
    at_flow(i, "name", Kind::DuplicateFlow { name: name.to_owned() })
}
