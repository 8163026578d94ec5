//! Reader of `config.txt` of HPCC's simulator (ns-3) and its relatives: a key and its values in each line.
//!
//! Invariant: the account has every key of the file, in the file's order, and every part of the files that it names and
//! that the scenario lacks. A difference that makes another experiment is marked as changed.
//!
//! Settings that are fixed in that simulator's code are written into the scenario: hashed paths and lengths of packets.
//! Its switches store and forward without latency of their own, over a central memory. Rules that are given with their
//! source here were read in its repository (alibaba-edu/High-Precision-Congestion-Control), those of ns3-rdma in
//! bobzhuyb/ns3-rdma.
//!
//! | module | contents |
//! |---|---|
//! | here | the scenario, and its duration |
//! | `config` | keys, values and their faults; the account |
//! | `fabric` | the topology, and the parts of it that the fabric lacks |
//! | `flows` | the list of flows |
//! | `transport` | packets, windows, acknowledgements, failures |
//! | `control` | marking, and DCQCN's reaction point |
//! | `family` | the simulator of a configuration, and the keys that only some have |
//! | `ns3_rdma` | DCQCN as its authors have it: CNPs, and a byte counter |
//! | `memory` | switches: memory, and thresholds of PFC |
//! | `window` | windows by the bandwidth-delay product |
//! | `keys` | keys without effect, and attributes of ns-3 |

mod config;
mod control;
mod fabric;
mod family;
mod flows;
mod keys;
mod memory;
mod ns3_rdma;
mod transport;
mod window;

use names::shown;
use packet::Framing;
use units::{Bytes, Span, Time};

use self::config::Config;
use self::fabric::ImportedFabric;
use self::family::Family;
use self::flows::{FlowFile, Signs};
use self::memory::Links;
use interop::import::source::SourceText;
use interop::import::{ImportedScenario, KeyFate};
use scenario::Diagnostic;

/// Reads a file that a configuration names: its text by its name; `None` if there is no such file.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Longest run: simulators of this family also write stops that no run reaches.
const LONGEST_RUN: Span = Span::from_us(3_600_000_000);

/// Turns a configuration into a scenario.
///
/// # Errors
/// If a line is not a key with values, a value does not fit its key, or a file is missing or wrong.
pub fn read(name: &str, text: &str, files: FileReader<'_>) -> Result<ImportedScenario, Diagnostic> {
    let mut config = Config::new(name, text)?;
    let family = Family::of(&config);
    let (topology_file, topology) = file(&config, "TOPOLOGY_FILE", files)?;
    let (mut flow_file, flow_text) = file(&config, "FLOW_FILE", files)?;
    if flow_file == topology_file {
        flow_file.insert_str(0, "flows-");
    }
    let payload = u64::from(config.whole("PACKET_PAYLOAD_SIZE", 1000)?);
    let signs = Signs { ns3_rdma: family == Family::Ns3Rdma, payload };
    let flows = FlowFile::read(SourceText { name: &flow_file, text: &flow_text }, signs)?;
    let routing = family.routing(&mut config)?;
    let source = SourceText { name: &topology_file, text: &topology };
    let fabric = fabric::read(&mut config, source, &flows.hosts(), routing.1)?;
    family::note_tcp_flows(&mut config, files);
    let draft = Draft { family, fabric: &fabric, flows: &flows, signs, flow_file: &flow_file };
    let (scenario, list) = draft.scenario(&mut config, routing.0)?;
    family.settle(&mut config)?;
    settle_the_rest(&mut config);
    let mut files = Vec::new();
    files.extend(fabric.file.map(|text| (topology_file.clone(), text)));
    files.extend(list.map(|text| (flow_file.clone(), text)));
    Ok(ImportedScenario { scenario, files, account: config.into_account(), warnings: Vec::new() })
}

/// Returns the file that a key names, by the last part of its name, and its text.
fn file(config: &Config<'_>, name: &str, files: FileReader<'_>) -> Result<(String, String), Diagnostic> {
    let lacking = || match name {
        "TOPOLOGY_FILE" => {
            "write `TOPOLOGY_FILE FILE`: SimAI takes the file from its command line (`-n`) instead"
        }
        _ => "write `FLOW_FILE FILE`",
    };
    let key = config.key(name).ok_or_else(|| config.wrong(name, "this key is missing".to_owned(), lacking()));
    let given = key?.given;
    let last = given.rsplit(['/', '\\']).next().unwrap_or(given);
    let last = if last.ends_with(".txt") { last.to_owned() } else { format!("{last}.txt") };
    let missing = || {
        let help = "put it there, or beside the configuration";
        config.wrong(name, format!("there is no file `{given}`"), help)
    };
    Ok((last, files(given).ok_or_else(missing)?))
}

/// The scenario so far.
struct Draft<'a> {
    family: Family,
    fabric: &'a ImportedFabric,
    flows: &'a FlowFile<'a>,
    signs: Signs,
    flow_file: &'a str,
}

impl Draft<'_> {
    /// Writes the scenario, and the list of flows beside it.
    fn scenario(
        &self,
        config: &mut Config<'_>,
        routing: &str,
    ) -> Result<(String, Option<String>), Diagnostic> {
        let fabric = &self.fabric.fabric;
        let (duration, until_done) = self.duration(config)?;
        let flows = self.flows.write(config, fabric, (duration, self.signs))?;
        let mtu = transport::mtu(config)?;
        if self.family == Family::Ns3Rdma && u64::from(mtu.bytes()) == self.signs.payload {
            let what = "`link.mtu`; packets have 48 bytes of headers, as in HPCC's simulator, there about 30";
            config.note("PACKET_PAYLOAD_SIZE", KeyFate::Approximated, what);
        }
        let levels = self.flows.levels();
        let lanes = levels.len() as u64;
        let acks = match self.family {
            Family::Hpcc => transport::acknowledgements(config, &levels)?,
            Family::Ns3Rdma => None,
        };
        let longest = Framing::Hpcc.longest_packet(mtu).get();
        let links = Links { lanes, longest, acks_apart: acks.is_some(), family: self.family };
        let switches = memory::switches(config, fabric, links)?;
        let control = match self.family {
            Family::Hpcc => control::control(config, fabric, switches.memory)?,
            Family::Ns3Rdma => ns3_rdma::control(config, switches.memory)?,
        };
        let outstanding = match self.family {
            Family::Hpcc => transport::outstanding(config, fabric, mtu)?,
            Family::Ns3Rdma => transport::MOST_OUTSTANDING,
        };
        transport::failures(config)?;
        let map: Vec<_> = levels.iter().copied().zip(0..).collect();
        let sample = Span::from_ps((duration.ps() / 1000).max(1));
        let scenario = format!(
            "// Imported from {name}, a configuration of HPCC's simulator.\n\
             (\n    about: {about:?},\n    duration: \"{duration}\",{until_done}\n    sample: \"{sample}\",\n    \
             {topology},\n    routing: {routing},\n    dependency_cycles: Allowed,\n    \
             link: (\n        framing: Hpcc,\n        mtu: \"{mtu}\",\n        data_lanes: {all_lanes},{levels}\n        \
             {lossless}{strict}\n    ),\n{switches}    adapter: (receive_buffer: \"{buffer}\", ack_every: 1,{ack_level} max_outstanding: \
             {outstanding}, ack_timeout: 0, retry_count: 7),\n    congestion_control: {control},\n{flows}    \
             traffic: [{traffic}],\n)\n",
            name = shown::comment(config.name),
            about = format!("Imported from {}.", shown::line(config.name)),
            until_done = if until_done { "\n    until_done: true," } else { "" },
            topology = self.fabric.fields,
            all_lanes = lanes + u64::from(acks.is_some()),
            levels = level_map(&map, acks.map(|level| (level, lanes))),
            lossless = memory::lossless(links),
            strict =
                acks.map_or(String::new(), |_| format!("\n        vl_arbitration: (strict: [{lanes}]),")),
            ack_level = acks.map_or(String::new(), |level| format!(" ack_service_level: {level},")),
            mtu = Bytes::from(mtu),
            switches = switches.text,
            buffer = memory::receive_buffer(fabric, links),
            flows = if flows.flows.is_empty() {
                String::new()
            } else {
                format!("    flows: [\n{}    ],\n", flows.flows)
            },
            traffic = flows.list.as_ref().map_or_else(String::new, |_| self.traffic()),
        );
        Ok((scenario, flows.list))
    }

    /// Writes the pattern of the list of flows.
    fn traffic(&self) -> String {
        let prefix = if self.fabric.file.is_some() { "" } else { ", host_prefix: \"h\"" };
        let transport = if self.family == Family::Ns3Rdma { ", transport: Uc" } else { "" };
        let origin = self.flows.first().since_start();
        format!("FlowList(file: {:?}, origin: \"{origin}\"{prefix}{transport})", self.flow_file)
    }

    /// Returns the time from the first flow to the end, and true if the run ends when all flows are complete.
    fn duration(&self, config: &mut Config<'_>) -> Result<(Span, bool), Diagnostic> {
        let first = self.flows.first();
        let without_stop = config.has(&["FLOWGEN_STOP_TIME"]) && !config.has(&["SIMULATOR_STOP_TIME"]);
        let stop = if without_stop { f64::MAX } else { config.number("SIMULATOR_STOP_TIME", 3.01)? };
        let stop = Time::from_ps((stop * 1e12).round() as u64);
        let duration = stop.since(first);
        if duration == Span::ZERO || first == Time::NEVER {
            let key =
                if config.key("SIMULATOR_STOP_TIME").is_some() { "SIMULATOR_STOP_TIME" } else { "FLOW_FILE" };
            let message = "the run stops before the first flow starts".to_owned();
            return Err(config.wrong(key, message, "stop later"));
        }
        if duration <= LONGEST_RUN {
            config.note(
                "SIMULATOR_STOP_TIME",
                KeyFate::Used,
                "`duration`, counted from the first flow's start",
            );
            return Ok((duration, false));
        }
        let longest = self.flows.longest(&self.fabric.fabric);
        let longest = longest.clamp(Span::from_us(1000), LONGEST_RUN);
        let what =
            format!("`until_done`: no run lasts that long. It ends with the last flow, or after {longest}");
        config.note("SIMULATOR_STOP_TIME", KeyFate::Approximated, what);
        let what = "`until_done`: that simulator ends with the last flow, too";
        config.note("FLOWGEN_STOP_TIME", KeyFate::Used, what);
        Ok((longest, true))
    }
}

/// Enters all remaining keys in the account, with the reason for leaving them out.
fn settle_the_rest(config: &mut Config<'_>) {
    for key in config.unsettled() {
        let known = keys::UNUSED.iter().find(|(name, _)| *name == key.name);
        let what = match known {
            Some((_, why)) => *why,
            None if keys::is_of_dcqcn(key.name) => "it is DCQCN's, and no source is slowed down",
            None if key.name == "RATE_BOUND" => "no source is slowed down",
            None => "no such key is known here, nor to HPCC's own simulator",
        };
        config.note(key.name, KeyFate::NotUsed, what);
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
