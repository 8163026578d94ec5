//! Faults found in a scenario, each at its place in the text.

use core::fmt::Display;

use settings::{FieldPath, SettingError};

use super::scenario_text::ScenarioText;
use crate::diagnostics::{Diagnostic, LocatedFault};

/// The faults found so far.
pub(crate) struct Faults<'a> {
    pub(crate) source: &'a ScenarioText,
    pub(crate) found: Vec<LocatedFault>,
    /// Number of faults, at the beginning of the list, that only name a range. A later fault of the same number says
    /// more, and replaces the first.
    of_ranges: usize,
}

impl<'a> Faults<'a> {
    /// Starts the list of faults of the scenario that was read from this text.
    pub(crate) fn new(source: &'a ScenarioText) -> Self {
        Self { source, found: Vec::new(), of_ranges: 0 }
    }

    /// Adds a number that is out of its range. A fault that is added later at the same path replaces this one: it says
    /// more.
    pub(crate) fn add_range(&mut self, path: &FieldPath, message: impl Display, help: impl Display) {
        self.add(path, message, help);
        self.of_ranges = self.found.len();
    }

    /// Puts the faults in the order of the text.
    pub(crate) fn sort(&mut self) {
        self.found.sort_by_key(|fault| fault.place.as_ref().map(|place| (place.line, place.column)));
    }

    /// Adds a fault of the value at this path.
    pub(crate) fn add(&mut self, path: &FieldPath, message: impl Display, help: impl Display) {
        self.push(path, message.to_string(), Some(help.to_string()), false);
    }

    /// Adds a fault of the name at the end of this path.
    pub(crate) fn add_name(&mut self, path: &FieldPath, message: impl Display, help: impl Display) {
        self.push(path, message.to_string(), Some(help.to_string()), true);
    }

    /// Adds a fault that the check of a setting found below `parent`.
    pub(crate) fn of_setting(&mut self, parent: &FieldPath, fault: settings::Fault) {
        let path = parent.join(&fault.path);
        self.push(&path, fault.message, fault.help, false);
    }

    /// Adds the errors of settings that stand at this path.
    pub(crate) fn add_errors(&mut self, path: &FieldPath, errors: &[impl SettingError]) {
        errors.iter().for_each(|error| self.add_error(path, error, false));
    }

    /// Adds an error of a setting that stands at this path; `of_name` if the name at the end of its own path is wrong.
    pub(crate) fn add_error(&mut self, path: &FieldPath, error: &impl SettingError, of_name: bool) {
        self.push(&path.join(&error.path()), error.to_string(), error.help(), of_name);
    }

    /// Returns true if a fault of the value at this path was found.
    pub(crate) fn has(&self, path: &FieldPath) -> bool {
        let path = path.to_string();
        self.found.iter().any(|fault| fault.path == path)
    }

    /// Returns true if anything is wrong with the value at this path, or with a part of it.
    pub(crate) fn any_below(&self, path: &FieldPath) -> bool {
        let path = path.to_string();
        let below = |fault: &LocatedFault| {
            let rest = fault.path.strip_prefix(&path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.found.iter().any(below)
    }

    fn push(&mut self, path: &FieldPath, message: String, help: Option<String>, of_name: bool) {
        let fault = match self.source.outline() {
            Ok(outline) => {
                let text = self.source.text();
                let span = if of_name { outline.key_span(text, path) } else { outline.span(text, path) };
                self.source.fault(&span, path, message, help)
            }
            Err(fault) => LocatedFault { path: path.to_string(), message, help, ..fault },
        };
        let known = self.found[..self.of_ranges].iter().position(|known| known.path == fault.path);
        match known {
            Some(place) => self.found[place] = fault,
            None => self.found.push(fault),
        }
    }

    /// Returns the value at this path as it is written.
    pub(crate) fn written(&self, path: &FieldPath) -> String {
        let text = self.source.text();
        self.source
            .outline()
            .map_or_else(|_| String::new(), |outline| text[outline.span(text, path)].to_owned())
    }

    /// Returns true if the value at this path comes from an override.
    pub(crate) fn overridden(&self, path: &FieldPath) -> bool {
        let source = self.source;
        source.outline().is_ok_and(|outline| {
            let site = outline.reach(source.text(), path);
            site.steps == path.steps().len() && source.is_overridden(site.node.span.start)
        })
    }

    pub(crate) fn into_diagnostic(self) -> Diagnostic {
        Diagnostic::new(self.found)
    }
}

impl ScenarioText {
    /// Returns the diagnostic of an error of settings, at its field's place in this text.
    #[must_use]
    pub fn diagnostic(&self, error: &impl SettingError) -> Diagnostic {
        let mut faults = Faults::new(self);
        faults.add_error(&FieldPath::default(), error, false);
        faults.into_diagnostic()
    }
}
