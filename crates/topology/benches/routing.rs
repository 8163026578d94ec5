//! How long forwarding tables take, for fabrics as large as anyone simulates.
//!
//! `fat tree` is three tiers of 36-port switches, 11,664 hosts and 1,620 switches: 19 million entries.

use criterion::{Criterion, criterion_group, criterion_main};
use topology::{Clos, Custom, Graph, LinkEnds, Routes, TopologySpec};

/// Three tiers: each pod has `half` leaves and `half` aggregates, aggregate j of every pod has the cores
/// of group j above it.
fn fat_tree(half: usize) -> Graph {
    let (mut hosts, mut switches, mut links) = (Vec::new(), Vec::new(), Vec::new());
    let mut link = |from: &str, to: &str| {
        links.push(LinkEnds { from: from.to_owned(), to: to.to_owned(), cable: "fibre".to_owned() });
    };
    let all = |n: usize| (0..n).flat_map(move |i| (0..half).map(move |j| (i, j)));
    for (pod, leaf) in all(2 * half) {
        switches.push(format!("leaf{pod}.{leaf}"));
        for i in 0..half {
            hosts.push(format!("h{pod}.{leaf}.{i}"));
            link(&format!("h{pod}.{leaf}.{i}"), &format!("leaf{pod}.{leaf}"));
        }
        for aggregate in 0..half {
            link(&format!("leaf{pod}.{leaf}"), &format!("aggregate{pod}.{aggregate}"));
        }
    }
    for (pod, aggregate) in all(2 * half) {
        switches.push(format!("aggregate{pod}.{aggregate}"));
        for core in 0..half {
            link(&format!("aggregate{pod}.{aggregate}"), &format!("core{aggregate}.{core}"));
        }
    }
    switches.extend(all(half).map(|(group, core)| format!("core{group}.{core}")));
    TopologySpec::Custom(Custom { hosts, switches, links }).build(&["fibre"]).expect("a good fabric")
}

fn min_hop(c: &mut Criterion) {
    let cable = || "fibre".to_owned();
    let clos = TopologySpec::Clos(Clos { radix: 152, host_cable: cable(), trunk_cable: cable() });
    let mut group = c.benchmark_group("min_hop");
    group.sample_size(10);
    for (name, graph) in
        [("clos 152", clos.build(&["fibre"]).expect("a good radix")), ("fat tree", fat_tree(18))]
    {
        group.bench_function(format!("{name}, {} hosts", graph.hosts()), |b| {
            b.iter(|| Routes::min_hop(&graph));
        });
    }
    group.finish();
}

criterion_group!(benches, min_hop);
criterion_main!(benches);
