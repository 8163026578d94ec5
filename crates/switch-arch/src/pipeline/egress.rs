//! Limits of the queues at the outputs: a packet beyond them is dropped on arrival, whatever room its input has.
//!
//! Invariant: the pool counts a packet that is admitted until its buffer is released, in the queue of its output and
//! lane. Packets of lanes with PFC pass the pool without being counted.
//!
//! ```text
//! egress_limit   waiting + length <= limit                        of every lane
//! egress_pool    load + length <= the pool's threshold now        of lanes without PFC
//! ```

use link_layer::flow_control::pause::LoadChange;
use link_layer::{LaneSet, MemoryPool};
use packet::{Lane, PortId};
use units::Bytes;

use crate::resolve::EgressPoolPlan;
use crate::tables::LaneTable;

/// Limits of the queues at the outputs, and the packets dropped for them.
#[derive(Debug)]
pub(super) struct Egress {
    limit: Option<Bytes>,
    pool: Option<EgressPool>,
    /// By output and lane.
    pub(super) dropped: LaneTable<u64>,
}

state_codec::state!(Egress { limit: plan, pool: part, dropped: part });

/// Memory that the queues of the lossy lanes share.
#[derive(Debug)]
struct EgressPool {
    pool: MemoryPool,
    lossy: LaneSet,
    /// Bytes of each queue, by output and lane.
    loads: LaneTable<u32>,
}

state_codec::state!(EgressPool { pool: part, lossy: plan, loads: part });

impl Egress {
    /// The limits of empty queues; `None` if there is no limit.
    pub(super) fn new(
        limit: Option<Bytes>,
        pool: Option<EgressPoolPlan>,
        ports: usize,
        lanes: usize,
    ) -> Option<Box<Self>> {
        if limit.is_none() && pool.is_none() {
            return None;
        }
        let pool = pool.map(|EgressPoolPlan { shared, shares, lossy }| EgressPool {
            pool: MemoryPool::new(shared.get(), &shares),
            lossy,
            loads: LaneTable::new(ports, lanes, 0),
        });
        Some(Box::new(Self { limit, pool, dropped: LaneTable::new(ports, lanes, 0) }))
    }

    /// Returns true if a packet of this length may join `queue`, where `waiting` bytes wait. Counts a packet that may
    /// not as dropped.
    pub(super) fn admits(&mut self, queue: (PortId, Lane), length: Bytes, waiting: Bytes) -> bool {
        let fits = self.limit.is_none_or(|limit| waiting + length <= limit)
            && self.pool.as_ref().is_none_or(|pool| pool.has_room(queue, length));
        self.dropped[queue] += u64::from(!fits);
        fits
    }

    /// Counts a packet that is admitted.
    pub(super) fn charge(&mut self, queue: (PortId, Lane), length: Bytes) {
        if let Some(pool) = &mut self.pool {
            pool.change(queue, |load| load + length.get() as u32);
        }
    }

    /// Stops counting a packet, once its buffer is released.
    pub(super) fn release(&mut self, queue: (PortId, Lane), length: Bytes) {
        if let Some(pool) = &mut self.pool {
            pool.change(queue, |load| load - length.get() as u32);
        }
    }

    /// Returns true if no queue uses a shared byte of the pool.
    pub(super) fn is_released(&self) -> bool {
        self.pool.as_ref().is_none_or(|pool| pool.pool.is_released())
    }
}

impl EgressPool {
    fn has_room(&self, queue: (PortId, Lane), length: Bytes) -> bool {
        let load = self.loads[queue];
        let limit = || self.pool.limit(self.number(queue), load);
        !self.lossy.contains(queue.1) || u64::from(load) + length.get() <= u64::from(limit())
    }

    fn change(&mut self, queue: (PortId, Lane), after: impl FnOnce(u32) -> u32) {
        if !self.lossy.contains(queue.1) {
            return;
        }
        let number = self.number(queue);
        let load = &mut self.loads[queue];
        let change = LoadChange { before: *load, after: after(*load) };
        *load = change.after;
        self.pool.on_load_change(number, change);
    }

    fn number(&self, (output, lane): (PortId, Lane)) -> usize {
        output.index() * self.loads.lanes() + lane.index()
    }
}
