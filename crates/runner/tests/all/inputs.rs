//! Files that a scenario names, and cables that it changes, as the command shows them.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json};

const SIZES: &str = "0 0\n1000 20\n10000 100\n";

/// Writes a scenario with its sizes in this file.
fn with_sizes(scratch: &Scratch, file: &str) {
    let traffic = format!(
        "traffic: [Synthetic(destinations: Uniform, arrivals: Poisson(load: 0.2), size: Cdf({file:?}))],\n    flows: ["
    );
    let text = scratch.printed(&["show", "one-flow"]).replacen("flows: [", &traffic, 1);
    fs::write(scratch.0.join("mine.ron"), text).expect("a writable folder");
    if let Some((folder, _)) = file.rsplit_once('/') {
        fs::create_dir_all(scratch.0.join(folder)).expect("a writable folder");
    }
    fs::write(scratch.0.join(file), SIZES).expect("a writable folder");
}

/// The copy in the result folder keeps its path, so that the plan runs again from there.
#[test]
fn copies_of_a_scenarios_files_keep_their_folders() {
    let scratch = Scratch::new("inputs-copied");
    with_sizes(&scratch, "traces/web/flows.csv");
    scratch.printed(&["sim", "mine.ron", "--out", "first", "--quiet"]);
    assert_eq!(scratch.read("first/traces/web/flows.csv"), SIZES);
    assert!(scratch.read("first/flows.csv").starts_with("flow,"), "the results have their own");
    let files = json(&scratch.read("first/run.json"))["files"].clone();
    let names: Vec<_> = files.as_array().expect("a list").iter().map(|file| file["name"].clone()).collect();
    assert!(names.contains(&"traces/web/flows.csv".into()), "{names:?}");
    scratch.printed(&["sim", "first/plan.ron", "--out", "second", "--quiet"]);
    assert_eq!(scratch.read("second/flows.csv"), scratch.read("first/flows.csv"));
    // The next run without the file leaves it: that a manifest has such a name is no reason to remove a file.
    scratch.printed(&["sim", "one-flow", "--out", "first", "--quiet", "--force"]);
    assert_eq!(scratch.read("first/traces/web/flows.csv"), SIZES);
}

/// A file with the name of a result would be lost, or lose the result.
#[test]
fn a_file_with_the_name_of_a_result_is_refused() {
    let scratch = Scratch::new("inputs-refused");
    for file in ["flows.csv", "fct.txt", "run.json", "plan.ron/sizes.csv"] {
        with_sizes(&scratch, file);
        let output = scratch.run(&["sim", "mine.ron", "--out", "out", "--quiet"]);
        assert_refused(&output, &format!("the scenario names a file `{file}`, and a result has this name"));
        assert!(!scratch.names().contains(&"out".to_owned()), "nothing is left");
        scratch.printed(&["check", "mine.ron"]);
    }
}

#[test]
fn check_lists_changed_cables() {
    let scratch = Scratch::new("changed-cables");
    let set = r#"changed_cables={"leaf1:spine2": Removed, "leaf*:spine3": Kind("host")}"#;
    let printed = scratch.printed(&["check", "roce400-leaf-spine", "--set", set]);
    let lines: Vec<_> = printed.lines().filter(|line| line.contains("cables")).collect();
    let expected = [
        "changed cables `leaf*:spine3`: 16 cables of kind `host`, 400 Gb/s: leaf1:19 - spine3:1, leaf2:19 - spine3:2, \
         leaf3:19 - spine3:3, leaf4:19 - spine3:4, leaf5:19 - spine3:5, leaf6:19 - spine3:6, and 10 more",
        "changed cables `leaf1:spine2`: 1 cable removed: leaf1:18 - spine2:1",
        "ports without the removed cables: later ports of leaf1, spine2 have lower numbers than in the complete topology",
    ];
    assert_eq!(lines[..3], expected);
}
