//! What a sweep says of settings: which need others, and which have no effect.
//!
//! Invariant: an offered command runs.

use crate::scratch::{Scratch, assert_refused, one_line};

/// A value that needs other settings is answered with a variant that has them alone, and can be run.
#[test]
fn a_value_that_needs_more_is_offered_as_a_variant() {
    let scratch = Scratch::new("sweep-variant");
    scratch.printed(&["new", "dragonfly", "df.ron"]);
    let refused = scratch.run(&["sweep", "df.ron", "--vary", "routing=Native,Valiant", "--dry-run"]);
    let variant = "Valiant: routing=Valiant; layer_lanes=Kept; link.data_lanes=4";
    assert_refused(&refused, &format!("in place of `--vary`: `--variant '{variant}'`"));
    let offered =
        ["sweep", "df.ron", "--variant", "native:routing=Native", "--variant", variant, "--dry-run"];
    assert!(scratch.printed(&offered).contains("2 runs"), "both can run");
}

/// Settings without an effect are told by a sweep as by `check`, once, with the values that they are of.
#[test]
fn notes_on_settings_are_told_by_a_sweep() {
    let scratch = Scratch::new("sweep-notes");
    let sets =
        ["--set", "duration=50 us", "--set", "adapter.delivery=InOrder", "--set", "adapter.recovery=GoBackN"];
    let vary = ["--vary", "switch.selection=Hash,RoundRobin", "--seeds", "1..=2"];
    let said = one_line(&scratch.printed(&[&["sweep", "paths-permutation"][..], &sets, &vary].concat()));
    let note =
        "Note With switch.selection=RoundRobin: delivery: InOrder: packets may overtake each other here";
    assert_eq!(said.matches("packets may overtake each other").count(), 1, "{said}");
    assert!(said.contains(note), "{said}");
    let idle = ["sweep", "paths-permutation", "--set", "duration=50 us", "--set", "adapter.entropy=Reps"];
    let idle = one_line(&scratch.printed(&[&idle[..], &["--seeds", "1..=2"]].concat()));
    assert_eq!(idle.matches("has no signal of queues: no switch marks packets").count(), 1, "{idle}");
}
