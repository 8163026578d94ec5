//! Routes that need not be minimal, against the bounds of channel loads.
//!
//! The fabric is the dragonfly with 4 switches a group, 2 hosts and 2 cables to other groups a switch, and 9 groups. Its
//! hosts send to the next group. The single cable between two groups carries the traffic of 8 hosts by minimal routes,
//! hence 1/8 of a host's rate for each. By detours through any switch the local cables are the limit, at 6/11.

use fabric::{RunOptions, Saving, simulate, simulate_saving};
use packet::{NodeId, PortId};
use scenario::Plan;
use switch_arch::spec::BufferingSpec;
use telemetry::RunRecord;
use topology::Partition;
use units::Span;

use crate::common::{law, run, settled_bps};
use crate::parts::{assert_same, told};

const GROUPS: usize = 9;
/// Hosts of a group.
const HOSTS: usize = 8;
/// Share of the payload in a packet of 2 KiB over UD.
const PAYLOAD: f64 = 2048.0 / (2048.0 + 8.0 + 12.0 + 8.0 + 4.0 + 2.0);

/// Messages of a packet each over UD. Every host of a group sends to hosts of the group `shift` further on, drawn anew for
/// each message; to any host if `shift` is 0.
fn traffic(shift: usize, arrivals: &str) -> String {
    let hosts = |group: usize| -> Vec<String> {
        (0..HOSTS).map(|host| format!("h{}", group % GROUPS * HOSTS + host + 1)).collect()
    };
    let all = vec!["*".to_owned()];
    let own = |group| match shift {
        0 => pattern(group, arrivals, (&all, &all)),
        _ => pattern(group, arrivals, (&hosts(group), &hosts(group + shift))),
    };
    let patterns: Vec<_> = (0..if shift == 0 { 1 } else { GROUPS }).map(own).collect();
    format!("traffic=[{}]", patterns.join(", "))
}

fn pattern(number: usize, arrivals: &str, (senders, receivers): (&[String], &[String])) -> String {
    format!(
        "Synthetic(name: \"g{number}\", senders: {senders:?}, receivers: {receivers:?}, destinations: Uniform, \
         arrivals: {arrivals}, size: Fixed(\"2 KiB\"), transport: Ud, operation: Send)"
    )
}

fn dragonfly(routing: &str, lanes: u8, traffic: &str, sets: &[&str]) -> Plan {
    let own = [
        "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"wire\", local_cable: \"wire\", global_cable: \"wire\")",
        &format!("routing={routing}"),
        &format!("link.data_lanes={lanes}"),
        "duration=\"1 ms\"",
        "sample=\"100 us\"",
        traffic,
    ];
    let sets: Vec<&str> = own.into_iter().chain(sets.iter().copied()).collect();
    law("two-switches", &sets)
}

/// Returns the load that all flows of a record carry in the second half of the run, in rates of a host's link.
fn carried(plan: &Plan, record: &RunRecord) -> f64 {
    let rate = plan.nodes().port(NodeId(0), PortId(0)).wire.rate().get() as f64;
    let all: f64 = (0..record.flows.len()).map(|flow| settled_bps(record, flow, 0)).sum();
    all / (rate * PAYLOAD * plan.graph().hosts() as f64)
}

const SATURATED: &str = "Closed(outstanding: 16)";
const DEEP: &str = "switch.buffer=64 KiB";
const SHALLOW: &str = "switch.buffer=16 KiB";
const CHANGED: &str = "layer_lanes=Changed";

/// Asserts that a load is within these parts of a bound.
fn within(load: f64, bound: f64, (least, most): (f64, f64), what: &dyn core::fmt::Debug) {
    let part = load / bound;
    assert!(
        (least..=most).contains(&part),
        "{what:?}: {load:.4} is {part:.3} of {bound:.4}, not {least} to {most}"
    );
}

/// Groups to the next group. Bounds of the loads of cables: minimal 1/8, through switches 6/11, through groups 7/16, and
/// with the best share of minimal routes 6/11 and 9/16. No routing carries more than its bound. Buffers of 32 packets come
/// within a tenth. Without detours the same fabric carries a quarter of that.
#[test]
fn groups_to_the_next_group_reach_the_bounds() {
    for (routing, lanes, bound, least) in [
        ("Valiant", 4, 6.0 / 11.0, 0.91),
        ("Valiant(through: Group)", 3, 7.0 / 16.0, 0.97),
        ("Ugal", 4, 6.0 / 11.0, 0.88),
        ("Ugal(load: WaitingAndFar, bias: \"1 KiB\")", 4, 6.0 / 11.0, 0.85),
        ("Ugal(load: Waiting)", 4, 6.0 / 11.0, 0.91),
        ("Ugal(weigh: Fixed(2))", 4, 6.0 / 11.0, 0.92),
        ("Ugal(through: Group)", 3, 9.0 / 16.0, 0.96),
        ("Par", 5, 6.0 / 11.0, 0.96),
    ] {
        let plan = dragonfly(routing, lanes, &traffic(1, SATURATED), &[DEEP]);
        within(carried(&plan, &run(&plan)), bound, (least, 1.01), &routing);
    }
    let plan = dragonfly("Native", 2, &traffic(1, SATURATED), &[DEEP, CHANGED]);
    within(carried(&plan, &run(&plan)), 1.0 / 8.0, (0.98, 1.01), &"minimal");
}

/// Minimal routes whose packets keep their lane carry a quarter of the bound: data that has arrived in a group shares local
/// cables and lanes with data that leaves it. The cable to the next group takes 1/5 of its packets from each local cable of
/// its switch and from each host there. On the local cable from the switch where data lands, two hosts take turns with it,
/// so half as many packets are arrived data: 1/10. These are the quarter of arrived data for hosts of that switch, and the
/// rest waits behind them. So a cable between groups carries 4/10 of the load of the next, and so on, back from the group
/// whose successor sends on the other lane.
#[test]
fn lanes_that_are_kept_divide_the_load_from_group_to_group() {
    let plan = dragonfly("Native", 2, &traffic(1, SATURATED), &[SHALLOW]);
    let record = run(&plan);
    within(carried(&plan, &record), 1.0 / 8.0, (0.2, 0.4), &"lanes that are kept");
    let of_group = |group: usize| -> f64 {
        let flows = plan.workload().flows.iter().enumerate();
        let own = flows.filter(|(_, flow)| flow.source.index() / HOSTS == group);
        own.map(|(flow, _)| settled_bps(&record, flow, 0)).sum()
    };
    within(of_group(8), of_group(7), (0.98, 1.02), &"the last two are alone on their lanes");
    within(of_group(6), of_group(7), (0.36, 0.44), &"the group before them");
    within(of_group(5), of_group(6), (0.1, 0.44), &"the group before it");
}

/// Switches of a row to the next switch: minimal 1/t for t hosts a switch, through any switch k/(2t).
#[test]
fn rows_of_hyperx_reach_their_bounds() {
    let topology = "topology=HyperX(sizes: [4], hosts: 8, host_cable: \"wire\", trunk_cable: \"wire\")";
    let ends = |switch: usize| -> Vec<String> {
        (0..HOSTS).map(|host| format!("h{}", switch % 4 * HOSTS + host + 1)).collect()
    };
    let patterns: Vec<_> =
        (0..4).map(|switch| pattern(switch, SATURATED, (&ends(switch), &ends(switch + 1)))).collect();
    let traffic = format!("traffic=[{}]", patterns.join(", "));
    for (routing, bound, least) in [
        ("Native", 1.0 / 8.0, 0.98),
        ("Valiant", 1.0 / 4.0, 0.98),
        ("Ugal", 1.0 / 4.0, 0.98),
        ("Par", 1.0 / 4.0, 0.98),
    ] {
        let plan = dragonfly(routing, 3, &traffic, &[DEEP, topology]);
        within(carried(&plan, &run(&plan)), bound, (least, 1.01), &routing);
    }
}

/// Mean latency of a packet, in microseconds.
fn latency(record: &RunRecord) -> f64 {
    let packets: u64 = record.flows.iter().map(|flow| flow.packets).sum();
    let sum: f64 = record.flows.iter().map(|flow| flow.latency_sum.ps() as f64).sum();
    sum / packets as f64 / 1e6
}

/// Uniform traffic at half of the hosts' rate: switches that choose keep latencies near minimal ones, and detours of all
/// packets do not.
#[test]
fn uniform_traffic_keeps_its_latency() {
    let uniform = traffic(0, "Poisson(load: 0.5)");
    let of = |routing: &str, lanes, sets: &[&str]| latency(&run(&dragonfly(routing, lanes, &uniform, sets)));
    let minimal = of("Native", 2, &[CHANGED]);
    within(of("Ugal", 4, &[]), minimal, (0.95, 1.15), &"Ugal");
    within(of("Ugal(load: Waiting)", 4, &[]), minimal, (0.95, 1.05), &"Ugal by what waits here");
    within(of("Par", 5, &[]), minimal, (0.95, 1.3), &"Par");
    assert!(of("Valiant", 4, &[]) > 2.0 * minimal, "detours of all packets are more than twice as slow");
}

const ROUTINGS: [&str; 4] =
    ["Valiant", "Ugal", "Par", "Ugal(load: Waiting, weigh: Fixed(2), bias: \"1 KiB\")"];

/// A HyperX and a dragonfly for 200 us.
fn short(routing: &str, is_dragonfly: bool, sets: &[&str]) -> Plan {
    let hyper_x = "topology=HyperX(sizes: [3, 4], hosts: 2, host_cable: \"wire\", trunk_cable: \"wire\")";
    let own = ["duration=\"200 us\"", "sample=\"20 us\"", hyper_x];
    let own = &own[..if is_dragonfly { 2 } else { 3 }];
    let sets: Vec<&str> = own.iter().copied().chain(sets.iter().copied()).collect();
    dragonfly(routing, 5, &traffic(if is_dragonfly { 2 } else { 0 }, SATURATED), &sets)
}

/// In 2 and 3 parts, on threads or scrambled and in turn: one record. All packets are delivered and all credits are back.
#[test]
fn detours_are_the_same_in_any_parts_and_drain() {
    for (routing, is_dragonfly) in
        ROUTINGS.into_iter().flat_map(|routing| [(routing, true), (routing, false)])
    {
        let plan = short(routing, is_dragonfly, &[]);
        let one = told(&plan, RunOptions { drain: true, ..RunOptions::default() });
        assert!(one.contains("under_way: 0"), "{routing}: all packets are delivered");
        for parts in [2, 3] {
            let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), parts);
            for (scramble, in_turn) in [(None, false), (Some(7), true)] {
                let partition = Some(&partition);
                let options =
                    RunOptions { drain: true, partition, scramble, in_turn, ..RunOptions::default() };
                assert_same(&one, &told(&plan, options), &(routing, parts, scramble));
            }
        }
    }
}

/// Every organisation that can change lanes, under credits and PFC: no violation, no deadlock, and nothing left behind.
#[test]
fn detours_drain_in_every_organisation() {
    let pauses = "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"100 ns\", quanta: 2000)";
    let organisations =
        BufferingSpec::ALL.into_iter().filter(|buffering| *buffering != BufferingSpec::InputFifo);
    for (i, buffering) in organisations.enumerate() {
        for (j, flow_control) in [SHALLOW, pauses].into_iter().enumerate() {
            let buffering = format!("switch.buffering={buffering:?}");
            let routing = ROUTINGS[(2 * i + j) % ROUTINGS.len()];
            let plan = short(routing, i % 2 == 0, &[&buffering, DEEP, flow_control]);
            let record = simulate(&plan, RunOptions { drain: true, ..RunOptions::default() }, &mut |_| {})
                .unwrap_or_else(|failed| panic!("{routing} {buffering} {flow_control}: {failed}"));
            let audit = record.audit;
            assert_eq!((audit.under_way, audit.dropped), (0, 0), "{routing} {buffering} {flow_control}");
            assert!(audit.delivered > 1000, "{routing} {buffering}: {} delivered", audit.delivered);
        }
    }
}

/// A run that goes on from a state in the middle, in other parts, has the record of the whole run.
#[test]
fn detours_go_on_from_a_state() {
    for routing in ROUTINGS {
        let plan = short(routing, true, &[]);
        let whole = told(&plan, RunOptions::default());
        let (mut states, mut no_states) = (Vec::new(), 0);
        let keep = &mut |_, state| states.push(state);
        let saving = Saving { every: Some(Span::from_ns(70_000)), from: None, keep };
        simulate_saving(&plan, RunOptions::default(), saving, &mut |_| {}).expect("a good run");
        let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 2);
        let options = RunOptions { partition: Some(&partition), ..RunOptions::default() };
        let keep = &mut |_, _| no_states += 1;
        let saving = Saving { every: None, from: Some(&states[1]), keep };
        let rest = simulate_saving(&plan, options, saving, &mut |_| {}).expect("a good state");
        assert_same(&whole, &format!("{rest:#?}"), &routing);
        assert_eq!((states.len(), no_states), (2, 0));
    }
}
