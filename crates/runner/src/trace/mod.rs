//! Traces: ports and flows of a run over time, for Perfetto.
//!
//! Invariant: a trace changes nothing of a run. It shows what the plan's `series` names: its ports, its sources, and
//! the ports with logged pauses. Events of each kind are written up to the limit that is asked for; the others are
//! counted.
//!
//! | object | counters, at each sample | slices | instants |
//! |---|---|---|---|
//! | output and lane | queue, rate | waits, pauses | marks |
//! | flow | goodput, and the state of its response | messages | notifications sent and received |
//! | rank of a job | | operations | |
//! | job | | steps of its critical path | |
//!
//! An arrow leads from a mark of a flow to the next notification of its destination. A second arrow leads to the
//! notification's arrival at the source.
//!
//! | module | contents |
//! |---|---|
//! | here | the run, and the counts |
//! | `tracks` | the tracks of all objects |
//! | `notified` | marks and notifications, packet by packet |
//! | `operations` | operations of jobs |
//! | `recorded` | what the record of the run has: samples, pauses, messages |

mod notified;
mod operations;
mod recorded;
mod tracks;

use std::collections::BTreeMap;
use std::io::{self, Write};

use fabric::{RunError, RunOptions, Sighting, Tap, Wait, WaitTap, simulate_tapped};
use packet::{NodeId, PortId};
use scenario::Plan;
use telemetry::{Progress, RunRecord};
use traces::perfetto::{Fact, PerfettoWriter};

use notified::Notified;
use tracks::Tracks;

/// The reason for which there is no trace, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The plan's `series` names neither ports nor flows, and there is no job.
    #[error("no port and no flow is named")]
    Nothing,
    /// The file cannot be written.
    #[error("{0}")]
    Unwritable(#[from] io::Error),
    /// The run failed. Events up to there are in the file, but for those that the record of a run has.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Kind of an event in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// Value of a counter.
    Value,
    /// Time in which packets wait with the wire free.
    Wait,
    /// Time in which an output is paused.
    Pause,
    /// Packet that is marked.
    Mark,
    /// Notification that is sent, or that arrives.
    Notification,
    /// Message.
    Message,
    /// Operation of a job.
    Operation,
    /// Step of the critical path of a job.
    PathStep,
}

impl EventKind {
    /// Returns the words for several events of this kind.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Value => "values of counters",
            Self::Wait => "waits",
            Self::Pause => "pauses",
            Self::Mark => "marks",
            Self::Notification => "notifications",
            Self::Message => "messages",
            Self::Operation => "operations of jobs",
            Self::PathStep => "steps of critical paths",
        }
    }
}

/// Events of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Events in the file.
    pub written: u64,
    /// Later events, which the limit leaves out.
    pub left_out: u64,
}

/// A finished trace.
#[derive(Clone, Debug)]
pub struct TraceReport {
    /// The record of the run.
    pub record: RunRecord,
    /// Counts by kind, of all kinds that there are.
    pub kinds: BTreeMap<EventKind, EventCounts>,
}

/// Writes the events of a trace up to a limit for each kind.
struct Limited<W> {
    writer: PerfettoWriter<W>,
    most: u64,
    kinds: BTreeMap<EventKind, EventCounts>,
    /// First failure to write; nothing is written from then on.
    failed: Option<io::Error>,
}

impl<W: Write> Limited<W> {
    /// Writes an event if the limit allows it.
    fn add(&mut self, kind: EventKind, write: impl FnOnce(&mut PerfettoWriter<W>) -> io::Result<()>) {
        let counts = self.kinds.entry(kind).or_default();
        if counts.written == self.most {
            counts.left_out += 1;
        } else if self.failed.is_none() {
            counts.written += 1;
            self.failed = write(&mut self.writer).err();
        }
    }
}

/// Runs a plan to its end on a single thread, and writes a trace of the ports and flows that its `series` names, and of
/// its jobs. The
/// trace has at most `most` events of each kind.
///
/// # Errors
/// If nothing is named, the file cannot be written, or the run fails.
///
/// # Panics
/// If the options divide the run into parts.
pub fn trace(
    plan: &Plan,
    options: RunOptions<'_>,
    most: u64,
    file: impl Write,
    progress: &mut dyn FnMut(Progress),
) -> Result<TraceReport, TraceError> {
    let series = plan.series();
    let is_empty = series.ports.named.is_empty() && series.sources.named.is_empty();
    if is_empty && plan.workload().jobs.is_empty() {
        return Err(TraceError::Nothing);
    }
    let mut writer = PerfettoWriter::new(file);
    let tracks = Tracks::new(plan, &mut writer)?;
    let limited = Limited { writer, most, kinds: BTreeMap::new(), failed: None };
    // Two observers write to it.
    let shared = core::cell::RefCell::new(limited);
    let ports = tapped(plan);
    let mut notified = Notified::new(plan, &tracks);
    let waits = WaitTap {
        ports: &series.ports.named,
        observer: &mut |wait: &Wait| {
            if let Some(output) = tracks.output(wait.node, wait.port, wait.lane) {
                let span = (wait.from, wait.until);
                shared
                    .borrow_mut()
                    .add(EventKind::Wait, |writer| writer.slice(output.waits, span, "waits", &[]));
            }
        },
    };
    let observer = &mut |sighting: &Sighting| notified.see(sighting, &mut shared.borrow_mut());
    let ran = simulate_tapped(plan, options, Tap { ports: &ports, observer, waits: Some(waits) }, progress);
    let mut limited = shared.into_inner();
    if let Ok(record) = &ran {
        recorded::add(plan, record, &tracks, &mut limited);
        operations::add(record, &mut limited);
    }
    let Limited { writer, kinds, failed, .. } = limited;
    failed.map_or(Ok(()), Err)?;
    writer.finish()?;
    Ok(TraceReport { record: ran?, kinds })
}

/// Returns the ports at which packets are seen. Switches with named ports have all their ports watched, to tell their
/// marks from earlier marks. The ports of hosts of named flows are watched too.
fn tapped(plan: &Plan) -> Vec<(NodeId, PortId)> {
    let (graph, series) = (plan.graph(), plan.series());
    let switches = series.ports.named.iter().map(|(node, _)| *node).filter(|node| !graph.is_host(*node));
    let flows = series.sources.named.iter().map(|flow| &plan.workload().flows[flow.index()]);
    let hosts = flows.flat_map(|flow| [flow.source, flow.destination]);
    let ports = |node: NodeId| (0..graph.ports(node).len() as u16).map(move |port| (node, PortId(port)));
    let mut all: Vec<_> = switches.chain(hosts).flat_map(ports).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The name of a flow and the number of a packet, as facts.
fn packet_facts<'a>(flow: &'a str, psn: u64) -> [Fact<'a>; 2] {
    [Fact::Text("flow", flow), Fact::Count("psn", psn)]
}
