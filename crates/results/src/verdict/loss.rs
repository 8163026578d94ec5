//! Losses of a run: who got less than it could have, and how much less.
//!
//! Invariant: a flow that keeps messages outstanding, or paces them, is held against its fair share, if every flow of
//! the phase is of that kind; else, as a victim of a tree, against its rate alone. Messages of other flows are held
//! against their time on the empty fabric.
//!
//! | loss | of | against |
//! |---|---|---|
//! | goodput | flows with messages outstanding, or paced | fair share, or rate alone |
//! | payload | victims of trees | idle branches, as `victims.csv` has it |
//! | time | messages that were listed or drawn | the empty fabric |

use std::collections::{BTreeMap, BTreeSet};

use measures::PhasePart;
use measures::censoring::{CensoredSample, CensoredValue};
use measures::completion::Completion;
use measures::spelling::instant;
use scenario::BestRates;
use telemetry::Phase;
use workload::spec::ArrivalSpec;
use workload::{MessageSchedule, PatternSpec, Posting};

use super::facts::Facts;
use super::owners::Owners;
use super::words;
use crate::format::{counted, grouped};

/// Share of its best rate below which a flow has lost: acknowledgements and flow control take a few percent.
const FULL: f64 = 0.95;
/// Slowdown from which a message has lost time.
const SLOW: f64 = 2.0;
/// Most flows, patterns or groups that a sentence names.
const MOST_NAMED: usize = 3;
/// Most pairs of a flow and a phase for which all phases are looked at; beyond, the last alone is.
const MOST_PAIRS: usize = 200_000;
/// Fewest messages of which a hundredth is at least one.
const HUNDRED: usize = 100;

/// Losses of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Lost {
    /// Flows, patterns and groups that got less than their best rate, in the phase that cost them most, the worst
    /// first.
    pub(super) goodput: Vec<RateLoss>,
    /// Number of the phase of `goodput`.
    pub(super) phase: usize,
    /// Number of flows that are held against a fair share.
    held: usize,
    /// Flows that waited in trees, by owner, the largest loss first; without those of `goodput`.
    pub(super) waited: Vec<TreeLoss>,
    /// Messages by owner, the slowest first.
    messages: Vec<MessageLoss>,
    /// Best rates of the flows.
    pub(super) best: Option<BestRates>,
}

/// Goodput of an owner, and its best rate.
#[derive(Clone, Debug)]
pub(super) struct RateLoss {
    pub(super) owner: usize,
    /// The flow that lost most.
    pub(super) flow: usize,
    /// Number of flows that lost.
    flows: usize,
    got: f64,
    best: f64,
    /// True if the best rate is a fair share, false if it is the rate alone.
    pub(super) fair: bool,
}

/// Payload and time that an owner's flows lost as victims of trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeLoss {
    owner: usize,
    flows: usize,
    lost: f64,
    waited_s: f64,
}

/// Slowdowns of the messages of an owner.
#[derive(Clone, Copy, Debug)]
struct MessageLoss {
    owner: usize,
    posted: usize,
    median: CensoredValue,
    /// Of the slowest hundredth, the fastest.
    slow: CensoredValue,
}

impl Lost {
    pub(super) fn of(facts: Facts<'_>, owners: &Owners) -> Self {
        let mut lost = Self::default();
        if let Some(plan) = facts.plan {
            let best = plan.best_rates(facts.record.named());
            lost.goodput(facts, owners, &best);
            lost.best = Some(best);
        }
        lost.waited = waited(facts, owners, &lost.goodput);
        lost.messages = messages(facts, owners);
        lost
    }

    /// Returns true if some flow or message got clearly less than it would alone.
    pub(super) fn any(&self) -> bool {
        !self.goodput.is_empty() || !self.waited.is_empty() || self.slowest().is_some()
    }

    /// Finds the phase in which named flows lost most, and their losses there.
    fn goodput(&mut self, facts: Facts<'_>, owners: &Owners, best: &BestRates) {
        let victims = victims(facts);
        let mut most = 0.0;
        let skipped = if facts.goodput.len() * facts.record.flows.len() > MOST_PAIRS {
            facts.goodput.len().saturating_sub(1)
        } else {
            0
        };
        for (number, phase) in facts.goodput.iter().enumerate().skip(skipped) {
            let active: Vec<_> = (0..phase.flows.len()).filter(|flow| phase.flows[*flow].active).collect();
            let lasts = |flow: &usize| {
                let flow = &facts.record.flows[*flow];
                let Phase { second_half, to, .. } = *phase.phase;
                flow.start <= second_half && flow.stop.get().is_none_or(|stop| stop >= to)
            };
            // A flow that comes or goes meanwhile has no single fair share, and changes that of others.
            let fair = active.iter().all(lasts).then(|| best.fair(&active)).flatten();
            let rate_of = |(place, flow): (usize, &usize)| -> Option<(usize, f64)> {
                match &fair {
                    Some(rates) => Some((*flow, rates[place])),
                    None => {
                        let is_held = victims.contains(flow) && lasts(flow);
                        Some((*flow, best.alone(*flow).filter(|_| is_held)?))
                    }
                }
            };
            let rates: Vec<_> = active.iter().enumerate().filter_map(rate_of).collect();
            self.held = self.held.max(if fair.is_some() { rates.len() } else { 0 });
            let seconds = phase.phase.to.since(phase.phase.second_half).seconds();
            let losers: Vec<_> = rates
                .into_iter()
                .map(|(flow, best)| (flow, phase.flows[flow].over(PhasePart::SecondHalf), best))
                .filter(|(_, got, best)| *got < best * FULL)
                .collect();
            let all: f64 = losers.iter().map(|(_, got, best)| (best - got) * seconds).sum();
            if all > most {
                most = all;
                self.phase = number;
                self.goodput = by_owner(&losers, owners, fair.is_some());
            }
        }
    }

    /// Returns the slowest messages, if they took clearly longer than on the empty fabric.
    fn slowest(&self) -> Option<&MessageLoss> {
        self.messages.first().filter(|one| one.slow.at_least() >= SLOW)
    }
}

/// Returns the flows that waited in a tree with a root that they do not use.
fn victims(facts: Facts<'_>) -> BTreeSet<usize> {
    let roots = facts.record.congestion.roots.iter();
    roots.flat_map(|root| &root.victims).map(|victim| victim.flow as usize).collect()
}

fn by_owner(losers: &[(usize, f64, f64)], owners: &Owners, fair: bool) -> Vec<RateLoss> {
    let mut all: BTreeMap<usize, (RateLoss, f64)> = BTreeMap::new();
    for &(flow, got, best) in losers {
        let owner = owners.of(flow);
        let none = || (RateLoss { owner, flow, flows: 0, got: 0.0, best: 0.0, fair }, 0.0);
        let (sum, worst) = all.entry(owner).or_insert_with(none);
        (sum.flows, sum.got, sum.best) = (sum.flows + 1, sum.got + got, sum.best + best);
        if best - got > *worst {
            (sum.flow, *worst) = (flow, best - got);
        }
    }
    let mut all: Vec<_> = all.into_values().map(|(loss, _)| loss).collect();
    all.sort_by(|a, b| (b.best - b.got).total_cmp(&(a.best - a.got)));
    all
}

fn waited(facts: Facts<'_>, owners: &Owners, told: &[RateLoss]) -> Vec<TreeLoss> {
    let mut all: BTreeMap<usize, (BTreeSet<usize>, f64, f64)> = BTreeMap::new();
    for victim in facts.record.congestion.roots.iter().flat_map(|root| &root.victims) {
        let owner = owners.of(victim.flow as usize);
        if !told.iter().any(|loss| loss.owner == owner) {
            let (flows, lost, waited) = all.entry(owner).or_default();
            flows.insert(victim.flow as usize);
            (*lost, *waited) = (*lost + victim.lost.get() as f64, *waited + victim.waited.seconds());
        }
    }
    let loss = |(owner, (flows, lost, waited_s)): (usize, (BTreeSet<usize>, f64, f64))| TreeLoss {
        owner,
        flows: flows.len(),
        lost,
        waited_s,
    };
    let mut all: Vec<_> = all.into_iter().map(loss).filter(|one| one.lost > 0.0).collect();
    all.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    all
}

/// Returns the slowdowns of messages that do not wait for each other at their host, by owner.
fn messages(facts: Facts<'_>, owners: &Owners) -> Vec<MessageLoss> {
    let Some(all) = &facts.record.completions else { return Vec::new() };
    let mut samples = vec![CensoredSample::default(); owners.count()];
    for one in &all.messages {
        if !replaces_others(facts, one.flow as usize) {
            samples[owners.of(one.flow as usize)].add(Completion::of(one, all.end).slowdown());
        }
    }
    let loss = |(owner, sample): (usize, CensoredSample)| {
        let sorted = sample.sorted();
        let (median, slow) = (sorted.quantile(0.5)?, sorted.quantile(0.99)?);
        Some(MessageLoss { owner, posted: sorted.len(), median, slow })
    };
    let mut all: Vec<_> = samples.into_iter().enumerate().filter_map(loss).collect();
    all.sort_by(|a, b| b.slow.at_least().total_cmp(&a.slow.at_least()));
    all
}

/// Returns true if the flow posts a message when another one completes, so that its messages wait for each other.
fn replaces_others(facts: Facts<'_>, flow: usize) -> bool {
    let Some(plan) = facts.plan else { return false };
    match &plan.workload().flows[flow].posting {
        Posting::Scheduled(schedule) => matches!(schedule, MessageSchedule::Saturate { .. }),
        Posting::Drawn { .. } => closed_loop(facts, flow),
    }
}

/// Returns true if the flow belongs to a closed loop of its host.
fn closed_loop(facts: Facts<'_>, flow: usize) -> bool {
    let pattern = facts.plan.and_then(|plan| {
        let pattern = plan.workload().flows[flow].pattern?;
        plan.scenario().traffic.get(pattern as usize)
    });
    matches!(pattern, Some(PatternSpec::Synthetic(spec)) if matches!(spec.arrivals, ArrivalSpec::Closed { .. }))
}

/// Returns who lost how much, in words.
pub(super) fn sentence(facts: Facts<'_>, owners: &Owners, lost: &Lost) -> String {
    if facts.is_idle() {
        return "Nothing was sent: no message was posted before the end of the run.".to_owned();
    }
    let parts = [
        facts.not_lossless().map(|loss| format!("{loss}.")),
        facts.record.stands_still.map(|since| {
            format!(
                "The fabric stands still: no payload was delivered after {}, and blocked outputs wait for each other.",
                instant(since.seconds())
            )
        }),
        failed(facts, owners),
        of_goodput(facts, owners, lost),
        of_trees(owners, lost),
        of_messages(owners, lost),
        of_loops(facts, owners),
    ];
    let said: Vec<_> = parts.into_iter().flatten().collect();
    if said.is_empty() { nothing(facts, owners, lost) } else { said.join(" ") }
}

fn failed(facts: Facts<'_>, owners: &Owners) -> Option<String> {
    let all = &facts.record.failed;
    let first = all.first()?;
    let flow = owners.at(owners.of(first.flow as usize)).flows_in_words(1);
    let more =
        if all.len() > 1 { format!(" and {} more", grouped(all.len() as u64 - 1)) } else { String::new() };
    Some(format!(
        "{} failed after the last retry: {flow} at {}{more}.",
        counted(all.len(), "queue pair"),
        instant(first.at.seconds())
    ))
}

fn of_goodput(facts: Facts<'_>, owners: &Owners, lost: &Lost) -> Option<String> {
    lost.goodput.first()?;
    let one = |loss: &RateLoss| {
        let who = owners.at(loss.owner).flows_in_words(loss.flows);
        let (got, best) = (words::rate(loss.got), words::rate(loss.best));
        if loss.fair {
            format!("{who} got {got} (fair share: {best})")
        } else {
            format!("{who} got {got} ({best} alone)")
        }
    };
    let mut named: Vec<_> = lost.goodput.iter().take(MOST_NAMED).map(one).collect();
    let more = lost.goodput.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        named.push(format!("{} less than 95 % of that", counted(more, "other")));
    }
    Some(format!("{}, {}.", capital(&words::list(&named)), when(facts, lost)))
}

/// Says in which time the goodput of the losses was measured.
fn when(facts: Facts<'_>, lost: &Lost) -> String {
    let phase = facts.goodput[lost.phase].phase;
    let span = format!("{} to {}", instant(phase.second_half.seconds()), instant(phase.to.seconds()));
    if facts.goodput.len() == 1 {
        format!("from {span}")
    } else {
        format!("from {span} (phase \"{}\")", phase.name)
    }
}

fn of_trees(owners: &Owners, lost: &Lost) -> Option<String> {
    lost.waited.first()?;
    let one = |loss: &TreeLoss| owners.at(loss.owner).flows_in_words(loss.flows);
    let named: Vec<_> = lost.waited.iter().take(MOST_NAMED).map(one).collect();
    let rest = lost.waited.iter().skip(MOST_NAMED).map(|loss| loss.flows).sum::<usize>();
    let more = if rest > 0 { format!(", and {} more,", counted(rest, "flow")) } else { String::new() };
    let waited: f64 = lost.waited.iter().map(|loss| loss.waited_s).sum();
    let payload: f64 = lost.waited.iter().map(|loss| loss.lost).sum();
    let (own, them) = if rest == 0 && lost.waited.iter().map(|loss| loss.flows).sum::<usize>() == 1 {
        ("its own", "it")
    } else {
        ("their own", "them")
    };
    Some(format!(
        "{}{more} waited {} in all behind congestion that is not {own}; the links could have carried {} for {them} meanwhile.",
        capital(&words::list(&named)),
        words::time(waited),
        words::size(payload)
    ))
}

fn of_messages(owners: &Owners, lost: &Lost) -> Option<String> {
    let MessageLoss { owner, posted, median, slow } = *lost.slowest()?;
    let of = match owners.at(owner).flows {
        Some(_) | None if posted == 1 => format!("The message of {}", owners.at(owner).name()),
        _ if posted < HUNDRED => {
            format!("The slowest of the {posted} messages of {}", owners.at(owner).name())
        }
        _ => format!("One in 100 messages of {}", owners.at(owner).name()),
    };
    let median = if posted > 1 { format!("; the median is {}", words::times(median)) } else { String::new() };
    let or_more = if posted >= HUNDRED && slow.exact().is_some() { " or more" } else { "" };
    Some(format!("{of} took {}{or_more} as long as on the empty fabric{median}.", words::times(slow)))
}

/// Says how much closed loops moved. Times of their messages do not show hosts that wait and post nothing.
fn of_loops(facts: Facts<'_>, owners: &Owners) -> Option<String> {
    // A loop that has delivered everything has no rate at the end.
    if facts.record.finite.is_some_and(|finite| finite.done.is_some()) {
        return None;
    }
    let last = facts.goodput.last()?;
    let mut loops: BTreeMap<usize, (f64, BTreeSet<&str>)> = BTreeMap::new();
    for flow in 0..facts.record.flows.len() {
        if closed_loop(facts, flow) {
            let (rate, hosts) = loops.entry(owners.of(flow)).or_default();
            *rate += last.flows[flow].over(PhasePart::SecondHalf);
            hosts.insert(&facts.record.flows[flow].source);
        }
    }
    let rates: BTreeMap<&str, f64> =
        facts.record.lanes.iter().map(|lane| (lane.node.as_str(), lane.rate.get() as f64)).collect();
    let one = |(owner, (rate, hosts)): (usize, (f64, BTreeSet<&str>))| {
        let links: f64 = hosts.iter().filter_map(|host| rates.get(host)).sum();
        format!(
            "{} moved {} of the {} that the links of its {} carry",
            owners.at(owner).name(),
            words::rate(rate),
            words::rate(links),
            counted(hosts.len(), "host")
        )
    };
    let all: Vec<_> = loops.into_iter().take(MOST_NAMED).map(one).collect();
    (!all.is_empty()).then(|| {
        format!(
            "{} in the second half of the {}; it is a closed loop: a host that waits posts nothing, which times of messages do not show.",
            capital(&words::list(&all)),
            if facts.goodput.len() == 1 { "run" } else { "last phase" }
        )
    })
}

/// Gives the evidence that nothing was lost.
fn nothing(facts: Facts<'_>, owners: &Owners, lost: &Lost) -> String {
    let flows = match lost.held {
        0 => None,
        1 => Some("the flow got at least 95 % of its fair share".to_owned()),
        held => Some(format!("each of {} flows got at least 95 % of its fair share", grouped(held as u64))),
    };
    let waits = (facts.record.congestion.sampled > 0)
        .then(|| "no flow lost payload behind congestion that is not its own".to_owned());
    let messages = lost.messages.first().map(|one| {
        let name = owners.at(one.owner).name();
        let of = if one.posted < HUNDRED { "all messages" } else { "99 of 100 messages" };
        match one.slow.at_most() {
            Some(most) => {
                let most = words::times(CensoredValue::Exact(most));
                format!("{of} of {name} took at most {most} as long as on the empty fabric")
            }
            None => {
                format!("the delivered messages of {name} were as fast as on the empty fabric, or nearly")
            }
        }
    });
    let all: Vec<_> = [flows, waits, messages].into_iter().flatten().collect();
    format!("Nothing: {}.", all.join("; "))
}

/// Returns a sentence with a capital at its beginning only if it begins with a word of ours: names stay as they are.
fn capital(sentence: &str) -> String {
    let first = ["all ", "the flow of "].iter().find(|first| sentence.starts_with(**first));
    match first {
        Some(_) => sentence[..1].to_uppercase() + &sentence[1..],
        None => sentence.to_owned(),
    }
}
