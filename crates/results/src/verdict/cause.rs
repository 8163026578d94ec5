//! Cause of the losses of a run: its worst root, or the absence of trees.
//!
//! Invariant: a run without trees has no tree at any sample, which says nothing about times between samples.

use std::collections::BTreeMap;

use measures::PhasePart;
use measures::spelling::instant;
use telemetry::RootRecord;

use super::facts::Facts;
use super::loss::Lost;
use super::owners::Owners;
use super::words;
use crate::congestion::{cause, hottest, worst};
use crate::format::{counted, grouped};
use crate::lossless::LossCause;

/// Most contributors that a sentence names.
const MOST_NAMED: usize = 3;
/// Share of a link from which it is full.
const FULL: f64 = 0.95;

/// Returns the cause in words.
pub(super) fn sentence(facts: Facts<'_>, owners: &Owners, lost: &Lost) -> String {
    if facts.is_idle() {
        return "The traffic of the scenario posts no message before the end of the run.".to_owned();
    }
    let parts = [
        drops(facts),
        standstill(facts),
        failures(facts),
        of_trees(facts, owners),
        without_tree(facts, lost),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn drops(facts: Facts<'_>) -> Option<String> {
    let loss = facts.not_lossless()?;
    Some(match loss.cause {
        Some(LossCause::Headroom { .. }) => {
            "Packets that were on their way when a PAUSE frame went out found no room: the headroom is too small for the cable."
                .to_owned()
        }
        Some(LossCause::EgressLimit) => "A queue at an output reached `egress_limit`, which drops packets.".to_owned(),
        None => "The settings do not show why packets found no room.".to_owned(),
    })
}

fn standstill(facts: Facts<'_>) -> Option<String> {
    facts.record.stands_still?;
    let cycle = facts.plan.and_then(|plan| plan.dependency_cycle());
    Some(match cycle {
        Some(cycle) => format!("The routes let packets wait for each other in a cycle: {cycle}."),
        None => {
            "Outputs that wait for each other, or for a host that takes nothing, release nothing.".to_owned()
        }
    })
}

fn failures(facts: Facts<'_>) -> Option<String> {
    let tally = &facts.record.transport;
    (!facts.record.failed.is_empty()).then(|| match tally.timeouts {
        0 => "Its packets were lost or refused until its retries were used up.".to_owned(),
        timeouts => {
            format!(
                "No acknowledgement came in time, {}; a queue pair gives up after its last retry.",
                times(timeouts)
            )
        }
    })
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", grouped(count)) }
}

/// Describes the worst tree.
fn of_trees(facts: Facts<'_>, owners: &Owners) -> Option<String> {
    let roots = worst(facts.record);
    let root = *roots.first()?;
    let which = match roots.len() {
        1 => "The root of congestion is",
        several => &format!("The worst of {} roots of congestion is", grouped(several as u64)),
    };
    let reach = if root.branches > 0 {
        format!(" It blocked up to {}.", counted(root.branches, "output"))
    } else {
        String::new()
    };
    let seen = if root.samples == 1 { "seen once, at".to_owned() } else { "from".to_owned() };
    let until =
        if root.samples == 1 { String::new() } else { format!(" to {}", instant(root.last.seconds())) };
    Some(format!(
        "{which} {} port {} to {}, {seen} {}{until}{}.{} {}",
        root.node,
        root.port,
        root.peer,
        instant(root.first.seconds()),
        root.cause.map_or_else(|| ", of unknown cause".to_owned(), |_| format!(": {}", cause::words(root))),
        reach,
        contributors(root, owners)
    ))
}

/// Names those that lead to a root, by their share of what passed it.
fn contributors(root: &RootRecord, owners: &Owners) -> String {
    let mut all: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    for one in &root.contributors {
        let (flows, through) = all.entry(owners.of(one.flow as usize)).or_default();
        (*flows, *through) = (*flows + 1, *through + one.through.get() as f64);
    }
    let total: f64 = all.values().map(|(_, through)| through).sum();
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    let one = |(owner, (flows, through)): &(usize, (usize, f64))| {
        let who = owners.at(*owner).flows_in_words(*flows);
        if total > 0.0 { format!("{who} {}", words::percent(through / total)) } else { who }
    };
    let named: Vec<_> = all.iter().take(MOST_NAMED).map(one).collect();
    let rest = all.iter().skip(MOST_NAMED).map(|(_, (flows, _))| flows).sum::<usize>();
    let more = if rest > 0 { format!(", and {}", counted(rest, "further flow")) } else { String::new() };
    match named.as_slice() {
        [] => "No flow led to it at a sample.".to_owned(),
        named => format!("Through it went {}{more}.", words::list(named)),
    }
}

/// Names the reason for low rates where no tree holds flows back.
fn without_tree(facts: Facts<'_>, lost: &Lost) -> Option<String> {
    let throttled = throttled(facts, lost);
    let congestion = &facts.record.congestion;
    if !congestion.roots.is_empty() {
        return throttled;
    }
    let none = match congestion.sampled {
        0 => "No sample was taken, so that congestion was not looked for.".to_owned(),
        samples => format!(
            "No congestion tree: at none of {} (one every {}) did an output hold up another.",
            counted(samples, "sample"),
            words::time(facts.record.series.interval.seconds())
        ),
    };
    let hot = hottest(facts.record).into_iter().next().map(|(lane, load)| {
        format!(
            "The longest queue is at {} port {} to {}: {} on average, which {} share.",
            lane.node,
            lane.port,
            lane.peer,
            words::size(load.queue_mean),
            counted(load.flows, "flow")
        )
        .replace("1 flow share.", "1 flow fills.")
    });
    Some([Some(none), throttled, hot].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Says why the flow that lost most got less than its best rate, if it waited in no tree meanwhile.
fn throttled(facts: Facts<'_>, lost: &Lost) -> Option<String> {
    let (loss, best, plan) = (lost.goodput.first()?, lost.best.as_ref()?, facts.plan?);
    let measured = facts.goodput[lost.phase].phase;
    let roots = facts.record.congestion.roots.iter();
    let meanwhile = roots.filter(|root| root.last >= measured.second_half && root.first <= measured.to);
    let is_victim = meanwhile.flat_map(|root| &root.victims).any(|victim| victim.flow as usize == loss.flow);
    // Packets that are sent again take the place of payload.
    if is_victim || facts.record.dropped_packets > 0 {
        return None;
    }
    let flow = &facts.record.flows[loss.flow];
    if !loss.fair {
        return (flow.becns > 0).then(|| {
            format!(
                "From {} on {} waited in no tree: {} had cut its rate.",
                instant(measured.second_half.seconds()),
                flow.name,
                counted(flow.becns, "notification")
            )
        });
    }
    let phase = &facts.goodput[lost.phase].flows;
    let rates: Vec<_> =
        phase.iter().enumerate().map(|(flow, rate)| (flow, rate.over(PhasePart::SecondHalf))).collect();
    let ((node, port), load) = best.busiest(loss.flow, &rates)?;
    let place = format!(
        "{} port {} to {}",
        plan.graph().name(node),
        plan.graph().port_number((node, port)),
        plan.graph().name(plan.graph().ports(node)[port.index()].peer)
    );
    Some(if load >= FULL {
        format!("{place} is full, and its flows do not share it alike.")
    } else if flow.becns > 0 {
        format!(
            "{place} was used to {}: congestion control held {} back further than the link needs, by {}.",
            words::percent(load),
            flow.name,
            counted(flow.becns, "notification")
        )
    } else {
        format!(
            "{place}, the busiest link on the path of {}, was used to {}: no notification slowed it, so a window, gaps between its \
             messages, or waits between samples did.",
            flow.name,
            words::percent(load)
        )
    })
}
