//! The answer of a tuning as files: `trials.csv`, `tuning.json`, `searched.set`, `winner.set`, `winner.ron`.
//!
//! Invariant: `winner.set` and `winner.ron` are written only if the answer is to change the settings. `searched.set` is
//! for a trial by hand, and has the best that the search found, whatever the answer.

use experiment::tuning::{Judged, Loss, Objective, Parameter, TrialRow, Tuned, TuningJob};
use measures::Unit;
use names::shown;
use results::OutputFile;
use results::folder::TUNING_FILES;
use results::format::csv;
use scenario::Plan;
use serde_json::{Value, json};

use super::printed;

/// Name and version of the format of `tuning.json`.
const SCHEMA: &str = "backwater-tuning/2";

/// Returns the files of an answer. Without settings to take there are no `winner.set` and `winner.ron`.
pub(super) fn of(job: &TuningJob, plan: &Plan, tuned: &Tuned) -> Vec<OutputFile> {
    let file = |name: &str, contents: String| OutputFile { name: name.to_owned(), contents };
    let mut files =
        vec![file(TUNING_FILES[0], trials(job, tuned)), file(TUNING_FILES[1], json_text(job, plan, tuned))];
    let winner = tuned.winner.filter(|_| tuned.advice().has_settings());
    if let Some(winner) = winner.map(|place| &tuned.trials[place]) {
        files.extend([file(TUNING_FILES[2], lines(winner)), file(TUNING_FILES[3], fragment(job, winner))]);
    }
    files.extend(tuned.found().map(|found| file(TUNING_FILES[4], lines(found))));
    files
}

/// Returns the overrides of a setting, each on a line. A line break inside a value is a blank to the value's reader.
fn lines(row: &TrialRow) -> String {
    row.overrides.iter().map(|set| set.replace('\n', " ") + "\n").collect()
}

/// Returns the winner as comments and overrides of a scenario: the fields by path, each on a line.
fn fragment(job: &TuningJob, winner: &TrialRow) -> String {
    let mut text = format!(
        "// Winner of a tuning of {}: fields of the scenario, as `path: value`. As options of `sim`: see winner.set.\n",
        shown::comment(&job.scenario)
    );
    for set in &winner.overrides {
        let (path, value) = set.split_once('=').expect("an override has a sign");
        text += &format!("{path}: {value},\n");
    }
    text
}

/// Returns the table of all trials: a row a setting.
fn trials(job: &TuningJob, tuned: &Tuned) -> String {
    let own = ["trial", "run", "setting", "seeds", "duration_share", "bounds", "feasible", "front", "winner"];
    let unit = |unit: &Option<String>| {
        let words = unit.as_ref().map(|unit| format!("_{}", unit.replace('/', "p")));
        words.unwrap_or_default()
    };
    let mut header: Vec<_> = own.map(str::to_owned).to_vec();
    header.extend(job.space.parameters.iter().map(|one| format!("{}{}", one.name, unit(&one.unit))));
    header.extend(job.objectives.iter().map(|one| one.measure.column_name()));
    header.push("violation".to_owned());
    let cells = |(place, TrialRow { trial, written, numbers, means, .. }): (usize, &TrialRow)| {
        let flag = |flag: bool| flag.to_string();
        let mut cells = vec![(place + 1).to_string(), trial.run.clone().unwrap_or_default()];
        cells.push(trial.candidate.word().to_owned());
        let goals = job.objectives.iter().zip(&trial.bounds);
        let bounds = goals.filter(|(_, is_bound)| **is_bound).map(|(goal, _)| goal.measure.to_string());
        cells.extend([trial.seeds.to_string(), trial.share.to_string()]);
        cells.push(bounds.collect::<Vec<_>>().join("; "));
        cells.push(flag(trial.score.is_feasible()));
        cells.extend([flag(tuned.front.contains(&place)), flag(tuned.winner == Some(place))]);
        for (parameter, (number, written)) in job.space.parameters.iter().zip(numbers.iter().zip(written)) {
            let is_choice = parameter.values.choices().is_some();
            let number = || number.map(|number| number.to_string());
            let cell = if is_choice { written.clone() } else { number() };
            cells.push(cell.unwrap_or_default());
        }
        cells.extend(means.iter().map(|mean| mean.map_or_else(String::new, |mean| mean.to_string())));
        let violation = trial.score.violation;
        cells.push(if violation.is_finite() { violation.to_string() } else { String::new() });
        cells
    };
    csv(header, tuned.trials.iter().enumerate().map(cells))
}

pub(super) fn json_text(job: &TuningJob, plan: &Plan, tuned: &Tuned) -> String {
    let answer = json(job, plan, tuned);
    names::json::escaped(serde_json::to_string_pretty(&answer).expect("an answer is plain data") + "\n")
}

fn winner(job: &TuningJob, tuned: &Tuned, place: usize) -> Value {
    let row = &tuned.trials[place];
    let candidate = &row.trial.candidate;
    let at_ends = candidate.point().map(|point| job.space.at_ends(point)).unwrap_or_default();
    json!({ "trial": place + 1, "setting": candidate.word(), "set": row.overrides, "at_ends": at_ends })
}

/// Returns each parameter with its value in the scenario's own settings, in the guideline, and in the setting that the
/// search found, as people read them.
fn settings(job: &TuningJob, tuned: &Tuned) -> Value {
    let columns = printed::columns(tuned);
    let row = |(row, parameter): (usize, &Parameter)| {
        let value = |place: &usize| {
            let trial = &tuned.trials[*place];
            let value = printed::value(trial, row, parameter);
            json!({ "trial": place + 1, "setting": trial.trial.candidate.word(), "value": value })
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        json!({ "parameter": parameter.name, "path": parameter.path, "values": values })
    };
    job.space.parameters.iter().enumerate().map(row).collect::<Vec<_>>().into()
}

fn json(job: &TuningJob, plan: &Plan, tuned: &Tuned) -> Value {
    let unit = |objective: &Objective| -> Unit { objective.measure.quantity.info().unit };
    let held = |held: &experiment::tuning::Held| json!({ "objectives": held.objectives, "kept": held.kept, "runs": held.runs });
    let judged = |one: &Judged| {
        json!({
            "trial": one.trial + 1,
            "setting": tuned.trials[one.trial].trial.candidate.word(),
            "held_out": held(&one.held),
            "gains": one.gains,
            "beats_baseline": one.beats_baseline(),
        })
    };
    let sensitivity = |one: &experiment::tuning::Sensitivity| {
        let moved = |(value, loss): &(String, Loss)| match loss {
            Loss::Known(known) => json!({ "value": value, "loss": known }),
            none => json!({ "value": value, "loss": null, "reason": none.spelled(unit(&job.objectives[0])) }),
        };
        json!({
            "parameter": one.parameter,
            "rank_correlation": one.rank_correlation,
            "neighbours": one.neighbours.iter().map(moved).collect::<Vec<_>>(),
        })
    };
    let objective =
        |one: &Objective| json!({ "goal": one.to_string(), "measure": one.measure, "unit": unit(one) });
    let guideline = match &tuned.guideline {
        Ok(one) => one.as_ref().map_or(Value::Null, judged),
        Err(reason) => json!({ "none": reason.to_string() }),
    };
    json!({
        "schema": SCHEMA,
        "scenario": plan.name(),
        "set": job.overrides(),
        "drain": job.drain,
        "objectives": job.objectives.iter().map(objective).collect::<Vec<_>>(),
        "constraints": job.constraints.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "parameters": job.space.parameters.iter().map(|one| json!({ "name": one.name, "path": one.path })).collect::<Vec<_>>(),
        "method": printed::method(job),
        "search_seed": job.seed,
        "training_seeds": job.training,
        "held_out_seeds": job.held_out,
        "held_out_set": job.held_out_set,
        "budget": {
            "runs": tuned.budget.runs(),
            "search": tuned.budget.search(),
            "held_out": tuned.budget.held_out(),
            "sensitivity": tuned.budget.sensitivity(),
        },
        "runs": tuned.runs,
        "runs_without_results": tuned.failed,
        "refused_settings": tuned.refused.0,
        "out_of_time": tuned.out_of_time,
        "trials": tuned.trials.len(),
        "winner": tuned.winner.map(|place| winner(job, tuned, place)),
        "advice": tuned.advice(),
        "verdict": job.verdict(tuned),
        "answer": job.answer(tuned),
        "insensitive": tuned.is_insensitive(),
        "equal_to_baseline": tuned.equal_to_baseline().1,
        "more_held_out_seeds": tuned.judged.first().and_then(|one| job.more_held_out(one)),
        "settings": settings(job, tuned),
        "baseline": held(&tuned.baseline),
        "guideline": guideline,
        "judged": tuned.judged.iter().map(judged).collect::<Vec<_>>(),
        "moved": tuned.moved.map(|place| place + 1),
        "sensitivity": tuned.sensitivity.iter().map(sensitivity).collect::<Vec<_>>(),
    })
}
