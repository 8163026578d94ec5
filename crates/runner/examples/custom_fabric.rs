//! A scenario built from text: an incast over a chain of switches, and its congestion trees.
//!
//! ```text
//! h1 - s1 - s2 - s3 - h4      h1, h2 and h3 send to h4: the output of s3 to h4 is the root of a tree.
//!      |    |    |  \         h2 also sends to h5, which nobody else does: this flow is a victim
//!      |    h2   h3  h5       of the tree.
//! ```
//!
//! ```text
//! cargo run --release -p backwater --example custom_fabric
//! ```

use backwater::{Simulation, SimulationError};

/// The fabric and its traffic. All other fields are those of the shipped scenario `victim`.
const FABRIC: [&str; 2] = [
    r#"topology=Custom(
        hosts: ["h1", "h2", "h3", "h4", "h5"],
        switches: ["s1", "s2", "s3"],
        links: [
            (from: "h1", to: "s1", cable: "host"),
            (from: "h2", to: "s2", cable: "host"),
            (from: "h3", to: "s3", cable: "host"),
            (from: "h4", to: "s3", cable: "host"),
            (from: "h5", to: "s3", cable: "host"),
            (from: "s1", to: "s2", cable: "trunk"),
            (from: "s2", to: "s3", cable: "trunk"),
        ],
    )"#,
    r#"flows=[
        (name: "one", from: "h1", to: "h4", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 4)),
        (name: "two", from: "h2", to: "h4", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 4)),
        (name: "three", from: "h3", to: "h4", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 4)),
        (name: "aside", from: "h2", to: "h5", start: "0 s", message: "64 KiB", load: Saturate(outstanding: 4)),
    ]"#,
];

fn main() -> Result<(), SimulationError> {
    print!("{}", report()?);
    Ok(())
}

/// Returns every congestion tree: its root, its size, its contributors and its victims.
///
/// # Errors
/// If the scenario is wrong, or a run stops early.
pub(crate) fn report() -> Result<String, SimulationError> {
    let shipped = backwater::shipped().iter().find(|scenario| scenario.name == "victim");
    let mut simulation = Simulation::from_text("chain.ron", shipped.expect("`victim` ships").text);
    for assignment in FABRIC.into_iter().chain(["duration=5 ms", "congestion_control=Off"]) {
        simulation = simulation.set(assignment)?;
    }
    let run = simulation.run()?;
    let mut text = format!("{}: {} packets delivered\n", run.plan.name(), run.summary.delivered_packets);
    let name = |flow: u32| &*run.record.flows[flow as usize].name;
    for root in &run.record.congestion.roots {
        text +=
            &format!("root {} port {} to {}, {} branches\n", root.node, root.port, root.peer, root.branches);
        for contributor in &root.contributors {
            let through_kb = contributor.through.expect("each flow has a single path").get() / 1000;
            text += &format!("  contributor {}, {through_kb} KB\n", name(contributor.flow));
        }
        for victim in &root.victims {
            let waited_ms = victim.waited.seconds() * 1e3;
            text += &format!("  victim {} waited {waited_ms:.3} ms\n", name(victim.flow));
        }
    }
    Ok(text)
}
