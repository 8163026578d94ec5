//! The shipped program and a scenario that names a policy of a user's program.

use std::fs;

use backwater::Simulation;
use backwater::own::{OwnPolicies, OwnResponse, Response, ResponseSetup, ServiceLevel};
use serde::Deserialize;

use crate::scratch::{Scratch, assert_refused, json};

const CONTROL: &str =
    r#"congestion_control=Mixed(marking: Iba(), echo: Cnp, response: Own(name: "calm", settings: {"x": 1}))"#;

/// A response that does nothing.
#[derive(Debug)]
struct Calm;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CalmSettings {
    #[expect(dead_code, reason = "it shows that settings reach the policy's type")]
    x: u32,
}

impl Response for Calm {
    type State = ();

    fn at_rest(&self, _: ServiceLevel) {}
}

impl OwnResponse for Calm {
    type Settings = CalmSettings;

    fn new(_: CalmSettings, _: ResponseSetup) -> Self {
        Self
    }
}

fn simulation(set: &str) -> Simulation {
    let own = OwnPolicies::new().response::<Calm>("calm");
    let sets = ["duration=22 ms", CONTROL, set];
    let simulation = Simulation::find("victim").expect("it ships").own(own);
    sets.iter().fold(simulation, |simulation, set| simulation.set(set).expect("it is an assignment"))
}

#[test]
fn the_shipped_program_refuses_a_policy_of_one_s_own_with_the_lines_to_write() {
    let scratch = Scratch::new("own-refused");
    for verb in ["sim", "check"] {
        let refused = scratch.run(&[verb, "victim", "--set", CONTROL]);
        assert_refused(
            &refused,
            "congestion_control.response.name: this program has no policy `calm` of its own",
        );
        assert_refused(&refused, ".own(OwnPolicies::new().response::<YourType>(\"calm\"))");
        assert_refused(&refused, "docs/guide/own-response.md");
    }
    let compared = ["compare", "victim", "victim:congestion_control=Off", "--set", CONTROL];
    assert_refused(&scratch.run(&compared), "this program has no policy `calm` of its own");
    assert_eq!(scratch.names(), [""; 0], "nothing is left behind");
}

#[test]
fn the_manifest_names_the_policy_and_the_shipped_program_shows_the_run_but_does_not_repeat_it() {
    let scratch = Scratch::new("own-folder");
    let run = simulation("seed=3").run().expect("it runs");
    assert_eq!(run.summary.congestion_control, "calm");
    run.write(&scratch.0.join("run")).expect("the folder is new");
    let manifest = json(&scratch.read("run/run.json"));
    assert_eq!(manifest["plans"][0]["own_policies"], serde_json::json!(["response calm (all::own::Calm)"]));
    assert!(scratch.read("run/plan.ron").contains("Own("));
    scratch.printed(&["report", "run"]);
    assert!(scratch.read("run/report.html").contains("response calm (all::own::Calm)"));
    let refused = scratch.run(&["rerun", "run"]);
    assert_refused(&refused, "this program has no policy `calm` of its own");
    // A run of the shipped program has none, and its manifest no such field.
    scratch.printed(&["sim", "one-flow", "--set", "duration=1 ms", "--quiet", "--out", "plain"]);
    assert!(!scratch.read("plain/run.json").contains("own_policies"));
    fs::remove_dir_all(&scratch.0).expect("it is there");
}

#[test]
fn settings_are_overridden_and_checked_like_other_fields() {
    let digest = |set: &str| match simulation(set).check() {
        Ok(plan) => plan.digest().to_string(),
        Err(fault) => fault.to_string(),
    };
    assert_eq!(digest("congestion_control.response.settings.x=1"), digest("seed=1"));
    assert_ne!(digest("congestion_control.response.settings.x=2"), digest("seed=1"));
    for (set, said) in [
        ("settings.x=many", "`calm` cannot read its settings: invalid type: string \"many\""),
        ("settings.y=1", "unknown field `y`, expected `x`"),
        ("name=clam", "did you mean `calm`?"),
    ] {
        let fault = digest(&format!("congestion_control.response.{set}"));
        assert!(fault.contains(said), "{fault}");
    }
}
