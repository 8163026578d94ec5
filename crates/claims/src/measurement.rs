//! The numbers that a measure yields of a run.
//!
//! Invariant: numbers are in the plain unit of their dimension: bit/s, s, packets, bytes, or none.

use experiment::Outcome;
use measures::censoring::{CensoredValue, quantile};
use measures::samples::{self, Samples};
use measures::statistics::{jain, mean, spread, variation};
use measures::{Measured, Missing, PhasePart};
use results::summary::PhaseSummary;
use telemetry::{Phase, RunRecord, SeriesColumn, WatchedQuantity};

use crate::language::Measure;

/// Part of a phase at its end that gives the flows' final goodput: 1 in this number.
const LAST: u64 = 10;

/// Subject of a claim or figure that its run does not have: a mistake in the claims file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotInRun {
    /// A phase, counted from 1.
    #[error("phase {0}")]
    Phase(usize),
    /// A flow, by name.
    #[error("flow {0}")]
    Flow(String),
    /// A switch, by name.
    #[error("switch {0}")]
    Switch(String),
    /// A host to which flows send, by name.
    #[error("a flow to {0}")]
    Receiver(String),
    /// A watched queue, by `SWITCH:PORT`.
    #[error("{0}_queue_bytes")]
    Queue(String),
    /// A sample in the stretch of time that is measured.
    #[error("a sample")]
    Sample,
    /// A sample of a watched queue, by `SWITCH:PORT`.
    #[error("a sample of {0}")]
    QueueSample(String),
    /// Goodput in the second half of a phase.
    #[error("goodput in phase {0}")]
    Goodput(usize),
    /// A gain of goodput in a phase.
    #[error("a gain in phase {0}")]
    Gain(usize),
    /// A sample in which goodput has recovered.
    #[error("a sample that is back")]
    Recovery,
    /// Completion times of all messages.
    #[error("the completion of every message")]
    Completions,
    /// DCQCN's congestion control.
    #[error("DCQCN")]
    Dcqcn,
    /// A measure, with the reason for which the run lacks it.
    #[error("{0} ({1})")]
    Measure(measures::Measure, Missing),
    /// A measure of which the run has a lower bound only.
    #[error("the value of {0}, beyond a lower bound")]
    Bound(measures::Measure),
}

/// Returns the numbers that a measure yields of a run.
///
/// # Errors
/// If the run lacks the subject of the measure.
pub fn measured(measure: &Measure, outcome: &Outcome) -> Result<Vec<f64>, NotInRun> {
    match measure {
        Measure::Held { switches, flows, packet_bytes } => {
            let count = named_flows(outcome, flows)?.len();
            Ok(vec![occupancy(outcome, switches)? / f64::from(*packet_bytes) / count as f64])
        }
        Measure::TimeToReach { flows, phase, share } => {
            time_to_reach(outcome, &named_flows(outcome, flows)?, *phase, *share).map(|seconds| vec![seconds])
        }
        Measure::Total { phase: number, over } => {
            let phase = summary(outcome, *number)?;
            Ok(vec![match over {
                PhasePart::SecondHalf => phase.second_half_total_goodput_bps,
                PhasePart::Whole => phase.total_goodput_bps,
            }])
        }
        Measure::Received { host, phase: number, over } => {
            received_bps(outcome, host, *number, *over).map(|goodput| vec![goodput])
        }
        Measure::Lowest { phase: number } => {
            let samples = Samples::of_phase(&outcome.record.series, phase(outcome, *number)?);
            let lowest = samples.bytes(&total(&outcome.record)?).into_iter().reduce(f64::min);
            let interval = outcome.record.series.interval;
            Ok(vec![lowest.ok_or(NotInRun::Sample)? * 8.0 / interval.seconds()])
        }
        Measure::Queue { place, phase: number } => {
            let queue = queue_samples(outcome, place, phase(outcome, *number)?)?;
            Ok(vec![mean(&queue).ok_or_else(|| NotInRun::QueueSample(place.clone()))?])
        }
        Measure::QueueSwing { place, phase: number } => {
            let mut queue = queue_samples(outcome, place, phase(outcome, *number)?)?;
            queue.sort_unstable_by(f64::total_cmp);
            let quantile =
                |share| quantile(&queue, share).ok_or_else(|| NotInRun::QueueSample(place.clone()));
            Ok(vec![quantile(0.95)? - quantile(0.05)?])
        }
        Measure::BackAfter { phase: number, share } => {
            time_to_recover(outcome, *number, *share).map(|seconds| vec![seconds])
        }
        Measure::Completion(statistic) => {
            let times = completion_times(outcome).ok_or(NotInRun::Completions)?;
            Ok(vec![statistic.of(times).ok_or(NotInRun::Completions)?])
        }
        Measure::Pauses => {
            let lanes = &outcome.record.lanes;
            Ok(vec![lanes.iter().filter_map(|lane| lane.pause).map(|pause| pause.sent).sum::<u64>() as f64])
        }
        Measure::Of(measure) => Ok(vec![of_language(measure, outcome)?]),
        Measure::Marked => Ok(vec![outcome.record.marks.total() as f64]),
        Measure::Lost => Ok(vec![outcome.record.dropped_packets as f64]),
        Measure::Farthest { flows } => {
            let farthest = |place: usize| outcome.record.flows[place].repeats().farthest as f64;
            Ok(named_flows(outcome, flows)?.into_iter().map(farthest).collect())
        }
        Measure::Ratio { flows, to, phase } => {
            let mean = |flows| mean(&goodput(outcome, flows, *phase)?).ok_or(NotInRun::Goodput(*phase));
            Ok(vec![mean(flows)? / mean(to)?])
        }
        Measure::Goodput { flows, phase }
        | Measure::Sum { flows, phase }
        | Measure::Mean { flows, phase }
        | Measure::Jain { flows, phase }
        | Measure::Spread { flows, phase }
        | Measure::Variation { flows, phase } => in_second_half(measure, outcome, flows, *phase),
    }
}

/// Returns the number of a measure of sweeps and tunings. A lower bound is no number that a claim could be judged by.
fn of_language(measure: &measures::Measure, outcome: &Outcome) -> Result<f64, NotInRun> {
    let Measured { value, censored, missing, .. } = measures::run::one(outcome.measured(), measure);
    match (value, missing) {
        (Some(value), _) if !censored => Ok(value),
        (_, Some(reason)) => Err(NotInRun::Measure(measure.clone(), reason)),
        _ => Err(NotInRun::Bound(measure.clone())),
    }
}

/// Returns the times from posting to acknowledgement, in seconds; `None` if one is missing.
fn completion_times(outcome: &Outcome) -> Option<Vec<f64>> {
    let messages = &outcome.record.completions.as_ref()?.messages;
    let times = messages.iter().map(|one| Some(one.acknowledged?.at.since(one.posted).ps() as f64 / 1e12));
    times.collect()
}

/// Returns the places of the named flows among those that the scenario names; `local*` means all flows with names that
/// begin with `local`.
///
/// # Errors
/// If a name fits no flow.
pub(crate) fn named_flows(outcome: &Outcome, names: &[String]) -> Result<Vec<usize>, NotInRun> {
    let known = &outcome.record.flows[..outcome.record.named()];
    let mut places = Vec::new();
    for wanted in names {
        let before = places.len();
        let fits = |name: &str| match wanted.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == wanted,
        };
        places.extend((0..known.len()).filter(|place| fits(&known[*place].name)));
        if places.len() == before {
            return Err(NotInRun::Flow(wanted.clone()));
        }
    }
    Ok(places)
}

fn phase(outcome: &Outcome, number: usize) -> Result<&Phase, NotInRun> {
    outcome.record.phases.get(number - 1).ok_or(NotInRun::Phase(number))
}

fn summary(outcome: &Outcome, number: usize) -> Result<&PhaseSummary, NotInRun> {
    outcome.summary.phases.get(number - 1).ok_or(NotInRun::Phase(number))
}

/// Returns the place of the total in the series.
fn total(record: &RunRecord) -> Result<[usize; 1], NotInRun> {
    record.series.place(SeriesColumn::Total).map(|place| [place]).ok_or(NotInRun::Sample)
}

/// Returns the goodput of each flow in the second half of a phase.
fn goodput(outcome: &Outcome, flows: &[String], number: usize) -> Result<Vec<f64>, NotInRun> {
    let phase = summary(outcome, number)?;
    let places = named_flows(outcome, flows)?;
    Ok(places.into_iter().map(|place| phase.flows[place].second_half_goodput_bps).collect())
}

/// Returns a measure of flows' goodput in the second half of a phase.
fn in_second_half(
    measure: &Measure,
    outcome: &Outcome,
    flows: &[String],
    number: usize,
) -> Result<Vec<f64>, NotInRun> {
    let goodput = goodput(outcome, flows, number)?;
    let nothing = || NotInRun::Goodput(number);
    Ok(match measure {
        Measure::Sum { .. } => vec![goodput.iter().sum()],
        Measure::Mean { .. } => vec![mean(&goodput).ok_or_else(nothing)?],
        Measure::Jain { .. } => vec![jain(goodput).ok_or_else(nothing)?],
        Measure::Spread { .. } => vec![spread(&goodput).ok_or_else(nothing)?],
        Measure::Variation { .. } => {
            let samples = Samples::of_second_half(&outcome.record.series, phase(outcome, number)?);
            // The first columns of the series are the named flows.
            let of = |flow: &usize| variation(&samples.bytes(&[*flow])).ok_or_else(nothing);
            named_flows(outcome, flows)?.iter().map(of).collect::<Result<_, _>>()?
        }
        _ => goodput,
    })
}

/// Returns the goodput of all flows to a host together, over a part of a phase.
fn received_bps(outcome: &Outcome, host: &str, number: usize, over: PhasePart) -> Result<f64, NotInRun> {
    let record = &outcome.record;
    let phase = phase(outcome, number)?;
    let flows = record.flows.iter().enumerate();
    let places: Vec<_> =
        flows.filter(|(_, flow)| *flow.destination == host).map(|(place, _)| place).collect();
    if places.is_empty() {
        return Err(NotInRun::Receiver(host.to_owned()));
    }
    Ok(measures::phase::goodput(record, places, phase, over))
}

/// Returns the mean occupancy of these switches' input buffers together, in bytes.
fn occupancy(outcome: &Outcome, switches: &[String]) -> Result<f64, NotInRun> {
    let lanes = &outcome.record.lanes;
    if let Some(missing) = switches.iter().find(|switch| !lanes.iter().any(|lane| lane.node == **switch)) {
        return Err(NotInRun::Switch(missing.clone()));
    }
    Ok(lanes.iter().filter(|lane| switches.contains(&lane.node)).map(|lane| lane.mean).sum())
}

/// Returns the samples of a watched queue in the second half of a phase, in bytes; never empty.
fn queue_samples(outcome: &Outcome, place: &str, phase: &Phase) -> Result<Vec<f64>, NotInRun> {
    let (watched, interval) = (&outcome.record.watched, outcome.record.series.interval);
    let column = queue_column(outcome, place)?;
    // A queue is sampled at an instant: that at the end of the phase belongs to the next.
    let second_half = phase.second_half..phase.to;
    let rows = (1..)
        .zip(&watched.rows)
        .filter(|(number, _)| second_half.contains(&(interval * *number).after_start()));
    let queue: Vec<_> = rows.map(|(_, row)| row[column]).collect();
    if queue.is_empty() { Err(NotInRun::QueueSample(place.to_owned())) } else { Ok(queue) }
}

/// Returns the place of an output's queue among the watched quantities.
pub(crate) fn queue_column(outcome: &Outcome, place: &str) -> Result<usize, NotInRun> {
    let object = format!("{place} VL0");
    let is_queue = |one: &WatchedQuantity| one.object == object && one.quantity == "queue_bytes";
    let column = outcome.record.watched.quantities.iter().position(is_queue);
    column.ok_or_else(|| NotInRun::Queue(place.to_owned()))
}

/// Returns the time from a phase's start until all flows together have a share of their goodput in the first phase.
fn time_to_recover(outcome: &Outcome, number: usize, share: f64) -> Result<f64, NotInRun> {
    let series = &outcome.record.series;
    let wanted = share * summary(outcome, 1)?.second_half_total_goodput_bps / 8.0 * series.interval.seconds();
    let recovery = samples::recovery(series, &total(&outcome.record)?, phase(outcome, number)?, wanted);
    // A lower bound is no measured time.
    recovery.and_then(CensoredValue::exact).ok_or(NotInRun::Recovery)
}

/// Returns the time from a phase's start until the flows have a share of their gain in it.
fn time_to_reach(outcome: &Outcome, places: &[usize], number: usize, share: f64) -> Result<f64, NotInRun> {
    let (before, now) = (phase(outcome, number - 1)?, phase(outcome, number)?);
    let series = &outcome.record.series;
    let mean = |samples: Samples<'_>| mean(&samples.bytes(places)).ok_or(NotInRun::Sample);
    let old = mean(Samples::of_second_half(series, before))?;
    let new = mean(Samples::between(series, now.to - now.to.since(now.from) / LAST, now.to))?;
    // A gain of nothing would be reached at once, or never.
    if new <= old {
        return Err(NotInRun::Gain(number));
    }
    let wanted = old + share * (new - old);
    // The mean of the last samples is at least `wanted`, so a sample reaches it.
    let reached = Samples::of_phase(series, now).time_to(places, wanted);
    Ok(reached.ok_or(NotInRun::Sample)?.seconds())
}

#[cfg(test)]
pub(crate) mod tests {
    use experiment::Outcome;
    use measures::run::Posting;
    use results::{RunCost, RunIdentity, Summary};
    use telemetry::{FlowRecord, LaneRecord, Marks, Phase, RunRecord, Series, Snapshot};
    use units::{Bytes, Rate, Span, Time};

    use super::*;

    /// Returns the outcome of a run of two phases, 4 ms and 10 ms long. In the second half of the first phase, three
    /// flows deliver 1, 1 and 2 MB. In the second phase F1 delivers alone: 0.5 MB in the first ms, 0.5 MB more in each
    /// following ms, up to 2 MB.
    pub(crate) fn outcome() -> Outcome {
        let at = |ms: u64| Span::from_us(1000 * ms).after_start();
        let bytes = |kb: [u64; 3]| kb.iter().map(|kb| Bytes::new(kb * 1000)).collect::<Vec<_>>();
        let flow = |name: &str| FlowRecord { name: name.into(), named: true, ..FlowRecord::default() };
        let mut rows = [[900, 0, 0], [0, 0, 0], [500, 250, 1000], [500, 750, 1000]].map(bytes).to_vec();
        rows.extend([500, 1000, 1500, 2000, 2000, 2000, 2000, 2000, 2000, 2000].map(|kb| bytes([kb, 0, 0])));
        rows.iter_mut().for_each(|row| row.push(row.iter().copied().sum()));
        let columns = (0..3).map(SeriesColumn::Flow).chain([SeriesColumn::Total]).collect();
        let phase = |name: &str, from, to| Phase::new(name.to_owned(), from, to);
        let record = RunRecord {
            flows: vec![flow("F1"), flow("F2"), flow("F3")],
            phases: vec![phase("F1 starts", Time::ZERO, at(4)), phase("F2, F3 stop", at(4), at(14))],
            snapshots: [
                (0, [0, 0, 0]),
                (2, [900, 0, 0]),
                (4, [1900, 1000, 2000]),
                (9, [8900, 1000, 2000]),
                (14, [18900, 1000, 2000]),
            ]
            .map(|(ms, kb)| Snapshot { at: at(ms), delivered: bytes(kb) })
            .to_vec(),
            series: Series { interval: Span::from_us(1000), columns, rows, spreads: Vec::new() },
            lanes: vec![lane("A", 3000.0), lane("B", 1000.0), lane("B", 500.0)],
            ..RunRecord::default()
        };
        let context =
            RunIdentity { scenario: "hand-made", congestion_control: "Off", seed: 1, version: "0.0.0" };
        Outcome {
            summary: Summary::new(context, &record, RunCost::default()),
            posting: vec![Posting::Endless; 3],
            record,
        }
    }

    fn lane(node: &str, mean: f64) -> LaneRecord {
        LaneRecord {
            node: node.to_owned(),
            port: 1,
            peer: String::new(),
            lane: 0,
            rate: Rate::gbps(8),
            sent: Bytes::ZERO,
            packets: 0,
            received: Bytes::ZERO,
            received_packets: 0,
            buffer: Bytes::kib(8),
            peak: Bytes::kib(8),
            mean,
            load: None,
            output_queue: None,
            marking: None,
            marking_all: None,
            trigger: None,
            stalled: Span::ZERO,
            pause: None,
            marks: Marks::default(),
            chosen: None,
        }
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn of(make: impl Fn(Vec<String>, usize) -> Measure, flows: &[&str]) -> Vec<f64> {
        measured(&make(owned(flows), 1), &outcome()).unwrap()
    }

    #[test]
    fn measures_look_at_the_second_half() {
        let all = ["F1", "F2", "F3"];
        assert_eq!(of(|flows, phase| Measure::Goodput { flows, phase }, &all), [4e9, 4e9, 8e9]);
        assert_eq!(of(|flows, phase| Measure::Goodput { flows, phase }, &["F*"]), [4e9, 4e9, 8e9]);
        assert_eq!(of(|flows, phase| Measure::Sum { flows, phase }, &["F1", "F3"]), [12e9]);
        assert_eq!(of(|flows, phase| Measure::Mean { flows, phase }, &["F1", "F3"]), [6e9]);
        assert_eq!(of(|flows, phase| Measure::Jain { flows, phase }, &all), [16.0 * 16.0 / (3.0 * 96.0)]);
        let idle = Measure::Jain { flows: owned(&["F2", "F3"]), phase: 2 };
        assert_eq!(measured(&idle, &outcome()), Err(NotInRun::Goodput(2)));
        let two = ["F1", "F3"];
        assert_eq!(of(|flows, phase| Measure::Ratio { flows, to: owned(&["F3"]), phase }, &two), [0.75]);
        assert!((of(|flows, phase| Measure::Spread { flows, phase }, &two)[0] - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(of(|flows, phase| Measure::Variation { flows, phase }, &all), [0.0, 0.5, 0.0]);
    }

    /// F1 gains from 0.5 to 2 MB/ms: nine tenths of the gain are reached at 1.85 MB/ms, two thirds at 1.5.
    #[test]
    fn the_time_to_reach_refers_to_the_gain_of_the_phase() {
        let time = |phase, share| {
            let measure = Measure::TimeToReach { flows: owned(&["F1"]), phase, share };
            measured(&measure, &outcome())
        };
        assert!((time(2, 0.9).unwrap()[0] - 0.004).abs() < 1e-12);
        assert!((time(2, 0.6).unwrap()[0] - 0.003).abs() < 1e-12);
        let lost = Measure::TimeToReach { flows: owned(&["F2", "F3"]), phase: 2, share: 0.9 };
        assert_eq!(measured(&lost, &outcome()), Err(NotInRun::Gain(2)));
    }

    /// The second phase has 0.5 MB in the first ms, 1.0 in the second, and 2 from the fourth on. The second half of the
    /// first has 0.5 + 0.25 + 1.0 and 0.5 + 0.75 + 1.0 MB, on average 2 MB/ms.
    #[test]
    fn totals_are_of_all_flows() {
        let all = |measure| measured(&measure, &outcome());
        let total = |phase, over| all(Measure::Total { phase, over });
        assert_eq!(total(1, PhasePart::SecondHalf), Ok(vec![16e9]));
        assert_eq!(total(2, PhasePart::SecondHalf), Ok(vec![16e9]));
        // 4.9 MB in 4 ms, and 17 MB in 10 ms.
        assert_eq!(
            [total(1, PhasePart::Whole), total(2, PhasePart::Whole)],
            [Ok(vec![9.8e9]), Ok(vec![13.6e9])]
        );
        assert_eq!(all(Measure::Lowest { phase: 1 }), Ok(vec![0.0]));
        assert_eq!(all(Measure::Lowest { phase: 2 }), Ok(vec![4e9]));
        let back = |phase, share| all(Measure::BackAfter { phase, share }).map(|ms| (ms[0] * 1e6).round());
        assert_eq!(back(2, 0.95), Ok(4000.0));
        assert_eq!(back(2, 0.5), Ok(2000.0));
        assert_eq!(back(2, 1.5), Err(NotInRun::Recovery));
    }

    #[test]
    fn any_measure_of_sweeps_can_be_claimed() {
        let of = |text: &str| measured(&Measure::Of(text.parse().unwrap()), &outcome());
        assert_eq!(of("goodput(all, 1)"), Ok(vec![16e9]));
        assert_eq!(of("goodput(F3, 1)"), Ok(vec![8e9]));
        let missing = of("p99(all)").unwrap_err();
        assert_eq!(missing.to_string(), "p99(all) (completion times were not kept (`completions: NotKept`))");
        // The flows do not come back to more than they had in the second half of the first phase.
        let bound = of("recovery(F3, 2)").unwrap_err();
        assert_eq!(bound.to_string(), "the value of recovery(F3, 2), beyond a lower bound");
    }

    /// In the first phase H1 receives 1 and 1 MB in the second half, and 1.9 and 1 MB in all.
    #[test]
    fn a_host_receives_what_all_its_flows_deliver() {
        let mut outcome = outcome();
        for (flow, host) in outcome.record.flows.iter_mut().zip(["H1", "H1", "H2"]) {
            flow.destination = host.to_owned().into();
        }
        outcome.record.flows[1].named = false;
        let of = |host: &str, phase, over| {
            measured(&Measure::Received { host: host.to_owned(), phase, over }, &outcome)
        };
        assert_eq!(of("H1", 1, PhasePart::SecondHalf), Ok(vec![8e9]));
        assert_eq!(of("H1", 1, PhasePart::Whole), Ok(vec![5.8e9]));
        assert_eq!(of("H2", 2, PhasePart::Whole), Ok(vec![0.0]));
        assert_eq!(of("H3", 1, PhasePart::Whole), Err(NotInRun::Receiver("H3".to_owned())));
        assert_eq!(of("H1", 3, PhasePart::Whole), Err(NotInRun::Phase(3)));
    }

    #[test]
    fn occupancy_is_divided_by_the_flows() {
        let held = |switches: &[&str]| {
            let (switches, flows) = (owned(switches), owned(&["F1", "F3"]));
            measured(&Measure::Held { switches, flows, packet_bytes: 1000 }, &outcome())
        };
        assert_eq!(held(&["B"]), Ok(vec![0.75]));
        assert_eq!(held(&["A", "B"]), Ok(vec![2.25]));
        assert_eq!(held(&["C"]), Err(NotInRun::Switch("C".to_owned())));
    }

    /// The second half of the first phase lasts from 2 ms to 4 ms, its end excluded: samples of 20 and 60 bytes.
    #[test]
    fn a_queue_is_that_of_the_second_half() {
        let mut outcome = outcome();
        let of = |object: &str, quantity| WatchedQuantity { object: object.to_owned(), quantity };
        outcome.record.watched = telemetry::Watched {
            quantities: vec![of("F1", "alpha"), of("A:3 VL0", "queue_bytes")],
            rows: [1e9, 20.0, 60.0, 1e9].map(|bytes| vec![0.5, bytes]).to_vec(),
        };
        let of = |place: &str| {
            let place = place.to_owned();
            let queue = measured(&Measure::Queue { place: place.clone(), phase: 1 }, &outcome);
            (queue, measured(&Measure::QueueSwing { place, phase: 1 }, &outcome))
        };
        assert_eq!(of("A:3"), (Ok(vec![40.0]), Ok(vec![40.0])));
        let missing = || Err(NotInRun::Queue("A:4".to_owned()));
        assert_eq!(of("A:4"), (missing(), missing()));
    }

    #[test]
    fn packets_are_counted_over_the_whole_run() {
        let mut outcome = outcome();
        let margin = telemetry::MarginRecord { load: Bytes::ZERO, limit: Bytes::kib(8), counts: None };
        let pause = |sent| telemetry::PauseRecord {
            sent,
            heard: 0,
            paused: Span::ZERO,
            dropped_at_input: 0,
            dropped_at_output: 0,
            threshold: margin,
            headroom: None,
        };
        outcome.record.lanes[0].pause = Some(pause(3));
        outcome.record.lanes[2].pause = Some(pause(4));
        outcome.record.dropped_packets = 5;
        outcome.record.marks.count(cc_policies::dcqcn::RedMarker::RED.code);
        let tally = telemetry::RepeatTally { farthest: 9, out_of_order: 20, ..Default::default() };
        outcome.record.flows[1].repeats = Some(Box::new(tally));
        let names = ["F1", "F2"].map(str::to_owned).to_vec();
        let of = |measure| measured(&measure, &outcome);
        assert_eq!(of(Measure::Farthest { flows: names }), Ok(vec![0.0, 9.0]));
        assert_eq!(of(Measure::Pauses), Ok(vec![7.0]));
        assert_eq!(of(Measure::Lost), Ok(vec![5.0]));
        assert_eq!(of(Measure::Marked), Ok(vec![1.0]));
    }

    #[test]
    fn completion_times_end_with_the_acknowledgement() {
        use crate::language::CompletionStatistic::{Longest, Mean, Median};
        let message = |ms: u64| telemetry::MessageRecord {
            flow: 0,
            number: 1,
            size: Bytes::kib(1),
            posted: Span::from_us(1000).after_start(),
            completed: Some(Span::from_us(1001).after_start()),
            ideal: Span::from_us(1),
            acknowledged: Some(telemetry::Acknowledged {
                at: Span::from_us(1000 * (ms + 1)).after_start(),
                ideal: Span::from_us(2),
            }),
        };
        let mut outcome = outcome();
        let of = |outcome: &Outcome| {
            [Mean, Median, Longest].map(|statistic| measured(&Measure::Completion(statistic), outcome))
        };
        assert_eq!(of(&outcome)[0], Err(NotInRun::Completions));
        let messages = [4, 1, 2, 9].map(message).to_vec();
        outcome.record.completions = Some(telemetry::Completions { messages, ..Default::default() });
        assert_eq!(of(&outcome), [4e-3, 3e-3, 9e-3].map(|time| Ok(vec![time])));
        let all = outcome.record.completions.as_mut().unwrap();
        all.messages.remove(3);
        assert_eq!(of(&outcome)[1], Ok(vec![2e-3]));
        outcome.record.completions.as_mut().unwrap().messages[0].acknowledged = None;
        assert!(of(&outcome).into_iter().all(|of| of == Err(NotInRun::Completions)));
    }

    #[test]
    fn a_missing_flow_or_phase_is_named() {
        let measure = |flow: &str, phase| Measure::Sum { flows: owned(&[flow]), phase };
        assert_eq!(measured(&measure("F9", 1), &outcome()), Err(NotInRun::Flow("F9".to_owned())));
        assert_eq!(measured(&measure("G*", 1), &outcome()), Err(NotInRun::Flow("G*".to_owned())));
        assert_eq!(measured(&measure("F1", 3), &outcome()), Err(NotInRun::Phase(3)));
    }
}
