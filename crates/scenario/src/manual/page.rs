//! The page `docs/scenario.md`.
//!
//! Invariant: the page is made from the entries alone; a test compares it with the file.

use super::entry::{Choice, Entry, Field};
use super::places::Places;
use serde_json::Value;

/// The head of the page: the form of the file.
const HEAD: &str = include_str!("page_head.md");

/// Returns the page as Markdown.
#[must_use]
pub fn page() -> String {
    let places = Places::new();
    let links = |schema: &Value| places.entry(schema);
    let mut page = HEAD.to_owned();
    for place in places.all.iter().filter(|place| !place.within) {
        let entry = Entry::new(&place.path, place.schema, place.required, &links);
        page += &section(&entry, &place.also);
    }
    page
}

/// Returns the section of an entry, whose type stands at these other places too.
fn section(entry: &Entry, also: &[String]) -> String {
    let title = match entry.place.name.as_str() {
        "" => "## The scenario".to_owned(),
        path if path.contains(['.', '[']) => format!("### `{path}`"),
        path => format!("## `{path}`"),
    };
    let mut text = format!("\n{title}\n\n{}\n", entry.place.about);
    if !entry.about_type.is_empty() {
        text += &format!("\n{}\n", entry.about_type);
    }
    if let [first, others @ ..] = also {
        let others = others.iter().map(|path| format!(", `{path}`")).collect::<String>();
        text += &format!("\nThe same at `{first}`{others}.\n");
    }
    if !entry.fields.is_empty() {
        text += &format!("\n{}", table(&entry.fields));
    }
    if !entry.choices.is_empty() {
        text += "\n| choice | range | meaning |\n|---|---|---|\n";
        for choice in &entry.choices {
            let form = linked(&choice.form, choice.more.as_deref());
            let range = choice.range.as_deref().unwrap_or_default();
            text += &format!("| {form} | {range} | {} |\n", cell(&choice.about));
        }
    }
    for Choice { form, fields, .. } in
        entry.choices.iter().filter(|choice| choice.more.is_none() && !choice.fields.is_empty())
    {
        text += &format!("\nFields of `{form}`:\n\n{}", table(fields));
    }
    text
}

fn table(fields: &[Field]) -> String {
    let mut text = "| field | type | range | default | meaning |\n|---|---|---|---|---|\n".to_owned();
    for field in fields {
        let kind = match &field.more {
            Some(path) => format!("[{}](#{})", field.kind, anchor(path)),
            None => field.kind.clone(),
        };
        let default = if field.required { "*required*" } else { field.default.as_deref().unwrap_or("-") };
        let range = field.range.as_deref().unwrap_or_default();
        text += &format!("| `{}` | {kind} | {range} | {default} | {} |\n", field.name, cell(&field.about));
    }
    text
}

fn linked(form: &str, more: Option<&str>) -> String {
    more.map_or_else(|| format!("`{form}`"), |path| format!("[`{form}`](#{})", anchor(path)))
}

/// Returns the anchor of a section, as GitHub and mdBook make it from the title.
fn anchor(path: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    path.chars().filter(kept).collect::<String>().to_lowercase()
}

/// Returns a text as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
