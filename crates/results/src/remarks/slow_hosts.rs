//! Hosts that hold up their links, with or without a congestion tree.
//!
//! Invariant: a host is slow only if the scenario limits the rate at which it consumes payload. Another host that has
//! no room has a buffer too small for its link.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{LaneRecord, RunRecord, SlowHostRecord};
use units::{Bytes, Rate};

use super::{Remark, RemarkKind};
use measures::rounded;

/// Least share of the run for which packets wait for a host that is said to hold up its link.
const LONG: f64 = 0.01;
/// Most hosts that are named.
const MOST_NAMED: usize = 3;

/// A host that takes payload at a limited rate, and that packets waited for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SlowHostSummary {
    /// Name of the host.
    pub host: String,
    /// Node at the other end of its link.
    pub node: String,
    /// Port of that node.
    pub port: u16,
    /// Payload that the host takes at most.
    pub takes_bps: u64,
    /// Payload that it took, over the whole run.
    pub took_bps: f64,
    /// Rate of the link.
    pub link_bps: u64,
    /// Time for which packets waited at the port with the wire free, for credit or the end of a pause.
    pub stalled_s: f64,
}

/// What a run shows at a host.
#[derive(Default)]
struct AtHost<'a> {
    /// The output to it at which packets waited longest, if they did.
    lane: Option<&'a LaneRecord>,
    /// Payload that it took.
    taken: Bytes,
}

/// Returns the slow hosts of a run that packets waited for, the longest wait first.
pub(super) fn of(record: &RunRecord) -> Vec<SlowHostSummary> {
    if record.slow_hosts.is_empty() {
        return Vec::new();
    }
    // A scenario may limit every host of a large fabric, so lanes and flows are read once.
    let mut at_hosts: BTreeMap<&str, AtHost<'_>> =
        record.slow_hosts.iter().map(|slow| (slow.host.as_str(), AtHost::default())).collect();
    for lane in record.lanes.iter().filter(|lane| lane.stalled.ps() > 0) {
        if let Some(at) = at_hosts.get_mut(lane.peer.as_str())
            && at.lane.is_none_or(|longest| lane.stalled >= longest.stalled)
        {
            at.lane = Some(lane);
        }
    }
    for flow in &record.flows {
        if let Some(at) = at_hosts.get_mut(flow.destination.as_str()) {
            at.taken += flow.delivered;
        }
    }
    let summary = |slow: &SlowHostRecord| SlowHostSummary::of(record, slow, &at_hosts[slow.host.as_str()]);
    let mut slow: Vec<_> = record.slow_hosts.iter().filter_map(summary).collect();
    slow.sort_by(|one, other| other.stalled_s.total_cmp(&one.stalled_s));
    slow
}

/// Says which hosts hold up their links: the worst few, and the number of the others.
pub(super) fn remarks(hosts: &[SlowHostSummary], simulated_s: f64) -> Vec<Remark> {
    let mut all: Vec<_> = hosts.iter().filter_map(|host| host.remark(simulated_s)).collect();
    let more = all.len().saturating_sub(MOST_NAMED);
    all.truncate(MOST_NAMED);
    if more > 0 {
        let text = format!("{more} more hosts hold up their links; `slow_hosts` of summary.json has them.");
        all.push(Remark { about: RemarkKind::SlowHost, text });
    }
    all
}

impl SlowHostSummary {
    fn of(
        record: &RunRecord,
        SlowHostRecord { host, takes }: &SlowHostRecord,
        AtHost { lane, taken }: &AtHost<'_>,
    ) -> Option<Self> {
        let LaneRecord { node, port, rate, stalled, .. } = (*lane)?;
        Some(Self {
            host: host.clone(),
            node: node.clone(),
            port: *port,
            takes_bps: takes.get(),
            took_bps: rounded(taken.bps_over(record.simulated), 0),
            link_bps: rate.get(),
            stalled_s: stalled.seconds(),
        })
    }

    /// Returns true if packets waited for the host for a good part of a run of this length.
    pub(crate) fn holds_up(&self, simulated_s: f64) -> bool {
        self.stalled_s >= LONG * simulated_s
    }

    /// Says that the host holds up its link in a run of this length; `None` if packets waited for a short time only.
    fn remark(&self, simulated_s: f64) -> Option<Remark> {
        let share = self.stalled_s / simulated_s;
        self.holds_up(simulated_s).then(|| Remark {
            about: RemarkKind::SlowHost,
            text: format!(
                "Host {} holds up its link: it takes {} at most, and {} port {} could bring {}. Packets waited there for {:.1} % \
                 of the run.",
                self.host,
                Rate::bps(self.takes_bps),
                self.node,
                self.port,
                Rate::bps(self.link_bps),
                share * 100.0
            ),
        })
    }
}
