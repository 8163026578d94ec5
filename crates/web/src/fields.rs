//! The fields of a scenario that controls can change.
//!
//! Invariant: kind, range, default, choices and meaning are those of the manual, from which docs/scenario.md is made too.

use std::collections::{BTreeMap, BTreeSet};

use scenario::manual::{self, Choice, Entry, Field};
use scenario::{ScenarioText, WrittenField};
use serde::Serialize;

/// Most fields that the page has controls for; the others are in the text.
const MOST: usize = 240;
/// Kinds of values of one line.
const SIMPLE: [&str; 8] =
    ["time", "data", "rate", "length", "whole number", "number", "text", "`true` or `false`"];
/// Kind of a choice.
const CHOICE: &str = "choice";

/// A field with a control.
#[derive(Clone, Debug, Serialize)]
pub struct FieldData {
    /// Path, as `--set` takes it.
    pub path: String,
    /// Type: `time`, `data`, `rate`, `length`, `whole number`, `number`, `text`, `choice`, `true or false`.
    pub kind: String,
    /// Range of numbers; empty if there is none.
    pub range: String,
    /// Value that holds if the field is left out.
    pub default: Option<String>,
    /// Choices, as a scenario writes them.
    pub choices: Vec<String>,
    /// Meaning, with its unit and source.
    pub meaning: String,
    /// Value in the text; `None` if the field is left out there.
    pub value: Option<String>,
}

/// Returns the fields that a text writes, then, of the places that it writes, those that it leaves out.
pub(crate) fn fields(text: &ScenarioText) -> Vec<FieldData> {
    let written = text.written();
    let paths: BTreeSet<&str> = written.iter().map(|field| field.path.as_str()).collect();
    let mut entries = Entries::default();
    let mut found = Vec::new();
    for field in &written {
        let Some(entry) = entries.of(&field.place) else { continue };
        let data = FieldData { value: Some(field.value.clone()), ..data(&field.path, &entry.place, entry) };
        let is_choice = !data.choices.is_empty();
        if !field.has_fields || is_choice {
            found.push(data);
        }
        if field.has_fields && !field.place.contains("[]") {
            found.extend(left_out(field, &mut entries, &paths));
        }
    }
    found.truncate(MOST);
    found
}

/// Returns the simple fields of a place that the text leaves out, and the choices among names.
fn left_out(field: &WrittenField, entries: &mut Entries, paths: &BTreeSet<&str>) -> Vec<FieldData> {
    let Some(entry) = entries.of(&field.place) else { return Vec::new() };
    let name = field.value.split('(').next().unwrap_or_default().trim();
    let chosen = entry.choices.iter().find(|choice| choice.name == name);
    let parts: Vec<Field> = chosen.map_or_else(|| entry.fields.clone(), |choice| choice.fields.clone());
    let path = |part: &Field| format!("{}.{}", field.path, part.name);
    let parts = parts.into_iter().filter(|part| !paths.contains(path(part).as_str()));
    let data = |part: Field| {
        let data = bare(&path(&part), &part);
        match part.kind.as_str() {
            CHOICE => {
                let choices = names(entries.of(&format!("{}.{}", field.place, part.name))?);
                (choices.len() > 1).then_some(FieldData { choices, ..data })
            }
            kind => SIMPLE.contains(&kind).then_some(data),
        }
    };
    parts.filter_map(data).collect()
}

/// Returns the choices for which their names will do.
fn names(entry: &Entry) -> Vec<String> {
    let is_name = |choice: &&Choice| {
        choice.form == choice.name
            || !choice.fields.is_empty() && choice.fields.iter().all(|field| field.default.is_some())
    };
    entry.choices.iter().filter(is_name).map(|choice| choice.name.clone()).collect()
}

fn data(path: &str, field: &Field, entry: &Entry) -> FieldData {
    let choices = entry.choices.iter().map(|choice| choice.form.clone()).collect();
    FieldData { choices, ..bare(path, field) }
}

fn bare(path: &str, field: &Field) -> FieldData {
    FieldData {
        path: path.to_owned(),
        kind: field.kind.replace('`', ""),
        range: field.range.clone().unwrap_or_default(),
        default: field.default.clone(),
        choices: Vec::new(),
        meaning: field.about.clone(),
        value: None,
    }
}

/// Entries of the manual by place: finding one takes a while.
#[derive(Default)]
struct Entries(BTreeMap<String, Option<Entry>>);

impl Entries {
    fn of(&mut self, place: &str) -> Option<&Entry> {
        let find = || manual::find(place).ok().and_then(|found| found.into_iter().next());
        self.0.entry(place.to_owned()).or_insert_with(find).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_has_fields_with_values_ranges_and_choices() {
        let text = scenario::shipped().iter().find(|one| one.name == "victim").expect("it ships").text;
        let fields = fields(&ScenarioText::new("victim", text));
        let of =
            |path: &str| fields.iter().find(|one| one.path == path).unwrap_or_else(|| panic!("no {path}"));
        let mtu = of("link.mtu");
        assert_eq!((mtu.value.as_deref(), mtu.kind.as_str()), (Some("\"2 KiB\""), "data"));
        let control = of("congestion_control");
        assert!(control.choices.contains(&"Off".to_owned()), "{control:?}");
        assert_eq!(control.value.as_deref(), Some("Iba"));
        let threshold = of("congestion_control.marking.threshold");
        assert_eq!((threshold.value.as_deref(), threshold.range.as_str()), (Some("15"), "0 to 15"));
        assert_eq!(of("flows.far.start").value.as_deref(), Some("\"10 ms\""));
        assert!(of("switch.output_buffer").value.is_none());
    }

    /// A choice that is left out has the names that will do without parentheses, each of which can be read.
    #[test]
    fn choices_that_are_left_out_are_offered_by_their_names() {
        let text = scenario::shipped().iter().find(|one| one.name == "paths-incast").expect("it ships").text;
        let names = |path: &str| {
            let all = fields(&ScenarioText::new("paths-incast", text));
            let found = all.into_iter().find(|one| one.path == path).unwrap_or_else(|| panic!("no {path}"));
            assert_eq!(found.value, None, "{path} is written");
            found.choices
        };
        assert_eq!(names("switch.selection"), ["Hash", "Random", "RoundRobin", "LeastLoaded", "Flowlet"]);
        assert_eq!(names("adapter.entropy"), ["Flow", "Random", "RoundRobin", "Bitmap", "Reps"]);
        for name in names("switch.selection") {
            let mut with = ScenarioText::new("paths-incast", text);
            with.set(&format!("switch.selection={name}")).expect("it is a field");
            scenario::Scenario::read(&with).expect("the name will do");
        }
    }
}
