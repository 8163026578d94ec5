//! Partitions: the parts into which a run divides a fabric.
//!
//! Invariant: every part has a node. A partition follows from the fabric and its expected work alone.
//!
//! Parts work side by side in windows no longer than the shortest cable between two of them. So a good partition, in
//! this order, gives all parts equal work, cuts long cables only, and cuts few of them.
//!
//! | module | contents |
//! |---|---|
//! | here | partitions, and their cost |
//! | `clusters` | nodes that stay together: racks, and nodes on cables that are too short to cut |
//! | `deal` | clusters dealt out to parts, in order of their hosts and by neighbourhood |

mod clusters;
mod deal;

use packet::{NodeId, PortId};
use units::Span;

use crate::graph::Graph;
use clusters::Clusters;

/// Most work of a part, in hundredths of the mean, with which parts count as balanced. Threads wait for the busiest
/// part, so a hundredth more costs a hundredth of the time; a cable more among hundreds costs less.
const BALANCED: u64 = 103;

/// The parts of a fabric, as a run may divide it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    of_node: Vec<u16>,
    parts: usize,
}

/// A fabric with what a partition depends on.
#[derive(Clone, Debug)]
pub struct WeighedGraph<'a> {
    /// The fabric.
    pub graph: &'a Graph,
    /// Expected work of each node, by number, in any unit.
    pub work: Vec<u64>,
    /// By node and port, the least time until something that leaves by the port takes effect at the far end.
    pub lookaheads: Vec<Vec<Span>>,
}

/// The cost of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionCost {
    /// Expected work, by part.
    pub work: Vec<u64>,
    /// Cables between two parts.
    pub cut: usize,
    /// All cables.
    pub cables: usize,
    /// Least time from part to part, which no common window exceeds. `None`, without end, if no cable leads from part
    /// to part.
    pub window: Option<Span>,
}

impl Partition {
    /// Creates the partition in which `of_node` names the part of each node. Names are any numbers: parts are
    /// numbered by their first nodes.
    ///
    /// ```
    /// use topology::Partition;
    /// let partition = Partition::new(&[7, 3, 7]);
    /// assert_eq!((partition.parts(), partition.part_of(0), partition.part_of(1)), (2, 0, 1));
    /// ```
    #[must_use]
    pub fn new(of_node: &[u16]) -> Self {
        let mut names: Vec<u16> = Vec::new();
        let number = |name: &u16| match names.iter().position(|known| known == name) {
            Some(number) => number as u16,
            None => {
                names.push(*name);
                names.len() as u16 - 1
            }
        };
        let of_node = of_node.iter().map(number).collect();
        Self { of_node, parts: names.len().max(1) }
    }

    /// Divides a fabric into this number of parts, or into fewer if it has too few nodes.
    ///
    /// First choice are partitions in which no part has more than 1.1 times the mean work. Among these, the partition
    /// with the longest window is taken, and then the partition that cuts fewest cables. Without any such partition,
    /// the most balanced partition found is taken.
    #[must_use]
    pub fn balanced(fabric: &WeighedGraph<'_>, parts: usize) -> Self {
        let rank = |partition: &Self| {
            let cost = partition.cost(fabric);
            let balance = cost.balance().max(BALANCED);
            // Unbalanced parts differ by single racks: a tenth more or less decides nothing.
            (balance / 10, core::cmp::Reverse(cost.window.map_or(u64::MAX, Span::ps)), cost.cut)
        };
        let all = Clusters::levels(fabric).into_iter().flat_map(|clusters| deal::dealt(&clusters, parts));
        all.map(|of_node| Self::new(&of_node))
            .min_by_key(rank)
            .unwrap_or_else(|| Self::new(&vec![0; fabric.graph.nodes()]))
    }

    /// Returns the number of parts, at least 1.
    #[must_use]
    pub const fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the part of a node.
    ///
    /// # Panics
    /// If the fabric has no such node.
    #[must_use]
    pub fn part_of(&self, node: usize) -> u16 {
        self.of_node[node]
    }

    /// Returns the cost of the partition.
    #[must_use]
    pub fn cost(&self, fabric: &WeighedGraph<'_>) -> PartitionCost {
        let mut work = vec![0; self.parts];
        for (part, amount) in self.of_node.iter().zip(&fabric.work) {
            work[usize::from(*part)] += amount;
        }
        let mut cost = PartitionCost { work, cut: 0, cables: 0, window: None };
        for (from, to, lookahead) in fabric.cables() {
            let is_cut = self.of_node[from] != self.of_node[to];
            cost.cables += usize::from(from < to);
            cost.cut += usize::from(is_cut && from < to);
            cost.window = cost.window.into_iter().chain(is_cut.then_some(lookahead)).min();
        }
        cost
    }
}

impl PartitionCost {
    /// Returns the work of the busiest part, in hundredths of the mean.
    #[must_use]
    pub fn balance(&self) -> u64 {
        let (most, all) = (self.work.iter().max().copied().unwrap_or(0), self.work.iter().sum::<u64>());
        (u128::from(most) * 100 * self.work.len() as u128 / u128::from(all.max(1))) as u64
    }
}

impl WeighedGraph<'_> {
    /// Returns every direction of every cable: both nodes, and the least time from the first to the second.
    fn cables(&self) -> impl Iterator<Item = (usize, usize, Span)> {
        let nodes = 0..self.graph.nodes();
        nodes.flat_map(move |node| {
            let ends = self.graph.ports(NodeId(node as u32)).iter();
            let ports = (0..).map(PortId);
            ends.zip(ports)
                .map(move |(end, port)| (node, end.peer.index(), self.lookaheads[node][port.index()]))
        })
    }
}
