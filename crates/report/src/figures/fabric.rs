//! `fabric.svg`: the fabric, with the outputs that were held back and the worst congestion tree.
//!
//! Invariant: a host stands below the switch that it is connected to, a switch above those by which hosts reach it.
//!
//! ```text
//! half of a link  the output at its end: darker and wider the longer it was held back
//! root            the output of the tree with most branches at one sample
//! ```

use std::collections::BTreeMap;

use super::engine::axis::number;
use super::engine::style::{BLACK, FAINT, GREY, HEAT, hairline, letters, width, wrapped};
use super::engine::svg::{Anchor, Letters, Stroke, SvgFile};
use super::fault::FigureFault;
use crate::reader::{FlowRow, PortRow, RunFacts, RunFiles, TreeRow, VictimRow};

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 14.0;
/// Distance of two rows of switches, in pixels.
const STEP: f64 = 120.0;
/// Shares of the run from which on an output counts as held back for so long.
const CLASSES: [f64; 4] = [0.01, 0.1, 0.3, 0.6];

/// A node and its place.
struct Node {
    name: String,
    is_host: bool,
    at: (f64, f64),
}

/// An output: its node, its peer, and the share of the run for which it was held back.
struct Output {
    node: usize,
    port: u32,
    peer: usize,
    held_back: f64,
}

struct Fabric {
    nodes: Vec<Node>,
    outputs: Vec<Output>,
    /// Lowest row of the picture.
    bottom: f64,
    /// Radius of a host.
    radius: f64,
}

/// Returns the figure of a run as SVG.
pub(super) fn drawing(files: RunFiles<'_>) -> Result<String, FigureFault> {
    let facts = files.summary()?;
    let ports: Vec<PortRow> = files.rows("ports.csv")?;
    if ports.is_empty() {
        return Err(FigureFault::Empty("the fabric has no ports"));
    }
    let trees: Vec<TreeRow> = files.rows("trees.csv")?;
    let worst = trees.iter().rev().max_by(|one, other| {
        one.branches.total_cmp(&other.branches).then(one.queue_bytes.total_cmp(&other.queue_bytes))
    });
    let (flows, victims): (Vec<FlowRow>, Vec<VictimRow>) =
        (files.rows("flows.csv")?, files.rows("victims.csv")?);
    let victims: Vec<&str> = match worst {
        Some(tree) => {
            let waited = |victim: &&VictimRow| {
                victim.root_node == tree.root_node
                    && victim.root_port == tree.root_port
                    && victim.lane == tree.lane
            };
            victims.iter().filter(waited).map(|victim| victim.flow.as_str()).collect()
        }
        None => Vec::new(),
    };
    let sources: Vec<&str> = flows
        .iter()
        .filter(|flow| victims.contains(&flow.flow.as_str()))
        .map(|flow| flow.src.as_str())
        .collect();
    let header = Header::new(&facts, worst, victims.len());
    let fabric = Fabric::placed(&ports, facts.simulated_s, header.height());
    Ok(fabric.drawn(&header, worst, &sources))
}

/// Text above the picture.
struct Header {
    title: String,
    lines: Vec<String>,
}

impl Header {
    fn new(facts: &RunFacts, worst: Option<&TreeRow>, victims: usize) -> Self {
        let title =
            format!("{}, {}: the fabric and its worst congestion tree", facts.scenario, facts.scheme());
        let tree = match worst {
            Some(tree) => format!(
                "Root of the tree with most branches: {}, at {} ms: {} branches, {} KB waiting. Ringed hosts: sources of its {} victims.",
                tree.root(),
                number(tree.time_s * 1e3),
                tree.branches,
                number((tree.queue_bytes / 100.0).round() / 10.0),
                victims
            ),
            None => "No congestion tree was found.".to_owned(),
        };
        let links = "Each half of a link is the output at its end: its colour and width show the share of the run for which \
                     packets waited there without credit, or it was paused.";
        let lines = wrapped(&tree, 12.5, WIDTH - 2.0 * MARGIN);
        let lines = lines.into_iter().chain(wrapped(links, 12.5, WIDTH - 2.0 * MARGIN)).collect();
        Self { title, lines }
    }

    fn height(&self) -> f64 {
        40.0 + 17.0 * self.lines.len() as f64 + 30.0
    }
}

impl Fabric {
    fn placed(ports: &[PortRow], simulated: f64, top: f64) -> Self {
        let (names, outputs) = outputs(ports, simulated);
        let degree = |node: usize| outputs.iter().filter(|output| output.node == node).count();
        // Hosts come before switches and have one port each.
        let hosts = (0..names.len()).find(|node| degree(*node) > 1).unwrap_or(names.len());
        let levels = levels(names.len(), hosts, &outputs);
        let highest = levels.iter().copied().max().unwrap_or(0);
        let mut nodes: Vec<Node> = names
            .into_iter()
            .enumerate()
            .map(|(place, name)| Node { name, is_host: place < hosts, at: (0.0, 0.0) })
            .collect();
        for level in 1..=highest {
            let row: Vec<usize> = (hosts..nodes.len()).filter(|node| levels[*node] == level).collect();
            let step = (WIDTH - 2.0 * MARGIN) / row.len().max(1) as f64;
            for (place, node) in row.iter().enumerate() {
                nodes[*node].at =
                    (MARGIN + step * (place as f64 + 0.5), top + 20.0 + STEP * (highest - level) as f64);
            }
        }
        let mut fabric = Self {
            nodes,
            outputs,
            bottom: top + 20.0 + STEP * highest.saturating_sub(1) as f64,
            radius: 6.0,
        };
        fabric.place_hosts(hosts);
        fabric
    }

    /// Puts the hosts in rows below their switch.
    fn place_hosts(&mut self, hosts: usize) {
        let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for output in self.outputs.iter().filter(|output| output.node < hosts) {
            below.entry(output.peer).or_default().push(output.node);
        }
        let most = below.values().map(Vec::len).max().unwrap_or(1);
        let leaves = below.len().max(1) as f64;
        let room = (WIDTH - 2.0 * MARGIN) / leaves;
        // As many rows as make the hosts of a switch about as wide as they are high.
        let across = (most as f64).min((room / 9.0).floor().max(1.0).max((most as f64).sqrt().ceil()));
        let cell = (room * 0.9 / across).clamp(2.0, 40.0);
        self.radius = (cell * 0.36).min(7.0);
        let first = self.bottom + 60.0;
        for (leaf, hosts) in &below {
            let (middle, _) = self.nodes[*leaf].at;
            let columns = (across as usize).min(hosts.len()).max(1);
            for (place, host) in hosts.iter().enumerate() {
                let (row, column) = (place / columns, place % columns);
                let x = middle + cell * (column as f64 - (columns as f64 - 1.0) / 2.0);
                let y = first + cell.min(18.0) * row as f64;
                self.nodes[*host].at = (x, y);
                self.bottom = self.bottom.max(y);
            }
        }
    }

    fn drawn(&self, header: &Header, worst: Option<&TreeRow>, sources: &[&str]) -> String {
        let description = format!(
            "A fabric of {} hosts and {} switches. {}",
            self.nodes.iter().filter(|node| node.is_host).count(),
            self.nodes.iter().filter(|node| !node.is_host).count(),
            header.lines.join(" ")
        );
        let mut file = SvgFile::new(WIDTH, (self.bottom + 40.0).ceil(), &header.title, &description);
        let title = Letters { bold: true, ..letters(16.0) };
        file.text((MARGIN, 30.0), Anchor::Start, title, &header.title);
        for (place, line) in header.lines.iter().enumerate() {
            file.text((MARGIN, 52.0 + 17.0 * place as f64), Anchor::Start, letters(12.5), line);
        }
        draw_key(&mut file, header.height() - 12.0);
        // The longer an output was held back, the higher it lies.
        let mut outputs: Vec<&Output> = self.outputs.iter().collect();
        outputs.sort_by(|one, other| one.held_back.total_cmp(&other.held_back));
        for output in outputs {
            let (from, to) = self.half(output);
            file.line(from, to, pen(output.held_back));
        }
        if let Some(tree) = worst {
            let is_root = |output: &&Output| {
                self.nodes[output.node].name == tree.root_node && output.port == tree.root_port
            };
            for output in self.outputs.iter().filter(is_root) {
                let (from, to) = self.half(output);
                file.line(from, to, Stroke { colour: BLACK, width: 5.0, dash: "" });
            }
        }
        self.draw_nodes(&mut file, sources);
        file.finish()
    }

    /// Returns the half of a link that stands for an output.
    fn half(&self, output: &Output) -> ((f64, f64), (f64, f64)) {
        let (from, to) = (self.nodes[output.node].at, self.nodes[output.peer].at);
        (from, (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1)))
    }

    fn draw_nodes(&self, file: &mut SvgFile, sources: &[&str]) {
        let hosts = self.nodes.iter().filter(|node| node.is_host).count();
        for node in &self.nodes {
            let (ring, name) = (sources.contains(&node.name.as_str()), node.name.as_str());
            if node.is_host {
                let ring =
                    if ring { Stroke { colour: "#0072b2", width: 3.0, dash: "" } } else { hairline(GREY) };
                let fill = if ring.width > 1.0 { "#ffffff" } else { FAINT };
                file.named_dot(node.at, self.radius, fill, ring, name);
            } else {
                file.named_dot(node.at, 8.0, BLACK, hairline(BLACK), name);
            }
            let beside = if node.is_host {
                (node.at.0, node.at.1 + self.radius + 12.0)
            } else {
                (node.at.0, node.at.1 - 12.0)
            };
            if width(name, 11.0) <= self.room(node, hosts) {
                file.text(beside, Anchor::Middle, letters(11.0), name);
            }
        }
    }

    /// Returns the distance to the next node of the same row, in pixels.
    fn room(&self, node: &Node, hosts: usize) -> f64 {
        if node.is_host && hosts > 64 {
            return 0.0;
        }
        let beside = self
            .nodes
            .iter()
            .filter(|other| (other.at.1 - node.at.1).abs() < 20.0 && other.name != node.name);
        let apart = |other: &Node| {
            if (other.at.0 - node.at.0).abs() < 0.5 { 0.0 } else { (other.at.0 - node.at.0).abs() }
        };
        beside.map(apart).fold(WIDTH, f64::min)
    }
}

/// Returns the names of all nodes in the order of the table, and all outputs, the lanes of a port together.
fn outputs(ports: &[PortRow], simulated: f64) -> (Vec<String>, Vec<Output>) {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for port in ports {
        places.entry(&port.node).or_insert_with(|| {
            names.push(port.node.clone());
            names.len() - 1
        });
    }
    let mut outputs: Vec<Output> = Vec::new();
    for port in ports {
        let held_back =
            (port.without_credit_s + port.paused_s.unwrap_or_default()) / simulated.max(f64::MIN_POSITIVE);
        let (node, Some(&peer)) = (places[port.node.as_str()], places.get(port.peer.as_str())) else {
            continue;
        };
        match outputs.last_mut() {
            Some(last) if last.node == node && last.port == port.port => {
                last.held_back = last.held_back.max(held_back);
            }
            _ => outputs.push(Output { node, port: port.port, peer, held_back }),
        }
    }
    (names, outputs)
}

/// Returns the level of each node: 0 for hosts, 1 for switches with a host, 2 for those next to them, and so on.
fn levels(nodes: usize, hosts: usize, outputs: &[Output]) -> Vec<usize> {
    let mut levels: Vec<Option<usize>> = (0..nodes).map(|node| (node < hosts).then_some(0)).collect();
    for level in 0..nodes {
        let next: Vec<usize> = outputs
            .iter()
            .filter(|output| levels[output.node] == Some(level) && levels[output.peer].is_none())
            .map(|output| output.peer)
            .collect();
        if next.is_empty() {
            break;
        }
        next.into_iter().for_each(|node| levels[node] = Some(level + 1));
    }
    levels.into_iter().map(|level| level.unwrap_or(1)).collect()
}

/// Returns the pen of an output that was held back for a share of the run.
fn pen(share: f64) -> Stroke {
    match CLASSES.iter().rposition(|least| share >= *least) {
        Some(class) => Stroke { colour: HEAT[class + 2], width: 1.5 + class as f64, dash: "" },
        None => hairline("#c4c4c4"),
    }
}

/// Draws the meaning of the pens.
fn draw_key(file: &mut SvgFile, middle: f64) {
    let mut left = MARGIN;
    let ends = CLASSES.iter().skip(1).chain([&1.0]);
    let held = CLASSES
        .iter()
        .zip(ends)
        .map(|(from, to)| (*from, format!("{} to {} % of the run", from * 100.0, to * 100.0)));
    let free = (0.0, format!("less than {} %", CLASSES[0] * 100.0));
    for (share, name) in [free].into_iter().chain(held) {
        file.line((left, middle), (left + 28.0, middle), pen(share));
        file.text((left + 34.0, middle + 4.0), Anchor::Start, letters(12.0), &name);
        left += 50.0 + width(&name, 12.0);
    }
    file.line((left, middle), (left + 28.0, middle), Stroke { colour: BLACK, width: 5.0, dash: "" });
    file.text((left + 34.0, middle + 4.0), Anchor::Start, letters(12.0), "root");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(node: &str, port: u32, peer: &str, without_credit_s: f64) -> PortRow {
        PortRow { node: node.to_owned(), port, peer: peer.to_owned(), without_credit_s, paused_s: None }
    }

    /// Two leaves with two hosts each, and a spine.
    fn fabric() -> Fabric {
        let cables = [("a", "l1"), ("b", "l1"), ("c", "l2"), ("d", "l2")];
        let mut ports: Vec<PortRow> = cables.iter().map(|(host, leaf)| port(host, 1, leaf, 0.0)).collect();
        for (leaf, hosts) in [("l1", ["a", "b"]), ("l2", ["c", "d"])] {
            ports.extend((1..).zip(hosts).map(|(number, host)| port(leaf, number, host, 0.0)));
            ports.push(port(leaf, 3, "s", 0.5));
        }
        ports.extend([port("s", 1, "l1", 0.0), port("s", 2, "l2", 0.0)]);
        Fabric::placed(&ports, 1.0, 100.0)
    }

    #[test]
    fn hosts_stand_below_their_switch_and_spines_above() {
        let fabric = fabric();
        let at =
            |name: &str| fabric.nodes.iter().find(|node| node.name == name).expect("the node is placed").at;
        assert!(at("s").1 < at("l1").1 && at("l1").1 < at("a").1);
        assert!(at("a").0 < at("b").0 && at("b").0 < at("c").0 && at("l1").0 < at("l2").0);
        assert_eq!((at("l1").1, at("a").1), (at("l2").1, at("d").1));
        assert!(fabric.nodes.iter().filter(|node| node.is_host).count() == 4);
    }

    #[test]
    fn outputs_that_were_held_back_have_another_pen() {
        let fabric = fabric();
        let held: Vec<_> = fabric.outputs.iter().filter(|output| pen(output.held_back).width > 1.0).collect();
        assert_eq!(held.len(), 2);
        let header = Header { title: "a title".to_owned(), lines: vec!["a line".to_owned()] };
        let svg = fabric.drawn(&header, None, &["b"]);
        assert!(svg.contains("<title>b</title>") && svg.matches("#0072b2").count() == 1, "{svg}");
        assert_eq!(svg.matches(&format!("stroke=\"{}\"", HEAT[4])).count(), 3, "two outputs and the key");
    }
}
