//! Switches at the points of a grid: mesh, ring and torus, HyperX.
//!
//! Invariant: two switches are cabled only if they differ in one coordinate. In dimension order a packet
//! first gets its first coordinate right, then its second, and so on.
//!
//! | topology | a switch is cabled to |
//! |---|---|
//! | mesh | those before and after it in each dimension |
//! | torus | the same, and the last of a row to its first; a ring has one dimension |
//! | HyperX | all others of its rows (Ahn and others, "HyperX: topology, routing, and packaging of efficient large-scale networks", 2009) |
//!
//! ```text
//! Mesh(sizes: [2, 3])       Torus(sizes: [4])              HyperX(sizes: [3])
//! s1.1 - s1.2 - s1.3        s1 - s2 - s3 - s4              s1 - s2 - s3
//!  |      |      |           +----------------+             +---------+
//! s2.1 - s2.2 - s2.3
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Wiring, nodes_fit, ports_fit, product, within};
use crate::MAX_SWITCH_PORTS;
use crate::builder::cable;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::Graph;

/// What a grid is made of: a mesh, a torus or a HyperX, which differ in who is a neighbour in a row.
///
/// Switches are named by their coordinates, from 1: `s1.1`, `s1.2`, ..., the last coordinate changing first. Hosts are
/// numbered switch by switch, and stand at a switch's first ports; then its neighbours', dimension by dimension: in a
/// mesh the next switch and the one before, as far as there are such, both by their first cable, then both by their
/// second. In a torus from the last switch of a row the next is its first; in a dimension of two switches they are
/// neighbours once, not twice. In a HyperX a switch's neighbours are all others of its row, by coordinate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridSpec {
    /// How many switches there are in each dimension: at least 2 (HyperX: S(k)).
    #[schemars(inner(range(min = 2, max = 0xBFFF)))]
    pub sizes: Vec<u16>,
    /// How many hosts each switch has: 1 to 253 (HyperX: T).
    #[schemars(range(min = 1, max = 253))]
    pub hosts: u16,
    /// How many cables lead to a neighbour, by dimension: one each if left out (HyperX: K(k)).
    #[serde(default)]
    #[schemars(inner(range(min = 1, max = 254)))]
    pub parallel: Vec<u16>,
    /// The name of the kind of cable between host and switch.
    pub host_cable: String,
    /// The name of the kind of cable between switches.
    pub trunk_cable: String,
}

impl GridSpec {
    pub(crate) fn build(&self, rows: Rows, cables: &[&str]) -> Result<Graph, TopologyError> {
        self.grid(rows).build(cables, &self.parallel, &self.host_cable, &self.trunk_cable)
    }

    pub(crate) fn grid(&self, rows: Rows) -> Grid {
        Grid { rows, sizes: self.sizes.clone(), hosts: self.hosts }
    }
}

/// Who is a neighbour within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    Mesh,
    Torus,
    HyperX,
}

/// The numbers of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    rows: Rows,
    sizes: Vec<u16>,
    /// Hosts of each switch.
    hosts: u16,
}

impl Grid {
    fn build(
        &self,
        cables: &[&str],
        parallel: &[u16],
        host_cable: &str,
        trunk_cable: &str,
    ) -> Result<Graph, TopologyError> {
        self.check(parallel)?;
        let host_cable = cable(cables, host_cable, || "host_cable".to_owned())?;
        let trunk_cable = cable(cables, trunk_cable, || "trunk_cable".to_owned())?;
        let own = usize::from(self.hosts);
        let switches: usize = self.sizes.iter().map(|n| usize::from(*n)).product();
        let hosts = own * switches;
        let mut wiring = Wiring::new(hosts, (0..switches).map(|switch| self.name(switch)));
        for switch in 0..switches {
            for host in 0..own {
                wiring.link((switch * own + host, 0), (hosts + switch, host), host_cable);
            }
            for (dimension, stride) in self.strides() {
                let here = self.coordinate(switch, dimension, stride);
                let others = self.neighbours(dimension, here);
                for (place, there) in others.iter().enumerate().filter(|(_, there)| **there > here) {
                    let back = self.neighbours(dimension, *there);
                    let back_place = back.iter().position(|c| *c == here).expect("neighbours are mutual");
                    let peer = switch + (there - here) * stride;
                    for k in 0..cables_of(parallel, dimension) {
                        // Ranks: hosts first, then dimension by dimension, cable by cable.
                        let rank = |place: usize| (1 + dimension) << 32 | k << 16 | place;
                        let plug = |switch: usize, place: usize| (hosts + switch, rank(place));
                        wiring.link(plug(switch, place), plug(peer, back_place), trunk_cable);
                    }
                }
            }
        }
        Ok(wiring.finish())
    }

    fn check(&self, parallel: &[u16]) -> Result<(), TopologyError> {
        let given = parallel.len();
        if self.sizes.is_empty() {
            return Err(TopologyError::new("sizes", Kind::NoSwitches));
        }
        if given != 0 && given != self.sizes.len() {
            return Err(TopologyError::new("parallel", Kind::WrongLength { given, right: self.sizes.len() }));
        }
        within("hosts", self.hosts, 1, 253)?;
        for (i, size) in self.sizes.iter().enumerate() {
            within(&format!("sizes[{i}]"), *size, 2, 0xBFFF)?;
        }
        for (i, cables) in parallel.iter().enumerate() {
            within(&format!("parallel[{i}]"), *cables, 1, MAX_SWITCH_PORTS as u16)?;
        }
        let switches = product(self.sizes.iter().copied());
        nodes_fit("sizes", switches.saturating_mul(u64::from(self.hosts) + 1))?;
        let trunks = self.sizes.iter().enumerate().map(|(dimension, size)| {
            let neighbours = match self.rows {
                Rows::HyperX => u64::from(*size) - 1,
                Rows::Mesh | Rows::Torus => u64::from(*size - 1).min(2),
            };
            neighbours * cables_of(parallel, dimension) as u64
        });
        ports_fit("hosts", u64::from(self.hosts) + trunks.sum::<u64>())
    }

    fn name(&self, switch: usize) -> String {
        let coordinates = self.strides().map(|(d, stride)| self.coordinate(switch, d, stride) + 1);
        format!("s{}", coordinates.map(|c| c.to_string()).collect::<Vec<_>>().join("."))
    }

    /// Every dimension, in order, and how far apart two switches are counted that are neighbours in it.
    fn strides(&self) -> impl Iterator<Item = (usize, usize)> {
        let after = |d: usize| self.sizes[d + 1..].iter().map(|n| usize::from(*n)).product();
        (0..self.sizes.len()).map(move |d| (d, after(d)))
    }

    fn coordinate(&self, switch: usize, dimension: usize, stride: usize) -> usize {
        switch / stride % usize::from(self.sizes[dimension])
    }

    /// The coordinates of a switch's neighbours in a dimension, in the order of their ports.
    fn neighbours(&self, dimension: usize, here: usize) -> Vec<usize> {
        let size = usize::from(self.sizes[dimension]);
        match self.rows {
            Rows::HyperX => (0..size).filter(|there| *there != here).collect(),
            Rows::Torus if size > 2 => vec![(here + 1) % size, (here + size - 1) % size],
            Rows::Mesh | Rows::Torus => {
                let after = Some(here + 1).filter(|there| *there < size);
                after.into_iter().chain(here.checked_sub(1)).collect()
            }
        }
    }

    /// The next switch from `at` to `to` in dimension order.
    pub(crate) fn next(&self, at: usize, to: usize) -> Option<usize> {
        self.strides().find_map(|(dimension, stride)| {
            let here = self.coordinate(at, dimension, stride);
            let there = self.coordinate(to, dimension, stride);
            (here != there).then(|| {
                let next = self.step(dimension, here, there);
                at - here * stride + next * stride
            })
        })
    }

    /// How many routing layers dimension order takes: see [`layer`](Self::layer).
    pub(crate) fn layers(&self) -> u32 {
        1u32.checked_shl(self.turning().count() as u32).unwrap_or(u32::MAX)
    }

    /// The routing layer of a way between two hosts: a binary digit for each dimension in which packets can
    /// go round, 1 if they pass from the last switch of a row to its first or back.
    ///
    /// Within a layer a dimension's ways either all pass that cable or none does. If none does, the row is
    /// a line. If all do, no way is longer than half the row, so together they make at most 2 (n/2) - 2 < n
    /// of the n turns that a cycle needs. So no dimension has a cycle, and dimension order allows none
    /// over several.
    ///
    /// DEVIATION: Dally and Seitz ("Deadlock-free message routing in multiprocessor interconnection networks",
    /// 1987) cross to a second lane at that cable, so that two do for all dimensions. Here a packet keeps its
    /// lane, and a layer is a service level of the whole way.
    pub(crate) fn layer(&self, from: usize, to: usize) -> u32 {
        let strides: Vec<_> = self.strides().collect();
        self.turning().enumerate().fold(0, |layer, (place, dimension)| {
            let stride = strides[dimension].1;
            let here = self.coordinate(from, dimension, stride);
            let there = self.coordinate(to, dimension, stride);
            let forwards = self.forwards(dimension, here, there);
            let passes = here != there && forwards != (there > here);
            layer | u32::from(passes) << place
        })
    }

    /// The switch of a host.
    pub(crate) fn switch_of(&self, host: usize) -> usize {
        host / usize::from(self.hosts)
    }

    /// The dimensions in which packets can wait for each other round a row. With three switches no way has two
    /// hops; with four only ways to the opposite switch have, and [`forwards`](Self::forwards) lets half of
    /// them lead each way, which makes two of the four turns that a cycle needs.
    fn turning(&self) -> impl Iterator<Item = usize> {
        let round = self.rows == Rows::Torus;
        (0..self.sizes.len()).filter(move |d| round && self.sizes[*d] > 4)
    }

    /// The next coordinate of a row from `here` to `there`.
    fn step(&self, dimension: usize, here: usize, there: usize) -> usize {
        let size = usize::from(self.sizes[dimension]);
        match self.rows {
            Rows::HyperX => there,
            Rows::Mesh if there > here => here + 1,
            Rows::Mesh => here - 1,
            Rows::Torus if self.forwards(dimension, here, there) => (here + 1) % size,
            Rows::Torus => (here + size - 1) % size,
        }
    }

    /// Whether the way round a row leads to higher coordinates: the shorter one; of two equal ones that
    /// to higher coordinates if the destination's is even, so that half go each way.
    fn forwards(&self, dimension: usize, here: usize, there: usize) -> bool {
        let size = usize::from(self.sizes[dimension]);
        let ahead = (there + size - here) % size;
        2 * ahead < size || 2 * ahead == size && there.is_multiple_of(2)
    }
}

/// How many cables lead to a neighbour in this dimension.
fn cables_of(parallel: &[u16], dimension: usize) -> usize {
    parallel.get(dimension).map_or(1, |n| usize::from(*n))
}
