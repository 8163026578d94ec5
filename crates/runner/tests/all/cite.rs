//! `cite`, and parts of `repro`, as commands.
//!
//! Invariant: a citation names the digests of the runs that it is for; a part of a paper leaves the whole's results
//! alone.

use crate::scratch::{Scratch, assert_refused, json};

#[test]
fn runs_are_cited_with_their_digests_and_models() {
    let scratch = Scratch::new("cite");
    let set = ["--set", "duration=200 us"];
    scratch.printed(&[&["sim", "one-flow", "--quiet", "--out", "run"], &set[..]].concat());
    let bibtex = scratch.printed(&["cite", "run"]);
    let digest = json(&scratch.read("run/summary.json"))["digest"].as_str().unwrap().to_owned();
    assert!(bibtex.contains(&format!("one-flow with duration=200 us, seed 1, digest {digest}")), "{bibtex}");
    assert!(bibtex.contains(&format!("version = {{{}}}", env!("CARGO_PKG_VERSION"))), "{bibtex}");
    assert!(bibtex.contains("% switch.buffering: InputVoq\n@article{mckeown1999,"), "{bibtex}");
    let vary = ["--vary", "switch.buffering=InputFifo,InputVoq", "--quiet", "--out", "many"];
    scratch.printed(&[&["sweep", "one-flow"], &set[..], &vary].concat());
    let of_sweep = scratch.printed(&["cite", "many"]);
    assert!(
        of_sweep.contains("@article{karol1987,") && of_sweep.contains("@article{mckeown1999,"),
        "{of_sweep}"
    );
    assert!(of_sweep.contains(&digest), "the run is one of the sweep's: {of_sweep}");
    let unit = format!("many/runs/{}", scratch.names_in("many/runs")[0]);
    assert!(scratch.printed(&["cite", &unit]).contains("one-flow with duration=200 us, switch.buffering="));
    scratch.printed(
        &[&["compare", "one-flow", "one-flow:seed=2", "--quiet", "--out", "two"], &set[..]].concat(),
    );
    let compared = scratch.printed(&["cite", "two"]);
    assert!(compared.contains("seed 1, digest") && compared.contains("seed 2, digest"), "{compared}");
    assert_refused(&scratch.run(&["cite", "nowhere"]), "error: `nowhere` cannot be cited: ");
}

#[test]
fn a_tuning_is_cited_with_its_runs() {
    let scratch = Scratch::new("cite-tuning");
    let set = ["--set", "congestion_control=Iba()", "--set", "duration=100 us", "--set", "sample=10 us"];
    let question =
        ["--space", "iba", "--maximise", "goodput(all)", "--runs", "60", "--quiet", "--out", "tuned"];
    // Its status says whether there is a winner.
    scratch.run(&[&["tune", "one-flow"], &set[..], &question].concat());
    let bibtex = scratch.printed(&["cite", "tuned"]);
    let runs = scratch.names_in("tuned/runs").len();
    assert!(bibtex.contains("one-flow with congestion\\_control=Iba()"), "{bibtex}");
    assert!(bibtex.contains(&format!("{} further runs", runs - 4)), "{bibtex}");
    assert!(bibtex.contains("% congestion_control.marking: Iba (Annex A10); "), "{bibtex}");
}

#[test]
fn a_part_of_a_paper_is_run_alone() {
    let scratch = Scratch::new("repro-part");
    let said = scratch.printed(&["repro", "zhu2015", "--figure", "unfairness", "--out", "out"]);
    assert!(said.contains("\n2 runs in "), "{said}");
    assert_eq!(scratch.names_in("out"), ["repro-zhu2015,figure=unfairness"]);
    let files = scratch.names_in("out/repro-zhu2015,figure=unfairness");
    assert_eq!(files, ["run.json", "unfairness.csv", "unfairness.svg"]);
    let list = scratch.printed(&["repro", "zhu2015", "--list"]);
    assert!(list.contains(" figure  unfairness ") && list.contains(" claim   free-3 "), "{list}");
    let wrong = scratch.run(&["repro", "zhu2015", "--claim", "fre-3"]);
    assert_refused(&wrong, "error: `zhu2015` has no claim `fre-3`\nhelp: did you mean `free-3`?");
    assert_refused(&scratch.run(&["repro", "tuning", "--list"]), "neither claims nor figures");
    assert_refused(&scratch.run(&["repro", "--claim", "free-3"]), "required arguments were not provided");
}
