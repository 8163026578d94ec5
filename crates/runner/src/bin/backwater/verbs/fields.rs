//! `fields`: a field of the scenario file, with every choice and its fields.
//!
//! Invariant: the words are the same as in `docs/scenario.md`.

use clap::Args;
use results::format::{aligned, fitted, plain_table};
use scenario::manual::{self, Choice, Entry, Field};

use crate::failure::Failure;
use crate::terminal::{print, width_up_to};

/// Largest width of the printed tables, in characters.
const WIDTH: u16 = 120;

#[derive(Args, Debug)]
pub(crate) struct FieldsOptions {
    /// Path of a field: `link.mtu`, `flows[].load`, `congestion_control.Dcqcn`; all fields of a scenario if left out.
    path: Option<String>,
}

/// Prints the places that the path means.
pub(crate) fn run(options: &FieldsOptions) -> Result<(), Failure> {
    let entries = manual::find(options.path.as_deref().unwrap_or_default())?;
    let width = width_up_to(WIDTH);
    let printed: Vec<_> = with_elements(entries).iter().map(|entry| printed(entry, width)).collect();
    print(&printed.join("\n"));
    Ok(())
}

/// Adds the elements of a list or map behind it: their fields or choices are those that a reader looks for.
fn with_elements(entries: Vec<Entry>) -> Vec<Entry> {
    let mut all = Vec::new();
    for entry in entries {
        let path = &entry.place.name;
        let has_parts = !entry.fields.is_empty() || !entry.choices.is_empty();
        let elements = match entry.place.kind.split(' ').next() {
            Some("list") if !has_parts => manual::find(&format!("{path}[]")),
            Some("map") if !has_parts => manual::find(&format!("{path}.NAME")),
            _ => Ok(Vec::new()),
        };
        all.push(entry);
        let elements = elements.unwrap_or_default().into_iter();
        all.extend(elements.filter(|entry| !entry.fields.is_empty() || !entry.choices.is_empty()));
    }
    all
}

fn printed(entry: &Entry, width: u16) -> String {
    let place = &entry.place;
    let mut text = match place.name.as_str() {
        "" => "The fields of a scenario\n".to_owned(),
        path => format!("{path}: {}, {}\n", limited(place), default(place)),
    };
    for about in [&place.about, &entry.about_type].into_iter().filter(|about| !about.is_empty()) {
        let mut paragraph = plain_table();
        paragraph.add_row([about.as_str()]);
        text += &format!("{}\n", aligned(fitted(paragraph, width, &[0]), 1));
    }
    if entry.fields.is_empty() && entry.choices.is_empty() {
        return text;
    }
    let mut table = plain_table();
    let name = if entry.choices.is_empty() { "field" } else { "choice" };
    table.set_header([name, "type", "default", "meaning"]);
    for field in &entry.fields {
        table.add_row(row(field, ""));
    }
    for Choice { form, range, about, fields, .. } in &entry.choices {
        table.add_row([form.clone(), range.clone().unwrap_or_default(), String::new(), about.clone()]);
        for field in fields {
            table.add_row(row(field, "  "));
        }
    }
    text + &format!("\n{}\n", aligned(fitted(table, width, &[0, 1, 2, 3]), 4))
}

fn row(field: &Field, indent: &str) -> [String; 4] {
    [format!("{indent}{}", field.name), limited(field), default(field), field.about.clone()]
}

/// Returns the type with its range.
fn limited(field: &Field) -> String {
    let kind = field.kind.replace('`', "");
    field.range.as_ref().map_or_else(|| kind.clone(), |range| format!("{kind}, {range}"))
}

fn default(field: &Field) -> String {
    match &field.default {
        _ if field.required => "required".to_owned(),
        Some(default) => default.replace('`', ""),
        None => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str) -> String {
        let entries = with_elements(manual::find(path).expect("there is such a field"));
        entries.iter().map(|entry| printed(entry, WIDTH)).collect()
    }

    #[test]
    fn a_field_is_printed_with_its_choices_and_their_fields() {
        insta::assert_snapshot!([shown("flows[].load"), shown("link.mtu")].join("\n"));
    }

    /// Meanings have at least half of the width, whatever the defaults are.
    #[test]
    fn defaults_leave_room_for_meanings() {
        let text = shown("switch.selection");
        let header = text.lines().find(|line| line.starts_with(" choice ")).expect("a header");
        let meaning = header.find("meaning").expect("a column");
        assert!(meaning <= usize::from(WIDTH) / 2, "{text}");
        assert!(text.contains(" LeastLoaded "), "{text}");
    }

    #[test]
    fn a_list_is_printed_with_the_choices_of_its_elements() {
        let text = shown("traffic");
        assert!(
            text.starts_with("traffic: list of choices, []\n") && text.contains("\ntraffic[]: choice"),
            "{text}"
        );
        assert!(text.contains("\n Permutation(...)"), "{text}");
        assert!(shown("cables").contains("\ncables.NAME: "), "{}", shown("cables"));
        assert!(!shown("duration").contains("[]"));
    }

    #[test]
    fn a_struct_is_printed_with_its_fields() {
        insta::assert_snapshot!(shown("link.flow_control.Pause"));
    }
}
