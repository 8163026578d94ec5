//! Ports selected by names.

use topology::SelectionError::{self, NoPeer};
use topology::{FatTree, Graph, TopologySpec};

/// Two leaves with two hosts each, and two spines, with two cables between each leaf and spine. Ports of leaf1: h1, h2,
/// spine1, spine2, spine1, spine2; of spine1: leaf1, leaf2, leaf1, leaf2.
fn graph() -> Graph {
    let tree = FatTree {
        down: vec![2, 2],
        up: vec![2],
        parallel: vec![2],
        host_cable: "copper".to_owned(),
        trunk_cable: "fibre".to_owned(),
    };
    TopologySpec::FatTree(tree).build(&["copper", "fibre"]).expect("a good fabric").graph().clone()
}

/// Returns the ports that a text selects, as `node:port`, or the message.
fn selected(text: &str) -> Result<String, SelectionError> {
    let graph = graph();
    let ports = graph.select_ports(text)?;
    let ports: Vec<_> =
        ports.iter().map(|(node, port)| format!("{}:{}", graph.name(*node), port.0 + 1)).collect();
    Ok(ports.join(" "))
}

#[test]
fn ports_are_selected_by_number_peer_and_pattern() {
    let cases = [
        ("leaf1:3", "leaf1:3"),
        ("leaf1:h2", "leaf1:2"),
        ("leaf2:h4", "leaf2:2"),
        ("leaf1:spine2", "leaf1:4 leaf1:6"),
        ("leaf*:h*", "leaf1:1 leaf1:2 leaf2:1 leaf2:2"),
        ("leaf?:h3", "leaf2:1"),
        ("*:spine1", "leaf1:3 leaf1:5 leaf2:3 leaf2:5"),
        ("spine2:*", "spine2:1 spine2:2 spine2:3 spine2:4"),
        ("spine2", "spine2:1 spine2:2 spine2:3 spine2:4"),
        ("h?", "h1:1 h2:1 h3:1 h4:1"),
        ("h3:leaf2", "h3:1"),
        // Only switches have a sixth port.
        ("*:6", "leaf1:6 leaf2:6"),
    ];
    for (text, ports) in cases {
        assert_eq!(selected(text).as_deref(), Ok(ports), "{text}");
    }
}

#[test]
fn a_text_that_selects_nothing_says_which_part_is_wrong() {
    let cases = [
        ("leaf3:1", "there is no node `leaf3`"),
        ("leef*", "no node matches `leef*`"),
        ("leaf1:7", "`leaf1` has no port 7"),
        ("leaf1:0", "`leaf1` has no port 0"),
        ("leaf1:99999999999999999999", "`leaf1` has no port 99999999999999999999"),
        ("leaf1:h3", "`leaf1` has no cable to `h3`"),
        ("leaf1:", "`leaf1` has no cable to ``"),
        ("", "there is no node ``"),
    ];
    for (text, message) in cases {
        assert_eq!(selected(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
    }
    let NoPeer { peers, .. } = selected("leaf*:x").expect_err("there is no x") else { panic!("not a peer") };
    assert_eq!(peers, ["h1", "h2", "h3", "h4", "spine1", "spine2"]);
}
