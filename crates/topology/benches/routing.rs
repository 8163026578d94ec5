//! Time of the set-up of the largest fabrics that are simulated: graph, forwarding tables, and the check that
//! packets cannot wait for each other in a cycle, with traffic between all hosts.
//!
//! The fat trees have tiers of 36, 24 and 36 ports: 11,664 hosts and 1,620 switches make 19 million entries.

use criterion::{Criterion, criterion_group, criterion_main};
use packet::Lane;
use topology::{ChannelDependencies, Graph, Routes, RoutingSpec, Topology, TopologySpec};

const CASES: [(&str, &str); 4] = [
    ("dcs648", "Dcs648(..)"),
    ("fat tree 3456", "FatTree(down: [12, 12, 24], up: [12, 12], ..)"),
    ("clos 11552", "Clos(radix: 152, ..)"),
    ("fat tree 11664", "FatTree(down: [18, 18, 36], up: [18, 18], ..)"),
];

fn spec(text: &str) -> TopologySpec {
    let options =
        ron::Options::default().with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES);
    let text = text.replace("..", r#"host_cable: "fibre", trunk_cable: "fibre""#);
    options.from_str(&text).expect("a topology")
}

fn build(spec: &TopologySpec) -> Topology {
    spec.build(&["fibre"]).expect("a good fabric")
}

fn is_free_of_cycles(graph: &Graph, routes: &Routes) -> bool {
    let mut dependencies = ChannelDependencies::new(graph, routes, 1);
    graph.host_ids().for_each(|to| dependencies.add(to, Lane(0), graph.host_ids()));
    dependencies.cycle().is_none()
}

fn set_up(c: &mut Criterion) {
    for (name, text) in CASES {
        let spec = spec(text);
        let topology = build(&spec);
        let native = topology.routes(&RoutingSpec::Native, 1).expect("its own");
        let mut group = c.benchmark_group(name);
        group.sample_size(10);
        group.bench_function("graph", |b| b.iter(|| build(&spec)));
        for routing in [
            RoutingSpec::Native,
            RoutingSpec::MinHop,
            RoutingSpec::Random,
            RoutingSpec::Ecmp,
            RoutingSpec::UpDown { roots: Vec::new() },
        ] {
            group.bench_function(routing.word(), |b| b.iter(|| topology.routes(&routing, 1)));
        }
        group.bench_function("cycles", |b| b.iter(|| assert!(is_free_of_cycles(topology.graph(), &native))));
        group.bench_function("all, native", |b| {
            b.iter(|| {
                let topology = build(&spec);
                let routes = topology.routes(&RoutingSpec::Native, 1).expect("its own");
                assert!(is_free_of_cycles(topology.graph(), &routes));
            });
        });
        group.finish();
    }
}

criterion_group!(benches, set_up);
criterion_main!(benches);
