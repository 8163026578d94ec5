//! The commands that verdicts advise, for every shipped scenario.
//!
//! Invariant: the program itself reads each command and checks its runs. None of them is run.

use std::sync::atomic::{AtomicBool, Ordering};

use backwater::{FinishedRun, RunOptions, Simulation, shipped};
use results::verdict::command::AskedScenario;

use crate::scratch::{Scratch, text};
use crate::verdict::words;

/// Schemes under which scenarios are asked, beside their own.
const SCHEMES: [&str; 5] =
    ["Off", "Guideline", "Iba()", "Dcqcn()", "Mixed(marking: Red(), echo: Cnp, response: Iba())"];
/// Other settings that change the advice of a verdict.
const SETTINGS: [&[&str]; 7] = [
    &["flows=[]", "traffic=[]"],
    &["link.flow_control=Lossy"],
    &["switch.buffering=InputFifo", "congestion_control=Off"],
    &["switch.buffer=8 KiB", "adapter.receive_buffer=8 KiB"],
    &["switch.buffering=Central", "switch.buffer=None", "switch.memory=512 KiB"],
    &["link.flow_control.headroom=\"2 KB\""],
    &["switch.egress_limit=10 KB"],
];

/// Begins a run, and returns the command that its verdict advises; `None` if the scenario cannot be set so, or ends in
/// a deadlock.
fn advised(asked: &AskedScenario) -> Option<String> {
    let simulation = Simulation::find(&asked.scenario).expect("it ships");
    let set = |simulation: Simulation, set: &String| simulation.set(set);
    let mut simulation = asked.sets.iter().try_fold(simulation, set).ok()?;
    if let Some(seed) = asked.seed {
        simulation = simulation.seed(seed).expect("a seed");
    }
    let plan = simulation.check().ok()?;
    // A quarter of a million events show trees in all scenarios that have any at their start.
    let stop = AtomicBool::new(false);
    let options = RunOptions { interrupt: Some(&stop), ..RunOptions::default() };
    let mut run = FinishedRun::of(plan, options, &mut |_| stop.store(true, Ordering::Relaxed)).ok()?;
    run.summary.advise(asked);
    let command = run.summary.verdict.advice.split('`').nth(1);
    Some(command.expect("a command in backticks").to_owned())
}

/// Lets the program read a command and check its runs. Runs are refused for want of memory, the last thing before they
/// start.
fn is_taken(scratch: &Scratch, command: &str) -> Result<(), String> {
    let mut words = words(command);
    let runs = matches!(words[1].as_str(), "sim" | "compare" | "sweep");
    if runs {
        words.extend(["--memory-limit", "0 B"].map(str::to_owned));
    }
    let words: Vec<_> = words[1..].iter().map(String::as_str).collect();
    let output = scratch.run(&words);
    let errors = text(&output.stderr);
    let is_taken = match runs {
        true => output.status.code() == Some(2) && errors.contains("more than the limit, 0 MB"),
        false => output.status.code() == Some(0),
    };
    if is_taken { Ok(()) } else { Err(format!("{command}\n{errors}")) }
}

#[test]
fn every_advised_command_is_taken() {
    let scratch = Scratch::new("advised");
    let mut settings: Vec<Vec<String>> = vec![Vec::new()];
    settings.extend(SCHEMES.map(|scheme| vec![format!("congestion_control={scheme}")]));
    settings.extend(SETTINGS.map(|sets| sets.iter().map(|set| (*set).to_owned()).collect()));
    let (mut faults, mut verbs) = (Vec::new(), std::collections::BTreeMap::new());
    for scenario in shipped() {
        for (number, sets) in settings.iter().enumerate() {
            let seed = (number % 2 == 1).then_some(7);
            let asked = AskedScenario {
                scenario: scenario.name.to_owned(),
                sets: sets.clone(),
                seed,
                ..AskedScenario::default()
            };
            let Some(command) = advised(&asked) else { continue };
            *verbs.entry(words(&command)[1].clone()).or_insert(0) += 1;
            faults.extend(is_taken(&scratch, &command).err());
        }
    }
    assert!(faults.is_empty(), "{} of {verbs:?}:\n{}", faults.len(), faults.join("\n"));
    for verb in ["check", "compare", "headroom", "sim", "sweep"] {
        assert!(verbs.contains_key(verb), "no {verb} in {verbs:?}");
    }
}

/// The folders of runs with overrides have signs in their names that also divide the runs of a comparison.
#[test]
fn commands_about_the_scenario_of_a_folder_are_taken() {
    let scratch = Scratch::new("advised-folder");
    let sets = ["--set", "congestion_control=Off", "--set", "duration=25 ms"];
    scratch.printed(&[&["sim", "victim", "--quiet"], &sets[..]].concat());
    let folder = &scratch.names_in("out")[0];
    let asked = AskedScenario { scenario: format!("out/{folder}/plan.ron"), ..AskedScenario::default() };
    assert!(folder.contains('='), "{folder}");
    let output = scratch.run(&["sim", &asked.scenario, "--out", "again"]);
    let printed = text(&output.stdout);
    let command = printed.lines().find(|line| line.trim_start().starts_with("backwater compare"));
    is_taken(&scratch, command.expect("a comparison").trim()).unwrap_or_else(|fault| panic!("{fault}"));
}
