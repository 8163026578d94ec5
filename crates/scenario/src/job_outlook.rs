//! Jobs before their run: sizes, steps, the time with ideal messages, bounds, and the load of cables.
//!
//! Invariant: an outlook depends on programs, placement and paths alone, never on other traffic.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};
use telemetry::NotMeasured;
use units::{Bytes, Span};
use workload::job::closed_forms::{FabricLimits, lower_bound};
use workload::job::collective::{AllReduce, CollectiveKind};
use workload::job::ideal::steps;
use workload::job::{Graph, Job};

use crate::data_paths::DataPaths;
use crate::job_ideal::JobIdeal;
use crate::plan::Plan;

/// A job before its run.
#[derive(Clone, Debug, PartialEq)]
pub struct JobOutlook {
    /// Name of the job.
    pub name: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Runs of the program.
    pub iterations: u32,
    /// Messages of all iterations.
    pub messages: u64,
    /// Their payload.
    pub payload: Bytes,
    /// Number of hosts that run ranks.
    pub hosts: usize,
    /// Messages that follow one another in the longest chain of an iteration; `None` if the job is not replayed.
    pub steps: Option<u64>,
    /// Time from the start of the job to its end with ideal messages: each takes its time on the empty fabric, and
    /// waits for others of its host alone. Without that time, the reason for which the job is not replayed.
    pub ideal: Result<Span, NotMeasured>,
    /// Time that no algorithm beats for this collective, in any fabric with these links; `None` if the program is no
    /// collective, or has several iterations, or hosts run several ranks.
    pub lower_bound: Option<Span>,
    /// The collective with all of its steps, if the job does the first ones only.
    pub whole: Option<WholeOutlook>,
    /// Messages of a double tree, if they are longer than NCCL's.
    pub coarse: Option<CoarseTree>,
    /// Output that is busiest with messages of the job.
    pub busiest: Option<JobOutput>,
    /// The largest load of an output in each step, equal ones of steps that follow one another together; none if the
    /// job is not replayed, or has more than 2^20 messages and is no ring.
    pub steps_of_load: Vec<StepLoad>,
}

/// The largest load of an output in some steps of a job: in step s are the messages that s - 1 others come before in
/// their longest chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLoad {
    /// Number of the first step, from 1.
    pub first: u64,
    /// Number of the last step.
    pub last: u64,
    /// The output, the first of several that are equally busy, with its load in each of these steps.
    pub output: JobOutput,
}

/// Most messages of a job whose steps are followed.
const MOST_FOLLOWED: u64 = 1 << 20;

/// A collective of which a job does the first steps only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeOutlook {
    /// Steps that the job does.
    pub done: u32,
    /// All steps.
    pub steps: u32,
    /// Messages of all steps in all iterations.
    pub messages: u64,
    /// Their payload, in bytes.
    pub payload: u128,
    /// As for [`JobOutlook::lower_bound`], of all steps.
    pub lower_bound: Option<Span>,
}

/// Messages of a double tree that are longer than those of NCCL, which passes on a piece while the next one comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoarseTree {
    /// The longest message.
    pub message: Bytes,
    /// Number of chunks with which none is longer than a slot.
    pub chunks: u64,
}

impl CoarseTree {
    /// Longest piece that NCCL passes on in a tree: a slot of its buffer, an eighth of 4 MiB (`NCCL_BUFFSIZE`, and
    /// `NCCL_STEPS` in `enqueue.cc`).
    pub const SLOT: Bytes = Bytes::new(512 << 10);

    fn of(job: &Job) -> Option<Self> {
        let (collective, _) = &**job.collective.as_ref()?;
        if !matches!(collective.kind(), CollectiveKind::AllReduce(AllReduce::DoubleTree)) {
            return None;
        }
        let message = collective.bytes().div_ceil(u64::from(collective.lanes()));
        // Each chunk is a message in both trees.
        let chunks = collective.bytes().div_ceil(2 * Self::SLOT.get());
        (message > Self::SLOT.get()).then(|| Self { message: Bytes::new(message), chunks })
    }
}

/// The output that is busiest with messages of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobOutput {
    /// The node that sends.
    pub node: NodeId,
    /// Its output.
    pub port: PortId,
    /// Pairs of ranks with messages by this output; of pairs that several ports may carry, an equal part.
    pub pairs: f64,
    /// Expected payload by this output in all iterations.
    pub payload: Bytes,
    /// Time that the payload takes on the cable, without headers.
    pub time: Span,
}

impl Plan {
    /// Returns each job before its run, in the order of the scenario.
    #[must_use]
    pub fn job_outlooks(&self) -> Vec<JobOutlook> {
        self.workload().jobs.iter().map(|job| self.job_outlook(job)).collect()
    }

    fn job_outlook(&self, job: &Job) -> JobOutlook {
        let ideal = JobIdeal::new(self, job).completion();
        let busiest = self.busiest_output(job);
        let followed = (ideal.is_ok() || job.programs.ranks.iter().any(|rank| rank.chain().is_some()))
            .then(|| self.steps(job, busiest))
            .flatten();
        let (steps, steps_of_load) =
            followed.map_or((None, Vec::new()), |(steps, loads)| (Some(steps), loads));
        JobOutlook {
            name: job.name.clone(),
            ranks: job.programs.ranks.len(),
            iterations: job.iterations,
            messages: job.messages,
            payload: Bytes::new(job.bytes),
            hosts: job.hosts_in_use(),
            steps,
            steps_of_load,
            ideal,
            lower_bound: self.job_bound(job, false),
            whole: self.whole_job(job),
            coarse: CoarseTree::of(job),
            busiest,
        }
    }

    /// Returns the steps of the longest chain, and the largest loads of each; `None` of a program that gets stuck when
    /// messages and computations take other times.
    fn steps(&self, job: &Job, busiest: Option<JobOutput>) -> Option<(u64, Vec<StepLoad>)> {
        // A formula tells its chain, and may be too large for a replay by operations. All steps of a ring are alike.
        if let Some(chain) = job.programs.ranks.iter().find_map(Graph::chain) {
            let steps = u64::from(chain);
            let of_step = |output: JobOutput| {
                let payload = Bytes::new(output.payload.get() / (steps * u64::from(job.runs)).max(1));
                let time = self.nodes().port(output.node, output.port).wire.rate().time_for(payload);
                StepLoad { first: 1, last: steps, output: JobOutput { payload, time, ..output } }
            };
            return Some((steps, busiest.map(of_step).into_iter().collect()));
        }
        let mut loads = OutputLoads::new(self, job);
        let (mut current, mut found) = (0, Vec::new());
        let is_followed = job.messages <= MOST_FOLLOWED;
        let all = steps(&job.programs, |step, from, to, bytes| {
            if is_followed {
                if step != current {
                    enter(&mut found, current, loads.busiest());
                    (current, loads.loads) = (step, BTreeMap::new());
                }
                loads.add(from, to, bytes as f64);
            }
        });
        enter(&mut found, current, loads.busiest());
        all.ok().map(|steps| (steps, found))
    }

    fn whole_job(&self, job: &Job) -> Option<WholeOutlook> {
        let (collective, groups) = &**job.collective.as_ref()?;
        let (done, steps) = collective.cut()?;
        let [runs, groups] = [job.iterations, *groups].map(u64::from);
        let whole = collective.clone().whole();
        // Each block but those of a rank for itself, which are a vector together.
        let payload = u128::from(whole.bytes()) * u128::from(whole.ranks() - 1);
        Some(WholeOutlook {
            done,
            steps,
            messages: whole.messages() * groups * runs,
            payload: payload * u128::from(groups) * u128::from(runs),
            lower_bound: self.job_bound(job, true),
        })
    }

    /// Returns the bound of a job's collective: of all of its steps, if `whole`, or of one that does all.
    fn job_bound(&self, job: &Job, whole: bool) -> Option<Span> {
        let (collective, _) = &**job.collective.as_ref()?;
        if collective.cut().is_some() && !whole {
            return None;
        }
        let ranks = job.programs.ranks.len();
        // Iterations may overlap, and messages within a host take none of its link.
        if job.iterations > 1 || job.hosts_in_use() < ranks {
            return None;
        }
        let hosts = &job.hosts[..ranks];
        let wires = hosts.iter().map(|host| self.nodes().port(*host, PortId(0)).wire);
        let rate = wires.map(|wire| wire.rate()).max()?;
        // The nearest pair of hosts that exchange messages: others are no faster.
        let mut shortest: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
        for pair in &*job.pairs {
            let flow = &self.workload().flows[job.flows(pair.from, pair.to)?.start as usize];
            let path = self.routes().path(self.graph(), flow.source, flow.destination)?;
            shortest.entry(path.len()).or_insert((pair.from, pair.to));
        }
        let (_, ends) = shortest.first_key_value()?;
        let empty = JobIdeal::new(self, job).message(ends.0, ends.1, 0);
        let limits = FabricLimits { latency: empty.delivered, packet: empty.occupied, rate };
        Some(lower_bound(collective, limits))
    }

    /// Returns the output that messages of the job keep busy for longest.
    fn busiest_output(&self, job: &Job) -> Option<JobOutput> {
        let mut loads = OutputLoads::new(self, job);
        for pair in &*job.pairs {
            loads.add(pair.from, pair.to, pair.bytes as f64 * f64::from(job.runs));
        }
        loads.busiest()
    }
}

/// Loads of outputs by messages of a job.
struct OutputLoads<'a> {
    plan: &'a Plan,
    job: &'a Job,
    paths: DataPaths<'a>,
    /// Hash keys of the job's flows, in order.
    keys: Vec<u64>,
    /// By node and port: expected number of messages, and their bytes.
    loads: BTreeMap<(u32, u16), (f64, f64)>,
}

impl<'a> OutputLoads<'a> {
    fn new(plan: &'a Plan, job: &'a Job) -> Self {
        let flows = job.pairs.len() * job.queue_pairs as usize;
        let keys = plan.flow_keys().into_iter().skip(job.first_flow as usize).take(flows).collect();
        Self { plan, job, paths: DataPaths::new(plan), keys, loads: BTreeMap::new() }
    }

    /// Adds a message; one within a host takes no output.
    fn add(&mut self, from: u32, to: u32, bytes: f64) {
        let flows = self.job.flows(from, to).into_iter().flatten();
        let part = 1.0 / f64::from(self.job.queue_pairs);
        for flow in flows {
            let key = self.keys[(flow - self.job.first_flow) as usize];
            for output in self.paths.of(&self.plan.workload().flows[flow as usize], key) {
                let (node, port) = output.at;
                let share = output.share * part;
                let load = self.loads.entry((node.0, port.0)).or_default();
                *load = (load.0 + share, load.1 + share * bytes);
            }
        }
    }

    /// Returns the output that is busy for longest, the first of several.
    fn busiest(&self) -> Option<JobOutput> {
        let outlook = |((node, port), (pairs, bytes)): (&(u32, u16), &(f64, f64))| {
            let (node, port) = (NodeId(*node), PortId(*port));
            let payload = Bytes::new(bytes.round() as u64);
            let time = self.plan.nodes().port(node, port).wire.rate().time_for(payload);
            JobOutput { node, port, pairs: *pairs, payload, time }
        };
        self.loads.iter().map(outlook).rev().max_by_key(|output| (output.time, output.pairs as u64))
    }
}

/// Adds the load of a step, counted from 0, to the list of the steps before.
fn enter(found: &mut Vec<StepLoad>, step: u64, busiest: Option<JobOutput>) {
    let Some(output) = busiest else { return };
    let number = step + 1;
    match found.last_mut() {
        Some(before) if before.last + 1 == number && before.output.time == output.time => {
            before.last = number;
        }
        _ => found.push(StepLoad { first: number, last: number, output }),
    }
}
