//! The critical path of a job, its steps by parts.
//!
//! Invariant: the parts of a step add up to its length.
//!
//! ```text
//! message   posted ..................... last packet departs ............. arrived
//!           |  ideal time until then | late at the source |  ideal time  | late in the fabric |
//! ```

use std::collections::BTreeSet;

use scenario::{IdealJobMessage, JobIdeal};
use telemetry::{
    CriticalPath, MOST_OPERATIONS, NotMeasured, PathIteration, PathParts, PathStep, PathStepKind,
};
use units::{Span, Time};
use workload::job::Work;
use workload::job::path::{JobTimes, NoPath, Step, StepKind};
use workload::job::rendezvous::{CLEAR_BYTES, REQUEST_BYTES, WirePart};

use super::blame::Blame;
use super::hosts::{Hosts, Wait};
use super::{Measured, RunOperation};

/// Returns the critical path of a job, and the first operations on it, as many as a record keeps.
pub(super) fn of(
    measured: &Measured<'_>,
    ideal: &mut JobIdeal<'_>,
) -> Result<(CriticalPath, BTreeSet<RunOperation>), NotMeasured> {
    let mut times = JobTimes::new(&measured.job.programs, measured.times.clone());
    let steps = times.critical_path(measured.job.start).map_err(|none| match none {
        NoPath::NotComplete => NotMeasured::NotComplete,
        NoPath::Empty => NotMeasured::Empty,
    })?;
    let hosts = Hosts::new(measured.plan, measured.all);
    let mut split = Split { measured, times, ideal, hosts, blame: Blame::default() };
    let iterations = vec![PathIteration::default(); measured.job.runs as usize];
    let mut path = CriticalPath { iterations, ..CriticalPath::default() };
    let mut critical = BTreeSet::new();
    for step in &steps {
        let receive = match (step.kind, split.times.work(step.rank, step.operation)) {
            (
                StepKind::Message { receive, .. } | StepKind::Request { receive, .. },
                Work::Send { to, .. },
            ) => Some((to, receive)),
            _ => None,
        };
        let more = [Some((step.rank, step.operation)), receive].into_iter().flatten();
        critical.extend(more.take(MOST_OPERATIONS.saturating_sub(critical.len())));
        let step = split.step(step);
        path.parts = path.parts.plus(step.parts);
        let iteration = &mut path.iterations[step.iteration as usize];
        iteration.parts = iteration.parts.plus(step.parts);
        if path.steps.len() < MOST_OPERATIONS {
            path.steps.push(step);
        } else {
            path.steps_left_out += 1;
        }
    }
    let of_iterations = split.blame.of_iterations();
    let numbers = split.blame.places(measured.plan, &mut path);
    let renumber = |step: &mut PathStep| step.place = step.place.map(|old| numbers[old as usize]);
    path.steps.iter_mut().for_each(renumber);
    for (iteration, (old, span)) in of_iterations {
        path.iterations[iteration as usize].place = Some((numbers[old as usize], span));
    }
    Ok((path, critical))
}

/// Divides steps into parts.
struct Split<'m, 'a, 'i, 'p> {
    measured: &'m Measured<'a>,
    times: JobTimes<'m>,
    ideal: &'i mut JobIdeal<'p>,
    hosts: Hosts<'m>,
    blame: Blame,
}

/// A message on the path.
#[derive(Clone, Copy)]
struct Message {
    to: u32,
    /// Times from its posting, to the departure of its last packet, to its end.
    departed: Option<Time>,
    ideal: Span,
    part: WirePart,
}

impl Split<'_, '_, '_, '_> {
    fn step(&mut self, step: &Step) -> PathStep {
        let Step { rank, operation, kind, from: start, to: end } = *step;
        let whole = end.since(start);
        let (own, iteration) = self.measured.place(rank, operation);
        let alone = |kind, parts| PathStep {
            rank,
            operation: own,
            iteration,
            kind,
            to: None,
            receive: None,
            start,
            end,
            parts,
            place: None,
        };
        let (kind, to, receive, departed) = match kind {
            StepKind::Compute => {
                return alone(PathStepKind::Compute, PathParts { compute: whole, ..PathParts::default() });
            }
            StepKind::Start => {
                return alone(PathStepKind::Start, PathParts { waiting: whole, ..PathParts::default() });
            }
            StepKind::Message { receive, departed } => {
                let to = self.receiver(step);
                (PathStepKind::Message, to, Some((receive, to)), Some(departed))
            }
            StepKind::Completion => {
                let to = self.receiver(step);
                (PathStepKind::Completion, to, None, self.times.departure(rank, to, operation))
            }
            StepKind::Request { to, receive, departed } => {
                (PathStepKind::Request, to, Some((receive, to)), Some(departed))
            }
            StepKind::Clear { to, departed } => (PathStepKind::Clear, to, None, Some(departed)),
        };
        let (part, bytes) = self.part(step);
        let ideal = self.ideal.message(rank, to, bytes);
        let span = if kind == PathStepKind::Completion { ideal.completed } else { ideal.delivered };
        let message = Message { to, departed, ideal: span, part };
        let (parts, place) = self.parts(step, iteration, ideal, message);
        // The receive of a message may be of another iteration of its rank than the send is of its own.
        let receive = receive.map(|(receive, to)| self.measured.place(to, receive).0);
        PathStep { to: Some(to), receive, place, ..alone(kind, parts) }
    }

    /// Returns the receiver of a step's message.
    fn receiver(&self, step: &Step) -> u32 {
        let Work::Send { to, .. } = self.times.work(step.rank, step.operation) else {
            unreachable!("only sends post messages");
        };
        to
    }

    /// Returns the part of a message that a step carries, and its payload.
    fn part(&self, step: &Step) -> (WirePart, u64) {
        match (step.kind, self.times.work(step.rank, step.operation)) {
            (StepKind::Request { .. }, _) => (WirePart::Request, REQUEST_BYTES),
            (StepKind::Clear { .. }, _) => (WirePart::Clear, CLEAR_BYTES),
            (_, Work::Send { bytes, .. }) => {
                let has_asked = self.times.has_asked(step.rank, step.operation);
                (if has_asked { WirePart::Payload } else { WirePart::Whole }, bytes)
            }
            _ => unreachable!("only sends post messages"),
        }
    }

    /// Returns the parts of a message, and the number of the place that most of its congestion is blamed on.
    fn parts(
        &mut self,
        step: &Step,
        iteration: u32,
        ideal: IdealJobMessage,
        message: Message,
    ) -> (PathParts, Option<u32>) {
        let Message { to, departed, ideal: span, part } = message;
        let whole = step.to.since(step.from);
        let wire = span.min(whole);
        let late = whole - wire;
        let job = self.measured.job;
        let Some(flows) = job.flows(step.rank, to) else {
            // Within a host only earlier messages of the rank are in the way.
            return (PathParts { wire, waiting: late, ..PathParts::default() }, None);
        };
        let departed = departed.unwrap_or(step.to).min(step.to);
        let leaves_late = departed.since(step.from).ps().saturating_sub(ideal.departed.ps());
        let mut at_source = Span::from_ps(leaves_late).min(late);
        let mut in_fabric = late - at_source;
        let mut wait = Wait::default();
        if at_source > Span::ZERO {
            let messages = (job, &mut self.times, &mut *self.ideal);
            wait = self.hosts.wait(messages, (step.rank, step.operation, part), (step.from, departed));
        }
        let waiting = wait.own.min(at_source);
        at_source -= waiting;
        let shared = wait.shared.min(at_source);
        at_source -= shared;
        let output = self.hosts.output(flows.start);
        self.blame.share(output, &wait.others, (shared, iteration));
        let waits = self.measured.waits;
        if !wait.ahead.is_empty() {
            // It waited for messages that were held up themselves.
            let queued: BTreeSet<u32> = wait.ahead.into_iter().chain(flows.clone()).collect();
            let queued = queued.into_iter().map(|flow| (flow, wait.since, departed));
            if self.blame.add(waits, queued, (at_source, iteration)) {
                at_source = Span::ZERO;
            }
        }
        let own = flows.map(|flow| (flow, step.from, step.to));
        if self.blame.add(waits, own, (at_source + in_fabric, iteration)) {
            (at_source, in_fabric) = (Span::ZERO, Span::ZERO);
        }
        let congestion = late - waiting - at_source - in_fabric;
        let parts = PathParts { wire, waiting, congestion, at_source, in_fabric, ..PathParts::default() };
        (parts, self.blame.most_since())
    }
}
