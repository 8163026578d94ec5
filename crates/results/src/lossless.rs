//! Losses of a fabric that was to be lossless: packets dropped on lanes with PFC.
//!
//! Invariant: lanes without PFC may drop, and are not counted. Under credits a loss is a violated invariant, and ends
//! the run.

use core::fmt::{self, Display, Formatter};
use std::collections::BTreeMap;

use packet::Lane;
use scenario::{Plan, PortHeadroom};
use telemetry::RunRecord;
use units::Bytes;

use crate::format::{counted, grouped};

/// Packets that a run has dropped on lanes with PFC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Number of packets.
    pub packets: u64,
    /// The node that dropped the most of them.
    pub node: String,
    /// Number of further nodes that dropped some.
    pub others: usize,
    /// The reason, as far as the settings show it.
    pub cause: Option<LossCause>,
}

/// Reason for which a fabric with PFC drops packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Ports have less headroom than their cables need.
    Headroom {
        /// Headroom of the port that lacks the most.
        given: Bytes,
        /// Headroom that this port needs.
        needed: Bytes,
        /// Number of ports that lack some.
        ports: usize,
    },
    /// A queue at an output reached its `egress_limit`.
    EgressLimit,
}

impl Loss {
    /// Returns the losses of a run; `None` if no lane with PFC dropped a packet.
    #[must_use]
    pub fn of(plan: &Plan, record: &RunRecord) -> Option<Self> {
        let (mut by_node, mut at_outputs) = (BTreeMap::new(), 0);
        for lane in record.lanes.iter().filter(|lane| plan.link().pauses(Lane(lane.lane))) {
            let Some(pause) = lane.pause else { continue };
            let dropped = pause.dropped_at_input + pause.dropped_at_output;
            at_outputs += pause.dropped_at_output;
            if dropped > 0 {
                *by_node.entry(lane.node.as_str()).or_insert(0) += dropped;
            }
        }
        // Of several with as many, the first by name.
        let (node, _) = by_node.iter().rev().max_by_key(|(_, dropped)| **dropped)?;
        let all = plan.headrooms();
        let cause = shortage(&all).or((at_outputs > 0).then_some(LossCause::EgressLimit));
        Some(Self {
            packets: by_node.values().sum(),
            node: (*node).to_owned(),
            others: by_node.len() - 1,
            cause,
        })
    }

    /// Returns advice for a fabric that loses nothing.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self.cause {
            Some(LossCause::Headroom { .. }) => {
                "leave out `link.flow_control.headroom`: each port then has what its cable needs, which \
                 `backwater headroom --scenario` prints"
            }
            Some(LossCause::EgressLimit) => {
                "leave out `egress_limit`, or name the lanes that may drop by leaving them out of `pfc_enable`"
            }
            None => "`ports.csv` has the drops of each port",
        }
    }
}

/// Returns the shortage of headroom of these ports, if any.
#[must_use]
pub fn shortage(all: &[PortHeadroom]) -> Option<LossCause> {
    let worst = all.iter().max_by_key(|own| own.lacking()).filter(|own| own.lacking() > Bytes::ZERO)?;
    let ports = all.iter().filter(|own| own.lacking() > Bytes::ZERO).count();
    Some(LossCause::Headroom { given: worst.given, needed: worst.needed.total(), ports })
}

impl Display for LossCause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Headroom { given, needed, ports } => {
                let [given, needed] = [given, needed].map(|amount| grouped(amount.get()));
                write!(f, "headroom {given} B of {needed} B needed at {}", counted(*ports, "port"))
            }
            Self::EgressLimit => write!(f, "`egress_limit` dropped them at outputs"),
        }
    }
}

impl Display for Loss {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { packets, node, others, cause } = self;
        write!(f, "NOT LOSSLESS: {} dropped at {node}", counted(*packets, "packet"))?;
        if *others > 0 {
            write!(f, " and {}", counted(*others, "other node"))?;
        }
        cause.map_or(Ok(()), |cause| write!(f, "; {cause}"))
    }
}
