//! Runs that end when their finite traffic is delivered.

use crate::common::{law, run};
use fabric::{RunOptions, simulate};
use scenario::{Plan, Scenario, ScenarioText};
use telemetry::{RunEnding, RunRecord};
use units::{Span, Time};

/// Traffic of six hosts that ends, with settings that it needs. Messages, stops, `until` and lists end it, and
/// messages are delivered in every way.
const FINITE: [(&str, &str, &[&str]); 17] = [
    ("permutation", "Permutation(at: \"3 us\", bytes: \"40 KiB\")", &[]),
    ("incast", "Incast(at: \"0 s\", to: \"sink\", senders: 5, bytes: \"9 KiB\")", &[]),
    (
        "repeated incast",
        "Incast(at: \"1 us\", to: \"sink\", senders: Drawn(3), bytes: \"9 KiB\", repeat: Every(interval: \"20 us\", until: \"90 us\"))",
        &[],
    ),
    ("Poisson", "Poisson(from: \"0 s\", until: \"150 us\", message: \"5000 B\", load: 0.7)", &[]),
    (
        "counted arrivals",
        "Synthetic(destinations: Uniform, arrivals: Poisson(load: 0.5), size: Uniform(least: \"1 B\", most: \"6 KiB\"), messages: 12)",
        &[],
    ),
    (
        "stopped arrivals",
        "Synthetic(destinations: Uniform, arrivals: Fixed(load: 0.5), size: Fixed(\"3 KiB\"), stop: \"80 us\")",
        &[],
    ),
    (
        "closed all-to-all",
        "Synthetic(destinations: AllToAll, arrivals: Closed(outstanding: 1), size: Fixed(\"20 KiB\"), messages: 5)",
        &[],
    ),
    (
        "closed loop with a stop",
        "Synthetic(destinations: Uniform, arrivals: Closed(outstanding: 2), size: Fixed(\"20 KiB\"), stop: \"100 us\")",
        &[],
    ),
    (
        "closed loop with messages and a late stop",
        "Synthetic(destinations: Uniform, arrivals: Closed(outstanding: 2), size: Fixed(\"20 KiB\"), messages: 3, stop: \"900 us\")",
        &[],
    ),
    (
        "closed loop with messages and an early stop",
        "Synthetic(destinations: Uniform, arrivals: Closed(outstanding: 2), size: Fixed(\"20 KiB\"), messages: 300, stop: \"90 us\")",
        &[],
    ),
    (
        "reads",
        "Synthetic(operation: RdmaRead, destinations: AllToAll, arrivals: AtOnce, size: Fixed(\"9 KiB\"), messages: 5)",
        &["adapter.max_reads=4"],
    ),
    (
        "datagrams",
        "Synthetic(transport: Ud, operation: Send, destinations: Uniform, arrivals: AtOnce, size: Fixed(\"2 KiB\"), messages: 7)",
        &[],
    ),
    ("unreliable connections", "Permutation(transport: Uc, at: \"0 s\", bytes: \"33 KiB\")", &[]),
    ("slow hosts", "Permutation(at: \"0 s\", bytes: \"33 KiB\")", &["adapter.drain_limit=\"2 Gb/s\""]),
    (
        "a slow host that takes many small messages",
        "Incast(at: \"0 s\", to: \"sink\", senders: 5, bytes: \"1 B\", repeat: Every(interval: \"50 ns\", until: \"1 us\"))",
        &["adapters={\"sink\": (drain_limit: \"300 Mb/s\")}"],
    ),
    (
        "saturation with a stop",
        "Converge(from: \"s1..s5\", to: \"sink\", start: \"0 s\", stop: \"60 us\", message: \"10 KiB\", load: Saturate(outstanding: 2))",
        &[],
    ),
    (
        "pacing with a stop",
        "Converge(from: \"s1..s5\", to: \"sink\", start: \"0 s\", jitter: \"5 us\", stop: \"60 us\", message: \"2 KiB\", load: Paced(\"1 Gb/s\"))",
        &["congestion_control=Off"],
    ),
];

/// A flow that never ends.
const ENDLESS: &str = "flows=[(name: \"B\", from: \"s1\", to: \"sink\", start: \"0 s\", message: \"64 KiB\", \
                       load: Saturate(outstanding: 4))]";

/// Returns a plan of six hosts with this traffic, until it is done or not.
fn plan(traffic: &str, background: bool, until_done: bool, duration: Span, more: &[&str]) -> Plan {
    let traffic = format!("traffic=[{traffic}]");
    let duration = format!("duration=\"{duration}\"");
    let until_done = format!("until_done={until_done}");
    let flows = if background { ENDLESS } else { "flows=[]" };
    law("incast", &[&["sample=\"1 us\"", flows, &traffic, &duration, &until_done], more].concat())
}

const LONGEST: Span = Span::from_us(2000);

/// The run ends at the very instant of the last delivery, with the events of a run of that duration. If that is a
/// picosecond less, the last message is missing. This holds for every kind of traffic that ends, alone and beside a
/// flow that does not.
#[test]
fn a_run_until_done_is_a_run_of_that_duration() {
    for ((name, traffic, more), background) in FINITE.into_iter().flat_map(|one| [(one, false), (one, true)])
    {
        let name = format!("{name}, background {background}");
        let whole = run(&plan(traffic, background, true, LONGEST, more));
        assert_eq!(whole.ended, RunEnding::Done, "{name}: {:?}", whole.finite);
        let finite = whole.finite.unwrap_or_else(|| panic!("{name} is finite"));
        assert_eq!(
            (finite.posted, finite.done),
            (finite.delivered, Some(whole.simulated.after_start())),
            "{name}"
        );
        assert!(
            finite.delivered > 4 && finite.messages.is_none_or(|all| all == finite.delivered),
            "{name}: {finite:?}"
        );
        let all = whole.completions.as_ref().expect("they are kept");
        let of_patterns =
            all.messages.iter().filter(|one| !whole.flows[one.flow as usize].named || !background);
        assert_eq!(of_patterns.filter_map(|one| one.completed).max(), finite.done, "{name}");

        let same = run(&plan(traffic, background, false, whole.simulated, more));
        assert_eq!(
            (same.digest, same.events, same.finite),
            (whole.digest, whole.events, whole.finite),
            "{name}"
        );
        assert_eq!(same.series.rows, whole.series.rows, "{name}");
        let less = run(&plan(traffic, background, false, whole.simulated - Span::from_ps(1), more));
        assert_eq!(less.finite.and_then(|finite| finite.done), None, "{name}");
    }
}

/// Ten messages of a packet each, posted at 10 us. 2,074 bytes at 32 Gb/s take 518.5 ns, and the last packet crosses
/// 2 m in 10 ns.
#[test]
fn ten_messages_are_done_when_the_wire_has_carried_them() {
    let flow = ["flows.F.start=\"10 us\"", "flows.F.message=\"2 KiB\"", "flows.F.load=Messages(10)"];
    let done = |duration: &str, until_done: &str| {
        let record = run(&law("back-to-back", &[&flow[..], &[duration, until_done, "sample=1us"]].concat()));
        (record.ended, record.simulated, record.finite.expect("it is finite").done)
    };
    let expected = Span::from_ns(10_000 + 10 * 518 + 5 + 10);
    let at = Some(expected.after_start());
    assert_eq!(done("duration=1 ms", "until_done=true"), (RunEnding::Done, expected, at));
    assert_eq!(done("duration=15195 ns", "until_done=true"), (RunEnding::Done, expected, at));
    let short = Span::from_ns(15_194);
    assert_eq!(done("duration=15194 ns", "until_done=true"), (RunEnding::NotDone, short, None));
    // A run that does not wait tells the time too.
    assert_eq!(done("duration=1 ms", "until_done=false"), (RunEnding::AtDuration, Span::from_us(1000), at));
}

/// Endless traffic goes on while the run waits, and is not waited for.
#[test]
fn the_background_sends_until_the_end() {
    let (_, incast, _) = FINITE[1];
    let record = run(&plan(incast, true, true, LONGEST, &[]));
    let (background, others) = (&record.flows[0], &record.flows[1..]);
    assert_eq!(&*background.name, "B");
    assert!(others.iter().all(telemetry::FlowRecord::complete));
    let ended = record.simulated.after_start();
    assert!(
        background.last_delivery.get().is_some_and(|last| ended.since(last) < Span::from_us(20)),
        "{background:?}"
    );
    let messages = &record.completions.as_ref().expect("they are kept").messages;
    assert!(messages.iter().any(|one| one.flow == 0 && one.completed.is_none()), "some are under way");
}

/// Series, phases and snapshots end where the run does, and do not depend on its longest time. The part of a phase
/// before the end counts whole.
#[test]
fn phases_and_series_are_those_of_the_run() {
    let (_, incast, _) = FINITE[1];
    let short = run(&plan(incast, true, true, Span::from_us(200), &[]));
    let long = run(&plan(incast, true, true, Span::from_us(900), &[]));
    let seen = |record: &RunRecord| {
        let [phase] = record.phases.as_slice() else { panic!("{:?}", record.phases) };
        let delivered = record.delivered_between(0, phase.second_half, phase.to);
        (record.digest, phase.clone(), delivered, record.series.rows.len(), record.simulated)
    };
    assert_eq!(seen(&short), seen(&long));
    let (_, phase, delivered, rows, simulated) = seen(&long);
    assert_eq!((phase.from, phase.second_half, phase.to), (Time::ZERO, Time::ZERO, simulated.after_start()));
    assert_eq!(delivered, long.flows[0].delivered);
    assert_eq!(rows as u64, simulated.ps() / 1_000_000);
}

/// A drain after the end delivers what is under way. It changes neither the digest, nor phases and series, nor the
/// time at which finite traffic was done.
#[test]
fn a_drain_follows_the_end() {
    let (_, incast, _) = FINITE[1];
    let plan = plan(incast, true, true, LONGEST, &[]);
    let drain = RunOptions { drain: true, ..RunOptions::default() };
    let drained = simulate(&plan, drain, &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"));
    let record = run(&plan);
    assert!(drained.audit.drained && drained.simulated > record.simulated);
    assert_eq!(
        (drained.digest, &drained.phases, drained.finite, drained.ended),
        (record.digest, &record.phases, record.finite, RunEnding::Done)
    );
    assert_eq!(drained.series.rows, record.series.rows);
    let all = drained.completions.expect("they are kept");
    assert!(all.messages.iter().all(|one| one.completed.is_some()));
}

/// The end does not depend on the order in which nodes take their turns, and is the same in every repetition.
#[test]
fn a_repetition_ends_alike() {
    for (name, traffic, more) in FINITE {
        let plan = plan(traffic, true, true, LONGEST, more);
        let first = run(&plan);
        for seed in [1, 2] {
            let scrambled = RunOptions { scramble: Some(seed), ..RunOptions::default() };
            let again =
                simulate(&plan, scrambled, &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"));
            assert_eq!(
                (again.digest, again.simulated, again.finite),
                (first.digest, first.simulated, first.finite),
                "{name}"
            );
        }
    }
}

/// Messages that would come after the longest time are due all the same: the run is not done when the earlier
/// messages are delivered.
#[test]
fn messages_after_the_longest_time_are_waited_for() {
    let counted = |messages: u32| {
        format!(
            "Synthetic(destinations: Uniform, arrivals: Fixed(load: 0.1), size: Fixed(\"3 KiB\"), messages: {messages})"
        )
    };
    // A host posts a message in 30.7 us.
    let longest = Span::from_us(1000);
    let some = run(&plan(&counted(30), false, true, longest, &[]));
    assert_eq!(some.ended, RunEnding::Done);
    let too_many = run(&plan(&counted(3000), false, true, longest, &[]));
    let finite = too_many.finite.expect("it is finite");
    assert_eq!((too_many.ended, too_many.simulated, finite.done), (RunEnding::NotDone, longest, None));
    assert_eq!(finite.messages, Some(6 * 3000));
    assert!(finite.posted < 6 * 34 && finite.delivered > 6 * 30, "{finite:?}");
    let closed = "Synthetic(destinations: Uniform, arrivals: Closed(outstanding: 1), size: Fixed(\"1 MiB\"), messages: 40)";
    let closed = run(&plan(closed, false, true, longest, &[]));
    assert_eq!(
        (closed.ended, closed.finite.and_then(|finite| finite.messages)),
        (RunEnding::NotDone, Some(240))
    );
}

/// Lost datagrams are never delivered, so the run reaches its longest time; lost packets of RC are sent again.
#[test]
fn lost_messages_are_waited_for_in_vain() {
    let lossy = [
        "link.flow_control=Lossy",
        "congestion_control=Off",
        "switch.buffer=\"8 KiB\"",
        "adapter.ack_timeout=8",
    ];
    let to_sink = |service: &str| {
        format!(
            "Synthetic({service}, operation: Send, senders: \"s1..s5\", receivers: \"sink\", destinations: Uniform, \
             arrivals: AtOnce, size: Fixed(\"2 KiB\"), messages: 40)"
        )
    };
    let of = |service: &str| run(&plan(&to_sink(service), false, true, Span::from_us(50_000), &lossy));
    let lost = of("transport: Ud");
    let finite = lost.finite.expect("it is finite");
    assert!(lost.dropped_packets > 0 && finite.delivered < 200, "{finite:?}");
    assert_eq!((lost.ended, finite.posted, finite.done), (RunEnding::NotDone, 200, None));
    assert_eq!(finite.delivered + lost.dropped_packets, 200);
    let again = of("transport: Rc");
    assert!(again.dropped_packets > 0 && again.transport.retransmitted > 0);
    assert_eq!((again.ended, again.finite.map(|finite| finite.delivered)), (RunEnding::Done, Some(200)));
}

/// A plan that is written out ends at the same instant.
#[test]
fn the_plan_that_is_written_repeats_the_run() {
    let (_, incast, _) = FINITE[1];
    let plan = plan(incast, true, true, LONGEST, &[]);
    let source = ScenarioText::new("incast.ron", &plan.resolved());
    let again = Scenario::read(&source).and_then(|scenario| scenario.check(&source)).expect("it can be read");
    assert!(again.until_done() && again.digest() == plan.digest());
    assert_eq!((run(&again).digest, run(&again).simulated), (run(&plan).digest, run(&plan).simulated));
    assert_ne!(law("incast", &[]).digest(), law("incast", &["until_done=true", ENDED]).digest());
}

const ENDED: &str = "flows.F1.load=Messages(1)";
