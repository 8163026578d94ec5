//! The verdict of a run that a deadlock has ended, without results.
//!
//! Invariant: the cycle is a proof, so nothing here is a guess.

use super::command::AskedScenario;
use super::{Verdict, VerdictKind};
use crate::format::counted;

/// A proved deadlock.
#[derive(Clone, Debug)]
pub struct ProvedDeadlock {
    /// Time of its detection, with its unit.
    pub found: String,
    /// Outputs of the cycle, such as `s1 port 2 to s2`.
    pub cycle: Vec<String>,
    /// Number of outputs that stand still, on the cycle and behind it.
    pub stuck: usize,
}

/// Most outputs of a cycle that are named.
const MOST_NAMED: usize = 8;

/// Returns the verdict of a run that ended in a deadlock, under routes of this name.
#[must_use]
pub fn verdict(routing: &str, deadlock: &ProvedDeadlock, asked: &AskedScenario) -> Verdict {
    let ProvedDeadlock { found, cycle, stuck } = deadlock;
    let named = cycle.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = match cycle.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Verdict {
        loss: format!(
            "DEADLOCK: {} stood still by {found}, and nothing that waits there is ever delivered.",
            counted(*stuck, "output")
        ),
        cause: format!(
            "Each of these outputs waits for room that only the next one makes, the last for the first: {named}{more}. The routes of \
             `{routing}` allow that."
        ),
        confidence: "Proved from the buffers of the run; it left no other results.".to_owned(),
        advice: format!(
            "Up/down routes have no such cycle: `{}`",
            asked.with("sim", &["routing=UpDown()", "dependency_cycles=Refused"], &[])
        ),
        kind: VerdictKind::Run,
        measure: None,
    }
}
