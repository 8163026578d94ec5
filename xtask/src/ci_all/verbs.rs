//! The verbs of `cargo xtask ci --all`, in the order in which they run.
//!
//! Invariant: shares add up to an hour. Verbs that use the same build follow one another, and those that may take long come last, when
//! they may use what others have left.

use std::time::Duration;

use crate::{
    book, captures, data, deny, mpi, nightly, opensm, pages, readers, slurm, timelines, web, workflows,
};

/// A verb that needs a tool.
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [&'static str],
    /// Returns a message on what is missing; `None` if nothing is.
    pub(super) missing: fn() -> Option<String>,
    /// The packages that bring the tools.
    pub(super) packages: &'static str,
    /// Share of the hour, in minutes.
    minutes: u64,
}

impl Verb {
    /// Returns the time that the verb may take, besides what others have left of theirs.
    pub(super) const fn share(&self) -> Duration {
        Duration::from_secs(self.minutes * 60)
    }
}

const DEBIAN_WEB: &str = "Debian: chromium rustc-web cargo-web rust-web-src nodejs npm (after `apt-get update`); then `npm ci --prefix web`";

pub(super) const VERBS: &[Verb] = &[
    Verb {
        name: "deny",
        arguments: &[],
        missing: deny::missing,
        packages: "crates.io: cargo install --locked cargo-deny",
        minutes: 2,
    },
    Verb {
        name: "test-workflows",
        arguments: &[],
        missing: workflows::missing,
        packages: "PyPI: zizmor",
        minutes: 1,
    },
    Verb {
        name: "book",
        arguments: &[],
        missing: book::missing,
        packages: "crates.io: cargo install --locked mdbook",
        minutes: 1,
    },
    // The release build of these is built by the first.
    Verb {
        name: "test-captures",
        arguments: &[],
        missing: captures::lacking,
        packages: "Debian: tshark",
        minutes: 6,
    },
    Verb {
        name: "test-timelines",
        arguments: &[],
        missing: timelines::lacking,
        packages: "PyPI: perfetto protobuf",
        minutes: 2,
    },
    Verb {
        name: "test-readers",
        arguments: &[],
        missing: readers::lacking,
        packages: "PyPI: duckdb jsonschema pandas polars",
        minutes: 2,
    },
    Verb {
        name: "test-slurm",
        arguments: &[],
        missing: slurm::lacking,
        packages: "Debian: slurm-wlm munge",
        minutes: 3,
    },
    Verb {
        name: "test-opensm",
        arguments: &[],
        missing: opensm::lacking,
        packages: "Debian: opensm ibsim-utils infiniband-diags ibutils tshark",
        minutes: 7,
    },
    Verb {
        name: "test-report",
        arguments: &[],
        missing: pages::lacking,
        packages: "Debian: chromium nodejs npm; then `npm ci --prefix web`",
        minutes: 3,
    },
    Verb { name: "web", arguments: &[], missing: web::lacking, packages: DEBIAN_WEB, minutes: 6 },
    Verb {
        name: "test-web",
        arguments: &[],
        missing: web::lacking_to_test,
        packages: DEBIAN_WEB,
        minutes: 6,
    },
    // Builds with features.
    Verb {
        name: "test-data",
        arguments: &[],
        missing: data::lacking,
        packages: "PyPI: duckdb optuna polars",
        minutes: 5,
    },
    Verb {
        name: "test-mpi",
        arguments: &[],
        missing: mpi::lacking,
        packages: "Debian: openmpi-bin libopenmpi-dev libclang-dev",
        minutes: 6,
    },
    // Builds of their own.
    Verb { name: "test-parallel", arguments: &[], missing: || None, packages: "", minutes: 2 },
    Verb {
        name: "test-32-bit",
        arguments: &[],
        missing: nightly::lacking,
        packages: "rustup: toolchain nightly with miri and rust-src",
        minutes: 4,
    },
    Verb {
        name: "test-races",
        arguments: &[],
        missing: nightly::lacking,
        packages: "rustup: toolchain nightly with miri and rust-src",
        minutes: 4,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn shares_add_up_to_an_hour() {
        assert_eq!(VERBS.iter().map(|verb| verb.minutes).sum::<u64>(), 60);
    }

    /// A verb that is added to the list of all, and tries a real tool, is to be run with the others.
    #[test]
    fn each_verb_that_tries_a_tool_is_there() {
        let here: BTreeSet<&str> = VERBS.iter().map(|verb| verb.name).collect();
        assert_eq!(here.len(), VERBS.len());
        let all: BTreeSet<&str> = crate::VERBS.iter().map(|verb| verb.name).collect();
        assert!(here.is_subset(&all), "{:?}", here.difference(&all));
        let tries = |name: &&str| name.starts_with("test-");
        assert_eq!(all.into_iter().filter(tries).find(|name| !here.contains(name)), None);
    }
}
