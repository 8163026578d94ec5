//! Memory that phases of many flows take.

use crate::scratch::{Scratch, assert_refused, text};

/// Each start of a named flow begins a phase, and each phase has a row for each flow: the square of the number of
/// flows.
#[test]
fn phases_of_many_flows_are_part_of_the_estimate() {
    let scratch = Scratch::new("many-phases");
    let flow = |number| {
        format!(
            "(name: \"f{number}\", from: \"H1\", to: \"H2\", start: \"{number} us\", message: \"2 KiB\", \
             load: Messages(1))"
        )
    };
    let flows = |most| format!("flows=[{}]", (0..most).map(flow).collect::<Vec<_>>().join(", "));
    let estimate = |flows: &str| {
        let said = text(&scratch.run(&["check", "one-flow", "--set", flows]).stdout);
        let from = said.find(" most of it (").unwrap_or_else(|| panic!("{said}")) + " most of it (".len();
        assert!(said[from..].contains(" MB) for phases"), "{said}");
        said[from..].split(' ').next().unwrap().parse::<f64>().unwrap() * 1e6
    };
    let few = flows(100);
    scratch.printed(&["sim", "one-flow", "--set", &few, "--quiet", "--out", "few"]);
    let written = (scratch.read("few/phases.csv").len() + scratch.read("few/summary.json").len()) as f64;
    // What is in memory beside the text is no more than the text.
    assert!((1.0..2.0).contains(&(estimate(&few) / written)), "{} of {written}", estimate(&few));
    assert!((8.5..9.5).contains(&(estimate(&flows(300)) / estimate(&few))));
    let refused = scratch.run(&["sim", "one-flow", "--set", &flows(300), "--memory-limit", "50 MB"]);
    assert_refused(&refused, "where they begin no phases");
}
