//! A machine that does not do as usual: a standard error that is full, a pipe in a result folder, a file without an end, a limit of memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::scratch::{Scratch, assert_refused, text};

const BACKWATER: &str = env!("CARGO_BIN_EXE_backwater");

/// The status tells the failure where the message cannot be written.
#[test]
fn a_full_standard_error_changes_no_status() {
    let scratch = Scratch::new("full-stderr");
    for arguments in
        [&["check", "nothere"][..], &["rerun", "nothere"], &["sim", "--set", "x"], &["import", "hpcc", "no"]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut command = Command::new(BACKWATER);
        let status =
            command.args(arguments).current_dir(&scratch.0).stderr(full).stdout(Stdio::null()).status();
        assert_eq!(status.expect("it runs").code(), Some(2), "{arguments:?}");
    }
}

/// Runs a command, which must not wait for a pipe, and returns its status.
fn ended(scratch: &Scratch, arguments: &[&str]) -> Option<i32> {
    let mut child = Command::new(BACKWATER)
        .args(arguments)
        .current_dir(&scratch.0)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code();
        }
        if begun.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
            panic!("{arguments:?} waits for a pipe");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Puts a pipe in the place of a file.
fn pipe_in_place_of(scratch: &Scratch, file: &str) {
    let place = scratch.0.join(file);
    fs::remove_file(&place).expect("it is there");
    assert!(Command::new("mkfifo").arg(place).status().expect("a program").success());
}

/// Nobody writes into a pipe that lies in a folder of results: it is no file, and nothing waits for it.
#[test]
fn a_pipe_in_a_result_folder_is_refused() {
    let scratch = Scratch::new("pipe-in-folder");
    scratch.printed(&["sim", "one-flow", "--set", "duration=1 ms", "--out", "a", "--quiet"]);
    for name in ["flows.csv", "run.json"] {
        pipe_in_place_of(&scratch, &format!("a/{name}"));
        for verb in ["report", "rerun"] {
            let status = ended(&scratch, &[verb, "a"]);
            assert!(matches!(status, Some(1 | 2)), "{verb}: {status:?}");
        }
    }
}

/// The same of the folder of a sweep, and of the file that a run is to go on from.
#[test]
fn a_pipe_in_the_place_of_a_plan_or_of_a_state_is_refused() {
    let scratch = Scratch::new("pipe-in-sweep");
    let sweep = ["sweep", "one-flow", "--set", "duration=100 us", "--seeds", "1", "--quiet", "--out", "s"];
    scratch.printed(&sweep);
    for name in ["sweep.jsonl", "run.json"] {
        pipe_in_place_of(&scratch, &format!("s/{name}"));
        assert_eq!(ended(&scratch, &sweep), Some(2), "{name}");
    }
    assert_eq!(ended(&scratch, &["sim", "one-flow", "--resume", "s/run.json"]), Some(2));
}

/// A file without an end is refused before it has filled the memory.
#[test]
fn a_scenario_without_an_end_is_refused() {
    let scratch = Scratch::new("endless");
    assert_refused(&scratch.run(&["check", "/dev/zero"]), "it is longer than 256 MiB");
}

/// `ulimit -v` is a limit of memory like that of the machine: a run that needs more is refused, and does not abort.
#[test]
fn a_limit_of_address_space_refuses_a_run() {
    let scratch = Scratch::new("ulimit");
    let messages = "flows=[(name: \"F\", from: \"H1\", to: \"H2\", start: \"0 s\", message: \"64 B\", load: Messages(40000000))]";
    let script = "ulimit -v 2000000; exec \"$0\" sim one-flow --set \"$1\" --quiet";
    let output =
        Command::new("sh").args(["-c", script, BACKWATER, messages]).current_dir(&scratch.0).output();
    let output = output.expect("a shell");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("more than the limit"), "{}", text(&output.stderr));
}
