//! Counts of what readers made of their files.
//!
//! Invariant: messages that differ only in numbers and in quoted parts of the file count as the same.

use std::collections::BTreeMap;
use std::time::Duration;

use interop::import::{self, ImportedScenario, KeyAccount};
use scenario::Diagnostic;
use topology::hpcc::HpccFlaw;

/// What a reader made of a file.
pub(crate) enum Outcome {
    /// The file was read.
    Accepted,
    /// The file was read, but the scenario would be another experiment: refused without `--approximate`.
    Changed,
    /// The file was refused, with this message.
    Refused(String),
}

impl From<Diagnostic> for Outcome {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Refused(diagnostic.faults()[0].message.clone())
    }
}

impl From<HpccFlaw> for Outcome {
    fn from(flaw: HpccFlaw) -> Self {
        Self::Refused(format!("{} {}", flaw.kind, flaw.kind.help()))
    }
}

/// Returns the outcome of an import.
pub(crate) fn imported(read: Result<ImportedScenario, Diagnostic>) -> Outcome {
    read.map_or_else(Outcome::from, |imported| of_account(&imported.account))
}

/// Returns the outcome of an import with this account.
pub(crate) fn of_account(account: &[KeyAccount]) -> Outcome {
    import::changes(account, "file").map_or(Outcome::Accepted, |_| Outcome::Changed)
}

/// Numbers of files by outcome, for a reader.
#[derive(Default)]
pub(crate) struct Outcomes {
    pub(crate) accepted: u64,
    pub(crate) changed: u64,
    pub(crate) refused: u64,
    pub(crate) messages: BTreeMap<String, u64>,
    pub(crate) slowest: Duration,
}

impl Outcomes {
    pub(crate) fn count(&mut self, outcome: Outcome, elapsed: Duration) {
        self.slowest = self.slowest.max(elapsed);
        match outcome {
            Outcome::Accepted => self.accepted += 1,
            Outcome::Changed => self.changed += 1,
            Outcome::Refused(message) => {
                self.refused += 1;
                let kind = kind(&message);
                match self.messages.get_mut(&kind) {
                    Some(count) => *count += 1,
                    None => drop(self.messages.insert(kind, 1)),
                }
            }
        }
    }
}

/// Returns a message with `#` for every number, and `..` for every part between backticks.
fn kind(message: &str) -> String {
    let (mut kind, mut letters) = (String::with_capacity(message.len()), message.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '`' => {
                kind.push_str("`..`");
                // A quoted part of the file may hold backticks itself, seldom before a blank or another mark.
                while let Some(quoted) = letters.next() {
                    if quoted == '`' && letters.peek().is_none_or(|next| " ,.:;".contains(*next)) {
                        break;
                    }
                }
            }
            '0'..='9' => {
                kind.push('#');
                while letters.next_if(|next| next.is_ascii_hexdigit() || matches!(next, 'x' | '.')).is_some()
                {
                }
            }
            _ => kind.push(letter),
        }
    }
    kind
}
