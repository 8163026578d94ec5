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

/// Nobody writes into a pipe that lies in a folder of results: it is no file, and nothing waits for it.
#[test]
fn a_pipe_in_a_result_folder_is_refused() {
    let scratch = Scratch::new("pipe-in-folder");
    scratch.printed(&["sim", "one-flow", "--set", "duration=1 ms", "--out", "a", "--quiet"]);
    for name in ["flows.csv", "run.json"] {
        fs::remove_file(scratch.0.join("a").join(name)).expect("it is there");
        assert!(
            Command::new("mkfifo").arg(scratch.0.join("a").join(name)).status().expect("a program").success()
        );
        for verb in ["report", "rerun"] {
            let mut child = Command::new(BACKWATER)
                .args([verb, "a"])
                .current_dir(&scratch.0)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("it runs");
            let begun = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait().expect("a child") {
                    break status;
                }
                if begun.elapsed() > Duration::from_secs(60) {
                    let _ = child.kill();
                    panic!("`{verb}` waits for `{name}`");
                }
                std::thread::sleep(Duration::from_millis(5));
            };
            assert!(matches!(status.code(), Some(1 | 2)), "{verb}: {status}");
        }
    }
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
