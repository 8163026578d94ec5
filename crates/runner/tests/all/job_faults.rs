//! Jobs that cannot run, or do not end: what is refused, by which words, and with which status.

use std::fs;

use crate::scratch::{Scratch, assert_refused, text};

/// Writes a fabric of two hosts with a job of this program, and these fields besides.
fn written(scratch: &Scratch, goal: &str, fields: &str) {
    fs::write(scratch.0.join("j.goal"), goal).unwrap();
    let imported =
        scratch.run(&["import", "goal", "j.goal", "--into", "one-flow", "--out", "plain", "--force"]);
    assert_eq!(imported.status.code(), Some(0), "{}", text(&imported.stderr));
    let plain = scratch.read("plain/j.ron");
    let named = "program: Goal(file: \"j.goal\")";
    assert!(plain.contains(named), "{plain}");
    fs::write(scratch.0.join("j.ron"), plain.replace(named, &format!("{named}{fields}"))).unwrap();
}

const SWAPPED: &str = "num_ranks 2\nrank 0 {\ns1: send 8b to 1\ns2: send 8b to 1\ny: recv 8b from 1 tag 9\ns2 requires y\n}\n\
    rank 1 {\nc: calc 2000\nr1: recv 8b from 0\nr2: recv 8b from 0\nr1 requires c\nm: send 8b to 0 tag 9\nm requires r1\n}\n";
const HEAD_ON: &str = "num_ranks 2\nrank 0 {\ns: send 5000b to 1\nr: recv 5000b from 1\nr requires s\n}\n\
    rank 1 {\ns: send 5000b to 0\nr: recv 5000b from 0\nr requires s\n}\n";

/// No wildcard and no rendezvous is blamed where there is none, and `check` tells before the run.
#[test]
fn a_job_that_gets_stuck_is_foretold_and_says_why() {
    let scratch = Scratch::new("job-stuck");
    written(&scratch, SWAPPED, "");
    let checked = scratch.printed(&["check", "j.ron"]);
    assert!(checked.contains("taken in the order of posting") && checked.contains("gets stuck"), "{checked}");
    let run = scratch.run(&["sim", "j.ron", "--quiet", "--out", "out"]);
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(10), "{said}");
    assert!(said.contains("waits at operation 1 for a message from rank 0 with tag 0"), "{said}");
    assert!(
        said.contains("help: messages from one rank with one tag are taken in the order of posting"),
        "{said}"
    );
}

/// A circle by rendezvous is refused with the lines, at any larger threshold the job runs.
#[test]
fn a_circle_by_rendezvous_is_refused() {
    let scratch = Scratch::new("job-rendezvous");
    written(&scratch, HEAD_ON, ", rendezvous: \"4 KiB\"");
    for verb in ["check", "sim"] {
        let refused = scratch.run(&[verb, "j.ron"]);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(
            said.contains("jobs[0].rendezvous: messages of 4 KiB and more wait for their receive"),
            "{said}"
        );
        assert!(
            said.contains("rank 0: send to 1 (line 3)") && said.contains("larger `rendezvous`"),
            "{said}"
        );
    }
    written(&scratch, HEAD_ON, ", rendezvous: \"8 KiB\"");
    scratch.printed(&["sim", "j.ron", "--quiet", "--out", "out"]);
}

/// `export goal` names the settings that the text does not carry.
#[test]
fn export_goal_tells_what_it_leaves_out() {
    let scratch = Scratch::new("job-export");
    written(&scratch, HEAD_ON, ", rendezvous: \"8 KiB\", queue_pairs: 4");
    let said = text(&scratch.run(&["export", "goal", "j.ron"]).stderr);
    assert!(said.contains("jobs.j.rendezvous") && said.contains("jobs.j.queue_pairs"), "{said}");
}

/// `--at-most` goes with a scenario that ends by itself, and with the option, but with no other scenario.
#[test]
fn at_most_takes_the_end_of_the_file() {
    let scratch = Scratch::new("job-at-most");
    written(&scratch, HEAD_ON, "");
    scratch.printed(&["sim", "j.ron", "--at-most", "9 ms", "--quiet", "--out", "out"]);
    let plain = scratch.read("j.ron").replace("until_done: true", "until_done: false");
    fs::write(scratch.0.join("j.ron"), plain).unwrap();
    let refused = scratch.run(&["sim", "j.ron", "--at-most", "9 ms"]);
    assert_refused(&refused, "error: `--at-most` is for runs that end with their finite traffic");
    scratch.printed(&["sim", "j.ron", "--until-done", "--at-most", "9 ms", "--quiet", "--out", "done"]);
}

/// A connection matrix goes onto a fabric of one's own, and jobs alone are enough for a trace.
#[test]
fn a_matrix_of_htsim_goes_onto_a_fabric_and_is_traced() {
    let scratch = Scratch::new("job-matrix");
    let matrix = "Nodes 3\nConnections 2\nTriggers 1\n1->2 id 1 start 0 size 20000 send_done_trigger 1\n\
                  1->0 id 2 trigger 1 size 300\ntrigger id 1 oneshot\n";
    fs::write(scratch.0.join("m.cm"), matrix).unwrap();
    scratch.printed(&["import", "htsim", "m.cm", "--into", "victim", "--out", "mine"]);
    let scenario = scratch.read("mine/m.ron");
    assert!(scenario.contains("Goal(file: \"m.goal\"), hosts: ["), "{scenario}");
    let traced = scratch.printed(&["trace", "mine/m.ron", "--out", "m.perfetto-trace"]);
    assert!(traced.contains("0 ports, 0 flows, 1 job") && traced.contains("operations of jobs"), "{traced}");
    let refused = scratch.run(&["import", "htsim", "m.cm", "--out", "other"]);
    assert_refused(&refused, "error: the matrix alone has no fabric");
}
