//! Placements of a job as a sweep over its `place`.
//!
//! Invariant: every placement runs the same job, with as many ranks. A text that is no placement is refused before the
//! first run; a placement that the hosts do not allow is told beside the others.
//!
//! | module | contents |
//! |---|---|
//! | here | the job, its placements, and the sweep over those that fit |
//! | `printed` | the answer in the words of placements |

mod printed;

use scenario::{Diagnostic, JobOutlook, Plan, Scenario, ScenarioText};
use settings::FieldPath;

use super::fault::Given;
use super::request::SweepRequest;
use super::rows::SweepPlan;
use super::values;
use crate::simulation;

/// A job whose placements are to be tried.
#[derive(Clone, Debug, Default)]
pub struct PlacementRequest {
    /// Scenario, overrides, seeds and end of all runs; it varies nothing.
    pub sweep: SweepRequest,
    /// Name of the job; `None` for the only one.
    pub job: Option<String>,
    /// Placements, with commas between them; `None` for the usual ones.
    pub places: Option<Given>,
}

/// Placements of a job, and the runs of those that fit.
#[derive(Clone, Debug)]
pub struct Placements {
    /// Name of the job.
    pub job: String,
    /// Runs of the placements that fit.
    pub plan: SweepPlan,
    /// Path of the job's `place`.
    path: String,
    /// All placements in order, as written.
    trials: Vec<Trial>,
}

/// A placement, and its cost before the run.
#[derive(Clone, Debug)]
struct Trial {
    place: String,
    /// The job before each of its runs, or the reason for which it does not fit.
    outlooks: Result<Vec<Outlook>, String>,
}

/// A job before its run, and the ends of the cable that it keeps busy for longest.
#[derive(Clone, Debug)]
struct Outlook {
    job: JobOutlook,
    busiest: Option<(String, String)>,
}

/// Placements that cannot be tried.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PlacementError {
    /// The scenario, a placement or an option is wrong.
    #[error("{0}")]
    Scenario(#[from] Diagnostic),
    /// There is no job.
    #[error("`{scenario}` has no job to place")]
    NoJob {
        /// Name of the scenario.
        scenario: String,
    },
    /// There are several jobs, and none is named.
    #[error("`{scenario}` has several jobs, and `--job` names none")]
    Several {
        /// Name of the scenario.
        scenario: String,
        /// Names of the jobs.
        known: Vec<String>,
    },
    /// There is no job of this name.
    #[error("there is no job `{name}`")]
    Unknown {
        /// The name as given.
        name: String,
        /// Names of the jobs.
        known: Vec<String>,
    },
}

impl PlacementError {
    /// Returns the correction; `None` if the error has it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Scenario(_) => None,
            Self::NoJob { .. } => Some(
                "write one in `jobs` (`backwater show ring-all-reduce`), or import one: `backwater import goal FILE \
                 --into FABRIC.ron --out DIR`"
                    .to_owned(),
            ),
            Self::Several { known, .. } => {
                let options: Vec<_> = known.iter().map(|name| format!("`--job {name}`")).collect();
                Some(format!("add {}", options.join(" or ")))
            }
            Self::Unknown { name, known } => Some(scenario::help_with_name(name, known, "jobs")),
        }
    }
}

impl PlacementRequest {
    /// Returns the placements, and the runs of those that fit.
    ///
    /// # Errors
    /// If no job is named, a text is no placement, or none fits.
    pub fn placements(mut self) -> Result<Placements, PlacementError> {
        let name = self.sweep.scenario.clone().unwrap_or_default();
        let sets: Vec<_> = self.sweep.set.iter().map(|given| given.text.clone()).collect();
        let source = simulation::text(&name, &sets, None)?;
        let scenario = Scenario::read(&source)?;
        let known: Vec<_> = scenario.jobs.iter().map(|job| job.name.clone()).collect();
        let place = match (&self.job, &known[..]) {
            (_, []) => return Err(PlacementError::NoJob { scenario: name }),
            (None, [_]) => 0,
            (None, _) => return Err(PlacementError::Several { scenario: name, known }),
            (Some(job), _) => {
                let found = known.iter().position(|one| one == job);
                found.ok_or_else(|| PlacementError::Unknown { name: job.clone(), known: known.clone() })?
            }
        };
        let path = FieldPath::from("jobs").name(&known[place]).name("place").to_string();
        let placed = Placed { source, path, place };
        let written = scenario.check(&placed.source);
        let places = match &self.places {
            Some(given) => values::list(&given.text).map_err(|fault| given.fault(&fault, None))?,
            None => placed.usual()?,
        };
        let mut trials = placed.trials(&places, written.as_ref().ok())?;
        let fitting: Vec<_> =
            trials.iter().filter(|one| one.outlooks.is_ok()).map(|one| one.place.as_str()).collect();
        if fitting.is_empty() {
            // The scenario's own fault comes first: no placement mends it.
            written?;
            let first = placed.with(&places[0])?;
            return Err(first.err().unwrap_or_else(|| placed.fault_of_ranks(&places[0], &trials[0])).into());
        }
        let vary = format!("{}={}", placed.path, fitting.join(","));
        self.sweep.vary = vec![Given::by_option("--places", &vary)];
        let plan = self.sweep.sweep()?.identify()?;
        outlook(&mut trials, &plan, &known[place])?;
        Ok(Placements { job: known[place].clone(), plan, path: placed.path, trials })
    }
}

/// A scenario with a job in it.
struct Placed {
    source: ScenarioText,
    /// Path of the job's placement.
    path: String,
    /// Place of the job among the jobs.
    place: usize,
}

impl Placed {
    /// Returns the plan with a placement, or the fault of a placement that does not fit.
    ///
    /// # Errors
    /// If the text is no placement.
    fn with(&self, place: &str) -> Result<Result<Plan, Diagnostic>, Diagnostic> {
        let mut source = self.source.clone();
        source.set_by(format!("--places {place}"), &format!("{}={place}", self.path))?;
        let checked = Scenario::read(&source)?.check(&source);
        let below = format!("jobs[{}].place.", self.place);
        match checked {
            Err(fault) if fault.faults().iter().any(|one| one.path.starts_with(&below)) => Err(fault),
            checked => Ok(checked),
        }
    }

    /// Returns the usual placements: in blocks, in turn, from leaf to leaf, one a leaf, and at random.
    fn usual(&self) -> Result<Vec<String>, Diagnostic> {
        let mut places = vec!["Block()".to_owned(), "Cyclic".to_owned()];
        if let Some(stride) = self.hosts_of_leaf()? {
            places.push(format!("Striped(stride: {stride})"));
        }
        places.extend(["OnePerLeaf".to_owned(), "Random".to_owned()]);
        Ok(places)
    }

    /// Returns the number of hosts of the job at its first leaf: those that its ranks in a row reach, before they come
    /// to another leaf. `None` if they come to none.
    fn hosts_of_leaf(&self) -> Result<Option<usize>, Diagnostic> {
        let Ok(plan) = self.with("Cyclic")? else { return Ok(None) };
        let job = &plan.workload().jobs[self.place];
        let graph = plan.graph();
        let leaf = |rank: usize| graph.ports(job.hosts[rank]).first().map(|port| port.peer);
        let ranks = 0..job.programs.ranks.len();
        Ok(ranks.into_iter().position(|rank| leaf(rank) != leaf(0)))
    }

    /// Returns all placements, with the reasons of those that do not fit. `written` is the plan as it is written, which
    /// says how many ranks the job has.
    fn trials(&self, places: &[String], written: Option<&Plan>) -> Result<Vec<Trial>, Diagnostic> {
        let ranks_of = |plan: &Plan| plan.workload().jobs[self.place].programs.ranks.len();
        let mut ranks = written.map(ranks_of);
        let mut trials = Vec::new();
        for place in places {
            let outlooks = match self.with(place)? {
                Err(fault) => Err(fault.faults().first().map_or_else(String::new, |fault| {
                    let is_of_program = fault.path.starts_with(&format!("jobs[{}].program", self.place));
                    if written.is_some() && is_of_program {
                        format!("with as many ranks as places, the program is wrong: {}", fault.message)
                    } else {
                        fault.message.clone()
                    }
                })),
                Ok(plan) => match (ranks_of(&plan), *ranks.get_or_insert(ranks_of(&plan))) {
                    (own, wanted) if own == wanted => Ok(Vec::new()),
                    (own, wanted) => Err(format!(
                        "it makes the job one of {own} ranks, not of {wanted}: the program takes as many as have \
                         places, unless it has `ranks`"
                    )),
                },
            };
            trials.push(Trial { place: place.clone(), outlooks });
        }
        Ok(trials)
    }

    /// Returns the fault of a placement with another number of ranks.
    fn fault_of_ranks(&self, place: &str, trial: &Trial) -> Diagnostic {
        let message = trial.outlooks.as_ref().err().cloned().unwrap_or_default();
        scenario::LocatedFault {
            file: format!("--places {place}"),
            place: None,
            path: self.path.clone(),
            message,
            help: Some("state `ranks` in the program of the job".to_owned()),
        }
        .into()
    }
}

/// Finds the job before each run.
fn outlook(trials: &mut [Trial], plan: &SweepPlan, job: &str) -> Result<(), Diagnostic> {
    let found = |run: &super::rows::PlannedRun| -> Result<Outlook, Diagnostic> {
        let plan = run.unit.plan()?;
        let outlook = plan.job_outlooks().into_iter().find(|one| one.name == job);
        let outlook = outlook.expect("every placement keeps the job");
        let graph = plan.graph();
        let busiest = outlook.busiest.map(|output| {
            let (peer, _) = graph.far_end((output.node, output.port));
            (graph.name(output.node).to_owned(), graph.name(peer).to_owned())
        });
        Ok(Outlook { job: outlook, busiest })
    };
    for (run, outlook) in plan.runs.iter().zip(crate::pool::results(&plan.runs, found)) {
        let (_, place) = run.settings.last().expect("placements are varied");
        let trial = trials.iter_mut().find(|trial| trial.place == *place).expect("each run is of a trial");
        trial.outlooks.as_mut().expect("it fits").push(outlook?);
    }
    Ok(())
}
