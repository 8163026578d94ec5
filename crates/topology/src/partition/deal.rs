//! Clusters dealt out to parts.
//!
//! Invariant: the result follows from the clusters alone; among equals the first is taken.
//!
//! Two beginnings, each refined by moves of single clusters:
//!
//! * in the order of their hosts, which families number by racks and pods, then clusters without hosts to their
//!   neighbours;
//! * grown from a cluster along the cables, for fabrics with meaningless numbers.

use super::BALANCED;
use super::clusters::Clusters;

/// Passes of the refinement. A pass moves every cluster at most once.
const PASSES: usize = 8;

/// Returns partitions of the fabric in this number of parts, each as the part of every node; none if there are fewer
/// clusters.
pub(super) fn dealt(clusters: &Clusters, parts: usize) -> Vec<Vec<u16>> {
    if clusters.len() < parts || parts < 2 {
        return Vec::new();
    }
    let beginnings = [in_order(clusters, parts), grown(clusters, parts)];
    let refined = beginnings.into_iter().map(|of_cluster| {
        let mut deal = Deal::new(clusters, of_cluster, parts);
        for _ in 0..PASSES {
            if !deal.refine() {
                break;
            }
        }
        clusters.of_node.iter().map(|cluster| deal.of_cluster[*cluster]).collect()
    });
    refined.collect()
}

/// Cuts a row of clusters into blocks of equal work.
fn blocks(clusters: &Clusters, row: &[usize], parts: usize, of_cluster: &mut [u16]) {
    let all: u128 = row.iter().map(|cluster| u128::from(clusters.work[*cluster])).sum();
    let mut before = 0;
    for cluster in row {
        let work = u128::from(clusters.work[*cluster]);
        // The middle of the cluster decides.
        let part = (2 * before + work) * parts as u128 / (2 * all).max(1);
        of_cluster[*cluster] = (part as usize).min(parts - 1) as u16;
        before += work;
    }
}

/// Deals clusters with hosts out in their order. The other clusters follow, always those next with the largest share
/// of placed neighbours. A cluster goes to the part of three quarters of these neighbours, or else to the part with
/// least work.
fn in_order(clusters: &Clusters, parts: usize) -> Vec<u16> {
    let mut of_cluster = vec![0; clusters.len()];
    let hosts: Vec<usize> = (0..clusters.with_hosts).collect();
    blocks(clusters, &hosts, parts, &mut of_cluster);
    let mut placed = vec![false; clusters.len()];
    placed[..clusters.with_hosts].fill(true);
    let mut work = vec![0; parts];
    hosts.iter().for_each(|cluster| work[usize::from(of_cluster[*cluster])] += clusters.work[*cluster]);
    while placed.contains(&false) {
        let share = |cluster: &usize| {
            let all: u32 = clusters.neighbours[*cluster].iter().map(|(_, cables)| cables).sum();
            let near = clusters.neighbours[*cluster].iter().filter(|(other, _)| placed[*other]);
            let near: u32 = near.map(|(_, cables)| cables).sum();
            u64::from(near) * 1000 / u64::from(all.max(1))
        };
        let left: Vec<usize> = (0..clusters.len()).filter(|cluster| !placed[*cluster]).collect();
        let best = left.iter().map(share).max().unwrap_or(0);
        let next: Vec<usize> = left.into_iter().filter(|cluster| share(cluster) == best).collect();
        for cluster in next {
            let mut near = vec![0; parts];
            let neighbours = clusters.neighbours[cluster].iter().filter(|(other, _)| placed[*other]);
            neighbours.for_each(|(other, cables)| near[usize::from(of_cluster[*other])] += cables);
            let all: u32 = near.iter().sum();
            let home = near.iter().position(|cables| all > 0 && cables * 4 >= all * 3);
            let idlest = || (0..parts).min_by_key(|part| work[*part]).expect("there are parts");
            let part = home.unwrap_or_else(idlest);
            of_cluster[cluster] = part as u16;
            work[part] += clusters.work[cluster];
            placed[cluster] = true;
        }
    }
    of_cluster
}

/// Orders clusters by growth: from the first, always the cluster with most cables into the grown set. Then cuts this
/// row.
fn grown(clusters: &Clusters, parts: usize) -> Vec<u16> {
    let mut of_cluster = vec![0; clusters.len()];
    let mut row = Vec::with_capacity(clusters.len());
    let mut cables = vec![0_u32; clusters.len()];
    // By number of cables into the grown set, then by number of the cluster; a cluster may stand here several times.
    let mut front = std::collections::BTreeSet::new();
    let mut is_in = vec![false; clusters.len()];
    for first in 0..clusters.len() {
        front.insert((core::cmp::Reverse(cables[first]), first));
        while let Some((_, cluster)) = front.pop_first() {
            if core::mem::replace(&mut is_in[cluster], true) {
                continue;
            }
            row.push(cluster);
            for (other, count) in clusters.neighbours[cluster].iter().filter(|(other, _)| !is_in[*other]) {
                cables[*other] += count;
                front.insert((core::cmp::Reverse(cables[*other]), *other));
            }
        }
    }
    blocks(clusters, &row, parts, &mut of_cluster);
    of_cluster
}

/// Parts, as far as they are dealt out.
struct Deal<'a> {
    clusters: &'a Clusters,
    of_cluster: Vec<u16>,
    work: Vec<u64>,
    /// Number of clusters, by part.
    count: Vec<usize>,
    /// Most work of a part that counts as balanced.
    limit: u64,
}

impl<'a> Deal<'a> {
    fn new(clusters: &'a Clusters, of_cluster: Vec<u16>, parts: usize) -> Self {
        let (mut work, mut count) = (vec![0; parts], vec![0; parts]);
        for (part, amount) in of_cluster.iter().zip(&clusters.work) {
            work[usize::from(*part)] += amount;
            count[usize::from(*part)] += 1;
        }
        let all: u128 = work.iter().map(|work| u128::from(*work)).sum();
        let limit = (all * u128::from(BALANCED) / 100 / parts as u128) as u64;
        Self { clusters, of_cluster, work, count, limit }
    }

    /// Moves each cluster once if that cuts fewer cables between balanced parts, or evens out their work. Returns
    /// true if any cluster moved.
    fn refine(&mut self) -> bool {
        let mut moved = false;
        let parts = self.work.len();
        for cluster in 0..self.clusters.len() {
            let from = usize::from(self.of_cluster[cluster]);
            // A part must not become empty.
            if self.count[from] == 1 {
                continue;
            }
            let mut near = vec![0_i64; parts];
            for (other, cables) in &self.clusters.neighbours[cluster] {
                near[usize::from(self.of_cluster[*other])] += i64::from(*cables);
            }
            let amount = self.clusters.work[cluster];
            let gain = |to: usize| {
                let after = self.work[to] + amount;
                // First balance where it is missing, then cables, then what is left of balance.
                let over = |work: u64| work.saturating_sub(self.limit) as i64;
                let balance = over(self.work[from]).max(over(self.work[to]))
                    - over(self.work[from] - amount).max(over(after));
                let evens = self.work[from] as i64 - after as i64;
                (balance, near[to] - near[from], evens)
            };
            let best =
                (0..parts).filter(|to| *to != from).max_by_key(|to| (gain(*to), core::cmp::Reverse(*to)));
            let Some(to) = best.filter(|to| gain(*to) > (0, 0, 0)) else { continue };
            self.of_cluster[cluster] = to as u16;
            (self.work[from], self.work[to]) = (self.work[from] - amount, self.work[to] + amount);
            (self.count[from], self.count[to]) = (self.count[from] - 1, self.count[to] + 1);
            moved = true;
        }
        moved
    }
}
