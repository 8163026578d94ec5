//! From a run to the numbers that a measure yields.
//!
//! Invariant: numbers are in the plain unit of their dimension: bit/s, s, packets, bytes, or none.

use report::goodput::jain;
use report::summary::PhaseSummary;

use super::claims::Measure;
use crate::engine::Outcome;

/// The part of a phase at its end that says what a flow finally gets.
const LAST: f64 = 0.1;

/// The numbers that a measure yields of one run.
///
/// # Errors
/// What it looks for and the run does not have.
pub(super) fn measured(measure: &Measure, outcome: &Outcome) -> Result<Vec<f64>, String> {
    match measure {
        Measure::Held { switches, flows, packet_bytes } => {
            let count = named(outcome, flows)?.len();
            Ok(vec![held(outcome, switches)? / f64::from(*packet_bytes) / count as f64])
        }
        Measure::TimeToReach { flows, phase, share } => {
            time_to_reach(outcome, &named(outcome, flows)?, *phase, *share).map(|seconds| vec![seconds])
        }
        Measure::Total { phase: number } => Ok(vec![phase(outcome, *number)?.settled_total_goodput_bps]),
        Measure::Lowest { phase: number } => {
            let phase = phase(outcome, *number)?;
            let totals = totals(outcome, phase.from_s, phase.to_s);
            let lowest = totals.into_iter().reduce(f64::min).ok_or("a sample")?;
            Ok(vec![lowest])
        }
        Measure::Queue { place, phase: number } => {
            let waiting = waiting(outcome, place, phase(outcome, *number)?)?;
            Ok(vec![waiting.iter().sum::<f64>() / waiting.len() as f64])
        }
        Measure::QueueSwing { place, phase: number } => {
            let mut waiting = waiting(outcome, place, phase(outcome, *number)?)?;
            waiting.sort_unstable_by(f64::total_cmp);
            let at = |share: f64| waiting[((waiting.len() - 1) as f64 * share).round() as usize];
            Ok(vec![at(0.95) - at(0.05)])
        }
        Measure::BackAfter { phase: number, share } => {
            back_after(outcome, phase(outcome, *number)?, *share).map(|seconds| vec![seconds])
        }
        Measure::Pauses => {
            let lanes = &outcome.record.lanes;
            Ok(vec![lanes.iter().filter_map(|lane| lane.pause).map(|pause| pause.sent).sum::<u64>() as f64])
        }
        Measure::Marked => Ok(vec![outcome.record.marks.total() as f64]),
        Measure::Lost => Ok(vec![outcome.record.dropped_packets as f64]),
        _ => settled(measure, outcome),
    }
}

/// How long after the start of a phase all flows together have a share of what they had in the first.
fn back_after(outcome: &Outcome, now: &PhaseSummary, share: f64) -> Result<f64, String> {
    let wanted = share * phase(outcome, 1)?.settled_total_goodput_bps;
    let back = totals(outcome, now.from_s, now.to_s).into_iter().position(|one| one >= wanted);
    let samples = back.ok_or("a sample that is back")? + 1;
    Ok(samples as f64 * outcome.record.series.interval.seconds())
}

/// What all flows delivered together in each sample within a time, in bit/s.
fn totals(outcome: &Outcome, from: f64, to: f64) -> Vec<f64> {
    let columns: Vec<_> = (0..outcome.record.series.rows.first().map_or(0, Vec::len)).collect();
    let seconds = outcome.record.series.interval.seconds();
    samples(outcome, &columns, from, to).into_iter().map(|bytes| bytes * 8.0 / seconds).collect()
}

/// What looks at the settled half of a phase.
fn settled(measure: &Measure, outcome: &Outcome) -> Result<Vec<f64>, String> {
    let phase = phase(outcome, measure.phase().expect("only what is held is of the whole run"))?;
    let places = named(outcome, measure.flows())?;
    let goodput: Vec<f64> = places.iter().map(|place| phase.flows[*place].settled_goodput_bps).collect();
    let sum: f64 = goodput.iter().sum();
    let mean = sum / goodput.len() as f64;
    Ok(match measure {
        Measure::Sum { .. } => vec![sum],
        Measure::Mean { .. } => vec![mean],
        Measure::Jain { .. } => vec![jain(goodput)],
        Measure::Spread { .. } => {
            vec![goodput.iter().map(|one| (one - mean).abs() / mean).fold(0.0, f64::max)]
        }
        Measure::Variation { .. } => {
            let of = |place: &usize| {
                let middle = f64::midpoint(phase.from_s, phase.to_s);
                variation(&samples(outcome, &[*place], middle, phase.to_s))
            };
            places.iter().map(of).collect()
        }
        _ => goodput,
    })
}

fn phase(outcome: &Outcome, number: usize) -> Result<&PhaseSummary, String> {
    outcome.summary.phases.get(number - 1).ok_or_else(|| format!("phase {number}"))
}

/// The places of these flows among those that the scenario names; `local*` means all that begin so.
pub(super) fn named(outcome: &Outcome, flows: &[String]) -> Result<Vec<usize>, String> {
    let known = &outcome.record.flows[..outcome.record.named()];
    let mut places = Vec::new();
    for wanted in flows {
        let before = places.len();
        let meant = |name: &str| match wanted.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == wanted,
        };
        places.extend((0..known.len()).filter(|place| meant(&known[*place].name)));
        if places.len() == before {
            return Err(format!("flow {wanted}"));
        }
    }
    Ok(places)
}

/// What the input buffers of these switches hold together on average, in bytes.
fn held(outcome: &Outcome, switches: &[String]) -> Result<f64, String> {
    let lanes = &outcome.record.lanes;
    if let Some(missing) = switches.iter().find(|switch| !lanes.iter().any(|lane| lane.node == **switch)) {
        return Err(format!("switch {missing}"));
    }
    Ok(lanes.iter().filter(|lane| switches.contains(&lane.node)).map(|lane| lane.mean).sum())
}

/// What waited at a place that is watched, at each sample of the settled half of a phase.
fn waiting(outcome: &Outcome, place: &str, phase: &PhaseSummary) -> Result<Vec<f64>, String> {
    let (watched, interval) = (&outcome.record.watched, outcome.record.series.interval);
    let name = format!("{place}_queue_bytes");
    let column = watched.columns.iter().position(|column| *column == name).ok_or(name)?;
    let settled = f64::midpoint(phase.from_s, phase.to_s)..phase.to_s;
    let rows =
        (1..).zip(&watched.rows).filter(|(number, _)| settled.contains(&(interval * *number).seconds()));
    let waiting: Vec<_> = rows.map(|(_, row)| row[column]).collect();
    if waiting.is_empty() { Err(format!("a sample of {place}")) } else { Ok(waiting) }
}

/// How long after the phase's start the flows have a share of what it gave them.
fn time_to_reach(outcome: &Outcome, places: &[usize], number: usize, share: f64) -> Result<f64, String> {
    let (before, now) = (phase(outcome, number - 1)?, phase(outcome, number)?);
    let interval = outcome.record.series.interval.seconds();
    let mean = |samples: &[f64]| samples.iter().sum::<f64>() / samples.len().max(1) as f64;
    let had = mean(&samples(outcome, places, f64::midpoint(before.from_s, before.to_s), before.to_s));
    let got = mean(&samples(outcome, places, now.to_s - LAST * (now.to_s - now.from_s), now.to_s));
    if got <= had {
        return Err(format!("a gain in phase {number}"));
    }
    let wanted = had + share * (got - had);
    let all = samples(outcome, places, now.from_s, now.to_s);
    // The mean of the last ones is above what is wanted, so one of them is.
    let reached = all.iter().position(|one| *one >= wanted).ok_or("a sample that reaches it")?;
    Ok((reached + 1) as f64 * interval)
}

/// What the flows delivered together in each sample within a time; a sample is about the interval that ends
/// with it.
fn samples(outcome: &Outcome, places: &[usize], from: f64, to: f64) -> Vec<f64> {
    let series = &outcome.record.series;
    let half = 0.5 * series.interval.seconds();
    let rows = (1..).zip(&series.rows).map(|(number, row)| ((series.interval * number).seconds(), row));
    let within = rows.filter(|(end, _)| *end > from + half && *end <= to + 1e-3 * half);
    within.map(|(_, row)| places.iter().map(|place| row[*place].get() as f64).sum()).collect()
}

/// Standard deviation over mean; 0 where there is nothing to vary.
fn variation(samples: &[f64]) -> f64 {
    let count = samples.len().max(1) as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let variance = samples.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count;
    if mean == 0.0 { 0.0 } else { variance.sqrt() / mean }
}

#[cfg(test)]
pub(super) mod tests {
    use report::{Context, Cost, Summary};
    use telemetry::{FlowRecord, LaneRecord, Marks, Phase, RunRecord, Series, Snapshot};
    use units::{Bytes, Span, Time};

    use super::*;

    /// Two phases, of 4 ms and of 10. In the second half of the first, three flows deliver 1, 1 and 2 MB. In
    /// the second, F1 alone delivers: 0.5 MB in the first ms, half a MB more in each, up to 2.
    pub(crate) fn outcome() -> Outcome {
        let at = |ms: u64| Span::from_us(1000 * ms).after_start();
        let bytes = |kb: [u64; 3]| kb.iter().map(|kb| Bytes::new(kb * 1000)).collect::<Vec<_>>();
        let flow = |name: &str| FlowRecord { name: name.to_owned(), named: true, ..FlowRecord::default() };
        let mut rows = [[900, 0, 0], [0, 0, 0], [500, 250, 1000], [500, 750, 1000]].map(bytes).to_vec();
        rows.extend([500, 1000, 1500, 2000, 2000, 2000, 2000, 2000, 2000, 2000].map(|kb| bytes([kb, 0, 0])));
        let phase = |name: &str, from, to| Phase { name: name.to_owned(), from, to };
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
            series: Series { interval: Span::from_us(1000), rows },
            lanes: vec![lane("A", 3000.0), lane("B", 1000.0), lane("B", 500.0)],
            ..RunRecord::default()
        };
        let context = Context { scenario: "hand-made", congestion_control: "Off", seed: 1, version: "0.0.0" };
        Outcome { summary: Summary::new(context, &record, Cost::default()), record }
    }

    fn lane(node: &str, mean: f64) -> LaneRecord {
        LaneRecord {
            node: node.to_owned(),
            port: 1,
            peer: String::new(),
            lane: 0,
            sent: Bytes::ZERO,
            packets: 0,
            buffer: Bytes::kib(8),
            peak: Bytes::kib(8),
            mean,
            output_queue: None,
            marking: None,
            marking_all: None,
            trigger: None,
            without_credit: Span::ZERO,
            pause: None,
            marks: Marks::default(),
        }
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn of(make: impl Fn(Vec<String>, usize) -> Measure, flows: &[&str]) -> Vec<f64> {
        measured(&make(owned(flows), 1), &outcome()).unwrap()
    }

    #[test]
    fn measures_look_at_the_settled_half() {
        let all = ["F1", "F2", "F3"];
        assert_eq!(of(|flows, phase| Measure::Goodput { flows, phase }, &all), [4e9, 4e9, 8e9]);
        assert_eq!(of(|flows, phase| Measure::Goodput { flows, phase }, &["F*"]), [4e9, 4e9, 8e9]);
        assert_eq!(of(|flows, phase| Measure::Sum { flows, phase }, &["F1", "F3"]), [12e9]);
        assert_eq!(of(|flows, phase| Measure::Mean { flows, phase }, &["F1", "F3"]), [6e9]);
        assert_eq!(of(|flows, phase| Measure::Jain { flows, phase }, &all), [16.0 * 16.0 / (3.0 * 96.0)]);
        let two = ["F1", "F3"];
        assert!((of(|flows, phase| Measure::Spread { flows, phase }, &two)[0] - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(of(|flows, phase| Measure::Variation { flows, phase }, &all), [0.0, 0.5, 0.0]);
    }

    /// F1 had 0.5 MB a ms and gets 2: nine tenths of the gain are there at 1.85, and two thirds at 1.5.
    #[test]
    fn the_time_to_reach_is_of_what_the_phase_gave() {
        let time = |phase, share| {
            let measure = Measure::TimeToReach { flows: owned(&["F1"]), phase, share };
            measured(&measure, &outcome())
        };
        assert!((time(2, 0.9).unwrap()[0] - 0.004).abs() < 1e-12);
        assert!((time(2, 0.6).unwrap()[0] - 0.003).abs() < 1e-12);
        let lost = Measure::TimeToReach { flows: owned(&["F2", "F3"]), phase: 2, share: 0.9 };
        assert_eq!(measured(&lost, &outcome()), Err("a gain in phase 2".to_owned()));
    }

    /// The second phase: 0.5 MB in the first of ten ms, 1.0 in the second, and 2 from the fourth on. In the settled
    /// half of the first it was 0.5 + 0.25 + 1.0 and 0.5 + 0.75 + 1.0 MB, 2 MB/ms on average.
    #[test]
    fn totals_are_of_all_flows() {
        let all = |measure| measured(&measure, &outcome());
        assert_eq!(all(Measure::Total { phase: 1 }), Ok(vec![16e9]));
        assert_eq!(all(Measure::Total { phase: 2 }), Ok(vec![16e9]));
        assert_eq!(all(Measure::Lowest { phase: 1 }), Ok(vec![0.0]));
        assert_eq!(all(Measure::Lowest { phase: 2 }), Ok(vec![4e9]));
        let back = |phase, share| all(Measure::BackAfter { phase, share }).map(|ms| (ms[0] * 1e6).round());
        assert_eq!(back(2, 0.95), Ok(4000.0));
        assert_eq!(back(2, 0.5), Ok(2000.0));
        assert_eq!(back(2, 1.5), Err("a sample that is back".to_owned()));
    }

    #[test]
    fn what_is_held_is_shared_among_the_flows() {
        let held = |switches: &[&str]| {
            let (switches, flows) = (owned(switches), owned(&["F1", "F3"]));
            measured(&Measure::Held { switches, flows, packet_bytes: 1000 }, &outcome())
        };
        assert_eq!(held(&["B"]), Ok(vec![0.75]));
        assert_eq!(held(&["A", "B"]), Ok(vec![2.25]));
        assert_eq!(held(&["C"]), Err("switch C".to_owned()));
    }

    /// Of the first phase the second half is looked at, from 2 ms to 4, its end not included: 20 and 60 bytes.
    #[test]
    fn a_queue_is_looked_at_in_the_settled_half() {
        let mut outcome = outcome();
        outcome.record.watched = telemetry::Watched {
            columns: vec!["F1_alpha".to_owned(), "A:3_queue_bytes".to_owned()],
            rows: [1e9, 20.0, 60.0, 1e9].map(|bytes| vec![0.5, bytes]).to_vec(),
        };
        let of = |place: &str| {
            let place = place.to_owned();
            let queue = measured(&Measure::Queue { place: place.clone(), phase: 1 }, &outcome);
            (queue, measured(&Measure::QueueSwing { place, phase: 1 }, &outcome))
        };
        assert_eq!(of("A:3"), (Ok(vec![40.0]), Ok(vec![40.0])));
        let missing = || Err("A:4_queue_bytes".to_owned());
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
        outcome.record.marks.count(packet::MarkReason::Red);
        let of = |measure| measured(&measure, &outcome);
        assert_eq!(of(Measure::Pauses), Ok(vec![7.0]));
        assert_eq!(of(Measure::Lost), Ok(vec![5.0]));
        assert_eq!(of(Measure::Marked), Ok(vec![1.0]));
    }

    #[test]
    fn a_missing_flow_or_phase_is_named() {
        let measure = |flow: &str, phase| Measure::Sum { flows: owned(&[flow]), phase };
        assert_eq!(measured(&measure("F9", 1), &outcome()), Err("flow F9".to_owned()));
        assert_eq!(measured(&measure("G*", 1), &outcome()), Err("flow G*".to_owned()));
        assert_eq!(measured(&measure("F1", 3), &outcome()), Err("phase 3".to_owned()));
    }
}
