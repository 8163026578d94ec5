//! Remarks of small runs, each against numbers of the run's record that the remark does not come from.

use backwater::{FinishedRun, Simulation};
use results::remarks::RemarkKind;
use telemetry::MessageRecord;

/// Runs a scenario that keeps completion times.
fn run(scenario: &str, sets: &[&str]) -> FinishedRun {
    let simulation = Simulation::find(scenario).expect("it ships").set("completions=Kept").expect("a field");
    let set = |simulation: Simulation, set: &&str| simulation.set(set).expect("a field");
    sets.iter().fold(simulation, set).run().expect("it runs to its end")
}

/// Returns the texts of the remarks about a subject, which are also printed.
fn about(run: &FinishedRun, kind: RemarkKind) -> String {
    let texts = run.summary.remarks.iter().filter(|remark| remark.about == kind).map(|remark| &*remark.text);
    let texts: Vec<_> = texts.collect();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let [brief, tables] = [run.printed(), run.tables_within(100)].map(|text| words(&text));
    for text in &texts {
        assert!(brief.contains(text) && tables.contains(text), "{text}");
    }
    texts.concat()
}

/// Hosts send to random others, one message at a time, and in the end each of them waits for its message to the
/// receiver of an incast. Their median is that of an idle fabric.
#[test]
fn hosts_of_a_closed_loop_that_stand_still_are_counted() {
    let traffic = "traffic=[Synthetic(name: \"random\", destinations: Uniform, size: Fixed(\"16 KiB\"), \
                   arrivals: Closed(outstanding: 1), start: \"0 s\"), \
                   Incast(name: \"storage\", at: \"100 us\", to: \"h1\", senders: 31, bytes: \"2 MiB\")]";
    let run = run("bench-a32", &[traffic, "duration=1 ms", "sample=10 us"]);
    let text = about(&run, RemarkKind::ClosedLoop);
    let own = &run.summary.closed_loops[0];
    let all = run.record.completions.as_ref().expect("they are kept");
    let random = |one: &&MessageRecord| run.record.flows[one.flow as usize].group == Some(0);
    let waits =
        |one: &&MessageRecord| one.acknowledged.is_none() && one.age(all.end).ps() > 11 * one.ideal.ps();
    let still = all.messages.iter().filter(random).filter(waits).count();
    assert!(still > 16, "{still} of 32 hosts wait");
    assert!(own.still_hosts_at_end <= still && own.still_hosts_at_end + 2 >= still, "{own:?}, not {still}");
    assert!(
        text.contains(&format!("of 32 hosts stand still on average, {} at the end", own.still_hosts_at_end))
    );
    let delivered = all.delivered().iter().filter(random).count();
    assert_eq!(own.messages_per_s, (delivered as f64 / 1e-3).round(), "some are outstanding at 1 ms");
    let group = &run.summary.groups[0].messages;
    assert!(group.slowdown.expect("it posts").p50.at_least() < 2.0, "{group:?}");
    assert!(own.messages_per_s < 0.7 * own.alone_messages_per_s.expect("one message at a time"), "{own:?}");
}

/// Under D-mod-k no stage of an all-to-all has two flows on a cable; messages take as long as alone.
#[test]
fn an_all_to_all_in_stages_is_said_to_be_in_lockstep() {
    let traffic = |size: &str| {
        format!(
            "traffic=[Synthetic(name: \"a2a\", destinations: AllToAll, size: {size}, arrivals: Closed(outstanding: 1), \
             start: \"0 s\", messages: 31)]"
        )
    };
    let (step, mixed) =
        (traffic("Fixed(\"16 KiB\")"), traffic("Uniform(least: \"1 KiB\", most: \"31 KiB\")"));
    let run = |traffic: &str| run("bench-a32", &[traffic, "duration=1 ms", "sample=10 us"]);
    let [step, mixed] = [run(&step), run(&mixed)];
    let p99 = |run: &FinishedRun| run.summary.groups[0].messages.slowdown.expect("it posts").p99.at_least();
    assert!(about(&step, RemarkKind::Lockstep).contains("no two flows of a stage leave by the same output"));
    assert!(p99(&step) < 1.01, "{}", p99(&step));
    assert_eq!(about(&mixed, RemarkKind::Lockstep), "");
    assert!(p99(&mixed) > 1.1, "{}", p99(&mixed));
}

/// A message of 256 KiB waits in the receiver's buffer and its switch's: no output but the receiver's is stalled.
#[test]
fn a_host_that_takes_little_is_named_although_there_is_no_tree() {
    let traffic = "traffic=[Incast(at: \"0 s\", to: \"h1\", senders: 1, bytes: \"200 KiB\")]";
    let slow = "adapters={\"h1\": (drain_limit: \"1 Mb/s\")}";
    let run = run("bench-a32", &[traffic, slow, "duration=1 ms", "sample=10 us"]);
    assert_eq!(run.record.congestion.roots.len(), 0, "{:?}", run.record.congestion.roots);
    let text = about(&run, RemarkKind::SlowHost);
    assert!(
        text.starts_with("Host h1 holds up its link: it takes 1 Mb/s at most, and leaf1 port "),
        "{text}"
    );
    let taken: u64 = run.record.flows.iter().map(|flow| flow.delivered.get()).sum();
    assert_eq!(run.summary.slow_hosts[0].took_bps, (taken as f64 * 8.0 / 1e-3).round());
}

#[test]
fn traffic_that_is_over_early_is_said_with_the_time() {
    let traffic = "traffic=[Incast(at: \"0 s\", to: \"h1\", senders: 3, bytes: \"64 KiB\")]";
    let sets = [traffic, "duration=1 ms", "sample=10 us"];
    let run = run("bench-a32", &sets);
    let text = about(&run, RemarkKind::TrafficEnded);
    let last =
        run.record.flows.iter().filter_map(|flow| flow.last_delivery.get()).max().expect("it delivers");
    assert!(text.starts_with(&format!(
        "All traffic was delivered at {}",
        measures::spelling::instant(last.seconds())
    )));
    let waits = Simulation::find("bench-a32").and_then(|simulation| {
        sets.iter().try_fold(simulation, |simulation, set| simulation.set(set))?.until_done(None)
    });
    let done = waits.expect("it has an end").run().expect("it runs");
    assert_eq!(about(&done, RemarkKind::TrafficEnded), "");
}

/// A message of 512 KiB leaves its host at 400 Gb/s before its first marked packet is through the queue; 16 MiB do not.
#[test]
fn notifications_that_come_too_late_are_counted() {
    let traffic = |senders, bytes: &str| {
        format!(
            "traffic=[Incast(at: \"0 s\", to: \"h1\", senders: OtherRacks({senders}), bytes: \"{bytes}\")]"
        )
    };
    let run = |traffic: String| {
        run("roce400-leaf-spine", &[&traffic, "flows=[]", "duration=600 us", "sample=10 us"])
    };
    let short = run(traffic(32, "512 KiB"));
    let tally = &short.summary.transport;
    assert!(tally.becns > 100 && tally.late_becns * 10 > tally.becns * 9, "{tally:?}");
    let text = about(&short, RemarkKind::LateNotifications);
    assert!(
        text.starts_with(&format!("{} of {} notifications reached", tally.late_becns, tally.becns)),
        "{text}"
    );
    let long = run(traffic(4, "16 MiB"));
    assert!(long.summary.transport.becns > 0 && long.summary.transport.late_becns == 0);
    assert_eq!(about(&long, RemarkKind::LateNotifications), "");
}

/// A window of two packets is less than the cable's round trip; the default is as good as buffers of the inputs' own.
#[test]
fn a_central_memory_carries_what_others_do_or_says_why_not() {
    let traffic = "traffic=[Poisson(from: \"0 s\", until: \"300 us\", message: \"16 KiB\", load: 0.5)]";
    let goodput = |more: &[&str]| {
        let run = run("bench-a32", &[&[traffic, "duration=300 us", "sample=10 us"], more].concat());
        (run.summary.phases[0].total_goodput_bps, about(&run, RemarkKind::ShortWindow))
    };
    let (inputs, _) = goodput(&["switch.buffering=InputVoq"]);
    let (central, said) = goodput(&["switch.buffering=Central"]);
    assert!(central > 0.95 * inputs && said.is_empty(), "{central} of {inputs}: {said}");
    let two = ["switch.buffering=Central", "switch.sharing=Complete(guaranteed: \"8320 B\")"];
    let (little, said) = goodput(&two);
    assert!(little < 0.7 * inputs, "{little} of {inputs}");
    assert!(said.contains("credits run 8,320 B ahead of the load, 2.0 packets: at most "), "{said}");
}

/// A selector that is for no packet changes no event, and the remark says so; where it is for all, it does, and there
/// is none.
#[test]
fn a_selector_without_packets_is_said_and_changes_nothing() {
    let all = ["switch.selection=RoundRobin"];
    let none = ["switch.selection=RoundRobin", "switch.selected_packets=(services: [Ud])"];
    let [hash, all, none] =
        [&["switch.selection=Hash"][..], &all, &none].map(|sets| run("paths-incast", sets));
    assert_eq!(none.record.digest, hash.record.digest);
    assert_ne!(all.record.digest, hash.record.digest);
    let text = about(&none, RemarkKind::WithoutEffect);
    assert!(
        text.starts_with("`switch.selection: RoundRobin` chooses for no packet: `selected_packets`"),
        "{text}"
    );
    assert_eq!([&hash, &all].map(|run| about(run, RemarkKind::WithoutEffect)), ["", ""]);
}

/// Without marks REPS recycles the value of every acknowledged packet; a number of marks changes its choices.
#[test]
fn an_entropy_without_its_signal_is_said() {
    let run = |sets: &[&str]| run("paths-incast", &[&["adapter.entropy=Reps"], sets].concat());
    let off = run(&["congestion_control=Off"]);
    assert!(
        about(&off, RemarkKind::WithoutEffect).starts_with("`adapter.entropy: Reps` has no signal of queues")
    );
    let marked = run(&["congestion_control=Guideline"]);
    assert!(marked.summary.transport.becns > 0, "{:?}", marked.summary.transport);
    assert_eq!(about(&marked, RemarkKind::WithoutEffect), "");
}
