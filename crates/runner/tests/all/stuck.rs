//! Jobs whose ranks all wait: every verb says so, with the job's name, and advises no longer run.

use std::fs;

use crate::scratch::{Scratch, one_line, text};

/// Rank 0 takes from any rank before it takes from rank 1, whose message comes first.
const STOLEN: &str = "num_ranks 3\n\
    rank 0 {\na: recv 8b from -1\nb: recv 8b from 1\nb requires a\n}\n\
    rank 1 {\nsend 8b to 0\n}\n\
    rank 2 {\nw: calc 1000\ns: send 8b to 0\ns requires w\n}\n";

/// Its sends are long and short, and its receives from any rank short and long.
const UNEQUAL: &str = "num_ranks 3\n\
    rank 0 {\na: recv 8b from -1\nb: recv 800b from -1\nb requires a\n}\n\
    rank 1 {\nsend 800b to 0\n}\n\
    rank 2 {\nw: calc 1000\ns: send 8b to 0\ns requires w\n}\n";

#[test]
fn sizes_that_differ_are_told_by_every_verb() {
    let scratch = Scratch::new("unequal");
    fs::write(scratch.0.join("late.goal"), UNEQUAL).unwrap();
    scratch.printed(&["import", "goal", "late.goal", "--into", "victim", "--out", "mine"]);
    let took =
        "rank 0 of late has taken 800 B that rank 1 sent at operation 0 by a receive of 8 B, operation 0";
    let cases: [(&[&str], &[&str]); 4] = [
        (&["sim"], &["has taken 800 B that rank 1 sent"]),
        (&["place", "--places", "Block(),Cyclic"], &["FAILED: 2 of 2 runs", "(sizes differ)"]),
        (&["sweep", "--vary", "switch.latency=100 ns,200 ns"], &["FAILED: 2 of 2 runs", "(sizes differ)"]),
        (&["compare", "mine/late.ron:switch.latency=200 ns"], &["SIZES DIFFER: with", took]),
    ];
    for (words, wanted) in cases {
        let output = scratch.run(&[&[words[0], "mine/late.ron"], &words[1..], &["--out", words[0]]].concat());
        let said = one_line(&text(&output.stdout)).replace('`', "");
        assert_eq!(output.status.code(), Some(10), "{words:?}: {said}{}", text(&output.stderr));
        wanted.iter().for_each(|part| assert!(said.contains(part), "{words:?}: no `{part}` in {said}"));
    }
    let table = fs::read_to_string(scratch.0.join("sweep/results.csv")).unwrap();
    assert_eq!(table.matches(",sizes_differ,").count(), 2, "{table}");
}

#[test]
fn a_stuck_job_is_named_by_every_verb() {
    let scratch = Scratch::new("stuck");
    fs::write(scratch.0.join("late.goal"), STOLEN).unwrap();
    scratch.printed(&["import", "goal", "late.goal", "--into", "victim", "--out", "mine"]);
    let vary = "switch.latency=100 ns,200 ns";
    let cases: [(&[&str], &[&str]); 4] = [
        (
            &["sim"],
            &[
                "late is stuck: rank 0 waits at operation 1 for a message from rank 1 with tag 0; 1 of 5 operations",
                "No rank of late computes, and no message of it is under way",
                "operation 1 of rank 0 has the label l2: backwater export goal mine/late.ron",
            ],
        ),
        (
            &["place", "--places", "Block(),Cyclic"],
            &["(stuck: job late)", "A run that failed (stuck: job late)"],
        ),
        (&["sweep", "--vary", vary], &["(stuck: job late)", "A run that failed (stuck: job late)"]),
        (
            &["compare", "mine/late.ron:switch.latency=200 ns"],
            &["STUCK: late with ", ", which names the operations"],
        ),
    ];
    for (words, wanted) in cases {
        let output = scratch.run(&[&[words[0], "mine/late.ron"], &words[1..], &["--out", words[0]]].concat());
        let said = one_line(&text(&output.stdout)).replace('`', "");
        assert_eq!(output.status.code(), Some(10), "{words:?}: {said}{}", text(&output.stderr));
        wanted.iter().for_each(|part| assert!(said.contains(part), "{words:?}: no `{part}` in {said}"));
        for wrong in ["--drain", "--until-done", "were unfinished", "Nothing to mend"] {
            assert!(!said.contains(wrong), "{words:?}: {said}");
        }
    }
    // The advised command shows the operation under its label.
    let output = scratch.run(&["export", "goal", "mine/late.ron"]);
    assert!(text(&output.stdout).contains("l2: recv 8b from 1"), "{}", text(&output.stdout));
}
