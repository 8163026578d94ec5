//! `cargo xtask test-timelines`: traces of shipped scenarios, read with Perfetto's own description of its format.
//!
//! Invariant: nothing is installed here. The script `timelines.py` knows the format by the Python package `perfetto` alone, and compares the
//! events that it finds with the counts that `backwater trace` prints.
//!
//! Perfetto's program that reads traces is no part of that package, which downloads it; the script does not need it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{finish, root};
use crate::readers::{lacking_of, python};
use crate::{help, simulate};

/// Packages that the script imports.
const PACKAGES: &str = "perfetto, google.protobuf";

/// Traces by name: marks and notifications under credits, waits without congestion control, pauses under PFC, and DCQCN.
const TRACES: [(&str, &[&str]); 4] = [
    ("credits", &["victim", "--ports", "S2:H5", "--ports", "S1:S2", "--flows", "far", "--flows", "victim"]),
    ("waits", &["victim", "--ports", "S1:S2", "--flows", "victim", "--set", "congestion_control=Off"]),
    (
        "pauses",
        &["roce-victim", "--ports", "H1", "--flows", "F1", "--flows", "V", "--set", "flows[3].start=500 us"],
    ),
    ("dcqcn", &["conext2016-join", "--ports", "*:*", "--flows", "*"]),
];
/// Starts and an end that let every flow of these scenarios send.
const EARLY: [&str; 3] = ["duration=2 ms", "flows[1].start=100 us", "flows[2].start=200 us"];

/// Writes the traces and reads them.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("test-timelines", arguments) {
        return refused;
    }
    if let Some(message) = lacking() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    match simulate::build().map(|program| written(&program, &root().join("target/timelines"))) {
        Ok(Ok(files)) => {
            let mut reading = Command::new(python());
            reading.arg(root().join("xtask/src/timelines.py")).args(files);
            finish(reading)
        }
        Ok(Err(fault)) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
        Err(failed) => failed,
    }
}

/// Returns what is missing, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    lacking_of(PACKAGES, "perfetto, protobuf", "test-timelines")
}

/// Writes all traces to a folder, which is emptied. Returns the file of each, and that with what was printed.
fn written(program: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    // What an earlier call left may be missing.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    let mut files = Vec::new();
    for (name, arguments) in TRACES {
        let [trace, printed] =
            ["perfetto-trace", "txt"].map(|ending| folder.join(name).with_extension(ending));
        let mut command = Command::new(program);
        command
            .arg("trace")
            .args(arguments)
            .args(["--sample", "10 us", "--out"])
            .arg(&trace)
            .stdin(Stdio::null());
        EARLY.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        let output = command.output().map_err(|cause| format!("{}: {cause}", program.display()))?;
        if !output.status.success() {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        fs::write(&printed, output.stdout).map_err(|cause| format!("{}: {cause}", printed.display()))?;
        files.extend([trace, printed]);
    }
    Ok(files)
}
