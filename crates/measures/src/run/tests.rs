//! Measures of a record made by hand, with numbers worked out on paper.

use packet::{MarkCode, TransportService};
use telemetry::{
    Completions, Congestion, ContributorRecord, FiniteRecord, FlowRecord, GroupRecord, LaneRecord,
    MarginRecord, Marks, MessageRecord, OutputLoad, PauseRecord, Phase, PortSample, PortSeries, RootRecord,
    Series, SeriesColumn, Snapshot, VictimRecord,
};
use units::{Bytes, PackedOption, Rate, Span, Time};

use super::*;

fn ms(ms: u64) -> Time {
    Span::from_us(1000 * ms).after_start()
}

/// Returns a record of three phases of 20 ms, with samples of 1 ms. `F1` sends without an end. Two flows of the group
/// `job` send 4 MB each in the second phase: the first is done at 30 ms, the other not at all.
///
/// | flow | 0 to 20 ms | 20 to 40 ms | 40 to 60 ms |
/// |---|---|---|---|
/// | `F1` | 1 MB a ms | 0.5 MB a ms | 0.25 MB a ms, from 45 ms on 1 MB a ms |
/// | `job[0]` | | 0.4 MB a ms for 10 ms | |
/// | `job[1]` | | 0.1 MB a ms | 0.05 MB a ms |
fn record() -> RunRecord {
    let flow = |name: &str, start, total: Option<u64>| FlowRecord {
        name: name.into(),
        source: format!("host of {name}").into(),
        named: total.is_none(),
        group: total.map(|_| 0),
        start,
        total: total.map(Bytes::new).into(),
        ..FlowRecord::default()
    };
    let mut flows = vec![
        flow("F1", ms(0), None),
        flow("job[0]", ms(20), Some(4_000_000)),
        flow("job[1]", ms(20), Some(4_000_000)),
    ];
    let kb = |ms: u64| match ms {
        0..20 => [1000, 0, 0],
        20..30 => [500, 400, 100],
        30..40 => [500, 0, 100],
        40..45 => [250, 0, 50],
        _ => [1000, 0, 50],
    };
    let until = |end: u64| [0, 1, 2].map(|flow| (0..end).map(|ms| kb(ms)[flow] * 1000).sum::<u64>());
    for (flow, delivered) in flows.iter_mut().zip(until(60)) {
        flow.delivered = Bytes::new(delivered);
        flow.last_delivery = ms(60).into();
    }
    flows[1].last_delivery = ms(30).into();
    flows[1].marks.get_or_insert_default().count(MarkCode::new(1));
    let row = |ms: u64| {
        let [first, second, third] = kb(ms).map(|kb| Bytes::new(1000 * kb));
        vec![first, second + third, first + second + third]
    };
    let columns = vec![SeriesColumn::Flow(0), SeriesColumn::Group(0), SeriesColumn::Total];
    let phase = |name: &str, from, to| Phase::new(name.to_owned(), ms(from), ms(to));
    RunRecord {
        simulated: Span::from_us(60_000),
        flows,
        groups: vec![GroupRecord { name: "job".to_owned() }],
        phases: vec![
            phase("F1 starts", 0, 20),
            phase("job starts", 20, 40),
            phase("hot spot at h1 stops", 40, 60),
        ],
        snapshots: [0, 10, 20, 30, 40, 50, 60]
            .map(|at| Snapshot { at: ms(at), delivered: until(at).map(Bytes::new).to_vec() })
            .to_vec(),
        series: Series {
            interval: Span::from_us(1000),
            columns,
            rows: (0..60).map(row).collect(),
            spreads: vec![],
        },
        completions: Some(completions()),
        congestion: congestion(),
        lanes: vec![lane("host of F1", 6, Some(30)), lane("S1", 12, Some(0))],
        ..RunRecord::default()
    }
}

/// Returns 100 messages of `F1`, and a message of each flow of the job. `F1`'s messages take 1, 2, ... ms in an empty
/// fabric's 1 ms, and its last two are not delivered.
fn completions() -> Completions {
    let message = |(flow, number): (u32, u32), took: Option<u64>, posted| MessageRecord {
        flow,
        number,
        size: Bytes::new(1000),
        posted: ms(posted),
        completed: took.map(|took| ms(posted + took)),
        ideal: Span::from_us(1000),
        acknowledged: None,
    };
    let mut messages: Vec<_> = (1..=98).map(|took| message((0, took as u32), Some(took), 0)).collect();
    messages.extend([99, 100].map(|number| message((0, number), None, 2)));
    messages.extend([message((1, 1), Some(10), 20), message((2, 1), None, 20)]);
    let mut all = Completions { messages, end: ms(60), ..Completions::default() };
    all.sort();
    all
}

fn congestion() -> Congestion {
    let victim =
        VictimRecord { flow: 0, samples: 3, waited: Span::from_us(2500), lost: Bytes::new(1_000_000) };
    let contributors = vec![ContributorRecord { flow: 2, samples: 3, through: Some(Bytes::new(1000)) }];
    let root = RootRecord { victims: vec![victim], contributors, ..RootRecord::default() };
    Congestion { roots: vec![root], sampled: 60, ..Congestion::default() }
}

fn lane(node: &str, stalled_ms: u64, paused_ms: Option<u64>) -> LaneRecord {
    let threshold = MarginRecord { load: Bytes::ZERO, limit: Bytes::kib(8), counts: None };
    let pause = |ms: u64| PauseRecord {
        sent: 1,
        heard: 1,
        paused: Span::from_us(1000 * ms),
        dropped_at_input: 0,
        dropped_at_output: 0,
        threshold,
        headroom: None,
    };
    LaneRecord {
        node: node.to_owned(),
        port: 1,
        peer: "S2".to_owned(),
        lane: 0,
        rate: Rate::gbps(16),
        sent: Bytes::ZERO,
        packets: 0,
        received: Bytes::ZERO,
        received_packets: 0,
        buffer: Bytes::kib(64),
        peak: Bytes::ZERO,
        mean: 0.0,
        output_queue: None,
        load: (node == "S1").then(|| OutputLoad { queue_peak: Bytes::new(5000), ..OutputLoad::default() }),
        marking: None,
        marking_all: None,
        trigger: None,
        stalled: Span::from_us(1000 * stalled_ms),
        pause: paused_ms.map(pause),
        marks: Marks::default(),
        chosen: None,
    }
}

const ENDS: [Posting; 3] = [Posting::Endless, Posting::Ends(Time::NEVER), Posting::Ends(Time::NEVER)];

fn of_record(record: &RunRecord, text: &str) -> Measured {
    let measure: Measure = text.parse().expect(text);
    let run = MeasuredRun { record, ends: &ENDS };
    let group = Group::find(run, &measure.group);
    measured(run, &measure, group.as_ref().map_err(Clone::clone))
}

#[track_caller]
fn assert_value(record: &RunRecord, text: &str, expected: f64) {
    let Measured { value, censored, missing, .. } = of_record(record, text);
    let value = value.unwrap_or_else(|| panic!("{text}: {missing:?}"));
    assert!(
        !censored && (value - expected).abs() <= 1e-9 * expected.abs(),
        "{text}: {value}, not {expected}"
    );
}

#[track_caller]
fn assert_bound(record: &RunRecord, text: &str, expected: f64) {
    let measured = of_record(record, text);
    assert!(measured.censored, "{measured:?}");
    assert!(measured.value.is_some_and(|value| (value - expected).abs() < 1e-12), "{measured:?}");
}

#[track_caller]
fn assert_missing(record: &RunRecord, text: &str, expected: &Missing) {
    let measured = of_record(record, text);
    assert_eq!((measured.value, measured.censored), (None, false), "{text}");
    assert_eq!(measured.missing.as_ref(), Some(expected), "{text}");
}

/// Messages of `F1` take 1 to 98 ms, and two take at least 58 ms: the 50th takes 50 ms whatever these take. The 59th
/// takes 58 ms or more.
#[test]
fn quantiles_count_messages_that_were_not_delivered() {
    let record = record();
    assert_value(&record, "p50(F1)", 0.050);
    assert_value(&record, "slowdown_p50(F1)", 50.0);
    let p95 = of_record(&record, "p95(F1)");
    assert_eq!((p95.value, p95.censored, p95.at_most), (Some(0.093), true, Some(0.095)));
    assert_bound(&record, "p99(F1)", 0.097);
    assert_bound(&record, "p999(F1)", 0.098);
    assert_bound(&record, "slowdown_p99(F1)", 97.0);
    assert_bound(&record, "mean_completion(F1)", (98.0 * 99.0 / 2.0 + 2.0 * 58.0) / 100.0 * 1e-3);
    assert_value(&record, "p50(job)", 0.010);
    assert_bound(&record, "p99(job)", 0.040);
}

#[test]
fn the_last_delivery_of_a_group_is_known_once_all_of_it_is_delivered() {
    let mut record = record();
    assert_missing(&record, "last(F1)", &Missing::Endless);
    assert_missing(&record, "last(all)", &Missing::Endless);
    assert_bound(&record, "last(job)", 0.040);
    assert_value(&record, "last(job[0])", 0.010);
    record.flows[2].total = record.flows[2].delivered.into();
    record.flows[2].last_delivery = ms(59).into();
    assert_value(&record, "last(job)", 0.039);
    // Of a flow with an unknown amount of data, the messages tell.
    record.flows[1].total = PackedOption::NONE;
    let job = |record: &RunRecord, stop: Time| {
        let ends = [Posting::Endless, Posting::Ends(stop), Posting::Ends(Time::NEVER)];
        let run = MeasuredRun { record, ends: &ends };
        let last = last::last(run, &Group::find(run, "job").unwrap());
        last.map(CensoredValue::exact)
    };
    assert_eq!(job(&record, ms(25)), Ok(Some(0.039)));
    assert_eq!(job(&record, ms(61)), Ok(None));
    // The run was done before the flow's stop, as with `until_done`.
    let finite = |done| Some(FiniteRecord { messages: None, posted: 9, delivered: 9, done });
    record.finite = finite(Some(ms(59)));
    assert_eq!(job(&record, ms(61)), Ok(Some(0.039)));
    record.finite = finite(None);
    assert_eq!(job(&record, ms(61)), Ok(None));
    record.completions = None;
    assert_eq!(job(&record, ms(25)), Err(Missing::CompletionsNotKept));
}

/// `F1` delivers 20 + 10 + 16.25 MB in 60 ms.
#[test]
fn goodput_and_fairness_over_the_run_and_in_a_phase() {
    let record = record();
    assert_value(&record, "goodput(F1)", 46.25e6 * 8.0 / 0.060);
    assert_value(&record, "goodput(F1, 2)", 0.5e6 * 8.0 / 1e-3);
    assert_value(&record, "goodput(all, 2)", 0.6e6 * 8.0 / 1e-3);
    assert_value(&record, "goodput(job)", 7e6 * 8.0 / 0.060);
    // The first has 4 MB in 10 ms, the second 3 MB in 40 ms.
    assert_value(&record, "least_goodput(job)", 3e6 * 8.0 / 0.040);
    let (first, second) = (4.0 / 10.0, 3.0 / 40.0);
    let sum: f64 = first + second;
    assert_value(&record, "fairness(job)", sum * sum / (2.0 * (first * first + second * second)));
    // The first is done at 30 ms, and was active in the second phase. It delivers nothing in the second half.
    assert_value(&record, "fairness(job, 2)", 0.5);
    assert_value(&record, "fairness(job, 3)", 1.0);
    assert_value(&record, "least_goodput(job, 2)", 0.0);
    assert_missing(&record, "least_goodput(job, 1)", &Missing::NotActive);
    assert_missing(&record, "goodput(job, 4)", &Missing::NoPhase { phases: 3 });
}

/// The same run, drained for 30 ms in which `F1` delivers 8 MB more, has the same goodput: nothing is posted then.
#[test]
fn a_drain_changes_no_goodput() {
    let measures = ["goodput(F1)", "goodput(all)", "goodput(job)", "least_goodput(F1)", "fairness(all)"];
    let plain = record();
    let mut drained = record();
    drained.simulated += Span::from_us(30_000);
    (drained.audit.drained, drained.audit.drain) = (true, Span::from_us(30_000));
    drained.flows[0].delivered += Bytes::new(8_000_000);
    for measure in measures {
        let [with, without] = [&drained, &plain].map(|record| of_record(record, measure).value);
        assert!(with.is_some() && with == without, "{measure}: {with:?} {without:?}");
    }
}

/// From 40 ms on `F1` has a quarter of its first goodput, from 45 ms on all of it. So the sixth sample is the first.
#[test]
fn recovery_is_the_end_of_the_first_sample_that_is_back() {
    let mut record = record();
    assert_value(&record, "recovery(F1)", 0.006);
    assert_value(&record, "recovery(F1, 3)", 0.006);
    assert_bound(&record, "recovery(F1, 2)", 0.020);
    // All together have 1 MB a ms before, and 1 MB a ms at once when the job starts.
    assert_value(&record, "recovery(all, 2)", 0.001);
    assert_missing(&record, "recovery(F1, 1)", &Missing::FirstPhase);
    assert_missing(&record, "recovery(job)", &Missing::NoGoodput);
    assert_missing(&record, "recovery(victims)", &Missing::NoSeries);
    record.phases[2].name = "F2 starts".to_owned();
    assert_missing(&record, "recovery(F1)", &Missing::NoStop);
}

#[test]
fn oscillation_is_that_of_the_second_half_of_a_phase() {
    let mut record = record();
    assert_value(&record, "oscillation(F1)", 0.0);
    for row in record.series.rows[50..].iter_mut().step_by(2) {
        row[0] = Bytes::new(3_000_000);
    }
    // 3 and 1 in turn: the mean is 2, and each differs by 1.
    assert_value(&record, "oscillation(F1)", 0.5);
    assert_value(&record, "oscillation(F1, 3)", 0.5);
    assert_missing(&record, "oscillation(job, 1)", &Missing::NoGoodput);
    record.series.rows.truncate(59);
    assert_missing(&record, "oscillation(F1)", &Missing::FewSamples { samples: 9 });
}

#[test]
fn pauses_and_stalls_are_shares_of_the_outputs_of_a_group_s_hosts() {
    let mut record = record();
    assert_value(&record, "paused(F1)", 0.5);
    assert_value(&record, "paused(all)", 0.25);
    assert_value(&record, "stalled(F1)", 0.1);
    assert_value(&record, "stalled(all)", 0.15);
    assert_missing(&record, "paused(job)", &Missing::NoOutput);
    record.lanes.iter_mut().for_each(|lane| lane.pause = None);
    assert_missing(&record, "paused(all)", &Missing::NoPause);
    assert_missing(&record, "pause_frames(all)", &Missing::NoPause);
}

#[test]
fn counts_of_packets_waits_and_queues() {
    let mut record = record();
    record.dropped_packets = 3;
    record.flow_control_packets = 11;
    (record.transport.cnps, record.transport.retransmitted) = (7, 5);
    (record.flows[0].becns, record.flows[1].becns) = (4, 2);
    assert_value(&record, "dropped(all)", 3.0);
    assert_value(&record, "flow_control(all)", 11.0);
    assert_value(&record, "cnps(all)", 7.0);
    assert_value(&record, "retransmitted(all)", 5.0);
    assert_value(&record, "becns(job)", 2.0);
    assert_value(&record, "becns(all)", 6.0);
    assert_value(&record, "pause_frames(all)", 2.0);
    assert_value(&record, "marks(job)", 1.0);
    assert_value(&record, "marks(F1)", 0.0);
    assert_value(&record, "waited(F1)", 0.0025);
    assert_value(&record, "waited(job)", 0.0);
    assert_value(&record, "queue_peak(all)", 5000.0);
    assert_missing(&record, "queue_p99(all)", &Missing::NoPortSeries);
    // Of two outputs, the second has the longer 99th percentile; a host's output has no queue.
    let sample = |queue| PortSample { queue, ..PortSample::default() };
    let rows = (1..=100).flat_map(|n| [sample(None), sample(Some(n)), sample(Some(2 * n))]);
    record.port_series = Some(PortSeries { lanes: vec![0, 1, 2], samples: rows.collect() });
    assert_value(&record, "queue_p99(all)", 198.0);
    record.congestion.sampled = 0;
    assert_missing(&record, "waited(F1)", &Missing::NoTreeSample);
    assert_missing(&record, "queue_peak(all)", &Missing::NoTreeSample);
}

/// A packet of the first flow took 9 us, two of the second took 3 us together.
#[test]
fn latencies_are_those_of_the_group_s_packets() {
    let mut record = record();
    assert_missing(&record, "mean_latency(all)", &Missing::NoGoodput);
    assert_missing(&record, "longest_latency(all)", &Missing::NoGoodput);
    for (flow, (packets, sum, longest)) in record.flows.iter_mut().zip([(1, 9, 9), (2, 3, 2)]) {
        flow.packets = packets;
        (flow.latency_sum, flow.latency_max) = (Span::from_us(sum), Span::from_us(longest));
    }
    assert_value(&record, "mean_latency(all)", 4e-6);
    assert_value(&record, "mean_latency(job)", 1.5e-6);
    assert_value(&record, "longest_latency(job)", 2e-6);
    assert_value(&record, "longest_latency(all)", 9e-6);
}

/// A group of the scenario with the name of all flows hides only the measure.
#[test]
fn quantities_of_all_flows_need_no_name() {
    let mut record = record();
    let quantities = [Quantity::Goodput, Quantity::Stalled, Quantity::Dropped];
    let plain = of_all_flows(MeasuredRun { record: &record, ends: &ENDS }, &quantities);
    let named = quantities.map(|quantity| of_record(&record, &format!("{}(all)", quantity.name())));
    assert_eq!(plain, named);
    record.groups[0].name = ALL.to_owned();
    assert_eq!(of_all_flows(MeasuredRun { record: &record, ends: &ENDS }, &quantities), plain);
}

#[test]
fn groups_are_those_of_the_scenario_before_those_of_the_trees() {
    let mut record = record();
    assert_value(&record, "goodput(victims, 2)", 0.5e6 * 8.0 / 1e-3);
    assert_value(&record, "goodput(contributors, 2)", 0.1e6 * 8.0 / 1e-3);
    assert_missing(&record, "goodput(others)", &Missing::EmptyGroup);
    assert_missing(&record, "goodput(nobody)", &Missing::NoGroup);
    record.groups[0].name = "victims".to_owned();
    assert_value(&record, "goodput(victims, 2)", 0.1e6 * 8.0 / 1e-3);
    record.congestion.roots.clear();
    assert_missing(&record, "goodput(contributors)", &Missing::NotInTrees);
    record.groups[0].name = ALL.to_owned();
    assert_missing(&record, "goodput(all)", &Missing::AmbiguousAll);
}

#[test]
fn messages_that_cannot_be_told_apart_give_no_number() {
    let mut record = record();
    record.flows[0].transport = TransportService::Uc;
    assert_value(&record, "p50(F1)", 0.050);
    record.dropped_packets = 1;
    assert_missing(&record, "p50(F1)", &Missing::MessagesNotDistinct);
    assert_value(&record, "p50(job)", 0.010);
    record.completions = None;
    assert_missing(&record, "p50(job)", &Missing::CompletionsNotKept);
}

/// One of the job's two messages is delivered, within the 40 ms from their posting to the end. A message takes 1 ms
/// alone, and no host learns of a completion: the job's two messages keep their host waiting for 40 ms, more than ten
/// times 2 ms, and the hundred of `F1` theirs for 60 ms, less than ten times 100 ms.
#[test]
fn rates_of_messages_and_hosts_that_stand_still() {
    let record = record();
    assert_value(&record, "message_rate(job)", 25.0);
    assert_value(&record, "still_hosts(job)", 1.0);
    assert_value(&record, "message_rate(F1)", 98.0 / 0.06);
    assert_value(&record, "still_hosts(F1)", 0.0);
    let without = RunRecord { completions: None, ..record };
    assert_missing(&without, "message_rate(job)", &Missing::CompletionsNotKept);
}

/// Every number of the list equals the number that is measured alone, and survives a file.
#[test]
fn all_measures_of_a_run_stand_once_in_a_fixed_order() {
    let record = record();
    let all = all(MeasuredRun { record: &record, ends: &ENDS });
    let groups = ["all", "job", "F1", "others", "victims", "contributors"];
    let mut seen: Vec<_> = all.iter().map(|one| one.measure.group.as_str()).collect();
    seen.dedup();
    assert_eq!(seen, groups);
    // 25 quantities of each group, 5 of them also by phase, and 7 of the fabric.
    assert_eq!(all.len(), groups.len() * (25 + 5 * 3) + 7);
    for one in &all {
        let text = one.measure.to_string();
        assert_eq!(of_record(&record, &text), *one, "{text}");
        assert_eq!(one.value.is_none(), one.missing.is_some(), "{text}");
        let stored = serde_json::to_string(one).unwrap();
        assert_eq!(serde_json::from_str::<Measured>(&stored).unwrap(), *one, "{stored}");
    }
}
