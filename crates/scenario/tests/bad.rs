//! Every error has a file in `fixtures/bad`, and beside it the exact message that it must give.
//!
//! A file is a scenario, or begins with lines that stand for arguments of the command line:
//! `//! scenario: NAME` reads a shipped one, `//! set: PATH=VALUE` overrides a field.
//!
//! `BLESS=1 cargo test -p scenario --test bad`, like `cargo xtask bless`, writes the messages as they are now.

use std::path::{Path, PathBuf};
use std::{env, fs};

use scenario::{Diagnostic, Plan, Scenario, ScenarioText};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bad")
}

fn plan(file: &str, text: &str) -> Result<Plan, Diagnostic> {
    let said = |word: &str| {
        let prefix = format!("//! {word}: ");
        text.lines().filter_map(move |line| line.strip_prefix(&prefix).map(str::to_owned))
    };
    let mut source = match said("scenario").next() {
        Some(name) => ScenarioText::find(&name)?,
        None => ScenarioText::new(file, text).beside(&folder()),
    };
    for assignment in said("set") {
        source.set(&assignment)?;
    }
    Scenario::read(&source)?.check(&source)
}

/// Returns true if the messages are to be written, not compared.
fn blessed() -> bool {
    env::var_os("BLESS").is_some() || env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always")
}

#[test]
fn every_message_is_the_expected_one() {
    let entries = fs::read_dir(folder()).expect("the fixtures are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ron"));
    files.sort();
    assert!(files.len() >= 20, "only {} fixtures", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable fixture");
        let name = file.file_name().expect("a file").to_string_lossy();
        let Err(diagnostic) = plan(&format!("fixtures/bad/{name}"), &text) else {
            wrong.push(format!("{name}: nothing was found wrong"));
            continue;
        };
        let said = format!("{diagnostic}\n");
        let expected = file.with_extension("stderr");
        if blessed() {
            fs::write(&expected, said).expect("a writable folder");
        } else if fs::read_to_string(&expected).unwrap_or_default() != said {
            wrong.push(format!("{name} now says:\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_first_line_gives_place_and_message() {
    for file in ["unknown-field", "wrong-unit", "unknown-host"] {
        let path = folder().join(file).with_extension("ron");
        let text = fs::read_to_string(&path).expect("a readable fixture");
        let diagnostic = plan(&format!("{file}.ron"), &text).expect_err("it is wrong");
        let fault = &diagnostic.faults()[0];
        let place = fault.place.as_ref().expect("it has a place");
        let first = format!(
            "error: {}:{}:{}: {}: {}",
            fault.file, place.line, place.column, fault.path, fault.message
        );
        assert_eq!(diagnostic.to_string().lines().next(), Some(first.as_str()));
        assert!(fault.help.is_some());
    }
}
