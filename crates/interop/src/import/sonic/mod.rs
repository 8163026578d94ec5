//! The settings of a SONiC switch: thresholds of ECN, PFC and shared memory.
//!
//! Invariant: every table that concerns queues, buffers and PFC has entries in the account. Values come from the ports'
//! own profiles, by the speed of the port.
//!
//! | table | fields | in a scenario |
//! |---|---|---|
//! | `BUFFER_POOL` | `size` of the lossless pool at the ingress | the shared part of `switch.memory` |
//! | `BUFFER_PG`, `BUFFER_PROFILE` | `xoff`, `size`, `dynamic_th`, `xon_offset` of a port's profile | headroom, guarantee, alpha 2^n, `resume_offset` |
//! | `PORT_QOS_MAP` | `pfc_enable` | a lane for each priority with PFC |
//! | `QUEUE`, `WRED_PROFILE` | `green_min_threshold` and others | Kmin, Kmax, Pmax |
//! | `ARS_OBJECT` | `assign_mode`, `flowlet_idle_time` | `switch.selection` |
//!
//! | module | contents |
//! |---|---|
//! | here | fields of a scenario; the switch at run time beside its configuration |
//! | `ports` | speeds, lengths of cables and priorities of ports |
//! | `profiles` | the profile of each port's priorities, made as the switch makes it |
//! | `memory` | shared memory, headroom and thresholds of PFC |
//! | `calculated` | headroom where no profile has any |
//! | `marking` | thresholds of ECN |
//! | `adaptive` | adaptive routing and switching |
//! | `rest` | watchdog, schedulers and all other tables |
//! | [`fabric`] | the switch's ports compared with the cables of a scenario |
//! | `forms` | the forms of a file |
//! | `json` | JSON without names that stand twice |
//! | `references` | names of entries in other tables |
//! | `printed` | files that are no JSON |
//! | `config` | the tables of a file |
//! | `tables` | names of tables, and their use |

mod adaptive;
mod calculated;
mod config;
pub mod fabric;
mod forms;
mod json;
mod marking;
mod memory;
mod ports;
mod printed;
mod profiles;
mod references;
mod rest;
mod tables;

use core::ops::Range;

use self::config::Fields;
pub use self::config::{SonicConfig, SonicForm};
use self::ports::Ports;
use super::account::{KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::{SourceText, decimal};
use scenario::Diagnostic;

/// Largest memory of a switch in a scenario.
const LARGEST: u64 = 1 << 30;

/// Reads a file. The settings are for a scenario with PFC, central memory and `congestion_control: Dcqcn(...)`.
///
/// # Errors
/// If the file has none of the forms, or a value is no number in its range.
pub fn read(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    read_with(source, None)
}

/// Reads a configuration, and the buffers of the switch at run time: what it prints, a dump of its database, or its
/// `pg_profile_lookup.ini`.
///
/// # Errors
/// If a file has none of the forms, or a value is no number in its range.
pub fn read_with(
    source: SourceText<'_>,
    buffers: Option<SourceText<'_>>,
) -> Result<ImportedSettings, Diagnostic> {
    let mut draft = Draft::new(source, buffers)?;
    if draft.config.form == SonicForm::Lookup {
        let message = "this is `pg_profile_lookup.ini`: headroom by speed and length, without ports and pool";
        let help =
            "give it beside the configuration of the switch: `import sonic config_db.json --buffers FILE`";
        return Err(source.whole(message, help));
    }
    draft.references()?;
    let ports = draft.ports()?;
    let lanes = draft.priorities()?;
    draft.give_profiles(&ports)?;
    draft.memory(&ports, lanes)?;
    draft.marking(&ports.speeds)?;
    draft.adaptive()?;
    draft.rest();
    let Draft { settings, account, config, .. } = draft;
    // A pool without numbers has an entry that says where they are.
    if settings.is_empty() && !config.tables.contains_key("BUFFER_POOL") {
        let help = "write a configuration with BUFFER_POOL, WRED_PROFILE, PORT_QOS_MAP or ARS_OBJECT";
        return Err(source.whole("the file has no settings of buffers, PFC, ECN or adaptive routing", help));
    }
    Ok(ImportedSettings { settings, account, ..ImportedSettings::default() })
}

/// The settings so far.
struct Draft<'a> {
    source: SourceText<'a>,
    /// The tables of both files.
    config: SonicConfig,
    /// The switch at run time: the file, and its tables alone.
    buffers: Option<(SourceText<'a>, SonicConfig)>,
    /// True if ports of the same speed have different headroom.
    headroom_differs: bool,
    settings: Vec<(String, String)>,
    account: Vec<KeyAccount>,
}

impl<'a> Draft<'a> {
    /// Reads both files. Entries of the switch at run time take the place of the configuration's.
    fn new(source: SourceText<'a>, buffers: Option<SourceText<'a>>) -> Result<Self, Diagnostic> {
        let mut draft = Self {
            source,
            config: SonicConfig::read(source)?,
            buffers: None,
            headroom_differs: false,
            settings: Vec::new(),
            account: Vec::new(),
        };
        let Some(text) = buffers else { return Ok(draft) };
        let own = SonicConfig::read(text)?;
        // Rows for speeds and lengths that no port has are no profiles of the switch: `profiles` takes what it needs.
        let is_taken = |name: &str| own.form != SonicForm::Lookup && tables::is_known(name);
        let (mut taken, mut replaced) = (0, 0);
        for (table, entries) in own.tables.iter().filter(|(name, _)| is_taken(name)) {
            for (key, fields) in entries {
                taken += 1;
                let before = draft.config.tables.entry(table.clone()).or_default();
                let before = before.insert(key.clone(), fields.clone());
                replaced += usize::from(before.is_some_and(|before| before != *fields));
            }
        }
        let what = if own.form == SonicForm::Lookup {
            "rows by which the switch makes profiles for ports without one".to_owned()
        } else {
            format!(
                "the switch at run time: {taken} entries, {replaced} of them in place of others in the configuration; not tried on a real file"
            )
        };
        let mut entry = KeyAccount::new("(buffers)", text.name, KeyFate::Used, what);
        entry.file = Some(text.name.to_owned());
        draft.account.push(entry);
        draft.buffers = Some((text, own));
        Ok(draft)
    }

    /// Returns the file that has an entry, and the place of a path within it.
    fn place(&self, path: &[&str]) -> (SourceText<'a>, Option<Range<usize>>) {
        let has = |config: &SonicConfig, [table, key, ..]: &[&str; 2]| {
            config.tables.get(*table).is_some_and(|entries| entries.contains_key(*key))
        };
        match (&self.buffers, path) {
            (Some((text, own)), [table, key, ..]) if has(own, &[table, key]) => {
                (*text, own.place(*text, path))
            }
            _ => (self.source, self.config.place(self.source, path)),
        }
    }

    /// Enters a key. Its parts are separated by dots.
    fn note(&mut self, key: &str, given: impl Into<String>, fate: KeyFate, what: impl Into<String>) {
        let mut entry = KeyAccount::new(key, given, fate, what);
        let (source, place) = self.place(&key.split('.').collect::<Vec<_>>());
        entry.place = place.map(|at| source.excerpt(&at));
        entry.file = Some(source.name.to_owned()).filter(|name| name != self.source.name);
        self.account.push(entry);
    }

    fn set(&mut self, path: &str, value: String) {
        self.settings.push((path.to_owned(), value));
    }

    /// Returns a fault of a table, an entry or a field.
    fn fault(&self, path: &[&str], message: impl Into<String>, help: &str) -> Diagnostic {
        let (source, at) = self.place(path);
        source.fault(&at.unwrap_or(0..0), &path.join("."), message, help).into()
    }

    /// Reads a whole number of a field; `None` if the entry lacks it.
    fn number(&self, table: &str, key: &str, field: &str, most: u64) -> Result<Option<u64>, Diagnostic> {
        let Some(text) = self.config.field(table, key, field) else { return Ok(None) };
        let number = decimal(text).filter(|number| *number <= most);
        number.map(Some).ok_or_else(|| {
            let message = format!("`{text}` is not a number in its range");
            let help = format!("write a whole number from 0 to {most}");
            self.fault(&[table, key, field], message, &help)
        })
    }
}

/// Returns the name that a field refers to, which may stand behind its table: `[BUFFER_PROFILE|name]`.
fn referred<'f>(fields: &'f Fields, field: &str) -> &'f str {
    let text = fields.get(field).map_or("", String::as_str);
    let inside = text.strip_prefix('[').and_then(|inside| inside.strip_suffix(']'));
    inside.map_or(text, |inside| inside.rsplit(['|', ':']).next().unwrap_or(inside))
}
