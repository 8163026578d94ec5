//! The best setting of a sweep.
//!
//! Invariant: settings are compared on their common seeds. A run without results counts as missing, never as a number.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{PlannedRun, SweepPlan};
use super::values::{self, Kind};
use crate::statistics::verdict::{NoVerdict, VerdictQuestion};
use crate::statistics::{EdgeOfTried, Reading, Setting, Verdict};
use crate::store::UnitResult;
use crate::unit::UnitSeeds;
use measures::{Direction, Measure};

/// Returns the settings of a sweep, each with a reading for each seed, in the order of the plan.
#[must_use]
pub fn settings(
    plan: &SweepPlan,
    results: &[Option<UnitResult>],
    measure: &Measure,
) -> Vec<Setting<UnitSeeds>> {
    let mut all: Vec<Setting<UnitSeeds>> = Vec::new();
    let ends = ends(plan);
    let mut places = BTreeMap::new();
    for (run, result) in plan.runs.iter().zip(results) {
        let place = *places.entry(&run.settings).or_insert_with(|| {
            let setting = Setting { name: name(run), edges: edges(run, &ends), readings: BTreeMap::new() };
            all.push(setting);
            all.len() - 1
        });
        let measured = result.as_ref().and_then(|result| result.measured(measure));
        let reading = measured.map_or(Reading::Missing, Reading::from);
        all[place].readings.insert(run.unit.seeds, reading);
    }
    all
}

/// Returns the best setting of a sweep by a measure, in the direction asked for. `baseline` is the place of a setting.
///
/// # Errors
/// If nothing can be compared.
pub fn verdict(
    settings: &[Setting<UnitSeeds>],
    measure: &Measure,
    better: Direction,
    baseline: Option<usize>,
) -> Result<Verdict, NoVerdict> {
    Verdict::of(VerdictQuestion { better, ..VerdictQuestion::of(measure, baseline) }, settings)
}

/// Returns the runs of the setting at this place in [`settings()`], in the order of the plan.
pub fn runs_of(plan: &SweepPlan, place: usize) -> impl Iterator<Item = &PlannedRun> {
    let mut known = BTreeSet::new();
    let mut distinct = plan.runs.iter().map(|run| &run.settings).filter(|settings| known.insert(*settings));
    let wanted = distinct.nth(place);
    plan.runs.iter().filter(move |run| Some(&run.settings) == wanted)
}

fn name(run: &PlannedRun) -> String {
    let values: Vec<_> = run.settings.iter().map(|(path, value)| format!("{path}={value}")).collect();
    if values.is_empty() { run.unit.scenario.clone() } else { values.join(", ") }
}

/// Returns the smallest and the largest value of each column with values of the same kind that are not all equal.
fn ends(plan: &SweepPlan) -> Vec<Option<[f64; 2]>> {
    let of = |column: usize| {
        let quantities: Option<Vec<(Kind, f64)>> =
            plan.runs.iter().map(|run| values::quantity(&run.settings[column].1)).collect();
        let quantities = quantities?;
        let plain = |kind: Kind| if kind == Kind::Real { Kind::Whole } else { kind };
        let one_kind = quantities.windows(2).all(|pair| plain(pair[0].0) == plain(pair[1].0));
        let values = || quantities.iter().map(|(_, value)| *value);
        let (least, most) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        (one_kind && least < most).then_some([least, most])
    };
    (0..plan.columns().len()).map(of).collect()
}

fn edges(run: &PlannedRun, ends: &[Option<[f64; 2]>]) -> Vec<EdgeOfTried> {
    let of = |((path, value), ends): (&(String, String), &Option<[f64; 2]>)| {
        let (_, number) = values::quantity(value)?;
        let [least, most] = (*ends)?;
        (number == least || number == most).then(|| EdgeOfTried {
            path: path.clone(),
            value: value.clone(),
            is_largest: number == most,
        })
    };
    run.settings.iter().zip(ends).filter_map(of).collect()
}
