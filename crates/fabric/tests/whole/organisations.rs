//! Similarities and differences of buffer organisations, on whole fabrics.

use switch_arch::spec::{ArbiterSpec, BufferingSpec};

use crate::common::{law, run, shipped};

/// Every arbiter, as a scenario has it.
fn arbiters() -> impl Iterator<Item = String> {
    ArbiterSpec::EXAMPLES.iter().map(|arbiter| ron::to_string(arbiter).expect("a spec is plain data"))
}

/// With a single destination there is no head-of-line blocking: input FIFO and virtual output queues agree to the
/// byte.
#[test]
fn input_fifo_equals_voq_for_one_destination() {
    for arbiter in arbiters() {
        let digest = |buffering: &str| {
            let sets = [&format!("switch.arbiter={arbiter}"), &format!("switch.buffering={buffering}")];
            run(&law("incast", &sets.map(String::as_str))).digest
        };
        assert_eq!(digest("InputFifo"), digest("InputVoq"), "{arbiter}");
    }
}

/// Each organisation gives results of its own, and so does a central memory in fixed parts.
#[test]
fn no_two_organisations_are_one() {
    for (name, duration) in [("santos2003", "5 ms"), ("bench-a32", "2 ms")] {
        let digest = |set: String| {
            run(&shipped(name, &[&format!("duration=\"{duration}\""), "switch.buffering=Central", &set]))
                .digest
        };
        let organisations = BufferingSpec::ALL.map(|buffering| format!("switch.buffering={buffering:?}"));
        let all = organisations.into_iter().chain(["switch.sharing=Static".to_owned()]);
        let mut digests: Vec<_> = all.map(digest).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), BufferingSpec::ALL.len() + 1, "{name}: the field has no effect");
    }
}

/// Under credits and under PFC, with every marking, a run of every organisation comes to rest without a loss, and
/// congestion is marked.
#[test]
fn every_organisation_runs_with_every_marking_under_credits_and_pfc() {
    let markings = [
        "Off",
        "Iba(threshold: 15, packet_size: 0, marking_rate: 0, victim_mask: AdapterPorts, compare: Sum, hysteresis: \"0 B\")",
        "Hp(trigger: Full, set: Naive)",
        "Hp(trigger: Full, set: Selective(Input))",
        "Hp(trigger: Full, set: Selective(InputAndOutput))",
        "Hp(trigger: Above(\"4 KiB\"), set: Selective(InputAndQueued(present: 4)), propagation: ToCongested)",
        "Hp(trigger: Full, set: Selective(InputAndOutput), timing: PresentAtEvent)",
        "Hp(trigger: Packets(2), set: Selective(InputAndOutput), timing: WhileFull, immediate: Spared)",
        "Red(kmin: \"2 KiB\", kmax: \"8 KiB\", pmax: 0.5, at: Departure)",
    ];
    for (name, duration) in [("santos2003", "1 ms"), ("roce-victim", "3 ms")] {
        for buffering in BufferingSpec::ALL {
            for marking in markings {
                let plan = shipped(
                    name,
                    &[
                        &format!("duration={duration}"),
                        "congestion_control=Mixed(marking: Off, echo: Off, response: Off)",
                        &format!("congestion_control.marking={marking}"),
                        "switch.sharing=Static",
                        &format!("switch.buffering={buffering:?}"),
                    ],
                );
                let at = format!("{name}, {buffering:?}, {marking}");
                let options = fabric::RunOptions { drain: true, ..fabric::RunOptions::default() };
                let record = fabric::simulate(&plan, options, &mut |_| {})
                    .unwrap_or_else(|stop| panic!("{at}: {stop}"));
                assert!(record.audit.drained && record.audit.delivered > 1000, "{at}");
                assert_eq!((record.audit.dropped, record.audit.under_way), (0, 0), "{at}");
                assert_eq!(record.marks.total() > 0, marking != "Off", "{at}");
            }
        }
    }
}

/// In an output-queued switch the HP proposal's full buffer is the full queue of an output. So packets are marked
/// exactly at outputs with a queue that was full. The victim's own output at the second switch is idle and marks
/// nothing, although its packets came by an input with a full buffer. With virtual output queues they are marked
/// there.
#[test]
fn a_full_output_queue_is_what_the_hp_proposal_marks() {
    let plan = |buffering: &str| {
        let immediate = "congestion_control.marking.immediate=Marked";
        run(&shipped("santos2003", &[immediate, &format!("switch.buffering={buffering}")]))
    };
    let of_victim = |record: &telemetry::RunRecord| {
        let lane = record.lanes.iter().find(|lane| (&*lane.node, &*lane.peer) == ("B", "W1"));
        lane.expect("the victim's host is at B").marks.total()
    };
    let record = plan("Output");
    let mut marked = Vec::new();
    for lane in record.lanes.iter().filter(|lane| ["A", "B"].contains(&&*lane.node)) {
        let margin = lane.trigger.expect("the HP proposal has a trigger");
        let queue = lane.output_queue.expect("an output-queued switch has queues").peak;
        assert_eq!(margin.load, queue, "{lane:?}");
        assert_eq!(lane.marks.total() > 0, margin.load > margin.limit, "{lane:?}");
        marked.extend((lane.marks.total() > 0).then_some((&*lane.node, &*lane.peer)));
    }
    assert_eq!(marked, [("A", "B"), ("B", "C1")]);
    assert_eq!(of_victim(&record), 0);
    assert!(of_victim(&plan("InputVoq")) > 0, "with virtual output queues it is marked in the full buffer");
}

/// The room of an output's queue comes before the credits of inputs. A larger queue takes in more of a burst before a
/// landing buffer is full, and holds bytes that landing buffers would otherwise hold.
#[test]
fn an_output_queue_takes_in_a_burst_before_credits_run_out() {
    let stalled = |queue: &str| {
        let sets = ["switch.buffering=Output", queue, "congestion_control=Off", "duration=200 us"];
        let record = run(&shipped("santos2003", &sets));
        let trunk = record.lanes.iter().find(|lane| (&*lane.node, &*lane.peer) == ("A", "B"));
        trunk.expect("a trunk").stalled.ps()
    };
    assert!(stalled("switch.output_buffer=\"8448 B\"") > 0);
    // Ten flows for 200 us at 1 GB/s are 2 MB.
    assert_eq!(stalled("switch.output_buffer=\"2 MiB\""), 0);
}

/// Losslessness and conservation hold, and all credits return, in every organisation.
#[test]
fn every_organisation_drains() {
    for buffering in BufferingSpec::ALL {
        for arbiter in arbiters() {
            for (name, speedup) in [("santos2003", 1.0), ("bench-a32", 2.0)] {
                let sets = [
                    &*format!("switch.arbiter={arbiter}"),
                    &*format!("switch.buffering={buffering:?}"),
                    &*format!("switch.speedup={speedup:?}"),
                    "duration=\"2 ms\"",
                ];
                let plan = shipped(name, &sets);
                let options = fabric::RunOptions { drain: true, ..fabric::RunOptions::default() };
                let record = fabric::simulate(&plan, options, &mut |_| {})
                    .unwrap_or_else(|violation| panic!("{name}, {buffering:?}, {arbiter}: {violation}"));
                assert!(
                    record.audit.drained && record.audit.delivered > 1000,
                    "{name}, {buffering:?}, {arbiter}"
                );
            }
        }
    }
}
