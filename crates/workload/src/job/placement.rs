//! Placements: the host of each rank of a job.
//!
//! A placement is a pure function of the hosts that a job may use, grouped by leaf switch in the order of the topology.
//! Names follow Slurm's `--distribution` and Open MPI's `--map-by`.
//!
//! Invariant: equal arguments give equal hosts. Random placement draws from a stream of the job's name alone, so that
//! other jobs, patterns and settings do not shift it.

use std::collections::BTreeSet;

use event_kernel::stream;
use rand::seq::SliceRandom;

/// A placement of ranks on hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Rank r on host r / `per_host`, in the order of the topology: Slurm's `block`.
    Block {
        /// Ranks of a host.
        per_host: u32,
    },
    /// Rank r on host r mod the number of hosts: Slurm's `cyclic`.
    Cyclic {
        /// Most ranks of a host.
        per_host: u32,
    },
    /// A rank on hosts 0, s, 2 s, .., then 1, 1 + s, .., for a stride s. With the hosts of a leaf as stride,
    /// consecutive ranks are on different leaves.
    Striped {
        /// Distance between the hosts of consecutive ranks.
        stride: u32,
    },
    /// Rank r on the first host of leaf r.
    OnePerLeaf,
    /// As `Block`, on hosts in random order.
    Random {
        /// Ranks of a host.
        per_host: u32,
    },
    /// The host of each rank; a host may have several ranks.
    Listed(Vec<u32>),
}

/// Hosts that a job may use.
#[derive(Clone, Copy, Debug)]
pub struct HostsByLeaf<'a> {
    /// Numbers of hosts by leaf switch, in the order of the topology; a host is named once.
    pub leaves: &'a [Vec<u32>],
}

/// Source of random placements.
#[derive(Clone, Copy, Debug)]
pub struct PlacementSeed<'a> {
    /// Seed of the run.
    pub seed: u64,
    /// Name of the job.
    pub job: &'a str,
}

/// A placement that the hosts do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// More ranks than places.
    #[error("{ranks} ranks at {per_host} a host need {needed} hosts, and the job has {hosts}")]
    TooFewHosts {
        /// Number of ranks.
        ranks: u32,
        /// Most ranks of a host.
        per_host: u32,
        /// Hosts that the ranks need.
        needed: u32,
        /// Hosts that the job may use.
        hosts: usize,
    },
    /// More ranks than leaves.
    #[error("{ranks} ranks need a leaf each: hosts of this job are on {}", on_leaves(*leaves))]
    TooFewLeaves {
        /// Number of ranks.
        ranks: u32,
        /// Leaves with a host that the job may use.
        leaves: usize,
    },
    /// A number of ranks a host, or a stride, of 0.
    #[error("`{field}` cannot be 0: 1 is the least")]
    Zero {
        /// Name of the field.
        field: &'static str,
    },
    /// A stride past all hosts.
    #[error("a stride of {stride} leads past {hosts} hosts: it must be less")]
    LongStride {
        /// The stride.
        stride: u32,
        /// Hosts that the job may use.
        hosts: usize,
    },
    /// A list of another length than the job.
    #[error("{listed} hosts are listed for {ranks} ranks: list the host of each rank")]
    ListLength {
        /// Hosts in the list.
        listed: usize,
        /// Number of ranks.
        ranks: u32,
    },
    /// A listed host that the job may not use.
    #[error("host {host} of rank {rank} is none of the {hosts} hosts of this job")]
    ForeignHost {
        /// The rank.
        rank: u32,
        /// Number of its host.
        host: u32,
        /// Hosts that the job may use.
        hosts: usize,
    },
}

impl Placement {
    /// Returns the host of each rank.
    ///
    /// # Errors
    ///
    /// There are too few hosts or leaves, a field is 0 or too large, or a list does not fit the job.
    pub fn place(
        &self,
        ranks: u32,
        hosts: HostsByLeaf<'_>,
        seed: PlacementSeed<'_>,
    ) -> Result<Vec<u32>, PlacementError> {
        let all: Vec<u32> = hosts.leaves.iter().flatten().copied().collect();
        match self {
            Self::Block { per_host } => {
                enough(ranks, *per_host, all.len())?;
                Ok((0..ranks).map(|rank| all[(rank / per_host) as usize]).collect())
            }
            Self::Cyclic { per_host } => {
                enough(ranks, *per_host, all.len())?;
                Ok((0..ranks as usize).map(|rank| all[rank % all.len()]).collect())
            }
            Self::Striped { stride } => striped(ranks, *stride, &all),
            Self::OnePerLeaf => {
                let first: Vec<u32> = hosts.leaves.iter().filter_map(|leaf| leaf.first().copied()).collect();
                if first.len() < ranks as usize {
                    return Err(PlacementError::TooFewLeaves { ranks, leaves: first.len() });
                }
                Ok(first[..ranks as usize].to_vec())
            }
            Self::Random { per_host } => {
                enough(ranks, *per_host, all.len())?;
                let mut shuffled = all;
                shuffled.shuffle(&mut stream(seed.seed, "placement", seed.job));
                Ok((0..ranks).map(|rank| shuffled[(rank / per_host) as usize]).collect())
            }
            Self::Listed(listed) => self::listed(ranks, listed, &all),
        }
    }
}

fn enough(ranks: u32, per_host: u32, hosts: usize) -> Result<(), PlacementError> {
    if per_host == 0 {
        return Err(PlacementError::Zero { field: "per_host" });
    }
    let needed = ranks.div_ceil(per_host);
    if needed as usize > hosts {
        return Err(PlacementError::TooFewHosts { ranks, per_host, needed, hosts });
    }
    Ok(())
}

fn striped(ranks: u32, stride: u32, all: &[u32]) -> Result<Vec<u32>, PlacementError> {
    enough(ranks, 1, all.len())?;
    if stride == 0 {
        return Err(PlacementError::Zero { field: "stride" });
    }
    if stride > 1 && stride as usize >= all.len() {
        return Err(PlacementError::LongStride { stride, hosts: all.len() });
    }
    let places = (0..stride as usize).flat_map(|start| (start..all.len()).step_by(stride as usize));
    Ok(places.take(ranks as usize).map(|place| all[place]).collect())
}

fn listed(ranks: u32, listed: &[u32], all: &[u32]) -> Result<Vec<u32>, PlacementError> {
    if listed.len() != ranks as usize {
        return Err(PlacementError::ListLength { listed: listed.len(), ranks });
    }
    let allowed: BTreeSet<u32> = all.iter().copied().collect();
    if let Some((host, rank)) = listed.iter().zip(0..).find(|(host, _)| !allowed.contains(host)) {
        return Err(PlacementError::ForeignHost { rank, host: *host, hosts: all.len() });
    }
    Ok(listed.to_vec())
}

fn on_leaves(leaves: usize) -> String {
    if leaves == 1 { "a single leaf".to_owned() } else { format!("{leaves} leaves") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: PlacementSeed<'_> = PlacementSeed { seed: 1, job: "A" };

    /// Leaves of 4, 4 and 2 hosts, from host 10 on.
    fn leaves() -> Vec<Vec<u32>> {
        vec![(10..14).collect(), (14..18).collect(), vec![18, 19]]
    }

    fn place(placement: &Placement, ranks: u32) -> Result<Vec<u32>, PlacementError> {
        placement.place(ranks, HostsByLeaf { leaves: &leaves() }, SEED)
    }

    #[test]
    fn ranks_have_their_hosts() {
        let hosts = |placement: Placement, ranks| place(&placement, ranks).unwrap();
        assert_eq!(hosts(Placement::Block { per_host: 1 }, 5), [10, 11, 12, 13, 14]);
        assert_eq!(hosts(Placement::Block { per_host: 2 }, 5), [10, 10, 11, 11, 12]);
        assert_eq!(
            hosts(Placement::Cyclic { per_host: 2 }, 12),
            [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 10, 11]
        );
        assert_eq!(
            hosts(Placement::Striped { stride: 4 }, 10),
            [10, 14, 18, 11, 15, 19, 12, 16, 13, 17],
            "leaf after leaf"
        );
        assert_eq!(hosts(Placement::Striped { stride: 1 }, 3), [10, 11, 12]);
        assert_eq!(hosts(Placement::OnePerLeaf, 3), [10, 14, 18]);
        assert_eq!(hosts(Placement::Listed(vec![19, 10, 19]), 3), [19, 10, 19]);
    }

    /// The draw depends on seed and job, takes each host once, and differs from the order of the topology.
    #[test]
    fn random_hosts_come_from_seed_and_name() {
        let hosts = |seed, job| {
            let seed = PlacementSeed { seed, job };
            Placement::Random { per_host: 1 }.place(10, HostsByLeaf { leaves: &leaves() }, seed).unwrap()
        };
        let first = hosts(1, "A");
        assert_eq!(first, hosts(1, "A"));
        assert_ne!(first, hosts(1, "B"));
        assert_ne!(first, hosts(2, "A"));
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, (10..20).collect::<Vec<_>>());
        let mut twice = place(&Placement::Random { per_host: 2 }, 20).unwrap();
        twice.sort_unstable();
        assert_eq!(twice, (20..40).map(|host| host / 2).collect::<Vec<_>>());
    }

    /// Each host is first about as often as any other: chi-squared with 9 degrees of freedom passes 39.3 once in
    /// 100,000.
    #[test]
    fn random_hosts_are_uniform() {
        let mut first = [0_u32; 10];
        for seed in 0..2000 {
            let seed = PlacementSeed { seed, job: "A" };
            let hosts = Placement::Random { per_host: 1 }.place(1, HostsByLeaf { leaves: &leaves() }, seed);
            first[hosts.unwrap()[0] as usize - 10] += 1;
        }
        let chi_squared: f64 = first.iter().map(|n| (f64::from(*n) - 200.0).powi(2) / 200.0).sum();
        assert!(chi_squared < 39.3, "{chi_squared}");
    }

    #[test]
    fn refusals_name_their_numbers() {
        let cases = [
            (Placement::Block { per_host: 2 }, 21),
            (Placement::Cyclic { per_host: 0 }, 4),
            (Placement::Random { per_host: 1 }, 11),
            (Placement::Striped { stride: 0 }, 4),
            (Placement::Striped { stride: 10 }, 4),
            (Placement::OnePerLeaf, 4),
            (Placement::Listed(vec![10, 11]), 3),
            (Placement::Listed(vec![10, 9]), 2),
        ];
        let messages = cases.map(|(placement, ranks)| place(&placement, ranks).unwrap_err().to_string());
        insta::assert_snapshot!(messages.join("\n"), @"
        21 ranks at 2 a host need 11 hosts, and the job has 10
        `per_host` cannot be 0: 1 is the least
        11 ranks at 1 a host need 11 hosts, and the job has 10
        `stride` cannot be 0: 1 is the least
        a stride of 10 leads past 10 hosts: it must be less
        4 ranks need a leaf each: hosts of this job are on 3 leaves
        2 hosts are listed for 3 ranks: list the host of each rank
        host 9 of rank 1 is none of the 10 hosts of this job
        ");
    }
}
