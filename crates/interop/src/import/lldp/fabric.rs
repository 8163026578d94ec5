//! Hosts, switches and cables of a fabric, in order, with their names in a scenario.
//!
//! Invariant: each port of a host with several is a host. Hosts stand in the order of their switches and ports, both in
//! the order of their names with numbers as numbers.

use std::collections::{BTreeMap, BTreeSet};

use settings::glob;
use units::{Length, Rate};

use super::LldpOptions;
use super::identity::Identities;
use super::rows;
use super::wiring::{Cable, End, Wiring};
use crate::import::infiniband::names::{distinct, natural, plain};
use crate::import::sonic::fabric::{SwitchPorts, switch_ports};
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Rate of cables if nothing says another.
const USUAL_RATE: Rate = Rate::gbps(100);
/// Lengths of the cables of hosts, and between switches, as in drafts.
const USUAL_LENGTHS: [Length; 2] = [Length::from_mm(3000), Length::from_mm(30_000)];

/// A fabric as it can be simulated.
#[derive(Default)]
pub(super) struct Fabric {
    /// Ports of hosts, with their names in the scenario.
    pub(super) hosts: Vec<(End, String)>,
    /// Switches, with their names in the scenario.
    pub(super) switches: Vec<(String, String)>,
    /// The cables; of a host its end comes first.
    pub(super) links: Vec<Link>,
    pub(super) found: Found,
}

/// A cable, with its rate and length, assumed or not.
pub(super) struct Link {
    pub(super) ends: [End; 2],
    pub(super) is_trunk: bool,
    pub(super) rate: Rate,
    pub(super) length: Length,
}

impl Link {
    /// Returns the name of the cable's kind: `100G-3m`, or `400G-30m trunk`.
    pub(super) fn kind(&self) -> String {
        let gigabits = self.rate.get() as f64 / 1e9;
        let metres = self.length.mm() as f64 / 1000.0;
        format!("{gigabits}G-{metres}m{}", if self.is_trunk { " trunk" } else { "" })
    }
}

/// What the account says.
#[derive(Default)]
pub(super) struct Found {
    pub(super) without_rate: usize,
    pub(super) without_length: usize,
    /// Cables with two lengths, of which the longer holds.
    pub(super) two_lengths: usize,
    /// Cables between nodes with tables that only one of these lists.
    pub(super) seen_once: usize,
    /// Nodes that the number of their cables makes hosts or switches.
    pub(super) by_degree: Option<(usize, Vec<String>)>,
    pub(super) several_ports: Vec<String>,
    pub(super) renamed: usize,
    /// Other forms of names, each with the name that stands for it.
    pub(super) merged: Vec<(String, String)>,
    /// Configurations whose switch no cable names.
    pub(super) strange_configs: Vec<String>,
    pub(super) nameless: usize,
    pub(super) agents: usize,
}

/// Returns the ports of switches by their configurations, by the name of the switch or else of the file.
pub(super) fn ports(
    configs: &[SourceText<'_>],
    identities: &Identities,
) -> Result<BTreeMap<String, SwitchPorts>, Diagnostic> {
    let mut ports = BTreeMap::new();
    for config in configs {
        let own = switch_ports(*config)?;
        let name = identities.name(own.hostname.as_deref().unwrap_or_else(|| rows::stem(config.name)));
        if ports.insert(name.clone(), own).is_some() {
            let help = "give one configuration a switch, with its name in DEVICE_METADATA.localhost.hostname";
            return Err(config.whole(format!("a second configuration is that of `{name}`"), help));
        }
    }
    Ok(ports)
}

impl Fabric {
    /// Puts the nodes in order.
    pub(super) fn new(
        files: &[SourceText<'_>],
        wiring: &Wiring,
        (ports, options): (&BTreeMap<String, SwitchPorts>, &LldpOptions),
    ) -> Result<Self, Diagnostic> {
        let mut fabric = Self::default();
        let is_switch = fabric.roles(files, wiring, options)?;
        for cable in &wiring.cables {
            let link = fabric.link(files, cable, &is_switch, (ports, options))?;
            fabric.found.seen_once += usize::from(
                cable.rows == 1 && cable.ends.iter().all(|(node, _)| wiring.tables.contains(node)),
            );
            fabric.links.push(link);
        }
        fabric.found.nameless = wiring.nameless;
        fabric.found.agents = wiring.agents;
        fabric.found.strange_configs =
            ports.keys().filter(|name| !is_switch.contains_key(*name)).cloned().collect();
        fabric.order(&is_switch);
        if fabric.hosts.len() < 3 {
            let message = format!("the files have {} hosts, and a scenario needs three", fabric.hosts.len());
            let help = "give the tables of more switches; `--hosts PATTERN` says which nodes are hosts";
            return Err(files[0].whole(message, help));
        }
        fabric.connected(files)?;
        Ok(fabric)
    }

    /// Returns for each node if it is a switch.
    fn roles(
        &mut self,
        files: &[SourceText<'_>],
        wiring: &Wiring,
        options: &LldpOptions,
    ) -> Result<BTreeMap<String, bool>, Diagnostic> {
        let mut cables: BTreeMap<&str, Vec<&Cable>> = BTreeMap::new();
        for cable in &wiring.cables {
            cable.ends.iter().for_each(|(node, _)| cables.entry(node).or_default().push(cable));
        }
        let named =
            |patterns: &[String], node: &str| patterns.iter().any(|pattern| glob::matches(pattern, node));
        for pattern in options.hosts.iter().chain(&options.switches) {
            if !cables.keys().any(|node| glob::matches(pattern, node)) {
                let known: Vec<&str> = cables.keys().copied().collect();
                return Err(files[0].whole(
                    format!("`{pattern}` names no node"),
                    &scenario::help_with_name(pattern, known, "nodes"),
                ));
            }
        }
        let mut roles = BTreeMap::new();
        let mut by_degree = (0, Vec::new());
        for (node, own) in cables {
            let is_switch = if named(&options.hosts, node) {
                false
            } else if named(&options.switches, node)
                || !options.hosts.is_empty()
                || wiring.tables.contains(node)
            {
                true
            } else if own.len() == 1 {
                by_degree.0 += usize::from(wiring.tables.is_empty());
                false
            } else if wiring.tables.is_empty() {
                by_degree.1.push(node.to_owned());
                true
            } else if wiring.bridges.contains(node) {
                let message = format!(
                    "`{node}` has {} cables and is a bridge: a switch, or a host with several ports",
                    own.len()
                );
                let help =
                    format!("give its own `show lldp table`, or say `--hosts {node}` or `--switches {node}`");
                let (file, at) = &own[0].at;
                return Err(files[*file].wrong(at, message, &help));
            } else {
                false
            };
            roles.insert(node.to_owned(), is_switch);
        }
        self.found.by_degree = Some(by_degree).filter(|(hosts, switches)| *hosts > 0 || !switches.is_empty());
        Ok(roles)
    }

    /// Completes a cable by configurations and options.
    fn link(
        &mut self,
        files: &[SourceText<'_>],
        cable: &Cable,
        is_switch: &BTreeMap<String, bool>,
        (ports, options): (&BTreeMap<String, SwitchPorts>, &LldpOptions),
    ) -> Result<Link, Diagnostic> {
        let (file, at) = &cable.at;
        let mut ends = cable.ends.clone();
        // The order of a file says nothing: the same fabric is the same scenario.
        ends.sort_by(|(a, p), (b, q)| {
            is_switch[a].cmp(&is_switch[b]).then_with(|| natural(a, b)).then_with(|| natural(p, q))
        });
        let is_trunk = is_switch[&ends[0].0];
        if !is_switch[&ends[1].0] {
            let message =
                format!("the cable joins `{}` and `{}`, which are both hosts", ends[0].0, ends[1].0);
            return Err(files[*file].wrong(
                at,
                message,
                "say `--switches PATTERN` for the one that is a switch",
            ));
        }
        let of_ends = |ends: &[End; 2]| -> Vec<(Option<Rate>, Option<Length>)> {
            let own = |(node, port): &End| {
                let ports = ports.get(node)?;
                Some((ports.speeds.get(port).copied(), ports.lengths.get(port).copied()))
            };
            ends.iter().filter_map(own).collect()
        };
        let own = of_ends(&ends);
        let rates: BTreeSet<Rate> = own.iter().filter_map(|(rate, _)| *rate).chain(cable.rate).collect();
        if let (Some(one), Some(other)) = (rates.first(), rates.last().filter(|_| rates.len() > 1)) {
            let message = format!("the files and configurations give this cable rates of {one} and {other}");
            return Err(files[*file].wrong(at, message, "both ends of a cable have one speed"));
        }
        let lengths: BTreeSet<Length> =
            own.iter().filter_map(|(_, length)| *length).chain(cable.length).collect();
        self.found.two_lengths += usize::from(lengths.len() > 1);
        self.found.without_rate += usize::from(rates.is_empty());
        self.found.without_length += usize::from(lengths.is_empty());
        let usual = if is_trunk { options.trunk_rate.or(options.rate) } else { options.rate };
        let rate = rates.first().copied().or(usual).unwrap_or(USUAL_RATE);
        let usual = if is_trunk { options.trunk_length.or(options.length) } else { options.length };
        let length = lengths.last().copied().or(usual).unwrap_or(USUAL_LENGTHS[usize::from(is_trunk)]);
        Ok(Link { ends, is_trunk, rate, length })
    }

    /// Puts switches, hosts and cables in order, and names them.
    fn order(&mut self, is_switch: &BTreeMap<String, bool>) {
        let mut switches: Vec<&String> =
            is_switch.iter().filter(|(_, is)| **is).map(|(node, _)| node).collect();
        switches.sort_by(|a, b| natural(a, b));
        let place: BTreeMap<&str, usize> =
            switches.iter().enumerate().map(|(i, node)| (node.as_str(), i)).collect();
        self.links.sort_by(|a, b| {
            let key = |link: &Link| (link.is_trunk, place[link.ends[1].0.as_str()]);
            key(a)
                .cmp(&key(b))
                .then_with(|| natural(&a.ends[1].1, &b.ends[1].1))
                .then_with(|| a.ends.cmp(&b.ends))
        });
        let hosts: Vec<End> =
            self.links.iter().filter(|link| !link.is_trunk).map(|link| link.ends[0].clone()).collect();
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        hosts.iter().for_each(|(node, _)| *count.entry(node).or_default() += 1);
        self.found.several_ports =
            count.iter().filter(|(_, ports)| **ports > 1).map(|(node, _)| (*node).to_owned()).collect();
        let of_host = |(node, port): &End| {
            let name = if count[node.as_str()] > 1 { format!("{node}/{port}") } else { node.clone() };
            (plain(&name), port.clone())
        };
        let mut names: Vec<(String, String)> = hosts.iter().map(of_host).collect();
        names.extend(switches.iter().map(|node| (plain(node), "switch".to_owned())));
        self.found.renamed = distinct(&mut names);
        let mut names = names.into_iter().map(|(name, _)| name);
        self.hosts = hosts.into_iter().zip(names.by_ref()).collect();
        self.switches = switches.into_iter().cloned().zip(names).collect();
    }

    /// Checks that cables join all hosts.
    fn connected(&self, files: &[SourceText<'_>]) -> Result<(), Diagnostic> {
        let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let is_host = |link: &Link| !link.is_trunk;
        for link in &self.links {
            let [one, other] = [&link.ends[0].0, &link.ends[1].0];
            // Packets do not pass through hosts.
            if !is_host(link) {
                next.entry(one).or_default().push(other);
                next.entry(other).or_default().push(one);
            }
        }
        let at_hosts: Vec<&str> =
            self.links.iter().filter(|link| is_host(link)).map(|link| link.ends[1].0.as_str()).collect();
        let mut seen = BTreeSet::from([at_hosts[0]]);
        let mut queue = vec![at_hosts[0]];
        while let Some(at) = queue.pop() {
            queue.extend(next.get(at).into_iter().flatten().filter(|next| seen.insert(**next)));
        }
        let Some(apart) = at_hosts.iter().position(|switch| !seen.contains(switch)) else { return Ok(()) };
        let message = format!("no cables lead from `{}` to `{}`", self.hosts[0].1, self.hosts[apart].1);
        let help = "give the tables of all switches of the fabric, or the list of all cables";
        Err(files[0].whole(message, help))
    }
}
