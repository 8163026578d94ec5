//! The largest expected load of a cable by minimal routes and by detours, of each traffic pattern.
//!
//! Invariant: a load depends on the pairs of hosts of the flows alone, never on sizes and times: every source sends at the
//! rate of its link, to all its destinations alike.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};
use topology::{CableLoads, Demand, Vias};

use crate::plan::Plan;

/// Most pairs of a source's switch and a destination, times switches: a few seconds of work.
const MOST_ROUTES: usize = 50_000_000;

/// The largest expected loads of a pattern, or of the flows with names of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct DetourLoads {
    /// Position of the pattern in the scenario; `None` for the flows of `flows`.
    pub pattern: Option<usize>,
    /// The loads; `None` if there are too many pairs.
    pub loads: Option<LargestLoads>,
}

/// An output between switches, and its load over the rate of its cable.
pub type LoadedOutput = ((NodeId, PortId), f64);

/// Largest loads of cables between switches, over their rates. Sources can send the inverse of a load at most,
/// if all pairs send the same share by minimal routes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LargestLoads {
    /// All packets go minimally.
    pub minimal: LoadedOutput,
    /// All packets take detours.
    pub detoured: LoadedOutput,
    /// Share of minimal packets with the least largest load, if it is the same for all pairs, and that load.
    pub best: (f64, f64),
}

impl Plan {
    /// Returns the loads of each pattern whose traffic crosses cables between switches; none if all routes are minimal.
    #[must_use]
    pub fn detour_loads(&self) -> Vec<DetourLoads> {
        if self.routes().detours().is_none() {
            return Vec::new();
        }
        let mut by_pattern: BTreeMap<Option<usize>, Vec<(NodeId, NodeId)>> = BTreeMap::new();
        for flow in &self.workload().flows {
            let pattern = flow.pattern.map(|pattern| pattern as usize);
            by_pattern.entry(pattern).or_default().push((flow.source, flow.destination));
        }
        let of_pattern = |(pattern, ends): (_, Vec<_>)| {
            let pairs = ends.len().saturating_mul(self.graph().switches());
            if pairs > MOST_ROUTES {
                return Some(DetourLoads { pattern, loads: None });
            }
            let loads = self.largest_loads(&ends)?;
            Some(DetourLoads { pattern, loads: Some(loads) })
        };
        by_pattern.into_iter().filter_map(of_pattern).collect()
    }

    fn largest_loads(&self, ends: &[(NodeId, NodeId)]) -> Option<LargestLoads> {
        let (graph, routes) = (self.graph(), self.routes());
        let detours = routes.detours()?;
        let rate = |cable: usize| self.cable(cable).rate.get() as f64;
        let mut flows = vec![0u32; graph.hosts()];
        ends.iter().for_each(|(from, _)| flows[from.index()] += 1);
        let demand = |(from, to): &(NodeId, NodeId)| {
            let line = rate(graph.ports(*from)[0].cable);
            Demand { from: *from, to: *to, rate: line / f64::from(flows[from.index()]) }
        };
        let demands: Vec<_> = ends.iter().map(demand).collect();
        let minimal = CableLoads::of(graph, routes, &demands, Vias::None);
        let detoured = CableLoads::of(graph, routes, &demands, Vias::Drawn(detours));
        Some(LargestLoads {
            minimal: minimal.largest(graph, rate)?,
            detoured: detoured.largest(graph, rate)?,
            best: minimal.best_mix(&detoured, graph, rate),
        })
    }
}
