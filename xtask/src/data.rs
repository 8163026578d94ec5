//! `cargo xtask test-data`: tables in Parquet, the questions of `docs/data.md`, and the script for Optuna.
//!
//! Invariant: nothing is installed here. `data.py` compares cells, runs the page's blocks and the script; it knows no file or
//! column.
//!
//! | argument | effect |
//! |---|---|
//! | `--bless` | the answers of the page are written anew |
//! | `--program FILE` | this program is tested, instead of a release build with the feature `parquet` |

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::cargo::{finish, root};
use crate::readers::{lacking_of, python};
use crate::simulate;

/// Packages that the scripts import.
const PACKAGES: &str = "duckdb, optuna, polars";

/// Runs the script of this chore.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let Some(Options { bless, program }) = options(arguments) else {
        eprintln!("error: `cargo xtask test-data` takes `--bless` and `--program FILE`, and nothing else");
        return ExitCode::from(2);
    };
    if let Some(message) = lacking() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let program = match program.map_or_else(|| simulate::build_with(&["parquet"]), Ok) {
        Ok(program) => program,
        Err(failed) => return failed,
    };
    let folder = root().join("target/data");
    // What an earlier call left may be missing.
    let _ = fs::remove_dir_all(&folder);
    if let Err(cause) = fs::create_dir_all(&folder) {
        eprintln!("error: {}: {cause}", folder.display());
        return ExitCode::FAILURE;
    }
    let mut script = Command::new(python());
    script.arg(root().join("xtask/src/data.py")).arg(program).arg(folder);
    script.arg(root().join("docs/data.md")).arg(root().join("docs/examples/optuna_tune.py"));
    script.args(bless.then_some("--bless"));
    finish(script)
}

/// Returns what is missing, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    lacking_of(PACKAGES, PACKAGES, "test-data")
}

#[derive(Debug, Default, PartialEq)]
struct Options {
    bless: bool,
    program: Option<PathBuf>,
}

fn options(arguments: &[OsString]) -> Option<Options> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.to_str()? {
            "--bless" => options.bless = true,
            "--program" => options.program = Some(env::current_dir().ok()?.join(rest.next()?)),
            _ => return None,
        }
    }
    Some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_refused() {
        let read = |words: &[&str]| options(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(read(&[]), Some(Options::default()));
        assert_eq!(read(&["--bless"]), Some(Options { bless: true, program: None }));
        let program = read(&["--program", "/bin/true"]).and_then(|options| options.program);
        assert_eq!(program, Some(PathBuf::from("/bin/true")));
        assert_eq!([read(&["--program"]), read(&["--blss"])], [None, None]);
    }
}
