//! `capture`, and what it and `trace` refuse. `cargo xtask test-captures` has tshark read them.

use std::fs;

use serde_json::Value;

use crate::scratch::{Scratch, assert_refused, json};

/// A short run with marks, CNPs and acknowledgements.
const VICTIM: [&str; 8] = [
    "capture",
    "victim",
    "--set",
    "flows[1].start=100 us",
    "--set",
    "flows[2].start=200 us",
    "--set",
    "duration=1 ms",
];

/// A short run under PFC.
const ROCE: [&str; 10] = [
    "capture",
    "roce-victim",
    "--set",
    "duration=1 ms",
    "--set",
    "flows[1].start=100 us",
    "--set",
    "flows[2].start=100 us",
    "--set",
    "flows[3].start=500 us",
];

fn captured(scratch: &Scratch, scenario: &[&str], more: &[&str]) -> Value {
    json(&scratch.printed(&[scenario, more, &["--json", "--quiet", "--force"]].concat()))
}

/// The numbers of blocks of a file by kind: interfaces, packets, statistics.
fn blocks(scratch: &Scratch, file: &str) -> [usize; 3] {
    let bytes = fs::read(scratch.0.join(file)).expect("it is written");
    let mut counts = [0; 3];
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let word = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().expect("4 bytes"));
        match word(0) {
            1 => counts[0] += 1,
            6 => counts[1] += 1,
            5 => counts[2] += 1,
            section => assert_eq!(section, 0x0A0D_0D0A),
        }
        rest = &rest[word(4) as usize..];
    }
    counts
}

#[test]
fn the_file_has_the_packets_that_are_counted_whatever_the_threads() {
    let scratch = Scratch::new("capture-threads");
    for (scenario, pauses) in [(VICTIM.as_slice(), false), (&ROCE, true)] {
        let counts = captured(&scratch, scenario, &["--ports", "*", "--out", "one.pcapng"]);
        let threads =
            captured(&scratch, scenario, &["--ports", "*", "--out", "two.pcapng", "--threads", "2"]);
        let ports = counts["ports"].as_u64().expect("a number") as usize;
        let packets = counts["packets"]["written"].as_u64().expect("a number") as usize;
        assert!(packets > 5000, "{packets}");
        assert_eq!(blocks(&scratch, "one.pcapng"), [ports, packets, ports]);
        assert_eq!(counts["kinds"]["pause"].is_object(), pauses);
        assert_eq!((&counts["kinds"], &counts["digest"]), (&threads["kinds"], &threads["digest"]));
        let [one, two] =
            ["one.pcapng", "two.pcapng"].map(|file| fs::read(scratch.0.join(file)).expect("it is written"));
        assert!(one == two, "the files differ");
    }
}

/// What the filters of two halves take adds up to the whole.
#[test]
fn filters_divide_the_packets() {
    let scratch = Scratch::new("capture-filters");
    let taken = |more: &[&str]| {
        let counts = captured(&scratch, &VICTIM, &[&["--ports", "S1:S2"], more].concat());
        (counts["packets"]["taken"].as_u64().expect("a number"), counts["packets"]["passed"].as_u64())
    };
    let all = taken(&[]);
    assert_eq!(Some(all.0), all.1);
    let halves: [(&[&str], &[&str]); 6] = [
        (&["--flow", "victim"], &["--flow", "far", "--flow", "near"]),
        (&["--from", "H1", "--from", "H2"], &["--to", "H?", "--from", "H4", "--from", "H5"]),
        (&["--kind", "data"], &["--kind", "ack,cnp", "--kind", "read-request", "--kind", "pause"]),
        (&["--direction", "in"], &["--direction", "out"]),
        (&["--end", "400 us"], &["--begin", "400 us"]),
        (&["--lane", "0"], &["--kind", "pause"]),
    ];
    for (one, other) in halves {
        let (one, other) = (taken(one), taken(other));
        assert_eq!(one.0 + other.0, all.0, "{one:?} {other:?}");
        assert_eq!((one.1, other.1), (all.1, all.1));
    }
}

#[test]
fn a_limit_says_what_it_leaves_out() {
    let scratch = Scratch::new("capture-limit");
    let counts = captured(&scratch, &VICTIM, &["--ports", "H1", "--most", "100", "--snap", "64"]);
    let packets = &counts["packets"];
    assert_eq!((&packets["written"], blocks(&scratch, "victim.pcapng")[1]), (&100.into(), 100));
    assert!(packets["taken"].as_u64() > Some(200) && counts["limit_reached_s"].is_number(), "{counts}");
    assert!(counts["packet_bytes"].as_u64() <= Some(6400), "{counts}");
    let printed = scratch.printed(&[&VICTIM[..], &["--ports", "H1", "--most", "100", "--force"]].concat());
    assert!(printed.contains("The limit of 100 packets was reached at "), "{printed}");
    let printed = scratch.printed(&[&VICTIM[..], &["--ports", "H1", "--kind", "pause", "--force"]].concat());
    assert!(printed.contains("The filter (kind=pause) takes none of them."), "{printed}");
}

#[test]
fn wrong_requests_are_refused_and_write_nothing() {
    let scratch = Scratch::new("capture-refused");
    let cases: [(&[&str], &str); 9] = [
        (&["--ports", "S9"], "error: `--ports S9`: there is no node `S9`\nhelp: the nodes are `H1`, "),
        (&["--ports", "S1:7"], "error: `--ports S1:7`: `S1` has no port 7\nhelp: write one of ports 1 to 3"),
        (&["--ports", "*", "--flow", "victin"], "there is no flow `victin`\nhelp: did you mean `victim`?"),
        (&["--ports", "*", "--from", "S1"], "there is no host `S1`"),
        (&["--ports", "*", "--lane", "1"], "there is no lane 1\nhelp: the links have one lane: write 0"),
        (&["--ports", "*", "--begin", "2 ms", "--end", "1 ms"], "no time lies from 2 ms to 1 ms"),
        (&["--ports", "*", "--kind", "nak"], "invalid value 'nak'"),
        (&["--ports", "*", "--set", "link.framing=Hpcc"], "link.framing"),
        (&[], "--ports"),
    ];
    for (more, message) in cases {
        assert_refused(&scratch.run(&[&["capture", "victim"], more].concat()), message);
    }
    assert_eq!(scratch.names(), [""; 0]);
    fs::write(scratch.0.join("victim.pcapng"), "mine").expect("a writable folder");
    let output = scratch.run(&[&VICTIM[..], &["--ports", "H1"]].concat());
    assert_refused(
        &output,
        "error: `victim.pcapng` is there\nhelp: choose another name, or overwrite it with `--force`",
    );
    assert_eq!(scratch.read("victim.pcapng"), "mine");
}

#[test]
fn a_trace_of_nothing_or_of_wrong_names_is_refused() {
    let scratch = Scratch::new("trace-refused");
    assert_refused(&scratch.run(&["trace", "victim"]), "name ports with `--ports`");
    assert_refused(&scratch.run(&["trace", "victim", "--ports", "S9"]), "there is no node `S9`");
    assert_refused(
        &scratch.run(&["trace", "victim", "--flows", "fat"]),
        "no flow has the name or the source host `fat`",
    );
    assert_eq!(scratch.names(), [""; 0]);
    let short =
        ["trace", "victim", "--set", "duration=22 ms", "--set", "flows[2].start=11 ms", "--flows", "far"];
    let printed = scratch.printed(&short);
    assert!(printed.contains("0 ports, 1 flow. Open it at https://ui.perfetto.dev"), "{printed}");
    assert_eq!(scratch.names(), ["victim.perfetto-trace"]);
    assert_refused(&scratch.run(&short), "error: `victim.perfetto-trace` is there");
}
