//! What was run, and how it ended, in words. What came out stands in the verdict of `summary.json`.
//!
//! Invariant: each number is from `summary.json`, or a count of rows.

use std::collections::BTreeSet;

use names::shell;
use results::manifest::{Manifest, PlanIdentity, RunEnd};
use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::PortRow;
use results::verdict::Verdict;

use crate::words;

/// Longest overrides that a sentence names, in bytes.
const LONGEST_OVERRIDES: usize = 160;
/// File of the run's folder that the command of its verdict names.
const PLAN: &str = "plan.ron";
/// Options of `sim` without a value that users write before the scenario.
const FLAGS: [&str; 6] = ["--drain", "--force", "--json", "--open", "--quiet", "--tables"];
/// Sentence of a run without a verdict.
const NO_VERDICT: &str = "The run is of a version that made no verdict: `backwater rerun DIR` runs it again.";

/// Returns the title: a run with overrides is not the scenario of this name.
pub(super) fn title(scenario: &str, plan: &PlanIdentity) -> String {
    match plan.overrides.len() {
        0 => scenario.to_owned(),
        count => format!("{scenario}, with {}", words::count(count, "override")),
    }
}

/// Returns the scheme, flows, time, fabric, seed and overrides.
pub(super) fn run(files: RunFiles<'_>, facts: &RunFacts, plan: &PlanIdentity) -> Result<String, ReadError> {
    let flows = files.flows()?;
    let ports: Vec<PortRow<'_>> = files.rows()?;
    let nodes: BTreeSet<&str> = ports.iter().flat_map(|port| [&*port.node, &*port.peer]).collect();
    // Switches alone count samples of congestion.
    let switches = ports.iter().filter(|port| port.congested_samples.is_some());
    let switches = switches.map(|port| &*port.node).collect::<BTreeSet<_>>().len();
    let overrides = plan.overrides.join(", ");
    let with = match overrides.len() {
        0 => String::new(),
        1..=LONGEST_OVERRIDES => format!(", with {overrides}"),
        _ => ", with overrides that stand below".to_owned(),
    };
    Ok(format!(
        "{}, {} for {} in a fabric of {} and {}, seed {}{with}",
        facts.scheme(),
        words::count(flows.len(), "flow"),
        words::time(facts.end_s()),
        words::count(nodes.len() - switches, "host"),
        words::count(switches, "switch"),
        plan.seed,
    ))
}

/// Returns the verdict of a run with a command that can be run anywhere, if the run's own command named a scenario of
/// the program, and changed nothing in it. Else the command names the plan of the folder.
pub(super) fn to_paste(verdict: &Verdict, manifest: &Manifest) -> Verdict {
    let advice = match as_it_was_named(manifest) {
        Some(name) => replaced_in_commands(&verdict.advice, name),
        None => verdict.advice.clone(),
    };
    Verdict { advice, ..verdict.clone() }
}

/// Says where a command runs that names the plan of the run's folder.
pub(super) fn place_of_command(verdict: &Verdict) -> Option<String> {
    let is_command = |(place, part): (usize, &str)| place % 2 == 1 && part.contains(PLAN);
    verdict.advice.split('`').enumerate().any(is_command).then(|| {
        format!(
            "The command reads `{PLAN}` in the folder of the run: run it there, or write the path of that folder before the name."
        )
    })
}

/// Returns the name of the scenario if `sim` was run with this name, without overrides and a seed. The name of a file
/// stands for it nowhere else: the name of its folder may be the same.
fn as_it_was_named(manifest: &Manifest) -> Option<&str> {
    let PlanIdentity { scenario, overrides, .. } = manifest.plans.first()?;
    let words = manifest.command.get(2..)?;
    let at = words.iter().position(|word| word == scenario)?;
    // A word behind an option may be its value: `--out victim` names a folder.
    let is_free = at == 0 || !words[at - 1].starts_with('-') || FLAGS.contains(&words[at - 1].as_str());
    let is_sim = manifest.command[1] == "sim" && is_free;
    let is_plain = shell::word(scenario) == *scenario && !scenario.contains(':');
    let has_seed = words.iter().any(|word| word.starts_with("--seed"));
    (is_sim && is_plain && overrides.is_empty() && !has_seed).then_some(scenario)
}

/// Returns a text with another name of the scenario in its commands, which stand between backquotes.
fn replaced_in_commands(text: &str, name: &str) -> String {
    let part = |(place, part): (usize, &str)| match place % 2 {
        1 => part.replace(PLAN, name),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}

/// Returns the sentences below the verdict: that there is none, and how a run ended that was not complete.
pub(super) fn leads(has_verdict: bool, manifest: &Manifest) -> Vec<String> {
    let missing = (!has_verdict).then(|| NO_VERDICT.to_owned());
    let ended = !matches!(manifest.ended, RunEnd::Complete);
    missing.into_iter().chain(ended.then(|| format!("The run ended {}.", end(manifest)))).collect()
}

/// Returns the end of a run in words.
pub(super) fn end(manifest: &Manifest) -> String {
    match &manifest.ended {
        RunEnd::Complete => "after its whole duration".to_owned(),
        RunEnd::Done { done_s } => {
            format!("when all finite traffic was delivered, at {}", words::time(*done_s))
        }
        RunEnd::NotDone { simulated_s } => {
            format!("not done at its longest time, {}", words::time(*simulated_s))
        }
        RunEnd::GaveUp { simulated_s } => {
            format!("at {}, when all that was left had failed", words::time(*simulated_s))
        }
        RunEnd::Stuck { simulated_s } => {
            format!("at {}, when no rank of a job could go on", words::time(*simulated_s))
        }
        RunEnd::Interrupted { simulated_s } => format!("interrupted at {}", words::time(*simulated_s)),
        RunEnd::Deadlock { message } | RunEnd::Violation { message } => message.clone(),
        RunEnd::Writing => "while its files were being written".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use results::manifest::sample;
    use results::verdict::VerdictKind;

    use super::*;

    /// Commands of runs, and the advised command on their pages.
    #[test]
    fn the_command_of_a_page_can_be_pasted() {
        let advice =
            "What `plan.ron` gives: `backwater compare plan.ron 'plan.ron:switch.buffer=9 KB'`".to_owned();
        let [loss, cause, confidence] = [(); 3].map(|()| String::new());
        let verdict = Verdict { loss, cause, confidence, advice, kind: VerdictKind::Run, measure: None };
        let named = "`backwater compare victim 'victim:switch.buffer=9 KB'`";
        let of_folder = "`backwater compare plan.ron 'plan.ron:switch.buffer=9 KB'`";
        let cases: [(&[&str], &[&str], &str); 8] = [
            (&["sim", "victim"], &[], named),
            (&["sim", "--drain", "victim", "--report"], &[], named),
            (&["sim", "--out", "x", "victim"], &[], named),
            (&["sim", "victim.ron"], &[], of_folder),
            (&["sim", "victim.ron", "--out", "victim"], &[], of_folder),
            (&["sim", "victim", "--seed=4"], &[], of_folder),
            (&["sim", "victim", "--set", "duration=1 ms"], &["duration=1 ms"], of_folder),
            (&["sweep", "victim", "--seeds", "1,2"], &[], of_folder),
        ];
        for (words, overrides, wanted) in cases {
            let mut manifest = sample("p");
            manifest.command =
                core::iter::once(&"backwater").chain(words).map(|word| (*word).to_owned()).collect();
            manifest.plans[0].overrides = overrides.iter().map(|word| (*word).to_owned()).collect();
            let shown = to_paste(&verdict, &manifest);
            assert!(shown.advice.ends_with(wanted), "{words:?}: {}", shown.advice);
            assert_eq!(place_of_command(&shown).is_some(), wanted == of_folder, "{words:?}");
        }
    }
}
