//! Simulation verbs (`sim`, `check`, `repro` and so on), handed to a release build of `backwater`.
//!
//! Invariant: standard output and the exit status are those of `backwater`, to the byte. Messages about the build go to
//! standard error, and only if the build fails or takes more than two seconds.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::cargo::{cargo, code};

/// Setting that makes glibc (2.35 or newer; others ignore it) take memory in huge pages where the system offers them on
/// request. State is spread over tens of megabytes, and address translation with small pages takes an eighth of the time
/// at 3,528 hosts (docs/lab/speed.md).
const HUGE_PAGES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

/// Builds `backwater`, and replaces this process by it.
pub(crate) fn run(verb: &str, arguments: &[OsString]) -> ExitCode {
    match build() {
        Ok(program) => {
            let mut command = Command::new(program);
            command.arg(verb).args(arguments);
            if env::var_os(HUGE_PAGES.0).is_none() {
                command.env(HUGE_PAGES.0, HUGE_PAGES.1);
            }
            become_it(&mut command)
        }
        Err(failed) => failed,
    }
}

/// Builds `backwater` and returns the path of the program.
pub(crate) fn build() -> Result<PathBuf, ExitCode> {
    build_by(&[], &[])
}

/// Builds `backwater` with these features and returns the path of the program.
#[cfg(feature = "chores")]
pub(crate) fn build_with(features: &[&str]) -> Result<PathBuf, ExitCode> {
    build_by(features, &[])
}

/// Builds `backwater` with these features and further arguments of cargo, and returns the path of the program.
pub(crate) fn build_by(features: &[&str], arguments: &[String]) -> Result<PathBuf, ExitCode> {
    let color = if io::stderr().is_terminal() { "always" } else { "never" };
    let mut command =
        cargo(&["build", "--release", "--package", "backwater", "--bin", "backwater", "--quiet"]);
    command.args(["--message-format", "json-render-diagnostics", "--color", color]).args(arguments);
    features.iter().for_each(|feature| {
        command.args(["--features", feature]);
    });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = announced_if_long(|| command.output()).map_err(|cause| {
        eprintln!("error: cannot start cargo to build backwater: {cause}");
        ExitCode::FAILURE
    })?;
    program(&output).ok_or_else(|| {
        // Nothing more can be done if even standard error is closed.
        let _ = io::stderr().write_all(&output.stderr);
        eprintln!("error: backwater does not build");
        if output.status.success() { ExitCode::FAILURE } else { code(output.status) }
    })
}

/// Does the work, and prints a line about it if two seconds have not been enough.
fn announced_if_long<T>(work: impl FnOnce() -> T) -> T {
    let (done, wait) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        if wait.recv_timeout(Duration::from_secs(2)) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!(
                "building the simulator, optimised: about two minutes the first time, less after a change"
            );
        }
    });
    let result = work();
    drop(done);
    watch.join().expect("the watch only waits and prints");
    result
}

/// Returns the program among the artifacts that cargo names, one JSON object per line, if the build succeeded.
fn program(output: &Output) -> Option<PathBuf> {
    let artifacts = str::from_utf8(&output.stdout).ok().filter(|_| output.status.success())?;
    artifacts.lines().find_map(executable)
}

/// Returns the path of the program, if the line is about it. No JSON library reads the line: a first simulation would wait for one to be
/// compiled.
fn executable(line: &str) -> Option<PathBuf> {
    let is_backwater = line.contains(r#""kind":["bin"]"#) && line.contains(r#""name":"backwater""#);
    let (_, path) = line.split_once(r#""executable":""#).filter(|_| is_backwater)?;
    let mut text = String::new();
    let mut letters = path.chars();
    loop {
        match letters.next()? {
            '"' => return Some(text.into()),
            // Cargo writes control characters as numbers; a path with one is not found.
            '\\' => text.push(letters.next().filter(|letter| matches!(letter, '"' | '\\' | '/'))?),
            letter => text.push(letter),
        }
    }
}

/// Replaces this process, so that signals and the exit status are the program's own.
#[cfg(unix)]
pub(crate) fn become_it(command: &mut Command) -> ExitCode {
    use std::os::unix::process::CommandExt;
    let cause = command.exec();
    eprintln!("error: cannot start {}: {cause}", command.get_program().display());
    ExitCode::FAILURE
}

#[cfg(not(unix))]
pub(crate) fn become_it(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) => code(status),
        Err(cause) => {
            eprintln!("error: cannot start {}: {cause}", command.get_program().display());
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_artifacts() {
        let library = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"backwater"},"executable":null}"#;
        let program = r#"{"reason":"compiler-artifact","target":{"kind":["bin"],"name":"backwater"},"executable":"/t/backwater"}"#;
        let another = r#"{"reason":"compiler-artifact","target":{"kind":["bin"],"name":"else"},"executable":"/t/else"}"#;
        let quoted = program.replace("/t/", r#"C:\\t \"x\"\\"#);
        assert_eq!(executable(library), None);
        assert_eq!(executable(another), None);
        assert_eq!(executable("not an object"), None);
        assert_eq!(executable(program), Some("/t/backwater".into()));
        assert_eq!(executable(&quoted), Some(r#"C:\t "x"\backwater"#.into()));
    }
}
