//! Standings: every flow, pattern and group against its best, with the quantities of the loss.
//!
//! Invariant: names, rates and slowdowns are the same as in the sentences of the verdict, which are made of the same
//! values.
//!
//! | flows | their share of the best |
//! |---|---|
//! | held against a fair share, or their rate alone | goodput of the phase that cost most, of that rate |
//! | with messages that do not wait for each other | the inverse of the median slowdown |
//! | with an end, of a run that kept no such messages | the share of their time without a wait for trees |
//! | without an end | payload, of payload and of what trees kept back |

use std::collections::BTreeSet;

use measures::censoring::CensoredValue;
use measures::rounded;
use schemars::JsonSchema;
use serde::Serialize;
use telemetry::FlowRecord;
use units::Time;

use super::facts::Facts;
use super::loss::Lost;
use super::messages::{HUNDRED, MessageLoss};
use super::owners::Owners;
use super::words;
use crate::format::counted;

/// Most standings in a summary.
const MOST: usize = 64;

/// Flows, patterns and groups against their best.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Standings {
    /// Number of flows, patterns and groups.
    pub count: usize,
    /// The first 64 of them: victims of trees, then the others, the smallest share first.
    pub worst: Vec<Standing>,
}

/// A flow by itself, or a pattern or group of flows, against its best.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// `flow`, `group`, or `pattern`.
    pub kind: &'static str,
    /// Number of flows.
    pub flows: usize,
    /// Number of flows that were victims of trees.
    pub victims: usize,
    /// Number of flows that contributed to trees.
    pub contributors: usize,
    /// Payload that hosts took.
    pub delivered_bytes: u64,
    /// Payload that trees kept back from its victims, as in `victims.csv`.
    pub lost_bytes: u64,
    /// Quantity of `share`.
    pub quantity: StandingQuantity,
    /// Share of the best, 0 to 1.
    pub share: f64,
    /// Goodput in the second half of the phase that cost most; `None` of another quantity.
    pub goodput_bps: Option<f64>,
    /// Rate that it is held against.
    pub best_bps: Option<f64>,
    /// Median of the slowdown of messages; `None` of another quantity.
    pub median_slowdown: Option<CensoredValue>,
    /// The 99th percentile of the slowdown.
    pub p99_slowdown: Option<CensoredValue>,
    /// The outcome in words.
    pub outcome: String,
}

/// Quantity of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StandingQuantity {
    /// Goodput, of the fair share.
    FairShare,
    /// Goodput, of the rate without other flows.
    RateAlone,
    /// Time of a message on the empty fabric, of the median time.
    MessageTime,
    /// Time without a wait for trees, of the whole time of the flows.
    Time,
    /// Payload, of that and of the payload that trees kept back.
    Payload,
}

/// Sums over the flows of an owner.
#[derive(Clone, Copy, Default)]
struct Sums {
    first: usize,
    flows: usize,
    victims: usize,
    contributors: usize,
    delivered: u64,
    lost: u64,
    waited_s: f64,
    active_s: f64,
    is_endless: bool,
}

impl Standings {
    pub(super) fn of(facts: Facts<'_>, owners: &Owners, lost: &Lost) -> Self {
        let sums = sums(facts, owners);
        let mut all: Vec<_> = sums
            .iter()
            .enumerate()
            .filter(|(_, sums)| sums.flows > 0)
            .map(|(owner, sums)| standing(facts, (owner, owners), lost, sums))
            .collect();
        let is_victim = |one: &Standing| one.victims > one.contributors.min(one.victims / 2);
        all.sort_by(|one, other| {
            let by_share = one.share.total_cmp(&other.share);
            let by_victims = is_victim(other).cmp(&is_victim(one));
            by_victims.then(by_share).then(other.contributors.cmp(&one.contributors))
        });
        let count = all.len();
        all.truncate(MOST);
        Self { count, worst: all }
    }
}

fn sums(facts: Facts<'_>, owners: &Owners) -> Vec<Sums> {
    let record = facts.record;
    let end = record.phases.last().map_or(record.simulated.after_start(), |phase| phase.to);
    let roots = &record.congestion.roots;
    let giving: BTreeSet<u32> =
        roots.iter().flat_map(|root| &root.contributors).map(|one| one.flow).collect();
    let mut waits: Vec<Option<(u64, f64)>> = vec![None; record.flows.len()];
    for victim in roots.iter().flat_map(|root| &root.victims) {
        let (lost, waited_s) = waits[victim.flow as usize].get_or_insert_default();
        *lost += victim.lost.get();
        *waited_s += victim.waited.seconds();
    }
    let mut all = vec![Sums::default(); owners.count()];
    for (number, flow) in record.flows.iter().enumerate() {
        let sums = &mut all[owners.of(number)];
        if sums.flows == 0 {
            sums.first = number;
        }
        let active_s = active_s(flow, end);
        let (lost, waited_s) = waits[number].unwrap_or_default();
        sums.flows += 1;
        sums.victims += usize::from(waits[number].is_some());
        sums.contributors += usize::from(giving.contains(&(number as u32)));
        sums.delivered += flow.delivered.get();
        sums.lost += lost;
        // Packets of a flow may wait at several places at a time.
        sums.waited_s += waited_s.min(active_s);
        sums.active_s += active_s;
        sums.is_endless |= flow.total.get().is_none();
    }
    all
}

/// Returns the time from the start of a flow to its completion, its stop or the end of the run, in s.
fn active_s(flow: &FlowRecord, end: Time) -> f64 {
    let last = flow.completed().or(flow.stop.get()).unwrap_or(end);
    if last > flow.start { last.since(flow.start).seconds() } else { 0.0 }
}

fn standing(facts: Facts<'_>, (owner, owners): (usize, &Owners), lost: &Lost, sums: &Sums) -> Standing {
    let own = owners.at(owner);
    let is_group = facts.record.flows[sums.first].group.is_some();
    let mut made = Standing {
        name: own.name().to_owned(),
        kind: if own.flows.is_none() {
            "flow"
        } else if is_group {
            "group"
        } else {
            "pattern"
        },
        flows: sums.flows,
        victims: sums.victims,
        contributors: sums.contributors,
        delivered_bytes: sums.delivered,
        lost_bytes: sums.lost,
        quantity: StandingQuantity::Payload,
        share: 1.0,
        goodput_bps: None,
        best_bps: None,
        median_slowdown: None,
        p99_slowdown: None,
        outcome: String::new(),
    };
    let (held, (goodput, best)) = lost.rates_of(owner, owners);
    let of_messages = lost.messages_of(owner);
    if best > 0.0 {
        made.quantity = if lost.is_fair { StandingQuantity::FairShare } else { StandingQuantity::RateAlone };
        (made.goodput_bps, made.best_bps) = (Some(goodput.round()), Some(best.round()));
        made.share = goodput / best;
        let got = Lost::got((goodput, best), lost.is_fair);
        made.outcome = if held == sums.flows { got } else { format!("{} {got}", counted(held, "flow")) };
    } else if let Some(&MessageLoss { median, slow, posted, .. }) = of_messages {
        made.quantity = StandingQuantity::MessageTime;
        (made.median_slowdown, made.p99_slowdown) = (Some(median), Some(slow));
        made.share = 1.0 / median.at_least().max(1.0);
        let slowest = if posted < HUNDRED { "the slowest" } else { "one in 100" };
        let (median, slow) = (words::times(median), words::times(slow));
        made.outcome = format!("messages took {median} as long as on the empty fabric, {slowest} {slow}");
    } else if !sums.is_endless && sums.active_s > 0.0 {
        made.quantity = StandingQuantity::Time;
        made.share = 1.0 - sums.waited_s / sums.active_s;
        made.outcome = if sums.waited_s > 0.0 {
            format!("waited for trees in {} of its time", words::percent(sums.waited_s / sums.active_s))
        } else if sums.contributors > 0 {
            "waited for no tree of others".to_owned()
        } else {
            "did not wait for trees".to_owned()
        };
    } else {
        made.share = sums.delivered as f64 / (sums.delivered + sums.lost).max(1) as f64;
        made.outcome = if sums.lost > 0 {
            format!(
                "took {}, trees kept back {}",
                words::size(sums.delivered as f64),
                words::size(sums.lost as f64)
            )
        } else {
            "lost nothing to trees".to_owned()
        };
    }
    made.share = rounded(made.share.clamp(0.0, 1.0), 6);
    made
}
