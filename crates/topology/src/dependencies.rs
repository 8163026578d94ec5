//! The channel-dependency graph, which shows if packets can wait for each other in a cycle.
//!
//! Invariant: the graph has a dependency for every two channels that some packet of the traffic occupies in
//! succession, and no others. Without a cycle of dependencies no deadlock can arise within the fabric; with a cycle
//! it can, but need not.
//!
//! W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", 1987.
//! A channel is the output of a switch and a lane, more exactly the buffer of that lane behind the output. Hosts
//! consume all packets they receive, so paths end there and no dependency leads through them.

use packet::{Lane, NodeId, PortId};

use crate::graph::{FarEnd, Graph, node};
use crate::routing::routes::Routes;

/// An output of a switch, and a lane of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VirtualChannel {
    /// The switch.
    pub switch: NodeId,
    /// The output.
    pub port: PortId,
    /// The lane.
    pub lane: Lane,
}

/// The channel-dependency graph.
///
/// Channels are numbered by switch, port and lane. A bit mask for each channel has a bit for every port of the next
/// switch by which packets continue; they keep their lane. With lane changes it has a bit for every port and lane.
pub struct ChannelDependencies<'a> {
    graph: &'a Graph,
    routes: &'a Routes,
    lanes: usize,
    /// Index of each switch's first port among all ports of switches, followed by the number of those ports.
    first: Vec<usize>,
    /// The node at the far end, by port of a switch.
    peers: Vec<NodeId>,
    /// True if packets change their lanes. A mask then has a bit for each lane of a port.
    changes: bool,
    /// Number of words of a mask.
    words: usize,
    /// Masks, by channel.
    onward: Vec<u64>,
    /// Number of the last walk through each switch, or through each channel if packets change their lanes.
    seen: Vec<u32>,
    walks: u32,
    stack: Vec<NodeId>,
    channels_to_walk: Vec<usize>,
}

impl<'a> ChannelDependencies<'a> {
    /// Starts a graph without dependencies, for links with this many lanes.
    pub fn new(graph: &'a Graph, routes: &'a Routes, lanes: u8) -> Self {
        Self::with_masks(graph, routes, lanes.into(), false)
    }

    /// Starts a graph without dependencies, for packets that change their lanes: see
    /// [`add_changing`](Self::add_changing).
    pub fn with_lane_changes(graph: &'a Graph, routes: &'a Routes, lanes: u8) -> Self {
        Self::with_masks(graph, routes, lanes.into(), true)
    }

    fn with_masks(graph: &'a Graph, routes: &'a Routes, lanes: usize, changes: bool) -> Self {
        let mut first = vec![0];
        let mut peers = Vec::new();
        for switch in graph.switch_ids() {
            peers.extend(graph.ports(switch).iter().map(|end| end.peer));
            first.push(peers.len());
        }
        let widest = graph.switch_ids().map(|switch| graph.ports(switch).len()).max().unwrap_or(0);
        let words = (if changes { widest * lanes } else { widest }).div_ceil(64);
        let onward = vec![0; peers.len() * lanes * words];
        // A packet that keeps its lane is walked by switch. With lane changes its way depends on the channel by which
        // it comes.
        let places = if changes { peers.len() * lanes } else { graph.switches() };
        Self {
            graph,
            routes,
            lanes,
            first,
            peers,
            changes,
            words,
            onward,
            seen: vec![0; places],
            walks: 0,
            stack: Vec::new(),
            channels_to_walk: Vec::new(),
        }
    }

    /// Adds the dependencies of packets to a host on a lane, from each of these nodes, hosts or switches.
    ///
    /// The paths to a host form a tree, which is walked once. All sources of a host and lane are therefore given
    /// together. Hosts come in the order of their numbers, which keeps the walk within the cache.
    ///
    /// # Panics
    /// If the graph was made with lane changes, or the links do not have this lane.
    pub fn add(&mut self, to: NodeId, lane: Lane, from: impl IntoIterator<Item = NodeId>) {
        assert!(!self.changes, "packets of this graph change their lanes");
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
                    // Hosts consume what they receive, so nothing waits behind this cable.
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

    /// Adds the dependencies of packets to a host of the same service level, from each of these hosts. Each switch
    /// chooses their lane anew: `lane_of` returns it, by switch, input and output.
    ///
    /// The lane that a packet has, and thus its path through the channels, may depend on its source. So channels are
    /// walked, not switches.
    ///
    /// # Panics
    /// If the graph was made without lane changes, or the links do not have a lane.
    pub fn add_changing(
        &mut self,
        to: NodeId,
        from: impl IntoIterator<Item = NodeId>,
        lane_of: impl Fn(NodeId, PortId, PortId) -> Lane,
    ) {
        assert!(self.changes, "packets of this graph keep their lanes");
        self.walks += 1;
        for source in from {
            self.enter(None, self.graph.ports(source)[0], to, &lane_of);
            while let Some(channel) = self.channels_to_walk.pop() {
                let out = channel / self.lanes;
                let place = self.place_of(out);
                let end = self.graph.ports(node(self.graph.hosts() + place))[out - self.first[place]];
                self.enter(Some(channel), end, to, &lane_of);
            }
        }
    }

    /// Lets packets to a host enter the node at the end of a cable. They crossed the cable by a channel between
    /// switches, or from their source. Schedules the channels by which they continue, unless the current walk has
    /// been there.
    fn enter(
        &mut self,
        by: Option<usize>,
        FarEnd { peer, peer_port, .. }: FarEnd,
        to: NodeId,
        lane_of: &impl Fn(NodeId, PortId, PortId) -> Lane,
    ) {
        if self.graph.is_host(peer) {
            return;
        }
        for output in self.routes.ports(peer, to) {
            let lane = lane_of(peer, peer_port, output);
            assert!(lane.index() < self.lanes, "{lane} is one of {} lanes", self.lanes);
            let out = self.first[peer.index() - self.graph.hosts()] + output.index();
            let channel = out * self.lanes + lane.index();
            if let Some(by) = by {
                let bit = output.index() * self.lanes + lane.index();
                self.onward[by * self.words + bit / 64] |= 1 << (bit % 64);
            }
            if self.seen[channel] != self.walks {
                self.seen[channel] = self.walks;
                self.channels_to_walk.push(channel);
            }
        }
    }

    /// Returns a cycle of channels, or [`None`] if there is none. Packets occupy each channel while they wait for the
    /// next, and the last while they wait for the first. No cycle through the first channel is shorter.
    #[must_use]
    pub fn cycle(&self) -> Option<Vec<VirtualChannel>> {
        let start = self.on_a_cycle()?;
        // Breadth first, from a channel that is known to lie on a cycle: the first way back is a shortest cycle.
        let mut before = vec![usize::MAX; self.channels()];
        let mut queue = vec![start];
        let mut next = 0;
        loop {
            let at = queue[next];
            next += 1;
            for onward in self.after(at) {
                if onward == start {
                    let back = |at: &usize| Some(before[*at]).filter(|_| *at != start);
                    let mut cycle: Vec<VirtualChannel> =
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

    /// Schedules a switch, unless the current walk has been there.
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

    /// Returns a channel on some cycle. The search is depth first; channels of the current path are marked as open.
    fn on_a_cycle(&self) -> Option<usize> {
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![0; self.channels()];
        let mut path = Vec::new();
        for start in 0..self.channels() {
            if state[start] != 0 {
                continue;
            }
            state[start] = OPEN;
            path.push((start, self.after(start)));
            while let Some((at, onward)) = path.last_mut() {
                match onward.next() {
                    Some(next) if state[next] == OPEN => return Some(next),
                    Some(next) if state[next] == 0 => {
                        state[next] = OPEN;
                        path.push((next, self.after(next)));
                    }
                    Some(_) => {}
                    None => {
                        // All channels behind this channel are searched, and none leads back to the path.
                        state[*at] = DONE;
                        path.pop();
                    }
                }
            }
        }
        None
    }

    /// Returns the index of the switch that has this output.
    fn place_of(&self, out: usize) -> usize {
        self.first.partition_point(|first| *first <= out) - 1
    }

    fn channels(&self) -> usize {
        self.peers.len() * self.lanes
    }

    /// Returns the channels that packets occupy after this channel.
    fn after(&self, channel: usize) -> impl Iterator<Item = usize> {
        let (out, lane) = (channel / self.lanes, channel % self.lanes);
        let masks = &self.onward[channel * self.words..(channel + 1) * self.words];
        let base =
            self.peers[out].index().checked_sub(self.graph.hosts()).map_or(0, |place| self.first[place]);
        masks.iter().enumerate().flat_map(move |(word, mask)| {
            let left = |mask: &u64| Some(mask & (mask - 1)).filter(|mask| *mask != 0);
            let bits = core::iter::successors(Some(*mask).filter(|mask| *mask != 0), left);
            bits.map(move |mask| {
                let bit = word * 64 + mask.trailing_zeros() as usize;
                if self.changes { base * self.lanes + bit } else { (base + bit) * self.lanes + lane }
            })
        })
    }

    fn channel(&self, channel: usize) -> VirtualChannel {
        let (out, lane) = (channel / self.lanes, channel % self.lanes);
        let place = self.place_of(out);
        VirtualChannel {
            switch: node(self.graph.hosts() + place),
            port: PortId((out - self.first[place]) as u16),
            lane: Lane(lane as u8),
        }
    }
}
