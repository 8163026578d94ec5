//! `backwater compare`: runs side by side.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json};

#[test]
fn compare_runs_side_by_side_with_one_seed() {
    let scratch = Scratch::new("compare");
    let pair = ["compare", "one-flow", "one-flow:link.mtu=512 B", "--out"];
    let runs = [&pair[..], &["both", "--seed", "4"]].concat();
    let printed = scratch.printed(&runs);
    for words in ["A  one-flow: ", "B  one-flow:link.mtu=512 B: ", "seed 4", "packets marked"] {
        assert!(printed.contains(words), "no `{words}` in {printed}");
    }
    assert_eq!(scratch.names_in("both"), ["A", "B", "compare.csv", "compare.svg", "compare.txt", "run.json"]);
    assert!(printed.starts_with(&scratch.read("both/compare.txt")));
    // Each run leaves the results that `sim` leaves.
    scratch.printed(&["sim", "one-flow", "--seed", "4", "--quiet", "--out", "alone"]);
    assert_eq!(scratch.names_in("both/A"), scratch.names_in("alone"));
    assert_eq!(scratch.read("both/A/flows.csv"), scratch.read("alone/flows.csv"));
    fs::remove_dir_all(scratch.0.join("alone")).unwrap();
    // Named measures are the whole table, and one that no run has is refused before any run.
    let named = ["--measures", "goodput(all, 1), marks(F1)", "--json"];
    let named = json(&scratch.printed(&[&runs[..], &named, &["--force"]].concat()));
    let measures: Vec<_> =
        named["rows"].as_array().unwrap().iter().map(|row| row["measure"].clone()).collect();
    assert_eq!(measures, ["goodput(all, 1)", "marks(F1)"]);
    let nobody = ["--measures", "marks(nobody)"];
    assert_refused(&scratch.run(&[&pair[..], &["none"], &nobody].concat()), "no group or flow `nobody`");
    let wrong = ["compare", "one-flow", "one-flow:congestion_contrl=Off", "--out", "wrong"];
    assert_refused(&scratch.run(&wrong), "congestion_contrl");
    assert_refused(&scratch.run(&["compare", "victim"]), "2 ");
    assert_eq!(scratch.names(), ["both"], "nothing runs before everything is checked");
}

#[test]
fn compared_runs_have_labels_and_may_have_seeds_of_their_own() {
    let scratch = Scratch::new("labels");
    let runs = ["compare", "base=one-flow", "other=one-flow:seed=8; duration=3 ms", "--json"];
    let compared = json(&scratch.printed(&runs));
    assert_eq!(compared["schema"], "backwater-comparison/3");
    assert_eq!((&compared["runs"][0]["seed"], &compared["runs"][1]["seed"]), (&json("1"), &json("8")));
    assert_eq!(compared["runs"][1]["label"], "other");
    let rows = compared["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["what"] == "total").unwrap();
    assert!(row["values"]["base"].is_f64() && row["values"]["other"].is_f64(), "{row}");
    let folder = "out/compare,base=one-flow,other=one-flow_seed=8__duration=3_ms";
    assert!(scratch.names_in(folder).contains(&"other".to_owned()));
    let twice = ["compare", "a=one-flow", "a=one-flow:seed=2"];
    assert_refused(&scratch.run(&twice), "error: two runs are called `a`");
}
