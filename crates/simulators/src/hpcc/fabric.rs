//! The topology of a configuration: the fabric, and the parts of the file that it lacks.
//!
//! Invariant: the scenario names the file where the fabric is all of it, up to its last link. A fabric that lacks a
//! part of the file is written node by node, and the account has the part with its place.

use core::fmt::Write;
use std::collections::{BTreeMap, BTreeSet};

use names::shown;
use topology::hpcc::{HpccFabric, HpccFile, HpccFlaw, HpccLeftOut};
use topology::{LinkEnds, MAX_SWITCH_PORTS};

use super::config::Config;
use interop::import::KeyFate;
use interop::import::source::SourceText;
use scenario::{Diagnostic, LocatedFault};

/// A fabric, and its fields in a scenario.
pub(super) struct ImportedFabric {
    pub(super) fabric: HpccFabric,
    /// Fields `topology` and `cables` as text.
    pub(super) fields: String,
    /// Text of the file beside the scenario; `None` if the fabric is written node by node.
    pub(super) file: Option<String>,
}

/// Reads the topology. `named` are the numbers of the hosts that flows name; `paths` says how packets are routed.
pub(super) fn read(
    config: &mut Config<'_>,
    source: SourceText<'_>,
    named: &BTreeSet<u32>,
    paths: &str,
) -> Result<ImportedFabric, Diagnostic> {
    let wrong = |flaw| of_flaw(source, &flaw);
    let file = HpccFile::parse(source.text).map_err(wrong)?;
    let (nvswitches, nvlinks) = file.nvswitches();
    let (mut fabric, left_out) = file.fabric(&nvswitches).map_err(wrong)?;
    if !nvswitches.is_empty() {
        let what = format!(
            "left out with the {nvlinks} links to them: hosts of a server reach each other over switches"
        );
        let at = file.link_to(&nvswitches);
        let given = nvswitches.len().to_string();
        config.note_part(source, at.as_ref(), ("NVSwitches", given), KeyFate::Changed, what);
    }
    note_left_out(config, source, &left_out);
    if left_out.unlinked > 0 {
        let linked: BTreeSet<&str> =
            fabric.custom.links.iter().flat_map(|link| [link.from.as_str(), link.to.as_str()]).collect();
        let kept = |host: &String| linked.contains(host.as_str());
        fabric.custom.hosts = fabric.custom.hosts.iter().filter(|host| kept(host)).cloned().collect();
    }
    let without_flows = fit_ports(config, &mut fabric, (source, &file), named)?;
    let behind = file.lines_behind();
    if behind > 0 {
        let (given, what) = (behind.to_string(), "which that simulator does not read");
        config.note_part(source, None, ("lines behind the last link", given), KeyFate::NotUsed, what);
    }
    let whole = nvswitches.is_empty() && left_out == HpccLeftOut::default() && !without_flows;
    note_topology(config, &fabric, whole.then_some(source.name), paths);
    let name = source.name;
    let (fields, text) = if whole {
        let text = if behind > 0 { &source.text[..file.end()] } else { source.text };
        (format!("topology: HpccFile({name:?}),\n    cables: {{}}"), Some(text.to_owned()))
    } else {
        (written(&fabric), None)
    };
    Ok(ImportedFabric { fabric, fields, file: text })
}

/// Returns a fault of the topology's file.
fn of_flaw(source: SourceText<'_>, flaw: &HpccFlaw) -> Diagnostic {
    let (message, help) = (flaw.kind.to_string(), flaw.kind.help());
    LocatedFault { path: "TOPOLOGY_FILE".to_owned(), ..source.fault(&flaw.at, "", message, &help) }.into()
}

/// Enters links and hosts that the fabric lacks.
fn note_left_out(config: &mut Config<'_>, source: SourceText<'_>, left_out: &HpccLeftOut) {
    let HpccLeftOut { second_links, lossy, unlinked, flaw } = left_out;
    let at = flaw.as_ref().map(|flaw| &flaw.at);
    if *second_links > 0 {
        let what = "a host has one port here: its first link stays, with the rate of that link";
        config.note_part(
            source,
            at,
            ("further links of hosts", second_links.to_string()),
            KeyFate::Changed,
            what,
        );
    }
    if *lossy > 0 {
        let what = "an error rate cannot be simulated: wires here lose nothing";
        config.note_part(source, at, ("links that lose packets", lossy.to_string()), KeyFate::Changed, what);
    }
    if *unlinked > 0 {
        let given = unlinked.to_string();
        config.note_part(source, None, ("hosts without a link", given), KeyFate::NotUsed, "left out");
    }
}

/// Leaves hosts that no flow names out where a switch has more ports than this simulator's switches. Returns true if
/// there are such hosts.
fn fit_ports(
    config: &mut Config<'_>,
    fabric: &mut HpccFabric,
    (source, file): (SourceText<'_>, &HpccFile<'_>),
    named: &BTreeSet<u32>,
) -> Result<bool, Diagnostic> {
    let mut ports: BTreeMap<&str, usize> = BTreeMap::new();
    let ends = |link: &LinkEnds| [link.from.clone(), link.to.clone()];
    for end in fabric.custom.links.iter().flat_map(|link| [&link.from, &link.to]) {
        *ports.entry(end).or_default() += 1;
    }
    let over = |(switch, ports): (&&str, &usize)| {
        (*ports > MAX_SWITCH_PORTS).then(|| ((*switch).to_owned(), ports - MAX_SWITCH_PORTS))
    };
    let over: Vec<(String, usize)> = ports.iter().filter_map(over).collect();
    let (mut dropped, hosts) = (BTreeSet::new(), fabric.custom.hosts.iter().collect::<BTreeSet<_>>());
    for (switch, excess) in over {
        let idle = |host: &String| number(host).is_some_and(|number| !named.contains(&number));
        let at_switch = fabric.custom.links.iter().rev().map(ends).filter(|ends| ends.contains(&switch));
        let idle: Vec<_> =
            at_switch.flatten().filter(|end| hosts.contains(end) && idle(end)).take(excess).collect();
        if idle.len() < excess {
            let at = number(&switch).and_then(|node| file.link_to(&[node as usize])).unwrap_or(0..0);
            let count = MAX_SWITCH_PORTS + excess;
            let message = format!("switch {} has {count} ports", number(&switch).unwrap_or_default());
            let help = format!("this simulator has at most {MAX_SWITCH_PORTS} ports at a switch");
            return Err(source.fault(&at, "TOPOLOGY_FILE", message, &help).into());
        }
        dropped.extend(idle);
    }
    if dropped.is_empty() {
        return Ok(false);
    }
    let what = format!(
        "left out: this simulator has at most {MAX_SWITCH_PORTS} ports at a switch. Fewer ports share its memory"
    );
    let given = dropped.len().to_string();
    config.note_part(source, None, ("hosts without flows", given), KeyFate::Approximated, what);
    fabric.custom.hosts.retain(|host| !dropped.contains(host));
    fabric.custom.links.retain(|link| !dropped.contains(&link.from) && !dropped.contains(&link.to));
    Ok(true)
}

/// Returns the number of a node by its name.
pub(super) fn number(name: &str) -> Option<u32> {
    name.get(1..)?.parse().ok()
}

/// Enters the topology in the account. That simulator keeps a single link between two nodes, the last.
fn note_topology(config: &mut Config<'_>, fabric: &HpccFabric, file: Option<&str>, paths: &str) {
    let mut pairs = BTreeSet::new();
    let ends = |from, to| if from < to { (from, to) } else { (to, from) };
    let twice = fabric.custom.links.iter().find(|link| !pairs.insert(ends(&link.from, &link.to)));
    if let Some(link) = twice {
        let what = format!(
            "all links of `{}` with `{}`; that simulator sends over the last alone",
            link.from, link.to
        );
        config.note("TOPOLOGY_FILE", KeyFate::Changed, what);
        return;
    }
    let what = match file {
        Some(file) => format!("`{}`, beside the scenario, and {paths}", shown::line(file)),
        None => format!("`topology: Custom`, node by node, and {paths}"),
    };
    config.note("TOPOLOGY_FILE", KeyFate::Used, what);
}

/// Writes a fabric node by node, and its cables.
fn written(fabric: &HpccFabric) -> String {
    let list = |names: &[String]| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "topology: Custom(\n        hosts: [{}],\n        switches: [{}],\n        links: [\n",
        list(&fabric.custom.hosts),
        list(&fabric.custom.switches)
    );
    for link in &fabric.custom.links {
        let (from, to, cable) = (&link.from, &link.to, &link.cable);
        writeln!(text, "            (from: {from:?}, to: {to:?}, cable: {cable:?}),")
            .expect("a string takes it");
    }
    text += "        ],\n    ),\n    cables: {\n";
    for (name, rate, delay) in &fabric.cables {
        writeln!(text, "        {name:?}: (rate: \"{rate}\", propagation: Delay(\"{delay}\")),")
            .expect("a string takes it");
    }
    text + "    }"
}
