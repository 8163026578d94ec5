//! Switches of HPCC's simulator: their memory, and the thresholds of PFC, which its code fixes.
//!
//! Invariant: the settings of a switch depend on its number of ports and on the rates of its links alone.
//!
//! | in that simulator (`third.cc`, `switch-mmu.cc`) | in a scenario |
//! |---|---|
//! | a port and priority holds up to (free shared memory) / 2^3; 2^2, 2^1, 2^0 where its link is more than once, twice, four times as fast as the first host's | `alpha` 1/8 to 1 |
//! | and 4 KiB of its own | `guaranteed` |
//! | it sends RESUME at 3 KiB below its threshold | `resume_offset` |
//! | a PAUSE takes effect on arrival, until RESUME | `reaction` of 0 |
//! | headroom of a port, for all its priorities: three times the bytes on its cable | as much as the cable needs, for each lane |

use core::fmt::Write;
use std::collections::{BTreeMap, BTreeSet};

use topology::hpcc::HpccFabric;
use units::{Bytes, Rate, Span};

use super::config::Config;
use super::family::Family;
use interop::import::KeyFate;
use scenario::Diagnostic;

/// Returns the flow control of the links. Lanes of data have PFC.
pub(super) fn lossless(links: Links) -> String {
    let data: Vec<_> = (0..links.lanes).map(|lane| lane.to_string()).collect();
    let data = if links.acks_apart { format!(", pfc_enable: [{}]", data.join(", ")) } else { String::new() };
    let offset = match links.family {
        Family::Hpcc => "3 KiB",
        Family::Ns3Rdma => "256 B",
    };
    format!("flow_control: Pause(resume_offset: \"{offset}\", reaction: \"0 s\"{data}),")
}

/// Alpha of a port with a link no faster than the first host's, in HPCC's simulator.
const ALPHA: f64 = 0.125;
/// Memory of each port and priority of its own in HPCC's simulator, in bytes.
const GUARANTEED: u64 = 4096;
/// Alpha of all ports in ns3-rdma (`broadcom-node.cc`: `m_pg_shared_alpha_cell`).
const ALPHA_OF_NS3_RDMA: f64 = 16.0;
/// Memory that ports share in ns3-rdma, and that of each port and priority (`broadcom-node.cc`), in bytes.
const SHARED_OF_NS3_RDMA: u64 = 4000 * 1030;
const GUARANTEED_OF_NS3_RDMA: u64 = 2 * 1030;
/// Largest memory of a switch, and buffer of a host, in a scenario.
const LARGEST: u64 = 1 << 30;

/// The switches as text, and the least memory of any.
pub(super) struct Switches {
    pub(super) text: String,
    /// Length in bytes that no queue of any switch can exceed.
    pub(super) memory: u64,
}

/// Lanes and packets of the links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    /// Number of lanes of data.
    pub(super) lanes: u64,
    /// True if acknowledgements have a lane of their own after these.
    pub(super) acks_apart: bool,
    /// Length of the longest packet.
    pub(super) longest: u64,
    /// The simulator, which fixes thresholds in its code.
    pub(super) family: Family,
}

/// Writes the memory of each switch, and the share of each of its ports.
pub(super) fn switches(
    config: &mut Config<'_>,
    fabric: &HpccFabric,
    links: Links,
) -> Result<Switches, Diagnostic> {
    let given = u64::from(config.whole("BUFFER_SIZE", 16)?) << 20;
    let mut what = "`switch.memory`; headroom is what each cable needs".to_owned();
    let (mut fate, mut most, mut written) = (KeyFate::Approximated, 0, Vec::new());
    for name in &fabric.custom.switches {
        let ports = ports(fabric, name);
        // The scenario's memory also guarantees room to acknowledgements; that simulator does not count them.
        let of_acks = if links.acks_apart { guaranteed(links) * ports.len() as u64 } else { 0 };
        let given = match links.family {
            Family::Hpcc => given + of_acks,
            Family::Ns3Rdma => SHARED_OF_NS3_RDMA + needed(&ports, links),
        };
        let memory = given.min(LARGEST).max(needed(&ports, links) + of_acks);
        if memory > LARGEST {
            let message = format!("links of `{name}` hold more than a memory of {} can", Bytes::new(LARGEST));
            return Err(config.wrong("TOPOLOGY_FILE", message, "write shorter delays, or slower links"));
        }
        if memory > given {
            fate = KeyFate::Changed;
            what = format!("{} at `{name}`, as headroom and guarantees need", Bytes::new(memory));
        } else if memory < given {
            (fate, what) = (KeyFate::Changed, format!("{}, the largest memory", Bytes::new(LARGEST)));
        }
        most = most.max(memory);
        written.push((name, switch(fabric, &ports, memory, links)));
    }
    config.note("BUFFER_SIZE", fate, what);
    note_thresholds(config, links.family)?;
    Ok(Switches { text: text(&written), memory: most })
}

/// Enters the key of thresholds. HPCC's simulator ignores it.
fn note_thresholds(config: &mut Config<'_>, family: Family) -> Result<(), Diagnostic> {
    if family == Family::Ns3Rdma {
        let (fate, what) = if config.flag("USE_DYNAMIC_PFC_THRESHOLD", true)? {
            let what = "`switch.sharing`: alpha 16 over 4,120,000 bytes, as its code fixes them; headroom is what \
                        each cable needs";
            (KeyFate::Approximated, what)
        } else {
            (KeyFate::Changed, "thresholds are dynamic; there each port and priority pauses at 41,200 bytes")
        };
        config.note("USE_DYNAMIC_PFC_THRESHOLD", fate, what);
    }
    Ok(())
}

/// Returns the rate and the delay of each link of a switch, in the order of its ports.
fn ports(fabric: &HpccFabric, switch: &str) -> Vec<(Rate, Span)> {
    let cables: BTreeMap<&str, (Rate, Span)> =
        fabric.cables.iter().map(|(name, rate, delay)| (name.as_str(), (*rate, *delay))).collect();
    let links = fabric.custom.links.iter().filter(|link| link.from == switch || link.to == switch);
    links.map(|link| cables[link.cable.as_str()]).collect()
}

/// Returns a bound of the memory that headroom, guarantees and a packet need.
fn needed(ports: &[(Rate, Span)], links: Links) -> u64 {
    let each = |port| guaranteed(links) + headroom(port, links);
    links.longest + ports.iter().map(|port| links.lanes * each(port)).sum::<u64>()
}

/// Returns a bound of the headroom of a port and lane: three packets, a PAUSE of each lane and twice the cable.
fn headroom((rate, delay): &(Rate, Span), links: Links) -> u64 {
    let cable = rate.amount_in(Span::from_ps(2 * delay.ps()));
    3 * links.longest + 128 * (links.lanes + u64::from(links.acks_apart)) + cable.get()
}

/// Returns a receive buffer for every host: none fills, since hosts take packets on arrival.
pub(super) fn receive_buffer(fabric: &HpccFabric, links: Links) -> Bytes {
    let ports = fabric.cables.iter().map(|(_, rate, delay)| (*rate, *delay));
    let most = ports.map(|port| links.longest + headroom(&port, links)).max().unwrap_or_default();
    Bytes::new(most.clamp(2 << 20, LARGEST))
}

/// Returns the memory of each port and lane of its own: at least a packet.
fn guaranteed(links: Links) -> u64 {
    let own = match links.family {
        Family::Hpcc => GUARANTEED,
        Family::Ns3Rdma => GUARANTEED_OF_NS3_RDMA,
    };
    own.max(links.longest)
}

/// Returns the rate of the first host's link, to which that simulator refers the thresholds of PFC.
fn rate_of_hosts(fabric: &HpccFabric) -> Option<Rate> {
    let first = fabric.custom.hosts.first()?;
    ports(fabric, first).first().map(|(rate, _)| *rate)
}

/// Returns the alpha of a port by the rate of its link.
fn alpha(fabric: &HpccFabric, rate: Rate) -> f64 {
    let hosts = rate_of_hosts(fabric).map_or(u64::MAX, Rate::get);
    let (mut rate, mut alpha) = (rate.get(), ALPHA);
    while rate > hosts && alpha < 1.0 {
        (rate, alpha) = (rate / 2, alpha * 2.0);
    }
    alpha
}

/// Writes a switch of these ports with so much memory, and the share of each rate that differs.
fn switch(fabric: &HpccFabric, ports: &[(Rate, Span)], memory: u64, links: Links) -> String {
    let rates: BTreeSet<u64> = ports.iter().map(|(rate, _)| rate.get()).collect();
    let usual = match links.family {
        Family::Hpcc => ALPHA,
        Family::Ns3Rdma => ALPHA_OF_NS3_RDMA,
    };
    let of_rate = |rate| if links.family == Family::Hpcc { alpha(fabric, rate) } else { usual };
    let shares = rates.into_iter().map(Rate::bps).map(|rate| (rate, of_rate(rate)));
    let shares = shares.filter(|(_, alpha)| *alpha != usual);
    let shares: Vec<_> =
        shares.map(|(rate, alpha)| format!("(rate: \"{rate}\", alpha: {alpha:?})")).collect();
    format!(
        "(buffering: Central, arbiter: RoundRobin, memory: \"{memory} B\", sharing: Dynamic(alpha: {usual:?}, guaranteed: \
         \"{} B\"), shares: [{}], latency: \"0 s\", forwarding: StoreAndForward, speedup: 1.0)",
        guaranteed(links),
        shares.join(", ")
    )
}

/// Writes the settings of the first switch for all, and the settings of different switches by name.
fn text(written: &[(&String, String)]) -> String {
    let none = "(buffering: Central, arbiter: RoundRobin, buffer: \"1 MiB\", latency: \"0 s\", forwarding: StoreAndForward, \
                speedup: 1.0)";
    let usual = written.first().map_or(none, |(_, first)| first.as_str());
    let mut text = format!("    switch: {usual},\n");
    let others: Vec<_> = written.iter().filter(|(_, own)| own != usual).collect();
    if !others.is_empty() {
        text += "    switches: {\n";
        for (name, own) in others {
            writeln!(text, "        \"{name}\": {own},").expect("a string takes it");
        }
        text += "    },\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_links_have_a_larger_alpha() {
        let text = "3 1 2\n2\n0 2 25Gbps 1us 0\n2 1 100Gbps 1us 0\n";
        let fabric = topology::hpcc::read(text).expect("it is right");
        let alphas = [10, 25, 40, 50, 51, 100, 200, 400, 800].map(|gbps| alpha(&fabric, Rate::gbps(gbps)));
        assert_eq!(alphas, [0.125, 0.125, 0.25, 0.25, 0.5, 0.5, 1.0, 1.0, 1.0]);
        assert_eq!(rate_of_hosts(&fabric), Some(Rate::gbps(25)));
    }
}
