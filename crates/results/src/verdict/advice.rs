//! Advice: the command that answers the next question about a run.
//!
//! Invariant: one command, in backticks behind its reason, which a shell reads as it stands. It names the run's
//! scenario with its overrides.

use std::collections::BTreeMap;

use cc_policies::{Control, MarkingSpec, ResponseSpec};
use measures::{Direction, Measure};
use packet::Lane;
use scenario::{BufferSetting, Plan, WatchPlan};
use telemetry::{Cause, RunEnding};
use units::{Bytes, Rate, Span};

use super::command::{Advice, Command, DRAIN};
use super::facts::Facts;
use super::loss::Lost;
use super::short_buffers::ShortBuffer;
use super::{late, paths, repeats, stuck, words};
use crate::congestion::worst;
use crate::format::grouped;
use crate::lossless::LossCause;

/// Rate of hosts' links for which DCQCN's papers state their parameters.
const RATE_OF_PAPERS: Rate = Rate::gbps(40);
/// Multiple of the least time for the rest of the traffic that a longer run is given.
const SPARE: f64 = 1.25;
/// Largest buffer that credits can count: 2048 blocks of 64 bytes (IBA 7.9).
const MOST_COUNTED: Bytes = Bytes::kib(128);
/// Name of the scheme with the parameters of a guideline.
const GUIDELINE: &str = "Guideline";
/// Field of the scheme.
const FIELD: &str = "congestion_control";

/// Returns the advice: a reason, and a command. A sweep is judged by `measure`, that of the loss.
pub(super) fn of(facts: Facts<'_>, lost: &Lost, measure: Option<&Measure>) -> Advice {
    let Advice { reason, mut command } = question(facts, lost);
    if let (Command::Verb("sweep", words) | Command::Sweep(_, words), Some(measure)) = (&mut command, measure)
    {
        let option = match measure.quantity.info().better {
            Direction::Larger => "--maximise",
            Direction::Smaller => "--minimise",
        };
        words.extend([option.to_owned(), measure.to_string()]);
    }
    Advice { reason, command }
}

/// Returns the next question: a reason, and a command.
fn question(facts: Facts<'_>, lost: &Lost) -> Advice {
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
    let remedies = [
        stuck::question(facts.record),
        of_drops(facts, lost),
        of_slow_host(facts, lost),
        repeats::question(facts),
        late::longer(facts.record),
    ];
    if let Some(remedy) = remedies.into_iter().flatten().next() {
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

/// Returns the question about buffers, paths or congestion control after a loss.
fn control(facts: Facts<'_>, lost: &Lost) -> Advice {
    if let Some(remedy) = of_switch(facts).or_else(|| of_short_buffer(facts, lost.short?)) {
        return remedy;
    }
    if let Some(question) = paths::question(facts) {
        return question;
    }
    let Some(plan) = facts.plan.filter(|_| facts.is_controlled()) else {
        if let Some(question) = late::question(facts) {
            return question;
        }
        let (scheme, name) = scheme(facts.plan);
        return Advice::new(format!("Whether {name} helps"), Command::Comparison(FIELD, scheme));
    };
    controlled(plan, !facts.record.congestion.roots.is_empty(), !lost.goodput.is_empty())
}

/// Returns the question about a scheme that is in force, after a run with or without a tree, in which flows got less
/// than their best rate or not.
fn controlled(plan: &Plan, has_tree: bool, lost_goodput: bool) -> Advice {
    let vary = |path: &str, values: &str| Command::verb("sweep", &["--vary", &format!("{path}={values}")]);
    let Control { marking, response, .. } = plan.control();
    // A guideline is written without parts that an override could name.
    let has_parts = plan.congestion_control() != GUIDELINE;
    match (marking, response) {
        // Without a tree, sources are held back by marks, not by waiting.
        (MarkingSpec::Iba(_), _) if has_parts && !has_tree && lost_goodput => Advice::new(
            "Marks at higher thresholds (15 is the lowest), which hold sources back later",
            vary("congestion_control.marking.threshold", "15,11,7,3"),
        ),
        (_, ResponseSpec::Iba(_)) if has_parts && has_tree => Advice::new(
            "Weaker and stronger cuts for each notification",
            vary("congestion_control.response.ccti_increase", "1,2,4,8"),
        ),
        _ => Advice::new("What congestion control changes", without_control(plan)),
    }
}

/// Returns a comparison with the scenario without congestion control.
fn without_control(plan: &Plan) -> Command {
    // A response that is off has no state to watch.
    let is_watched = plan.watch().iter().any(|watch| matches!(watch, WatchPlan::Control { .. }));
    Command::Comparison(FIELD, if is_watched { "Off;watch=[]" } else { "Off" }.to_owned())
}

/// Returns the comparison with a fabric that drops nothing, if the whole fabric may drop.
fn of_drops(facts: Facts<'_>, lost: &Lost) -> Option<Advice> {
    let dropped = lost.drops.as_ref().is_some_and(|drops| drops.dropped > 0);
    let lossy = facts.plan.is_some_and(|plan| {
        let link = plan.link();
        let pauses = (0..link.data_lanes).any(|lane| link.pauses(Lane(lane)));
        !plan.uses_credits() && !pauses && plan.knows_reactions()
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
    let mut posted: BTreeMap<u32, u64> = BTreeMap::new();
    for one in facts.record.completions.iter().flat_map(|all| &all.messages) {
        *posted.entry(one.flow).or_default() += one.size.get();
    }
    for (flow, posted) in posted {
        let flow = &facts.record.flows[flow as usize];
        let rest = posted.saturating_sub(flow.delivered.get());
        *left.entry(flow.destination.as_str()).or_default() += rest as f64 * 8.0;
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
        Cause::CreditRoundTrip { buffer, needed } => {
            let graph = facts.plan?.graph();
            let node = graph.find(&root.node)?;
            let end = graph.ports(node)[graph.port_numbered(node, root.port)?.index()];
            let setting = facts.plan?.buffer_setting((end.peer, end.peer_port, Lane(root.lane)));
            Some(for_round_trip(&setting, (buffer, needed)))
        }
        _ => None,
    }
}

/// Returns the remedy for a buffer that holds back a flow that lost, whatever roots there are elsewhere.
fn of_short_buffer(facts: Facts<'_>, short: ShortBuffer) -> Option<Advice> {
    let plan = facts.plan?;
    let end = plan.graph().ports(short.output.0)[short.output.1.index()];
    let setting = plan.buffer_setting((end.peer, end.peer_port, Lane(0)));
    Some(for_round_trip(&setting, (short.credits.buffer, short.credits.needed)))
}

/// Returns the remedy for a buffer that is too small for the round trip of a credit.
fn for_round_trip(setting: &BufferSetting, (buffer, needed): (Bytes, Bytes)) -> Advice {
    // Buffers are often in whole KiB; a larger one serves as well.
    let whole = |size: Bytes| size.get().div_ceil(1024);
    let (kib, most) = (whole(needed), whole(MOST_COUNTED));
    let run = |size: Bytes| {
        Command::With(match setting {
            BufferSetting::Buffer(path) => format!("{path}={} KiB", whole(size)),
            // What a port may take of a memory grows at least as the memory does.
            BufferSetting::Memory(path, memory) => {
                let memory = u128::from(memory.get()) * u128::from(size.get());
                let memory = memory.div_ceil(u128::from(buffer.get().max(1)));
                format!("{path}={} KiB", memory.div_ceil(1024))
            }
        })
    };
    if needed <= MOST_COUNTED {
        Advice::new(format!("The run with a buffer for the round trip of a credit, {kib} KiB"), run(needed))
    } else if buffer < MOST_COUNTED {
        let reason = format!(
            "The run with the largest buffer that credits can count, {most} KiB, though their round trip takes {kib} KiB"
        );
        Advice::new(reason, run(MOST_COUNTED))
    } else {
        let reason = format!(
            "Credits count no larger buffer than {most} KiB, and their round trip takes {kib} KiB: shorter or slower \
             cables, which the check describes, are left"
        );
        Advice::new(reason, Command::verb("check", &[]))
    }
}

/// Returns a scheme of congestion control for the fabric, as a scenario writes it, and its name in words.
fn scheme(plan: Option<&Plan>) -> (String, &'static str) {
    let credits = plan.is_none_or(Plan::uses_credits);
    if credits {
        return (GUIDELINE.to_owned(), "InfiniBand's congestion control, with a guideline's parameters,");
    }
    let adapters = plan.into_iter().flat_map(|plan| &plan.nodes().adapters);
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
    let until_done = facts.plan.is_some_and(Plan::until_done);
    if unfinished && !until_done && facts.record.finite.is_some_and(|finite| finite.done.is_none()) {
        return Advice::new(
            "The times of messages without bounds, from a run that lasts until its finite traffic is delivered",
            Command::verb("sim", &["--until-done"]),
        );
    }
    if unfinished {
        return Advice::new(
            "The times of messages without bounds, from a run that delivers what is under way at its end",
            Command::verb("sim", &[DRAIN]),
        );
    }
    if let Some(question) = late::without_samples(facts) {
        return question;
    }
    if facts.plan.is_some_and(Plan::draws_at_random) {
        return Advice::new(
            "More seeds show how far the numbers spread",
            Command::verb("sweep", &["--seeds", "1..=6"]),
        );
    }
    if let Some(plan) = facts.plan.filter(|_| facts.is_controlled()) {
        return Advice::new("Whether that is congestion control's doing", without_control(plan));
    }
    Advice::new("Nothing to mend; the check names the busiest cable", Command::verb("check", &[]))
}

/// Returns twice the simulated time, as a scenario writes it.
fn twice(facts: Facts<'_>) -> String {
    Span::from_ns(facts.record.simulated.ps().div_ceil(1000) * 2).to_string()
}

#[cfg(test)]
mod tests;
