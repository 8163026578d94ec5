//! `trace`: a trace against the record of its run, read by a decoder that knows nothing of the writer.

use std::collections::{BTreeMap, BTreeSet};

use backwater::trace::{EventKind, TraceReport, trace};
use backwater::{Plan, RunOptions, Simulation};

use crate::scratch::{Scratch, assert_refused, text};

/// A field of a message of Protocol Buffers: a number, or bytes.
#[derive(Clone, Debug)]
enum Value {
    Number(u64),
    Bytes(Vec<u8>),
}

impl Value {
    fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Bytes(_) => panic!("a number is expected"),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(_) => panic!("bytes are expected"),
        }
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes().to_vec()).expect("a text")
    }
}

/// Decodes a message: its fields by number, in order.
fn fields(mut bytes: &[u8]) -> BTreeMap<u64, Vec<Value>> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (byte, rest) = bytes.split_first().expect("a whole number ends");
            *bytes = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return value;
            }
        }
        unreachable!("a whole number ends")
    }
    let mut fields: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => {
                let (value, rest) = bytes.split_at(8);
                bytes = rest;
                Value::Number(u64::from_le_bytes(value.try_into().expect("8 bytes")))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                Value::Bytes(value.to_vec())
            }
            other => panic!("wire type {other}"),
        };
        fields.entry(key >> 3).or_default().push(value);
    }
    fields
}

#[derive(Clone, Debug)]
struct Event {
    at: u64,
    kind: u64,
    track: u64,
    name: String,
    value: f64,
    through: Vec<u64>,
    ends: Vec<u64>,
}

/// A trace: the path of names to each track, and all events.
struct Decoded {
    tracks: BTreeMap<u64, String>,
    events: Vec<Event>,
}

fn decoded(bytes: &[u8]) -> Decoded {
    let mut trace = Decoded { tracks: BTreeMap::new(), events: Vec::new() };
    let first =
        |message: &BTreeMap<u64, Vec<Value>>, field: u64| message.get(&field).map(|all| all[0].clone());
    for packet in &fields(bytes)[&1] {
        let packet = fields(packet.bytes());
        assert_eq!(packet[&10][0].number(), 1, "all packets belong to one sequence");
        if let Some(track) = first(&packet, 60) {
            let track = fields(track.bytes());
            let name = first(&track, 2).expect("a track has a name").text();
            let parent = first(&track, 5).map(|parent| format!("{}/", trace.tracks[&parent.number()]));
            let path = parent.unwrap_or_default() + &name;
            assert!(trace.tracks.insert(track[&1][0].number(), path).is_none(), "a track is described once");
        }
        if let Some(event) = first(&packet, 11) {
            let event = fields(event.bytes());
            let numbers = |field: u64| event.get(&field).into_iter().flatten().map(Value::number).collect();
            let track = event[&11][0].number();
            assert!(trace.tracks.contains_key(&track), "a track is described before it has an event");
            trace.events.push(Event {
                at: packet[&8][0].number(),
                kind: event[&9][0].number(),
                track,
                name: first(&event, 23).map(|name| name.text()).unwrap_or_default(),
                value: first(&event, 44).map_or(0.0, |value| f64::from_bits(value.number())),
                through: numbers(47),
                ends: numbers(48),
            });
        }
    }
    trace
}

impl Decoded {
    /// Events on tracks with a path that ends with this text, in order of time.
    fn on(&self, path: &str) -> Vec<&Event> {
        let here = |event: &&Event| self.tracks[&event.track].ends_with(path);
        let mut events: Vec<_> = self.events.iter().filter(here).collect();
        events.sort_by_key(|event| event.at);
        events
    }
}

fn traced(scenario: &str, sets: &[&str], most: u64) -> (Plan, TraceReport, Decoded) {
    let set = |simulation: Simulation, set: &&str| simulation.set(set).expect("the field is there");
    let simulation = Simulation::find(scenario).expect("it ships");
    let plan = sets.iter().fold(simulation, set).check().expect("the scenario is right");
    let mut bytes = Vec::new();
    let report =
        trace(&plan, RunOptions::default(), most, &mut bytes, &mut |_| {}).expect("the run ends well");
    (plan, report, decoded(&bytes))
}

/// A switch's port with marks, and a flow with CNPs, under credits.
fn victim(most: u64) -> (Plan, TraceReport, Decoded) {
    let series = r#"series=(ports: ["S2:H5"], sources: ["far"])"#;
    traced("victim", &["duration=2 ms", "flows[1].start=100 us", "flows[2].start=200 us", series], most)
}

/// A paused host and its flows, under PFC.
fn paused() -> (Plan, TraceReport, Decoded) {
    let series = r#"series=(ports: ["H1"], sources: ["F1", "V"], pauses: ["H1"])"#;
    traced(
        "roce-victim",
        &["duration=1 ms", "flows[3].start=500 us", "flows[1].start=100 us", "flows[2].start=100 us", series],
        100_000,
    )
}

#[test]
fn slices_begin_and_end_in_turn() {
    for (_, report, trace) in [victim(100_000), paused()] {
        let mut slices: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
        for event in trace.events.iter().filter(|event| event.kind < 3) {
            slices.entry(event.track).or_default().push(event);
        }
        let mut count = 0;
        for slices in slices.into_values() {
            assert!(slices.is_sorted_by_key(|event| event.at));
            assert!(slices.chunks(2).all(|pair| pair.len() == 2 && (pair[0].kind, pair[1].kind) == (1, 2)));
            count += slices.len() as u64 / 2;
        }
        let written = |kind| report.kinds.get(&kind).map_or(0, |counts| counts.written);
        assert_eq!(
            count,
            [EventKind::Wait, EventKind::Pause, EventKind::Message].map(written).iter().sum::<u64>()
        );
        assert!(count > 20, "{count}");
    }
}

#[test]
fn marks_lead_to_notifications_and_these_to_their_source() {
    let (plan, report, trace) = victim(100_000);
    let marks = trace.on("S2:3 to H5/marks");
    let lane =
        report.record.lanes.iter().find(|lane| (lane.node.as_str(), lane.port) == ("S2", 3)).expect("a port");
    assert_eq!(marks.len() as u64, lane.marks.total());
    assert!(marks.len() > 50, "{}", marks.len());
    let notifications = trace.on("/notifications");
    let named =
        |name: &str| notifications.iter().filter(|event| event.name == name).copied().collect::<Vec<_>>();
    let (sent, received) = (named("CNP sent"), named("CNP received"));
    let far = plan.workload().flows.iter().position(|flow| &*flow.name == "far").expect("a flow");
    assert_eq!(received.len() as u64, report.record.flows[far].becns);
    assert!(sent.len() >= received.len() && received.len() > 20, "{} {}", sent.len(), received.len());
    // Each arrow begins once, and ends later, at most once.
    let begins: BTreeMap<u64, u64> = marks
        .iter()
        .chain(&sent)
        .flat_map(|event| event.through.iter().map(|arrow| (*arrow, event.at)))
        .collect();
    let ends: Vec<_> = sent
        .iter()
        .chain(&received)
        .flat_map(|event| event.ends.iter().map(|arrow| (*arrow, event.at)))
        .collect();
    assert_eq!(ends.iter().map(|(arrow, _)| arrow).collect::<BTreeSet<_>>().len(), ends.len());
    assert!(ends.iter().all(|(arrow, at)| begins.get(arrow).is_some_and(|begin| begin < at)));
    assert!(received.iter().all(|event| event.ends.len() == 1), "each comes from one that was sent");
    let answered = sent.iter().filter(|event| event.ends.len() == 1).count();
    assert!(answered * 10 >= sent.len() * 9, "{answered} of {} CNPs answer a mark at this port", sent.len());
}

#[test]
fn counters_and_waits_are_those_of_the_record() {
    let (_, report, trace) = victim(100_000);
    let record = &report.record;
    let series = record.port_series.as_ref().expect("the port is named");
    let queues: Vec<_> = trace.on("S2:3 to H5/queue").iter().map(|event| event.value).collect();
    let recorded: Vec<_> =
        series.samples.iter().map(|sample| f64::from(sample.queue.expect("a switch's"))).collect();
    assert_eq!(queues, recorded);
    let rate: f64 = trace.on("S2:3 to H5/rate").iter().map(|event| event.value).sum();
    let sent: u64 = series.samples.iter().map(|sample| sample.sent.get()).sum();
    let expected = sent as f64 * 8.0 / record.series.interval.seconds();
    assert!((rate / expected - 1.0).abs() < 1e-9, "{rate} {expected}");
    assert!(trace.on("/CCTI").iter().any(|event| event.value > 0.0), "the flow's source was slowed");
}

#[test]
fn pauses_and_waits_add_up() {
    let (_, report, trace) = paused();
    let sum = |path: &str| {
        let ends = trace
            .on(path)
            .iter()
            .map(|event| if event.kind == 1 { -(event.at as f64) } else { event.at as f64 })
            .sum::<f64>();
        ends * 1e-9
    };
    let lane = &report.record.lanes[0];
    assert_eq!(lane.node, "H1");
    let paused = lane.pause.expect("PFC").paused.seconds();
    let slices = trace.on("H1:1 to S/pauses").len() as f64 / 2.0;
    // A time is rounded down to 1 ns at both ends.
    assert!(slices > 10.0 && (sum("H1:1 to S/pauses") - paused).abs() <= slices * 1e-9, "{paused}");
    let waits = lane.stalled.seconds();
    let slices = trace.on("H1:1 to S/waits").len() as f64 / 2.0;
    assert!(slices > 10.0 && (sum("H1:1 to S/waits") - waits).abs() <= slices * 1e-9, "{waits}");
}

#[test]
fn messages_last_from_their_posting_to_their_delivery() {
    let (_, report, trace) = paused();
    let completions = report.record.completions.as_ref().expect("completions are kept");
    for (flow, path) in [(0, "flow F1: H1 to H4/messages"), (3, "flow V: H1 to H5/messages")] {
        let mut recorded: Vec<_> = completions
            .messages
            .iter()
            .filter(|message| message.flow == flow)
            .map(|message| (message.posted.ps() / 1000, format!("message {}", message.number)))
            .collect();
        recorded.sort();
        let begins = trace.on(path).into_iter().filter(|event| event.kind == 1);
        let mut traced: Vec<_> = begins.map(|event| (event.at, event.name.clone())).collect();
        traced.sort();
        assert_eq!(traced, recorded);
        assert!(recorded.len() > 5, "{}", recorded.len());
    }
}

#[test]
fn a_limit_holds_for_each_kind_and_counts_the_rest() {
    let (all, limited) = (victim(100_000).1, victim(10));
    for (kind, counts) in &limited.1.kinds {
        assert_eq!(counts.written, all.kinds[kind].written.min(10), "{kind:?}");
        assert_eq!(counts.written + counts.left_out, all.kinds[kind].written, "{kind:?}");
    }
    let marks = limited.2.events.iter().filter(|event| event.name == "mark");
    assert_eq!(marks.count(), 10);
    assert_eq!(limited.1.record.digest, all.record.digest);
}

/// A user who gave `--ports` has not written the override that stands for it.
#[test]
fn a_wrong_option_is_blamed_and_no_override() {
    let scratch = Scratch::new("trace-wrong");
    for (option, said) in [
        ("--ports", "error: --ports: there is no node `nothere`\nhelp: the nodes are `H1`, `H2`, `S1`"),
        ("--flows", "error: --flows: "),
    ] {
        let output = scratch.run(&["trace", "one-flow", option, "nothere"]);
        assert_refused(&output, said);
        assert!(!text(&output.stderr).contains("--set"), "{output:?}");
    }
    let set = ["--set", "series=(ports: [\"nothere\"])"];
    assert_refused(&scratch.run(&[&["trace", "one-flow"][..], &set].concat()), "--set series=(ports");
    assert_eq!(scratch.names(), [""; 0]);
}
