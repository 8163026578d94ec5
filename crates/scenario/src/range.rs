//! What the whole numbers of a scenario may be, by the name of their field.
//!
//! Invariant: one table for the reader's messages and for the checks, so that both say the same. Fields
//! that another crate checks stand here too, for the reader.

use core::ops::RangeInclusive;

use crate::path::Path;

const RANGES: &[(&str, RangeInclusive<u64>)] = &[
    // The link (IBA 7.6.9, 7.9.4).
    ("data_lanes", 1..=15),
    ("sl_to_vl", 0..=14),
    ("lane", 0..=14),
    ("weight", 0..=255),
    ("limit_of_high_priority", 0..=255),
    ("update_blocks", 1..=2048),
    ("quanta", 1..=65_535),
    // Nodes.
    ("radix", 2..=254),
    ("iterations", 1..=254),
    ("hosts", 0..=254),
    ("arity", 2..=127),
    ("levels", 1..=15),
    ("stages", 2..=15),
    ("down", 1..=254),
    ("up", 1..=254),
    ("parallel", 1..=254),
    ("sizes", 2..=0xBFFF),
    ("routers", 1..=254),
    ("global", 1..=253),
    ("groups", 2..=65_535),
    ("routing", 1..=254),
    ("port", 1..=254),
    ("ack_every", 1..=u32::MAX as u64),
    ("max_outstanding", 1..=8_388_608),
    ("max_reads", 1..=255),
    ("ack_timeout", 0..=31),
    ("retry_count", 0..=7),
    // Congestion control (IBA A10.4.3).
    ("threshold", 0..=15),
    ("packet_size", 0..=255),
    ("marking_rate", 0..=65_535),
    ("ccti_limit", 0..=65_535),
    ("ccti_increase", 0..=255),
    ("ccti_min", 0..=255),
    ("ccti_timer", 1..=65_535),
    ("trigger_threshold", 0..=255),
    ("entries", 1..=65_535),
    ("shift", 0..=3),
    ("step", 0..=16_383),
    ("cct", 0..=16_383),
    // The HP proposal's response.
    ("max_ipd", 1..=255),
    ("rate_increase", 0..=255),
    ("rate_decrease", 0..=255),
    ("new_rate_rpi", 1..=u32::MAX as u64),
    ("max_window", 2..=65_535),
    ("window_increase", 1..=65_535),
    ("window_decrease", 1..=65_535),
    ("new_window_rpi", 1..=u32::MAX as u64),
    ("window", 1..=65_535),
    // DCQCN's response.
    ("fast_recovery", 1..=254),
    ("rpg_threshold", 1..=254),
    // Traffic.
    ("service_level", 0..=15),
    ("outstanding", 1..=u32::MAX as u64),
    ("senders", 1..=u32::MAX as u64),
    ("messages", 1..=u32::MAX as u64),
    ("load", 1..=u32::MAX as u64),
    ("seed", 0..=u64::MAX),
];

/// What may stand at this path, if it is a whole number.
pub(crate) fn of(path: &Path) -> Option<RangeInclusive<u64>> {
    let entry = |name: &str| RANGES.iter().find(|(field, _)| *field == name);
    path.names_upwards().find_map(entry).map(|(_, range)| range.clone())
}

/// A help line for this path.
pub(crate) fn help(path: &Path) -> Option<String> {
    of(path).map(|range| format!("write a whole number from {} to {}", range.start(), range.end()))
}
