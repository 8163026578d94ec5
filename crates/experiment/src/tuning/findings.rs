//! Findings of a tuning beyond its winner: the best setting of the search, settings that change nothing, parameters
//! that matter, and the answer in four sentences.
//!
//! Invariant: "changes nothing" means the same number to rounding, over the same training seeds.

use results::format::counted;
use results::verdict::{Verdict, VerdictKind};

use super::answer::{Advice, HeldMean, Judged, Sensitivity, TrialRow, Tuned};
use super::goal::Objective;
use super::question::TuningJob;
use super::space::Parameter;
use crate::statistics::verdict::LEVEL;
use crate::statistics::{power, student};

/// Difference of two numbers, as a share, that rounding explains.
const ROUNDING: f64 = 1e-9;
/// Least rank correlation of a parameter that is named, however many settings there are.
const STRONG: f64 = 0.3;
/// Largest number of parameters that are named.
const MOST_NAMED: usize = 2;
/// Seed that begins the list for a trial of the found setting, beyond those that tunings have by default.
const FRESH_SEED: usize = 2001;
/// Seeds of such a trial, if nothing says how many are needed.
const FRESH_SEEDS: usize = 10;

/// Reason for which a search has no winner.
#[derive(Clone, Copy, Debug)]
pub(super) enum NoWinner<'a> {
    /// A goal has no known number with any setting.
    UnknownGoal(&'a Objective),
    /// So many settings keep the constraints, but none of them has a known number of every goal.
    UnknownWhereKept(usize),
    /// No setting keeps the constraints.
    BrokenConstraints,
}

impl Tuned {
    /// Returns the setting that the search found: the winner, or the best other setting if the scenario's own wins.
    #[must_use]
    pub fn found(&self) -> Option<&TrialRow> {
        self.judged.first().map(|judged| &self.trials[judged.trial])
    }

    /// Returns the number of settings that were searched, and how many of them give exactly the numbers of the
    /// scenario's own settings. A guideline is no such setting: it changes more than the parameters.
    #[must_use]
    pub fn equal_to_baseline(&self) -> (usize, usize) {
        let Some((baseline, others)) = self.trials.split_first() else { return (0, 0) };
        let same = |one: &TrialRow| {
            let mut pairs = one.means.iter().zip(&baseline.means);
            let near = |one: f64, other: f64| (one - other).abs() <= ROUNDING * other.abs();
            one.trial.seeds == baseline.trial.seeds
                && pairs.all(|(one, other)| one.zip(*other).is_some_and(|(one, other)| near(one, other)))
        };
        let is_known = |one: &&TrialRow| {
            let is_searched = one.trial.candidate.point().is_some();
            is_searched && !one.means.is_empty() && one.means.iter().all(Option::is_some)
        };
        let known = others.iter().filter(is_known);
        (known.clone().count(), known.filter(|one| same(one)).count())
    }

    /// Returns true if every setting with a known number has that of the scenario's own settings: the measure does not
    /// depend on any parameter.
    #[must_use]
    pub fn is_insensitive(&self) -> bool {
        let (others, equal) = self.equal_to_baseline();
        others > 1 && others == equal
    }
}

impl TuningJob {
    /// Returns the number of held-out seeds, more than there are, with which the gain of the first goal would be
    /// significant. `None` if it is shown already, is no gain, or no number of seeds is enough.
    #[must_use]
    pub fn more_held_out(&self, judged: &Judged) -> Option<usize> {
        let gain = judged.gains.first().copied().flatten()?.estimate;
        let is_open = gain.mean > 0.0 && gain.ci95.is_some() && gain.low() <= 0.0;
        let needed = is_open.then(|| power::seeds_needed(&gain, LEVEL)).flatten()?;
        Some(needed.saturating_sub(gain.seeds).max(1))
    }

    /// Returns the reason for which a search has no winner.
    pub(super) fn no_winner(&self, tuned: &Tuned) -> NoWinner<'_> {
        let is_unknown = |place: &usize| {
            let is_unknown = |row: &TrialRow| row.means.get(*place).is_some_and(Option::is_none);
            !tuned.trials.is_empty() && tuned.trials.iter().all(is_unknown)
        };
        if let Some(place) = (0..self.objectives.len()).find(is_unknown) {
            return NoWinner::UnknownGoal(&self.objectives[place]);
        }
        match tuned.trials.iter().filter(|row| row.trial.score.violation <= 0.0).count() {
            0 => NoWinner::BrokenConstraints,
            kept => NoWinner::UnknownWhereKept(kept),
        }
    }

    /// Returns the answer in four sentences.
    #[must_use]
    pub fn answer(&self, tuned: &Tuned) -> Verdict {
        Verdict {
            loss: self.numbers(tuned),
            cause: self.parameters_that_matter(tuned),
            confidence: self.verdict(tuned),
            advice: self.next_command(tuned),
            kind: VerdictKind::Runs,
            measure: self.objectives.first().map(|objective| objective.measure.to_string()),
        }
    }

    /// Returns the numbers of the scenario's own settings and of the found setting on the held-out seeds.
    fn numbers(&self, tuned: &Tuned) -> String {
        let Some(objective) = self.objectives.first() else { return String::new() };
        let unit = objective.measure.quantity.info().unit;
        let spelled =
            |one: Option<HeldMean>| one.map_or_else(|| "no known number".to_owned(), |one| one.spelled(unit));
        let own = tuned.baseline.objectives.first().copied().flatten();
        let found = tuned.judged.first().map_or_else(String::new, |judged| {
            let number = judged.held.objectives.first().copied().flatten();
            format!(", and the best other setting (trial {}) {}", judged.trial + 1, spelled(number))
        });
        format!(
            "{}: the scenario's own settings have {}{found}, over {}.",
            objective.measure,
            spelled(own),
            counted(self.held_out.len(), "held-out seed")
        )
    }

    /// Returns which parameters move the first goal, and how many settings change nothing.
    fn parameters_that_matter(&self, tuned: &Tuned) -> String {
        let Some(objective) = self.objectives.first() else { return String::new() };
        let measure = &objective.measure;
        let (others, equal) = tuned.equal_to_baseline();
        if tuned.is_insensitive() {
            return format!(
                "{measure} does not depend on any parameter: all {} have the number of the scenario's own.",
                counted(others, "searched setting")
            );
        }
        let equal = match equal {
            0 => String::new(),
            equal => format!(
                " {equal} of {} give exactly the number of the scenario's own.",
                counted(others, "searched setting")
            ),
        };
        format!("{}{equal}", self.correlated(tuned))
    }

    /// Returns the parameters with which the first goal rises or falls, beyond what chance alone would give, and over
    /// how many settings.
    fn correlated(&self, tuned: &Tuned) -> String {
        let searched = tuned.trials.iter().filter(|row| row.trial.candidate.point().is_some());
        let known = searched.clone().filter(|row| row.trial.score.objectives[0].is_finite()).count();
        if known == 0 {
            return format!("No searched setting has a known number of {}.", self.objectives[0].measure);
        }
        let over = match searched.count() {
            tried if tried == known => format!("over the {}", counted(tried, "searched setting")),
            tried => format!("over {known} of {}, those with a number", counted(tried, "searched setting")),
        };
        let strength = |one: &Sensitivity| one.rank_correlation.map_or(0.0, f64::abs);
        let mut all: Vec<_> = tuned.sensitivity.iter().filter(|one| one.rank_correlation.is_some()).collect();
        all.sort_by(|one, other| strength(other).total_cmp(&strength(one)));
        let named = |one: &&Sensitivity| {
            let rho = one.rank_correlation.unwrap_or_default();
            let worse = if rho > 0.0 { "larger" } else { "smaller" };
            format!("{} (rank correlation {rho:+.2}: {worse} is worse)", one.parameter)
        };
        let by_chance = by_chance(known);
        let strong = all.iter().filter(|one| strength(one) >= by_chance).take(MOST_NAMED).map(named);
        let strong: Vec<_> = strong.collect();
        match (all.first(), strong.is_empty()) {
            (_, false) => {
                format!("{} goes with {}, {over}.", self.objectives[0].measure, strong.join(" and "))
            }
            (Some(first), true) if by_chance <= 1.0 => format!(
                "No parameter stands out {over}: the strongest is {}, and chance alone gives {by_chance:.2} in 1 of 20 searches.",
                named(first)
            ),
            _ => format!("No parameter stands out {over}."),
        }
    }

    /// Returns the command that answers the next question: the found setting against the scenario's own on fresh seeds.
    fn next_command(&self, tuned: &Tuned) -> String {
        if tuned.is_insensitive() {
            return "Ask for another measure (`backwater compare` prints many), or a space with other parameters.".to_owned();
        }
        let (Some(found), Some(judged)) = (tuned.found(), tuned.judged.first()) else {
            return match self.no_winner(tuned) {
                NoWinner::UnknownGoal(_) | NoWinner::UnknownWhereKept(_) => {
                    let drain = if self.drain { "" } else { "`--drain`, " };
                    format!(
                        "Give the runs time to deliver their messages: {drain}a longer `--set duration=...`, or a goal without \
                         bounds, such as `--maximise 'goodput(all)'`."
                    )
                }
                NoWinner::BrokenConstraints => "Loosen a constraint, or widen the space.".to_owned(),
            };
        };
        let own = found.overrides.iter().map(|set| set.split_whitespace().collect::<Vec<_>>().join(" "));
        let own = own.collect::<Vec<_>>().join(";");
        let set = self.set.iter().chain(&self.held_out_set).flat_map(|set| ["--set".to_owned(), set.clone()]);
        let goals = self.objectives.iter().map(|one| one.measure.to_string()).collect::<Vec<_>>().join(",");
        let seeds = self.more_held_out(judged).map_or(FRESH_SEEDS, |more| more + self.held_out.len());
        let runs = [format!("own={}", self.scenario), format!("found={}:{own}", self.scenario)];
        let seeds = format!("{FRESH_SEED}..={}", FRESH_SEED + seeds - 1);
        let asked = ["--measures".to_owned(), goals, "--seeds".to_owned(), seeds];
        let asked = self.end_in_words().into_iter().chain(asked);
        let words = ["backwater", "compare"].map(str::to_owned).into_iter().chain(runs).chain(set);
        let command = names::shell::line(words.chain(asked));
        match tuned.advice() {
            Advice::Change | Advice::Trade => {
                format!("Both side by side on fresh seeds (`winner.set` has the settings): `{command}`")
            }
            _ => format!(
                "The best that was found, on fresh seeds (`searched.set` has its settings): `{command}`"
            ),
        }
    }
}

impl TuningJob {
    /// Returns the options of the end of all runs, as words of a command line.
    fn end_in_words(&self) -> Vec<String> {
        let until_done = self.until_done.map(|end| (["--until-done".to_owned()], end.at_most));
        let (until_done, at_most) = until_done.unzip();
        let at_most = at_most.flatten().map(|longest| ["--at-most".to_owned(), longest.to_string()]);
        let drain = self.drain.then(|| "--drain".to_owned());
        until_done.into_iter().flatten().chain(at_most.into_iter().flatten()).chain(drain).collect()
    }
}

/// Returns the rank correlation that chance alone exceeds in one of 20 lists of this many pairs, but at least
/// [`STRONG`]; infinite for fewer than 4 pairs. Student's t with two degrees of freedom less than pairs approximates it.
fn by_chance(pairs: usize) -> f64 {
    if pairs < 4 {
        return f64::INFINITY;
    }
    let degrees = (pairs - 2) as f64;
    let t = student::bound(1.0 - LEVEL, degrees);
    (t / (degrees + t * t).sqrt()).max(STRONG)
}

/// Longest text of a value in a table, in characters.
const LONGEST: usize = 44;

/// Returns a value as people read it: a number with its unit, a word, or the form of a value that is too long with the
/// number of its items: `Entries of 128`.
#[must_use]
pub fn readable(parameter: &Parameter, number: Option<f64>, written: Option<&str>) -> String {
    let Some(written) = written else { return "-".to_owned() };
    if parameter.values.choices().is_none()
        && let Some(number) = number
    {
        let unit = parameter.unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
        return format!("{number}{unit}");
    }
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    let form: String = line.chars().take_while(|letter| letter.is_alphanumeric()).collect();
    match items(&line) {
        items if items > 1 && !form.is_empty() => format!("{form} of {items}"),
        _ => line.chars().take(LONGEST - 4).collect::<String>() + " ...",
    }
}

/// Returns the number of items of the innermost list that a value wraps: 2 of `Entries([(3, 0), (3, 1)])`.
fn items(text: &str) -> usize {
    let inner = text.split_once('[').map_or("", |(_, rest)| rest);
    let (mut depth, mut commas, mut is_empty, mut after_comma) = (0_i32, 0, true, false);
    for letter in inner.chars() {
        match letter {
            ']' if depth == 0 => break,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                (commas, after_comma) = (commas + 1, true);
                continue;
            }
            ' ' => continue,
            _ => {}
        }
        (is_empty, after_comma) = (false, false);
    }
    if is_empty { 0 } else { commas + usize::from(!after_comma) }
}

#[cfg(test)]
mod tests {
    use super::super::space::Values;
    use super::super::testing::{held, job, known, tuned};
    use super::*;
    use crate::statistics::Estimate;

    #[test]
    fn values_are_numbers_words_or_a_form_with_its_items() {
        let parameter = |values, unit: Option<&str>| Parameter {
            name: "p".to_owned(),
            path: "a.b".to_owned(),
            values,
            unit: unit.map(str::to_owned),
            text: None,
            times: None,
        };
        let size = parameter(Values::Linear { from: 1.0, to: 9.0 }, Some("KB"));
        assert_eq!(readable(&size, Some(12.5), Some("\"12.5 KB\"")), "12.5 KB");
        assert_eq!(readable(&size, None, None), "-");
        let choice = parameter(Values::Choice(vec!["A".to_owned(), "B".to_owned()]), None);
        assert_eq!(readable(&choice, Some(1.0), Some("B")), "B");
        let entries = |count: usize| format!("Entries([{}])", vec!["(3,\n  0)"; count].join(", "));
        assert_eq!(readable(&size, None, Some(&entries(2))), "Entries([(3, 0), (3, 0)])");
        assert_eq!(readable(&size, None, Some(&entries(128))), "Entries of 128");
        assert_eq!(readable(&size, None, Some(&"x".repeat(50))), "x".repeat(40) + " ...");
        assert_eq!((items("f([])"), items("f([1, 2, ])"), items("f(1)")), (0, 2, 0));
    }

    /// Without constraints, nobody is told to loosen one.
    #[test]
    fn a_goal_without_a_known_number_is_named() {
        for constraints in [&[][..], &["goodput(all) >= 10 Gb/s"]] {
            let job = job(&["p99(victim)"], constraints);
            let mut answer = tuned(None, None, held(&[], &[]));
            answer.trials.iter_mut().for_each(|row| row.means = vec![None]);
            let said = job.answer(&answer);
            assert!(
                said.confidence.starts_with("No answer: p99(victim) has no known number"),
                "{}",
                said.confidence
            );
            assert!(said.advice.starts_with("Give the runs time"), "{}", said.advice);
            assert!(!format!("{said}").contains("constraint"), "{said}");
            answer.trials[1].means = vec![Some(1e-3)];
            assert!(job.answer(&answer).confidence.contains("keeps the constraints"));
            // A setting keeps them, but has no number.
            answer.trials.iter_mut().for_each(|row| row.trial.score.violation = 1.0);
            answer.trials[0].trial.score.violation = 0.0;
            let said = job.answer(&answer);
            let kept = format!("No answer: 1 of {} settings keep the constraints, but", answer.trials.len());
            assert!(said.confidence.starts_with(&kept), "{}", said.confidence);
            assert!(said.advice.starts_with("Give the runs time"), "{}", said.advice);
        }
    }

    /// With a gain of 1 and a deviation of 1 in two seeds, tables have 10 pairs (Cohen 1988).
    #[test]
    fn an_open_gain_says_how_many_seeds_settle_it() {
        let job = job(&["goodput(victim)"], &[]);
        let gain = Estimate::of(&[0.3e9, 1.7e9]);
        let mut answer = tuned(Some(1), Some((1, held(&[1e9], &[]), &[0.0])), held(&[1e9], &[]));
        answer.judged[0].gains = vec![Some(known(gain))];
        let more = job.more_held_out(&answer.judged[0]).unwrap();
        assert_eq!(more + 2, power::seeds_needed(&gain, LEVEL).unwrap());
        let verdict = job.verdict(&answer);
        assert!(verdict.contains(&format!("about {more} more held-out seeds would settle it")), "{verdict}");
        let advice = job.answer(&answer).advice;
        assert!(advice.contains(&format!("--seeds 2001..={}", 2000 + 2 + more)), "{advice}");
        assert!(advice.contains("found=victim:") && advice.contains("`searched.set`"), "{advice}");
        assert!(advice.contains("): `backwater compare own=victim ") && advice.ends_with('`'), "{advice}");
        answer.judged[0].gains = vec![Some(known(Estimate::of(&[1e9, 1e9])))];
        assert_eq!(job.more_held_out(&answer.judged[0]), None);
        answer.judged[0].gains = vec![Some(known(Estimate::of(&[-1e9, 0.5e9])))];
        assert_eq!(job.more_held_out(&answer.judged[0]), None);
    }

    /// Tables of correlations: 0.632 for 10 pairs and 0.532 for 14, at 5 % on both sides.
    #[test]
    fn a_correlation_that_chance_gives_names_no_parameter() {
        assert!((by_chance(10) - 0.632).abs() < 5e-4 && (by_chance(14) - 0.532).abs() < 5e-4);
        assert_eq!((by_chance(3), by_chance(1000)), (f64::INFINITY, STRONG));
        let job = job(&["goodput(victim)"], &[]);
        let mut answer = tuned(Some(1), Some((1, held(&[1e9], &[]), &[0.0])), held(&[1e9], &[]));
        answer.trials.extend(vec![answer.trials[1].clone(); 14]);
        answer.trials.iter_mut().skip(3).for_each(|row| row.trial.score.objectives[0] = 1.0);
        let of = |parameter: &str, rho| Sensitivity {
            parameter: parameter.to_owned(),
            rank_correlation: Some(rho),
            neighbours: Vec::new(),
        };
        answer.sensitivity = vec![of("a", 0.46), of("b", -0.47)];
        let said = job.answer(&answer).cause;
        let weak = "No parameter stands out over 14 of 16 searched settings, those with a number: the strongest is b (rank \
                    correlation -0.47: smaller is worse), and chance alone gives 0.53 in 1 of 20 searches.";
        assert_eq!(said, weak);
        answer.sensitivity = vec![of("a", 0.72), of("b", -0.81), of("c", 0.1)];
        let said = job.answer(&answer).cause;
        let strong = "goodput(victim) goes with b (rank correlation -0.81: smaller is worse) and a (rank correlation +0.72: \
                      larger is worse), over 14 of 16 searched settings, those with a number.";
        assert_eq!(said, strong);
    }

    #[test]
    fn a_measure_that_no_parameter_moves_is_said_to_be_such() {
        let job = job(&["goodput(victim)"], &[]);
        let mut answer = tuned(Some(0), Some((2, held(&[1e9], &[]), &[0.0])), held(&[1e9], &[]));
        answer.trials.iter_mut().for_each(|row| row.means = vec![Some(1e9)]);
        assert_eq!((answer.equal_to_baseline(), answer.is_insensitive()), ((2, 2), true));
        let said = job.answer(&answer);
        assert!(said.cause.starts_with("goodput(victim) does not depend on any parameter"), "{}", said.cause);
        assert!(said.advice.starts_with("Ask for another measure"), "{}", said.advice);
        answer.trials[2].means = vec![Some(1.1e9)];
        assert_eq!((answer.equal_to_baseline(), answer.is_insensitive()), ((2, 1), false));
        let said = job.answer(&answer).cause;
        assert!(said.contains("1 of 2 searched settings give exactly the number"), "{said}");
        // A number that is not known equals nothing.
        answer.trials[1].means = vec![None];
        assert_eq!(answer.equal_to_baseline(), (1, 0));
    }
}
