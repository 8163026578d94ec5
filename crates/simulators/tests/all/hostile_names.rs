//! Names from strangers in the files of other simulators.
//!
//! Invariant tested: a name of a file stays text in the scenario, and messages about it act on no terminal.

use names::hostile::PARTS;
use names::rule::is_plain;
use names::shown;
use proptest::prelude::*;
use scenario::{Diagnostic, Scenario, ScenarioText};
use simulators::hpcc;

fn hostile() -> impl Strategy<Value = String> {
    let parts = proptest::collection::vec(proptest::sample::select(PARTS.as_slice()), 1..4);
    prop_oneof![
        8 => parts.prop_map(|parts| parts.concat()),
        1 => (200_usize..300).prop_map(|length| "x".repeat(length)),
    ]
}

/// Asserts that what is printed acts on no terminal.
fn assert_shown(fault: &Diagnostic) -> Result<(), TestCaseError> {
    let printed = fault.render(false);
    prop_assert!(printed.chars().all(|letter| is_plain(letter) || letter == '\n'), "{printed:?}");
    let coloured = fault.render(true);
    prop_assert_eq!(shown::coloured(&coloured), coloured.clone(), "colours alone");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Names of files in a configuration are text in the scenario.
    #[test]
    fn names_of_files_break_out_of_no_scenario(hostile in hostile()) {
        let word: String = hostile.chars().filter(|letter| !letter.is_whitespace() && *letter != '/').collect();
        prop_assume!(!word.is_empty());
        let config = format!("TOPOLOGY_FILE {word}\nFLOW_FILE {word}f\nCC_MODE 1\nSIMULATOR_STOP_TIME 2.01\n");
        let found = |wanted: &str| {
            Some(if wanted.ends_with('f') { "1\n0 1 3 100 1000 2.0\n" } else { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n" }.to_owned())
        };
        match hpcc::read(&hostile, &config, &found) {
            Ok(imported) => {
                let text = ScenarioText::new("mine.ron", &imported.scenario);
                let read = Scenario::read(&text).unwrap_or_else(|fault| panic!("{fault}\n{}", imported.scenario));
                prop_assert_eq!(read.topology, topology::TopologySpec::HpccFile(word));
                let comments = imported.scenario.lines().take_while(|line| *line != "(").all(|line| line.starts_with("// "));
                prop_assert!(comments, "{}", imported.scenario);
            }
            Err(fault) => assert_shown(&fault)?,
        }
    }
}
