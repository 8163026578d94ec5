//! The closed set of echoes. An echo keeps no state of its own, so that its settings are the policy.
//!
//! Invariant: no `match` of this file has a wildcard.

use packet::{Packet, ServiceLevel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{Fault, SettingError};
use units::Time;

use crate::dcqcn::spec::CnpEcho;
use crate::hp::HpEcho;
use crate::iba::spec::IbaEcho;
use crate::policy::{Answer, Echo, EchoState, Off};

/// Any echo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum AnyEcho {
    /// No mark is answered.
    Off,
    /// InfiniBand's, as [`IbaEcho::Cnp`].
    Cnp,
    /// InfiniBand's, as [`IbaEcho::Acknowledgement`].
    Acknowledgement,
    /// The HP proposal's: on an acknowledgement where there is one, else by a CN packet that names the marked packet.
    Hp,
    /// DCQCN's notification point.
    Dcqcn(CnpEcho),
}

impl AnyEcho {
    /// Checks the echo's settings.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), Fault> {
        match self {
            Self::Off | Self::Cnp | Self::Acknowledgement | Self::Hp => Ok(()),
            Self::Dcqcn(echo) => echo.check().map_err(|error| error.fault()),
        }
    }
}

impl From<IbaEcho> for AnyEcho {
    fn from(echo: IbaEcho) -> Self {
        match echo {
            IbaEcho::Cnp => Self::Cnp,
            IbaEcho::Acknowledgement => Self::Acknowledgement,
        }
    }
}

/// Calls a method of the echo that is there.
macro_rules! dispatch {
    ($any:expr, $echo:ident => $call:expr) => {
        match $any {
            Self::Off => {
                let $echo = Off;
                $call
            }
            Self::Cnp => {
                let $echo = IbaEcho::Cnp;
                $call
            }
            Self::Acknowledgement => {
                let $echo = IbaEcho::Acknowledgement;
                $call
            }
            Self::Hp => {
                let $echo = HpEcho;
                $call
            }
            Self::Dcqcn($echo) => $call,
        }
    };
}

impl Echo for AnyEcho {
    #[inline]
    fn answer(&self, packet: &Packet, state: &mut EchoState, now: Time) -> Option<Answer> {
        dispatch!(self, echo => echo.answer(packet, state, now))
    }

    fn names_packets(&self) -> bool {
        dispatch!(self, echo => echo.names_packets())
    }

    fn service_level(&self) -> Option<ServiceLevel> {
        dispatch!(self, echo => echo.service_level())
    }
}
