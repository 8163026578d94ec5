//! The kind of fabric that settings are for, and whether a scenario is of it.
//!
//! Invariant: settings of InfiniBand's tools go into no fabric with PFC, and those of Ethernet switches into none with
//! credits, though every field has a place in both.

use link_layer::spec::Discipline;
use scenario::{Diagnostic, Scenario, ScenarioText};
use settings::{FieldPath, SettingError};

/// Tools of settings that go into a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsTarget {
    /// A subnet manager: credits.
    OpenSm,
    /// A SONiC switch: PFC.
    Sonic,
}

/// A scenario of the other kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum TargetError {
    #[error("this is InfiniBand's flow control, by credits, and settings of a SONiC switch are for PFC")]
    SonicWithCredits,
    #[error("settings of a SONiC switch are for PFC, and the scenario has no flow control")]
    SonicWithoutFlowControl,
    #[error("settings of OpenSM are for InfiniBand, and the scenario has no flow control by credits")]
    OpenSmWithoutCredits,
}

impl SettingError for TargetError {
    fn path(&self) -> FieldPath {
        "link.flow_control".into()
    }

    fn help(&self) -> Option<String> {
        let kind = match self {
            Self::SonicWithCredits | Self::SonicWithoutFlowControl => {
                "a RoCEv2 scenario, with `flow_control: Pause`, `buffering: Central` and `congestion_control: Dcqcn(...)`"
            }
            Self::OpenSmWithoutCredits => "an InfiniBand scenario, with `flow_control: Credits(...)`",
        };
        Some(format!("give {kind}; or leave out `--into`, for a draft of this kind"))
    }
}

impl SettingsTarget {
    /// Checks that a scenario has the flow control of the tool, before its settings are put into it.
    ///
    /// # Errors
    /// If it has not, or is wrong itself.
    pub fn takes(self, base: &ScenarioText) -> Result<(), Diagnostic> {
        let wrong = match (self, Scenario::read(base)?.link.flow_control) {
            (Self::Sonic, Discipline::Pause(_)) | (Self::OpenSm, Discipline::Credits(_)) => return Ok(()),
            (Self::Sonic, Discipline::Credits(_)) => TargetError::SonicWithCredits,
            (Self::Sonic, Discipline::Lossy) => TargetError::SonicWithoutFlowControl,
            (Self::OpenSm, _) => TargetError::OpenSmWithoutCredits,
        };
        Err(base.diagnostic(&wrong))
    }
}
