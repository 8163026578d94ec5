//! Completion times: a message alone in the fabric takes its ideal time.

use crate::common::{law, run};
use units::Bytes;

/// One message of some packets over switches in a row: to the picosecond, for every transport and operation, however
/// it is forwarded, over even and uneven wires, and with slow hosts.
#[test]
fn a_message_alone_has_a_slowdown_of_one() {
    let ways = [
        vec!["switch.forwarding=CutThrough"],
        vec!["switch.forwarding=StoreAndForward"],
        vec!["cables.edge.speed=DDR"],
        vec!["cables.core.speed=DDR"],
        vec!["adapter.injection_limit=\"10 Gb/s\""],
        vec!["adapter.drain_limit=\"9 Gb/s\""],
        vec!["cables.core.speed=SDR", "adapter.injection_limit=\"9 Gb/s\"", "adapter.drain_limit=\"7 Gb/s\""],
        vec!["flows.F.transport=Uc"],
        vec!["flows.F.transport=Rd"],
        vec!["flows.F.operation=RdmaWrite"],
        // The credit for its request precedes the response: here it takes no time.
        vec!["flows.F.operation=RdmaRead", "adapter.max_reads=1", "link.flow_control.wire_time=Free"],
    ];
    for way in &ways {
        for size in ["1 B", "2 KiB", "3000 B", "14 KiB", "20 KiB"] {
            let message = format!("flows.F.message=\"{size}\"");
            let record = run(&law("chain", &[&way[..], &[&message]].concat()));
            let all = record.completions.expect("they are kept by default");
            assert_eq!((all.posted, all.messages.len()), (1, 1), "{way:?} {size}");
            let one = all.messages[0];
            assert_eq!(one.size, size.parse::<Bytes>().unwrap());
            assert_eq!(one.time(), one.ideal, "{way:?} {size}");
        }
    }
}

/// A long message is delayed only by the flow-control packets for its acknowledgements on its own wire.
#[test]
fn a_long_message_alone_has_a_slowdown_of_little_more() {
    for way in ["switch.forwarding=CutThrough", "cables.core.speed=SDR", "adapter.drain_limit=\"7 Gb/s\""] {
        let sets = ["flows.F.message=\"10 MiB\"", "duration=\"20 ms\"", "sample=\"20 ms\"", way];
        let record = run(&law("chain", &sets));
        let one = record.completions.expect("they are kept by default").messages[0];
        let slowdown = one.slowdown();
        assert!((1.0..1.001).contains(&slowdown), "{way}: {slowdown}");
    }
}

/// Two messages to one host at once: the second waits for the first.
#[test]
fn a_message_behind_another_takes_twice_as_long() {
    let posted = "flows.F.load=Messages(2)";
    let record = run(&law("chain", &[posted, "flows.F.message=\"200 KiB\"", "duration=\"1 ms\""]));
    let all = record.completions.expect("they are kept by default").messages;
    assert_eq!(all.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2]);
    let slowdowns = [all[0].slowdown(), all[1].slowdown()];
    assert!((slowdowns[0] - 1.0).abs() < 0.01, "{slowdowns:?}");
    assert!((slowdowns[1] - 2.0).abs() < 0.03, "{slowdowns:?}");
}

#[test]
fn completions_not_recorded_are_absent() {
    let record = run(&law("chain", &["completions=NotKept"]));
    assert!(record.completions.is_none());
}
