//! `place`: placements of a job, each with its cost, or the reason for which it does not fit.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json, one_line, text};

/// A smaller ring than that of the scenario, alone.
const RING: [&str; 6] = [
    "place",
    "ring-all-reduce",
    "--set",
    "jobs=[Job(name: \"ring\", program: AllReduce(bytes: \"256 KiB\", ranks: 32), hosts: [\"h1..h4\", \"h7..h10\", \
     \"h13..h16\", \"h19..h22\", \"h25..h28\", \"h31..h34\", \"h37..h40\", \"h43..h46\"])]",
    "--out",
    "mine",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    RING.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn each_usual_placement_has_a_row() {
    let scratch = Scratch::new("place-usual");
    let printed = scratch.printed(&with(&["--seeds", "1..=2"]));
    let said = one_line(&printed);
    assert!(said.starts_with("Found Best of 4 placements by job_completion(ring)"), "{printed}");
    // The words of placements, not of settings.
    assert!(!said.split("Try ").next().unwrap().contains("jobs.ring.place"), "{printed}");
    let (_, table) = printed.split_once("Job `ring`: ").expect(&printed);
    // Wide tables go on in a second block.
    let row = |place: &str| {
        let found: Vec<_> = table.lines().filter(|line| line.starts_with(&format!(" {place} "))).collect();
        assert!(!found.is_empty(), "no {place} in {printed}");
        one_line(&found.join(" "))
    };
    assert!(row("Block()").ends_with(", 1 pair"), "{printed}");
    // Four ranks of each leaf go to the next leaf, over three cables.
    assert!(row("Striped(stride: 4)").ends_with(", 2 pairs"), "{printed}");
    assert!(row("OnePerLeaf").starts_with("OnePerLeaf - does not fit - "), "{printed}");
    assert!(table.contains(
        "\nOnePerLeaf does not fit: 32 ranks need a leaf each: hosts of this job are on 8 leaves\n"
    ));
    assert!(row("Random").contains(" ± "), "seeds draw other hosts: {printed}");
    // The folder is that of a sweep, with the same answer.
    let answer = json(&scratch.read("mine/sweep.json"));
    assert_eq!(answer["measure"], "job_completion(ring)");
    assert_eq!(answer["choices"], serde_json::json!(["jobs.ring.place"]));
    assert_eq!(scratch.read("mine/results.csv").lines().count(), 1 + 4 * 2);
    let header = scratch.read("mine/results.csv");
    assert!(header.lines().next().unwrap().contains("path_blamed(ring)"), "{header}");
    scratch.printed(&["sweep", "collect", "mine", "--minimise", "job_completion(ring)"]);
}

/// A place that makes a smaller job of it is no placement of the job.
#[test]
fn a_placement_keeps_the_ranks() {
    let scratch = Scratch::new("place-ranks");
    let free = "jobs.ring.program=AllReduce(bytes: \"64 KiB\")";
    let printed =
        scratch.printed(&with(&["--set", free, "--places", "Block(),Block(per_host: 2),OnePerLeaf"]));
    let said = one_line(&printed);
    assert!(
        said.contains("Block(per_host: 2) does not fit: it makes the job one of 64 ranks, not of 32"),
        "{said}"
    );
    assert!(said.contains("OnePerLeaf does not fit: it makes the job one of 8 ranks, not of 32"), "{said}");
    let none = scratch.run(&with(&["--places", "OnePerLeaf", "--force"]));
    assert_refused(&none, "32 ranks need a leaf each");
}

#[test]
fn what_cannot_be_tried_is_refused() {
    let scratch = Scratch::new("place-refused");
    assert_refused(
        &scratch.run(&["place", "one-flow"]),
        "error: `one-flow` has no job to place\nhelp: write one in `jobs`",
    );
    assert_refused(
        &scratch.run(&["place", "ring-all-reduce"]),
        "error: `ring-all-reduce` has several jobs, and `--job` names none\nhelp: add `--job ring` or `--job exchange`",
    );
    assert_refused(
        &scratch.run(&["place", "ring-all-reduce", "--job", "rin"]),
        "error: there is no job `rin`\nhelp: did you mean `ring`?",
    );
    assert_refused(
        &scratch.run(&with(&["--places", "Block(),Bock()"])),
        "--places Bock():1:1: jobs[0].place: there is no choice",
    );
    assert_refused(
        &scratch.run(&with(&["--places", "Striped(stride: 0)"])),
        "jobs[0].place.stride: 0 is out of range",
    );
    assert_refused(
        &scratch.run(&with(&["--places", "Block(),Block()"])),
        "the value `Block()` is there twice",
    );
    assert_refused(&scratch.run(&with(&["--set", "switch.buffer=1 B"])), "switch.buffer");
    assert_eq!(scratch.names(), Vec::<String>::new(), "nothing is left behind");
}

/// A job of a file in GOAL is placed like a job by name.
#[test]
fn a_job_of_a_file_is_placed() {
    let scratch = Scratch::new("place-goal");
    let goal = "num_ranks 2\nrank 0 {\nsend 65536b to 1\n}\nrank 1 {\nrecv 65536b from 0\n}\n";
    fs::write(scratch.0.join("pair.goal"), goal).unwrap();
    scratch.printed(&["import", "goal", "pair.goal", "--into", "ring", "--out", "job"]);
    let arguments =
        ["place", "job/pair.ron", "--places", "Block(),Block(per_host: 2),OnePerLeaf", "--out", "mine"];
    let output = scratch.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let row =
        |place: &str| printed.lines().find(|line| line.starts_with(&format!(" {place} "))).map(one_line);
    // Both ranks on a host: the message takes no time.
    assert!(
        row("Block(per_host: 2)").is_some_and(|row| row.starts_with("Block(per_host: 2) * 0")),
        "{printed}"
    );
    assert!(row("OnePerLeaf").is_some_and(|row| row.contains("h1 to s1")), "{printed}");
}
