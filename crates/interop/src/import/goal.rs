//! Jobs in GOAL, put into a scenario of a fabric.
//!
//! Invariant: the scenario names a text with the same programs as the file: the file's own text, or one that was
//! written from the binary form. Sends and receives match, and no operations wait in a circle, or the file is refused.

use scenario::{Diagnostic, Excerpt, LocatedFault};
use units::Span;
use workload::job::goal::{GoalError, GoalJob, GoalReadError, lines_of, read_binary, read_text};
use workload::job::matching::{Matched, check};
use workload::job::{Mismatch, Work, counted};

use super::account::{KeyAccount, KeyFate};
use super::job::{ImportedJob, operations, written};
use super::source::SourceText;

pub use workload::job::goal::CALC_UNIT;

/// First numbers of binary files: GOAL's, and the mark of a file that `LogGOPSim` has destroyed.
const BINARY: [u64; 2] = [4223, 2342];
/// Word of the language for each kind of operation.
const KINDS: [&str; 3] = ["send", "recv", "calc"];

/// Returns true if a file begins like the binary form.
#[must_use]
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|first| BINARY.contains(&u64::from_le_bytes(*first)))
}

/// Reads a job from a text. `name` is the file's in messages.
///
/// # Errors
/// If a statement is wrong, or the programs of the ranks do not fit together.
pub fn from_text(name: &str, text: String, calc_unit: Span) -> Result<ImportedJob, Diagnostic> {
    let source = SourceText { name, text: &text };
    let job = read_text(source.text.as_bytes(), calc_unit).map_err(|error| refused(source, &error))?;
    let matched = check(&job.programs, None).map_err(|mismatch| at_lines(source, mismatch))?;
    Ok(imported(job, text, matched, calc_unit, false))
}

/// Reads a job from the binary form. `name` is the file's in messages.
///
/// # Errors
/// If a number of the file is wrong, or the programs of the ranks do not fit together.
///
/// # Panics
/// If memory cannot be written.
pub fn from_binary(name: &str, bytes: &[u8], calc_unit: Span) -> Result<ImportedJob, Diagnostic> {
    let whole = |message: String, help: &str| SourceText { name, text: "" }.whole(message, help);
    let job = read_binary(bytes, calc_unit)
        .map_err(|error| whole(error.to_string(), "make the file again by `txt2bin`, or import its text"))?;
    let matched =
        check(&job.programs, None).map_err(|mismatch| whole(mismatch.to_string(), mismatch.help()))?;
    let text = written(&job.programs, calc_unit);
    Ok(imported(job, text, matched, calc_unit, true))
}

/// Enters the fate of every part of a file. `is_binary` says that the text was written from the binary form.
fn imported(job: GoalJob, text: String, matched: Matched, calc_unit: Span, is_binary: bool) -> ImportedJob {
    let mut account = account(&job, matched, calc_unit);
    if is_binary {
        let what =
            "written as text, since scenarios name texts; labels of the source are not in a binary file";
        account.push(KeyAccount::new("(binary)", String::new(), KeyFate::Used, what));
    }
    let warnings = warning(&text, matched).into_iter().collect();
    ImportedJob { programs: job.programs, text, calc_unit, matched, account, warnings }
}

/// Returns the fate of every part of the language that the file uses.
fn account(job: &GoalJob, matched: Matched, calc_unit: Span) -> Vec<KeyAccount> {
    let GoalJob { programs, forward, first_forward, missing } = job;
    let Matched { messages, bytes, wildcards, .. } = matched;
    let mut counts = [0_u64; 3];
    let (mut cpus, mut nics) = (0, 0);
    for operation in operations(programs) {
        let kind = match operation.work {
            Work::Send { .. } => 0,
            Work::Receive { .. } => 1,
            Work::Compute { .. } => 2,
        };
        counts[kind] += 1;
        (cpus, nics) = (cpus.max(operation.cpu), nics.max(operation.nic));
    }
    let unit = format!("`calc 1` takes {calc_unit}: the file does not say (`--calc-unit`)");
    let what = [
        format!("{}, {bytes} bytes", counted(messages, "message")),
        format!("{wildcards} of them from any rank or with any tag"),
        unit,
    ];
    let mut account = vec![KeyAccount::new(
        "num_ranks",
        programs.ranks.len().to_string(),
        KeyFate::Used,
        "`jobs[0]`: rank 0 on the first host of the topology, and so on",
    )];
    let kinds = KINDS.into_iter().zip(counts).zip(what).filter(|((_, count), _)| *count > 0);
    account.extend(
        kinds.map(|((kind, count), what)| KeyAccount::new(kind, count.to_string(), KeyFate::Used, what)),
    );
    let mut note = |key: &str, given: String, fate, what: String| {
        account.push(KeyAccount::new(key, given, fate, what));
    };
    if cpus > 0 {
        let what = "operations of a rank on one cpu exclude each other";
        note("cpu", format!("0 to {cpus}"), KeyFate::Used, what.to_owned());
    }
    if nics > 0 {
        let what = "a host has a single network interface, which carries all messages of its ranks";
        note("nic", format!("0 to {nics}"), KeyFate::Changed, what.to_owned());
    }
    if let Some(line) = first_forward {
        let what =
            format!("labels named before their operation, first in line {line}, which `txt2bin` refuses");
        note("(labels)", forward.to_string(), KeyFate::Used, what);
    }
    if let Some(first) = missing.first() {
        let what = format!("ranks without a block, the first is {first}: they do nothing");
        note("(ranks)", missing.len().to_string(), KeyFate::Used, what);
    }
    account
}

/// Returns the warning of two sends without an order.
fn warning(text: &str, matched: Matched) -> Option<String> {
    let (first, second) = matched.unordered?;
    // Numbers of operations in a binary file, and lines of a text.
    let lines = lines_of(text.as_bytes(), &[(first.rank, first.operation), (second.rank, second.operation)]);
    let [one, other] = lines.ok()?[..] else { return None };
    let place = |line: Option<u64>| line.map_or_else(String::new, |line| format!(" (line {line})"));
    Some(format!(
        "rank {}: two sends to one rank with one tag may leave in either order, the first such are operations {}{} and {}{}: \
         receives take them as they come",
        first.rank,
        first.operation,
        place(one),
        second.operation,
        place(other)
    ))
}

/// Returns a fault of a text with its place.
fn refused(source: SourceText<'_>, error: &GoalReadError) -> Diagnostic {
    match error {
        GoalReadError::Text(error) => {
            let GoalError { fault, .. } = &**error;
            source.wrong(&error.range(source.text), fault.to_string(), &fault.help())
        }
        other => unreachable!("a text in memory is read: {other}"),
    }
}

/// Returns a fault between operations, at the line of the first, with the lines of all.
fn at_lines(source: SourceText<'_>, mismatch: Mismatch) -> Diagnostic {
    let lines = lines_of(source.text.as_bytes(), &mismatch.operations()).expect("the text was read before");
    let mismatch = mismatch.at_lines(&lines);
    let place = mismatch.line().and_then(|line| {
        let line = usize::try_from(line).ok()?;
        let mut start = 0;
        let mut parts = source.text.split_inclusive('\n').map(|part| {
            start += part.len();
            (start - part.len(), part)
        });
        let (start, part) = parts.nth(line - 1)?;
        let blank = part.len() - part.trim_start().len();
        Some(Box::new(Excerpt::new(source.text, start + blank, start + part.trim_end().len())))
    });
    let (file, path) = (source.name.to_owned(), String::new());
    let (message, help) = (mismatch.to_string(), Some(mismatch.help().to_owned()));
    LocatedFault { file, place, path, message, help }.into()
}
