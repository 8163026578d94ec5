//! Captures: packets at chosen ports, written as pcapng while the run goes on.
//!
//! Invariant: a capture changes nothing of a run. Every packet that passes a chosen port is counted: as left out by the
//! filter, as left out by the limit, or as written. The same plan and request give the same bytes, with any number of
//! threads.
//!
//! | module | contents |
//! |---|---|
//! | here | the file, packet by packet, and the counts |
//! | [`filter`] | packets that are taken, and those that are not |

pub mod filter;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::Ordering;

use experiment::VERSION;
use fabric::{Passing, RunError, RunOptions, Sighting, Tap, simulate_tapped};
use packet::{BthFlags, Framing, NodeId, Packet, PortId};
use scenario::Plan;
use serde::Serialize;
use telemetry::{Progress, RunRecord};
use traces::frame::{self, LinkFormat};
use traces::pcapng::{CapturedFrame, Direction, Interface, InterfaceCounts, Origin, PcapngWriter};
use units::Time;

use filter::{Filter, Kind};

/// A capture that is asked for.
#[derive(Clone, Debug)]
pub struct CaptureRequest {
    /// Ports at which packets are captured, in the order of nodes and ports, each once: the interfaces of the file.
    pub ports: Vec<(NodeId, PortId)>,
    /// Packets that are taken.
    pub filter: Filter,
    /// Most packets that are written.
    pub most: u64,
    /// Bytes of a packet that are written at most; `None` for whole packets.
    pub snap: Option<u32>,
    /// Remark in the file, such as the command.
    pub comment: String,
}

/// The reason for which there is no capture, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The framing of the scenario is only a count of bytes.
    #[error("the scenario's `link.framing` is `Hpcc`, which counts bytes and has no format")]
    NoFormat,
    /// The file cannot be written.
    #[error("{0}")]
    Unwritable(#[from] io::Error),
    /// The run failed. Packets up to there are in the file.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Packets of a kind at all chosen ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KindCounts {
    /// Packets that passed.
    pub passed: u64,
    /// Those of these that the filter took.
    pub taken: u64,
    /// Those of these that are in the file.
    pub written: u64,
    /// Those of these with FECN; over RoCEv2 with "congestion experienced".
    pub written_fecn: u64,
    /// Those in the file with BECN.
    pub written_becn: u64,
}

/// A finished capture.
#[derive(Clone, Debug)]
pub struct CaptureReport {
    /// The record of the run.
    pub record: RunRecord,
    /// Counts by kind, of all kinds that passed.
    pub kinds: BTreeMap<Kind, KindCounts>,
    /// Time of the first packet that the limit left out, if it left out any.
    pub limit_reached: Option<Time>,
    /// Bytes of packets in the file, without what the format adds.
    pub packet_bytes: u64,
}

impl CaptureReport {
    /// Returns the counts of all kinds together.
    #[must_use]
    pub fn total(&self) -> KindCounts {
        let sum = |count: fn(&KindCounts) -> u64| self.kinds.values().map(count).sum();
        KindCounts {
            passed: sum(|counts| counts.passed),
            taken: sum(|counts| counts.taken),
            written: sum(|counts| counts.written),
            written_fecn: sum(|counts| counts.written_fecn),
            written_becn: sum(|counts| counts.written_becn),
        }
    }
}

/// Returns the format of a plan's links.
///
/// # Errors
/// If they have none.
pub fn format_of(plan: &Plan) -> Result<LinkFormat, CaptureError> {
    let framing: Framing = plan.link().framing;
    LinkFormat::try_from(framing).map_err(|_| CaptureError::NoFormat)
}

/// Runs a plan to its end, and writes the packets that are asked for to a file. The file is complete if the run fails,
/// up to there.
///
/// # Errors
/// If the links have no format, the file cannot be written, or the run fails. If the file cannot be written, the run is
/// interrupted, if it can be.
pub fn capture(
    plan: &Plan,
    options: RunOptions<'_>,
    request: &CaptureRequest,
    file: impl Write,
    progress: &mut dyn FnMut(Progress),
) -> Result<CaptureReport, CaptureError> {
    let mut writer = Capturing::begin(plan, request, file)?;
    let observer = &mut |sighting: &Sighting| {
        let interrupt = || options.interrupt.into_iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        if !writer.see(sighting) {
            interrupt();
        }
    };
    let ran = simulate_tapped(plan, options, Tap { ports: &request.ports, observer, waits: None }, progress);
    // The file of a run that failed has its packets, and ends with the last of them.
    let end = ran.as_ref().map_or(writer.last, |record| record.simulated.after_start());
    let Capturing { kinds, limit_reached, packet_bytes, .. } = writer.finish(end)?;
    Ok(CaptureReport { record: ran?, kinds, limit_reached, packet_bytes })
}

/// A capture in progress.
struct Capturing<'a, W> {
    request: &'a CaptureRequest,
    format: LinkFormat,
    /// Until it is finished.
    writer: Option<PcapngWriter<W>>,
    /// First failure to write; nothing is written from then on.
    failed: Option<io::Error>,
    interfaces: Vec<InterfaceCounts>,
    kinds: BTreeMap<Kind, KindCounts>,
    limit_reached: Option<Time>,
    packet_bytes: u64,
    /// Packets written.
    written: u64,
    /// Time of the last sighting.
    last: Time,
    /// Memory of a packet, reused for each.
    bytes: Vec<u8>,
}

impl<'a, W: Write> Capturing<'a, W> {
    fn begin(plan: &Plan, request: &'a CaptureRequest, file: W) -> Result<Self, CaptureError> {
        let format = format_of(plan)?;
        let program = format!("backwater {VERSION}");
        let origin = Origin { program: &program, comment: &request.comment };
        let mut writer = PcapngWriter::new(file, format, request.snap, origin)?;
        let graph = plan.graph();
        for (node, port) in &request.ports {
            let end = graph.ports(*node)[port.index()];
            let far = graph.port_number((end.peer, end.peer_port));
            writer.interface(Interface {
                name: &format!("{}:{}", graph.name(*node), graph.port_number((*node, *port))),
                description: &format!("cable to {}:{far}", graph.name(end.peer)),
                filter: request.filter.words(),
                rate: plan.cable(end.cable).rate,
            })?;
        }
        Ok(Self {
            request,
            format,
            writer: Some(writer),
            failed: None,
            interfaces: vec![InterfaceCounts::default(); request.ports.len()],
            kinds: BTreeMap::new(),
            limit_reached: None,
            packet_bytes: 0,
            written: 0,
            last: Time::ZERO,
            bytes: Vec::new(),
        })
    }

    /// Counts a packet, and writes it if it is asked for. Returns false if the file cannot be written.
    fn see(&mut self, sighting: &Sighting) -> bool {
        self.last = sighting.at;
        // The ports are sorted, as the numbers of interfaces are their places.
        let at = self.request.ports.binary_search(&(sighting.node, sighting.port));
        let interface = at.expect("a sighting is at a chosen port");
        let is_taken = self.request.filter.takes(sighting);
        let is_written = is_taken && self.written < self.request.most && self.failed.is_none();
        if is_taken && self.written >= self.request.most {
            self.limit_reached.get_or_insert(sighting.at);
        }
        if is_written && let Err(error) = self.write(interface as u32, sighting) {
            // The observer cannot return an error. It is kept until `finish`, and the run is interrupted.
            self.failed = Some(error);
            return false;
        }
        let (taken, written) = (u64::from(is_taken), u64::from(is_written));
        self.written += written;
        let counts = &mut self.interfaces[interface];
        (counts.passed, counts.taken) = (counts.passed + 1, counts.taken + taken);
        counts.written += written;
        let counts = self.kinds.entry(Kind::of(&sighting.what)).or_default();
        (counts.passed, counts.taken) = (counts.passed + 1, counts.taken + taken);
        counts.written += written;
        counts.written_fecn += if has(sighting, BthFlags::FECN) { written } else { 0 };
        counts.written_becn += if has(sighting, BthFlags::BECN) { written } else { 0 };
        true
    }

    fn write(&mut self, interface: u32, sighting: &Sighting) -> io::Result<()> {
        self.bytes.clear();
        match &sighting.what {
            Passing::Packet(packet) => frame::packet(packet, self.format, &mut self.bytes),
            Passing::Pause { lane, quanta } => frame::pause(sighting.from, *lane, *quanta, &mut self.bytes),
        }
        let direction = if sighting.outbound { Direction::Out } else { Direction::In };
        let captured = CapturedFrame { interface, at: sighting.at, direction, bytes: &self.bytes };
        let kept = self.request.snap.map_or(self.bytes.len(), |snap| self.bytes.len().min(snap as usize));
        self.packet_bytes += kept as u64;
        self.writer.as_mut().map_or(Ok(()), |writer| writer.frame(captured))
    }

    fn finish(mut self, end: Time) -> io::Result<Self> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if let Some(mut writer) = self.writer.take() {
            for (interface, counts) in (0..).zip(&self.interfaces) {
                writer.statistics(interface, end, *counts)?;
            }
            writer.finish()?;
        }
        Ok(self)
    }
}

fn has(sighting: &Sighting, flag: BthFlags) -> bool {
    matches!(&sighting.what, Passing::Packet(packet) if Packet::has(packet, flag))
}
