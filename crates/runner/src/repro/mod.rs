//! `repro`: what papers report, run and compared.
//!
//! Invariant: each distinct run is run once with each seed, whatever the number of claims that look at it; runs
//! share nothing, so their results do not depend on how many run at the same time.
//!
//! | module | holds |
//! |---|---|
//! | `claims` | what papers report, as data |
//! | `check` | what can be wrong with it |
//! | `measure` | from a run to numbers |
//! | `statistics` | means over seeds, and how sure they are |
//! | `judge` | from numbers to verdicts, and their words |
//! | `tuning` | settings of congestion control beside those of a run |
//! | `tables`, `sweeps`, `figures` | what is written besides |
//! | `fluid` | what DCQCN's fluid model says, as a line of a figure |
//! | `grid` | many cases, and a search of parameters where the guideline's fail |
//! | `parallel` | work shared out among the processors |

mod check;
mod claims;
mod figures;
mod fluid;
mod grid;
mod judge;
mod measure;
mod parallel;
mod statistics;
mod sweeps;
mod tables;
mod tuning;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use report::printed::{aligned, fitted, plain_table};
use report::{File, folder};

use self::claims::{PAPERS, Paper, Quantity, Run};
use self::judge::{Judgement, VARIATION, Verdict};
use crate::cli::ReproOptions;
use crate::engine::{self, Outcome};
use crate::failure::Failure;

pub(crate) use self::judge::Missing;

/// Nothing that is printed goes over more columns, if it can be helped.
const WIDTH: usize = 120;

const VARIATION_NOTE: &str = "variation: standard deviation over mean, from sample to sample. It depends on \
    how long a sample is (the scenario's `sample`): the longer, the less; `--full` takes longer ones.";

/// Runs what the claims need, judges them, prints them, writes tables and figures.
pub(crate) fn run(options: &ReproOptions) -> Result<(), Failure> {
    let papers = papers(options.paper.as_deref())?;
    let folders: Vec<_> = papers.iter().map(|(name, _)| options.out.join(format!("repro-{name}"))).collect();
    for (folder, _) in folders.iter().zip(&papers).filter(|(_, (_, paper))| paper.has_files()) {
        folder::probe(folder)?;
    }
    let began = Instant::now();
    let wanted: BTreeSet<_> = papers.iter().flat_map(|(_, paper)| paper.jobs(options.full)).collect();
    let count = wanted.len();
    let done = Done { outcomes: run_all(wanted)?, full: options.full };
    let mut judgements = Vec::new();
    let mut pictures = String::new();
    for ((name, paper), folder) in papers.iter().zip(&folders) {
        judgements.extend(judge::judge(name, paper, |run| done.of(paper, run))?);
        let mut files = Vec::new();
        for table in &paper.tables {
            let rows = table.filled(
                options.full,
                |run, seed| done.with(run, seed),
                |quantity, seed| done.quantity(paper, quantity, seed),
            );
            pictures += &format!("{}\n\n{}\n\n", filled(&table.title), table.printed(&rows, WIDTH as u16));
            files.push(table.file(&rows));
        }
        for sweep in &paper.sweeps {
            let drawn = sweep.files(
                paper,
                options.full,
                |run, seed| done.with(run, seed),
                |quantity, seed| done.quantity(paper, quantity, seed),
            );
            files.extend(drawn.map_err(|what| Missing::of(name, &sweep.name, what))?);
        }
        for figure in &paper.figures {
            let first = |run: &str| done.of(paper, run)[0];
            let plan = |run: &str| {
                let run = paper.at_length(&paper.runs[run], options.full);
                engine::plan(&run.scenario, &run.set, None).expect("it has been run")
            };
            files.push(figure.file(first, plan).map_err(|what| Missing::of(name, &figure.name, what))?);
        }
        if let Some(grid) = paper.grid.as_ref().filter(|_| options.full) {
            let (printed, more) = grid.run()?;
            pictures += &(printed + "\n");
            files.extend(more);
        }
        if !files.is_empty() {
            folder::write(folder, &files)?;
            let names: Vec<_> = files.iter().map(|file: &File| file.name.as_str()).collect();
            pictures += &report::printed::written(folder, &names);
        }
    }
    if options.json {
        let json = serde_json::to_string_pretty(&judgements).expect("judgements are plain data");
        crate::print(&(json + "\n"));
    } else {
        crate::print(&printed(&papers, &judgements));
        crate::print(&pictures);
        let seconds = began.elapsed().as_secs_f64();
        crate::print(&format!("{}; {count} runs in {seconds:.1} s\n", totals(&judgements)));
    }
    match judgements.iter().filter(|one| one.verdict == Verdict::Fail).count() {
        0 => Ok(()),
        failed => Err(Failure::ClaimsFailed(failed)),
    }
}

/// A run and its seed.
type Job = (Run, u64);

/// What came of all runs.
struct Done {
    outcomes: BTreeMap<Job, Outcome>,
    full: bool,
}

impl Done {
    /// The outcomes of a run by its name, one a seed.
    fn of(&self, paper: &Paper, run: &str) -> Vec<&Outcome> {
        let run = paper.at_length(&paper.runs[run], self.full);
        paper.seeds.all(self.full).map(|seed| &self.outcomes[&(run.clone(), seed)]).collect()
    }

    fn with(&self, run: &Run, seed: u64) -> &Outcome {
        &self.outcomes[&(run.clone(), seed)]
    }

    /// A reference's number.
    fn quantity(&self, paper: &Paper, name: &str, seed: u64) -> f64 {
        let Quantity { run, measure } = &paper.references[name];
        let outcome = self.with(&paper.at_length(&paper.runs[run], self.full), seed);
        measure::measured(measure, outcome).expect("references are measured for the claims too")[0]
    }
}

fn papers(wanted: Option<&str>) -> Result<Vec<(&'static str, Paper)>, Failure> {
    let chosen: Vec<_> = PAPERS
        .iter()
        .filter(|(name, _)| wanted.is_none_or(|wanted| wanted == *name))
        .map(|(name, text)| (*name, Paper::read(name, text)))
        .collect();
    match wanted {
        Some(given) if chosen.is_empty() => Err(Failure::UnknownPaper {
            given: given.to_owned(),
            help: scenario::help_with_name(given, PAPERS.map(|(name, _)| name), "papers with claims"),
        }),
        _ => Ok(chosen),
    }
}

impl Paper {
    /// The run as it is run: with the paper's own times if `full`.
    fn at_length(&self, run: &Run, full: bool) -> Run {
        let longer = self.full.get(&run.scenario).filter(|_| full);
        Run { set: run.set.iter().chain(longer.into_iter().flatten()).cloned().collect(), ..run.clone() }
    }

    /// Everything that has to be run.
    fn jobs(&self, full: bool) -> Vec<Job> {
        let with = |run: Run, seeds: claims::Seeds| seeds.all(full).map(move |seed| (run.clone(), seed));
        let claimed = self.runs.values().flat_map(|run| with(self.at_length(run, full), self.seeds));
        let tables = self.tables.iter().flat_map(|table| {
            table.rows().into_iter().flat_map(|row| with(row.run, table.seeds)).collect::<Vec<_>>()
        });
        let sweeps = self.sweeps.iter().flat_map(|sweep| {
            sweep.runs(self).into_iter().flat_map(|run| with(run, sweep.seeds)).collect::<Vec<_>>()
        });
        claimed.chain(tables).chain(sweeps).collect()
    }

    fn has_files(&self) -> bool {
        !self.tables.is_empty() || !self.sweeps.is_empty() || !self.figures.is_empty()
    }
}

/// Runs them all.
fn run_all(runs: BTreeSet<Job>) -> Result<BTreeMap<Job, Outcome>, Failure> {
    let runs: Vec<_> = runs.into_iter().collect();
    let one = |(run, seed): &Job| {
        let plan = engine::plan(&run.scenario, &run.settings()?, Some(*seed))?;
        engine::run(&plan, false, &mut |_| {})
    };
    let outcomes = parallel::all("runs", &runs, |_| 1, one)?;
    Ok(runs.into_iter().zip(outcomes).collect())
}

fn printed(papers: &[(&str, Paper)], judgements: &[Judgement]) -> String {
    let mut text = String::new();
    for (name, paper) in papers {
        text += &format!("{}\n\n", filled(&format!("{name}: {}", paper.reference)));
    }
    let mut table = plain_table();
    table.set_header(["claim", "what is reported", "measured", "expected", "verdict"]);
    for one in judgements {
        table.add_row([&one.id, &one.statement, &one.measured_words(), &one.expected, one.verdict.word()]);
    }
    text += &aligned(fitted(table, WIDTH as u16, 1), 5);
    text += "\n\n";
    if judgements.iter().any(|one| one.measure == VARIATION) {
        text += &format!("{}\n", filled(VARIATION_NOTE));
    }
    for (one, reason) in judgements.iter().filter_map(|one| one.reason.as_ref().map(|reason| (one, reason))) {
        text += &format!("{}\n", filled(&format!("{}: {reason}", one.id)));
    }
    text
}

/// The words in lines that fit.
fn filled(text: &str) -> String {
    let mut filled = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let more = word.chars().count();
        let (space, before) = match length {
            0 => ("", 0),
            _ if length + 1 + more > WIDTH => ("\n", 0),
            _ => (" ", length + 1),
        };
        filled += space;
        filled += word;
        length = before + more;
    }
    filled
}

fn totals(judgements: &[Judgement]) -> String {
    let count = |verdict: &Verdict| judgements.iter().filter(|one| one.verdict == *verdict).count();
    let usual = [Verdict::Pass, Verdict::Fail, Verdict::Info];
    let marked =
        [Verdict::Unsure, Verdict::Known, Verdict::Fixed].into_iter().filter(|verdict| count(verdict) > 0);
    let parts =
        usual.into_iter().chain(marked).map(|verdict| format!("{} {}", verdict.word(), count(&verdict)));
    format!("{} claims: {}", judgements.len(), parts.collect::<Vec<_>>().join(", "))
}

impl Verdict {
    /// The word in the table.
    const fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Info => "INFO",
            Self::Unsure => "UNSURE",
            Self::Known => "KNOWN",
            Self::Fixed => "FIXED",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_paper_is_told_the_known_ones() {
        let message = |given| papers(Some(given)).unwrap_err().to_string();
        assert_eq!(
            message("gran2012"),
            "error: there are no claims of a paper `gran2012`\nhelp: did you mean `gran2011`? The papers with claims are `hp2001`, `santos2003`, `gran2011`, `pfister2005`, `zhu2015`, `zhu2016`"
        );
        assert_eq!(
            message("nobody"),
            "error: there are no claims of a paper `nobody`\nhelp: the papers with claims are `hp2001`, `santos2003`, `gran2011`, `pfister2005`, `zhu2015`, `zhu2016`"
        );
        assert_eq!(papers(None).unwrap().len(), PAPERS.len());
    }

    #[test]
    fn full_runs_take_the_paper_s_times() {
        let (_, paper) = papers(Some("gran2011")).unwrap().remove(0);
        let run = &paper.runs["scenario 1 off"];
        assert_eq!(paper.at_length(run, false), *run);
        let full = paper.at_length(run, true);
        assert_eq!(full.set[0], "congestion_control=Off");
        assert_eq!(full.set[1], "duration=5 s");
    }

    #[test]
    fn every_claim_looks_at_flows_and_phases_that_its_run_has() {
        for (_, paper) in papers(None).unwrap() {
            let claims = paper.claims.iter().map(|claim| (&claim.run, &claim.measure));
            let references = paper.references.values().map(|quantity| (&quantity.run, &quantity.measure));
            for ((name, measure), full) in
                claims.chain(references).flat_map(|wanted| [(wanted, false), (wanted, true)])
            {
                let run = paper.at_length(&paper.runs[name], full);
                let plan = engine::plan(&run.scenario, &run.set, None).unwrap();
                let phase = measure.phase().unwrap_or(1);
                assert!(phase <= plan.phases().len(), "{name} has no phase {phase}");
                for flow in measure.flows() {
                    let meant = |name: &str| match flow.strip_suffix('*') {
                        Some(beginning) => name.starts_with(beginning),
                        None => name == flow,
                    };
                    let found = plan.workload().flows.iter().any(|one| one.named && meant(&one.name));
                    assert!(found, "{name} has no flow {flow}");
                }
            }
        }
    }

    #[test]
    fn every_row_of_a_table_is_a_plan_of_its_own() {
        for (_, paper) in papers(None).unwrap() {
            for table in &paper.tables {
                let plan = |row: &tables::Row| {
                    let plan = engine::plan(&row.run.scenario, &row.run.set, None);
                    plan.unwrap_or_else(|fault| panic!("{row:?}: {}", fault.message(false))).resolved()
                };
                let rows = table.rows();
                let plans: BTreeSet<_> = rows.iter().map(plan).collect();
                assert_eq!(plans.len(), rows.len(), "two rows of {} are the same run", table.name);
            }
        }
    }

    #[test]
    fn the_table_names_claim_number_expectation_and_verdict() {
        let (name, mut paper) = papers(Some("gran2011")).unwrap().remove(0);
        paper.reference = "Someone 2000".to_owned();
        let judgement = |verdict, reason: Option<&str>| Judgement {
            paper: name.to_owned(),
            id: "s1-off-3".to_owned(),
            statement: "F3 halves all three".to_owned(),
            source: "figure 7(c)".to_owned(),
            scenario: "gran2011-scenario1".to_owned(),
            set: vec![],
            tune: vec![],
            measure: "goodput",
            measured: vec![0.499, 0.501],
            ci95: vec![None, None],
            seeds: 1,
            difference: None,
            unit: "C".to_owned(),
            expected: "0.500 C ± 5 %".to_owned(),
            verdict,
            reason: reason.map(str::to_owned),
        };
        let judgements =
            [judgement(Verdict::Pass, None), judgement(Verdict::Known, Some("the switch is another"))];
        let text = printed(&[(name, paper)], &judgements) + &totals(&judgements);
        insta::assert_snapshot!(text);
    }
}
