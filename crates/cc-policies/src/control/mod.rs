//! Congestion control of a fabric as three independent decisions, and the closed set of policies for each.
//!
//! Invariant: any marking runs with any echo and any response. A [`Control`] that passes its check can be built.
//!
//! | module | settings | policy | at |
//! |---|---|---|---|
//! | `marking` | [`MarkingSpec`] | [`AnyMarker`] | a switch |
//! | `echo` | [`AnyEcho`], stateless | [`AnyEcho`] | a destination |
//! | `response` | [`ResponseSpec`] | [`AnyResponse`], its state [`AnyState`] | a source |
//!
//! The sets are enums, not `dyn`. Policies decide in the event loop's innermost path, and the state of a flow stays
//! `Copy` and of known size. The compiler names each `match` that a new variant has to be added to.

mod echo;
mod marking;
mod response;

pub use echo::AnyEcho;
pub use marking::{AnyMarker, MarkingSpec, RareMarker};
pub use response::{AnyResponse, AnyState, ResponseSpec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::Fault;

use crate::own::{OwnPolicies, OwnPolicy};

/// The three decisions of a congestion control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Rule by which switches mark packets.
    pub marking: MarkingSpec,
    /// Answer of a destination to a mark.
    pub echo: AnyEcho,
    /// Response of a source to notifications.
    pub response: ResponseSpec,
}

impl Control {
    /// No marking, no notification, no response.
    pub const OFF: Self = Self { marking: MarkingSpec::Off, echo: AnyEcho::Off, response: ResponseSpec::Off };

    /// Checks the settings of each decision.
    ///
    /// # Errors
    /// The first fault. Its path begins with `marking`, `echo` or `response`.
    pub fn check(&self) -> Result<(), Fault> {
        self.marking.check().map_err(|fault| fault.below(&"marking".into()))?;
        self.echo.check().map_err(|fault| fault.below(&"echo".into()))?;
        self.response.check().map_err(|fault| fault.below(&"response".into()))
    }

    /// Checks that a program with these policies of its own has those that are named here, and their settings.
    ///
    /// # Errors
    /// The first fault. Its path begins with `marking` or `response`.
    pub fn check_own(&self, own: &OwnPolicies) -> Result<(), Fault> {
        if let MarkingSpec::Own(marking) = &self.marking {
            own.check_marker(marking).map_err(|fault| fault.below(&"marking".into()))?;
        }
        if let ResponseSpec::Own(response) = &self.response {
            own.check_response(response).map_err(|fault| fault.below(&"response".into()))?;
        }
        Ok(())
    }

    /// Returns the policies that are a program's own.
    #[must_use]
    pub fn own_policies(&self, own: &OwnPolicies) -> Vec<OwnPolicy> {
        let marking =
            if let MarkingSpec::Own(marking) = &self.marking { own.marker_of(marking) } else { None };
        let response =
            if let ResponseSpec::Own(response) = &self.response { own.response_of(response) } else { None };
        marking.into_iter().chain(response).collect()
    }
}
