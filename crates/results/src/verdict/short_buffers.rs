//! Links whose far end has too small a buffer for the round trip of a credit, where they hold back a flow that lost.
//!
//! Invariant: such a link is named only if its flows used what the buffer allows, wherever congestion trees are. The root
//! of the worst tree is told with its tree, and not again.

use measures::Unit;
use packet::{Lane, NodeId, PortId};
use scenario::{BestRates, CreditLoop, PathPart, Plan};
use telemetry::Cause;

use super::facts::Facts;
use super::words;
use crate::congestion::worst;

/// Share of the rate that a buffer allows from which flows use it. Packets fill a buffer in whole numbers, and their
/// credits may return later than at the earliest.
const USED: f64 = 0.8;
/// Share of the needed buffer below which it matters.
const SHORT: f64 = 0.9;

/// An output with too small a buffer at its far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShortBuffer {
    pub(super) output: (NodeId, PortId),
    pub(super) credits: CreditLoop,
}

/// Returns the output on the path of one of these flows, the first first, that its buffer holds back most in a phase;
/// `None` if there is none.
pub(super) fn of(
    facts: Facts<'_>,
    (losers, phase): (&[usize], usize),
    best: &BestRates,
) -> Option<ShortBuffer> {
    let plan = facts.plan?;
    // Without a loser there may be no phase.
    let rates = if losers.is_empty() { Vec::new() } else { facts.rates(phase) };
    losers.iter().find_map(|loser| {
        let parts = best.loads(*loser, &rates).into_iter();
        let short = parts.filter_map(|(part, load)| held_back(plan, part, load));
        short.min_by(|one, other| share(one.credits).total_cmp(&share(other.credits)))
    })
}

/// Returns the share of a link's rate that a buffer allows.
fn share(CreditLoop { buffer, needed }: CreditLoop) -> f64 {
    buffer.get() as f64 / needed.get().max(1) as f64
}

/// Returns an output with a short buffer, if its load is about what that allows.
fn held_back(plan: &Plan, part: PathPart, load: f64) -> Option<ShortBuffer> {
    let PathPart::Output(node, port) = part else { return None };
    let output = (node, port);
    // Of several lanes the largest buffer counts: a flow may use any.
    let lanes = (0..plan.link().data_lanes).map(Lane);
    let loops = lanes.map(|lane| plan.credit_loop(output, lane)).collect::<Option<Vec<_>>>()?;
    let credits = loops.into_iter().max_by_key(|one| one.buffer)?;
    (share(credits) < SHORT && load >= USED * share(credits)).then_some(ShortBuffer { output, credits })
}

/// Says which buffer holds back which link; `None` if the worst tree has this root and says so.
pub(super) fn sentence(facts: Facts<'_>, short: ShortBuffer) -> Option<String> {
    let (graph, (node, port)) = (facts.plan?.graph(), short.output);
    let (name, number) = (graph.name(node), graph.port_number((node, port)));
    // Of all roots, the worst alone is told.
    let is_told = worst(facts.record).first().is_some_and(|root| {
        root.node == name && root.port == number && matches!(root.cause, Some(Cause::CreditRoundTrip { .. }))
    });
    let rate = facts.plan?.nodes().port(node, port).wire.rate();
    let at_most = Unit::BitsPerSecond.spelled(rate.get() as f64 * share(short.credits));
    let peer = graph.name(graph.ports(node)[port.index()].peer);
    (!is_told).then(|| {
        format!(
            "{name} port {number} to {peer} carries at most {at_most} of {rate}, since credits return too late: the buffer at {peer} has \
             {}, and a link of this rate and length needs {}.",
            words::size(short.credits.buffer.get() as f64),
            words::size(short.credits.needed.get() as f64)
        )
    })
}
