//! Flows and groups with what congestion kept from them, against what each would have alone.
//!
//! Invariant: payload is that of `flows.csv`, losses are those of `victims.csv`, slowdowns those of `fct.csv`. Flows
//! of a group count together, and so do those of a pattern of traffic, which have names such as `incast2:h1->h7`.
//!
//! | flows | their share of what they would have alone |
//! |---|---|
//! | that keep messages outstanding or pace them | goodput, of their goodput alone |
//! | with messages that are listed or drawn | the inverse of the median slowdown of their messages |
//! | of a run that kept no messages | the share of their time for which they did not wait for trees |
//! | a flow without end, of such a run | payload, of that and of what was lost while trees made packets wait |

use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use results::reader::{ReadError, RunFiles};
use results::rows::{ContributorRow, FlowRow, MessageRow, VictimRow};
use results::table::TableRow;
use serde::Serialize;

/// Most flows and groups.
const MOST: usize = 64;

/// A flow or a group.
#[derive(Debug, Default, Serialize)]
pub(super) struct Subject {
    name: String,
    /// `flow`, `group`, or `pattern` for flows without a group.
    kind: &'static str,
    delivered_bytes: u64,
    /// Payload that it would have got in the time for which trees made it wait.
    lost_bytes: u64,
    flows: usize,
    victims: usize,
    contributors: usize,
    /// Share of what it would have alone.
    share: f64,
    /// Goodput as a share of the goodput alone; `None` if that is not known of every flow.
    goodput_share: Option<f64>,
    /// Slowdown of its messages; `None` of a run that kept none.
    slowdown: Option<Slowdown>,
    /// Share of its time for which it waited for trees; `None` if its payload or its messages say more.
    waited_share: Option<f64>,
    #[serde(skip)]
    is_endless: bool,
    /// Payload of all flows if each were alone, in bytes; `None` if it is not known of one.
    #[serde(skip)]
    alone_bytes: Option<f64>,
    #[serde(skip)]
    waited_s: f64,
    #[serde(skip)]
    active_s: f64,
    #[serde(skip)]
    slowdowns: Vec<f64>,
}

/// Slowdown of messages: the time that they take, over the time alone. Messages that were not delivered count with
/// their age, so that quantiles are at least these.
#[derive(Clone, Copy, Debug, Serialize)]
struct Slowdown {
    median: Option<f64>,
    p99: Option<f64>,
}

/// Reads flows and groups: victims first, and of those the ones that got the smallest share. `end_s` is the end of the
/// run.
pub(super) fn read(files: RunFiles<'_>, end_s: f64) -> Result<Vec<Subject>, ReadError> {
    let flows = files.flows()?;
    let victims: Vec<VictimRow<'_>> = files.rows()?;
    let contributors: Vec<ContributorRow<'_>> = files.rows()?;
    let mut lost: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for row in &victims {
        let (bytes, waited_s) = lost.entry(&row.flow).or_default();
        *bytes += row.lost_bytes;
        *waited_s += row.waited_s;
    }
    let giving: BTreeSet<&str> = contributors.iter().map(|row| &*row.flow).collect();
    let mut subjects: BTreeMap<(&'static str, &str), Subject> = BTreeMap::new();
    for flow in &*flows {
        let (kind, name) = subject_of(flow);
        let subject = subjects.entry((kind, name)).or_insert_with(|| Subject {
            name: name.to_owned(),
            kind,
            alone_bytes: Some(0.0),
            ..Subject::default()
        });
        let of_trees = lost.get(&*flow.flow).copied();
        let (lost_bytes, waited_s) = of_trees.unwrap_or_default();
        let active_s = (flow.completed_s.or(flow.stop_s).unwrap_or(end_s) - flow.start_s).max(0.0);
        subject.flows += 1;
        let alone = flow.alone_bps.map(|rate| rate / 8.0 * active_s);
        subject.alone_bytes = subject.alone_bytes.zip(alone).map(|(sum, own)| sum + own);
        subject.delivered_bytes += flow.delivered_bytes;
        subject.lost_bytes += lost_bytes;
        subject.victims += usize::from(of_trees.is_some());
        subject.contributors += usize::from(giving.contains(&*flow.flow));
        subject.is_endless |= kind == "flow" && flow.size_bytes.is_none();
        subject.active_s += active_s;
        // Packets of a flow may wait at several places at a time.
        subject.waited_s += waited_s.min(active_s);
    }
    if files.has(MessageRow::FILE) {
        let subject_of: BTreeMap<&str, _> =
            flows.iter().map(|flow| (&*flow.flow, subject_of(flow))).collect();
        for message in files.messages()?.iter() {
            let subject = subject_of.get(&*message.flow).and_then(|subject| subjects.get_mut(subject));
            if let Some(subject) = subject {
                // A message that was not delivered is at least as slow as its age says.
                let least = message.age_s.map(|age_s| age_s * 1e6 / message.ideal_us);
                subject.slowdowns.extend(message.slowdown.or(least));
            }
        }
    }
    let mut subjects: Vec<_> = subjects.into_values().collect();
    subjects.iter_mut().for_each(Subject::settle);
    let is_victim = |one: &Subject| one.victims > one.contributors.min(one.victims / 2);
    subjects.sort_by(|one, other| {
        let lost =
            (Reverse(is_victim(one)), one.share).partial_cmp(&(Reverse(is_victim(other)), other.share));
        lost.expect("shares are numbers").then(other.contributors.cmp(&one.contributors))
    });
    subjects.truncate(MOST);
    Ok(subjects)
}

impl Subject {
    /// Works out the share, once all flows and messages are known.
    fn settle(&mut self) {
        self.slowdowns.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            measures::censoring::quantile(&self.slowdowns, share).filter(|slowdown| slowdown.is_finite())
        };
        self.slowdown =
            (!self.slowdowns.is_empty()).then(|| Slowdown { median: quantile(0.5), p99: quantile(0.99) });
        // Messages that are always outstanding wait for each other: their times say nothing about goodput.
        let alone = self.alone_bytes.filter(|alone| *alone > 0.0);
        self.goodput_share = alone.map(|alone| (self.delivered_bytes as f64 / alone).min(1.0));
        let is_counted = !self.is_endless
            && self.slowdown.is_none()
            && self.goodput_share.is_none()
            && self.active_s > 0.0;
        self.waited_share = is_counted.then(|| self.waited_s / self.active_s);
        self.share = match (self.goodput_share, self.slowdown, self.waited_share) {
            (Some(share), ..) => share,
            (None, Some(Slowdown { median, .. }), _) => median.map_or(0.0, |median| 1.0 / median.max(1.0)),
            (None, None, Some(waited)) => 1.0 - waited,
            (None, None, None) => {
                self.delivered_bytes as f64 / (self.delivered_bytes + self.lost_bytes).max(1) as f64
            }
        };
    }

    /// Returns the meaning of its bar.
    fn meaning(&self) -> &'static str {
        match (self.goodput_share, self.slowdown, self.waited_share) {
            (Some(_), ..) => "goodput of the goodput alone",
            (None, Some(_), _) => "time alone of the time that the median message took",
            (None, None, Some(_)) => "time without a wait for trees",
            (None, None, None) => "payload of that and of what trees kept back",
        }
    }
}

/// Returns kind and name of the subject that a flow belongs to.
fn subject_of<'a>(flow: &'a FlowRow<'_>) -> (&'static str, &'a str) {
    match (&flow.group, flow.flow.split_once(':')) {
        (Some(group), _) => ("group", group),
        (None, Some((pattern, _))) if !flow.named => ("pattern", pattern),
        (None, _) => ("flow", &flow.flow),
    }
}

/// Returns the sentence on the figure.
pub(super) fn about(subjects: &[Subject]) -> String {
    let held_back = subjects.iter().filter(|one| one.victims > 0).count();
    let mut meanings: Vec<_> = subjects.iter().map(Subject::meaning).collect();
    meanings.sort_unstable();
    meanings.dedup();
    let rest = format!(
        "A bar is a share: {}. Each curve of goodput has a scale of its own.",
        meanings.join("; or ")
    );
    let first = match held_back {
        0 => "No congestion tree held any of this back.".to_owned(),
        1 => format!("Congestion trees held {} back.", subjects[0].name),
        several => {
            format!("Congestion trees held {several} of {} back, {} most.", subjects.len(), subjects[0].name)
        }
    };
    // Three flows to one host have a third of their goodput alone each, and none has lost anything.
    let is_shared = subjects.iter().filter(|one| one.goodput_share.is_some()).count() > 1;
    let shared = if is_shared {
        " Flows that share a link cannot all have that: the verdict compares with fair shares where it can."
    } else {
        ""
    };
    format!("{first} {rest}{shared}")
}
