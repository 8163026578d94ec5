//! The scenarios that ship: the list is complete, all can be checked, and reading the resolved text gives the same plan.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use scenario::{Diagnostic, Plan, Scenario, ScenarioText, shipped};
use units::{Span, Time};

fn plan(source: &ScenarioText) -> Result<Plan, Diagnostic> {
    Scenario::read(source)?.check(source)
}

fn plan_of(name: &str, sets: &[&str]) -> Plan {
    let mut source = ScenarioText::find(name).expect("it ships");
    for assignment in sets {
        source.set(assignment).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    plan(&source).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenarios");
    let files = fs::read_dir(folder).expect("the scenarios are there");
    let files = files.map(|file| file.expect("a readable folder").path());
    let names: BTreeSet<_> =
        files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names, shipped().iter().map(|scenario| scenario.name.to_owned()).collect());
}

#[test]
fn each_begins_with_a_guide_to_its_results() {
    for scenario in shipped() {
        assert!(scenario.text.starts_with("// "), "{}", scenario.name);
        assert!(scenario.text.contains("Look for"), "{}", scenario.name);
        assert!(scenario.about().ends_with('.'), "{}", scenario.name);
    }
}

#[test]
fn the_resolved_text_gives_the_same_plan() {
    for scenario in shipped() {
        let first = plan_of(scenario.name, &["seed=7"]);
        assert_eq!((first.name(), first.seed()), (scenario.name, 7));
        let again =
            plan(&ScenarioText::new("plan.ron", &first.resolved())).expect("a resolved plan is right");
        assert!(again == first, "{} is another plan when written out", scenario.name);
        assert_eq!(again.resolved(), first.resolved());
    }
}

#[test]
fn phases_lie_between_changes() {
    let plan = plan_of("gran2011-scenario1", &["flows.F2.stop=350 ms", "flows.F5.start=300 ms"]);
    let phases: Vec<_> =
        plan.phases().iter().map(|phase| (phase.name.as_str(), phase.from, phase.to)).collect();
    let ms = |n: u64| Span::from_us(1000 * n).after_start();
    assert_eq!(
        phases,
        [
            ("F1 starts", Time::ZERO, ms(100)),
            ("F2 starts", ms(100), ms(200)),
            ("F3 starts", ms(200), ms(300)),
            ("F4, F5 start", ms(300), ms(350)),
            ("F2 stops", ms(350), ms(500)),
        ]
    );
}

#[test]
fn a_run_of_patterns_is_one_phase() {
    let plan = plan_of("bench-a32", &[]);
    assert_eq!(plan.phases().len(), 1);
    assert_eq!(plan.phases()[0].name, "start");
    assert_eq!(plan.phases()[0].to, plan.duration().after_start());
}

#[test]
fn settings_by_name_are_found_by_node() {
    let own = "(receive_buffer: \"8 KiB\", ack_every: 1, max_outstanding: 8, ack_timeout: 0, retry_count: 0)";
    let plan = plan_of("victim", &[&format!("adapters.H4={own}"), "link.flow_control.update_blocks=8"]);
    let graph = plan.graph();
    let node = |name: &str| graph.find(name).expect("a host of the scenario");
    assert_eq!(plan.nodes().adapter(node("H4")).ack_every, 1);
    assert_eq!(plan.nodes().adapter(node("H3")).ack_every, 16);
    let trunk = graph.ports(node("S1")).last().expect("a trunk").cable;
    assert_eq!(plan.cable(trunk).rate, units::Rate::gbps(32));
}

#[test]
fn the_claims_of_the_paper_can_be_run_at_full_length() {
    let full = ["duration=\"5 s\"", "sample=\"10 ms\"", "flows[1].start=\"1 s\"", "flows[4].start=\"4 s\""];
    assert_eq!(plan_of("gran2011-scenario1", &full).duration(), Span::from_us(5_000_000));
}
