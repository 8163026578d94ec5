//! A set of lanes against a sorted set of numbers.

use std::collections::BTreeSet;

use link_layer::spec::VlArbitrationSpec;
use link_layer::{LaneSet, VlArbiter};
use packet::Lane;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_lane_set_is_a_set(steps in prop::collection::vec((any::<bool>(), 0..16u8), 0..40), last in 0..16u8) {
        let (mut set, mut expected) = (LaneSet::default(), BTreeSet::new());
        for (joins, lane) in steps {
            if joins {
                set.insert(Lane(lane));
                expected.insert(lane);
            } else {
                set.remove(Lane(lane));
                expected.remove(&lane);
            }
            prop_assert_eq!(set.is_empty(), expected.is_empty());
            prop_assert_eq!(set.map(|lane| lane.0).collect::<Vec<_>>(), Vec::from_iter(expected.iter().copied()));
        }
        for lane in 0..16 {
            prop_assert_eq!(set.contains(Lane(lane)), expected.contains(&lane));
        }
        let after = expected.range(last + 1..).chain(&expected).next().copied();
        prop_assert_eq!(set.next_after(Lane(last)).map(|lane| lane.0), after, "after {}", last);
    }
}

#[test]
fn an_arbiter_without_tables_is_plain() {
    assert!(VlArbiter::new(&VlArbitrationSpec::default()).is_plain());
    assert!(!VlArbiter::new(&VlArbitrationSpec { strict: vec![1], ..Default::default() }).is_plain());
}
