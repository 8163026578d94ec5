//! Names by which entries of a SONiC switch refer to entries of other tables.
//!
//! Invariant: a name without an entry is refused. A file may lack the other table as a whole: it is then a part.

use super::{Draft, referred};
use scenario::Diagnostic;

/// Tables, their fields that refer, and the tables referred to.
const REFERENCES: [(&str, &str, &str); 4] = [
    ("BUFFER_PG", "profile", "BUFFER_PROFILE"),
    ("BUFFER_PROFILE", "pool", "BUFFER_POOL"),
    ("QUEUE", "wred_profile", "WRED_PROFILE"),
    ("QUEUE", "scheduler", "SCHEDULER"),
];

/// Profile of a priority group for which the dynamic buffer model computes one.
const COMPUTED: &str = "NULL";

impl Draft<'_> {
    /// Refuses a name without an entry where its table has others.
    pub(super) fn references(&self) -> Result<(), Diagnostic> {
        for (table, field, other) in REFERENCES {
            let Some(known) = self.config.tables.get(other).filter(|known| !known.is_empty()) else {
                continue;
            };
            let is_missing = |name: &str| !name.is_empty() && name != COMPUTED && !known.contains_key(name);
            let mut names = self.config.entries(table).map(|(key, fields)| (key, referred(fields, field)));
            if let Some((key, name)) = names.find(|(_, name)| is_missing(name)) {
                let message = format!("{other} has no entry `{name}`");
                let first = known.keys().take(4).map(|name| format!("`{name}`")).collect::<Vec<_>>();
                let help = format!(
                    "write a name that it has, such as {}, or add the entry; what the switch has at run time comes by `--buffers FILE`",
                    first.join(", ")
                );
                return Err(self.fault(&[table, key, field], message, &help));
            }
        }
        Ok(())
    }
}
