//! The load of cables, as `check --cables` prints and writes it.
//!
//! Invariant: a row is a direction of a cable. Rows are in the order of their load for the rate of the cable: flows,
//! then pairs, then the order of nodes and ports.

use core::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write;

use backwater::Plan;
use names::csv;
use packet::{NodeId, PortId};
use results::format::{aligned, plain_table};
use scenario::{CableLoad, PortHeadroom};
use units::Rate;

/// Most rows that are printed.
const MOST_ROWS: usize = 20;
/// Most patterns with a column of their own in the printed table.
const MOST_PATTERNS: usize = 4;
/// Durations of the scenario within which a closed loop should have met all its destinations.
const DURATIONS: [u64; 2] = [1000, 10];

/// Returns a plan in which traffic that ends by itself has all its flows. Those of a closed loop are as many as it
/// posts by the end of the run. Traffic without an end leaves the plan as it is.
pub(super) fn with_all_flows(scenario: &str, set: &[String], plan: Plan) -> Plan {
    let longer = |times: &u64| {
        let at_most = Some(plan.duration() * *times);
        experiment::plan_until_done(scenario, set, None, at_most).ok()
    };
    // A longer run may be refused, for example for its number of samples or of messages.
    DURATIONS.iter().find_map(longer).unwrap_or(plan)
}

/// The loads of all cables of a plan.
pub(super) struct Loads<'a> {
    plan: &'a Plan,
    /// The worst first.
    loads: Vec<CableLoad>,
    headrooms: BTreeMap<(NodeId, PortId), PortHeadroom>,
}

impl<'a> Loads<'a> {
    pub(super) fn of(plan: &'a Plan) -> Self {
        let mut loads = plan.cable_loads();
        // The sort is stable, so equal loads stay in the order of nodes and ports.
        loads.sort_by(|one, other| by_load(plan, one, other));
        let headrooms = plan.headrooms().into_iter().map(|own| ((own.node, own.port), own)).collect();
        Self { plan, loads, headrooms }
    }

    /// Returns the worst cables between switches, and a line on those of hosts.
    pub(super) fn printed(&self) -> String {
        let graph = self.plan.graph();
        let (of_hosts, trunks): (Vec<_>, Vec<_>) = self.loads.iter().partition(|load| {
            graph.is_host(load.node) || graph.is_host(graph.far_end((load.node, load.port)).0)
        });
        let shown = if trunks.is_empty() { &of_hosts } else { &trunks };
        let labels = self.labels();
        let columns = if (2..=MOST_PATTERNS).contains(&labels.len()) { &labels[..] } else { &[] };
        let mut table = plain_table();
        let header = ["from", "port", "to", "port", "rate", "pairs", "flows"].map(str::to_owned);
        table.set_header(header.into_iter().chain(columns.iter().map(|(_, label)| label.clone())));
        for load in shown.iter().take(MOST_ROWS) {
            let own = columns.iter().map(|(place, _)| load.flows[*place].to_string());
            table.add_row(self.cells(load).into_iter().chain(own));
        }
        let routes = self.plan.routes().detours().map_or("", |_| ", by minimal routes");
        let mut text = format!(
            "{}: pairs of hosts and flows by direction of a cable{routes}, worst first; flows are those that post within {}\n\n{}\n",
            self.plan.name(),
            self.plan.duration(),
            aligned(table, 4)
        );
        match shown.len().saturating_sub(MOST_ROWS) {
            0 => {}
            more => writeln!(text, "and {more} more: `--cables=FILE` writes all of them").expect("memory"),
        }
        if let Some(worst) = of_hosts.first().filter(|_| !trunks.is_empty()) {
            let [from, _, to, ..] = self.cells(worst);
            let (pairs, flows) = (pairs(worst.pairs), worst.all_flows());
            writeln!(
                text,
                "cables of hosts: at most {flows} flows and {pairs} pairs one way, from {from} to {to}"
            )
            .expect("memory");
        }
        text
    }

    /// Returns all loads as CSV, with the headroom at the far end where there is PFC. Pairs and flows are those of `routes`:
    /// all, or the minimal ones of a fabric that has detours, too.
    pub(super) fn csv(&self) -> String {
        let labels = self.labels();
        let mut text = "node,port,peer,peer_port,cable,rate_bps,pairs,flows".to_owned();
        for (_, label) in &labels {
            write!(text, ",{}", csv::quoted(&format!("flows of {label}"))).expect("memory");
        }
        text += ",headroom_bytes,headroom_needed_bytes,routes\n";
        let routes = self.plan.routes().detours().map_or("all", |_| "minimal");
        let graph = self.plan.graph();
        for load in &self.loads {
            let (peer, peer_port) = graph.far_end((load.node, load.port));
            let [from, port, to, far, ..] = self.cells(load);
            let kind = graph.ports(load.node)[load.port.index()].cable;
            let (cable, rate) = (csv::quoted(self.plan.cable_name(kind)), self.plan.cable(kind).rate.get());
            write!(text, "{},{port},{},{far},{cable},{rate},", csv::quoted(&from), csv::quoted(&to))
                .expect("memory");
            write!(text, "{},{}", load.pairs, load.all_flows()).expect("memory");
            labels.iter().for_each(|(place, _)| write!(text, ",{}", load.flows[*place]).expect("memory"));
            match self.headrooms.get(&(peer, peer_port)) {
                Some(own) => writeln!(text, ",{},{},{routes}", own.given.get(), own.needed.total().get()),
                None => writeln!(text, ",,,{routes}"),
            }
            .expect("memory");
        }
        text
    }

    /// Returns the patterns that have flows, by their places, and `flows` if it has some.
    fn labels(&self) -> Vec<(usize, String)> {
        let workload = self.plan.workload();
        let patterns = workload.patterns.iter().map(|pattern| pattern.label.clone());
        let all = patterns.chain(["flows".to_owned()]).enumerate();
        all.filter(|(place, _)| self.loads.iter().any(|load| load.flows[*place] > 0)).collect()
    }

    fn cells(&self, load: &CableLoad) -> [String; 7] {
        let graph = self.plan.graph();
        let far = graph.far_end((load.node, load.port));
        let port = |end| graph.port_number(end).to_string();
        [
            graph.name(load.node).to_owned(),
            port((load.node, load.port)),
            graph.name(far.0).to_owned(),
            port(far),
            rate(self.plan, load).to_string(),
            pairs(load.pairs),
            load.all_flows().to_string(),
        ]
    }
}

fn rate(plan: &Plan, load: &CableLoad) -> Rate {
    plan.cable(plan.graph().ports(load.node)[load.port.index()].cable).rate
}

/// Compares loads for the rates of their cables, the worse one first.
fn by_load(plan: &Plan, one: &CableLoad, other: &CableLoad) -> Ordering {
    let [a, b] = [one, other].map(|load| rate(plan, load).get() as f64);
    let flows = (other.all_flows() as f64 / b).total_cmp(&(one.all_flows() as f64 / a));
    flows.then_with(|| (other.pairs / b).total_cmp(&(one.pairs / a)))
}

/// Writes a number of pairs; parts of pairs occur where switches choose for each flow.
fn pairs(pairs: f64) -> String {
    if (pairs - pairs.round()).abs() < 1e-6 { format!("{pairs:.0}") } else { format!("{pairs:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(scenario: &str, sets: &[&str]) -> Plan {
        let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
        let plan = experiment::plan(scenario, &sets, None).expect("it is right");
        with_all_flows(scenario, &sets, plan)
    }

    #[test]
    fn the_worst_cables_are_printed_and_all_are_written() {
        let plan = plan("bench-a32", &["routing=Ecmp"]);
        let loads = Loads::of(&plan);
        insta::assert_snapshot!(loads.printed());
        let csv = loads.csv();
        assert_eq!(csv.lines().count(), 1 + plan.graph().far_ends().len());
        assert!(
            csv.lines()
                .all(|line| line.split(',').count() == csv.split('\n').next().unwrap().split(',').count())
        );
    }

    /// Detours depend on the loads, so both outputs have minimal routes, and say so.
    #[test]
    fn loads_by_minimal_routes_say_so() {
        let sets = |routing| {
            let dragonfly = "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"host\", \
                             local_cable: \"trunk\", global_cable: \"trunk\")";
            [dragonfly, routing, "link.data_lanes=4"]
        };
        for (routing, routes) in [("routing=Native", "all"), ("routing=Ugal", "minimal")] {
            let plan = plan("paths-permutation", &sets(routing));
            let loads = Loads::of(&plan);
            let csv = loads.csv();
            assert!(csv.lines().skip(1).all(|line| line.split(',').next_back() == Some(routes)), "{csv}");
            assert_eq!(loads.printed().contains("by minimal routes"), routes == "minimal");
        }
    }

    /// An all-to-all has a flow for each pair, however short the run is.
    #[test]
    fn flows_do_not_depend_on_the_duration() {
        let traffic = "traffic=[Synthetic(destinations: AllToAll, size: Fixed(\"64 KiB\"), \
                       arrivals: Closed(outstanding: 1), \
                       start: \"0 s\", messages: 31)]";
        let loads = ["duration=10 us", "duration=100 ms"].map(|duration| {
            let sets = [traffic, duration, "sample=10 us"];
            plan("bench-a32", &sets).cable_loads()
        });
        assert_eq!(loads[0], loads[1]);
        assert!(loads[0].iter().all(|load| load.flows[0] as f64 == load.pairs), "{:?}", loads[0]);
    }

    /// Half the rate counts as twice the load.
    #[test]
    fn a_slower_cable_is_worse() {
        let kind = |name: &str, speed: &str| {
            format!("\"{name}\": (width: X4, speed: {speed}, propagation: Delay(\"1 us\"))")
        };
        let cables = format!("cables={{{}, {}}}", kind("wire", "EDR"), kind("slow", "QDR"));
        let sets = [cables.as_str(), "changed_cables={\"leaf2:spine2\": Kind(\"slow\")}"];
        let plan = plan("bench-a32", &sets);
        let worst = &Loads::of(&plan).loads[0];
        let far = plan.graph().far_end((worst.node, worst.port)).0;
        let mut ends = [plan.graph().name(worst.node), plan.graph().name(far)];
        ends.sort_unstable();
        assert_eq!(ends, ["leaf2", "spine2"]);
    }
}
