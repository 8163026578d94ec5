//! `cargo xtask test-readers`: results of shipped scenarios, read by `polars`, `pandas` and `duckdb`.
//!
//! Invariant: nothing is installed here. Types come from `backwater schema` alone; the script `readers.py` knows the readers,
//! and no file or column.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{finish, root};
use crate::{help, simulate};

/// Packages that the script imports.
const PACKAGES: &str = "duckdb, jsonschema, pandas, polars";

/// Everything over time, and a log of pauses.
const SERIES: &str = r#"series=(ports: ["*"], busiest_ports: 2, sources: ["*"], pauses: ["*"])"#;

/// Runs, by the name of their folder: with and without congestion control under credits, and under PFC, with watched
/// quantities, without completion times, and of patterns.
const RUNS: [(&str, &[&str]); 6] = [
    ("credits", &["sim", "victim", "--fct-txt", "--set", "duration=\"22 ms\"", "--set", SERIES]),
    ("credits-off", &["sim", "victim", "--set", "congestion_control=Off", "--set", "duration=\"22 ms\""]),
    ("hp", &["sim", "hp2001-window-only", "--set", "duration=\"2 ms\"", "--set", SERIES]),
    ("pfc", &["sim", "roce-victim", "--set", "completions=NotKept", "--set", SERIES]),
    (
        "dcqcn",
        &[
            "sim",
            "conext2016-join",
            "--set",
            "flows[2].start=\"1 ms\"",
            "--set",
            "duration=\"2 ms\"",
            "--set",
            SERIES,
        ],
    ),
    ("compared", &["compare", "one-flow", "one-flow:congestion_control=Off"]),
];

/// Runs the scenarios and reads their files.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("test-readers", arguments) {
        return refused;
    }
    if let Some(message) = lacking() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let folder = root().join("target/readers");
    match simulate::build().and_then(|program| results(&program, &folder)) {
        Err(failed) => failed,
        Ok((schema, folders)) => {
            let mut reading = Command::new(python());
            reading.arg(root().join("xtask/src/readers.py")).arg(schema).args(folders);
            finish(reading)
        }
    }
}

/// Returns what is missing, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    lacking_of(PACKAGES, PACKAGES, "test-readers")
}

/// Returns the message of a verb that imports these modules, of these packages, if Python lacks some of them.
pub(crate) fn lacking_of(modules: &str, packages: &str, verb: &str) -> Option<String> {
    let python = python();
    let cause = importable(&python, modules).err()?;
    Some(missing(&python.to_string_lossy(), packages, verb, &cause))
}

/// Returns Python: that of the variable `PYTHON`, or the one installed.
pub(crate) fn python() -> OsString {
    env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}

/// Returns the reason why Python lacks one of these packages, if it does.
fn importable(python: &OsStr, packages: &str) -> Result<(), String> {
    let tried =
        Command::new(python).arg("-c").arg(format!("import {packages}")).stdin(Stdio::null()).output();
    match tried {
        Err(cause) => Err(cause.to_string()),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(text.lines().last().unwrap_or("it says nothing").to_owned())
        }
    }
}

/// Returns the message of a verb that needs packages of Python which are not there, with the way to get them.
fn missing(python: &str, packages: &str, verb: &str, cause: &str) -> String {
    let names = packages.replace(',', "");
    format!(
        "error: `{python}` cannot import all of {packages}: {cause}\n\
         help: install them, for instance in an environment of their own:\n\
         \x20 python3 -m venv target/python\n\
         \x20 target/python/bin/pip install {names}\n\
         \x20 PYTHON=target/python/bin/python cargo xtask {verb}"
    )
}

/// Runs all scenarios. Returns the file with the schema, and the folders of results.
fn results(program: &Path, folder: &Path) -> Result<(PathBuf, Vec<PathBuf>), ExitCode> {
    let failed = |what: &str| {
        eprintln!("error: {what}");
        ExitCode::FAILURE
    };
    // What an earlier call left may be missing.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|cause| failed(&format!("{}: {cause}", folder.display())))?;
    let schema = folder.join("schema.json");
    let printed = Command::new(program).arg("schema").output();
    let printed = printed.ok().filter(|output| output.status.success());
    let written = printed.is_some_and(|output| fs::write(&schema, output.stdout).is_ok());
    if !written {
        return Err(failed("`backwater schema` prints no schema"));
    }
    for (name, arguments) in RUNS {
        let mut command = Command::new(program);
        command.args(arguments).arg("--quiet").arg("--out").arg(folder.join(name)).stdin(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) {
            return Err(failed(&format!("the run `{name}` failed")));
        }
    }
    Ok((schema, RUNS.iter().map(|(name, _)| folder.join(name)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_packages_are_named_with_the_way_to_get_them() {
        let message = missing("python3", PACKAGES, "test-readers", "No module named 'polars'");
        assert!(
            message.starts_with("error: `python3` cannot import all of duckdb, jsonschema, pandas, polars")
        );
        assert!(message.contains("pip install duckdb jsonschema pandas polars\n"));
        assert!(importable(OsStr::new("/no/such/python"), PACKAGES).is_err());
    }
}
