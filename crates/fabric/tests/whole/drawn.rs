//! Runs drawn at random: fabric, cables, flow control, congestion control, organisation of buffers, arbiter,
//! transports, traffic and instruments. Each has a division into 2, 3 or 7 parts. Unit tests and tests of higher
//! crates draw them, too.

use fabric::RunOptions;
use proptest::prelude::*;
use proptest::sample::select;
use ron::extensions::Extensions;
use scenario::{Plan, Scenario, ScenarioText};
use switch_arch::spec::{ArbiterSpec, BufferingSpec, SelectionSpec};

/// Most moments that a run records.
pub(crate) const MOMENTS: usize = 4;

/// Most nodes of a fabric.
const MOST_NODES: usize = 80;

/// Fabrics, with the settings that they need. Cables to hosts are `near`, cables between switches `far`.
const FABRICS: [(&str, &str); 9] = [
    ("Crossbar(hosts: 6, host_cable: \"near\")", "seed=1"),
    ("HyperX(sizes: [3, 2], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "routing=MinHop"),
    ("Chain(hosts: [2, 1, 3], parallel: 2, host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("Clos(radix: 4, host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("FatTree(down: [2, 2, 2], up: [1, 2], host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("Torus(sizes: [3, 3], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "link.data_lanes=2"),
    ("Mesh(sizes: [3, 2], hosts: 2, host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("Torus(sizes: [5], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "routing=MinHop"),
    ("Crossbar(hosts: 70, host_cable: \"near\")", "switch.speedup=1.0"),
];

/// Fabrics with groups of ports, and the routing that makes them.
const GROUPED: [(&str, &str); 5] = [
    ("Clos(radix: 4, host_cable: \"near\", trunk_cable: \"far\")", "Adaptive"),
    ("FatTree(down: [2, 2, 2], up: [2, 2], host_cable: \"near\", trunk_cable: \"far\")", "Ecmp"),
    ("HyperX(sizes: [3, 3], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "Adaptive"),
    (
        "Chain(hosts: [2, 1, 3], parallel: 3, host_cable: \"near\", trunk_cable: \"far\")",
        "Adaptive(groups: Parallel)",
    ),
    (
        "Torus(sizes: [3, 3], hosts: 1, parallel: [2, 1], host_cable: \"near\", trunk_cable: \"far\")",
        "Adaptive(groups: Parallel)",
    ),
];

/// Single packets, which may overtake each other.
const OF_PACKETS: &str = "Synthetic(transport: Ud, operation: Send, destinations: Uniform, arrivals: AtOnce, \
                          size: Fixed(\"2 KiB\"), messages: 40)";

/// Lengths of both kinds of cables.
const CABLES: [[&str; 2]; 4] = [["1 us"; 2], ["5 ns", "700 ns"], ["300 ns", "20 ns"], ["5 ns"; 2]];

const FLOW_CONTROLS: [&str; 3] = [
    "Credits(update_blocks: 130, update_interval: \"16.384 us\", wire_time: Counted)",
    "Pause(resume_offset: \"8 KiB\", reaction: \"500 ns\")",
    "Lossy",
];

/// Schemes of congestion control.
const CONTROLS: [&str; 9] = [
    "seed=1",
    "congestion_control=Off",
    "congestion_control=Dcqcn()",
    "congestion_control.echo=Acknowledgement",
    "congestion_control=Mixed(marking: Hp(trigger: Full, set: Selective(InputAndOutput)), echo: Acknowledgement, response: Off)",
    "congestion_control=Mixed(marking: Hp(trigger: Full, set: Naive, timing: PresentAtEvent), echo: Hp, response: Off)",
    "congestion_control=Mixed(marking: Red(kmin: \"4 KiB\", kmax: \"32 KiB\", pmax: 0.5, at: Departure), echo: Cnp, response: Off)",
    "congestion_control=Mixed(marking: Red(kmin: \"4 KiB\", kmax: \"32 KiB\", pmax: 0.5, at: Arrival), echo: Cnp, response: Off)",
    "congestion_control=Mixed(marking: Red(kmin: \"4 KiB\", kmax: \"32 KiB\", pmax: 0.5, at: Arrival), echo: Dcqcn(), response: Off)",
];

/// Orders of delivery, with their recoveries.
const DELIVERIES: [[&str; 2]; 4] = [
    ["adapter.delivery=InOrder", "adapter.recovery=GoBackN"],
    ["adapter.delivery=AnyOrder", "adapter.recovery=SelectiveRepeat"],
    [
        "adapter.delivery=AnyOrder(window: 64, nak: After(1))",
        "adapter.recovery=SelectiveRepeat(cap: 40, low: \"8 us\", high: \"20 us\")",
    ],
    [
        "adapter.delivery=AnyOrder(window: 7, nak: After(3))",
        "adapter.recovery=SelectiveRepeat(low: \"5 us\", time_outs: Doubling)",
    ],
];

/// Traffic that ends by itself.
const TRAFFIC: [&str; 11] = [
    "Poisson(from: \"0 s\", until: \"40 us\", message: \"9 KiB\", load: 0.8)",
    "Permutation(at: \"3 us\", bytes: \"64 KiB\")",
    "Permutation(transport: Uc, at: \"3 us\", bytes: \"64 KiB\")",
    "Incast(at: \"2 us\", to: \"h1\", senders: 4, bytes: \"40 KiB\")",
    "Synthetic(operation: RdmaRead, destinations: Uniform, arrivals: AtOnce, size: Fixed(\"9 KiB\"), messages: 3)",
    "Synthetic(transport: Ud, operation: Send, destinations: Uniform, arrivals: AtOnce, size: Fixed(\"2 KiB\"), messages: 20)",
    "Synthetic(destinations: AllToAll, arrivals: Closed(outstanding: 2), size: Fixed(\"7 KiB\"), messages: 9)",
    "Synthetic(transport: Rd, destinations: Uniform, arrivals: Closed(outstanding: 1), size: Uniform(least: \"1 B\", most: \"9 KiB\"), stop: \"30 us\")",
    "Synthetic(destinations: Uniform, arrivals: OnOff(load: 0.3, on: \"3 us\", off: \"5 us\"), size: Fixed(\"3 KiB\"), stop: \"40 us\")",
    "Synthetic(destinations: Shift(1), arrivals: Fixed(load: 0.4), size: Fixed(\"4 KiB\"), stop: \"40 us\")",
    "Sessions(name: \"V\", from: [\"h4\", \"h5\"], to: \"h2\", start: \"0 s\", stop: \"40 us\", on: \"9 us\", off: \"6 us\", message: \"8 KiB\", load: Saturate(outstanding: 2))",
];

/// Returns the settings of a random test: `usual` cases, or the number in `PROPTEST_CASES`, which the nightly
/// workflow sets.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    if std::env::var_os("PROPTEST_CASES").is_some() {
        ProptestConfig::default()
    } else {
        ProptestConfig::with_cases(usual)
    }
}

/// A run, drawn at random.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) sets: Vec<String>,
    pub(crate) drain: bool,
    pub(crate) scramble: Option<u64>,
    pub(crate) in_turn: bool,
    /// Parts of nodes, by node, as far as the fabric has nodes.
    pub(crate) of_node: Vec<u16>,
}

/// Draws a part for each node, among `number` parts.
pub(crate) fn parts(number: u16) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(0..number, MOST_NODES)
}

/// Draws runs of some 60 us on fabrics of 5 to 70 hosts.
pub(crate) fn drawn() -> impl Strategy<Value = Drawn> {
    let world =
        (select(&FABRICS[..]), select(&CABLES[..]), select(&FLOW_CONTROLS[..]), select(&CONTROLS[..]));
    let switch = (
        select(&BufferingSpec::ALL[..]),
        select(ArbiterSpec::EXAMPLES.to_vec()),
        any::<bool>(),
        select(&["32 KiB", "128 KiB"][..]),
        select(&DELIVERIES[..]),
    );
    let load = (select(&TRAFFIC[..]), select(&TRAFFIC[..]), any::<bool>(), 0..1000_u64);
    let options = (any::<bool>(), prop::option::of(0..10_u64), any::<bool>(), any::<bool>(), any::<bool>());
    let parts = select(&[2_u16, 3, 7][..]).prop_flat_map(parts);
    let selection = prop::option::of((select(&GROUPED[..]), select(SelectionSpec::EXAMPLES.to_vec())));
    let all = (world, switch, load, options, selection, parts);
    all.prop_map(|(world, switch, load, options, selection, of_node)| {
        let ((topology, needs), [near, far], flow_control, control) = world;
        let (buffering, arbiter, shares, buffer, delivery) = switch;
        let (one, other, slow, seed) = load;
        let (drain, scramble, until_done, in_turn, oldest_first) = options;
        let arbiter = ron::to_string(&arbiter).expect("a spec is plain data");
        let wire = |delay: &str| format!("(width: X4, speed: EDR, propagation: Delay(\"{delay}\"))");
        let sharing = match shares && buffering.shares_memory() {
            true => "Dynamic(alpha: 1.0, guaranteed: \"9 KiB\")",
            false => "Static",
        };
        let mut sets = vec![
            format!("topology={topology}"),
            needs.to_owned(),
            format!("cables={{\"near\": {}, \"far\": {}}}", wire(near), wire(far)),
            "dependency_cycles=Allowed".to_owned(),
            format!("link.flow_control={flow_control}"),
            format!(
                "switch.buffer=\"{}\"",
                if flow_control.starts_with("Pause") { "512 KiB" } else { buffer }
            ),
            format!("switch.buffering={buffering:?}"),
            format!("switch.arbiter={arbiter}"),
            format!("switch.sharing={sharing}"),
            control.to_owned(),
            format!(
                "adapter.receive_buffer=\"{}\"",
                if flow_control.starts_with("Pause") { "512 KiB" } else { "128 KiB" }
            ),
            "adapter.max_reads=4".to_owned(),
            "adapter.ack_timeout=4".to_owned(),
            // The sessions have a name, which no two patterns share.
            if one == other { format!("traffic=[{one}]") } else { format!("traffic=[{one}, {other}]") },
            format!("seed={seed}"),
            format!("until_done={until_done}"),
            "completions=Kept".to_owned(),
            "duration=\"60 us\"".to_owned(),
            "sample=\"5 us\"".to_owned(),
            "series=(ports: [\"*\"], sources: [\"*\"], pauses: [\"*\"], pauses_kept: 1000)".to_owned(),
            "watch=[Queue(ports: \"*:1\")]".to_owned(),
        ];
        sets.extend(delivery.map(str::to_owned));
        if buffering.has_output_queues() {
            sets.push("switch.output_buffer=\"16 KiB\"".to_owned());
        }
        if slow {
            sets.push("adapter.drain_limit=\"30 Gb/s\"".to_owned());
        }
        if oldest_first {
            sets.push("adapter.schedule=OldestFirst".to_owned());
        }
        if let Some((fabric, selector)) = selection {
            sets.extend(selecting(fabric, selector, one));
        }
        Drawn { sets, drain, scramble, in_turn, of_node }
    })
}

/// Returns a selector as a scenario has it.
pub(crate) fn written(selector: SelectionSpec) -> String {
    let options = ron::Options::default().with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES);
    options.to_string(&selector).expect("a spec is plain data")
}

/// Returns the settings of a run on a fabric with groups of ports, of which this selector chooses for single packets.
/// Other traffic goes by the hashes of its flows.
fn selecting((topology, routing): (&str, &str), selector: SelectionSpec, traffic: &str) -> Vec<String> {
    let mut sets = vec![
        format!("topology={topology}"),
        format!("routing={routing}"),
        "link.data_lanes=2".to_owned(),
        format!("switch.selection={}", written(selector)),
        // Packets of an end-to-end context would take several paths.
        if traffic.contains("Rd") || traffic == OF_PACKETS {
            format!("traffic=[{OF_PACKETS}]")
        } else {
            format!("traffic=[{OF_PACKETS}, {traffic}]")
        },
    ];
    if selector != SelectionSpec::Hash {
        sets.push("switch.selected_packets=(services: [Ud])".to_owned());
    }
    sets
}

impl Drawn {
    pub(crate) fn plan(&self) -> Plan {
        let checked = ScenarioText::find("bench-a32").and_then(|mut source| {
            self.sets.iter().try_for_each(|set| source.set(set))?;
            Scenario::read(&source)?.check(&source)
        });
        checked.unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
    }

    /// Returns the options of the run in one part.
    pub(crate) fn options(&self) -> RunOptions<'static> {
        let Self { drain, scramble, in_turn, .. } = *self;
        RunOptions { drain, scramble, in_turn, moments: MOMENTS, ..RunOptions::default() }
    }
}
