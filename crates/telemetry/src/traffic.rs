//! Traffic patterns, slow hosts and short windows of a run, as the scenario declares them.
//!
//! Invariant: a flow of a pattern names it by its place in the record ([`FlowRecord::pattern`](crate::FlowRecord)).

use units::{Bytes, Rate};

/// A traffic pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternRecord {
    /// Name of the pattern, or its kind with a number from the second of a kind on.
    pub label: String,
    /// The closed loop of each host, if messages are posted as others complete.
    pub closed: Option<ClosedLoopRecord>,
}

/// The closed loop of every host of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedLoopRecord {
    /// Messages of a host that are posted and not yet acknowledged.
    pub outstanding: u32,
    /// The stages in which hosts proceed together, if all of them follow the same order of destinations.
    pub lockstep: Option<LockstepRecord>,
}

/// The stages of a closed loop in which every host sends to the receiver at the same distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockstepRecord {
    /// Number of stages.
    pub stages: u32,
    /// Most flows of a stage that leave by the same output.
    pub most_flows: u32,
}

/// A host that consumes payload at a limited rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowHostRecord {
    /// Name of the host.
    pub host: String,
    /// Payload that it takes at most.
    pub takes: Rate,
}

/// A port of a shared memory under credits that has less window than its cable needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortWindowRecord {
    /// Name of the switch that receives.
    pub node: String,
    /// Number of its port, counted from 1.
    pub port: u16,
    /// Bytes by which credits run ahead of the load.
    pub window: Bytes,
    /// Bytes that keep the link busy.
    pub needed: Bytes,
    /// The longest packet.
    pub packet: Bytes,
    /// Rate of the link.
    pub rate: Rate,
    /// Most of the rate that the window allows, with nothing on the way back.
    pub at_most: Rate,
}
