//! `sweep` and `rerun` as commands: killed, in parts, by any number of threads, with faults.
//!
//! Invariant: the collected table is the same whatever happened on the way.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::scratch::{Scratch, assert_refused, json, text};

/// A sweep of 60 short runs.
const SWEEP: [&str; 10] = [
    "sweep",
    "one-flow",
    "--set",
    "duration=500 us",
    "--vary",
    "link.mtu=1 KiB,2 KiB",
    "--zip",
    "switch.buffer=16 KiB,32 KiB,64 KiB; adapter.receive_buffer=16 KiB,32 KiB,64 KiB",
    "--seeds",
    "1..=10",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SWEEP.iter().copied().chain(more.iter().copied()).collect()
}

fn finished(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
    entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.')).count()
}

fn spawned(scratch: &Scratch, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwater"));
    command.args(arguments).current_dir(&scratch.0).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Starts the sweep and kills it, without a signal that it could handle, once `runs` runs are done.
fn kill_at(scratch: &Scratch, runs: usize) {
    let mut child = spawned(scratch, &with(&["--out", "killed", "--threads", "2"]));
    let began = Instant::now();
    while finished(&scratch.0.join("killed")) < runs {
        assert!(began.elapsed() < Duration::from_secs(120), "the sweep makes no progress");
        assert!(child.try_wait().unwrap().is_none(), "the sweep ended before it was killed");
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_sweep_that_is_killed_twice_ends_with_the_same_table_by_any_number_of_threads() {
    let scratch = Scratch::new("sweep-killed");
    let printed = scratch.printed(&with(&["--out", "whole", "--threads", "1"]));
    assert!(printed.contains("... and 20 more rows in the table"), "{printed}");
    kill_at(&scratch, 10);
    assert!(finished(&scratch.0.join("killed")) < 60 && !scratch.0.join("killed/results.csv").exists());
    kill_at(&scratch, 30);
    scratch.printed(&with(&["--out", "killed", "--threads", "2", "--quiet"]));
    let table = scratch.read("whole/results.csv");
    assert_eq!(table.lines().count(), 61);
    assert_eq!(table, scratch.read("killed/results.csv"));
    assert_eq!(finished(&scratch.0.join("killed")), 60);
    assert!(
        scratch.names_in("killed/runs").iter().all(|name| !name.starts_with('.')),
        "nothing is left behind"
    );
    // Torn files are redone, with a note; everything else stays.
    let names = scratch.names_in("killed/runs");
    let file = |place: usize| scratch.0.join("killed/runs").join(&names[place]).join("result.json");
    let old = fs::metadata(file(5)).unwrap().modified().unwrap();
    fs::write(file(0), "").unwrap();
    let output = scratch.run(&with(&["--out", "killed"]));
    let warned = text(&output.stderr);
    assert_eq!(warned.lines().count(), 1, "{warned}");
    assert!(warned.starts_with(&format!("warning: `{}` is run again: ", names[0])), "{warned}");
    assert_eq!(table, scratch.read("killed/results.csv"));
    assert_eq!(fs::metadata(file(5)).unwrap().modified().unwrap(), old, "no other run was made again");
}

/// Ctrl-C ends a sweep with its own status, and the same command goes on.
#[test]
#[cfg(unix)]
fn an_interrupt_leaves_what_is_finished() {
    let scratch = Scratch::new("sweep-interrupt");
    let arguments = with(&["--out", "mine", "--quiet"]);
    let mut child = spawned(&scratch, &arguments);
    while finished(&scratch.0.join("mine")) < 3 {
        assert!(child.try_wait().unwrap().is_none(), "the sweep ended before the interrupt");
        sleep(Duration::from_millis(2));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(5));
    let done = finished(&scratch.0.join("mine"));
    assert!((3..60).contains(&done) && !scratch.0.join("mine/results.csv").exists(), "{done}");
    scratch.printed(&arguments);
    assert_eq!(finished(&scratch.0.join("mine")), 60);
}

#[test]
fn a_verdict_names_the_best_setting() {
    let scratch = Scratch::new("sweep-verdict");
    let sweep = [
        "sweep",
        "one-flow",
        "--set",
        "duration=500 us",
        "--vary",
        "link.mtu=256 B,1 KiB,2 KiB",
        "--out",
        "mine",
    ];
    let of = |more: &[&'static str]| [&sweep[..], more].concat();
    let said = scratch.printed(&of(&["--seeds", "1..=3", "--maximise", "goodput(all)"]));
    assert!(
        said.contains("Best of 3 settings by goodput(all) (larger is better): link.mtu=2 KiB, 15."),
        "{said}"
    );
    assert!(said.contains("link.mtu"), "{said}");
    let collected =
        scratch.printed(&["sweep", "collect", "mine", "--minimise", "p50(all)", "--baseline", "256 B"]);
    assert!(
        collected.contains("by p50(all) (smaller is better)") && collected.contains("link.mtu=256 B"),
        "{collected}"
    );
    let pooled = collected.lines().find(|line| line.starts_with("Over all ")).expect(&collected);
    assert!(pooled.contains(" messages of 3 runs together, p50(all) is "), "{pooled}");
    assert!(pooled.contains("95 % bootstrap interval"), "{pooled}");
    // The last messages are unfinished, so nothing is known of the slowest: no setting wins by that.
    let censored = scratch.printed(&["sweep", "collect", "mine", "--minimise", "p99(all)"]);
    assert!(censored.contains("No verdict on p99(all): no run has a number that is known."), "{censored}");
    let wrong = scratch.run(&of(&["--seeds", "1..=3", "--maximise", "goodput(all)", "--baseline", "512 B"]));
    assert_refused(&wrong, "error: `--baseline 512 B` is no setting of the sweep");
}

#[test]
fn two_shards_are_joined_to_what_one_run_gives() {
    let scratch = Scratch::new("sweep-shards");
    scratch.printed(&with(&["--out", "whole", "--quiet"]));
    let plan = ["sweep", "plan"].into_iter().chain(SWEEP[1..].iter().copied());
    let said = scratch.printed(&plan.clone().chain(["--out", "one"]).collect::<Vec<_>>());
    assert_eq!(said, "wrote 60 runs to one/sweep.jsonl\n");
    let lines = scratch.printed(&plan.collect::<Vec<_>>());
    assert_eq!(lines, scratch.read("one/sweep.jsonl"));
    assert_eq!(lines, scratch.read("whole/sweep.jsonl"));
    // A part into the folder of the plan, the other elsewhere, both at once.
    let first = spawned(&scratch, &["sweep", "run", "one", "--shard", "1/2", "--quiet"]);
    let second = spawned(&scratch, &["sweep", "run", "two", "--plan", "one/sweep.jsonl", "--shard", "2/2"]);
    for mut child in [first, second] {
        assert!(child.wait().unwrap().success());
    }
    let output = scratch.run(&["sweep", "collect", "one"]);
    assert!(text(&output.stderr).contains("30 of 60 runs without a result"), "{output:?}");
    scratch.printed(&["sweep", "collect", "one", "two", "--out", "joined.csv"]);
    assert_eq!(scratch.read("joined.csv"), scratch.read("whole/results.csv"));
    let csv = scratch.printed(&["sweep", "collect", "one", "two", "--csv", "--measures", "goodput(all)"]);
    assert!(csv.starts_with(
        "run,link.mtu_bytes,switch.buffer_bytes,adapter.receive_buffer_bytes,seed,ended,lost_packets,goodput(all)_bps,digest,name\n"
    ), "{csv}");
    assert!(scratch.read("joined.schema.json").contains("\"name\": \"link.mtu_bytes\""));
}

#[test]
fn wrong_options_are_refused_and_leave_nothing() {
    let scratch = Scratch::new("sweep-wrong");
    fs::write(scratch.0.join("s.ron"), "(scenario: \"one-flow\", vary: [\"link.mtu=1 KiB,9 KiB\"])").unwrap();
    for (arguments, message) in [
        (
            &["one-flow", "--vary", "link.mtu"][..],
            "error: --vary link.mtu: `=` is missing\nhelp: write the path",
        ),
        (&["one-flow", "--vary", "link.mtu=3 KiB"], "error: --vary link.mtu=3 KiB:1:1: link.mtu: "),
        (&["one-flow", "--zip", "a=1,2; b=1"], "error: --zip a=1,2; b=1: the lists have 2 and 1 values"),
        (
            &["one-flow", "--range", "duration=1..2:3"],
            "error: --range duration=1..2:3: `1..2:3` is not a range",
        ),
        (&["one-flow", "--variant", "x=1"], "error: --variant x=1: the variant has no name"),
        (&["one-flow", "--lhs", "5"], "error: --lhs 5: a Latin hypercube needs a range"),
        (&["one-flow", "--seeds", "1..20"], "error: --seeds 1..20: `1..20` is not a list of seeds"),
        (&["one-flow", "--set", "duration=0 s"], "error: --set duration=0 s:1:1: duration: "),
        (&["one-flow", "--measures", "p99(victms)"], "error: column 5 of `p99(victms)`"),
        (
            &["one-flow", "--baseline", "x"],
            "error: `--baseline x` compares nothing\nhelp: add `--minimise MEASURE`",
        ),
        (&["one-flow", "--minimise", "p99(F1)", "--maximise", "p99(F1)"], "cannot be used with"),
        (&["one-flow", "--budget-run", "soon"], "invalid value 'soon' for '--budget-run <TIME>'"),
        (&["one-flow", "--threads", "0"], "invalid value '0' for '--threads <N>': write a number from 1"),
        (&["one-flow", "--memory-limit", "1 B"], "error: 1 run at a time: about"),
        (&["nowhere"], "error: nowhere: there is no file and no shipped scenario of this name"),
        (&["--file", "s.ron"], "error: s.ron:1:31: vary[0]: `link.mtu=9 KiB`: link.mtu: "),
        (&["--file", "none.ron"], "error: none.ron: there is no such file"),
        (&[], "error: SCENARIO: no scenario is named"),
        (&["run", "nowhere"], "error: `nowhere` is not the folder of a sweep"),
        (&["run", "nowhere", "--shard", "3/2"], "invalid value '3/2' for '--shard <I/N>'"),
        (&["collect", "nowhere"], "error: `nowhere` is not the folder of a sweep"),
        (&["submit", "nowhere", "--engine", "slurm"], "error: `nowhere` is not the folder of a sweep"),
    ] {
        let output = scratch.run(&[&["sweep"], arguments].concat());
        assert_refused(&output, message);
        assert_eq!(scratch.names(), ["s.ron"], "{arguments:?}");
    }
}

/// More runs at a time than the machine has cores are not started, and a note says so.
#[test]
fn runs_at_a_time_are_at_most_as_many_as_cores() {
    let scratch = Scratch::new("sweep-threads");
    let said = |more: &[&str]| {
        let sweep = ["sweep", "one-flow", "--set", "duration=100 us", "--threads", "100000", "--out", "out"];
        let output = scratch.run(&[&sweep[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let note = "of those asked for: the machine has ";
    assert!(said(&["--dry-run"]).contains(note));
    assert!(said(&[]).contains(note));
    assert_eq!(said(&["--quiet"]), "");
}

#[test]
fn a_folder_belongs_to_one_sweep() {
    let scratch = Scratch::new("sweep-folder");
    let sweep = ["sweep", "one-flow", "--set", "duration=200 us", "--quiet", "--out", "mine", "--seeds"];
    let of = |seeds: &'static str, more: &[&'static str]| [&sweep[..], &[seeds], more].concat();
    scratch.printed(&of("1..=2", &[]));
    let foreign = "error: `mine` holds another sweep, and not all of its runs are among these";
    assert_refused(&scratch.run(&of("2..=3", &[])), foreign);
    scratch.printed(&of("2..=3", &["--force"]));
    assert_eq!(finished(&scratch.0.join("mine")), 3, "runs of the former sweep are used");
    assert_refused(&scratch.run(&of("1..=2", &[])), foreign);
    scratch.printed(&["sim", "one-flow", "--set", "duration=200 us", "--quiet", "--out", "run"]);
    let refused = ["sweep", "one-flow", "--out", "run"];
    assert_refused(&scratch.run(&refused), "error: `run` holds the results of a run");
    // The store takes up what the sweep's own folder lacks.
    let dry = scratch.printed(&of("1..=5", &["--dry-run"]));
    assert!(dry.starts_with("5 runs: 3 there, 2 to be run\ntime: about "), "{dry}");
    assert!(dry.contains("the mean of the 3 that are there") && dry.contains("\ndisk: about "), "{dry}");
    let dry = scratch.printed(&["sweep", "one-flow", "--seeds", "1..=4", "--dry-run"]);
    assert!(
        dry.contains("4 to be run") && dry.contains("extrapolated from the beginning of the first"),
        "{dry}"
    );
    assert!(!scratch.0.join("out").exists(), "a dry run leaves nothing");
}

/// A sweep with more seeds, then with more settings, takes over what is there. Its table equals a new folder's.
#[test]
fn a_sweep_is_extended_in_its_folder() {
    let scratch = Scratch::new("sweep-extended");
    let sweep = ["sweep", "one-flow", "--set", "duration=200 us", "--maximise", "goodput(all)"];
    let of = |out: &'static str, vary: &'static str, seeds: &'static str| {
        scratch.printed(&[&sweep[..], &["--vary", vary, "--seeds", seeds, "--out", out]].concat())
    };
    let manifest = || json(&scratch.read("mine/run.json"));
    let first = of("mine", "link.mtu=1 KiB", "1..=2");
    assert!(!first.contains("already here"), "{first}");
    assert_eq!(manifest()["kind"].as_str(), Some("sweep"));
    assert!(of("mine", "link.mtu=1 KiB", "1..=3").starts_with("2 runs already here, 1 to come\n"));
    let more = of("mine", "link.mtu=1 KiB,2 KiB", "1..=3");
    assert!(more.starts_with("3 runs already here, 3 to come\n"), "{more}");
    assert!(of("new", "link.mtu=1 KiB,2 KiB", "1..=3").starts_with(" run "));
    assert_eq!(scratch.read("mine/results.csv"), scratch.read("new/results.csv"));
    // The manifest has the sentences that were printed, and the page opens with them.
    let verdict = manifest()["verdict"].as_str().expect("there is a verdict").to_owned();
    assert!(
        verdict.starts_with("Best of 2 settings by goodput(all)") && more.contains(&verdict),
        "{verdict}"
    );
    scratch.printed(&["report", "mine"]);
    let page = scratch.read("mine/report.html");
    let lead = format!("<p class=\"lead\">{}</p>", verdict.replace('\n', " "));
    assert!(page.contains(&lead), "{lead}");
    // A table without a question has no answer, and the page says how to ask.
    scratch.printed(&["sweep", "collect", "mine", "--quiet"]);
    assert_eq!(manifest()["verdict"].as_str(), None);
    scratch.printed(&["report", "mine"]);
    assert!(scratch.read("mine/report.html").contains("sweep collect DIR --maximise MEASURE"));
    assert_refused(&scratch.run(&["rerun", "mine"]), "it is not the folder of one run");
}

#[test]
fn a_job_array_of_slurm_is_printed() {
    let scratch = Scratch::new("sweep-slurm");
    let plan = ["sweep", "plan", "one-flow", "--seeds", "1..=60", "--out", "it's"];
    scratch.printed(&plan);
    let submit = ["sweep", "submit", "it's", "--engine", "slurm", "--dry-run"];
    let more = [
        "--jobs",
        "4",
        "--time",
        "90 s",
        "--partition",
        "short",
        "--sbatch=--qos=low",
        "--budget-run",
        "60s",
    ];
    let script = scratch.printed(&[&submit[..], &more].concat());
    for line in [
        "#!/bin/sh",
        "#SBATCH --job-name=backwater-one-flow",
        "#SBATCH --array=1-4",
        "#SBATCH --cpus-per-task=1",
        "#SBATCH --time=0:01:30",
        "#SBATCH --partition=short",
        "#SBATCH --qos=low",
    ] {
        assert!(script.lines().any(|one| one == line), "no `{line}` in {script}");
    }
    let last = script.lines().last().unwrap();
    assert!(last.starts_with("exec '/") && last.contains(r"/it'\''s' --shard "), "{last}");
    assert!(
        last.ends_with("--shard \"$SLURM_ARRAY_TASK_ID/4\" --threads 1 '--budget-run=60 s' --quiet"),
        "{last}"
    );
    assert_eq!(scratch.names_in("it's"), ["run.json", "sweep.jsonl"], "a dry run leaves nothing");
}

#[test]
fn a_run_is_repeated_from_its_folder() {
    let scratch = Scratch::new("rerun");
    scratch.printed(&["sim", "one-flow", "--set", "duration=300 us", "--quiet", "--out", "run", "--drain"]);
    let said = scratch.printed(&["rerun", "run"]);
    assert!(said.starts_with("the same: digest "), "{said}");
    scratch.printed(&[
        "sweep",
        "one-flow",
        "--set",
        "duration=300 us",
        "--quiet",
        "--out",
        "many",
        "--files",
        "all",
    ]);
    let unit = format!("many/runs/{}", scratch.names_in("many/runs")[0]);
    assert!(scratch.names_in(&unit).contains(&"flows.csv".to_owned()), "`--files all` keeps every file");
    let result = json(&scratch.read(&format!("{unit}/result.json")));
    assert_eq!(result["result"]["ended"]["how"], "complete");
    scratch.printed(&["rerun", &unit]);
    scratch.printed(&["sweep", "one-flow", "--set", "duration=300 us", "--quiet", "--out", "few"]);
    let alone = format!("few/runs/{}", scratch.names_in("few/runs")[0]);
    assert_eq!(scratch.names_in(&alone), ["result.json"]);
    assert!(scratch.printed(&["rerun", &alone]).starts_with("the same: digest "));
    assert_refused(
        &scratch.run(&["report", &alone]),
        "the sweep kept the result of the run, and no files of it",
    );
    assert_refused(
        &scratch.run(&["figure", &alone, "hosts"]),
        "repeat the run with this file among its `--files`",
    );
    // A changed file is named; a changed plan is refused.
    let flows = scratch.read("run/flows.csv");
    fs::write(scratch.0.join("run/flows.csv"), flows.replacen('1', "2", 1)).unwrap();
    let output = scratch.run(&["rerun", "run"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("the run differs from the one in `run`: `flows.csv` is not the same")
    );
    let plan = scratch.read("run/plan.ron");
    fs::write(scratch.0.join("run/plan.ron"), plan.replace("300 us", "200 us")).unwrap();
    assert_refused(&scratch.run(&["rerun", "run"]), "its `plan.ron` is not the plan of its `run.json`");
    assert_refused(&scratch.run(&["rerun", "nowhere"]), "its `run.json` cannot be read");
    scratch.printed(&[
        "compare",
        "one-flow",
        "one-flow:seed=2",
        "--set",
        "duration=200 us",
        "--out",
        "two",
        "--quiet",
    ]);
    assert_refused(&scratch.run(&["rerun", "two"]), "it holds several runs");
    scratch.printed(&["rerun", "two/A", "--quiet"]);
}
