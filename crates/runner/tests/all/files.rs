//! The files of a run, as `--files` chooses them.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json, text};

const SIM: [&str; 5] = ["sim", "one-flow", "--quiet", "--out", "run"];

fn sim(scratch: &Scratch, options: &[&str]) -> Vec<String> {
    scratch.printed(&[&SIM[..], options].concat());
    scratch.names_in("run")
}

#[test]
fn chosen_files_are_those_of_the_whole_run_and_the_manifest_names_them() {
    let scratch = Scratch::new("chosen-files");
    sim(&scratch, &[]);
    let whole = ["slowdown.svg", "trees.csv"].map(|name| scratch.read(&format!("run/{name}")));
    let names = sim(&scratch, &["--files", "summary.json,slow*,trees.csv"]);
    assert_eq!(names, ["run.json", "slowdown.svg", "summary.json", "trees.csv"]);
    assert_eq!(["slowdown.svg", "trees.csv"].map(|name| scratch.read(&format!("run/{name}"))), whole);
    let manifest = json(&scratch.read("run/run.json"));
    let listed: Vec<_> = manifest["files"].as_array().unwrap().iter().map(|file| &file["name"]).collect();
    assert_eq!(listed, ["summary.json", "trees.csv", "slowdown.svg"]);
    assert_eq!(manifest["chosen"], serde_json::json!(["summary.json", "trees.csv", "slowdown.svg"]));
    assert_eq!(sim(&scratch, &["--files", "none"]), ["run.json"]);
    // The page is made of tables that are not written.
    assert_eq!(sim(&scratch, &["--files", "report.html"]), ["report.html", "run.json"]);
    assert!(sim(&scratch, &["--files", "fct.txt"]).contains(&"fct.txt".to_owned()));
    assert_eq!(scratch.names(), ["run"]);
}

#[test]
fn a_file_that_no_run_writes_is_refused_with_the_names_that_there_are() {
    let scratch = Scratch::new("unknown-file");
    let refused = scratch.run(&[&SIM[..], &["--files", "flow.csv"]].concat());
    assert_refused(&refused, "a run writes no file `flow.csv`: name files of this list");
    assert_refused(&refused, "summary.json, flows.csv, paths.csv");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn a_file_for_which_the_run_has_nothing_is_warned_of() {
    let scratch = Scratch::new("absent-file");
    let run = scratch.run(&[&SIM[..], &["--files", "watch.csv,watch.svg,p*.csv"]].concat());
    assert_eq!(run.status.code(), Some(0));
    let warnings = "warning: `watch.csv` is not written: the run has nothing for it\n\
                    warning: `watch.svg` is not written: there is no `watch.csv`\n";
    assert_eq!(text(&run.stderr), warnings);
    assert_eq!(scratch.names_in("run"), ["paths.csv", "phases.csv", "ports.csv", "run.json"]);
}

#[test]
fn a_verb_names_the_file_that_it_lacks_and_the_way_to_it() {
    let scratch = Scratch::new("left-out-file");
    sim(&scratch, &["--files", "summary.json"]);
    let message = |file: &str| {
        format!(
            "there is no `{file}`, which the run was not to write: repeat the run with this file among its `--files`"
        )
    };
    for (verb, file) in [
        (&["figure", "run", "hosts"][..], "flows.csv"),
        (&["report", "run"], "series.csv"),
        (&["export", "counters", "run"], "ports.csv"),
    ] {
        assert_refused(&scratch.run(verb), &message(file));
    }
    let figures = scratch.printed(&["figures", "run"]);
    assert!(figures.contains(&format!("slowdown     not possible: {}", message("fct.csv"))), "{figures}");
    // A shipped scenario is found by its name, and a digest is compared.
    assert_eq!(scratch.printed(&["rerun", "run"]).matches("; 1 files").count(), 1);
}

/// A folder of an earlier version is refused with the present name of a column, by the drawing of all figures too.
#[test]
fn former_names_of_columns_are_refused() {
    let scratch = Scratch::new("former-names");
    scratch.printed(&["sim", "one-flow", "--set", "duration=200 us", "--quiet", "--out", "run"]);
    let ports = scratch.read("run/ports.csv");
    fs::write(scratch.0.join("run/ports.csv"), ports.replacen("stalled_s", "without_credit_s", 1)).unwrap();
    for verb in [&["figure", "run"][..], &["figure", "run", "fabric"], &["export", "counters", "run"]] {
        let refused = scratch.run(verb);
        assert_refused(&refused, "its column `without_credit_s` is `stalled_s` now");
    }
}
