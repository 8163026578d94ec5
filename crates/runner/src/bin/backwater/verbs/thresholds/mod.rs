//! `thresholds`: the thresholds of PFC and ECN that a switch's memory allows, also for a scenario's switches.
//!
//! Invariant: the values come from `link-layer`, with the paper's formulas (Zhu and others 2015) beside them, or from a
//! plan.

mod ports;

use backwater::wording::kilobytes;
use clap::Args;
use link_layer::{Alpha, PauseMemory, PauseThreshold};
use results::format::{aligned, plain_table};
use units::Bytes;

use crate::arguments::{factor, memory};
use crate::failure::Failure;
use crate::terminal::print;

#[derive(Args, Clone, Debug)]
pub(crate) struct ThresholdsOptions {
    /// File, or name of a shipped scenario: print the thresholds of its switches by port and lane.
    #[arg(conflicts_with = "SwitchOptions")]
    scenario: Option<String>,
    /// Override of a field of the scenario.
    #[arg(long, value_name = "PATH=VALUE", requires = "scenario")]
    set: Vec<String>,
    #[command(flatten)]
    switch: SwitchOptions,
}

/// A switch without a scenario.
#[derive(Args, Clone, Copy, Debug)]
struct SwitchOptions {
    /// B: packet memory of the switch, such as "12 MB".
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory: Option<Bytes>,
    /// n: number of ports.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    ports: Option<u16>,
    /// p: number of priorities with headroom.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=8))]
    priorities: u8,
    /// `t_flight`: headroom of each port and priority, such as "22.4 KB" (see `headroom`).
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    headroom: Option<Bytes>,
    /// Factor of dynamic thresholds.
    #[arg(long, value_name = "FACTOR", default_value_t = 8.0, value_parser = factor)]
    beta: f64,
    /// `t_ECN`: threshold at which marking begins (Kmin), to be compared with its bounds.
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    ecn: Option<Bytes>,
}

pub(crate) fn run(options: &ThresholdsOptions) -> Result<(), Failure> {
    if let Some(scenario) = &options.scenario {
        print(&ports::printed(&experiment::plan(scenario, &options.set, None)?));
        return Ok(());
    }
    print(&printed(options.switch)?);
    Ok(())
}

/// Returns the failure of options that lack something. Clap would list the options of both forms of the command as if
/// all were needed.
fn lacking(options: SwitchOptions) -> Failure {
    let SwitchOptions { memory, ports, headroom, .. } = options;
    let wanted = [("memory", memory.is_none()), ("ports", ports.is_none()), ("headroom", headroom.is_none())];
    let lacks: Vec<_> =
        wanted.iter().filter(|(_, lacks)| *lacks).map(|(name, _)| format!("no `--{name}`")).collect();
    Failure::NoSwitchGiven { given: lacks.join(" and ") }
}

fn printed(options: SwitchOptions) -> Result<String, Failure> {
    let SwitchOptions {
        memory: Some(size),
        ports: Some(ports),
        headroom: Some(headroom),
        priorities,
        beta,
        ecn,
    } = options
    else {
        return Err(lacking(options));
    };
    let memory = PauseMemory::new(size, ports, priorities, headroom)?;
    let fixed = PauseThreshold::Static(memory.highest_static());
    let dynamic = PauseThreshold::Dynamic(Alpha::new(beta));
    let mut table = plain_table();
    table.set_header(["quantity", "formula", "value"]);
    let mut row = |quantity: &str, formula: &str, amount: Bytes| {
        table.add_row([quantity, formula, &kilobytes(amount)]);
    };
    row("shared memory", "S = B - p n t_flight", memory.shared());
    row("static t_PFC, at most", "S / (p n)", memory.highest_static());
    row("  t_ECN with it, below", "S / (p n n)", memory.ecn_bound(fixed));
    row("dynamic t_PFC, all free", "beta S / p", memory.pause(dynamic, Bytes::ZERO));
    row("  t_ECN with it, below", "beta S / (p n (beta + 1))", memory.ecn_bound(dynamic));
    let mut text = format!(
        "PFC and ECN in {} for n = {ports} ports and p = {priorities} priorities, t_flight = {}, beta = {beta}\n\n{}\n",
        kilobytes(size),
        kilobytes(headroom),
        aligned(table, 3)
    );
    if let Some(ecn) = ecn {
        text += &format!("\nt_ECN = {}:\n", kilobytes(ecn));
        for (name, threshold) in [("static", fixed), ("dynamic", dynamic)] {
            text += &verdict(name, memory.ecn_margin(threshold, ecn));
        }
    }
    Ok(text)
}

fn verdict(name: &str, margin: i64) -> String {
    match margin {
        1.. => format!("  {name}: ECN always acts before PFC, by {margin} B\n"),
        _ => format!("  {name}: PFC can act before ECN: {} B over the bound\n", -margin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIDENT: SwitchOptions = SwitchOptions {
        memory: Some(Bytes::new(12_000_000)),
        ports: Some(32),
        priorities: 8,
        headroom: Some(Bytes::new(22_400)),
        beta: 8.0,
        ecn: Some(Bytes::new(5_000)),
    };

    #[test]
    fn the_dcqcn_papers_switch_has_its_thresholds() {
        insta::assert_snapshot!(printed(TRIDENT).unwrap());
    }

    #[test]
    fn too_much_headroom_is_refused() {
        let wrong = SwitchOptions { memory: Some(Bytes::new(1_000_000)), ..TRIDENT };
        assert!(matches!(printed(wrong), Err(Failure::HeadroomExceedsMemory(_))));
    }

    #[test]
    fn a_switch_that_lacks_something_is_answered_with_commands_that_work() {
        let said = printed(SwitchOptions { memory: None, ports: None, ..TRIDENT }).unwrap_err().to_string();
        assert!(
            said.contains(
                "here is no `--memory` and no `--ports`\nhelp: write `backwater thresholds --memory"
            ),
            "{said}"
        );
        let said = printed(SwitchOptions { headroom: None, ..TRIDENT }).unwrap_err().to_string();
        assert!(said.contains("here is no `--headroom`\n"), "{said}");
        assert!(said.ends_with("`backwater thresholds roce400-leaf-spine`"), "{said}");
    }
}
