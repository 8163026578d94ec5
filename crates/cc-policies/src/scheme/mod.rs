//! Named congestion controls, as a scenario writes them.
//!
//! Invariant: a scheme is a preset. It stands for a [`Control`], and nothing that runs knows the scheme's name.

mod guideline;

pub use guideline::{Guideline, Network};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::Fault;

use crate::control::{AnyEcho, Control, MarkingSpec, ResponseSpec};
use crate::dcqcn::spec::DcqcnScheme;
use crate::hp::spec::HpScheme;
use crate::iba::spec::IbaScheme;
use crate::own::OwnPolicies;

/// Congestion control of a fabric: scenario field `congestion_control`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Scheme {
    /// No marking, no notification, no response.
    Off,
    /// InfiniBand's own congestion control (IBA volume 1, Annex A10).
    Iba(IbaScheme),
    /// InfiniBand's own, with the parameters that Pfister and others (2005) propose: the check of a scenario puts
    /// [`Iba`](Self::Iba) in its place, and the resolved plan shows it. N is the number of hosts; H the largest number
    /// of contributors to a hot spot in `traffic`, or N, the worst case, if there is none.
    Guideline,
    /// The HP proposal (2001), as Santos, Turner and Janakiraman evaluated it.
    Hp(HpScheme),
    /// DCQCN, RoCEv2's (Zhu and others 2015).
    Dcqcn(DcqcnScheme),
    /// Any marking with any echo and any response.
    Mixed(Control),
}

impl Scheme {
    /// Checks the settings.
    ///
    /// # Errors
    /// The first fault. Its path begins with `marking`, `echo` or `response`.
    pub fn check(&self) -> Result<(), Fault> {
        self.control().map_or(Ok(()), |control| control.check())
    }

    /// Checks the policies that are the program's own: see [`Control::check_own`].
    ///
    /// # Errors
    /// As [`Control::check_own`].
    pub fn check_own(&self, own: &OwnPolicies) -> Result<(), Fault> {
        self.control().map_or(Ok(()), |control| control.check_own(own))
    }

    /// Returns the decisions that the scheme stands for in a network. `Guideline` is replaced by its settings for
    /// that network; `network` is called for it alone.
    pub fn resolve(&mut self, network: impl FnOnce() -> Network) -> Control {
        self.control().unwrap_or_else(|| {
            let settings = Guideline::settings(network());
            *self = Self::Iba(settings.clone());
            settings.into()
        })
    }

    /// Returns the decisions that the scheme stands for in every network; `None` for `Guideline`, since its settings
    /// depend on the network.
    fn control(&self) -> Option<Control> {
        match self {
            Self::Off => Some(Control::OFF),
            Self::Iba(iba) => Some(iba.clone().into()),
            Self::Guideline => None,
            Self::Hp(hp) => Some(hp.clone().into()),
            Self::Dcqcn(dcqcn) => Some(dcqcn.clone().into()),
            Self::Mixed(control) => Some(control.clone()),
        }
    }
}

impl From<IbaScheme> for Control {
    fn from(IbaScheme { marking, echo, response, .. }: IbaScheme) -> Self {
        Self { marking: MarkingSpec::Iba(marking), echo: echo.into(), response: ResponseSpec::Iba(response) }
    }
}

impl From<HpScheme> for Control {
    fn from(HpScheme { marking, response }: HpScheme) -> Self {
        Self { marking: MarkingSpec::Hp(marking), echo: AnyEcho::Hp, response: ResponseSpec::Hp(response) }
    }
}

impl From<DcqcnScheme> for Control {
    fn from(DcqcnScheme { marking, echo, response }: DcqcnScheme) -> Self {
        Self {
            marking: MarkingSpec::Red(marking),
            echo: AnyEcho::Dcqcn(echo),
            response: ResponseSpec::Dcqcn(response),
        }
    }
}
