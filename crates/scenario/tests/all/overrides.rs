//! `--set`: the values that it accepts, and the text around them, which stays.

use proptest::prelude::*;
use scenario::{Scenario, ScenarioText};

fn read(sets: &[&str]) -> Scenario {
    let mut source = ScenarioText::find("gran2011-scenario1").expect("it ships");
    for assignment in sets {
        source.set(assignment).unwrap_or_else(|error| panic!("{error}"));
    }
    Scenario::read(&source).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_value_is_read_as_given_or_in_quotes() {
    let quoted = read(&["duration=\"600 ms\"", "flows[0].to=\"H7\"", "about=\"Other words.\""]);
    assert_eq!(read(&["duration=600 ms", "flows[0].to=H7", "about=Other words."]), quoted);
    assert_eq!(read(&[" duration = 600 ms ", "flows.F1.to=H7", "about=Other words."]), quoted);
}

#[test]
fn a_missing_field_is_added() {
    let scenario = read(&["seed=9", "name=other", "flows.F2.stop=250 ms", "adapter.drain_limit=None"]);
    assert_eq!((scenario.seed, scenario.name.as_deref()), (9, Some("other")));
    assert_eq!(scenario.flows[1].stop, "250 ms".parse().ok());
    assert_eq!(scenario.adapter.drain_limit, None);
}

#[test]
fn a_missing_struct_is_added_too() {
    let scenario = read(&[
        "link.data_lanes=2",
        "link.sl_to_vl.3=1",
        "link.sl_to_vl.4=0",
        "link.vl_arbitration.limit_of_high_priority=255",
        "link.vl_arbitration.high=[(lane: 0, weight: 1)]",
        "cables.far=(width: X4, speed: EDR, propagation: Cable(\"100 m\"))",
        "adapters.H1=(receive_buffer: \"8 KiB\", ack_every: 1, max_outstanding: 1, ack_timeout: 0, retry_count: 0)",
        "adapters.H1.ack_every=3",
    ]);
    assert_eq!(scenario.link.sl_to_vl.into_iter().collect::<Vec<_>>(), [(3, 1), (4, 0)]);
    assert_eq!(scenario.link.vl_arbitration.limit_of_high_priority, 255);
    assert_eq!(scenario.link.vl_arbitration.high.len(), 1);
    assert!(scenario.cables.contains_key("far"));
    assert_eq!(scenario.adapters["H1"].ack_every, 3);
}

#[test]
fn overrides_are_applied_in_order() {
    assert_eq!(read(&["seed=1", "seed=2"]).seed, 2);
    let off = read(&["congestion_control.response.ccti_timer=10", "congestion_control=Off"]);
    assert_eq!(off, read(&["congestion_control=Off"]));
}

#[test]
fn a_refused_override_changes_nothing() {
    let mut source = ScenarioText::find("one-flow").expect("it ships");
    let before = source.text().to_owned();
    for wrong in ["duration=5 parsecs", "seed=-1", "seed=", "nothing=1", "flows[7].to=H1", "=1", "link=5"] {
        source.set(wrong).expect_err(wrong);
        assert_eq!(source.text(), before);
    }
}

#[test]
fn a_fault_in_the_file_keeps_its_place_after_overrides() {
    let text = scenario::shipped()[0].text.replace("latency: \"100 ns\"", "latency: \"100 nsec\"");
    let place = |source: &ScenarioText| {
        let error = Scenario::read(source).expect_err("a unit is wrong");
        let fault = error.faults()[0].clone();
        (fault.file, fault.place)
    };
    let mut source = ScenarioText::new("mine.ron", &text);
    let before = place(&source);
    source.set("about=Many more words than there were before.").unwrap();
    source.set("switch.buffers=[\n(port: 1, size: \"8 KiB\"),\n]").unwrap();
    source.set("seed=3").unwrap();
    assert_eq!(place(&source), before);
}

proptest! {
    #[test]
    fn no_override_causes_a_panic(
        path in "[a-z_.\\[\\]0-9\"]{0,12}|flows\\[[0-9]\\]\\.[a-z]{2,5}|link\\.[a-z_]{3,10}",
        value in "[ -~\\n]{0,16}|\\(.{0,8}|\"[a-z0-9 ]{0,6}\"?",
    ) {
        let mut source = ScenarioText::find("one-flow").expect("it ships");
        if source.set(&format!("{path}={value}")).is_err() {
            prop_assert_eq!(source.text(), scenario::shipped()[0].text);
        } else if let Ok(scenario) = Scenario::read(&source) {
            let _ = scenario.check(&source);
        }
    }

    #[test]
    fn no_text_causes_a_panic(
        at in 0_usize..2_000,
        cut in 0_usize..40,
        put in "[(){}\\[\\],:\"' a-z0-9/*\\\\#\\n]{0,6}",
    ) {
        let text = scenario::shipped()[3].text;
        let at = text.char_indices().map(|(at, _)| at).rfind(|start| *start <= at).unwrap_or_default();
        let end = text[at..].char_indices().nth(cut).map_or(text.len(), |(length, _)| at + length);
        let broken = [&text[..at], put.as_str(), &text[end..]].concat();
        let source = ScenarioText::new("broken.ron", &broken);
        match Scenario::read(&source) {
            Ok(scenario) => { let _ = scenario.check(&source); }
            Err(error) => prop_assert!(error.to_string().starts_with("error: broken.ron:")),
        }
    }
}

#[test]
fn a_preset_of_dcqcn_fills_in_missing_fields() {
    let whole = |sets: &[&str]| read(sets).congestion_control;
    let short = whole(&["congestion_control=Dcqcn()"]);
    assert_eq!(short, whole(&["congestion_control=Dcqcn(preset: Recommended)"]));
    let strawman = whole(&["congestion_control=Dcqcn(preset: Strawman)"]);
    assert_ne!(short, strawman);
    let by_parts = "congestion_control=Dcqcn(marking: (preset: Strawman), response: (preset: Strawman))";
    assert_eq!(strawman, whole(&[by_parts]));
    // A field overrides the preset, by either of its names, and no other field changes.
    let own = whole(&["congestion_control=Dcqcn()", "congestion_control.response.timer=300 us"]);
    let vendor = whole(&["congestion_control=Dcqcn()", "congestion_control.response.rpg_time_reset=300 us"]);
    assert_eq!(own, vendor);
    let back = [
        "congestion_control=Dcqcn(response: (timer: \"300 us\"))",
        "congestion_control.response.timer=55 us",
    ];
    assert_eq!(short, whole(&back));
}
