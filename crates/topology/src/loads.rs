//! The expected load of every cable under oblivious routes, and the best mix of minimal routes and detours.
//!
//! Invariant: a load is a sum over demands and over equally likely choices; nothing is simulated. A cable cannot carry
//! more than its rate, so the traffic cannot be scaled beyond the rate over the largest load.
//!
//! W. J. Dally, B. Towles, "Principles and practices of interconnection networks", 2004, chapter 3, has this bound.

use std::collections::BTreeMap;

use packet::{NodeId, PortId};

use crate::graph::{Graph, node};
use crate::routing::detours::Detours;
use crate::routing::routes::Routes;

/// Traffic from a host to another host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// The source.
    pub from: NodeId,
    /// The destination.
    pub to: NodeId,
    /// Rate, in any unit; loads have the same unit.
    pub rate: f64,
}

/// Intermediate switches of all packets.
#[derive(Clone, Copy, Debug)]
pub enum Vias<'a> {
    /// None: every packet takes its minimal route.
    None,
    /// Any switch that has hosts, drawn anew for each packet between two switches.
    AnySwitch,
    /// An intermediate switch that the rule draws.
    Drawn(&'a Detours),
}

/// The expected load of every output of a switch to another switch.
#[derive(Clone, Debug, PartialEq)]
pub struct CableLoads {
    loads: Vec<f64>,
}

/// Demands between switches, by the source's switch and the destination or another host that has the same routes.
type Pairs = BTreeMap<(NodeId, NodeId), f64>;

impl CableLoads {
    /// Returns the loads of demands between hosts. A switch with several ports for a destination counts an equal part at
    /// each.
    ///
    /// # Panics
    /// If a table leads nowhere, or in a circle.
    #[must_use]
    pub fn of(graph: &Graph, routes: &Routes, demands: &[Demand], vias: Vias<'_>) -> Self {
        let ports = graph.position((node(graph.nodes()), PortId(0)));
        let mut spread = Spread { ways: Ways { graph, routes }, loads: vec![0.0; ports] };
        let pairs = pairs(graph, demands);
        match vias {
            Vias::None => pairs.iter().for_each(|(ends, rate)| spread.lead(*ends, *rate)),
            Vias::AnySwitch => spread.by_any_switch(&pairs),
            Vias::Drawn(detours) => spread.by_drawn(&pairs, detours),
        }
        Self { loads: spread.loads }
    }

    /// Returns the load of an output of a switch.
    #[must_use]
    pub fn load(&self, graph: &Graph, output: (NodeId, PortId)) -> f64 {
        self.loads[graph.position(output)]
    }

    /// Returns the output with the largest load for the rate of its cable, and this load. `rate` is by the kind of
    /// cable; `None` if there is no load at all.
    #[must_use]
    pub fn largest(&self, graph: &Graph, rate: impl Fn(usize) -> f64) -> Option<((NodeId, PortId), f64)> {
        let of_ports = outputs(graph).map(|(output, cable)| (output, self.load(graph, output) / rate(cable)));
        // The first of equal loads, which differ by rounding alone.
        of_ports.filter(|(_, load)| *load > 0.0).fold(None, |most: Option<(_, f64)>, next| match most {
            Some((_, load)) if next.1 <= load * (1.0 + 1e-9) => most,
            _ => Some(next),
        })
    }

    /// Returns the share of minimal packets, the same for all demands, with the least largest load, and that load.
    /// `other` has the loads if every packet takes a detour; `rate` is by the kind of cable.
    #[must_use]
    pub fn best_mix(&self, other: &Self, graph: &Graph, rate: impl Fn(usize) -> f64) -> (f64, f64) {
        // The largest of straight lines over the share is convex, so the tangents at both ends of an interval with the
        // least value meet within it.
        let lines: Vec<(f64, f64)> = outputs(graph)
            .map(|(output, cable)| {
                let at = graph.position(output);
                (other.loads[at] / rate(cable), (self.loads[at] - other.loads[at]) / rate(cable))
            })
            .collect();
        let highest = |share: f64| {
            let value = |(base, slope): &(f64, f64)| base + slope * share;
            lines.iter().copied().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or((0.0, 0.0))
        };
        let (mut left, mut right) = (highest(0.0), highest(1.0));
        if left.1 >= 0.0 {
            return (0.0, left.0);
        }
        if right.1 <= 0.0 {
            return (1.0, right.0 + right.1);
        }
        loop {
            let share = (left.0 - right.0) / (right.1 - left.1);
            let (base, slope) = highest(share);
            let value = base + slope * share;
            if value <= (left.0 + left.1 * share) * (1.0 + 1e-12) {
                return (share, value);
            }
            *(if slope < 0.0 { &mut left } else { &mut right }) = (base, slope);
        }
    }
}

/// Returns the outputs of switches to switches, with the kinds of their cables.
fn outputs(graph: &Graph) -> impl Iterator<Item = ((NodeId, PortId), usize)> {
    graph.switch_ids().flat_map(move |switch| {
        let trunks = (0..).map(PortId).zip(graph.ports(switch)).filter(|(_, end)| !graph.is_host(end.peer));
        trunks.map(move |(port, end)| ((switch, port), end.cable))
    })
}

/// Adds up demands with the same routes.
fn pairs(graph: &Graph, demands: &[Demand]) -> Pairs {
    let has_parallel = graph.switch_ids().any(|switch| {
        let mut peers: Vec<_> = graph.ports(switch).iter().map(|end| end.peer).collect();
        peers.sort_unstable();
        peers.windows(2).any(|pair| pair[0] == pair[1])
    });
    // Parallel cables are assigned by the destination's number; without them a switch's hosts have the same routes.
    let first = first_hosts(graph);
    let mut pairs = Pairs::new();
    for Demand { from, to, rate } in demands {
        let (from, there) = (switch_of(graph, *from), switch_of(graph, *to));
        if from != there {
            let to = if has_parallel { *to } else { first[&there] };
            *pairs.entry((from, to)).or_default() += rate;
        }
    }
    pairs
}

/// Returns the switches with hosts, each with its first.
fn first_hosts(graph: &Graph) -> BTreeMap<NodeId, NodeId> {
    let mut first = BTreeMap::new();
    for host in graph.host_ids() {
        first.entry(switch_of(graph, host)).or_insert(host);
    }
    first
}

fn switch_of(graph: &Graph, host: NodeId) -> NodeId {
    graph.ports(host)[0].peer
}

/// The fabric that traffic is led through.
#[derive(Clone, Copy)]
struct Ways<'a> {
    graph: &'a Graph,
    routes: &'a Routes,
}

impl Ways<'_> {
    /// Leads traffic from a switch to a host, or to the switches at which `ends` returns true, which is given the rate
    /// there. `add` is given the position of each output between switches, and the rate.
    fn lead(
        self,
        (at, to): (NodeId, NodeId),
        rate: f64,
        ends: &mut impl FnMut(NodeId, f64) -> bool,
        add: &mut impl FnMut(usize, f64),
    ) {
        if ends(at, rate) {
            return;
        }
        let ports = self.routes.ports(at, to).count();
        assert!(ports > 0, "no port of {at:?} leads to {to:?}");
        for port in self.routes.ports(at, to) {
            let (peer, _) = self.graph.far_end((at, port));
            if !self.graph.is_host(peer) {
                let part = rate / ports as f64;
                add(self.graph.position((at, port)), part);
                self.lead((peer, to), part, ends, add);
            }
        }
    }
}

/// Loads that grow.
struct Spread<'a> {
    ways: Ways<'a>,
    loads: Vec<f64>,
}

impl Spread<'_> {
    /// Leads traffic from a switch to a host.
    fn lead(&mut self, ends: (NodeId, NodeId), rate: f64) {
        self.ways.lead(ends, rate, &mut |_, _| false, &mut |output, part| self.loads[output] += part);
    }

    /// Leads all traffic by a switch that is drawn among those with hosts.
    fn by_any_switch(&mut self, pairs: &Pairs) {
        let graph = self.ways.graph;
        let vias = first_hosts(graph);
        let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
        for ((from, to), rate) in pairs {
            *sent.entry(*from).or_insert(0.0) += rate / vias.len() as f64;
            *received.entry(*to).or_insert(0.0) += rate / vias.len() as f64;
        }
        for (switch, host) in &vias {
            sent.iter().for_each(|(from, rate)| self.lead((*from, *host), *rate));
            received.iter().for_each(|(to, rate)| self.lead((*switch, *to), *rate));
        }
    }

    /// Leads all traffic by switches that the rule draws.
    fn by_drawn(&mut self, pairs: &Pairs, detours: &Detours) {
        let graph = self.ways.graph;
        let place = |switch: NodeId| switch.index() - graph.hosts();
        // The first part of a detour depends on the source and the intermediate switch. The second part depends on the
        // place where the first ends, and on the destination.
        let mut outward: BTreeMap<(NodeId, usize), f64> = BTreeMap::new();
        let mut inward = Pairs::new();
        let mut landings = BTreeMap::new();
        for ((from, to), rate) in pairs {
            let drawn = detours.draws(place(*from), place(switch_of(graph, *to)));
            let rate = rate / drawn.len() as f64;
            for via in drawn {
                let Some(via) = via else {
                    *inward.entry((*from, *to)).or_default() += rate;
                    continue;
                };
                *outward.entry((*from, via)).or_default() += rate;
                let landing =
                    landings.entry((*from, via)).or_insert_with(|| self.landings(*from, via, detours));
                for (at, part) in landing {
                    *inward.entry((*at, *to)).or_default() += rate * *part;
                }
            }
        }
        for ((from, via), rate) in outward {
            let ends = (from, detours.address(via as u16).node());
            let is_reached = &mut |at, _| detours.is_reached(place(at), via as u16);
            self.ways.lead(ends, rate, is_reached, &mut |output, part| self.loads[output] += part);
        }
        inward.into_iter().for_each(|(ends, rate)| self.lead(ends, rate));
    }

    /// Returns the switches at which packets to an intermediate switch turn to their destinations, with their shares.
    fn landings(&self, from: NodeId, via: usize, detours: &Detours) -> Vec<(NodeId, f64)> {
        let hosts = self.ways.graph.hosts();
        let mut found = Vec::new();
        let ends = (from, detours.address(via as u16).node());
        let lands = &mut |at: NodeId, part| {
            let is_reached = detours.is_reached(at.index() - hosts, via as u16);
            if is_reached {
                found.push((at, part));
            }
            is_reached
        };
        self.ways.lead(ends, 1.0, lands, &mut |_, _| {});
        found
    }
}
