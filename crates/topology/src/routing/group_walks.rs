//! Walks along tables with groups of ports, by every port of each group.
//!
//! Invariant: as in [`routing`](super). All paths that the tables leave open between a switch and a host have the same
//! length, so that a group has no port that leads away from the host.

use packet::NodeId;

use super::error::RoutingErrorKind as Kind;
use super::routes::Routes;
use crate::graph::Graph;

/// What is known of a switch's paths to a host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Distance {
    Unknown,
    /// The switch is part of the path that is being followed.
    Open,
    /// Number of links to the host, on every path.
    Links(u32),
}

/// Fails unless every switch with an entry for `to` leads there, by every port and over the same number of links.
pub(super) fn check(graph: &Graph, routes: &Routes, to: NodeId) -> Result<(), Kind> {
    let mut distances = vec![Distance::Unknown; graph.switches()];
    // Switches of the path, each with the number of its ports that have been followed.
    let mut path: Vec<(NodeId, usize)> = Vec::new();
    for start in graph.switch_ids().filter(|start| routes.output(*start, to).is_some()) {
        if distances[place(graph, start)] == Distance::Unknown {
            distances[place(graph, start)] = Distance::Open;
            path.push((start, 0));
        }
        while let Some((at, followed)) = path.last_mut() {
            let at = *at;
            let Some(port) = routes.ports(at, to).nth(*followed) else {
                path.pop();
                distances[place(graph, at)] =
                    Distance::Links(first_length(graph, routes, (at, to), &distances));
                continue;
            };
            let next = graph.ports(at)[port.index()].peer;
            if next == to {
                *followed += 1;
                continue;
            }
            match distances[place(graph, next)] {
                Distance::Open => return Err(cycle(graph, &path, next, to)),
                Distance::Links(_) => {
                    *followed += 1;
                    same_length(graph, routes, (at, to), &distances)?;
                }
                Distance::Unknown if routes.output(next, to).is_none() => {
                    let (host, switch) = (graph.name(to).to_owned(), graph.name(next).to_owned());
                    return Err(Kind::LeadsNowhere { host, switch });
                }
                Distance::Unknown => {
                    distances[place(graph, next)] = Distance::Open;
                    path.push((next, 0));
                }
            }
        }
    }
    Ok(())
}

fn place(graph: &Graph, switch: NodeId) -> usize {
    switch.index() - graph.hosts()
}

/// Returns the lengths of the paths by the ports of a group, as far as they are known.
fn lengths(
    graph: &Graph,
    routes: &Routes,
    (at, to): (NodeId, NodeId),
    distances: &[Distance],
) -> impl Iterator<Item = u32> {
    routes.ports(at, to).filter_map(move |port| {
        let next = graph.ports(at)[port.index()].peer;
        if next == to {
            return Some(1);
        }
        match distances[place(graph, next)] {
            Distance::Links(links) => Some(links + 1),
            Distance::Unknown | Distance::Open => None,
        }
    })
}

fn first_length(graph: &Graph, routes: &Routes, ends: (NodeId, NodeId), distances: &[Distance]) -> u32 {
    lengths(graph, routes, ends, distances).next().expect("every port has been followed")
}

fn same_length(
    graph: &Graph,
    routes: &Routes,
    (at, to): (NodeId, NodeId),
    distances: &[Distance],
) -> Result<(), Kind> {
    let known = || lengths(graph, routes, (at, to), distances);
    match (known().min(), known().max()) {
        (Some(short), Some(long)) if short != long => {
            let (switch, host) = (graph.name(at).to_owned(), graph.name(to).to_owned());
            Err(Kind::UnequalPaths { switch, host, short, long })
        }
        _ => Ok(()),
    }
}

/// Returns the cycle that a path closes when it comes to a switch again.
fn cycle(graph: &Graph, path: &[(NodeId, usize)], again: NodeId, to: NodeId) -> Kind {
    let switches = path.iter().map(|(at, _)| *at).skip_while(|at| *at != again).chain([again]);
    let cycle = switches.map(|switch| graph.name(switch)).collect::<Vec<_>>().join(" -> ");
    Kind::Loop { host: graph.name(to).to_owned(), cycle }
}
