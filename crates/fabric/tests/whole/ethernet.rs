//! Ethernet: the length of frames on the wire.

use packet::{Framing, Mtu, Opcode, TransportService};
use units::{Bytes, Rate, Span};

use crate::common::{law, run};

/// Time of a data packet without a RETH on an Ethernet wire, by hand. Bytes: preamble 8, Ethernet 14, tag 4, IPv4 20,
/// UDP 8, BTH 12, ICRC 4, FCS 4, gap 12.
fn frame_time(payload: u64, rate: Rate) -> Span {
    rate.time_for(Bytes::new(86 + payload))
}

/// A lone flow gets exactly a frame in each frame time, for rates from 1 to 800 Gb/s and every MTU.
#[test]
fn a_lone_flow_gets_the_wire() {
    for gbps in [1, 10, 25, 40, 100, 200, 400, 800] {
        for mtu in Mtu::ALL.into_iter().chain(Mtu::OF_ETHERNET) {
            let plan = law(
                "back-to-back",
                &[
                    &format!("cables.wire=(rate: \"{gbps} Gb/s\", propagation: Cable(\"2 m\"))"),
                    "link.framing=RoCEv2",
                    &format!("link.mtu=\"{}\"", Bytes::from(mtu)),
                ],
            );
            let record = run(&plan);
            let (middle, end) = (&record.snapshots[1], &record.snapshots[2]);
            let delivered = (end.delivered[0] - middle.delivered[0]).get() as f64;
            let time = frame_time(u64::from(mtu.bytes()), Rate::gbps(gbps)).ps() as f64;
            let off = delivered / f64::from(mtu.bytes()) - (end.at - middle.at).ps() as f64 / time;
            assert!(off.abs() < 2.0, "{gbps} Gb/s, {mtu:?}: {off} packets off");
        }
    }
}

/// A switch cuts through once the header with the destination has arrived: 46 bytes with everything before it.
#[test]
fn latency_is_the_sum_of_its_parts() {
    let rate = Rate::gbps(40);
    let sets = [
        "cables.edge=(rate: \"40 Gb/s\", propagation: Cable(\"3 m\"))",
        "cables.core=(rate: \"40 Gb/s\", propagation: Cable(\"20 m\"))",
        "link.framing=RoCEv2",
    ];
    let flight = Span::from_ns(15) * 2 + Span::from_ns(100) * 2 + Span::from_ns(150) * 3;
    let header = rate.time_for(Bytes::new(46));
    let record = run(&law("chain", &sets));
    assert_eq!(record.flows[0].latency_max, flight + header * 3 + frame_time(2048, rate));
    let stored = run(&law("chain", &[&sets[..], &["switch.forwarding=StoreAndForward"]].concat()));
    assert_eq!(stored.flows[0].latency_max, flight + frame_time(2048, rate) * 4);
    let frame = Framing::RoCEv2.bytes(TransportService::Rc, Opcode::SendOnly, 2048);
    let lane = record.lanes.iter().find(|lane| lane.node == "A").expect("the source has a port");
    assert_eq!(
        lane.sent,
        Bytes::new(u64::from(frame)),
        "bytes are counted as sent in the length that buffers hold"
    );
}
