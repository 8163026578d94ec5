//! `--threads`: a run on several cores.
//!
//! Invariant: the number of threads changes the time that a run takes, and no result.

use std::num::NonZero;

use backwater::wording;
use backwater::{Division, Plan, Threads};
use clap::Args;

use crate::terminal::note;

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ThreadOptions {
    /// Threads that a run takes, at most as many as the machine has cores: a number, or `auto` for as many as gain. The results
    /// are the same [default: 1].
    #[arg(long, value_name = "N|auto", value_parser = parsed)]
    threads: Option<Threads>,
}

pub(crate) fn parsed(text: &str) -> Result<Threads, String> {
    match text {
        "auto" => Ok(Threads::Auto),
        "1" => Ok(Threads::One),
        number => number
            .parse()
            .map(|threads: NonZero<usize>| Threads::AtMost(threads))
            .map_err(|_| "write a number from 1, or auto".to_owned()),
    }
}

/// Parses the number of runs at a time.
pub(crate) fn number(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "write a number from 1".to_owned())
}

/// Notes that the machine has fewer cores than the runs at a time that were asked for.
pub(crate) fn note_fewer_cores(asked: Option<NonZero<usize>>) {
    if let Some(remark) = asked.and_then(|asked| wording::fewer_cores(Threads::AtMost(asked))) {
        note(&remark);
    }
}

impl ThreadOptions {
    pub(crate) fn of_one(self) -> Threads {
        self.threads.unwrap_or_default()
    }

    /// Returns the threads of each of several runs, and the number of runs at a time. All together take no more threads
    /// than there are cores. `auto` gives each run a single thread where there are as many runs as cores.
    pub(crate) fn of_each(self, runs: usize) -> (Threads, usize) {
        let processors = Threads::Auto.most();
        let each = match self.of_one() {
            Threads::Auto => {
                let each = processors / runs.clamp(1, processors);
                NonZero::new(each).map_or(Threads::One, Threads::AtMost)
            }
            other => other,
        };
        (each, processors / each.most())
    }

    /// Divides a run among its threads; with a remark if there are fewer than asked for, unless it is `quiet`.
    pub(crate) fn divide(self, plan: &Plan, quiet: bool) -> Division {
        let division = Division::of(plan, self.of_one());
        if !quiet && let Some(threads) = self.threads {
            wording::fewer_threads(&division, threads).iter().for_each(|remark| note(remark));
        }
        division
    }

    /// Divides a run among `ranks` ranks and their threads. Unless it is `quiet`, it remarks on parts or threads fewer
    /// than asked for.
    pub(crate) fn divide_among(self, ranks: usize, plan: &Plan, quiet: bool) -> Division {
        let division = Division::among(plan, ranks, self.of_one());
        if !quiet && let Some(remark) = wording::ranks(&division, ranks) {
            note(&remark);
        }
        division
    }

    /// Divides each of several runs, with its label, among these threads; with remarks as [`divide`](Self::divide) has.
    pub(crate) fn divide_each<'a>(
        self,
        runs: impl Iterator<Item = (&'a str, &'a Plan)>,
        each: Threads,
        quiet: bool,
    ) -> Vec<Division> {
        let divided = |(label, plan): (&str, &Plan)| {
            let division = Division::of(plan, each);
            if !quiet
                && self.threads.is_some()
                && let Some(remark) = wording::fewer_threads(&division, each)
            {
                note(&format!("run `{label}`: {remark}"));
            }
            division
        };
        runs.map(divided).collect()
    }

    /// Describes the division of a run, if threads are asked for.
    pub(crate) fn description(self, plan: &Plan) -> Option<String> {
        self.threads.map(|threads| wording::threads(&Division::of(plan, threads), threads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_a_number_or_auto() {
        assert_eq!(parsed("auto"), Ok(Threads::Auto));
        assert_eq!(parsed("1"), Ok(Threads::One));
        assert_eq!(parsed("3"), Ok(Threads::AtMost(NonZero::new(3).expect("3 is not 0"))));
        for wrong in ["0", "-1", "two", "", "1.5"] {
            assert!(parsed(wrong).is_err() && number(wrong).is_err(), "{wrong}");
        }
    }

    /// Runs at a time times threads of each never exceed the cores.
    #[test]
    fn runs_and_their_threads_share_the_cores() {
        let processors = Threads::Auto.most();
        for asked in ["1", "2", "3", "64", "auto"] {
            for runs in 1..=5 {
                let options = ThreadOptions { threads: parsed(asked).ok() };
                let (each, at_once) = options.of_each(runs);
                assert!(at_once >= 1 && at_once * each.most() <= processors, "{asked}, {runs} runs");
            }
        }
    }
}
