//! Routes that need not be minimal, in words.
//!
//! Invariant: a line for the routing, and a line for each pattern with traffic between switches.

use std::fmt::Write;

use packet::{NodeId, PortId};
use scenario::{DetourLoads, LargestLoads, Plan};
use topology::Through;

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

/// `8.00 of the rate at g1.r1 port 6 minimally, ...`.
fn loads(plan: &Plan, loads: &LargestLoads) -> String {
    let graph = plan.graph();
    let output = |(switch, port): (NodeId, PortId)| {
        format!("`{}` port {}", graph.name(switch), graph.port_number((switch, port)))
    };
    let ((at, minimal), (other, detoured)) = (loads.minimal, loads.detoured);
    let (share, best) = loads.best;
    format!(
        "if every source sends at its link's rate, the busiest cable between switches would carry {minimal:.3} of its rate by minimal \
         routes ({}), {detoured:.3} by detours alone ({}), {best:.3} with {:.0} % of each pair's packets minimal, \
         so sources can send {:.3} at most; more if that share differs from pair to pair",
        output(at),
        output(other),
        share * 100.0,
        (1.0 / best).min(1.0),
    )
}
