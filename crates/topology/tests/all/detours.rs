//! Non-minimal routes: lanes, cycles over all choices, and loads with answers on paper.

use std::collections::{BTreeMap, BTreeSet};

use packet::{Lane, NodeId, PortId};
use topology::{
    CableLoads, Demand, Detours, Graph, NoDetours, Routes, RoutingSpec, Through, Topology, Vias,
    VirtualChannel,
};

use crate::channels::{Following, following, has_cycle};
use crate::routes::topology;

fn build(text: &str) -> (Topology, Routes) {
    let topology = topology(text);
    let routes = topology.routes(&RoutingSpec::Native, 1).expect("its own");
    (topology, routes)
}

fn dragonfly(routers: u16, hosts: u16, global: u16, groups: &str) -> (Topology, Routes) {
    build(&format!(
        "Dragonfly(routers: {routers}, hosts: {hosts}, global: {global}, {groups}
         host_cable: \"copper\", local_cable: \"copper\", global_cable: \"copper\")"
    ))
}

fn grid(family: &str, sizes: &[u16], hosts: u16) -> (Topology, Routes) {
    build(&format!("{family}(sizes: {sizes:?}, hosts: {hosts}, ..)"))
}

type Hops = Vec<(NodeId, PortId)>;

/// Returns the outputs to switches on the way from a switch to an address, until `ends`.
fn way(
    graph: &Graph,
    routes: &Routes,
    (mut at, to): (NodeId, NodeId),
    ends: impl Fn(NodeId) -> bool,
) -> (Hops, NodeId) {
    let mut hops = Vec::new();
    while !ends(at) {
        let port = routes.output(at, to).expect("connected");
        let (peer, _) = graph.far_end((at, port));
        if graph.is_host(peer) {
            break;
        }
        hops.push((at, port));
        at = peer;
    }
    (hops, at)
}

/// Returns every route that switches can choose.
fn all_routes((topology, routes): &(Topology, Routes), detours: &Detours) -> BTreeSet<(Hops, usize)> {
    let graph = topology.graph();
    let place = |switch: NodeId| switch.index() - graph.hosts();
    let host = |switch: usize| detours.address(switch as u16).node();
    let mut found = BTreeSet::new();
    for (from, to) in (0..graph.switches()).flat_map(|a| (0..graph.switches()).map(move |b| (a, b))) {
        let source = NodeId((graph.hosts() + from) as u32);
        let (minimal, _) = way(graph, routes, (source, host(to)), |_| false);
        // Hops before a decision: none, or one if the second switch decides too.
        let again = ranks(graph, detours, &minimal).first().is_some_and(|rank| detours.decides_again(*rank));
        for before in 0..=usize::from(again) {
            let start = minimal.get(before).map_or(NodeId((graph.hosts() + to) as u32), |hop| hop.0);
            for via in detours.draws(place(start), to).into_iter().flatten() {
                let is_reached = |at: NodeId| detours.is_reached(place(at), via as u16);
                let (outward, lands) = way(graph, routes, (start, host(via)), is_reached);
                let (inward, _) = way(graph, routes, (lands, host(to)), |_| false);
                let turn = before + outward.len();
                found.insert(([&minimal[..before], &outward, &inward].concat(), turn));
            }
        }
        let turn = minimal.len();
        found.insert((minimal, turn));
    }
    found
}

/// Returns the channels that follow each channel, with the lanes that `lane_of` gives to the hops of a route and to the
/// number of hops before its intermediate switch.
fn channels(all: &BTreeSet<(Hops, usize)>, lane_of: impl Fn(&Hops, usize) -> Vec<u8>) -> Following {
    following(all.iter().map(|(hops, turn)| {
        let channel = |((switch, port), lane): (&(NodeId, PortId), u8)| VirtualChannel {
            switch: *switch,
            port: *port,
            lane: Lane(lane),
        };
        hops.iter().zip(lane_of(hops, *turn)).map(channel).collect()
    }))
}

fn ranks(graph: &Graph, detours: &Detours, hops: &Hops) -> Vec<u8> {
    hops.iter().map(|(switch, port)| detours.ranks(graph, *switch)[port.index()]).collect()
}

/// Returns the lanes of a route by the rule.
fn rising(graph: &Graph, detours: &Detours, hops: &Hops) -> Vec<u8> {
    let ranks = ranks(graph, detours, hops);
    let mut lane = 0;
    let mut lanes = Vec::new();
    for (place, rank) in ranks.iter().enumerate() {
        lane += u8::from(place > 0 && Detours::raises(ranks[place - 1], *rank));
        lanes.push(lane);
    }
    lanes
}

/// Every route of every fabric follows the rule without a cycle, the walk finds exactly the lanes that they take, and one
/// lane less, the last two merged, has a cycle or a lane that does not exist.
#[test]
fn all_choices_are_free_of_cycles_on_the_lanes_that_the_walk_finds() {
    let fabrics = [
        ("dragonfly", dragonfly(4, 1, 2, ""), Through::Switch, 4),
        ("dragonfly", dragonfly(4, 1, 2, ""), Through::Group, 3),
        ("parallel", dragonfly(4, 1, 2, "groups: Some(5),"), Through::Switch, 4),
        ("parallel", dragonfly(4, 1, 2, "groups: Some(5),"), Through::Group, 3),
        ("one dimension", grid("HyperX", &[5], 2), Through::Switch, 2),
        ("two dimensions", grid("HyperX", &[3, 4], 1), Through::Switch, 2),
        ("three dimensions", grid("HyperX", &[2, 3, 3], 1), Through::Switch, 2),
    ];
    for (name, fabric, through, lanes) in fabrics {
        for twice in [false, true] {
            let (topology, routes) = &fabric;
            let graph = topology.graph();
            let detours = topology.detours(through, twice).expect("it has detours");
            // In one dimension the second switch of a minimal route is its last.
            let right = lanes + u8::from(twice && name != "one dimension");
            assert_eq!(detours.lanes(), right, "{name}");
            assert_eq!(detours.lanes_of_all_choices(graph, routes), right, "{name}, {through:?}, {twice}");
            let all = all_routes(&fabric, &detours);
            let most = all.iter().map(|(hops, _)| rising(graph, &detours, hops).last().copied().unwrap_or(0));
            assert_eq!(most.max(), Some(right - 1), "{name}, {through:?}, {twice}");
            let cycle = has_cycle(channels(&all, |hops, _| rising(graph, &detours, hops)));
            assert!(!cycle, "{name}, {through:?}, {twice}");
            let merged = |hops: &Hops, _| {
                let lanes = rising(graph, &detours, hops);
                lanes.into_iter().map(|lane| lane.min(right - 2)).collect()
            };
            assert!(has_cycle(channels(&all, merged)), "{name}, {through:?}, {twice}: one lane less does");
        }
    }
}

/// Lanes that others use for Valiant by a switch in a dragonfly: by phase as in `BookSim2`'s `dragonfly` (0 to the
/// intermediate switch, 1 from there to the last cable between groups, 2 behind it), and by the cables between groups so
/// far. Both have cycles.
#[test]
fn lanes_of_other_simulators_have_cycles() {
    let fabric = dragonfly(4, 1, 2, "");
    let graph = fabric.0.graph();
    let detours = fabric.0.detours(Through::Switch, false).expect("a dragonfly has detours");
    let all = all_routes(&fabric, &detours);
    let by_phase = |hops: &Hops, turn: usize| {
        let ranks = ranks(graph, &detours, hops);
        let last = ranks.iter().rposition(|rank| *rank == 2);
        let lane = |place| match last {
            Some(last) if place > last => 2,
            _ => u8::from(place >= turn),
        };
        (0..hops.len()).map(lane).collect()
    };
    let by_globals = |hops: &Hops, _| {
        let ranks = ranks(graph, &detours, hops);
        (0..hops.len()).map(|place| ranks[..place].iter().filter(|rank| **rank == 2).count() as u8).collect()
    };
    assert!(has_cycle(channels(&all, by_phase)), "three lanes by phase do");
    assert!(has_cycle(channels(&all, by_globals)), "lanes by cables between groups do");
    // With a random group instead of a random switch the lane by cables between groups is the rule itself.
    let by_group = fabric.0.detours(Through::Group, false).expect("a dragonfly has groups");
    assert!(!has_cycle(channels(&all_routes(&fabric, &by_group), by_globals)));
}

/// What a draw returns is what `vias` lists, each as often as another.
#[test]
fn draws_are_uniform_over_the_listed_switches() {
    let (topology, _) = dragonfly(4, 1, 2, "");
    let mut random = event_kernel::stream(1, "vias", "test");
    for through in [Through::Switch, Through::Group] {
        let detours = topology.detours(through, false).expect("it has detours");
        for (at, to) in [(0, 35), (35, 0), (5, 6), (9, 21)] {
            let listed = detours.draws(at, to);
            let minimal = listed.iter().filter(|via| via.is_none()).count();
            let right = match through {
                _ if at / 4 == to / 4 => (1, 1),
                Through::Switch => (36, 4),
                Through::Group => (28, 0),
            };
            assert_eq!((listed.len(), minimal), right, "{through:?}, {at} to {to}");
            let mut seen = BTreeMap::new();
            let draws = 2000 * listed.len();
            for _ in 0..draws {
                let drawn = detours.draw(at, to, &mut random).map(usize::from);
                *seen.entry(drawn).or_insert(0usize) += 1;
            }
            let minimal = seen.remove(&None).unwrap_or(0);
            assert!(seen.keys().eq(listed.iter().filter(|via| via.is_some())), "{through:?}: {seen:?}");
            // 5 standard deviations of a count with mean 2000, and of the count of minimal routes.
            assert!(seen.values().all(|count| (1776..=2224).contains(count)), "{through:?}: {seen:?}");
            let expected = draws * right.1 / right.0;
            assert!(minimal.abs_diff(expected) < 450, "{through:?}: {minimal}, not {expected}");
        }
    }
    let (two, _) = dragonfly(2, 1, 1, "groups: Some(2),");
    assert_eq!(two.detours(Through::Group, false), Err(NoDetours::NoThirdGroup));
    let detours = two.detours(Through::Switch, false).expect("a dragonfly");
    assert!((0..100).any(|_| detours.draw(0, 3, &mut random).is_some()), "by a switch of the other group");
}

#[test]
fn hops_are_those_of_the_tables() {
    for fabric in [dragonfly(4, 1, 2, ""), dragonfly(4, 1, 2, "groups: Some(5),"), grid("HyperX", &[3, 4], 1)]
    {
        let graph = fabric.0.graph();
        let throughs = [Through::Switch, Through::Group];
        for detours in throughs.iter().filter_map(|through| fabric.0.detours(*through, false).ok()) {
            let place = |switch: NodeId| switch.index() - graph.hosts();
            for (from, to) in (0..graph.switches()).flat_map(|a| (0..graph.switches()).map(move |b| (a, b))) {
                let source = NodeId((graph.hosts() + from) as u32);
                let host = |switch: usize| detours.address(switch as u16).node();
                let (minimal, _) = way(graph, &fabric.1, (source, host(to)), |_| false);
                assert_eq!(detours.hops(from, to) as usize, minimal.len());
                for via in detours.draws(from, to).into_iter().flatten() {
                    let is_reached = |at| detours.is_reached(place(at), via as u16);
                    let (outward, lands) = way(graph, &fabric.1, (source, host(via)), is_reached);
                    let (inward, _) = way(graph, &fabric.1, (lands, host(to)), |_| false);
                    let hops = detours.hops_by(from, via as u16, to) as usize;
                    assert_eq!(hops, outward.len() + inward.len());
                }
            }
        }
    }
}

#[test]
fn other_fabrics_have_no_detours() {
    assert_eq!(grid("Torus", &[5], 1).0.detours(Through::Switch, false), Err(NoDetours::Topology));
    assert_eq!(grid("HyperX", &[5], 1).0.detours(Through::Group, false), Err(NoDetours::NoGroups));
}

/// Traffic at full rate from each host, spread evenly over the hosts that `meets` names.
fn demands(graph: &Graph, meets: impl Fn(usize, usize) -> bool) -> Vec<Demand> {
    let hosts = graph.hosts();
    let of_host = |from| {
        let met: Vec<_> = (0..hosts).filter(|to| meets(from, *to)).collect();
        let rate = 1.0 / met.len() as f64;
        met.into_iter().map(move |to| Demand { from: NodeId(from as u32), to: NodeId(to as u32), rate })
    };
    (0..hosts).flat_map(of_host).collect()
}

/// Returns the share of its rate that each host can send.
fn bound((topology, routes): &(Topology, Routes), demands: &[Demand], vias: Vias<'_>) -> f64 {
    let graph = topology.graph();
    1.0 / CableLoads::of(graph, routes, demands, vias).largest(graph, |_| 1.0).expect("a load").1
}

fn close(found: f64, right: f64, what: &str) {
    assert!((found / right - 1.0).abs() < 1e-9, "{what}: {found}, not {right}");
}

/// a = 4, p = 2, h = 2, g = 9: hosts of a group to the group `shift` further on.
#[test]
fn loads_of_dragonflies() {
    let fabric = dragonfly(4, 2, 2, "");
    let (topology, routes) = &fabric;
    let graph = topology.graph();
    let by_switch = topology.detours(Through::Switch, false).expect("a dragonfly");
    let by_group = topology.detours(Through::Group, false).expect("a dragonfly");
    let uniform = demands(graph, |from, to| from != to);
    // Loads are below 1: the hosts' own cables are the limit. Local (p^2 + 2 a p^2 h)/(N - 1), global (a p)^2/(N - 1).
    let loads = CableLoads::of(graph, routes, &uniform, Vias::None);
    let (output, most) = loads.largest(graph, |_| 1.0).expect("a load");
    close(most, (4.0 + 64.0) / 71.0, "uniform, minimal, local");
    assert_eq!(by_switch.ranks(graph, output.0)[output.1.index()], 1, "the largest is local");
    close(loads.load(graph, (graph.switch_ids().next().expect("some"), PortId(5))), 64.0 / 71.0, "global");
    close(bound(&fabric, &uniform, Vias::Drawn(&by_switch)), 213.0 / 364.0, "uniform, by a switch");
    for shift in 1..9 {
        let traffic = demands(graph, |from, to| (from / 8 + shift) % 9 == to / 8);
        close(bound(&fabric, &traffic, Vias::None), 1.0 / 8.0, "minimal");
        close(bound(&fabric, &traffic, Vias::Drawn(&by_switch)), 6.0 / 11.0, "by a switch");
        close(bound(&fabric, &traffic, Vias::AnySwitch), 9.0 / 17.0, "by any switch, of the own group too");
        // Elsewhere than between neighbours a local cable of the intermediate group carries all from landing to leaving.
        let is_next = shift == 1 || shift == 8;
        let right = if is_next { 7.0 / 16.0 } else { 7.0 / 24.0 };
        close(bound(&fabric, &traffic, Vias::Drawn(&by_group)), right, "by a group");
        let minimal = CableLoads::of(graph, routes, &traffic, Vias::None);
        let other = CableLoads::of(graph, routes, &traffic, Vias::Drawn(&by_switch));
        let (share, most) = minimal.best_mix(&other, graph, |_| 1.0);
        assert!(share.abs() < 1e-9, "the local cables of detours by a switch are the limit: {share}");
        close(most, 11.0 / 6.0, "the best mix, by a switch");
        let other = CableLoads::of(graph, routes, &traffic, Vias::Drawn(&by_group));
        let (share, most) = minimal.best_mix(&other, graph, |_| 1.0);
        let right = if is_next { (2.0 / 9.0, 16.0 / 9.0) } else { (0.3, 2.4) };
        close(share, right.0, "minimal share of the best mix, by a group");
        close(most, right.1, "the best mix, by a group");
    }
}

/// The loads of uniform traffic again, by following every route of every pair. Two conventions: every packet between two
/// switches goes by any switch; or, as here, those within a group and those with an intermediate switch of their own group go
/// minimally, which loads cables less.
#[test]
fn loads_are_those_of_routes_followed_one_by_one() {
    let fabric = dragonfly(4, 2, 2, "");
    let graph = fabric.0.graph();
    let detours = fabric.0.detours(Through::Switch, false).expect("a dragonfly");
    let host = |switch: usize| detours.address(switch as u16).node();
    for (own_group_is_minimal, right) in [(false, 639.0 / 1190.0), (true, 213.0 / 364.0)] {
        let mut loads: BTreeMap<(NodeId, PortId), f64> = BTreeMap::new();
        let mut add =
            |hops: &Hops, rate: f64| hops.iter().for_each(|hop| *loads.entry(*hop).or_default() += rate);
        for (from, to) in (0..36).flat_map(|from| (0..36).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            let source = NodeId(graph.hosts() as u32 + from as u32);
            for via in 0..36 {
                let rate = 4.0 / 71.0 / 36.0;
                let is_minimal = own_group_is_minimal && (from / 4 == to / 4 || from / 4 == via / 4);
                let outward = if is_minimal { to } else { via };
                let (hops, at) = way(graph, &fabric.1, (source, host(outward)), |_| false);
                add(&hops, rate);
                add(&way(graph, &fabric.1, (at, host(to)), |_| false).0, rate);
            }
        }
        let most = loads.values().copied().fold(0.0, f64::max);
        close(1.0 / most, right, "uniform traffic by any switch");
    }
}

#[test]
fn loads_of_hyperx() {
    for (size, hosts) in [(4, 4), (5, 2), (8, 3)] {
        let fabric = grid("HyperX", &[size], hosts);
        let (topology, routes) = &fabric;
        let graph = topology.graph();
        let (k, t) = (usize::from(size), usize::from(hosts));
        let next = demands(graph, |from, to| (from / t + 1) % k == to / t);
        let detours = topology.detours(Through::Switch, false).expect("a HyperX");
        close(bound(&fabric, &next, Vias::None), 1.0 / t as f64, "minimal");
        close(bound(&fabric, &next, Vias::Drawn(&detours)), k as f64 / (2 * t) as f64, "any switch");
        let minimal = CableLoads::of(graph, routes, &next, Vias::None);
        let other = CableLoads::of(graph, routes, &next, Vias::Drawn(&detours));
        let (share, most) = minimal.best_mix(&other, graph, |_| 1.0);
        assert!(share.abs() < 1e-9, "{size}: {share}");
        close(most, (2 * t) as f64 / k as f64, "the best mix");
    }
    let fabric = grid("HyperX", &[4, 4], 4);
    let graph = fabric.0.graph();
    let uniform = demands(graph, |from, to| from != to);
    close(bound(&fabric, &uniform, Vias::None), 63.0 / 64.0, "uniform");
    let next = |at: usize| (at / 4 + 1) % 4 * 4 + (at + 1) % 4;
    let both = demands(graph, |from, to| next(from / 4) == to / 4);
    close(bound(&fabric, &both, Vias::None), 1.0 / 4.0, "both coordinates");
    close(bound(&fabric, &both, Vias::AnySwitch), 1.0 / 2.0, "both coordinates, any switch");
}

/// Dimension order with one host a switch; hosts of a uniform traffic meet themselves too.
#[test]
fn loads_of_tori() {
    for size in [5u16, 6, 8, 12] {
        let fabric = grid("Torus", &[size], 1);
        let graph = fabric.0.graph();
        let k = usize::from(size);
        let far = demands(graph, |from, to| (from + k.div_ceil(2) - 1) % k == to);
        close(bound(&fabric, &far, Vias::None), 1.0 / (k.div_ceil(2) - 1) as f64, "tornado");
        // Hosts opposite to each other go one way or the other by the number of the destination, which loads all cables
        // alike if the size is a multiple of four.
        if size % 4 == 0 {
            let uniform = demands(graph, |_, _| true);
            close(bound(&fabric, &uniform, Vias::None), 8.0 / k as f64, "uniform");
            close(bound(&fabric, &far, Vias::AnySwitch), 4.0 / k as f64, "any switch");
        }
    }
    let fabric = grid("Torus", &[5, 5], 1);
    let graph = fabric.0.graph();
    let far = demands(graph, |from, to| (from / 5 + 2) % 5 * 5 + (from % 5 + 2) % 5 == to);
    close(bound(&fabric, &far, Vias::None), 1.0 / 2.0, "tornado in both dimensions");
    close(bound(&fabric, &far, Vias::AnySwitch), 5.0 / 6.0, "any switch");
}
