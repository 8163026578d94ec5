//! Completion times: a message alone in the fabric takes its ideal time.

use crate::common::{law, run};
use units::{Bytes, Span};

/// A message of some packets over switches in a row takes its ideal time, to the picosecond. This holds for every
/// transport, operation and way of forwarding, over even and uneven wires, and with slow hosts.
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
            assert_eq!((all.messages.len(), all.delivered().len()), (1, 1), "{way:?} {size}");
            let one = all.messages[0];
            assert_eq!(one.size, size.parse::<Bytes>().unwrap());
            assert_eq!(one.time(), Some(one.ideal), "{way:?} {size}");
        }
    }
}

/// A message alone is stored and forwarded over four wires of 32 Gb/s. It is complete for its source once its
/// acknowledgement is back: a packet of 30 bytes instead of 2,074.
#[test]
fn a_message_is_acknowledged_once_its_acknowledgement_is_back() {
    let free = ["switch.forwarding=StoreAndForward", "link.flow_control.wire_time=Free"];
    let alone = |more: &[&str]| {
        let all = run(&law("chain", &[&free[..], more].concat())).completions;
        all.expect("they are kept by default").messages[0]
    };
    for transport in ["Rc", "Rd"] {
        let one = alone(&[&format!("flows.F.transport={transport}")]);
        let ack = one.acknowledged.expect("RC and RD acknowledge");
        assert_eq!(ack.at.since(one.posted), ack.ideal, "{transport}");
        if transport == "Rc" {
            assert_eq!(Some(ack.ideal + Span::from_ns(2044)), one.time().map(|time| time * 2));
        }
    }
    let long = alone(&["flows.F.message=\"20 KiB\"", "cables.core.speed=DDR"]);
    let ack = long.acknowledged.expect("RC acknowledges");
    assert_eq!(ack.at.since(long.posted), ack.ideal);
    assert_eq!(alone(&["flows.F.transport=Uc"]).acknowledged, None);
    let read = alone(&["flows.F.operation=RdmaRead", "adapter.max_reads=1"]);
    let ack = read.acknowledged.expect("a READ is acknowledged by its responses");
    assert_eq!((Some(ack.at), ack.ideal), (read.completed, read.ideal));
}

/// The host takes its time, and the acknowledgement does not wait for it.
#[test]
fn a_slow_host_does_not_hold_back_the_acknowledgement() {
    let sets =
        |limit: &str| ["flows.F.message=\"20 KiB\"".to_owned(), format!("adapter.drain_limit={limit}")];
    let at = |limit| {
        let sets = sets(limit);
        let all = run(&law("chain", &[&sets[0], &sets[1]])).completions;
        let one = all.expect("they are kept by default").messages[0];
        (one.acknowledged.expect("RC acknowledges").at, one.completed)
    };
    let (fast, slow) = (at("\"32 Gb/s\""), at("\"4 Gb/s\""));
    assert_eq!(fast.0, slow.0);
    assert!(slow.1 > Some(slow.0));
}

/// A long message is delayed only by the flow-control packets for its acknowledgements on its own wire.
#[test]
fn a_long_message_alone_has_a_slowdown_of_little_more() {
    for way in ["switch.forwarding=CutThrough", "cables.core.speed=SDR", "adapter.drain_limit=\"7 Gb/s\""] {
        let sets = ["flows.F.message=\"10 MiB\"", "duration=\"20 ms\"", "sample=\"20 ms\"", way];
        let record = run(&law("chain", &sets));
        let one = record.completions.expect("they are kept by default").messages[0];
        let slowdown = one.slowdown(one.time().expect("it is delivered"));
        assert!((1.0..1.001).contains(&slowdown), "{way}: {slowdown}");
    }
}

/// Two messages to the same host at once: the second waits for the first.
#[test]
fn a_message_behind_another_takes_twice_as_long() {
    let posted = "flows.F.load=Messages(2)";
    let record = run(&law("chain", &[posted, "flows.F.message=\"200 KiB\"", "duration=\"1 ms\""]));
    let all = record.completions.expect("they are kept by default").messages;
    assert_eq!(all.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2]);
    let slowdowns =
        [0, 1].map(|place: usize| all[place].slowdown(all[place].time().expect("both are delivered")));
    assert!((slowdowns[0] - 1.0).abs() < 0.01, "{slowdowns:?}");
    assert!((slowdowns[1] - 2.0).abs() < 0.03, "{slowdowns:?}");
}

/// The first of three messages at once is delivered by the end of the run; the others are recorded with their age.
/// Behind a slow host, the source knows of a message's end before its delivery.
#[test]
fn messages_that_were_not_delivered_are_recorded() {
    let posted = "flows.F.load=Messages(3)";
    let sets = [posted, "flows.F.message=\"200 KiB\"", "duration=\"100 us\"", "sample=\"100 us\""];
    let all = run(&law("chain", &sets)).completions.expect("they are kept by default");
    assert_eq!(all.messages.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(all.delivered().len(), 1);
    for one in &all.messages[1..] {
        assert_eq!((one.completed, one.acknowledged, one.posted), (None, None, all.messages[0].posted));
        assert_eq!(one.age(all.end), Span::from_us(100) - all.messages[0].posted.since_start());
    }
    let slow = ["flows.F.message=\"20 KiB\"", "adapter.drain_limit=\"1 Gb/s\"", "duration=\"100 us\""];
    let all = run(&law("chain", &[&slow[..], &["sample=\"100 us\""]].concat())).completions;
    let one = all.expect("they are kept by default").messages[0];
    assert!(one.completed.is_none() && one.acknowledged.is_some(), "{one:?}");
}

#[test]
fn completions_not_recorded_are_absent() {
    let record = run(&law("chain", &["completions=NotKept"]));
    assert!(record.completions.is_none());
}
