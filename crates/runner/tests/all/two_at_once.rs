//! Two processes that write to the same place at the same time, and places that are none.
//!
//! Invariant: a single process writes, the other is refused with status 2 and told who writes. A process that is killed
//! locks nobody out.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::scratch::{Scratch, assert_refused, json, text};

/// Name of the lock in a result folder.
const LOCK: &str = ".backwater.lock";
/// A run of some seconds.
const LONG: [&str; 6] = ["sim", "bench-a32-roce", "--quiet", "--set", "duration=4 ms", "--out"];
/// A run of some milliseconds.
const SHORT: [&str; 5] = ["sim", "one-flow", "--quiet", "--set", "duration=200 us"];

fn spawned(scratch: &Scratch, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwater"));
    command.args(arguments).current_dir(&scratch.0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts a run, and waits until it has a lock.
fn holding(scratch: &Scratch, arguments: &[&str], lock: &str) -> Child {
    let child = spawned(scratch, arguments);
    let lock = scratch.0.join(lock);
    for _ in 0..6000 {
        if fs::read_to_string(&lock).is_ok_and(|text| text.ends_with('\n')) {
            return child;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("{} is not there: {:?}", lock.display(), child.wait_with_output());
}

/// Sends a signal: `STOP` holds a process where it is, `CONT` lets it go on.
fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Starts a command, waits until it has a lock, and stops it there.
fn stopped(scratch: &Scratch, arguments: &[&str], lock: &str) -> Child {
    let mut child = holding(scratch, arguments, lock);
    signal(&child, "STOP");
    assert!(child.try_wait().unwrap().is_none(), "the run ended before it was stopped");
    child
}

fn resumed(child: Child) -> Output {
    signal(&child, "CONT");
    child.wait_with_output().unwrap()
}

#[test]
fn a_folder_that_another_run_will_write_is_refused() {
    let scratch = Scratch::new("two-folder");
    let first = stopped(&scratch, &[&LONG[..], &["race"]].concat(), &format!("race/{LOCK}"));
    let others = [
        [&SHORT[..], &["--out", "race"]].concat(),
        [&SHORT[..], &["--out", "race", "--force"]].concat(),
        vec!["compare", "one-flow", "one-flow", "--set", "duration=200 us", "--quiet", "--out", "race"],
    ];
    for other in others {
        let refused = scratch.run(&other);
        let message = format!("error: cannot write to the output folder `race`: process {}", first.id());
        assert_refused(&refused, &message);
        assert!(text(&refused.stderr).contains("sim bench-a32-roce"), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("help: wait until it has ended, or choose another folder"));
    }
    let ended = resumed(first);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    assert!(!scratch.names_in("race").contains(&LOCK.to_owned()));
    assert_eq!(json(&scratch.read("race/run.json"))["ended"]["how"], "complete");
}

/// A second Ctrl-C ends the program at once, and leaves the place as it was. Neither a lock remains, nor the folder
/// that was made for it.
#[test]
fn a_second_interrupt_leaves_nothing() {
    let scratch = Scratch::new("two-interrupts");
    for _ in 0..20 {
        let run = holding(&scratch, &[&LONG[..], &["a/b"]].concat(), &format!("a/b/{LOCK}"));
        let before = scratch.names();
        assert_eq!(before, ["a"]);
        for _ in 0..2 {
            signal(&run, "INT");
            // Two signals that come at once merge.
            thread::sleep(Duration::from_millis(2));
        }
        match run.wait_with_output().unwrap().status.code() {
            Some(130) => return assert_eq!(scratch.names(), [""; 0]),
            // The first came before it was handled, or the run had ended by the second.
            _ => {
                let _ = fs::remove_dir_all(scratch.0.join("a"));
            }
        }
    }
    panic!("no run was interrupted twice");
}

/// Pairs of runs of two plans into the same folder: a single run is there whole, the other was refused.
#[test]
fn of_two_runs_at_once_one_is_there_whole() {
    let scratch = Scratch::new("two-pairs");
    for pair in 0..30 {
        let folder = format!("race{pair}");
        let run = |set: &str| spawned(&scratch, &[&SHORT[..], &["--set", set, "--out", &folder]].concat());
        let sets = ["link.mtu=1 KiB", "switch.speedup=1.5"];
        let ended = sets.map(run).map(|child| child.wait_with_output().unwrap());
        let status = ended.each_ref().map(|output| output.status.code());
        assert!(status == [Some(0), Some(2)] || status == [Some(2), Some(0)], "{pair}: {status:?} {ended:?}");
        let written = usize::from(status[1] == Some(0));
        let manifest = json(&scratch.read(&format!("{folder}/run.json")));
        assert_eq!(manifest["ended"]["how"], "complete");
        let overrides = &manifest["plans"][0]["overrides"];
        assert_eq!(overrides[1], sets[written], "{overrides}");
        // All files are of the run that the manifest names.
        assert!(scratch.printed(&["rerun", &folder]).starts_with("the same: "));
    }
}

#[test]
fn a_killed_run_locks_nobody_out() {
    let scratch = Scratch::new("two-killed");
    let mut first = holding(&scratch, &[&LONG[..], &["race"]].concat(), &format!("race/{LOCK}"));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(scratch.names_in("race"), [LOCK], "nothing else was written");
    scratch.printed(&[&SHORT[..], &["--out", "race"]].concat());
    let names = scratch.names_in("race");
    assert!(!names.contains(&LOCK.to_owned()) && names.contains(&"run.json".to_owned()), "{names:?}");
}

#[test]
fn a_run_that_fails_leaves_no_lock_and_no_folder() {
    let scratch = Scratch::new("two-failed");
    let refused = scratch.run(&[&SHORT[..], &["--memory-limit", "1 KB", "--out", "a/b"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn a_file_for_states_belongs_to_one_process() {
    let scratch = Scratch::new("two-states");
    let states = |out: &'static str| {
        let options = [out, "--checkpoint-every", "1 ms", "--checkpoint", "state"];
        LONG.iter().copied().chain(options).collect::<Vec<_>>()
    };
    let first = stopped(&scratch, &states("one"), "state.lock");
    let refused = scratch.run(&states("two"));
    assert_refused(&refused, &format!("error: cannot write checkpoints to `state`: process {}", first.id()));
    let ended = resumed(first);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    assert_eq!(scratch.names(), ["one"]);
    // A killed process leaves its file free.
    let mut killed = holding(&scratch, &states("two"), "state.lock");
    killed.kill().unwrap();
    killed.wait().unwrap();
    let again = scratch.run(&[&states("two")[..], &["--force"]].concat());
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert_eq!(scratch.names(), ["one", "two"]);
}

#[test]
fn results_are_not_strewn_above_the_working_folder() {
    let scratch = Scratch::new("two-above");
    fs::create_dir_all(scratch.0.join("in/deep")).unwrap();
    let deep = scratch.0.join("in/deep");
    for out in ["/", "..", "../..", "../../in/.."] {
        for force in [&[][..], &["--force"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_backwater"));
            let refused =
                command.args(SHORT).args(["--out", out]).args(force).current_dir(&deep).output().unwrap();
            assert_refused(&refused, "is no folder for results: the working folder is in it");
        }
    }
    assert!(!Path::new("/run.json").exists());
    assert_eq!((scratch.names(), scratch.names_in("in")), (vec!["in".to_owned()], vec!["deep".to_owned()]));
    assert_eq!(scratch.names_in("in/deep"), [""; 0]);
}

#[test]
fn a_folder_that_is_being_written_is_not_read() {
    let scratch = Scratch::new("two-torn");
    scratch.printed(&[&SHORT[..], &["--out", "run"]].concat());
    let manifest = scratch.read("run/run.json");
    let torn = manifest.replace("\"how\": \"complete\"", "\"how\": \"writing\"");
    assert_ne!(manifest, torn);
    fs::write(scratch.0.join("run/run.json"), torn).unwrap();
    for command in [&["figures", "run"][..], &["figure", "run"], &["export", "counters", "run"]] {
        assert_refused(&scratch.run(command), "error: `run` is being written, or its writer was killed");
    }
    fs::write(scratch.0.join("run/run.json"), manifest).unwrap();
    scratch.printed(&["export", "counters", "run"]);
}

/// Returns the arguments of a sweep of 8 short runs.
fn sweep<'a>(vary: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let sweep =
        ["sweep", "one-flow", "--quiet", "--set", "duration=200 us", "--seeds", "1..=4", "--vary", vary];
    sweep.iter().chain(more).copied().collect()
}

const MTUS: &str = "link.mtu=1 KiB,2 KiB";
const SPEEDUPS: &str = "switch.speedup=1,1.5";

/// Pairs of sweeps with different plans into the same folder: the plan, the manifest and the table belong to the same
/// sweep.
#[test]
fn of_two_sweeps_at_once_one_has_the_folder() {
    let scratch = Scratch::new("two-sweeps");
    for pair in 0..10 {
        let folder = format!("race{pair}");
        let children = [MTUS, SPEEDUPS].map(|vary| spawned(&scratch, &sweep(vary, &["--out", &folder])));
        let ended = children.map(|child| child.wait_with_output().unwrap());
        let status = ended.each_ref().map(|output| output.status.code());
        assert!(status == [Some(0), Some(2)] || status == [Some(2), Some(0)], "{pair}: {status:?} {ended:?}");
        let (winner, loser) = if status[0] == Some(0) { (MTUS, &ended[1]) } else { (SPEEDUPS, &ended[0]) };
        assert_refused(loser, &format!("error: `{folder}` holds another sweep"));
        let field = winner.split_once('=').unwrap().0;
        assert!(scratch.read(&format!("{folder}/sweep.jsonl")).contains(field));
        assert!(scratch.read(&format!("{folder}/results.csv")).contains(field));
        assert!(json(&scratch.read(&format!("{folder}/run.json")))["command"].to_string().contains(field));
        assert_eq!(
            scratch.names_in(&folder),
            ["results.csv", "results.schema.json", "run.json", "runs", "sweep.json", "sweep.jsonl"]
        );
        assert_eq!(scratch.names_in(&format!("{folder}/runs")).len(), 8);
    }
}

/// Parts of a sweep that begin at the same time, each of them twice, share the folder.
#[test]
fn parts_of_a_sweep_share_its_folder() {
    let scratch = Scratch::new("two-parts");
    scratch.printed(&sweep(MTUS, &["--out", "whole"]));
    let parts = ["1/2", "1/2", "2/2", "2/2"].map(|part| {
        spawned(
            &scratch,
            &["sweep", "run", "shared", "--plan", "whole/sweep.jsonl", "--shard", part, "--quiet"],
        )
    });
    for part in parts {
        let ended = part.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    }
    assert_eq!(scratch.names_in("shared"), ["run.json", "runs", "sweep.jsonl"]);
    scratch.printed(&["sweep", "collect", "shared", "--quiet"]);
    assert_eq!(scratch.read("shared/results.csv"), scratch.read("whole/results.csv"));
}

#[test]
fn a_sweep_writes_no_table_beside_a_plan_that_took_the_place_of_its_own() {
    let scratch = Scratch::new("two-plans");
    let many =
        ["sweep", "one-flow", "--quiet", "--set", "duration=2 ms", "--seeds", "1..=400", "--out", "race"];
    let first = spawned(&scratch, &many);
    while !scratch.0.join("race/runs").is_dir() {
        thread::sleep(Duration::from_millis(1));
    }
    signal(&first, "STOP");
    // A lock that a killed process has left locks nobody out.
    fs::write(scratch.0.join("race").join(LOCK), "backwater lock 0123456789abcdef process 1 (`sweep`)\n")
        .unwrap();
    scratch.printed(&[
        "sweep", "plan", "one-flow", "--vary", MTUS, "--seeds", "1..=2", "--out", "race", "--force",
    ]);
    let plan = scratch.read("race/sweep.jsonl");
    let ended = resumed(first);
    assert_refused(&ended, "error: `race` has another plan by now, which another process wrote");
    assert_eq!(scratch.read("race/sweep.jsonl"), plan);
    assert_eq!(scratch.names_in("race"), ["run.json", "runs", "sweep.jsonl"]);
}

#[test]
fn a_folder_of_a_tuning_belongs_to_one_process() {
    let scratch = Scratch::new("two-tunings");
    let space = "(about: \"Timer.\", parameters: [(name: \"timer\", path: \"congestion_control.response.ccti_timer\", values: LogInteger(from: 2, to: 300))])";
    fs::write(scratch.0.join("space.ron"), space).unwrap();
    let goal =
        ["tune", "victim", "--space", "space.ron", "--maximise", "goodput(all)", "--quiet", "--out", "race"];
    let tune = [
        &goal[..],
        &["--set", "duration=6 ms", "--set", "flows.far.start=1 ms", "--set", "flows.near.start=2 ms"],
    ]
    .concat();
    let mut first = stopped(&scratch, &tune, &format!("race/{LOCK}"));
    let message = format!("error: cannot write to the output folder `race`: process {}", first.id());
    assert_refused(&scratch.run(&tune), &message);
    first.kill().unwrap();
    first.wait().unwrap();
}

/// Files that verbs write anywhere: a single process of two writes, and neither replaces the other's file.
#[test]
fn of_two_exports_at_once_one_is_there() {
    let scratch = Scratch::new("two-exports");
    for pair in 0..10 {
        let file = format!("opensm{pair}.conf");
        let export = ["export", "opensm", "victim", "--set", "congestion_control=Guideline", "--out", &file];
        let ended =
            [(); 2].map(|()| spawned(&scratch, &export)).map(|child| child.wait_with_output().unwrap());
        let status = ended.each_ref().map(|output| output.status.code());
        assert!(status == [Some(0), Some(2)] || status == [Some(2), Some(0)], "{status:?} {ended:?}");
        assert_eq!(scratch.read(&file), scratch.read("opensm0.conf"));
    }
    assert_eq!(scratch.names().len(), 10);
}
