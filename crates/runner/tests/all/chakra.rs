//! `import chakra` and matrices of triggers: jobs go onto a fabric and run, and nothing is left of those that cannot.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::et::Traces;
use crate::scratch::{Scratch, assert_refused, text};

/// Four ranks that compute and then exchange, in a group of all and in groups of two.
const TRAINING: &str = "groups {\"tp\": [0, 1], \"8\": [2, 3]}\n\
    file gpt.0.et\nmetadata 1\nnode 1 COMP k us=5\nnode 2 COMM_COLL a data=1 comm_type=0 comm_size=65536\nnode 3 COMM_COLL b data=2 comm_type=2 comm_size=4096 pg_name=tp\n\
    file gpt.1.et\nmetadata 1\nnode 4 COMP k us=6\nnode 5 COMM_COLL a data=4 comm_type=0 comm_size=65536\nnode 6 COMM_COLL b data=5 comm_type=2 comm_size=4096 pg_name=tp\n\
    file gpt.2.et\nmetadata 1\nnode 7 COMP k us=7\nnode 8 COMM_COLL a data=7 comm_type=0 comm_size=65536\nnode 9 COMM_COLL b data=8 comm_type=2 comm_size=4096 pg_name=8\n\
    file gpt.3.et\nmetadata 1\nnode 1 COMP k us=8\nnode 2 COMM_COLL a data=1 comm_type=0 comm_size=65536\nnode 3 COMM_COLL b data=2 comm_type=2 comm_size=4096 pg_name=8\n";

/// Writes traces into a folder. Returns the options for groups and ranks.
fn write(scratch: &Scratch, folder: &str, traces: &str) -> Vec<String> {
    let Traces { files, groups, copies } = Traces::written(traces);
    fs::create_dir_all(scratch.0.join(folder)).unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(scratch.0.join(folder).join(name), bytes).unwrap());
    let mut options: Vec<String> = copies.map_or_else(Vec::new, |ranks| vec![format!("--ranks={ranks}")]);
    if let Some(groups) = groups {
        fs::write(scratch.0.join("groups.json"), groups).unwrap();
        options.push("--groups=groups.json".to_owned());
    }
    options
}

fn completion(scratch: &Scratch, scenario: &str) -> f64 {
    scratch.printed(&["sim", scenario, "--quiet", "--out", "run", "--force"]);
    let summary: Value = serde_json::from_str(&scratch.read("run/summary.json")).unwrap();
    summary["jobs"][0]["completion_s"].as_f64().unwrap_or_else(|| panic!("{}", summary["jobs"]))
}

#[test]
fn traces_become_a_job_that_runs() {
    let scratch = Scratch::new("chakra-runs");
    let options = write(&scratch, "traces", TRAINING);
    let import = |traces: &str, out: &str, more: &[&str]| {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let fixed = ["import", "chakra", traces, "--into", "victim", "--out", out];
        scratch.printed(&[&fixed, &options[..], more].concat())
    };
    let said = import("traces", "mine", &[]);
    for words in
        ["COMM_COLL ALL_REDUCE", "messages of algorithm `ring`", "process groups, with 4, 2, 2 members"]
    {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    assert_eq!(scratch.names_in("mine"), ["gpt.goal", "gpt.ron", "run.json"]);
    let ring = completion(&scratch, "mine/gpt.ron");
    assert!(ring > 8e-6, "{ring}");
    // Another name beside it, and compressed files.
    write(&scratch, "traces", &TRAINING.replace("gpt.", "other."));
    let several = scratch.run(&["import", "chakra", "traces", "--into", "victim", "--out", "both"]);
    assert_refused(&several, "error: traces: the folder has traces of several names: gpt, other");
    import("traces/other", "theirs", &["--algorithm", "all-reduce=recursive-doubling"]);
    let doubling = completion(&scratch, "theirs/other.ron");
    assert!((doubling - ring).abs() > 1e-9, "{doubling} and {ring}");
    let zipped =
        Command::new("gzip").args(["traces/gpt.0.et", "traces/gpt.3.et"]).current_dir(&scratch.0).status();
    // Every system that runs these tests has `gzip`, except Windows.
    if zipped.is_ok_and(|status| status.success()) {
        import("traces/gpt", "zipped", &[]);
        assert_eq!(scratch.read("zipped/gpt.goal"), scratch.read("mine/gpt.goal"));
    }
}

#[test]
fn traces_that_do_not_fit_leave_nothing() {
    let scratch = Scratch::new("chakra-refused");
    let refused = |folder: &str, part: &str| {
        let output = scratch.run(&["import", "chakra", folder, "--into", "victim", "--out", "mine"]);
        assert_refused(&output, part);
        assert!(!scratch.0.join("mine").exists());
    };
    fs::create_dir(scratch.0.join("empty")).unwrap();
    refused("empty", "error: empty: there are no traces `NAME.RANK.et`");
    refused("nowhere/x", "error: `nowhere` cannot be read: ");
    write(&scratch, "gap", "file a.0.et\nmetadata 1\nfile a.2.et\nmetadata 1\n");
    refused("gap", "error: gap: there is no `a.1.et`, and there are traces of later ranks");
    write(&scratch, "cut", "file a.0.et\nmetadata 1\nnode 1 COMP k us=5\ncut 2\n");
    refused("cut", "error: a.0.et: byte 4: the file ends in the middle of a message");
    let six: String =
        (0..6).map(|rank| format!("file a.{rank}.et\nmetadata 1\nnode 1 COMP k us=5\n")).collect();
    write(&scratch, "six", &six);
    refused("six", "the job has 6 ranks, and the fabric 5 hosts");
    write(&scratch, "peers", "file a.0.et\nmetadata 1\nnode 1 COMM_SEND s comm_size=8 us=5\n");
    refused("peers", "error: a.et: comm_src, comm_dst: messages without their other end");
}

/// Two chains of triggers between the same hosts run side by side, on ranks of their own.
#[test]
fn triggers_become_a_job_that_runs() {
    let scratch = Scratch::new("htsim-triggers");
    let topo = include_str!("../../../../fixtures/import/fat_tree.topo");
    fs::write(scratch.0.join("t.topo"), topo).unwrap();
    let matrix = "Nodes 16\nConnections 4\nTriggers 2\n0->5 id 1 start 0 size 100000 send_done_trigger 1\n\
        0->6 id 2 trigger 1 size 100000\n0->5 id 3 start 2 size 100000 recv_done_trigger 2\n\
        9->6 id 4 trigger 2 size 1000\ntrigger id 1 oneshot\ntrigger id 2 oneshot\n";
    fs::write(scratch.0.join("chains.cm"), matrix).unwrap();
    let import = ["import", "htsim", "t.topo", "chains.cm", "--program", "uet", "--out", "mine"];
    let refused = scratch.run(&import);
    assert_refused(&refused, "error: chains.cm:7:1: trigger (at a third host): ");
    assert!(!scratch.0.join("mine").exists());
    let output = scratch.run(&[&import[..], &["--approximate"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("messages of 0 bytes"), "{}", text(&output.stderr));
    assert_eq!(scratch.names_in("mine"), ["chains.goal", "run.json", "t.ron"]);
    assert!(completion(&scratch, "mine/t.ron") > 16e-6);
}
