//! `run.json`: the manifest of a result folder.
//!
//! Invariant: a manifest names every file that the program has in its folder, and the run that they come from.

use names::{rule, shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Error;
use telemetry::{RunEnding, RunRecord};
use units::Time;

/// Name of the manifest in its folder.
pub const MANIFEST: &str = "run.json";
/// Name of the file with the result of a run of a sweep, which stands alone where no files of the run are kept.
pub const RESULT: &str = "result.json";

/// Name and version of the manifest's format. It changes if a field changes its meaning or is removed.
pub const SCHEMA: &str = "backwater-run/1";

/// The manifest of a result folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Name and version of the format.
    pub schema: String,
    /// Version of the simulator.
    pub version: String,
    /// Commit from which the simulator was built, without changes that were not committed; `None` if it was not built
    /// from a repository.
    pub commit: Option<String>,
    /// Kind of the folder. Manifests of older programs have none, and are read as those of a run.
    #[serde(default)]
    pub kind: FolderKind,
    /// Command line, word by word.
    pub command: Vec<String>,
    /// Plans that were run: one for `sim`, one for each column of `compare`, none for `repro` and `import`, which their
    /// command line identifies.
    pub plans: Vec<PlanIdentity>,
    /// Answer to the question of a sweep or a tuning, in the sentences that were printed; `None` without a question.
    #[serde(default)]
    pub verdict: Option<String>,
    /// End of the runs.
    pub ended: RunEnd,
    /// Files of the folder, without the manifest.
    pub files: Vec<FileEntry>,
    /// Figures that were not drawn. The run succeeds all the same.
    #[serde(default)]
    pub undrawn: Vec<UndrawnEntry>,
    /// Names that `--files` chose; `None` if it was not given. The run may lack data for some of them.
    #[serde(default)]
    pub chosen: Option<Vec<String>>,
}

/// Kind of a result folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FolderKind {
    /// One run: `sim`, a run of `compare` or of a sweep.
    #[default]
    Run,
    /// Runs side by side: `compare`.
    Comparison,
    /// Many runs of one plan: `sweep`.
    Sweep,
    /// A search: `tune`, `repro tuning`.
    Tuning,
    /// Results of papers: `repro`.
    Reproduction,
    /// A scenario made of other files: `import`.
    Import,
}

/// A figure that is not drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndrawnEntry {
    /// Name of its file.
    pub file: String,
    /// The reason: data that the run does not have, or a fault, of which a warning told.
    pub reason: String,
}

/// A plan and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanIdentity {
    /// Name of the scenario.
    pub scenario: String,
    /// Overrides, each as `PATH=VALUE`.
    pub overrides: Vec<String>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Digest of the plan with all overrides and defaults, in hexadecimal. Equal digests mean equal results of one
    /// version.
    pub plan_digest: String,
    /// Policies of congestion control that the program had of its own, each with its type; empty for a plan that the
    /// shipped program can run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_policies: Vec<String>,
}

/// End of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum RunEnd {
    /// The run reached its end.
    Complete,
    /// All finite traffic was delivered, and the run was to end then.
    Done {
        /// Time at which the last message was delivered.
        done_s: f64,
    },
    /// The run was to end when all finite traffic was delivered, and reached its longest time before.
    NotDone {
        /// Simulated time, the longest of the run.
        simulated_s: f64,
    },
    /// The run was to end when all finite traffic was delivered, and all that was left of it had failed.
    GaveUp {
        /// Simulated time, up to the sample that found it.
        simulated_s: f64,
    },
    /// No rank of a job that is not done could go on.
    Stuck {
        /// Simulated time, up to the sample that found it.
        simulated_s: f64,
    },
    /// The user ended the run.
    Interrupted {
        /// Simulated time up to the interrupt.
        simulated_s: f64,
    },
    /// Packets were found to wait for each other in a cycle.
    Deadlock {
        /// The cycle.
        message: String,
    },
    /// The simulator violated one of its invariants.
    Violation {
        /// The invariant.
        message: String,
    },
    /// The files were being written: some may be missing, some of an earlier run.
    Writing,
}

impl RunEnd {
    /// Returns the end of a run with results.
    #[must_use]
    pub fn of(record: &RunRecord) -> Self {
        let simulated_s = record.simulated.seconds();
        match record.ended {
            RunEnding::AtDuration => Self::Complete,
            RunEnding::Done => {
                let done = record.finite.and_then(|finite| finite.done);
                Self::Done { done_s: done.map_or(simulated_s, Time::seconds) }
            }
            RunEnding::NotDone => Self::NotDone { simulated_s },
            RunEnding::GaveUp => Self::GaveUp { simulated_s },
            RunEnding::Stuck => Self::Stuck { simulated_s },
            RunEnding::Interrupted => Self::Interrupted { simulated_s },
        }
    }
}

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileEntry {
    /// Name within the folder; that of a file in a folder below it is its path, with `/`.
    pub name: String,
    /// Size.
    pub bytes: u64,
}

impl Manifest {
    /// Returns the manifest as JSON, with a line end.
    ///
    /// # Panics
    /// Never: a manifest is plain data.
    #[must_use]
    pub fn json(&self) -> String {
        names::json::escaped(serde_json::to_string_pretty(self).expect("a manifest is plain data") + "\n")
    }

    /// Reads a manifest, perhaps a stranger's: names of files are checked, and [`names::shown`] cleans texts.
    ///
    /// # Errors
    /// If the text is not JSON, is not a manifest, or names a file by an impossible name.
    pub fn read(text: &str) -> Result<Self, Error> {
        let manifest: Self = serde_json::from_str(text)?;
        let wrong = |file: &FileEntry| Some((file.name.clone(), rule::check_letters(&file.name).err()?));
        match manifest.files.iter().find_map(wrong) {
            Some((name, fault)) => {
                let name = shown::line(&name).into_owned();
                Err(<Error as serde::de::Error>::custom(format!("the file `{name}`: {fault}")))
            }
            None => Ok(manifest),
        }
    }

    /// Returns true if both manifests have the same kind, and the same plans in the same order. Without plans, the
    /// commands must agree.
    #[must_use]
    pub fn is_of_same_run(&self, other: &Self) -> bool {
        let digests = |of: &Self| of.plans.iter().map(|plan| plan.plan_digest.clone()).collect::<Vec<_>>();
        self.kind == other.kind
            && digests(self) == digests(other)
            && (!self.plans.is_empty() || self.command == other.command)
    }

    /// Returns scenarios, overrides and seeds in words, on one line: `victim with congestion_control=Off, seed 7`.
    /// Without plans, it is the command.
    #[must_use]
    pub fn in_words(&self) -> String {
        if self.plans.is_empty() {
            return shown::line(&self.command.join(" ")).into_owned();
        }
        let words = |plan: &PlanIdentity| {
            let with = if plan.overrides.is_empty() { "" } else { " with " };
            format!("{}{with}{}, seed {}", plan.scenario, plan.overrides.join(", "), plan.seed)
        };
        shown::line(&self.plans.iter().map(words).collect::<Vec<_>>().join("; ")).into_owned()
    }
}

/// Returns the manifest of a run, for tests.
#[cfg(any(test, feature = "sample"))]
#[must_use]
pub fn sample(plan_digest: &str) -> Manifest {
    Manifest {
        schema: SCHEMA.to_owned(),
        version: "0.1.0".to_owned(),
        commit: None,
        kind: FolderKind::Run,
        verdict: None,
        command: vec!["backwater".to_owned(), "sim".to_owned(), "victim".to_owned()],
        plans: vec![PlanIdentity {
            scenario: "victim".to_owned(),
            overrides: vec!["congestion_control=Off".to_owned()],
            seed: 7,
            plan_digest: plan_digest.to_owned(),
            own_policies: Vec::new(),
        }],
        ended: RunEnd::Complete,
        files: Vec::new(),
        undrawn: Vec::new(),
        chosen: None,
    }
}

/// Returns a manifest for each end of a run.
#[cfg(test)]
pub(crate) fn samples() -> Vec<Manifest> {
    let ends = [
        RunEnd::Complete,
        RunEnd::Done { done_s: 0.005 },
        RunEnd::NotDone { simulated_s: 0.01 },
        RunEnd::GaveUp { simulated_s: 0.01 },
        RunEnd::Stuck { simulated_s: 0.01 },
        RunEnd::Interrupted { simulated_s: 0.01 },
        RunEnd::Deadlock { message: "S1, port 2".to_owned() },
        RunEnd::Violation { message: "H1".to_owned() },
        RunEnd::Writing,
    ];
    let files = vec![FileEntry { name: "flows.csv".to_owned(), bytes: 12 }];
    let undrawn =
        vec![UndrawnEntry { file: "watch.svg".to_owned(), reason: "there is no `watch.csv`".to_owned() }];
    let manifest = |ended| Manifest { ended, files: files.clone(), undrawn: undrawn.clone(), ..sample("a") };
    ends.into_iter().map(manifest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        for manifest in samples() {
            assert_eq!(Manifest::read(&manifest.json()).unwrap(), manifest);
        }
        let answer = Manifest {
            kind: FolderKind::Sweep,
            verdict: Some("Best of 2 settings.".to_owned()),
            plans: Vec::new(),
            ..sample("a")
        };
        assert_eq!(Manifest::read(&answer.json()).unwrap(), answer);
        assert!(samples().iter().any(|manifest| manifest.json().contains("\"how\": \"writing\"")));
        let older = sample("a").json().replace(",\n  \"undrawn\": []", "");
        let older = older.replace("  \"kind\": \"run\",\n", "").replace("  \"verdict\": null,\n", "");
        let older = older.replace(",\n  \"chosen\": null", "");
        assert!(
            !["undrawn", "kind", "verdict", "chosen"].iter().any(|field| older.contains(field)),
            "{older}"
        );
        assert_eq!(Manifest::read(&older).unwrap(), sample("a"), "older manifests have no such field");
    }

    proptest::proptest! {
        /// A manifest that somebody has changed is read or refused.
        #[test]
        fn a_changed_manifest_is_read_or_refused(which in 0..samples().len(), at in 0.0..1.0_f64, piece in "[\"{}0-9,:null-]{0,4}") {
            let mut text = samples()[which].json();
            let place = (at * text.len() as f64) as usize;
            text.replace_range(place..(place + 1).min(text.len()), &piece);
            if let Ok(read) = Manifest::read(&text) {
                let _ = (read.in_words(), read.is_of_same_run(&samples()[0]));
            }
        }
    }

    #[test]
    fn a_run_is_told_in_words() {
        assert_eq!(sample("a").in_words(), "victim with congestion_control=Off, seed 7");
        assert_eq!(Manifest { plans: vec![], ..sample("a") }.in_words(), "backwater sim victim");
    }

    #[test]
    fn names_of_others_act_on_nothing() {
        let mut forged = sample("a");
        forged.plans[0].scenario = "x\u{1b}[2J\nhelp: run this".to_owned();
        let read = Manifest::read(&forged.json()).unwrap();
        assert_eq!(read.in_words(), "x␛[2J␊help: run this with congestion_control=Off, seed 7");
        forged.files = vec![FileEntry { name: "a\u{202e}b".to_owned(), bytes: 0 }];
        assert!(forged.json().chars().all(|letter| rule::is_plain(letter) || letter == '\n'));
        let refused = Manifest::read(&forged.json()).unwrap_err().to_string();
        assert!(
            refused.starts_with("the file `a<U+202E>b`: U+202E, which changes the direction"),
            "{refused}"
        );
    }
}
