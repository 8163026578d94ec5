//! RoCEv2 leaf-spine fabrics, and fabrics in a file.

use link_layer::flow_control::headroom::slowest_reaction;
use topology::hpcc;
use units::{Bytes, Rate};

use super::{DraftError, filled};

/// Rate for which the papers' parameters of DCQCN are meant.
const RATE_OF_PAPERS: u64 = 40_000_000_000;
/// Rate for which HPCC's authors state Kmin and Kmax.
const RATE_OF_THRESHOLDS: u64 = 25_000_000_000;

/// A RoCEv2 fabric of leaves and spines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSpine {
    /// Rate of all cables.
    pub rate: Rate,
    /// Number of leaf switches.
    pub leaves: u32,
    /// Number of spine switches.
    pub spines: u32,
    /// Number of hosts of a leaf.
    pub hosts: u32,
}

impl LeafSpine {
    /// Returns the scenario.
    ///
    /// # Errors
    /// If a switch would have more than 254 ports, or there are fewer than three hosts.
    pub fn scenario(self) -> Result<String, DraftError> {
        let Self { rate, leaves, spines, hosts } = self;
        if hosts + spines > 254 || leaves > 254 || u64::from(leaves) * u64::from(hosts) < 3 {
            return Err(DraftError {
                message: format!(
                    "{leaves} leaves with {hosts} hosts each and {spines} spines cannot be simulated"
                ),
                help: "write at least 3 hosts in all, and at most 254 ports a switch".to_owned(),
            });
        }
        let all = leaves * hosts;
        let mut names = common(rate, all);
        names.extend([
            ("LEAVES", leaves.to_string()),
            ("SPINES", spines.to_string()),
            ("OWN", hosts.to_string()),
            ("LOAD", format!("{}", (f64::from(spines) / f64::from(hosts)).min(1.0) * 0.4)),
        ]);
        Ok(filled(include_str!("leaf_spine.ron"), &names))
    }
}

/// Returns the scenario of a RoCEv2 fabric in a topology file, whose name and text these are.
///
/// # Errors
/// If the text is not a topology in HPCC's form, or has fewer than three hosts.
pub fn of_file(file: &str, text: &str) -> Result<String, DraftError> {
    let fabric = hpcc::read(text)
        .map_err(|flaw| DraftError { message: format!("{file}: {}", flaw.kind), help: flaw.kind.help() })?;
    let rates = fabric.cables.iter().map(|(_, rate, _)| *rate);
    let hosts = &fabric.custom.hosts;
    let (Some(rate), Some(host), 3..) = (rates.max(), hosts.first(), hosts.len()) else {
        return Err(DraftError {
            message: format!("{file} has {} hosts", hosts.len()),
            help: "name a topology with at least three hosts".to_owned(),
        });
    };
    let mut names = common(rate, hosts.len() as u32);
    names.extend([
        ("ORIGIN", format!("the file {file:?}")),
        ("ABOUT", "Nodes, links and cables are those of the file. To write them here instead: `backwater fields topology.Custom`.".to_owned()),
        ("TOPOLOGY", format!("HpccFile({file:?})")),
        ("CABLES", String::new()),
        ("PATHS", BY_HASH.to_owned()),
        ("ROUTING", "Ecmp".to_owned()),
        ("TO", format!("{host:?}")),
    ]);
    Ok(filled(include_str!("from_file.ron"), &names))
}

/// Explanation of `routing: Ecmp`.
const BY_HASH: &str = "A hash of each flow chooses among equally short paths.";

/// A RoCEv2 fabric with a topology and cables of its own, as texts of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomRoce {
    /// Where the fabric is from, for the first comment.
    pub origin: String,
    /// Field `topology`.
    pub topology: String,
    /// Entries of `cables`, with the ends of their lines.
    pub cables: String,
    /// True if packets could wait in a cycle on the shortest paths.
    pub cyclic: bool,
    /// Rate of most cables of hosts.
    pub rate: Rate,
    /// Number of hosts.
    pub hosts: u32,
    /// Name of the host to which others send at once.
    pub to: String,
}

impl CustomRoce {
    /// Returns the scenario.
    #[must_use]
    pub fn scenario(&self) -> String {
        let (paths, routing) = if self.cyclic {
            (
                "Packets could wait for each other in a cycle on the shortest paths: these lead up, then down.",
                "UpDown()",
            )
        } else {
            (BY_HASH, "Ecmp")
        };
        let mut names = common(self.rate, self.hosts);
        names.extend([
            ("ORIGIN", self.origin.clone()),
            ("ABOUT", "Ports have numbers by their names; ports.csv has both.".to_owned()),
            ("TOPOLOGY", self.topology.clone()),
            ("CABLES", self.cables.clone()),
            ("PATHS", paths.to_owned()),
            ("ROUTING", routing.to_owned()),
            ("TO", format!("{:?}", self.to)),
        ]);
        filled(include_str!("from_file.ron"), &names)
    }
}

/// Returns the texts that both drafts need.
fn common(rate: Rate, hosts: u32) -> Vec<(&'static str, String)> {
    let scaled = |amount: u64, of: u64| amount * (rate.get() / 1_000_000) / (of / 1_000_000);
    let kilobytes = |at_25: u64| Bytes::new(scaled(at_25 * 1000, RATE_OF_THRESHOLDS)).get() / 1000;
    let megabits = |at_40: u64| scaled(at_40, RATE_OF_PAPERS);
    let reaction = if slowest_reaction(rate).is_some() {
        "// Time until a sender obeys a PAUSE: the standard's limit at the rate, unless `reaction` is given.\n        \
         flow_control: Pause(resume_offset: \"8 KiB\"),"
    } else {
        "// The standard's limit for the reaction is not known at this rate: this is a guess of 2 us. Write your switch's.\n        \
         flow_control: Pause(resume_offset: \"8 KiB\", reaction: \"2 us\"),"
    };
    vec![
        ("RATE", rate.to_string()),
        ("HOSTS", hosts.to_string()),
        ("SENDERS", hosts.saturating_sub(1).min(16).to_string()),
        ("FLOW_CONTROL", reaction.to_owned()),
        ("MEMORY", memory(rate).to_owned()),
        ("KMIN", format!("{} kB", kilobytes(100))),
        ("KMAX", format!("{} kB", kilobytes(400))),
        ("ADDITIVE", format!("{} Mb/s", megabits(40))),
        ("HYPER", format!("{} Mb/s", megabits(200))),
    ]
}

/// Returns the packet memory that switches of this rate have, by order of magnitude.
fn memory(rate: Rate) -> &'static str {
    match rate {
        rate if rate <= Rate::gbps(50) => "12 MB",
        rate if rate <= Rate::gbps(100) => "32 MB",
        _ => "64 MB",
    }
}
