//! Uniform traffic with hot spots.

use std::sync::Arc;

use packet::NodeId;

use super::builder::PatternBuilder;
use crate::draw::{HotSpotMessages, SpacingClock, Targets, TimedMessages};
use crate::error::WorkloadError;
use crate::flow::Flow;
use crate::limits::MAX_DRAWN;
use crate::run::HostTraffic;
use crate::spec::{HotSpotSpec, HotSpotWindow, HotSpots, check};

impl PatternBuilder<'_> {
    pub(super) fn hot_spot(
        &self,
        spec: &HotSpotSpec,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Result<Vec<Flow>, WorkloadError> {
        let HotSpots { parties, windows } = spec.resolve(self.environment)?;
        let windows: Arc<[HotSpotWindow]> = windows.into();
        let receivers = parties.receivers();
        let environment = self.environment;
        let interval = |host| environment.mean_interval(host, spec.message.get() as f64, spec.load);
        let length = (spec.until - spec.from).ps() as f64;
        let expected = parties.senders.iter().map(|host| length / interval(*host)).sum();
        check::amount(expected, MAX_DRAWN).map_err(WorkloadError::whole)?;
        let messages = |source| {
            let name = environment.name(source);
            TimedMessages::HotSpot(HotSpotMessages {
                source,
                receivers: Targets::drawn(&receivers, source).expect("a sender has another receiver"),
                windows: Arc::clone(&windows),
                message: spec.message,
                interval: interval(source),
                until: spec.until,
                clock: SpacingClock::new(spec.arrivals, spec.from),
                gaps: self.stream("arrivals", name),
                others: self.stream("destinations", name),
                redirects: self.stream("hot spot", name),
            })
        };
        let flows = |source: &NodeId| self.timed(*source, (messages(*source), None), host_traffic);
        Ok(parties.senders.iter().flat_map(flows).collect())
    }
}
