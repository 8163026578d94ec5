//! The account of `ibdiagnet2.db_csv`: what its sections gave.
//!
//! Invariant: every section of the file has its fate.

use super::db_csv::Counters;
use super::entries::{Account, some};
use super::sections::Database;
use crate::import::account::{KeyAccount, KeyFate};
use scenario::Diagnostic;

/// Sections of `ibdiagnet2.db_csv` that are read.
const READ: [&str; 7] =
    ["NODES", "PORTS", "LINKS", "CABLE_INFO", "PM_INFO", "CC_HCA_GENERAL_SETTINGS", "VL_ARBITRATION_TABLE"];

impl Account<'_> {
    /// Enters the sections of `ibdiagnet2.db_csv`.
    pub(super) fn database(
        &mut self,
        database: &Database<'_>,
        arbitrated: bool,
        counters: Option<&Counters<'_>>,
    ) -> Result<(), Diagnostic> {
        let what = "read by the names of columns; not yet tried on a file of a real fabric";
        self.note("ibdiagnet2.db_csv", "", KeyFate::Approximated, what);
        if let Some(counters) = counters {
            let what = "`counters.csv`, beside what `export counters` writes after a run";
            self.note("PM_INFO", "", KeyFate::Used, what);
            let (columns, cells) = counters.unknown();
            if cells > 0 {
                let names = some(columns.iter().map(|name| format!("`{name}`")), columns.len());
                let what =
                    format!("{names}: no number, such as `N/A` or -1, so `counters.csv` leaves them empty");
                self.note("cells without a counter", cells.to_string(), KeyFate::NotUsed, what);
            }
        }
        let has = |name: &str| database.sections().any(|section| section.name == name);
        if has("VL_ARBITRATION_TABLE") && !arbitrated {
            let what =
                "lane arbitration needs the lanes of service levels, which this file lacks: `--sl2vl FILE`";
            self.note("VL_ARBITRATION_TABLE", "", KeyFate::NotUsed, what);
        }
        let (reacting, all, first) = database.reacting()?;
        if let Some(at) = first {
            let what = "adapters react to congestion as the vendor's subnet manager has set them, and in the scenario none does";
            let given = format!("{reacting} of {all}");
            let mut entry = KeyAccount::new("en_react", given, KeyFate::Changed, what);
            entry.place = Some(self.source.excerpt(&at));
            self.entries.push(entry);
        } else if all > 0 {
            self.note("en_react", format!("0 of {all}"), KeyFate::Used, "`congestion_control: Off`");
        }
        let is_adaptive = |name: &str| name.starts_with("AR_");
        for section in database.sections().filter(|section| is_adaptive(section.name) && section.rows() > 0) {
            // The columns are not public, so a section that says "off" cannot be told from another.
            let what =
                "switches may choose ports by load, and here they do not: adaptive routing is not modelled";
            self.note(section.name, format!("{} rows", section.rows()), KeyFate::Changed, what);
        }
        let others = database.sections();
        let others = others.filter(|section| !READ.contains(&section.name) && !is_adaptive(section.name));
        let others: Vec<_> =
            others.map(|section| format!("{} ({} rows)", section.name, section.rows())).collect();
        if !others.is_empty() {
            let what = some(others.iter().cloned(), others.len());
            self.note("other sections", others.len().to_string(), KeyFate::NotUsed, what);
        }
        Ok(())
    }
}
