//! `guideline`: the parameters of congestion control that Pfister and others (2005) propose.
//!
//! Invariant: the values come from `cc-policies`, with the paper's formulas beside them.

use cc_policies::Guideline;
use clap::Args;
use results::format::{aligned, plain_table};

use crate::failure::Failure;
use crate::terminal::print;

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct GuidelineOptions {
    /// N: number of ports of the network.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    ports: u32,
    /// H: largest number of hosts that send to one hot spot, 1 to N [default: N, the worst case].
    #[arg(long, value_name = "H", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    hotspot_degree: Option<u32>,
}

/// Prints the parameters.
pub(crate) fn run(options: GuidelineOptions) -> Result<(), Failure> {
    let ports = options.ports;
    let degree = options.hotspot_degree.unwrap_or(ports);
    if degree > ports {
        return Err(Failure::HotspotDegree { degree, ports });
    }
    print(&printed(ports, degree));
    Ok(())
}

fn printed(ports: u32, degree: u32) -> String {
    let own = Guideline::of(ports, degree);
    let mut table = plain_table();
    table.set_header(["parameter", "formula", "value", "in IBA", "meaning"]);
    let mut row = |cells: [&str; 5]| {
        table.add_row(cells);
    };
    row([
        "IPD table size",
        "128",
        &own.entries.to_string(),
        &format!("CCTI_Limit {}", own.entries - 1),
        "number of steps by which a source can be slowed down",
    ]);
    row([
        "threshold",
        "90 % of a queue",
        "87.5 %",
        &format!("Threshold {}", own.threshold),
        "queue length from which on packets are marked",
    ]);
    row([
        "index increment",
        "min(N/6, H/2)",
        &own.increment.to_string(),
        &format!("CCTI_Increase {}", own.increment),
        "steps in the table for each notification",
    ]);
    row([
        "max IPD",
        "2/3 H us",
        &own.longest.to_string(),
        "last entry of the CCT",
        "longest delay after a packet",
    ]);
    row([
        "recovery timer",
        "10 us",
        &own.recovery.to_string(),
        &format!("CCTI_Timer {} (x 1.024 us)", own.timer()),
        "interval at which every queue pair moves back by one step",
    ]);
    format!(
        "Guidelines of Pfister and others (2005) for N = {ports} ports and hot spots of degree H = {degree}\n\n{}\n\n\
         For round-trip times of 2 to 20 us without congestion. The threshold is IBA's step nearest to the paper's.\n\
         A scenario uses them with --set congestion_control=Guideline; the plan that it writes shows every entry.\n",
        aligned(table, 5)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_stands_with_its_formula() {
        insta::assert_snapshot!(printed(32, 32));
    }

    #[test]
    fn no_hot_spot_has_more_sources_than_the_network_has_ports() {
        let wrong = GuidelineOptions { ports: 8, hotspot_degree: Some(9) };
        assert!(matches!(run(wrong), Err(Failure::HotspotDegree { degree: 9, ports: 8 })));
    }
}
