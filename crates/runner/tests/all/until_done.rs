//! `--until-done` as its user meets it: output, files, and exit status.

use crate::scratch::{Scratch, assert_refused, json, text};
use serde_json::Value;

/// Ten messages of a packet on a link.
const TEN: [&str; 4] = ["--set", "flows.F1.load=Messages(10)", "--set", "flows.F1.message=2 KiB"];

/// Returns the arguments of `sim` for ten messages.
fn sim<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["sim", "one-flow"], &TEN[..], more].concat()
}

/// Returns the end of a run or comparison, as its manifest in this folder has it.
fn ended(scratch: &Scratch, folder: &str) -> Value {
    json(&scratch.read(&format!("{folder}/run.json")))["ended"].clone()
}

#[test]
fn a_run_says_when_its_finite_traffic_was_delivered() {
    let scratch = Scratch::new("until-done");
    let printed = scratch.printed(&sim(&["--until-done", "--out", "a"]));
    let summary = json(&scratch.read("a/summary.json"));
    let done = summary["done_s"].as_f64().expect("it is done");
    assert!(1e-6 < done && done < 20e-6, "{done}");
    let line = printed.lines().find(|line| line.starts_with("all 10 ")).expect("a line of finite traffic");
    assert!(line.starts_with("all 10 finite messages delivered at ") && line.ends_with(" us"), "{printed}");
    assert_eq!((&summary["ended"], &summary["simulated_s"]), (&json("\"done\""), &summary["done_s"]));
    let finite = json("{\"messages\": 10, \"posted_messages\": 10, \"delivered_messages\": 10}");
    assert_eq!(summary["finite"], finite);
    assert_eq!(summary["phases"][0]["to_s"], summary["done_s"]);
    let end = ended(&scratch, "a");
    assert_eq!((&end["how"], &end["done_s"]), (&json("\"done\""), &summary["done_s"]));
    let overrides = [TEN[1], TEN[3], "until_done=true", "duration=100 ms"];
    let manifest = json(&scratch.read("a/run.json"));
    let asked = &manifest["plans"][0]["overrides"];
    assert_eq!(asked, &Value::from(&overrides[..]), "ten times the duration at most");
    // The plan repeats the run without the options, and a run of that duration has the same events.
    let again = json(&scratch.printed(&["sim", "a/plan.ron", "--out", "again", "--json"]));
    let duration = format!("duration={:.0} ps", done * 1e12);
    let short = sim(&["--set", &duration, "--set", "sample=1us", "--json"]);
    let short = json(&scratch.printed(&short));
    for other in [again, short] {
        for field in ["digest", "done_s", "simulated_s", "events"] {
            assert_eq!(other[field], summary[field], "{field}");
        }
    }
}

#[test]
fn a_run_that_is_not_done_in_time_writes_its_results_and_says_so() {
    let scratch = Scratch::new("not-done");
    let run = sim(&["--set", "sample=1us", "--until-done", "--at-most", "4 us"]);
    let output = scratch.run(&run);
    let (message, printed) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(6), "{message}");
    let expected = " of 10 finite messages delivered by 4 us, the longest time of the run\n";
    assert!(printed.contains(expected), "{printed}");
    assert!(message.starts_with("not done at 4 us of simulated time: "), "{message}");
    assert!(message.contains(" of 10 finite messages delivered; the results end there\n"), "{message}");
    assert!(message.ends_with("help: allow more time with `--at-most TIME`\n"), "{message}");
    let folders = scratch.names_in("out");
    assert!(folders.len() == 1 && folders[0].ends_with(",sample=1us,until-done,at-most=4_us"), "{folders:?}");
    let folder = format!("out/{}", folders[0]);
    assert_eq!(ended(&scratch, &folder)["how"], "not_done");
    let manifest = json(&scratch.read(&format!("{folder}/run.json")));
    let files = manifest["files"].as_array().expect("a list").len();
    assert!(files > 10 && scratch.names_in(&folder).len() == files + 1, "{manifest}");
    let summary = json(&scratch.read(&format!("{folder}/summary.json")));
    assert_eq!((&summary["ended"], &summary["done_s"]), (&json("\"not_done\""), &Value::Null));
    let drained = scratch.run(&[&run[..], &["--drain", "--out", "drained"]].concat());
    assert_eq!(drained.status.code(), Some(6), "it was not done in time");
    let summary = json(&scratch.read("drained/summary.json"));
    assert_eq!(summary["finite"]["delivered_messages"], 10);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let scratch = Scratch::new("until-done-refused");
    let refused = |more: &[&str], message: &str| {
        assert_refused(&scratch.run(&[&["sim", "one-flow"], more].concat()), message);
    };
    refused(&["--until-done"], "flow `F1` saturates without a `stop`");
    refused(&["--at-most", "1 ms"], "--until-done");
    refused(&["--until-done", "--at-most", "1"], "write a number and a unit");
    let twice = ["--until-done", "--set", "duration=1 ms", "--at-most", "2 ms"];
    refused(&[&TEN[..], &twice].concat(), "leave out one of them");
    let late = ["--until-done", "--set", "flows.F1.stop=2 ms", "--at-most", "1 ms"];
    refused(&late, "it cannot be done by then");
    let memory = ["--until-done", "--set", "flows.F1.stop=9 ms", "--memory-limit", "300 KiB"];
    refused(&memory, "memory is counted for 100 ms, the longest time of the run (`--at-most`)");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn compared_runs_are_each_done_in_their_own_time() {
    let scratch = Scratch::new("until-done-compare");
    let runs = ["compare", "one-flow", "slow=one-flow:adapter.drain_limit=2 Gb/s", "--until-done"];
    let both = [&runs[..], &TEN].concat();
    let compared = json(&scratch.printed(&[&both[..], &["--json", "--out", "both"]].concat()));
    let rows = compared["rows"].as_array().expect("rows");
    let what = "last message of finite traffic delivered, us";
    let row = rows.iter().find(|row| row["what"] == what).expect("a row");
    let done = |run: &str| {
        let summary = json(&scratch.read(&format!("both/{run}/summary.json")));
        summary["done_s"].as_f64().expect("it is done") * 1e6
    };
    for run in ["A", "slow"] {
        assert!((row["values"][run].as_f64().expect("it is done") - done(run)).abs() < 1e-6, "{row}");
    }
    // A host that takes 2 Gb/s needs 81.92 us for 20 KiB, from the arrival of the first packet on: 1 us and a little.
    assert!((82.9..83.2).contains(&done("slow")) && done("A") < 20.0, "{row}");
    assert_eq!(ended(&scratch, "both")["how"], "complete");
    let short = scratch.run(&[&both[..], &["--at-most", "20us", "--set", "sample=1us"]].concat());
    assert_eq!(short.status.code(), Some(6), "{}", text(&short.stderr));
    assert!(text(&short.stdout).contains("≥ 20.0"), "{}", text(&short.stdout));
    let folder = format!("out/{}", scratch.names_in("out")[0]);
    assert_eq!(ended(&scratch, &folder)["how"], "not_done");
    assert_eq!(ended(&scratch, &format!("{folder}/A"))["how"], "done");
}
