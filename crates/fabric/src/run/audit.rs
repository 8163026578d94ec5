//! Conservation: every packet made is delivered, dropped or under way.
//!
//! Invariant: a run that fails this audit has a bug of the simulator, whatever its scenario.

use ca_transport::Adapter;
use packet::{FlowId, PacketPool};
use telemetry::Audit;

use super::error::Violation;
use crate::state::world::World;
use crate::state::world::observed::RankQuestion;

/// Counts all packets. Where packets may overtake each other, one can be missing although none was dropped.
///
/// # Errors
/// If packets were lost or invented, or if packets are missing although none was dropped.
pub(crate) fn conservation(world: &World<'_>) -> Result<Audit, Violation> {
    let at = world.now();
    let Sums { injected, delivered, under_way, dropped, missed } =
        world.total(&RankQuestion::Audit, Sums::of(world), Sums::plus);
    if injected != delivered + dropped + under_way {
        return Err(Violation::Conservation { injected, delivered, dropped, under_way, at });
    }
    if dropped == 0 && missed > 0 {
        return Err(Violation::Sequence { missed, at });
    }
    Ok(Audit { injected, delivered, dropped, under_way, ..Audit::default() })
}

/// Returns true if a packet was dropped.
pub(super) fn has_dropped(world: &World<'_>) -> bool {
    world.total(&RankQuestion::Audit, Sums::of(world), Sums::plus).dropped > 0
}

/// Returns true if a packet of a flow with this number or a higher one is under way, or waits for its host.
pub(super) fn carries(world: &World<'_>, from: FlowId) -> bool {
    world.total(&RankQuestion::Carries { from }, carries_here(world, from), |one, other| one || other)
}

/// Returns the same of the packets of this process.
pub(super) fn carries_here(world: &World<'_>, from: FlowId) -> bool {
    let pools = world.parts.iter().map(|part| &part.interconnect.pool);
    pools.flat_map(PacketPool::packets).any(|packet| packet.flow >= from)
}

/// Packets of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    injected: u64,
    delivered: u64,
    /// Packets in nodes and on wires, but for those that wait for their host.
    pub(super) under_way: u64,
    dropped: u64,
    /// Number of negative acknowledgements, and of gaps in unacknowledged flows, where no packet overtakes another.
    missed: u64,
}

state_codec::value!(Sums { injected, delivered, under_way, dropped, missed });

impl Sums {
    /// Counts the packets of this process.
    pub(super) fn of(world: &World<'_>) -> Self {
        let turnovers = world.adapters().map(Adapter::turnover);
        let (injected, delivered) =
            turnovers.fold((0, 0), |sums, (sent, received)| (sums.0 + sent, sums.1 + received));
        let waiting: u64 = world.adapters().map(Adapter::waiting_for_host).sum();
        let missed = |adapter: &Adapter| adapter.tally().naks + adapter.tally().gaps;
        let in_order = |adapter: &&Adapter| !adapter.packets_may_overtake();
        Self {
            injected,
            delivered,
            under_way: world.packets() as u64 - waiting,
            dropped: dropped(world),
            missed: world.adapters().filter(in_order).map(missed).sum(),
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            injected: self.injected + other.injected,
            delivered: self.delivered + other.delivered,
            under_way: self.under_way + other.under_way,
            dropped: self.dropped + other.dropped,
            missed: self.missed + other.missed,
        }
    }
}

/// Returns the number of packets for which no memory was free. Credits and pauses exclude them.
fn dropped(world: &World) -> u64 {
    let adapters = world.adapters().map(|adapter| adapter.port().dropped());
    adapters.chain(world.switches().map(|(_, switch)| switch.view().dropped())).sum()
}
