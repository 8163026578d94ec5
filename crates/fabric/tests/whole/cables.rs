//! Single cables of a topology that are slower, or missing.

use crate::common::{law, run, settled_bps};
use packet::{NodeId, Opcode, PortId};
use scenario::{Plan, Scenario, ScenarioText};

/// Payload that a saturated link of this rate carries, in bit/s: full SENDs of 2 KiB.
fn payload(gbps: f64) -> f64 {
    gbps * 1e9 * 2048.0 / f64::from(Opcode::SendMiddle.wire_bytes(2048))
}

/// Returns the goodput of the four flows as shares of what a QDR link carries.
fn shares(changed: &str) -> [f64; 4] {
    let record = run(&law("leaf-spine", &[&format!("changed_cables={{{changed}}}")]));
    core::array::from_fn(|flow| settled_bps(&record, flow, 0) / payload(32.0))
}

#[track_caller]
fn close(found: [f64; 4], wanted: [f64; 4]) {
    let far = found.iter().zip(wanted).any(|(found, wanted)| (found - wanted).abs() > 0.02);
    assert!(!far, "{found:?} are not {wanted:?}");
}

/// Destination-mod-k gives each of the four flows a spine of its own, in order.
#[test]
fn a_flow_through_a_slow_cable_gets_its_rate() {
    close(shares(""), [1.0; 4]);
    // SDR carries a quarter of QDR.
    close(shares(r#""leaf1:spine2": Kind("slow")"#), [1.0, 0.25, 1.0, 1.0]);
    close(shares(r#""spine2:leaf2": Kind("slow")"#), [1.0, 0.25, 1.0, 1.0]);
    close(shares(r#""h3:leaf1": Kind("slow")"#), [1.0, 1.0, 0.25, 1.0]);
    close(shares(r#""leaf2:4": Kind("slow")"#), [1.0, 1.0, 1.0, 0.25]);
    close(shares(r#""leaf?:spine*": Kind("slow"), "leaf1:spine4": Kind("wire")"#), [0.25; 4]);
    // The exact entry has precedence at leaf1, but the flow meets a slow cable behind the spine.
    close(
        shares(r#""*:spine*": Kind("slow"), "leaf1:spine4": Kind("wire"), "leaf2:spine4": Kind("wire")"#),
        [0.25, 0.25, 0.25, 1.0],
    );
}

/// Of three spines, the number of the destination, 4 to 7, modulo 3 chooses spine 2, 3, 1 and 2 again.
#[test]
fn without_a_cable_the_flows_share_the_others() {
    for removed in ["leaf1:spine4", "spine4:leaf1", "leaf1:8", "spine4"] {
        close(shares(&format!("{removed:?}: Removed")), [0.5, 1.0, 1.0, 0.5]);
    }
    // A missing cable on the way down counts as well: the spine no longer leads there.
    close(shares(r#""leaf2:spine4": Removed"#), [0.5, 1.0, 1.0, 0.5]);
    close(shares(r#""leaf1:spine4": Removed, "leaf2:spine3": Removed"#), [0.5; 4]);
}

/// Ports keep their order, and are numbered without gaps.
#[test]
fn ports_are_those_of_the_cables_that_are_left() {
    let plan = law("leaf-spine", &[r#"changed_cables={"leaf1:spine2": Removed}"#]);
    let graph = plan.graph();
    let peers = |name: &str| -> Vec<&str> {
        let ends = graph.ports(graph.find(name).expect("it is there"));
        ends.iter().map(|end| graph.name(end.peer)).collect()
    };
    assert_eq!(peers("leaf1"), ["h1", "h2", "h3", "h4", "spine1", "spine3", "spine4"]);
    assert_eq!(peers("spine2"), ["leaf2"]);
    let all = (0..graph.nodes() as u32).map(NodeId);
    for port in all.flat_map(|node| (0..graph.ports(node).len() as u16).map(move |at| (node, PortId(at)))) {
        assert_eq!(graph.far_end(graph.far_end(port)), port);
    }
    let [entry] = plan.changed_cables() else { panic!("one entry changes something") };
    let (leaf, spine) =
        (graph.find("leaf1").expect("it is there"), graph.find("spine2").expect("it is there"));
    assert_eq!((entry.kind, entry.cables.as_slice()), (None, &[((leaf, PortId(5)), (spine, PortId(0)))][..]));
    // The scenario that is written out makes the same plan.
    let text = ScenarioText::new("again.ron", &plan.resolved());
    let again = Scenario::read(&text).and_then(|read| read.check(&text));
    assert_eq!(again.unwrap_or_else(|said| panic!("{said}")).digest(), plan.digest());
}

fn checked(sets: &[&str]) -> Result<Plan, String> {
    let file = format!("{}/../../fixtures/laws/leaf-spine.ron", env!("CARGO_MANIFEST_DIR"));
    let read = ScenarioText::find(&file).and_then(|mut text| {
        sets.iter().try_for_each(|set| text.set(set))?;
        Scenario::read(&text)?.check(&text)
    });
    read.map_err(|said| said.to_string())
}

/// In a ring of seven, shortest paths make a cycle. The ring is a line if a cable is missing.
#[test]
fn the_check_for_cycles_sees_the_cables_that_are_left() {
    let ring = [
        "topology=Torus(sizes: [7], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")",
        "routing=MinHop",
        "flows=[]",
        "traffic=[Synthetic(destinations: Uniform, arrivals: Fixed(load: 0.1), size: Fixed(\"2 KiB\"))]",
    ];
    let said = checked(&ring).expect_err("a ring has a cycle");
    assert!(said.contains("in the cycle"), "{said}");
    let line = [&ring[..], &[r#"changed_cables={"s3:s4": Removed}"#]].concat();
    checked(&line).unwrap_or_else(|said| panic!("{said}"));
    // With two missing cables the ring falls apart.
    let apart = [&ring[..], &[r#"changed_cables={"s3:s4": Removed, "s6:s7": Removed}"#]].concat();
    let said = checked(&apart).expect_err("two parts are left");
    assert!(said.contains("no route leads from `h"), "{said}");
}

/// A switch without any cable stands aside.
#[test]
fn a_whole_switch_can_be_cut_off() {
    let plan = law("leaf-spine", &[r#"changed_cables={"spine1:*": Removed}"#]);
    assert!(plan.graph().ports(plan.graph().find("spine1").expect("it is there")).is_empty());
    let record = run(&plan);
    assert!((0..4).all(|flow| settled_bps(&record, flow, 0) > payload(15.0)));
}
