//! Roots, contributors and victims found by a run, in scenarios where papers or a sketch name them.

use telemetry::{Cause, RootRecord, RunRecord};
use units::{Rate, Span, Time};

use crate::common::{law, run, shipped};

fn ms(n: u64) -> Time {
    Span::from_us(1000 * n).after_start()
}

fn names(record: &RunRecord, flows: impl IntoIterator<Item = u32>) -> Vec<&str> {
    flows.into_iter().map(|flow| &*record.flows[flow as usize].name).collect()
}

fn contributors<'a>(record: &'a RunRecord, root: &RootRecord) -> Vec<&'a str> {
    let mut names = names(record, root.contributors.iter().map(|one| one.flow));
    names.sort_unstable();
    names
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
        // In the end the trunk, hosts 1 to 3 behind it, and hosts 6 and 7 are stalled: with the root seven ports.
        assert_eq!((root.branches, root.depth, root.ports), (6, 2, 7), "{buffering}");
        let waited = root.victims[0].waited;
        // F1 gets as much as F2 and F3 each, a fifth of the trunk and less: the trunk waits most of the 300 ms.
        assert!(Span::from_us(150_000) < waited && waited < Span::from_us(300_000), "{waited}");
        for sample in &record.congestion.samples {
            assert_eq!(sample.since, ms(201), "the tree never vanishes in between");
        }
    }
}

/// With congestion control the buffer at S2 never stays full: no output is stalled for a tenth of any sample.
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

/// Marks occur only at outputs with a queue that exceeded its threshold. A lone flow causes no marks.
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

/// Returns the mean goodput of a flow between two instants, in bit/s.
fn goodput(record: &RunRecord, flow: usize, from: Time, to: Time) -> f64 {
    record.delivered_between(flow, from, to).bps_over(to - from)
}

/// V waits in the adapter of H1, which PFC pauses for the sake of F1. H1's link could carry it while it is paused. F1
/// leaves two thirds of the link: the part that V gets and the part that it loses.
#[test]
fn a_flow_that_waits_in_its_source_is_a_victim_and_its_loss_is_what_the_idle_link_could_carry() {
    let record = run(&shipped("roce-victim", &[]));
    let root = only_root(&record);
    assert_eq!((root.node.as_str(), root.peer.as_str()), ("S", "H4"));
    let [victim] = root.victims[..] else { panic!("not one victim: {:?}", root.victims) };
    assert_eq!(&*record.flows[victim.flow as usize].name, "V");
    let (from, to) = (ms(2), ms(5));
    let (f1, v) = (goodput(&record, 0, from, to), goodput(&record, 3, from, to));
    let lost = victim.lost.bps_over(to - from);
    // A frame of RoCEv2 has 1,024 bytes of payload, 62 of headers and 20 of preamble and gap.
    let payload = 40e9 * 1024.0 / 1106.0;
    assert!((lost / (payload * 2.0 / 3.0 - v) - 1.0).abs() < 0.03, "V gets {v}, and loses {lost}");
    assert!(((f1 + v + lost) / payload - 1.0).abs() < 0.02, "{f1} + {v} + {lost} and not {payload}");
    // F1 waits in the same adapter, and contributes.
    let through: Vec<_> = root.contributors.iter().map(|one| one.through).collect();
    assert!(through.is_sorted_by(|a, b| a >= b), "{through:?}");
    assert_eq!(contributors(&record, root), ["F1", "F2", "F3"]);
}

/// A second sender, and a victim of both that shares the trunk.
const TWO_SENDERS: &str = r#"flows=[
    (name: "F1", from: "a1", to: "b1", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 4)),
    (name: "F2", from: "a2", to: "b1", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 4)),
]"#;

/// Every host sends to every other at random, from many queue pairs, more than head-of-line blocking lets pass.
const UNIFORM: &str =
    r#"traffic=[Synthetic(destinations: Uniform, arrivals: Poisson(load: 0.95), size: Fixed("2 KiB"))]"#;

/// Returns the roots of `causes` with these fields set: switch, far end, cause.
fn roots(sets: &[&str]) -> Vec<(String, String, Option<Cause>)> {
    let record = run(&law("causes", sets));
    record.congestion.roots.into_iter().map(|root| (root.node, root.peer, root.cause)).collect()
}

fn root(node: &str, peer: &str, cause: Cause) -> Vec<(String, String, Option<Cause>)> {
    vec![(node.to_owned(), peer.to_owned(), Some(cause))]
}

#[test]
fn a_lone_flow_on_an_even_path_has_no_root() {
    assert_eq!(roots(&[]), []);
    // A slow receiver that nobody overloads is not a cause.
    let paced = r#"flows=[(name: "F1", from: "a1", to: "b1", start: "0 s", message: "64 KiB", load: Paced("8 Gb/s"))]"#;
    assert_eq!(roots(&["adapter.drain_limit=\"10 Gb/s\"", paced]), []);
}

#[test]
fn a_receiver_slower_than_its_link_is_named() {
    let takes = Rate::gbps(10);
    let slow = root("S2", "b1", Cause::SlowReceiver { takes });
    assert_eq!(roots(&["adapter.drain_limit=\"10 Gb/s\""]), slow);
    assert_eq!(roots(&["adapter.drain_limit=\"10 Gb/s\"", TWO_SENDERS]), slow);
    // The trunk, and not the receiver, is the bottleneck.
    let feeding = Rate::gbps(40);
    let trunk = ["adapter.drain_limit=\"30 Gb/s\"", "cables.trunk.rate=\"20 Gb/s\""];
    assert_eq!(roots(&trunk), root("S1", "S2", Cause::SlowerLink { feeding }));
}

#[test]
fn a_link_slower_than_those_that_feed_it_is_named() {
    let feeding = Rate::gbps(40);
    let slow_trunk = "cables.trunk.rate=\"10 Gb/s\"";
    assert_eq!(roots(&[slow_trunk]), root("S1", "S2", Cause::SlowerLink { feeding }));
    // Either might do: two senders, and a link slower than each of theirs.
    let both = root("S1", "S2", Cause::SlowerLinkOfSeveral { feeding });
    assert_eq!(roots(&[slow_trunk, TWO_SENDERS]), both);
}

#[test]
fn more_senders_than_a_link_takes_are_named_where_no_link_is_slower() {
    assert_eq!(roots(&[TWO_SENDERS]), root("S1", "S2", Cause::MoreSenders));
    // A faster trunk carries both to the receiver's link, which is slower than the trunk that feeds it.
    let feeding = Rate::gbps(100);
    let fast_trunk = "cables.trunk.rate=\"100 Gb/s\"";
    assert_eq!(roots(&[fast_trunk, TWO_SENDERS]), root("S2", "b1", Cause::SlowerLink { feeding }));
}

/// Credits of a cable of 20 km take 200 us for the way and back, during which the link could send 1 MB.
#[test]
fn a_buffer_too_small_for_its_link_is_named() {
    let long_trunk = "cables.trunk.propagation=Delay(\"50 us\")";
    let named = |roots: Vec<(String, String, Option<Cause>)>| {
        let [(node, peer, Some(Cause::CreditRoundTrip { buffer, needed }))] = &roots[..] else {
            panic!("another cause: {roots:?}")
        };
        assert!(buffer < needed, "{buffer} and {needed}");
        (node.clone(), peer.clone())
    };
    let trunk = ("S1".to_owned(), "S2".to_owned());
    assert_eq!(named(roots(&[long_trunk])), trunk);
    assert_eq!(named(roots(&[long_trunk, TWO_SENDERS])), trunk);
    // Towards an adapter with a buffer for a single packet. A slow host behind it is the narrower place.
    let small = "adapter.receive_buffer=\"2560 B\"";
    assert_eq!(named(roots(&[small])), ("S2".to_owned(), "b1".to_owned()));
    let takes = Rate::gbps(1);
    assert_eq!(
        roots(&[small, "adapter.drain_limit=\"1 Gb/s\""]),
        root("S2", "b1", Cause::SlowReceiver { takes })
    );
}

#[test]
fn head_of_line_blocking_is_named_in_input_fifos_alone() {
    let fifo = "switch.buffering=InputFifo";
    let of_uniform = |sets: &[&str]| {
        let all = [
            &[
                "flows=[]",
                UNIFORM,
                "topology=Crossbar(hosts: 8, host_cable: \"host\")",
                "switch.speedup=1.0",
                "adapter.schedule=OldestFirst",
            ],
            sets,
        ]
        .concat();
        roots(&all).into_iter().map(|(.., cause)| cause).collect::<Vec<_>>()
    };
    assert!(of_uniform(&[fifo]).contains(&Some(Cause::HeadOfLine)), "{:?}", of_uniform(&[fifo]));
    assert!(!of_uniform(&[]).contains(&Some(Cause::HeadOfLine)), "virtual output queues");
    // An incast in a switch with FIFOs is an incast.
    assert_eq!(roots(&[fifo, TWO_SENDERS]), root("S1", "S2", Cause::MoreSenders));
}

/// Without a PAUSE no tree grows, though the queue does: the output is hot, and blocks no other output.
#[test]
fn an_output_that_holds_nobody_back_is_hot_all_the_same() {
    let sets = [
        "switch.buffer=\"2 MB\"",
        "flows[1].start=\"0 s\"",
        "flows[2].start=\"0 s\"",
        "flows[3].start=\"0 s\"",
        "duration=\"100 us\"",
        "sample=\"10 us\"",
    ];
    let record = run(&shipped("roce-victim", &sets));
    assert!(record.congestion.roots.is_empty(), "{:?}", record.congestion.roots);
    let hot: Vec<_> = record.lanes.iter().filter_map(|lane| lane.load.map(|load| (lane, load))).collect();
    let (lane, load) =
        hot.iter().max_by(|(_, a), (_, b)| a.queue_mean.total_cmp(&b.queue_mean)).expect("a switch");
    assert_eq!((lane.node.as_str(), lane.peer.as_str()), ("S", "H4"));
    assert_eq!((load.rooted, load.stalled, load.flows), (0, 0, Some(3)));
    assert!(load.congested >= 8 && load.congested <= record.congestion.sampled, "{load:?}");
    assert!(load.queue_mean > 100e3 && load.queue_peak.get() as f64 > load.queue_mean, "{load:?}");
    let quiet = hot.iter().filter(|(lane, _)| lane.peer != "H4");
    assert!(quiet.clone().all(|(_, load)| load.congested == 0), "{quiet:?}");
}

/// A watch shows the state of a response that really acts. A flow of InfiniBand is slowed down by its index: the
/// link's rate is the product of the flow's rate and 1 + its delay.
#[test]
fn a_watch_shows_the_index_and_the_delay_of_an_infiniband_source() {
    let record = run(&shipped("victim", &["watch=[Control(flow: \"*a*\")]", "duration=\"25 ms\""]));
    let objects: Vec<_> = record.watched.quantities.iter().map(|quantity| quantity.object.as_str()).collect();
    assert_eq!(objects, ["far", "far", "far", "near", "near", "near"]);
    let of = |object: &str, name: &str| {
        let quantities = record.watched.quantities.iter();
        let place = quantities.enumerate().find(|(_, one)| one.object == object && one.quantity == name);
        let (place, _) = place.expect("it is watched");
        record.watched.rows.iter().map(move |row| row[place]).collect::<Vec<_>>()
    };
    let (ccti, delay, rate) = (of("far", "ccti"), of("far", "delay_packet_times"), of("far", "rate_bps"));
    assert!(ccti[0] == 0.0 && ccti.iter().any(|ccti| *ccti > 0.0), "a flow is slowed down later on");
    for ((ccti, delay), rate) in ccti.iter().zip(&delay).zip(&rate) {
        assert_eq!(*ccti > 0.0, *delay > 0.0, "{ccti}: {delay}");
        assert!((rate * (1.0 + delay) / rate_of_link(&record) - 1.0).abs() < 1e-6, "{rate} at {delay}");
    }
}

fn rate_of_link(record: &RunRecord) -> f64 {
    record.lanes[0].rate.get() as f64
}
