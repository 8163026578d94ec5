//! Runs that end in a fault which leaves results: a standstill, and traffic that has failed. Each has a status of its own.

use crate::scratch::{Scratch, json, text};

const STANDSTILL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/laws/standstill.ron");
const TWO_TO_ONE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/laws/two-to-one.ron");

/// With time-outs set the deadlock of the law is not proved, and told as a standstill; without them it is proved.
#[test]
fn a_standstill_is_told_where_a_deadlock_cannot_be_proved() {
    let scratch = Scratch::new("standstill");
    let run = scratch.run(&["sim", STANDSTILL, "--out", "a"]);
    let (printed, message) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(8), "{message}");
    let summary = json(&scratch.read("a/summary.json"));
    let since = summary["stands_still_since_s"].as_f64().expect("it stands still") * 1e3;
    assert!((1.0..4.0).contains(&since), "{since} ms");
    assert!(
        message.starts_with("stands still since ") && message.contains("; may be a deadlock\nhelp: "),
        "{message}"
    );
    let line = message.lines().next().expect("a line");
    assert_eq!(printed.lines().nth(1), Some(line), "{printed}");
    // Something is delivered by then, and nothing from then on.
    let series = scratch.read("a/series.csv");
    let rows = series.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    let total = rows.filter(|row| row[1] == "total").map(|row| {
        let number = |text: &str| text.parse::<f64>().expect("a number");
        (number(row[0]) * 1e3, number(row[3]))
    });
    let (late, early): (Vec<_>, Vec<_>) = total.partition(|(at, _)| *at > since + 1e-6);
    assert!(late.len() >= 10 && late.iter().all(|(_, rate)| *rate == 0.0), "{late:?}");
    assert!(early.last().is_some_and(|(_, rate)| *rate > 0.0), "{early:?}");
    let proved = scratch.run(&["sim", STANDSTILL, "--out", "b", "--set", "adapter.ack_timeout=0"]);
    assert_eq!(proved.status.code(), Some(4), "{}", text(&proved.stderr));
    // A run that ends before it stands still long enough is as every other.
    scratch.printed(&["sim", STANDSTILL, "--out", "c", "--quiet", "--set", "duration=\"1 ms\""]);
}

/// Two hosts that give up at their first time-out send to a third over a switch that drops: what is left has failed, long before the
/// longest time of the run.
#[test]
fn a_run_ends_when_all_that_is_left_has_failed() {
    let scratch = Scratch::new("gave-up");
    let flow = |name: &str| {
        format!(
            "(name: \"{name}\", from: \"{name}\", to: \"C\", start: \"0 s\", operation: Send, message: \"1 MiB\", load: Messages(20))"
        )
    };
    let flows = format!("flows=[{}, {}]", flow("A"), flow("B"));
    let sets = [
        flows.as_str(),
        "link.flow_control=Lossy",
        "switch.buffer=\"20 KB\"",
        "adapter.ack_timeout=1",
        "adapter.retry_count=0",
        "sample=\"20 us\"",
    ];
    let sets: Vec<_> = sets.iter().flat_map(|set| ["--set", *set]).collect();
    let run = scratch
        .run(&[&["sim", TWO_TO_ONE, "--until-done", "--at-most", "1 s", "--out", "a"], &sets[..]].concat());
    let (printed, message) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(9), "{message}\n{printed}");
    let summary = json(&scratch.read("a/summary.json"));
    assert_eq!((&summary["ended"], &summary["done_s"]), (&"gave_up".into(), &serde_json::Value::Null));
    let (end, failed) =
        (summary["simulated_s"].as_f64().expect("a time"), summary["failed"].as_array().expect("flows"));
    let last = failed.iter().map(|one| one["at_s"].as_f64().expect("a time")).fold(0.0, f64::max);
    assert!(!failed.is_empty() && last < end && end < 0.1, "{summary}");
    let undelivered = |name: &str| failed.iter().any(|one| one["flow"] == name);
    assert!(undelivered("A") || undelivered("B"));
    assert!(
        message.starts_with("failed at ") && message.contains(" gave up; the results end there\nhelp: "),
        "{message}"
    );
    assert!(printed.contains("all that was left has failed: the queue pairs of "), "{printed}");
    let manifest = json(&scratch.read("a/run.json"));
    assert_eq!(manifest["ended"]["how"], "gave_up");
    // The same run again, from its folder, and on two threads.
    assert!(scratch.printed(&["rerun", "a"]).starts_with("the same: "));
    let threads =
        ["sim", TWO_TO_ONE, "--until-done", "--at-most", "1 s", "--threads", "2", "--json", "--out", "b"];
    let again = json(&text(&scratch.run(&[&threads[..], &sets].concat()).stdout));
    for field in ["digest", "events", "failed", "simulated_s", "ended"] {
        assert_eq!(again[field], summary[field], "{field}");
    }
}
