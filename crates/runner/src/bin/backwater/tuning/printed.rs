//! The answer of a tuning as it is printed.
//!
//! Invariant: the same numbers stand in `tuning.json`.

use experiment::tuning::{
    Held, HeldMean, Parameter, TrialRow, Tuned, TuningJob, percent, readable, sensitivity,
};
use measures::Measure;
use results::format::{aligned, counted, plain_table};
use results::tables::brief;

use crate::terminal::width;

/// Longest value of a parameter in a table, in characters.
const LONGEST: usize = 38;

pub(super) fn answer(job: &TuningJob, tuned: &Tuned) -> String {
    let mut text = format!("{}\n{}\n", brief::verdict(&job.answer(tuned), width()), question(job, tuned));
    if tuned.winner.is_some() {
        text += &(settings(job, tuned) + "\n");
    }
    if !tuned.judged.is_empty() {
        text += &(judgement(job, tuned) + "\n");
    }
    if tuned.winner.is_some() {
        text += &sensitivities(job, tuned);
    }
    text + &notes(job, tuned)
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
    let set = job.overrides();
    let with = if set.is_empty() { String::new() } else { format!(" with {}", set.join(", ")) };
    let drained = if job.drain { ", drained" } else { "" };
    let failed = if tuned.failed > 0 { format!(", {} without results", tuned.failed) } else { String::new() };
    format!(
        "{}{with}{drained}: {goals}{subject}\n{} tried ({}) with training seeds {}; {} in all{failed}\n",
        job.scenario,
        counted(tuned.trials.len(), "setting"),
        method(job),
        list_of_seeds(&job.training),
        counted(tuned.runs, "run"),
    )
}

pub(super) fn method(job: &TuningJob) -> &'static str {
    use experiment::tuning::{Halved, Method};
    match job.method {
        Method::Grid => "grid",
        Method::LatinHypercube => "Latin hypercube",
        Method::Halving if job.halved == Halved::Duration => "successive halving over the duration",
        Method::Halving => "successive halving over seeds",
        Method::Tpe => "Latin hypercube, then TPE",
    }
}

/// The value of each parameter, of the baseline, a guideline, and the winner.
fn settings(job: &TuningJob, tuned: &Tuned) -> String {
    let shown = columns(tuned);
    let mut table = plain_table();
    let heading = |place: &usize| heading(tuned, *place);
    table.set_header(
        ["parameter".to_owned()].into_iter().chain(shown.iter().map(heading)).chain(["path".to_owned()]),
    );
    for (row, parameter) in job.space.parameters.iter().enumerate() {
        let values = shown.iter().map(|place| value(&tuned.trials[*place], row, parameter));
        table.add_row([parameter.name.clone()].into_iter().chain(values).chain([parameter.path.clone()]));
    }
    aligned(table, shown.len() + 2) + "\n"
}

/// Returns the places of the settings with a column: those that are given, and the setting that the search found.
pub(super) fn columns(tuned: &Tuned) -> Vec<usize> {
    let given = (0..tuned.trials.len()).filter(|place| is_given(tuned, *place));
    let best = tuned.judged.first().map(|judged| judged.trial);
    given.chain(best.filter(|place| !is_given(tuned, *place))).collect()
}

/// Returns the value of a parameter in a setting, as people read it.
pub(super) fn value(trial: &TrialRow, row: usize, parameter: &Parameter) -> String {
    let number = trial.numbers.get(row).copied().flatten();
    readable(parameter, number, trial.written.get(row).and_then(Option::as_deref))
}

fn is_given(tuned: &Tuned, place: usize) -> bool {
    tuned.trials[place].trial.candidate.point().is_none()
}

/// Returns the heading of a setting's column: its part in the answer.
fn heading(tuned: &Tuned, place: usize) -> String {
    let word = tuned.trials[place].trial.candidate.word();
    match (tuned.winner == Some(place), is_given(tuned, place)) {
        (true, true) => format!("{word} (winner)"),
        (true, false) => format!("winner (trial {})", place + 1),
        (false, true) => word.to_owned(),
        (false, false) => format!("trial {}", place + 1),
    }
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
    let Some(best) = tuned.judged.first() else { return String::new() };
    let mut text = format!(
        "On {} held-out seeds ({}{traffic}), mean and 95 % interval; gains are paired by seed:\n",
        job.held_out.len(),
        list_of_seeds(&job.held_out)
    );
    let guideline = tuned.guideline.as_ref().ok().and_then(Option::as_ref);
    let others: Vec<_> = guideline.filter(|one| one.trial != best.trial).into_iter().chain([best]).collect();
    let baseline_wins = tuned.winner.is_some_and(|winner| tuned.is_baseline(winner));
    let baseline = if baseline_wins { "baseline (winner)" } else { "baseline" };
    let headings = others.iter().map(|one| heading(tuned, one.trial));
    let mut table = plain_table();
    let header = ["measure".to_owned(), baseline.to_owned()].into_iter().chain(headings);
    table.set_header(header.chain(["gain".to_owned(), "in percent".to_owned()]));
    for (place, objective) in job.objectives.iter().enumerate() {
        let of = |mean: Option<HeldMean>| spelled(&objective.measure, mean);
        let (baseline, gain) = (tuned.baseline.objectives[place], best.gains[place]);
        let base = baseline.map(|baseline| baseline.estimate);
        let in_percent = |gain: HeldMean| {
            let sign = if gain.bound.is_some() { "≥ " } else { "" };
            Some(format!("{sign}{}", percent(&gain.estimate, base.as_ref())?))
        };
        let percent = gain.and_then(in_percent).unwrap_or_default();
        let own = others.iter().map(|one| of(one.held.objectives[place]));
        let first = [objective.measure.to_string(), of(baseline)].into_iter();
        table.add_row(first.chain(own).chain([of(gain), percent]));
    }
    for (place, constraint) in job.constraints.iter().enumerate() {
        let kept = |held: &Held| format!("in {} of {}", held.kept[place], held.runs);
        let own = others.iter().map(|one| kept(&one.held));
        let first = [constraint.to_string(), kept(&tuned.baseline)].into_iter();
        table.add_row(first.chain(own).chain([String::new(), String::new()]));
    }
    text += &(aligned(table, 1) + "\n");
    if let Err(reason) = &tuned.guideline {
        text += &format!("No published guideline is among the settings: {reason}.\n");
    }
    if job.objectives.len() > 1 {
        text += &front(job, tuned);
    }
    text
}

fn front(job: &TuningJob, tuned: &Tuned) -> String {
    let mut table = plain_table();
    let names = job.objectives.iter().map(|objective| objective.measure.to_string());
    table.set_header(["trial".to_owned()].into_iter().chain(names));
    let of_front: Vec<_> = tuned.judged.iter().filter(|one| tuned.front.contains(&one.trial)).collect();
    for judged in &of_front {
        let numbers = job.objectives.iter().zip(&judged.held.objectives);
        let cells = numbers.map(|(objective, own)| spelled(&objective.measure, *own));
        table.add_row([(judged.trial + 1).to_string()].into_iter().chain(cells));
    }
    format!(
        "\nPareto front: {} settings, of which {} on the held-out seeds:\n{}\n",
        tuned.front.len(),
        of_front.len(),
        aligned(table, 1)
    )
}

fn sensitivities(job: &TuningJob, tuned: &Tuned) -> String {
    let objective = &job.objectives[0];
    let is_moved = tuned.sensitivity.iter().any(|own| !own.neighbours.is_empty());
    let mut table = plain_table();
    let moved_alone = is_moved.then_some("loss if it is moved alone");
    table.set_header(["parameter", "rank correlation"].into_iter().chain(moved_alone));
    for own in &tuned.sensitivity {
        let correlation = own.rank_correlation.map_or_else(|| "-".to_owned(), |rho| format!("{rho:+.2}"));
        let moved = own.neighbours.iter().map(|(value, loss)| {
            format!("{} at {}", loss.spelled(objective.measure.quantity.info().unit), shortened(value))
        });
        let moved = moved.collect::<Vec<_>>().join("; ");
        let moved = is_moved.then_some(moved);
        table.add_row([own.parameter.clone(), correlation].into_iter().chain(moved));
    }
    // A winner that is no point of the space has no neighbours in it: those are of the best point.
    let moved = tuned.moved.filter(|_| is_moved).map_or_else(String::new, |place| {
        let best = if tuned.winner == Some(place) { "" } else { ", the best point on the training seeds," };
        format!(
            ", and the loss against {}{best} if one parameter of it is moved by {:.0} % of its range (training seeds)",
            heading(tuned, place),
            sensitivity::DISTANCE * 100.0
        )
    });
    format!(
        "Sensitivity of {}: Spearman's rank correlation with the loss over all trials{moved}\n{}\n",
        objective.measure,
        aligned(table, if is_moved { 3 } else { 2 })
    )
}

fn notes(job: &TuningJob, tuned: &Tuned) -> String {
    let mut notes = String::new();
    let of_winner = tuned.winner.and_then(|place| tuned.trials[place].trial.candidate.point());
    if let Some(ends) = of_winner.map(|point| job.space.at_ends(point)).filter(|ends| !ends.is_empty()) {
        let names = ends.join(", ");
        notes += &format!(
            "\nThe winner lies at an end of the range of {names}: a wider space may hold a better one.\n"
        );
    }
    if let (count @ 1.., Some(first)) = &tuned.refused {
        let first = first.faults()[0].message.clone();
        notes +=
            &format!("\nThe scenario refused {}, the first because {first}.\n", counted(*count, "setting"));
    }
    if tuned.out_of_time {
        notes +=
            "\nTime ended the search before its budget of runs: the same command with more time goes on.\n";
    }
    notes
}

fn spelled(measure: &Measure, mean: Option<HeldMean>) -> String {
    let unit = measure.quantity.info().unit;
    mean.map_or_else(|| "not known".to_owned(), |mean| mean.spelled(unit))
}
