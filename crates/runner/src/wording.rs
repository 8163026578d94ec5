//! Plans and quantities in words, as the command prints them.
//!
//! Invariant: text depends on the plan only.

mod cables;
mod cautions;
mod detours;
mod jobs;
mod paths;
mod patterns;
mod threads;

use core::fmt::Display;

use cc_policies::ResponseSpec;
use cc_policies::dcqcn::spec::DcqcnResponseSpec;
use packet::NodeId;
use results::format::grouped;
use scenario::{EcnFirst, Plan, PortHeadroom};
use units::{Bytes, Rate};

use crate::shortage;

pub use threads::{fewer_cores, fewer_threads, ranks, threads};

/// Describes a plan: its size and duration in a line, single cables that differ, the choices of switches, and the use
/// that each pattern and job makes of the fabric. Then follow the memory that it needs, a cycle that could deadlock,
/// whether ECN acts before PFC, and settings that are mostly not meant.
///
/// # Examples
///
/// ```
/// let plan = backwater::Simulation::find("victim")?.check()?;
/// let text = backwater::wording::description(&plan);
/// assert!(text.starts_with("victim: 5 hosts, 2 switches, 6 links; 3 named flows; 60 ms in 3 phases\n"));
/// assert!(text.contains("\nmemory: about "));
/// # Ok::<(), backwater::Diagnostic>(())
/// ```
#[must_use]
pub fn description(plan: &Plan) -> String {
    let mut text = size(plan);
    text += &cables::changed(plan);
    text += &paths::paths(plan).unwrap_or_default();
    text += &patterns::patterns(plan);
    text += &jobs::jobs(plan);
    text += &detours::detours(plan);
    text += &format!("memory: about {}\n", plan.memory());
    if let Some(cycle) = plan.dependency_cycle() {
        text += &format!("allowed: packets could wait for each other for ever, in the cycle {cycle}\n");
    }
    if let Some(first) = plan.ecn_first() {
        text += &ecn_before_pfc(&first);
    }
    let headrooms = plan.headrooms();
    if shortage(&headrooms).is_some() {
        text += &headroom(&headrooms);
    }
    if let ResponseSpec::Dcqcn(response) = &plan.control().response {
        let fastest =
            plan.nodes().adapters.iter().flat_map(|node| &node.ports).map(|port| port.wire.rate()).max();
        text += &fastest.and_then(|rate| slow_recovery(response, rate)).unwrap_or_default();
    }
    text + &cautions::cautions(plan)
}

/// Returns a sentence on each setting of paths that cannot have an effect, and on packets that overtake others where
/// hosts refuse them.
#[must_use]
pub fn idle_and_refused(plan: &Plan) -> Vec<String> {
    cautions::idle_and_refused(plan).map(|line| line.trim_end().to_owned()).collect()
}

/// Most additive increases of DCQCN that the papers' parameters need for the rate of a link, which they state for 40
/// Gb/s.
const STEPS_OF_PAPERS: u64 = 1000;

/// Says that DCQCN's additive increase is small for a link of this rate. `None` if it takes no more than twice the
/// steps of the papers' parameters at their rate.
fn slow_recovery(response: &DcqcnResponseSpec, rate: Rate) -> Option<String> {
    let DcqcnResponseSpec { additive_increase, timer, .. } = response;
    let steps = rate.get() / additive_increase.get().max(1);
    (steps > 2 * STEPS_OF_PAPERS).then(|| {
        format!(
            "DCQCN at {rate}: R_AI is {additive_increase}: {} steps of {timer} to regain {rate} by additive increase; the papers' \
             parameters are for 40 Gb/s: `Dcqcn(scaled_to: \"{rate}\")` scales them\n",
            grouped(steps)
        )
    })
}

/// Says in a line whether ECN acts before PFC, and by which margin.
#[must_use]
pub fn ecn_before_pfc(first: &EcnFirst) -> String {
    let EcnFirst { switch, bound, kmin, kmax, by_rate, slow_host } = first;
    let mean = if *by_rate { "the outputs' mean " } else { "" };
    let [kmin_kb, kmax_kb, bound_kb] = [kmin, kmax, bound].map(|bytes| kilobytes(*bytes));
    let verdict = if kmin >= bound {
        format!(
            "no: PAUSE can come first at {switch}; t_ECN must be below {bound_kb}, and {mean}Kmin is {kmin_kb}"
        )
    } else if kmax >= bound {
        format!(
            "not always: at {switch} marks begin {} before PAUSE can, but not every packet is marked by then; {mean}Kmin is \
             {kmin_kb}, t_ECN must be below {bound_kb}, and Kmax, {kmax_kb}, is {} above that",
            kilobytes(*bound - *kmin),
            kilobytes(*kmax - *bound)
        )
    } else {
        format!(
            "yes, by {} at {switch}: {mean}Kmin is {kmin_kb}, t_ECN must be below {bound_kb}, and so is Kmax, {kmax_kb}",
            kilobytes(*bound - *kmin)
        )
    };
    let slow = slow_host.as_ref().map_or_else(String::new, |host| {
        format!("; {host} consumes less than its link delivers, and sends PAUSE without any mark")
    });
    let fitting = first.fitting().map_or_else(String::new, |[kmin, kmax]| {
        let each = if *by_rate { "means of " } else { "" };
        format!(
            "; it is yes with {each}Kmin {} and Kmax {}, in the same ratio",
            kilobytes(kmin),
            kilobytes(kmax)
        )
    });
    format!("ECN before PFC: {verdict}{fitting}{slow}\n")
}

/// Says in a line whether all ports have the headroom that their cables need.
#[must_use]
pub fn headroom(all: &[PortHeadroom]) -> String {
    match shortage(all) {
        Some(shortage) => format!("not lossless in the worst case: {shortage}\n"),
        None => "lossless: every port has the headroom that its cable needs\n".to_owned(),
    }
}

/// Returns an amount in the unit of data sheets: kilobytes of 1,000 bytes, exactly.
#[must_use]
pub fn kilobytes(amount: Bytes) -> String {
    format!("{}.{:03} KB", amount.get() / 1000, amount.get() % 1000)
}

fn size(plan: &Plan) -> String {
    let graph = plan.graph();
    let flows = &plan.workload().flows;
    let named = flows.iter().filter(|flow| flow.named).count();
    let of_jobs = plan.workload().jobs.first().map_or(0, |job| flows.len() - job.first_flow as usize);
    let kinds = [(flows.len() - named - of_jobs, "patterns"), (of_jobs, "jobs")];
    let others: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, of)| format!("{count} of {of}")).collect();
    let flows = match &others[..] {
        [] => counted(named, "named flow"),
        [_] if named + of_jobs == flows.len() && named == 0 => {
            format!("{} of jobs", counted(of_jobs, "flow"))
        }
        [only] => format!("{} and {only}", counted(named, "named flow")),
        [patterns, jobs @ ..] => {
            format!("{}, {patterns} and {}", counted(named, "named flow"), jobs.join(" and "))
        }
    };
    let switches = graph.nodes() - graph.hosts();
    let until_done = if plan.until_done() { "until its finite traffic is delivered, at most " } else { "" };
    format!(
        "{}: {}, {}, {}; {flows}; {until_done}{} in {}\n",
        plan.name(),
        counted(graph.hosts(), "host"),
        counted(switches, "switch"),
        counted(links(plan), "link"),
        plan.duration(),
        counted(plan.phases().len(), "phase"),
    )
}

fn links(plan: &Plan) -> usize {
    let graph = plan.graph();
    (0..graph.nodes() as u32).map(|node| graph.ports(NodeId(node)).len()).sum::<usize>() / 2
}

fn counted(count: impl Copy + Display + PartialEq + From<u8>, noun: &str) -> String {
    let ending = match noun {
        _ if count == 1.into() => "",
        "switch" => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use cc_policies::dcqcn::spec::{DcqcnScheme, Preset};

    use super::*;

    #[test]
    fn ecn_before_pfc_has_three_answers() {
        let lines = [5_000, 30_000, 250_000].map(|bound| {
            let [bound, kmin, kmax] = [bound, 5_000, 200_000].map(Bytes::new);
            let slow_host = (bound == kmin).then(|| "H5".to_owned());
            ecn_before_pfc(&EcnFirst {
                switch: "S1".to_owned(),
                bound,
                kmin,
                kmax,
                by_rate: false,
                slow_host,
            })
        });
        insta::assert_snapshot!(lines.concat());
    }

    #[test]
    fn small_steps_of_dcqcn_are_named_at_fast_links_only() {
        let papers = DcqcnResponseSpec::preset(Preset::Recommended);
        let said = slow_recovery(&papers, Rate::gbps(400)).expect("40 Mb/s is little at 400 Gb/s");
        assert_eq!(
            said,
            "DCQCN at 400 Gb/s: R_AI is 40 Mb/s: 10,000 steps of 55 us to regain 400 Gb/s by additive increase; the papers' \
             parameters are for 40 Gb/s: `Dcqcn(scaled_to: \"400 Gb/s\")` scales them\n"
        );
        assert_eq!(slow_recovery(&papers, Rate::gbps(40)), None);
        let scaled = DcqcnScheme::scaled_to(Rate::gbps(400)).response;
        assert_eq!(slow_recovery(&scaled, Rate::gbps(400)), None);
    }

    #[test]
    fn nouns_have_their_plural() {
        assert_eq!(counted(1, "switch"), "1 switch");
        assert_eq!(counted(2, "switch"), "2 switches");
        assert_eq!(counted(0, "link"), "0 links");
    }
}
