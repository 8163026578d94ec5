//! Reasons why a plan cannot be exported.
//!
//! Invariant: a message names the target and the field of the scenario that does not fit.

use packet::Framing;
use settings::{FieldPath, SettingError};

use crate::diagnostics::Diagnostic;
use crate::text::{Faults, ScenarioText};

/// The reason why a target cannot hold a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// A target of InfiniBand, and packets of another framing.
    #[error("{target} is for InfiniBand, and the scenario's framing is {framing:?}")]
    NotInfiniBand {
        /// The target.
        target: &'static str,
        /// Framing of the scenario.
        framing: Framing,
    },
    /// A host that several ports of a switch lead to.
    #[error("`{switch}` has several ports for `{host}`, and a linear forwarding table holds one")]
    SeveralPorts {
        /// Name of the switch.
        switch: String,
        /// Name of the host.
        host: String,
    },
}

impl ExportError {
    /// Returns the fault of the scenario that was read from this text, at the field's place in it.
    #[must_use]
    pub fn diagnostic(&self, source: &ScenarioText) -> Diagnostic {
        let mut faults = Faults::new(source);
        faults.add_error(&FieldPath::default(), self, false);
        faults.into_diagnostic()
    }
}

impl SettingError for ExportError {
    fn path(&self) -> FieldPath {
        match self {
            Self::NotInfiniBand { .. } => "link.framing".into(),
            Self::SeveralPorts { .. } => "routing".into(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotInfiniBand { .. } => "name a scenario with `framing: InfiniBand`".to_owned(),
            Self::SeveralPorts { .. } => {
                "choose a routing with one path to a host: `--set routing=MinHop`, or that of the topology, `--set routing=Native`"
                    .to_owned()
            }
        })
    }
}
