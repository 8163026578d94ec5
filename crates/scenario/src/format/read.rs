//! Reading with explanations: from a text to a scenario, or to a diagnostic.

use super::explain::explain;
use super::parse::parse;
use super::spec::Scenario;
use crate::diagnostics::Diagnostic;
use crate::text::{ScenarioText, ShippedScenario};

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// If the text is not a scenario. The diagnostic gives place, reason and correction.
    pub fn read(source: &ScenarioText) -> Result<Self, Diagnostic> {
        source.outline()?;
        parse(source.text()).map_err(|fault| explain(source, &fault).into())
    }
}

impl ShippedScenario {
    /// Returns the aim of the experiment.
    ///
    /// # Panics
    /// Never: the scenarios that ship are tested.
    #[must_use]
    pub fn about(&self) -> String {
        parse(self.text).expect("a shipped scenario can be read").about
    }
}
