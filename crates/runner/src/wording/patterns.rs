//! The use that traffic patterns make of the fabric, in words.
//!
//! Invariant: a line a pattern.

use std::collections::BTreeSet;

use packet::{NodeId, PortId};
use scenario::{IncastUse, PatternLoad, PatternUse, Plan};
use units::Bytes;

use super::counted;

/// Describes each pattern in a line: its flows and messages, the cables that it shares, and its load.
pub(super) fn patterns(plan: &Plan) -> String {
    plan.pattern_uses().iter().enumerate().map(|(i, used)| pattern(plan, i, used)).collect()
}

fn pattern(plan: &Plan, i: usize, used: &PatternUse) -> String {
    let whose = match &used.name {
        Some(name) => format!("pattern `{name}`"),
        None => format!("traffic[{i}], `{}`", used.label),
    };
    let ends = match used.incasts {
        Some(incasts) => self::incasts(plan, incasts, &used.destinations),
        None => format!(
            "{}{} from {} to {}",
            counted(used.flows, "flow"),
            within(plan, used),
            hosts(plan, &used.sources),
            hosts(plan, &used.destinations)
        ),
    };
    if used.flows == 0 {
        return format!("{whose}: posts nothing\n");
    }
    format!("{whose}: {ends}; {}; {}; {}\n", messages(used), reach(plan, used), load(plan, used))
}

/// Says that a closed loop has further flows, which its hosts cannot come to within the run.
fn within(plan: &Plan, used: &PatternUse) -> String {
    if used.is_cut {
        format!(" that can begin within {} (`--cables` counts all)", plan.duration())
    } else {
        String::new()
    }
}

/// `incast of 8 to h1`, or `20 incasts of 60, each to one host, 18 hosts in all`.
fn incasts(plan: &Plan, incasts: IncastUse, receivers: &BTreeSet<NodeId>) -> String {
    let IncastUse { count, least, most } = incasts;
    let senders = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let to = match receivers.len() {
        1 => format!("to {}", hosts(plan, receivers)),
        several => format!("each to one host, {several} hosts in all"),
    };
    if count == 1 {
        format!("incast of {senders} {to}")
    } else {
        format!("{count} incasts of {senders}, {to}")
    }
}

fn messages(used: &PatternUse) -> String {
    let volume = used.volume;
    let count = counted(volume.messages, "message");
    if volume.replaced {
        format!("{count} at the starts of flows, one more for each that completes")
    } else {
        format!("{count}, {}", amount(volume.payload))
    }
}

/// The switches and cables that data crosses.
fn reach(plan: &Plan, used: &PatternUse) -> String {
    let (flows, cables) = (used.flows, used.cables);
    let Some((node, port, most)) = cables.most else {
        let mut switches = used.switches.iter();
        return match (switches.next(), switches.next()) {
            (Some(one), None) => {
                format!("all on {}, no cable between switches used", plan.graph().name(*one))
            }
            _ => "every flow on one switch, no cable between switches used".to_owned(),
        };
    };
    let leave = match used.leaving {
        all if all == flows => "all flows leave their switch".to_owned(),
        1 => format!("1 of {flows} flows leaves its switch"),
        some => format!("{some} of {flows} flows leave their switch"),
    };
    let shared = match cables.shared {
        0 => "none shared".to_owned(),
        shared => format!(
            "{shared} shared, at most {} one way on {}",
            counted(most, "flow"),
            link(plan, node, port)
        ),
    };
    format!("{leave}, over {} of {} between switches, {shared}", cables.used, counted(cables.all, "cable"))
}

fn load(plan: &Plan, used: &PatternUse) -> String {
    let Some(busiest) = used.busiest else { return "no load within the run".to_owned() };
    let link = link(plan, busiest.node, busiest.port);
    let which = match busiest.some_by_load {
        true => "its busiest link of those that packets do not choose by load",
        false => "its busiest link",
    };
    match busiest.load {
        PatternLoad::ByCompletions => "load as messages complete".to_owned(),
        PatternLoad::Share(share) => format!("expected mean load {share:.3} on {link}, {which}"),
        PatternLoad::Time(time) => format!("at least {:.1} us on {link}, {which}", time.ps() as f64 / 1e6),
    }
}

/// `leaf1 port 3 to h1`, or `h1 to leaf1`.
fn link(plan: &Plan, node: NodeId, port: PortId) -> String {
    let graph = plan.graph();
    let (own, peer) = (graph.name(node), graph.name(graph.ports(node)[port.index()].peer));
    if graph.is_host(node) {
        format!("{own} to {peer}")
    } else {
        format!("{own} port {} to {peer}", graph.port_number((node, port)))
    }
}

fn hosts(plan: &Plan, hosts: &BTreeSet<NodeId>) -> String {
    match hosts.first() {
        Some(one) if hosts.len() == 1 => plan.graph().name(*one).to_owned(),
        _ => counted(hosts.len(), "host"),
    }
}

/// An amount to a tenth of its unit: kilobytes of 1,000 bytes below a megabyte, and so on.
fn amount(bytes: Bytes) -> String {
    let bytes = bytes.get() as f64;
    match bytes {
        small if small < 1e3 => format!("{small} B"),
        some if some < 1e6 => format!("{:.1} KB", some / 1e3),
        many if many < 1e9 => format!("{:.1} MB", many / 1e6),
        most => format!("{:.1} GB", most / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use crate::Simulation;

    fn lines(scenario: &str, sets: &[&str]) -> String {
        let simulation = Simulation::find(scenario).expect("it ships");
        let simulation =
            sets.iter().fold(simulation, |simulation, set| simulation.set(set).expect("a field"));
        super::patterns(&simulation.check().expect("it is right"))
    }

    /// Each leaf of `bench-a32` has four hosts. Seven messages of 2 MiB take 1174.4 us at 100 Gb/s; h5 to h8 share the
    /// cables from leaf2 to spine1 and on to leaf1.
    #[test]
    fn each_pattern_has_a_line() {
        let all = [
            lines("bench-a32", &[]),
            lines("bench-a32", &["traffic[1].senders=2", "traffic[1].name=incast"]),
            lines(
                "bench-a32",
                &["traffic[1].senders=Drawn(3)", "traffic[1].to=*", "traffic[1].bytes=\"4 KiB\""],
            ),
            lines("santos2003", &[]),
            lines(
                "bench-a32",
                &[
                    "traffic=[Synthetic(name: \"a2a\", destinations: AllToAll, size: Fixed(\"1 MiB\"), arrivals: \
                     Closed(outstanding: 1), start: \"0 s\")]",
                    "duration=1 ms",
                ],
            ),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }
}
