//! `eval` as an outside optimiser meets it: parameters in, a line of JSON out.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::scratch::{Scratch, assert_refused, json, text};

const EVAL: [&str; 7] =
    ["eval", "one-flow", "--set", "duration=1 ms", "--measures", "goodput(all),p99(all)", "--json"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&EVAL[..], more].concat()
}

#[test]
fn parameters_of_a_file_are_evaluated() {
    let scratch = Scratch::new("eval-file");
    fs::write(scratch.0.join("p.json"), r#"{"link.mtu": "1 KiB", "congestion_control": "Off"}"#).unwrap();
    fs::write(scratch.0.join("p.ron"), r#"{"link.mtu": "1 KiB", "congestion_control": Off}"#).unwrap();
    let printed = scratch.printed(&with(&["--params", "p.json"]));
    assert_eq!(printed.lines().count(), 1);
    let answer = json(&printed);
    assert_eq!(
        (&answer["schema"], &answer["status"]),
        (&"backwater-evaluation/1".into(), &"complete".into())
    );
    assert_eq!(answer["overrides"], json(r#"["duration=1 ms", "link.mtu=1 KiB", "congestion_control=Off"]"#));
    let goodput = &answer["measures"]["goodput(all)"];
    assert!(goodput["value"].as_f64().is_some_and(|value| value > 1e9), "{answer}");
    assert_eq!((&goodput["unit"], &goodput["censored"]), (&"bit/s".into(), &false.into()));
    let of_ron = json(&scratch.printed(&with(&["--params", "p.ron"])));
    assert_eq!(of_ron["measures"], answer["measures"]);
    let plan = ["--set", "duration=1 ms", "--set", "link.mtu=1 KiB", "--set", "congestion_control=Off"];
    let summary =
        json(&scratch.printed(&[&["sim", "one-flow", "--json", "--out", "out"], &plan[..]].concat()));
    assert_eq!(answer["runs"][0]["digest"], summary["digest"], "the run is that of `sim`");
    let manifest = json(&scratch.read("out/run.json"));
    assert_eq!(answer["runs"][0]["plan_digest"], manifest["plans"][0]["plan_digest"]);
    assert_eq!(scratch.names(), ["out", "p.json", "p.ron"], "nothing is written");
}

/// Each line has its answer before the next is sent; a wrong line is answered too.
#[test]
fn sets_of_a_pipe_are_answered_one_by_one() {
    let scratch = Scratch::new("eval-pipe");
    let mut child = Command::new(env!("CARGO_BIN_EXE_backwater"))
        .args(with(&["--params", "-", "--seeds", "1..=2"]))
        .current_dir(&scratch.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut sets, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(answers);
    let mut ask = |set: &str| {
        writeln!(sets, "{set}").unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        json(&line)
    };
    let first = ask(r#"{"link.mtu": "1 KiB"}"#);
    assert_eq!(first["runs"].as_array().map(Vec::len), Some(2));
    let wrong = ask(r#"{"link.mtuu": "1 KiB"}"#);
    assert_eq!(wrong["status"], "refused");
    assert!(wrong["error"].as_str().is_some_and(|error| error.contains("did you mean `mtu`")), "{wrong}");
    assert!(ask("")["error"].as_str().is_some_and(|error| error.starts_with("error: line 3: EOF")));
    assert_ne!(ask(r#"{"link.mtu": "512 B"}"#)["measures"], first["measures"]);
    assert_eq!(ask(r#"{"link.mtu": "1 KiB"}"#), first, "the same parameters have the same answer");
    drop(sets);
    assert_eq!(child.wait().unwrap().code(), Some(2), "the status is that of the first refusal");
}

#[test]
fn faults_are_answers_too_if_answers_are_json() {
    let scratch = Scratch::new("eval-faults");
    fs::write(scratch.0.join("twice.json"), r#"{"link.mtu": "1 KiB", "link.mtu": "2 KiB"}"#).unwrap();
    let faults: [(&[&str], &str); 4] = [
        (&["--params", "twice.json"], "twice.json: `link.mtu` is given twice\nhelp: leave out one of them"),
        (&["--params", "none.json"], "`none.json` cannot be read"),
        (&["--measures", "p98(all)"], "`p98` is no measure"),
        (&["--measures", "p99(nobody)"], "the scenario has no group or flow `nobody`"),
    ];
    for (options, message) in faults {
        let plain = ["eval", "one-flow"];
        assert_refused(&scratch.run(&[&plain[..], options].concat()), message);
        let output = scratch.run(&[&plain[..], options, &["--json"]].concat());
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), ""));
        let answer = json(&text(&output.stdout));
        assert_eq!(answer["status"], "refused");
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(message)), "{answer}");
    }
    assert_refused(&scratch.run(&with(&["--seeds", "1..5"])), "write `7`, `1..=20` (with 20) or `1,2,9`");
}

#[test]
fn without_json_a_table_is_printed() {
    let scratch = Scratch::new("eval-table");
    let table =
        scratch.printed(&["eval", "one-flow", "--set", "duration=1 ms", "--measures", "goodput(all)"]);
    let lines: Vec<_> = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(lines[0], ["measure", "value", "unit", "seeds"]);
    assert_eq!((lines[1][0], &lines[1][2..]), ("goodput(all)", &["bit/s", "1", "of", "1"][..]));
    assert!(table.contains(" seed 1: complete, digest "), "{table}");
    assert!(scratch.printed(&["eval", "one-flow", "--set", "duration=1 ms"]).lines().count() > 20);
    assert_eq!(scratch.names(), [""; 0]);
}
