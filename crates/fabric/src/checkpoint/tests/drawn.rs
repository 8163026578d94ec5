//! Runs drawn at random: fabrics, organisations, arbiters, flow controls, transports, schemes, traffic and instruments.
//!
//! Invariant: every plan that is drawn is valid, and short.

use proptest::prelude::*;
use proptest::sample::select;
use scenario::{Plan, Scenario, ScenarioText};
use switch_arch::spec::{ArbiterSpec, BufferingSpec};

/// Most nodes of a fabric that is drawn.
const MOST_NODES: usize = 80;

/// Fabrics, with the settings that they need. Cables to hosts are `near`, those between switches `far`.
const FABRICS: [(&str, &str); 6] = [
    ("Crossbar(hosts: 6, host_cable: \"near\")", "seed=1"),
    ("HyperX(sizes: [3, 2], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "routing=MinHop"),
    ("Chain(hosts: [2, 1, 3], parallel: 2, host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("FatTree(down: [2, 2, 2], up: [1, 2], host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("Torus(sizes: [3, 3], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "link.data_lanes=2"),
    ("Crossbar(hosts: 70, host_cable: \"near\")", "switch.speedup=1.0"),
];

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
    "Synthetic(destinations: Uniform, arrivals: OnOff(load: 0.5, on: \"3 us\", off: \"5 us\"), size: Fixed(\"3 KiB\"), stop: \"40 us\")",
    "Synthetic(destinations: Shift(1), arrivals: Fixed(load: 0.4), size: Fixed(\"4 KiB\"), stop: \"40 us\")",
    "Sessions(start: \"0 s\", stop: \"40 us\", name: \"V\", to: \"h2\", from: 3, message: \"8 KiB\", outstanding: 2)",
];

/// A run, drawn at random.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) sets: Vec<String>,
    pub(super) drain: bool,
    /// Simulated time between two checkpoints, in ns.
    pub(super) every: u64,
    /// The checkpoint that the run is resumed from, modulo their number.
    pub(super) from: usize,
    /// Parts of nodes, by node, as far as the fabric has nodes: until the checkpoint, and from there on.
    pub(super) parts: [Vec<u16>; 2],
    /// True if one thread works on all parts.
    pub(super) in_turn: bool,
}

pub(super) fn drawn() -> impl Strategy<Value = Drawn> {
    let world = (select(&FABRICS[..]), select(&FLOW_CONTROLS[..]), select(&CONTROLS[..]));
    let switch = (
        select(&BufferingSpec::ALL[..]),
        select(ArbiterSpec::EXAMPLES.to_vec()),
        any::<bool>(),
        select(&["32 KiB", "128 KiB"][..]),
    );
    let load = (select(&TRAFFIC[..]), select(&TRAFFIC[..]), any::<bool>(), 0..1000_u64);
    let options = (any::<bool>(), any::<bool>(), any::<bool>());
    let parts = select(&[(1, 1), (1, 2), (2, 3), (3, 1)][..]).prop_flat_map(|(before, after)| {
        let of_nodes = |parts: u16| prop::collection::vec(0..parts, MOST_NODES);
        [of_nodes(before), of_nodes(after)]
    });
    let saving = (select(&[900_u64, 5000, 7300, 20_000][..]), 0..1000_usize, parts, any::<bool>());
    (world, switch, load, options, saving).prop_map(|(world, switch, load, options, saving)| {
        let (every, from, parts, in_turn) = saving;
        let (drain, until_done, oldest_first) = options;
        let mut sets = of_world(world);
        sets.extend(of_switch(switch, world.1));
        sets.extend(of_load(load));
        sets.push(format!("until_done={until_done}"));
        if oldest_first {
            sets.push("adapter.schedule=OldestFirst".to_owned());
        }
        Drawn { sets, drain, every, from, parts, in_turn }
    })
}

fn of_world(((topology, needs), flow_control, control): ((&str, &str), &str, &str)) -> Vec<String> {
    let wire = |delay: &str| format!("(width: X4, speed: EDR, propagation: Delay(\"{delay}\"))");
    let receive = if flow_control.starts_with("Pause") { "512 KiB" } else { "128 KiB" };
    vec![
        format!("topology={topology}"),
        needs.to_owned(),
        format!("cables={{\"near\": {}, \"far\": {}}}", wire("5 ns"), wire("300 ns")),
        "dependency_cycles=Allowed".to_owned(),
        format!("link.flow_control={flow_control}"),
        control.to_owned(),
        format!("adapter.receive_buffer=\"{receive}\""),
        "adapter.max_reads=4".to_owned(),
        "adapter.ack_timeout=4".to_owned(),
    ]
}

fn of_switch(
    (buffering, arbiter, shares, buffer): (BufferingSpec, ArbiterSpec, bool, &str),
    flow_control: &str,
) -> Vec<String> {
    let sharing = match shares && buffering.shares_memory() {
        true => "Dynamic(alpha: 1.0, guaranteed: \"9 KiB\")",
        false => "Static",
    };
    let buffer = if flow_control.starts_with("Pause") { "512 KiB" } else { buffer };
    let arbiter = ron::to_string(&arbiter).expect("a spec is plain data");
    let mut sets = vec![
        format!("switch.buffer=\"{buffer}\""),
        format!("switch.buffering={buffering:?}"),
        format!("switch.arbiter={arbiter}"),
        format!("switch.sharing={sharing}"),
    ];
    if buffering.has_output_queues() {
        sets.push("switch.output_buffer=\"16 KiB\"".to_owned());
    }
    sets
}

fn of_load((one, other, slow, seed): (&str, &str, bool, u64)) -> Vec<String> {
    let mut sets = vec![
        format!("traffic=[{one}, {other}]"),
        format!("seed={seed}"),
        "completions=Kept".to_owned(),
        "duration=\"60 us\"".to_owned(),
        "sample=\"5 us\"".to_owned(),
        "series=(ports: [\"*\"], sources: [\"*\"], pauses: [\"*\"], pauses_kept: 1000)".to_owned(),
        "watch=[Queue(ports: \"*:1\")]".to_owned(),
    ];
    if slow {
        sets.push("adapter.drain_limit=\"30 Gb/s\"".to_owned());
    }
    sets
}

/// Returns the plan of a shipped scenario with these fields set; `None` if it is refused, which not every combination escapes.
pub(super) fn plan(name: &str, sets: &[String]) -> Result<Plan, scenario::Diagnostic> {
    ScenarioText::find(name).and_then(|mut source| {
        sets.iter().try_for_each(|set| source.set(set))?;
        Scenario::read(&source)?.check(&source)
    })
}
