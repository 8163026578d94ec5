//! Cargo on the copy of the workspace: the compiler's objections, and the test programs.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::tree::Tree;

/// An objection of the compiler.
#[derive(Clone, Debug)]
pub(crate) struct Objection {
    /// Places that it names, those of calls of macros among them.
    pub(crate) places: Vec<(PathBuf, Range<usize>)>,
    /// As the compiler prints it.
    pub(crate) rendered: String,
}

/// A program that runs tests.
#[derive(Clone, Debug)]
pub(crate) struct TestProgram {
    pub(crate) path: PathBuf,
    /// Name of the target: the crate for its unit tests, otherwise the file in `tests`.
    pub(crate) target: String,
    /// Folder of the package, in which cargo starts its tests.
    pub(crate) folder: PathBuf,
}

/// Cargo on a copy, with build products of its own.
#[derive(Debug)]
pub(crate) struct Compiler<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) products: PathBuf,
}

impl Compiler<'_> {
    /// Checks the library of a crate, with its unit tests too if `tests`. Returns the compiler's objections.
    pub(crate) fn objections(&self, package: &str, tests: bool) -> Result<Vec<Objection>, String> {
        let with_tests = tests.then_some("--tests");
        let arguments = ["check", "--package", package, "--lib"].into_iter().chain(with_tests);
        let (passed, messages) = self.run(&arguments.collect::<Vec<_>>())?;
        let found: Vec<_> = messages.iter().filter_map(objection).collect();
        if passed == found.is_empty() { Ok(found) } else { Err(unexplained(&found, "check")) }
    }

    /// Builds the tests of the crates.
    pub(crate) fn tests(&self, packages: &[&str]) -> Result<Vec<TestProgram>, String> {
        let mut arguments = vec!["test", "--no-run", "--lib", "--tests"];
        arguments.extend(packages.iter().flat_map(|package| ["--package", package]));
        let (passed, messages) = self.run(&arguments)?;
        if !passed {
            return Err(unexplained(&messages.iter().filter_map(objection).collect::<Vec<_>>(), "test"));
        }
        Ok(messages.iter().filter_map(test_program).collect())
    }

    /// Runs cargo. Returns true if it succeeded, and its messages.
    fn run(&self, arguments: &[&str]) -> Result<(bool, Vec<Value>), String> {
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(arguments)
            .arg("--message-format=json")
            .current_dir(self.tree.root())
            .env("CARGO_TARGET_DIR", &self.products)
            .env("RUSTC_BOOTSTRAP", "mutant_switch")
            .env("RUSTFLAGS", "--cap-lints=allow")
            .stdin(Stdio::null())
            .output()
            .map_err(|cause| format!("cannot start cargo: {cause}"))?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let messages: Vec<_> = messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if messages.is_empty() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok((output.status.success(), messages))
    }
}

fn unexplained(objections: &[Objection], verb: &str) -> String {
    let rendered: String = objections.iter().take(3).map(|one| one.rendered.as_str()).collect();
    format!("`cargo {verb}` fails on the rewritten crate\n{rendered}")
}

fn objection(message: &Value) -> Option<Objection> {
    let message = message.get("message").filter(|_| message["reason"] == "compiler-message")?;
    let spans = message["spans"].as_array()?;
    (message["level"] == "error" && !spans.is_empty()).then(|| Objection {
        places: spans.iter().filter(|span| span["is_primary"] == true).flat_map(places).collect(),
        rendered: message["rendered"].as_str().unwrap_or_default().to_owned(),
    })
}

/// Returns the place of a span, and of the calls of macros that led there.
fn places(span: &Value) -> Vec<(PathBuf, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = Some(span);
    while let Some(span) = at {
        let offset = |name: &str| span[name].as_u64().and_then(|offset| usize::try_from(offset).ok());
        if let (Some(file), Some(start), Some(end)) =
            (span["file_name"].as_str(), offset("byte_start"), offset("byte_end"))
        {
            found.push((PathBuf::from(file), start..end));
        }
        at = span["expansion"].get("span");
    }
    found
}

fn test_program(message: &Value) -> Option<TestProgram> {
    let tests = message["profile"]["test"] == true;
    Some(TestProgram {
        path: message["executable"].as_str().filter(|_| tests)?.into(),
        target: message["target"]["name"].as_str()?.to_owned(),
        folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf(),
    })
}
