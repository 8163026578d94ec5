//! Hosts of a job's ranks, by the rule of the scenario.
//!
//! Invariant: without a rule the list of hosts gives the order; with one, hosts are a set in the order of the topology.

use std::collections::BTreeMap;

use packet::NodeId;

use crate::environment::Environment;
use crate::error::{
    FileError, FileFault, HostError, InField, InFile, JobError, RankLineFault, WorkloadError,
};
use crate::job::placement::{HostsByLeaf, Placement, PlacementSeed};
use crate::spec::{JobSpec, PlaceSpec};

/// Places of a job's ranks.
pub(super) enum Places {
    /// The host of each rank; there may be more hosts than ranks, but no fewer.
    InOrder(Vec<NodeId>),
    /// The host of each rank, and no others.
    Exactly(Vec<NodeId>),
    /// Hosts by leaf switch, and a rule.
    Ruled { leaves: Vec<Vec<u32>>, rule: PlaceSpec },
}

/// Looks up the hosts of a job.
pub(super) fn places(spec: &JobSpec, environment: &Environment<'_>) -> Result<Places, WorkloadError> {
    let Some(rule) = &spec.place else {
        return Ok(Places::InOrder(spec.hosts.in_order("hosts", environment)?));
    };
    let allowed = spec.hosts.resolve("hosts", environment)?;
    let listed = match rule {
        PlaceSpec::Listed(hosts) => hosts.in_order("place", environment)?,
        PlaceSpec::File(file) => from_file(file, environment)?,
        _ => return Ok(Places::Ruled { leaves: leaves(&allowed, environment), rule: rule.clone() }),
    };
    if let Some((rank, host)) = listed.iter().enumerate().find(|(_, host)| !allowed.contains(host)) {
        let host = environment.name(*host).to_owned();
        return Err(JobError::ForeignHost { rank, host }).in_field("place");
    }
    Ok(Places::Exactly(listed))
}

impl Places {
    /// Returns the number of ranks that the places are for, if programs do not say.
    pub(super) fn ranks(&self) -> u32 {
        let ranks = match self {
            Self::InOrder(hosts) | Self::Exactly(hosts) => hosts.len(),
            Self::Ruled { leaves, rule } => {
                let hosts: usize = leaves.iter().map(Vec::len).sum();
                match rule {
                    PlaceSpec::OnePerLeaf => leaves.len(),
                    PlaceSpec::Block { per_host } | PlaceSpec::RandomBlock { per_host } => {
                        hosts.saturating_mul(*per_host as usize)
                    }
                    _ => hosts,
                }
            }
        };
        u32::try_from(ranks).unwrap_or(u32::MAX)
    }

    /// Returns the host of each rank.
    pub(super) fn hosts(
        self,
        ranks: u32,
        spec: &JobSpec,
        environment: &Environment<'_>,
    ) -> Result<Vec<NodeId>, WorkloadError> {
        let (leaves, rule) = match self {
            Self::InOrder(hosts) if hosts.len() < ranks as usize => {
                let error = JobError::TooFewHosts { ranks: ranks as usize, hosts: hosts.len() };
                return Err(error).in_field("hosts");
            }
            Self::Exactly(hosts) if hosts.len() != ranks as usize => {
                let error = JobError::ListLength { ranks: ranks as usize, listed: hosts.len() };
                return Err(error).in_field("place");
            }
            Self::InOrder(hosts) | Self::Exactly(hosts) => return Ok(hosts),
            Self::Ruled { leaves, rule } => (leaves, rule),
        };
        let hosts: usize = leaves.iter().map(Vec::len).sum();
        let placement = match rule {
            PlaceSpec::Block { per_host } => Placement::Block { per_host },
            PlaceSpec::Cyclic => {
                Placement::Cyclic { per_host: (ranks as usize).div_ceil(hosts).max(1) as u32 }
            }
            PlaceSpec::Striped { stride } => Placement::Striped { stride },
            PlaceSpec::OnePerLeaf => Placement::OnePerLeaf,
            PlaceSpec::Random => Placement::Random { per_host: 1 },
            PlaceSpec::RandomBlock { per_host } => Placement::Random { per_host },
            PlaceSpec::Listed(_) | PlaceSpec::File(_) => unreachable!("lists have no rule"),
        };
        let seed = PlacementSeed { seed: environment.seed(), job: &spec.name };
        let placed = placement.place(ranks, HostsByLeaf { leaves: &leaves }, seed);
        let placed = placed.map_err(JobError::Placement).in_field("place")?;
        Ok(placed.into_iter().map(NodeId).collect())
    }
}

/// Groups hosts by their switch, in the order of the first host of each.
fn leaves(hosts: &[NodeId], environment: &Environment<'_>) -> Vec<Vec<u32>> {
    let mut leaves: Vec<(NodeId, Vec<u32>)> = Vec::new();
    let mut place = BTreeMap::new();
    for host in hosts {
        let switch = environment.switch(*host);
        let at = *place.entry(switch).or_insert(leaves.len());
        if at == leaves.len() {
            leaves.push((switch, Vec::new()));
        }
        leaves[at].1.push(host.0);
    }
    leaves.into_iter().map(|(_, hosts)| hosts).collect()
}

/// Reads the host of each rank from a file.
fn from_file(file: &str, environment: &Environment<'_>) -> Result<Vec<NodeId>, WorkloadError> {
    let text = environment.file(file).in_field("place")?;
    let content = |line: &str| line.split('#').next().unwrap_or_default().trim().len();
    let ranks = text.lines().filter(|line| content(line) > 0).count();
    if ranks == 0 {
        return Err(HostError::Nobody).in_field("place");
    }
    let mut hosts: Vec<Option<NodeId>> = vec![None; ranks];
    let (mut offset, mut next, mut are_numbered) = (0, 0, None);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = offset + line.len() - line.trim_start().len();
        offset += line.len();
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let fault = |fault: RankLineFault| {
            let column = line.len() - line.trim_start().len() + 1;
            let at = start..start + content.len();
            let fault = FileFault::Ranks(fault);
            let found = InFile { file: file.to_owned(), line: number + 1, column, at, fault };
            WorkloadError::at("place", FileError::from(Box::new(found)))
        };
        let (rank, name) = ranked(content).map_err(fault)?;
        if *are_numbered.get_or_insert(rank.is_some()) != rank.is_some() {
            return Err(fault(RankLineFault::Mixed));
        }
        let rank = rank.unwrap_or(next);
        next += 1;
        let Some(place) = hosts.get_mut(rank as usize) else {
            return Err(fault(RankLineFault::TooHigh { rank, ranks }));
        };
        let unknown = |_| fault(RankLineFault::Unknown { name: name.to_owned() });
        if place.replace(environment.host(name).map_err(unknown)?).is_some() {
            return Err(fault(RankLineFault::Twice { rank }));
        }
    }
    // As many different ranks as there are lines, all below their number.
    Ok(hosts.into_iter().flatten().collect())
}

/// Splits a line into the rank, if it is named, and the host.
fn ranked(line: &str) -> Result<(Option<u32>, &str), RankLineFault> {
    let Some(rest) = line.strip_prefix("rank ") else {
        return match line.split_once(char::is_whitespace) {
            None => Ok((None, line)),
            Some(_) => Err(RankLineFault::Form),
        };
    };
    let (rank, host) = rest.split_once('=').ok_or(RankLineFault::Form)?;
    let rank = rank.trim().parse().map_err(|_| RankLineFault::Form)?;
    let mut words = host.split_whitespace();
    let host = words.next().ok_or(RankLineFault::Form)?;
    if words.any(|word| !word.starts_with("slot")) {
        return Err(RankLineFault::Form);
    }
    Ok((Some(rank), host))
}
