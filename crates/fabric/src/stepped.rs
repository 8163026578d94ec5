//! A run in steps, for a caller with other work between them, such as a page that a reader looks at.
//!
//! Invariant: the record is the same as from [`simulate`](crate::simulate), whatever the steps. The loop stops
//! between windows, and looking changes nothing.

use core::fmt::{self, Debug, Formatter};

use packet::FlowId;
use scenario::Plan;
use telemetry::{LaneMoment, RunEnding, RunRecord, Series, TreeMoment};
use units::{Rate, Time};

use crate::observe::digest;
use crate::observe::timeline::lane_so_far;
use crate::run::error::RunError;
use crate::run::{Run, RunOptions};
use crate::{build, record, run_of};

/// A run that advances step by step, on one thread and without a clock.
pub struct SteppedRun {
    plan: Plan,
    run: Run<'static>,
    is_over: bool,
}

/// All outputs at an instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Outputs and lanes, in the order of [`Plan::lanes`], with their counts from the start of the run.
    pub lanes: Vec<LaneMoment>,
    /// Packets marked from the start of the run, by all switches.
    pub marked: u64,
}

impl SteppedRun {
    /// Creates the run of a plan, at time zero, with all links brought up. `moments` has the meaning of
    /// [`RunOptions::moments`].
    #[must_use]
    pub fn new(plan: Plan, moments: usize) -> Self {
        let options = RunOptions { moments, ..RunOptions::default() };
        // A page has no clock, and so this run has none on any machine.
        let mut run = run_of(&plan, build::world(&plan, None), (options, None));
        run.bring_up();
        Self { plan, run, is_over: false }
    }

    /// Handles every event up to and including the instant `to`, or up to the end if that comes first. Returns true
    /// once the run is over.
    ///
    /// # Errors
    /// If the run violates an invariant of the simulator, or if it deadlocks. It cannot go on then.
    pub fn advance(&mut self, to: Time) -> Result<bool, RunError> {
        let end = self.end();
        if !self.is_over && to > self.now() {
            self.run.run_until(to.min(end), &mut |_| {})?;
            self.is_over = matches!(self.run.ended, RunEnding::Done | RunEnding::GaveUp | RunEnding::Stuck)
                || self.now() >= end;
        }
        Ok(self.is_over)
    }

    /// Returns the plan.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the instant that the run has reached.
    #[must_use]
    pub fn now(&self) -> Time {
        self.run.world.now()
    }

    /// Returns the end of the plan's duration.
    #[must_use]
    pub fn end(&self) -> Time {
        self.plan.duration().after_start()
    }

    /// Returns the number of events handled.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.run.events()
    }

    /// Returns the series of goodput so far.
    #[must_use]
    pub const fn series(&self) -> &Series {
        &self.run.instruments.goodput.series
    }

    /// Looks at all outputs.
    #[must_use]
    pub fn look(&self) -> Look {
        let world = &self.run.world;
        let marks = |place| world.lane_seen(place).marked;
        Look {
            lanes: self.plan.lanes().map(|place| lane_so_far(world, place)).collect(),
            marked: self.plan.lanes().map(marks).sum(),
        }
    }

    /// Returns the congestion trees at the last moment so far, those with most branches first, each with the place of its
    /// root among [`Plan::lanes`]. None before the first moment, and of a run without moments.
    #[must_use]
    pub fn last_trees(&self) -> Vec<(u32, &TreeMoment)> {
        let instruments = &self.run.instruments;
        let Some(timeline) = &instruments.timeline else { return Vec::new() };
        let root = |tree: &TreeMoment| timeline.place(instruments.trees.root(tree.root));
        timeline.last_trees().iter().map(|tree| (root(tree), tree)).collect()
    }

    /// Returns the largest rate on the wire that congestion control allows the flow with this number; `None` if it
    /// does not limit the flow.
    ///
    /// # Panics
    /// If the plan has no such flow.
    #[must_use]
    pub fn allowed_rate(&self, flow: u32) -> Option<Rate> {
        let (control, line) = self.run.world.control(FlowId(flow));
        control.allowed_rate(line)
    }

    /// Ends a run that is over. Returns its plan and its record.
    ///
    /// # Errors
    /// If packets are missing, which is a bug of the simulator.
    ///
    /// # Panics
    /// If the run is not over.
    pub fn finish(mut self) -> Result<(Plan, RunRecord), RunError> {
        assert!(self.is_over, "the run has reached {} of {}", self.now(), self.end());
        self.run.close()?;
        let digest = digest::of(&self.run.world);
        let record = record::collect(&self.plan, self.run, digest);
        Ok((self.plan, record))
    }
}

impl Debug for SteppedRun {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteppedRun")
            .field("now", &self.now())
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}
