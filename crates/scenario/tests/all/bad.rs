//! Every error has a file in `fixtures/bad`, and beside it the exact message that it must give.
//!
//! A file is a scenario, or begins with lines that stand for arguments of the command line:
//! `//! scenario: NAME` reads a shipped one, `//! set: PATH=VALUE` overrides a field.
//!
//! `BLESS=1 cargo test -p scenario --test all bad::`, like `cargo xtask bless`, writes the messages as they are now.

use std::fs;

use scenario::{Diagnostic, Plan, Scenario, ScenarioText};

use crate::messages::{self, folder};

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

#[test]
fn every_message_is_the_expected_one() {
    let said = |name: &str, text: &str| match plan(&format!("fixtures/bad/{name}"), text) {
        Err(diagnostic) => Ok(format!("{diagnostic}\n")),
        Ok(_) => Err("nothing was found wrong".to_owned()),
    };
    messages::compare(20, |name| name.ends_with(".ron"), said);
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
