//! `bench` as its user meets it.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json};

#[test]
fn cases_that_are_slower_than_in_a_record_are_named() {
    let scratch = Scratch::new("bench-against");
    let measure = ["bench", "one-flow", "roce-victim", "--runs", "1", "--threads", "1"];
    let keep = |text: String| fs::write(scratch.0.join("record.json"), text).unwrap();
    keep(scratch.printed(&[&measure[..], &["--json"]].concat()));
    // The record of a machine that is a thousand times as fast in the first case, and as slow in the other.
    let mut record = json(&scratch.read("record.json"));
    for (place, case, factor) in [(0, "one-flow", 1e3), (1, "roce-victim", 1e-3)] {
        let reading = &mut record["cases"][place];
        assert_eq!(reading["case"], case);
        reading["packet_hops_per_cpu_s"] =
            (reading["packet_hops_per_cpu_s"].as_f64().unwrap() * factor).into();
    }
    keep(record.to_string());
    let printed = scratch.printed(&[&measure[..], &["--against", "record.json"]].concat());
    assert!(printed.ends_with("Less than 0.95 times as fast as then: one-flow (0.00).\n"), "{printed}");
}

#[test]
fn a_file_that_is_no_record_is_refused() {
    let scratch = Scratch::new("bench-no-record");
    fs::write(scratch.0.join("other.json"), r#"{"schema": "another-1", "cases": []}"#).unwrap();
    for file in ["other.json", "missing.json"] {
        assert_refused(&scratch.run(&["bench", "one-flow", "--against", file]), "`bench --json` has printed");
    }
    assert_eq!(scratch.names(), ["other.json"]);
}
