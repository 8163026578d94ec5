//! Fields and choices of the scenario format that nothing uses.
//!
//! Invariant: each name of the format occurs in a scenario, a law, a claim, a test or a page by hand. A field that nobody has
//! set yet has no known answer, and a reader of its line in the manual does not learn what it is for.
//!
//! Names are compared, not places: a field counts as used if another type has one of the same name that is used. So the rule
//! finds less than there is, and never too much.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::Finding;

/// The format, as the program prints it.
pub(super) const SCHEMA: &str = "crates/scenario/src/format/schema.json";

/// Texts that list the whole format, or show what is wrong on purpose.
const NO_USES: [&str; 2] = ["docs/scenario.md", "fixtures/bad"];

/// Names of the format that have been met, by kind.
#[derive(Default)]
pub(super) struct Options {
    set: BTreeSet<String>,
    chosen: BTreeSet<String>,
    /// Types of which all choices are tried one after the other, by their constant `ALL`.
    tried: BTreeSet<String>,
}

impl Options {
    /// Adds the names in a file, if what stands there is a use.
    pub(super) fn add(&mut self, file: &Path, text: &str) {
        if NO_USES.iter().any(|other| file.starts_with(other)) {
            return;
        }
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("ron") => self.add_code(text),
            Some("md") => text.split('`').skip(1).step_by(2).for_each(|quoted| self.add_page(quoted)),
            Some("rs") => self.add_code(tests(file, text)),
            _ => {}
        }
    }

    /// Adds names that are given a value, by `name: value`, `name=value` or `path.name=value`, and all others as choices.
    fn add_code(&mut self, text: &str) {
        for (name, rest) in names(text) {
            if rest.trim_start().starts_with([':', '=']) {
                self.set.insert(name.to_owned());
            }
            if rest.starts_with("::ALL") {
                self.tried.insert(name.to_owned());
            }
            self.chosen.insert(name.to_owned());
        }
    }

    /// Adds names that a page quotes, which may be fields and choices alike.
    fn add_page(&mut self, quoted: &str) {
        for (name, _) in names(quoted) {
            self.set.insert(name.to_owned());
            self.chosen.insert(name.to_owned());
        }
    }

    /// Returns the figure of the survey, and a finding for each name of the format without a use.
    pub(super) fn judged(&self, schema: &str) -> Result<(String, Vec<Finding>), serde_json::Error> {
        let mut format = Format::default();
        format.collect("", &serde_json::from_str(schema)?);
        let fields = format.fields.difference(&self.set).map(|name| ("field", name));
        let is_used = |name: &str, types: &BTreeSet<String>| {
            self.chosen.contains(name) || types.iter().any(|of| self.tried.contains(of))
        };
        let choices = format.choices.iter().filter(|(name, types)| !is_used(name, types));
        let choices = choices.map(|(name, _)| ("choice", name));
        let found: Vec<Finding> = fields.chain(choices).map(|(kind, name)| unused(kind, name)).collect();
        let (fields, choices) = (format.fields.len(), format.choices.len());
        Ok((
            format!("{fields} names of fields and {choices} of choices, {} without a use", found.len()),
            found,
        ))
    }
}

fn unused(kind: &str, name: &str) -> Finding {
    let fault = format!("no scenario, law, claim, test or page uses the {kind} `{name}`");
    Finding::error(Path::new(SCHEMA), 1, fault, "give it a law, or take it away and say what a user loses")
}

/// Names of a format.
#[derive(Default)]
struct Format {
    fields: BTreeSet<String>,
    /// Choices, and the types that have them.
    choices: BTreeMap<String, BTreeSet<String>>,
}

impl Format {
    /// Collects the names of a type from a JSON schema: properties, of which those of choices begin with a capital, and constants.
    fn collect(&mut self, of: &str, schema: &Value) {
        match schema {
            Value::Object(members) => {
                members.iter().for_each(|(key, value)| self.collect_member(of, key, value));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(of, item)),
            _ => {}
        }
    }

    fn collect_member(&mut self, of: &str, key: &str, value: &Value) {
        match (key, value) {
            ("$defs", Value::Object(types)) => types.iter().for_each(|(name, own)| self.collect(name, own)),
            ("properties", Value::Object(properties)) => {
                for (name, own) in properties {
                    self.add(of, name);
                    self.collect(of, own);
                }
            }
            ("const", Value::String(choice)) => self.add(of, choice),
            ("enum", Value::Array(choices)) => {
                choices.iter().filter_map(Value::as_str).for_each(|choice| self.add(of, choice));
            }
            _ => self.collect(of, value),
        }
    }

    fn add(&mut self, of: &str, name: &str) {
        if name.starts_with(|letter: char| letter.is_ascii_uppercase()) {
            self.choices.entry(name.to_owned()).or_default().insert(of.to_owned());
        } else {
            self.fields.insert(name.to_owned());
        }
    }
}

/// Returns the part of a source file that holds tests.
fn tests<'a>(file: &Path, text: &'a str) -> &'a str {
    let is_test =
        file.iter().any(|part| part == "tests") || file.file_name().is_some_and(|name| name == "tests.rs");
    if is_test { text } else { text.split_once("#[cfg(test)]").map_or("", |(_, tests)| tests) }
}

/// Returns the names in a text, each with the text behind it.
fn names(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut rest = text;
    core::iter::from_fn(move || {
        let from = rest.find(is_part)?;
        let name = &rest[from..];
        let length = name.find(|letter| !is_part(letter)).unwrap_or(name.len());
        rest = &name[length..];
        Some((&name[..length], rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"$defs": {
        "Link": {"properties": {"mtu": {"type": "integer"}, "lanes": {"type": "integer"}}},
        "Width": {"oneOf": [{"const": "X1"}, {"properties": {"Of": {"type": "integer"}}}]}
    }}"#;

    fn unused_after(uses: &[(&str, &str)]) -> Vec<String> {
        let mut options = Options::default();
        uses.iter().for_each(|(file, text)| options.add(Path::new(file), text));
        let (_, found) = options.judged(SCHEMA).expect("this is JSON");
        found.into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn a_name_without_a_use_is_found() {
        let all = unused_after(&[]);
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(all[0].contains("the field `lanes`") && all[2].contains("the choice `Of`"), "{all:?}");
    }

    #[test]
    fn scenarios_settings_tests_and_pages_are_uses() {
        let uses = [
            ("fixtures/laws/a.ron", "(mtu: 4, width: Of(3))"),
            ("docs/guide.md", "Set `link.lanes=2`."),
            ("crates/a/src/b.rs", "fn a() {}\n#[cfg(test)]\nmod tests { const A: &str = \"width=X1\"; }"),
        ];
        assert_eq!(unused_after(&uses), Vec::<String>::new());
    }

    #[test]
    fn a_test_of_all_choices_of_a_type_uses_them() {
        let all = unused_after(&[("crates/a/tests/b.rs", "for width in Width::ALL {}")]);
        assert!(all.len() == 2 && all.iter().all(|fault| fault.contains("the field")), "{all:?}");
    }

    #[test]
    fn mentions_that_set_nothing_are_no_uses() {
        let mentions = [
            ("fixtures/bad/a.ron", "(mtu: 4)"),
            ("docs/scenario.md", "`lanes`"),
            ("docs/guide.md", "The mtu and the lanes of X1."),
            ("crates/a/src/b.rs", "fn a() { Link { mtu: 1, lanes: X1 } }"),
            ("fixtures/laws/a.ron", "(name: \"mtu\", b: lanes)"),
        ];
        assert_eq!(unused_after(&mentions).len(), 4);
    }
}
