//! Windows of HPCC's simulator: the bandwidth-delay product of two hosts, or the largest of all.
//!
//! Invariant: whole numbers, rounded down where that simulator rounds (`third.cc`: `CalculateRoute`, and the loop over
//! pairs of hosts).
//!
//! ```text
//! round trip   twice the delays of the links, and the times of one payload on each of them, in ns
//! product      round trip * lowest rate of the links
//! ```

use std::collections::{BTreeMap, VecDeque};

use topology::hpcc::HpccFabric;

/// A link as seen from an end.
#[derive(Clone, Copy)]
struct Neighbour {
    node: usize,
    rate: u64,
    /// Delay in ns.
    delay: u64,
}

/// Sums over the way from a host.
#[derive(Clone, Copy)]
struct Way {
    delay: u64,
    sending: u64,
    rate: u64,
}

/// Returns the least and the largest bandwidth-delay product of two hosts, in bytes; `None` if no two hosts are joined.
pub(super) fn products(fabric: &HpccFabric, payload: u64) -> Option<(u64, u64)> {
    let links = neighbours(fabric);
    let hosts = fabric.custom.hosts.len();
    let all = (0..hosts).flat_map(|host| {
        let ways = ways(host, hosts, &links, payload);
        let others = ways.into_iter().take(hosts).enumerate().filter(move |(other, _)| *other != host);
        others.filter_map(|(_, way)| way).map(|way| {
            let round_trip = 2 * way.delay + way.sending;
            (u128::from(round_trip) * u128::from(way.rate) / 1_000_000_000 / 8) as u64
        })
    });
    all.fold(None, |range, one| {
        let (least, most) = range.unwrap_or((one, one));
        Some((least.min(one), most.max(one)))
    })
}

/// Returns the links of each node, hosts first, by the number of the node at the other end.
fn neighbours(fabric: &HpccFabric) -> Vec<Vec<Neighbour>> {
    let names = fabric.custom.hosts.iter().chain(&fabric.custom.switches);
    let numbers: BTreeMap<&str, usize> =
        names.enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let cables: BTreeMap<&str, _> =
        fabric.cables.iter().map(|(name, rate, delay)| (name.as_str(), (rate, delay))).collect();
    let mut links: Vec<BTreeMap<usize, Neighbour>> = vec![BTreeMap::new(); numbers.len()];
    for link in &fabric.custom.links {
        let (rate, delay) = cables[link.cable.as_str()];
        let ends = [numbers[link.from.as_str()], numbers[link.to.as_str()]];
        for (from, node) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            links[from].insert(node, Neighbour { node, rate: rate.get(), delay: delay.ps() / 1000 });
        }
    }
    links.into_iter().map(|links| links.into_values().collect()).collect()
}

/// Returns the way from a host to each node that it can reach, over the fewest links.
fn ways(host: usize, hosts: usize, links: &[Vec<Neighbour>], payload: u64) -> Vec<Option<Way>> {
    let mut ways: Vec<Option<Way>> = vec![None; links.len()];
    ways[host] = Some(Way { delay: 0, sending: 0, rate: u64::MAX });
    let mut next = VecDeque::from([host]);
    while let Some(node) = next.pop_front() {
        let here = ways[node].expect("a node in the queue has been reached");
        for link in &links[node] {
            if ways[link.node].is_some() {
                continue;
            }
            ways[link.node] = Some(Way {
                delay: here.delay + link.delay,
                sending: here.sending + payload * 1_000_000_000 * 8 / link.rate,
                rate: here.rate.min(link.rate),
            });
            // No packet passes through a host.
            if link.node >= hosts {
                next.push_back(link.node);
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two links of 1 us and 320 ns for 1,000 bytes at 25 Gb/s: 4,640 ns, 14,500 bytes. From the far switch it is a
    /// link more, of 100 Gb/s.
    #[test]
    fn products_are_those_of_the_nearest_and_of_the_farthest_pair() {
        let text = "5 2 4\n3 4\n0 3 25Gbps 1us 0\n1 3 25Gbps 1us 0\n3 4 100Gbps 1us 0\n2 4 25Gbps 1us 0\n";
        let fabric = topology::hpcc::read(text).expect("it is right");
        let far = (6 * 1000 + 320 + 80 + 320) * 25 / 8;
        assert_eq!(products(&fabric, 1000), Some((14_500, far)));
    }
}
