//! Questions about paths: asked where roots of congestion have little loaded paths beside them, and nowhere else.
//!
//! Invariant: loads are computed again from `ports.csv` of the same run, and advised commands are run.

use backwater::FinishedRun;

use crate::scratch::{Scratch, one_line, text};
use crate::verdict::{Table, advised, rerun, run};

/// A sweep over the selectors.
const SELECTORS: &str = "switch.selection=Hash,RoundRobin,LeastLoaded";
/// Traffic that leaves no cable of a fabric with half as many cables up as down idle.
const EVERYWHERE: &str = "traffic=[Synthetic(name: \"all\", destinations: Uniform, arrivals: Closed(outstanding: 16), \
                          size: Fixed(\"16 KiB\"))]";

/// Returns the share of its rate that an output carried, in whole percent, as `S port 3 to T` names it.
fn carried(run: &FinishedRun, output: &str) -> String {
    let (node, rest) = output.split_once(" port ").expect("a port");
    let (port, peer) = rest.split_once(" to ").expect("a peer");
    let ports = Table::of(run, "ports.csv");
    let place = [("node", node), ("port", port), ("peer", peer)];
    let sent: f64 = ports.numbers("sent_bytes", &place).iter().sum();
    let rate = ports.number("link_rate_bps", &place);
    let share = sent * 8.0 / rate / run.summary.simulated_s;
    match share * 100.0 {
        99.5..100.0 => "over 99 %".to_owned(),
        100.0.. => "100 %".to_owned(),
        percent @ 10.0.. => format!("{percent:.0} %"),
        percent @ 0.1.. => format!("{percent:.1} %"),
        0.0 => "0 %".to_owned(),
        _ => "less than 0.1 %".to_owned(),
    }
}

/// A permutation by hashing has full cables and idle ones. Both loads are those of `ports.csv`.
#[test]
fn hashing_onto_few_cables_is_asked_about() {
    let run = run("paths-permutation", &["duration=200 us"]);
    let advice = &run.summary.verdict.advice;
    let (full, rest) = advice.split_once(" carried ").expect("a load");
    assert!(rest.starts_with(&carried(&run, full)), "{advice}");
    let (_, of_other) = rest.split_once(" on another path of ").expect("another path");
    let (other, load) = of_other.split_once(" carried most, ").expect("its load");
    let other = other.split_once(' ').expect("a flow before the output").1;
    assert!(load.starts_with(&carried(&run, other)), "{advice}");
    assert!(advice.contains(SELECTORS), "{advice}");
}

/// Nothing is said of paths where the root is the link of a host, where cables are full alike, and where packets are
/// spread already.
#[test]
fn no_question_is_asked_without_other_paths() {
    let few = "topology=FatTree(down: [4, 8], up: [2], host_cable: \"host\", trunk_cable: \"trunk\")";
    let cases: [(&str, &[&str]); 4] = [
        ("paths-incast", &["duration=600 us"]),
        ("paths-permutation", &["duration=200 us", few, EVERYWHERE]),
        ("paths-incast", &["duration=600 us", "switch.selection=LeastLoaded"]),
        ("paths-permutation", &["duration=200 us", "routing=Native"]),
    ];
    for (scenario, sets) in cases {
        let run = run(scenario, sets);
        assert!(run.summary.congestion.roots > 0, "{scenario} {sets:?} has no tree");
        let advice = &run.summary.verdict.advice;
        assert!(!advice.contains("switch.selection"), "{scenario} {sets:?}: {advice}");
    }
}

/// All hosts of a group send to another group over the only cable between both: detours are asked about, with the lanes
/// and the delivery that they need. The command runs as it stands.
#[test]
fn one_full_cable_of_a_dragonfly_is_asked_about() {
    let scratch = Scratch::new("advised-detours");
    scratch.printed(&["new", "dragonfly", "--routers", "4", "d.ron"]);
    let flow = |k: u32| {
        format!(
            "(name: \"F{k}\", from: \"h{k}\", to: \"h{}\", start: \"0 s\", message: \"64 KiB\", \
              load: Saturate(outstanding: 4))",
            k + 8
        )
    };
    let flows = format!("flows=[{}]", (1..=8).map(flow).collect::<Vec<_>>().join(", "));
    let sets = [
        "--set",
        &flows,
        "--set",
        "traffic=[]",
        "--set",
        "duration=60 us",
        "--set",
        "congestion_control=Off",
    ];
    let first = scratch.printed(&[&["sim", "d.ron", "--out", "o"], &sets[..]].concat());
    let said = one_line(&first);
    assert!(said.contains("and cables between switches ") && said.contains("routing=Par;"), "{first}");
    let command = advised(&first);
    let again = rerun(&scratch, &command);
    assert_eq!(again.status.code(), Some(0), "{command}: {}", text(&again.stderr));
    // Detours are counted, and told.
    let detours = one_line(&text(&again.stdout));
    assert!(detours.contains("data packets that could take a detour ("), "{detours}");
    // Of traffic to all groups no cable carries far more than others.
    let even =
        scratch.printed(&["sim", "d.ron", "--set", EVERYWHERE, "--set", "duration=60 us", "--out", "e"]);
    assert!(!even.contains("routing=Par"), "{even}");
}

/// The end of a run is kept in the commands of its verdict, whatever they ask, and these run.
#[test]
fn advised_commands_end_runs_as_the_run_was_ended() {
    let scratch = Scratch::new("advised-ends");
    let cases: [(&str, &[&str]); 3] = [
        ("paths-permutation", &["--set", "duration=100 us", "--drain"]),
        ("roce-victim", &["--set", "duration=4 ms", "--drain"]),
        ("paths-incast", &["--set", "duration=400 us", "--until-done"]),
    ];
    for (number, (scenario, options)) in cases.into_iter().enumerate() {
        let out = format!("o{number}");
        let first = scratch.printed(&[&["sim", scenario, "--out", &out], options].concat());
        let command = advised(&first);
        let end = options[2];
        assert_eq!(command.matches(end).count(), 1, "{command}");
        assert!(command.matches("duration=").count() <= 1, "{command}");
        std::fs::remove_dir_all(scratch.0.join("p")).ok();
        let again = rerun(&scratch, &command);
        assert_eq!(again.status.code(), Some(0), "{command}: {}", text(&again.stderr));
    }
}

/// Packets that overtake each other are told with the state that they take, in order and in any order. Flowlets with a
/// gap longer than paths differ keep the order.
#[test]
fn packets_out_of_order_are_told() {
    let in_order = ["adapter.delivery=InOrder", "adapter.recovery=GoBackN", "duration=100 us"];
    let told = |selection: &str, sets: &[&str]| {
        let selection = format!("switch.selection={selection}");
        let sets = [sets, &[&selection[..]]].concat();
        let run = run("paths-permutation", &sets);
        let remark = run.summary.remarks.iter().find(|one| one.text.contains("out of order"));
        (remark.map_or_else(String::new, |one| one.text.clone()), run)
    };
    let (any, run) = told("RoundRobin", &["duration=100 us"]);
    let counts = &run.summary.transport;
    let grouped = results::format::grouped;
    assert!(any.starts_with(&grouped(counts.out_of_order_packets)), "{any}");
    let extent = format!("up to {} ahead of a missing one", grouped(counts.largest_distance_packets));
    assert!(any.contains(&extent) && !any.contains("refused"), "{any}");
    let (refused, run) = told("RoundRobin", &in_order);
    assert!(
        refused.contains(" were refused; requesters sent ")
            && run.summary.transport.retransmitted_packets > 0,
        "{refused}"
    );
    let (flowlets, run) = told("Flowlet(gap: \"1 ms\")", &in_order);
    assert_eq!((flowlets.as_str(), run.summary.transport.retransmitted_packets), ("", 0));
}

/// `check` says that delivery in order refuses packets which overtake others, where they can.
#[test]
fn a_check_warns_of_delivery_in_order() {
    let scratch = Scratch::new("check-in-order");
    let in_order = ["--set", "adapter.delivery=InOrder", "--set", "adapter.recovery=GoBackN"];
    let said = |selection: &str, sets: &[&str]| {
        let selection = format!("switch.selection={selection}");
        let words = [&["check", "paths-permutation", "--set", &selection], sets].concat();
        scratch.printed(&words).contains("delivery: InOrder: packets may overtake each other here")
    };
    assert!(said("RoundRobin", &in_order));
    assert!(!said("Hash", &in_order) && !said("RoundRobin", &[]));
}
