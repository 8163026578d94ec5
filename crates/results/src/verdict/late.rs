//! Questions about jobs that are late, or not complete: a longer run, another placement, the job without other traffic,
//! its operations on a timeline.
//!
//! Invariant: a duration that is advised leaves time for the ideal of every job. A placement is a question only where
//! the critical path waited at a cable between switches, since other hosts change nothing else.

use scenario::Plan;
use telemetry::{JobRecord, RunEnding, RunRecord};
use units::Span;

use super::command::{Advice, Command};
use super::facts::Facts;
use super::jobs::{self, Place};
use super::{paths, words};
use crate::format::grouped;

/// Multiple of an ideal time that a longer run has, as a fraction.
const SPARE: (u64, u64) = (5, 4);
/// Number of samples that a run is given, and the fewest with which they are advised.
const SAMPLES: u64 = 100;
const FEWEST_SAMPLES: u64 = 10;
/// Most samples that a scenario may have over its duration.
const MOST_SAMPLES: u64 = 1_000_000;

/// Returns a run that lasts long enough for the ideals of jobs that are not complete, and twice as long at least.
pub(super) fn longer(record: &RunRecord) -> Option<Advice> {
    if !matches!(record.ended, RunEnding::AtDuration | RunEnding::NotDone) {
        return None;
    }
    let left = || record.jobs.iter().filter(|job| job.end.is_none());
    let ideal = |job: &JobRecord| Some((job.start.since_start(), job.measures.ideal.ok()?));
    let needed = left().filter_map(ideal).map(|(start, ideal)| start + ideal / SPARE.1 * SPARE.0).max();
    let twice = Span::from_ps(record.simulated.ps() * 2);
    let duration = twice.max(needed.unwrap_or_default());
    let first = left().next()?;
    let ideal =
        first.measures.ideal.ok().map(|ideal| format!(", ideally after {}", words::time(ideal.seconds())));
    let more = match left().count() - 1 {
        0 => String::new(),
        more => format!(" and {} more", grouped(more as u64)),
    };
    let reason = format!("A longer run, in which {}{more} may end{}", first.name, ideal.unwrap_or_default());
    let duration = Span::from_us(duration.ps().div_ceil(Span::from_us(1).ps()));
    Some(Advice::new(reason, Command::With(format!("duration={duration}"))))
}

/// Returns the question about the job that is latest; `None` if no job is late.
pub(super) fn question(facts: Facts<'_>) -> Option<Advice> {
    let (record, plan) = (facts.record, facts.plan?);
    let job = jobs::slowest(record).filter(|job| jobs::is_late(job) && job.end.is_some())?;
    let places = job.measures.path.as_ref().map_or_else(|_| Vec::new(), jobs::merged);
    let worst = places.first();
    let of_others = worst.is_some_and(|worst| is_of_others(record, worst));
    if let Some(worst) = worst.filter(|worst| is_between_switches(plan, worst) && !of_others) {
        let reason = format!(
            "Whether other hosts for its ranks keep {} off the cable of {} to {}",
            job.name, worst.place.node, worst.place.peer
        );
        return Some(Advice::new(reason, Command::verb("place", &["--job", &job.name])));
    }
    let alone = || ["traffic=[]".to_owned()].into_iter();
    if !plan.scenario().traffic.is_empty() && paths::makes_a_plan(plan, alone()) {
        let reason = format!("How long {} takes without the traffic of patterns", job.name);
        return Some(Advice::new(reason, Command::Comparison("traffic", "[]".to_owned())));
    }
    let reason = format!("The operations of {} on a timeline, with its critical path", job.name);
    Some(Advice::new(reason, Command::verb("trace", &["--flows", &format!("{}:*", job.name)])))
}

/// Returns true if an output leads from a switch to a switch.
fn is_between_switches(plan: &Plan, one: &Place<'_>) -> bool {
    let graph = plan.graph();
    let is_switch = |name: &str| graph.find(name).is_some_and(|node| node.0 >= graph.hosts() as u32);
    is_switch(&one.place.node) && is_switch(&one.place.peer)
}

/// Returns true if most flows at a root are of no job.
fn is_of_others(record: &RunRecord, one: &Place<'_>) -> bool {
    let Some(root) = one.place.root else { return false };
    let contributors = &record.congestion.roots[root as usize].contributors;
    let is_of_job = |flow: u32| {
        let group = record.flows[flow as usize].group.map(|group| &record.groups[group as usize].name);
        group.is_some_and(|group| record.jobs.iter().any(|job| job.name == *group))
    };
    let others = contributors.iter().filter(|one| !is_of_job(one.flow)).count();
    2 * others > contributors.len()
}

/// Returns a run with samples, if a run with jobs was too short for any.
pub(super) fn without_samples(facts: Facts<'_>) -> Option<Advice> {
    let (record, plan) = (facts.record, facts.plan?);
    if record.jobs.is_empty() || record.congestion.sampled > 0 {
        return None;
    }
    let longest = plan.duration().ps().div_ceil(MOST_SAMPLES);
    let sample = Span::from_ns(longest.max(record.simulated.ps() / SAMPLES).div_ceil(Span::from_ns(1).ps()));
    (record.simulated.ps() >= sample.ps() * FEWEST_SAMPLES).then(|| {
        let reason = "A run with samples, which alone show congestion";
        Advice::new(reason, Command::With(format!("sample={sample}")))
    })
}

#[cfg(test)]
mod tests {
    use scenario::{Scenario, ScenarioText};
    use telemetry::{
        Congestion, ContributorRecord, CriticalPath, FlowRecord, GroupRecord, JobMeasures, NotMeasured,
        PathPlace, RootRecord,
    };

    use super::*;
    use crate::verdict::command::AskedScenario;

    /// A job that takes 100 us and ideally 40, held up at an output, in a scenario with other traffic.
    fn record((node, peer): (&str, &str), group: u32) -> RunRecord {
        let place =
            PathPlace { node: node.to_owned(), peer: peer.to_owned(), root: Some(0), ..PathPlace::default() };
        let path = CriticalPath { places: vec![place], ..CriticalPath::default() };
        let measures = JobMeasures { ideal: Ok(Span::from_us(40)), path: Ok(path), ..JobMeasures::default() };
        let end = Some(Span::from_us(100).after_start());
        let job = JobRecord { name: "A".to_owned(), end, measures, ..JobRecord::default() };
        let root = RootRecord {
            contributors: vec![ContributorRecord { flow: 0, through: None, samples: 1 }],
            ..RootRecord::default()
        };
        RunRecord {
            groups: ["A", "incast"].map(|name| GroupRecord { name: name.to_owned() }).to_vec(),
            flows: vec![FlowRecord { group: Some(group), ..FlowRecord::default() }],
            jobs: vec![job],
            congestion: Congestion { roots: vec![root], sampled: 1, ..Congestion::default() },
            simulated: Span::from_us(100),
            ..RunRecord::default()
        }
    }

    fn plan(sets: &[&str]) -> Plan {
        let mut text = ScenarioText::find("ring-all-reduce").expect("it is shipped");
        sets.iter().for_each(|set| text.set(set).unwrap_or_else(|fault| panic!("{fault}")));
        Scenario::read(&text).and_then(|read| read.check(&text)).unwrap_or_else(|fault| panic!("{fault}"))
    }

    fn facts<'a>(record: &'a RunRecord, plan: &'a Plan) -> Facts<'a> {
        Facts {
            record,
            plan: Some(plan),
            goodput: &[],
            completions: None,
            closed_loops: &[],
            slow_hosts: &[],
        }
    }

    fn asked(record: &RunRecord, plan: &Plan) -> Option<String> {
        Some(question(facts(record, plan))?.command.line(&AskedScenario::default()))
    }

    /// Places that held up a job, and what can change them: other hosts for its ranks, or other traffic.
    #[test]
    fn a_question_is_about_the_place_that_held_up_the_job() {
        let alone = plan(&["traffic=[]"]);
        let incast = "traffic=[Incast(name: \"i\", at: \"1 us\", to: \"h1\", senders: [\"h2\", \"h3\"], bytes: \"64 KiB\")]";
        let shared = plan(&[incast]);
        let (cable, host) = (("leaf1", "spine1"), ("leaf1", "h1"));
        let place = Some("backwater place plan.ron --job A");
        let without = Some("backwater compare plan.ron 'plan.ron:traffic=[]'");
        let timeline = Some("backwater trace plan.ron --flows 'A:*'");
        for (plan, at, group, wanted) in [
            (&alone, cable, 0, place),
            (&shared, cable, 0, place),
            (&shared, cable, 1, without),
            (&shared, host, 0, without),
            (&alone, host, 0, timeline),
        ] {
            assert_eq!(asked(&record(at, group), plan).as_deref(), wanted, "{at:?} {group}");
        }
        let mut in_time = record(cable, 0);
        in_time.jobs[0].end = Some(Span::from_us(41).after_start());
        assert_eq!(asked(&in_time, &alone), None);
    }

    /// Times that a job needs ideally, and the duration of a longer run: beyond the ideal, and twice as long at least.
    #[test]
    fn a_longer_run_has_time_for_the_ideal() {
        let none = NotMeasured::TooLarge;
        for (ideal, wanted) in [(Ok(10), "200 us"), (Ok(39_000), "48.75 ms"), (Err(none), "200 us")] {
            let mut record = record(("leaf1", "spine1"), 0);
            record.jobs[0].end = None;
            record.jobs[0].measures.ideal = ideal.map(Span::from_us);
            for (ended, is_advised) in [
                (RunEnding::NotDone, true),
                (RunEnding::AtDuration, true),
                (RunEnding::Stuck, false),
                (RunEnding::Interrupted, false),
            ] {
                record.ended = ended;
                let advice = longer(&record).map(|advice| advice.command);
                let duration = Command::With(format!("duration={wanted}"));
                assert_eq!(advice, is_advised.then_some(duration), "{ideal:?} {ended:?}");
            }
            record.jobs[0].end = Some(Span::from_us(1).after_start());
            record.ended = RunEnding::NotDone;
            assert_eq!(longer(&record), None);
        }
    }

    /// Samples that a run without any is advised can be taken, as many as a scenario may have.
    #[test]
    fn samples_are_as_dense_as_a_duration_allows() {
        let mut record = record(("leaf1", "spine1"), 0);
        record.congestion.sampled = 0;
        for (duration, wanted) in [("1 ms", Some("1 us")), ("5 s", Some("5 us")), ("100 s", None)] {
            let (duration, sample) = (format!("duration={duration}"), "sample=1 ms");
            let plan = plan(&[&duration, sample]);
            let advice = without_samples(facts(&record, &plan)).map(|advice| advice.command);
            let set = wanted.map(|sample| format!("sample={sample}"));
            assert_eq!(advice, set.clone().map(Command::With), "{duration}");
            set.inspect(|set| drop(self::plan(&[&duration, set])));
        }
        record.congestion.sampled = 1;
        assert_eq!(without_samples(facts(&record, &plan(&[]))), None);
    }
}
