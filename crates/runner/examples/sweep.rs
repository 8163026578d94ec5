//! One parameter over a range of values, as a table: the recovery timer of IBA's congestion control (`CCTI_Timer`).
//!
//! A short timer lets the sources speed up before the queue has drained; a long timer leaves the link idle.
//!
//! ```text
//! cargo run --release -p backwater --example sweep
//! ```

use backwater::{Simulation, SimulationError};

/// Values of `CCTI_Timer`, in units of 1.024 us.
const TIMERS: [u32; 5] = [2, 8, 15, 60, 240];

fn main() -> Result<(), SimulationError> {
    print!("{}", report()?);
    Ok(())
}

/// Returns the table: the goodput of the victim and of the two flows that congest their destination, for each value.
///
/// # Errors
/// If the scenario is wrong, or a run stops early.
pub(crate) fn report() -> Result<String, SimulationError> {
    let mut text = "ccti_timer   victim      far     near  marked packets\n".to_owned();
    for timer in TIMERS {
        let run = Simulation::find("victim")?
            .set("duration=30 ms")?
            .set(&format!("congestion_control.response.ccti_timer={timer}"))?
            .run()?;
        let phase = run.summary.phases.last().expect("a run has a phase");
        text += &format!("{timer:>10}");
        for flow in &phase.flows {
            text += &format!(" {:8.2}", flow.second_half_goodput_bps / 1e9);
        }
        text += &format!(" {:15}\n", run.record.marks.total());
    }
    Ok(text)
}
