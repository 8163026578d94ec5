//! The drain: runs a fabric empty after its sources fall silent.
//!
//! Invariant: a drain ends with every node at rest, every packet delivered and every credit returned, or with an error,
//! unless it is interrupted.

use packet::NodeId;
use telemetry::{Progress, RunEnding};
use units::{Span, Time};

use super::error::{RunError, Violation};
use super::threads::Crew;
use super::{Run, audit};
use crate::state::world::World;

/// The longest wait for credits alone, when no packet and no host has anything left to do. Every link has sent its
/// credits several times by then: the slowest refreshes them every 0.3 ms.
const PATIENCE: Span = Span::from_us(10_000);
/// Interval between two checks whether the fabric is at rest.
const DRAIN_STEP: Span = Span::from_us(10);

impl Run<'_> {
    /// Silences the sources and runs until every node is at rest.
    pub(crate) fn drain(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), RunError> {
        self.with_crew(|run, crew| run.drain_with(crew, progress))
    }

    fn drain_with(
        &mut self,
        crew: &mut Crew<'_, '_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        self.silence();
        let start = self.world.now();
        let mut worked = start;
        loop {
            let packet_hops = self.world.packet_hops();
            self.run_with(crew, self.world.now() + DRAIN_STEP, progress)?;
            if self.ended == RunEnding::Interrupted {
                self.audit = audit::conservation(&self.world)?;
                return Ok(());
            }
            let now = self.world.now();
            if self.world.packet_hops() == packet_hops {
                self.check_deadlock()?;
            }
            if self.world.pending().any(|event| event.kind.is_work()) {
                worked = now;
            }
            let Some(node) = first_restless(&self.world, now) else {
                self.audit = audit::conservation(&self.world)?;
                assert_eq!(self.audit.under_way, 0, "packets are under way, and every node is at rest");
                self.audit.drained = true;
                self.audit.drain = now.since(start);
                return Ok(());
            };
            if now.since(worked) > PATIENCE {
                let node = self.world.name(node).to_owned();
                return Err(Violation::Unrest { node, waited: now.since(start) }.into());
            }
        }
    }
}

/// Returns the first node that is not at rest.
fn first_restless(world: &World, now: Time) -> Option<NodeId> {
    let adapters = world.adapters().map(|adapter| adapter.at_rest(now));
    let switches = world.switches().map(|switch| switch.view().at_rest(now));
    let mut nodes = (0..).map(NodeId).zip(adapters.chain(switches));
    nodes.find(|(_, at_rest)| !at_rest).map(|(node, _)| node)
}
