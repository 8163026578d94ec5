//! The content of htsim's files: fat trees (`.topo`) and connection matrices (`.cm`).
//!
//! Invariant: every line is read or is a fault with its place. This is what a file says: nothing has been compared with
//! another.

use core::ops::Range;
use std::collections::BTreeMap;

use interop::import::source::{Part, SourceText, decimal};
use scenario::{Diagnostic, help_with_name};
use workload::LONGEST_MESSAGE;

/// A fat tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtsimTopology {
    /// Number of hosts.
    pub nodes: u64,
    /// Number of tiers of switches: 2 or 3.
    pub tiers: u64,
    /// Number of hosts of a pod; all hosts with two tiers.
    pub podsize: u64,
    /// The tiers, lowest first: values by attribute, in small letters.
    pub tier: Vec<BTreeMap<String, (u64, Range<usize>)>>,
}

/// A connection matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtsimMatrix {
    /// Number of hosts.
    pub nodes: u64,
    /// The connections, in the order of the file.
    pub connections: Vec<HtsimConnection>,
    /// Numbers of the triggers that fire once.
    pub oneshots: Vec<u64>,
    /// Places of the failures.
    pub failures: Vec<Range<usize>>,
}

/// A connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtsimConnection {
    /// Source, counted from 0.
    pub from: u64,
    /// Destination.
    pub to: u64,
    /// Payload in bytes.
    pub size: u64,
    /// Start time in whole units of the file, as htsim's loader drops fractions; `None` if a trigger starts the
    /// connection.
    pub start: Option<u64>,
    /// True if the start has a fraction.
    pub fraction: bool,
    /// Number of the trigger that starts the connection.
    pub trigger: Option<u64>,
    /// Priority; `None` if the file has none.
    pub prio: Option<u64>,
    /// Number of the trigger that its end fires.
    pub fires: Option<u64>,
    /// True if that end is the arrival, not the last acknowledgement.
    pub fires_on_arrival: bool,
    /// Words that nothing stands for here.
    pub others: Vec<String>,
    /// Bytes of the file.
    pub at: Range<usize>,
}

/// Attribute of every tier: the rate of the cables below it, 1 to 800 Gb/s.
pub(super) const SPEED: &str = "downlink_speed_gbps";
/// Attribute of a tier: the time of flight over these cables.
pub(super) const DELAY: &str = "downlink_latency_ns";
/// Largest value of an attribute.
const LARGEST: u64 = 1_000_000_000;
/// Attributes of a connection.
const ATTRIBUTES: [&str; 9] =
    ["id", "start", "size", "prio", "trigger", "send_done_trigger", "recv_done_trigger", "msg", "addon"];
/// Attributes of a tier.
const OF_TIER: [&str; 11] = [
    SPEED,
    "radix_down",
    "radix_up",
    "queue_down",
    "queue_up",
    "oversubscribed",
    "bundle",
    "switch_latency_ns",
    DELAY,
    "ecn_low",
    "ecn_high",
];

impl HtsimTopology {
    /// Reads a file.
    ///
    /// # Errors
    /// If an attribute is unknown or is no number, or a tier is missing.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let mut topology = Self::default();
        for line in source.lines().filter(|line| !line.text.starts_with('#')) {
            let words: Vec<_> = line.words().collect();
            let [key, value] = words[..] else {
                return Err(source.wrong(
                    &line.range(),
                    "this is not an attribute and its value",
                    "write `Radix_Down 4`",
                ));
            };
            let wrong = || {
                source.wrong(
                    &value.range(),
                    format!("`{}` is not a whole number", value.text),
                    "write a whole number up to 1000000000",
                )
            };
            let number: u64 = decimal(value.text).filter(|number| *number <= LARGEST).ok_or_else(wrong)?;
            let name = key.text.to_ascii_lowercase();
            match name.as_str() {
                "nodes" => topology.nodes = number,
                "tiers" => topology.tiers = number,
                "podsize" => topology.podsize = number,
                "tier" if number == topology.tier.len() as u64 && number < 3 => {
                    topology.tier.push(BTreeMap::new());
                }
                "tier" => {
                    let help = "number tiers from 0 on, lowest first, up to 2";
                    return Err(source.wrong(
                        &line.range(),
                        format!("tier {number} does not come next"),
                        help,
                    ));
                }
                _ if OF_TIER.contains(&name.as_str()) => {
                    let Some(tier) = topology.tier.last_mut() else {
                        return Err(source.wrong(
                            &line.range(),
                            "an attribute stands before the first tier",
                            "write `Tier 0` above it",
                        ));
                    };
                    if tier.insert(name, (number, value.range())).is_some() {
                        let message = format!("`{}` is written a second time", key.text);
                        return Err(source.wrong(
                            &line.range(),
                            message,
                            "write each attribute of a tier once",
                        ));
                    }
                }
                _ => {
                    let known = ["nodes", "tiers", "podsize", "tier"].into_iter().chain(OF_TIER);
                    let message = format!("htsim has no attribute `{}`", key.text);
                    return Err(source.wrong(
                        &key.range(),
                        message,
                        &help_with_name(&name, known, "attributes"),
                    ));
                }
            }
        }
        topology.check(source)?;
        Ok(topology)
    }

    fn check(&mut self, source: SourceText<'_>) -> Result<(), Diagnostic> {
        let wrong = |message: String, help: &str| Err(source.whole(message, help));
        if !(2..=3).contains(&self.tiers) {
            return wrong(
                format!("a fat tree of {} tiers is none of htsim's", self.tiers),
                "write `Tiers 2` or `Tiers 3`",
            );
        }
        if self.tier.len() as u64 != self.tiers {
            return wrong(
                format!("{} tiers are described", self.tier.len()),
                "describe as many as `Tiers` says, from `Tier 0` on",
            );
        }
        for (number, tier) in self.tier.iter().enumerate() {
            match tier.get(SPEED) {
                None => {
                    let help = "write `Downlink_speed_Gbps` for each tier";
                    return wrong(format!("tier {number} has no rate of its cables down"), help);
                }
                Some((speed, at)) if !(1..=800).contains(speed) => {
                    let message = format!("{speed} Gb/s is out of range");
                    return Err(source.wrong(at, message, "write a rate from 1 to 800 Gb/s"));
                }
                Some(_) => {}
            }
        }
        if self.podsize == 0 {
            self.podsize = self.nodes;
        }
        Ok(())
    }

    /// Returns an attribute of a tier, or a value for an attribute that the file lacks.
    pub(super) fn attribute(&self, tier: usize, name: &str, missing: u64) -> u64 {
        self.tier[tier].get(name).map_or(missing, |(value, _)| *value)
    }
}

impl HtsimMatrix {
    /// Reads a file.
    ///
    /// # Errors
    /// If a line is no connection, trigger or failure, or names a host that does not exist.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let mut matrix = Self::default();
        let mut counted = None;
        for line in source.lines().filter(|line| !line.text.starts_with('#')) {
            let words: Vec<_> = line.words().collect();
            let count = || -> Result<u64, Diagnostic> {
                let word = words.get(1).copied().unwrap_or(line);
                let wrong = || {
                    source.wrong(
                        &word.range(),
                        format!("`{}` is not a number", word.text),
                        "write a whole number",
                    )
                };
                decimal(word.text).ok_or_else(wrong)
            };
            match words[0].text.to_ascii_lowercase().as_str() {
                "nodes" => matrix.nodes = count()?,
                "connections" => counted = Some((count()?, line.range())),
                "triggers" | "failures" => drop(count()?),
                "trigger" => {
                    let id =
                        words.get(2).filter(|_| words[1].text == "id").and_then(|id| decimal::<u64>(id.text));
                    let once = words.last().is_some_and(|word| word.text == "oneshot");
                    matrix.oneshots.extend(id.filter(|_| once));
                }
                "failure" => matrix.failures.push(line.range()),
                _ => {
                    let connection = connection(source, line, &words)?;
                    let most = connection.from.max(connection.to);
                    if most >= matrix.nodes {
                        let message = format!("there is no host {most}");
                        let help =
                            format!("hosts are numbered from 0, and `Nodes` says {} of them", matrix.nodes);
                        return Err(source.wrong(&line.range(), message, &help));
                    }
                    matrix.connections.push(connection);
                }
            }
        }
        match counted {
            Some((count, at)) if count != matrix.connections.len() as u64 => {
                let message = format!("{} connections follow", matrix.connections.len());
                Err(source.wrong(&at, message, "write their number"))
            }
            _ => Ok(matrix),
        }
    }
}

/// Reads a connection: `0->3 id 1 start 0 size 2000000`.
fn connection(
    source: SourceText<'_>,
    line: Part<'_>,
    words: &[Part<'_>],
) -> Result<HtsimConnection, Diagnostic> {
    let help = "write `0->3 id 1 start 0 size 2000000`";
    let ends = words[0].text.split_once("->").and_then(|(from, to)| Some((decimal(from)?, decimal(to)?)));
    let (from, to) = ends.ok_or_else(|| {
        source.wrong(&words[0].range(), format!("`{}` is no connection", words[0].text), help)
    })?;
    if from == to {
        return Err(source.wrong(
            &words[0].range(),
            format!("host {from} sends to itself"),
            "write two different hosts",
        ));
    }
    let mut connection = HtsimConnection { from, to, at: line.range(), ..HtsimConnection::default() };
    let mut size = None;
    let mut rest = words[1..].iter().copied().peekable();
    while let Some(name) = rest.next() {
        let mut value = || -> Result<u64, Diagnostic> {
            let word = rest.next().unwrap_or(name);
            let wrong =
                || source.wrong(&word.range(), format!("`{}` is not a whole number", word.text), help);
            decimal(word.text).ok_or_else(wrong)
        };
        match name.text {
            "id" => drop(value()?),
            "start" => {
                let word = rest.next().unwrap_or(name);
                let wrong = || source.wrong(&word.range(), format!("`{}` is not a time", word.text), help);
                let (start, fraction) = time(word.text).ok_or_else(wrong)?;
                (connection.start, connection.fraction) = (Some(start), fraction);
            }
            "size" => {
                let bytes = value()?;
                if bytes > LONGEST_MESSAGE.get() {
                    let message = format!("{bytes} bytes are more than the longest message, 2 GiB");
                    let help = format!(
                        "write a whole number up to {}, or several connections",
                        LONGEST_MESSAGE.get()
                    );
                    return Err(source.wrong(&line.range(), message, &help));
                }
                size = Some(bytes);
            }
            "prio" => connection.prio = Some(value()?),
            "trigger" => connection.trigger = Some(value()?),
            "send_done_trigger" => connection.fires = Some(value()?),
            "recv_done_trigger" => {
                (connection.fires, connection.fires_on_arrival) = (Some(value()?), true);
            }
            "msg" | "addon" => {
                connection.others.push(name.text.to_owned());
                // The number may be missing: uet-htsim's loader then takes 0, and goes on with the next attribute.
                if rest.peek().is_some_and(|next| !ATTRIBUTES.contains(&next.text)) {
                    rest.next();
                }
            }
            other => {
                let message = format!("`{other}` is no attribute of a connection");
                return Err(source.wrong(
                    &name.range(),
                    message,
                    &help_with_name(other, ATTRIBUTES, "attributes"),
                ));
            }
        }
    }
    let triggered = connection.trigger.is_some();
    if connection.start.is_some() == triggered {
        let message = if triggered {
            "a start and a trigger start this connection"
        } else {
            "nothing starts this connection"
        };
        return Err(source.wrong(&line.range(), message, "write either `start` or `trigger`"));
    }
    let missing = || source.wrong(&line.range(), "the connection has no size", help);
    connection.size = size.filter(|size| *size > 0).ok_or_else(missing)?;
    Ok(connection)
}

/// Reads a start: the whole units, and true if a fraction was dropped.
fn time(text: &str) -> Option<(u64, bool)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction: u64 = decimal(fraction.trim_end_matches('0'))
        .or(Some(0).filter(|_| fraction.trim_matches('0').is_empty()))?;
    Some((decimal(whole)?, fraction > 0))
}
