//! A record made by hand, for the tests of this crate and of those that draw and show its files.

use cc_policies::dcqcn::RedMarker;
use cc_policies::hp::HpMarker;
use cc_policies::iba::IbaMarker;
use packet::MarkCode;
use telemetry::{
    Acknowledged, Audit, BranchRecord, Cause, ClosedLoopRecord, Completions, Congestion, ContributorRecord,
    FailedFlow, FiniteRecord, FlowRecord, FlowSpread, GroupRecord, LaneMoment, LaneRecord, LockstepRecord,
    MarginCounts, MarginRecord, Marks, MessageRecord, Moment, OutputLoad, PatternRecord, PauseEvent,
    PauseEvents, PauseRecord, Phase, PortSample, PortSeries, QueueRecord, RepeatTally, RootRecord, RunEnding,
    RunRecord, Series, SeriesColumn, SlowHostRecord, Snapshot, SourceSample, SourceSeries, Timeline,
    TransportTally, TreeMoment, TreeSample, VictimRecord, Watched, WatchedQuantity, WorstTree,
};
use units::{Bytes, Rate, Span, Time};

use crate::{FileChoice, MadeFiles, OutputFile, RunCost, RunIdentity, Summary};

/// Scenario, scheme and seed of the run.
pub const CONTEXT: RunIdentity<'static> =
    RunIdentity { scenario: "hand-made", congestion_control: "Iba", seed: 7, version: "0.0.0" };

/// Returns a cost of the run.
#[must_use]
pub fn cost() -> RunCost {
    RunCost { wall: std::time::Duration::from_millis(1500), peak_rss: Some(12_345_678) }
}

/// Returns those files of a run with this record that are written if none are chosen, without figures.
#[must_use]
pub fn files(record: &RunRecord, plan: &str) -> Vec<OutputFile> {
    let summary = Summary::new(CONTEXT, record, cost());
    MadeFiles::new(&summary, record, plan.to_owned()).into_files(|name| FileChoice::All.has(name))
}

/// Returns a record of two phases of 10 ms. `F1` sends from the start, `F2` from 10 ms on, and two flows of a pattern
/// send 2.5 MB each in the second phase. `F1` and the first flow of the pattern are a group.
#[must_use]
pub fn record() -> RunRecord {
    let at = |ms: u64| Span::from_us(1000 * ms).after_start();
    let snapshot = |ms: u64, delivered: [u64; 4]| Snapshot {
        at: at(ms),
        delivered: delivered.iter().map(|kb| Bytes::new(kb * 1000)).collect(),
    };
    RunRecord {
        ended: RunEnding::AtDuration,
        finite: Some(FiniteRecord { messages: Some(4), posted: 4, delivered: 3, done: None }),
        jobs: Vec::new(),
        failed: vec![FailedFlow { at: at(12), flow: 0 }],
        stands_still: None,
        simulated: Span::from_us(20_000),
        events: 1_234_567,
        packet_hops: 456_789,
        delivered_packets: 15_000,
        dropped_packets: 0,
        flow_control_packets: 54_321,
        digest: 0x0123_4567_89ab_cdef,
        mark_reasons: every_reason(),
        marks: marks(40, 2),
        transport: TransportTally {
            acknowledgements: 900,
            cnps: 42,
            becns: 41,
            late_becns: 30,
            ..TransportTally::default()
        },
        flows: vec![
            FlowRecord { group: Some(0), ..flow("F1", ("H1", "H3"), at(0), true) },
            flow("F2", ("H2", "H3"), at(10), true),
            FlowRecord {
                group: Some(0),
                pattern: 0.into(),
                ..flow("incast[0]", ("H4", "H3"), at(10), false)
            },
            FlowRecord {
                pattern: 0.into(),
                hosts: (1, 300),
                ..flow("incast[1]", ("H5", "H3"), at(10), false)
            },
        ],
        detours: None,
        patterns: vec![PatternRecord {
            label: "incast".to_owned(),
            closed: Some(ClosedLoopRecord {
                outstanding: 1,
                lockstep: Some(LockstepRecord { stages: 3, most_flows: 2 }),
            }),
        }],
        short_window: None,
        idle_settings: Vec::new(),
        slow_hosts: vec![SlowHostRecord { host: "H3".to_owned(), takes: Rate::gbps(1) }],
        groups: vec![GroupRecord { name: "contributors".to_owned() }],
        lanes: vec![lane("H1", 1, "S1"), lane("S1", 2, "H3")],
        phases: vec![
            Phase::new("F1 starts".to_owned(), at(0), at(10)),
            Phase::new("F2 starts".to_owned(), at(10), at(20)),
        ],
        snapshots: vec![
            snapshot(0, [0; 4]),
            snapshot(5, [2_500, 0, 0, 0]),
            snapshot(10, [10_000, 0, 0, 0]),
            snapshot(15, [14_000, 4_000, 1_000, 1_250]),
            snapshot(20, [17_750, 5_250, 2_500, 2_500]),
        ],
        series: series(),
        watched: Watched {
            quantities: vec![watched("B:3 VL0", "queue_bytes"), watched("F1", "rate_bps")],
            rows: vec![vec![2074.0, 16e9], vec![0.0, 8.5e9]],
        },
        port_series: Some(port_series()),
        source_series: Some(source_series()),
        pause_events: Some(pause_events()),
        timeline: Some(timeline()),
        congestion: congestion(),
        completions: Some(completions()),
        audit: Audit {
            injected: 15_012,
            delivered: 15_000,
            under_way: 12,
            fullest_buffer: 0.953_125,
            ..Audit::default()
        },
    }
}

/// Returns the record with a text before every name.
#[must_use]
pub fn named(hostile: &str) -> RunRecord {
    let mut record = record();
    // The trees of the record made by hand need a node of their own for each host.
    for host in ["H2", "H3"] {
        let lane = LaneRecord { node: host.to_owned(), ..record.lanes[0].clone() };
        record.lanes.push(lane);
    }
    let of = |name: &str| format!("{hostile}{name}");
    for flow in &mut record.flows {
        flow.name = of(flow.name.as_ref()).as_str().into();
        flow.source = std::sync::Arc::new(of(&flow.source));
        flow.destination = std::sync::Arc::new(of(&flow.destination));
    }
    record.groups.iter_mut().for_each(|group| group.name = of(&group.name));
    for lane in &mut record.lanes {
        (lane.node, lane.peer) = (of(&lane.node), of(&lane.peer));
    }
    record.phases.iter_mut().for_each(|phase| phase.name = of(&phase.name));
    record.watched.quantities.iter_mut().for_each(|watched| watched.object = of(&watched.object));
    for root in &mut record.congestion.roots {
        (root.node, root.peer) = (of(&root.node), of(&root.peer));
    }
    for branch in record.congestion.worst.iter_mut().flat_map(|worst| &mut worst.branches) {
        (branch.node, branch.peer) = (of(&branch.node), of(&branch.peer));
    }
    record
}

/// Returns samples of 5 ms, which agree with the snapshots.
fn series() -> Series {
    let rows = [
        [2_500, 0, 2_500, 0, 2_500],
        [7_500, 0, 7_500, 0, 7_500],
        [4_000, 4_000, 5_000, 1_250, 10_250],
        [3_750, 1_250, 5_250, 1_250, 7_750],
    ];
    let columns = vec![
        SeriesColumn::Flow(0),
        SeriesColumn::Flow(1),
        SeriesColumn::Group(0),
        SeriesColumn::Others,
        SeriesColumn::Total,
    ];
    let rows = rows.iter().map(|row| row.iter().map(|kb| Bytes::new(kb * 1000)).collect());
    let spread =
        |kb: &[u64]| FlowSpread::of(&mut kb.iter().map(|kb| Bytes::new(kb * 1000)).collect::<Vec<_>>());
    let spreads = [
        [spread(&[2_500]), spread(&[])],
        [spread(&[7_500]), spread(&[])],
        [spread(&[4_000, 1_000]), spread(&[1_250])],
        [spread(&[3_750, 1_500]), spread(&[1_250])],
    ];
    Series {
        interval: Span::from_us(5000),
        columns,
        rows: rows.collect(),
        spreads: spreads.iter().map(|row| row.to_vec()).collect(),
    }
}

/// Returns four messages, of 1,000 bytes and 2.5 MB; the last was not delivered.
fn completions() -> Completions {
    let at = |us: u64| Span::from_us(us).after_start();
    let message = |(flow, number): (u32, u32), size: u64, us: Option<u64>, ideal_ns: u64| MessageRecord {
        flow,
        number,
        size: Bytes::new(size),
        posted: at(10_000),
        completed: us.map(|us| at(10_000 + us)),
        ideal: Span::from_ns(ideal_ns),
        acknowledged: us
            .filter(|_| flow == 2)
            .map(|us| Acknowledged { at: at(10_000 + us + 1), ideal: Span::from_ns(ideal_ns + 1_000) }),
    };
    let messages = vec![
        message((2, 1), 1000, Some(2), 1600),
        message((2, 2), 2_500_000, Some(1300), 1_250_000),
        message((3, 1), 2_500_000, Some(2500), 1_250_000),
        message((3, 2), 2_500_000, None, 1_250_000),
    ];
    Completions { messages, end: at(20_000), ..Completions::default() }
}

/// Returns two samples of both lanes.
fn port_series() -> PortSeries {
    let sample = |queue, sent: u64, marked| PortSample {
        queue,
        held: 4148,
        marked,
        sent: Bytes::new(sent),
        stalled: Span::from_us(250),
    };
    let samples = vec![
        sample(None, 2_500_000, 0),
        sample(Some(2074), 5_000_000, 3),
        sample(None, 10_000_000, 0),
        sample(Some(0), 0, 1),
    ];
    PortSeries { lanes: vec![0, 1], samples }
}

/// Returns two moments of 10 ms; the outputs are idle in the first, and the second has the tree.
fn timeline() -> Timeline {
    let at = |ms: u64| Span::from_us(1000 * ms).after_start();
    let lane = |sent, stalled_us, queue| LaneMoment {
        sent: Bytes::new(sent),
        stalled: Span::from_us(stalled_us),
        queue,
    };
    let tree = TreeMoment { root: 0, branches: vec![(0, 1)], contributors: vec![0], victims: vec![0] };
    let idle = vec![lane(0, 0, None), lane(0, 0, Some(0))];
    let busy = vec![lane(10_000_000, 2500, None), lane(20_000_000, 0, Some(31_110))];
    let moment = |ms, lanes, trees| Moment { at: at(ms), lanes, trees };
    Timeline { moments: vec![moment(10, idle, vec![]), moment(20, busy, vec![tree])] }
}

/// Returns a flow under each response, at one sample.
fn source_series() -> SourceSeries {
    let at = |gbps: u64| SourceSample {
        delivered: Bytes::new(2_500_000),
        rate: Some(Rate::gbps(gbps)),
        ..SourceSample::default()
    };
    let iba = SourceSample { ccti: Some(12), delay: Some(0.75), ..at(10) };
    let hp = SourceSample { window: Some(3), delay: Some(1.0), ..at(8) };
    let dcqcn = SourceSample { target: Some(Rate::gbps(16)), alpha: Some(0.5), ..at(4) };
    let off = SourceSample { rate: None, ..at(0) };
    SourceSeries { flows: vec![0, 1, 2, 3], samples: vec![iba, hp, dcqcn, off] }
}

/// Returns a pause of 50 us.
fn pause_events() -> PauseEvents {
    let event = |us, paused| PauseEvent { at: Span::from_us(us).after_start(), lane: 1, paused };
    PauseEvents { events: vec![event(125, true), event(175, false)], lost: 2 }
}

fn watched(object: &str, quantity: &'static str) -> WatchedQuantity {
    WatchedQuantity { object: object.to_owned(), quantity }
}

/// Returns the congestion of a run where `F1` and the incast hold `F2` back from 15 ms on.
fn congestion() -> Congestion {
    let at = |ms: u64| Span::from_us(1000 * ms).after_start();
    let sample = |ms: u64| TreeSample {
        at: at(ms),
        since: at(15),
        root: 0,
        queue: Bytes::new(31_110),
        branches: 3,
        depth: 2,
        ports: 4,
        contributors: 3,
        victims: 1,
    };
    let root = RootRecord {
        node: "S1".to_owned(),
        port: 2,
        peer: "H3".to_owned(),
        lane: 0,
        first: at(15),
        last: at(20),
        samples: 2,
        branches: 3,
        depth: 2,
        ports: 4,
        stalled: Span::from_us(21_500),
        rate: Rate::gbps(16),
        cause: Some(Cause::MoreSenders),
        senders: 3,
        contributors: vec![contributor(2, 1_500), contributor(0, 900), contributor(3, 0)],
        victims: vec![VictimRecord {
            flow: 1,
            samples: 2,
            waited: Span::from_us(7250),
            lost: Bytes::new(9_000_000),
        }],
        lost: Bytes::new(9_000_000),
    };
    let branch = |node: &str, port, peer: &str, depth| BranchRecord {
        node: node.to_owned(),
        port,
        peer: peer.to_owned(),
        lane: 0,
        depth,
    };
    let worst = WorstTree {
        at: at(15),
        root: 0,
        branches: vec![branch("H1", 1, "S1", 1), branch("H2", 1, "S1", 1), branch("H4", 1, "S1", 1)],
        contributors: vec![0, 2, 3],
        victims: vec![1],
    };
    Congestion { roots: vec![root], samples: vec![sample(15), sample(20)], sampled: 4, worst: Some(worst) }
}

fn contributor(flow: u32, kb: u64) -> ContributorRecord {
    ContributorRecord { flow, samples: 2, through: Some(Bytes::new(1000 * kb)) }
}

fn flow(name: &str, (source, destination): (&str, &str), start: Time, named: bool) -> FlowRecord {
    FlowRecord {
        name: name.into(),
        source: source.to_owned().into(),
        destination: destination.to_owned().into(),
        hosts: (0, 300),
        named,
        group: None,
        pattern: units::PackedOption::NONE,
        transport: packet::TransportService::Rc,
        operation: packet::Operation::RdmaWrite,
        start,
        stop: units::PackedOption::NONE,
        total: (!named).then_some(Bytes::new(2_500_000)).into(),
        last_delivery: Span::from_us(19_500).after_start().into(),
        delivered: Bytes::new(2_500_000),
        packets: 1250,
        messages: 10,
        becns: 3,
        latency_sum: Span::from_us(12_500),
        latency_max: Span::from_ns(31_500),
        marks: Some(Box::new(marks(2, 1))),
        repeats: Some(Box::new(RepeatTally {
            retransmitted: 7,
            spurious: 2,
            out_of_order: 25,
            refused: 0,
            waiting: 0,
            farthest: 9,
            held_bytes: 18_432,
        })),
    }
}

fn lane(node: &str, port: u16, peer: &str) -> LaneRecord {
    LaneRecord {
        node: node.to_owned(),
        port,
        peer: peer.to_owned(),
        lane: 0,
        rate: Rate::gbps(16),
        sent: Bytes::new(21_000_000),
        packets: 10_000,
        received: Bytes::new(1_000_000),
        received_packets: 500,
        buffer: Bytes::kib(64),
        peak: Bytes::new(62_464),
        mean: 12_345.678_9,
        load: (port == 2).then_some(OutputLoad {
            queue_peak: Bytes::new(31_110),
            queue_mean: 15_555.0,
            flows: Some(4),
            congested: 3,
            rooted: 2,
            stalled: 0,
        }),
        output_queue: (port == 2).then_some(QueueRecord { peak: Bytes::new(4148), mean: 1_234.567_8 }),
        marking: (port == 2).then_some(MarginRecord {
            load: Bytes::new(31_110),
            limit: Bytes::new(32_768),
            counts: Some(MarginCounts { crossings: 0, near_misses: 4, first: None }),
        }),
        marking_all: None,
        trigger: None,
        stalled: Span::from_us(1250),
        pause: None,
        marks: marks(20, 1),
        chosen: None,
    }
}

/// Returns the pauses and drops of a lane under PFC.
#[must_use]
pub fn pause() -> PauseRecord {
    PauseRecord {
        sent: 17,
        heard: 3,
        paused: Span::from_us(123),
        dropped_at_input: 1,
        dropped_at_output: 0,
        threshold: MarginRecord { load: Bytes::kib(9), limit: Bytes::kib(8), counts: None },
        headroom: None,
    }
}

/// Returns the reasons of every marking rule, so that the manual has to describe all of their columns.
fn every_reason() -> Vec<(MarkCode, &'static str)> {
    let all = [IbaMarker::REASONS, HpMarker::REASONS, RedMarker::REASONS].concat();
    all.iter().map(|reason| (reason.code, reason.name)).collect()
}

fn marks(root: u32, victim_mask: u32) -> Marks {
    let mut marks = Marks::default();
    for (reason, count) in [(IbaMarker::ROOT, root), (IbaMarker::VICTIM_MASK, victim_mask)] {
        for _ in 0..count {
            marks.count(reason.code);
        }
    }
    marks
}
