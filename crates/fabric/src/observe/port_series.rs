//! Samples of the ports and lanes that the scenario asks for.
//!
//! Invariant: looking changes nothing. Where the scenario asks for the busiest ports, all are sampled. The other
//! ports' samples are dropped at the end of the run, when the busiest ports are known.

use packet::{Lane, NodeId, PortId};
use scenario::{Plan, PortSeriesPlan};
use telemetry::{PortSample, PortSeries, busiest};
use units::{Bytes, Span};

use crate::state::world::World;
use crate::state::world::observed::LaneSeen;

/// Samples ports and lanes.
#[derive(Debug)]
pub(crate) struct PortProbe {
    chosen: PortSeriesPlan,
    lanes: Vec<u32>,
    places: Vec<Place>,
    samples: Vec<PortSample>,
}

state_codec::state!(PortProbe { chosen: plan, lanes: plan, places: part, samples });

/// A port and lane, and its counts up to the last sample.
#[derive(Debug)]
struct Place {
    at: (NodeId, PortId, Lane),
    sent: Bytes,
    stalled: Span,
    marked: u64,
}

state_codec::state!(Place { at: plan, sent, stalled, marked });

impl PortProbe {
    /// Creates the probe that a plan asks for.
    pub(crate) fn new(plan: &Plan) -> Self {
        let chosen = plan.series().ports.clone();
        let takes = |(node, port, _): (NodeId, PortId, Lane)| chosen.takes_all() || chosen.names(node, port);
        let (lanes, places) = (0..)
            .zip(plan.lanes())
            .filter(|(_, at)| takes(*at))
            .map(|(index, at)| (index, Place { at, sent: Bytes::ZERO, stalled: Span::ZERO, marked: 0 }))
            .unzip();
        Self { chosen, lanes, places, samples: Vec::new() }
    }

    /// Records all ports. Called once all events of a sample's instant are handled.
    pub(crate) fn look(&mut self, world: &World) {
        self.samples.extend(self.places.iter_mut().map(|place| place.look(world)));
    }

    /// Returns the samples of the ports that are asked for.
    pub(crate) fn series(self) -> PortSeries {
        let Self { chosen, lanes, places, samples } = self;
        let sent: Vec<_> = places.iter().map(|place| place.sent).collect();
        let mut queues = vec![Bytes::ZERO; places.len()];
        for row in samples.chunks_exact(places.len().max(1)) {
            for (longest, sample) in queues.iter_mut().zip(row) {
                *longest = (*longest).max(Bytes::new(sample.queue.unwrap_or(0).into()));
            }
        }
        let named = places.iter().map(|place| chosen.names(place.at.0, place.at.1)).collect();
        let measures = [(chosen.busiest, sent.as_slice()), (chosen.longest_queues, &queues)];
        let mut series = PortSeries { lanes, samples };
        series.retain(&busiest(named, &measures));
        series
    }
}

impl Place {
    fn look(&mut self, world: &World) -> PortSample {
        let LaneSeen { sent, stalled, marked, held, queue, .. } = world.lane_seen(self.at);
        let before = core::mem::replace(self, Self { sent, stalled, marked, ..*self });
        PortSample {
            queue: (!world.is_host(self.at.0)).then_some(queue),
            held,
            marked: (marked - before.marked) as u32,
            sent: sent - before.sent,
            stalled: stalled - before.stalled,
        }
    }
}
