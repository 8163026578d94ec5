//! The scenarios that ship.
//!
//! Invariant: each is a file of `fixtures/scenarios`, and every file there is in this list.

/// A scenario that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShippedScenario {
    /// The name on the command line and in results.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(ShippedScenario {
            name: $name,
            text: include_str!(concat!("../../../../fixtures/scenarios/", $name, ".ron")),
        }),*]
    };
}

const ALL: &[ShippedScenario] = shipped![
    "one-flow",
    "two-flows-one-link",
    "victim",
    "gran2011-scenario1",
    "gran2011-scenario1-roce",
    "gran2011-scenario2",
    "gran2011-placements",
    "hp2001-window-only",
    "hp2001-rate",
    "hp2001-hybrid",
    "hp2001-noncompliant",
    "santos2003",
    "santos2003-dynamic",
    "santos2003-sessions",
    "santos2003-branch",
    "pfister2005",
    "zhu2015-unfairness",
    "zhu2015-victim",
    "zhu2015-incast",
    "zhu2015-benchmark",
    "conext2016-fixed-point",
    "conext2016-delay",
    "conext2016-join",
    "dcs648",
    "roce-victim",
    "ring",
    "hdr-fat-tree-slow-receiver",
    "ndr-job-256",
    "ring-all-reduce",
    "training-step",
    "roce400-leaf-spine",
    "paths-parking-lot",
    "paths-permutation",
    "paths-incast",
    "paths-incast-roce",
    "bench-a32",
    "bench-b128",
    "bench-a32-roce",
    "bench-b128-roce",
];

/// Returns the scenarios that ship, those for learning first.
#[must_use]
pub fn shipped() -> &'static [ShippedScenario] {
    ALL
}
