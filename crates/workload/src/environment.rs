//! The surroundings that a scenario's traffic is expanded in: hosts, their links, the run's seed and end, files.
//!
//! Invariant: looking a name up either finds it or names the fault; nothing is guessed.

use std::collections::BTreeMap;

use packet::NodeId;
use units::{Rate, Time};

use crate::error::{FileError, HostError};

/// Bits a byte times picoseconds a second: bytes over bits a second, in picoseconds.
const BIT_PS: f64 = 8e12;

/// The surroundings of a scenario's traffic.
#[derive(Clone)]
pub struct Environment<'a> {
    hosts: &'a [&'a str],
    by_name: BTreeMap<&'a str, NodeId>,
    host_rate: &'a dyn Fn(NodeId) -> Rate,
    seed: u64,
    end: Time,
    files: Option<&'a BTreeMap<String, String>>,
}

impl<'a> Environment<'a> {
    /// Creates the environment of an endless run without files. `hosts` are the names of the hosts in the order of
    /// their nodes, `host_rate` is the data rate of a host's link, and `seed` is the run's seed.
    #[must_use]
    pub fn new(hosts: &'a [&'a str], host_rate: &'a dyn Fn(NodeId) -> Rate, seed: u64) -> Self {
        let by_name = hosts.iter().copied().zip((0..).map(NodeId)).collect();
        Self { hosts, by_name, host_rate, seed, end: Time::NEVER, files: None }
    }

    /// Sets the end of the run.
    #[must_use]
    pub fn ending(self, end: Time) -> Self {
        Self { end, ..self }
    }

    /// Adds the files beside the scenario, by name.
    #[must_use]
    pub fn with_files(self, files: &'a BTreeMap<String, String>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// Names of the hosts, in the order of their nodes.
    pub(crate) const fn hosts(&self) -> &'a [&'a str] {
        self.hosts
    }

    /// Nodes of the hosts, in order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..).map(NodeId).take(self.hosts.len())
    }

    pub(crate) fn host(&self, name: &str) -> Result<NodeId, HostError> {
        self.by_name.get(name).copied().ok_or_else(|| HostError::Unknown { given: name.to_owned() })
    }

    pub(crate) fn name(&self, host: NodeId) -> &'a str {
        self.hosts[host.index()]
    }

    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) const fn end(&self) -> Time {
        self.end
    }

    /// Text of a file beside the scenario.
    pub(crate) fn file(&self, name: &str) -> Result<&'a str, FileError> {
        let given = || name.to_owned();
        if name.contains(['/', '\\']) || !name.ends_with(".txt") {
            return Err(FileError::Name { given: given() });
        }
        let found = self.files.and_then(|files| files.get(name));
        found.map(String::as_str).ok_or_else(|| FileError::Missing { given: given() })
    }

    /// Mean time between two messages of a host, in ps: `bytes / (load * rate)`.
    pub(crate) fn mean_interval(&self, host: NodeId, mean_bytes: f64, load: f64) -> f64 {
        mean_bytes * BIT_PS / (load * self.rate(host))
    }

    /// Payload in bytes that a host's link carries in `ps` picoseconds.
    pub(crate) fn carried(&self, host: NodeId, ps: f64) -> f64 {
        ps * self.rate(host) / BIT_PS
    }

    /// Data rate of a host's link, in bit/s.
    fn rate(&self, host: NodeId) -> f64 {
        let rate = (self.host_rate)(host).get();
        assert!(rate > 0, "the link of host {} has no data rate", self.name(host));
        rate as f64
    }
}

/// Returns whether `pattern` means a host: its name, or the beginning of its name followed by `*`.
pub(crate) fn matches(pattern: &str, host: &str) -> bool {
    pattern.strip_suffix('*').map_or(host == pattern, |beginning| host.starts_with(beginning))
}
