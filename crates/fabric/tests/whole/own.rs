//! Policies of a user's program in whole runs: IBA's response and marker, registered as a program's own, have the
//! results of the built-in ones, in parts and after a checkpoint too.

use fabric::{RunOptions, Saving, simulate_saving};
use scenario::{Plan, Scenario, ScenarioText};
use topology::Partition;
use units::Span;

use crate::common::run;
use crate::mirror::policies;
use crate::parts::{assert_same, told};

const BUILT_IN: [&str; 2] =
    ["Iba(threshold: 15, victim_mask: All)", "Iba(ccti_timer: 15, timer_start: FreeRunningOwnPhase)"];
const OWN: [&str; 2] = [
    r#"Own(name: "mirror", settings: {"threshold": 15, "victim_mask": "All"})"#,
    r#"Own(name: "mirror", settings: {"ccti_timer": 15, "timer_start": "FreeRunningOwnPhase"})"#,
];

/// Returns the plan of `victim` with these policies, in a program with policies of its own.
fn plan(marking: &str, response: &str) -> Plan {
    let mut source = ScenarioText::find("victim").expect("it ships").with_own(policies());
    let control = format!("congestion_control=Mixed(marking: {marking}, echo: Cnp, response: {response})");
    for set in [control.as_str(), "duration=25 ms", "watch=[Control(flow: \"far\")]"] {
        source.set(set).unwrap_or_else(|error| panic!("{error}"));
    }
    Scenario::read(&source).and_then(|read| read.check(&source)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_response_of_one_s_own_has_the_record_of_the_same_built_in_one() {
    let (built_in, own) = (plan(BUILT_IN[0], BUILT_IN[1]), plan(BUILT_IN[0], OWN[1]));
    let of_built_in = told(&built_in, RunOptions::default());
    assert_same(&of_built_in, &told(&own, RunOptions::default()), &"a response of one's own");
    let halves = Partition::balanced(&own.weighed_graph(&own.expected_work()), 2);
    let in_parts = RunOptions { partition: Some(&halves), ..RunOptions::default() };
    assert_same(&of_built_in, &told(&own, in_parts), &"in two parts");
    let record = run(&own);
    assert_ne!(run(&plan(BUILT_IN[0], "Iba(ccti_timer: 150)")).digest, record.digest, "the response acts");
}

/// A run that is saved goes on to the same record, with the states of flows and switches.
#[test]
fn a_run_with_policies_of_one_s_own_goes_on_from_a_checkpoint() {
    let own = plan(OWN[0], OWN[1]);
    let mut states = Vec::new();
    let keep = &mut |_, state| states.push(state);
    let saving = Saving { every: Some(Span::from_us(12_000)), from: None, keep };
    let whole = simulate_saving(&own, RunOptions::default(), saving, &mut |_| {}).expect("it runs");
    let state = states.last().expect("it was saved");
    let from = Saving { every: None, from: Some(state), keep: &mut |_, _| {} };
    let resumed = simulate_saving(&own, RunOptions::default(), from, &mut |_| {}).expect("it goes on");
    assert_same(&format!("{whole:#?}"), &format!("{resumed:#?}"), &"after a checkpoint");
}

#[test]
fn a_marker_of_one_s_own_marks_the_packets_of_the_same_built_in_one() {
    let (built_in, own) = (run(&plan(BUILT_IN[0], BUILT_IN[1])), run(&plan(OWN[0], BUILT_IN[1])));
    assert!(built_in.marks.total() > 100);
    assert_eq!(own.digest, built_in.digest);
    assert_eq!(format!("{:#?}", own.marks), format!("{:#?}", built_in.marks));
    assert_eq!(format!("{:#?}", own.lanes), format!("{:#?}", built_in.lanes));
    assert_eq!(format!("{:#?}", own.congestion), format!("{:#?}", built_in.congestion));
}

/// A plan's digest covers name and settings.
#[test]
fn the_plan_s_digest_covers_the_name_and_the_settings() {
    let digest =
        |settings: &str| plan("Off", &format!("Own(name: \"mirror\", settings: {settings})")).digest();
    let digests = [r#"{"ccti_timer": 15}"#, r#"{"ccti_timer": 16}"#, "{}"].map(digest);
    assert!(digests[0] != digests[1] && digests[1] != digests[2] && digests[0] != digests[2]);
    let own = plan(OWN[0], OWN[1]);
    assert!(own.resolved().contains(r#"name: "mirror""#), "{}", own.resolved());
    assert_eq!(own.own_policies().len(), 2);
    assert_eq!(own.congestion_control(), "mirror");
    assert!(plan(BUILT_IN[0], BUILT_IN[1]).own_policies().is_empty());
}
