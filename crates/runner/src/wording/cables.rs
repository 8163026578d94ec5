//! Single cables that differ from the topology, in words.

use scenario::Plan;
use topology::{ChangedCables, PortOfNode};

/// Largest number of cables of an entry that are named.
const MOST_NAMED: usize = 6;

/// Says in a line for each entry of `changed_cables` which cables it changes, and at which switches ports are numbered
/// anew.
pub(super) fn changed(plan: &Plan) -> String {
    let mut text: String = plan.changed_cables().iter().map(|entry| line(plan, entry)).collect();
    let removed = plan.changed_cables().iter().filter(|entry| entry.kind.is_none());
    let mut nodes: Vec<_> =
        removed.flat_map(|entry| &entry.cables).flat_map(|(from, to)| [from.0, to.0]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.retain(|node| !plan.graph().has_given_numbers(*node));
    if !nodes.is_empty() {
        let names: Vec<_> = nodes.iter().map(|node| plan.graph().name(*node).to_owned()).collect();
        text += &format!(
            "ports without the removed cables: later ports of {} have lower numbers than in the complete topology\n",
            few(&names)
        );
    }
    text
}

fn line(plan: &Plan, changed: &ChangedCables) -> String {
    let ChangedCables { entry, kind, cables, numbers } = changed;
    let change = match kind {
        None => "removed".to_owned(),
        Some(kind) => format!("of kind `{}`, {}", plan.cable_name(*kind), plan.cable(*kind).rate),
    };
    let port = |(node, _): PortOfNode, number: u16| format!("{}:{number}", plan.graph().name(node));
    let cable = |((from, to), (at_from, at_to)): (&(PortOfNode, PortOfNode), &(u16, u16))| {
        format!("{} - {}", port(*from, *at_from), port(*to, *at_to))
    };
    let named: Vec<_> = cables.iter().zip(numbers).map(cable).collect();
    let ending = if cables.len() == 1 { "" } else { "s" };
    format!("changed cables `{entry}`: {} cable{ending} {change}: {}\n", cables.len(), few(&named))
}

/// Lists the first names, and the number of the others.
fn few(names: &[String]) -> String {
    let mut shown: Vec<_> = names.iter().take(MOST_NAMED).cloned().collect();
    if names.len() > MOST_NAMED {
        shown.push(format!("and {} more", names.len() - MOST_NAMED));
    }
    shown.join(", ")
}
