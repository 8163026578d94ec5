//! Whether packets can wait for each other in a cycle: the channel-dependency graph.
//!
//! Invariant: a dependency is entered for every two channels that some packet of the traffic occupies one after
//! the other, and for no others. Without a cycle among them no deadlock of the fabric's own can arise; with
//! one it can, but need not.
//!
//! W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", 1987.
//! A channel is the output of a switch and a lane: more exactly the buffer of that lane behind it. Hosts take
//! what they are sent, so ways end there and no dependency leads through them.

use packet::{Lane, NodeId, PortId};

use crate::graph::{Graph, node};
use crate::routing::Routes;

/// An output of a switch, and a lane of the link there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Channel {
    /// The switch.
    pub switch: NodeId,
    /// The output.
    pub port: PortId,
    /// The lane.
    pub lane: Lane,
}

/// Which channels packets occupy one after the other.
///
/// Channels are numbered by switch, port and lane. Of each is kept, as a bit mask, by which ports of the next
/// switch packets go on; their lane stays the same.
pub struct Dependencies<'a> {
    graph: &'a Graph,
    routes: &'a Routes,
    lanes: usize,
    /// Place of each switch's first port among all ports of switches, and the end of the last.
    first: Vec<usize>,
    /// By port of a switch, the node at the other end.
    peers: Vec<NodeId>,
    /// Words of a mask.
    words: usize,
    onward: Vec<u64>,
    /// By switch, the last walk that came by.
    seen: Vec<u32>,
    walks: u32,
    stack: Vec<NodeId>,
}

impl<'a> Dependencies<'a> {
    /// None yet, for links with this many lanes.
    pub fn new(graph: &'a Graph, routes: &'a Routes, lanes: u8) -> Self {
        let lanes = usize::from(lanes);
        let mut first = vec![0];
        let mut peers = Vec::new();
        for switch in graph.switch_ids() {
            peers.extend(graph.ports(switch).iter().map(|end| end.peer));
            first.push(peers.len());
        }
        let widest = graph.switch_ids().map(|switch| graph.ports(switch).len()).max().unwrap_or(0);
        let words = widest.div_ceil(64);
        let onward = vec![0; peers.len() * lanes * words];
        let seen = vec![0; graph.switches()];
        Self { graph, routes, lanes, first, peers, words, onward, seen, walks: 0, stack: Vec::new() }
    }

    /// Enters what packets to one host on one lane occupy, from each of these nodes, hosts or switches.
    ///
    /// The ways to a host form a tree, which is walked once; so give all sources of a host and lane
    /// together, and hosts in order of their numbers, which keeps the walk within the cache.
    ///
    /// # Panics
    /// If the lane is not one of the links'.
    pub fn add(&mut self, to: NodeId, lane: Lane, from: impl IntoIterator<Item = NodeId>) {
        assert!(lane.index() < self.lanes, "{lane} is one of {} lanes", self.lanes);
        self.walks += 1;
        for source in from {
            let start = if self.graph.is_host(source) { self.graph.ports(source)[0].peer } else { source };
            self.visit(start);
            while let Some(at) = self.stack.pop() {
                let place = at.index() - self.graph.hosts();
                for port in self.routes.ports(at, to) {
                    let out = self.first[place] + port.index();
                    let next = self.peers[out];
                    if self.graph.is_host(next) {
                        continue;
                    }
                    let mask = (out * self.lanes + lane.index()) * self.words;
                    for onward in self.routes.ports(next, to) {
                        self.onward[mask + onward.index() / 64] |= 1 << (onward.index() % 64);
                    }
                    self.visit(next);
                }
            }
        }
    }

    /// A cycle of channels, each of which packets occupy while they wait for the next, and the last for the
    /// first; [`None`] if there is none. Of those through one channel, it is one of the shortest.
    #[must_use]
    pub fn cycle(&self) -> Option<Vec<Channel>> {
        let start = self.on_a_cycle()?;
        let mut before = vec![usize::MAX; self.channels()];
        let mut queue = vec![start];
        let mut next = 0;
        loop {
            let at = queue[next];
            next += 1;
            for onward in self.after(at) {
                if onward == start {
                    let back = |at: &usize| Some(before[*at]).filter(|_| *at != start);
                    let mut cycle: Vec<Channel> =
                        core::iter::successors(Some(at), back).map(|at| self.channel(at)).collect();
                    cycle.reverse();
                    return Some(cycle);
                }
                if before[onward] == usize::MAX {
                    before[onward] = at;
                    queue.push(onward);
                }
            }
        }
    }

    fn visit(&mut self, switch: NodeId) {
        if self.graph.is_host(switch) {
            return;
        }
        let seen = &mut self.seen[switch.index() - self.graph.hosts()];
        if *seen != self.walks {
            *seen = self.walks;
            self.stack.push(switch);
        }
    }

    /// A channel on some cycle: depth first, the channels of the present way are marked as open.
    fn on_a_cycle(&self) -> Option<usize> {
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![0; self.channels()];
        let mut way = Vec::new();
        for start in 0..self.channels() {
            if state[start] != 0 {
                continue;
            }
            state[start] = OPEN;
            way.push((start, self.after(start)));
            while let Some((at, onward)) = way.last_mut() {
                match onward.next() {
                    Some(next) if state[next] == OPEN => return Some(next),
                    Some(next) if state[next] == 0 => {
                        state[next] = OPEN;
                        way.push((next, self.after(next)));
                    }
                    Some(_) => {}
                    None => {
                        state[*at] = DONE;
                        way.pop();
                    }
                }
            }
        }
        None
    }

    fn channels(&self) -> usize {
        self.peers.len() * self.lanes
    }

    /// The channels that packets occupy after this one.
    fn after(&self, channel: usize) -> impl Iterator<Item = usize> {
        let (out, lane) = (channel / self.lanes, channel % self.lanes);
        let masks = &self.onward[channel * self.words..(channel + 1) * self.words];
        let base =
            self.peers[out].index().checked_sub(self.graph.hosts()).map_or(0, |place| self.first[place]);
        masks.iter().enumerate().flat_map(move |(word, mask)| {
            let left = |mask: &u64| Some(mask & (mask - 1)).filter(|mask| *mask != 0);
            core::iter::successors(Some(*mask).filter(|mask| *mask != 0), left)
                .map(move |mask| (base + word * 64 + mask.trailing_zeros() as usize) * self.lanes + lane)
        })
    }

    fn channel(&self, channel: usize) -> Channel {
        let (out, lane) = (channel / self.lanes, channel % self.lanes);
        let place = self.first.partition_point(|first| *first <= out) - 1;
        Channel {
            switch: node(self.graph.hosts() + place),
            port: PortId((out - self.first[place]) as u16),
            lane: Lane(lane as u8),
        }
    }
}
