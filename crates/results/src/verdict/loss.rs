//! Losses of a run: who got less than it could have, and how much less.
//!
//! Invariant: a flow that keeps messages outstanding, or paces them, is held against its fair share, if every flow of
//! the phase is of that kind; else, as a victim of a tree or as the only flow, against its rate alone. Messages of
//! other flows are held against their time on the empty fabric.
//!
//! | loss | of | against |
//! |---|---|---|
//! | packets | lanes without flow control | a fabric that drops nothing |
//! | messages | those that were not delivered | the empty fabric, and hosts that take all that comes |
//! | goodput | flows with messages outstanding, or paced | fair share, or rate alone |
//! | payload | victims of trees | idle branches, as `victims.csv` has it |
//! | time | messages that were listed or drawn | the empty fabric |

use std::collections::{BTreeMap, BTreeSet};

use measures::PhasePart;
use measures::censoring::CensoredValue;
use measures::spelling::instant;
use scenario::BestRates;
use telemetry::Phase;

use super::drops::Drops;
use super::facts::Facts;
use super::messages::{HUNDRED, MessageLoss, SLOW};
use super::owners::Owners;
use super::short_buffers::{self, ShortBuffer};
use super::undelivered::Undelivered;
use super::{jobs, loops, messages, undelivered, words};
use crate::format::{counted, grouped};
use crate::remarks::ClosedLoopSummary;

/// Share of its best rate below which a flow has lost: acknowledgements and flow control take a few percent.
const FULL: f64 = 0.95;
/// Most flows, patterns or groups that a sentence names.
const MOST_NAMED: usize = 3;
/// Most pairs of a flow and a phase for which all phases are looked at; beyond, the last alone is.
const MOST_PAIRS: usize = 200_000;
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
    /// Flows that are held against a rate in that phase, or without a loss in the last one: goodput and rate.
    rates: Vec<(usize, f64, f64)>,
    /// True if these rates are fair shares, false if they are rates alone.
    pub(super) is_fair: bool,
    /// Flows that waited in trees, by owner, the largest loss first; without those of `goodput`.
    pub(super) waited: Vec<TreeLoss>,
    /// Messages by owner, the slowest first.
    messages: Vec<MessageLoss>,
    /// Packets dropped where that is allowed, and packets sent again.
    pub(super) drops: Option<Drops>,
    /// Messages that were not delivered, by owner, the most payload first.
    pub(super) undelivered: Vec<Undelivered>,
    /// Messages posted and delivered, where no times of them were kept and few were delivered.
    pub(super) untimed: Option<(u64, u64)>,
    /// True if hosts of a closed loop stand still.
    still: bool,
    /// True if a job is late, or not complete.
    late_job: bool,
    /// True if an unfinished message could change a quantile.
    pub(super) has_bounds: bool,
    /// The buffer that holds back a flow of `goodput`, if any is too small for its link.
    pub(super) short: Option<ShortBuffer>,
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
    pub(super) owner: usize,
    flows: usize,
    lost: f64,
    waited_s: f64,
}

impl Lost {
    pub(super) fn of(facts: Facts<'_>, owners: &Owners) -> Self {
        let mut lost = Self::default();
        if let Some(plan) = facts.plan {
            let best = plan.best_rates(facts.record.named());
            lost.goodput(facts, owners, &best);
            let losers: Vec<_> = lost.goodput.iter().map(|loss| loss.flow).collect();
            lost.short = short_buffers::of(facts, (&losers, lost.phase), &best);
            lost.best = Some(best);
        }
        lost.waited = waited(facts, owners, &lost.goodput);
        lost.messages = messages::of(facts, owners);
        lost.drops = Drops::of(facts);
        lost.undelivered = undelivered::of(facts, owners);
        lost.untimed = undelivered::untimed(facts);
        lost.still = facts.closed_loops.iter().any(ClosedLoopSummary::stands);
        lost.late_job = jobs::any_is_late(facts.record);
        lost.has_bounds =
            facts.completions.is_some_and(messages::has_bounds) || messages::have_bounds(facts, owners);
        lost
    }

    /// Returns true if some flow or message got clearly less than it would alone.
    pub(super) fn any(&self) -> bool {
        let late = self.late_job || self.undelivered.iter().any(|one| one.late > 0);
        let some = !self.goodput.is_empty() || !self.waited.is_empty() || self.slowest().is_some();
        some || late || self.untimed.is_some() || self.drops.is_some() || self.still
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
            let rates: Vec<(usize, f64)> = match &fair {
                Some(rates) => active.iter().copied().zip(rates.iter().copied()).collect(),
                None => {
                    let is_held = |flow: &usize| victims.contains(flow) || active.len() == 1;
                    let held = active.iter().copied().filter(|flow| is_held(flow) && lasts(flow));
                    without_others(held, owners, best)
                }
            };
            self.held = self.held.max(if fair.is_some() { rates.len() } else { 0 });
            let seconds = phase.phase.to.since(phase.phase.second_half).seconds();
            let rates: Vec<_> = rates
                .into_iter()
                .map(|(flow, best)| (flow, phase.flows[flow].over(PhasePart::SecondHalf), best))
                .collect();
            let losers: Vec<_> = rates.iter().copied().filter(|(_, got, best)| *got < best * FULL).collect();
            let all: f64 = losers.iter().map(|(_, got, best)| (best - got) * seconds).sum();
            if all > most || most == 0.0 && !rates.is_empty() {
                (self.rates, self.is_fair) = (rates, fair.is_some());
            }
            if all > most {
                most = all;
                self.phase = number;
                self.goodput = by_owner(&losers, owners, fair.is_some());
            }
        }
    }

    /// Returns the number of an owner's flows that are held against a rate, and their goodput and best rate together: of
    /// the flows that lost, if any did, as the sentence tells it.
    pub(super) fn rates_of(&self, owner: usize, owners: &Owners) -> (usize, (f64, f64)) {
        if let Some(loss) = self.goodput.iter().find(|loss| loss.owner == owner) {
            return (loss.flows, (loss.got, loss.best));
        }
        let own = self.rates.iter().filter(|(flow, ..)| owners.of(*flow) == owner);
        own.fold((0, (0.0, 0.0)), |(flows, (got, best)), one| (flows + 1, (got + one.1, best + one.2)))
    }

    /// Returns the slowdowns of an owner's messages that do not wait for each other.
    pub(super) fn messages_of(&self, owner: usize) -> Option<&MessageLoss> {
        self.messages.iter().find(|one| one.owner == owner)
    }

    /// Returns goodput against a best rate in words.
    pub(super) fn got((got, best): (f64, f64), fair: bool) -> String {
        let (got, best) = (words::rate(got), words::rate(best));
        if fair { format!("got {got} (fair share: {best})") } else { format!("got {got} ({best} alone)") }
    }

    /// Returns the slowest messages, if they took clearly longer than on the empty fabric.
    pub(super) fn slowest(&self) -> Option<&MessageLoss> {
        self.messages.first().filter(|one| one.slow.at_least() >= SLOW)
    }
}

/// Returns the rate of each flow if the flows of its owner had the fabric for themselves; without flows of which the rate
/// that they ask for is not known.
fn without_others(
    flows: impl Iterator<Item = usize>,
    owners: &Owners,
    best: &BestRates,
) -> Vec<(usize, f64)> {
    let mut all: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for flow in flows {
        if let Some(alone) = best.alone(flow) {
            all.entry(owners.of(flow)).or_default().push((flow, alone));
        }
    }
    let together = |own: Vec<(usize, f64)>| {
        let flows: Vec<_> = own.iter().map(|(flow, _)| *flow).collect();
        match best.fair(&flows) {
            Some(rates) => flows.into_iter().zip(rates).collect(),
            None => own,
        }
    };
    all.into_values().flat_map(together).collect()
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
        lost.drops.as_ref().map(Drops::loss),
        failed(facts, owners),
        undelivered::sentence(facts, owners, &lost.undelivered),
        lost.untimed.map(|counts| undelivered::untimed_sentence(facts, counts)),
        of_goodput(facts, owners, lost),
        of_trees(owners, lost),
        lost.slowest().map(|told| messages::sentence(facts, owners, told)),
        loops::still(facts),
        loops::rates(facts),
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
        format!("{who} {}", Lost::got((loss.got, loss.best), loss.fair))
    };
    let mut named: Vec<_> = lost.goodput.iter().take(MOST_NAMED).map(one).collect();
    let more = lost.goodput.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        named.push(format!("{} less than 95 % of that", counted(more, "other")));
    }
    Some(format!("{}, {}.", words::begun(&words::list(&named)), when(facts, lost)))
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
        words::begun(&words::list(&named)),
        words::time(waited),
        words::size(payload)
    ))
}

/// Gives the evidence that nothing was lost.
fn nothing(facts: Facts<'_>, owners: &Owners, lost: &Lost) -> String {
    let flows = match lost.held {
        0 => None,
        1 => Some("the flow got at least 95 % of its fair share".to_owned()),
        held => Some(format!("each of {} flows got at least 95 % of its fair share", grouped(held as u64))),
    };
    let waits = if lost.late_job {
        // Of the outputs that a job's path names, its flows are the congestion.
        "no flow lost payload behind a root of congestion that it does not pass"
    } else {
        "no flow lost payload behind congestion that is not its own"
    };
    let waits = (facts.record.congestion.sampled > 0).then(|| waits.to_owned());
    let messages = lost.messages.first().filter(|one| one.delivered.0 > 0).map(|one| {
        let name = owners.at(one.owner).name();
        let of = if one.posted < HUNDRED { "all messages" } else { "99 of 100 messages" };
        match one.slow.at_most() {
            Some(most) => {
                let most = words::times(CensoredValue::Exact(most));
                format!("{of} of {name} took at most {most} as long as on the empty fabric")
            }
            None => {
                let (delivered, slowest) = one.delivered;
                let most = words::times(CensoredValue::Exact(slowest));
                format!(
                    "the {} of {name} took at most {most} as long as on the empty fabric",
                    counted(delivered, "delivered message")
                )
            }
        }
    });
    let slowest = lost.messages.iter().max_by(|a, b| a.slowest.at_least().total_cmp(&b.slowest.at_least()));
    let slowest = slowest.filter(|one| one.posted >= HUNDRED && one.slowest.at_least() >= SLOW).map(|one| {
        format!("the slowest message of {} took {}", owners.at(one.owner).name(), words::times(one.slowest))
    });
    let unknown = (lost.held == 0 && lost.best.as_ref().is_some_and(BestRates::spread_by_load))
        .then(|| "fair shares are not known where packets choose cables by load".to_owned());
    let all: Vec<_> = [flows, waits, messages, slowest, unknown].into_iter().flatten().collect();
    let begin = if lost.late_job { "Else nothing" } else { "Nothing" };
    match all.as_slice() {
        // The times of jobs stand before.
        [] if !facts.record.jobs.is_empty() => "No sample was taken that could show more.".to_owned(),
        [] => "Nothing that the run measured: without samples and completion times, that says little."
            .to_owned(),
        all => format!("{begin}: {}.", all.join("; ")),
    }
}
