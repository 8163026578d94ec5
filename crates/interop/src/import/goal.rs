//! Jobs in GOAL, put into a scenario of a fabric.
//!
//! Invariant: the scenario names a text with the same programs as the file: the file's own text, or one that was
//! written from the binary form. Sends and receives match, and no operations wait in a circle, or the file is refused.

use names::rule;
use scenario::{Diagnostic, Excerpt, LocatedFault, Scenario, ScenarioText};
use settings::{FieldPath, SettingError};
use units::Span;
use workload::job::goal::{GoalError, GoalJob, GoalReadError, lines_of, read_binary, read_text, write_text};
use workload::job::matching::{Matched, check};
use workload::job::{Mismatch, Operation, Work, counted};

use super::account::{ImportedScenario, KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::SourceText;

pub use workload::job::goal::CALC_UNIT;

/// A job, and the text that a scenario names.
#[derive(Clone, Debug)]
pub struct ImportedJob {
    job: GoalJob,
    text: String,
    matched: Matched,
    calc_unit: Span,
    /// True if the text was written from the binary form.
    is_binary: bool,
}

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
    Ok(ImportedJob { job, text, matched, calc_unit, is_binary: false })
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
    let mut text = Vec::new();
    write_text(&job.programs, calc_unit, &mut text).expect("memory takes all bytes");
    let text = String::from_utf8(text).expect("GOAL is written in ASCII");
    Ok(ImportedJob { job, text, matched, calc_unit, is_binary: true })
}

/// A scenario that cannot take the job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum IntoError {
    #[error("the job has {}, and the fabric {}", counted(*ranks as u64, "rank"), counted(*hosts as u64, "host"))]
    TooFewHosts { ranks: usize, hosts: usize },
    #[error("the scenario has jobs already, which this job would overwrite")]
    HasJobs,
}

impl SettingError for IntoError {
    fn path(&self) -> FieldPath {
        match self {
            Self::TooFewHosts { .. } => "topology".into(),
            Self::HasJobs => "jobs".into(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::TooFewHosts { ranks, .. } => {
                format!(
                    "name a scenario with at least {}, or write `jobs` by hand: `hosts` may name a host twice",
                    counted(*ranks as u64, "host")
                )
            }
            Self::HasJobs => "name a scenario of the fabric without `jobs`".to_owned(),
        })
    }
}

impl ImportedJob {
    /// Puts the job into a scenario, which is called `name`, as the job is.
    ///
    /// # Errors
    /// If the fabric has fewer hosts than the job ranks, or the scenario is wrong itself or has jobs.
    pub fn into_scenario(self, name: &str, base: ScenarioText) -> Result<ImportedScenario, Diagnostic> {
        let own = Scenario::read(&base)?;
        if !own.jobs.is_empty() {
            return Err(base.diagnostic(&IntoError::HasJobs));
        }
        // A name in quotes, which it must not end.
        let name = rule::plain(name).replace(['"', '\\'], "_");
        let file = format!("{name}.goal");
        let (ranks, longest) = (self.job.programs.ranks.len(), self.longest());
        let unit = match self.calc_unit {
            CALC_UNIT => String::new(),
            unit => format!(", calc_unit: \"{unit}\""),
        };
        let jobs = format!("[(name: \"{name}\", program: Goal(file: \"{file}\"{unit}))]");
        let mut settings = vec![("jobs".to_owned(), jobs), ("until_done".to_owned(), "true".to_owned())];
        let mut account = self.account();
        if own.name.is_some() {
            settings.push(("name".to_owned(), format!("\"{name}\"")));
        }
        let most = Span::from_ps(own.duration.ps().saturating_mul(MOST_DURATIONS));
        if longest > own.duration {
            settings.push(("duration".to_owned(), format!("\"{}\"", longest.min(most))));
        }
        account.extend(background(&own, longest.min(most)));
        // A scenario without traffic is checked once it has the job.
        if let Ok(plan) = own.check(&base) {
            let hosts = plan.graph().hosts();
            if hosts < ranks {
                return Err(base.diagnostic(&IntoError::TooFewHosts { ranks, hosts }));
            }
        }
        let warnings = self.warnings();
        let mut imported =
            ImportedSettings { settings, account }.into_scenario_with(base, vec![(file, self.text)])?;
        imported.warnings.extend(warnings);
        if longest > most {
            imported.warnings.push(format!(
                "the run ends after {most} at the latest; a job of these messages may take longer: `--at-most` gives it more"
            ));
        }
        Ok(imported)
    }

    /// Returns a time in which the job ends on any usual fabric: all operations one after the other, messages at
    /// 10 Gb/s and with 100 us each.
    fn longest(&self) -> Span {
        const PS_A_BYTE: u128 = 800;
        const PS_A_MESSAGE: u128 = 100_000_000;
        let spans = self.operations().map(|operation| match operation.work {
            Work::Compute { span } => u128::from(span.ps()),
            Work::Send { .. } | Work::Receive { .. } => 0,
        });
        let Matched { messages, bytes, .. } = self.matched;
        let ps = spans.sum::<u128>() + bytes * PS_A_BYTE + u128::from(messages) * PS_A_MESSAGE;
        // Whole milliseconds read better, and the end of the clock is no duration.
        Span::from_us(u64::try_from(ps.div_ceil(1_000_000_000)).map_or(MOST_MS, |ms| ms.min(MOST_MS)) * 1000)
    }

    fn operations(&self) -> impl Iterator<Item = Operation> {
        let ranks = self.job.programs.ranks.iter();
        ranks.flat_map(|graph| (0..graph.operations() as u32).map(move |id| graph.operation(id)))
    }

    /// Returns the fate of every part of the language that the file uses.
    fn account(&self) -> Vec<KeyAccount> {
        let GoalJob { programs, forward, first_forward, missing } = &self.job;
        let Matched { messages, bytes, wildcards, .. } = self.matched;
        let mut counts = [0_u64; 3];
        let (mut cpus, mut nics) = (0, 0);
        for operation in self.operations() {
            let kind = match operation.work {
                Work::Send { .. } => 0,
                Work::Receive { .. } => 1,
                Work::Compute { .. } => 2,
            };
            counts[kind] += 1;
            (cpus, nics) = (cpus.max(operation.cpu), nics.max(operation.nic));
        }
        let unit = format!("`calc 1` takes {}: the file does not say (`--calc-unit`)", self.calc_unit);
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
        if self.is_binary {
            let what =
                "written as text, since scenarios name texts; labels of the source are not in a binary file";
            note("(binary)", String::new(), KeyFate::Used, what.to_owned());
        }
        account
    }

    fn warnings(&self) -> Option<String> {
        let (first, second) = self.matched.unordered?;
        // Numbers of operations in a binary file, and lines of a text.
        let lines =
            lines_of(self.text.as_bytes(), &[(first.rank, first.operation), (second.rank, second.operation)]);
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
}

/// Most durations of the scenario that a run may take for its job.
const MOST_DURATIONS: u64 = 100;
/// Longest run, in milliseconds: 1,000 s.
const MOST_MS: u64 = 1_000_000;

/// Enters the fields of the scenario that matter to the job.
fn background(own: &Scenario, longest: Span) -> Vec<KeyAccount> {
    let mut account = Vec::new();
    let duration = own.duration.max(longest);
    let what =
        format!("the run ends with the job (`until_done`), after {duration} at the latest (`duration`)");
    account.push(KeyAccount::new("(end)", "", KeyFate::Used, what));
    let (flows, patterns) = (own.flows.len(), own.traffic.len());
    if flows + patterns > 0 {
        let what = format!("the scenario's own {flows} flows and {patterns} patterns run beside the job");
        account.push(KeyAccount::new("(traffic)", "", KeyFate::Used, what));
    }
    account
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
