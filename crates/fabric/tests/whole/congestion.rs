//! Roots, contributors and victims found by a run, in scenarios where papers or a sketch name them.

use telemetry::{RootRecord, RunRecord};
use units::{Span, Time};

use crate::common::{run, shipped};

fn ms(n: u64) -> Time {
    Span::from_us(1000 * n).after_start()
}

fn names(record: &RunRecord, flows: impl IntoIterator<Item = u32>) -> Vec<&str> {
    flows.into_iter().map(|flow| record.flows[flow as usize].name.as_str()).collect()
}

fn contributors<'a>(record: &'a RunRecord, root: &RootRecord) -> Vec<&'a str> {
    names(record, root.contributors.iter().map(|(flow, _)| *flow))
}

fn victims<'a>(record: &'a RunRecord, root: &RootRecord) -> Vec<&'a str> {
    names(record, root.victims.iter().map(|victim| victim.flow))
}

/// The only root of a run: node, port, far end.
fn only_root(record: &RunRecord) -> &RootRecord {
    let [root] = &record.congestion.roots[..] else { panic!("not one root: {:?}", record.congestion.roots) };
    root
}

/// F1 shares the trunk with F2 and F3, which wait at S2 for H5; it goes to H4 itself. From the start of F3 on, at
/// 200 ms, H5 gets more than it takes.
#[test]
fn scenario_1_names_f1_the_victim_and_the_port_to_h5_the_root() {
    for buffering in ["InputVoq", "InputFifo"] {
        let organisation = format!("switch.buffering={buffering}");
        let record = run(&shipped("gran2011-scenario1", &["congestion_control=Off", &organisation]));
        let root = only_root(&record);
        assert_eq!((root.node.as_str(), root.port, root.peer.as_str()), ("S2", 2, "H5"), "{buffering}");
        assert_eq!(contributors(&record, root), ["F2", "F3", "F4", "F5"], "{buffering}");
        assert_eq!(victims(&record, root), ["F1"], "{buffering}");
        assert_eq!((root.first, root.last), (ms(201), ms(500)), "{buffering}");
        // In the end the trunk, hosts 1 to 3 behind it, and hosts 6 and 7 are held back: with the root seven ports.
        assert_eq!((root.branches, root.depth, root.ports), (6, 2, 7), "{buffering}");
        let waited = root.victims[0].waited;
        // F1 gets as much as F2 and F3 each, a fifth of the trunk and less: the trunk waits most of the 300 ms.
        assert!(Span::from_us(150_000) < waited && waited < Span::from_us(300_000), "{waited}");
        for sample in &record.congestion.samples {
            assert_eq!(sample.since, ms(201), "the tree never vanishes in between");
        }
    }
}

/// With congestion control the buffer at S2 never stays full: no output is held back for a tenth of any sample.
#[test]
fn with_control_scenario_1_has_no_victim() {
    let record = run(&shipped("gran2011-scenario1", &[]));
    assert!(record.congestion.roots.is_empty(), "{:?}", record.congestion.roots);
}

/// A flow that shares a switch with a congestion tree, but no buffer, is not its victim.
#[test]
fn scenario_2_has_a_root_and_no_victim() {
    let record = run(&shipped("gran2011-scenario2", &["congestion_control=Off"]));
    let root = only_root(&record);
    assert_eq!((root.node.as_str(), root.peer.as_str()), ("S1", "S2"));
    assert_eq!(contributors(&record, root), ["F1", "F2", "F3"]);
    assert_eq!(victims(&record, root), Vec::<&str>::new());
}

#[test]
fn the_smallest_victim_waits_for_as_long_as_there_is_no_control() {
    let off = run(&shipped("victim", &["congestion_control=Off"]));
    let root = only_root(&off);
    assert_eq!((root.node.as_str(), root.peer.as_str()), ("S2", "H5"));
    assert_eq!((contributors(&off, root), victims(&off, root)), (vec!["far", "near"], vec!["victim"]));
    // From the first sample after `near` starts to the end.
    assert_eq!((root.first, root.last), (Span::from_us(20_200).after_start(), ms(60)));
    let on = run(&shipped("victim", &[]));
    assert!(on.congestion.roots.is_empty(), "{:?}", on.congestion.roots);
}

/// Observation changes nothing: samples fifty times as often give the same digest.
#[test]
fn looking_changes_nothing() {
    let digest = |sample: &str| run(&shipped("victim", &["congestion_control=Off", sample])).digest;
    assert_eq!(digest("sample=\"20 us\""), digest("sample=\"1 ms\""));
}

/// Marks occur only at outputs whose queue exceeded its threshold; a lone flow causes none.
#[test]
fn margins_agree_with_the_marks() {
    for name in ["one-flow", "victim", "gran2011-scenario1"] {
        let record = run(&shipped(name, &[]));
        for lane in &record.lanes {
            let Some(margin) = lane.marking else { continue };
            let counts = margin.counts.expect("markers count");
            let over = margin.load > margin.limit;
            let at = format!("{name}: {} port {}: {margin:?}", lane.node, lane.port);
            assert_eq!(counts.crossings > 0, over, "{at}");
            assert_eq!(counts.first.is_some(), over, "{at}");
            assert!(lane.marks.total() == 0 || over, "marked below the threshold: {at}");
        }
        let marked = record.marks.total() > 0;
        assert_eq!(marked, name != "one-flow", "{name}");
    }
}
