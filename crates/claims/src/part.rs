//! A part of a paper: some of its claims, figures and tables, with the runs that these need.
//!
//! Invariant: a part gives the numbers that the whole paper gives, from the same runs and seeds.

use std::collections::BTreeSet;

use experiment::SeedCount;
use results::format::{aligned, counted, fitted, plain_table};

use crate::exhibits::{BarFigure, CombinationTable, GoodputFigure, ParameterSweep, ShareFigure};
use crate::language::ClaimRole;
use crate::layout::{WIDTH, wrapped};
use crate::paper::Paper;

/// Claims and figures that are asked for, by name.
#[derive(Clone, Copy, Debug)]
pub struct PartChoice<'a> {
    /// Names of claims.
    pub claims: &'a [String],
    /// Names of figures and tables.
    pub figures: &'a [String],
    /// True for the runs of `--full`, which alone has the grid of hot spots.
    pub full: bool,
    /// True if claims are asked of the runs under which they must fail, too.
    pub teeth: bool,
}

/// A name that no claim or figure of a paper has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{paper}` has no {kind} `{name}`")]
pub struct UnknownPart {
    paper: String,
    kind: &'static str,
    name: String,
    known: Vec<String>,
}

impl UnknownPart {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        match &self.known[..] {
            [] => format!("it has none; `backwater repro {} --list` prints what it has", self.paper),
            known => {
                let names = if self.kind == "claim" { "claims" } else { "figures and tables" };
                let near = scenario::help_with_name(&self.name, known, names);
                let then = if near.ends_with('?') { " " } else { "; " };
                format!("{near}{then}`backwater repro {} --list` prints them", self.paper)
            }
        }
    }
}

impl Paper {
    /// Returns the paper with these claims and figures alone, and with no run that they do not need.
    ///
    /// # Errors
    /// If the paper has no claim or figure of a name.
    pub fn part(mut self, choice: PartChoice<'_>) -> Result<Self, UnknownPart> {
        let claims: Vec<_> = self.claims.iter().map(|claim| claim.id.clone()).collect();
        self.check("claim", choice.claims, claims)?;
        self.check("figure", choice.figures, self.figure_names(choice.full))?;
        let is_drawn = |name: &str| choice.figures.iter().any(|one| one == name);
        self.claims.retain(|claim| choice.claims.contains(&claim.id));
        self.tables.retain(|table| is_drawn(&table.name));
        self.sweeps.retain(|sweep| is_drawn(&sweep.name));
        self.figures.retain(|figure| is_drawn(&figure.name));
        self.shares.retain(|figure| is_drawn(&figure.name));
        self.bars.retain(|figure| is_drawn(&figure.name));
        self.grid = self.grid.filter(|grid| is_drawn(grid.name()));
        let needed = self.needed(choice.teeth);
        self.runs.retain(|name, _| needed.contains(name));
        self.alternatives.retain(|name, _| needed.contains(name));
        if self.claims.is_empty()
            && self.shares.is_empty()
            && self.bars.is_empty()
            && self.tables.is_empty()
            && self.sweeps.is_empty()
        {
            // Goodput over time is that of the first seed.
            self.seeds = SeedCount { quick: 1, full: 1 };
        }
        Ok(self)
    }

    /// Returns the names of the runs that claims and exhibits look at.
    fn needed(&self, teeth: bool) -> BTreeSet<String> {
        let references = self
            .claims
            .iter()
            .flat_map(|claim| claim.unit.reference().into_iter().chain(claim.expect.reference()))
            .chain(self.sweeps.iter().filter_map(ParameterSweep::reference))
            .chain(self.tables.iter().flat_map(CombinationTable::references));
        let referred_to = references.map(|name| self.references.get(name).run.as_str());
        let claimed = self.claims.iter().map(|claim| claim.run.as_str());
        let failing = self.claims.iter().filter(|_| teeth).flat_map(|claim| &claim.fails_under);
        let drawn = self.sweeps.iter().map(ParameterSweep::run);
        let drawn = drawn.chain(self.figures.iter().flat_map(GoodputFigure::runs));
        let drawn = drawn.chain(self.shares.iter().flat_map(ShareFigure::runs));
        let drawn = drawn.chain(self.bars.iter().flat_map(BarFigure::runs));
        let needed = referred_to.chain(claimed).chain(failing.map(String::as_str)).chain(drawn);
        needed.map(str::to_owned).collect()
    }

    /// Returns the names of figures and tables; that of the grid only with `full`.
    fn figure_names(&self, full: bool) -> Vec<String> {
        self.exhibits()
            .filter(|exhibit| full || !exhibit.is_full)
            .map(|exhibit| exhibit.name.to_owned())
            .collect()
    }

    fn exhibits(&self) -> impl Iterator<Item = Exhibit<'_>> {
        let tables = self.tables.iter().map(|one| Exhibit::new(&one.name, &one.title, "table"));
        let sweeps = self.sweeps.iter().map(|one| Exhibit::new(&one.name, one.title(), "figure"));
        let figures = self.figures.iter().map(|one| Exhibit::new(&one.name, one.title(), "figure"));
        let shares = self.shares.iter().map(|one| Exhibit::new(&one.name, one.title(), "figure"));
        let bars = self.bars.iter().map(|one| Exhibit::new(&one.name, one.title(), "figure"));
        let grid = self
            .grid
            .iter()
            .map(|one| Exhibit { is_full: true, ..Exhibit::new(one.name(), one.title(), "table") });
        tables.chain(sweeps).chain(figures).chain(shares).chain(bars).chain(grid)
    }

    fn check(&self, kind: &'static str, names: &[String], known: Vec<String>) -> Result<(), UnknownPart> {
        match names.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(UnknownPart { paper: self.name.clone(), kind, name: name.clone(), known }),
            None => Ok(()),
        }
    }

    /// Returns the claims, figures and tables of the paper as text, each with its name and the number of runs that it
    /// needs.
    #[must_use]
    pub fn contents(&self) -> String {
        let mut text = format!("{}\n\n", wrapped(&format!("{}: {}", self.name, self.reference)));
        let mut table = plain_table();
        table.set_header(["", "name", "runs", "about"]);
        for claim in &self.claims {
            let role = match claim.role {
                ClaimRole::Test => "claim",
                ClaimRole::Fit => "fit",
                ClaimRole::Check => "check",
            };
            let runs = self.runs_of(std::slice::from_ref(&claim.id), &[]);
            let about = format!("{} ({})", claim.statement, claim.source);
            table.add_row([role.to_owned(), claim.id.clone(), runs.to_string(), about]);
        }
        for exhibit in self.exhibits() {
            let about = exhibit.title.to_owned();
            let runs = if exhibit.is_full {
                "--full".to_owned()
            } else {
                self.runs_of(&[], &[exhibit.name.to_owned()]).to_string()
            };
            table.add_row([exhibit.kind.to_owned(), exhibit.name.to_owned(), runs, about]);
        }
        text += &aligned(fitted(table, WIDTH, &[3]), 4);
        let all = self.jobs(false, false).len();
        text += &format!("\n\nwhole: {}\n", counted(all, "run"));
        text
    }

    /// Returns the number of runs of a part, seeds included.
    fn runs_of(&self, claims: &[String], figures: &[String]) -> usize {
        let choice = PartChoice { claims, figures, full: false, teeth: false };
        self.clone().part(choice).expect("the names are the paper's").jobs(false, false).len()
    }
}

/// A figure or a table of a paper.
#[derive(Clone, Copy, Debug)]
struct Exhibit<'a> {
    name: &'a str,
    title: &'a str,
    kind: &'static str,
    /// True if only `--full` has it.
    is_full: bool,
}

impl<'a> Exhibit<'a> {
    const fn new(name: &'a str, title: &'a str, kind: &'static str) -> Self {
        Self { name, title, kind, is_full: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn part(paper: &str, claims: &[&str], figures: &[&str]) -> Result<Paper, UnknownPart> {
        let paper = Paper::shipped(Some(paper)).unwrap().remove(0);
        let (claims, figures) = (names(claims), names(figures));
        paper.part(PartChoice { claims: &claims, figures: &figures, full: false, teeth: false })
    }

    /// Every claim and every figure alone has the runs that it looks at, and they are runs of the whole.
    #[test]
    fn every_part_has_its_runs() {
        for paper in Paper::shipped(None).unwrap() {
            let whole = paper.jobs(false, false);
            let claims = paper.claims.iter().map(|claim| (vec![claim.id.clone()], vec![]));
            let figures = paper.figure_names(false).into_iter().map(|name| (vec![], vec![name]));
            for (claims, figures) in claims.chain(figures) {
                let choice = PartChoice { claims: &claims, figures: &figures, full: false, teeth: false };
                let part = paper.clone().part(choice).unwrap();
                let jobs = part.jobs(false, false);
                assert!(!jobs.is_empty() && jobs.is_subset(&whole), "{} {claims:?} {figures:?}", paper.name);
                for claim in &part.claims {
                    let names = claim.unit.reference().into_iter().chain(claim.expect.reference());
                    let runs = names.map(|name| &part.references.get(name).run).chain([&claim.run]);
                    assert!(runs.into_iter().all(|run| part.runs.contains_key(run)), "{claims:?}");
                }
            }
        }
    }

    #[test]
    fn a_part_is_small() {
        let jobs = |paper: Paper| paper.jobs(false, false).len();
        let whole = jobs(Paper::shipped(Some("zhu2015")).unwrap().remove(0));
        let figure = part("zhu2015", &[], &["unfairness"]).unwrap();
        assert_eq!((figure.claims.len(), jobs(figure)), (0, 2));
        let claim = part("zhu2015", &["free-3"], &[]).unwrap();
        assert_eq!(claim.figures.len(), 0);
        assert!(jobs(claim) * 5 < whole);
    }

    #[test]
    fn unknown_names_are_refused_with_near_names() {
        let fault = part("zhu2015", &["fre-3"], &[]).unwrap_err();
        assert_eq!(fault.to_string(), "`zhu2015` has no claim `fre-3`");
        assert!(fault.help().contains("`free-3`") && fault.help().contains("--list"), "{}", fault.help());
        let fault = part("zhu2015", &[], &["unfairnes"]).unwrap_err();
        assert!(fault.help().contains("`unfairness`"), "{}", fault.help());
        // The grid needs `--full`.
        assert!(part("pfister2005", &[], &["grid"]).is_err());
    }

    #[test]
    fn the_contents_have_every_name() {
        let paper = Paper::shipped(Some("pfister2005")).unwrap().remove(0);
        let contents = paper.contents();
        for name in paper.claims.iter().map(|claim| &claim.id).chain(&paper.figure_names(true)) {
            assert!(contents.contains(name.as_str()), "no {name} in {contents}");
        }
    }
}
