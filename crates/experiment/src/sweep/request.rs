//! What a sweep is asked for, by options of the command line and by a sweep file.
//!
//! Invariant: options and files have the same syntax. Options are added to the file's entries.
//!
//! ```ron
//! (
//!     scenario: "victim",
//!     set: ["duration=20 ms"],
//!     variants: {"schemes": [(name: "off", set: ["congestion_control=Off"]), (name: "other", scenario: "other.ron")]},
//!     vary: ["@schemes", "link.mtu=1 KiB,2 KiB"],
//!     zip: ["switch.buffer=32 KiB,64 KiB; adapter.receive_buffer=32 KiB,64 KiB"],
//!     range: ["sample=log:10 us..1 ms:3"],
//!     seeds: ["1..=5"],
//! )
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use scenario::{Diagnostic, ScenarioText};
use serde::Deserialize;
use settings::{FieldPath, path_of};
use units::Span;

use super::axis::{Axis, VARIANT, Variant};
use super::fault::{Given, GivenPlace, ValueFault};
use super::rows::{Sweep, SweepRow, UntilDone};
use super::seeds::{self, SeedKind};
use crate::unit::Unit;

/// Largest number of runs of a sweep.
const MOST_RUNS: usize = 1_000_000;

/// What a sweep is asked for.
#[derive(Clone, Debug, Default)]
pub struct SweepRequest {
    /// Scenario of all runs without a scenario of their own.
    pub scenario: Option<String>,
    /// Overrides in all runs, each as `PATH=VALUE`.
    pub set: Vec<Given>,
    /// Lists of values, `PATH=A,B`, or of variants, `@NAME`.
    pub vary: Vec<Given>,
    /// Lists that are varied together, `PATH=A,B; PATH=C,D`.
    pub zip: Vec<Given>,
    /// Variants of the command line, `NAME: PATH=VALUE; PATH=VALUE`.
    pub variant: Vec<Given>,
    /// Ranges, `PATH=lin:FROM..TO:N`.
    pub range: Vec<Given>,
    /// Number of points of a Latin hypercube over the ranges, with its place.
    pub lhs: Option<(usize, Given)>,
    /// Seed of the Latin hypercube; 1 if `None`.
    pub lhs_seed: Option<u64>,
    /// Lists of seeds, `1..=20`, `traffic=1..=5`.
    pub seeds: Vec<Given>,
    /// End of all runs, if it is not their scenario's.
    pub until_done: Option<UntilDone>,
    /// True if everything under way is delivered after the end.
    pub drain: bool,
    /// Lists of variants of the sweep file, by name.
    variants: BTreeMap<String, Vec<Variant>>,
    /// The sweep file.
    file: Option<ScenarioText>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SweepFile {
    scenario: Option<String>,
    set: Vec<String>,
    vary: Vec<String>,
    zip: Vec<String>,
    range: Vec<String>,
    lhs: Option<usize>,
    lhs_seed: Option<u64>,
    variants: BTreeMap<String, Vec<VariantSpec>>,
    seeds: Vec<String>,
    until_done: bool,
    at_most: Option<Span>,
    drain: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantSpec {
    name: String,
    #[serde(default)]
    scenario: Option<String>,
    #[serde(default)]
    set: Vec<String>,
}

impl SweepRequest {
    /// Reads a sweep file. Scenarios that it names lie beside it, or are shipped.
    ///
    /// # Errors
    /// If the file cannot be read, or is no sweep file.
    pub fn of_file(path: &Path) -> Result<Self, Diagnostic> {
        let source = ScenarioText::of_file(path)?;
        let file: SweepFile = source.read_as()?;
        let folder = source.folder().unwrap_or_else(|| Path::new("")).to_owned();
        let beside = |name: String| {
            let file = folder.join(&name);
            if file.is_file() || name.ends_with(".ron") { file.display().to_string() } else { name }
        };
        let given = |name: &str, texts: Vec<String>| -> Vec<Given> {
            let of =
                |(place, text)| Given { text, place: GivenPlace::File(FieldPath::from(name).index(place)) };
            texts.into_iter().enumerate().map(of).collect()
        };
        let variant =
            |VariantSpec { name, scenario, set }| Variant { name, scenario: scenario.map(beside), set };
        let variants = file.variants.into_iter();
        Ok(Self {
            scenario: file.scenario.map(beside),
            set: given("set", file.set),
            vary: given("vary", file.vary),
            zip: given("zip", file.zip),
            variant: Vec::new(),
            range: given("range", file.range),
            lhs: file.lhs.map(|points| {
                (points, Given { text: points.to_string(), place: GivenPlace::File(FieldPath::from("lhs")) })
            }),
            lhs_seed: file.lhs_seed,
            seeds: given("seeds", file.seeds),
            until_done: file.until_done.then_some(UntilDone { at_most: file.at_most }),
            drain: file.drain,
            variants: variants.map(|(name, list)| (name, list.into_iter().map(variant).collect())).collect(),
            file: Some(source),
        })
    }

    /// Returns all rows of the sweep: first the order of the axes (variants, lists, zipped lists, ranges, hypercube),
    /// within a setting the seeds. The last axis changes fastest.
    ///
    /// # Errors
    /// If an option or an entry of the file is wrong. Overrides are checked by [`Sweep::identify`].
    pub fn sweep(&self) -> Result<Sweep, Diagnostic> {
        let Some(scenario) = &self.scenario else {
            return Err(self.own_fault("SCENARIO", &ValueFault::NoScenario));
        };
        let axes = self.axes()?;
        let seeds = self.seeds()?;
        if self.until_done.is_some_and(|end| end.at_most.is_some()) {
            self.check_one_duration(&axes)?;
        }
        let mut sizes =
            axes.iter().map(|(axis, _)| axis.points.len()).chain(seeds.iter().map(|(_, list)| list.len()));
        let runs = sizes.try_fold(1usize, usize::checked_mul).filter(|runs| *runs <= MOST_RUNS);
        if runs.is_none() {
            let sizes: Vec<_> = axes.iter().map(|(axis, _)| axis.points.len().to_string()).collect();
            let seeds = seeds.iter().map(|(_, list)| list.len().to_string());
            let runs = sizes.into_iter().chain(seeds).collect::<Vec<_>>().join(" x ");
            return Err(self.own_fault("sweep", &ValueFault::TooMany { runs, most: MOST_RUNS }));
        }
        let base = SweepRow {
            unit: Unit {
                scenario: scenario.clone(),
                overrides: self.set.iter().map(|given| given.text.clone()).collect(),
                seeds: crate::UnitSeeds::default(),
                drain: self.drain,
            },
            settings: Vec::new(),
        };
        let settings = axes.iter().fold(vec![base], |rows, (axis, _)| crossed(&rows, axis));
        let all_seeds = seeds::combined(&seeds);
        let with_seeds = |row: &SweepRow| {
            let row = row.clone();
            all_seeds.iter().map(move |seeds| SweepRow {
                unit: Unit { seeds: *seeds, ..row.unit.clone() },
                settings: row.settings.clone(),
            })
        };
        Ok(Sweep {
            rows: settings.iter().flat_map(with_seeds).collect(),
            origins: self.origins(&axes),
            file: self.file.clone(),
            until_done: self.until_done,
        })
    }

    fn axes(&self) -> Result<Vec<(Axis, Given)>, Diagnostic> {
        let mut axes = Vec::new();
        if let Some(first) = self.variant.first() {
            let parsed = self.each(&self.variant, Variant::parse)?;
            let axis = Axis::variants(VARIANT, &parsed).map_err(|fault| self.fault(first, &fault))?;
            axes.push((axis, first.clone()));
        }
        let vary = self.each(&self.vary, |text| Axis::vary(text, &self.variants))?;
        axes.extend(vary.into_iter().zip(self.vary.iter().cloned()));
        axes.extend(self.each(&self.zip, Axis::zip)?.into_iter().zip(self.zip.iter().cloned()));
        axes.extend(self.ranges()?);
        for (place, (axis, given)) in axes.iter().enumerate() {
            let before = || axes[..place].iter().flat_map(|(axis, _)| &axis.columns);
            let within = |at: usize| axis.columns[..at].contains(&axis.columns[at]);
            let twice = (0..axis.columns.len())
                .find(|at| within(*at) || before().any(|one| *one == axis.columns[*at]));
            if let Some(at) = twice {
                let path = axis.columns[at].clone();
                return Err(self.fault(given, &ValueFault::VariedTwice { path }));
            }
        }
        Ok(axes)
    }

    /// Refuses a duration beside a longest time, which would replace it.
    fn check_one_duration(&self, axes: &[(Axis, Given)]) -> Result<(), Diagnostic> {
        let is_duration = |text: &str| path_of(text) == "duration";
        let of_axes = axes.iter().filter(|(axis, _)| {
            axis.points.iter().flat_map(|point| &point.overrides).any(|set| is_duration(set))
        });
        let set = self.set.iter().filter(|given| is_duration(&given.text));
        match set.chain(of_axes.map(|(_, given)| given)).next() {
            Some(given) => Err(self.fault(given, &ValueFault::TwoDurations)),
            None => Ok(()),
        }
    }

    /// Returns the axes of ranges: an axis for each, or, with a Latin hypercube, a single axis for all.
    fn ranges(&self) -> Result<Vec<(Axis, Given)>, Diagnostic> {
        let ranges = self.each(&self.range, Axis::range)?;
        let Some((points, place)) = &self.lhs else {
            let axis = |((path, range), given): (&(String, super::values::ValueRange), &Given)| {
                let values = range.values().map_err(|fault| self.fault(given, &fault))?;
                Ok((Axis::of(path, &values), given.clone()))
            };
            return ranges.iter().zip(&self.range).map(axis).collect();
        };
        if let Some((_, given)) = ranges.iter().zip(&self.range).find(|((_, range), _)| range.steps.is_some())
        {
            return Err(self.fault(given, &ValueFault::StepsOfHypercube));
        }
        let axis = Axis::hypercube(&ranges, *points, self.lhs_seed.unwrap_or(1));
        let axis = axis.map_err(|fault| self.fault(place, &fault))?;
        Ok(vec![(axis, self.range[0].clone())])
    }

    fn seeds(&self) -> Result<Vec<(SeedKind, Vec<u64>)>, Diagnostic> {
        let mut seeds = self.each(&self.seeds, seeds::parse)?;
        for (place, (kind, _)) in seeds.iter().enumerate() {
            if seeds[..place].iter().any(|(before, _)| before == kind) {
                let kind = kind.name().to_owned();
                return Err(self.fault(&self.seeds[place], &ValueFault::SeedsTwice { kind }));
            }
        }
        seeds.sort_by_key(|(kind, _)| *kind);
        Ok(seeds)
    }

    /// Returns the place of each override, for faults of its value.
    fn origins(&self, axes: &[(Axis, Given)]) -> BTreeMap<String, Given> {
        let points =
            axes.iter().flat_map(|(axis, given)| axis.points.iter().map(move |point| (point, given)));
        let of_axes = points.flat_map(|(point, given)| point.overrides.iter().map(move |set| (set, given)));
        let of_all = self.set.iter().map(|given| (&given.text, given));
        let of_end = |option, set: String| (set.clone(), Given::by_option(option, &set));
        let until_done = self.until_done.map(|_| of_end("--until-done", "until_done=true".to_owned()));
        let longest = self.until_done.and_then(|end| end.at_most);
        let longest = longest.map(|longest| of_end("--at-most", format!("duration={longest}")));
        let given = of_all.chain(of_axes).map(|(set, given)| (set.clone(), given.clone()));
        given.chain(until_done).chain(longest).collect()
    }

    fn each<T>(
        &self,
        given: &[Given],
        parse: impl Fn(&str) -> Result<T, ValueFault>,
    ) -> Result<Vec<T>, Diagnostic> {
        given.iter().map(|one| parse(&one.text).map_err(|fault| self.fault(one, &fault))).collect()
    }

    fn fault(&self, given: &Given, fault: &ValueFault) -> Diagnostic {
        given.fault(fault, self.file.as_ref())
    }

    /// Returns a fault of the whole sweep: at the beginning of its file, or with this word if there is none.
    fn own_fault(&self, word: &'static str, fault: &ValueFault) -> Diagnostic {
        let root = GivenPlace::File(FieldPath::default());
        let place = if self.file.is_some() { root } else { GivenPlace::Option(word) };
        self.fault(&Given { text: String::new(), place }, fault)
    }
}

fn crossed(rows: &[SweepRow], axis: &Axis) -> Vec<SweepRow> {
    let with = |row: &SweepRow| {
        let row = row.clone();
        axis.points.iter().map(move |point| {
            let mut row = row.clone();
            row.unit.overrides.extend(point.overrides.iter().cloned());
            if let Some(scenario) = &point.scenario {
                row.unit.scenario.clone_from(scenario);
            }
            let labels = axis.columns.iter().cloned().zip(point.labels.iter().cloned());
            row.settings.extend(labels);
            row
        })
    };
    rows.iter().flat_map(with).collect()
}
