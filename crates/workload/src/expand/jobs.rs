//! Jobs: ranks are placed on hosts, and get flows to the ranks that they send to.
//!
//! Invariant: the flows of jobs follow all others, so a job changes no number of a flow that it does not own. A job
//! draws from streams of its own name.

use event_kernel::stream;
use packet::{FlowName, Operation, TransportService};
use rand::Rng;
use settings::FieldPath;
use units::{Bytes, Span, Time};

use super::check;
use super::places;
use super::programs::{Written, check_rendezvous, written};
use crate::chance::unit;
use crate::environment::Environment;
use crate::error::{InField, JobError, WorkloadError};
use crate::flow::{Flow, Posting};
use crate::job::rendezvous::WirePart;
use crate::job::{Job, JobPair, LocalLink, MOST_TAGS, Noise, Pace, Placed, Timing, WHOLE};
use crate::limits::{LONGEST_MESSAGE, MAX_FLOWS};
use crate::spec::{BarrierSpec, JobSpec, LocalSpec, NoiseSpec, SharedHosts};
use crate::workload::{Group, Workload};

/// Most queue pairs from a rank to another, as in NCCL.
const MOST_QUEUE_PAIRS: u32 = 128;

impl Workload {
    /// Adds jobs to the workload.
    ///
    /// # Errors
    /// If a field or a file is wrong, with its path in the scenario.
    pub fn with_jobs(
        mut self,
        jobs: &[JobSpec],
        environment: &Environment<'_>,
    ) -> Result<Self, WorkloadError> {
        for (i, spec) in jobs.iter().enumerate() {
            let place = FieldPath::from("jobs").index(i);
            self.add_job(spec, environment).map_err(|error| error.below(&place))?;
        }
        self.check_shared(jobs, environment)?;
        Ok(self)
    }

    fn add_job(&mut self, spec: &JobSpec, environment: &Environment<'_>) -> Result<(), WorkloadError> {
        self.check_name(&spec.name).in_field("name")?;
        check::service_level(spec.service_level).in_field("service_level")?;
        check_fields(spec)?;
        let places = places::places(spec, environment)?;
        let Written { programs, collective } = written(spec, &places, environment)?;
        let ranks = programs.ranks.len() as u32;
        let hosts = places.hosts(ranks, spec, environment)?;
        let timing = timing(spec, ranks, environment)?;
        let mut job = Job::new(Placed {
            name: spec.name.clone(),
            hosts,
            start: spec.start,
            programs,
            timing,
            rendezvous: spec.rendezvous.map(Bytes::get),
            queue_pairs: spec.queue_pairs,
        });
        (job.collective, job.iterations) = (collective, spec.iterations);
        check_messages(&job).in_field("program")?;
        check_rendezvous(spec, &job, environment)?;
        job.first_flow = self.flows.len() as u32;
        let (number, group) = (self.jobs.len() as u32, self.groups.len() as u32);
        self.flows.extend(flows(&job, spec, (number, group)));
        self.groups.push(Group { name: spec.name.clone() });
        let messages = job.pairs.iter().map(|pair| pair.messages).sum::<u64>() * u64::from(job.runs);
        self.finite.messages = self.finite.messages.map(|all| all + messages);
        // Deliveries and ranks are counted from the start on: messages come when others allow it.
        let last = &mut self.finite.last_posting;
        *last = if spec.start < environment.end() { spec.start.max(*last) } else { Time::NEVER };
        self.jobs.push(job);
        Ok(())
    }

    fn check_name(&self, name: &str) -> Result<(), JobError> {
        let taken = name.is_empty()
            || self.groups.iter().any(|group| group.name == name)
            || self.patterns.iter().any(|pattern| pattern.label == name)
            || self.flows.iter().any(|flow| {
                let flow = &*flow.name;
                flow == name || flow.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))
            });
        if taken { Err(JobError::Name { name: name.to_owned() }) } else { Ok(()) }
    }

    /// Checks that two jobs have a host in common only if both say so.
    fn check_shared(&self, jobs: &[JobSpec], environment: &Environment<'_>) -> Result<(), WorkloadError> {
        let mut owners: Vec<Option<usize>> = vec![None; environment.hosts().len()];
        for (i, (job, spec)) in self.jobs.iter().zip(jobs).enumerate() {
            let ranks = job.programs.ranks.len();
            for host in &job.hosts[..ranks] {
                let owner = owners[host.index()].get_or_insert(i);
                if *owner == i {
                    continue;
                }
                let refuses = [*owner, i].map(|i| jobs[i].shared_hosts == SharedHosts::Refused);
                if refuses != [false; 2] {
                    let (other, host) = (jobs[*owner].name.clone(), environment.name(*host).to_owned());
                    let error = JobError::SharedHost { other, host };
                    let place = FieldPath::from("jobs").index(i);
                    let field = if spec.place.is_some() { "place" } else { "hosts" };
                    return Err(WorkloadError::at(field, error).below(&place));
                }
            }
        }
        Ok(())
    }
}

/// Returns the flows of a job: for each pair, one for each of its queue pairs.
fn flows<'a>(
    job: &'a Job,
    spec: &'a JobSpec,
    (number, group): (u32, u32),
) -> impl Iterator<Item = Flow> + 'a {
    let count = job.queue_pairs;
    let ends = || job.pairs.iter().flat_map(move |pair| (0..count).map(move |queue_pair| (pair, queue_pair)));
    let ways: Vec<String> = ends()
        .map(|(JobPair { from, to, .. }, queue_pair)| match count {
            1 => format!("{from}->{to}"),
            _ => format!("{from}->{to}:{queue_pair}"),
        })
        .collect();
    let names = FlowName::together(ways.iter().map(|way| [spec.name.as_str(), ":", way.as_str()]));
    // The order of posting decides which queue pair carries which message.
    let share = move |bytes: u64| (bytes * u64::from(job.runs)).div_ceil(u64::from(count));
    ends().zip(names).map(move |((pair, _), name)| {
        let [source, destination] = [pair.from, pair.to].map(|rank| job.hosts[rank as usize]);
        Flow {
            name,
            named: false,
            pattern: None,
            group: Some(group),
            finite: true,
            source,
            destination,
            numbers: (pair.from, pair.to),
            service_level: spec.service_level,
            transport: spec.transport,
            operation: Operation::Send,
            posting: Posting::Job { job: number, start: spec.start, total: Bytes::new(share(pair.bytes)) },
        }
    })
}

fn check_fields(spec: &JobSpec) -> Result<(), WorkloadError> {
    if spec.iterations == 0 {
        return Err(JobError::Zero { field: "iterations" }).in_field("iterations");
    }
    if !matches!(spec.transport, TransportService::Rc | TransportService::Uc) {
        return Err(JobError::Transport { given: spec.transport }).in_field("transport");
    }
    if !(1..=MOST_QUEUE_PAIRS).contains(&spec.queue_pairs) {
        return Err(JobError::QueuePairs { given: spec.queue_pairs, most: MOST_QUEUE_PAIRS })
            .in_field("queue_pairs");
    }
    if spec.queue_pairs > 1 && spec.transport != TransportService::Rc {
        return Err(JobError::Unordered { given: spec.queue_pairs }).in_field("queue_pairs");
    }
    if let NoiseSpec::Uniform(share) = spec.compute_noise
        && !(share > 0.0 && share <= 1.0)
    {
        return Err(JobError::Noise { given: share }).in_field("compute_noise");
    }
    if let LocalSpec::Link { rate, .. } = spec.local
        && rate.get() == 0
    {
        return Err(JobError::Zero { field: "rate" }).in_field("local.rate");
    }
    Ok(())
}

fn timing(spec: &JobSpec, ranks: u32, environment: &Environment<'_>) -> Result<Timing, WorkloadError> {
    let mut factors = vec![None; ranks as usize];
    for (i, stragglers) in spec.stragglers.iter().enumerate() {
        let place = FieldPath::from("stragglers").index(i);
        let millionths = stragglers.factor * WHOLE as f64;
        if !(millionths >= 1.0 && stragglers.factor <= 1000.0) {
            let error = JobError::Factor { given: stragglers.factor };
            return Err(WorkloadError::at(place.name("factor"), error));
        }
        for (j, rank) in stragglers.ranks.iter().enumerate() {
            let Some(factor) = factors.get_mut(*rank as usize) else {
                let error = JobError::NoRank { given: *rank, ranks };
                return Err(WorkloadError::at(place.name("ranks").index(j), error));
            };
            if factor.replace(millionths.round() as u64).is_some() {
                return Err(WorkloadError::at(
                    place.name("ranks").index(j),
                    JobError::TwoFactors { given: *rank },
                ));
            }
        }
    }
    let noise = match spec.compute_noise {
        NoiseSpec::None => Noise::None,
        NoiseSpec::Uniform(share) => Noise::Uniform((share * WHOLE as f64).round() as u64),
        NoiseSpec::Exponential(mean) => Noise::Exponential(mean),
    };
    let seed = environment.seed();
    let pace = |(rank, factor): (u32, Option<u64>)| {
        Pace::new((seed, &spec.name, rank), factor.unwrap_or(WHOLE), noise)
    };
    let local = match spec.local {
        LocalSpec::Free => None,
        LocalSpec::Link { rate, latency } => Some(LocalLink { rate, latency }),
    };
    Ok(Timing {
        starts: starts(spec, ranks, seed),
        // Without a barrier the program has all iterations in it.
        runs: if spec.barrier == BarrierSpec::None { 1 } else { spec.iterations },
        paces: (0..).zip(factors).map(pace).collect(),
        local,
    })
}

/// Draws the start of each rank.
fn starts(spec: &JobSpec, ranks: u32, seed: u64) -> Vec<Time> {
    if spec.start_skew == Span::ZERO {
        return vec![spec.start; ranks as usize];
    }
    let mut stream = stream(seed, "start skew", &spec.name);
    let mut late = || Span::from_ps((unit(stream.next_u64()) * spec.start_skew.ps() as f64).round() as u64);
    (0..ranks).map(|_| spec.start + late()).collect()
}

fn check_messages(job: &Job) -> Result<(), JobError> {
    if let Some(&JobPair { from, to, longest, .. }) =
        job.pairs.iter().find(|pair| pair.longest > LONGEST_MESSAGE.get())
    {
        return Err(JobError::TooLong { from, to, bytes: longest });
    }
    let kinds = if job.rendezvous.is_some() { WirePart::KINDS } else { 1 };
    let counts = [
        (job.tags.len() as u64, u64::from(MOST_TAGS) / kinds, "tags"),
        (job.pairs.len() as u64 * u64::from(job.queue_pairs), MAX_FLOWS as u64, "flows"),
        (job.bytes, u64::MAX - 1, "bytes"),
    ];
    match counts.into_iter().find(|(given, most, _)| given > most) {
        Some((given, most, what)) => Err(JobError::TooMany { given, most, what }),
        None => Ok(()),
    }
}
