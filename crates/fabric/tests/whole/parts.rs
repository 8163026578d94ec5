//! Runs in several parts: the record is that of one part, to the last digit, for any division of any fabric.

use core::fmt::Write;
use core::sync::atomic::{AtomicBool, Ordering};

use fabric::{RunOptions, simulate};
use proptest::prelude::*;
use proptest::sample::select;
use scenario::Plan;
use switch_arch::spec::BufferingSpec;
use telemetry::{Progress, RunEnding};
use topology::Partition;
use units::Time;

use crate::common::{run, shipped};

/// Fabrics, with the settings that they need. Cables to hosts are `near`, those between switches `far`.
const FABRICS: [(&str, &str); 8] = [
    ("Crossbar(hosts: 6, host_cable: \"near\")", "seed=1"),
    ("HyperX(sizes: [3, 2], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "routing=MinHop"),
    ("Chain(hosts: [2, 1, 3], parallel: 2, host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("Clos(radix: 4, host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("FatTree(down: [2, 2, 2], up: [1, 2], host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("Torus(sizes: [3, 3], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "link.data_lanes=2"),
    ("Mesh(sizes: [3, 2], hosts: 2, host_cable: \"near\", trunk_cable: \"far\")", "seed=1"),
    ("Torus(sizes: [5], hosts: 1, host_cable: \"near\", trunk_cable: \"far\")", "routing=MinHop"),
];

/// Lengths of both kinds of cables.
const CABLES: [[&str; 2]; 4] = [["1 us"; 2], ["5 ns", "700 ns"], ["300 ns", "20 ns"], ["5 ns"; 2]];

const FLOW_CONTROLS: [&str; 3] = [
    "Credits(update_blocks: 130, update_interval: \"16.384 us\", wire_time: Counted)",
    "Pause(resume_offset: \"8 KiB\", reaction: \"500 ns\")",
    "Lossy",
];

/// Schemes of congestion control.
const CONTROLS: [&str; 6] = [
    "seed=1",
    "congestion_control=Off",
    "congestion_control=Dcqcn()",
    "congestion_control.echo=Acknowledgement",
    "congestion_control=Mixed(marking: Hp(trigger: Full, set: Selective(InputAndOutput)), echo: Acknowledgement, response: Off)",
    "congestion_control=Mixed(marking: Red(kmin: \"8 KiB\", kmax: \"32 KiB\", pmax: 0.5, at: Departure), echo: Cnp, response: Off)",
];

/// Traffic that ends by itself.
const TRAFFIC: [&str; 8] = [
    "Poisson(from: \"0 s\", until: \"40 us\", message: \"9 KiB\", load: 0.8)",
    "Permutation(at: \"3 us\", bytes: \"64 KiB\")",
    "Permutation(transport: Uc, at: \"3 us\", bytes: \"64 KiB\")",
    "Incast(at: \"2 us\", to: \"h1\", senders: 4, bytes: \"40 KiB\")",
    "Synthetic(operation: RdmaRead, destinations: Uniform, arrivals: AtOnce, size: Fixed(\"9 KiB\"), messages: 3)",
    "Synthetic(transport: Ud, operation: Send, destinations: Uniform, arrivals: AtOnce, size: Fixed(\"2 KiB\"), messages: 20)",
    "Synthetic(destinations: AllToAll, arrivals: Closed(outstanding: 2), size: Fixed(\"7 KiB\"), messages: 9)",
    "Synthetic(transport: Rd, destinations: Uniform, arrivals: Closed(outstanding: 1), size: Uniform(least: \"1 B\", most: \"9 KiB\"), stop: \"30 us\")",
];

/// A run, drawn at random.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) sets: Vec<String>,
    drain: bool,
    scramble: Option<u64>,
    in_turn: bool,
    /// Parts of nodes, by node, as far as the fabric has nodes.
    pub(crate) of_node: Vec<u16>,
}

pub(crate) fn drawn() -> impl Strategy<Value = Drawn> {
    let world =
        (select(&FABRICS[..]), select(&CABLES[..]), select(&FLOW_CONTROLS[..]), select(&CONTROLS[..]));
    let switch = (select(&BufferingSpec::ALL[..]), any::<bool>(), select(&["32 KiB", "128 KiB"][..]));
    let load = (select(&TRAFFIC[..]), select(&TRAFFIC[..]), any::<bool>(), 0..1000_u64);
    let options = (any::<bool>(), prop::option::of(0..10_u64), any::<bool>(), any::<bool>());
    let parts = select(&[2_u16, 3, 7][..]).prop_flat_map(|parts| prop::collection::vec(0..parts, 40));
    (world, switch, load, options, parts).prop_map(|(world, switch, load, options, of_node)| {
        let ((topology, needs), [near, far], flow_control, control) = world;
        let (buffering, shares, buffer) = switch;
        let (one, other, slow, seed) = load;
        let (drain, scramble, until_done, in_turn) = options;
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
            format!("switch.sharing={sharing}"),
            control.to_owned(),
            format!(
                "adapter.receive_buffer=\"{}\"",
                if flow_control.starts_with("Pause") { "512 KiB" } else { "128 KiB" }
            ),
            "adapter.max_reads=4".to_owned(),
            "adapter.ack_timeout=4".to_owned(),
            format!("traffic=[{one}, {other}]"),
            format!("seed={seed}"),
            format!("until_done={until_done}"),
            "completions=Kept".to_owned(),
            "duration=\"60 us\"".to_owned(),
            "sample=\"5 us\"".to_owned(),
            "series=(ports: [\"*\"], sources: [\"*\"], pauses: [\"*\"], pauses_kept: 1000)".to_owned(),
        ];
        if buffering.has_output_queues() {
            sets.push("switch.output_buffer=\"16 KiB\"".to_owned());
        }
        if slow {
            sets.push("adapter.drain_limit=\"30 Gb/s\"".to_owned());
        }
        Drawn { sets, drain, scramble, in_turn, of_node }
    })
}

impl Drawn {
    /// Returns the options of the run in one part.
    pub(crate) fn options(&self) -> RunOptions<'static> {
        let Self { drain, scramble, in_turn, .. } = *self;
        RunOptions { drain, scramble, in_turn, moments: 4, ..RunOptions::default() }
    }
}

/// Returns all that a run tells, or the reason for which it failed.
pub(crate) fn told(plan: &Plan, options: RunOptions<'_>) -> String {
    let mut text = String::new();
    match simulate(plan, options, &mut |_| {}) {
        Ok(record) => {
            assert!(record.packet_hops > 100, "traffic moves");
            write!(text, "{record:#?}")
        }
        Err(failed) => write!(text, "{failed:#?}"),
    }
    .expect("a string takes all");
    text
}

/// Returns what a run in these parts tells.
pub(crate) fn outcome(plan: &Plan, drawn: &Drawn, partition: Option<&Partition>) -> String {
    told(plan, RunOptions { partition, ..drawn.options() })
}

/// Panics at the first line that differs.
pub(crate) fn assert_same(one: &str, other: &str, what: &dyn core::fmt::Debug) {
    if one != other {
        let differs = one.lines().zip(other.lines()).enumerate().find(|(_, (one, other))| one != other);
        panic!("{what:#?}\ndiffers: {differs:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any assignment of nodes to parts gives the same record: digest, every count and series, completions, trees, and the
    /// same deadlock at the same instant.
    #[test]
    fn every_partition_gives_the_same_record(drawn in drawn()) {
        let sets: Vec<_> = drawn.sets.iter().map(String::as_str).collect();
        let plan = shipped("bench-a32", &sets);
        let partition = Partition::new(&drawn.of_node[..plan.graph().nodes()]);
        let one = outcome(&plan, &drawn, None);
        assert_same(&one, &outcome(&plan, &drawn, Some(&partition)), &drawn);
        // Adapters are with their switches, so that threads meet before their turns.
        let balanced = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 2);
        let on_threads = RunOptions { partition: Some(&balanced), in_turn: false, ..drawn.options() };
        assert_same(&one, &told(&plan, on_threads), &drawn);
    }
}

/// A run that is interrupted in several parts has the digest of a run of one part that lasts as long.
#[test]
fn an_interrupted_run_in_parts_is_whole_up_to_its_end() {
    // At a sample; and between two, where progress is reported.
    for (in_turn, sample) in [(false, "10 us"), (true, "10 us"), (false, "1 ms"), (true, "1 ms")] {
        let sample = format!("sample=\"{sample}\"");
        let plan = shipped("bench-b128", &[&sample]);
        let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 2);
        let interrupt = AtomicBool::new(false);
        let reported = |progress: Progress| {
            interrupt.store(progress.now > Time::ZERO, Ordering::Relaxed);
        };
        let options = RunOptions {
            interrupt: Some(&interrupt),
            partition: Some(&partition),
            in_turn,
            ..RunOptions::default()
        };
        let record = simulate(&plan, options, &mut { reported }).unwrap_or_else(|failed| panic!("{failed}"));
        assert_eq!(record.ended, RunEnding::Interrupted);
        let duration = format!("duration=\"{}\"", record.simulated);
        let same = run(&shipped("bench-b128", &["sample=\"10 us\"", &duration]));
        assert_eq!(
            (same.digest, same.events),
            (record.digest, record.events),
            "in turn: {in_turn}, {sample}"
        );
    }
}

/// Spines on long cables are parts without inner cables, so their event lists have long buckets. The windows in which deliveries
/// are counted are as short as the cables to hosts, and still go on.
#[test]
fn short_windows_go_on_in_long_buckets() {
    let sets = [
        "topology=Clos(radix: 4, host_cable: \"near\", trunk_cable: \"far\")",
        "cables={\"near\": (width: X4, speed: EDR, propagation: Delay(\"5 ns\")), \
         \"far\": (width: X4, speed: EDR, propagation: Delay(\"700 ns\"))}",
        "traffic=[Permutation(at: \"3 us\", bytes: \"64 KiB\")]",
        "until_done=true",
        "duration=\"60 us\"",
        "sample=\"5 us\"",
    ];
    let plan = shipped("bench-a32", &sets);
    let of_node: Vec<u16> = plan.graph().names().map(|name| u16::from(name.starts_with("spine"))).collect();
    assert!(of_node.contains(&1), "a Clos network has spines");
    let partition = Partition::new(&of_node);
    for in_turn in [false, true] {
        let drawn = Drawn { sets: Vec::new(), drain: false, scramble: None, in_turn, of_node: Vec::new() };
        let [one, other] = [None, Some(&partition)].map(|partition| outcome(&plan, &drawn, partition));
        assert_same(&one, &other, &in_turn);
    }
}

/// The smallest run on threads, 20 windows of a microsecond, which Miri can interpret: `cargo xtask test-races`.
#[test]
fn a_run_of_microseconds_on_threads_is_that_of_one_part() {
    let plan =
        shipped("one-flow", &["cables.host.propagation=Cable(\"200 m\")", "duration=20 us", "sample=10 us"]);
    let hosts_apart = Partition::new(&[0, 1, 1]);
    let [one, two] = [None, Some(&hosts_apart)].map(|partition| {
        let options = RunOptions { partition, ..RunOptions::default() };
        simulate(&plan, options, &mut |_| {}).unwrap_or_else(|failed| panic!("{failed}"))
    });
    assert!(one.packet_hops > 20, "traffic moves: {}", one.packet_hops);
    assert_eq!((two.digest, two.events, two.packet_hops), (one.digest, one.events, one.packet_hops));
}
