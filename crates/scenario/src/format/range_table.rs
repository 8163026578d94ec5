//! The ranges of the schema, as a table.
//!
//! Invariant: the entries are those of the schema, in order of type, variant, field and place. `cargo xtask bless`
//! writes them anew after a range has changed beside its field; a test compares them.

use super::ranges::NumberRange;
use super::ranges::RangeEnd::{self, Excluded, Included};

/// The range of a number in a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TableEntry {
    /// Name of the struct or enum.
    pub(super) owner: &'static str,
    /// Name of the enum's variant; empty for a struct.
    pub(super) variant: &'static str,
    /// Name of the field; empty for the content of a variant without names.
    pub(super) field: &'static str,
    /// Place in a tuple; 0 elsewhere.
    pub(super) place: usize,
    pub(super) range: NumberRange,
}

const fn entry(
    owner: &'static str,
    variant: &'static str,
    field: &'static str,
    place: usize,
    range: NumberRange,
) -> TableEntry {
    TableEntry { owner, variant, field, place, range }
}

const fn whole(least: u64, most: u64) -> NumberRange {
    NumberRange::Whole { least, most }
}

const fn real(least: RangeEnd, most: RangeEnd) -> NumberRange {
    NumberRange::Real { least, most }
}

/// Every range that is narrower than its field's type.
pub(super) const RANGES: &[TableEntry] = &[
    entry("AdapterSpec", "", "ack_every", 0, whole(1, 4294967295)),
    entry("AdapterSpec", "", "ack_service_level", 0, whole(0, 15)),
    entry("AdapterSpec", "", "ack_timeout", 0, whole(0, 31)),
    entry("AdapterSpec", "", "max_outstanding", 0, whole(1, 8388608)),
    entry("AdapterSpec", "", "max_reads", 0, whole(1, 255)),
    entry("AdapterSpec", "", "retry_count", 0, whole(0, 7)),
    entry("AnyOrderSpec", "", "window", 0, whole(1, 32768)),
    entry("ArbiterSpec", "Islip", "iterations", 0, whole(1, 254)),
    entry("ArrivalSpec", "Closed", "outstanding", 0, whole(1, 4294967295)),
    entry("ArrivalSpec", "Fixed", "load", 0, real(Excluded(0.0), Included(1.0))),
    entry("ArrivalSpec", "OnOff", "load", 0, real(Excluded(0.0), Included(1.0))),
    entry("ArrivalSpec", "Poisson", "load", 0, real(Excluded(0.0), Included(1.0))),
    entry("BitmapSpec", "", "values", 0, whole(2, 256)),
    entry("BufferOverride", "", "lane", 0, whole(0, 14)),
    entry("BufferOverride", "", "port", 0, whole(0, 1023)),
    entry("CctSpec", "Entries", "", 0, whole(0, 3)),
    entry("CctSpec", "Entries", "", 1, whole(0, 16383)),
    entry("CctSpec", "Linear", "entries", 0, whole(1, 65535)),
    entry("CctSpec", "Linear", "shift", 0, whole(0, 3)),
    entry("CctSpec", "Linear", "step", 0, whole(0, 16383)),
    entry("Chain", "", "hosts", 0, whole(0, 253)),
    entry("Chain", "", "parallel", 0, whole(1, 254)),
    entry("Clos", "", "radix", 0, whole(2, 254)),
    entry("CnpEcho", "", "service_level", 0, whole(0, 15)),
    entry("ContributorSpec", "First", "", 0, whole(1, 4294967295)),
    entry("ConvergeSpec", "", "service_level", 0, whole(0, 15)),
    entry("CreditSpec", "", "update_blocks", 0, whole(1, 2048)),
    entry("Crossbar", "", "hosts", 0, whole(1, 254)),
    entry("DcqcnResponseSpec", "", "fast_recovery", 0, whole(1, 254)),
    entry("DcqcnResponseSpec", "", "g", 0, real(Excluded(0.0), Excluded(1.0))),
    entry("DcqcnResponseSpec", "", "initial_alpha", 0, real(Excluded(0.0), Included(1.0))),
    entry("DestinationSpec", "Shift", "", 0, whole(1, 4294967295)),
    entry("DetourWeights", "Fixed", "", 0, whole(1, 16)),
    entry("Dragonfly", "", "global", 0, whole(1, 253)),
    entry("Dragonfly", "", "groups", 0, whole(2, 65535)),
    entry("Dragonfly", "", "hosts", 0, whole(1, 253)),
    entry("Dragonfly", "", "routers", 0, whole(1, 254)),
    entry("FatTree", "", "down", 0, whole(1, 254)),
    entry("FatTree", "", "parallel", 0, whole(1, 254)),
    entry("FatTree", "", "up", 0, whole(1, 254)),
    entry("FlowSpec", "", "service_level", 0, whole(0, 15)),
    entry("FlowletSpec", "", "entries", 0, whole(1, 65536)),
    entry("FullTrigger", "Packets", "", 0, whole(1, 65535)),
    entry("GridSpec", "", "hosts", 0, whole(1, 253)),
    entry("GridSpec", "", "parallel", 0, whole(1, 254)),
    entry("GridSpec", "", "sizes", 0, whole(2, 49151)),
    entry("HotSpotSpec", "", "load", 0, real(Excluded(0.0), Included(1.0))),
    entry("HotSpotSpec", "", "service_level", 0, whole(0, 15)),
    entry("HotSpotWindowSpec", "", "fraction", 0, real(Excluded(0.0), Included(1.0))),
    entry("IbaMarkingSpec", "", "threshold", 0, whole(0, 15)),
    entry("IbaResponseSpec", "", "ccti_timer", 0, whole(1, 65535)),
    entry("IncastSpec", "", "service_level", 0, whole(0, 15)),
    entry("Job", "", "service_level", 0, whole(0, 15)),
    entry("KaryNTree", "", "arity", 0, whole(2, 127)),
    entry("KaryNTree", "", "levels", 0, whole(1, 15)),
    entry("LeastLoadedSpec", "", "levels", 0, whole(2, 4096)),
    entry("LinkEnds", "", "from_port", 0, whole(0, 1023)),
    entry("LinkEnds", "", "to_port", 0, whole(0, 1023)),
    entry("LinkSpec", "", "data_lanes", 0, whole(1, 15)),
    entry("LinkSpec", "", "sl_to_vl", 0, whole(0, 14)),
    entry("LoadSpec", "Messages", "", 0, whole(1, 67108864)),
    entry("LoadSpec", "Saturate", "outstanding", 0, whole(1, 4294967295)),
    entry("NakSpec", "After", "", 0, whole(1, 32767)),
    entry("Omega", "", "arity", 0, whole(2, 127)),
    entry("Omega", "", "stages", 0, whole(2, 15)),
    entry("PauseSpec", "", "pfc_enable", 0, whole(0, 14)),
    entry("PauseSpec", "", "quanta", 0, whole(1, 65535)),
    entry("PermutationSpec", "", "service_level", 0, whole(0, 15)),
    entry("PoissonSpec", "", "load", 0, real(Excluded(0.0), Included(1.0))),
    entry("PoissonSpec", "", "service_level", 0, whole(0, 15)),
    entry("PortArbitration", "", "port", 0, whole(0, 1023)),
    entry("PortMarking", "", "port", 0, whole(1, 254)),
    entry("PortMarking", "", "threshold", 0, whole(0, 15)),
    entry("Provision", "", "lanes", 0, whole(1, 15)),
    entry("Provision", "", "ports", 0, whole(1, 254)),
    entry("RateControl", "Aimd", "divisor", 0, real(Included(1.01), Included(256.0))),
    entry("RateControl", "Aimd", "max_ipd", 0, whole(1, 255)),
    entry("RateControl", "Fimd", "divisor", 0, real(Included(1.01), Included(256.0))),
    entry("RateControl", "Fimd", "max_ipd", 0, whole(1, 255)),
    entry("RateControl", "Lipd", "max_ipd", 0, whole(1, 255)),
    entry("RateControl", "Tables", "new_rate_rpi", 0, whole(1, 4294967295)),
    entry("RateThresholds", "", "pmax", 0, real(Excluded(0.0), Included(1.0))),
    entry("RedMarkingSpec", "", "pmax", 0, real(Excluded(0.0), Included(1.0))),
    entry("RepeatSpec", "Poisson", "load", 0, real(Excluded(0.0), Included(1.0))),
    entry("RepsSpec", "", "kept", 0, whole(1, 64)),
    entry("RootTrigger", "InputAndQueued", "present", 0, whole(1, 65535)),
    entry("RoutingSpec", "Written", "", 0, whole(1, 254)),
    entry("SelectedPacketsSpec", "", "levels", 0, whole(0, 15)),
    entry("SelectiveRepeatSpec", "", "cap", 0, whole(1, 32768)),
    entry("SelectiveRepeatSpec", "", "few", 0, whole(0, 32768)),
    entry("SenderRule", "Drawn", "", 0, whole(1, 4294967295)),
    entry("SenderRule", "OtherRacks", "", 0, whole(1, 4294967295)),
    entry("SeriesSpec", "", "busiest_ports", 0, whole(0, 1000000)),
    entry("SeriesSpec", "", "busiest_sources", 0, whole(0, 1000000)),
    entry("SeriesSpec", "", "longest_queues", 0, whole(0, 1000000)),
    entry("SeriesSpec", "", "pauses_kept", 0, whole(1, 10000000)),
    entry("ServiceLevelSetting", "", "ccti_timer", 0, whole(1, 65535)),
    entry("ServiceLevelSetting", "", "service_level", 0, whole(0, 15)),
    entry("SessionsSpec", "", "service_level", 0, whole(0, 15)),
    entry("ShareOverride", "", "alpha", 0, real(Included(0.0078125), Included(128.0))),
    entry("ShareOverride", "", "lane", 0, whole(0, 14)),
    entry("ShareOverride", "", "port", 0, whole(0, 1023)),
    entry("Sharing", "Dynamic", "alpha", 0, real(Included(0.0078125), Included(128.0))),
    entry("SlToVlSpec", "", "input", 0, whole(0, 1023)),
    entry("SlToVlSpec", "", "output", 0, whole(0, 1023)),
    entry("SwitchSpec", "", "speedup", 0, real(Included(1.0), Included(1000.0))),
    entry("SwitchWithHosts", "", "hosts", 0, whole(1, 253)),
    entry("SyntheticSpec", "", "messages", 0, whole(1, 4294967295)),
    entry("SyntheticSpec", "", "service_level", 0, whole(0, 15)),
    entry("TimedResponseSpec", "", "fast_recovery", 0, whole(0, 253)),
    entry("TimedResponseSpec", "", "g", 0, real(Included(0.0), Included(1.0))),
    entry("VlArbitrationSpec", "", "strict", 0, whole(0, 14)),
    entry("VlWeight", "", "lane", 0, whole(0, 14)),
    entry("WatchSpec", "Queue", "lane", 0, whole(0, 14)),
    entry("WindowControl", "Aimd", "divisor", 0, real(Included(1.01), Included(256.0))),
    entry("WindowControl", "Aimd", "max_window", 0, whole(2, 65535)),
    entry("WindowControl", "Derived", "window_decrease", 0, whole(1, 65535)),
    entry("WindowControl", "Fimd", "divisor", 0, real(Included(1.01), Included(256.0))),
    entry("WindowControl", "Fimd", "max_window", 0, whole(2, 65535)),
    entry("WindowControl", "Fixed", "", 0, whole(1, 65535)),
    entry("WindowControl", "Tables", "new_window_rpi", 0, whole(1, 4294967295)),
    entry("WindowControl", "Tables", "window_decrease", 0, whole(1, 65535)),
    entry("WindowControl", "Tables", "window_increase", 0, whole(1, 65535)),
];
