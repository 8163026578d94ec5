//! Files of settings that are no scenarios: the same text, the same places, another type.
//!
//! Invariant: a fault has its place, its path and, where the reader's error contains the expected names, a correction.

use serde::de::DeserializeOwned;
use settings::FieldPath;

use super::explain::{named, plain};
use super::parse::parse_as;
use crate::diagnostics::{Diagnostic, LocatedFault};
use crate::text::ScenarioText;

impl ScenarioText {
    /// Reads a file of settings that is no scenario.
    ///
    /// # Errors
    /// If the text is not RON of this type.
    pub fn read_as<T: DeserializeOwned>(&self) -> Result<T, Diagnostic> {
        // Messages about brackets, quotes and commas call every text a scenario.
        self.outline().map_err(|fault| LocatedFault {
            message: fault.message.replace("scenario", "file"),
            help: fault.help.map(|help| help.replace("scenario", "file")),
            ..fault
        })?;
        parse_as(self.text())
            .map_err(|fault| named(self, &fault).unwrap_or_else(|| plain(self, &fault)).into())
    }

    /// Returns the value at this path as it is written; `None` if there is none, or the text has no outline.
    #[must_use]
    pub fn value_at(&self, path: &FieldPath) -> Option<String> {
        let site = self.outline().ok()?.reach(self.text(), path);
        (site.steps == path.steps().len()).then(|| self.text()[site.node.span.clone()].to_owned())
    }

    /// Locates a fault of the value at this path.
    #[must_use]
    pub fn fault_at(&self, path: &FieldPath, message: String, help: Option<String>) -> LocatedFault {
        match self.outline() {
            Ok(outline) => self.fault(&outline.span(self.text(), path), path, message, help),
            Err(fault) => LocatedFault { path: path.to_string(), message, help, ..fault },
        }
    }
}
