//! Runs on several threads: the same files.

use crate::cost::without_cost;
use crate::scratch::{Scratch, assert_refused, json, text};

/// Every file of a run is the same on any number of threads, but for cost and command line. On a machine with a single
/// core all runs take a single thread.
#[test]
fn threads_change_no_file() {
    let scratch = Scratch::new("threads");
    let run = |threads: &str| {
        let sets = ["--set", "duration=300us", "--set", "sample=20us", "--drain", "--fct-txt", "--quiet"];
        let traffic = "traffic=[Poisson(from: \"0 s\", until: \"250 us\", message: \"64 KiB\", load: 0.5)]";
        let out = ["--set", traffic, "--set", "completions=Kept", "--threads", threads, "--out", threads];
        scratch.printed(&[&["sim", "bench-a32"], &sets[..], &out].concat());
        scratch.names_in(threads)
    };
    let names = run("1");
    assert!(names.len() > 15, "{names:?}");
    for threads in ["2", "auto"] {
        assert_eq!(run(threads), names);
        for file in names.iter().filter(|file| *file != "run.json") {
            let (mut one, mut other) =
                (scratch.read(&format!("1/{file}")), scratch.read(&format!("{threads}/{file}")));
            if file == "summary.json" {
                (one, other) = (without_cost(json(&one)), without_cost(json(&other)));
            }
            assert_eq!(one, other, "{file} differs with --threads {threads}");
        }
    }
    assert_refused(&scratch.run(&["sim", "one-flow", "--threads", "0"]), "write a number from 1, or auto");
}

/// `check` describes the division, and a fabric that gains nothing has a single part, with the reason.
#[test]
fn check_describes_parts() {
    let scratch = Scratch::new("check-threads");
    let said = scratch.printed(&["check", "bench-b128", "--threads", "1"]);
    assert!(said.contains("threads: 1, which takes the whole fabric\n"), "{said}");
    let said = scratch.printed(&["check", "one-flow", "--threads", "auto"]);
    assert!(said.contains("threads: 1, which takes the whole fabric\n"), "{said}");
    assert!(!scratch.printed(&["check", "one-flow"]).contains("threads"));
    assert_eq!(scratch.names(), [""; 0], "a check writes nothing");
}

/// Runs that take fewer threads than asked for say so, with their label, unless they are to be quiet.
#[test]
fn compared_runs_say_that_they_take_fewer_threads() {
    let scratch = Scratch::new("compare-threads");
    let said = |more: &[&str]| {
        let compare = ["compare", "one=one-flow", "two=one-flow", "--set", "duration=100 us", "--out", "out"];
        let output = scratch.run(&[&compare[..], &["--threads", "100000"], more].concat());
        assert_eq!(output.status.code(), Some(0));
        text(&output.stderr)
    };
    let notes = said(&[]);
    let lines: Vec<_> = notes.lines().collect();
    for (line, label) in lines.iter().zip(["one", "two"]) {
        assert!(
            line.starts_with(&format!("note: run `{label}`: 1 of those asked for: the machine has ")),
            "{line}"
        );
    }
    assert_eq!(lines.len(), 2, "{notes}");
    assert_eq!(said(&["--quiet"]), "");
    assert_eq!(said(&["--json"]), "");
}

/// `sim` alone runs in several processes, and says which process its threads belong to.
#[test]
fn the_help_of_sim_alone_names_processes() {
    let scratch = Scratch::new("threads-help");
    for verb in ["sim", "compare", "capture", "check"] {
        let help = scratch.printed(&[verb, "--help"]);
        assert!(help.contains("--threads <N|auto>"), "{help}");
        assert_eq!(help.contains("those of each process"), verb == "sim", "{help}");
    }
}
