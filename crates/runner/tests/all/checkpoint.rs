//! `sim --checkpoint-every` and `--resume`: runs that are killed go on to the results of runs that are not.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::scratch::{Scratch, assert_refused, json, text};
#[cfg(target_os = "linux")]
use crate::signals::interrupted;
use serde_json::Value;

/// A run of every kind of file, which takes some seconds.
const RUN: [&str; 10] = [
    "sim",
    "bench-a32-roce",
    "--quiet",
    "--fct-txt",
    "--set",
    "duration=12 ms",
    "--set",
    "completions=Kept",
    "--set",
    "series=(ports: [\"*:1\"], sources: [\"*\"], pauses: [\"*\"])",
];

fn with<'a>(options: &[&'a str]) -> Vec<&'a str> {
    RUN.iter().chain(options).copied().collect()
}

fn spawned(scratch: &Scratch, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_backwater"))
        .args(arguments)
        .current_dir(&scratch.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts a run and kills it, without a signal that it could handle, once it has replaced the checkpoint.
fn kill_after_a_checkpoint(scratch: &Scratch, arguments: &[&str]) {
    let file = scratch.0.join("run.checkpoint");
    let before = fs::read(&file).ok();
    let mut child = spawned(scratch, arguments);
    while fs::read(&file).ok() == before {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it was killed");
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Returns the files of a folder, by name: the summary without what depends on the machine, and the manifest without
/// the command.
fn results(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let mut bytes = fs::read(folder.join(&name)).unwrap();
        if name == "summary.json" || name == "run.json" {
            let mut object = json(&text(&bytes));
            let of_machine = ["wall_s", "packet_hops_per_s", "peak_rss_bytes", "command"];
            let fields = object.as_object_mut().unwrap();
            fields.retain(|field, _| !of_machine.contains(&field.as_str()));
            if let Some(Value::Array(files)) = fields.get_mut("files") {
                files.retain(|file| file["name"] != "summary.json"); // Its length depends on the wall time.
            }
            bytes = object.to_string().into_bytes();
        }
        files.push((name, bytes));
    }
    files.sort();
    files
}

fn assert_same_results(scratch: &Scratch, one: &str, other: &str) {
    let (one, other) = (results(&scratch.0.join(one)), results(&scratch.0.join(other)));
    assert!(one.len() > 12, "a run has many files");
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    for ((name, one), (_, other)) in one.iter().zip(&other) {
        assert!(one == other, "`{name}` differs");
    }
}

#[test]
fn a_run_that_is_killed_twice_ends_with_the_same_bytes() {
    let scratch = Scratch::new("checkpoint-killed");
    scratch.printed(&with(&["--out", "whole"]));
    kill_after_a_checkpoint(&scratch, &with(&["--out", "run", "--checkpoint-every", "1 ms"]));
    let resume = ["--out", "run", "--checkpoint-every", "1 ms", "--resume", "run.checkpoint"];
    let on_two_threads = [&resume[..], &["--threads", "2"]].concat();
    kill_after_a_checkpoint(&scratch, &with(&on_two_threads));
    assert_eq!(scratch.names_in("run"), [".backwater.lock"], "results are written at the end");
    scratch.printed(&with(&resume));
    assert_same_results(&scratch, "whole", "run");
    assert_eq!(scratch.names(), ["run", "whole"], "the checkpoint goes with the end of the run");
}

#[test]
fn checkpoints_of_other_runs_and_damaged_ones_are_refused() {
    let scratch = Scratch::new("checkpoint-refused");
    let saving = ["--out", "run", "--checkpoint-every", "500 us"];
    kill_after_a_checkpoint(&scratch, &with(&saving));
    let again = scratch.run(&with(&saving));
    assert_refused(
        &again,
        "error: `run.checkpoint` is the checkpoint of a run that has not ended\nhelp: go on with it: `--resume run.checkpoint`",
    );

    let refused = |options: &[&str], message: &str| {
        assert_refused(&scratch.run(&with(options)), message);
        // The lock belongs to the killed run, if no other run has had it since.
        assert!(scratch.names_in("run").iter().all(|name| name == ".backwater.lock"), "nothing is written");
    };
    let resume = ["--resume", "run.checkpoint"];
    refused(
        &[&resume[..], &["--seed", "9"]].concat(),
        "error: `run.checkpoint` cannot be resumed: it is of the plan `bench-a32-roce` with digest ",
    );
    refused(&["--resume", "none"], "error: `none` cannot be read: ");
    refused(&["--checkpoint-every", "0 s"], "write an interval above 0, such as `10 ms`");
    refused(&["--checkpoint", "here"], "--checkpoint-every <TIME>");

    let bytes = fs::read(scratch.0.join("run.checkpoint")).unwrap();
    let written = |bytes: &[u8]| fs::write(scratch.0.join("other.checkpoint"), bytes).unwrap();
    let damaged = "error: `other.checkpoint` cannot be resumed: it is damaged: it was cut short, or changed, after it was written";
    for length in [0, 5, 11, 100, bytes.len() / 2, bytes.len() - 1] {
        written(&bytes[..length]);
        refused(&["--resume", "other.checkpoint"], damaged);
    }
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 3] ^= 0x10;
    written(&flipped);
    refused(&["--resume", "other.checkpoint"], damaged);
    written(b"duration: \"1 ms\"");
    refused(
        &["--resume", "other.checkpoint"],
        "it is no checkpoint\nhelp: name a file that `sim --checkpoint-every` has written",
    );
    let mut format = bytes;
    format[8] = 200;
    written(&format);
    refused(
        &["--resume", "other.checkpoint"],
        "its format is 200, and this version of the simulator reads format 4",
    );
}

/// A short run that writes states.
const SHORT: [&str; 6] = ["sim", "one-flow", "--quiet", "--set", "duration=4 ms", "--checkpoint-every=1 ms"];

/// Data that are no checkpoint are not overwritten, even with `--force`, and a path that cannot be written is refused
/// before the run.
#[test]
fn files_that_cannot_become_checkpoints_are_refused() {
    let scratch = Scratch::new("checkpoint-places");
    fs::write(scratch.0.join("precious"), "hello\n").unwrap();
    fs::write(scratch.0.join("c.writing"), "hello\n").unwrap();
    fs::create_dir(scratch.0.join("folder")).unwrap();
    let refused = |file: &str, message: &str| {
        for force in [&[][..], &["--force"]] {
            let options = [&SHORT[..], &["--out", "run", "--checkpoint", file], force].concat();
            assert_refused(&scratch.run(&options), message);
        }
    };
    let help = "and would be overwritten\nhelp: name another file with `--checkpoint FILE`";
    refused("precious", &format!("error: `precious` is no checkpoint, {help}"));
    refused("folder", &format!("error: `folder` is no checkpoint, {help}"));
    refused("c", &format!("error: `c.writing` is no checkpoint, {help}"));
    refused("/dev/null", "error: `/dev/null` is no checkpoint");
    refused("precious/c", "error: the checkpoint `precious/c` cannot be written: ");
    assert_eq!(scratch.names(), ["c.writing", "folder", "precious"], "nothing is written");
    assert_eq!(scratch.read("precious"), "hello\n");
}

/// The file of `--resume` stays unless states are written to it. What killed processes have left beside it is removed.
#[test]
fn a_resumed_file_stays_unless_it_is_written_to() {
    let scratch = Scratch::new("checkpoint-stays");
    kill_after_a_checkpoint(&scratch, &with(&["--out", "run", "--checkpoint-every", "1 ms"]));
    let state = fs::read(scratch.0.join("run.checkpoint")).unwrap();
    let unfinished = scratch.0.join("run.checkpoint.writing");
    fs::write(&unfinished, &state[..state.len() / 2]).unwrap();
    scratch.printed(&with(&["--out", "run", "--resume", "run.checkpoint"]));
    assert_eq!(scratch.names(), ["run", "run.checkpoint"]);
    fs::write(&unfinished, &state[..5]).unwrap();
    let saving = ["--out", "run", "--resume", "run.checkpoint", "--checkpoint-every", "5 ms"];
    scratch.printed(&with(&saving));
    assert_eq!(scratch.names(), ["run"]);
}

/// A run with states that can no longer be written goes on, and says so once.
#[test]
fn states_that_cannot_be_written_are_told_once() {
    let scratch = Scratch::new("checkpoint-lost");
    let options = ["--out", "run", "--checkpoint-every", "500 us", "--checkpoint", "states/run"];
    let mut child = spawned(&scratch, &with(&options));
    let states = scratch.0.join("states");
    while !states.join("run").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before its first state");
        thread::sleep(Duration::from_millis(2));
    }
    fs::rename(&states, scratch.0.join("moved")).unwrap();
    fs::write(&states, "no folder").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("warning: no checkpoint at ").count(), 1, "{said}");
}

/// At the end of a job's time a run writes its state and its results, and names the command that goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_terminated_run_writes_its_state_and_says_how_to_go_on() {
    let scratch = Scratch::new("checkpoint-terminated");
    let run = [
        "sim",
        "one-flow",
        "--quiet",
        "--set",
        "duration=1000 s",
        "--set",
        "completions=NotKept",
        "--set",
        "sample=1 s",
    ];
    let saving = ["--out", "run", "--checkpoint-every", "900 s"];
    let mut reached = Vec::new();
    for resume in [&[][..], &["--resume", "run.checkpoint"]] {
        let arguments = [&run[..], &saving, resume].concat();
        let said = interrupted(&scratch, &arguments, "TERM", "run/run.json");
        let command = "sim one-flow --quiet --set 'duration=1000 s' --set completions=NotKept --set 'sample=1 s' --out run \
                       --checkpoint-every '900 s' --resume run.checkpoint`";
        assert!(
            said.contains("interrupted at ") && said.contains("help: go on with `") && said.contains(command),
            "{said}"
        );
        let manifest = json(&scratch.read("run/run.json"));
        assert_eq!(manifest["ended"]["how"], "interrupted");
        reached.push(manifest["ended"]["simulated_s"].as_f64().unwrap());
    }
    assert!(0.0 < reached[0] && reached[0] < reached[1], "{reached:?}");
}
