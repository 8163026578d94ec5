//! The answer of a tuning in sentences, for the terminal, `tuning.json` and the page.
//!
//! Invariant: settings are recommended only if the held-out runs speak for them; else the answer begins with "Keep the
//! settings".

use super::answer::{Advice, Held, HeldMean, Judged, Tuned};
use super::candidate::Candidate;
use super::findings::NoWinner;
use super::goal::Objective;
use super::question::TuningJob;
use crate::statistics::Estimate;
use results::format::counted;

impl TuningJob {
    /// Returns the answer in sentences: whether to change the settings, by how much that is better, and on which runs.
    #[must_use]
    pub fn verdict(&self, tuned: &Tuned) -> String {
        if tuned.trials.is_empty() {
            return "No answer: time ended the search before the first setting was tried.".to_owned();
        }
        let Some(winner) = tuned.winner else {
            let tried = tuned.trials.len();
            return match self.no_winner(tuned) {
                NoWinner::UnknownGoal(goal) => format!(
                    "No answer: {} has no known number with any of {tried} settings, the scenario's own included: a run lacks it, or \
                     ends before messages that could change it.",
                    goal.measure
                ),
                NoWinner::UnknownWhereKept(kept) => format!(
                    "No answer: {kept} of {tried} settings keep the constraints, but none of these has a known number of every goal: \
                     runs end before messages that could change it."
                ),
                NoWinner::BrokenConstraints => format!(
                    "No answer: none of {tried} settings, the scenario's own included, keeps the constraints in every training run: \
                     loosen one, or widen the space."
                ),
            };
        };
        let judged = tuned.judged.first();
        let gains = judged.map(|judged| self.gains(tuned, judged)).unwrap_or_default();
        let name = |judged: &Judged| named(tuned, judged.trial);
        let held_out = format!("{} held-out seeds", self.held_out.len());
        match (tuned.advice(), judged) {
            (Advice::Change, Some(judged)) if judged.beats_baseline() => format!(
                "The winner, {}, beats the baseline on {held_out}: {gains}, every interval above zero.{}",
                name(judged),
                self.broken_by_baseline(tuned)
            ),
            (Advice::Change, Some(judged)) => format!(
                "The winner, {}, keeps the constraints in every run on {held_out}: {gains}.{}",
                name(judged),
                self.broken_by_baseline(tuned)
            ),
            (Advice::Trade, Some(judged)) => format!(
                "A choice between goals: on {held_out} the winner, {}, against the baseline: {gains}.",
                name(judged)
            ),
            (_, Some(judged)) if judged.trial == winner => {
                let reason = match self.broken(&judged.held) {
                    Some(broken) => format!("the winner of the search, {}, {broken}", name(judged)),
                    None => format!(
                        "the winner of the search, {}, is not shown to beat the baseline on {held_out}: {gains}{}",
                        name(judged),
                        self.settled_by(judged)
                    ),
                };
                format!("Keep the settings: {reason}.{}", self.broken_by_baseline(tuned))
            }
            (_, Some(judged)) => format!(
                "Keep the settings: on the training seeds none of {} others is better{}. The best of them, {}, on {held_out}: {gains}{}.{}",
                tuned.trials.len() - 1,
                if self.objectives.len() > 1 { " in every goal" } else { "" },
                name(judged),
                self.settled_by(judged),
                self.broken_by_baseline(tuned)
            ),
            (_, None) => {
                "Keep the settings: no other setting keeps the constraints in every training run.".to_owned()
            }
        }
    }

    /// Returns the number of further held-out seeds that would show a gain which was seen.
    fn settled_by(&self, judged: &Judged) -> String {
        let more = self.more_held_out(judged);
        more.map(|more| format!("; about {} would settle it", counted(more, "more held-out seed")))
            .unwrap_or_default()
    }

    /// Returns the gain of each objective: `goodput(all) +2.26 Gb/s ± 139 Mb/s (+8.44 ± 0.52 %)`.
    fn gains(&self, tuned: &Tuned, judged: &Judged) -> String {
        let gain = |((objective, gain), base): ((&Objective, &Option<HeldMean>), &Option<HeldMean>)| {
            let measure = &objective.measure;
            let Some(HeldMean { estimate: gain, bound }) = gain else {
                return format!("{measure} is not known in every run, or only as a bound");
            };
            let unit = measure.quantity.info().unit;
            let better = if gain.mean >= 0.0 { "better" } else { "worse" };
            let half = gain.ci95.map(|half| format!(" ± {}", unit.spelled(half))).unwrap_or_default();
            let percent = percent(gain, base.map(|base| base.estimate).as_ref())
                .map(|text| format!(" ({text})"))
                .unwrap_or_default();
            // The least gain is the most that is lost.
            let bound = match (bound, gain.mean >= 0.0) {
                (None, _) => "",
                (Some(_), true) => "at least ",
                (Some(_), false) => "at most ",
            };
            if gain.is_zero() && bound.is_empty() {
                return format!("{measure} is the same");
            }
            format!("{measure} is {better} by {bound}{}{half}{percent}", unit.spelled(gain.mean.abs()))
        };
        let all = self.objectives.iter().zip(&judged.gains).zip(&tuned.baseline.objectives);
        all.map(gain).collect::<Vec<_>>().join("; ")
    }

    /// Returns the first constraint that does not hold in every held-out run of a setting, in words.
    fn broken(&self, held: &Held) -> Option<String> {
        let mut all = self.constraints.iter().zip(&held.kept);
        let (constraint, kept) = all.find(|(_, kept)| **kept < held.runs)?;
        let runs = held.runs;
        Some(match kept {
            0 => format!("keeps `{constraint}` in none of {runs} held-out runs"),
            _ => format!("keeps `{constraint}` in {kept} of {runs} held-out runs only"),
        })
    }

    fn broken_by_baseline(&self, tuned: &Tuned) -> String {
        self.broken(&tuned.baseline).map(|broken| format!(" The baseline {broken}.")).unwrap_or_default()
    }
}

/// Returns a gain in percent of the baseline's mean, with its interval: `+8.44 ± 0.52 %`; `None` if that mean is 0 or
/// not known.
#[must_use]
pub fn percent(gain: &Estimate, baseline: Option<&Estimate>) -> Option<String> {
    let base = baseline.filter(|base| base.mean != 0.0)?;
    let share = |number: f64| 100.0 * number / base.mean.abs();
    let half = gain.ci95.map(|half| format!(" ± {:.2}", share(half))).unwrap_or_default();
    Some(format!("{:+.2}{half} %", share(gain.mean)))
}

fn named(tuned: &Tuned, place: usize) -> String {
    match tuned.trials[place].trial.candidate {
        Candidate::Searched(_) => format!("trial {}", place + 1),
        Candidate::Guideline => format!("trial {} (the guideline)", place + 1),
        Candidate::Baseline => format!("trial {} (the baseline)", place + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::{Advice, HeldMean, Side, Tuned};
    use super::super::testing::{held, job, tuned};

    #[test]
    fn a_search_without_time_has_no_answer() {
        let nothing = Tuned { trials: Vec::new(), ..tuned(None, None, held(&[1e9], &[])) };
        assert_eq!(nothing.advice(), Advice::NoneFeasible);
        assert!(job(&["goodput(victim)"], &[]).verdict(&nothing).starts_with("No answer: time ended"));
    }

    /// Advice and first words for each way in which a tuning can end.
    #[test]
    fn settings_are_recommended_only_if_held_out_runs_speak_for_them() {
        let constraint = ["goodput(all) >= 10 Gb/s"];
        let one = job(&["goodput(victim)"], &[]);
        let bound = job(&["goodput(victim)"], &constraint);
        let two = job(&["goodput(victim)", "goodput(all)"], &[]);
        let base = |kept: &[usize]| held(&[1e9], kept);
        let cases = [
            (&one, tuned(Some(1), Some((1, base(&[]), &[2e8])), base(&[])), Advice::Change),
            (&one, tuned(Some(1), Some((1, base(&[]), &[-2e8])), base(&[])), Advice::Keep),
            (&one, tuned(Some(1), Some((1, base(&[]), &[5e7])), base(&[])), Advice::Keep),
            (&one, tuned(Some(0), Some((2, base(&[]), &[-2e8])), base(&[])), Advice::Keep),
            (&one, tuned(Some(0), None, base(&[])), Advice::Keep),
            (&bound, tuned(Some(1), Some((1, base(&[1]), &[2e8])), base(&[2])), Advice::Keep),
            (&bound, tuned(Some(1), Some((1, base(&[2]), &[-2e8])), base(&[0])), Advice::Change),
            (&bound, tuned(None, None, base(&[0])), Advice::NoneFeasible),
            (
                &two,
                tuned(Some(1), Some((1, held(&[1e9, 1e9], &[]), &[2e8, -2e8])), held(&[1e9, 2e9], &[])),
                Advice::Trade,
            ),
        ];
        let mut sentences = Vec::new();
        for (job, tuned, advice) in cases {
            assert_eq!(tuned.advice(), advice, "{}", job.verdict(&tuned));
            assert_eq!(job.verdict(&tuned).starts_with("Keep the settings"), advice == Advice::Keep);
            sentences.push(job.verdict(&tuned));
        }
        insta::assert_snapshot!(sentences.join("\n"));
    }

    /// The least gain is known where numbers are bounds, and the most that is lost.
    #[test]
    fn gains_of_bounds_are_called_so() {
        let one = job(&["goodput(victim)"], &[]);
        let said = |gain: f64, bound| {
            let mut answer = tuned(Some(1), Some((1, held(&[1e9], &[]), &[gain])), held(&[1e9], &[]));
            answer.judged[0].gains[0] = answer.judged[0].gains[0].map(|own| HeldMean { bound, ..own });
            one.verdict(&answer)
        };
        assert!(said(2e8, Some(Side::AtLeast)).contains("is better by at least 200 Mb/s"));
        assert!(said(-2e8, Some(Side::AtLeast)).contains("is worse by at most 200 Mb/s"));
        assert!(said(2e8, None).contains("is better by 200 Mb/s"));
        let spelled = |bound| {
            let estimate = crate::statistics::Estimate { mean: 2.41e-3, ci95: None, seeds: 3 };
            HeldMean { estimate, bound }.spelled(measures::Unit::Seconds)
        };
        let all = [None, Some(Side::AtLeast), Some(Side::AtMost)].map(spelled);
        assert_eq!(all, ["2.41 ms", "≥ 2.41 ms", "≤ 2.41 ms"]);
    }
}
