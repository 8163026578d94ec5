//! Flows, patterns and groups against their best, as the verdict counts them.
//!
//! Invariant: every number and word comes from `standings` in `summary.json`, which the verdict is made with.

use serde::{Deserialize, Serialize};

/// Flows, patterns and groups.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Subjects {
    count: usize,
    pub(super) worst: Vec<Subject>,
}

/// A flow, a pattern or a group.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Subject {
    name: String,
    /// `flow`, `group` or `pattern`.
    kind: String,
    flows: usize,
    victims: usize,
    contributors: usize,
    delivered_bytes: u64,
    lost_bytes: u64,
    quantity: Quantity,
    /// Share of its best.
    share: f64,
    goodput_bps: Option<f64>,
    best_bps: Option<f64>,
    outcome: String,
}

/// Quantity of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Quantity {
    FairShare,
    RateAlone,
    MessageTime,
    Time,
    Payload,
}

impl Quantity {
    /// Returns the meaning of a bar.
    const fn meaning(self) -> &'static str {
        match self {
            Self::FairShare => "goodput of the fair share",
            Self::RateAlone => "goodput of the rate alone",
            Self::MessageTime => "time on the empty fabric of the time that the median message took",
            Self::Time => "time without a wait for trees",
            Self::Payload => "payload of that and of what trees kept back",
        }
    }
}

/// Returns the sentence on the figure.
pub(super) fn about(subjects: &Subjects) -> String {
    let Subjects { count, worst } = subjects;
    let held_back = worst.iter().filter(|one| one.victims > 0).count();
    let mut quantities: Vec<_> = worst.iter().map(|one| one.quantity).collect();
    quantities.sort_unstable();
    quantities.dedup();
    let meanings: Vec<_> = quantities.into_iter().map(Quantity::meaning).collect();
    let first = match held_back {
        0 if worst.iter().any(|one| one.contributors > 0) => {
            "No congestion tree of others held any of this back.".to_owned()
        }
        0 => "No congestion tree held any of this back.".to_owned(),
        1 => format!("Congestion trees held {} back.", worst[0].name),
        several => {
            format!("Congestion trees held {several} of {} back, {} most.", worst.len(), worst[0].name)
        }
    };
    let left = match count - worst.len() {
        0 => String::new(),
        left => format!(" The {} that got more of their best are left out.", crate::words::thousands(left)),
    };
    format!(
        "{first} A bar is a share: {}. Each curve of goodput has a scale of its own.{left}",
        meanings.join("; or ")
    )
}
