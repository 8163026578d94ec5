//! The total memory of a switch, in every organisation and under both flow controls.

use scenario::{Plan, Scenario, ScenarioText};
use switch_arch::spec::BufferingSpec;
use units::Bytes;

use crate::common::run;

/// Flow controls of `roce-victim`. Its switch has five ports with 100 KiB each.
const FLOW_CONTROLS: [&str; 2] = [
    "link.flow_control=Pause(resume_offset: \"8 KiB\")",
    "link.flow_control=Credits(update_blocks: 8, update_interval: \"4.096 us\", wire_time: Counted)",
];

fn checked(sets: &[&str]) -> Result<Plan, String> {
    let plan = ScenarioText::find("roce-victim").and_then(|mut text| {
        sets.iter().try_for_each(|set| text.set(set))?;
        Scenario::read(&text)?.check(&text)
    });
    plan.map_err(|said| said.to_string())
}

/// A total gives the same run as the buffers that add up to it, and stays the total with more lanes. Where ports have
/// memory of their own a total is refused, with what to write.
#[test]
fn a_total_is_the_sum_of_the_buffers_or_refused() {
    let total = ["switch.buffer=None", "switch.memory=\"500 KiB\""];
    for control in FLOW_CONTROLS {
        for buffering in BufferingSpec::ALL {
            let buffering_set = format!("switch.buffering={buffering:?}");
            let base = [control, "switch.sharing=None", &buffering_set];
            let with = |sets: &[&str]| checked(&[&base[..], sets].concat());
            if !buffering.shares_memory() {
                let said = with(&total).expect_err("each port has its own memory");
                assert!(said.contains("switch.memory: `memory` is shared by all ports"), "{said}");
                assert!(
                    said.contains("`Central`") && said.contains("a `buffer` for each port and lane"),
                    "{said}"
                );
                continue;
            }
            let whole = with(&total).unwrap_or_else(|said| panic!("{said}"));
            // The usual guarantee depends on the buffer of a port, which a total leaves open.
            let sharing = "switch.sharing=Complete(guaranteed: \"8 KiB\")";
            let shared =
                |sets: &[&str]| with(&[&[sharing], sets].concat()).unwrap_or_else(|said| panic!("{said}"));
            assert_eq!(run(&shared(&total)).digest, run(&shared(&[])).digest, "{buffering:?}, {control}");
            let lanes = with(&[&total[..], &["link.data_lanes=2"]].concat());
            let lanes = lanes.unwrap_or_else(|said| panic!("{said}"));
            let part = |plan: &Plan| plan.nodes().switches[0].settings.buffer;
            assert_eq!((part(&whole), part(&lanes)), (Bytes::kib(100), Bytes::kib(50)));
            let small = ["switch.buffer=None", "switch.memory=\"2 KB\""];
            let said = with(&small).expect_err("five packets need more");
            assert!(said.contains("B\" or more") || said.contains("enlarge the memory"), "{said}");
        }
    }
}
