//! Collectives by name, from the scenario's text to the end of the run: closed forms, bounds and laws.
//!
//! Runs are over UC without congestion control and wire time of credits where a law is to the picosecond.

use proptest::prelude::*;
use scenario::{Diagnostic, Plan, Scenario, ScenarioText};
use telemetry::{JobRecord, RunRecord};
use units::{Rate, Span};
use workload::job::closed_forms::{ClosedForm, ideal_time};
use workload::job::collective::{
    AllGather, AllReduce, AllToAll, Barrier, Broadcast, Collective, CollectiveKind, FirstBlock, Folding,
    Numbering, Reduce, ReduceScatter,
};
use workload::job::ideal::{IdealMessage, Transmission};

use crate::common::run;
use crate::jobs::does_not_depend;

/// Payload of a full packet.
pub(crate) const MTU: u64 = 2048;
/// Headers and checks of a packet of SEND over UC: LRH 8, BTH 12, ICRC 4, VCRC 2.
const HEADERS: u64 = 26;
/// Immediate data of a message's last packet.
const IMMEDIATE: u64 = 4;
/// A header of 8 B on a wire of 8 Gb/s, the switch, and its cable of 10 m.
pub(crate) const HOP: u64 = 8 + 100 + 50;

/// Returns the plan of these jobs on some topology.
pub(crate) fn plan(topology: &str, jobs: &str, sets: &[&str]) -> Plan {
    checked(topology, jobs, sets, &[]).unwrap_or_else(|diagnostic| panic!("{jobs}: {diagnostic}"))
}

/// Checks these jobs on some topology, with files beside the scenario.
pub(crate) fn checked(
    topology: &str,
    jobs: &str,
    sets: &[&str],
    files: &[(&str, &str)],
) -> Result<Plan, Diagnostic> {
    let file = format!("{}/../../fixtures/laws/incast.ron", env!("CARGO_MANIFEST_DIR"));
    let credits =
        "link.flow_control=Credits(update_blocks: 33, update_interval: \"4.096 us\", wire_time: Free)";
    let (topology, jobs) = (format!("topology={topology}"), format!("jobs=[{jobs}]"));
    let all = [
        credits,
        "congestion_control=Off",
        "flows=[]",
        "duration=\"1 s\"",
        "sample=\"10 ms\"",
        "until_done=true",
        &topology,
        &jobs,
    ];
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let mut source = ScenarioText::find(&file)?.with_files(files.collect());
    let field = |set: &str| set.split('=').next().map(str::to_owned);
    let is_set = |own: &&&str| !sets.iter().any(|set| field(set) == field(own));
    all.iter().filter(is_set).chain(sets).try_for_each(|set| source.set(set))?;
    Scenario::read(&source)?.check(&source)
}

pub(crate) fn crossbar(hosts: u32) -> String {
    format!("Crossbar(hosts: {hosts}, host_cable: \"wire\")")
}

pub(crate) fn tree(down: &str, up: u32) -> String {
    format!("FatTree(down: [{down}], up: [{up}], host_cable: \"wire\", trunk_cable: \"wire\")")
}

/// Returns the text of a job over UC.
pub(crate) fn job(name: &str, program: &str, more: &str) -> String {
    format!("Job(name: \"{name}\", program: {program}, transport: Uc, {more})")
}

pub(crate) fn of<'a>(record: &'a RunRecord, name: &str) -> &'a JobRecord {
    record.jobs.iter().find(|job| job.name == name).expect("the job is recorded")
}

pub(crate) fn completion(record: &RunRecord, name: &str) -> Span {
    let job = of(record, name);
    job.end.unwrap_or_else(|| panic!("{job:?}")).since(job.start)
}

/// Returns the completion of the only job, over UC on a crossbar.
fn alone(hosts: u32, program: &str, more: &str) -> Span {
    completion(&run(&plan(&crossbar(hosts), &job("A", program, more), &[])), "A")
}

/// Wire time of a message: 1 ns a byte, with payload padded to 4 bytes.
pub(crate) fn wire(bytes: u64) -> Span {
    let (full, rest) = (bytes / MTU, bytes % MTU);
    let packets = (full + u64::from(rest > 0)).max(1);
    Span::from_ns(full * MTU + rest.div_ceil(4) * 4 + packets * HEADERS + IMMEDIATE)
}

/// Time of a message over a number of links.
pub(crate) fn tau(bytes: u64, links: u64) -> Span {
    wire(bytes) + Span::from_ns((links - 1) * HOP + 50)
}

/// A message of UC on one switch: complete at its sender when its last packet departs.
pub(crate) fn message(bytes: u64) -> IdealMessage {
    let wire = wire(bytes);
    let rest = if bytes.is_multiple_of(MTU) && bytes > 0 { MTU } else { bytes % MTU };
    let last = Span::from_ns(rest.div_ceil(4) * 4 + HEADERS + IMMEDIATE);
    let (before, packet) = (bytes.div_ceil(MTU).max(1) - 1, Span::from_ns(MTU + HEADERS));
    let sent = Transmission { before, packet, last };
    IdealMessage { delivered: tau(bytes, 2), sent, tail: tau(bytes, 2) - wire, completed: wire - last }
}

const fn ring(first: FirstBlock, channels: u32) -> CollectiveKind {
    CollectiveKind::AllReduce(AllReduce::Ring { first, channels, server: 1 })
}

/// Collectives as written, and the schedules that they mean.
pub(crate) fn named() -> Vec<(&'static str, CollectiveKind)> {
    use CollectiveKind as Kind;
    let broadcast = |algorithm| Kind::Broadcast { algorithm, root: 1 };
    let reduce = |algorithm| Kind::Reduce { algorithm, root: 1 };
    vec![
        ("AllReduce()", ring(FirstBlock::Before, 1)),
        ("AllReduce(algorithm: OpenMpiRing)", ring(FirstBlock::Own, 1)),
        ("AllReduce(algorithm: RecursiveDoubling)", Kind::AllReduce(AllReduce::RecursiveDoubling)),
        ("AllReduce(algorithm: Rabenseifner)", Kind::AllReduce(AllReduce::Rabenseifner(Folding::Whole))),
        (
            "AllReduce(algorithm: OpenMpiRabenseifner)",
            Kind::AllReduce(AllReduce::Rabenseifner(Folding::Halves)),
        ),
        ("AllReduce(algorithm: DoubleBinaryTree)", Kind::AllReduce(AllReduce::DoubleTree)),
        ("AllReduce(algorithm: Direct)", Kind::AllReduce(AllReduce::Direct)),
        (
            "AllReduce(algorithm: Hierarchical(group: 2))",
            Kind::AllReduce(AllReduce::Hierarchical { group: 2 }),
        ),
        ("ReduceScatter()", Kind::ReduceScatter(ReduceScatter::Ring)),
        ("ReduceScatter(algorithm: RecursiveHalving)", Kind::ReduceScatter(ReduceScatter::RecursiveHalving)),
        ("ReduceScatter(algorithm: Pairwise)", Kind::ReduceScatter(ReduceScatter::Pairwise)),
        ("ReduceScatter(algorithm: Direct)", Kind::ReduceScatter(ReduceScatter::Direct)),
        ("AllGather()", Kind::AllGather(AllGather::Ring)),
        ("AllGather(algorithm: Bruck)", Kind::AllGather(AllGather::Bruck)),
        ("AllGather(algorithm: RecursiveDoubling)", Kind::AllGather(AllGather::RecursiveDoubling)),
        ("AllGather(algorithm: Direct)", Kind::AllGather(AllGather::Direct)),
        ("AllToAll()", Kind::AllToAll(AllToAll::Pairwise)),
        ("AllToAll(algorithm: PairwiseXor)", Kind::AllToAll(AllToAll::Xor)),
        ("AllToAll(algorithm: Direct)", Kind::AllToAll(AllToAll::Direct)),
        ("AllToAll(algorithm: Linear)", Kind::AllToAll(AllToAll::Linear)),
        ("AllToAll(algorithm: Scattered(batch: 3))", Kind::AllToAll(AllToAll::Scattered { batch: 3 })),
        ("AllToAll(algorithm: Bruck)", Kind::AllToAll(AllToAll::Bruck)),
        ("AllToAll(algorithm: Nccl(node: 2))", Kind::AllToAll(AllToAll::Nccl { node: 2 })),
        ("Broadcast(root: 1)", broadcast(Broadcast::Binomial(Numbering::LowestBit))),
        (
            "Broadcast(root: 1, algorithm: OpenMpiBinomial)",
            broadcast(Broadcast::Binomial(Numbering::HighestBit)),
        ),
        ("Broadcast(root: 1, algorithm: Chain)", broadcast(Broadcast::Chain)),
        ("Broadcast(root: 1, algorithm: Flat)", broadcast(Broadcast::Flat)),
        ("Broadcast(root: 1, algorithm: ScatterRing)", broadcast(Broadcast::ScatterRing)),
        ("Broadcast(root: 1, algorithm: ScatterDoubling)", broadcast(Broadcast::ScatterDoubling)),
        ("Reduce(root: 1)", reduce(Reduce::Binomial(Numbering::LowestBit))),
        ("Reduce(root: 1, algorithm: OpenMpiBinomial)", reduce(Reduce::Binomial(Numbering::HighestBit))),
        ("Reduce(root: 1, algorithm: Chain)", reduce(Reduce::Chain)),
        ("Reduce(root: 1, algorithm: Flat)", reduce(Reduce::Flat)),
        ("Barrier()", Kind::Barrier(Barrier::Dissemination)),
        ("Barrier(algorithm: RecursiveDoubling)", Kind::Barrier(Barrier::RecursiveDoubling)),
    ]
}

/// Returns the program with its number of bytes; a barrier has none.
pub(crate) fn with_bytes(program: &str, bytes: u64) -> String {
    if program.starts_with("Barrier") {
        return program.to_owned();
    }
    let (head, tail) = program.split_once('(').expect("a collective has fields");
    format!("{head}(bytes: \"{bytes} B\", {tail}")
}

/// Each named collective on a crossbar takes its closed form to the picosecond, over UC, for blocks of one packet and
/// of several. A message that were 4 B longer or shorter, or a step more, would show in every row.
#[test]
fn collectives_take_their_closed_forms() {
    let (mut exact, mut wrong) = (0, Vec::new());
    for ranks in [2_u32, 3, 4, 5, 8] {
        for packets in [1, 3] {
            for (program, kind) in named() {
                let barrier = matches!(kind, CollectiveKind::Barrier(_));
                let bytes = if barrier { 0 } else { u64::from(ranks) * MTU * packets };
                let Ok(collective) = Collective::new(kind, ranks, bytes, 1) else { continue };
                let ClosedForm::Exact(expected) = ideal_time(&collective, message) else { continue };
                let jobs = job("A", &with_bytes(program, bytes), "");
                let on = |sets: &[&str]| completion(&run(&plan(&crossbar(ranks), &jobs, sets)), "A");
                // Sends of this tree are posted at once. By turns, its first child would be as late as its last.
                let by_turns = program.contains("OpenMpiBinomial") && program.starts_with("Broadcast");
                let took = if by_turns { on(&["adapter.schedule=OldestFirst"]) } else { on(&[]) };
                if by_turns && ranks > 3 {
                    assert!(on(&[]) > expected, "{program}, {ranks} ranks");
                }
                if took != expected {
                    wrong.push(format!("{program}, {ranks} ranks, {bytes} B: {took}, not {expected}"));
                }
                exact += 1;
            }
        }
    }
    assert!(exact > 200, "{exact} closed forms");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same program in chunks and channels stays between its bounds, and a chain takes its closed form.
#[test]
fn chunks_take_their_closed_forms() {
    for ranks in [2_u32, 4, 7] {
        let bytes = u64::from(ranks) * MTU * 8;
        for (chunks, channels) in [(4, 1), (1, 4), (2, 2)] {
            let kind = ring(FirstBlock::Before, channels);
            let collective = Collective::new(kind, ranks, bytes, chunks).unwrap();
            let ClosedForm::Between { least, most } = ideal_time(&collective, message) else { panic!() };
            let program = format!("AllReduce(bytes: \"{bytes} B\", chunks: {chunks}, channels: {channels})");
            let took = alone(ranks, &program, "");
            assert!(least <= took && took <= most, "{program}: {took} in {least}..{most}");
        }
        let kind = CollectiveKind::Broadcast { algorithm: Broadcast::Chain, root: 0 };
        let collective = Collective::new(kind, ranks, bytes, 4).unwrap();
        let ClosedForm::Exact(expected) = ideal_time(&collective, message) else { panic!() };
        let program = format!("Broadcast(bytes: \"{bytes} B\", algorithm: Chain, chunks: 4)");
        assert_eq!(alone(ranks, &program, ""), expected);
    }
}

/// Over RC with one acknowledgement a message, a step's data waits for the acknowledgement of the message that released
/// it, and the last send for the way back of its own: steps x tau + (steps - 1) a + r. Acknowledgements after data
/// would give steps x tau + r.
#[test]
fn acknowledgements_precede_data() {
    // LRH 8, BTH 12, AETH 4, ICRC 4, VCRC 2.
    let acknowledgement = Span::from_ns(30);
    let back = acknowledgement + Span::from_ns(HOP + 50);
    for (program, steps, block) in [
        ("AllReduce()", 14, 1),
        ("AllReduce(algorithm: RecursiveDoubling)", 3, 8),
        ("ReduceScatter()", 7, 1),
        ("Barrier()", 3, 0),
    ] {
        let bytes = 8 * 3 * MTU;
        let size = block * 3 * MTU;
        let jobs = job("A", &with_bytes(program, bytes), "").replace("Uc", "Rc");
        let record = run(&plan(&crossbar(8), &jobs, &["adapter.ack_every=1024"]));
        let expected = tau(size, 2) * steps + acknowledgement * (steps - 1) + back;
        assert_eq!(completion(&record, "A"), expected, "{program}");
    }
}

/// 16 ranks in the order of a tree cross between its leaves in 8 of the 30 hops of a block at most, whatever the number
/// of spines. Striped over the leaves, every hop crosses, and one spine carries four flows.
#[test]
fn a_ring_in_the_order_of_the_tree_shares_no_cable() {
    let program = with_bytes("AllReduce()", 16 * 3 * MTU);
    let on = |up, more: &str| completion(&run(&plan(&tree("4, 4", up), &job("A", &program, more), &[])), "A");
    let (near, far) = (tau(3 * MTU, 2), tau(3 * MTU, 4));
    for up in [1, 2, 4] {
        assert_eq!(on(up, "place: Block()"), near * 22 + far * 8, "{up} spines");
        assert_eq!(on(up, ""), near * 22 + far * 8, "{up} spines, hosts in their order");
    }
    assert_eq!(on(4, "place: Striped(stride: 4)"), far * 30);
    let shared = on(1, "place: Striped(stride: 4)");
    assert!(shared >= wire(3 * MTU) * (4 * 30) && shared > on(2, "place: Striped(stride: 4)"), "{shared}");
}

/// Sequences add up, computations beside a collective hide it or are hidden, and groups go on by themselves.
#[test]
fn programs_are_put_together() {
    let bytes = 4 * 3 * MTU;
    let ring = with_bytes("AllReduce()", bytes);
    let alone_ring = tau(3 * MTU, 2) * 6;
    assert_eq!(alone(4, &ring, ""), alone_ring);
    let compute = Span::from_us(300);
    let sequence = format!("Sequence([Compute(\"300 us\"), {ring}, Compute(\"2 us\"), {ring}])");
    assert_eq!(alone(4, &sequence, ""), compute + Span::from_us(2) + alone_ring * 2);
    assert_eq!(alone(4, &format!("Parallel([Compute(\"300 us\"), {ring}])"), ""), compute);
    assert_eq!(alone(4, &format!("Parallel([Compute(\"3 us\"), {ring}])"), ""), alone_ring);
    for group in ["(size: 4)", "(size: 4, stride: 2)"] {
        let grouped = with_bytes(&format!("AllReduce(group: {group})"), bytes);
        assert_eq!(alone(8, &grouped, ""), alone_ring, "{group}");
    }
}

/// Iterations follow one another without loss where ranks proceed alike; a job-wide barrier adds its own messages, and
/// iterations that wait for nothing share the wires.
#[test]
fn iterations_add_up() {
    let ring = with_bytes("AllReduce()", 8 * 3 * MTU);
    let once = tau(3 * MTU, 2) * 14;
    let record = run(&plan(&crossbar(8), &job("A", &ring, "iterations: 5"), &[]));
    assert_eq!(completion(&record, "A"), once * 5);
    let ends: Vec<Span> = of(&record, "A").ends.iter().map(|end| end.since_start()).collect();
    assert_eq!(ends, (1..=5).map(|i| once * i).collect::<Vec<_>>());
    let with_barrier = (once + tau(0, 2) * 3) * 5;
    assert_eq!(alone(8, &ring, "iterations: 5, barrier: Job"), with_barrier);
    let free = alone(8, &ring, "iterations: 5, barrier: None");
    assert!(free < once * 5 && free >= wire(3 * MTU) * (14 * 5), "{free}");
}

/// A straggler's computation lasts its factor longer, and every rank waits for it; without messages none does.
#[test]
fn stragglers_hold_all_ranks() {
    let ring = with_bytes("AllReduce()", 4 * 3 * MTU);
    let program = format!("Sequence([Compute(\"100 us\"), {ring}])");
    let slow = "stragglers: [(ranks: [2], factor: 1.5)]";
    let even = alone(4, &program, "");
    let held = alone(4, &program, slow);
    assert_eq!(even, Span::from_us(100) + tau(3 * MTU, 2) * 6);
    assert!(held > even + Span::from_us(40) && held <= even + Span::from_us(50), "{held}");
    assert_eq!(alone(4, "Compute(\"100 us\")", slow), Span::from_us(150));
}

/// Noise and skew lengthen a job by less than their bounds; another fabric meets the same draws, another name others.
#[test]
fn noise_is_the_jobs_own() {
    let noisy = "compute_noise: Uniform(0.1), iterations: 20";
    let compute = alone(4, "Compute(\"100 us\")", noisy);
    assert!(compute > Span::from_us(1800) && compute < Span::from_us(2200), "{compute}");
    assert_ne!(compute, Span::from_us(2000));
    let on_tree = job("A", "Compute(\"100 us\")", &format!("{noisy}, hosts: \"h1..h4\""));
    assert_eq!(completion(&run(&plan(&tree("4, 4", 2), &on_tree, &[])), "A"), compute);
    let renamed = run(&plan(&crossbar(4), &job("B", "Compute(\"100 us\")", noisy), &[]));
    assert_ne!(completion(&renamed, "B"), compute);
    let skewed = alone(4, "Compute(\"100 us\")", "start_skew: \"7 us\"");
    assert!(skewed > Span::from_us(100) && skewed <= Span::from_us(107), "{skewed}");
}

/// Messages between ranks of a host take their own link's time, and none of the fabric's.
#[test]
fn local_messages_have_their_own_link() {
    let bytes = 2 * 3 * MTU;
    let exchange = with_bytes("AllReduce(algorithm: RecursiveDoubling)", bytes);
    let local = "place: Block(per_host: 2), local: Link(rate: \"8 Gb/s\", latency: \"2 us\")";
    let both = format!("{local}, hosts: \"h1\"");
    assert_eq!(alone(2, &exchange, &both), Span::from_ns(bytes) + Span::from_us(2));
    assert_eq!(alone(2, &exchange, "place: Block(per_host: 2), hosts: \"h1\""), Span::ZERO);
    // Rings inside two hosts of two ranks, and between ranks of equal place, which share their hosts' wires.
    let program = with_bytes("AllReduce(algorithm: Hierarchical(group: 2))", 4 * 3 * MTU);
    let inside = Span::from_ns(2 * 3 * MTU) + Span::from_us(2);
    let took = alone(2, &program, local);
    // Four messages one after the other on each wire; the first of two that take turns there lets its rank go on
    // earlier.
    let (least, most) = (wire(3 * MTU) * 3, (tau(3 * MTU, 2) + wire(3 * MTU)) * 2);
    assert!(took >= inside * 2 + least && took <= inside * 2 + most, "{took}");
}

/// Jobs on hosts of leaves of their own take the times that they take alone; interleaved over one spine they do not.
#[test]
fn aligned_jobs_do_not_meet() {
    let ring = with_bytes("AllReduce()", 8 * 3 * MTU);
    let exchange = with_bytes("AllToAll(algorithm: Direct)", 8 * 3 * MTU);
    let [a, b] = ["h1..h8", "h9..h16"].map(|hosts| format!("place: Block(), hosts: \"{hosts}\""));
    let times = |jobs: &str| {
        let record = run(&plan(&tree("4, 4", 4), jobs, &[]));
        record.jobs.iter().map(|job| completion(&record, &job.name)).collect::<Vec<_>>()
    };
    let [ring_alone, exchange_alone] = [job("A", &ring, &a), job("B", &exchange, &b)];
    let both = times(&format!("{ring_alone}, {exchange_alone}"));
    assert_eq!(both, [times(&ring_alone), times(&exchange_alone)].concat());
    let odd = "[\"h1\", \"h3\", \"h5\", \"h7\", \"h9\", \"h11\", \"h13\", \"h15\"]";
    let even = "[\"h2\", \"h4\", \"h6\", \"h8\", \"h10\", \"h12\", \"h14\", \"h16\"]";
    let mixed =
        [job("A", &exchange, &format!("hosts: {odd}")), job("B", &exchange, &format!("hosts: {even}"))];
    let thin = |jobs: &str| completion(&run(&plan(&tree("4, 4", 1), jobs, &[])), "A");
    assert!(thin(&mixed.join(", ")) > thin(&mixed[0]), "they share the only spine");
}

/// On one switch neither another order of hosts nor an idle host changes a time; on a tree another order does.
#[test]
fn relabelling_changes_nothing() {
    let program = with_bytes("AllReduce(algorithm: Rabenseifner)", 4 * 3 * MTU);
    let straight = run(&plan(&crossbar(6), &job("A", &program, "hosts: \"h1..h4\""), &[]));
    let turned = "hosts: [\"h4\", \"h2\", \"h6\", \"h1\"]";
    assert_eq!(alone(6, &program, turned), completion(&straight, "A"));
    let idle = program.replace("bytes", "ranks: 4, bytes");
    let among = run(&plan(&crossbar(6), &job("A", &idle, ""), &[]));
    assert_eq!((among.digest, completion(&among, "A")), (straight.digest, completion(&straight, "A")));
    let ring = with_bytes("AllReduce()", 8 * 3 * MTU);
    let on_tree = |more: &str| completion(&run(&plan(&tree("4, 4", 1), &job("A", &ring, more), &[])), "A");
    let crossed = "hosts: [\"h1\", \"h5\", \"h2\", \"h6\", \"h3\", \"h7\", \"h4\", \"h8\"]";
    assert!(on_tree(crossed) > on_tree("hosts: \"h1..h8\""));
}

/// Lists of hosts, in the scenario or in a file of either form, place ranks as they say; a wrong line is named.
#[test]
fn lists_place_ranks() {
    let on = |place: &str, file: &str| {
        let text = job("A", "AllReduce(bytes: \"24576 B\")", &format!("place: {place}"));
        checked(&tree("4, 4", 1), &text, &[], &[("ranks.txt", file)])
    };
    let hosts = |plan: Result<Plan, Diagnostic>| plan.unwrap().workload().jobs[0].hosts.to_vec();
    let listed = hosts(on("Listed([\"h9\", \"h1..h3\"])", ""));
    assert_eq!(listed.iter().map(|host| host.0).collect::<Vec<_>>(), [8, 0, 1, 2]);
    assert_eq!(hosts(on("File(\"ranks.txt\")", "h9 # first\n\nh1\n h2\nh3")), listed);
    assert_eq!(
        hosts(on("File(\"ranks.txt\")", "rank 1=h1\nrank 0=h9 slot=0\nrank 3=h3\nrank 2=h2\n")),
        listed
    );
    for (file, message) in [
        ("h1\nh99\n", "ranks.txt:2:1: jobs[0].place: there is no host `h99`"),
        ("h1\n  h2 h3\n", "ranks.txt:2:3: jobs[0].place: this line names no host of a rank"),
        ("rank 0=h1\nrank 0=h2\n", "ranks.txt:2:1: jobs[0].place: rank 0 has two lines"),
        ("rank 0=h1\nrank 2=h2\n", "ranks.txt:2:1: jobs[0].place: rank 2 is none of 2 ranks"),
        ("rank 0=h1\nh2\n", "ranks.txt:2:1: jobs[0].place: this line and those before differ in form"),
        ("# none\n", "jobs[0].place: "),
    ] {
        let said = on("File(\"ranks.txt\")", file).unwrap_err().to_string();
        assert!(said.contains(message), "{said}");
    }
}

/// busbw is the rate of the link less headers, as a ring needs, and algbw follows from the definition.
#[test]
fn bandwidths_are_those_of_nccl_tests() {
    let bytes = 8 * 512 * MTU;
    let record = run(&plan(&crossbar(8), &job("A", &with_bytes("AllReduce()", bytes), "iterations: 2"), &[]));
    let once = tau(512 * MTU, 2) * 14;
    let (algbw, busbw) = of(&record, "A").bandwidths().unwrap();
    assert!((algbw - bytes as f64 / once.seconds() / 1e9).abs() < 1e-12, "{algbw}");
    assert!((busbw / algbw - 1.75).abs() < 1e-12);
    let most = MTU as f64 / (MTU + HEADERS) as f64;
    assert!(busbw < most && busbw > 0.999 * most, "{busbw} of {most} GB/s");
    let barrier = run(&plan(&crossbar(8), &job("A", "Barrier()", ""), &[]));
    assert_eq!(of(&barrier, "A").bandwidths(), None);
}

/// The record is the same in any number of parts, in any order of turns, and when the run goes on from a state.
#[test]
fn collectives_do_not_depend_on_how_they_run() {
    let ring = with_bytes("AllReduce(ranks: 6)", 6 * MTU);
    let exchange = with_bytes("AllToAll(ranks: 6, algorithm: Direct, group: (size: 2))", 2 * MTU);
    let program = format!("Sequence([Compute(\"3 us\"), {ring}, Parallel([{exchange}, Compute(\"2 us\")])])");
    let more = "iterations: 3, barrier: Job, compute_noise: Exponential(\"1 us\"), start_skew: \"2 us\", \
                place: Cyclic, hosts: \"h1..h3\", stragglers: [(ranks: [1], factor: 1.2)], \
                local: Link(rate: \"16 Gb/s\", latency: \"300 ns\")";
    does_not_depend(&plan(&crossbar(4), &job("A", &program, more), &[]));
    // A ring alone is no list.
    let ring = with_bytes("AllReduce(channels: 2)", 8 * MTU);
    let twice = "iterations: 2, start_skew: \"2 us\"";
    does_not_depend(&plan(&tree("2, 2", 1), &job("A", &ring, twice), &[]));
}

/// A ring takes the same times as a formula and as a list.
#[test]
fn formulas_run_as_lists() {
    for program in ["AllReduce(channels: 2)", "AllReduce(algorithm: OpenMpiRing, chunks: 3)", "AllGather()"] {
        let ring = with_bytes(program, 12 * MTU + 5);
        let told = |program: &str| {
            let plan = plan(&tree("2, 3", 1), &job("A", program, "iterations: 2, start_skew: \"2 us\""), &[]);
            format!("{:#?}", run(&plan).flows)
        };
        assert_eq!(told(&ring), told(&format!("Sequence([{ring}])")), "{program}");
    }
}

/// Steps that are not done change nothing in those before.
#[test]
fn first_steps_take_the_time_of_their_messages() {
    for (steps, whole) in [(2, "Pairwise"), (5, "Pairwise"), (3, "Direct")] {
        let exchange = with_bytes(&format!("AllToAll(algorithm: {whole}, steps: {steps})"), 6 * MTU);
        let plan = plan(&crossbar(6), &job("A", &exchange, ""), &[]);
        let record = run(&plan);
        let expected = if whole == "Direct" {
            message(MTU).sent.whole() * (steps - 1) + tau(MTU, 2)
        } else {
            tau(MTU, 2) * steps
        };
        assert_eq!((completion(&record, "A"), of(&record, "A").messages), (expected, 6 * steps));
        assert_eq!(of(&record, "A").bandwidths().is_some(), steps == 5, "bandwidths are of the whole");
        let outlook = &plan.job_outlooks()[0];
        assert_eq!(outlook.lower_bound.is_some(), steps == 5);
        assert_eq!(
            outlook.whole.map(|whole| (whole.done, whole.steps, whole.messages)),
            (steps < 5).then_some((steps as u32, 5, 30))
        );
    }
}

fn drawn_program() -> impl Strategy<Value = (&'static str, CollectiveKind)> {
    prop::sample::select(named())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No run beats the bound of its collective, and busbw never exceeds the rate of a link, on any tree, in any
    /// order of hosts.
    #[test]
    fn no_run_beats_the_lower_bound(
        (program, kind) in drawn_program(), ranks in 2_u32..=16, bytes in 0_u64..200_000, up in 1_u32..=4,
        place in prop::sample::select(vec!["Block()", "Striped(stride: 4)", "Random"]), reliable in any::<bool>(),
        seed in 0_u32..1000, rendezvous in any::<bool>(), queue_pairs in 1_u32..4,
    ) {
        prop_assume!(Collective::new(kind, ranks, bytes, 1).is_ok());
        let text = with_bytes(program, bytes).replacen('(', &format!("(ranks: {ranks}, "), 1);
        let asks = if rendezvous { ", rendezvous: \"3 KiB\"" } else { "" };
        let pairs = if reliable { queue_pairs } else { 1 };
        let text = job("A", &text, &format!("place: {place}{asks}, queue_pairs: {pairs}"));
        let text = if reliable { text.replace("Uc", "Rc") } else { text };
        let seed = format!("seed={seed}");
        let plan = plan(&tree("4, 4", up), &text, &[&seed]);
        let record = run(&plan);
        let bound = plan.job_outlooks()[0].lower_bound.expect("a rank a host");
        let took = completion(&record, "A");
        prop_assert!(took >= bound, "{}: {} beats {}", text, took, bound);
        if let Some((_, busbw)) = of(&record, "A").bandwidths() {
            prop_assert!(busbw * 8e9 <= Rate::gbps(8).get() as f64, "{}: {} GB/s", text, busbw);
        }
    }
}
