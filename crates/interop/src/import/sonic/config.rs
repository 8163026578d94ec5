//! The tables of a `config_db.json`, and the places of their values.
//!
//! Invariant: this is what the file says. A value that is no text is kept as JSON.

use core::ops::Range;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Fields of an entry, by name.
type Fields = BTreeMap<String, String>;

/// The tables of a configuration: entries by table and key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SonicConfig {
    /// Tables of entries with fields that are texts or numbers.
    pub tables: BTreeMap<String, BTreeMap<String, Fields>>,
}

impl SonicConfig {
    /// Reads the tables.
    ///
    /// # Errors
    /// If the file is no JSON, or not an object of tables.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let value: Value = serde_json::from_str(source.text).map_err(|error| {
            let lines: usize =
                source.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let line = source.text[lines..].lines().next().unwrap_or_default();
            let at =
                line.char_indices().nth(error.column().saturating_sub(1)).map_or(line.len(), |(at, _)| at);
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or_default();
            source.wrong(
                &(lines + at..lines + at),
                said,
                "write JSON, as `sonic-cfggen -d --print-data` does",
            )
        })?;
        let Value::Object(tables) = value else {
            return Err(source.whole("this is not an object of tables", "write `{\"PORT\": {...}, ...}`"));
        };
        let entries = |table: Map<String, Value>| {
            table.into_iter().filter_map(|(key, entry)| Some((key, fields(entry)?)))
        };
        let table = |value: Value| {
            if let Value::Object(table) = value { entries(table).collect() } else { BTreeMap::new() }
        };
        Ok(Self { tables: tables.into_iter().map(|(name, value)| (name, table(value))).collect() })
    }

    /// Returns the entries of a table, in the order of their keys.
    pub(super) fn entries(&self, table: &str) -> impl Iterator<Item = (&str, &Fields)> {
        self.tables.get(table).into_iter().flatten().map(|(key, fields)| (key.as_str(), fields))
    }

    pub(super) fn field(&self, table: &str, key: &str, field: &str) -> Option<&str> {
        self.tables.get(table)?.get(key)?.get(field).map(String::as_str)
    }
}

/// Returns the fields of an entry. Lists and numbers are kept as JSON.
fn fields(entry: Value) -> Option<Fields> {
    let Value::Object(entry) = entry else { return None };
    let text = |value: Value| if let Value::String(text) = value { text } else { value.to_string() };
    Some(entry.into_iter().map(|(field, value)| (field, text(value))).collect())
}

/// Finds the value behind a path of keys, each the first behind the previous key.
pub(super) fn place(source: SourceText<'_>, path: &[&str]) -> Option<Range<usize>> {
    let mut at = 0;
    for key in path {
        let quoted = format!("\"{key}\"");
        at = loop {
            let found = at + source.text[at..].find(&quoted)? + quoted.len();
            let rest = source.text[found..].trim_start();
            at = found;
            if rest.starts_with(':') {
                break source.text.len() - rest.len() + 1;
            }
        };
    }
    let value = source.text[at..].trim_start();
    let start = source.text.len() - value.len();
    let end = value.find([',', '\n', '}']).unwrap_or(value.len());
    Some(start..start + end)
}
