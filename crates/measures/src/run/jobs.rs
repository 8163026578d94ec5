//! Measures of a job.
//!
//! Invariant: a job that is not complete has lower bounds of its times, and no critical path.

use telemetry::{JobRecord, RankRecord, RunRecord};
use units::{Span, Time};

use super::measured::Missing;
use super::messages::seconds;
use crate::censoring::CensoredValue;
use crate::language::Measure;
use crate::quantity::Quantity;

/// Returns a quantity of jobs, of the job that the measure names.
pub(super) fn number(record: &RunRecord, measure: &Measure) -> Result<CensoredValue, Missing> {
    let job = record.jobs.iter().find(|job| job.name == measure.group).ok_or(Missing::NoJob)?;
    let now = record.simulated.after_start();
    let (end, is_done) = job.end.map_or((now.max(job.start), false), |end| (end, true));
    let whole = end.since(job.start);
    let known = |value: f64| match is_done {
        true => CensoredValue::Exact(value),
        false => CensoredValue::AtLeast { at_least: value },
    };
    let reason = |why: telemetry::NotMeasured| Missing::Job { reason: why.reason().to_owned() };
    match measure.quantity {
        Quantity::JobCompletion => Ok(known(seconds(whole))),
        Quantity::JobSlowdown => {
            let ideal = job.measures.ideal.map_err(reason)?;
            if ideal == Span::ZERO {
                return Err(Missing::Job { reason: "its ideal messages take no time".to_owned() });
            }
            Ok(known(whole.ps() as f64 / ideal.ps() as f64))
        }
        Quantity::LongestIteration => {
            if job.runs < 2 {
                let reason = "the job has no iterations that follow one another".to_owned();
                return Err(Missing::Job { reason });
            }
            // The iteration that runs at the end is at least as long as it has run.
            let running = job.ends.last().map_or(job.start, |end| *end);
            let running = if is_done { Span::ZERO } else { end.since(running) };
            let longest = job.iterations().map(|one| one.span).max().unwrap_or_default();
            Ok(known(seconds(longest.max(running))))
        }
        Quantity::Exposed => {
            let most = ranks(job)?.iter().map(|rank| rank.exposed).max().unwrap_or_default();
            Ok(known(seconds(most)))
        }
        Quantity::Spread => spread(job, now).map(|(spread, is_known)| {
            let spread = seconds(spread);
            if is_known { spread.into() } else { CensoredValue::AtLeast { at_least: spread } }
        }),
        Quantity::PathLate => {
            let parts = job.measures.path.as_ref().map_err(|why| reason(*why))?.parts;
            Ok(seconds(parts.congestion + parts.at_source + parts.in_fabric).into())
        }
        Quantity::PathBlamed => {
            let parts = job.measures.path.as_ref().map_err(|why| reason(*why))?.parts;
            Ok(seconds(parts.congestion).into())
        }
        Quantity::Algbw => bandwidths(job).map(|(algbw, _)| (algbw * 1e9).into()),
        Quantity::Busbw => bandwidths(job).map(|(_, busbw)| (busbw * 1e9).into()),
        other => unreachable!("{other:?} is no quantity of jobs"),
    }
}

/// Returns algbw and busbw of a job's collective, in GB/s.
fn bandwidths(job: &JobRecord) -> Result<(f64, f64), Missing> {
    let none = |reason: &str| Missing::Job { reason: reason.to_owned() };
    if job.collective.is_none() {
        return Err(none("its program is no single collective with payload"));
    }
    if job.end.is_none() {
        return Err(none(telemetry::NotMeasured::NotComplete.reason()));
    }
    job.bandwidths().ok_or_else(|| none("it takes no time"))
}

fn ranks(job: &JobRecord) -> Result<&[RankRecord], Missing> {
    let none = || Missing::Job { reason: telemetry::NotMeasured::TooLarge.reason().to_owned() };
    if job.measures.ranks.is_empty() { Err(none()) } else { Ok(&job.measures.ranks) }
}

/// Returns the time from the end of the first rank to the end of the last, and true if all ranks have ended. Ranks
/// without operations end nothing.
fn spread(job: &JobRecord, now: Time) -> Result<(Span, bool), Missing> {
    let ends = ranks(job)?.iter().filter(|rank| rank.operations > 0).map(|rank| rank.end);
    let first = ends.clone().flatten().min();
    let last = ends.clone().map(|end| end.unwrap_or(now)).max();
    let spread = first.zip(last).map_or(Span::ZERO, |(first, last)| last.since(first));
    Ok((spread, ends.into_iter().all(|end| end.is_some())))
}

#[cfg(test)]
mod tests {
    use telemetry::{CriticalPath, JobMeasures, NotMeasured, PathParts};

    use super::super::measured::twelve_digits;

    use super::*;

    fn us(us: u64) -> Span {
        Span::from_us(us)
    }

    /// A job of two ranks from 10 to 50 us, with 16 us by ideal messages.
    fn record() -> RunRecord {
        let rank = |rank, end: u64, exposed| RankRecord {
            rank,
            operations: 2,
            end: Some(us(end).after_start()),
            exposed: us(exposed),
            ..RankRecord::default()
        };
        let parts = PathParts { congestion: us(5), at_source: us(2), wire: us(33), ..PathParts::default() };
        let measures = JobMeasures {
            ideal: Ok(us(16)),
            ranks: vec![rank(0, 42, 9), rank(1, 50, 7)],
            path: Ok(CriticalPath { parts, ..CriticalPath::default() }),
            ..JobMeasures::default()
        };
        let (start, end) = (us(10).after_start(), Some(us(50).after_start()));
        let ends = [us(22), us(50)].map(Span::after_start).to_vec();
        let job = JobRecord {
            name: "A".to_owned(),
            start,
            end,
            ends,
            runs: 2,
            iterations: 2,
            collective: Some((units::Bytes::new(1_000_000), 1.5)),
            measures,
            ..JobRecord::default()
        };
        RunRecord { jobs: vec![job], simulated: us(60), ..RunRecord::default() }
    }

    fn of(record: &RunRecord, measure: &str) -> Result<CensoredValue, Missing> {
        number(record, &measure.parse().expect("a measure"))
    }

    #[test]
    fn a_complete_job_has_numbers() {
        let numbers = [
            ("job_completion", 40e-6),
            ("job_slowdown", 2.5),
            ("longest_iteration", 28e-6),
            ("exposed", 9e-6),
            ("spread", 8e-6),
            ("path_late", 7e-6),
            ("path_blamed", 5e-6),
            ("algbw", 50e9),
            ("busbw", 75e9),
        ];
        for (quantity, value) in numbers {
            let found = of(&record(), &format!("{quantity}(A)")).map(CensoredValue::exact);
            // Results have twelve digits.
            assert_eq!(found.map(|found| found.map(twelve_digits)), Ok(Some(value)), "{quantity}");
        }
        assert_eq!(of(&record(), "spread(B)"), Err(Missing::NoJob));
        let mut idle = record();
        let none = RankRecord { rank: 2, end: Some(us(10).after_start()), ..RankRecord::default() };
        idle.jobs[0].measures.ranks.push(none);
        let spread = of(&idle, "spread(A)").map(CensoredValue::exact);
        assert_eq!(spread, Ok(Some(8e-6)), "a rank without operations changes nothing");
    }

    #[test]
    fn an_incomplete_job_has_bounds_and_reasons() {
        let mut record = record();
        let job = &mut record.jobs[0];
        (job.end, job.measures.ranks[1].end) = (None, None);
        (job.measures.ideal, job.measures.path) =
            (Err(NotMeasured::AnyMessage), Err(NotMeasured::NotComplete));
        let bound = |value| Ok(CensoredValue::AtLeast { at_least: value });
        assert_eq!(of(&record, "job_completion(A)"), bound(50e-6));
        assert_eq!(of(&record, "spread(A)"), bound(18e-6));
        record.jobs[0].ends.pop();
        assert_eq!(of(&record, "longest_iteration(A)"), bound(38e-6), "the second from 22 to 60 us");
        let reason = |measure| of(&record, measure).expect_err("it has none").to_string();
        assert_eq!(reason("job_slowdown(A)"), "a receive takes messages from any source or with any tag");
        assert_eq!(reason("path_late(A)"), "an operation has not ended");
        assert_eq!(reason("busbw(A)"), "an operation has not ended");
        record.jobs[0].collective = None;
        assert_eq!(
            of(&record, "busbw(A)").expect_err("it has none").to_string(),
            "its program is no single collective with payload"
        );
        record.jobs[0].runs = 1;
        let reason = of(&record, "longest_iteration(A)").expect_err("it has none").to_string();
        assert_eq!(reason, "the job has no iterations that follow one another");
    }
}
