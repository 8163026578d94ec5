//! Windows of credits that hold back a link.

use telemetry::ShortWindowRecord;

use measures::Unit;

use super::{Remark, RemarkKind};
use crate::format::grouped;

pub(super) fn remark(short: &ShortWindowRecord) -> Remark {
    Remark { about: RemarkKind::ShortWindow, text: short_window(short) }
}

/// Says which port has too small a window, what it allows, and what the cable needs.
#[must_use]
pub fn short_window(short: &ShortWindowRecord) -> String {
    let ShortWindowRecord { node, port, window, needed, packet, rate, at_most } = short;
    let at_most = Unit::BitsPerSecond.spelled(at_most.get() as f64);
    format!(
        "Shared memory under credits: at {node} port {port} credits run {} B ahead of the load, {:.1} packets: at most {at_most} of \
         {rate}, and less while packets go the other way. The cable needs {} B: write \
         `switch.sharing=Complete(guaranteed: \"{} B\")`.",
        grouped(window.get()),
        window.get() as f64 / packet.get().max(1) as f64,
        grouped(needed.get()),
        needed.get().next_multiple_of(64),
    )
}
