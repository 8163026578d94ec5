//! Settings of paths that cannot have an effect.

use telemetry::{IdleReason, IdleSettingRecord};

use super::{Remark, RemarkKind};
use crate::format::grouped;

pub(super) fn remark(idle: &IdleSettingRecord) -> Remark {
    Remark { about: RemarkKind::WithoutEffect, text: idle_setting(idle) }
}

/// Says which setting has no effect, the reason, and the remedy where there is one.
#[must_use]
pub fn idle_setting(IdleSettingRecord { setting, reason }: &IdleSettingRecord) -> String {
    let why = match reason {
        IdleReason::OnePort => {
            "chooses nothing: no switch has several ports towards a host, and neither selection nor entropy has an \
             effect"
                .to_owned()
        }
        IdleReason::NoDetour => "makes no detour: no flow leaves its switch or group".to_owned(),
        IdleReason::NotSelected => "chooses for no packet: `selected_packets` leaves out the transport or the \
                                    service level of every flow, and their ports go by hash"
            .to_owned(),
        IdleReason::TooShort { small, longest } => format!(
            "chooses for no packet: the longest has {} B, and `selected_packets.small` is {} B",
            grouped(longest.get()),
            grouped(small.get())
        ),
        IdleReason::NoneOnTheWay => "chooses for no packet: none that it is for comes to a switch with a group of \
                                     ports that it chooses from"
            .to_owned(),
        IdleReason::HashForAll => {
            "has no effect: a hash of their flow chooses the ports of all packets".to_owned()
        }
        IdleReason::GapBeyondRun { gap, duration } => format!(
            "keeps the first port of each flow: its `gap`, {gap}, is not shorter than the run, {duration}"
        ),
        IdleReason::TwoOfTwo => "compares the same ports with `choices: Two` as with `All`: no group has more than \
                                 two"
            .to_owned(),
        IdleReason::NotHashed => "has no effect: no packet that carries it comes to a switch that hashes it to \
                                  choose among several ports"
            .to_owned(),
        IdleReason::NoAnswers => "learns nothing: no packet of these adapters is acknowledged".to_owned(),
        IdleReason::NoMarks => "has no signal of queues: no switch marks packets, so that it learns from time-outs \
                                and repeated packets alone; `congestion_control` with marks gives it one"
            .to_owned(),
    };
    format!("`{setting}` {why}.")
}
