//! The surroundings that a scenario's traffic is expanded in: hosts, their links, the run's seed and end, files.
//!
//! Invariant: looking a name up either finds it or names the fault; nothing is guessed.

use std::collections::BTreeMap;

use names::file::stays_below;
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
    switches: Option<&'a [NodeId]>,
}

impl<'a> Environment<'a> {
    /// Creates the environment of an endless run without files. `hosts` are the names of the hosts in the order of
    /// their nodes. `host_rate` is the data rate of a host's link, and `seed` is the run's seed.
    #[must_use]
    pub fn new(hosts: &'a [&'a str], host_rate: &'a dyn Fn(NodeId) -> Rate, seed: u64) -> Self {
        let by_name = hosts.iter().copied().zip((0..).map(NodeId)).collect();
        Self { hosts, by_name, host_rate, seed, end: Time::NEVER, files: None, switches: None }
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

    /// Sets the switch that each host is attached to, in the order of hosts. Without it, all hosts are attached to
    /// the same switch.
    #[must_use]
    pub fn attached_to(self, switches: &'a [NodeId]) -> Self {
        Self { switches: Some(switches), ..self }
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

    /// Switch that a host is attached to.
    pub(crate) fn switch(&self, host: NodeId) -> NodeId {
        self.switches.map_or(NodeId(u32::MAX), |switches| switches[host.index()])
    }

    /// Hosts that follow a host in order, going on from the first after the last.
    pub(crate) fn after(&self, host: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        let hosts = self.hosts.len() as u32;
        (host.0 + 1..hosts).chain(0..host.0).map(NodeId)
    }

    /// Hosts that are attached to another switch than a host, in the order of [`after`](Self::after).
    pub(crate) fn in_other_racks(&self, host: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.after(host).filter(move |other| self.switch(*other) != self.switch(host))
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
        if !stays_below(name) {
            return Err(FileError::Name { given: given() });
        }
        let found = self.files.and_then(|files| files.get(name));
        found.map(String::as_str).ok_or_else(|| FileError::Missing { given: given() })
    }

    /// Mean time between two messages of a host, in ps: `bytes / (load * rate)`.
    pub(crate) fn mean_interval(&self, host: NodeId, mean_bytes: f64, load: f64) -> f64 {
        mean_bytes * BIT_PS / (load * self.rate(host))
    }

    /// Mean time in ps between two events that each bring `bytes` to one of these hosts. Their links together are
    /// used for this share.
    pub(crate) fn mean_interval_of(&self, hosts: &[NodeId], bytes: f64, load: f64) -> f64 {
        let rate: f64 = hosts.iter().map(|host| self.rate(*host)).sum();
        bytes * BIT_PS / (load * rate)
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
