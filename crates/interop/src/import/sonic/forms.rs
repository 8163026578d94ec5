//! The forms of a SONiC switch's tables, and the places of values in them.
//!
//! Invariant: every form of a switch gives the same tables, with the names of `CONFIG_DB`.
//!
//! | form | written by |
//! |---|---|
//! | `{"TABLE": {"KEY": {...}}}` | `config save`, `sonic-cfggen -d --print-data` |
//! | `{"TABLE\|KEY": {...}}`, `{"TABLE_TABLE:KEY": {...}}` | mock databases, dumps of `CONFIG_DB` and `APPL_DB` |
//! | `{"TABLE\|KEY": {"type": "hash", "value": {...}}}` | `sonic-db-dump`, `show techsupport` |
//! | `[{"TABLE_TABLE:KEY": {...}, "OP": "SET"}]` | `swssconfig` |
//! | `Pool: NAME`, `Profile: NAME` and a table each | `show buffer information`, `mmuconfig -l` |
//! | lines of speed, cable, size, xon, xoff, threshold, xon_offset | `pg_profile_lookup.ini` |

use core::ops::Range;

use serde_json::{Map, Value};

use super::config::{Fields, SonicConfig, SonicForm};
use super::{json, printed, tables};
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Tables with keys that begin with a port, or a list of ports.
const BY_PORT: [&str; 6] = ["BUFFER_PG", "BUFFER_QUEUE", "LLR_PORT", "PFC_WD", "PORT_QOS_MAP", "QUEUE"];

impl SonicConfig {
    /// Reads the tables.
    ///
    /// # Errors
    /// If the file has none of the forms, or a line of it is wrong.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        if printed::is_printed(source) {
            return printed::pools(source);
        }
        if printed::is_lookup(source) {
            return printed::lookup(source);
        }
        let help =
            "write a table of buffers, as `sonic-cfggen -d --print-data` does: `{\"PORT\": {...}, ...}`";
        let mut config = Self::default();
        match json::read(source)? {
            Value::Object(tables) => {
                one_asic(source, &tables)?;
                tables.into_iter().for_each(|(name, value)| config.add(&name, value));
                if let Some((table, key)) = &config.contradicted {
                    // A dump of two databases, or keys in two forms: nothing says which of them holds.
                    let at = config.place(source, &[table, key]).unwrap_or(0..0);
                    let message = format!("`{table}|{key}` stands here twice, with different fields");
                    return Err(source.wrong(
                        &at,
                        message,
                        "leave the entry that holds, in the one or the other form",
                    ));
                }
            }
            Value::Array(steps) if steps.iter().all(|step| step.get("OP").is_some()) && !steps.is_empty() => {
                for step in steps {
                    let Value::Object(step) = step else { continue };
                    let deletes = step.get("OP").and_then(Value::as_str) == Some("DEL");
                    for (name, value) in step.into_iter().filter(|(name, _)| name != "OP") {
                        if deletes { config.remove(&name) } else { config.add(&name, value) }
                    }
                }
            }
            _ => return Err(source.whole("this is not an object of tables", help)),
        }
        Ok(config)
    }

    /// Adds a table, or an entry with its table's name before its key.
    fn add(&mut self, name: &str, value: Value) {
        if let Some((table, key)) = flat(name) {
            self.add_entry(&table, &key, value);
            return;
        }
        let table = plain_table(name);
        self.tables.entry(table.clone()).or_default();
        if let Value::Object(entries) = value {
            entries.into_iter().for_each(|(key, entry)| self.add_entry(&table, &key, entry));
        }
    }

    /// Adds an entry, or an entry for each port of a list: `Ethernet0,Ethernet4|3-4`.
    fn add_entry(&mut self, table: &str, key: &str, entry: Value) {
        let Some(fields) = fields(entry) else { return };
        let entries = self.tables.entry(table.to_owned()).or_default();
        let (ports, rest) = key.split_once('|').map_or((key, None), |(ports, rest)| (ports, Some(rest)));
        let keys: Vec<_> = if !BY_PORT.contains(&table) || !ports.contains(',') {
            vec![key.to_owned()]
        } else {
            let of_port = |port: &str| rest.map_or_else(|| port.to_owned(), |rest| format!("{port}|{rest}"));
            ports.split(',').map(str::trim).map(of_port).collect()
        };
        for key in keys {
            let before = entries.insert(key.clone(), fields.clone());
            if before.is_some_and(|before| before != fields) {
                self.contradicted.get_or_insert((table.to_owned(), key));
            }
        }
    }

    fn remove(&mut self, name: &str) {
        if let Some((table, key)) = flat(name)
            && let Some(entries) = self.tables.get_mut(&table)
        {
            entries.remove(&key);
        }
    }

    /// Finds the value of a path: a table, a key, a field.
    pub(super) fn place(&self, source: SourceText<'_>, path: &[&str]) -> Option<Range<usize>> {
        match (self.form, path) {
            (SonicForm::Json, [table, key, rest @ ..]) => place(source, path).or_else(|| {
                let names = [format!("{table}|{key}"), format!("{table}_TABLE:{key}").replace('|', ":")];
                names.iter().find_map(|name| place(source, &[&[name.as_str()], rest].concat()))
            }),
            (SonicForm::Json, _) => place(source, path),
            (SonicForm::Printed | SonicForm::Lookup, [_, key, rest @ ..]) => {
                printed::place(source, self.form, key, rest.first().copied())
            }
            (SonicForm::Printed | SonicForm::Lookup, _) => None,
        }
    }
}

/// Refuses the file of a switch with several ASICs, each with tables of its own.
fn one_asic(source: SourceText<'_>, tables: &Map<String, Value>) -> Result<(), Diagnostic> {
    let is_asic =
        |name: &&String| name.strip_prefix("asic").is_some_and(|number| number.parse::<u8>().is_ok());
    let Some(name) = tables.keys().find(is_asic) else { return Ok(()) };
    let at = place(source, &[name]).unwrap_or(0..0);
    let message = format!("this is a switch of several ASICs: `{name}` has tables of its own");
    let help = "write the tables of one ASIC alone: `sonic-cfggen -n asic0 -d --print-data`";
    Err(source.wrong(&at, message, help))
}

/// Splits the name of an entry in a flat file: `TABLE|KEY`, or `TABLE_TABLE:KEY` in the form of `APPL_DB`. The parts of
/// a key are then separated by `|`.
fn flat(name: &str) -> Option<(String, String)> {
    let is_table = |table: &str| {
        !table.is_empty()
            && table.bytes().all(|byte| byte.is_ascii_uppercase() || b"_0123456789".contains(&byte))
    };
    let mark = name.find(['|', ':'])?;
    let (table, key) = (&name[..mark], &name[mark + 1..]);
    let key = if name[mark..].starts_with(':') { key.replace(':', "|") } else { key.to_owned() };
    is_table(table).then(|| (plain_table(table), key))
}

/// Returns the name of a table in `CONFIG_DB`: that of `APPL_DB` without its ending.
fn plain_table(name: &str) -> String {
    let plain = name.strip_suffix("_TABLE").filter(|plain| tables::is_known(plain));
    plain.unwrap_or(name).to_owned()
}

/// Returns the fields of an entry; of a dump's entry those of its `value`. Lists and numbers are kept as JSON.
fn fields(entry: Value) -> Option<Fields> {
    let Value::Object(mut entry) = entry else { return None };
    let is_dumped = entry.get("type").is_some_and(Value::is_string) && entry.contains_key("value");
    let entry = match entry.remove("value") {
        Some(Value::Object(inside)) if is_dumped => inside,
        Some(_) if is_dumped => return None,
        Some(other) => {
            entry.insert("value".to_owned(), other);
            entry
        }
        None => entry,
    };
    let text = |value: Value| if let Value::String(text) = value { text } else { value.to_string() };
    Some(entry.into_iter().map(|(field, value)| (field, text(value))).collect())
}

/// Finds the value behind a path of keys, each the first behind the previous key.
fn place(source: SourceText<'_>, path: &[&str]) -> Option<Range<usize>> {
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
