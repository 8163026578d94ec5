//! Runs that are the same: seeds that change nothing, and settings that are another's.
//!
//! Invariant: runs are the same if their digests are. A run without a digest is like no other.

use std::collections::BTreeMap;

use super::cases::{Case, CaseSetting, assigned};
use crate::store::UnitResult;

/// Largest number of equal settings that are named.
const MOST_NAMED: usize = 3;

/// The digests of a case's runs.
fn digests<'a>(runs: &[usize], results: &'a [Option<UnitResult>]) -> Option<Vec<&'a str>> {
    runs.iter().map(|run| results[*run].as_ref()?.digest.as_deref()).collect()
}

/// Returns the number of settings with several seeds, and the number of those with the same run for each seed.
pub(super) fn seeds_without_effect(cases: &[&Case], results: &[Option<UnitResult>]) -> (usize, usize) {
    let several = cases.iter().flat_map(|case| &case.settings).filter(|setting| setting.runs.len() > 1);
    several.fold((0, 0), |(all, alike), setting| {
        let digests = digests(&setting.runs, results);
        let is_alike = digests.is_some_and(|digests| digests.iter().all(|one| *one == digests[0]));
        (all + 1, alike + usize::from(is_alike))
    })
}

/// Returns a sentence that names settings with the same runs as another under every condition; `None` if all differ.
/// A setting is told to be like the baseline, if it is, else like the first that it equals.
pub(super) fn equal_settings(
    cases: &[&Case],
    choices: &[String],
    results: &[Option<UnitResult>],
    baseline: Option<&str>,
) -> Option<String> {
    let settings = &cases[0].settings;
    // A sweep may have a million settings: each is looked up, not searched.
    let by_values: Vec<BTreeMap<&[String], &CaseSetting>> = cases
        .iter()
        .map(|case| case.settings.iter().map(|setting| (&setting.values[..], setting)).collect())
        .collect();
    let runs = |setting: &CaseSetting| -> Option<Vec<Vec<&str>>> {
        let of_case =
            |case: &BTreeMap<&[String], &CaseSetting>| digests(&case.get(&setting.values[..])?.runs, results);
        by_values.iter().map(of_case).collect()
    };
    let all: Vec<_> = settings.iter().map(runs).collect();
    let mut firsts = BTreeMap::new();
    for (place, runs) in all.iter().enumerate() {
        firsts.entry(runs.as_ref()).or_insert(place);
    }
    let name = |place: usize| assigned(choices, &settings[place].values);
    let baseline = baseline.and_then(|baseline| (0..settings.len()).find(|place| name(*place) == baseline));
    let first = |place: usize| {
        let is_same = |other: usize| other != place && all[other].is_some() && all[other] == all[place];
        let first = || firsts.get(&all[place].as_ref()).copied();
        baseline.filter(|base| is_same(*base)).or_else(|| first().filter(|other| is_same(*other)))
    };
    let equal: Vec<_> = (0..settings.len())
        .filter(|place| baseline != Some(*place))
        .filter_map(|place| Some((place, first(place)?)))
        .collect();
    let sentence = |(place, other): &(usize, usize)| {
        let kind = if baseline == Some(*other) { "the baseline " } else { "" };
        format!("{} gives the same runs as {kind}{}", name(*place), name(*other))
    };
    let mut said: Vec<_> = equal.iter().take(MOST_NAMED).map(sentence).collect();
    let more = equal.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        said.push(format!("{more} more settings repeat others"));
    }
    (!said.is_empty()).then(|| format!("{}.", said.join("; ")))
}
