//! Advice: the command that answers the next question about a run.
//!
//! Invariant: one command, in backticks behind its reason, which a shell reads as it stands. It names the run's
//! scenario with its overrides.

use cc_policies::MarkingSpec;
use packet::NodeId;
use scenario::Plan;
use telemetry::{Cause, RunEnding};
use units::{Bytes, Rate};

use super::command::AskedScenario;
use super::confidence;
use super::facts::Facts;
use super::loss::Lost;
use crate::congestion::worst;
use crate::format::grouped;
use crate::lossless::LossCause;

/// Rate of hosts' links for which DCQCN's papers state their parameters.
const RATE_OF_PAPERS: Rate = Rate::gbps(40);

/// Returns the advice in words.
pub(super) fn sentence(facts: Facts<'_>, lost: &Lost, asked: &AskedScenario) -> String {
    let (reason, command) = advice(facts, lost, asked);
    format!("{reason}: `{command}`")
}

/// Returns a reason, and a command.
fn advice(facts: Facts<'_>, lost: &Lost, asked: &AskedScenario) -> (String, String) {
    if facts.is_idle() {
        return ("The check says what each pattern posts, and when".to_owned(), asked.command("check", &[]));
    }
    if let Some(loss) = facts.not_lossless() {
        return lossless(facts, loss.cause, asked);
    }
    if facts.record.stands_still.is_some() {
        return match facts.plan.and_then(|plan| plan.dependency_cycle()) {
            Some(_) => {
                ("Routes without such a cycle".to_owned(), asked.with("sim", &["routing=UpDown()"], &[]))
            }
            None => (
                "The check looks for cycles of routes and for slow hosts".to_owned(),
                asked.command("check", &[]),
            ),
        };
    }
    if !facts.record.failed.is_empty() {
        return (
            "A longer run shows whether the others recover".to_owned(),
            asked.with("sim", &[&format!("duration={}", twice(facts))], &[]),
        );
    }
    if lost.any() {
        return control(facts, lost, asked);
    }
    unhurt(facts, asked)
}

/// Returns the remedy for drops in a fabric that was to be lossless.
fn lossless(facts: Facts<'_>, cause: Option<LossCause>, asked: &AskedScenario) -> (String, String) {
    let needed = facts.plan.into_iter().flat_map(Plan::headrooms).map(|port| port.needed.total()).max();
    match (cause, needed) {
        (Some(LossCause::Headroom { .. }), Some(needed)) => (
            format!("The run with the {} B of headroom that its longest cable needs", grouped(needed.get())),
            asked.with("sim", &[&format!("link.flow_control.headroom={}", bytes(needed))], &[]),
        ),
        _ => (
            "The headroom that each port needs, term by term".to_owned(),
            asked.command("headroom", &[]).replacen(" headroom ", " headroom --scenario ", 1),
        ),
    }
}

fn bytes(amount: Bytes) -> String {
    format!("{} B", amount.get())
}

/// Returns the question about congestion control after a loss.
fn control(facts: Facts<'_>, lost: &Lost, asked: &AskedScenario) -> (String, String) {
    let field = "congestion_control";
    if let Some(remedy) = of_switch(facts, asked) {
        return remedy;
    }
    if !facts.is_controlled() {
        let (scheme, name) = scheme(facts);
        return (format!("Whether {name} helps"), asked.comparison(field, &scheme));
    }
    let marking = facts.plan.map(|plan| &plan.control().marking);
    let has_tree = !facts.record.congestion.roots.is_empty();
    let vary = |path: &str, values: &str| asked.command("sweep", &["--vary", &format!("{path}={values}")]);
    match marking {
        // Without a tree, sources are held back by marks, not by waiting.
        Some(MarkingSpec::Iba(_)) if !has_tree && !lost.goodput.is_empty() => (
            "Marks at higher thresholds (15 is the lowest), which hold sources back later".to_owned(),
            vary("congestion_control.marking.threshold", "15,11,7,3"),
        ),
        Some(MarkingSpec::Iba(_)) if has_tree => (
            "Weaker and stronger cuts for each notification".to_owned(),
            vary("congestion_control.response.ccti_increase", "1,2,4,8"),
        ),
        _ => ("What congestion control changes".to_owned(), asked.comparison(field, "Off")),
    }
}

/// Returns the remedy for congestion that a switch makes by itself, whatever hosts send.
fn of_switch(facts: Facts<'_>, asked: &AskedScenario) -> Option<(String, String)> {
    let root = worst(facts.record).into_iter().next()?;
    match root.cause? {
        Cause::HeadOfLine => {
            let words = "Virtual output queues, which no packet for another output blocks";
            Some((words.to_owned(), asked.comparison("switch.buffering", "InputVoq")))
        }
        Cause::CreditRoundTrip { needed, .. } => {
            let graph = facts.plan?.graph();
            let is_host = (0..graph.hosts() as u32).any(|host| graph.name(NodeId(host)) == root.peer);
            let field = if is_host { "adapter.receive_buffer" } else { "switch.buffer" };
            // Buffers are often in whole KiB; a larger one serves as well.
            let kib = needed.get().div_ceil(1024);
            Some((
                format!("The run with a buffer for the round trip of a credit, {kib} KiB"),
                asked.with("sim", &[&format!("{field}={kib} KiB")], &[]),
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
fn unhurt(facts: Facts<'_>, asked: &AskedScenario) -> (String, String) {
    let unfinished = facts.completions.is_some_and(confidence::has_bounds) && !facts.record.audit.drained;
    if unfinished && facts.record.ended == RunEnding::NotDone {
        return (
            "A longer run, which may deliver the rest of its finite traffic".to_owned(),
            asked.with("sim", &[&format!("duration={}", twice(facts))], &[]),
        );
    }
    if unfinished && facts.record.finite.is_some_and(|finite| finite.done.is_none()) {
        return (
            "The times of messages without bounds, from a run that lasts until its finite traffic is delivered".to_owned(),
            asked.command("sim", &["--until-done"]),
        );
    }
    if unfinished {
        return (
            "The times of messages without bounds, from a run that delivers what is under way at its end"
                .to_owned(),
            asked.command("sim", &["--drain"]),
        );
    }
    if facts.plan.is_some_and(Plan::draws_at_random) {
        return (
            "More seeds show how far the numbers spread".to_owned(),
            asked.command("sweep", &["--seeds", "1..=6"]),
        );
    }
    if facts.is_controlled() {
        let field = "congestion_control";
        return ("Whether that is congestion control's doing".to_owned(), asked.comparison(field, "Off"));
    }
    ("Nothing to mend; the check names the busiest cable".to_owned(), asked.command("check", &[]))
}

/// Returns twice the simulated time, as a scenario writes it.
fn twice(facts: Facts<'_>) -> String {
    let ns = facts.record.simulated.ps().div_ceil(1000) * 2;
    format!("{ns} ns")
}
