//! Headroom as its user meets it: the printed sum, runs with it, and runs with less.

use crate::scratch::{Scratch, assert_refused, text};

/// Settings of a link that two hosts fill at once, as the law `two-to-one` has it: a metre of cable leaves least room
/// for luck.
const SHORT: [&str; 6] = [
    "cables.wire=(rate: \"40 Gb/s\", propagation: Cable(\"1 m\"))",
    "link.mtu=\"1 KiB\"",
    "switch.buffer=\"100 KiB\"",
    "switch.latency=\"200 ns\"",
    "link.flow_control.reaction=\"500 ns\"",
    "adapter.receive_buffer=\"100 KiB\"",
];
/// Length of a full packet of a SEND on that link, in a buffer.
const PACKET: u64 = 1090;

/// Runs the law with this headroom, and with a start of the second host.
fn run(scratch: &Scratch, headroom: u64, start: u64) -> std::process::Output {
    let law = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/laws/two-to-one.ron");
    let (headroom, start) =
        (format!("link.flow_control.headroom=\"{headroom} B\""), format!("flows.B.start=\"{start} ns\""));
    let sets = SHORT.iter().copied().chain([headroom.as_str(), start.as_str()]);
    let sets = sets.flat_map(|set| ["--set", set]);
    let arguments: Vec<_> = ["sim", law, "--out", "o", "--force"].into_iter().chain(sets).collect();
    scratch.run(&arguments)
}

#[test]
fn the_printed_headroom_loses_nothing_and_a_packet_less_loses() {
    let scratch = Scratch::new("headroom");
    let link = ["headroom", "--rate", "40 Gb/s", "--cable", "1 m", "--payload", "1 KiB"];
    let printed = scratch.printed(&[&link[..], &["--latency", "200 ns", "--reaction", "500 ns"]].concat());
    let total = printed.lines().find(|line| line.contains("headroom of a port and priority")).expect("a sum");
    let total = total.split_whitespace().nth(6).and_then(|sum| sum.parse::<u64>().ok()).expect("a number");
    let mut lost = 0;
    for start in [1000, 1013, 1100, 1237, 1500, 1777] {
        let whole = run(&scratch, total, start);
        assert_eq!(whole.status.code(), Some(0), "{start}: {}", text(&whole.stderr));
        assert!(!text(&whole.stdout).contains("NOT LOSSLESS"));
        let less = run(&scratch, total - PACKET, start);
        if less.status.code() == Some(0) {
            continue;
        }
        lost += 1;
        let (printed, message) = (text(&less.stdout), text(&less.stderr));
        assert_eq!(less.status.code(), Some(7), "{message}");
        assert!(printed.starts_with("Lost      NOT LOSSLESS: "), "{printed}");
        let first = message.lines().next().expect("a line");
        let grouped = |amount: u64| format!("{},{:03}", amount / 1000, amount % 1000);
        let (given, needed) = (grouped(total - PACKET), grouped(total));
        assert!(first.starts_with("NOT LOSSLESS: "), "{first}");
        assert!(first.contains(" dropped at S"), "{first}");
        // The hosts count whole packets, and so need more than the switch does.
        assert!(first.contains(&format!("; headroom {given} B of ")), "{first}, not {needed}");
        assert!(message.contains("help: leave out `link.flow_control.headroom`"), "{message}");
    }
    assert!(lost > 0, "a packet less loses in no phase: the bound is idle");
}

/// Results are there, a comparison tells the loss too, and lanes without PFC may drop.
#[test]
fn a_loss_outranks_time_and_lossy_lanes_may_drop() {
    let scratch = Scratch::new("lossless-status");
    let given = ["--set", "link.flow_control.headroom=\"1 KiB\"", "--set", "duration=\"3 ms\""];
    let sim = scratch.run(&[&["sim", "roce-victim", "--out", "a", "--quiet"], &given[..]].concat());
    assert_eq!((sim.status.code(), text(&sim.stdout).as_str()), (Some(7), ""), "{}", text(&sim.stderr));
    assert!(text(&sim.stderr).starts_with("NOT LOSSLESS: "), "{}", text(&sim.stderr));
    assert!(scratch.read("a/run.json").contains("\"how\": \"complete\""));
    let both = ["compare", "roce-victim", "roce-victim:switch.latency=0 ns", "--out", "b", "--quiet"];
    assert_eq!(scratch.run(&[&both[..], &given].concat()).status.code(), Some(7));
    // Not done, either: the loss is told.
    let finite = "flows=[(name: \"A\", from: \"H1\", to: \"H4\", start: \"0 s\", message: \"64 KiB\", load: Messages(1000)), \
                  (name: \"B\", from: \"H2\", to: \"H4\", start: \"0 s\", message: \"64 KiB\", load: Messages(1000))]";
    let late = ["--set", finite, "--set", "traffic=[]", "--until-done", "--at-most", "1 ms"];
    let late = [&["sim", "roce-victim", "--out", "c", "--quiet"], &late[..], &given[..2]].concat();
    let late = scratch.run(&late);
    assert_eq!(late.status.code(), Some(7), "{}", text(&late.stderr));
    let lossy = ["--set", "link.flow_control=Lossy", "--set", "duration=\"3 ms\""];
    scratch.printed(&[&["sim", "roce-victim", "--out", "d", "--quiet"], &lossy[..]].concat());
}

#[test]
fn headroom_of_a_scenario_is_that_of_its_cables() {
    let scratch = Scratch::new("headroom-scenario");
    let printed = scratch.printed(&["headroom", "--scenario", "roce400-leaf-spine"]);
    assert!(printed.ends_with("lossless: every port has the headroom that its cable needs\n"), "{printed}");
    let less = ["--set", "link.flow_control.headroom=\"70 KB\""];
    let checked = scratch.printed(&[&["check", "roce400-leaf-spine"], &less[..]].concat());
    let line = checked.lines().find(|line| line.starts_with("not lossless")).expect("a line");
    assert!(
        scratch
            .printed(&[&["headroom", "--scenario", "roce400-leaf-spine"], &less[..]].concat())
            .ends_with(&format!("{line}\n"))
    );
    assert_refused(&scratch.run(&["headroom", "--scenario", "one-flow"]), "no PFC");
    assert_refused(
        &scratch.run(&["headroom", "--scenario", "one-flow", "--rate", "1 Gb/s"]),
        "cannot be used with",
    );
    assert_refused(&scratch.run(&["headroom", "--rate", "1 Gb/s"]), "--cable");
    assert_refused(
        &scratch.run(&["headroom", "--rate", "1 Gb/s", "--cable", "1 m", "--payload", "3 KiB"]),
        "write 256",
    );
}
