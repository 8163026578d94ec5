//! Ideal times of a job's messages, and of the job.
//!
//! Invariant: a message between ranks of a host takes no time, here as in the run.

use scenario::{IdealTimes, Plan};
use telemetry::NotMeasured;
use units::{Bytes, Span};
use workload::job::ideal::{IdealMessage, replay};
use workload::job::{Channel, Job, Work};

/// Ideal times of a job's messages.
#[derive(Debug)]
pub(super) struct IdealMessages<'a> {
    plan: &'a Plan,
    job: &'a Job,
    times: IdealTimes<'a>,
}

/// A message on the empty fabric: times from its posting on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ideal {
    /// Until it has arrived.
    pub(super) delivered: Span,
    /// Until its sender knows that it is complete: acknowledged, or, without acknowledgements, sent.
    pub(super) completed: Span,
    /// Until its last packet departs.
    pub(super) departed: Span,
    /// Time that it takes on the sender's wire.
    pub(super) occupied: Span,
}

impl<'a> IdealMessages<'a> {
    pub(super) fn new(plan: &'a Plan, job: &'a Job) -> Self {
        Self { plan, job, times: IdealTimes::new(plan) }
    }

    /// Returns the times of a message.
    pub(super) fn message(&mut self, from: u32, to: u32, bytes: u64) -> Ideal {
        let Some(flow) = self.job.flow(from, to) else {
            let none = Span::ZERO;
            return Ideal { delivered: none, completed: none, departed: none, occupied: none };
        };
        let flow = &self.plan.workload().flows[flow as usize];
        let times = self.times.times(flow, Bytes::new(bytes));
        Ideal {
            delivered: times.delivered,
            completed: if flow.transport.is_reliable() { times.acknowledged } else { times.departed },
            departed: times.departed,
            occupied: times.occupied,
        }
    }

    /// Returns the completion of the job with all messages at their ideal times.
    pub(super) fn completion(&mut self) -> Result<Span, NotMeasured> {
        let is_open = |channel: &Channel| channel.peer == Channel::ANY || channel.tag == Channel::ANY;
        let programs = &self.job.programs;
        if programs.ranks.iter().any(|rank| rank.receive_channels().iter().any(is_open)) {
            return Err(NotMeasured::AnyMessage);
        }
        if programs.operations() == 0 {
            return Err(NotMeasured::Empty);
        }
        // Computations of different ranks may follow each other: a bound of their sum keeps the replay in its clock.
        let spans = programs.ranks.iter().flat_map(|rank| {
            (0..rank.operations() as u32).map(|id| match rank.operation(id).work {
                Work::Compute { span } => u128::from(span.ps()),
                Work::Send { .. } | Work::Receive { .. } => 0,
            })
        });
        if spans.sum::<u128>() > u128::from(u64::MAX / 2) {
            return Err(NotMeasured::Endless);
        }
        let message = |from, to, bytes| {
            let Ideal { delivered, completed, occupied, .. } = self.message(from, to, bytes);
            IdealMessage { delivered, occupied, completed }
        };
        let replayed = replay(programs, message);
        Ok(replayed.expect("a job without open receives is checked before its run").completion())
    }
}
