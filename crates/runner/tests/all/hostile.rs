//! A machine that does not do as usual. Its standard error is full, a pipe is in a result folder, a file has no end, or
//! memory is limited.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::scratch::{Scratch, text};

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
    fs::write(scratch.0.join("empty"), "").unwrap();
    let verbs: [&[&str]; 10] = [
        &["check", "/dev/zero"],
        &["sim", "/dev/zero"],
        &["new", "file", "/dev/zero", "new.ron"],
        &["eval", "one-flow", "--params", "/dev/zero"],
        &["sweep", "--file", "/dev/zero"],
        &["bench", "flow2", "--runs", "1", "--against", "/dev/zero"],
        &["import", "ibnetdiscover", "/dev/zero"],
        &["import", "ibnetdiscover", "empty", "--lfts", "/dev/zero"],
        &["import", "ibnetdiscover", "/dev/urandom"],
        &["import", "ibnetdiscover", "empty", "--lfts", "/dev/urandom"],
    ];
    for verb in verbs {
        let refused = scratch.run(verb);
        assert_eq!(refused.status.code(), Some(2), "{verb:?}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("it is not a text"), "{verb:?}: {}", text(&refused.stderr));
    }
    assert_eq!(scratch.names(), ["empty"]);
}

/// `ulimit -v` is a limit of memory like the machine's: a run that needs more is refused, and does not abort.
#[test]
fn a_limit_of_address_space_refuses_what_needs_more() {
    let scratch = Scratch::new("ulimit");
    let space =
        r#"(about: "", parameters: [(name: "mtu", path: "link.mtu", values: Choice(["1 KiB", "2 KiB"]))])"#;
    fs::write(scratch.0.join("space.ron"), space).unwrap();
    let many = "flows=[(name: \"F\", from: \"H1\", to: \"H2\", start: \"0 s\", message: \"64 B\", load: Messages(40000000))]";
    let at_once = "traffic=[Synthetic(destinations: Permutation, arrivals: AtOnce, messages: 20000000, size: Fixed(\"64 B\"))]";
    let verbs = [
        "sim one-flow --quiet",
        "check one-flow",
        "compare one-flow one-flow --quiet",
        "eval one-flow",
        "sweep one-flow --seeds 1,2 --quiet",
        "sweep plan one-flow --seeds 1,2",
        "tune one-flow --space space.ron --maximise 'goodput(all)' --quiet",
        "capture one-flow --ports H1:1 --quiet",
    ];
    for (verb, set) in verbs.into_iter().flat_map(|verb| [many, at_once].map(|set| (verb, set))) {
        // The memory of 40 million messages is 0.6 GB, and twice that while the list is made.
        for kib in [2_000_000, 1_000_000] {
            // With more room a list is made, which takes its time: of the first thread of these.
            let makes_list = ["sim", "sweep one", "tune"].iter().any(|name| verb.starts_with(name));
            if kib == 2_000_000 && !(makes_list && set == many) {
                continue;
            }
            let script = format!("ulimit -v {kib}; exec \"$0\" {verb} --set \"$1\"");
            let output =
                Command::new("sh").args(["-c", &script, BACKWATER, set]).current_dir(&scratch.0).output();
            let output = output.expect("a shell");
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{verb}, {kib}: {said}");
            assert!(said.contains("more than the limit"), "{verb}, {kib}: {said}");
            assert_eq!(scratch.names(), ["space.ron"], "{verb}");
        }
    }
}
