//! Switches at the points of a grid: mesh, ring and torus, HyperX.
//!
//! Invariant: two switches are cabled only if they differ in exactly one coordinate. In dimension order a packet
//! first corrects its first coordinate, then its second, and so on.
//!
//! | topology | neighbours of a switch |
//! |---|---|
//! | mesh | the previous and the next switch in each dimension |
//! | torus | the same, and the last switch of a row is a neighbour of its first; a ring has one dimension |
//! | HyperX | all other switches of its rows (Ahn and others, "HyperX: topology, routing, and packaging of efficient large-scale networks", 2009) |
//!
//! ```text
//! Mesh(sizes: [2, 3])       Torus(sizes: [4])              HyperX(sizes: [3])
//! s1.1 - s1.2 - s1.3        s1 - s2 - s3 - s4              s1 - s2 - s3
//!  |      |      |           +----------------+             +---------+
//! s2.1 - s2.2 - s2.3
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::FieldPath;
use smallvec::{SmallVec, smallvec};

use super::checks::{cable_index, nodes_fit, ports_fit, product, within};
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{Graph, GraphDraft, ranked};
use crate::limits::MAX_SWITCH_PORTS;

/// Parameters of a mesh, a torus or a HyperX, which differ in the neighbours of a switch within a row.
///
/// Switches are named by their coordinates, from 1: `s1.1`, `s1.2`, ..., the last coordinate changing first. Hosts are
/// numbered switch by switch. A switch has its hosts at its first ports, then its neighbours, dimension by dimension: in
/// a mesh the next switch and the previous one, where they exist, both by their first cable, then both by their second.
/// In a torus the last switch of a row is followed by the first; two switches of a dimension of size two are neighbours
/// once, not twice. In a HyperX the neighbours are all other switches of the row, by coordinate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridSpec {
    /// Number of switches in each dimension: at least 2 (HyperX: S(k)).
    #[schemars(inner(range(min = 2, max = 0xBFFF)))]
    pub sizes: Vec<u16>,
    /// Number of hosts of each switch: 1 to 253 (HyperX: T).
    #[schemars(range(min = 1, max = 253))]
    pub hosts: u16,
    /// Number of cables to a neighbour, by dimension: one each if left out (HyperX: K(k)).
    #[serde(default)]
    #[schemars(inner(range(min = 1, max = 254)))]
    pub parallel: Vec<u16>,
    /// Name of the kind of cable between host and switch.
    pub host_cable: String,
    /// Name of the kind of cable between switches.
    pub trunk_cable: String,
}

/// The neighbours of a switch within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GridRows {
    /// The previous and the next switch.
    Mesh,
    /// The previous and the next switch, round the ends of the row.
    Torus,
    /// All other switches.
    HyperX,
}

/// The structure of a grid with parameters that have been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GridShape {
    rows: GridRows,
    sizes: Vec<u16>,
    /// Hosts of each switch.
    hosts: u16,
}

impl GridSpec {
    pub(crate) fn build(&self, rows: GridRows, cables: &[&str]) -> Result<(Graph, GridShape), TopologyError> {
        self.check(rows)?;
        let host_cable = cable_index(cables, &self.host_cable, "host_cable")?;
        let trunk_cable = cable_index(cables, &self.trunk_cable, "trunk_cable")?;
        let shape = GridShape { rows, sizes: self.sizes.clone(), hosts: self.hosts };
        let (own, switches) = (usize::from(self.hosts), shape.switches());
        let hosts = own * switches;
        let names = (0..switches).map(|switch| shape.name(switch));
        let mut draft = GraphDraft::with_numbered_hosts(hosts, names);
        let most_neighbours = self.sizes.iter().map(|size| usize::from(*size)).max().unwrap_or(1);
        let most_cables =
            (0..self.sizes.len()).map(|dimension| self.cables_to_neighbour(dimension)).max().unwrap_or(1);
        for switch in 0..switches {
            for host in 0..own {
                draft.link(ranked(switch * own + host, 0), ranked(hosts + switch, host), host_cable);
            }
            for (dimension, stride) in shape.strides() {
                let here = shape.coordinate(switch, dimension, stride);
                let others = shape.neighbours(dimension, here);
                for (place, there) in others.iter().enumerate().filter(|(_, there)| **there > here) {
                    let back = shape.neighbours(dimension, *there);
                    let back_place = back.iter().position(|c| *c == here).expect("neighbours are mutual");
                    let peer = switch + (there - here) * stride;
                    for k in 0..self.cables_to_neighbour(dimension) {
                        // Ranks: hosts first, then dimension by dimension, cable by cable.
                        let rank =
                            |place: usize| own + (dimension * most_cables + k) * most_neighbours + place;
                        let port = |switch: usize, place: usize| ranked(hosts + switch, rank(place));
                        draft.link(port(switch, place), port(peer, back_place), trunk_cable);
                    }
                }
            }
        }
        Ok((draft.finish(), shape))
    }

    fn check(&self, rows: GridRows) -> Result<(), TopologyError> {
        let Self { sizes, parallel, .. } = self;
        if sizes.is_empty() {
            return Err(TopologyError::new("sizes", Kind::NoSwitches));
        }
        if !parallel.is_empty() && parallel.len() != sizes.len() {
            let kind = Kind::WrongLength { given: parallel.len(), right: sizes.len() };
            return Err(TopologyError::new("parallel", kind));
        }
        within("hosts", self.hosts, 1, 253)?;
        for (i, size) in sizes.iter().enumerate() {
            within(FieldPath::from("sizes").index(i), *size, 2, 0xBFFF)?;
        }
        for (i, cables) in parallel.iter().enumerate() {
            within(FieldPath::from("parallel").index(i), *cables, 1, MAX_SWITCH_PORTS as u16)?;
        }
        let switches = product(sizes.iter().copied());
        nodes_fit("sizes", switches.saturating_mul(u64::from(self.hosts) + 1))?;
        let trunks = sizes.iter().enumerate().map(|(dimension, size)| {
            let neighbours = match rows {
                GridRows::HyperX => u64::from(*size) - 1,
                GridRows::Mesh | GridRows::Torus => u64::from(*size - 1).min(2),
            };
            neighbours * self.cables_to_neighbour(dimension) as u64
        });
        ports_fit("hosts", u64::from(self.hosts) + trunks.sum::<u64>())
    }

    /// Returns the number of cables to a neighbour in this dimension.
    fn cables_to_neighbour(&self, dimension: usize) -> usize {
        self.parallel.get(dimension).map_or(1, |n| usize::from(*n))
    }
}

impl GridShape {
    /// Returns true if all switches of a row are neighbours.
    pub(crate) fn is_hyper_x(&self) -> bool {
        self.rows == GridRows::HyperX
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.sizes.len()
    }

    /// Number of hosts of each switch.
    pub(crate) fn hosts(&self) -> usize {
        usize::from(self.hosts)
    }

    /// Returns the number of coordinates in which two switches differ.
    pub(crate) fn differing(&self, from: usize, to: usize) -> u32 {
        let differs = |(d, stride): &(usize, usize)| {
            self.coordinate(from, *d, *stride) != self.coordinate(to, *d, *stride)
        };
        self.strides().filter(differs).count() as u32
    }

    /// Returns the first dimension in which two switches differ.
    pub(crate) fn first_differing(&self, from: usize, to: usize) -> Option<usize> {
        let mut strides = self.strides();
        strides.find_map(|(d, stride)| {
            (self.coordinate(from, d, stride) != self.coordinate(to, d, stride)).then_some(d)
        })
    }

    pub(crate) fn switches(&self) -> usize {
        self.sizes.iter().map(|n| usize::from(*n)).product()
    }

    fn name(&self, switch: usize) -> String {
        let coordinates = self.strides().map(|(d, stride)| self.coordinate(switch, d, stride) + 1);
        format!("s{}", coordinates.map(|c| c.to_string()).collect::<Vec<_>>().join("."))
    }

    /// Returns every dimension, in order, with the difference between the indices of two neighbours in it.
    fn strides(&self) -> impl Iterator<Item = (usize, usize)> {
        let after = |d: usize| self.sizes[d + 1..].iter().map(|n| usize::from(*n)).product();
        (0..self.sizes.len()).map(move |d| (d, after(d)))
    }

    fn coordinate(&self, switch: usize, dimension: usize, stride: usize) -> usize {
        switch / stride % usize::from(self.sizes[dimension])
    }

    /// Returns the coordinates of a switch's neighbours in a dimension, in the order of their ports.
    fn neighbours(&self, dimension: usize, here: usize) -> SmallVec<[usize; 8]> {
        let size = usize::from(self.sizes[dimension]);
        match self.rows {
            GridRows::HyperX => (0..size).filter(|there| *there != here).collect(),
            GridRows::Torus if size > 2 => smallvec![(here + 1) % size, (here + size - 1) % size],
            GridRows::Mesh | GridRows::Torus => {
                let after = Some(here + 1).filter(|there| *there < size);
                after.into_iter().chain(here.checked_sub(1)).collect()
            }
        }
    }

    /// Returns the next switch from `at` to `to` in dimension order.
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

    /// Returns the number of routing layers that dimension order takes: see [`layer`](Self::layer).
    pub(crate) fn layers(&self) -> u32 {
        1u32.checked_shl((0..self.sizes.len()).filter(|dimension| self.turns(*dimension)).count() as u32)
            .unwrap_or(u32::MAX)
    }

    /// Returns the routing layer of a path between two switches. Each dimension in which a row can close a cycle
    /// contributes a binary digit. It is 1 if the path crosses the cable between the last switch of a row and its
    /// first.
    ///
    /// Within a layer either all paths of a dimension cross that cable or none does. If none does, the row is a line.
    /// If all do, no path is longer than half the row. Together they then make at most 2 (n/2) - 2 < n of the n turns
    /// that a cycle needs. So no dimension has a cycle, and dimension order allows none across several dimensions.
    ///
    /// DEVIATION: Dally and Seitz ("Deadlock-free message routing in multiprocessor interconnection networks", 1987)
    /// change to a second lane at that cable: two lanes suffice for all dimensions. Here a layer is a service level
    /// of the whole path. By [`lane_changes`](crate::routing::lane_changes) two lanes suffice too.
    pub(crate) fn layer(&self, from: usize, to: usize) -> u32 {
        let turning = self.strides().filter(|(dimension, _)| self.turns(*dimension));
        turning.enumerate().fold(0, |layer, (place, (dimension, stride))| {
            let here = self.coordinate(from, dimension, stride);
            let there = self.coordinate(to, dimension, stride);
            let forwards = self.forwards(dimension, here, there);
            let passes = here != there && forwards != (there > here);
            layer | u32::from(passes) << place
        })
    }

    /// Returns the digit of a layer for the dimension in which two neighbours differ.
    pub(crate) fn digit(&self, layer: u32, from: usize, to: usize) -> bool {
        let turning = self.strides().filter(|(dimension, _)| self.turns(*dimension));
        let mut places = turning.enumerate().filter(|(_, (dimension, stride))| {
            self.coordinate(from, *dimension, *stride) != self.coordinate(to, *dimension, *stride)
        });
        places.next().is_some_and(|(place, _)| layer >> place & 1 == 1)
    }

    /// Returns the switch of a host.
    pub(crate) fn switch_of(&self, host: usize) -> usize {
        host / usize::from(self.hosts)
    }

    /// Returns true if packets can wait for each other all round a row of this dimension. With three switches no path
    /// has two hops. With four only paths to the opposite switch have two. [`forwards`](Self::forwards) leads half of
    /// them in each direction, which makes two of the four turns that a cycle needs.
    fn turns(&self, dimension: usize) -> bool {
        self.rows == GridRows::Torus && self.sizes[dimension] > 4
    }

    /// Returns the next coordinate in a row from `here` to `there`.
    fn step(&self, dimension: usize, here: usize, there: usize) -> usize {
        let size = usize::from(self.sizes[dimension]);
        match self.rows {
            GridRows::HyperX => there,
            GridRows::Mesh if there > here => here + 1,
            GridRows::Mesh => here - 1,
            GridRows::Torus if self.forwards(dimension, here, there) => (here + 1) % size,
            GridRows::Torus => (here + size - 1) % size,
        }
    }

    /// Returns true if the path round a row leads to higher coordinates. The shorter path is taken. Of two equal
    /// paths, the path to higher coordinates is taken if the destination's coordinate is even, so that half lead in
    /// each direction.
    fn forwards(&self, dimension: usize, here: usize, there: usize) -> bool {
        let size = usize::from(self.sizes[dimension]);
        let ahead = (there + size - here) % size;
        2 * ahead < size || 2 * ahead == size && there.is_multiple_of(2)
    }
}
