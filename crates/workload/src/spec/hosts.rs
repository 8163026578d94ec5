//! Hosts of the topology, as traffic names them.
//!
//! Invariant: a set of hosts is in the order of the topology, names each host once, and is never empty: a name that
//! means no host is an error.

use core::fmt::{self, Formatter};
use std::sync::Arc;

use packet::NodeId;
use schemars::JsonSchema;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use settings::{FieldPath, glob};

use crate::environment::Environment;
use crate::error::{HostError, SyntheticError, WorkloadError};

/// The hosts that send and receive in a pattern, in the order of the topology.
pub(crate) struct Parties {
    pub(crate) senders: Vec<NodeId>,
    pub(crate) receivers: Vec<NodeId>,
}

impl Parties {
    /// Looks up the hosts of the fields `senders` and `receivers`.
    pub(crate) fn resolve(
        senders: &HostsSpec,
        receivers: &HostsSpec,
        environment: &Environment<'_>,
    ) -> Result<Self, WorkloadError> {
        let senders = senders.resolve("senders", environment)?;
        Ok(Self { senders, receivers: receivers.resolve("receivers", environment)? })
    }

    /// The numbers of the hosts that receive.
    pub(crate) fn receivers(&self) -> Arc<[u32]> {
        self.receivers.iter().map(|host| host.0).collect()
    }

    /// Checks that there is a receiver for each sender.
    pub(crate) fn check_places(&self) -> Result<(), SyntheticError> {
        let (senders, receivers) = (self.senders.len(), self.receivers.len());
        if senders > receivers { Err(SyntheticError::TooFewReceivers { senders, receivers }) } else { Ok(()) }
    }
}

/// Between the first and the last host of a range.
const RANGE: &str = "..";

/// Hosts: a name, or a list of names. A name may hold `*` for any text and `?` for any one character; `h1..h16` means
/// `h1`, `h16`, and all between them in the order of the topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HostsSpec {
    /// `"h1*"`: one name.
    One(String),
    /// `["h1*", "h20"]`: all hosts that any of these means.
    Several(Vec<String>),
}

impl HostsSpec {
    /// Every host.
    #[must_use]
    pub fn all() -> Self {
        Self::One("*".to_owned())
    }

    /// Returns true unless this is the plain name of a host.
    pub(super) fn may_be_several(&self) -> bool {
        !matches!(self.names(), [one] if !one.contains(['*', '?']) && !one.contains(".."))
    }

    /// Returns true if a name without wildcards means this host.
    pub(crate) fn names_exactly(&self, host: &str) -> bool {
        self.names().iter().any(|name| name == host)
    }

    fn names(&self) -> &[String] {
        match self {
            Self::One(name) => core::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }

    /// Looks the hosts up; `field` is the field that holds them.
    pub(crate) fn resolve(
        &self,
        field: &str,
        environment: &Environment<'_>,
    ) -> Result<Vec<NodeId>, WorkloadError> {
        for (i, name) in self.names().iter().enumerate() {
            found(name, environment.hosts()).map_err(|error| {
                let field = FieldPath::from(field);
                let place = if matches!(self, Self::One(_)) { field } else { field.index(i) };
                WorkloadError::at(place, error)
            })?;
        }
        let meant = self.among(environment.hosts());
        let hosts: Vec<NodeId> = environment.nodes().filter(|host| meant[host.index()]).collect();
        if hosts.is_empty() { Err(WorkloadError::at(field, HostError::Nobody)) } else { Ok(hosts) }
    }

    /// Looks the hosts up in the order of the list, each as often as the list names it.
    pub(crate) fn in_order(
        &self,
        field: &str,
        environment: &Environment<'_>,
    ) -> Result<Vec<NodeId>, WorkloadError> {
        let mut all = Vec::new();
        for name in self.names() {
            let hosts = found(name, environment.hosts());
            let hosts = hosts.map_err(|error| WorkloadError::at(field, error))?;
            all.extend(hosts.into_iter().map(|host| NodeId(host as u32)));
        }
        Ok(all)
    }

    /// Returns for each of all `hosts` whether it is meant. Names that mean none are left out.
    pub(crate) fn among(&self, hosts: &[&str]) -> Vec<bool> {
        let mut meant = vec![false; hosts.len()];
        for name in self.names() {
            found(name, hosts).into_iter().flatten().for_each(|host| meant[host] = true);
        }
        meant
    }
}

/// Returns the places among all `hosts` that a name means; never none.
fn found(name: &str, hosts: &[&str]) -> Result<Vec<usize>, HostError> {
    let place = |name: &str| {
        let place = hosts.iter().position(|host| *host == name);
        place.ok_or_else(|| HostError::Unknown { given: name.to_owned() })
    };
    // A host may have a name with `..`, `*` or `?`: its name means that host alone.
    if let Ok(host) = place(name) {
        return Ok(vec![host]);
    }
    if let Some((first, last)) = name.split_once(RANGE) {
        let (first, last) = (place(first)?, place(last)?);
        if first > last {
            return Err(HostError::RangeReversed { given: name.to_owned() });
        }
        return Ok((first..=last).collect());
    }
    let found: Vec<usize> = (0..hosts.len()).filter(|host| glob::matches(name, hosts[*host])).collect();
    if found.is_empty() { Err(HostError::NoneMatches { given: name.to_owned() }) } else { Ok(found) }
}

impl Default for HostsSpec {
    fn default() -> Self {
        Self::all()
    }
}

impl<'de> Deserialize<'de> for HostsSpec {
    /// Reads a text or a list. The derived reader of untagged types would not say at which place a value is wrong.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrList;
        impl<'de> Visitor<'de> for TextOrList {
            type Value = HostsSpec;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "the names of hosts: \"h1\", \"h1*\", \"h1..h16\", or a list such as [\"h1*\", \"h20\"]",
                )
            }

            fn visit_str<E>(self, name: &str) -> Result<HostsSpec, E> {
                Ok(HostsSpec::One(name.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<HostsSpec, A::Error> {
                let mut all = Vec::new();
                while let Some(name) = names.next_element()? {
                    all.push(name);
                }
                Ok(HostsSpec::Several(all))
            }
        }
        deserializer.deserialize_any(TextOrList)
    }
}
