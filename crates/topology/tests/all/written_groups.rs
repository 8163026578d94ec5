//! Groups of ports in tables that a scenario gives whole.

use topology::{Routes, RoutingErrorKind, RoutingSpec, TopologySpec};

use crate::families::{fabrics, tables_of};

/// Groups written out have the rule's ports, and choose by hash as these do.
#[test]
fn groups_written_out_have_the_rules_ports() {
    for (family, topology) in fabrics() {
        let graph = topology.graph();
        let Ok(rule) = topology.routes(&RoutingSpec::Ecmp, 1) else { continue };
        let written = tables_of(&topology, &RoutingSpec::Ecmp);
        assert_eq!(written.has_groups(), rule.have_groups(), "{family:?}");
        let tables = topology.routes(&written, 1).expect("the rule's ports");
        for (at, to) in graph.switch_ids().flat_map(|at| graph.host_ids().map(move |to| (at, to))) {
            assert!(tables.ports(at, to).eq(rule.ports(at, to)), "{family:?}");
            for key in 0..4 {
                let output = |routes: &Routes| routes.table(at).output(to.lid(), || key);
                assert_eq!(output(&tables), output(&rule), "{family:?}");
            }
        }
    }
}

/// Groups that lead astray by one of their ports are refused.
#[test]
fn every_port_of_a_written_group_leads_to_the_host_over_as_many_links() {
    let custom = |links: &[(&str, &str)]| {
        let link = |(from, to): &(&str, &str)| topology::LinkEnds {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            cable: "c".to_owned(),
            from_port: None,
            to_port: None,
        };
        let fabric = topology::CustomFabric {
            hosts: vec!["h1".to_owned(), "h2".to_owned()],
            switches: ["a", "b", "c"].map(str::to_owned).to_vec(),
            links: links.iter().map(link).collect(),
        };
        TopologySpec::Custom(fabric).build(&["c"]).expect("it is right")
    };
    // Ports: a 1 to h1, 2 to b, 3 to c; b 1 to a, 2 to c, 3 to h2; c 1 to a, 2 to b.
    let ring = custom(&[("a", "h1"), ("a", "b"), ("a", "c"), ("b", "c"), ("b", "h2")]);
    let routes = |tables: [&str; 3]| {
        let tables =
            ["a", "b", "c"].iter().zip(tables).map(|(name, text)| ((*name).to_owned(), text.to_owned()));
        ring.routes(&RoutingSpec::Tables(tables.collect()), 1).map_err(|error| error.kind().clone())
    };
    assert!(routes(["1 2", "1 3", "1/2 2"]).is_err(), "c leads to h1 over 2 and over 3 links");
    let unequal = routes(["1 2/3", "1 3", "1 2"]).expect_err("by b or by c and b");
    assert_eq!(
        unequal,
        RoutingErrorKind::UnequalPaths { switch: "a".to_owned(), host: "h2".to_owned(), short: 2, long: 3 }
    );
    assert!(matches!(routes(["1 2/3", "1 3", "1 -"]), Err(RoutingErrorKind::LeadsNowhere { .. })));
    let cycle = routes(["1 2/3", "1 3", "1 1/2"]).expect_err("a and c send packets to each other");
    assert_eq!(cycle, RoutingErrorKind::Loop { host: "h2".to_owned(), cycle: "a -> c -> a".to_owned() });
    assert!(matches!(routes(["1 1/2", "1 3", "1 2"]), Err(RoutingErrorKind::WrongHost { .. })));
    assert!(routes(["1 2", "1 3", "1 2"]).is_ok());
}
