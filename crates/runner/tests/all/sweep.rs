//! `sweep` and `rerun` as commands: killed, in parts, by any number of threads, with faults.
//!
//! Invariant: the collected table is the same whatever happened on the way.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::scratch::{Scratch, assert_refused, json, one_line, text};

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
    // Six settings, each with the mean of its ten seeds, once.
    assert!(printed.starts_with("Found ") && printed.contains("\nMeans over the seeds"), "{printed}");
    let rows = printed.lines().filter(|line| line.starts_with(" 1 KiB") || line.starts_with(" 2 KiB"));
    assert_eq!(rows.count(), 6, "{printed}");
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
    let said = one_line(&scratch.printed(&of(&["--seeds", "1..=3", "--maximise", "goodput(all)"])));
    assert!(
        said.contains("Best of 3 settings by goodput(all) (larger is better): link.mtu=2 KiB, 15."),
        "{said}"
    );
    assert!(said.contains("link.mtu"), "{said}");
    let collected =
        scratch.printed(&["sweep", "collect", "mine", "--minimise", "p50(all)", "--baseline", "256 B"]);
    let sentences = one_line(&collected);
    assert!(sentences.contains("by p50(all) (smaller is better)"), "{collected}");
    assert!(sentences.contains("link.mtu=256 B"), "{collected}");
    let pooled = collected.lines().find(|line| line.starts_with("Over all ")).expect(&collected);
    assert!(pooled.contains(" messages of 3 runs together, p50(all) is "), "{pooled}");
    assert!(pooled.contains("95 % bootstrap interval"), "{pooled}");
    // The last messages are unfinished, so nothing is known of the slowest: no setting wins by that.
    let censored = scratch.printed(&["sweep", "collect", "mine", "--minimise", "p99(all)"]);
    assert!(censored.contains("No verdict on p99(all): no run has a number that is known."), "{censored}");
    let wrong = scratch.run(&of(&["--seeds", "1..=3", "--maximise", "goodput(all)", "--baseline", "512 B"]));
    assert_refused(&wrong, "error: `--baseline 512 B` is no setting of the sweep");
}

/// Fields of the traffic are conditions: each has a best setting of its own, and a load is never chosen.
#[test]
fn conditions_have_answers_of_their_own() {
    let scratch = Scratch::new("sweep-conditions");
    let traffic =
        "traffic=[Poisson(name: \"u\", from: \"0 s\", until: \"100 us\", message: \"16 KiB\", load: 0.5)]";
    let sweep = [
        "sweep",
        "two-flows-one-link",
        "--set",
        "flows=[]",
        "--set",
        traffic,
        "--set",
        "duration=300 us",
        "--set",
        "sample=10 us",
    ];
    let vary = ["--vary", "traffic.u.load=0.2,0.6", "--vary", "link.mtu=256 B,2 KiB", "--seeds", "1..=3"];
    let of = |more: &[&'static str]| [&sweep[..], &vary, more].concat();
    let said = scratch.printed(&of(&["--minimise", "mean_completion(u)", "--out", "mine"]));
    assert!(one_line(&said).contains("link.mtu=2 KiB under all 2 conditions"), "{said}");
    for load in ["0.2", "0.6"] {
        let line = format!(" traffic.u.load={load}  link.mtu=2 KiB, ");
        assert!(
            said.lines().any(|one| one.starts_with(&line) && one.contains("less than link.mtu=256 B")),
            "{said}"
        );
    }
    let answer = json(&scratch.read("mine/sweep.json"));
    assert_eq!(
        (answer["conditions"][0].as_str(), answer["choices"][0].as_str()),
        (Some("traffic.u.load"), Some("link.mtu"))
    );
    assert_eq!(answer["cases"].as_array().map(Vec::len), Some(2));
    // The means are from the table.
    let table = scratch.read("mine/results.csv");
    let header: Vec<_> = table.lines().next().unwrap().split(',').collect();
    let place = header.iter().position(|name| *name == "mean_completion(u)_s").unwrap();
    let numbers =
        table.lines().skip(1).take(3).map(|row| row.split(',').nth(place).unwrap().parse::<f64>().unwrap());
    let mean = numbers.sum::<f64>() / 3.0;
    let stored = answer["cases"][0]["settings"][0]["means"][0]["mean"].as_f64().unwrap();
    assert!((stored - mean).abs() <= 1e-9 * mean, "{stored} {mean}");
    // Without conditions a load is a setting as any other; with all fields as conditions there is nothing to choose.
    let free =
        scratch.printed(&["sweep", "collect", "mine", "--minimise", "mean_completion(u)", "--by", "none"]);
    assert!(free.contains("Best of 4 settings"), "{free}");
    let curve =
        ["sweep", "collect", "mine", "--minimise", "mean_completion(u)", "--by", "traffic.u.load,link.mtu"];
    let curve = one_line(&scratch.printed(&curve));
    assert!(curve.contains("is least at traffic.u.load=0.2, link.mtu=2 KiB, "), "{curve}");
    assert!(curve.contains("there is no setting to choose"), "{curve}");
}

/// Seeds that change nothing, and settings that repeat the baseline, are told, once.
#[test]
fn runs_that_are_the_same_are_told() {
    let scratch = Scratch::new("sweep-same");
    let sweep = ["sweep", "one-flow", "--set", "duration=200 us", "--seeds", "1..=3", "--out", "mine"];
    let vary =
        ["--vary", "adapter.retry_count=7,6,5", "--maximise", "goodput(all)", "--baseline", "retry_count=7"];
    let said = one_line(&scratch.printed(&[&sweep[..], &vary].concat()));
    assert_eq!(
        said.matches("Seeds change nothing: the 3 runs of each setting are the same").count(),
        1,
        "{said}"
    );
    let same = "adapter.retry_count=6 gives the same runs as the baseline adapter.retry_count=7; adapter.retry_count=5 gives";
    assert!(said.contains(same), "{said}");
    // Without random draws, a single seed is enough, and none is asked for.
    let one =
        ["sweep", "one-flow", "--set", "duration=200 us", "--vary", "link.mtu=1 KiB,2 KiB", "--out", "one"];
    let said = scratch.printed(&one);
    assert!(said.contains("How sure  Nothing is drawn at random: every seed gives these numbers"), "{said}");
    assert!(!said.contains("what chance does") && !said.contains("--seeds"), "{said}");
    // With them it says nothing of chance, and the advice is the same command with more.
    let random = ["sweep", "santos2003-sessions", "--set", "duration=2 ms", "--set", "sample=100 us"];
    let vary = ["--vary", "link.mtu=1 KiB,2 KiB", "--maximise", "goodput(all)", "--out", "two"];
    let said = scratch.printed(&[&random[..], &vary].concat());
    assert!(said.contains("How sure  One seed: nothing says what chance does."), "{said}");
    let command = "Try       What chance does:\n          backwater sweep santos2003-sessions --set 'duration=2 ms' --set 'sample=100 us' \
                   --vary 'link.mtu=1 KiB,2 KiB' --maximise 'goodput(all)' --out two --seeds 1..=5\n";
    assert!(said.contains(command), "{said}");
    let more = scratch.printed(&[&one[..], &["--seeds", "1..=5"]].concat());
    assert!(more.starts_with("2 runs already here, 8 to come\n"), "{more}");
}

/// A run that fails is told first, and the advice runs it by itself.
#[test]
fn a_deadlock_in_a_sweep_is_told_first() {
    let scratch = Scratch::new("sweep-deadlock");
    let sweep =
        ["sweep", "ring", "--set", "duration=2ms", "--set", "dependency_cycles=Allowed", "--out", "r"];
    let said = scratch.printed(&[&sweep[..], &["--vary", "routing=UpDown(),MinHop"]].concat());
    assert!(said.starts_with("Found     FAILED: 1 of 2 runs: routing=MinHop (deadlock)."), "{said}");
    let advice = "Try       A run that failed (deadlock), by itself:\n          backwater sim ring --set duration=2ms \
                  --set dependency_cycles=Allowed --set routing=MinHop\n";
    assert!(said.contains(advice) && !said.contains("Nothing can be compared"), "{said}");
}

/// A drain makes every completion time known; the run that it ends is another run than without, and is repeated with
/// it.
#[test]
fn runs_of_a_sweep_are_drained() {
    let scratch = Scratch::new("sweep-drained");
    let sweep = ["sweep", "one-flow", "--set", "duration=300 us", "--quiet", "--out"];
    scratch.printed(&[&sweep[..], &["short", "--measures", "p99(all)"]].concat());
    scratch.printed(&[&sweep[..], &["drained", "--measures", "p99(all)", "--drain"]].concat());
    let row = |folder: &str| {
        let table = scratch.read(&format!("{folder}/results.csv"));
        table.lines().nth(1).unwrap().split(',').map(str::to_owned).collect::<Vec<_>>()
    };
    // run, seed, ended, lost packets, p99, censored
    assert_eq!((row("short")[5].as_str(), row("drained")[5].as_str()), ("true", "false"));
    assert_ne!(scratch.names_in("short/runs"), scratch.names_in("drained/runs"));
    let unit = format!("drained/runs/{}", scratch.names_in("drained/runs")[0]);
    assert!(scratch.printed(&["rerun", &unit]).starts_with("the same: digest "));
    // Parts of a plan are drained, too.
    scratch.printed(&["sweep", "plan", "one-flow", "--set", "duration=300 us", "--drain", "--out", "parts"]);
    scratch.printed(&["sweep", "run", "parts", "--files", "summary.json", "--quiet"]);
    scratch.printed(&["sweep", "collect", "parts", "--measures", "p99(all)", "--quiet"]);
    assert_eq!(scratch.read("parts/results.csv"), scratch.read("drained/results.csv"));
    assert!(scratch.printed(&["rerun", &unit.replace("drained", "parts")]).starts_with("the same: digest "));
}

/// Runs end when their finite traffic is delivered, and each has a longest time of its own duration.
#[test]
fn runs_of_a_sweep_end_when_they_are_done() {
    let scratch = Scratch::new("sweep-until-done");
    let finite = "flows.F1.load=Messages(4)";
    let sweep = ["sweep", "one-flow", "--set", finite, "--until-done", "--quiet", "--vary"];
    scratch.printed(&[&sweep[..], &["link.mtu=1 KiB,2 KiB", "--out", "done"]].concat());
    let table = scratch.read("done/results.csv");
    assert_eq!(table.matches(",done,").count(), 2, "{table}");
    let beside = [&sweep[..], &["duration=1 ms,2 ms", "--at-most", "3 ms"]].concat();
    assert_refused(&scratch.run(&beside), "`duration` is given beside `--at-most`");
    let endless = ["sweep", "one-flow", "--until-done"];
    assert_refused(&scratch.run(&endless), "error: --until-done until_done=true:");
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
            &["one-flow", "--vary", "link.mtu=1 KiB,2 KiB", "--baseline", "link.mtu=4 KiB"],
            "error: `--baseline link.mtu=4 KiB` is no setting of the sweep",
        ),
        (
            &["one-flow", "--vary", "link.mtu=1 KiB,2 KiB", "--by", "link.mtuu"],
            "error: `--by link.mtuu` is no field that the sweep varies\nhelp: did you mean `link.mtu`?",
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
    assert!(of("new", "link.mtu=1 KiB,2 KiB", "1..=3").starts_with("Found     Best of 2 settings"));
    assert_eq!(scratch.read("mine/results.csv"), scratch.read("new/results.csv"));
    // The manifest has the sentences that were printed, and the page opens with them.
    let verdict = manifest()["verdict"].as_str().expect("there is a verdict").to_owned();
    let (sentences, _) = verdict.rsplit_once("Try ").expect("there is an advice");
    assert!(sentences.starts_with("Found     Best of 2 settings by goodput(all)"), "{verdict}");
    assert!(one_line(&more).contains(&one_line(sentences)), "{verdict}");
    let answer = json(&scratch.read("mine/sweep.json"));
    assert_eq!(answer["cases"][0]["settings"].as_array().map(Vec::len), Some(2));
    scratch.printed(&["report", "mine"]);
    let page = scratch.read("mine/report.html");
    let loss = answer["verdict"]["loss"].as_str().unwrap();
    assert!(page.contains("<dl class=\"verdict\">") && page.contains(loss), "{loss}");
    // Without a question, the answer says which measure it takes.
    let taken = scratch.printed(&["sweep", "collect", "mine"]);
    let words = "goodput(all) is taken, since neither `--maximise` nor `--minimise` names a measure.";
    assert!(one_line(&taken).contains(words), "{taken}");
    assert_eq!(json(&scratch.read("mine/sweep.json"))["is_asked"].as_bool(), Some(false));
    assert_refused(&scratch.run(&["rerun", "mine"]), "it is not the folder of one run");
}

/// Runs that ended before their traffic are told, and settings that are equal by the measure differ by others.
#[test]
fn ends_and_other_measures_are_part_of_the_answer() {
    let scratch = Scratch::new("sweep-ends");
    let traffic = "traffic=[Permutation(name: \"all\", at: \"0 s\", bytes: \"1 MiB\")]";
    let sweep = ["sweep", "one-flow", "--set", traffic, "--set", "sample=2 us", "--seeds", "1..=2"];
    let early = scratch.printed(&[&sweep[..], &["--until-done", "--at-most", "20 us"]].concat());
    let words = "All 2 runs did not deliver all finite traffic in the longest time (`not_done`)";
    assert!(one_line(&early).contains(words) && !early.contains("Every number is known"), "{early}");
    let enough = scratch.printed(&[&sweep[..], &["--until-done", "--at-most", "20 ms"]].concat());
    assert!(!enough.contains("not_done"), "{enough}");
    let lot = ["sweep", "paths-parking-lot", "--vary", "switch.selection=Hash,LeastLoaded"];
    let equal = one_line(&scratch.printed(&[&lot[..], &["--maximise", "goodput(all)"]].concat()));
    assert!(equal.contains("All 2 settings have the same goodput(all)"), "{equal}");
    let differ = "least_goodput(all) is 14.2 Gb/s with switch.selection=LeastLoaded instead of 24.8 Gb/s with \
                  switch.selection=Hash";
    assert!(equal.contains("They differ otherwise: ") && equal.contains(differ), "{equal}");
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

/// The threshold that is best for a victim is not best for all: the answer has the means of both settings from its own
/// table. A measure by which the best setting is best is no cost.
#[test]
fn the_best_setting_is_told_with_its_cost_in_other_measures() {
    let scratch = Scratch::new("sweep-cost");
    let sets = ["duration=6 ms", "flows.far.start=1 ms", "flows.near.start=2 ms"];
    let sets: Vec<_> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let vary = ["--vary", "congestion_control.marking.threshold=15,3", "--quiet", "--out", "s", "--maximise"];
    let found = |measure: &str| {
        scratch.printed(&[&["sweep", "victim"][..], &sets, &vary, &[measure]].concat());
        json(&scratch.read("s/sweep.json"))["verdict"]["loss"]
            .as_str()
            .expect("there is an answer")
            .to_owned()
    };
    let said = found("goodput(victim, 3)");
    let table = ["sweep", "collect", "s", "--csv", "--measures", "goodput(victim, 3),goodput(all, 3)"];
    let table = scratch.printed(&table);
    let number = |line: &str| {
        let cells: Vec<_> = line.split(',').collect();
        let value: f64 = cells[6].parse().unwrap_or_else(|_| panic!("{cells:?}"));
        measures::Unit::BitsPerSecond.spelled(value)
    };
    let mut rows = table.lines().skip(1).map(number);
    let (lowest, higher) = (rows.next().expect("threshold 15"), rows.next().expect("threshold 3"));
    let cost = format!(
        "goodput(all, 3) is {lowest} instead of {higher} with congestion_control.marking.threshold=3"
    );
    assert!(
        said.contains("threshold=15, ") && said.contains(" It has a cost: ") && said.contains(&cost),
        "{said}"
    );
    let other = found("goodput(all, 3)");
    assert!(!other.contains("goodput(all, 3) is ") && other.contains("threshold=3, "), "{other}");
}
