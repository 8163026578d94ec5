//! A net file of ibsim: nodes and cables of a plan, in the form of `ibnetdiscover`.
//!
//! Invariant: every cable stands at both of its ends, with the same width and speed.
//!
//! ```text
//! switchguid=0x200000000000300(200000000000300)
//! Switch  2 "S-0200000000000300"      # "S1" base port 0 lid 3 lmc 0
//! [1]     "H-0200000000000100"[1](200000000000101)       # "H1" lid 1 4xDDR
//!
//! caguid=0x200000000000100
//! Ca      1 "H-0200000000000100"      # "H1"
//! [1](200000000000101)    "S-0200000000000300"[1]        # lid 1 lmc 0 "S1" lid 3 4xDDR
//! ```
//!
//! ibsim 0.10 reads lines of at most 254 bytes, takes `=` in a name for an option, and has speeds up to HDR.

use core::fmt::{Display, Write};
use std::collections::BTreeMap;

use link_layer::spec::{CableSpec, Propagation, Speed, Width};
use names::rule;
use names::shown::comment;
use packet::{Framing, NodeId, PortId};
use units::Rate;

use super::account::{Exported, ValueAccount, ValueFate};
use super::addresses::Addresses;
use super::error::ExportError;
use crate::import::infiniband::fabric::speed_word;
use scenario::Plan;

/// Longest `NodeDescription` that tools print as a text, in bytes (IBA 14.2.5.2: 64 with the byte that ends it).
const LONGEST_NAME: usize = 63;

/// Writes the net file.
///
/// # Errors
/// If the plan is not InfiniBand's.
pub fn export(plan: &Plan, addresses: &Addresses) -> Result<Exported, ExportError> {
    only_infiniband("ibsim", plan)?;
    let mut account: Vec<ValueAccount> = addresses.account().into_iter().collect();
    let speeds = speeds(plan, &mut account);
    let names = names(plan, &mut account);
    let mut text = head(plan, addresses);
    let writer = Writer { plan, addresses, names: &names, speeds: &speeds };
    for switch in plan.graph().switch_ids() {
        text += &writer.switch(switch);
    }
    for (guid, hosts) in adapters(plan, addresses) {
        text += &writer.adapter(guid, &hosts);
    }
    Ok(Exported { text, account })
}

/// Refuses plans of another framing than InfiniBand's.
pub(super) fn only_infiniband(target: &'static str, plan: &Plan) -> Result<(), ExportError> {
    let framing = plan.link().framing;
    if framing == Framing::InfiniBand { Ok(()) } else { Err(ExportError::NotInfiniBand { target, framing }) }
}

/// Returns the names of nodes as tools can hold them.
pub(super) fn names(plan: &Plan, account: &mut Vec<ValueAccount>) -> Vec<String> {
    let mut names = Vec::with_capacity(plan.graph().nodes());
    for name in plan.graph().names() {
        let written = plain(name);
        if written != name {
            let fate =
                ValueFate::Rounded { wanted: name.to_owned(), written: written.clone(), difference: None };
            let why = format!(
                "a `NodeDescription` has at most {LONGEST_NAME} bytes, here without quotes, `=`, `#` and `@`"
            );
            account.push(ValueAccount { field: "topology".to_owned(), fate, why });
        }
        names.push(written);
    }
    names
}

/// Returns a name that the tools read as they print it.
fn plain(name: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\'' | '=' | '#' | '@' => '_',
        letter => letter,
    };
    let name: String = rule::plain(name).chars().map(letter).collect();
    let end = (0..=LONGEST_NAME.min(name.len())).rev().find(|end| name.is_char_boundary(*end));
    name[..end.unwrap_or(0)].to_owned()
}

/// Returns the width and speed of each kind of cable, as the tools write them.
fn speeds(plan: &Plan, account: &mut Vec<ValueAccount>) -> Vec<String> {
    let mut speeds = Vec::new();
    for (name, CableSpec { rate, width, speed, propagation }) in &plan.scenario().cables {
        let own = width.zip(*speed);
        let wanted = match (rate, own) {
            (Some(rate), _) => *rate,
            (None, Some((width, speed))) => speed.data_rate(width),
            (None, None) => unreachable!("a cable of a plan has a rate"),
        };
        let written = own.filter(|own| is_known(*own)).unwrap_or_else(|| nearest(wanted));
        account.extend(rounded(name, (wanted, own), written));
        let flight = match propagation {
            Propagation::Cable(length) => length.to_string(),
            Propagation::Delay(delay) => delay.to_string(),
        };
        let field = format!("cables.{name}.propagation");
        account.push(ValueAccount::left_out(field, flight, "the file has no lengths"));
        speeds.push(speed_word(written));
    }
    speeds
}

/// Enters a cable that is not of the written width and speed, or of another rate.
fn rounded(
    name: &str,
    (wanted, own): (Rate, Option<(Width, Speed)>),
    written: (Width, Speed),
) -> Option<ValueAccount> {
    let (word, rate) = (speed_word(written), written.1.data_rate(written.0));
    let why = format!("{word} is the nearest of ibsim's widths and speeds");
    if rate != wanted {
        let difference = rate.get() as f64 / wanted.get() as f64 - 1.0;
        return Some(ValueAccount::rounded(format!("cables.{name}.rate"), (wanted, rate), difference, why));
    }
    let wanted = own.map_or_else(|| format!("{wanted} on one lane"), speed_word);
    let fate = ValueFate::Rounded { wanted, written: word, difference: None };
    (own != Some(written)).then(|| ValueAccount { field: format!("cables.{name}"), fate, why })
}

/// Returns true for the speeds of ibsim 0.10, which takes any other word for SDR.
fn is_known((_, speed): (Width, Speed)) -> bool {
    !matches!(speed, Speed::Ndr | Speed::Xdr)
}

/// Returns the width and speed of ibsim with the nearest data rate, the narrowest of several.
fn nearest(wanted: Rate) -> (Width, Speed) {
    let all = Width::ALL.into_iter().flat_map(|width| Speed::ALL.map(|speed| (width, speed)));
    all.filter(|own| is_known(*own))
        .min_by_key(|(width, speed)| speed.data_rate(*width).get().abs_diff(wanted.get()))
        .expect("there are widths and speeds")
}

/// Writes the comment at the beginning, with the options that ibsim needs for this number of nodes.
fn head(plan: &Plan, addresses: &Addresses) -> String {
    let graph = plan.graph();
    let nodes = || (0..graph.nodes() as u32).map(NodeId);
    let ports = |node| usize::from(addresses.node(node).last_port) + usize::from(!graph.is_host(node));
    let last = nodes().map(|node| addresses.node(node).lid).max().unwrap_or(0);
    format!(
        "# Fabric of `{}`: {} hosts, {} switches.\n# ibsim -s -N {} -S {} -P {} -L {} FILE\n\n",
        comment(plan.name()),
        graph.hosts(),
        graph.switches(),
        graph.nodes(),
        graph.switches(),
        nodes().map(ports).sum::<usize>(),
        last + 1
    )
}

/// Returns the hosts of each adapter by its GUID, in the order of hosts.
fn adapters(plan: &Plan, addresses: &Addresses) -> Vec<(u64, Vec<NodeId>)> {
    let mut of_guid: BTreeMap<u64, usize> = BTreeMap::new();
    let mut adapters: Vec<(u64, Vec<NodeId>)> = Vec::new();
    for host in plan.graph().host_ids() {
        let guid = addresses.node(host).guid;
        let place = *of_guid.entry(guid).or_insert(adapters.len());
        if place == adapters.len() {
            adapters.push((guid, Vec::new()));
        }
        adapters[place].1.push(host);
    }
    adapters
}

struct Writer<'a> {
    plan: &'a Plan,
    addresses: &'a Addresses,
    names: &'a [String],
    speeds: &'a [String],
}

impl Writer<'_> {
    fn switch(&self, switch: NodeId) -> String {
        let address = self.addresses.node(switch);
        let (guid, lid) = (address.guid, address.lid);
        let mut text = format!(
            "vendid=0x0\ndevid=0x0\nsysimgguid=0x{guid:x}\nswitchguid=0x{guid:x}({guid:x})\n\
             Switch\t{} \"S-{guid:016x}\"\t\t# \"{}\" base port 0 lid {lid} lmc 0\n",
            address.last_port,
            self.names[switch.index()],
        );
        for port in (0..address.ports.len() as u16).map(PortId) {
            let (peer, _) = self.plan.graph().far_end((switch, port));
            let guid = self.addresses.node(peer);
            let of_host = if self.plan.graph().is_host(peer) {
                format!("({:x})", guid.port_guid)
            } else {
                String::new()
            };
            let far = self.far((switch, port));
            push(
                &mut text,
                format_args!(
                    "[{}]\t{far}{of_host}\t\t# {}\n",
                    self.addresses.port(switch, port),
                    self.tail((switch, port))
                ),
            );
        }
        text + "\n"
    }

    fn adapter(&self, guid: u64, hosts: &[NodeId]) -> String {
        let last = hosts.iter().map(|host| self.addresses.node(*host).last_port).max().unwrap_or(1);
        let name = &self.names[hosts[0].index()];
        // Hosts that are ports of the same adapter have the number of their port behind the adapter's name.
        let name = if hosts.len() > 1 {
            name.rsplit_once('/').map_or(name.as_str(), |(name, _)| name)
        } else {
            name
        };
        let mut text = format!(
            "vendid=0x0\ndevid=0x0\nsysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\nCa\t{last} \"H-{guid:016x}\"\t\t# \"{name}\"\n"
        );
        for host in hosts {
            let own = self.addresses.node(*host);
            let end = (*host, PortId(0));
            push(
                &mut text,
                format_args!(
                    "[{}]({:x})\t{}\t\t# lid {} lmc 0 {}\n",
                    own.last_port,
                    own.port_guid,
                    self.far(end),
                    own.lid,
                    self.tail(end)
                ),
            );
        }
        text + "\n"
    }

    fn far(&self, end: (NodeId, PortId)) -> String {
        let (peer, port) = self.plan.graph().far_end(end);
        let letter = if self.plan.graph().is_host(peer) { 'H' } else { 'S' };
        format!("\"{letter}-{:016x}\"[{}]", self.addresses.node(peer).guid, self.addresses.port(peer, port))
    }

    /// Returns the name and the LID of a cable's far end, with the cable's width and speed.
    fn tail(&self, (node, port): (NodeId, PortId)) -> String {
        let end = self.plan.graph().ports(node)[port.index()];
        let (peer, lid) = (end.peer.index(), self.addresses.node(end.peer).lid);
        format!("\"{}\" lid {lid} {}", self.names[peer], self.speeds[end.cable])
    }
}

/// Appends a text.
fn push(text: &mut String, more: impl Display) {
    write!(text, "{more}").expect("a string takes it");
}
