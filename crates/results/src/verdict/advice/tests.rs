//! Questions about plans, checked as the program would check them.

use std::collections::BTreeSet;

use packet::{NodeId, PortId};
use scenario::{Diagnostic, Scenario, ScenarioText};

use super::*;
use crate::verdict::command::AskedScenario;

fn plan(name: &str, sets: &[String]) -> Result<Plan, Diagnostic> {
    let mut text = ScenarioText::find(name)?;
    sets.iter().try_for_each(|set| text.set(set))?;
    Scenario::read(&text)?.check(&text)
}

/// Returns the words that a shell makes of a command. No word has a quote within.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(k, part)| match k % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Returns the overrides of each run of a command.
fn runs(command: &str) -> Vec<Vec<String>> {
    let words = words(command);
    let after = |option: &str| {
        let pairs = words.iter().zip(&words[1..]);
        pairs.filter(|(word, _)| *word == option).map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    let own: Vec<Vec<String>> = match words[1].as_str() {
        "compare" => words[2..4]
            .iter()
            .map(|run| {
                run.split_once(':').map_or(Vec::new(), |(_, own)| own.split(';').map(str::to_owned).collect())
            })
            .collect(),
        "sweep" => {
            let [vary] = &after("--vary")[..] else { panic!("{command}") };
            let (path, values) = vary.split_once('=').expect("a path and values");
            values.split(',').map(|value| vec![format!("{path}={value}")]).collect()
        }
        "sim" | "check" => vec![Vec::new()],
        verb => panic!("no question about congestion control is `{verb}`'s: {command}"),
    };
    own.into_iter().map(|own| after("--set").into_iter().chain(own).collect()).collect()
}

/// Every question about congestion control is one that the scenario can be asked, whatever its scheme.
#[test]
fn advised_overrides_are_valid_in_every_shipped_scenario() {
    let schemes = [
        "",
        "Off",
        "Guideline",
        "Iba()",
        "Dcqcn()",
        "Mixed(marking: Iba(), echo: Cnp, response: Dcqcn())",
        "Mixed(marking: Red(), echo: Cnp, response: Iba())",
    ];
    let (mut checked, mut swept) = (0, 0);
    for name in scenario::shipped().iter().map(|shipped| shipped.name) {
        for scheme in schemes {
            let given = (!scheme.is_empty()).then(|| format!("congestion_control={scheme}"));
            let sets: Vec<_> = given.into_iter().collect();
            // Not every scheme suits every scenario.
            let Ok(plan) = plan(name, &sets) else { continue };
            // Checking takes far longer than advising, so that no run is checked twice.
            let mut seen = BTreeSet::from([sets.clone()]);
            let asked = AskedScenario { scenario: name.to_owned(), sets, ..AskedScenario::default() };
            for command in questions(&plan, &asked) {
                swept += usize::from(command.starts_with("backwater sweep"));
                for run in runs(&command).into_iter().filter(|run| seen.insert(run.clone())) {
                    checked += 1;
                    if let Err(fault) = self::plan(name, &run) {
                        panic!("{command}: {fault}");
                    }
                }
            }
        }
    }
    assert!(checked > 100 && swept > 10, "{checked} runs, {swept} sweeps");
}

/// Returns the commands of all questions about the congestion control of a plan.
fn questions(plan: &Plan, asked: &AskedScenario) -> Vec<String> {
    if plan.congestion_control() == "Off" {
        return vec![Command::Comparison(FIELD, scheme(Some(plan)).0).line(asked)];
    }
    let states = [(false, false), (false, true), (true, false), (true, true)];
    states.map(|(has_tree, lost_goodput)| controlled(plan, has_tree, lost_goodput).command.line(asked)).into()
}

/// Fabrics that state the buffer of a port in each way that there is, with the port.
#[test]
fn advised_buffers_reach_the_port_and_are_those_that_credits_can_count() {
    let cases: [(&str, &[&str], &str, &str); 8] = [
        ("one-flow", &[], "H1", "S1"),
        ("one-flow", &[], "S1", "H2"),
        ("one-flow", &["switches={\"S1\": (buffer: \"8 KiB\")}"], "H1", "S1"),
        ("one-flow", &["adapters={\"H*\": (receive_buffer: \"8 KiB\")}"], "S1", "H2"),
        ("one-flow", &["switch.buffers=[(port: 1, size: \"8 KiB\")]"], "H1", "S1"),
        ("bench-a32", CENTRAL, "h1", "leaf1"),
        ("bench-a32", CENTRAL, "leaf1", "spine1"),
        ("bench-a32", CENTRAL, "leaf1", "h1"),
    ];
    for (name, sets, from, to) in cases {
        let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
        let asked =
            AskedScenario { scenario: name.to_owned(), sets: sets.clone(), ..AskedScenario::default() };
        let before = plan(name, &sets).unwrap_or_else(|fault| panic!("{sets:?}: {fault}"));
        let far = far_end(&before, from, to);
        let capacity = |plan: &Plan| plan.nodes().port(far.0, far.1).capacity[0];
        let buffer = capacity(&before);
        let sizes = [Bytes::kib(33), Bytes::new(131_072), Bytes::new(131_073), Bytes::kib(4096)];
        for needed in sizes.into_iter().filter(|needed| buffer < *needed) {
            let setting = before.buffer_setting((far.0, far.1, Lane(0)));
            let advice = for_round_trip(&setting, (buffer, needed));
            let (reason, command) = (&advice.reason, advice.command.line(&asked));
            assert!(buffer >= needed.min(MOST_COUNTED) || command.contains(" sim "), "{reason}: {command}");
            for run in runs(&command) {
                let after = plan(name, &run).unwrap_or_else(|fault| panic!("{command}: {fault}"));
                assert!(capacity(&after) >= needed.min(MOST_COUNTED), "{command}: {}", capacity(&after));
            }
        }
        let setting = before.buffer_setting((far.0, far.1, Lane(0)));
        let command = for_round_trip(&setting, (MOST_COUNTED, Bytes::kib(4096))).command.line(&asked);
        assert!(command.starts_with("backwater check "), "{command}");
    }
}

/// A memory that leaves each port less than 33 KiB.
const CENTRAL: &[&str] = &[
    "switch.buffering=Central",
    "switch.buffer=None",
    "switch.memory=80 KiB",
    "switch.sharing=Complete(guaranteed: \"8320 B\")",
];

/// Returns the far end of the first port from a node to another.
fn far_end(plan: &Plan, from: &str, to: &str) -> (NodeId, PortId) {
    let graph = plan.graph();
    let ports = graph.ports(graph.find(from).expect(from));
    let end = ports.iter().find(|end| graph.name(end.peer) == to).expect(to);
    (end.peer, end.peer_port)
}
