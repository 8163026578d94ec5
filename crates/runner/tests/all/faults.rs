//! Runs that end in a fault which leaves results: a standstill, and traffic that has failed. Each has a status of its
//! own.

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
    assert!(
        printed.starts_with("Lost      The fabric stands still: no payload was delivered after "),
        "{printed}"
    );
    assert!(printed.lines().any(|one| one == line), "{printed}");
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
    // Long samples are few, and tell it, too.
    let few = [
        "sim",
        STANDSTILL,
        "--out",
        "d",
        "--quiet",
        "--set",
        "sample=\"1 ms\"",
        "--set",
        "duration=\"10 ms\"",
    ];
    assert_eq!(scratch.run(&few).status.code(), Some(8));
    // A run that ends before it stands still long enough is as every other.
    scratch.printed(&["sim", STANDSTILL, "--out", "c", "--quiet", "--set", "duration=\"1 ms\""]);
}

/// Many runs at once tell the faults of each. A lossless fabric that drops has more goodput than a fabric that does
/// not, and must not win in silence.
#[test]
fn many_runs_tell_what_one_would() {
    let scratch = Scratch::new("faults-of-many");
    let short = ["roce-victim"];
    let vary = "link.flow_control.headroom=\"3000 B\",\"8000 B\"";
    let sweep = [
        &["sweep"],
        &short[..],
        &["--vary", vary, "--maximise", "goodput(V)", "--seeds", "1..=2", "--out", "s"],
    ];
    let said = scratch.printed(&sweep.concat());
    assert!(
        said.contains("2 of 4 runs with results of a fabric that does not do its work: 2 not_lossless"),
        "{said}"
    );
    let rows = scratch.read("s/results.csv");
    assert_eq!(rows.lines().filter(|row| row.contains(",not_lossless,")).count(), 2, "{rows}");
    let less = ["--set", "link.flow_control.headroom=\"3000 B\""];
    let eval = [&["eval"], &short[..], &less, &["--measures", "goodput(all)", "--json"]].concat();
    let answer = scratch.run(&eval);
    assert_eq!(
        (answer.status.code(), &json(&text(&answer.stdout))["status"]),
        (Some(7), &"not_lossless".into())
    );
    let stands = scratch.run(&["eval", STANDSTILL, "--measures", "goodput(all)", "--json"]);
    assert_eq!(
        (stands.status.code(), &json(&text(&stands.stdout))["status"]),
        (Some(8), &"stands_still".into())
    );
    let compared = scratch.run(&[
        "compare",
        "roce-victim:link.flow_control.headroom=\"3000 B\"",
        STANDSTILL,
        "--out",
        "c",
    ]);
    let said = text(&compared.stdout);
    assert_eq!(compared.status.code(), Some(8), "{}", text(&compared.stderr));
    assert!(said.lines().next().is_some_and(|line| line.contains(": NOT LOSSLESS: ")), "{said}");
    assert!(said.lines().nth(1).is_some_and(|line| line.contains(": stands still since ")), "{said}");
    assert!(scratch.read("c/compare.txt").contains(": NOT LOSSLESS: "));
}

/// A setting under which a lossless fabric drops is never the winner, whatever its goodput.
#[test]
fn a_setting_that_loses_packets_does_not_win() {
    let scratch = Scratch::new("tuned-to-lose");
    std::fs::write(
        scratch.0.join("space.ron"),
        "(about: \"headroom\", parameters: [(name: \"headroom\", path: \"link.flow_control.headroom\", \
         values: LogInteger(from: 1500, to: 9000), unit: \"B\")])",
    )
    .unwrap();
    let tuned = scratch.printed(&[
        "tune",
        "roce-victim",
        "--space",
        "space.ron",
        "--maximise",
        "goodput(V)",
        "--runs",
        "24",
        "--seeds",
        "1",
        "--held-out",
        "11..=12",
        "--out",
        "t",
    ]);
    let table = scratch.read("t/trials.csv");
    let winner = table.lines().find(|row| row.contains(",winner,"));
    let bytes = winner
        .and_then(|row| row.split([',', '"']).find_map(|cell| cell.strip_suffix(" B")?.parse::<u64>().ok()));
    assert!(bytes.is_none_or(|bytes| bytes > 3000), "{tuned}\n{table}");
}

/// Two hosts that give up at their first time-out send to a third over a switch that drops. The remaining messages have
/// failed long before the longest time of the run.
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
