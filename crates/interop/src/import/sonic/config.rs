//! The tables of a SONiC switch.
//!
//! Invariant: this is what the files say, by the names of `CONFIG_DB`. A value that is no text is kept as JSON.

use std::collections::BTreeMap;

/// Fields of an entry, by name.
pub(super) type Fields = BTreeMap<String, String>;

/// The tables of a switch: entries by table and key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SonicConfig {
    /// Tables of entries with fields that are texts or numbers.
    pub tables: BTreeMap<String, BTreeMap<String, Fields>>,
    /// Form of the text.
    pub form: SonicForm,
    /// Table and key of the first entry that stands there again with other fields.
    pub(super) contradicted: Option<(String, String)>,
}

/// Form of a file of a SONiC switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SonicForm {
    /// JSON of any of the forms.
    #[default]
    Json,
    /// What `show buffer information` or `mmuconfig -l` prints.
    Printed,
    /// `pg_profile_lookup.ini`: headroom by speed and length.
    Lookup,
}

impl SonicConfig {
    /// Returns the entries of a table, in the order of their keys.
    pub(super) fn entries(&self, table: &str) -> impl Iterator<Item = (&str, &Fields)> {
        self.tables.get(table).into_iter().flatten().map(|(key, fields)| (key.as_str(), fields))
    }

    pub(super) fn field(&self, table: &str, key: &str, field: &str) -> Option<&str> {
        self.tables.get(table)?.get(key)?.get(field).map(String::as_str)
    }
}
