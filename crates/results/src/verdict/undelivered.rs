//! Messages that a run left, though they waited far longer than on the empty fabric, or none of their kind arrived.
//!
//! Invariant: a message of a host that holds up its link counts as late at once: its time on the empty fabric holds
//! that host, too.

use std::collections::{BTreeMap, BTreeSet};

use measures::completion::Completion;
use units::Bytes;

use super::facts::Facts;
use super::messages::{SLOW, replaces_others};
use super::owners::Owners;
use super::words;
use crate::format::{capital, counted, grouped};
use crate::remarks::SlowHostSummary;

/// Share of an owner's messages from which late ones are told; fewer are told by their times.
const MANY: f64 = 0.1;
/// Most owners, and hosts, that a sentence names.
const MOST_NAMED: usize = 3;

/// Messages of an owner that were not delivered.
#[derive(Clone, Debug, Default)]
pub(super) struct Undelivered {
    pub(super) owner: usize,
    posted: usize,
    left: usize,
    /// Of those that are left, those that are late.
    pub(super) late: usize,
    /// Payload of messages that are left, with the delivered part of them.
    left_bytes: Bytes,
    /// Hosts that hold up their links, by their places in the list of slow hosts.
    pub(super) slow: BTreeSet<usize>,
    /// True if a message of it follows when another is complete.
    replaced: bool,
}

/// Returns the owners with messages that were not delivered and should have been, the most payload first.
pub(super) fn of(facts: Facts<'_>, owners: &Owners) -> Vec<Undelivered> {
    let Some(completions) = &facts.record.completions else { return Vec::new() };
    if completions.messages.len() == completions.delivered().len() {
        return Vec::new();
    }
    let slow: BTreeMap<&str, usize> =
        facts.slow().enumerate().map(|(place, host)| (host.host.as_str(), place)).collect();
    let mut all: BTreeMap<usize, Undelivered> = BTreeMap::new();
    for one in &completions.messages {
        let (flow, owner) = (one.flow as usize, owners.of(one.flow as usize));
        let own = all.entry(owner).or_insert_with(|| Undelivered { owner, ..Undelivered::default() });
        own.posted += 1;
        if one.completed.is_some() {
            continue;
        }
        let slow = slow.get(facts.record.flows[flow].destination.as_str());
        let is_old = Completion::of(one, completions.end).slowdown().at_least() >= SLOW;
        own.left += 1;
        own.left_bytes += one.size;
        own.late += usize::from(is_old || slow.is_some());
        own.slow.extend(slow);
        own.replaced |= replaces_others(facts, flow);
    }
    let mut all: Vec<_> = all.into_values().filter(Undelivered::is_told).collect();
    all.sort_by_key(|one| core::cmp::Reverse(one.left_bytes));
    all
}

impl Undelivered {
    /// Returns true if a sentence tells them. Some message is always under way where each follows another.
    fn is_told(&self) -> bool {
        let delivered = self.posted - self.left;
        let many =
            if self.replaced { delivered < self.late } else { self.late as f64 >= MANY * self.posted as f64 };
        self.left > 0 && (delivered == 0 || (self.late > 0 && many))
    }
}

/// Says how many messages were not delivered.
pub(super) fn sentence(facts: Facts<'_>, owners: &Owners, all: &[Undelivered]) -> Option<String> {
    let one = |one: &Undelivered| {
        let name = owners.at(one.owner).name();
        let size = words::size(one.left_bytes.get() as f64);
        let delivered = one.posted - one.left;
        if one.posted == 1 {
            return format!("the message of {name}, of {size}, was not delivered");
        }
        let posted = grouped(one.posted as u64);
        if delivered == 0 {
            return format!("none of {posted} messages of {name} ({size} in all) was delivered");
        }
        let verb = if delivered == 1 { "was" } else { "were" };
        format!(
            "{} of {posted} messages of {name} {verb} delivered, and {} ({size}{}",
            grouped(delivered as u64),
            grouped(one.left as u64),
            if one.left == 1 { ") was not" } else { " in all) were not" }
        )
    };
    let mut parts: Vec<_> = all.iter().take(MOST_NAMED).map(one).collect();
    parts.first()?;
    if all.len() > MOST_NAMED {
        let others: usize = all.iter().skip(MOST_NAMED).map(|one| one.left).sum();
        parts.push(format!(
            "{} of others {} not",
            counted(others, "message"),
            if others == 1 { "was" } else { "were" }
        ));
    }
    let places: BTreeSet<_> = all.iter().flat_map(|one| &one.slow).collect();
    let hosts = facts.slow().enumerate().filter(|(place, _)| places.contains(place));
    parts.extend(takes(&hosts.map(|(_, host)| host).collect::<Vec<_>>()));
    Some(format!("{}.", capital(&parts.join("; "))))
}

/// Says how much these hosts take at most; `None` without any.
fn takes(hosts: &[&SlowHostSummary]) -> Option<String> {
    let one = |host: &&SlowHostSummary| {
        format!("{} takes {} at most", host.host, words::rate(host.takes_bps as f64))
    };
    let hosts: Vec<_> = hosts.iter().take(MOST_NAMED).map(one).collect();
    (!hosts.is_empty()).then(|| words::list(&hosts))
}

/// Returns the numbers of messages posted and delivered by finite traffic, where no times of messages were kept. `None`
/// if most were delivered, or might have been in time.
pub(super) fn untimed(facts: Facts<'_>) -> Option<(u64, u64)> {
    let finite = facts.record.finite.filter(|_| facts.record.completions.is_none())?;
    let left = finite.posted.saturating_sub(finite.delivered);
    let held_up = facts.slow().next().is_some() && left as f64 >= MANY * finite.posted as f64;
    (left > 0 && (finite.delivered == 0 || held_up)).then_some((finite.posted, finite.delivered))
}

/// Says how many messages of finite traffic were not delivered.
pub(super) fn untimed_sentence(facts: Facts<'_>, (posted, delivered): (u64, u64)) -> String {
    let verb = if delivered == 1 { "was" } else { "were" };
    let counts = format!(
        "{} of {} of the finite traffic {verb} delivered",
        grouped(delivered),
        counted(posted, "posted message")
    );
    let parts: Vec<_> = core::iter::once(counts).chain(takes(&facts.slow().collect::<Vec<_>>())).collect();
    format!("{}.", parts.join("; "))
}
