//! Words of Markdown that people write and keep up to date.
//!
//! Invariant: the number of words does not grow beyond its limit, so that a page gets longer only if another gets shorter.
//!
//! | not counted | reason |
//! |---|---|
//! | `docs/scenario.md`; tables of columns, fields and files in `docs/outputs.md` | `cargo xtask bless` writes them from the types |
//! | tables and paragraphs with the numbers of results | `cargo xtask tables` and `numbers` write them |
//! | `docs/lab`, `docs/decisions` | notes of a day, which stay as they are |
//! | `docs/mutants.md` | a list that `tools/mutants` compares with its results |
//! | released versions in `CHANGELOG.md` | the same |
//! | fenced blocks | files, commands and output, most of them run by tests |

use core::ops::Range;
use std::path::{Path, PathBuf};

use super::Finding;
use crate::{numbers, tables};

/// Most words, over all pages: the number that the last edit reached, rounded up. Lower it when a page gets shorter.
const MOST: usize = 47_910;

/// Pages that are written, or notes, as a whole.
const NOT_COUNTED: [&str; 4] = ["docs/scenario.md", "docs/mutants.md", "docs/decisions", "docs/lab"];

/// Beginnings of the headers of tables that `cargo xtask bless` writes.
const BLESSED: [&str; 4] = [
    "| column | type | meaning |",
    "| field | type | meaning |",
    "| file | contents |",
    "| measure | unit | better | phase | definition |",
];

/// Number of words by page.
#[derive(Default)]
pub(super) struct Words {
    pages: Vec<(PathBuf, usize)>,
}

impl Words {
    /// Adds a page, if people write it.
    pub(super) fn add(&mut self, file: &Path, text: &str) {
        if NOT_COUNTED.iter().any(|other| file.starts_with(other)) {
            return;
        }
        let name = file.to_string_lossy();
        let written = [tables::written(&name, text), numbers::written_rows(&name, text)].concat();
        let text = if file == Path::new("CHANGELOG.md") { unreleased(text) } else { text };
        self.pages.push((file.to_path_buf(), count(text, &written)));
    }

    fn total(&self) -> usize {
        self.pages.iter().map(|(_, words)| words).sum()
    }

    /// Returns the figure of the survey, and a finding if there are too many words.
    pub(super) fn judged(&self) -> (String, Option<Finding>) {
        let total = self.total();
        let figure =
            format!("{total} words of Markdown by hand in {} pages, {MOST} at most", self.pages.len());
        let longest = self.pages.iter().max_by_key(|(_, words)| words);
        let finding = longest.filter(|_| total > MOST).map(|(page, words)| {
            let fault =
                format!("the pages have {total} words, {MOST} at most; this is the longest, with {words}");
            Finding::error(page, 1, fault, "say it once, in one place: CONTRIBUTING.md, \"Prose\"")
        });
        (figure, finding)
    }
}

/// Returns the change log without released versions: up to its second heading of a version.
fn unreleased(text: &str) -> &str {
    text.match_indices("\n## ").nth(1).map_or(text, |(at, _)| &text[..at])
}

/// Number of words of a page outside fenced blocks, blessed tables, and the bytes that commands write.
fn count(text: &str, written: &[Range<usize>]) -> usize {
    let (mut words, mut at) = (0, 0);
    let (mut is_fenced, mut is_blessed) = (false, false);
    for line in text.split_inclusive('\n') {
        let is_fence = line.starts_with("```");
        is_fenced ^= is_fence;
        is_blessed =
            line.starts_with('|') && (is_blessed || BLESSED.iter().any(|header| line.starts_with(header)));
        if !is_fenced && !is_fence && !is_blessed && !written.iter().any(|range| range.contains(&at)) {
            words += line.split_whitespace().count();
        }
        at += line.len();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_people_are_counted() {
        assert_eq!(count("# Two words\n\nand three more\n", &[]), 6);
        assert_eq!(count("one\n```sh\nnot these\n```\ntwo\n", &[]), 2);
        let table = "| column | type | meaning |\n|---|---|---|\n| a | b | c |\n\nafter it\n| a | b |\n";
        assert_eq!(count(table, &[]), 2 + 5);
        assert_eq!(count("one two\nthree\n", &[0..4, 4..8]), 1);
    }

    #[test]
    fn released_versions_are_not_counted() {
        assert_eq!(
            unreleased("# Log\n\n## Unreleased\n\nnew\n\n## 0.1\n\nold\n"),
            "# Log\n\n## Unreleased\n\nnew\n"
        );
        assert_eq!(unreleased("# Log\n\n## Unreleased\n"), "# Log\n\n## Unreleased\n");
    }

    #[test]
    fn pages_that_commands_write_and_notes_are_left_out() {
        let mut words = Words::default();
        for page in ["docs/scenario.md", "docs/lab/speed.md", "docs/guide.md"] {
            words.add(Path::new(page), "three short words\n");
        }
        assert_eq!(words.total(), 3);
        assert_eq!(words.judged().1, None);
        words.pages.push((PathBuf::from("docs/long.md"), MOST));
        let finding = words.judged().1.expect("too many words");
        assert_eq!(finding.file, Path::new("docs/long.md"));
    }
}
