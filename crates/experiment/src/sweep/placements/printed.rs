//! The answer of a sweep over placements, in their own words.
//!
//! Invariant: each placement has a row, in the order in which they were named, and its reason if it does not fit.

use measures::{Measure, Quantity, Unit};
use results::format::{counted, in_blocks};
use results::sweep::{SweepAnswer, SweepSetting};
use results::verdict::Verdict;
use units::Span;

use super::{Outlook, Placements, Trial};
use crate::statistics::Estimate;
use crate::sweep::means::printed;

/// Column of the sign of the best placement.
const BEST: usize = 1;
/// Columns that stand to the left: the placement and the sign.
const LEFT: usize = 2;

impl Placements {
    /// Returns a measure of the job.
    #[must_use]
    pub fn measure(&self, quantity: Quantity) -> Measure {
        Measure { quantity, group: self.job.clone(), phase: None }
    }

    /// Returns the sentences of a sweep's verdict with placements by their own words. The advice, a command, stays.
    #[must_use]
    pub fn told(&self, verdict: &Verdict) -> Verdict {
        let prefix = format!("{}=", self.path);
        let plain = |text: &str| text.replace(&prefix, "").replace("settings", "placements");
        let (loss, cause) = (plain(&verdict.loss), plain(&verdict.cause));
        Verdict { loss, cause, confidence: plain(&verdict.confidence), ..verdict.clone() }
    }

    /// Returns a row for each placement: its ideal time and busiest cable before the run, its time and slowdown in it.
    #[must_use]
    pub fn table(&self, answer: &SweepAnswer, width: usize) -> String {
        let header = ["place", "best", "ideal", "completion", "slowdown", "busiest cable"];
        let rows: Vec<_> = self.trials.iter().map(|trial| self.row(trial, answer)).collect();
        let seeds = answer.cases[0].settings[0].runs as u32 as usize;
        let mut text = format!(
            "Job `{}`: means over {}, with 95 % intervals, and the busiest cable of all\n{}\n",
            self.job,
            counted(seeds, "seed"),
            in_blocks(&header.map(str::to_owned), &rows, LEFT, LEFT, width)
        );
        for trial in &self.trials {
            if let Err(reason) = &trial.outlooks {
                text += &format!("{} does not fit: {reason}\n", trial.place);
            }
        }
        text
    }

    fn row(&self, trial: &Trial, answer: &SweepAnswer) -> Vec<String> {
        let case = &answer.cases[0];
        let place = case.settings.iter().position(|one| one.values.last() == Some(&trial.place));
        let (Ok(outlooks), Some(place)) = (&trial.outlooks, place) else {
            let mut row = vec!["-".to_owned(); 6];
            (row[0], row[BEST]) = (trial.place.clone(), String::new());
            row[3] = "does not fit".to_owned();
            return row;
        };
        let setting = &case.settings[place];
        let is_best = case.settings.len() > 1 && case.best == Some(place as u64);
        vec![
            trial.place.clone(),
            if is_best { "*".to_owned() } else { String::new() },
            ideal(outlooks),
            self.mean(setting, Quantity::JobCompletion),
            self.mean(setting, Quantity::JobSlowdown),
            busiest(outlooks),
        ]
    }

    fn mean(&self, setting: &SweepSetting, quantity: Quantity) -> String {
        let name = self.measure(quantity).to_string();
        let mean = setting.means.iter().find(|mean| mean.measure == name);
        mean.map_or_else(|| "-".to_owned(), |mean| printed(mean, quantity.info().unit, setting.runs))
    }
}

/// Returns the mean of the ideal times, with its interval.
fn ideal(outlooks: &[Outlook]) -> String {
    let times: Option<Vec<_>> = outlooks.iter().map(|one| one.job.ideal.ok().map(Span::seconds)).collect();
    let Some(times) = times.filter(|times| !times.is_empty()) else { return "-".to_owned() };
    let Estimate { mean, ci95, .. } = Estimate::of(&times);
    // Seeds that change nothing leave no interval.
    let half = ci95.filter(|half| *half > 1e-9 * mean);
    let half = half.map_or_else(String::new, |half| format!(" ± {}", Unit::Seconds.spelled(half)));
    format!("{}{half}", Unit::Seconds.spelled(mean))
}

/// Returns the busiest cable of all seeds, with the pairs of ranks and the time of their payload.
fn busiest(outlooks: &[Outlook]) -> String {
    let cables = outlooks.iter().filter_map(|one| Some((one.job.busiest?, one.busiest.as_ref()?)));
    let Some((output, (from, to))) = cables.max_by_key(|(output, _)| output.time) else {
        return "-".to_owned();
    };
    let pairs = (output.pairs * 10.0).round() / 10.0;
    let time = Unit::Seconds.spelled(output.time.seconds());
    format!("{from} to {to}, {time}, {pairs} pair{}", if pairs == 1.0 { "" } else { "s" })
}
