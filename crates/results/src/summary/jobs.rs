//! Jobs in `summary.json`.

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{CriticalPath, IterationRecord, JobRecord, MOST_OPERATIONS, NotMeasured, PathPlace};
use units::Span;

/// Most places of a critical path that a summary lists.
const MOST_PLACES: usize = 8;

/// A job, as `summary.json` and `jobs.csv` have it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JobSummary {
    /// Name of the job.
    pub name: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of hosts that run them.
    pub hosts: u32,
    /// Start of the job.
    pub start_s: f64,
    /// Time from the start of the job to the end of its last operation; `null` if an operation has not ended.
    pub completion_s: Option<f64>,
    /// Runs of the program.
    pub iterations: u32,
    /// `completion_s` divided by `iterations`.
    pub iteration_s: Option<f64>,
    /// Longest iteration: from the end of the one before at all ranks, or the start of the job, to its own; `null`
    /// without iterations that wait for each other.
    pub longest_iteration_s: Option<f64>,
    /// Number of the longest iteration, from 0.
    pub longest_iteration: Option<u32>,
    /// Iteration that is latest against its ideal; `null` if none is late, or without iterations that wait for each
    /// other.
    pub latest_iteration: Option<LateIterationSummary>,
    /// Number of iterations that `iterations.csv` leaves out.
    pub left_out_iterations: usize,
    /// Bytes of the collective over `iteration_s`, in GB/s (nccl-tests, `doc/PERFORMANCE.md`); `null` if the program is
    /// no collective, and for a barrier.
    pub algbw_gbyte_per_s: Option<f64>,
    /// Rate of a link that a perfect algorithm would need for it, in GB/s (nccl-tests).
    pub busbw_gbyte_per_s: Option<f64>,
    /// Number of operations in the programs of all ranks, of all iterations.
    pub operations: u64,
    /// Number of operations that have ended.
    pub ended_operations: u64,
    /// Number of messages in the programs, of all iterations.
    pub messages: u64,
    /// Payload of these messages.
    pub bytes: u64,
    /// Completion of the same programs with each message at its ideal time; `null` if there is none.
    pub ideal_s: Option<f64>,
    /// Reason for which there is no ideal completion; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_ideal: Option<&'static str>,
    /// Completion over the ideal completion; of a job that is not complete `null`.
    pub slowdown: Option<f64>,
    /// Rank that ends last, the first of several; `null` if a rank has not ended.
    pub straggler: Option<u32>,
    /// Time from the end of the first rank to the end of the last; `null` if a rank has not ended.
    pub spread_s: Option<f64>,
    /// Longest exposed communication of a rank: time between its start and its end, or the end of the run, in which
    /// none of its processors computes.
    pub exposed_s: Option<f64>,
    /// Number of messages that arrived before their receive was posted.
    pub unexpected_messages: u64,
    /// Number of operations that `operations.csv` leaves out.
    pub left_out_operations: u64,
    /// The critical path; `null` if there is none.
    pub critical_path: Option<CriticalPathSummary>,
    /// Reason for which there is no critical path; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_critical_path: Option<&'static str>,
}

/// The latest iteration of a job.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LateIterationSummary {
    /// Number of the iteration, from 0.
    pub iteration: u32,
    /// Time from the end of the one before at all ranks, or the start of the job, to its own.
    pub iteration_s: f64,
    /// The same with each message at its ideal time.
    pub ideal_s: f64,
    /// Difference of both.
    pub late_s: f64,
    /// Place that most of the congestion on the critical path in this iteration is blamed on; `null` if none is.
    pub place: Option<PathPlaceSummary>,
}

/// A job's critical path. Its six parts add up to the completion.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CriticalPathSummary {
    /// Computations.
    pub compute_s: f64,
    /// Messages at their ideal time.
    pub wire_s: f64,
    /// Waits of messages for others of the job that leave the same host, as if nothing held up its wire, and of the job
    /// for the start of a rank.
    pub waiting_s: f64,
    /// Further lateness of messages where other traffic shares the wire of their host, or samples show packets in a
    /// tree, or at an output with a queue: their own, or those of messages before them at the host.
    pub congestion_s: f64,
    /// Other lateness up to the departure of the last packet.
    pub source_s: f64,
    /// Other lateness after it.
    pub fabric_s: f64,
    /// Number of steps.
    pub steps: u64,
    /// Number of steps that `critical_path.csv` leaves out.
    pub left_out_steps: u64,
    /// Places of the congestion, the longest first, at most eight.
    pub places: Vec<PathPlaceSummary>,
    /// Number of places left out.
    pub left_out_places: usize,
}

/// A place that congestion on a critical path is blamed on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PathPlaceSummary {
    /// Switch, or host with a link that other traffic shares.
    pub node: String,
    /// Output port, counted from 1.
    pub port: u16,
    /// Node at the far end.
    pub peer: String,
    /// Lane.
    pub lane: u8,
    /// True if the output is the root of a tree that held the messages.
    pub tree: bool,
    /// Time lost.
    pub late_s: f64,
}

impl From<&JobRecord> for JobSummary {
    fn from(job: &JobRecord) -> Self {
        let measures = &job.measures;
        let completion = job.end.map(|end| end.since(job.start));
        let ratio = |whole: Span, ideal: Span| whole.ps() as f64 / ideal.ps() as f64;
        let ideal = measures.ideal.ok().filter(|ideal| *ideal > Span::ZERO);
        // Ranks without operations end nothing.
        let busy = measures.ranks.iter().filter(|rank| rank.operations > 0);
        let ends: Option<Vec<_>> = busy.map(|rank| Some((rank.end?, rank.rank))).collect();
        let ends = ends.unwrap_or_default();
        let last = ends.iter().map(|(end, _)| *end).max();
        let bandwidths = job.bandwidths();
        let longest = job.longest_iteration();
        Self {
            name: job.name.clone(),
            ranks: job.ranks,
            hosts: job.hosts,
            start_s: job.start.seconds(),
            completion_s: completion.map(Span::seconds),
            iterations: job.iterations,
            iteration_s: job.mean_iteration_s(),
            longest_iteration_s: longest.map(|one| one.span.seconds()),
            longest_iteration: longest.map(|one| one.number),
            latest_iteration: job.latest_iteration().and_then(|one| LateIterationSummary::of(job, &one)),
            left_out_iterations: job.ends.len().saturating_sub(MOST_OPERATIONS),
            algbw_gbyte_per_s: bandwidths.map(|(algbw, _)| algbw),
            busbw_gbyte_per_s: bandwidths.map(|(_, busbw)| busbw),
            operations: job.operations,
            ended_operations: job.ended,
            messages: job.messages,
            bytes: job.bytes.get(),
            ideal_s: measures.ideal.ok().map(Span::seconds),
            no_ideal: measures.ideal.err().map(NotMeasured::reason),
            slowdown: completion.zip(ideal).map(|(whole, ideal)| ratio(whole, ideal)),
            straggler: ends.iter().find(|(end, _)| Some(*end) == last).map(|(_, rank)| *rank),
            spread_s: last.zip(ends.iter().min()).map(|(last, (first, _))| last.since(*first).seconds()),
            exposed_s: measures.ranks.iter().map(|rank| rank.exposed).max().map(Span::seconds),
            unexpected_messages: measures.ranks.iter().map(|rank| u64::from(rank.unexpected)).sum(),
            left_out_operations: job.operations - measures.operations.len() as u64,
            critical_path: measures.path.as_ref().ok().map(CriticalPathSummary::from),
            no_critical_path: measures.path.as_ref().err().map(|none| none.reason()),
        }
    }
}

impl LateIterationSummary {
    /// Returns an iteration of a job; `None` without an ideal.
    fn of(job: &JobRecord, one: &IterationRecord<'_>) -> Option<Self> {
        let places = job.measures.path.as_ref().map_or(&[][..], |path| &path.places);
        let place = one.path.and_then(|path| path.place);
        Some(Self {
            iteration: one.number,
            iteration_s: one.span.seconds(),
            ideal_s: one.ideal?.seconds(),
            late_s: one.late()?.seconds(),
            place: place.map(|(place, late)| PathPlaceSummary::of(&places[place as usize], late)),
        })
    }
}

impl PathPlaceSummary {
    fn of(place: &PathPlace, late: Span) -> Self {
        Self {
            node: place.node.clone(),
            port: place.port,
            peer: place.peer.clone(),
            lane: place.lane,
            tree: place.root.is_some(),
            late_s: late.seconds(),
        }
    }
}

impl From<&CriticalPath> for CriticalPathSummary {
    fn from(path: &CriticalPath) -> Self {
        let parts = path.parts;
        let place = |place: &PathPlace| PathPlaceSummary::of(place, place.span);
        Self {
            compute_s: parts.compute.seconds(),
            wire_s: parts.wire.seconds(),
            waiting_s: parts.waiting.seconds(),
            congestion_s: parts.congestion.seconds(),
            source_s: parts.at_source.seconds(),
            fabric_s: parts.in_fabric.seconds(),
            steps: path.steps.len() as u64 + path.steps_left_out,
            left_out_steps: path.steps_left_out,
            places: path.places.iter().take(MOST_PLACES).map(place).collect(),
            left_out_places: path.places.len().saturating_sub(MOST_PLACES),
        }
    }
}
