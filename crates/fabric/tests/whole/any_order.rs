//! Connections that take packets in any order and repeat missing ones alone, in whole runs on fabrics that drop.

use fabric::{RunOptions, Saving, simulate, simulate_saving};
use scenario::Plan;
use telemetry::{FlowRecord, RepeatTally, RunRecord};
use topology::Partition;
use units::Span;

use crate::common::{law, run, shipped};
use crate::parts::{assert_same, told};

/// Settings of a fabric that drops a third of go-back-N's packets.
const DROPS: [&str; 4] = [
    "link.flow_control=Lossy",
    "switch.buffer=\"20 KB\"",
    "adapter.max_outstanding=64",
    "adapter.max_reads=4",
];
const IRN: [&str; 2] = [
    "adapter.delivery=AnyOrder(nak: After(1))",
    "adapter.recovery=SelectiveRepeat(low: \"100 us\", high: \"320 us\")",
];

/// Returns the plan of two hosts that send to a third, with this operation.
fn plan(operation: &str, more: &[&str]) -> Plan {
    sized(operation, (64, 4), more)
}

/// Returns the same with so many messages of so many KiB outstanding.
fn sized(operation: &str, (size, outstanding): (u32, u32), more: &[&str]) -> Plan {
    let flow = |name, from, to| {
        format!(
            "(name: \"{name}\", from: \"{from}\", to: \"{to}\", start: \"0 s\", operation: {operation}, message: \"{size} KiB\", \
             load: Saturate(outstanding: {outstanding}))"
        )
    };
    let flows = format!("flows=[{}, {}]", flow("A", "A", "C"), flow("B", "B", "C"));
    law("two-to-one", &[&[flows.as_str(), "duration=\"2 ms\""], &DROPS[..], more].concat())
}

fn drained(plan: &Plan) -> RunRecord {
    let options = RunOptions { drain: true, ..RunOptions::default() };
    simulate(plan, options, &mut |_| {}).unwrap_or_else(|stop| panic!("{stop}"))
}

/// All posted data is delivered once, although much is lost. Selective repeat sends less again than go-back-N, and
/// counts what it sends in vain.
#[test]
fn missing_packets_alone_are_sent_again() {
    for operation in ["Send", "RdmaWrite", "RdmaRead"] {
        let (irn, back) = (drained(&plan(operation, &IRN)), drained(&plan(operation, &[])));
        for (record, is_irn) in [(&irn, true), (&back, false)] {
            assert!(record.audit.dropped > 0, "{operation}");
            for flow in &record.flows {
                assert!(flow.messages > 0, "{operation}, {is_irn}: {}", flow.name);
                assert_eq!(flow.delivered.get(), flow.messages * (64 << 10), "{operation}: {}", flow.name);
            }
            assert_eq!(record.transport.failed_queue_pairs, 0);
            assert_eq!(record.repeats().retransmitted, record.transport.retransmitted);
        }
        let (few, many) = (irn.repeats(), back.repeats());
        assert!(few.out_of_order > 0 && few.farthest > 0 && few.held_bytes > 0, "{operation}: {few:?}");
        assert_eq!((few.refused, many.farthest), (0, 0), "{operation}");
        assert_eq!(many.out_of_order, many.refused, "{operation}: in order, what is early is refused");
        if operation != "RdmaRead" {
            // Every packet sent is lost, refused, accepted, or there already. Requests of READs are no data.
            for (record, all) in [(&irn, few), (&back, many)] {
                assert_eq!(all.retransmitted, record.audit.dropped + all.spurious + all.refused, "{all:?}");
            }
            let for_each_loss =
                |record: &RunRecord, all: RepeatTally| all.retransmitted as f64 / record.audit.dropped as f64;
            let (once, often) = (for_each_loss(&irn, few), for_each_loss(&back, many));
            println!("{operation}: {once:.3} packets again for each loss, {often:.3} under go-back-N");
            // Once for each loss, but for what is sent in vain; go-back-N sends what was refused behind it, too.
            assert!(once < 1.05 && often > 1.5, "{operation}: {once}, {often}");
        }
    }
}

/// The order of delivery changes nothing where nothing is lost, but for the acknowledgements' answers.
#[test]
fn nothing_is_repeated_where_nothing_is_lost() {
    let record = drained(&plan(
        "Send",
        &[
            &IRN[..],
            &[
                "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"500 ns\")",
                "switch.buffer=\"100 KiB\"",
            ],
        ]
        .concat(),
    ));
    assert_eq!((record.audit.dropped, record.repeats()), (0, RepeatTally::default()));
    assert_eq!(record.transport.naks, 0);
}

/// A READ longer than the window is requested in parts: no response comes that the requester would have to refuse.
#[test]
fn no_response_beyond_the_window_is_asked_for() {
    let narrow = ["adapter.delivery=AnyOrder(window: 8, nak: After(1))", IRN[1]];
    let reads = drained(&plan("RdmaRead", &narrow));
    let all = reads.repeats();
    assert!(all.refused == 0 && all.farthest < 8, "{all:?}");
    for flow in &reads.flows {
        assert_eq!(flow.delivered.get(), flow.messages * (64 << 10), "{}", flow.name);
    }
}

/// The same record in 1, 2 and 3 parts, and after a checkpoint while packets are missing.
#[test]
fn parts_and_checkpoints_change_nothing() {
    for operation in ["Send", "RdmaWrite", "RdmaRead"] {
        let plan = plan(operation, &IRN);
        let one = told(&plan, RunOptions::default());
        for parts in [[0, 0, 1, 1], [0, 1, 2, 0]] {
            let partition = Partition::new(&parts);
            let options = RunOptions { partition: Some(&partition), ..RunOptions::default() };
            assert_same(&one, &told(&plan, options), &(operation, parts));
        }
        let mut states = Vec::new();
        let keep = &mut |_, state| states.push(state);
        let saving = Saving { every: Some(Span::from_us(333)), from: None, keep };
        let whole = simulate_saving(&plan, RunOptions::default(), saving, &mut |_| {}).expect("it runs");
        assert!(states.len() > 3, "it was saved");
        for state in &states {
            let from = Saving { every: None, from: Some(state), keep: &mut |_, _| {} };
            let resumed =
                simulate_saving(&plan, RunOptions::default(), from, &mut |_| {}).expect("it goes on");
            assert_same(&format!("{whole:#?}"), &format!("{resumed:#?}"), &operation);
        }
        assert!(whole.repeats().out_of_order > 100, "{operation}: packets are missing most of the time");
    }
}

/// RDMA WRITEs end with their last missing packet, whatever is missing before them; SENDs in order.
#[test]
fn a_write_does_not_wait_for_the_one_before_it() {
    let waits = |operation| {
        let more = [&IRN[..], &["completions=Kept"]].concat();
        let record = run(&sized(operation, (4, 64), &more));
        let all = record.completions.expect("they are kept");
        let mut overtakes = 0;
        for flow in 0..record.flows.len() as u32 {
            let own = all.messages.iter().filter(|message| message.flow == flow);
            let mut own: Vec<_> = own.map(|message| (message.number, message.completed)).collect();
            own.sort_unstable_by_key(|one| one.0);
            overtakes += own
                .windows(2)
                .filter(|two| two[1].1.is_some_and(|next| two[0].1.is_none_or(|at| at > next)))
                .count();
        }
        overtakes
    };
    assert_eq!(waits("Send"), 0);
    assert!(waits("RdmaWrite") > 0);
}

/// Switches that choose ports by chance let packets overtake each other. Where nothing is lost and only the time-out
/// tells of losses, nothing is sent again; with a negative acknowledgement for each gap, everything that is sent again
/// is sent in vain, and counted so.
#[test]
fn overtaken_packets_are_placed() {
    let chosen = |nak: &str| {
        let delivery = format!("adapter.delivery=AnyOrder(nak: {nak})");
        let sets = [
            "topology=Clos(radix: 4, host_cable: \"near\", trunk_cable: \"far\")",
            "cables={\"near\": (width: X4, speed: EDR, propagation: Delay(\"5 ns\")), \
             \"far\": (width: X4, speed: EDR, propagation: Delay(\"700 ns\"))}",
            "traffic=[Permutation(at: \"0 s\", bytes: \"256 KiB\"), Incast(at: \"2 us\", to: \"h1\", senders: 4, bytes: \"40 KiB\")]",
            "routing=Adaptive",
            "switch.selection=Random",
            &delivery,
            "adapter.recovery=SelectiveRepeat",
            "adapter.ack_timeout=10",
            "duration=\"400 us\"",
            "sample=\"50 us\"",
        ];
        shipped("bench-a32", &sets)
    };
    let plan = chosen("Never");
    let record = drained(&plan);
    let all = record.repeats();
    assert!(record.flows.iter().all(FlowRecord::complete), "all is delivered");
    assert!(all.out_of_order > 100 && all.farthest > 1, "{all:?}");
    assert_eq!((all.retransmitted, all.spurious, all.refused, record.audit.dropped), (0, 0, 0, 0));
    let hasty = drained(&chosen("After(1)")).repeats();
    assert!(hasty.retransmitted > 10, "{hasty:?}");
    assert_eq!(hasty.retransmitted, hasty.spurious);
    let (one, half) = (
        told(&plan, RunOptions::default()),
        Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 2),
    );
    assert_same(
        &one,
        &told(&plan, RunOptions { partition: Some(&half), ..RunOptions::default() }),
        &"in two parts",
    );
}
