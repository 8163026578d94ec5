//! All runs of some papers, their judgements and exhibits.
//!
//! Invariant: each distinct run is simulated once with each seed, whatever the number of claims that look at it.

use std::collections::BTreeSet;

use experiment::{Outcome, Outcomes, SimulationError};
use results::OutputFile;

use crate::judgement::{Bite, ClaimError, Judgement, bites, judge};
use crate::language::Quantity;
use crate::layout::wrapped;
use crate::measurement::{NotInRun, measured};
use crate::paper::Paper;

/// Reason why papers could not be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproductionError {
    /// A run did not start, or did not end.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A claims file has a mistake.
    #[error(transparent)]
    Claim(#[from] ClaimError),
}

/// Outcomes of all runs that the claims and exhibits of some papers look at.
#[derive(Debug)]
pub struct Reproduction {
    outcomes: Outcomes,
    full: bool,
}

/// Tables and figures of a paper.
#[derive(Clone, Debug, Default)]
pub struct PaperExhibits {
    /// Tables as printed, each followed by an empty line.
    pub printed: String,
    /// Tables and figures as files.
    pub files: Vec<OutputFile>,
}

impl Reproduction {
    /// Simulates all runs: as long as the papers did and with more seeds if `full`; with `teeth`, the alternatives too.
    ///
    /// # Errors
    /// If a run does not start, or does not end.
    pub fn simulate(papers: &[Paper], full: bool, teeth: bool) -> Result<Self, SimulationError> {
        let jobs: BTreeSet<_> = papers.iter().flat_map(|paper| paper.jobs(full, teeth)).collect();
        Ok(Self { outcomes: Outcomes::of(jobs)?, full })
    }

    /// Returns the number of distinct runs and seeds.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.outcomes.len()
    }

    /// Judges the claims of a paper.
    ///
    /// # Errors
    /// If a claim looks for something that its run does not have.
    pub fn judgements(&self, paper: &Paper) -> Result<Vec<Judgement>, ClaimError> {
        judge(paper, !self.full, |run| self.by_seed(paper, run))
    }

    /// Asks the claims of a paper under the runs in which they must fail. The reproduction has been simulated with
    /// `teeth`.
    ///
    /// # Errors
    /// If a claim looks for something that an alternative does not have.
    pub fn bites(&self, paper: &Paper) -> Result<Vec<Bite>, ClaimError> {
        bites(paper, self.full, |run| self.by_seed(paper, run))
    }

    /// Draws the tables and figures of a paper. The grid is simulated here, if `full`.
    ///
    /// # Errors
    /// If a figure looks for something that its run does not have, or a run of the grid does not start or end.
    pub fn exhibits(&self, paper: &Paper) -> Result<PaperExhibits, ReproductionError> {
        let mut exhibits = PaperExhibits::default();
        self.add_tables(paper, &mut exhibits);
        exhibits.files.extend(self.sweeps(paper)?);
        exhibits.files.extend(self.figures(paper)?);
        if let Some(grid) = paper.grid.as_ref().filter(|_| self.full) {
            let (printed, files) = grid.run()?;
            exhibits.printed += &(printed + "\n");
            exhibits.files.extend(files);
        }
        Ok(exhibits)
    }

    fn add_tables(&self, paper: &Paper, exhibits: &mut PaperExhibits) {
        for table in &paper.tables {
            let rows = table.filled(
                self.full,
                |run, seed| self.outcomes.get(run, seed),
                |name, seed| self.reference(paper, name, seed),
            );
            exhibits.printed += &format!("{}\n\n{}\n\n", wrapped(&table.title), table.printed(&rows));
            exhibits.files.push(table.file(&rows));
        }
    }

    fn sweeps(&self, paper: &Paper) -> Result<Vec<OutputFile>, ClaimError> {
        let mut files = Vec::new();
        for sweep in &paper.sweeps {
            let drawn = sweep.files(
                &paper.runs,
                self.full,
                |run, seed| self.outcomes.get(run, seed),
                |name, seed| self.reference(paper, name, seed),
            );
            files.extend(drawn.map_err(|missing| missing_in(paper, &sweep.name, missing))?);
        }
        Ok(files)
    }

    fn figures(&self, paper: &Paper) -> Result<Vec<OutputFile>, ReproductionError> {
        let mut files = Vec::new();
        for figure in &paper.figures {
            let first = |run: &str| self.by_seed(paper, run)[0];
            let plan = |run: &str| {
                let run = paper.run(run, self.full);
                experiment::plan(&run.scenario, &run.set, None).expect("the run has been simulated")
            };
            let drawn = figure.files(first, plan);
            files.extend(drawn.map_err(|missing| missing_in(paper, &figure.name, missing))?);
        }
        for figure in &paper.shares {
            let drawn = figure.files(|run| self.by_seed(paper, run));
            files.extend(drawn.map_err(|missing| missing_in(paper, &figure.name, missing))?);
        }
        for figure in &paper.bars {
            let drawn = figure.files(|run| self.by_seed(paper, run));
            files.extend(drawn.map_err(|missing| missing_in(paper, &figure.name, missing))?);
        }
        Ok(files)
    }

    /// Returns the outcomes of a run by its name, in the order of seeds.
    fn by_seed(&self, paper: &Paper, run: &str) -> Vec<&Outcome> {
        let run = paper.run(run, self.full);
        paper.seeds.seeds(self.full).map(|seed| self.outcomes.get(&run, seed)).collect()
    }

    fn reference(&self, paper: &Paper, name: &str, seed: u64) -> Result<f64, NotInRun> {
        let Quantity { run, measure } = paper.references.get(name);
        Ok(measured(measure, self.outcomes.get(&paper.run(run, self.full), seed))?[0])
    }
}

fn missing_in(paper: &Paper, exhibit: &str, missing: NotInRun) -> ClaimError {
    ClaimError { paper: paper.name.clone(), name: exhibit.to_owned(), missing }
}
