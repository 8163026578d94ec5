//! Selectors in whole runs: packets of one flow over several ports, and the same record however a run is divided.

use std::collections::BTreeSet;

use fabric::{RunOptions, simulate};
use scenario::Plan;
use switch_arch::spec::SelectionSpec;
use topology::Partition;

use crate::common::shipped;
use crate::drawn::written;
use crate::parts::{assert_same, told};

/// Returns a Clos network of 32 hosts on which every host sends single packets to a host of another leaf. `sets` come
/// last.
fn clos(selector: SelectionSpec, sets: &[&str]) -> Plan {
    let selection = format!("switch.selection={}", written(selector));
    let usual = [
        "routing=Adaptive",
        &selection,
        "traffic=[Synthetic(transport: Ud, operation: Send, destinations: Shift(5), arrivals: Fixed(load: 0.7), \
         size: Fixed(\"2 KiB\"), stop: \"100 us\")]",
        "congestion_control=Off",
        "duration=\"120 us\"",
        "sample=\"20 us\"",
    ];
    shipped("bench-a32", &usual.into_iter().chain(sets.iter().copied()).collect::<Vec<_>>())
}

/// Under a hash the packets of a flow take one uplink, under every other selector several. The fabric comes to rest,
/// and all packets arrive.
#[test]
fn a_flow_takes_several_paths_unless_it_is_hashed() {
    for selector in SelectionSpec::EXAMPLES {
        let sets = [
            "traffic=[Synthetic(senders: [\"h1\"], transport: Ud, operation: Send, destinations: Shift(5), \
                     arrivals: Fixed(load: 0.7), size: Fixed(\"2 KiB\"), stop: \"100 us\")]",
        ];
        let plan = clos(selector, &sets);
        assert_eq!(plan.packets_may_overtake(), selector != SelectionSpec::Hash, "{selector:?}");
        let options = RunOptions { drain: true, ..RunOptions::default() };
        let record = simulate(&plan, options, &mut |_| {}).unwrap_or_else(|failed| panic!("{failed}"));
        assert!(record.audit.drained && record.dropped_packets == 0, "{selector:?}");
        let spines: BTreeSet<_> = record
            .lanes
            .iter()
            .filter(|at| at.packets > 0 && at.node.starts_with("spine"))
            .map(|at| &at.node)
            .collect();
        // A gap of 2 us is longer than the time between packets at this load.
        let burst = matches!(selector, SelectionSpec::Flowlet(_));
        let expected = if selector == SelectionSpec::Hash || burst { 1 } else { 4 };
        assert_eq!(spines.len(), expected, "{selector:?}");
    }
}

/// The whole record is the same in one part, two and three, on threads or in turn, and with turns in any order.
#[test]
fn the_division_of_a_run_changes_no_choice() {
    for selector in SelectionSpec::EXAMPLES {
        let plan = clos(selector, &[]);
        let one = told(&plan, RunOptions { in_turn: true, ..RunOptions::default() });
        let scrambled = RunOptions { in_turn: true, scramble: Some(7), ..RunOptions::default() };
        assert_same(&one, &told(&plan, scrambled), &selector);
        for parts in [2, 3] {
            let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), parts);
            for in_turn in [true, false] {
                let divided = RunOptions { partition: Some(&partition), in_turn, ..RunOptions::default() };
                assert_same(&one, &told(&plan, divided), &selector);
            }
        }
    }
}
