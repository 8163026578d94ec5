//! Jobs in the verdict of a run: how long each took, against its ideal, and where its critical path lost time.
//!
//! Invariant: each number stands in `jobs.csv`, `iterations.csv` or `summary.json`, or is a sum or difference of such
//! numbers, and each place stands in the job's critical path. Waits that the ideal has, too, hold up nothing: all that
//! is said to hold up a path adds up to its length less these and the ideal messages and computations.

use std::collections::BTreeMap;

use measures::spelling::{Zeros, digits};
use telemetry::{CriticalPath, JobRecord, PathParts, PathPlace, PathStepKind, RunRecord};
use units::Span;

use super::owners::Owners;
use super::{stuck, words};
use crate::format::{counted, grouped};

/// Most jobs that sentences tell of.
const MOST_JOBS: usize = 3;
/// Most places that a sentence names, and most contributors of a place.
const MOST_NAMED: usize = 2;
/// Multiple of its ideal time from which a job is late.
const LATE: f64 = 1.05;
/// Share of a time, as its inverse, below which a part of it is not told.
const LEAST_PART: u64 = 1000;

/// Returns the job that took longest against its ideal, of several the first: before all others a job that is not
/// complete, after them a job without an ideal; `None` without jobs.
pub(super) fn slowest(record: &RunRecord) -> Option<&JobRecord> {
    record.jobs.iter().rev().max_by(|one, other| ratio(one).total_cmp(&ratio(other)))
}

/// Returns the time of a job by its ideal: infinite if it is not complete, 0 without an ideal.
fn ratio(job: &JobRecord) -> f64 {
    match (job.end, job.measures.ideal) {
        (None, _) => f64::INFINITY,
        (Some(end), Ok(ideal)) if ideal > Span::ZERO => end.since(job.start).ps() as f64 / ideal.ps() as f64,
        (Some(_), _) => 0.0,
    }
}

/// Returns true if a job is clearly late, or not complete.
pub(super) fn any_is_late(record: &RunRecord) -> bool {
    record.jobs.iter().any(is_late)
}

/// Returns true if the job is clearly late, or not complete.
pub(super) fn is_late(job: &JobRecord) -> bool {
    ratio(job) > LATE
}

/// Returns the time of each job, against its ideal; `None` without jobs.
pub(super) fn times(record: &RunRecord) -> Option<String> {
    let time =
        |job| stuck::unequal(job).into_iter().fold(time(record, job), |time, sizes| time + " " + &sizes);
    let mut sentences: Vec<String> = record.jobs.iter().take(MOST_JOBS).map(time).collect();
    let more = record.jobs.len().saturating_sub(MOST_JOBS);
    sentences.extend((more > 0).then(|| format!("`jobs.csv` has {} more.", counted(more as u32, "job"))));
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn time(record: &RunRecord, job: &JobRecord) -> String {
    let name = &job.name;
    let Some(end) = job.end else {
        let (left, all) = (grouped(job.operations - job.ended), grouped(job.operations));
        return match stuck::waits(record, job) {
            Some(waits) => {
                format!("{name} is stuck: {waits}; {left} of {all} operations have not ended.")
            }
            None => format!("{name} is not complete: {left} of {all} operations have not ended."),
        };
    };
    let whole = end.since(job.start);
    match job.measures.ideal {
        Ok(ideal) if ideal > Span::ZERO => {
            let ratio = digits(ratio(job), Zeros::Kept);
            format!("{name} took {}, {ratio} times its ideal of {}.", time_of(whole), time_of(ideal))
        }
        Ok(_) | Err(_) => format!("{name} took {}.", time_of(whole)),
    }
}

/// Returns the parts of the critical paths, with all that held them up; `None` if nothing did.
pub(super) fn paths(record: &RunRecord, owners: &Owners) -> Option<String> {
    let complete = record.jobs.iter().filter_map(|job| Some((job, job.measures.path.as_ref().ok()?)));
    let sentences = complete.take(MOST_JOBS).flat_map(|(job, path)| {
        let whole = of_path((record, owners), job, path);
        let iteration = of_latest_iteration((record, owners), job, path);
        whole.into_iter().chain(iteration)
    });
    let sentences: Vec<String> = stuck::cause(record).into_iter().chain(sentences).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn of_path(names: (&RunRecord, &Owners), job: &JobRecord, path: &CriticalPath) -> Option<String> {
    let ideal = job.measures.ideal.ok();
    let shares = Shares::of(path.parts, first_start(path), ideal);
    let held = shares.held();
    let places = merged(path);
    let reasons = shares.reasons(names, &places[..places.len().min(MOST_NAMED)]);
    let late = job.end.zip(ideal).map(|(end, ideal)| end.since(job.start) - ideal.min(end.since(job.start)));
    is_hundredth(held, path.parts.sum()).then(|| {
        format!(
            "The critical path of {} has {}, and was held up for {}{}.",
            job.name,
            words::list(&shares.has()),
            with_reasons(held, &reasons),
            without_effect(held, late, &job.name)
        )
    })
}

/// Returns the lateness of a job's latest iteration, and the place that most of it is blamed on.
fn of_latest_iteration(names: (&RunRecord, &Owners), job: &JobRecord, path: &CriticalPath) -> Option<String> {
    let latest = job.latest_iteration()?;
    let late = latest.late().filter(|late| is_hundredth(*late, latest.span))?;
    let told = format!(
        "Iteration {} of {} is {} late: {}, ideally {}",
        latest.number,
        job.name,
        time_of(late),
        time_of(latest.span),
        time_of(latest.ideal?)
    );
    let on_path = latest.path?;
    let place = on_path.place.map(|(place, span)| Place::of(path, place, span));
    let start = first_start(path).filter(|_| latest.number == 0);
    let shares = Shares::of(on_path.parts, start, latest.ideal);
    let held = shares.held();
    if held == Span::ZERO {
        return Some(format!("{told}; in it, nothing held up the critical path."));
    }
    let reasons = shares.reasons(names, place.as_slice());
    Some(format!(
        "{told}; in it, the critical path was held up for {}{}.",
        with_reasons(held, &reasons),
        without_effect(held, Some(late), "it")
    ))
}

/// Returns the time of waits without which the ideal would have been reached no sooner; nothing if all of it made the
/// job later.
fn without_effect(held: Span, late: Option<Span>, name: &str) -> String {
    match late {
        Some(late) if late < held && is_hundredth(held - late, held) => {
            format!("; {} of that did not make {name} later than its ideal", time_of(held - late))
        }
        Some(_) | None => String::new(),
    }
}

/// Returns the rank whose late start a path begins with, and the wait for it.
fn first_start(path: &CriticalPath) -> Option<(u32, Span)> {
    let first = path.steps.first().filter(|step| step.kind == PathStepKind::Start)?;
    Some((first.rank, first.parts.waiting))
}

/// Returns a time with its parts.
fn with_reasons(held: Span, reasons: &[String]) -> String {
    match reasons {
        [only] => only.clone(),
        several => format!("{}: {}", time_of(held), words::list(several)),
    }
}

/// Returns true if a part of a time is a hundredth at least.
fn is_hundredth(part: Span, whole: Span) -> bool {
    part.ps() > 0 && part.ps() >= whole.ps() / 100
}

/// Returns true if a part of a time is worth a word.
fn is_part(part: Span, whole: Span) -> bool {
    part.ps() > 0 && part.ps() >= whole.ps() / LEAST_PART
}

/// The parts of a path: those that its ideal has, too, and the waits that it does not have.
#[derive(Clone, Copy, Debug)]
struct Shares {
    parts: PathParts,
    /// The rank that the path begins with if it starts late, and the wait for it.
    start: Option<(u32, Span)>,
    /// Waits behind messages of the job at their host, as far as they have room in the ideal; `None` without an ideal.
    contained: Option<Span>,
    /// The other waits behind messages of the job at their host.
    beyond: Span,
}

impl Shares {
    /// Divides the waits for messages of the job at the same host by an ideal time: its messages wait there for each
    /// other, too.
    fn of(parts: PathParts, start: Option<(u32, Span)>, ideal: Option<Span>) -> Self {
        let at_start = start.map_or(Span::ZERO, |(_, wait)| wait);
        let own = parts.waiting - at_start;
        let needed = parts.compute + parts.wire + at_start;
        let contained = ideal.map(|ideal| own.min(ideal - needed.min(ideal)));
        Self { parts, start, contained, beyond: contained.map_or(Span::ZERO, |contained| own - contained) }
    }

    /// Returns the time of all waits that the ideal does not have.
    fn held(&self) -> Span {
        let PathParts { congestion, at_source, in_fabric, .. } = self.parts;
        congestion + at_source + in_fabric + self.beyond
    }

    /// Returns the parts that the ideal has, too, in words.
    fn has(&self) -> Vec<String> {
        let at_start = self.start.map_or(Span::ZERO, |(_, wait)| wait);
        let own = self.parts.waiting - at_start - self.beyond;
        let as_ideally = if self.contained.is_some() { ", as its ideal has" } else { "" };
        let start = self.start.map(|(rank, wait)| (wait, format!("until rank {rank} started")));
        let all = [
            (self.parts.compute, "of computation".to_owned()),
            (self.parts.wire, "of messages at their ideal time".to_owned()),
        ];
        let own = (own, format!("behind other messages of the job at the same host{as_ideally}"));
        let whole = self.parts.sum();
        let all = all.into_iter().chain(start).chain([own]).filter(|(span, _)| is_part(*span, whole));
        all.map(|(span, part)| format!("{} {part}", time_of(span))).collect()
    }

    /// Returns the waits that the ideal does not have, with the places named first.
    fn reasons(&self, (record, owners): (&RunRecord, &Owners), named: &[Place<'_>]) -> Vec<String> {
        let (mut reasons, mut others) = (Vec::new(), self.parts.congestion);
        let held = self.held();
        for place in named.iter().filter(|place| is_part(place.span, held)) {
            reasons.push(format!("{} at {}", time_of(place.span), at(record, owners, place)));
            others -= place.span;
        }
        let at_others = if reasons.is_empty() { "at outputs of switches" } else { "at other outputs" };
        let more = [
            (others, at_others),
            (self.beyond, "more than ideally behind other messages of the job at the same host"),
            (self.parts.at_source, "at the sources, unseen by samples"),
            (self.parts.in_fabric, "in the fabric, unseen by samples"),
        ];
        let more = more.into_iter().filter(|(span, _)| is_part(*span, held));
        reasons.extend(more.map(|(span, place)| format!("{} {place}", time_of(span))));
        reasons
    }
}

/// An output that held up a path, at times as the root of a tree and at times not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The output with the tree that held up the path for longest, if any did.
    pub(super) place: &'a PathPlace,
    /// Flows of others that share it, if it is the link of a host.
    shared: &'a [u32],
    /// Time for which that tree did.
    of_tree: Span,
    /// Time in all.
    span: Span,
}

impl<'a> Place<'a> {
    fn of(path: &'a CriticalPath, number: u32, span: Span) -> Self {
        let place = &path.places[number as usize];
        let shared = path.shared.iter().find(|link| link.place == number);
        let of_tree = if place.root.is_some() { span } else { Span::ZERO };
        Self { place, shared: shared.map_or(&[], |link| &link.flows), of_tree, span }
    }
}

/// Returns each output once, the longest time first.
pub(super) fn merged(path: &CriticalPath) -> Vec<Place<'_>> {
    let mut all: Vec<Place<'_>> = Vec::new();
    for (number, place) in (0..).zip(&path.places) {
        let one = Place::of(path, number, place.span);
        let is_same = |other: &&mut Place<'_>| {
            let PathPlace { node, port, lane, .. } = other.place;
            (node, *port, *lane) == (&place.node, place.port, place.lane)
        };
        match all.iter_mut().find(is_same) {
            None => all.push(one),
            Some(other) if other.of_tree < one.of_tree => {
                *other = Place { span: other.span + one.span, ..one }
            }
            Some(other) => other.span += one.span,
        }
    }
    all.sort_by_key(|one| core::cmp::Reverse(one.span));
    all
}

/// Returns a place, and the contributors of its tree, or the flows that share it.
fn at(record: &RunRecord, owners: &Owners, one: &Place<'_>) -> String {
    let Place { place, of_tree, span, shared } = *one;
    let output = format!("{} port {} to {}", place.node, place.port, place.peer);
    if !shared.is_empty() {
        let flows = flows_in_words(owners, shared.iter().map(|flow| (*flow, 0)));
        return format!("{output}, a link that it shares with {flows}");
    }
    let Some(root) = place.root else { return output };
    let at_times = if is_part(span - of_tree, span) {
        format!(", for {} of them the root", time_of(of_tree))
    } else {
        ", the root".to_owned()
    };
    // Nothing where flows have other paths, too: the number of flows orders then.
    let contributors = record.congestion.roots[root as usize].contributors.iter();
    let passed = contributors.map(|one| (one.flow, one.through.unwrap_or_default().get()));
    match &*flows_in_words(owners, passed) {
        "" => format!("{output}{at_times} of a tree"),
        flows => format!("{output}{at_times} of the tree of {flows}"),
    }
}

/// Returns flows by owner, those of the owner with most payload first; nothing without flows.
fn flows_in_words(owners: &Owners, flows: impl Iterator<Item = (u32, u64)>) -> String {
    let mut passed: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
    for (flow, payload) in flows {
        let (flows, through) = passed.entry(owners.of(flow as usize)).or_default();
        *flows += 1;
        *through += payload;
    }
    let mut passed: Vec<_> = passed.into_iter().collect();
    passed.sort_by_key(|(owner, (flows, through))| (core::cmp::Reverse((*through, *flows)), *owner));
    let mut named: Vec<String> = passed
        .iter()
        .take(MOST_NAMED)
        .map(|(owner, (flows, _))| owners.at(*owner).flows_in_words(*flows))
        .collect();
    let rest: usize = passed.iter().skip(MOST_NAMED).map(|(_, (flows, _))| flows).sum();
    named.extend((rest > 0).then(|| format!("{} more", counted(rest as u32, "flow"))));
    words::list(&named)
}

fn time_of(span: Span) -> String {
    words::time(span.seconds())
}

#[cfg(test)]
mod tests;
