//! Contention under static routes: the load of the busiest link, which is known on paper, decides when the last of many
//! equal messages is complete.

use crate::common::{law, run};
use telemetry::MessageRecord;
use units::{Bytes, Rate, Span};

/// A cable of 32 Gb/s of data.
const DATA: Rate = Rate::gbps(32);

/// Runs a fabric in which every host sends a message at the start, and returns the messages. There are no
/// acknowledgements, and flow-control packets take no time: only data meets data.
fn exchange(topology: &str, destinations: &str, kib: u64) -> Vec<MessageRecord> {
    exchange_of(topology, &pattern(destinations, 1, kib, ""))
}

/// Returns traffic with `messages` messages from each host at the start.
fn pattern(destinations: &str, messages: u32, kib: u64, hosts: &str) -> String {
    format!(
        "Synthetic(destinations: {destinations}, arrivals: AtOnce, messages: {messages}, size: Fixed(\"{kib} KiB\"), \
         {hosts}transport: Uc)"
    )
}

/// Runs a fabric with such traffic.
fn exchange_of(topology: &str, traffic: &str) -> Vec<MessageRecord> {
    let traffic = format!("traffic=[{traffic}]");
    let topology = format!("topology={topology}");
    // Only dragonflies among these have paths of two layers.
    let layers = if topology.contains("Dragonfly") { "layer_lanes=Changed" } else { "layer_lanes=Kept" };
    let sets =
        [layers, "flows=[]", "duration=\"10 ms\"", "link.data_lanes=2", "link.flow_control.wire_time=Free"];
    let record = run(&law("leaf-spine", &[&[topology.as_str(), &traffic], &sets[..]].concat()));
    record.completions.expect("they are kept by default").messages
}

/// Returns the time of each message.
fn times(messages: &[MessageRecord]) -> Vec<Span> {
    messages.iter().map(|one| one.time().expect("every message is complete")).collect()
}

/// Returns the time of the last message.
fn last(messages: &[MessageRecord]) -> Span {
    times(messages).into_iter().max().expect("there are messages")
}

/// Asserts that an exchange takes as long as the payload of the link with the highest load takes on its wire. A
/// twentieth more is allowed, for headers, latency and packets that wait elsewhere meanwhile.
fn assert_load(topology: &str, destinations: &str, load: u64) {
    const KIB: u64 = 256;
    let time = last(&exchange(topology, destinations, KIB));
    assert_on_wire(&format!("{topology}, {destinations}"), time, Bytes::kib(KIB) * load);
}

/// Asserts that a time is the time of these bytes on a wire, and up to a twentieth more.
fn assert_on_wire(of: &str, time: Span, bytes: Bytes) {
    let wire = DATA.time_for(bytes);
    assert!(time > wire, "{of}: {time}, less than {wire} on one wire");
    assert!(time < wire + wire / 20, "{of}: {time}, far more than {wire} on one wire");
}

/// Destination-mod-k is free of contention for every shift on a full tree with hosts in its order, and for exchanges
/// by complement (Zahavi 2010). Each message takes the same time as alone.
#[test]
fn shifts_are_free_of_contention_on_a_full_tree() {
    const FULL: &str = "FatTree(down: [4, 4], up: [4], host_cable: \"wire\", trunk_cable: \"wire\")";
    let alone = |destinations: &str| {
        let messages = exchange(FULL, destinations, 64);
        assert!(messages.len() >= 12, "{destinations}");
        messages.iter().all(|one| one.time() == Some(one.ideal))
    };
    for shift in 1..16 {
        assert!(alone(&format!("Shift({shift})")), "shift by {shift}");
    }
    assert!(alone("Bits(Complement)"));
    // The hosts of a leaf send to destinations with the same residue by the number of spines, and so by the same
    // spine.
    assert!(!alone("Bits(Reverse)"));
    assert!(!alone("Bits(Transpose)"));
}

/// A thinned tree has N hosts, h to a leaf, and u spines. So c = min(s, h, N - s) flows of the shift by s leave each
/// leaf. They are dealt out evenly, so that the busiest link carries c / u, rounded up. Over all shifts that makes 26
/// and 48 messages on a wire with 2 spines and with 1, where the full tree has 15.
#[test]
fn shifts_on_a_thinned_tree_take_the_load_of_their_busiest_link() {
    const HOSTS: u64 = 16;
    const LEAF: u64 = 4;
    for (spines, in_all) in [(4, 15), (2, 26), (1, 48)] {
        let tree = format!(
            "FatTree(down: [{LEAF}, {LEAF}], up: [{spines}], host_cable: \"wire\", trunk_cable: \"wire\")"
        );
        let load = |shift: u64| shift.min(LEAF).min(HOSTS - shift).div_ceil(spines).max(1);
        assert_eq!((1..HOSTS).map(load).sum::<u64>(), in_all);
        for shift in 1..HOSTS {
            assert_load(&tree, &format!("Shift({shift})"), load(shift));
        }
    }
}

/// Minimal routes of a dragonfly: all p hosts of all a routers of a group send to another group. The only cable
/// between these groups carries a p flows, so that each gets 1/(a p) (Kim, Dally, Scott and Abts 2008). Packets
/// change their lane behind that cable. With the same lane on the whole path, they would wait behind the group's own
/// packets for the next cable. The exchange would take five times as long.
#[test]
fn a_group_of_a_dragonfly_is_reached_by_one_cable() {
    // Four routers with two global cables each: nine groups, with a cable between any two.
    const NINE: &str = "Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"wire\", local_cable: \"wire\", \
                        global_cable: \"wire\")";
    for groups_on in [1, 2, 4, 8] {
        assert_load(NINE, &format!("Shift({})", 8 * groups_on), 8);
    }
}

/// In a grid with a single dimension, where all switches are neighbours, the t hosts of a switch share the cable to
/// the next.
#[test]
fn hosts_of_a_switch_share_the_cable_to_its_neighbour() {
    for (hosts, switches) in [(3, 4), (2, 5)] {
        let grid = format!(
            "HyperX(sizes: [{switches}], hosts: {hosts}, host_cable: \"wire\", trunk_cable: \"wire\")"
        );
        assert_load(&grid, &format!("Shift({hosts})"), hosts);
    }
}

/// All to all at once on a thinned tree. The h hosts of a leaf have N - h messages each for other leaves, over u
/// cables. No order of service can beat that, nor a host's own link; turns of round robin come near it.
#[test]
fn an_exchange_of_all_to_all_takes_the_cables_of_a_leaf() {
    const KIB: u64 = 64;
    for (spines, load) in [(4, 15), (2, 24), (1, 48)] {
        let tree =
            format!("FatTree(down: [4, 4], up: [{spines}], host_cable: \"wire\", trunk_cable: \"wire\")");
        let time = last(&exchange_of(&tree, &pattern("AllToAll", 15, KIB, "")));
        assert_on_wire(&format!("{spines} spines"), time, Bytes::kib(KIB) * load);
    }
}

/// Two tenants on whole leaves do not meet: each message takes as long as without the other tenant, to the
/// picosecond. On every second host of each leaf they share the only spine.
#[test]
fn tenants_of_whole_leaves_do_not_meet() {
    const ONE_SPINE: &str = "FatTree(down: [4, 4], up: [1], host_cable: \"wire\", trunk_cable: \"wire\")";
    let hosts = |numbers: &[u32]| {
        let names: Vec<_> = numbers.iter().map(|number| format!("\"h{number}\"")).collect();
        format!("senders: [{0}], receivers: [{0}], ", names.join(", "))
    };
    let together = |first: &[u32], second: &[u32]| {
        let [first, second] = [first, second].map(|of| pattern("Shift(4)", 1, 64, &hosts(of)));
        let alone = exchange_of(ONE_SPINE, &first);
        assert_eq!(alone.len(), 8);
        let both = exchange_of(ONE_SPINE, &format!("{first}, {second}"));
        assert_eq!(both.len(), 16);
        // Messages stand in the order in which they are complete.
        let own: Vec<_> = both.into_iter().filter(|one| one.flow < 8).collect();
        (times(&alone), times(&own))
    };
    let (alone, beside) = together(&[1, 2, 3, 4, 5, 6, 7, 8], &[9, 10, 11, 12, 13, 14, 15, 16]);
    assert_eq!(alone, beside);
    let (alone, beside) = together(&[1, 3, 5, 7, 9, 11, 13, 15], &[2, 4, 6, 8, 10, 12, 14, 16]);
    assert!(beside.iter().max() > alone.iter().max().map(|most| *most + *most / 2).as_ref());
}
