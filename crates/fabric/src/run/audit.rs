//! Conservation: every packet made is delivered, dropped or under way.
//!
//! Invariant: a run that fails this audit has a bug of the simulator, whatever its scenario.

use ca_transport::Adapter;
use telemetry::Audit;

use super::error::Violation;
use crate::state::world::World;

/// Counts all packets.
///
/// # Errors
/// If packets were lost or invented, or if packets are missing although none was dropped.
pub(crate) fn conservation(world: &World) -> Result<Audit, Violation> {
    let (mut injected, mut delivered, mut waiting) = (0, 0, 0);
    for adapter in world.adapters() {
        let (sent, received) = adapter.turnover();
        injected += sent;
        delivered += received;
        waiting += adapter.waiting_for_host();
    }
    let under_way = world.packets() as u64 - waiting;
    let dropped = dropped(world);
    let at = world.now();
    if injected != delivered + dropped + under_way {
        return Err(Violation::Conservation { injected, delivered, dropped, under_way, at });
    }
    let missed = |adapter: &Adapter| adapter.tally().naks + adapter.tally().gaps;
    let missed: u64 = world.adapters().map(missed).sum();
    if dropped == 0 && missed > 0 {
        return Err(Violation::Sequence { missed, at });
    }
    Ok(Audit { injected, delivered, dropped, under_way, ..Audit::default() })
}

/// Returns the number of packets for which no memory was free. Credits and pauses exclude them.
fn dropped(world: &World) -> u64 {
    let adapters = world.adapters().map(|adapter| adapter.port().dropped());
    adapters.chain(world.switches().map(|switch| switch.view().dropped())).sum()
}
