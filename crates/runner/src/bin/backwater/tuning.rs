//! Runs of a tuning, and its answer as text and files: for `tune` and for `repro tuning`.
//!
//! Invariant: the score that is printed is that of the held-out runs. Everything printed stands in the files, too.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use backwater::provenance::{COMMIT, manifest};
use experiment::measures::{Measure, Unit};
use experiment::store::{BatchEvent, BatchOptions, Origin};
use experiment::tuning::{Judged, Objective, TrialRow, Tuned, TuningJob, sensitivity};
use experiment::{Estimate, Store};
use indicatif::{ProgressBar, ProgressStyle};
use report::format::{aligned, csv, plain_table};
use report::manifest::PlanIdentity;
use report::{Manifest, OutputFile, ResultFolder};
use scenario::{Plan, ScenarioText};
use serde_json::{Value, json};
use settings::FieldPath;

use crate::failure::Failure;
use crate::interrupt;
use crate::terminal::warn_of_other_build;

/// Files of a tuning.
const FILES: [&str; 4] = ["trials.csv", "tuning.json", "winner.set", "winner.ron"];
/// Name and version of the format of `tuning.json`.
const SCHEMA: &str = "backwater-tuning/1";
/// Longest value of the baseline in a table, in characters.
const LONGEST: usize = 40;
/// Interval between two lines of progress if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A tuning that is done, with its folder.
pub(crate) struct FinishedTuning {
    pub(crate) tuned: Tuned,
    pub(crate) plan: Plan,
    files: Vec<&'static str>,
}

/// Settings of the command line that do not change the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TuningRun<'a> {
    pub(crate) out: &'a Path,
    pub(crate) force: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) quiet: bool,
}

/// Runs a tuning and writes its files. What is in the folder's store is not run again.
pub(crate) fn run(job: &TuningJob, run: TuningRun<'_>) -> Result<FinishedTuning, Failure> {
    let plan = job.check()?;
    let identity = PlanIdentity {
        scenario: plan.name().to_owned(),
        overrides: job.set.clone(),
        seed: plan.seed(),
        plan_digest: plan.digest().to_string(),
    };
    let manifest = manifest(vec![identity], FILES.map(str::to_owned));
    let folder = ResultFolder::open(run.out, &manifest, run.force)?;
    let options = BatchOptions {
        threads: run.threads,
        origin: Origin { commit: COMMIT.map(str::to_owned), command: manifest.command.clone() },
        interrupt: Some(interrupt::watched()),
        ..BatchOptions::default()
    };
    let progress = RunsReport::new(job.runs, !run.quiet);
    let tuned = job.run(&Store::open(run.out), &options, &|event| progress.update(event))?;
    drop(progress);
    let files = files(job, &plan, &tuned);
    folder.write(&Manifest { ..manifest }, &files)?;
    let files = FILES.into_iter().filter(|name| files.iter().any(|file| file.name == *name)).collect();
    Ok(FinishedTuning { tuned, plan, files })
}

/// Progress of many runs: done, rate, remaining time.
struct RunsReport {
    bar: Option<ProgressBar>,
    wanted: bool,
    budget: usize,
    began: Instant,
    state: Mutex<RunsDone>,
}

struct RunsDone {
    /// Runs that were made now.
    made: usize,
    /// Runs without results.
    failed: usize,
    /// True once a warning has said that results of another build are used.
    told_of_other_build: bool,
    last: Instant,
}

impl RunsReport {
    fn new(budget: usize, wanted: bool) -> Self {
        let style = || ProgressStyle::with_template("{wide_bar} {msg}").expect("the template is right");
        let bar = (wanted && io::stderr().is_terminal())
            .then(|| ProgressBar::new(budget as u64).with_style(style()));
        let began = Instant::now();
        Self {
            bar,
            wanted,
            budget,
            began,
            state: Mutex::new(RunsDone { made: 0, failed: 0, told_of_other_build: false, last: began }),
        }
    }

    fn update(&self, event: BatchEvent<'_>) {
        let mut state = self.state.lock().expect("no thread panics here");
        match event {
            BatchEvent::Redone { name, reason } => {
                crate::terminal::warn(&format!("`{name}` is run again: {reason}"));
            }
            BatchEvent::OtherBuild { .. } => {
                // Each batch of a tuning has such results: one warning is enough.
                if !std::mem::replace(&mut state.told_of_other_build, true) {
                    warn_of_other_build();
                }
            }
            BatchEvent::Began { .. } => {}
            BatchEvent::Finished(result) => {
                state.made += 1;
                state.failed += usize::from(!result.ended.has_results());
            }
        }
        let rate = state.made as f64 / self.began.elapsed().as_secs_f64().max(1e-3);
        let left = (self.budget.saturating_sub(state.made)) as f64 / rate.max(1e-9);
        let failed = if state.failed > 0 { format!(", {} failed", state.failed) } else { String::new() };
        let line = || {
            let (made, budget) = (state.made, self.budget);
            format!("{made} of at most {budget} runs, {rate:.1} a second, at most {left:.0} s left{failed}")
        };
        if let Some(bar) = &self.bar {
            bar.set_position(state.made as u64);
            bar.set_message(line());
        } else if self.wanted && state.last.elapsed() >= LINE_INTERVAL {
            // A closed standard error is no reason to stop.
            let _ = writeln!(io::stderr(), "{}", line());
            state.last = Instant::now();
        }
    }
}

impl Drop for RunsReport {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl FinishedTuning {
    /// Returns the answer as it is printed.
    pub(crate) fn printed(&self, job: &TuningJob) -> String {
        let Self { tuned, plan, .. } = self;
        let mut text = question(job, tuned);
        text += "\n";
        let Some(winner) = tuned.winner else {
            text +=
                "No setting keeps the constraints in every training run: loosen one, or widen the space.\n";
            return text;
        };
        text += &settings(job, plan, &tuned.trials[winner]);
        text += "\n";
        text += &judgement(job, tuned);
        text += "\n";
        text += &sensitivities(job, tuned);
        text += &notes(job, tuned);
        text
    }

    /// Returns `tuning.json`.
    pub(crate) fn json(&self, job: &TuningJob) -> String {
        json_text(job, &self.plan, &self.tuned)
    }

    /// Returns the names of the files that were written.
    pub(crate) fn files(&self) -> &[&'static str] {
        &self.files
    }
}

fn list_of_seeds(seeds: &[u64]) -> String {
    let contiguous = seeds.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    match seeds {
        [first, .., last] if contiguous => format!("{first} to {last}"),
        _ => seeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn question(job: &TuningJob, tuned: &Tuned) -> String {
    let goals = job.objectives.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let constraints = job.constraints.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let subject = if constraints.is_empty() { String::new() } else { format!(", subject to {constraints}") };
    let with = if job.set.is_empty() { String::new() } else { format!(" with {}", job.set.join(", ")) };
    let failed = if tuned.failed > 0 { format!(", {} without results", tuned.failed) } else { String::new() };
    format!(
        "{}{with}: {goals}{subject}\n{} settings tried ({}) with training seeds {}; {} runs in all{failed}\n",
        job.scenario,
        tuned.trials.len(),
        method(job),
        list_of_seeds(&job.training),
        tuned.runs,
    )
}

fn method(job: &TuningJob) -> &'static str {
    use experiment::tuning::{Halved, Method};
    match job.method {
        Method::Grid => "grid",
        Method::LatinHypercube => "Latin hypercube",
        Method::Halving if job.halved == Halved::Duration => "successive halving over the duration",
        Method::Halving => "successive halving over seeds",
        Method::Tpe => "Latin hypercube, then TPE",
    }
}

/// The value of each parameter, of the baseline and of the winner.
fn settings(job: &TuningJob, plan: &Plan, winner: &TrialRow) -> String {
    let resolved = ScenarioText::new("plan.ron", &plan.resolved());
    let mut table = plain_table();
    table.set_header(["parameter", "baseline", "winner", "path"]);
    for (parameter, written) in job.space.parameters.iter().zip(&winner.written) {
        let path = FieldPath::from(parameter.path.as_str());
        let own = resolved.value_at(&path).map_or_else(|| "-".to_owned(), |value| shortened(&value));
        table.add_row([&parameter.name, &own, written, &parameter.path]);
    }
    aligned(table, 4) + "\n"
}

fn shortened(value: &str) -> String {
    let one_line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= LONGEST {
        return one_line;
    }
    one_line.chars().take(LONGEST - 4).collect::<String>() + " ..."
}

fn judgement(job: &TuningJob, tuned: &Tuned) -> String {
    let traffic = if job.held_out_set.is_empty() {
        String::new()
    } else {
        format!(" and {}", job.held_out_set.join(", "))
    };
    let count = job.held_out.len();
    let mut text = format!(
        "On {count} held-out seeds ({}{traffic}), mean and 95 % interval; gains are paired by seed:\n",
        list_of_seeds(&job.held_out)
    );
    let mut table = plain_table();
    table.set_header(["measure", "baseline", "winner", "gain", "in percent"]);
    let judged = &tuned.judged[0];
    for (place, objective) in job.objectives.iter().enumerate() {
        let of = |estimate: Option<Estimate>| spelled(&objective.measure, estimate);
        let (baseline, own) = (tuned.baseline.objectives[place], judged.held.objectives[place]);
        let gain = judged.gains[place];
        let percent = gain.zip(baseline).filter(|(_, base)| base.mean != 0.0).map(|(gain, base)| {
            let share = |number: f64| 100.0 * number / base.mean.abs();
            format!("{:+.2} ± {:.2} %", share(gain.mean), share(gain.ci95.unwrap_or_default()))
        });
        let cells =
            [objective.measure.to_string(), of(baseline), of(own), of(gain), percent.unwrap_or_default()];
        table.add_row(cells);
    }
    for (place, constraint) in job.constraints.iter().enumerate() {
        let kept = |kept: usize| format!("in {kept} of {count}");
        let own = kept(judged.held.kept[place]);
        table.add_row([
            constraint.to_string(),
            kept(tuned.baseline.kept[place]),
            own,
            String::new(),
            String::new(),
        ]);
    }
    text += &(aligned(table, 1) + "\n");
    text += &(verdict(job, judged) + "\n");
    if tuned.judged.len() > 1 {
        text += &front(job, tuned);
    }
    text
}

/// Says in a sentence if the winner is better than the baseline.
pub(crate) fn verdict(job: &TuningJob, judged: &Judged) -> String {
    if judged.beats_baseline() {
        return "The winner beats the baseline: every interval of the gain lies above zero.".to_owned();
    }
    let broken = job.constraints.iter().zip(&judged.held.kept).find(|(_, kept)| **kept < judged.held.runs);
    if let Some((constraint, kept)) = broken {
        return format!(
            "The winner does not count: it keeps `{constraint}` in {kept} of {} held-out runs only.",
            judged.held.runs
        );
    }
    let known = judged.gains.iter().all(Option::is_some);
    if known {
        "The winner is not shown to beat the baseline: an interval of the gain reaches zero or lies below."
            .to_owned()
    } else {
        "The winner cannot be compared: a held-out run lacks the measure, or has only a bound of it."
            .to_owned()
    }
}

fn front(job: &TuningJob, tuned: &Tuned) -> String {
    let mut table = plain_table();
    let names = job.objectives.iter().map(|objective| objective.measure.to_string());
    table.set_header(["trial".to_owned()].into_iter().chain(names));
    for judged in &tuned.judged {
        let numbers = job.objectives.iter().zip(&judged.held.objectives);
        let cells = numbers.map(|(objective, own)| spelled(&objective.measure, *own));
        table.add_row([(judged.trial + 1).to_string()].into_iter().chain(cells));
    }
    format!(
        "\nPareto front: {} settings, of which {} on the held-out seeds:\n{}\n",
        tuned.front.len(),
        tuned.judged.len(),
        aligned(table, 1)
    )
}

fn sensitivities(job: &TuningJob, tuned: &Tuned) -> String {
    let objective = &job.objectives[0];
    let mut table = plain_table();
    table.set_header(["parameter", "rank correlation", "loss if it is moved alone"]);
    for own in &tuned.sensitivity {
        let correlation = own.rank_correlation.map_or_else(|| "-".to_owned(), |rho| format!("{rho:+.2}"));
        let moved = own.neighbours.iter().map(|(value, loss)| {
            let loss = loss.map_or_else(
                || "breaks a constraint".to_owned(),
                |loss| spelled(&objective.measure, Some(loss)),
            );
            format!("{loss} at {}", shortened(value))
        });
        let moved = moved.collect::<Vec<_>>().join("; ");
        table.add_row([own.parameter.clone(), correlation, moved]);
    }
    format!(
        "Sensitivity of {}: Spearman's rank correlation with the loss over all trials, and the loss against the winner if one \
         parameter is moved by {:.0} % of its range (training seeds)\n{}\n",
        objective.measure,
        sensitivity::DISTANCE * 100.0,
        aligned(table, 3)
    )
}

fn notes(job: &TuningJob, tuned: &Tuned) -> String {
    let mut notes = String::new();
    let ends = tuned.winner.map(|place| job.space.at_ends(&tuned.trials[place].trial.point));
    if let Some(ends) = ends.filter(|ends| !ends.is_empty()) {
        let names = ends.join(", ");
        notes += &format!(
            "\nThe winner lies at an end of the range of {names}: a wider space may hold a better one.\n"
        );
    }
    if let (count @ 1.., Some(first)) = &tuned.refused {
        let first = first.faults()[0].message.clone();
        notes += &format!("\nThe scenario refused {count} settings, the first because {first}.\n");
    }
    if tuned.out_of_time {
        notes +=
            "\nTime ended the search before its budget of runs: the same command with more time goes on.\n";
    }
    notes
}

fn spelled(measure: &Measure, estimate: Option<Estimate>) -> String {
    let unit = measure.quantity.info().unit;
    let Some(Estimate { mean, ci95, .. }) = estimate else { return "not known".to_owned() };
    ci95.map_or_else(|| unit.spelled(mean), |half| format!("{} ± {}", unit.spelled(mean), unit.spelled(half)))
}

fn files(job: &TuningJob, plan: &Plan, tuned: &Tuned) -> Vec<OutputFile> {
    let file = |name: &str, contents: String| OutputFile { name: name.to_owned(), contents };
    let mut files = vec![file(FILES[0], trials(job, tuned)), file(FILES[1], json_text(job, plan, tuned))];
    if let Some(winner) = tuned.winner.map(|place| &tuned.trials[place]) {
        let lines = winner.overrides.iter().map(|set| set.clone() + "\n").collect();
        files.extend([file(FILES[2], lines), file(FILES[3], fragment(job, winner))]);
    }
    files
}

/// Returns the winner as comments and overrides of a scenario: the fields by path, one a line.
fn fragment(job: &TuningJob, winner: &TrialRow) -> String {
    let mut text = format!(
        "// Winner of a tuning of {}: fields of the scenario, as `path: value`. As options of `sim`: see winner.set.\n",
        job.scenario
    );
    for set in &winner.overrides {
        let (path, value) = set.split_once('=').expect("an override has a sign");
        text += &format!("{path}: {value},\n");
    }
    text
}

/// Returns the table of all trials: a row a setting.
fn trials(job: &TuningJob, tuned: &Tuned) -> String {
    let mut header = vec![
        "trial".to_owned(),
        "run".to_owned(),
        "seeds".to_owned(),
        "duration_share".to_owned(),
        "feasible".to_owned(),
        "front".to_owned(),
    ];
    header.push("winner".to_owned());
    let unit = |unit: &Option<String>| {
        let words = unit.as_ref().map(|unit| format!("_{}", unit.replace('/', "p")));
        words.unwrap_or_default()
    };
    header.extend(job.space.parameters.iter().map(|one| format!("{}{}", one.name, unit(&one.unit))));
    header.extend(job.objectives.iter().map(|one| one.measure.column_name()));
    header.push("violation".to_owned());
    let cells = |(place, row): (usize, &TrialRow)| {
        let flag = |flag: bool| flag.to_string();
        let mut cells = vec![(place + 1).to_string(), row.run.clone().unwrap_or_default()];
        cells.extend([row.trial.seeds.to_string(), row.trial.share.to_string()]);
        cells.push(flag(row.trial.score.is_feasible()));
        cells.extend([flag(tuned.front.contains(&place)), flag(tuned.winner == Some(place))]);
        let numbers = job.space.numbers(&row.trial.point);
        for ((parameter, number), written) in job.space.parameters.iter().zip(numbers).zip(&row.written) {
            let is_choice = parameter.values.choices().is_some();
            cells.push(if is_choice { written.clone() } else { number.to_string() });
        }
        cells.extend(row.means.iter().map(|mean| mean.map_or_else(String::new, |mean| mean.to_string())));
        let violation = row.trial.score.violation;
        cells.push(if violation.is_finite() { violation.to_string() } else { String::new() });
        cells
    };
    csv(header, tuned.trials.iter().enumerate().map(cells))
}

fn json_text(job: &TuningJob, plan: &Plan, tuned: &Tuned) -> String {
    serde_json::to_string_pretty(&json(job, plan, tuned)).expect("an answer is plain data") + "\n"
}

fn winner(job: &TuningJob, tuned: &Tuned, place: usize) -> Value {
    let row = &tuned.trials[place];
    json!({ "trial": place + 1, "set": row.overrides, "at_ends": job.space.at_ends(&row.trial.point) })
}

fn json(job: &TuningJob, plan: &Plan, tuned: &Tuned) -> Value {
    let unit = |objective: &Objective| -> Unit { objective.measure.quantity.info().unit };
    let held = |held: &experiment::tuning::Held| json!({ "objectives": held.objectives, "kept": held.kept, "runs": held.runs });
    let judged = |one: &Judged| {
        json!({
            "trial": one.trial + 1,
            "held_out": held(&one.held),
            "gains": one.gains,
            "beats_baseline": one.beats_baseline(),
        })
    };
    let sensitivity = |one: &experiment::tuning::Sensitivity| {
        let moved = |(value, loss): &(String, Option<Estimate>)| json!({ "value": value, "loss": loss });
        json!({
            "parameter": one.parameter,
            "rank_correlation": one.rank_correlation,
            "neighbours": one.neighbours.iter().map(moved).collect::<Vec<_>>(),
        })
    };
    let objective =
        |one: &Objective| json!({ "goal": one.to_string(), "measure": one.measure, "unit": unit(one) });
    json!({
        "schema": SCHEMA,
        "scenario": plan.name(),
        "set": job.set,
        "objectives": job.objectives.iter().map(objective).collect::<Vec<_>>(),
        "constraints": job.constraints.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "parameters": job.space.parameters.iter().map(|one| json!({ "name": one.name, "path": one.path })).collect::<Vec<_>>(),
        "method": method(job),
        "search_seed": job.seed,
        "training_seeds": job.training,
        "held_out_seeds": job.held_out,
        "held_out_set": job.held_out_set,
        "runs": tuned.runs,
        "runs_without_results": tuned.failed,
        "refused_settings": tuned.refused.0,
        "out_of_time": tuned.out_of_time,
        "trials": tuned.trials.len(),
        "winner": tuned.winner.map(|place| winner(job, tuned, place)),
        "baseline": held(&tuned.baseline),
        "judged": tuned.judged.iter().map(judged).collect::<Vec<_>>(),
        "sensitivity": tuned.sensitivity.iter().map(sensitivity).collect::<Vec<_>>(),
    })
}
