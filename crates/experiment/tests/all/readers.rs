//! Files of our own that somebody has changed: plans of sweeps and spaces of tunings. Each is read or refused, and none
//! panics.

use std::fs;
use std::path::Path;

use experiment::sweep::{Collected, Given, SweepPlan, SweepRequest};
use experiment::tuning::{SPACES, Space};
use proptest::prelude::*;
use proptest::sample::select;
use scenario::ScenarioText;

/// Changes of a text: a place, a piece, and what becomes of it.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, &'static str, u8)>> {
    let piece =
        select(&["\"", "[", "]", "{", "}", ",", ":", "0", "-1", "null", "1e999", "[]", "\\", "\n"][..]);
    prop::collection::vec((any::<prop::sample::Index>(), piece, 0_u8..3), 1..5)
}

fn changed(text: &str, changes: &[(prop::sample::Index, &'static str, u8)]) -> String {
    let mut text = text.to_owned();
    for (at, piece, how) in changes {
        let places: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        let Some(&at) = places.get(at.index(places.len().max(1))) else { continue };
        match how {
            0 => text.insert_str(at, piece),
            1 => drop(text.remove(at)),
            _ => {
                text.remove(at);
                text.insert_str(at, piece);
            }
        }
    }
    text
}

/// Writes a plan, reads it, and collects its table without results.
fn read(text: &str, test: &str) -> Result<(), String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.jsonl"));
    fs::write(&file, text).expect("a writable folder");
    let plan = SweepPlan::read(&file).map_err(|fault| fault.to_string())?;
    let results = vec![None; plan.runs.len()];
    let _ = Collected::of(&plan, &results, None);
    Ok(())
}

fn plan() -> String {
    let mut request = SweepRequest::default();
    request.scenario = Some("one-flow".to_owned());
    request.set = vec![Given::by_option("--set", "duration=200 us")];
    request.vary = vec![Given::by_option("--vary", "link.mtu=1 KiB,2 KiB")];
    request.seeds = vec![Given::by_option("--seeds", "1..=2")];
    let sweep = request.sweep().and_then(|sweep| sweep.identify());
    sweep.unwrap_or_else(|fault| panic!("{fault}")).lines()
}

proptest! {
    #[test]
    fn changed_plans_of_sweeps_are_read_or_refused(changes in changes()) {
        let _ = read(&changed(&plan(), &changes), "changed-plan");
    }

    #[test]
    fn changed_spaces_are_read_or_refused(space in 0..SPACES.len(), changes in changes()) {
        let text = changed(SPACES[space].1, &changes);
        let _ = Space::read(&ScenarioText::new("space.ron", &text));
    }
}

/// Runs of a sweep vary the same fields: a table has a column for each.
#[test]
fn runs_that_vary_other_fields_are_refused() {
    let plan = plan();
    assert_eq!(read(&plan, "whole-plan"), Ok(()));
    let mut lines: Vec<_> = plan.lines().map(str::to_owned).collect();
    let settings = lines[1].find("\"settings\":[[").expect("settings");
    let end = settings + lines[1][settings..].find("]]").expect("an end") + 2;
    lines[1].replace_range(settings..end, "\"settings\":[]");
    let refused = read(&(lines.join("\n") + "\n"), "other-fields").expect_err("unequal");
    assert!(refused.contains("run 2 varies other fields than run 1"), "{refused}");
}
