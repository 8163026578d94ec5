//! `eval`: parameters in, measures out, for outside optimisers.
//!
//! Invariant: every set of parameters has a single answer, in the order of the sets. A set that is refused has an
//! answer too, which says why. Nothing is written to a folder.

use std::io::{self, BufRead};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use experiment::SeedList;
use experiment::evaluation::{
    Answer, EvaluationError, EvaluationQuestion, Number, ParameterFormat, SCHEMA, overrides,
};
use measures::Measure;
use results::format::{aligned, plain_table};
use serde_json::json;

use crate::arguments;
use crate::failure::Failure;
use crate::given_file;
use crate::memory::MemoryOptions;
use crate::terminal::{print, print_exactly};

/// The standard input in place of a file.
const STANDARD_INPUT: &str = "-";

#[derive(Args, Debug)]
pub(crate) struct EvalOptions {
    /// File, or name of a shipped scenario (see `list`).
    scenario: String,
    /// Parameters: a file with a JSON object of paths and values, `{"link.mtu": "2 KiB", "switch.speedup": 1.5}`, or
    /// a map in RON if its name ends with `.ron`. `-` reads sets from the standard input, a JSON object a line, and
    /// answers each with a line of JSON as soon as it is done, in order.
    #[arg(long, value_name = "FILE")]
    params: Option<String>,
    /// Measures, with commas between them: `p99(victims),goodput(all)` [default: every measure of every group].
    #[arg(long, value_name = "MEASURES")]
    measures: Option<String>,
    /// Seeds: `7`, `1..=5` or `1,2,9`. Numbers are means over them [default: the scenario's seed].
    #[arg(long, value_name = "SEEDS", value_parser = arguments::seeds)]
    seeds: Option<SeedList>,
    /// Override of a field, before the parameters.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Print a line of JSON in place of a table, also for errors.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    memory: MemoryOptions,
}

/// Evaluates the parameters, and prints the answers.
pub(crate) fn run(options: &EvalOptions) -> Result<(), Failure> {
    let question = match question(options) {
        Ok(question) => question,
        Err(failure) => return refused(options, failure),
    };
    match options.params.as_deref() {
        Some(STANDARD_INPUT) => answer_lines(&question, options),
        file => match parameters(file).and_then(|set| answer(&question, &set, options)) {
            Ok(answer) if options.json => {
                print_exactly(&line(&answer));
                status_of(&answer)
            }
            Ok(answer) => {
                print(&table(&answer));
                status_of(&answer)
            }
            Err(failure) => refused(options, failure),
        },
    }
}

fn question(options: &EvalOptions) -> Result<EvaluationQuestion, Failure> {
    let measures = options.measures.as_deref().map(Measure::read_list).transpose();
    Ok(EvaluationQuestion {
        scenario: options.scenario.clone(),
        set: options.set.clone(),
        seeds: options.seeds.as_ref().map(|seeds| seeds.0.clone()).unwrap_or_default(),
        measures: measures.map_err(EvaluationError::from)?.unwrap_or_default(),
    })
}

/// Returns the overrides of a file of parameters; none without a file.
fn parameters(file: Option<&str>) -> Result<Vec<String>, Failure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let text = given_file::text(Path::new(file))?;
    let is_ron = file.to_ascii_lowercase().ends_with(".ron");
    let format = if is_ron { ParameterFormat::Ron } else { ParameterFormat::Json };
    Ok(overrides(file, &text, format).map_err(EvaluationError::from)?)
}

fn answer(question: &EvaluationQuestion, set: &[String], options: &EvalOptions) -> Result<Answer, Failure> {
    let checked = question.check(set)?;
    options.memory.check(&checked.plans().iter().collect::<Vec<_>>())?;
    Ok(checked.answer())
}

/// Answers each line of the standard input with a line. The first set without a result gives the exit status.
fn answer_lines(question: &EvaluationQuestion, options: &EvalOptions) -> Result<(), Failure> {
    let mut first = None;
    for (number, text) in (1..).zip(io::stdin().lock().lines()) {
        let origin = format!("line {number}");
        let read = |text: String| overrides(&origin, &text, ParameterFormat::Json);
        let set = text.map_err(|cause| Failure::Unreadable { file: origin.clone(), cause });
        let set = set.and_then(|text| Ok(read(text).map_err(EvaluationError::from)?));
        let outcome = match set.and_then(|set| answer(question, &set, options)) {
            Ok(answer) => {
                print_exactly(&line(&answer));
                status_of(&answer)
            }
            Err(failure) => {
                print_exactly(&refusal(&failure));
                Err(Failure::Answered(failure.status()))
            }
        };
        first = first.or(outcome.err());
    }
    first.map_or(Ok(()), Err)
}

fn status_of(answer: &Answer) -> Result<(), Failure> {
    match answer.status {
        "deadlock" => Err(Failure::Answered(ExitCode::from(4))),
        "violation" => Err(Failure::Answered(ExitCode::from(3))),
        "stands_still" => Err(Failure::Answered(ExitCode::from(8))),
        "not_lossless" => Err(Failure::Answered(ExitCode::from(7))),
        "gave_up" => Err(Failure::Answered(ExitCode::from(9))),
        "not_done" => Err(Failure::Answered(ExitCode::from(6))),
        _ => Ok(()),
    }
}

/// Prints a failure as an answer, if answers are JSON.
fn refused(options: &EvalOptions, failure: Failure) -> Result<(), Failure> {
    if !options.json && options.params.as_deref() != Some(STANDARD_INPUT) {
        return Err(failure);
    }
    print_exactly(&refusal(&failure));
    Err(Failure::Answered(failure.status()))
}

fn refusal(failure: &Failure) -> String {
    let answer = json!({ "schema": SCHEMA, "status": "refused", "error": failure.message(false).trim_end() });
    format!("{answer}\n")
}

fn line(answer: &Answer) -> String {
    names::json::escaped(serde_json::to_string(answer).expect("an answer is plain data")) + "\n"
}

/// Returns an answer as a table for the terminal.
fn table(answer: &Answer) -> String {
    let mut table = plain_table();
    table.set_header(["measure", "value", "unit", "seeds"]);
    for (measure, number) in &answer.measures.0 {
        let value = number.value.map_or_else(|| "-".to_owned(), |value| bounded(number, value));
        let seeds = format!("{} of {}", number.values.iter().flatten().count(), number.values.len());
        table.add_row([measure.to_string(), value, number.unit.clone(), seeds]);
    }
    let mut text = aligned(table, 1) + "\n";
    for (measure, number) in &answer.measures.0 {
        for reason in &number.missing {
            text += &format!(" {measure}, {reason}\n");
        }
    }
    for run in &answer.runs {
        let digest = run.digest.as_deref().unwrap_or("-");
        text += &format!(" seed {}: {}, digest {digest}\n", run.seed, run.word());
    }
    text
}

fn bounded(number: &Number, value: f64) -> String {
    if number.censored { format!("≥ {value}") } else { value.to_string() }
}
