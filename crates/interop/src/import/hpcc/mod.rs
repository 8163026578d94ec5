//! Reader of `config.txt` of HPCC's simulator (ns-3): a key and its values in each line.
//!
//! Invariant: the account has every key of the file, in the file's order. A difference that makes another experiment is
//! marked as changed.
//!
//! Settings that are fixed in that simulator's code are written into the scenario: hashed paths and lengths of packets.
//! Its switches store and forward without latency of their own, over a central memory. Rules that are given with their
//! source here were read in its repository (alibaba-edu/High-Precision-Congestion-Control).
//!
//! | module | contents |
//! |---|---|
//! | here | the scenario, and the keys of transport, links and traffic |
//! | `config` | keys, values and their faults; the account |
//! | `control` | marking, and DCQCN's reaction point |
//! | `memory` | switches: memory, and thresholds of PFC |
//! | `window` | windows by the bandwidth-delay product |
//! | `keys` | keys without effect |

mod config;
mod control;
mod keys;
mod memory;
mod window;

use std::collections::BTreeSet;

use names::shown;
use packet::{Framing, Mtu};
use topology::hpcc;
use topology::hpcc::HpccFabric;
use units::words::{lines, range};
use units::{Bytes, Span, Time};

use self::config::Config;
use self::memory::Links;
use super::account::{ImportedScenario, KeyFate};
use scenario::{Diagnostic, Excerpt, LocatedFault};

/// Highest `adapter.max_outstanding`: half of the PSN circle.
const MOST_OUTSTANDING: u64 = 1 << 23;

/// Number of priorities of PFC.
const MOST_PRIORITIES: u8 = 8;

/// Reads a file that a configuration names: its text by its name; `None` if there is no such file.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Turns a configuration into a scenario.
///
/// # Errors
/// If a line is not a key with values, a value does not fit its key, or a file is missing or wrong.
pub fn read(name: &str, text: &str, files: FileReader<'_>) -> Result<ImportedScenario, Diagnostic> {
    let mut config = Config::new(name, text)?;
    let (topology_file, topology) = file(&config, "TOPOLOGY_FILE", files)?;
    let fabric = hpcc::read(&topology).map_err(|flaw| {
        let (message, help) = (flaw.kind.to_string(), Some(flaw.kind.help()));
        let place = Some(Box::new(Excerpt::new(&topology, flaw.at.start, flaw.at.end)));
        let (file, path) = (topology_file.clone(), "TOPOLOGY_FILE".to_owned());
        Diagnostic::from(LocatedFault { file, place, path, message, help })
    })?;
    let (flow_file, flows) = file(&config, "FLOW_FILE", files)?;
    let flows = FlowSummary::new(&flows);
    note_topology(&mut config, &fabric, &topology_file);
    let scenario = scenario(&mut config, &fabric, (&topology_file, &flow_file), &flows)?;
    settle_the_rest(&mut config);
    let account = config.into_account();
    Ok(ImportedScenario {
        scenario,
        files: vec![(topology_file, topology), (flow_file, flows.text)],
        account,
        warnings: Vec::new(),
    })
}

/// Returns the file that a key names, by the last part of its name, and its text.
fn file(config: &Config<'_>, name: &str, files: FileReader<'_>) -> Result<(String, String), Diagnostic> {
    let given = config.required(name, "FILE")?.given;
    let last = given.rsplit('/').next().unwrap_or(given);
    let last = if last.ends_with(".txt") { last.to_owned() } else { format!("{last}.txt") };
    let missing = || {
        let help = "put it there, or beside the configuration";
        config.wrong(name, format!("there is no file `{given}`"), help)
    };
    Ok((last, files(given).ok_or_else(missing)?))
}

/// Enters the topology in the account. That simulator keeps a single link between two nodes, the last.
fn note_topology(config: &mut Config<'_>, fabric: &HpccFabric, file: &str) {
    let mut pairs = BTreeSet::new();
    let ends = |from, to| if from < to { (from, to) } else { (to, from) };
    let twice = fabric.custom.links.iter().find(|link| !pairs.insert(ends(&link.from, &link.to)));
    match twice {
        Some(link) => {
            let what = format!(
                "all links of `{}` with `{}`; that simulator sends over the last alone",
                link.from, link.to
            );
            config.note("TOPOLOGY_FILE", KeyFate::Changed, what);
        }
        None => {
            let what =
                format!("`{file}`, beside the scenario, and `routing: Ecmp`: hashed paths, by another hash");
            config.note("TOPOLOGY_FILE", KeyFate::Used, what);
        }
    }
}

fn scenario(
    config: &mut Config<'_>,
    fabric: &HpccFabric,
    (topology_file, flow_file): (&str, &str),
    flows: &FlowSummary,
) -> Result<String, Diagnostic> {
    let duration = duration(config, flows.first)?;
    note_flows(config, flow_file, flows);
    let mtu = mtu(config)?;
    let (lanes, levels) = flows.lanes();
    let longest = Framing::Hpcc.longest_packet(mtu).get();
    let acks = acknowledgements(config, &flows.levels)?;
    let links = Links { lanes, longest, acks_apart: acks.is_some() };
    let switches = memory::switches(config, fabric, links)?;
    let control = control::control(config, fabric, switches.memory)?;
    let outstanding = outstanding(config, fabric, mtu)?;
    failures(config)?;
    let sample = Span::from_ps((duration.ps() / 1000).max(1));
    Ok(format!(
        "// Imported from {name}, a configuration of HPCC's simulator.\n\
         (\n    about: {about:?},\n    duration: \"{duration}\",\n    sample: \"{sample}\",\n    \
         topology: HpccFile({topology_file:?}),\n    routing: Ecmp,\n    dependency_cycles: Allowed,\n    cables: {{}},\n    \
         link: (\n        framing: Hpcc,\n        mtu: \"{mtu}\",\n        data_lanes: {all_lanes},{levels}\n        \
         {lossless}{strict}\n    ),\n{switches}    adapter: (receive_buffer: \"{buffer}\", ack_every: 1,{ack_level} max_outstanding: \
         {outstanding}, ack_timeout: 0, retry_count: 7),\n    congestion_control: {control},\n    \
         traffic: [FlowList(file: {flow_file:?}, origin: \"{origin}\")],\n)\n",
        name = shown::comment(config.name),
        about = format!("Imported from {}.", shown::line(config.name)),
        all_lanes = lanes + u64::from(acks.is_some()),
        levels = level_map(&levels, acks.map(|level| (level, lanes))),
        lossless = memory::lossless(links),
        strict = acks.map_or(String::new(), |_| format!("\n        vl_arbitration: (strict: [{lanes}]),")),
        ack_level = acks.map_or(String::new(), |level| format!(" ack_service_level: {level},")),
        mtu = Bytes::from(mtu),
        switches = switches.text,
        buffer = memory::receive_buffer(fabric, links),
        origin = flows.first.since_start(),
    ))
}

/// Returns the time from the first flow to the end.
fn duration(config: &mut Config<'_>, first: Time) -> Result<Span, Diagnostic> {
    let stop = config.number("SIMULATOR_STOP_TIME", 3.01)?;
    let duration = Time::from_ps((stop * 1e12).round() as u64).since(first);
    if duration == Span::ZERO {
        let key =
            if config.key("SIMULATOR_STOP_TIME").is_some() { "SIMULATOR_STOP_TIME" } else { "FLOW_FILE" };
        let message = "the run stops before the first flow starts".to_owned();
        return Err(config.wrong(key, message, "stop later"));
    }
    config.note("SIMULATOR_STOP_TIME", KeyFate::Used, "`duration`, counted from the first flow's start");
    Ok(duration)
}

/// Enters the flows in the account. Priority 0 of that simulator is apart: `switch-node.cc`, `SendToDev`.
fn note_flows(config: &mut Config<'_>, file: &str, flows: &FlowSummary) {
    let (fate, mut what) = if flows.levels.contains(&0) {
        let what = "priority 0 as any other; in that simulator it precedes all, without marks and PAUSE";
        (KeyFate::Changed, what.to_owned())
    } else if flows.levels.len() > 1 {
        let what = format!(
            "`{file}`, beside the scenario; each priority has headroom of its own, there it is a port's"
        );
        (KeyFate::Approximated, what)
    } else {
        (KeyFate::Used, format!("`{file}`, beside the scenario"))
    };
    if flows.cut > 0 {
        what += &format!(
            "; without the {} lines after the last flow, which that simulator does not read",
            flows.cut
        );
    }
    config.note("FLOW_FILE", fate, what);
}

/// Returns the MTU that is nearest to the payload of a packet.
fn mtu(config: &mut Config<'_>) -> Result<Mtu, Diagnostic> {
    let given = config.whole("PACKET_PAYLOAD_SIZE", 1000)?;
    let all = Mtu::ALL.into_iter().chain(Mtu::OF_ETHERNET);
    let off = |mtu: &Mtu| u32::from(mtu.bytes()).abs_diff(given);
    let nearest = all.min_by_key(off).expect("there are sizes");
    if off(&nearest) == 0 {
        config.note("PACKET_PAYLOAD_SIZE", KeyFate::Used, "`link.mtu`");
    } else {
        let what = format!("`link.mtu` of {} B, the nearest: packets have another length", nearest.bytes());
        config.note("PACKET_PAYLOAD_SIZE", KeyFate::Changed, what);
    }
    Ok(nearest)
}

/// Returns the most packets under way of a queue pair: the packets of a window. The last packet may exceed the window
/// (`rdma-queue-pair.cc`, `IsWinBound`).
fn outstanding(config: &mut Config<'_>, fabric: &HpccFabric, mtu: Mtu) -> Result<u64, Diagnostic> {
    let payload = u64::from(mtu.bytes());
    let products = if config.flag("HAS_WIN", true)? { window::products(fabric, payload) } else { None };
    let Some((least, most)) = products else {
        config.note("HAS_WIN", KeyFate::Used, "no window");
        return Ok(MOST_OUTSTANDING);
    };
    let packets = |bytes: u64| bytes.div_ceil(payload).clamp(1, MOST_OUTSTANDING);
    let outstanding = packets(most);
    config.note(
        "HAS_WIN",
        KeyFate::Used,
        format!("`adapter.max_outstanding` of {outstanding}: {most} bytes"),
    );
    let global = config.flag("GLOBAL_T", true)?;
    if global || packets(least) == outstanding {
        config.note("GLOBAL_T", KeyFate::Used, "all pairs of hosts have one window");
    } else {
        let what =
            format!("every pair has the largest window, of {most} bytes; there they have {least} and more");
        config.note("GLOBAL_T", KeyFate::Changed, what);
    }
    if config.flag("VAR_WIN", false)? {
        config.note("VAR_WIN", KeyFate::Changed, "the window is fixed; there it shrinks with the rate");
    } else {
        config.note("VAR_WIN", KeyFate::Used, "the window is fixed");
    }
    Ok(outstanding)
}

/// Enters the keys of acknowledgements. Returns the service level of acknowledgements that precede data at switches: a
/// level that no flow has. In that simulator, the interval is a number of bytes, not of packets (`rdma-hw.cc`,
/// `ReceiverCheckSeq`). Once that number of a flow's bytes has arrived, each packet of the flow is acknowledged.
fn acknowledgements(config: &mut Config<'_>, levels: &BTreeSet<u8>) -> Result<Option<u8>, Diagnostic> {
    let (fate, what) = match config.whole("L2_ACK_INTERVAL", 1)? {
        1 => (KeyFate::Used, "`adapter.ack_every: 1`"),
        0 => (KeyFate::Approximated, "`adapter.ack_every: 1`: there no flow would ever be complete"),
        _ => (
            KeyFate::Approximated,
            "`adapter.ack_every: 1`: there so many first bytes of a flow are not acknowledged",
        ),
    };
    config.note("L2_ACK_INTERVAL", fate, what);
    let free = (0..MOST_PRIORITIES).find(|level| !levels.contains(level));
    let (fate, what, level) = match (config.flag("ACK_HIGH_PRIO", false)?, free) {
        (true, Some(level)) => {
            let what = format!(
                "`adapter.ack_service_level: {level}`: a lane of strict priority without PFC, whose memory comes on top"
            );
            (KeyFate::Used, what, Some(level))
        }
        (true, None) => {
            let what = "acknowledgements wait in line with data at switches, since flows have all eight priorities; \
                        there they go before it";
            (KeyFate::Changed, what.to_owned(), None)
        }
        (false, _) => {
            let what = "acknowledgements go before data at adapters, and in line with it at switches";
            (KeyFate::Used, what.to_owned(), None)
        }
    };
    config.note("ACK_HIGH_PRIO", fate, what);
    Ok(level)
}

/// Enters the keys of links that lose packets, fail, or cannot pause.
fn failures(config: &mut Config<'_>) -> Result<(), Diagnostic> {
    if config.flag("ERROR_RATE_PER_LINK", false)? {
        config.note("ERROR_RATE_PER_LINK", KeyFate::Changed, "wires lose nothing");
    } else {
        config.note("ERROR_RATE_PER_LINK", KeyFate::Used, "wires lose nothing");
    }
    if config.flag("PAUSE_TIME", true)? {
        config.note("PAUSE_TIME", KeyFate::Used, "a PAUSE holds until RESUME");
    } else {
        let what = "PFC pauses; there a PAUSE for no time resumes";
        config.note("PAUSE_TIME", KeyFate::Changed, what);
    }
    // Its first number is the time, in us after 2 s; 0 is never.
    let time = config.key("LINK_DOWN").and_then(|key| key.given.split_whitespace().next());
    if time.is_none_or(|time| time.parse() == Ok(0.0)) {
        config.note("LINK_DOWN", KeyFate::Used, "no link fails");
    } else {
        config.note("LINK_DOWN", KeyFate::Changed, "no link fails");
    }
    Ok(())
}

/// Enters all remaining keys in the account, with the reason for leaving them out.
fn settle_the_rest(config: &mut Config<'_>) {
    for key in config.unsettled() {
        let known = keys::UNUSED.iter().find(|(name, _)| *name == key.name);
        let what = match known {
            Some((_, why)) => *why,
            None if keys::is_of_dcqcn(key.name) => "it is DCQCN's, and no source is slowed down",
            None if key.name == "RATE_BOUND" => "no source is slowed down",
            None => "no such key is known here, nor to that simulator",
        };
        config.note(key.name, KeyFate::NotUsed, what);
    }
}

/// A list of flows, its first start and its priorities. A wrong list is refused when the scenario is checked.
struct FlowSummary {
    /// The list, up to the last of the flows that its first line counts.
    text: String,
    /// Number of lines after that, without empty lines and comments.
    cut: usize,
    first: Time,
    levels: BTreeSet<u8>,
}

impl FlowSummary {
    fn new(text: &str) -> Self {
        let (flows, cut) = counted(text);
        let rows = flows.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let rows: Vec<_> = rows.filter(|words| words.len() >= 5).collect();
        let seconds = rows.iter().filter_map(|words| words.last()?.parse().ok());
        let first = seconds.fold(f64::INFINITY, |least: f64, one: f64| least.min(one));
        // Rounded down to microseconds: exact for every list in microseconds. Times past all that a run can have stay
        // past them.
        let origin = if first.is_finite() && first > 0.0 { (first * 1e6 + 1e-3).floor() as u64 } else { 0 };
        let first = Time::from_ps(origin.saturating_mul(1_000_000));
        let levels =
            rows.iter().filter_map(|words| words[2].parse().ok()).filter(|level| *level < 8).collect();
        Self { text: flows.to_owned(), cut, first, levels }
    }

    /// Returns the number of lanes, which equals the number of priorities, and the lane of each priority. A single lane
    /// needs no map.
    fn lanes(&self) -> (u64, Vec<(u8, u64)>) {
        let lanes = self.levels.len().max(1) as u64;
        let levels = self.levels.iter().copied().zip(0..);
        (lanes, levels.collect())
    }
}

/// Writes the lanes of the priorities, and the lane of acknowledgements if they have their own. Nothing is written for
/// a single lane.
fn level_map(flows: &[(u8, u64)], acks: Option<(u8, u64)>) -> String {
    let all: Vec<_> = flows.iter().copied().chain(acks).collect();
    if all.len() < 2 {
        return String::new();
    }
    let pairs: Vec<_> = all.iter().map(|(level, lane)| format!("{level}: {lane}")).collect();
    format!("\n        sl_to_vl: {{{}}},", pairs.join(", "))
}

/// Splits a list of flows after as many as its first line counts. Returns that part, and the number of lines behind it.
/// All of the list is returned if the first line is no number.
fn counted(text: &str) -> (&str, usize) {
    let mut rows = lines(text);
    let flows: Option<usize> = rows.next().and_then(|first| first[0].text.parse().ok());
    match flows.and_then(|flows| rows.by_ref().take(flows).last()) {
        Some(last) => (&text[..range(&last).end], rows.count()),
        None => (text, 0),
    }
}
