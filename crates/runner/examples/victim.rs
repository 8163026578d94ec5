//! One scenario with congestion control off and on: which flow is held back by a congestion tree that it has no part
//! in?
//!
//! ```text
//! cargo run --release -p backwater --example victim
//! ```

use backwater::units::Span;
use backwater::{FinishedRun, Simulation, SimulationError};

fn main() -> Result<(), SimulationError> {
    print!("{}", report()?);
    Ok(())
}

/// Returns the goodput of every flow in the last phase, and the time for which it waited as a victim.
///
/// # Errors
/// If the scenario is wrong, or a run stops early.
pub(crate) fn report() -> Result<String, SimulationError> {
    let mut text = String::new();
    let scenario = Simulation::find("victim")?.set("duration=30 ms")?;
    for (name, run) in
        [("off", scenario.clone().set("congestion_control=Off")?.run()?), ("on", scenario.run()?)]
    {
        text += &format!("congestion control {name}\n");
        for (flow, gbps, waited_ms) in flows(&run) {
            text += &format!("  {flow:<6} {gbps:5.2} Gb/s, waited {waited_ms:.3} ms as a victim\n");
        }
    }
    Ok(text)
}

/// Returns each flow's name, its goodput in the second half of the last phase in Gb/s, and the time that its packets
/// waited in trees of other flows, in ms.
fn flows(run: &FinishedRun) -> Vec<(&str, f64, f64)> {
    let phase = run.summary.phases.last().expect("a run has a phase");
    let roots = &run.record.congestion.roots;
    let waited_ms = |place: usize| {
        let victims = roots.iter().flat_map(|root| &root.victims);
        let own = victims.filter(|victim| victim.flow as usize == place);
        own.map(|victim| victim.waited).sum::<Span>().seconds() * 1e3
    };
    let flows = phase.flows.iter().enumerate();
    flows
        .map(|(place, flow)| (flow.flow.as_str(), flow.second_half_goodput_bps / 1e9, waited_ms(place)))
        .collect()
}
