//! Reader of `config.txt` of HPCC's simulator (ns-3): a key and its values in each line.
//!
//! Invariant: the account has every key of the file, in the file's order.
//!
//! Settings that are fixed in that simulator's code are written into the scenario: switches store and forward without
//! latency of their own, over a central memory ([`hpcc_memory`](super)).

use core::fmt::Write;
use std::collections::{BTreeMap, BTreeSet};

use packet::Mtu;
use topology::hpcc;
use units::{Bytes, Rate, Span, Time};

use super::account::{KeyAccount, KeyFate};
use super::hpcc_keys::{RESPONSE, UNUSED, is_of_dcqcn};
use super::hpcc_memory;
use crate::diagnostics::{Diagnostic, Excerpt, LocatedFault};

/// Reads a file that a configuration names: its text by its name; `None` if there is no such file.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A scenario, the files that belong beside it, and the fate of every key.
#[derive(Clone, Debug)]
pub struct ImportedScenario {
    /// The scenario as text.
    pub scenario: String,
    /// Files beside the scenario: name and text.
    pub files: Vec<(String, String)>,
    /// The fate of every key, in the file's order.
    pub account: Vec<KeyAccount>,
}

/// Turns a configuration into a scenario.
///
/// # Errors
/// If a line is not a key with values, a value does not fit its key, or a file is missing or wrong.
pub fn read(name: &str, text: &str, files: FileReader<'_>) -> Result<ImportedScenario, Diagnostic> {
    let mut import = HpccImport { name, text, keys: keys(name, text)?, account: BTreeMap::new() };
    let (topology_file, topology) = import.file("TOPOLOGY_FILE", files)?;
    let fabric = hpcc::read(&topology).map_err(|flaw| {
        let (message, help) = (flaw.kind.to_string(), Some(flaw.kind.help()));
        let place = Some(Box::new(Excerpt::new(&topology, flaw.at.start, flaw.at.end)));
        let (file, path) = (topology_file.clone(), "TOPOLOGY_FILE".to_owned());
        Diagnostic::from(LocatedFault { file, place, path, message, help })
    })?;
    let (flow_file, flows) = import.file("FLOW_FILE", files)?;
    let scenario = import.scenario(&fabric, (&topology_file, &flow_file), &flows)?;
    import.settle_the_rest();
    let account = import.keys.iter().map(|key| import.account[key.name].clone()).collect();
    Ok(ImportedScenario { scenario, files: vec![(topology_file, topology), (flow_file, flows)], account })
}

/// A key with its values, and their offset in the file.
#[derive(Clone, Copy, Debug)]
struct ConfigKey<'a> {
    name: &'a str,
    given: &'a str,
    start: usize,
}

fn keys<'a>(file: &str, text: &'a str) -> Result<Vec<ConfigKey<'a>>, Diagnostic> {
    let mut keys: Vec<ConfigKey<'a>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let here = start;
        start += line.len();
        let line = line.split(['#', '{']).next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let at = here + (line.as_ptr() as usize - text[here..].as_ptr() as usize);
        let (name, given) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let given = given.trim();
        let wrong = |message: String, help: &str| {
            let place = Some(Box::new(Excerpt::new(text, at, at + name.len())));
            let (file, path) = (file.to_owned(), name.to_owned());
            Err(LocatedFault { file, place, path, message, help: Some(help.to_owned()) }.into())
        };
        if given.is_empty() {
            return wrong(format!("`{name}` has no value"), "write a key and its value in one line");
        }
        if keys.iter().any(|key| key.name == name) {
            return wrong(format!("`{name}` is given twice"), "write it once");
        }
        let start = given.as_ptr() as usize - text.as_ptr() as usize;
        keys.push(ConfigKey { name, given, start });
    }
    Ok(keys)
}

/// An import under way.
struct HpccImport<'a> {
    name: &'a str,
    text: &'a str,
    keys: Vec<ConfigKey<'a>>,
    account: BTreeMap<String, KeyAccount>,
}

impl<'a> HpccImport<'a> {
    fn key(&self, name: &str) -> Option<ConfigKey<'a>> {
        self.keys.iter().find(|key| key.name == name).copied()
    }

    fn wrong(&self, key: ConfigKey<'_>, message: String, help: &str) -> Diagnostic {
        let place = Some(Box::new(Excerpt::new(self.text, key.start, key.start + key.given.len())));
        let (file, path) = (self.name.to_owned(), key.name.to_owned());
        LocatedFault { file, place, path, message, help: Some(help.to_owned()) }.into()
    }

    fn note(&mut self, name: &str, fate: KeyFate, what: impl Into<String>) {
        if let Some(key) = self.key(name) {
            let (key, given, what) = (name.to_owned(), key.given.to_owned(), what.into());
            self.account.insert(name.to_owned(), KeyAccount { key, given, fate, what });
        }
    }

    /// Returns the file that a key names, by the last part of its name, and its text.
    fn file(&mut self, name: &str, files: FileReader<'_>) -> Result<(String, String), Diagnostic> {
        let Some(key) = self.key(name) else {
            let (file, path) = (self.name.to_owned(), name.to_owned());
            let (message, help) = ("this key is missing".to_owned(), Some(format!("write `{name} FILE`")));
            return Err(LocatedFault { file, place: None, path, message, help }.into());
        };
        let last = key.given.rsplit('/').next().unwrap_or(key.given);
        let last = if last.ends_with(".txt") { last.to_owned() } else { format!("{last}.txt") };
        let missing = || {
            let help = "put it there, or beside the configuration";
            self.wrong(key, format!("there is no file `{}`", key.given), help)
        };
        let text = files(key.given).ok_or_else(missing)?;
        self.note(name, KeyFate::Used, format!("`{last}`, beside the scenario"));
        Ok((last, text))
    }

    /// Returns the number of a key; `None` if the file does not have the key.
    fn number(&self, name: &str) -> Result<Option<f64>, Diagnostic> {
        let Some(key) = self.key(name) else { return Ok(None) };
        let number = key.given.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
        let wrong =
            || self.wrong(key, format!("`{}` is not a number", key.given), "write a number of at least 0");
        number.map(Some).ok_or_else(wrong)
    }

    /// Returns the number of a key that is a field of the scenario, and enters it in the account.
    fn used(&mut self, name: &str, field: &str) -> Result<Option<f64>, Diagnostic> {
        let number = self.number(name)?;
        self.note(name, KeyFate::Used, format!("`{field}`"));
        Ok(number)
    }

    fn scenario(
        &mut self,
        fabric: &hpcc::HpccFabric,
        (topology_file, flow_file): (&str, &str),
        flows: &str,
    ) -> Result<String, Diagnostic> {
        let (first, levels) = starts(flows);
        let stop = self.number("SIMULATOR_STOP_TIME")?.unwrap_or(4.0);
        self.note("SIMULATOR_STOP_TIME", KeyFate::Used, "`duration`, counted from the first flow's start");
        let end = Time::from_ps((stop * 1e12).round() as u64);
        let duration = end.since(first);
        if duration == Span::ZERO {
            let key = self.key("SIMULATOR_STOP_TIME").or_else(|| self.key("FLOW_FILE"));
            let key = key.expect("its flow file has been read");
            return Err(self.wrong(
                key,
                "the run stops before the first flow starts".to_owned(),
                "stop later",
            ));
        }
        let mtu = self.mtu()?;
        let lanes = if levels > 1 { 8 } else { 1 };
        let acknowledge = self.used("L2_ACK_INTERVAL", "adapter.ack_every")?.unwrap_or(1.0).max(1.0);
        let control = self.congestion_control(fabric)?;
        let switches = self.switches(fabric, lanes)?;
        let sample = Span::from_ps((duration.ps() / 1000).max(1));
        Ok(format!(
            "// Imported from {name}, a configuration of HPCC's simulator.\n\
             (\n    about: \"Imported from {name}.\",\n    duration: \"{duration}\",\n    sample: \"{sample}\",\n    \
             topology: HpccFile(\"{topology_file}\"),\n    cables: {{}},\n    link: (\n        framing: RoCEv2,\n        \
             mtu: \"{mtu}\",\n        data_lanes: {lanes},\n        {lossless}\n    ),\n{switches}    \
             adapter: (receive_buffer: \"2 MiB\", ack_every: {acknowledge}, max_outstanding: 65536, ack_timeout: 14, \
             retry_count: 7),\n    congestion_control: {control},\n    \
             traffic: [FlowList(file: \"{flow_file}\", origin: \"{origin}\")],\n)\n",
            name = self.name,
            lossless = hpcc_memory::LOSSLESS,
            mtu = Bytes::from(mtu),
            origin = first.since_start(),
        ))
    }

    /// Returns the MTU that is nearest to the payload of a packet.
    fn mtu(&mut self) -> Result<Mtu, Diagnostic> {
        let given = self.number("PACKET_PAYLOAD_SIZE")?.unwrap_or(1000.0);
        let all = Mtu::ALL.into_iter().chain(Mtu::OF_ETHERNET);
        let off = |mtu: &Mtu| (f64::from(mtu.bytes()) - given).abs();
        let nearest = all.min_by(|a, b| off(a).total_cmp(&off(b))).expect("there are sizes");
        let fate = if off(&nearest) == 0.0 { KeyFate::Used } else { KeyFate::Approximated };
        self.note("PACKET_PAYLOAD_SIZE", fate, format!("`link.mtu` of {} B", nearest.bytes()));
        Ok(nearest)
    }

    /// Writes the memory of each switch, by its number of ports, with the threshold of a port.
    fn switches(&mut self, fabric: &hpcc::HpccFabric, lanes: u64) -> Result<String, Diagnostic> {
        let mebibytes = self.number("BUFFER_SIZE")?.unwrap_or(12.0);
        let dynamic = self.number("USE_DYNAMIC_PFC_THRESHOLD")?.unwrap_or(1.0) != 0.0;
        let mut ports: BTreeMap<&str, u64> = BTreeMap::new();
        for link in &fabric.custom.links {
            *ports.entry(&link.from).or_default() += 1;
            *ports.entry(&link.to).or_default() += 1;
        }
        let share = |name: &str| {
            (mebibytes * 1_048_576.0) as u64 / (ports.get(name).copied().unwrap_or(1).max(1) * lanes)
        };
        let switch = |name: &str| {
            let alpha = hpcc_memory::alpha(fabric, name).0;
            let sharing = if dynamic {
                format!("sharing: Dynamic(alpha: {alpha:?}, guaranteed: \"4 KiB\"), ")
            } else {
                String::new()
            };
            format!(
                "(buffering: Central, arbiter: RoundRobin, buffer: \"{} B\", {sharing}latency: \"0 s\", \
                 forwarding: StoreAndForward, speedup: 1.0)",
                share(name)
            )
        };
        let names = &fabric.custom.switches;
        let usual = names.first().map_or_else(|| switch(""), |first| switch(first));
        let mut text = format!("    switch: {usual},\n");
        let mut others = String::new();
        for name in names.iter().filter(|name| switch(name) != usual) {
            writeln!(others, "        \"{name}\": {},", switch(name)).expect("a string takes it");
        }
        if !others.is_empty() {
            write!(text, "    switches: {{\n{others}    }},\n").expect("a string takes it");
        }
        let what = "`switch.buffer`: the memory over ports and lanes; headroom is what each cable needs, not that simulator's";
        self.note("BUFFER_SIZE", KeyFate::Approximated, what);
        let (fate, what) = match (dynamic, names.iter().all(|name| hpcc_memory::alpha(fabric, name).1)) {
            (true, true) => {
                (KeyFate::Used, "`switch.sharing`: Dynamic, with that simulator's alpha for each switch")
            }
            (true, false) => (
                KeyFate::Approximated,
                "`switch.sharing`: Dynamic; where links of a switch differ, all have the slowest one's alpha",
            ),
            (false, _) => (KeyFate::Approximated, "`switch.sharing`: every port and lane has its part"),
        };
        self.note("USE_DYNAMIC_PFC_THRESHOLD", fate, what);
        Ok(text)
    }

    fn congestion_control(&mut self, fabric: &hpcc::HpccFabric) -> Result<String, Diagnostic> {
        let enabled = self.number("ENABLE_QCN")?.unwrap_or(1.0) != 0.0;
        let what = if enabled { "marking is on if the scheme marks" } else { "`congestion_control: Off`" };
        self.note("ENABLE_QCN", KeyFate::Used, what);
        let mode = self.number("CC_MODE")?.unwrap_or(1.0);
        let scheme = match mode as u32 {
            1 => "DCQCN",
            3 => "HPCC",
            7 => "TIMELY",
            8 => "DCTCP",
            10 => "HPCC-PINT",
            _ => "this scheme",
        };
        if mode != 1.0 || !enabled {
            let (fate, what) = if enabled {
                (
                    KeyFate::NotUsed,
                    format!("{scheme} is not modelled: the scenario runs without congestion control"),
                )
            } else {
                (KeyFate::NotUsed, "ENABLE_QCN is 0".to_owned())
            };
            self.note("CC_MODE", fate, what);
            return Ok("Off".to_owned());
        }
        self.note("CC_MODE", KeyFate::Used, "`Dcqcn`");
        let marking = self.marking(fabric)?;
        let mut response = String::new();
        for (key, field, unit, fate, more) in RESPONSE {
            let Some(given) = self.key(key) else { continue };
            let value = match unit {
                "us" => format!("\"{} us\"", self.number(key)?.unwrap_or_default()),
                "rate" => self.rate(given)?,
                "flag" => (self.number(key)?.unwrap_or_default() != 0.0).to_string(),
                _ => given.given.to_owned(),
            };
            self.number_if(unit, key)?;
            write!(response, "{field}: {value}, ").expect("a string takes it");
            self.note(key, fate, format!("`congestion_control.response.{field}`{more}"));
        }
        let what = "without a byte counter, which that simulator has not, there is no hyper increase here";
        self.note("RATE_HAI", KeyFate::NotUsed, what);
        let interval = self.number("RATE_DECREASE_INTERVAL")?;
        let what = "`congestion_control.echo.interval`: that simulator has no CNPs, and looks in such intervals whether there was a mark";
        self.note("RATE_DECREASE_INTERVAL", KeyFate::Approximated, what);
        let echo = interval.map_or_else(String::new, |us| format!("echo: (interval: \"{us} us\"), "));
        Ok(format!(
            "Dcqcn({marking}{echo}response: ({response}clamp_after_timer: true, byte_counter: \"4 GB\"))"
        ))
    }

    /// A number has to be one even where it goes as it is.
    fn number_if(&self, unit: &str, key: &str) -> Result<(), Diagnostic> {
        if unit == "rate" { Ok(()) } else { self.number(key).map(drop) }
    }

    fn rate(&self, key: ConfigKey<'_>) -> Result<String, Diagnostic> {
        let mut spelled = key.given.replace("bps", "b/s");
        if key.given.ends_with(|last: char| last.is_ascii_digit()) {
            spelled.push_str(" b/s");
        }
        let rate = spelled.parse::<Rate>();
        let rate =
            rate.map_err(|_| self.wrong(key, format!("`{}` is not a rate", key.given), "write `50Mb/s`"))?;
        Ok(format!("\"{rate}\""))
    }

    /// Kmin, Kmax and Pmax at the rate of the hosts' links.
    fn marking(&mut self, fabric: &hpcc::HpccFabric) -> Result<String, Diagnostic> {
        let mut fields = String::new();
        let rates: BTreeSet<u64> = fabric.cables.iter().map(|(_, rate, _)| rate.get()).collect();
        let rate = hpcc_memory::rate_of_hosts(fabric).map(Rate::get);
        for (key, field) in [("KMIN_MAP", "kmin"), ("KMAX_MAP", "kmax"), ("PMAX_MAP", "pmax")] {
            let Some(given) = self.key(key) else { continue };
            let pairs = self.pairs(given)?;
            let Some((_, value)) = pairs.iter().find(|(at, _)| Some(*at as u64) == rate) else {
                let what = "it has no entry for the rate of the hosts' links: `Dcqcn`'s own value stands";
                self.note(key, KeyFate::NotUsed, what);
                continue;
            };
            let written = if field == "pmax" {
                format!("{value:?}")
            } else {
                format!("\"{} B\"", (value * 1000.0).round() as u64)
            };
            write!(fields, "{field}: {written}, ").expect("a string takes it");
            let (fate, why) = if rates.len() > 1 {
                (
                    KeyFate::Approximated,
                    ", at the rate of the hosts' links for all ports: there is one threshold",
                )
            } else {
                (KeyFate::Used, "")
            };
            self.note(key, fate, format!("`congestion_control.marking.{field}`{why}"));
        }
        Ok(if fields.is_empty() {
            String::new()
        } else {
            format!("marking: ({}), ", fields.trim_end_matches(", "))
        })
    }

    /// `COUNT KEY VALUE KEY VALUE ...`.
    fn pairs(&self, key: ConfigKey<'_>) -> Result<Vec<(f64, f64)>, Diagnostic> {
        let wrong = || {
            let message = format!("`{}` is not a count and so many pairs", key.given);
            self.wrong(key, message, "write `1 25000000000 400`: how many, then a rate and a value for each")
        };
        let numbers: Vec<f64> = key
            .given
            .split_whitespace()
            .map(|word| word.parse().map_err(|_| wrong()))
            .collect::<Result<_, _>>()?;
        match numbers.split_first() {
            Some((count, rest)) if rest.len() as f64 == 2.0 * count => {
                Ok(rest.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
            }
            _ => Err(wrong()),
        }
    }

    /// Enters all remaining keys in the account, with the reason for leaving them out.
    fn settle_the_rest(&mut self) {
        let left: Vec<_> =
            self.keys.iter().copied().filter(|key| !self.account.contains_key(key.name)).collect();
        for key in left {
            let zero = key.given.split_whitespace().all(|word| word.parse() == Ok(0.0));
            let known = UNUSED.iter().find(|(name, _)| *name == key.name);
            let (fate, what) = match (known, key.name) {
                (_, "ERROR_RATE_PER_LINK") if zero => (KeyFate::Used, "wires lose nothing"),
                (_, "LINK_DOWN") if zero => (KeyFate::Used, "no link fails"),
                (_, "HAS_WIN") if zero => (KeyFate::Used, "no window beside `adapter.max_outstanding`"),
                (Some((_, why)), _) => (KeyFate::NotUsed, *why),
                (None, name) if is_of_dcqcn(name) => {
                    (KeyFate::NotUsed, "it is DCQCN's, which this configuration does not use")
                }
                (None, _) => (KeyFate::NotUsed, "no such key is known here"),
            };
            self.note(key.name, fate, what);
        }
    }
}

/// Returns the start of the first flow, and the number of priorities. A wrong list is refused when the scenario is
/// checked.
fn starts(flows: &str) -> (Time, usize) {
    let rows = flows.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|words| words.len() >= 5).collect();
    let seconds = rows.iter().filter_map(|words| words.last()?.parse().ok());
    let first = seconds.fold(f64::INFINITY, |least: f64, one: f64| least.min(one));
    // Rounded down to microseconds: exact for every list in microseconds.
    let origin = if first.is_finite() && first > 0.0 { (first * 1e6 + 1e-3).floor() as u64 } else { 0 };
    let levels: BTreeSet<_> = rows.iter().map(|words| words[2]).collect();
    (Span::from_us(origin).after_start(), levels.len())
}
