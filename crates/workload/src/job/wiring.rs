//! Ranks of jobs on their hosts, and the flows between them.
//!
//! Invariant: links and sinks are in the order of the jobs' flows, so two ranks have theirs side by side.

use packet::NodeId;

use super::host::{HostJobs, Way};
use super::links::{Link, Sink};
use super::placed::Job;

/// The ranks of a host, and the flows that they send to and receive from, by number.
#[derive(Clone, Debug)]
pub struct RanksOfHost {
    /// The host.
    pub host: NodeId,
    /// Its ranks at rest.
    pub jobs: HostJobs,
    /// Flows that leave, in the order of links.
    pub leaving: Vec<u32>,
    /// Flows that come in, in the order of sinks.
    pub coming: Vec<u32>,
}

impl RanksOfHost {
    /// Returns the ranks of each host that has any, by host.
    #[must_use]
    pub fn all(jobs: &[Job]) -> Vec<Self> {
        let placed = |(number, job): (u32, &Job)| {
            let of_rank = move |(rank, host): (u32, &NodeId)| (*host, number, rank);
            (0..).zip(&job.hosts[..job.programs.ranks.len()]).map(of_rank).collect::<Vec<_>>()
        };
        let mut places: Vec<(NodeId, u32, u32)> = (0..).zip(jobs).flat_map(placed).collect();
        places.sort_unstable();
        // By job and rank: place of the host, and rank of the host.
        let mut locals: Vec<Vec<(u32, u32)>> =
            jobs.iter().map(|job| vec![(0, 0); job.programs.ranks.len()]).collect();
        let hosts: Vec<&[(NodeId, u32, u32)]> = places.chunk_by(|one, other| one.0 == other.0).collect();
        for (place, of_host) in (0..).zip(&hosts) {
            for (local, (_, job, rank)) in (0..).zip(*of_host) {
                locals[*job as usize][*rank as usize] = (place, local);
            }
        }
        let mut senders: Vec<Vec<Vec<u32>>> = jobs.iter().map(senders_of).collect();
        let empty = |of_host: &&[(NodeId, u32, u32)]| Self {
            host: of_host[0].0,
            jobs: HostJobs::at_rest(jobs, of_host, &mut senders),
            leaving: Vec::new(),
            coming: Vec::new(),
        };
        let mut all: Vec<Self> = hosts.iter().map(empty).collect();
        for (job, locals) in jobs.iter().zip(&locals) {
            connect(job, locals, &mut all);
        }
        all
    }
}

/// Returns the ranks that send to each rank of a job.
fn senders_of(job: &Job) -> Vec<Vec<u32>> {
    let mut senders = vec![Vec::new(); job.programs.ranks.len()];
    for (from, program) in (0..).zip(&job.programs.ranks) {
        program.receivers().into_iter().for_each(|to| senders[to as usize].push(from));
    }
    senders
}

/// Gives ranks of a job their ways to others. `locals` has the place of the host, and the rank there, by rank.
fn connect(job: &Job, locals: &[(u32, u32)], all: &mut [RanksOfHost]) {
    let mut targets: Vec<Vec<(u32, Way)>> = vec![Vec::new(); locals.len()];
    for (from, program) in job.programs.ranks.iter().enumerate() {
        for to in program.receivers() {
            let (place, local) = locals[to as usize];
            if locals[from].0 == place {
                targets[from].push((to, Way::Local(local)));
            }
        }
    }
    for pair in &*job.pairs {
        let flows = job.flows(pair.from, pair.to).expect("a pair of the job");
        let (from_host, from_local) = locals[pair.from as usize];
        let (to_host, to_local) = locals[pair.to as usize];
        let from = &mut all[from_host as usize];
        targets[pair.from as usize].push((pair.to, Way::Link(from.leaving.len() as u32)));
        from.leaving.extend(flows.clone());
        from.jobs.links.all.extend(flows.clone().map(|_| Link::new(from_local)));
        from.jobs.links.to_come += pair.messages * u64::from(job.runs);
        let to = &mut all[to_host as usize];
        let first = to.coming.len() as u32;
        to.coming.extend(flows.clone());
        to.jobs.sinks.extend(flows.map(|_| Sink::new((to_local, pair.from), first)));
    }
    for ((place, local), mut targets) in locals.iter().zip(targets) {
        targets.sort_unstable_by_key(|(rank, _)| *rank);
        targets.dedup_by_key(|(rank, _)| *rank);
        all[*place as usize].jobs.ranks[*local as usize].targets = targets.into();
    }
}
