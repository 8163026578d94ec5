//! Jobs put into a scenario of a fabric: the programs of their ranks become a text in GOAL beside the scenario.
//!
//! Invariant: the text has the programs that were checked. Sends and receives match, and no operations wait in a
//! circle.

use names::rule;
use packet::NodeId;
use scenario::{Diagnostic, Scenario, ScenarioText};
use settings::{FieldPath, SettingError};
use units::Span;
use workload::job::goal::{CALC_UNIT, calc_unit, write_text};
use workload::job::matching::{Matched, check};
use workload::job::{Mismatch, Operation, Programs, Work, counted};

use super::account::{ImportedScenario, KeyAccount, KeyFate};
use super::settings::ImportedSettings;

/// A job, the text that a scenario names, and the account of its source.
#[derive(Clone, Debug)]
pub struct ImportedJob {
    /// Programs by rank.
    pub programs: Programs,
    /// The same in GOAL.
    pub text: String,
    /// Time of `calc 1` in the text.
    pub calc_unit: Span,
    /// Findings of the check.
    pub matched: Matched,
    /// The fate of every part of the source.
    pub account: Vec<KeyAccount>,
    /// Findings that the user should know of.
    pub warnings: Vec<String>,
}

/// A scenario that cannot take the job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum IntoError {
    #[error("the job has {}, and the fabric {}", counted(*ranks as u64, "rank"), counted(*hosts as u64, "host"))]
    TooFewHosts { ranks: usize, hosts: usize },
    #[error("the job needs {}, and the fabric has {}", counted(*needed, "host"), counted(*hosts as u64, "host"))]
    NoHost { needed: u64, hosts: usize },
    #[error("the scenario has jobs already, which this job would overwrite")]
    HasJobs,
}

impl SettingError for IntoError {
    fn path(&self) -> FieldPath {
        match self {
            Self::TooFewHosts { .. } | Self::NoHost { .. } => "topology".into(),
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
            Self::NoHost { needed, .. } => {
                format!("name a scenario with at least {}", counted(*needed, "host"))
            }
            Self::HasJobs => "name a scenario of the fabric without `jobs`".to_owned(),
        })
    }
}

impl ImportedJob {
    /// Checks programs, and writes their text.
    ///
    /// # Errors
    /// If sends and receives do not match, or operations wait in a circle.
    ///
    /// # Panics
    /// If memory cannot be written.
    pub fn of_programs(
        programs: Programs,
        account: Vec<KeyAccount>,
        warnings: Vec<String>,
    ) -> Result<Self, Mismatch> {
        let matched = check(&programs, None)?;
        let calc_unit = calc_unit(&programs);
        let text = written(&programs, calc_unit);
        Ok(Self { programs, text, calc_unit, matched, account, warnings })
    }

    /// Puts the job into a scenario, which is called `name`, as the job is.
    ///
    /// # Errors
    /// If the fabric has fewer hosts than the job ranks, or the scenario is wrong itself or has jobs.
    pub fn into_scenario(self, name: &str, base: ScenarioText) -> Result<ImportedScenario, Diagnostic> {
        self.into_scenario_on(name, base, None)
    }

    /// Puts the job into a scenario as [`into_scenario`](Self::into_scenario) does, its ranks on these hosts, counted
    /// from 0 in the order of the topology.
    ///
    /// # Errors
    /// If the fabric lacks a host, or the scenario is wrong itself or has jobs.
    pub fn into_scenario_on(
        self,
        name: &str,
        base: ScenarioText,
        hosts: Option<&[u64]>,
    ) -> Result<ImportedScenario, Diagnostic> {
        let own = Scenario::read(&base)?;
        if !own.jobs.is_empty() {
            return Err(base.diagnostic(&IntoError::HasJobs));
        }
        // A name in quotes, which it must not end.
        let name = rule::plain(name).replace(['"', '\\'], "_");
        let file = format!("{name}.goal");
        let (ranks, longest) = (self.programs.ranks.len(), self.longest());
        let hosts_field = hosts.map_or(Ok(String::new()), |hosts| listed(&base, &name, hosts))?;
        let jobs = format!("[(name: \"{name}\", program: {}{hosts_field})]", self.program(&file));
        let mut settings = vec![("jobs".to_owned(), jobs), ("until_done".to_owned(), "true".to_owned())];
        let mut account = self.account;
        if own.name.is_some() {
            settings.push(("name".to_owned(), format!("\"{name}\"")));
        }
        // Samples are kept for the longest time that a run may take.
        let sampled = own.sample.ps().saturating_mul(MOST_SAMPLES).max(own.duration.ps());
        let most = Span::from_ps(own.duration.ps().saturating_mul(MOST_DURATIONS).min(sampled));
        if longest > own.duration {
            settings.push(("duration".to_owned(), format!("\"{}\"", longest.min(most))));
        }
        account.extend(background(&own, longest.min(most)));
        // A scenario without traffic is checked once it has the job.
        if let Ok(plan) = own.check(&base) {
            let given = plan.graph().hosts();
            if hosts.is_none() && given < ranks {
                return Err(base.diagnostic(&IntoError::TooFewHosts { ranks, hosts: given }));
            }
        }
        let mut imported = ImportedSettings { settings, account, without_choice: false }
            .into_scenario_with(base, vec![(file, self.text)])?;
        imported.warnings.extend(self.warnings);
        if longest > most {
            imported.warnings.push(format!(
                "the run ends after {most} at the latest; a job of these messages may take longer: `--at-most` gives it more"
            ));
        }
        Ok(imported)
    }

    /// Returns the program as a scenario names it, from this file.
    #[must_use]
    pub fn program(&self, file: &str) -> String {
        let unit = match self.calc_unit {
            CALC_UNIT => String::new(),
            unit => format!(", calc_unit: \"{unit}\""),
        };
        format!("Goal(file: \"{file}\"{unit})")
    }

    /// Returns a time in which the job ends on any usual fabric: all operations one after the other, messages at
    /// 10 Gb/s and with 100 us each; at most 1,000 s.
    #[must_use]
    pub fn longest(&self) -> Span {
        const PS_A_BYTE: u128 = 800;
        const PS_A_MESSAGE: u128 = 100_000_000;
        let spans = operations(&self.programs).map(|operation| match operation.work {
            Work::Compute { span } => u128::from(span.ps()),
            Work::Send { .. } | Work::Receive { .. } => 0,
        });
        let Matched { messages, bytes, .. } = self.matched;
        let ps = spans.sum::<u128>() + bytes * PS_A_BYTE + u128::from(messages) * PS_A_MESSAGE;
        // Whole milliseconds read better, and the end of the clock is no duration.
        Span::from_us(u64::try_from(ps.div_ceil(1_000_000_000)).map_or(MOST_MS, |ms| ms.min(MOST_MS)) * 1000)
    }
}

/// Returns the field of a job with these hosts of a scenario, counted from 0.
fn listed(base: &ScenarioText, name: &str, hosts: &[u64]) -> Result<String, Diagnostic> {
    // A scenario without traffic is no plan, and its fabric has no names: any job makes it one.
    let mut probe = base.clone();
    probe.set(&format!("jobs=[(name: \"{name}\", program: Compute(\"1 ns\"))]"))?;
    let plan = Scenario::read(&probe)?.check(&probe)?;
    let graph = plan.graph();
    let needed = hosts.iter().max().map_or(0, |last| last + 1);
    if needed > graph.hosts() as u64 {
        return Err(base.diagnostic(&IntoError::NoHost { needed, hosts: graph.hosts() }));
    }
    let names: Vec<String> =
        hosts.iter().map(|host| format!("{:?}", graph.name(NodeId(*host as u32)))).collect();
    Ok(format!(", hosts: [{}]", names.join(", ")))
}

/// Returns the operations of all ranks.
pub(super) fn operations(programs: &Programs) -> impl Iterator<Item = Operation> {
    let ranks = programs.ranks.iter();
    ranks.flat_map(|graph| (0..graph.operations() as u32).map(move |id| graph.operation(id)))
}

/// Returns the text of programs.
pub(super) fn written(programs: &Programs, calc_unit: Span) -> String {
    let mut text = Vec::new();
    write_text(programs, calc_unit, &mut text).expect("memory takes all bytes");
    String::from_utf8(text).expect("GOAL is written in ASCII")
}

/// Most durations of the scenario that a run may take for its job.
const MOST_DURATIONS: u64 = 100;
/// Most samples of a run.
const MOST_SAMPLES: u64 = 1_000_000;
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
