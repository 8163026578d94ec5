//! Signals that end the program, at any moment of any verb.
//!
//! Invariant: Ctrl-C, SIGTERM and SIGHUP end every verb with status 5, and nothing that is not whole is left.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use crate::scratch::{Scratch, json, text};

const SIGNALS: [(&str, u32); 3] = [("INT", 2), ("TERM", 15), ("HUP", 1)];

/// A scenario that takes much longer than the tests.
const LONG: [&str; 7] =
    ["one-flow", "--set", "duration=1000 s", "--set", "completions=NotKept", "--set", "sample=1 s"];

pub(crate) fn spawned(scratch: &Scratch, arguments: &[&str]) -> Child {
    // The tests may run under `nohup`, and a process inherits which signals are ignored.
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP", env!("CARGO_BIN_EXE_backwater")]);
    command.args(arguments).current_dir(&scratch.0);
    // An open standard input, from which nothing comes.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Waits until a process has a handler of its own for a signal. Leaves no process behind if it never has.
fn wait_for_handler(child: &mut Child, number: u32) {
    for _ in 0..60_000 {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("the process runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("Linux lists them");
        if u64::from_str_radix(caught.trim(), 16).expect("a hexadecimal number") >> (number - 1) & 1 != 0 {
            return;
        }
        sleep(Duration::from_millis(1));
    }
    child.kill().expect("the process runs");
    panic!("no handler of signal {number}");
}

/// Ends a command by a signal, some time after it handles signals.
fn ended(scratch: &Scratch, arguments: &[&str], (name, number): (&str, u32), after: Duration) -> Output {
    let mut child = spawned(scratch, arguments);
    wait_for_handler(&mut child, number);
    sleep(after);
    signal(&child, name);
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    output
}

/// Ends a run by a signal once the run watches for it, and returns what it said. A signal that comes sooner leaves no
/// results.
pub(crate) fn interrupted(scratch: &Scratch, arguments: &[&str], name: &str, manifest: &str) -> String {
    let number = SIGNALS.into_iter().find(|(known, _)| *known == name).expect("a known signal").1;
    let there = || fs::read(scratch.0.join(manifest)).ok();
    let before = there();
    for pause in 0..12 {
        let after = Duration::from_millis(20 << pause);
        let output = ended(scratch, arguments, (name, number), after);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{said}");
        if there() != before {
            return said;
        }
    }
    panic!("no run left results");
}

/// Returns all files below a folder that are of use to a running process only.
fn unfinished(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_unfinished = [".part", ".lock", ".writing"].iter().any(|end| name.ends_with(end));
        if is_unfinished || name.starts_with(".writing-") {
            found.push(path.display().to_string());
        }
        if path.is_dir() {
            unfinished(&path, found);
        }
    }
}

/// Asserts that each of the signals ends a command with status 5 and leaves nothing unfinished, soon and late.
fn assert_ends(test: &str, arguments: &[&str]) {
    let scratch = Scratch::new(&format!("signals-{test}"));
    fs::write(scratch.0.join("space.ron"), SPACE).unwrap();
    for signal in SIGNALS {
        for after in [0, 30, 300].map(Duration::from_millis) {
            let output = ended(&scratch, arguments, signal, after);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(5), "{arguments:?}, {signal:?}, {after:?}: {said}");
            assert!(said.contains("interrupted"), "{said}");
            let mut found = Vec::new();
            unfinished(&scratch.0, &mut found);
            assert_eq!(found, [""; 0], "{arguments:?}, {signal:?}, {after:?}: {said}");
        }
    }
}

const SPACE: &str = r#"(
    about: "MTU.",
    parameters: [(name: "mtu", path: "link.mtu", values: Choice(["1 KiB", "2 KiB"]))],
)"#;

#[test]
fn a_signal_ends_one_run() {
    let verbs: [(&str, &[&str]); 5] = [
        ("sim", &["sim", "--quiet", "--force", "--out", "run"]),
        ("checkpoint", &["sim", "--quiet", "--force", "--out", "run", "--checkpoint-every", "1 us"]),
        ("capture", &["capture", "--force", "--out", "packets.pcapng", "--ports", "H1:1"]),
        ("trace", &["trace", "--force", "--out", "trace.json", "--ports", "H1:1"]),
        ("compare", &["compare", "--quiet", "--force", "--out", "two", "one-flow"]),
    ];
    thread::scope(|scope| {
        for (test, verb) in verbs {
            scope.spawn(move || assert_ends(test, &[verb, &LONG].concat()));
        }
    });
}

#[test]
fn a_signal_ends_many_runs() {
    let long = |words: &[&'static str]| [words, &LONG].concat();
    let verbs = [
        ("sweep", long(&["sweep", "--quiet", "--out", "sweep", "--seeds", "1..=40"])),
        ("dry", long(&["sweep", "--dry-run", "--out", "sweep", "--seeds", "1..=40"])),
        (
            "tune",
            long(&[
                "tune",
                "--quiet",
                "--out",
                "tuned",
                "--space",
                "space.ron",
                "--maximise",
                "goodput(all)",
            ]),
        ),
        ("eval", long(&["eval"])),
        ("lines", long(&["eval", "--params", "-"])),
        ("repro", vec!["repro", "pfister2005", "--full", "--force"]),
        ("bench", vec!["bench", "--runs", "1000"]),
    ];
    thread::scope(|scope| {
        for (test, verb) in &verbs {
            scope.spawn(move || assert_ends(test, verb));
        }
    });
}

/// SIGTERM comes twice from `timeout` and from clusters: the second signal takes nothing from the results.
#[test]
fn only_a_second_ctrl_c_kills() {
    let scratch = Scratch::new("signals-twice");
    let arguments = [&["sim", "--quiet", "--out", "run"], &LONG[..]].concat();
    for signals in [["TERM", "TERM"], ["TERM", "HUP"], ["INT", "TERM"]] {
        for pause in 0..12 {
            let mut child = spawned(&scratch, &arguments);
            wait_for_handler(&mut child, 15);
            sleep(Duration::from_millis(20 << pause));
            signal(&child, "STOP");
            // Two pending signals of the same kind merge, so the first is handled before the second comes.
            for name in signals {
                signal(&child, name);
                signal(&child, "CONT");
                sleep(Duration::from_millis(1));
            }
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
            if scratch.0.join("run/run.json").exists() {
                break;
            }
        }
        assert_eq!(json(&scratch.read("run/run.json"))["ended"]["how"], "interrupted");
        fs::remove_dir_all(scratch.0.join("run")).unwrap();
    }
}

/// `nohup` has a program ignore SIGHUP, and so it stays.
#[test]
fn an_ignored_hangup_ends_nothing() {
    let scratch = Scratch::new("signals-nohup");
    let words = [&["sim", "--quiet", "--out", "run"], &LONG[..]].concat();
    let words: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    let command = format!("trap '' HUP; exec '{}' {}", env!("CARGO_BIN_EXE_backwater"), words.join(" "));
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(&scratch.0).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    wait_for_handler(&mut child, 15);
    signal(&child, "HUP");
    sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "the run goes on");
    signal(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(5));
}
