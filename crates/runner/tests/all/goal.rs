//! `import goal` and `export goal`: a job goes onto a fabric, runs to its end, and comes back as it was.

use std::fs;

use crate::scratch::{Scratch, assert_refused, text};

/// A message that goes round three ranks, and a computation of 2 us at its end.
const ROUND: &str = "num_ranks 3\nrank 2 {\nb requires a\na: recv 4096b from 1\nb: send 4096b to 0\n}\n\
    rank 0 {\nl1: send 4096b to 1 // begin\nl2: recv 4096b from 2\nl3: calc 2000\nl3 requires l2\n}\n\
    rank 1 {\nl1: recv 4096b from 0\nl2: send 4096b to 2\nl2 requires l1\n}\n";

#[test]
fn a_job_goes_onto_a_fabric_and_comes_back() {
    let scratch = Scratch::new("goal-round");
    fs::write(scratch.0.join("round.goal"), ROUND).unwrap();
    let said = scratch.printed(&["import", "goal", "round.goal", "--into", "victim", "--out", "mine"]);
    assert!(said.contains("`calc 1` takes 1 ns") && said.contains("first in line 3"), "{said}");
    assert_eq!(scratch.read("mine/round.goal"), ROUND);
    let scenario = scratch.read("mine/round.ron");
    assert!(scenario.contains("[(name: \"round\", program: Goal(file: \"round.goal\"))]"), "{scenario}");
    let exported = |arguments: &[&str]| {
        let output = scratch.run(&[&["export", "goal"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("in units of 1 ns"), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let first = exported(&["mine/round.ron"]);
    fs::write(scratch.0.join("again.goal"), &first).unwrap();
    scratch.printed(&["import", "goal", "again.goal", "--into", "victim", "--out", "again"]);
    assert_eq!(exported(&["again/again.ron", "--job", "again"]), first);
    let twice = scratch.run(&["import", "goal", "again.goal", "--into", "mine/round.ron", "--out", "both"]);
    assert_refused(&twice, "error: ");
    assert!(text(&twice.stderr).contains("has jobs already"), "{}", text(&twice.stderr));
    assert!(!scratch.0.join("both").exists());
}

#[test]
fn a_job_that_does_not_fit_leaves_nothing() {
    let scratch = Scratch::new("goal-refused");
    let refused = |name: &str, goal: &str, part: &str| {
        fs::write(scratch.0.join(name), goal).unwrap();
        let output = scratch.run(&["import", "goal", name, "--into", "victim", "--out", "mine"]);
        assert_refused(&output, "error: ");
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
        assert!(!scratch.0.join("mine").exists());
    };
    refused("six.goal", "num_ranks 6\n", "the job has 6 ranks, and the fabric 5 hosts");
    refused(
        "twice.goal",
        "num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}\n",
        "error: twice.goal:4:1: line 3 has",
    );
    refused(
        "alone.goal",
        "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\n",
        "error: alone.goal:3:1: rank 0: send to 1 (line 3)",
    );
    let rails = "num_ranks 2\nrank 0 {\nsend 1b to 1 nic 1\n}\nrank 1 {\nrecv 1b from 0 nic 1\n}\n";
    refused("rails.goal", rails, "error: rails.goal: nic: a host has a single");
    refused("broken.goal", "\u{7f}\u{10}\0\0\0\0\0\0", "error: broken.goal: byte 8: the file ends");
    let none = scratch.run(&["export", "goal", "victim"]);
    assert_refused(&none, "error: ");
    assert!(text(&none.stderr).contains("the scenario has no jobs"), "{}", text(&none.stderr));
}

/// A job by name is exported as its operations, iteration after iteration, and comes back as they are.
#[test]
fn a_collective_goes_out_and_comes_back() {
    let scratch = Scratch::new("goal-collective");
    let program = "jobs[0].program=Sequence([Compute(\"3 us\"), AllReduce(bytes: \"64 KiB\", algorithm: Rabenseifner)])";
    let exported = scratch.run(&[
        "export",
        "goal",
        "ring-all-reduce",
        "--job",
        "ring",
        "--set",
        program,
        "--set",
        "jobs[0].iterations=2",
    ]);
    assert_eq!(exported.status.code(), Some(0), "{}", text(&exported.stderr));
    let first = text(&exported.stdout);
    // A rank computes once in each iteration, and exchanges halves in five rounds down and five up.
    let count = |word: &str| first.lines().filter(|line| line.contains(word)).count();
    assert_eq!((count(" calc 3000"), count(" send "), count(" recv ")), (2 * 32, 2 * 32 * 10, 2 * 32 * 10));
    fs::write(scratch.0.join("round.goal"), &first).unwrap();
    scratch.printed(&["import", "goal", "round.goal", "--into", "dcs648", "--out", "mine"]);
    let again = scratch.run(&["export", "goal", "mine/round.ron"]);
    assert_eq!(text(&again.stdout), first, "{}", text(&again.stderr));
}

/// `check` tells of each job: its size, its longest chain, its time with ideal messages, the bound, and the
/// busiest cable.
#[test]
fn check_tells_of_jobs() {
    let scratch = Scratch::new("check-jobs");
    let said = scratch.printed(&["check", "ring-all-reduce", "--set", "jobs[0].iterations=1"]);
    let line = |name: &str| {
        let start = format!("job `{name}`: ");
        said.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    let ring = line("ring");
    for part in [
        "32 ranks on 32 hosts; 1,984 messages, 248 MiB; longest chain 62 messages; ",
        " with ideal messages; at least ",
        "by any algorithm; busiest cable from ",
    ] {
        assert!(ring.contains(part), "{ring}");
    }
    assert!(line("exchange").contains("16 ranks on 16 hosts; 240 messages, 7.5 MiB"), "{said}");
}

/// Two jobs have a host in common only if both allow it, and then both end.
#[test]
fn jobs_share_hosts_if_both_allow_it() {
    let scratch = Scratch::new("shared-hosts");
    let hosts = ["--set", "jobs[1].hosts=[\"h1..h4\", \"h7..h10\", \"h13..h16\", \"h19..h22\"]"];
    let allow = |job: usize| ["--set".to_owned(), format!("jobs[{job}].shared_hosts=Allowed")];
    let sim = |allowed: &[usize]| {
        let sets: Vec<String> = allowed.iter().flat_map(|job| allow(*job)).collect();
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        scratch.run(&[&["sim", "ring-all-reduce", "--out", "shared", "--force"], &hosts[..], &sets].concat())
    };
    assert_refused(&sim(&[0]), "error: ring-all-reduce.ron");
    let both = sim(&[0, 1]);
    assert_eq!(both.status.code(), Some(0), "{}", text(&both.stderr));
    let rows = fs::read_to_string(scratch.0.join("shared/jobs.csv")).unwrap();
    assert_eq!(rows.lines().count(), 3, "{rows}");
}
