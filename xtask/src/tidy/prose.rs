//! The English of comments, in figures.
//!
//! Invariant: a comment names its subject. A comment that begins with a question word leaves the noun to the line
//! above, and a pronoun leaves it to the reader: CONTRIBUTING.md, "Prose".
//!
//! The limits are the figures that the last edit reached, rounded up: lower them when comments get better. The comments of neqo, shadow,
//! turmoil, ripgrep and s2n-quic have "one" 0.8 to 2.9 times in 1,000 words, "whose" 0 to 0.6, and the other phrases 0 to 0.1 (November 2026).

use std::fmt::{self, Display, Formatter};

/// Limit for blocks of comments that begin with a question word, in percent.
const MOST_QUESTIONS: f64 = 6.0;
/// Words that ask instead of naming.
const QUESTION_WORDS: [&str; 8] = ["What", "Who", "Whom", "Whose", "Whether", "How", "When", "Where"];

/// Phrases that stand for a noun, each with its limit in occurrences per 1,000 words.
const PHRASES: [(&[&str], f64); 6] = [
    (&["what"], 1.1),
    (&["one"], 3.8),
    (&["whose"], 0.7),
    (&["of", "which"], 0.2),
    (&["that", "of"], 0.3),
    (&["those", "of"], 0.4),
];

/// Width of a comment's line, in characters. The formatter breaks code, and no comments.
const WIDTH: usize = 120;
/// Limit for lines of comments that are wider.
const MOST_WIDE: usize = 420;

/// Counts over the doc comments of Rust files (`///` and `//!`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prose {
    blocks: usize,
    questions: usize,
    words: usize,
    phrases: [usize; PHRASES.len()],
    wide: usize,
}

impl Prose {
    /// Adds the comments of a file.
    pub(super) fn add(&mut self, text: &str) {
        let mut inside = false;
        // Phrases go on across the lines of a comment.
        let mut block: Vec<String> = Vec::new();
        for line in text.lines() {
            let Some(comment) = comment(line) else {
                self.end(&mut block);
                inside = false;
                continue;
            };
            if !inside && !comment.is_empty() {
                self.blocks += 1;
                self.questions +=
                    usize::from(words(comment).next().is_some_and(|word| QUESTION_WORDS.contains(&word)));
            }
            self.wide += usize::from(line.chars().count() > WIDTH);
            block.extend(words(comment).map(str::to_lowercase));
            inside = true;
        }
        self.end(&mut block);
    }

    /// Counts the words of a comment that has ended.
    fn end(&mut self, block: &mut Vec<String>) {
        self.words += block.len();
        for ((phrase, _), count) in PHRASES.iter().zip(&mut self.phrases) {
            *count += block.windows(phrase.len()).filter(|words| words == phrase).count();
        }
        block.clear();
    }

    /// Returns whether all figures are within their limits.
    pub(super) fn is_plain(&self) -> bool {
        self.questions_percent() < MOST_QUESTIONS
            && self.wide <= MOST_WIDE
            && self.per_thousand().zip(PHRASES).all(|(share, (_, most))| share < most)
    }

    fn questions_percent(&self) -> f64 {
        100.0 * self.questions as f64 / self.blocks.max(1) as f64
    }

    /// Returns the occurrences of each phrase in 1,000 words.
    fn per_thousand(&self) -> impl Iterator<Item = f64> {
        let words = self.words.max(1) as f64;
        self.phrases.into_iter().map(move |count| 1000.0 * count as f64 / words)
    }
}

impl Display for Prose {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} comments, {:.1} % begin with a question word (limit {MOST_QUESTIONS} %); in 1,000 of {} words",
            self.blocks,
            self.questions_percent(),
            self.words
        )?;
        for (share, (phrase, most)) in self.per_thousand().zip(PHRASES) {
            write!(f, ", \"{}\" {share:.2} (limit {most})", phrase.join(" "))?;
        }
        write!(f, "; {} lines over {WIDTH} columns (limit {MOST_WIDE})", self.wide)
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
        assert_eq!(
            of(text),
            Prose { blocks: 2, questions: 1, words: 11, phrases: [2, 0, 0, 0, 0, 0], wide: 0 }
        );
    }

    #[test]
    fn phrases_go_on_across_lines_and_end_with_the_comment() {
        let text = "/// The rate, that\n/// of one link.\nfn f() {}\n/// Those\nfn g() {}\n/// of which\n";
        assert_eq!(of(text).phrases, [0, 1, 0, 1, 1, 0]);
    }

    #[test]
    fn wide_lines_are_counted() {
        let text = ["/// Short.", &format!("/// {}", "long ".repeat(30)), &"code ".repeat(30)].join("\n");
        assert_eq!(of(&text).wide, 1);
    }

    #[test]
    fn limits_are_limits() {
        let plain = "/// Returns the rate.\nfn f() {}\n".repeat(100);
        assert!(of(&plain).is_plain());
        assert!(!of(&[plain.as_str(), &"/// Whether it is.\nfn f() {}\n".repeat(7)].concat()).is_plain());
        for (phrase, _) in PHRASES {
            let spoiled = [plain.clone(), format!("/// Takes {}.\n", phrase.join(" ")).repeat(4)].concat();
            assert!(!of(&spoiled).is_plain(), "{phrase:?}");
        }
    }
}
