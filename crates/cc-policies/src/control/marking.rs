//! The closed set of marking rules.
//!
//! Invariant: each rule stands in [`MarkingSpec`] with its settings, in [`AnyMarker`] or [`RareMarker`] with its state,
//! and in every `match` of this file. No `match` here has a wildcard.

use packet::{Lane, MarkCode, PortId, VoqId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{Fault, SettingError};
use units::Bytes;

use crate::dcqcn::RedMarker;
use crate::dcqcn::spec::RedMarkingSpec;
use crate::hp::HpMarker;
use crate::hp::spec::HpMarkingSpec;
use crate::iba::IbaMarker;
use crate::iba::spec::IbaMarkingSpec;
use crate::own::{self, BoxedMarker, OwnPolicies, OwnSpec};
use crate::policy::{BufferOwner, BufferView, Margin, MarkReason, Marker, MarkerSetup, Off, QueueView};

/// A marking rule with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum MarkingSpec {
    /// No packet is marked.
    Off,
    /// InfiniBand's threshold.
    Iba(IbaMarkingSpec),
    /// The HP proposal's full buffers.
    Hp(HpMarkingSpec),
    /// Random early detection, DCQCN's congestion point.
    Red(RedMarkingSpec),
    /// A rule of a user's program.
    Own(OwnSpec),
}

impl MarkingSpec {
    /// Checks the settings of a built-in rule. [`Control::check_own`](super::Control::check_own) checks the others.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), Fault> {
        match self {
            Self::Off | Self::Own(_) => Ok(()),
            Self::Iba(marking) => marking.check().map_err(|error| error.fault()),
            Self::Hp(marking) => marking.check().map_err(|error| error.fault()),
            Self::Red(marking) => marking.check().map_err(|error| error.fault()),
        }
    }

    /// Returns every reason for which the rule marks packets.
    #[must_use]
    pub const fn reasons(&self) -> &'static [MarkReason] {
        match self {
            Self::Off => &[],
            Self::Iba(_) => IbaMarker::REASONS,
            Self::Hp(_) => HpMarker::REASONS,
            Self::Red(_) => RedMarker::REASONS,
            Self::Own(_) => own::REASONS,
        }
    }
}

/// The marker of a switch, by any rule.
#[derive(Clone, Debug)]
pub enum AnyMarker {
    /// Marks no packet.
    Off,
    /// InfiniBand's.
    Iba(IbaMarker),
    /// RED's; boxed for its size.
    Red(Box<RedMarker>),
    /// A marker of a rule that few runs have.
    Rare(RareMarker),
}

/// A marker of a rule that few runs have, apart from [`AnyMarker`]: each packet of every run pays for each choice
/// there.
#[derive(Clone, Debug)]
pub enum RareMarker {
    /// The HP proposal's; boxed for its size.
    Hp(Box<HpMarker>),
    /// A user's program's.
    Own(BoxedMarker),
}

state_codec::state!(enum AnyMarker { 0 = Off, 1 = Iba(marker: part), 2 = Red(marker: part), 3 = Rare(marker: part) });
state_codec::state!(enum RareMarker { 0 = Hp(marker: part), 1 = Own(marker: part) });

impl AnyMarker {
    /// Returns the marker of a switch, in a program with these policies of its own.
    ///
    /// # Panics
    /// If the settings have not passed [`Control::check`](super::Control::check) and
    /// [`check_own`](super::Control::check_own).
    #[must_use]
    pub fn new(marking: &MarkingSpec, own: &OwnPolicies, switch: &MarkerSetup) -> Self {
        match marking {
            MarkingSpec::Off => Self::Off,
            MarkingSpec::Iba(marking) => Self::Iba(IbaMarker::new(marking, switch)),
            MarkingSpec::Hp(marking) => Self::Rare(RareMarker::Hp(Box::new(HpMarker::new(marking, switch)))),
            MarkingSpec::Red(marking) => Self::Red(Box::new(RedMarker::new(marking, switch))),
            MarkingSpec::Own(marking) => Self::Rare(RareMarker::Own(own.make_marker(marking, switch))),
        }
    }
}

/// Calls a method of the marker that is there.
macro_rules! any {
    ($any:expr, $marker:ident => $call:expr) => {
        match $any {
            Self::Off => {
                let $marker = &mut Off;
                $call
            }
            Self::Iba($marker) => $call,
            Self::Red($marker) => $call,
            Self::Rare($marker) => $call,
        }
    };
}

/// Calls a method of the rare marker that is there.
macro_rules! rare {
    ($rare:expr, $marker:ident => $call:expr) => {
        match $rare {
            Self::Hp($marker) => $call,
            Self::Own($marker) => $call,
        }
    };
}

/// Implements [`Marker`] by calls of the marker that is there. `for_packets` is the attribute of what is called for each
/// packet.
macro_rules! dispatched {
    ($type:ty, $dispatch:ident, $for_packets:meta) => {
        impl Marker for $type {
            #[$for_packets]
            fn queue_changed(&mut self, voq: VoqId, view: QueueView) {
                $dispatch!(self, marker => marker.queue_changed(voq, view));
            }

            #[inline]
            fn heeds_buffers(&self, of: BufferOwner) -> bool {
                $dispatch!(self, marker => marker.heeds_buffers(of))
            }

            fn buffer_changed(&mut self, port: PortId, lane: Lane, view: BufferView) {
                $dispatch!(self, marker => marker.buffer_changed(port, lane, view));
            }

            fn stalled(&mut self, output: PortId, lane: Lane) {
                $dispatch!(self, marker => marker.stalled(output, lane));
            }

            #[$for_packets]
            fn left_input(&mut self, voq: VoqId) -> Option<MarkCode> {
                $dispatch!(self, marker => marker.left_input(voq))
            }

            #[$for_packets]
            fn departing(&mut self, voq: VoqId, length: Bytes) -> Option<MarkCode> {
                $dispatch!(self, marker => marker.departing(voq, length))
            }

            fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
                $dispatch!(self, marker => marker.margins(output, lane))
            }

            #[inline]
            fn prefetch(&self, output: PortId, lane: Lane) {
                $dispatch!(self, marker => marker.prefetch(output, lane));
            }
        }
    };
}

dispatched!(AnyMarker, any, inline(always));
// A single call, so that the compiler joins the choices that follow each other for a packet.
dispatched!(RareMarker, rare, inline(never));
