//! Numbers that the playground's lessons state, against the program's own.

use std::path::Path;

use serde_json::Value;

use crate::scratch::{Scratch, text};

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|one| one.as_str().expect("a text")).collect()
}

/// Each run of each lesson ends as stated, with the goodputs that are stated, to their last digit.
#[test]
fn lessons_state_what_the_program_gives() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/lessons.json");
    let lessons: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let scratch = Scratch::new("lessons");
    let mut compared = 0;
    for lesson in lessons.as_array().unwrap() {
        let scenario = lesson["scenario"].as_str().unwrap();
        for sight in std::iter::once(&lesson["base"]).chain(lesson["tries"].as_array().unwrap()) {
            let sets = texts(&sight["sets"]);
            let mut arguments = vec!["sim", scenario, "--quiet", "--force", "--out", "run"];
            arguments.extend(sets.iter().flat_map(|set| ["--set", *set]));
            let output = scratch.run(&arguments);
            let ends_well = sight["ends"].is_null();
            assert_eq!(
                output.status.code(),
                Some(if ends_well { 0 } else { 4 }),
                "{sets:?}: {}",
                text(&output.stderr)
            );
            assert_eq!(sight["stated"].as_array().unwrap().is_empty(), !ends_well, "{scenario} {sets:?}");
            let phases = if ends_well { scratch.read("run/phases.csv") } else { String::new() };
            for stated in sight["stated"].as_array().unwrap() {
                let (name, gbps) = (stated["name"].as_str().unwrap(), stated["gbps"].as_str().unwrap());
                let decimals = gbps.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                let given = last_goodput(&phases, name) / 1e9;
                assert_eq!(format!("{given:.decimals$}"), gbps, "{name} of {scenario} {sets:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared} numbers");
}

/// Returns the goodput over the second half of the last phase, in bit/s, by the last columns: `name`, goodput, goodput
/// of the second half.
fn last_goodput(phases: &str, name: &str) -> f64 {
    let mut rows = phases.lines().rev().map(|row| row.rsplitn(4, ',').collect::<Vec<_>>());
    let found = rows.find(|row| row[2] == name);
    found.unwrap_or_else(|| panic!("no phase has {name}"))[0].parse().expect("a number")
}
