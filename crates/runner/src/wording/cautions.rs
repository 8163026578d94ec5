//! Settings that are allowed, and mostly not meant: each is said in a line.
//!
//! Invariant: a line depends on the plan only, and names the setting, its value and its effect.

use cc_policies::{AnyEcho, Control, MarkingSpec, ResponseSpec};
use link_layer::spec::{Discipline, VlArbitrationSpec, VlWeight};
use packet::{NodeId, PortId, TransportService};
use results::remarks;
use scenario::Plan;
use switch_arch::spec::{BufferingSpec, SelectionSpec};
use telemetry::LockstepRecord;
use units::{Bytes, Span};

/// Unit of a lane's weight (IBA 7.6.9).
const WEIGHT_UNIT: u64 = 64;
/// Block of credits (IBA 7.9).
const BLOCK: u64 = 64;
/// Most names in a line.
const MOST_NAMES: usize = 8;

pub(super) fn cautions(plan: &Plan) -> String {
    let lines = [
        early_alpha(plan.control()),
        light_weights(plan),
        threshold_out_of_reach(plan),
        short_window(plan),
        hosts_apart(plan),
    ];
    lines.into_iter().flatten().chain(idle_and_refused(plan)).chain(lockstep(plan)).collect()
}

/// Names packets that hosts refuse, and settings of paths that cannot have an effect.
pub(super) fn idle_and_refused(plan: &Plan) -> impl Iterator<Item = String> {
    let idle = plan.idle_settings().into_iter().map(|idle| remarks::idle_setting(&idle) + "\n");
    overtaken_in_order(plan).into_iter().chain(bursts_of_one(plan)).chain(idle)
}

/// Says that flowlets without a gap are no bursts.
fn bursts_of_one(plan: &Plan) -> Option<String> {
    let scenario = plan.scenario();
    let mut specs = [&scenario.switch].into_iter().chain(scenario.switches.values());
    let has_none = specs.any(
        |spec| matches!(spec.selection, Some(SelectionSpec::Flowlet(bursts)) if bursts.gap == Span::ZERO),
    );
    has_none.then(|| {
        "`switch.selection: Flowlet` with a `gap` of 0 chooses anew for every packet, like the selector of its `then` \
         alone: bursts need a gap above 0\n"
            .to_owned()
    })
}

/// Says that hosts that deliver in order refuse packets which overtake others.
fn overtaken_in_order(plan: &Plan) -> Option<String> {
    let in_order = |host: NodeId| plan.nodes().adapter(host).repeat_rule().any_order.is_none();
    let flows = plan.workload().flows.iter().filter(|flow| flow.transport == TransportService::Rc);
    let are_refused = plan.packets_may_overtake() && flows.into_iter().any(|flow| in_order(flow.destination));
    are_refused.then(|| {
        "delivery: InOrder: packets may overtake each other here; RC refuses each that comes ahead of a missing one, \
         and go-back-N sends it again, with all behind it; `AnyOrder` with `recovery: SelectiveRepeat` takes them as \
         they come\n"
            .to_owned()
    })
}

/// Says that credits of a shared memory run ahead by less than a cable needs.
fn short_window(plan: &Plan) -> Option<String> {
    plan.shortest_window().map(|short| remarks::short_window(&short) + "\n")
}

/// Names the closed loops with hosts that proceed together.
fn lockstep(plan: &Plan) -> impl Iterator<Item = String> {
    let loops = plan.workload().patterns.iter().zip(plan.closed_loops());
    loops.filter_map(|(pattern, closed)| {
        let LockstepRecord { stages, most_flows } = closed?.lockstep?;
        Some(remarks::in_lockstep(&pattern.label, (stages, most_flows)) + "\n")
    })
}

/// Says that DCQCN's alpha falls between the CNPs of a flow that is marked without pause.
fn early_alpha(control: &Control) -> Option<String> {
    let (AnyEcho::Dcqcn(echo), ResponseSpec::Dcqcn(response)) = (&control.echo, &control.response) else {
        return None;
    };
    let (interval, timer): (Span, Span) = (echo.interval, response.alpha_timer);
    (timer <= interval).then(|| {
        format!(
            "DCQCN: alpha_timer (K) is {timer}, not above the interval of CNPs (N), {interval}: alpha falls between the CNPs of a \
             flow that is marked without pause; the papers have 55 us and 50 us\n"
        )
    })
}

/// Says that weights of lanes below a packet weigh as a packet.
fn light_weights(plan: &Plan) -> Option<String> {
    let units = plan.link().longest_packet().get().div_ceil(WEIGHT_UNIT);
    let adapters = plan.nodes().adapters.iter().filter_map(|node| node.settings.vl_arbitration.as_ref());
    let switches = plan.nodes().switches.iter().filter_map(|node| node.settings.vl_arbitration.as_ref());
    let own = adapters.chain(switches.flatten());
    let light =
        core::iter::once(&plan.link().vl_arbitration).chain(own).find_map(|table| light(table, units))?;
    let weights = light.iter().map(|entry| format!("lane {} {}", entry.lane, entry.weight));
    Some(format!(
        "vl_arbitration: weights below a packet of the MTU, {units} units of 64 bytes, weigh as one packet, since a turn may \
         exceed its weight by less than a packet: {}\n",
        weights.collect::<Vec<_>>().join(", ")
    ))
}

/// Returns the entries of a table that weigh less than a packet, if the table has entries of several weights.
fn light(table: &VlArbitrationSpec, units: u64) -> Option<Vec<VlWeight>> {
    [&table.high, &table.low].into_iter().find_map(|entries| {
        let served: Vec<_> = entries.iter().filter(|entry| entry.weight > 0).copied().collect();
        let differ = served.iter().any(|entry| entry.weight != served[0].weight);
        let light: Vec<_> = served.into_iter().filter(|entry| u64::from(entry.weight) < units).collect();
        (differ && !light.is_empty()).then_some(light)
    })
}

/// Says that the threshold of InfiniBand's marking is out of reach of an input's buffer. The cable's loop takes a part
/// of the buffer: bytes on their way there, and credits on their way back or kept for an update. A hot spot that
/// several inputs feed may still exceed it.
fn threshold_out_of_reach(plan: &Plan) -> Option<String> {
    let MarkingSpec::Iba(marking) = &plan.control().marking else { return None };
    let Discipline::Credits(credits) = &plan.link().flow_control else { return None };
    // Ports with thresholds of their own are set individually, by someone who knows them.
    if !marking.ports.is_empty() {
        return None;
    }
    let kept = Bytes::new(u64::from(credits.update_blocks) * BLOCK);
    plan.graph().switch_ids().find_map(|switch| {
        let at_inputs = [BufferingSpec::InputFifo, BufferingSpec::InputVoq, BufferingSpec::CombinedInputOutput];
        if !at_inputs.contains(&plan.nodes().switch(switch).buffering) {
            return None;
        }
        plan.graph().ports(switch).iter().zip(0..).find_map(|(&far, number)| {
            let here = plan.nodes().port(switch, PortId(number));
            let there = plan.nodes().port(far.peer, far.peer_port).wire;
            let loop_time = there.latency() + here.wire.latency();
            let buffer = here.capacity[0];
            let threshold = marking.threshold_in(buffer)?;
            let taken = there.rate().amount_in(loop_time) + kept;
            (buffer.saturating_sub(taken) < threshold).then(|| {
                format!(
                    "marking: {}: port {}: threshold {} is {threshold} of a buffer of {buffer}, of which the cable's loop takes \
                     {taken}: one input alone hardly exceeds it; a higher weight is a lower threshold\n",
                    plan.graph().name(switch),
                    plan.graph().port_number((switch, PortId(number))),
                    marking.threshold,
                )
            })
        })
    })
}

/// Names the hosts with adapters that do not comply with congestion control.
fn hosts_apart(plan: &Plan) -> Option<String> {
    let names: Vec<_> = plan.hosts_that_ignore_control().collect();
    let shown = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!names.is_empty()).then(|| format!("ignoring congestion control: {shown}{more}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulation;

    fn said(scenario: &str, sets: &[&str]) -> String {
        let mut simulation = Simulation::find(scenario).unwrap();
        for set in sets {
            simulation = simulation.set(set).unwrap();
        }
        cautions(&simulation.check().unwrap())
    }

    #[test]
    fn usual_settings_need_no_caution() {
        let usual =
            ["conext2016-fixed-point", "santos2003", "pfister2005", "gran2011-scenario1", "roce-victim"];
        for scenario in usual {
            assert_eq!(said(scenario, &[]), "", "{scenario}");
        }
    }

    #[test]
    fn each_setting_that_is_mostly_not_meant_is_said() {
        let alpha = said("conext2016-fixed-point", &["congestion_control.response.alpha_timer=50 us"]);
        let weights = [
            "link.data_lanes=3",
            "link.vl_arbitration=(low: [(lane: 0, weight: 1), (lane: 1, weight: 33), (lane: 2, weight: 90)])",
        ];
        let lanes = said("one-flow", &weights);
        let cable = said("pfister2005", &["cables.link.propagation=Cable(\"200 m\")"]);
        let hosts = said(
            "santos2003",
            &["adapters={\"R1\": (congestion_control: Ignore), \"L*\": (congestion_control: Silent)}"],
        );
        let ring = "traffic=[Synthetic(name: \"a2a\", destinations: AllToAll, size: Fixed(\"64 KiB\"), \
                    arrivals: Closed(outstanding: 1), start: \"0 s\")]";
        let stages = said("bench-a32", &[ring]);
        let window = said(
            "bench-a32",
            &["switch.buffering=Central", "switch.sharing=Complete(guaranteed: \"8320 B\")"],
        );
        insta::assert_snapshot!([alpha, lanes, cable, hosts, stages, window].concat());
    }

    /// A gap of 0 is told; any other is a burst's.
    #[test]
    fn flowlets_without_a_gap_are_told() {
        let with =
            |gap: &str| said("paths-permutation", &[&format!("switch.selection=Flowlet(gap: \"{gap}\")")]);
        assert!(with("0 us").contains("`gap` of 0 chooses anew for every packet"), "{}", with("0 us"));
        assert!(!with("1 ns").contains("anew"), "{}", with("1 ns"));
    }

    #[test]
    fn equal_weights_are_equal_whatever_they_are() {
        let table = |weights: [u8; 2]| VlArbitrationSpec {
            low: (0..).zip(weights).map(|(lane, weight)| VlWeight { lane, weight }).collect(),
            ..VlArbitrationSpec::default()
        };
        assert_eq!(light(&table([1, 1]), 33), None);
        assert_eq!(light(&table([1, 0]), 33), None);
        assert_eq!(light(&table([33, 66]), 33), None);
        assert_eq!(light(&table([32, 66]), 33).map(|light| light.len()), Some(1));
    }
}
