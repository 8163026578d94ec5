//! `check`: a scenario without its run.

use scenario::Plan;

use crate::engine;
use crate::failure::Failure;

/// Says what the scenario is, if nothing is wrong with it.
pub(crate) fn run(scenario: &str, set: &[String]) -> Result<(), Failure> {
    crate::print(&description(&engine::plan(scenario, set, None)?));
    Ok(())
}

fn description(plan: &Plan) -> String {
    let graph = plan.graph();
    let flows = &plan.workload().flows;
    let named = flows.iter().filter(|flow| flow.named).count();
    let others = flows.len() - named;
    let patterns = if others > 0 { format!(" and {others} of patterns") } else { String::new() };
    let switches = graph.nodes() - graph.hosts();
    format!(
        "{}: {}, {}, {}; {}{patterns}; {} in {}\n",
        plan.name(),
        counted(graph.hosts(), "host"),
        counted(switches, "switch"),
        counted(links(plan), "link"),
        counted(named, "named flow"),
        plan.duration(),
        counted(plan.phases().len(), "phase"),
    )
}

fn links(plan: &Plan) -> usize {
    let graph = plan.graph();
    (0..graph.nodes() as u32).map(|node| graph.ports(packet::NodeId(node)).len()).sum::<usize>() / 2
}

fn counted(count: usize, noun: &str) -> String {
    let ending = match (count, noun) {
        (1, _) => "",
        (_, "switch") => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_have_their_plural() {
        assert_eq!(counted(1, "switch"), "1 switch");
        assert_eq!(counted(2, "switch"), "2 switches");
        assert_eq!(counted(0, "link"), "0 links");
    }
}
