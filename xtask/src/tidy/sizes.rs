//! Sizes of crates.
//!
//! Invariant: a crate is at most a tenth of all lines of Rust, its tests and benchmarks with it, so that a reader can hold
//! it in the head.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use super::Finding;

/// Largest part of all lines that a crate may have: 1 in this number.
const PARTS: usize = 10;

/// Lines of Rust of each crate, and of the whole workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Folder of each crate, and its lines.
    crates: Vec<(PathBuf, usize)>,
    all: usize,
}

impl Sizes {
    /// Starts to count for crates in these folders.
    pub(super) fn of(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { crates: folders.into_iter().map(|folder| (folder, 0)).collect(), all: 0 }
    }

    /// Adds a file of Rust, whether or not a crate has it.
    pub(super) fn add(&mut self, file: &Path, text: &str) {
        let lines = text.lines().count();
        self.all += lines;
        for (_, of_crate) in self.crates.iter_mut().filter(|(folder, _)| file.starts_with(folder)) {
            *of_crate += lines;
        }
    }

    /// Crates that are too large.
    pub(super) fn check(&self) -> Vec<Finding> {
        let large = self.crates.iter().filter(|(_, lines)| lines * PARTS > self.all);
        let finding = |(folder, lines): &(PathBuf, usize)| {
            let share = self.percent(*lines);
            let fault = format!("the crate has {lines} lines, {share:.1} % of all lines of Rust");
            let limit = 100 / PARTS;
            let remedy = format!("split it along a border that it has: a crate has at most {limit} %");
            Finding::error(&folder.join("Cargo.toml"), 1, fault, remedy)
        };
        large.map(finding).collect()
    }

    fn percent(&self, lines: usize) -> f64 {
        100.0 * lines as f64 / self.all as f64
    }
}

impl Display for Sizes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some((folder, lines)) = self.crates.iter().max_by_key(|(_, lines)| *lines) else {
            return write!(f, "no crates");
        };
        let (share, limit) = (self.percent(*lines), 100 / PARTS);
        write!(
            f,
            "the largest crate, {}, has {share:.1} % of {} lines of Rust (limit {limit} %)",
            folder.display(),
            self.all
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sizes of two crates, and of a file of neither with 90 lines.
    fn sizes(of_a: usize, of_b: usize) -> Sizes {
        let mut sizes = Sizes::of(["crates/a", "crates/ab"].map(PathBuf::from));
        sizes.add(Path::new("crates/a/src/lib.rs"), &"\n".repeat(of_a));
        sizes.add(Path::new("crates/ab/tests/all.rs"), &"\n".repeat(of_b));
        sizes.add(Path::new("tools/c/src/main.rs"), &"\n".repeat(90));
        sizes
    }

    #[test]
    fn a_crate_has_a_tenth_of_all_lines_and_no_more() {
        assert_eq!(sizes(10, 0).check(), []);
        let found: Vec<String> = sizes(4, 12).check().iter().map(ToString::to_string).collect();
        let refused = "error: crates/ab/Cargo.toml:1: the crate has 12 lines, 11.3 % of all lines of Rust: \
                       split it along a border that it has: a crate has at most 10 %";
        assert_eq!(found, [refused]);
    }

    #[test]
    fn the_largest_crate_is_named() {
        let words = "the largest crate, crates/ab, has 6.0 % of 100 lines of Rust (limit 10 %)";
        assert_eq!(sizes(4, 6).to_string(), words);
    }
}
