//! The answer of a sweep as text: under each condition a line, and the means of all settings.
//!
//! Invariant: a lower bound has its sign. A row is a setting under a condition, and no row stands there twice, unless
//! the user names more measures than fit beside each other.

use measures::{Measure, Unit};
use results::format::{counted, in_blocks};
use results::sweep::{SweepAnswer, SweepCase, SweepSetting};

use super::cases::assigned;
use super::means::printed;

/// Largest number of settings that are printed.
const MOST_ROWS: usize = 40;
/// Sign in the row of the best setting.
const BEST: &str = "*";

/// Returns the means of all settings within `width` characters. `named` is true if the user has named the measures;
/// otherwise those that do not fit are left out.
#[must_use]
pub fn means_table(answer: &SweepAnswer, named: bool, width: usize) -> String {
    let measures = answer.cases[0].settings[0].means.iter().map(|mean| mean.measure.clone());
    let best = has_best(answer).then(|| "best".to_owned());
    let left = answer.conditions.iter().chain(&answer.choices).cloned().chain(best);
    let header: Vec<_> = left.chain(["seeds".to_owned()]).chain(measures).collect();
    let keys = header.len() - answer.cases[0].settings[0].means.len();
    let chosen: Vec<_> = chosen(answer);
    let rows: Vec<_> = chosen.iter().map(|(case, place)| row(answer, case, *place)).collect();
    let table = |columns: usize| {
        let cut: Vec<_> = rows.iter().map(|row| row[..columns].to_vec()).collect();
        in_blocks(&header[..columns], &cut, keys, keys - 1, width)
    };
    // The measure asked for always stands there.
    let fits = (keys + 1..=header.len()).rev().find(|columns| named || !table(*columns).contains("\n\n"));
    let mut text =
        format!("Means over the seeds, with 95 % intervals\n{}\n", table(fits.unwrap_or(keys + 1)));
    let all: usize = answer.cases.iter().map(|case| case.settings.len()).sum();
    if all > rows.len() {
        text += &format!("... and {} in sweep.json\n", counted(all - rows.len(), "further setting"));
    }
    text
}

/// Returns a line for each condition with its best setting; empty without conditions, or without a choice.
#[must_use]
pub fn conditions_table(answer: &SweepAnswer) -> String {
    let has_choice = answer.cases.iter().any(|case| case.settings.len() > 1);
    if answer.conditions.is_empty() || !has_choice {
        return String::new();
    }
    let names: Vec<_> =
        answer.cases.iter().map(|case| assigned(&answer.conditions, &case.condition)).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let line = |(name, case): (&String, &SweepCase)| format!(" {name:longest$}  {}\n", case.answer);
    let lines: String = names.iter().zip(&answer.cases).take(MOST_ROWS).map(line).collect();
    let more = answer.cases.len().saturating_sub(MOST_ROWS);
    let more = if more > 0 {
        format!("... and {} in sweep.json\n", counted(more, "further condition"))
    } else {
        String::new()
    };
    format!("Best under each condition\n{lines}{more}\n")
}

/// Returns the settings that are printed, as their cases and their places. Of many, these are the first of each case,
/// and its best.
fn chosen(answer: &SweepAnswer) -> Vec<(&SweepCase, usize)> {
    let all: usize = answer.cases.iter().map(|case| case.settings.len()).sum();
    let of_case = |case: &SweepCase| -> Vec<usize> {
        let most = if all <= MOST_ROWS { all } else { (MOST_ROWS / answer.cases.len()).max(1) };
        let best = case.best.and_then(|best| usize::try_from(best).ok());
        let first = 0..case.settings.len();
        let mut places: Vec<_> =
            first.filter(|place| Some(*place) != best).take(most - usize::from(best.is_some())).collect();
        places.extend(best);
        places.sort_unstable();
        places
    };
    let pairs =
        answer.cases.iter().flat_map(|case| of_case(case).into_iter().map(move |place| (case, place)));
    pairs.take(MOST_ROWS).collect()
}

/// Returns true if some setting is the best of several.
fn has_best(answer: &SweepAnswer) -> bool {
    answer.cases.iter().any(|case| case.settings.len() > 1 && case.best.is_some())
}

fn row(answer: &SweepAnswer, case: &SweepCase, place: usize) -> Vec<String> {
    let SweepSetting { values, runs, means, .. } = &case.settings[place];
    let unit = |measure: &str| measure.parse::<Measure>().map_or(Unit::One, |one| one.quantity.info().unit);
    let mut cells: Vec<_> = case.condition.iter().chain(values).cloned().collect();
    let is_best = case.settings.len() > 1 && case.best == Some(place as u64);
    cells.extend(has_best(answer).then(|| if is_best { BEST.to_owned() } else { String::new() }));
    cells.push(runs.to_string());
    cells.extend(means.iter().map(|mean| printed(mean, unit(&mean.measure), *runs)));
    cells
}
