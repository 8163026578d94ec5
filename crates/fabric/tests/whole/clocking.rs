//! A rate is not clocked by acknowledgements: until the first notification is back, a source sends on.

use crate::common::{law, run};
use units::{Bytes, Rate, Span};

/// Room for every packet.
const ROOM: [&str; 5] = [
    "duration=\"1 ms\"",
    "sample=\"1 ms\"",
    "switch.buffer=\"128 KiB\"",
    "adapter.receive_buffer=\"128 KiB\"",
    "congestion_control.marking.trigger=Above(\"8 KiB\")",
];

/// Returns the largest occupancy of the switch's input buffers. Two hosts send to a third host over `metres` of cable
/// each, from a start at full rate. The switch marks once a buffer holds more than 8 KiB, and has room for every
/// packet.
fn largest_queue(metres: u64, response: &str) -> Bytes {
    let sets = [
        format!("cables.link.propagation=Cable(\"{metres} m\")"),
        format!("congestion_control.response=({response}, rpi_after_decrease: Reloaded)"),
    ];
    let sets: Vec<_> = sets.iter().map(String::as_str).chain(ROOM).collect();
    let record = run(&law("identical-flows", &sets));
    let inputs = record.lanes.iter().filter(|lane| lane.node == "S" && lane.peer.starts_with('H'));
    inputs.map(|lane| lane.peak).max().expect("two hosts send")
}

/// "Not self-clocked (may inject too many packets before notified of congestion)", of a rate alone; "maximum window
/// provides self-clocking": slides of the HP proposal, "Approach". Two flows at full rate share an output, so each
/// leaves half of its packets in its buffer. That lasts until a mark has reached the receiver and its acknowledgement
/// the source: over two cables and back. A window leaves no more than itself there, however long the cables.
#[test]
fn a_rate_sends_on_until_it_is_notified_and_a_window_does_not() {
    const LONGEST: Bytes = Bytes::new(2090);
    let half = Rate::gbps(4);
    for metres in [10, 500, 1000] {
        let way = Span::from_ns(5 * metres) * 4;
        let rate = largest_queue(metres, "rate: Lipd(max_ipd: 255)");
        let threshold = Bytes::kib(8);
        let unnoticed = half.amount_in(way);
        assert!(rate >= threshold + unnoticed, "{metres} m: {rate} with a rate alone");
        for packets in [1, 4] {
            let window = largest_queue(metres, &format!("window: Fixed({packets})"));
            // Credits are in whole blocks.
            assert!(window <= (LONGEST + Bytes::new(64)) * packets, "{metres} m: {window} with {packets}");
            let both = largest_queue(metres, &format!("rate: Lipd(max_ipd: 255), window: Fixed({packets})"));
            assert!(both <= window, "{metres} m: {both} with a rate and {packets}");
        }
    }
}
