//! Processes that MPI has started, in a build without MPI. `cargo xtask test-mpi` tests a build with it.
#![cfg(not(feature = "mpi"))]

use std::path::Path;
use std::process::Command;

/// Each process would run the whole scenario, and write to the same folder.
#[test]
fn several_processes_that_do_not_know_each_other_are_refused() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ranks");
    // What an earlier test left may be missing.
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).unwrap();
    for (variable, count, status) in [
        ("OMPI_COMM_WORLD_SIZE", "4", 2),
        ("PMI_SIZE", "2", 2),
        ("SLURM_STEP_NUM_TASKS", "3", 2),
        ("PMI_SIZE", "1", 0),
    ] {
        let run = ["sim", "one-flow", "--set", "duration=1 ms", "--quiet", "--out", "run"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwater"));
        let output = command.args(run).env(variable, count).current_dir(&scratch).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{said}");
        if status == 2 {
            let expected = format!(
                "error: MPI has started {count} processes, and this build of backwater is without MPI: each of them would run all of it\n\
                 help: build with MPI: `cargo install --path crates/runner --features mpi`, or start one process\n"
            );
            assert_eq!(said, expected);
            assert!(!scratch.join("run").exists(), "nothing is written");
        }
    }
    let mut list = Command::new(env!("CARGO_BIN_EXE_backwater"));
    assert!(
        list.arg("list").env("PMI_SIZE", "2").output().unwrap().status.success(),
        "`list` runs no simulation"
    );
}
