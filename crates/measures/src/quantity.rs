//! Quantities that can be measured of a group of flows.
//!
//! Invariant: each quantity has a single name, unit, better direction and definition, and `docs/statistics.md` has the
//! same: `cargo xtask bless` writes its table.

use settings::nearest;

use crate::unit::Unit;

/// Direction in which a quantity improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A smaller number is better.
    Smaller,
    /// A larger number is better.
    Larger,
}

impl Direction {
    /// Returns the word for the better numbers: `smaller`, `larger`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Smaller => "smaller",
            Self::Larger => "larger",
        }
    }
}

/// Flows and times that a quantity can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Any group, over the whole run.
    Run,
    /// Any group, over the whole run or in a phase.
    RunOrPhase,
    /// Any group, in a phase.
    Phase,
    /// The fabric as a whole: `all` is the only group.
    Fabric,
    /// A job, over the whole run: the group is the job's name.
    Job,
}

/// A quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Median completion time.
    P50,
    /// 95th percentile of completion times.
    P95,
    /// 99th percentile of completion times.
    P99,
    /// 99.9th percentile of completion times.
    P999,
    /// Mean completion time.
    MeanCompletion,
    /// Time until the group's last delivery.
    Last,
    /// Median slowdown.
    SlowdownP50,
    /// 99th percentile of slowdowns.
    SlowdownP99,
    /// Rate of messages.
    MessageRate,
    /// Hosts that stand still.
    StillHosts,
    /// Mean latency of packets.
    MeanLatency,
    /// Longest latency of a packet.
    LongestLatency,
    /// Share of packets out of order.
    OutOfOrder,
    /// Largest distance of a packet out of order.
    ReorderExtent,
    /// Most payload ahead of a missing packet.
    ReorderBytes,
    /// Goodput of all flows together.
    Goodput,
    /// Goodput of the slowest flow.
    LeastGoodput,
    /// Jain's index.
    Fairness,
    /// Coefficient of variation of goodput over time.
    Oscillation,
    /// Time until goodput is back.
    Recovery,
    /// Share of time that outputs were paused.
    Paused,
    /// Share of time that packets waited for credit or the end of a pause.
    Stalled,
    /// Time waited in congestion trees.
    Waited,
    /// Packets that arrived marked.
    Marks,
    /// BECNs that reached the sources.
    Becns,
    /// Congestion notification packets sent.
    Cnps,
    /// Flow-control packets sent.
    FlowControl,
    /// PAUSE frames sent.
    PauseFrames,
    /// Packets lost.
    Dropped,
    /// Packets sent again.
    Retransmitted,
    /// 99th percentile of the worst output's queue.
    QueueP99,
    /// Longest queue.
    QueuePeak,
    /// Completion of a job.
    JobCompletion,
    /// Slowdown of a job.
    JobSlowdown,
    /// Longest iteration of a job.
    LongestIteration,
    /// Exposed communication of a job.
    Exposed,
    /// Spread of the ends of a job's ranks.
    Spread,
    /// Lateness on a job's critical path.
    PathLate,
    /// Lateness on a job's critical path that is blamed on outputs of the fabric.
    PathBlamed,
    /// Bytes of a job's collective over its time.
    Algbw,
    /// Rate of a link that a perfect algorithm would need for it.
    Busbw,
}

/// Name, unit, direction, reach and definition of a quantity.
#[derive(Clone, Copy, Debug)]
pub struct QuantityInfo {
    /// Name, as users write it.
    pub name: &'static str,
    /// Unit of its numbers.
    pub unit: Unit,
    /// Direction in which it improves.
    pub better: Direction,
    /// Flows and times that it can be asked for.
    pub reach: Reach,
    /// Definition.
    pub about: &'static str,
}

/// Names of all quantities, in the order of [`Quantity::ALL`].
const NAMES: [&str; Quantity::ALL.len()] = {
    let mut names = [""; Quantity::ALL.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = Quantity::ALL[place].info().name;
        place += 1;
    }
    names
};

impl Quantity {
    /// Every quantity, in the order of tables.
    pub const ALL: [Self; 41] = [
        Self::P50,
        Self::P95,
        Self::P99,
        Self::P999,
        Self::MeanCompletion,
        Self::Last,
        Self::SlowdownP50,
        Self::SlowdownP99,
        Self::MessageRate,
        Self::StillHosts,
        Self::MeanLatency,
        Self::LongestLatency,
        Self::OutOfOrder,
        Self::ReorderExtent,
        Self::ReorderBytes,
        Self::Goodput,
        Self::LeastGoodput,
        Self::Fairness,
        Self::Oscillation,
        Self::Recovery,
        Self::Paused,
        Self::Stalled,
        Self::Waited,
        Self::Marks,
        Self::Becns,
        Self::Cnps,
        Self::FlowControl,
        Self::PauseFrames,
        Self::Dropped,
        Self::Retransmitted,
        Self::QueueP99,
        Self::QueuePeak,
        Self::JobCompletion,
        Self::JobSlowdown,
        Self::LongestIteration,
        Self::Exposed,
        Self::Spread,
        Self::PathLate,
        Self::PathBlamed,
        Self::Algbw,
        Self::Busbw,
    ];

    /// Returns the quantity of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        // A result has a thousand measures. A sweep that reads it finds each by its name.
        NAMES.iter().position(|known| *known == name).map(|place| Self::ALL[place])
    }

    /// Returns a help for a name that no quantity has: the nearest name, or all, by the groups that have them.
    pub(crate) fn help(name: &str) -> String {
        let near = nearest::help(name, NAMES, "measures");
        if near.contains('`') {
            return near;
        }
        let of = |reaches: &[Reach]| {
            let all = Self::ALL.into_iter().filter(|one| reaches.contains(&one.info().reach));
            nearest::list(&all.map(Self::name).collect::<Vec<_>>())
        };
        format!(
            "of a group or flow: {}; of `all`: {}; of a job: {}",
            of(&[Reach::Run, Reach::RunOrPhase, Reach::Phase]),
            of(&[Reach::Fabric]),
            of(&[Reach::Job])
        )
    }

    /// Returns the name, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Returns the words that stand for the quantity in printed tables, without unit.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::P50 => "completion of a message, p50",
            Self::P95 => "completion of a message, p95",
            Self::P99 => "completion of a message, p99",
            Self::P999 => "completion of a message, p99.9",
            Self::MeanCompletion => "completion of a message, mean",
            Self::Last => "last delivery after the first start",
            Self::SlowdownP50 => "slowdown, p50",
            Self::SlowdownP99 => "slowdown, p99",
            Self::MessageRate => "rate of messages",
            Self::StillHosts => "hosts that stand still",
            Self::MeanLatency => "mean latency of a delivered packet",
            Self::LongestLatency => "longest latency of a delivered packet",
            Self::OutOfOrder => "share of packets out of order",
            Self::ReorderExtent => "reordering extent",
            Self::ReorderBytes => "most payload ahead of a gap",
            Self::Goodput => "goodput",
            Self::LeastGoodput => "goodput of the slowest flow",
            Self::Fairness => "Jain's index of the flows' goodput",
            Self::Oscillation => "variation of goodput over time",
            Self::Recovery => "recovery of goodput",
            Self::Paused => "share of time paused",
            Self::Stalled => "share of time stalled",
            Self::Waited => "time waited as a victim of congestion trees",
            Self::Marks => "packets marked",
            Self::Becns => "BECNs received",
            Self::Cnps => "CNPs sent",
            Self::FlowControl => "flow-control packets",
            Self::PauseFrames => "PAUSE frames",
            Self::Dropped => "packets dropped",
            Self::Retransmitted => "packets sent again",
            Self::QueueP99 => "longest queue, p99",
            Self::QueuePeak => "longest queue",
            Self::JobCompletion => "completion of a job",
            Self::JobSlowdown => "slowdown of a job",
            Self::LongestIteration => "longest iteration of a job",
            Self::Exposed => "exposed communication of a rank, most",
            Self::Spread => "spread of the ends of ranks",
            Self::PathLate => "lateness on the critical path",
            Self::PathBlamed => "lateness on the critical path behind other traffic",
            Self::Algbw => "algbw of a job",
            Self::Busbw => "busbw of a job",
        }
    }

    /// Returns name, unit, direction, reach and definition.
    #[must_use]
    pub const fn info(self) -> QuantityInfo {
        use Direction::{Larger, Smaller};
        use Reach::{Fabric, Job, Phase, Run, RunOrPhase};
        use Unit::{BitsPerSecond, Bytes, BytesPerSecond, MessagesPerSecond, One, Packets, Seconds};
        let (name, unit, better, reach, about) = match self {
            Self::P50 => (
                "p50",
                Seconds,
                Smaller,
                Run,
                "median completion time of the group's messages, by nearest rank over all posted messages; a message that was \
                 not delivered counts with its age, as a lower bound",
            ),
            Self::P95 => ("p95", Seconds, Smaller, Run, "95th percentile of the same times"),
            Self::P99 => ("p99", Seconds, Smaller, Run, "99th percentile of the same times"),
            Self::P999 => ("p999", Seconds, Smaller, Run, "99.9th percentile of the same times"),
            Self::MeanCompletion => ("mean_completion", Seconds, Smaller, Run, "mean of the same times"),
            Self::Last => (
                "last",
                Seconds,
                Smaller,
                Run,
                "time from the start of the group's first flow to its last delivery: the time that a job or an incast takes; a \
                 group that was not done has the end of the run as a lower bound, and traffic without an end has no value",
            ),
            Self::SlowdownP50 => (
                "slowdown_p50",
                One,
                Smaller,
                Run,
                "median slowdown of the group's messages: completion time over that in the empty fabric",
            ),
            Self::SlowdownP99 => ("slowdown_p99", One, Smaller, Run, "99th percentile of the same slowdowns"),
            Self::MessageRate => (
                "message_rate",
                MessagesPerSecond,
                Larger,
                Run,
                "the group's messages delivered per second, from its first posting to its last delivery, or to the end of the run \
                 if messages are outstanding; beside it, quantiles of a closed loop hide hosts that wait",
            ),
            Self::StillHosts => (
                "still_hosts",
                One,
                Smaller,
                Run,
                "hosts that stand still, as a mean over the same time: those with messages outstanding that complete none for ten \
                 times as long as all these messages take alone, one after another",
            ),
            Self::MeanLatency => (
                "mean_latency",
                Seconds,
                Smaller,
                Run,
                "mean latency of the group's delivered packets, from the first byte that leaves the source to the payload taken by \
                 the destination's host",
            ),
            Self::LongestLatency => {
                ("longest_latency", Seconds, Smaller, Run, "longest of the same latencies")
            }
            Self::OutOfOrder => (
                "out_of_order",
                One,
                Smaller,
                Run,
                "share of the group's data packets, first arrivals alone, that arrived while a packet before them was missing",
            ),
            Self::ReorderExtent => (
                "reorder_extent",
                Packets,
                Smaller,
                Run,
                "largest distance from a flow's first missing packet to one that was accepted",
            ),
            Self::ReorderBytes => (
                "reorder_bytes",
                Bytes,
                Smaller,
                Run,
                "most payload of a flow accepted ahead of a missing packet: the buffer that would restore the order",
            ),
            Self::Goodput => (
                "goodput",
                BitsPerSecond,
                Larger,
                RunOrPhase,
                "payload that the destinations' hosts took, over simulated time, all flows of the group together: over the whole \
                 run before a drain, or over the second half of a phase",
            ),
            Self::LeastGoodput => (
                "least_goodput",
                BitsPerSecond,
                Larger,
                RunOrPhase,
                "goodput of the slowest flow of the group: over the time that each flow had data to send, or, of the flows that \
                 were active, over the second half of a phase",
            ),
            Self::Fairness => (
                "fairness",
                One,
                Larger,
                RunOrPhase,
                "Jain's index of the same goodput of each flow: 1 if all have the same, 1/n if one of n has everything",
            ),
            Self::Oscillation => (
                "oscillation",
                One,
                Smaller,
                Phase,
                "coefficient of variation of the group's goodput from sample to sample, in the second half of a phase (of the last \
                 one, if none is given): standard deviation over mean",
            ),
            Self::Recovery => (
                "recovery",
                Seconds,
                Smaller,
                Phase,
                "time from the start of a phase (the last one that begins with a stop, if none is given) to the end of the first \
                 sample in which the group has 90 % of its goodput in the second half of the first phase",
            ),
            Self::Paused => (
                "paused",
                One,
                Smaller,
                Run,
                "share of the run for which outputs were paused by PFC, mean over the outputs and lanes of the hosts that send the \
                 group's data; for `all` over all outputs and lanes of the fabric",
            ),
            Self::Stalled => (
                "stalled",
                One,
                Smaller,
                Run,
                "share of the run for which packets waited with the wire free, for credit or the end of a pause, over the same \
                 outputs and lanes",
            ),
            Self::Waited => (
                "waited",
                Seconds,
                Smaller,
                Run,
                "time that the group's flows waited as victims in congestion trees, added up over flows and roots",
            ),
            Self::Marks => (
                "marks",
                Packets,
                Smaller,
                Run,
                "data packets of the group that arrived with a mark of congestion",
            ),
            Self::Becns => (
                "becns",
                Packets,
                Smaller,
                Run,
                "notifications of congestion (BECNs) that reached the group's sources",
            ),
            Self::Cnps => ("cnps", Packets, Smaller, Fabric, "congestion notification packets (CNPs) sent"),
            Self::FlowControl => (
                "flow_control",
                Packets,
                Smaller,
                Fabric,
                "flow-control packets sent: updates of credits, or PAUSE and RESUME",
            ),
            Self::PauseFrames => {
                ("pause_frames", Packets, Smaller, Fabric, "PAUSE frames sent, repetitions included")
            }
            Self::Dropped => ("dropped", Packets, Smaller, Fabric, "packets lost"),
            Self::Retransmitted => ("retransmitted", Packets, Smaller, Fabric, "data packets sent again"),
            Self::QueueP99 => (
                "queue_p99",
                Bytes,
                Smaller,
                Fabric,
                "99th percentile over the samples of the queue for a switch's output and lane, of the output for which it is \
                 largest; over the outputs whose series the scenario records",
            ),
            Self::QueuePeak => (
                "queue_peak",
                Bytes,
                Smaller,
                Fabric,
                "longest queue at a sample, of all outputs and lanes of switches",
            ),
            Self::JobCompletion => (
                "job_completion",
                Seconds,
                Smaller,
                Job,
                "time from the start of a job to the end of its last operation; a job that is not complete has its age as \
                 a lower bound",
            ),
            Self::JobSlowdown => (
                "job_slowdown",
                One,
                Smaller,
                Job,
                "the same time over that of the same programs with each message at its ideal time; no value if a receive \
                 takes messages from any source or with any tag",
            ),
            Self::LongestIteration => (
                "longest_iteration",
                Seconds,
                Smaller,
                Job,
                "longest time from the end of an iteration at all ranks of a job, or its start, to the end of the next \
                 at all ranks; an iteration that has not ended counts as a lower bound; no value with a single iteration, \
                 or without a barrier",
            ),
            Self::Exposed => (
                "exposed",
                Seconds,
                Smaller,
                Job,
                "time between the start and the end of a rank in which none of its processors computes; the rank with most \
                 of it",
            ),
            Self::Spread => (
                "spread",
                Seconds,
                Smaller,
                Job,
                "time from the end of the job's first rank to the end of its last",
            ),
            Self::PathLate => (
                "path_late",
                Seconds,
                Smaller,
                Job,
                "time that messages on the critical path lose against the empty fabric, without waits for other messages \
                 of the job at their host",
            ),
            Self::PathBlamed => (
                "path_blamed",
                Seconds,
                Smaller,
                Job,
                "part of `path_late` that is blamed on outputs: samples show the message, or others before it at its host, \
                 waiting there; or other traffic shares the host's link",
            ),
            Self::Algbw => (
                "algbw",
                BytesPerSecond,
                Larger,
                Job,
                "bytes of the job's collective over the mean time of an iteration, as nccl-tests define them; no value \
                 for other programs, for a barrier, and for a job that is not complete",
            ),
            Self::Busbw => (
                "busbw",
                BytesPerSecond,
                Larger,
                Job,
                "`algbw` times 2 (p-1)/p for an all-reduce of p ranks, (p-1)/p where each rank has a block, else 1",
            ),
        };
        QuantityInfo { name, unit, better, reach, about }
    }
}

#[cfg(test)]
mod tests;
