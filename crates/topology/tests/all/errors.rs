//! Every fault of a topology, with the field that the error names.

use settings::SettingError;
use topology::{
    Clos, CustomFabric, LinkEnds, SwitchWithHosts, TopologyErrorKind as Kind, TopologySpec, TwoSwitches,
};

fn custom(hosts: &[&str], switches: &[&str], links: &[(&str, &str)]) -> CustomFabric {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let link = |(from, to): &(&str, &str)| LinkEnds {
        from: (*from).to_owned(),
        to: (*to).to_owned(),
        cable: "copper".to_owned(),
        from_port: None,
        to_port: None,
    };
    CustomFabric { hosts: owned(hosts), switches: owned(switches), links: links.iter().map(link).collect() }
}

fn clos(radix: u16) -> Clos {
    Clos { radix, host_cable: "copper".to_owned(), trunk_cable: "fibre".to_owned() }
}

/// Builds a faulty topology, and compares the path and the kind of the error.
#[track_caller]
fn fails(spec: &TopologySpec, path: &str, kind: &Kind) {
    let error = spec.build(&["copper", "fibre"]).expect_err("it has a fault");
    assert_eq!((error.path().to_string().as_str(), error.kind()), (path, kind));
    assert_eq!(error.to_string(), kind.to_string());
}

#[track_caller]
fn custom_fails(custom: CustomFabric, path: &str, kind: &Kind) {
    fails(&TopologySpec::Custom(custom), path, kind);
}

fn name(name: &str) -> String {
    name.to_owned()
}

#[test]
fn names_are_given_and_given_once() {
    let same = Kind::DuplicateName { name: name("a") };
    custom_fails(custom(&["a", "b", "a"], &[], &[]), "hosts[2]", &same);
    custom_fails(custom(&["a"], &["s", "a"], &[]), "switches[1]", &same);
    custom_fails(custom(&[""], &[], &[]), "hosts[0]", &Kind::EmptyName);
}

#[test]
fn links_name_existing_nodes_and_cables() {
    let unknown = |given| Kind::UnknownNode { given: name(given) };
    custom_fails(custom(&["a"], &["s"], &[("b", "s")]), "links[0].from", &unknown("b"));
    custom_fails(custom(&["a", "b"], &["s"], &[("a", "s"), ("b", "t")]), "links[1].to", &unknown("t"));
    let mut wrong = custom(&["a"], &["s"], &[("a", "s")]);
    wrong.links[0].cable = name("coper");
    custom_fails(wrong, "links[0].cable", &Kind::UnknownCable { given: name("coper") });
}

#[test]
fn a_link_has_two_ends() {
    custom_fails(custom(&[], &["s"], &[("s", "s")]), "links[0].to", &Kind::SelfLink { name: name("s") });
}

#[test]
fn a_host_has_exactly_one_link() {
    let twice = custom(&["a", "b"], &["s"], &[("b", "s"), ("a", "s"), ("s", "b")]);
    custom_fails(twice, "links[2].to", &Kind::HostWithSeveralLinks { name: name("b"), first: 0 });
    let never = custom(&["a", "b"], &["s"], &[("a", "s")]);
    custom_fails(never, "hosts[1]", &Kind::HostWithoutLink { name: name("b") });
}

#[test]
fn a_switch_has_at_most_254_ports() {
    let full: Vec<(&str, &str)> = vec![("s", "t"); 254];
    assert!(TopologySpec::Custom(custom(&[], &["s", "t"], &full)).build(&["copper"]).is_ok());
    let over: Vec<(&str, &str)> = vec![("s", "t"); 255];
    custom_fails(custom(&[], &["s", "t"], &over), "links[254].from", &Kind::TooManyPorts);
    fails(&TopologySpec::Clos(clos(256)), "radix", &Kind::TooManyPorts);
    assert!(TopologySpec::Clos(clos(254)).build(&["copper", "fibre"]).is_ok());
}

#[test]
fn a_radix_is_even_and_at_least_two() {
    fails(&TopologySpec::Clos(clos(0)), "radix", &Kind::RadixTooSmall { radix: 0 });
    fails(&TopologySpec::Clos(clos(1)), "radix", &Kind::RadixTooSmall { radix: 1 });
    fails(&TopologySpec::Clos(clos(7)), "radix", &Kind::RadixOdd { radix: 7 });
}

#[test]
fn the_cables_of_a_clos_exist() {
    let unknown = || Kind::UnknownCable { given: name("wire") };
    let host = Clos { host_cable: name("wire"), ..clos(4) };
    fails(&TopologySpec::Clos(host), "host_cable", &unknown());
    let trunk = Clos { trunk_cable: name("wire"), ..clos(4) };
    fails(&TopologySpec::Clos(trunk), "trunk_cable", &unknown());
}

fn two(left: &[(&str, u16)], right: &[(&str, u16)]) -> TwoSwitches {
    let side = |switch: &str, hosts: &[(&str, u16)]| SwitchWithHosts {
        name: name(switch),
        hosts: hosts.iter().map(|(group, count)| (name(group), *count)).collect(),
    };
    TwoSwitches {
        left: side("A", left),
        right: side("B", right),
        host_cable: name("copper"),
        trunk_cable: name("fibre"),
    }
}

#[track_caller]
fn two_fails(two: TwoSwitches, path: &str, kind: &Kind) {
    fails(&TopologySpec::TwoSwitches(two), path, kind);
}

#[test]
fn groups_have_hosts_with_names_of_their_own() {
    let empty = Kind::EmptyGroup { group: name("R") };
    two_fails(two(&[("R", 0)], &[("C", 1)]), "left.hosts.R", &empty);
    two_fails(two(&[("R", 1)], &[("", 1)]), "right.hosts.\"\"", &Kind::EmptyName);
    let same = |given| Kind::DuplicateName { name: name(given) };
    two_fails(two(&[("R", 2)], &[("R", 1)]), "right.hosts.R", &same("R1"));
    two_fails(two(&[("R", 11), ("R1", 1)], &[]), "left.hosts.R1", &same("R11"));
    two_fails(TwoSwitches { right: two(&[], &[]).left, ..two(&[], &[]) }, "right.name", &same("A"));
}

#[test]
fn two_switches_keep_a_port_for_their_trunk() {
    let build = |two| TopologySpec::TwoSwitches(two).build(&["copper", "fibre"]);
    assert!(build(two(&[("R", 253)], &[("C", 1), ("L", 252)])).is_ok());
    two_fails(two(&[("R", 254)], &[]), "left.hosts.R", &Kind::TooManyPorts);
    two_fails(two(&[], &[("C", 1), ("L", 253)]), "right.hosts.L", &Kind::TooManyPorts);
}

#[test]
fn the_cables_of_two_switches_exist() {
    let unknown = || Kind::UnknownCable { given: name("wire") };
    two_fails(TwoSwitches { host_cable: name("wire"), ..two(&[], &[]) }, "host_cable", &unknown());
    two_fails(TwoSwitches { trunk_cable: name("wire"), ..two(&[], &[]) }, "trunk_cable", &unknown());
}

#[test]
fn there_is_an_address_for_every_node() {
    let hosts: Vec<String> = (0..topology::MAX_NODES).map(|i| i.to_string()).collect();
    let crowd = CustomFabric { hosts, switches: vec![name("s")], links: vec![] };
    custom_fails(crowd, "hosts", &Kind::TooManyNodes { nodes: 0x4_0000 });
}

#[test]
fn messages_say_what_would_be_right() {
    let fault = |spec: &TopologySpec| spec.build(&["copper"]).expect_err("it has a fault").fault();
    let unknown = fault(&TopologySpec::Custom(custom(&["a"], &["s"], &[("a", "s9")])));
    assert_eq!(unknown.message, "`s9` is neither a host nor a switch");
    assert_eq!(unknown.help.as_deref(), Some("name one that `hosts` or `switches` lists"));
    let hosts: Vec<String> = (0..=topology::MAX_NODES).map(|i| i.to_string()).collect();
    let crowd = fault(&TopologySpec::Custom(CustomFabric { hosts, switches: vec![], links: vec![] }));
    assert_eq!(crowd.message, "262144 hosts and switches are too many");
    assert_eq!(crowd.help.as_deref(), Some("the simulator has 262143 addresses"));
}

#[test]
fn a_file_is_read_before_it_is_built() {
    let unread = Kind::UnreadFile { file: name("topology.txt") };
    fails(&TopologySpec::HpccFile(name("topology.txt")), "", &unread);
}

#[test]
fn unknown_fields_are_refused() {
    let extra = ron::from_str::<TopologySpec>(
        r#"Clos((radix: 4, host_cable: "copper", trunk_cable: "fibre", spines: 3))"#,
    );
    assert!(extra.unwrap_err().to_string().contains("spines"));
    let unwrapped =
        r#"#![enable(unwrap_variant_newtypes)] Clos(radix: 4, host_cable: "copper", trunk_cable: "fibre")"#;
    assert_eq!(ron::from_str(unwrapped), Ok(TopologySpec::Clos(clos(4))));
}
