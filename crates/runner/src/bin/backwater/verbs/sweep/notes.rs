//! Notes on the settings of a sweep's runs: those that cannot have an effect, and packets that overtake others where
//! hosts deliver in order. `check` and `sim` print the same sentences.
//!
//! Invariant: each sentence stands once, with the settings that it is about.

use std::collections::BTreeSet;

use backwater::wording;
use experiment::sweep::SweepPlan;
use results::format::{counted, listed};
use results::tables::brief;

/// Most settings that are looked at: a plan of each is made again.
const MOST: usize = 64;
/// Most settings that a note names.
const MOST_NAMED: usize = 3;

/// Returns the notes, in lines of at most `width` characters where possible.
pub(super) fn printed(plan: &SweepPlan, width: usize) -> String {
    let mut seen = BTreeSet::new();
    // Seeds are no settings.
    let distinct = plan.runs.iter().filter(|run| seen.insert((&run.unit.scenario, &run.unit.overrides)));
    let mut notes: Vec<(String, Vec<String>)> = Vec::new();
    let mut count = 0;
    for run in distinct.take(MOST) {
        count += 1;
        let set = run.settings.iter().map(|(path, value)| format!("{path}={value}"));
        let name = set.collect::<Vec<_>>().join(", ");
        for text in run.unit.plan().iter().flat_map(wording::idle_and_refused) {
            match notes.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(name.clone()),
                None => notes.push((text, vec![name.clone()])),
            }
        }
    }
    let line = |(text, names): &(String, Vec<String>)| {
        let of = match names.len() {
            all if all == count => String::new(),
            1..=MOST_NAMED => format!("With {}: ", listed(names)),
            many => format!("With {}, {} among them: ", counted(many, "setting"), names[0]),
        };
        brief::note(&format!("{of}{text}"), width) + "\n"
    };
    notes.iter().map(line).collect()
}
