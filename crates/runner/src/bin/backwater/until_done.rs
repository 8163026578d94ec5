//! Ends of runs: `--until-done`, when finite traffic is delivered, and `--drain`, which delivers what is under way.
//!
//! Invariant: each verb that takes an option means the same by it. `--until-done` is short for fields of the scenario,
//! so the plan tells all, and its file repeats the run; a drain is no part of the plan.

use backwater::Plan;
use clap::Args;
use experiment::sweep::UntilDone;
use scenario::{Scenario, ScenarioText};
use settings::path_of;
use units::Span;

use crate::arguments;
use crate::failure::Failure;

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct EndOptions {
    /// Run until all finite traffic is delivered, sooner or later than `duration`, and say when that was. Finite are
    /// flows and patterns that end by themselves: by a number of messages, a `stop`, an `until` or a list. Other
    /// traffic goes on meanwhile.
    #[arg(long)]
    until_done: bool,
    /// Longest simulated time of a run with `--until-done`, or of a scenario with `until_done: true` [default: ten
    /// times the scenario's `duration` with the option, else `duration`]. A run that is not done by then ends there
    /// with all its results, and exit status 6.
    #[arg(long, value_name = "TIME", value_parser = arguments::span)]
    at_most: Option<Span>,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct DrainOptions {
    /// After the end of a run, deliver what is under way: hosts post no further message, and time goes on until every message
    /// that they have posted is delivered and every credit is back. To wait for messages yet to be posted, use
    /// `--until-done`.
    #[arg(long)]
    pub(crate) drain: bool,
}

impl DrainOptions {
    /// Returns the option as words of a command line.
    pub(crate) fn options(self) -> Option<String> {
        self.drain.then(|| "--drain".to_owned())
    }

    /// Returns the words of a folder's name.
    pub(crate) fn words(self) -> Option<String> {
        self.drain.then(|| "drain".to_owned())
    }
}

impl EndOptions {
    /// Returns the end as sweeps and tunings have it; `None` if it is the scenario's.
    pub(crate) fn of_many_runs(
        self,
        scenario: Option<&str>,
        set: &[String],
    ) -> Result<Option<UntilDone>, Failure> {
        scenario.map_or(Ok(()), |scenario| self.check_file(scenario, set))?;
        Ok(self.is_until_done().then_some(UntilDone { at_most: self.at_most }))
    }

    /// Refuses `--at-most` of a scenario that does not end by itself.
    fn check_file(self, scenario: &str, set: &[String]) -> Result<(), Failure> {
        if self.until_done || self.at_most.is_none() {
            return Ok(());
        }
        let mut source = ScenarioText::find(scenario)?;
        set.iter().try_for_each(|set| source.set(set))?;
        if Scenario::read(&source)?.until_done { Ok(()) } else { Err(Failure::AtMostAlone) }
    }

    /// Refuses a second duration beside `--at-most`.
    pub(crate) fn check(self, set: &[String]) -> Result<(), Failure> {
        match (set.iter().find(|set| path_of(set) == "duration"), self.at_most) {
            (Some(set), Some(_)) => Err(Failure::TwoDurations(set.clone())),
            _ => Ok(()),
        }
    }

    /// Returns the plan of a scenario with these overrides and this end.
    pub(crate) fn plan(self, scenario: &str, set: &[String], seed: Option<u64>) -> Result<Plan, Failure> {
        if !self.is_until_done() {
            return Ok(experiment::plan(scenario, set, seed)?);
        }
        self.check_file(scenario, set)?;
        self.check(set)?;
        Ok(experiment::plan_until_done(scenario, set, seed, self.at_most)?)
    }

    /// Returns the overrides with which a plan was made, those that stand for these options included.
    pub(crate) fn overrides(self, set: &[String], plan: &Plan) -> Vec<String> {
        let own = || ["until_done=true".to_owned(), format!("duration={}", plan.duration())];
        set.iter().cloned().chain(self.is_until_done().then(own).into_iter().flatten()).collect()
    }

    /// Returns true if runs go on until their finite traffic is delivered.
    pub(crate) const fn is_until_done(self) -> bool {
        self.until_done || self.at_most.is_some()
    }

    /// Returns the options as words of a command line.
    pub(crate) fn options(self) -> Vec<String> {
        let until_done = self.until_done.then(|| "--until-done".to_owned());
        let at_most = self.at_most.map(|longest| ["--at-most".to_owned(), longest.to_string()]);
        until_done.into_iter().chain(at_most.into_iter().flatten()).collect()
    }

    /// Returns the words of a folder's name: the overrides, and these options.
    pub(crate) fn words(self, set: &[String]) -> Vec<String> {
        let until_done = self.until_done.then(|| "until-done".to_owned());
        let at_most = self.at_most.map(|longest| format!("at-most={longest}"));
        set.iter().cloned().chain(until_done).chain(at_most).collect()
    }
}
