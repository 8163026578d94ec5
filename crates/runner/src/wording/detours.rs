//! Routes that need not be minimal, in words.
//!
//! Invariant: a line for the routing, and a line for each pattern with traffic between switches.

use std::fmt::Write;

use packet::{NodeId, PortId};
use scenario::{DetourLoads, LargestLoads, Plan};
use topology::{RoutingSpec, Through};

/// Describes the lanes of the routes, and the largest expected load of a cable of each pattern.
pub(super) fn detours(plan: &Plan) -> String {
    let Some(detours) = plan.routes().detours() else { return String::new() };
    let through = match detours.through() {
        Through::Switch => "switches",
        Through::Group => "groups",
    };
    let mut text = format!(
        "routes: `{}` through {through}; {} lanes for each service level, on which no choices of switches make a cycle\n\
         loads and flows of patterns above are those of minimal routes alone\n",
        plan.scenario().routing.word(),
        detours.lanes(),
    );
    for DetourLoads { pattern, loads } in plan.detour_loads() {
        let whose = match pattern.map(|i| (i, &plan.workload().patterns[i])) {
            None => "named flows".to_owned(),
            Some((i, pattern)) => pattern
                .name
                .as_ref()
                .map_or_else(|| format!("traffic[{i}]"), |name| format!("pattern `{name}`")),
        };
        let loads = loads.map_or_else(
            || "too many pairs of hosts to add up".to_owned(),
            |loads| self::loads(plan, &loads),
        );
        writeln!(text, "expected loads of {whose}: {loads}").expect("memory");
    }
    text
}

/// `8.000 of its rate by minimal routes ..., 2.286 by detours alone ...`, and the rate that sources can send. `Valiant`
/// sends all packets on the detours that it draws; the other routings choose.
fn loads(plan: &Plan, loads: &LargestLoads) -> String {
    let graph = plan.graph();
    let output = |(switch, port): (NodeId, PortId)| {
        format!("`{}` port {}", graph.name(switch), graph.port_number((switch, port)))
    };
    let ((at, minimal), (other, detoured)) = (loads.minimal, loads.detoured);
    let (share, best) = loads.best;
    let all_detour = matches!(plan.scenario().routing, RoutingSpec::Valiant(_));
    let bound = if all_detour {
        format!("; all packets take detours, so that sources can send {:.3} at most", sent(detoured))
    } else {
        format!(
            ", {best:.3} with {:.0} % of all packets minimal, the best share that is the same for all pairs: sources can \
             then send {:.3}, and more only where shares differ",
            share * 100.0,
            sent(best)
        )
    };
    format!(
        "if every source sends at its link's rate, the busiest cable between switches would carry {minimal:.3} of its rate by minimal \
         routes ({}), {detoured:.3} by detours alone ({}){bound}",
        output(at),
        output(other),
    )
}

/// Returns the share of its link's rate that each source can send, by the load of the busiest cable.
fn sent(load: f64) -> f64 {
    (1.0 / load).min(1.0)
}

#[cfg(test)]
mod tests {
    use crate::Simulation;

    fn said(routing: &str) -> String {
        let mut simulation = Simulation::find("bench-a32").expect("it ships");
        let sets = [
            "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"wire\", local_cable: \"wire\", \
             global_cable: \"wire\")",
            "layer_lanes=Kept",
            "link.data_lanes=4",
            "traffic=[Synthetic(name: \"adv\", destinations: Shift(8), arrivals: Poisson(load: 0.5), size: Fixed(\"32 KiB\"))]",
            routing,
        ];
        for set in sets {
            simulation = simulation.set(set).expect("a field");
        }
        super::detours(&simulation.check().unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// A mixture of minimal routes and detours is a bound only for routings that choose between them.
    #[test]
    fn the_bound_is_of_the_routes_that_packets_can_take() {
        let valiant = said("routing=Valiant(through: Group)");
        let all = "2.286 by detours alone (`g1.r1` port 3); all packets take detours, so that sources can send 0.438 at most";
        assert!(valiant.contains(all) && !valiant.contains("minimal, "), "{valiant}");
        let ugal = said("routing=Ugal(through: Group)");
        let mixed = "1.778 with 22 % of all packets minimal, the best share that is the same for all pairs: sources can then \
                     send 0.563, and more only where shares differ";
        assert!(ugal.contains(mixed) && !ugal.contains("at most"), "{ugal}");
    }
}
