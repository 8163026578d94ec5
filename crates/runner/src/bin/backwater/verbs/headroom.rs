//! `headroom`: the memory that a port and priority need beyond the threshold of PFC, term by term.
//!
//! Invariant: the terms are those of `link-layer`.

use backwater::wording::kilobytes;
use clap::Args;
use link_layer::flow_control::headroom::{QUANTUM_BYTES, quanta, slowest_reaction};
use link_layer::{Headroom, PauseLoop};
use report::format::{aligned, plain_table};
use units::{Bytes, Length, Rate, Span};

use crate::arguments::within;
use crate::failure::Failure;
use crate::terminal::print;

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct HeadroomOptions {
    /// Rate of the link, such as "40 Gb/s".
    #[arg(long, value_name = "RATE", value_parser = |text: &str| within(text, &(Rate::bps(1)..=Rate::gbps(100_000))))]
    rate: Rate,
    /// Length of the cable, such as "100 m", at 5 ns a metre.
    #[arg(long, value_name = "LENGTH", required_unless_present = "propagation", conflicts_with = "propagation",
          value_parser = |text: &str| within(text, &(Length::from_mm(0)..=Length::from_mm(1_000_000_000))))]
    cable: Option<Length>,
    /// Propagation delay one way, such as "1.539 us", instead of a length.
    #[arg(long, value_name = "TIME", value_parser = |text: &str| within(text, &(Span::ZERO..=Span::from_us(1_000_000))))]
    propagation: Option<Span>,
    /// Longest IP packet.
    #[arg(long, value_name = "BYTES", default_value = "1500 B",
          value_parser = |text: &str| within(text, &(Bytes::new(1)..=Bytes::kib(64))))]
    mtu: Bytes,
    /// Reaction time of the sender after a PAUSE, in quanta of 512 bit times [default: the most that IEEE 802.3 allows at
    /// 10, 25, 40, 50, 100, 200 or 400 Gb/s].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000), conflicts_with = "reaction")]
    reaction_quanta: Option<u64>,
    /// Reaction time as a time, such as "1 us".
    #[arg(long, value_name = "TIME", value_parser = |text: &str| within(text, &(Span::ZERO..=Span::from_us(1_000_000))))]
    reaction: Option<Span>,
}

/// Overhead of a frame: preamble and start delimiter 8, header 14, priority tag 4, FCS 4, gap 12 (IEEE 802.3, 802.1Q).
const ETHERNET: Bytes = Bytes::new(8 + 14 + 4 + 4 + 12);
/// A PAUSE frame: 64 bytes, preamble and gap.
const PAUSE: Bytes = Bytes::new(64 + 8 + 12);

/// Prints the headroom and its terms.
pub(crate) fn run(options: HeadroomOptions) -> Result<(), Failure> {
    let reaction = reaction(options)?;
    let cable = options.cable.map(Length::time_of_flight);
    print(&printed(options, reaction, cable.or(options.propagation).unwrap_or_default()));
    Ok(())
}

fn reaction(options: HeadroomOptions) -> Result<Span, Failure> {
    let in_quanta = || options.reaction_quanta.or_else(|| slowest_reaction(options.rate));
    options
        .reaction
        .or_else(|| in_quanta().map(|count| quanta(count, options.rate)))
        .ok_or(Failure::UnknownReaction(options.rate))
}

fn printed(options: HeadroomOptions, reaction: Span, flight: Span) -> String {
    let rate = options.rate;
    let longest_frame = options.mtu + ETHERNET;
    let headroom = Headroom::of(PauseLoop { rate, flight, longest_frame, pause_frame: PAUSE, reaction });
    let mut table = plain_table();
    table.set_header(["received", "bytes", "explanation"]);
    let mut row = |received: &str, amount: Bytes, explanation: &str| {
        table.add_row([received, &amount.get().to_string(), explanation]);
    };
    let frame = format!("MTU of {} B and {} B of Ethernet", options.mtu.get(), ETHERNET.get());
    row("while the PAUSE waits for a frame just begun", headroom.waiting, &frame);
    row("while the PAUSE goes out", headroom.pause, "64 B, preamble and gap");
    row("during propagation, there and back", headroom.cable, &format!("twice {flight} at {rate}"));
    let quantum = Bytes::new(QUANTUM_BYTES);
    let in_quanta = reaction.ps() as f64 / rate.time_for(quantum).ps() as f64;
    row("while the sender reacts", headroom.reaction, &format!("{reaction}, {in_quanta:.1} quanta"));
    row("as a frame that the sender has just begun", headroom.begun, &frame);
    row("headroom of a port and priority", headroom.total(), &kilobytes(headroom.total()));
    format!("Headroom of PFC at {rate}\n\n{}\n", aligned(table, 3))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Verb};

    fn options(arguments: &[&str]) -> HeadroomOptions {
        match Cli::parse_from([&["backwater", "headroom"], arguments].concat()).verb {
            Verb::Headroom(options) => options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_dcqcn_papers_parameters_give_its_headroom() {
        let own = options(&["--rate", "40 Gb/s", "--propagation", "1.539 us", "--reaction-quanta", "60"]);
        insta::assert_snapshot!(printed(own, reaction(own).unwrap(), own.propagation.unwrap()));
    }

    #[test]
    fn the_reaction_time_is_the_standard_s_where_there_is_one() {
        let own = options(&["--rate", "100 Gb/s", "--cable", "5 m"]);
        assert_eq!(reaction(own).unwrap(), quanta(394, own.rate));
        let own = options(&["--rate", "56 Gb/s", "--cable", "5 m"]);
        assert!(matches!(reaction(own), Err(Failure::UnknownReaction(_))));
    }
}
