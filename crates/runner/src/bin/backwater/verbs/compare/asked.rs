//! The runs of a comparison, from the words of the command line.
//!
//! Invariant: all runs are checked before the first starts, and no two have the same folder.

use std::collections::BTreeSet;
use std::path::Path;

use backwater::Plan;
use backwater::provenance::run_manifest;
use names::rule;
use results::{Manifest, TableFormats, comparison};
use settings::path_of;

use super::CompareOptions;
use crate::failure::Failure;
use crate::folder_name;

/// A run of the comparison, before it starts.
pub(super) struct RunAsked {
    pub(super) label: String,
    pub(super) asked: String,
    pub(super) plan: Plan,
    pub(super) manifest: Manifest,
    /// Name of its folder: the label, with the seed if there are several.
    pub(super) folder: String,
    /// True if it names a seed of its own.
    pub(super) names_seed: bool,
}

/// Returns the runs of each seed, checked. The seed of a run is its own, else the command line's, else the first
/// scenario's.
pub(super) fn asked(options: &CompareOptions, formats: TableFormats) -> Result<Vec<Vec<RunAsked>>, Failure> {
    let mut folders = BTreeSet::new();
    match &options.seeds {
        None => Ok(vec![of_seed(options, formats, (options.seed, false), &mut folders)?]),
        Some(seeds) => {
            let own = options.runs.iter().find(|run| RunWords::of(run).names_seed());
            if let Some(run) = own {
                return Err(Failure::SeedBesideSeeds(run.clone()));
            }
            let several = seeds.0.len() > 1;
            let of = |seed: &u64| of_seed(options, formats, (Some(*seed), several), &mut folders);
            seeds.0.iter().map(of).collect()
        }
    }
}

/// Returns the runs of a seed. With `several` seeds, folders have the seed in their names.
fn of_seed(
    options: &CompareOptions,
    formats: TableFormats,
    (mut seed, several): (Option<u64>, bool),
    folders: &mut BTreeSet<String>,
) -> Result<Vec<RunAsked>, Failure> {
    let mut runs = Vec::with_capacity(options.runs.len());
    for (place, asked) in options.runs.iter().enumerate() {
        let words = RunWords::of(asked);
        let label = words.label.map_or_else(|| comparison::letter(place), str::to_owned);
        rule::check(&label).map_err(|fault| Failure::Label { label: label.clone(), fault })?;
        let of_several = seed.filter(|_| several);
        let folder =
            of_several.map_or_else(|| folder_name::safe(&label), |seed| folder_name::of_seed(&label, seed));
        // Folders tell labels apart.
        if !folders.insert(folder.clone()) {
            return Err(Failure::SameLabel(label));
        }
        let set = words.overrides(&options.set);
        let names_seed = words.names_seed();
        let plan = options.end.plan(words.scenario, &set, seed.filter(|_| !names_seed))?;
        seed.get_or_insert(plan.seed());
        let manifest = formats.announced(run_manifest(&plan, &options.end.overrides(&set, &plan)));
        runs.push(RunAsked { label, asked: asked.clone(), plan, manifest, folder, names_seed });
    }
    Ok(runs)
}

/// An argument of the command line in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RunWords<'a> {
    label: Option<&'a str>,
    scenario: &'a str,
    /// Overrides of this run alone, divided by semicolons.
    own: Option<&'a str>,
}

impl<'a> RunWords<'a> {
    /// Splits `LABEL=SCENARIO:PATH=VALUE;PATH=VALUE`. The name of a file is never split.
    fn of(asked: &'a str) -> Self {
        let bare = |text: &str| Path::new(text).is_file();
        // A file's name may have the signs that divide the parts, as those in default folders do.
        let starts_with_file = || asked.match_indices(':').any(|(at, _)| bare(&asked[..at]));
        let (label, rest) = match asked.split_once('=') {
            Some((label, rest)) if !label.contains(':') && !bare(asked) && !starts_with_file() => {
                (Some(label), rest)
            }
            _ => (None, asked),
        };
        let of_file = rest.match_indices(':').map(|(at, _)| at).find(|at| bare(&rest[..*at]));
        match of_file.or(rest.find(':')) {
            Some(at) if !bare(rest) => Self { label, scenario: &rest[..at], own: Some(&rest[at + 1..]) },
            _ => Self { label, scenario: rest, own: None },
        }
    }

    /// Returns the overrides of all runs, then this run's own.
    fn overrides(&self, of_all: &[String]) -> Vec<String> {
        let own = self.own.into_iter().flat_map(|own| own.split(';')).map(|one| one.trim().to_owned());
        of_all.iter().cloned().chain(own).collect()
    }

    /// Returns true if the run names its own seed.
    fn names_seed(&self) -> bool {
        self.own.into_iter().flat_map(|own| own.split(';')).any(|set| path_of(set) == "seed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_can_have_a_label_and_its_own_overrides() {
        let words = |asked| {
            let words = RunWords::of(asked);
            (words.label, words.scenario, words.overrides(&["all=1".to_owned()]))
        };
        let overrides = |own: &[&str]| -> Vec<String> {
            ["all=1"].iter().chain(own).map(|one| (*one).to_owned()).collect()
        };
        assert_eq!(words("victim"), (None, "victim", overrides(&[])));
        assert_eq!(words("on=victim"), (Some("on"), "victim", overrides(&[])));
        assert_eq!(
            words("off=a.ron:congestion_control=Off; switch.arbiter=Islip(iterations: 4)"),
            (
                Some("off"),
                "a.ron",
                overrides(&["congestion_control=Off", "switch.arbiter=Islip(iterations: 4)"])
            )
        );
        assert_eq!(words("victim:duration=1 s"), (None, "victim", overrides(&["duration=1 s"])));
    }

    #[test]
    fn a_run_can_name_its_own_seed() {
        assert!(RunWords::of("victim:duration=1 s; seed=3").names_seed());
        assert!(!RunWords::of("victim:workload.seed=3").names_seed());
    }
}
