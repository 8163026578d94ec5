//! Jobs: a draft that runs, a table by size as nccl-tests print it, and trees in pieces of NCCL's size.
//!
//! Invariant: bandwidths are those of nccl-tests (`doc/PERFORMANCE.md`).

use crate::scratch::{Scratch, json, one_line};

/// The job of the draft runs as it is, is late by the incast, and has the bandwidths of its collective.
#[test]
fn new_writes_a_job_that_runs() {
    let scratch = Scratch::new("new-job");
    scratch.printed(&["new", "job", "--hosts", "16", "--speed", "edr", "mine.ron"]);
    let text = scratch.read("mine.ron");
    assert!(text.matches("//").count() > 20, "{text}");
    assert!(scratch.printed(&["check", "mine.ron"]).contains("job `train`: 16 ranks on 16 hosts;"));
    let job = |sets: &[&str]| {
        let run = ["sim", "mine.ron", "--quiet", "--json", "--set", "jobs.train.program.bytes=256 KiB"];
        json(&scratch.printed(&[&run[..], sets].concat()))["jobs"][0].clone()
    };
    let (whole, alone) = (job(&[]), job(&["--set", "traffic=[]"]));
    let seconds = |job: &serde_json::Value| job["completion_s"].as_f64().expect("it is complete");
    assert!(seconds(&whole) > seconds(&alone), "{whole} {alone}");
    let busbw = |job: &serde_json::Value| job["busbw_gbyte_per_s"].as_f64().expect("a single collective");
    let expected = 2.0 * 15.0 / 16.0 * 262_144.0 * 2.0 / seconds(&alone) / 1e9;
    assert!((busbw(&alone) / expected - 1.0).abs() < 1e-9, "{alone}");
    // A sequence of one part is that part; of two, it is no collective.
    let sequence = |parts: &str| {
        let program = format!("jobs.train.program=Sequence([{parts}])");
        let run = ["sim", "mine.ron", "--quiet", "--json", "--set", "traffic=[]", "--set", &program];
        json(&scratch.printed(&run))["jobs"][0]["busbw_gbyte_per_s"].as_f64()
    };
    assert_eq!(sequence("AllReduce(bytes: \"256 KiB\")"), Some(busbw(&alone)));
    assert_eq!(sequence("Compute(\"1 us\"), AllReduce(bytes: \"256 KiB\")"), None);
}

/// Sizes of a collective are conditions: a row for each, with its time and bandwidths, as nccl-tests print them.
#[test]
fn a_sweep_over_sizes_is_a_table_of_bandwidths() {
    let scratch = Scratch::new("sweep-sizes");
    let printed = scratch.printed(&[
        "sweep",
        "ring-all-reduce",
        "--set",
        "jobs.ring.iterations=1",
        "--vary",
        "jobs.ring.program.bytes=64 KiB,1 MiB",
        "--measures",
        "job_completion(ring),algbw(ring),busbw(ring)",
        "--out",
        "sizes",
    ]);
    assert!(!printed.contains("smallest tried"), "{printed}");
    let row = |size: &str| {
        let row = printed.lines().find(|line| line.starts_with(&format!(" {size} ")));
        one_line(row.unwrap_or_else(|| panic!("no {size} in {printed}")))
    };
    for size in ["64 KiB", "1 MiB"] {
        assert_eq!(row(size).matches("GB/s").count(), 2, "{printed}");
    }
    let table = scratch.read("sizes/results.csv");
    let head: Vec<_> = table.lines().next().unwrap().split(',').collect();
    let column = |name: &str| {
        head.iter().position(|one| *one == name).unwrap_or_else(|| panic!("no {name} in {table}"))
    };
    let number =
        |line: &str, name: &str| -> f64 { line.split(',').nth(column(name)).unwrap().parse().unwrap() };
    for line in table.lines().skip(1) {
        let [bytes, seconds, algbw, busbw] = [
            "jobs.ring.program.bytes_bytes",
            "job_completion(ring)_s",
            "algbw(ring)_bytes_per_s",
            "busbw(ring)_bytes_per_s",
        ]
        .map(|name| number(line, name));
        assert!((algbw / (bytes / seconds) - 1.0).abs() < 1e-6, "{line}");
        assert!((busbw / algbw - 2.0 * 31.0 / 32.0).abs() < 1e-9, "{line}");
    }
    let schema = scratch.read("sizes/results.schema.json");
    assert!(schema.contains("\"B/s\""), "{schema}");
}

/// A double tree with larger pieces than NCCL's is told so, and the number of chunks that makes them as small.
#[test]
fn check_tells_of_coarse_trees() {
    let scratch = Scratch::new("check-tree");
    let said = |chunks: u32| {
        let tree = format!("AllReduce(bytes: \"8 MiB\", algorithm: DoubleBinaryTree, chunks: {chunks})");
        scratch.printed(&["check", "ring-all-reduce", "--set", &format!("jobs[0].program={tree}")])
    };
    let whole = said(1);
    assert!(
        whole.contains("ranks pass on 4 MiB at a time, and NCCL 512 KiB at most: `chunks: 8`"),
        "{whole}"
    );
    assert!(said(7).contains("at a time"), "{}", said(7));
    assert!(!said(8).contains("at a time"), "{}", said(8));
}
