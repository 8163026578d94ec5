//! The content of htsim's fat trees (`.topo`).
//!
//! Invariant: every line is read or is a fault with its place. This is what a file says: nothing has been compared with
//! another.

use core::ops::Range;
use std::collections::BTreeMap;

use interop::import::source::{SourceText, decimal};
use scenario::{Diagnostic, help_with_name};

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

/// Attribute of every tier: the rate of the cables below it, 1 to 800 Gb/s.
pub(super) const SPEED: &str = "downlink_speed_gbps";
/// Attribute of a tier: the time of flight over these cables.
pub(super) const DELAY: &str = "downlink_latency_ns";
/// Largest value of an attribute.
const LARGEST: u64 = 1_000_000_000;
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
