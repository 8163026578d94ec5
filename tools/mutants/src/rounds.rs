//! The rounds of a crate: from its mutants to their outcomes.
//!
//! | round | mutants | tests |
//! |---|---|---|
//! | own | all in the common build | of the crate, those that reach the mutant, up to a sum of times |
//! | laws | survivors | of higher crates, those that reach the mutant, up to a sum of times |
//! | alone | those that need a build of their own, and survivors that a constant may use | of the crate, all |
//!
//! Invariant: tests run fastest first, up to the first that catches the mutant.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::compile::Compiler;
use crate::listing::Mutant;
use crate::outcomes::{Outcome, Tested};
use crate::schema::{self, Schema};
use crate::suite::{Suite, Test, Verdict};
use crate::tree::Tree;
use crate::workers;

/// Most seconds of tests for one mutant in a round, by their times without a mutant.
const MOST_SECONDS: f64 = 10.0;

/// A crate whose tests are held to the share, and the crates above that state its laws.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Name of the package.
    pub name: &'static str,
    /// Path of its folder, relative to the workspace.
    pub folder: &'static str,
    /// Names of higher packages whose tests are laws of this crate.
    pub laws: &'static [&'static str],
}

/// Places and extent of the work.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Workspace, which is only read.
    pub root: PathBuf,
    /// Folder of the copy, the build products and the traces.
    pub work: PathBuf,
    /// Number of tests that run at once.
    pub jobs: usize,
    /// Share `(k, n)`: every n-th mutant from the k-th.
    pub shard: Option<(usize, usize)>,
    /// Least limit of a test on a mutant, in seconds of the processor.
    pub least_limit: u64,
    /// True if survivors meet the tests of higher crates.
    pub laws: bool,
}

/// Tests the mutants of a crate, but for those whose results of an earlier run stand. Returns one result for each mutant of
/// the shard, in order.
///
/// # Errors
///
/// Fails if the crate does not build, or if a test fails without a mutant.
pub fn test(
    subject: &Subject,
    mutants: &[Mutant],
    standing: Vec<Tested>,
    settings: &Settings,
) -> Result<Vec<Tested>, String> {
    let tree = Tree::new(&settings.root, &settings.work.join("tree"), Path::new(subject.folder))?;
    let compiler = Compiler { tree: &tree, products: settings.work.join("target") };
    let name = subject.name;
    eprintln!("{name}: {} mutants; the compiler sorts out those that it refuses", mutants.len());
    let schema = schema::write(&compiler, name, mutants)?;
    let rounds = Rounds { subject, settings, compiler, mutants, schema };
    rounds.all(standing)
}

struct Rounds<'a> {
    subject: &'a Subject,
    settings: &'a Settings,
    compiler: Compiler<'a>,
    mutants: &'a [Mutant],
    schema: Schema,
}

impl Rounds<'_> {
    fn all(&self, mut standing: Vec<Tested>) -> Result<Vec<Tested>, String> {
        let (k, n) = self.settings.shard.unwrap_or((0, 1));
        let shard: Vec<&Mutant> = self.mutants.iter().skip(k).step_by(n).collect();
        standing.retain(|tested| shard.iter().any(|mutant| mutant.number == tested.number));
        let open = shard.into_iter().filter(|mutant| standing.iter().all(|one| one.number != mutant.number));
        let (together, apart): (Vec<_>, Vec<_>) =
            open.partition(|mutant| self.schema.together.contains(&mutant.number));
        let own = self.suite(&[self.subject.name], "own")?;
        let first = self.round(&together, |mutant| self.on(&own, mutant, Outcome::Caught))?;
        let (mut done, survivors) = self.split(first);
        let second = if survivors.is_empty() || !self.settings.laws {
            survivors.iter().map(|(_, tested)| tested.clone()).collect()
        } else {
            let laws = self.suite(self.subject.laws, "laws")?;
            let survivors: Vec<_> = survivors.iter().map(|(mutant, _)| *mutant).collect();
            self.round(&survivors, |mutant| self.on(&laws, mutant, Outcome::CaughtByLaw))?
        };
        let (caught, survivors) = self.split(second);
        done.extend(caught);
        let mut alone = Vec::new();
        for mutant in apart {
            match self.schema.alone.contains(&mutant.number) {
                true => alone.push(mutant),
                false => done.push(Tested::new(mutant, Outcome::Unviable)),
            }
        }
        for (mutant, tested) in survivors {
            match self.schema.may_be_constant.contains(&mutant.number) {
                true => alone.push(mutant),
                false => done.push(tested),
            }
        }
        done.extend(self.alone(&alone, &own)?);
        done.extend(standing);
        done.sort_by_key(|tested| tested.number);
        Ok(done)
    }

    /// Builds the tests of the packages, and runs each without a mutant.
    fn suite(&self, packages: &[&str], round: &str) -> Result<Suite, String> {
        eprintln!("{}: builds the tests of {}", self.subject.name, packages.join(", "));
        let programs = self.compiler.tests(packages)?;
        let suite =
            Suite::trace(&programs, &self.settings.work.join("traces").join(round), self.settings.jobs)?;
        let seconds: f64 = suite.all().iter().map(|test| test.seconds).sum();
        eprintln!("{}: {} tests take {seconds:.1} s without a mutant", self.subject.name, suite.all().len());
        Ok(suite)
    }

    /// Runs a round, and says how far it is.
    fn round(
        &self,
        mutants: &[&Mutant],
        test: impl Fn(&Mutant) -> Result<Tested, String> + Sync,
    ) -> Result<Vec<Tested>, String> {
        let (done, missed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        workers::each(self.settings.jobs, mutants, |_, mutant| {
            let tested = test(mutant)?;
            let name = self.subject.name;
            if tested.outcome == Outcome::Missed {
                eprintln!("{name}: passes {} tests: {}", tested.tests, tested.place);
                missed.fetch_add(1, Relaxed);
            }
            let count = done.fetch_add(1, Relaxed) + 1;
            if count % 50 == 0 || count == mutants.len() {
                eprintln!("{name}: {count} of {} mutants, {} survive", mutants.len(), missed.load(Relaxed));
            }
            Ok(tested)
        })
    }

    /// Runs the tests of the suite that reach the mutant.
    fn on(&self, suite: &Suite, mutant: &Mutant, caught: Outcome) -> Result<Tested, String> {
        let (tests, left_out) = suite.reaching(mutant.number, MOST_SECONDS);
        let tested = self.tested(mutant, &tests, Some(mutant.number), caught)?;
        Ok(Tested { left_out, ..tested })
    }

    /// Runs the tests up to the first that catches the mutant.
    fn tested(
        &self,
        mutant: &Mutant,
        tests: &[&Test],
        number: Option<u32>,
        caught: Outcome,
    ) -> Result<Tested, String> {
        for test in tests {
            let outcome = match test.on(number, self.settings.least_limit)? {
                Verdict::Passed => continue,
                Verdict::Failed => caught,
                Verdict::Endless => Outcome::Endless,
            };
            return Ok(Tested { test: test.title(), ..Tested::new(mutant, outcome) });
        }
        Ok(Tested { tests: tests.len(), ..Tested::new(mutant, Outcome::Missed) })
    }

    /// Splits results into those that are final and the survivors.
    fn split(&self, results: Vec<Tested>) -> (Vec<Tested>, Vec<(&Mutant, Tested)>) {
        let (survivors, done): (Vec<_>, Vec<_>) =
            results.into_iter().partition(|tested| tested.outcome == Outcome::Missed);
        let with_mutant = survivors.into_iter().filter_map(|tested| {
            Some((self.mutants.iter().find(|mutant| mutant.number == tested.number)?, tested))
        });
        (done, with_mutant.collect())
    }

    /// Builds the crate's tests for each mutant anew.
    fn alone(&self, mutants: &[&Mutant], own: &Suite) -> Result<Vec<Tested>, String> {
        let tree = self.compiler.tree;
        self.mutants.iter().try_for_each(|mutant| tree.restore(&mutant.file))?;
        let mut done = Vec::new();
        for mutant in mutants {
            eprintln!("{}: builds {}", self.subject.name, mutant.place);
            let source = tree.original(&mutant.file)?;
            tree.write(&mutant.file, &mutant.applied(source, &(0..source.len())))?;
            let tested = match self.compiler.tests(&[self.subject.name]) {
                Ok(programs) => {
                    let suite = own.rebuilt(&programs);
                    self.tested(mutant, &suite.all().iter().collect::<Vec<_>>(), None, Outcome::Caught)?
                }
                // The library compiles, so its tests ask the compiler.
                Err(_) => Tested { test: "the compiler".to_owned(), ..Tested::new(mutant, Outcome::Caught) },
            };
            done.push(Tested { alone: true, ..tested });
            tree.restore(&mutant.file)?;
        }
        Ok(done)
    }
}
