//! The English of comments, in two figures.
//!
//! Invariant: a comment names its subject. A comment that begins with a question word leaves the noun to the line
//! above, and a pronoun leaves it to the reader: CONTRIBUTING.md, "Prose".

use std::fmt::{self, Display, Formatter};

/// Limit for blocks of comments that begin with a question word, in percent.
const MOST_QUESTIONS: f64 = 6.0;
/// Limit for the pronoun, in occurrences per 1,000 words of comments.
const MOST_WHATS: f64 = 3.0;
/// Words that ask instead of naming.
const QUESTION_WORDS: [&str; 8] = ["What", "Who", "Whom", "Whose", "Whether", "How", "When", "Where"];

/// Counts over the doc comments of Rust files (`///` and `//!`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prose {
    blocks: usize,
    questions: usize,
    words: usize,
    whats: usize,
}

impl Prose {
    /// Adds the comments of a file.
    pub(super) fn add(&mut self, text: &str) {
        let mut inside = false;
        for line in text.lines() {
            let Some(comment) = comment(line) else {
                inside = false;
                continue;
            };
            if !inside && !comment.is_empty() {
                self.blocks += 1;
                self.questions +=
                    usize::from(words(comment).next().is_some_and(|word| QUESTION_WORDS.contains(&word)));
            }
            self.words += words(comment).count();
            self.whats += words(comment).filter(|word| word.eq_ignore_ascii_case("what")).count();
            inside = true;
        }
    }

    /// Returns whether both figures are within their limits.
    pub(super) fn is_plain(&self) -> bool {
        self.questions_percent() < MOST_QUESTIONS && self.whats_per_thousand() < MOST_WHATS
    }

    fn questions_percent(&self) -> f64 {
        100.0 * self.questions as f64 / self.blocks.max(1) as f64
    }

    fn whats_per_thousand(&self) -> f64 {
        1000.0 * self.whats as f64 / self.words.max(1) as f64
    }
}

impl Display for Prose {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} comments, {:.1} % begin with a question word (limit {MOST_QUESTIONS} %); {} words, \"what\" {:.1} times in 1,000 (limit {MOST_WHATS})",
            self.blocks,
            self.questions_percent(),
            self.words,
            self.whats_per_thousand()
        )
    }
}

/// The text of a doc comment on this line.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphabetic() && letter != '\'').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Prose {
        let mut prose = Prose::default();
        prose.add(text);
        prose
    }

    #[test]
    fn blocks_are_counted_once_and_words_all() {
        let text = "//! What it is for.\n//! Who reads this?\nfn f() {}\n    /// Returns what is left.\n// What else.\n";
        assert_eq!(of(text), Prose { blocks: 2, questions: 1, words: 11, whats: 2 });
    }

    #[test]
    fn limits_are_limits() {
        let plain = "/// Returns the rate.\nfn f() {}\n".repeat(100);
        assert!(of(&plain).is_plain());
        assert!(!of(&[plain.as_str(), &"/// Whether it is.\nfn f() {}\n".repeat(7)].concat()).is_plain());
        assert!(!of(&[plain.as_str(), "/// Takes what it gets, what it has.\n"].concat()).is_plain());
    }
}
