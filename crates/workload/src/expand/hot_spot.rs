//! Uniform traffic with hot spots.

use std::sync::Arc;

use super::builder::PatternBuilder;
use crate::draw::{HotSpotMessages, SpacingClock, TimedMessages};
use crate::error::WorkloadError;
use crate::flow::Flow;
use crate::limits::MAX_DRAWN;
use crate::run::HostTraffic;
use crate::spec::{HotSpotSpec, HotSpotWindow, check};

impl PatternBuilder<'_> {
    pub(super) fn hot_spot(
        &self,
        spec: &HotSpotSpec,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Result<Vec<Flow>, WorkloadError> {
        let windows: Arc<[HotSpotWindow]> = spec.resolve(self.environment)?.into();
        let environment = self.environment;
        let interval = |host| environment.mean_interval(host, spec.message.get() as f64, spec.load);
        let length = (spec.until - spec.from).ps() as f64;
        let expected = environment.nodes().map(|host| length / interval(host)).sum();
        check::amount(expected, MAX_DRAWN).map_err(WorkloadError::whole)?;
        let messages = |source| {
            let name = environment.name(source);
            TimedMessages::HotSpot(HotSpotMessages {
                source,
                hosts: environment.hosts().len() as u32,
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
        Ok(environment
            .nodes()
            .flat_map(|source| self.timed(source, messages(source), host_traffic))
            .collect())
    }
}
