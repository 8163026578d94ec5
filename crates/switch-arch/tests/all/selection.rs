//! Selectors against known answers: what every one promises, and laws of queues that they feed.
//!
//! The laws are slotted: in each slot every input has a packet with probability p, and every uplink sends one.

use event_kernel::stream;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PortId, Psn, QpNumber, ServiceLevel,
    TransportService,
};
use rand::RngExt;
use switch_arch::selection::{AnySelector, Choice, Loads, Selector, SelectorSetup};
use switch_arch::spec::{
    ChoicesSpec, FlowletChoice, FlowletSpec, LeastLoadedSpec, RoundRobinSpec, SelectionSpec, TieSpec,
    TurnsSpec,
};
use topology::{Clos, ForwardingTable, RoutingSpec, Topology, TopologySpec};
use units::{Bytes, Span, Time};

const PACKET: u64 = 2048;

/// A two-tier Clos network of this radix: half of a leaf's ports are uplinks.
fn clos(radix: u16) -> Topology {
    let clos = Clos { radix, host_cable: "c".to_owned(), trunk_cable: "c".to_owned() };
    let spec = TopologySpec::Clos(clos);
    spec.build(&["c"]).expect("a fabric")
}

fn table(topology: &Topology) -> ForwardingTable {
    let routes = topology.routes(&RoutingSpec::Ecmp, 1).expect("any fabric");
    routes.table(topology.graph().find("leaf1").expect("a leaf")).clone()
}

fn packet(flow: u32, to: Lid) -> Packet {
    let bth = Bth {
        destination_qp: QpNumber(flow),
        psn: Psn::new(0),
        opcode: Opcode::SendOnly,
        transport: TransportService::Ud,
        flags: BthFlags::empty(),
    };
    let lrh = Lrh::new(Lid(1), to, Lane(0), ServiceLevel(0));
    Packet::new(lrh, bth, QpNumber(flow), FlowId(flow), PACKET as u16)
}

/// Queues of outputs, in packets, and the outputs that are down.
struct Queues {
    waiting: Vec<u64>,
    down: Vec<PortId>,
}

impl Loads for Queues {
    fn backlog(&self, output: PortId) -> Bytes {
        Bytes::new(self.waiting[output.index()] * PACKET)
    }

    fn is_held(&self, _: PortId) -> bool {
        false
    }

    fn is_up(&self, output: PortId) -> bool {
        !self.down.contains(&output)
    }
}

/// A leaf with as many inputs as uplinks, in slots.
struct Leaf {
    table: ForwardingTable,
    to: Lid,
    selector: AnySelector,
    queues: Queues,
    inputs: usize,
    now: Time,
}

impl Leaf {
    fn new(uplinks: u16, selector: SelectionSpec) -> Self {
        let topology = clos(uplinks * 2);
        let (table, hosts) = (table(&topology), topology.graph().hosts());
        let setup = SelectorSetup {
            ports: usize::from(uplinks) * 2,
            groups: table.groups(),
            hosts,
            longest_packet: Bytes::new(PACKET),
            stream: stream(1, "selection", "leaf1"),
        };
        Self {
            to: Lid(hosts as u32),
            table,
            selector: AnySelector::new(selector, setup),
            queues: Queues { waiting: vec![0; usize::from(uplinks) * 2], down: Vec::new() },
            inputs: uplinks.into(),
            now: Time::ZERO,
        }
    }

    fn choose(&mut self, input: usize, packet: &Packet) -> PortId {
        let Self { table, to, selector, queues, now, .. } = self;
        let group = table.group(*to).expect("a far host");
        let choice = Choice { group, input: PortId(input as u16), packet, now: *now };
        selector.choose(choice, queues)
    }

    /// Runs slots at this load. Returns the mean wait of packets, in slots, and the longest queue.
    fn run(&mut self, slots: u32, load: f64) -> (f64, u64) {
        let mut arrivals = stream(2, "arrivals", "leaf1");
        let (mut waits, mut packets, mut longest) = (0, 0_u64, 0);
        for slot in 0..slots {
            self.now = Time::from_ps(u64::from(slot) * 1_000_000);
            for input in 0..self.inputs {
                if load < 1.0 && arrivals.random::<f64>() >= load {
                    continue;
                }
                let output = self.choose(input, &packet(input as u32, self.to)).index();
                waits += self.queues.waiting[output];
                packets += 1;
                self.queues.waiting[output] += 1;
                longest = longest.max(self.queues.waiting[output]);
            }
            self.queues.waiting.iter_mut().for_each(|queue| *queue = queue.saturating_sub(1));
        }
        (waits as f64 / packets as f64, longest)
    }
}

fn round_robin() -> SelectionSpec {
    SelectionSpec::RoundRobin(RoundRobinSpec { per: TurnsSpec::Input })
}

fn least_loaded(choices: ChoicesSpec) -> SelectionSpec {
    SelectionSpec::LeastLoaded(LeastLoadedSpec { levels: 4096, tie: TieSpec::Random, choices })
}

/// Every selector takes a port of the group, and one that is up as long as there is one.
#[test]
fn a_choice_is_a_port_of_the_group_that_is_up() {
    for selector in SelectionSpec::EXAMPLES {
        let mut leaf = Leaf::new(4, selector);
        let all: Vec<PortId> = leaf.table.ports(leaf.to).collect();
        assert_eq!(all.len(), 4);
        for down in 0..=4 {
            leaf.queues.down = all[..down].to_vec();
            for number in 0..64 {
                leaf.now = Time::from_ps(number * 1_000);
                let chosen = leaf.choose(number as usize % 4, &packet(number as u32, leaf.to));
                assert!(all.contains(&chosen), "{selector:?}");
                assert!(down == 4 || !leaf.queues.down.contains(&chosen), "{selector:?} with {down} down");
            }
        }
    }
}

/// Output queueing with random choice: W = (n-1)/n p/(2(1-p)) slots (Karol, Hluchyj, Morgan 1987). Least loaded and
/// turns wait far less, so a selector that did not choose at random would fail.
#[test]
fn random_choice_waits_as_long_as_output_queueing() {
    for (uplinks, load) in [(4_u16, 0.5), (8, 0.8), (16, 0.9)] {
        let n = f64::from(uplinks);
        let law = (n - 1.0) / n * load / (2.0 * (1.0 - load));
        let (wait, _) = Leaf::new(uplinks, SelectionSpec::Random).run(100_000, load);
        assert!((wait / law - 1.0).abs() < 0.03, "{uplinks} uplinks at {load}: {wait} slots, law {law}");
        for better in [round_robin(), least_loaded(ChoicesSpec::All), least_loaded(ChoicesSpec::Two)] {
            let (wait, _) = Leaf::new(uplinks, better).run(20_000, load);
            assert!(wait < 0.8 * law, "{better:?}, {uplinks} uplinks at {load}: {wait} slots, random {law}");
        }
    }
}

/// In turn by input, t slots bring at most ceil(t/n) + 1 packets of an input to an uplink: at most n wait, at full load
/// too. Random choices at full load have no such bound.
#[test]
fn turns_of_inputs_bound_the_queue() {
    for uplinks in [4_u16, 8, 18] {
        let (_, longest) = Leaf::new(uplinks, round_robin()).run(20_000, 1.0);
        assert!(longest <= u64::from(uplinks), "{uplinks} uplinks: {longest}");
        let (_, longest) = Leaf::new(uplinks, SelectionSpec::Random).run(20_000, 1.0);
        assert!(longest > 2 * u64::from(uplinks), "{uplinks} uplinks: {longest} at random");
    }
}

/// A burst keeps its port, and chooses anew after a gap.
#[test]
fn a_burst_keeps_its_port_until_a_gap() {
    let gap = Span::from_us(2);
    let spec = FlowletSpec { gap, then: FlowletChoice::Random, entries: 1024 };
    let mut leaf = Leaf::new(8, SelectionSpec::Flowlet(spec));
    let packet = packet(3, leaf.to);
    let mut changes = 0;
    let mut last = leaf.choose(0, &packet);
    for burst in 0..100_u64 {
        for number in 0..10 {
            // 1.9 us within a burst, 2.1 us before it.
            leaf.now += Span::from_ns(if number == 0 { 2100 } else { 1900 });
            let port = leaf.choose(0, &packet);
            assert!(number == 0 || port == last, "burst {burst}");
            changes += u32::from(port != last);
            last = port;
        }
    }
    // 7 of 8 draws are another port: 87 or 88, with a standard deviation of 3.3.
    assert!((75..=98).contains(&changes), "{changes}");
}

/// n flows of a leaf on n uplinks: the share of uplinks in use is 1 - (1 - 1/n)^n, and the largest number of flows on
/// one is that of balls in bins: 2.125, 2.597, 3.078 for 4, 8, 16. Flows in turn would use all uplinks.
#[test]
fn hashes_collide_as_often_as_chance_has_it() {
    for (uplinks, largest) in [(4_u16, 2.125), (8, 2.597), (16, 3.078)] {
        let mut leaf = Leaf::new(uplinks, SelectionSpec::Hash);
        let n = f64::from(uplinks);
        let (mut used, mut most, mut apart) = (0, 0, 0);
        let trials = 20_000_u32;
        for trial in 0..trials {
            let mut flows = vec![0_u32; usize::from(uplinks) * 2];
            for flow in 0..u32::from(uplinks) {
                flows[leaf.choose(0, &packet(trial * 64 + flow, leaf.to)).index()] += 1;
            }
            used += flows.iter().filter(|flows| **flows > 0).count();
            let largest = flows.into_iter().max().unwrap_or(0);
            most += largest;
            apart += u32::from(largest == 1);
        }
        let trials = f64::from(trials);
        let share = used as f64 / n / trials;
        let law = 1.0 - (1.0 - 1.0 / n).powi(uplinks.into());
        assert!((share / law - 1.0).abs() < 0.01, "{uplinks}: {share} in use, law {law}");
        let most = f64::from(most) / trials;
        assert!((most / largest - 1.0).abs() < 0.01, "{uplinks}: {most} at most, law {largest}");
        let law = (1..=uplinks).map(|i| f64::from(i) / n).product::<f64>();
        let apart = f64::from(apart) / trials;
        assert!(
            (apart - law).abs() < 4.0 * (law / trials).sqrt() + 1e-4,
            "{uplinks}: {apart} apart, law {law}"
        );
    }
}
