//! Remedies for errors of several kinds: the text behind `help:` in a failure's message.
//!
//! Invariant: a remedy depends on the kind of the error alone.

use experiment::StoreError;
use experiment::tuning::TuningError;
use fabric::CheckpointError;
use page::PageError;
use results::OutputError;
use results::reader::ReadError;

pub(crate) fn checkpoint_help(error: &CheckpointError) -> &'static str {
    match error {
        CheckpointError::Foreign => "name a file that `sim --checkpoint-every` has written",
        CheckpointError::Damaged => "resume from a copy of it, or run from the start: leave out `--resume`",
        CheckpointError::Format { .. } | CheckpointError::Build { .. } | CheckpointError::State(_) => {
            "resume with the build that wrote it, or run from the start: leave out `--resume`"
        }
        CheckpointError::Plan { .. } => {
            "give the scenario, the overrides and the seed of the run that wrote it, or run from the start: leave out `--resume`"
        }
    }
}

pub(crate) fn page_help(fault: &PageError) -> &'static str {
    match fault {
        PageError::NoManifest | PageError::NotOneRun(_) => "name a result folder of `sim`, `sweep` or `tune`",
        PageError::ResultAlone => "repeat the sweep with `--files all`, or run the scenario with `sim`",
        PageError::SeveralRuns(_) => "name the folder of one of the runs in it",
        PageError::NoResults(_) => "change the scenario so that the run reaches its end",
        PageError::Read(ReadError::LeftOut(_)) => {
            "the page is made of all tables: repeat the run without `--files`, or make the page with it: `sim --open`"
        }
        PageError::Read(ReadError::Missing(_)) => {
            "the page is made of tables in CSV: repeat the run with them"
        }
        PageError::Read(_) | PageError::Torn => "repeat the run: `sim` writes its folder anew",
    }
}

pub(crate) fn output_help(error: &OutputError) -> &'static str {
    match error {
        OutputError::Unwritable { .. } => "choose another folder with `--out DIR`",
        OutputError::NoFolder(_) => "name a folder with `--out DIR`: one that is there, or a new one",
        OutputError::Busy { .. } => "wait until it has ended, or choose another folder with `--out DIR`",
        OutputError::Torn(_) => "wait for its writer, or make the run again, into the same folder",
        OutputError::Above(_) => "name a folder of its own with `--out DIR`",
        OutputError::NoRun { .. } => {
            "name a result folder of `sim` or `compare`, or a file with `--out FILE`"
        }
        OutputError::NameOfResult { .. } => {
            "put it in a folder beside the scenario, such as `inputs/`: the copy keeps its path"
        }
        OutputError::OtherRun { .. } | OutputError::Foreign { .. } | OutputError::Manifest { .. } => {
            "choose another folder with `--out DIR`, or overwrite with `--force`"
        }
    }
}

pub(crate) fn store_help(error: &StoreError) -> &'static str {
    match error {
        StoreError::Changed { .. } => "plan the sweep again, in another folder or with `--force`",
        StoreError::Foreign(_) => "move it away, or choose another folder with `--out DIR`",
        _ => "choose another folder with `--out DIR`",
    }
}

pub(crate) fn tuning_help(error: &TuningError) -> &'static str {
    use TuningError::{Budget, FewSeeds, Goal, NoDuration, NoObjective, Scenario, SeedTwice, Store};
    match error {
        Budget { .. } => "allow more `--runs`, or name fewer seeds with `--seeds` and `--held-out`",
        SeedTwice(_) => "name other seeds in `--held-out`, or other traffic with `--held-out-set PATH=VALUE`",
        FewSeeds { .. } => "name more seeds with `--seeds` and `--held-out`, such as `1..=4`",
        NoDuration => "leave out `--halve duration`, which is by seeds then, or `--until-done`",
        NoObjective { .. } => "choose another measure, or a scenario that has it",
        Scenario(_) | Goal(_) | Store(_) => "",
    }
}
