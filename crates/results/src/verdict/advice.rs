//! Advice: the command that answers the next question about a run.
//!
//! Invariant: one command, in backticks behind its reason, which a shell reads as it stands. It names the run's
//! scenario with its overrides.

use std::collections::BTreeMap;

use cc_policies::MarkingSpec;
use packet::{Lane, NodeId};
use scenario::Plan;
use telemetry::{Cause, RunEnding};
use units::Rate;

use super::command::{Advice, Command};
use super::facts::Facts;
use super::loss::Lost;
use super::words;
use crate::congestion::worst;
use crate::format::grouped;
use crate::lossless::LossCause;

/// Rate of hosts' links for which DCQCN's papers state their parameters.
const RATE_OF_PAPERS: Rate = Rate::gbps(40);
/// Multiple of the least time for the rest of the traffic that a longer run is given.
const SPARE: f64 = 1.25;

/// Returns the advice: a reason, and a command.
pub(super) fn of(facts: Facts<'_>, lost: &Lost) -> Advice {
    if facts.is_idle() {
        return Advice::new("The check says what each pattern posts, and when", Command::verb("check", &[]));
    }
    if let Some(loss) = facts.not_lossless() {
        return lossless(facts, loss.cause);
    }
    if facts.record.stands_still.is_some() {
        return match facts.plan.and_then(|plan| plan.dependency_cycle()) {
            Some(_) => {
                Advice::new("Routes without such a cycle", Command::With("routing=UpDown()".to_owned()))
            }
            None => Advice::new(
                "The check looks for cycles of routes and for slow hosts",
                Command::verb("check", &[]),
            ),
        };
    }
    if !facts.record.failed.is_empty() {
        return Advice::new(
            "A longer run shows whether the others recover",
            Command::With(format!("duration={}", twice(facts))),
        );
    }
    if let Some(remedy) = of_drops(facts, lost).or_else(|| of_slow_host(facts, lost)) {
        return remedy;
    }
    if lost.any() { control(facts, lost) } else { unhurt(facts, lost) }
}

/// Returns the remedy for drops in a fabric that was to be lossless.
fn lossless(facts: Facts<'_>, cause: Option<LossCause>) -> Advice {
    let needed = facts.plan.into_iter().flat_map(Plan::headrooms).map(|port| port.needed.total()).max();
    match (cause, needed) {
        (Some(LossCause::Headroom { .. }), Some(needed)) => Advice::new(
            format!("The run with the {} B of headroom that its longest cable needs", grouped(needed.get())),
            Command::With(format!("link.flow_control.headroom={} B", needed.get())),
        ),
        _ => Advice::new("The headroom that each port needs, term by term", Command::Headroom),
    }
}

/// Returns the question about congestion control after a loss.
fn control(facts: Facts<'_>, lost: &Lost) -> Advice {
    let field = "congestion_control";
    if let Some(remedy) = of_switch(facts) {
        return remedy;
    }
    if !facts.is_controlled() {
        let (scheme, name) = scheme(facts);
        return Advice::new(format!("Whether {name} helps"), Command::Comparison(field, scheme));
    }
    let marking = facts.plan.map(|plan| &plan.control().marking);
    let has_tree = !facts.record.congestion.roots.is_empty();
    let vary = |path: &str, values: &str| Command::verb("sweep", &["--vary", &format!("{path}={values}")]);
    match marking {
        // Without a tree, sources are held back by marks, not by waiting.
        Some(MarkingSpec::Iba(_)) if !has_tree && !lost.goodput.is_empty() => Advice::new(
            "Marks at higher thresholds (15 is the lowest), which hold sources back later",
            vary("congestion_control.marking.threshold", "15,11,7,3"),
        ),
        Some(MarkingSpec::Iba(_)) if has_tree => Advice::new(
            "Weaker and stronger cuts for each notification",
            vary("congestion_control.response.ccti_increase", "1,2,4,8"),
        ),
        _ => Advice::new("What congestion control changes", Command::Comparison(field, "Off".to_owned())),
    }
}

/// Returns the comparison with a fabric that drops nothing, if the whole fabric may drop.
fn of_drops(facts: Facts<'_>, lost: &Lost) -> Option<Advice> {
    let dropped = lost.drops.as_ref().is_some_and(|drops| drops.dropped > 0);
    let lossy = facts.plan.is_some_and(|plan| {
        let link = plan.link();
        !plan.uses_credits() && !(0..link.data_lanes).any(|lane| link.pauses(Lane(lane)))
    });
    (dropped && lossy).then(|| {
        let words = "What PFC changes, which pauses senders before a packet finds no room";
        Advice::new(words, Command::Comparison("link.flow_control", "Pause()".to_owned()))
    })
}

/// Returns a run without the limit of a host that left messages undelivered.
fn of_slow_host(facts: Facts<'_>, lost: &Lost) -> Option<Advice> {
    let first = lost.undelivered.iter().find_map(|one| one.slow.first());
    let host = facts.slow().nth(first.copied().or_else(|| lost.untimed.map(|_| 0))?)?;
    let needs = seconds_left(facts).get(host.host.as_str()).map_or_else(String::new, |left| {
        format!(
            "At {}, {} needs up to {} for what is left. ",
            Rate::bps(host.takes_bps),
            host.host,
            words::time(*left)
        )
    });
    let plain = host.host.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let limited = facts.plan.and_then(|plan| plan.scenario().adapters.get(&host.host)).is_some();
    Some(if plain && limited {
        let set = format!("adapters.{}.drain_limit={}", host.host, Rate::bps(host.link_bps));
        Advice::new(format!("{needs}The same run with a host as fast as its link"), Command::With(set))
    } else {
        Advice::new(format!("{needs}The check names slow hosts"), Command::verb("check", &[]))
    })
}

/// Returns for each host the time in s that it takes at most, at its rate, for messages that were not delivered.
fn seconds_left(facts: Facts<'_>) -> BTreeMap<&str, f64> {
    let mut left: BTreeMap<&str, f64> = BTreeMap::new();
    let messages = facts.record.completions.iter().flat_map(|all| &all.messages);
    for one in messages.filter(|one| one.completed.is_none()) {
        let host = facts.record.flows[one.flow as usize].destination.as_str();
        *left.entry(host).or_default() += one.size.get() as f64 * 8.0;
    }
    let links = facts.record.lanes.iter().map(|lane| (lane.peer.as_str(), lane.rate.get() as f64));
    let limits = facts.slow_hosts.iter().map(|one| (one.host.as_str(), one.takes_bps as f64));
    // The limit of a host replaces the rate of its link.
    let rates: BTreeMap<&str, f64> = links.chain(limits).collect();
    left.iter_mut().for_each(|(host, left)| *left /= rates.get(host).copied().unwrap_or(f64::INFINITY));
    left
}

/// Returns a duration in which the rest could be delivered, at least twice that of the run.
fn until_delivered(facts: Facts<'_>) -> String {
    let rest = seconds_left(facts).into_values().fold(0.0, f64::max) * SPARE;
    let simulated = facts.record.simulated.seconds();
    if rest <= simulated { twice(facts) } else { format!("{} us", ((simulated + rest) * 1e6).ceil()) }
}

/// Returns the remedy for congestion that a switch makes by itself, whatever hosts send.
fn of_switch(facts: Facts<'_>) -> Option<Advice> {
    let root = worst(facts.record).into_iter().next()?;
    match root.cause? {
        Cause::HeadOfLine => {
            let words = "Virtual output queues, which no packet for another output blocks";
            Some(Advice::new(words, Command::Comparison("switch.buffering", "InputVoq".to_owned())))
        }
        Cause::CreditRoundTrip { needed, .. } => {
            let graph = facts.plan?.graph();
            let is_host = (0..graph.hosts() as u32).any(|host| graph.name(NodeId(host)) == root.peer);
            let field = if is_host { "adapter.receive_buffer" } else { "switch.buffer" };
            // Buffers are often in whole KiB; a larger one serves as well.
            let kib = needed.get().div_ceil(1024);
            Some(Advice::new(
                format!("The run with a buffer for the round trip of a credit, {kib} KiB"),
                Command::With(format!("{field}={kib} KiB")),
            ))
        }
        _ => None,
    }
}

/// Returns a scheme of congestion control for the fabric, as a scenario writes it, and its name in words.
fn scheme(facts: Facts<'_>) -> (String, &'static str) {
    let credits = facts.plan.is_none_or(Plan::uses_credits);
    if credits {
        return ("Guideline".to_owned(), "InfiniBand's congestion control, with a guideline's parameters,");
    }
    let adapters = facts.plan.into_iter().flat_map(|plan| &plan.nodes().adapters);
    let fastest = adapters.flat_map(|node| &node.ports).map(|port| port.wire.rate()).max();
    match fastest.filter(|rate| *rate > RATE_OF_PAPERS) {
        Some(rate) => (format!("Dcqcn(scaled_to: \"{rate}\")"), "DCQCN"),
        None => ("Dcqcn()".to_owned(), "DCQCN"),
    }
}

/// Returns the next question after a run without losses.
fn unhurt(facts: Facts<'_>, lost: &Lost) -> Advice {
    let unfinished = lost.has_bounds && !facts.record.audit.drained;
    if unfinished && facts.record.ended == RunEnding::NotDone {
        return Advice::new(
            "A longer run, which may deliver the rest of its finite traffic",
            Command::With(format!("duration={}", until_delivered(facts))),
        );
    }
    if unfinished && facts.record.finite.is_some_and(|finite| finite.done.is_none()) {
        return Advice::new(
            "The times of messages without bounds, from a run that lasts until its finite traffic is delivered",
            Command::verb("sim", &["--until-done"]),
        );
    }
    if unfinished {
        return Advice::new(
            "The times of messages without bounds, from a run that delivers what is under way at its end",
            Command::verb("sim", &["--drain"]),
        );
    }
    if facts.plan.is_some_and(Plan::draws_at_random) {
        return Advice::new(
            "More seeds show how far the numbers spread",
            Command::verb("sweep", &["--seeds", "1..=6"]),
        );
    }
    if facts.is_controlled() {
        let off = Command::Comparison("congestion_control", "Off".to_owned());
        return Advice::new("Whether that is congestion control's doing", off);
    }
    Advice::new("Nothing to mend; the check names the busiest cable", Command::verb("check", &[]))
}

/// Returns twice the simulated time, as a scenario writes it.
fn twice(facts: Facts<'_>) -> String {
    let ns = facts.record.simulated.ps().div_ceil(1000) * 2;
    format!("{ns} ns")
}
