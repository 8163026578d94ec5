//! Verdict: the answer of a command in four sentences.
//!
//! Invariant: whoever shows a verdict shows the same words. A run's verdict is made with its summary and stands in
//! `summary.json`, so that the terminal, the page of a report and the playground cannot differ, but for the name of the
//! scenario in the advised command.
//!
//! | module | contents |
//! |---|---|
//! | `words` | quantities and lists in sentences |
//! | `facts` | the facts of a run |
//! | `owners` | names of flows in sentences: their own, their pattern's or group's |
//! | [`command`] | commands to copy |
//! | `loss`, `cause`, `confidence`, `advice` | the four texts of a run |
//! | `drops`, `undelivered`, `messages`, `loops` | parts of the loss |
//! | `jobs` | jobs: a part of the loss, and of the cause |
//! | [`stuck`] | jobs that cannot go on, or took messages of other sizes |
//! | `late` | questions about late jobs |
//! | `repeats` | packets that arrived twice: a part of the cause |
//! | `time_outs` | time-outs of requesters: a part of the cause |
//! | `paths` | roots of congestion beside other paths: a question |
//! | `short_buffers` | links that a small buffer holds back: a part of the cause |
//! | `headline` | the measure of the loss that a run's verdict names first |
//! | [`standings`] | every flow, pattern and group against its best |
//! | [`deadlock`] | the verdict of a run that ended in a deadlock |
//! | `run` | the verdict of a run |

mod advice;
mod cause;
pub mod command;
mod confidence;
pub mod deadlock;
mod drops;
pub(crate) mod facts;
mod headline;
mod jobs;
mod late;
mod loops;
mod loss;
mod messages;
mod owners;
mod paths;
mod repeats;
pub(crate) mod run;
mod short_buffers;
pub mod standings;
pub mod stuck;
mod time_outs;
mod undelivered;
mod words;

use core::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Answer of a run, a comparison, a sweep or a search, as four texts of one or two sentences each.
///
/// # Examples
///
/// ```
/// let verdict = results::verdict::Verdict {
///     loss: "victim got 5.9 of the 13.2 Gb/s that it gets alone.".to_owned(),
///     cause: "Root S2 port 3 to H5: far and near ask for more than the link carries.".to_owned(),
///     confidence: "One seed, no message unfinished.".to_owned(),
///     advice: "Try `backwater compare victim off iba`.".to_owned(),
///     kind: results::verdict::VerdictKind::Run,
///     measure: Some("goodput(victim)".to_owned()),
/// };
/// assert!(verdict.to_string().starts_with("Lost      victim got"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Loss: the victims by name or group, and how much they lost against what they would get alone.
    pub loss: String,
    /// Cause: the root, its cause in words, and the contributors.
    pub cause: String,
    /// Confidence: seeds, unfinished messages, and bounds.
    pub confidence: String,
    /// Advice: a command that answers the next question.
    pub advice: String,
    /// Kind of the command.
    #[serde(default)]
    pub kind: VerdictKind,
    /// Measure that the first text names first, as users write it; `None` if the text is about none.
    #[serde(default)]
    pub measure: Option<String>,
}

/// Kind of the command that a verdict answers. It decides the label of the first text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Answer about a run: the first text says what was lost.
    #[default]
    Run,
    /// Answer about several runs: the first text says what was found, such as the best setting.
    Runs,
}

impl VerdictKind {
    /// Returns the label of the first text.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Run => "Lost",
            Self::Runs => "Found",
        }
    }
}

impl Verdict {
    /// Returns the four texts in their order, each behind its label.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, &str); 4] {
        [
            (self.kind.label(), &self.loss),
            ("Why", &self.cause),
            ("How sure", &self.confidence),
            ("Try", &self.advice),
        ]
    }
}

impl Display for Verdict {
    /// Writes a line for each text, with labels in a column of their own and no line end behind the last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (label, text)) in self.parts().into_iter().enumerate() {
            if place > 0 {
                writeln!(f)?;
            }
            write!(f, "{label:<8}  {text}")?;
        }
        Ok(())
    }
}
