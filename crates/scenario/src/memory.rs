//! The memory that a run is expected to need.
//!
//! Invariant: the estimate follows from the plan alone. Buffers are taken to be full of packets of the MTU. Messages
//! are taken to wait only if the links of their hosts cannot carry them even without other traffic, so a run needs at
//! least the part for messages that wait. Completed messages are taken to be as many as those links carry, so a run
//! needs at most the part for completion times.
//!
//! | part | bytes each | measured with |
//! |---|---|---|
//! | port; its lanes, each; a queue for an output behind an input and lane | 460; 1,060; 14 | 17 fabrics of 32 to 11,664 hosts with 1 to 15 lanes, `sim` without traffic: 0.85 to 1.09 of it from 0.9 MB on |
//! | entry of a forwarding table; the same with groups of ports; packet in a buffer | 1; 3; 40 | the size of its type |
//! | output and lane at a moment of the picture | 24 | the size of its type |
//! | connection: two queue pairs, record, name | 663 | `bench g1024-all` (docs/lab/memory.md) |
//! | connection's ends that take packets in any order | by window | the size of their types and bitmaps |
//! | message that is posted and not complete | 32 | `one-flow` with 2 and 8 million outstanding: 31.8 |
//! | its record, if completions are kept | 88 | `one-flow` with 0.5 and 1.5 million outstanding: 119.9 with the message |
//! | completed message, if completions are kept | 305 | `sim one-flow` for 0.5 s with messages of 2 KiB |
//! | job: programs, progress, times of operations in the run and in its record | by operation | the sizes of their types |
//! | message of a job in the search for its path | 100 | ring of 32 ranks with 200 and 500 chunks: 84 and 101 |
//! | flow in a phase; with a name of its own | 124; 500 more | `sim` of `roce400-leaf-spine` with 20, 40 and 2,000 named flows that start one after another beside 29,500 others: 0.95 to 1.05 of it |
//! | column of a row of the series; spread of a group or of all others | 230; 32 | `sim victim` with 24,000 rows of 5 columns; the size of its type |
//! | sample of a port and lane; of a source; logged change of a pause | 170; 590; 16 | the same with `series`; the size of its type |
//!
//! Where `sim` was measured, the text of the files and the rows that figures read from it are counted.

use core::fmt::{self, Display, Formatter};
use std::collections::BTreeMap;

use ca_transport::AdapterSpec;
use ca_transport::endpoint::any_order_responder::AnyOrderResponder;
use ca_transport::endpoint::selective_requester::SelectiveRequester;
use link_layer::PortPlan;
use packet::{Lane, NodeId, PortId, TransportService};
use switch_arch::SwitchPlan;
use switch_arch::spec::BufferingSpec;
use telemetry::{
    FlowSpread, LaneMoment, MOST_OPERATIONS, OperationRecord, PathIteration, PauseEvent, RepeatTally,
    Timeline,
};
use units::{Bytes, Time};
use workload::job::rendezvous::Handshake;
use workload::job::{Graph, Job, RankTimes};
use workload::{Flow, PostedVolume, Posting};

use crate::plan::{NodePlan, NodePlans, Plan};
use crate::series::{PauseLogPlan, SeriesPlan};

/// A port's counts, its part of its node, and its row of each table.
const PORT: u64 = 460;
/// A lane's buffers, credits and counts, and its record with its rows.
const LANE: u64 = 1060;
/// A queue for an output behind an input and lane.
const VIRTUAL_QUEUE: u64 = 14;
const TABLE_ENTRY: u64 = 1;
const GROUP_NUMBER: u64 = 2;
const PACKET: u64 = 40;
const CONNECTION: u64 = 663;
const MESSAGE: u64 = 32;
const UNFINISHED: u64 = 88;
const COMPLETION: u64 = 305;
/// A flow's two counts at the bounds of a phase, and its row of `phases.csv`.
const FLOW_IN_PHASE: u64 = 124;
/// The entry of a named flow among a phase's in the summary, and its text.
const NAMED_IN_PHASE: u64 = 500;
/// A message in the search for the critical path of a job, and in its ideal replay.
const MESSAGE_OF_PATH: u64 = 100;
const COLUMN: u64 = 230;
const PORT_SAMPLE: usize = 170;
const SOURCE_SAMPLE: usize = 590;

/// The memory that a run is expected to need, besides the program itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// Nodes, their buffers and forwarding tables, and the record of each output.
    pub fabric: Bytes,
    /// Connections: queue pairs, records and names of flows.
    pub connections: Bytes,
    /// Messages that are posted and not complete, when most of them are.
    pub messages: Bytes,
    /// Records of messages, completed or not.
    pub completions: Bytes,
    /// Programs of jobs, their progress, and the times of their operations.
    pub jobs: Bytes,
    /// Goodput of each flow in each phase.
    pub phases: Bytes,
    /// Series over time.
    pub series: Bytes,
}

impl MemoryEstimate {
    /// Returns all parts, with their names and the settings that make them smaller.
    #[must_use]
    pub const fn parts(&self) -> [(&'static str, Bytes, &'static str); 7] {
        [
            ("the fabric", self.fabric, "write fewer hosts, or fewer `data_lanes`"),
            ("connections", self.connections, "write fewer `flows`, or `traffic` between fewer hosts"),
            (
                "messages that wait",
                self.messages,
                "post fewer at a time (`outstanding`), a lower `load` or rate, larger messages, or write a shorter \
                 `duration`",
            ),
            ("completion times", self.completions, "write `completions: NotKept`, or a shorter `duration`"),
            (
                "jobs",
                self.jobs,
                "write fewer `iterations`, `chunks` or ranks, or a part of the collective (`steps`)",
            ),
            (
                "phases",
                self.phases,
                "list flows that start at many different times in a `FlowList` of `traffic`, where they begin no phases",
            ),
            (
                "series",
                self.series,
                "write a longer `sample`, a shorter `duration`, or fewer ports and sources in `series`",
            ),
        ]
    }

    /// Returns the memory of rank 0 of so many, which run a plan together: its share of the fabric and of the
    /// messages that wait, and all that is recorded. The packets and queue pairs of others count as its own, which is
    /// too much.
    #[must_use]
    pub fn of_first_rank(self, ranks: usize) -> Self {
        let share = |all: Bytes| Bytes::new(all.get().div_ceil(ranks as u64));
        Self { fabric: share(self.fabric), messages: share(self.messages), ..self }
    }

    /// Returns the memory of all parts.
    #[must_use]
    pub fn total(&self) -> Bytes {
        self.parts().into_iter().map(|(_, bytes, _)| bytes).sum()
    }

    /// Returns the largest part, its name and the settings that make it smaller.
    #[must_use]
    pub fn largest(&self) -> (&'static str, Bytes, &'static str) {
        let [first, rest @ ..] = self.parts();
        rest.into_iter().fold(first, |largest, part| if part.1 > largest.1 { part } else { largest })
    }
}

impl Display for MemoryEstimate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (name, largest, _) = self.largest();
        write!(f, "{}, most of it ({}) for {name}", megabytes(self.total()), megabytes(largest))
    }
}

/// Returns an amount in megabytes of 10^6 bytes, to a tenth.
fn megabytes(amount: Bytes) -> String {
    let tenths = amount.get().div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

/// The messages of a flow with a schedule, or of all flows for which a host draws them.
#[derive(Clone, Copy, Debug)]
struct Expected {
    source: NodeId,
    /// `None` if there are several.
    destination: Option<NodeId>,
    volume: PostedVolume,
}

impl Plan {
    /// Returns the memory that a run is expected to need.
    #[must_use]
    pub fn memory(&self) -> MemoryEstimate {
        let flows = self.workload().flows.len() as u64;
        let (waiting, completed) = self.expected_messages();
        let named = self.workload().flows.iter().filter(|flow| flow.named).count() as u64;
        let samples = self.duration().ps() / self.sample().ps().max(1);
        let groups = self.workload().groups.len() as u64;
        // All others together, and the total.
        let columns = named + groups + 2 + self.watch().len() as u64;
        let spreads = (groups + 1) * FlowSpread::SIZE as u64;
        let kept = if self.keeps_completions() {
            waiting.saturating_mul(UNFINISHED).saturating_add(completed.saturating_mul(COMPLETION))
        } else {
            0
        };
        MemoryEstimate {
            fabric: Bytes::new(self.memory_of_fabric() + self.memory_of_moments(samples)),
            connections: Bytes::new(flows * CONNECTION + self.memory_of_windows()),
            messages: Bytes::new(waiting.saturating_mul(MESSAGE)),
            completions: Bytes::new(kept),
            jobs: Bytes::new(self.workload().jobs.iter().map(memory_of_job).fold(0, u64::saturating_add)),
            phases: Bytes::new((self.phases().len() as u64).saturating_mul(
                flows.saturating_mul(FLOW_IN_PHASE).saturating_add(named.saturating_mul(NAMED_IN_PHASE)),
            )),
            series: Bytes::new(
                samples.saturating_mul(columns * COLUMN + spreads + self.asked_per_sample())
                    + self.pause_logs(),
            ),
        }
    }

    /// Returns the bytes that nodes, buffers and tables take, and the records of all outputs.
    fn memory_of_fabric(&self) -> u64 {
        let mtu = u64::from(self.link().mtu.bytes());
        let has_traffic = !self.workload().flows.is_empty();
        let of_port = |port: &PortPlan, buffer: Bytes| {
            let packets = if has_traffic { buffer.get() / mtu } else { 0 };
            PORT + port.capacity.len() as u64 * (LANE + packets * PACKET)
        };
        let entries = self.graph().hosts() as u64 + 1;
        // A table with groups has the number of a group for each host.
        let have_groups = self.routes().have_groups();
        let groups = if have_groups { entries * GROUP_NUMBER } else { 0 };
        let choices = |switch: &NodePlan<SwitchPlan>| {
            let selection = switch.settings.selection.filter(|_| have_groups);
            groups
                + selection.map_or(0, |selection| selection.selector.state_bytes(switch.ports.len(), entries))
        };
        let of_switch = |switch: &NodePlan<SwitchPlan>| {
            let ports: u64 = switch.ports.iter().map(|port| of_port(port, switch.settings.buffer)).sum();
            let lanes: u64 = switch.ports.iter().map(|port| port.capacity.len() as u64).sum();
            let has_queues = switch.settings.buffering != BufferingSpec::InputFifo;
            let queues = if has_queues { lanes * switch.ports.len() as u64 * VIRTUAL_QUEUE } else { 0 };
            ports + queues + entries * TABLE_ENTRY + choices(switch)
        };
        let NodePlans { adapters, switches } = self.nodes();
        let of_adapter = |node: &NodePlan<AdapterSpec>| -> u64 {
            node.ports.iter().map(|port| of_port(port, node.settings.receive_buffer)).sum()
        };
        adapters.iter().map(of_adapter).sum::<u64>() + switches.iter().map(of_switch).sum::<u64>()
    }

    /// Returns the bytes that the ends of connections take which accept packets in any order.
    fn memory_of_windows(&self) -> u64 {
        let ends = |flow: &Flow| {
            let rule = self.nodes().adapter(flow.source).repeat_rule().any_order;
            let rule = rule.filter(|_| flow.transport == TransportService::Rc);
            let both = |window| SelectiveRequester::bytes(window) + AnyOrderResponder::bytes(window);
            rule.map_or(0, |rule| both(rule.window) + 2 * size_of::<RepeatTally>())
        };
        self.workload().flows.iter().map(ends).sum::<usize>() as u64
    }

    /// Returns the bytes that the moments of the fabric's picture take in a run with this number of samples.
    fn memory_of_moments(&self, samples: u64) -> u64 {
        let lanes = self.lanes().count();
        let moments =
            Timeline::most_for(lanes, Timeline::MOST).min(usize::try_from(samples).unwrap_or(usize::MAX));
        // The moment of the worst tree is kept besides.
        ((moments + 1) * lanes * LaneMoment::SIZE) as u64
    }

    /// Returns the bytes that each sample of the ports and sources takes that `series` asks for.
    fn asked_per_sample(&self) -> u64 {
        let SeriesPlan { ports, sources, .. } = self.series();
        let takes = |(node, port, _): &(NodeId, PortId, Lane)| ports.takes_all() || ports.names(*node, *port);
        let lanes = if ports.is_empty() { 0 } else { self.lanes().filter(takes).count() };
        let flows = if sources.takes_all() { self.workload().flows.len() } else { sources.named.len() };
        (lanes * PORT_SAMPLE + flows * SOURCE_SAMPLE) as u64
    }

    /// Returns the bytes that the logs of pauses take, full or not.
    fn pause_logs(&self) -> u64 {
        let PauseLogPlan { ports, kept } = &self.series().pauses;
        let lanes: usize =
            ports.iter().map(|(node, port)| self.nodes().port(*node, *port).capacity.len()).sum();
        (lanes * kept * PauseEvent::SIZE) as u64
    }

    /// Returns the messages that wait at one time, and those that complete before the end.
    fn expected_messages(&self) -> (u64, u64) {
        let end = self.duration().after_start();
        let (replaced, others): (Vec<_>, Vec<_>) =
            self.expected(end).into_iter().partition(|expected| expected.volume.replaced);
        let sum = |all: &[Expected], of: fn(&PostedVolume) -> u64| {
            all.iter().fold(0_u64, |sum, expected| sum.saturating_add(of(&expected.volume)))
        };
        let late = self.late(&others, end, |expected| Some(expected.source));
        let late = late.max(self.late(&others, end, |expected| expected.destination));
        let waiting = sum(&others, |volume| volume.at_once).max(late);
        let waiting = waiting.saturating_add(sum(&replaced, |volume| volume.at_once));
        let completed = sum(&others, |volume| volume.messages).saturating_sub(late);
        (waiting, completed.saturating_add(self.replacements(&replaced, end)))
    }

    /// Returns the messages of all flows.
    fn expected(&self, end: Time) -> Vec<Expected> {
        let workload = self.workload();
        let mut all = Vec::new();
        let mut drawn = BTreeMap::new();
        for (number, flow) in (0..).zip(&workload.flows) {
            let Flow { source, destination, posting, .. } = flow;
            match posting {
                Posting::Scheduled(schedule) => {
                    let (destination, volume) = (Some(*destination), schedule.volume(end));
                    all.push(Expected { source: *source, destination, volume });
                }
                Posting::Drawn { host_traffic, .. } => {
                    drawn.insert(*host_traffic as usize, flow.requester());
                }
                Posting::Job { job, total, .. } => {
                    let destination = Some(*destination);
                    let job = &workload.jobs[*job as usize];
                    let pair = &job.pairs[((number - job.first_flow) / job.queue_pairs) as usize];
                    let of_run = pair.messages.div_ceil(u64::from(job.queue_pairs));
                    let messages = of_run.saturating_mul(u64::from(job.runs));
                    let volume =
                        PostedVolume { messages, payload: *total, at_once: 1, ..PostedVolume::default() };
                    all.push(Expected { source: *source, destination, volume });
                }
            }
        }
        all.extend(drawn.into_iter().map(|(number, source)| Expected {
            source,
            destination: None,
            volume: workload.host_traffic[number].volume(),
        }));
        all
    }

    /// Returns the messages that the link of a host, at this end of their flows, has not carried at the end even if it
    /// carries nothing else. Messages of one host are taken to be alike.
    fn late(&self, all: &[Expected], end: Time, host: fn(&Expected) -> Option<NodeId>) -> u64 {
        let mut hosts: BTreeMap<NodeId, (f64, f64)> = BTreeMap::new();
        for expected in all {
            let Some(host) = host(expected) else { continue };
            let (messages, payload) = hosts.entry(host).or_default();
            *messages += expected.volume.messages as f64;
            *payload += expected.volume.payload.get() as f64;
        }
        let late = |(host, (messages, payload)): (NodeId, (f64, f64))| {
            let carried = self.carried(host, end);
            if payload > carried { messages * (1.0 - carried / payload) } else { 0.0 }
        };
        hosts.into_iter().map(late).sum::<f64>() as u64
    }

    /// Returns the messages of closed loops that complete until the end: as many of the shortest as the links of their
    /// sources carry, unless the loops end before.
    fn replacements(&self, all: &[Expected], end: Time) -> u64 {
        let mut hosts: BTreeMap<NodeId, (f64, PostedVolume)> = BTreeMap::new();
        for Expected { source, volume, .. } in all.iter().filter(|expected| expected.volume.messages > 0) {
            let (mean, all) = hosts.entry(*source).or_insert((f64::INFINITY, PostedVolume::default()));
            *mean = mean.min(volume.mean());
            all.messages = all.messages.saturating_add(volume.messages);
            all.to_come = all.to_come.saturating_add(volume.to_come);
            all.until = all.until.max(volume.until);
        }
        // A run until its traffic is delivered may be allowed a time in which links could carry far more.
        let completed = |(host, (mean, all)): (NodeId, (f64, PostedVolume))| {
            let PostedVolume { messages, to_come, until, .. } = all;
            let replaced = (self.carried(host, end.min(until)) / mean).min(to_come as f64);
            (self.carried(host, end) / mean).min(messages as f64 + replaced)
        };
        hosts.into_iter().map(completed).sum::<f64>() as u64
    }

    /// Returns the bytes that the link of a host carries until `end`.
    fn carried(&self, host: NodeId, end: Time) -> f64 {
        let rate = self.cable(self.graph().ports(host)[0].cable).rate;
        rate.get() as f64 / 8.0 * (end.ps() as f64 * 1e-12)
    }
}

/// Returns the bytes that a job takes besides its connections and messages.
fn memory_of_job(job: &Job) -> u64 {
    let sizes = |bytes: usize| bytes as u64;
    let programs = job.programs.ranks.iter().map(|graph| {
        let listed = if graph.chain().is_some() { 0 } else { sizes(graph.operations() * size_of::<u32>()) };
        sizes(size_of::<Graph>() + graph.memory()) + listed
    });
    let ranks = sizes(job.programs.ranks.len());
    let runs = u64::from(job.runs);
    // The end of each iteration, of each rank in the run and in the record, and the iterations of the job.
    let ends = runs.saturating_mul(ranks).saturating_mul(2 * sizes(size_of::<Time>()));
    let iterations = runs.saturating_mul(sizes(size_of::<PathIteration>()));
    let mut all = programs.sum::<u64>().saturating_add(ends).saturating_add(iterations);
    if job.keeps_times() {
        let handshakes = if job.rendezvous.is_some() { sizes(size_of::<Handshake>()) } else { 0 };
        let times = RankTimes::memory(job.operations, job.messages) + job.operations * handshakes;
        let recorded = job.operations.min(2 * sizes(MOST_OPERATIONS)) * sizes(size_of::<OperationRecord>());
        let path = job.messages.saturating_mul(MESSAGE_OF_PATH);
        all = all.saturating_add(2 * times + recorded).saturating_add(path);
    }
    all
}
