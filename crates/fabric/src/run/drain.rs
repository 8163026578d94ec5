//! The drain: runs a fabric empty after its sources fall silent.
//!
//! Invariant: a drain ends with every node at rest, every packet delivered and every credit returned, or with an
//! error. Only an interrupt, or the limit of its time, ends it otherwise.

use packet::NodeId;
use telemetry::{Progress, RunEnding};
use units::Span;

use super::audit::Sums;
use super::error::{RunError, Violation};
use super::threads::Workers;
use super::{Run, audit};
use crate::state::world::observed::RankQuestion;
use crate::state::world::{Node, World};

/// The longest wait for credits alone, when no packet and no host has anything left to do. Every link has sent its
/// credits several times by then: the slowest refreshes them every 0.3 ms.
const PATIENCE: Span = Span::from_us(10_000);
/// Interval between two checks of the fabric for rest.
const DRAIN_STEP: Span = Span::from_us(10);

impl Run<'_> {
    /// Silences the sources and runs until every node is at rest, or for the longest time.
    pub(crate) fn drain(
        &mut self,
        longest: Span,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        self.with_workers(|run, workers| run.drain_with(workers, longest, progress))
    }

    fn drain_with(
        &mut self,
        mut workers: Option<&mut Workers<'_, '_>>,
        longest: Span,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunError> {
        self.silence();
        let start = self.world.now();
        let mut worked = start;
        loop {
            let packet_hops = self.world.packet_hops();
            self.run_with(workers.as_deref_mut(), self.world.now() + DRAIN_STEP, progress)?;
            if self.ended == RunEnding::Interrupted || self.world.now().since(start) > longest {
                self.audit = audit::conservation(&self.world)?;
                return Ok(());
            }
            let now = self.world.now();
            // The search can wait while packets move: a deadlock lasts, and is found once everything else has
            // stopped.
            if self.world.packet_hops() == packet_hops {
                self.look_at_others();
                self.check_deadlock()?;
            }
            let Rest { works, restless, under_way } =
                self.world.total(&RankQuestion::Rest, Rest::of(&self.world), Rest::and);
            // Credits alone are no work. They are refreshed forever, so a fabric that has lost credits would
            // otherwise never be reported.
            if works {
                worked = now;
            }
            match restless {
                // Without credits a sender rests while its last packets are on the wire.
                None if under_way == 0 => {
                    self.audit = audit::conservation(&self.world)?;
                    self.audit.drained = true;
                    self.audit.drain = now.since(start);
                    return Ok(());
                }
                Some(node) if now.since(worked) > PATIENCE => {
                    let node = self.world.name(node).to_owned();
                    return Err(Violation::Unrest { node, waited: now.since(start) }.into());
                }
                _ => {}
            }
        }
    }
}

/// The rest of a process's nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// True if an event is pending that is more than flow control.
    works: bool,
    /// The first node that is not at rest.
    restless: Option<NodeId>,
    /// Packets in nodes and on wires, except packets that wait for their host.
    under_way: u64,
}

state_codec::value!(Rest { works, restless, under_way });

impl Rest {
    /// Looks at the nodes of this process.
    pub(super) fn of(world: &World<'_>) -> Self {
        let now = world.now();
        let is_restless = |node: &NodeId| match world.own_node(*node) {
            Some(Node::Adapter(adapter)) => !adapter.at_rest(now),
            Some(Node::Switch(switch)) => !switch.view().at_rest(now),
            None => false,
        };
        let works = world.pending().any(|event| event.kind.is_work());
        let under_way = Sums::of(world).under_way;
        Self { works, restless: world.numbers().find(is_restless), under_way }
    }

    fn and(self, other: Self) -> Self {
        let restless = self.restless.into_iter().chain(other.restless).min();
        Self { works: self.works || other.works, restless, under_way: self.under_way + other.under_way }
    }
}
