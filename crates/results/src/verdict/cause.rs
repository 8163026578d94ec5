//! Cause of the losses of a run: its worst root, or the absence of trees.
//!
//! Invariant: a run without trees has no tree at any sample, which says nothing about times between samples.

use std::collections::{BTreeMap, BTreeSet};

use measures::PhasePart;
use measures::spelling::instant;
use packet::NodeId;
use scenario::{PathPart, Plan};
use telemetry::RootRecord;
use units::Rate;

use super::drops::Drops;
use super::facts::Facts;
use super::loss::Lost;
use super::owners::Owners;
use super::words;
use super::{repeats, short_buffers, time_outs};
use crate::congestion::{cause, hottest, through, worst};
use crate::format::{capital, counted, grouped};
use crate::lossless::LossCause;
use crate::remarks::SlowHostSummary;

/// Most contributors that a sentence names.
const MOST_NAMED: usize = 3;
/// Share of a link from which it is full.
const FULL: f64 = 0.95;
/// Share of the packets that arrived from which on packets sent again count.
const AGAIN: f64 = 0.01;
/// Multiple of an equal share from which a flow stands out among those of its name.
const UNLIKE: f64 = 2.0;

/// Payload of the flows of an owner that passed a root.
#[derive(Clone, Copy, Debug, Default)]
struct Passed {
    flows: usize,
    samples: u32,
    through: f64,
    /// The flow with most of it, and its payload.
    largest: usize,
    most: f64,
}

/// Returns the cause in words.
pub(super) fn sentence(facts: Facts<'_>, owners: &Owners, lost: &Lost) -> String {
    if facts.is_idle() {
        return "The traffic of the scenario posts no message before the end of the run.".to_owned();
    }
    let parts = [
        lost.drops.as_ref().and_then(Drops::cause),
        drops(facts),
        standstill(facts),
        failures(facts),
        repeats::sentence(facts),
        time_outs::sentence(facts),
        slow_hosts(facts, lost),
        of_trees(facts, owners),
        lost.short.and_then(|short| short_buffers::sentence(facts, short)),
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
        contributors(facts, root, owners)
    ))
}

/// Names those that lead to a root, by their share of what passed it.
fn contributors(facts: Facts<'_>, root: &RootRecord, owners: &Owners) -> String {
    let mut all: BTreeMap<usize, Passed> = BTreeMap::new();
    for one in &root.contributors {
        let sum = all.entry(owners.of(one.flow as usize)).or_default();
        let through = one.through.unwrap_or_default().get() as f64;
        sum.samples += one.samples;
        if through > sum.most {
            (sum.largest, sum.most) = (one.flow as usize, through);
        }
        (sum.flows, sum.through) = (sum.flows + 1, sum.through + through);
    }
    let mut all: Vec<_> = all.into_iter().collect();
    if through(root).is_none() {
        return of_many_paths(all, owners);
    }
    let total: f64 = all.iter().map(|(_, sum)| sum.through).sum();
    all.sort_by(|a, b| b.1.through.total_cmp(&a.1.through));
    let one = |(owner, sum): &(usize, Passed)| {
        let who = owners.at(*owner).flows_in_words(sum.flows);
        if total == 0.0 {
            return who;
        }
        let share = words::percent(sum.through / total);
        // Many flows of a name have a share of it alike, unless a flow has most.
        if sum.most * sum.flows as f64 > UNLIKE * sum.through {
            let name = &facts.record.flows[sum.largest].name;
            format!("{who} {share} ({name} alone {})", words::percent(sum.most / total))
        } else {
            format!("{who} {share}")
        }
    };
    // Flows that lead to the root, and passed nothing through it yet, are counted, not named.
    let giving = all.iter().take(MOST_NAMED).filter(|(_, sum)| total == 0.0 || sum.through > 0.0).count();
    let named: Vec<_> = all.iter().take(giving).map(one).collect();
    let rest = all.iter().skip(giving).map(|(_, sum)| sum.flows).sum::<usize>();
    let more = if rest > 0 { format!(", and {}", counted(rest, "further flow")) } else { String::new() };
    match named.as_slice() {
        [] => "No flow led to it at a sample.".to_owned(),
        named => format!("Through it went {}{more}.", words::list(named)),
    }
}

/// Names owners of flows that lead to a root, those that waited for longest first. Their packets have other paths, too.
fn of_many_paths(mut all: Vec<(usize, Passed)>, owners: &Owners) -> String {
    all.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.samples));
    let named = all.iter().take(MOST_NAMED).map(|(owner, sum)| owners.at(*owner).flows_in_words(sum.flows));
    let named = words::list(&named.collect::<Vec<_>>());
    let rest = all.iter().skip(MOST_NAMED).map(|(_, sum)| sum.flows).sum::<usize>();
    let more = if rest > 0 { format!(", and {}", counted(rest, "further flow")) } else { String::new() };
    format!(
        "Packets of {named}{more} waited for it; they have other paths, too, so that shares are not known."
    )
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
        let posters = posters(facts, &lane.peer);
        let flows = match load.flows.unwrap_or_default().max(posters) {
            0 if load.flows.is_none() => String::new(),
            0 => "; no flow delivered anything through it".to_owned(),
            1 => ", which 1 flow fills".to_owned(),
            flows => format!(", which {} share", counted(flows, "flow")),
        };
        format!(
            "The longest queue is at {} port {} to {}: {} on average{flows}.",
            lane.node,
            lane.port,
            lane.peer,
            words::size(load.queue_mean),
        )
    });
    Some([Some(none), throttled, hot].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Returns the number of flows to a host that posted messages, if they all arrive at the same port and lane; else 0.
/// Some of them may not have delivered anything.
fn posters(facts: Facts<'_>, host: &str) -> u32 {
    let (Some(all), Some(plan)) = (&facts.record.completions, facts.plan) else { return 0 };
    let node = (0..plan.graph().hosts() as u32).map(NodeId).find(|node| plan.graph().name(*node) == host);
    let Some(ports) = node.map(|node| plan.graph().ports(node).len()) else { return 0 };
    if ports > 1 || plan.link().data_lanes > 1 {
        return 0;
    }
    let flows = all.messages.iter().map(|one| one.flow);
    let flows: BTreeSet<_> =
        flows.filter(|flow| *facts.record.flows[*flow as usize].destination == host).collect();
    flows.len() as u32
}

/// Names the hosts that hold up their links, at the time of the losses of goodput if these are all. A root at such a
/// host says so by itself.
fn slow_hosts(facts: Facts<'_>, lost: &Lost) -> Option<String> {
    let is_root = |host: &str| facts.record.congestion.roots.iter().any(|root| root.peer == host);
    let is_rate_alone = !lost.goodput.is_empty()
        && lost.waited.is_empty()
        && lost.undelivered.is_empty()
        && lost.untimed.is_none();
    let is_full = |one: &SlowHostSummary| {
        let flows = facts.record.flows.iter().zip(facts.goodput[lost.phase].flows.iter());
        let to_host = flows.filter(|(flow, _)| *flow.destination == one.host);
        let taken: f64 = to_host.map(|(_, rate)| rate.over(PhasePart::SecondHalf)).sum();
        taken >= FULL * one.takes_bps as f64
    };
    let is_cause = |one: &SlowHostSummary| !is_rate_alone || is_full(one);
    let all: Vec<_> = facts.slow().filter(|one| !is_root(&one.host) && is_cause(one)).collect();
    let one = |one: &&SlowHostSummary| {
        format!(
            "host {} takes {} of payload at most, and its link of {} waits for it",
            one.host,
            Rate::bps(one.takes_bps),
            Rate::bps(one.link_bps)
        )
    };
    let mut named: Vec<_> = all.iter().take(MOST_NAMED).map(one).collect();
    named.first()?;
    if all.len() > MOST_NAMED {
        named.push(format!("{} do so, too", counted(all.len() - MOST_NAMED, "other host")));
    }
    Some(format!("{}.", capital(&words::list(&named))))
}

/// Returns the name of a part of a path.
fn place(facts: Facts<'_>, plan: &Plan, part: PathPart) -> String {
    let (graph, nodes) = (plan.graph(), plan.nodes());
    match part {
        PathPart::Output(node, port) => format!(
            "{} port {} to {}",
            graph.name(node),
            graph.port_number((node, port)),
            graph.name(graph.ports(node)[port.index()].peer)
        ),
        // The sentence on slow hosts has said what it takes.
        PathPart::Drain(host) if facts.slow().any(|one| one.host == graph.name(host)) => {
            format!("Host {}", graph.name(host))
        }
        PathPart::Drain(host) => limited(graph.name(host), "takes", nodes.adapter(host).drain_limit),
        PathPart::Bus(host) => limited(graph.name(host), "sends", nodes.adapter(host).injection_limit),
    }
}

fn limited(host: &str, does: &str, limit: Option<Rate>) -> String {
    let limit = limit.map_or_else(String::new, |limit| format!(", which {does} {limit} at most,"));
    format!("Host {host}{limit}")
}

/// Returns true if packets that were sent again took a part of the fabric that is worth a word.
fn sends_again(facts: Facts<'_>) -> bool {
    let arrived: u64 = facts.record.flows.iter().map(|flow| flow.packets).sum();
    let again = facts.record.repeats().retransmitted.max(facts.record.transport.retransmitted);
    again > 0 && again as f64 >= AGAIN * arrived as f64
}

/// Says why the flow that lost most got less than its best rate, if it waited in no tree meanwhile.
fn throttled(facts: Facts<'_>, lost: &Lost) -> Option<String> {
    // A buffer that is too small says it better.
    if lost.short.is_some() {
        return None;
    }
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
    let (part, load) = best.busiest(loss.flow, &facts.rates(lost.phase), FULL)?;
    // Loads are of payload, and of no packets that are sent again.
    if load < FULL && sends_again(facts) {
        return None;
    }
    let place = place(facts, plan, part);
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
            "{place}, the busiest part of the path of {}, was used to {}: no notification slowed it; a window, gaps between its \
             messages, or waits between samples can.",
            flow.name,
            words::percent(load)
        )
    })
}
