//! `headroom`: the memory that a port and priority need beyond the threshold of PFC, term by term, also for a
//! scenario's ports.
//!
//! Invariant: the terms come from `link-layer`, as in a run.

mod ports;

use backwater::wording::kilobytes;
use clap::Args;
use link_layer::flow_control::headroom::{QUANTUM_BYTES, quanta, slowest_reaction};
use link_layer::{CellHeadroom, Headroom, PauseLoop};
use packet::{Framing, Mtu};
use results::format::{aligned, plain_table};
use units::{Bytes, Length, Rate, Span};

use crate::arguments::{bytes, rate, within};
use crate::failure::Failure;
use crate::terminal::print;

#[derive(Args, Clone, Debug)]
pub(crate) struct HeadroomOptions {
    /// File, or name of a shipped scenario: print the headroom of its ports, and that which their cables need.
    #[arg(long, value_name = "SCENARIO", conflicts_with = "LoopOptions")]
    scenario: Option<String>,
    /// Override of a field of the scenario.
    #[arg(long, value_name = "PATH=VALUE", requires = "scenario")]
    set: Vec<String>,
    /// Size of the cells in which the switch stores packets: print the headroom in cells too, when all bytes are of
    /// the packets that take most of them.
    #[arg(long, value_name = "BYTES", value_parser = |text: &str| bytes(text, &(Bytes::new(1)..=Bytes::kib(64))))]
    cell: Option<Bytes>,
    #[command(flatten)]
    link: LoopOptions,
}

/// A link without a scenario.
#[derive(Args, Clone, Copy, Debug)]
struct LoopOptions {
    /// Rate of the link, such as "40 Gb/s" or 40G.
    #[arg(long, value_name = "RATE", value_parser = |text: &str| rate(text, &(Rate::bps(1)..=Rate::gbps(100_000))))]
    rate: Option<Rate>,
    /// Length of the cable, such as "100 m", at 5 ns a metre.
    #[arg(long, value_name = "LENGTH", conflicts_with = "propagation",
          value_parser = |text: &str| within(text, &(Length::from_mm(0)..=Length::from_mm(1_000_000_000))))]
    cable: Option<Length>,
    /// Propagation delay one way, such as "1.539 us", instead of a length.
    #[arg(long, value_name = "TIME", value_parser = |text: &str| within(text, &(Span::ZERO..=Span::from_us(1_000_000))))]
    propagation: Option<Span>,
    /// Longest IP packet.
    #[arg(long, value_name = "BYTES", default_value = "1500 B",
          value_parser = |text: &str| bytes(text, &(Bytes::new(1)..=Bytes::kib(64))))]
    mtu: Bytes,
    /// Largest payload of a RoCEv2 packet, `link.mtu` of a scenario, instead of the longest IP packet.
    #[arg(long, value_name = "BYTES", conflicts_with = "mtu", value_parser = payload)]
    payload: Option<Mtu>,
    /// Number of priorities with PFC: each may have a PAUSE of its own under way.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    priorities: u8,
    /// Time from the arrival of a frame's header until the switch counts the frame, `switch.latency` of a scenario
    /// [default: 500 ns].
    #[arg(long, value_name = "TIME", value_parser = |text: &str| within(text, &(Span::ZERO..=Span::from_us(1_000_000))))]
    latency: Option<Span>,
    /// The switch counts a frame when all of it has arrived, as without cut-through.
    #[arg(long)]
    store_and_forward: bool,
    /// The switch counts each byte as it arrives, as some hardware does: neither header nor latency adds to the sum.
    /// The switches of a scenario lose packets with it.
    #[arg(long, conflicts_with_all = ["latency", "store_and_forward"])]
    bytewise: bool,
    /// Reaction time of the sender after a PAUSE, in quanta of 512 bit times [default: the most that IEEE 802.3
    /// allows at 10, 25, 40, 50, 100, 200 or 400 Gb/s].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000), conflicts_with = "reaction")]
    reaction_quanta: Option<u64>,
    /// Reaction time as a time, such as "1 us".
    #[arg(long, value_name = "TIME", value_parser = |text: &str| within(text, &(Span::ZERO..=Span::from_us(1_000_000))))]
    reaction: Option<Span>,
}

/// Latency of a switch if none is given: the latency in the shipped fabric at 400 Gb/s.
const LATENCY: Span = Span::from_ns(500);

/// Parses the largest payload of a packet.
fn payload(text: &str) -> Result<Mtu, String> {
    let size = within(text, &(Bytes::new(1)..=Bytes::kib(64)))?;
    let mut known = Mtu::ALL.into_iter().chain(Mtu::OF_ETHERNET);
    let found = known.find(|mtu| Bytes::from(*mtu) == size);
    found.ok_or_else(|| "write 256, 512, 1000, 1024, 1500, 2048 or 4096 B".to_owned())
}

/// Prints the headroom and its terms.
pub(crate) fn run(options: &HeadroomOptions) -> Result<(), Failure> {
    if let Some(scenario) = &options.scenario {
        print(&ports::printed(&experiment::plan(scenario, &options.set, None)?, options.cell)?);
        return Ok(());
    }
    print(&printed(options.link, options.link.pause_loop()?, options.cell));
    Ok(())
}

impl LoopOptions {
    /// Returns the rate, and the time of flight over the cable.
    fn rate_and_flight(&self) -> Result<(Rate, Span), Failure> {
        // Clap would list the options of both forms of the command as if all were needed.
        let no_link = |given| Failure::NoLink { given };
        match (self.rate, self.cable.map(Length::time_of_flight).or(self.propagation)) {
            (Some(rate), Some(flight)) => Ok((rate, flight)),
            (Some(_), None) => Err(no_link("no cable")),
            (None, Some(_)) => Err(no_link("no rate")),
            (None, None) => Err(no_link("neither")),
        }
    }

    /// Returns the time that the sender takes to obey a PAUSE.
    fn reaction_at(&self, rate: Rate) -> Result<Span, Failure> {
        let in_quanta = || self.reaction_quanta.or_else(|| slowest_reaction(rate));
        let reaction = self.reaction.or_else(|| in_quanta().map(|count| quanta(count, rate)));
        reaction.ok_or(Failure::UnknownReaction(rate))
    }

    fn pause_loop(&self) -> Result<PauseLoop, Failure> {
        let (rate, flight) = self.rate_and_flight()?;
        let roce = Framing::RoCEv2;
        let longest_frame = self
            .payload
            .map_or(self.mtu + Framing::AROUND_IP, |mtu| roce.longest_packet(mtu) + roce.around());
        let (lead, latency) = match (self.bytewise, self.store_and_forward) {
            (true, _) => (Bytes::ZERO, Span::ZERO),
            (false, true) => (longest_frame, self.latency.unwrap_or(LATENCY)),
            (false, false) => (roce.route_header(), self.latency.unwrap_or(LATENCY)),
        };
        Ok(PauseLoop {
            rate,
            flight,
            longest_frame,
            priorities: self.priorities,
            reaction: self.reaction_at(rate)?,
            lead,
            latency,
        })
    }
}

fn printed(options: LoopOptions, pause_loop: PauseLoop, cell: Option<Bytes>) -> String {
    let PauseLoop { rate, flight, longest_frame, priorities, reaction, lead, latency } = pause_loop;
    let headroom = Headroom::of(pause_loop);
    let mut table = plain_table();
    table.set_header(["received", "bytes", "explanation"]);
    let mut row = |received: &str, amount: Bytes, explanation: &str| {
        table.add_row([received, &amount.get().to_string(), explanation]);
    };
    let around = (longest_frame - Framing::AROUND_IP).get();
    let frame = format!("IP packet of {around} B and {} B of Ethernet", Framing::AROUND_IP.get());
    row("while the PAUSE waits for a frame just begun", headroom.waiting, &frame);
    let frames =
        if priorities == 1 { String::new() } else { format!(", for each of {priorities} priorities") };
    row("while the PAUSE goes out", headroom.pause, &format!("64 B, preamble and gap{frames}"));
    row("during propagation, there and back", headroom.cable, &format!("twice {flight} at {rate}"));
    let quantum = Bytes::new(QUANTUM_BYTES);
    let in_quanta = reaction.ps() as f64 / rate.time_for(quantum).ps() as f64;
    row("while the sender reacts", headroom.reaction, &format!("{reaction}, {in_quanta:.1} quanta"));
    row("as a frame that the sender has just begun", headroom.begun, &frame);
    if !options.bytewise {
        let counted = format!("{} B of it, and {latency} in the switch", lead.get());
        row("until the frame at the threshold is counted", headroom.counting, &counted);
    }
    row("headroom of a port and priority", headroom.total(), &kilobytes(headroom.total()));
    if let Some(cell) = cell {
        let CellHeadroom { packet, cells, total } = headroom.in_cells(cell);
        let explanation = format!(
            "{}: {cells} cells, all but the last frame in packets of {} B",
            kilobytes(total),
            packet.get()
        );
        row(&format!("in cells of {} B", cell.get()), total, &explanation);
    }
    format!("Headroom of PFC at {rate}\n\n{}\n", aligned(table, 3))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Verb};

    fn options(arguments: &[&str]) -> LoopOptions {
        match Cli::parse_from([&["backwater", "headroom"], arguments].concat()).verb {
            Verb::Headroom(options) => options.link,
            other => panic!("{other:?}"),
        }
    }

    fn shown(arguments: &[&str]) -> String {
        match Cli::parse_from([&["backwater", "headroom"], arguments].concat()).verb {
            Verb::Headroom(options) => {
                printed(options.link, options.link.pause_loop().unwrap(), options.cell)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_dcqcn_papers_parameters_give_its_headroom() {
        let own = ["--rate", "40 Gb/s", "--propagation", "1.539 us", "--reaction-quanta", "60", "--bytewise"];
        insta::assert_snapshot!(shown(&own));
    }

    #[test]
    fn a_switch_that_counts_frames_needs_more() {
        let own = ["--rate", "400 Gb/s", "--cable", "300 m", "--payload", "4 KiB", "--priorities", "2"];
        insta::assert_snapshot!(shown(&own));
    }

    /// Small packets need more memory than the bytes that arrive.
    #[test]
    fn small_packets_fill_cells_badly() {
        insta::assert_snapshot!(shown(&["--rate", "100 Gb/s", "--cable", "300 m", "--cell", "144 B"]));
    }

    #[test]
    fn the_reaction_time_is_the_standard_s_where_there_is_one() {
        let own = options(&["--rate", "100 Gb/s", "--cable", "5 m"]);
        assert_eq!(own.pause_loop().unwrap().reaction, quanta(394, Rate::gbps(100)));
        let own = options(&["--rate", "56 Gb/s", "--cable", "5 m"]);
        assert!(matches!(own.pause_loop(), Err(Failure::UnknownReaction(_))));
    }

    #[test]
    fn a_link_that_lacks_something_is_answered_with_commands_that_work() {
        let cases: [(&[&str], &str); 3] = [
            (&[], "here is neither"),
            (&["--rate", "100 Gb/s"], "here is no cable"),
            (&["--propagation", "1 us", "--mtu", "9000 B"], "here is no rate"),
        ];
        for (given, lacks) in cases {
            let said = options(given).pause_loop().unwrap_err().to_string();
            assert!(said.lines().next().is_some_and(|line| line.ends_with(lacks)), "{said}");
            assert!(said.contains("`backwater headroom --rate \"100 Gb/s\" --cable \"5 m\"`"), "{said}");
            assert!(said.contains("`backwater headroom --scenario roce400-leaf-spine`"), "{said}");
        }
        assert!(options(&["--rate", "100 Gb/s", "--cable", "5 m"]).pause_loop().is_ok());
    }

    /// Whatever the switch, the command's sum for a link equals the run's.
    #[test]
    fn the_sum_is_that_of_a_scenario_with_the_same_link() {
        let cable = "cables.trunk.propagation=Cable(\"300 m\")";
        for (lanes, forwarding, latency) in [("1", "CutThrough", "500 ns"), ("3", "StoreAndForward", "80 ns")]
        {
            let sets = [
                cable.to_owned(),
                format!("link.data_lanes={lanes}"),
                format!("switch.forwarding={forwarding}"),
                format!("switch.latency=\"{latency}\""),
            ];
            let plan = experiment::plan("roce400-leaf-spine", &sets, None).expect("it is right");
            let longest = plan.headrooms().into_iter().max_by_key(|own| own.cable.flight).expect("ports");
            let link = ["--rate", "400 Gb/s", "--cable", "300 m", "--payload", "4 KiB", "--latency", latency];
            let link = [&link[..], &["--priorities", lanes]].concat();
            let store: &[&str] = if forwarding == "CutThrough" { &[] } else { &["--store-and-forward"] };
            let own = options(&[&link[..], store].concat());
            assert_eq!(Headroom::of(own.pause_loop().unwrap()), longest.needed);
            assert_eq!(longest.given, longest.needed.total());
        }
    }
}
