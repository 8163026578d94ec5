//! The advice of a sweep: a command that answers the next question.
//!
//! Invariant: a command stands at the end, behind its reason. It is quoted for a shell, and repeats no run that is
//! there, unless its end is another.

use std::collections::BTreeSet;

use names::shell::{line, word};
use packet::Framing;
use results::format::{capital, counted};
use settings::path_of;

use super::Asked;
use crate::seeds;
use crate::statistics::verdict::MOST_MORE;
use crate::unit::Unit;

/// Seeds that are advised where there is one.
const FIRST_SEEDS: u64 = 5;
/// Options that a command has in another form.
const SEEDS: &str = "--seeds";
const OUT: &str = "--out";

impl Asked<'_> {
    /// Returns the command that answers the next question. `command` is that of the sweep, `dir` its folder.
    pub(super) fn advice(&self, command: &[String], dir: &str) -> String {
        if let Some(look) = self.look_at_failure() {
            return look;
        }
        let (bounds, missing) = self.unknown();
        let drains = self.plan.runs.iter().all(|run| run.unit.drain);
        let none = self.cases.iter().all(|judged| judged.verdict.is_err());
        if bounds > 0 && !drains && (none || missing == 0) {
            let drained = shell(without(command, OUT).chain(["--drain".to_owned()]));
            return format!(
                "No number is a bound where runs deliver what is under way at their ends; goodput over the run then counts \
                 the time of the drain, too: `{drained}`"
            );
        }
        if none {
            return format!(
                "The same runs by their goodput: `backwater sweep collect {} --maximise 'goodput(all)'`",
                word(dir)
            );
        }
        if !self.has_choice() {
            return self.to_choose(command);
        }
        self.more_seeds(command, dir).or_else(|| self.beyond()).unwrap_or_else(|| self.side_by_side(dir))
    }

    /// Returns the command that runs the first failed run by itself, which says why it fails.
    fn look_at_failure(&self) -> Option<String> {
        let (place, result) = self.failed().next()?;
        let Unit { scenario, overrides, seeds, drain } = &self.plan.runs[place].unit;
        let seed = seeds.run.map(|seed| format!(" --seed {seed}")).unwrap_or_default();
        let others = seeds.given().filter(|(path, _)| *path != "seed");
        let others = others.map(|(path, seed)| format!("{path}={seed}"));
        let sets = in_force(overrides).into_iter().chain(others).map(|set| format!(" --set {}", word(&set)));
        let drain = if *drain { " --drain" } else { "" };
        let cause = result.ended.words_with(result.fault);
        Some(format!(
            "A run that failed ({cause}), by itself: `backwater sim {}{}{seed}{drain}`",
            word(scenario),
            sets.collect::<String>()
        ))
    }

    fn has_choice(&self) -> bool {
        self.cases.iter().any(|judged| judged.case.settings.len() > 1)
    }

    fn to_choose(&self, command: &[String]) -> String {
        let plan = self.plan.runs[0].unit.plan();
        let setting = match &plan {
            // A job is as slow as its slowest flow: hosts for its ranks come before rates of its flows.
            Ok(plan) if !plan.workload().jobs.is_empty() => "jobs[0].place=Block(),Random",
            Ok(plan) if plan.link().framing != Framing::InfiniBand => "congestion_control=Off,Dcqcn()",
            Ok(_) | Err(_) => "congestion_control=Off,Guideline",
        };
        let vary = ["--vary", setting].map(str::to_owned);
        let varied = without(command, OUT).chain(vary);
        format!("Settings to choose from (`backwater fields` lists other fields): `{}`", shell(varied))
    }

    /// Returns the command with the seeds that a difference needs; `None` if no more are needed.
    fn more_seeds(&self, command: &[String], dir: &str) -> Option<String> {
        let comparisons =
            || self.cases.iter().filter_map(|judged| judged.verdict.as_ref().ok()?.comparison());
        // Seeds in use stay, so that their runs are found in the folder.
        let seeds: BTreeSet<_> = self.results.iter().flatten().map(|result| result.seed).collect();
        let most = seeds.last().copied().unwrap_or(0);
        let with = |last: u64| {
            let list = if seeds.iter().copied().eq(1..=most) {
                format!("1..={last}")
            } else {
                let own: Vec<_> = seeds.iter().map(ToString::to_string).collect();
                format!("{},{}..={last}", own.join(","), most + 1)
            };
            let kept: Vec<_> = without(command, SEEDS).collect();
            let with_dir = kept.iter().any(|one| one == OUT || one.starts_with("--out="));
            let out = (!with_dir && !dir.is_empty()).then(|| [OUT.to_owned(), dir.to_owned()]);
            shell(kept.into_iter().chain([SEEDS.to_owned(), list]).chain(out.into_iter().flatten()))
        };
        let more_in_words = |more: usize| format!("about {} would settle it", counted(more, "more seed"));
        let is_of_run = |path: &str| path == "seed";
        let is_apart =
            self.plan.runs.iter().any(|run| run.unit.seeds.given().any(|(path, _)| !is_of_run(path)));
        let is_of_file = command.iter().any(|one| one == "--file" || one.starts_with("--file="));
        if self.seeds() < 2 && !is_of_file && self.draws_at_random() {
            return Some(format!("What chance does: `{}`", with(most + FIRST_SEEDS - 1)));
        }
        let open = comparisons().filter(|one| !one.significant);
        let more = open.filter_map(|one| one.more_seeds).filter(|more| *more <= MOST_MORE).max()?;
        Some(match is_apart || is_of_file {
            true => format!("The same with further seeds: {}.", more_in_words(more)),
            false => format!("{}: `{}`", capital(&more_in_words(more)), with(most + more as u64)),
        })
    }

    /// Names the values of the best setting beyond which none was tried.
    fn beyond(&self) -> Option<String> {
        self.cases.iter().find_map(|judged| judged.verdict.as_ref().ok()?.edges())
    }

    /// Returns the command that shows the best setting beside the one with which it is compared.
    fn side_by_side(&self, dir: &str) -> String {
        let Some((judged, comparison)) = self.largest() else {
            return format!("All runs as a page: `backwater report {}`", word(dir));
        };
        let verdict = judged.verdict.as_ref().expect("it has a comparison");
        let run = |place: usize| {
            let run = &self.plan.runs[judged.case.settings[place].runs[0]];
            let Unit { scenario, overrides, .. } = &run.unit;
            let sets = in_force(overrides);
            if sets.is_empty() { scenario.clone() } else { format!("{scenario}:{}", sets.join(";")) }
        };
        let runs = [("best", verdict.best.place), ("other", comparison.other.place)]
            .map(|(label, place)| word(&format!("{label}={}", run(place))));
        let setting = &judged.case.settings[verdict.best.place];
        let units: Vec<_> = setting.runs.iter().map(|run| &self.plan.runs[*run].unit).collect();
        let (seeds, note) = seeds_of(&units);
        let drain = if units.iter().any(|unit| unit.drain) { " --drain" } else { "" };
        let measure = word(&self.measure.to_string());
        format!(
            "Both side by side{note}: `backwater compare {}{seeds}{drain} --measures {measure}`",
            runs.join(" ")
        )
    }
}

/// Returns overrides without a duration that a later one replaces: the longest time of runs that end when their traffic
/// is delivered comes last.
fn in_force(overrides: &[String]) -> Vec<String> {
    let is_duration = |set: &String| path_of(set) == "duration";
    let last = overrides.iter().rposition(is_duration);
    let kept = overrides.iter().enumerate().filter(|(place, set)| !is_duration(set) || Some(*place) == last);
    kept.map(|(_, set)| set.clone()).collect()
}

/// Returns the options that give a comparison the seeds of these units, and a note on seeds that it cannot have: it varies all random
/// streams together, and none by itself.
fn seeds_of(units: &[&Unit]) -> (String, String) {
    let of = |path: &str| -> Vec<u64> {
        let given = units.iter().flat_map(|unit| unit.seeds.given());
        let seeds: BTreeSet<_> = given.filter(|(of, _)| *of == path).map(|(_, seed)| seed).collect();
        seeds.into_iter().collect()
    };
    let mut options = match of("seed")[..] {
        [] => String::new(),
        [seed] => format!(" --seed {seed}"),
        ref all => format!(" --seeds {}", seeds::list(all)),
    };
    let mut note = String::new();
    for path in ["seeds.traffic", "seeds.ecmp", "seeds.marking"] {
        let all = of(path);
        let Some(first) = all.first() else { continue };
        options += &format!(" --set {path}={first}");
        if all.len() > 1 {
            note += &format!(", with the first of {} values of {path}", all.len());
        }
    }
    (options, note)
}

/// Returns the words of a command line without an option and its value.
fn without<'a>(command: &'a [String], option: &'a str) -> impl Iterator<Item = String> + 'a {
    let mut is_value = false;
    command
        .iter()
        .filter(move |one| {
            let joined = one.strip_prefix(option).is_some_and(|rest| rest.starts_with('='));
            let skipped = is_value || joined || *one == option;
            is_value = *one == option;
            !skipped
        })
        .cloned()
}

/// Returns a command line for a shell, with the program's name.
fn shell(words: impl Iterator<Item = String>) -> String {
    // A plan that was written apart runs as a whole, too, and an answer is to be seen.
    let is_left_out = |(place, one): &(usize, String)| *place == 1 && one == "plan" || one == "--quiet";
    let words = words.skip(1).enumerate().filter(|one| !is_left_out(one)).map(|(_, one)| one);
    line(["backwater".to_owned()].into_iter().chain(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::UnitSeeds;

    /// The command runs with the seeds of the sweep, and says which it cannot have.
    #[test]
    fn a_comparison_has_the_seeds_of_the_runs() {
        let of = |all: &[UnitSeeds]| {
            let unit = |seeds: &UnitSeeds| Unit {
                scenario: "a".to_owned(),
                overrides: Vec::new(),
                seeds: *seeds,
                drain: false,
            };
            let units: Vec<_> = all.iter().map(unit).collect();
            seeds_of(&units.iter().collect::<Vec<_>>())
        };
        let run = UnitSeeds::of_run;
        let traffic = |seed| UnitSeeds { traffic: Some(seed), ..run(1) };
        let plain = |options: &str| (options.to_owned(), String::new());
        assert_eq!(of(&[UnitSeeds::default()]), plain(""));
        assert_eq!(of(&[run(7)]), plain(" --seed 7"));
        assert_eq!(of(&[run(2), run(1), run(3)]), plain(" --seeds 1..=3"));
        assert_eq!(of(&[run(1), run(5)]), plain(" --seeds 1,5"));
        assert_eq!(of(&[traffic(4)]), plain(" --seed 1 --set seeds.traffic=4"));
        let (options, note) = of(&[traffic(4), traffic(6)]);
        assert_eq!(options, " --seed 1 --set seeds.traffic=4");
        assert_eq!(note, ", with the first of 2 values of seeds.traffic");
    }
}
