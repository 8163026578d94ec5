//! The critical path of a job, its steps by parts.
//!
//! Invariant: the parts of a step add up to its length.
//!
//! ```text
//! message   posted ..................... last packet departs ............. arrived
//!           |  ideal time until then | late at the source |  ideal time  | late in the fabric |
//! ```

use telemetry::{CriticalPath, MOST_OPERATIONS, NotMeasured, PathParts, PathStep, PathStepKind};
use units::{Span, Time};
use workload::job::Work;
use workload::job::path::{JobTimes, NoPath, Step, StepKind};

use super::Measured;
use super::blame::Blame;
use super::ideal::{Ideal, IdealMessages};
use super::own::OwnMessages;

/// Returns the critical path of a job.
pub(super) fn of(
    measured: &Measured<'_>,
    ideal: &mut IdealMessages<'_>,
) -> Result<CriticalPath, NotMeasured> {
    let mut times = JobTimes::new(&measured.job.programs, measured.times.clone());
    let steps = times.critical_path().map_err(|none| match none {
        NoPath::NotComplete => NotMeasured::NotComplete,
        NoPath::Empty => NotMeasured::Empty,
    })?;
    let mut split = Split { measured, times, ideal, own: OwnMessages::default(), blame: Blame::default() };
    let mut path = CriticalPath::default();
    for step in &steps {
        let step = split.step(step);
        path.parts = path.parts.plus(step.parts);
        if path.steps.len() < MOST_OPERATIONS {
            path.steps.push(step);
        } else {
            path.steps_left_out += 1;
        }
    }
    let (places, numbers) = split.blame.places(measured.plan);
    path.places = places;
    let renumber = |step: &mut PathStep| step.place = step.place.map(|old| numbers[old as usize]);
    path.steps.iter_mut().for_each(renumber);
    Ok(path)
}

/// Divides steps into parts.
struct Split<'m, 'a, 'i, 'p> {
    measured: &'m Measured<'a>,
    times: JobTimes<'m>,
    ideal: &'i mut IdealMessages<'p>,
    own: OwnMessages,
    blame: Blame,
}

/// A message on the path.
#[derive(Clone, Copy)]
struct Message {
    to: u32,
    /// Times from its posting, to the departure of its last packet, to its end.
    departed: Option<Time>,
    ideal: Span,
}

impl Split<'_, '_, '_, '_> {
    fn step(&mut self, step: &Step) -> PathStep {
        let Step { rank, operation, kind, from: start, to: end } = *step;
        let whole = end.since(start);
        let work = self.measured.job.programs.ranks[rank as usize].operation(operation).work;
        let Work::Send { to, bytes, .. } = work else {
            let parts = PathParts { compute: whole, ..PathParts::default() };
            let kind = PathStepKind::Compute;
            return PathStep {
                rank,
                operation,
                kind,
                to: None,
                receive: None,
                start,
                end,
                parts,
                place: None,
            };
        };
        let ideal = self.ideal.message(rank, to, bytes);
        let (kind, receive, departed, span) = match kind {
            StepKind::Message { receive, departed } => {
                (PathStepKind::Message, Some(receive), Some(departed), ideal.delivered)
            }
            StepKind::Completion | StepKind::Compute => {
                (PathStepKind::Completion, None, self.times.departure(rank, to, operation), ideal.completed)
            }
        };
        let message = Message { to, departed, ideal: span };
        let (parts, place) = self.parts(step, ideal, message);
        PathStep { rank, operation, kind, to: Some(to), receive, start, end, parts, place }
    }

    /// Returns the parts of a message, and the number of the place that most of its congestion is blamed on.
    fn parts(&mut self, step: &Step, ideal: Ideal, message: Message) -> (PathParts, Option<u32>) {
        let Message { to, departed, ideal: span } = message;
        let whole = step.to.since(step.from);
        let wire = span.min(whole);
        let late = whole - wire;
        let departed = departed.unwrap_or(step.to).min(step.to);
        let leaves_late = departed.since(step.from).ps().saturating_sub(ideal.departed.ps());
        let at_source = Span::from_ps(leaves_late).min(late);
        let job = self.measured.job;
        let mut waiting = Span::ZERO;
        if at_source > Span::ZERO {
            let others = (job, &mut self.times, &mut *self.ideal);
            let most = self.own.wait(others, (step.rank, to, step.operation), (step.from, departed));
            waiting = most.min(at_source);
        }
        let parts = PathParts { wire, waiting, ..PathParts::default() };
        let rest = late - waiting;
        let flow = job.flow(step.rank, to);
        let blamed = flow.filter(|_| rest > Span::ZERO);
        let place =
            blamed.and_then(|flow| self.blame.add(self.measured.waits, (flow, step.from, step.to), rest));
        if place.is_some() {
            return (PathParts { congestion: rest, ..parts }, place);
        }
        let at_source = at_source - waiting;
        (PathParts { at_source, in_fabric: rest - at_source, ..parts }, None)
    }
}
