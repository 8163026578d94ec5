//! `fabric.svg`: the fabric, with the outputs that were stalled and the worst congestion tree.
//!
//! Invariant: a host stands below the switch that it is connected to, a switch above those by which hosts reach it.
//!
//! ```text
//! half of a link  the output at its end: darker and wider the longer it was stalled
//! root, branches  outputs of the tree with most branches at one sample: black, and dotted black on that colour
//! hosts           triangles: sources of its contributors; squares: sources of its victims
//! ```

mod marks;
mod worst;

use std::collections::BTreeMap;

use results::reader::{RunFacts, RunFiles};
use results::rows::PortRow;

use self::marks::{HostRole, KEY_ROW, ROOT, draw_branch, draw_host, draw_key, draw_root, pen};
use self::worst::WorstTree;
use super::engine::style::{BLACK, BOLD, hairline, letters, width, wrapped};
use super::engine::svg::{Anchor, Letters, SvgFile};
use super::fault::FigureFault;

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 14.0;
const TITLE: f64 = 16.0;
/// Distance of two rows of switches, in pixels.
const STEP: f64 = 120.0;
struct Node {
    name: String,
    is_host: bool,
    at: (f64, f64),
}

/// An output: its node, its peer, and the share of the run for which it was stalled.
struct Output {
    node: usize,
    port: u32,
    peer: usize,
    stalled: f64,
}

struct Fabric {
    nodes: Vec<Node>,
    outputs: Vec<Output>,
    /// Lowest row of the picture.
    bottom: f64,
    /// Radius of a host.
    radius: f64,
}

pub(super) fn drawing(files: RunFiles<'_>) -> Result<String, FigureFault> {
    let facts = files.summary()?;
    let ports: Vec<PortRow<'_>> = files.rows()?;
    if ports.is_empty() {
        return Err(FigureFault::Empty("the fabric has no ports"));
    }
    let worst = WorstTree::read(files)?;
    let header = Header::new(&facts, worst.as_ref());
    let fabric = Fabric::placed(&ports, facts.simulated_s, header.height());
    Ok(fabric.drawn(&header, worst.as_ref()))
}

/// Text above the picture.
struct Header {
    title: String,
    /// Lines of the title.
    heading: Vec<String>,
    lines: Vec<String>,
    has_tree: bool,
}

impl Header {
    fn new(facts: &RunFacts, worst: Option<&WorstTree>) -> Self {
        let what = worst.map_or_else(
            || "the fabric".to_owned(),
            |tree| format!("the fabric and its worst congestion tree, at {} ms", tree.at_ms()),
        );
        let title = format!("{}, {}: {what}", facts.scenario, facts.scheme());
        let tree = worst.map_or("No congestion tree was found.", |tree| &tree.words);
        let links = "Each half of a link is the output at its end: its colour and width show the share of the run for which it \
                     was stalled: packets waited with the wire free, for credit or the end of a pause.";
        let heading = wrapped(&title, TITLE, (WIDTH - 2.0 * MARGIN) / BOLD);
        let lines = [tree, links].into_iter().flat_map(|text| wrapped(text, 12.5, WIDTH - 2.0 * MARGIN));
        Self { title, heading, lines: lines.collect(), has_tree: worst.is_some() }
    }

    fn height(&self) -> f64 {
        let rows = if self.has_tree { 2.0 } else { 1.0 };
        self.top() + 17.0 * self.lines.len() as f64 + KEY_ROW * rows - 2.0
    }

    /// Returns the baseline of the first line below the title.
    fn top(&self) -> f64 {
        32.0 + 20.0 * self.heading.len().max(1) as f64
    }

    /// Returns the middle of the first row of the key.
    fn key(&self) -> f64 {
        self.top() + 17.0 * self.lines.len() as f64
    }
}

impl Fabric {
    fn placed(ports: &[PortRow<'_>], simulated: f64, top: f64) -> Self {
        let (names, outputs) = outputs(ports, simulated);
        let mut degrees = vec![0_u32; names.len()];
        outputs.iter().for_each(|output| degrees[output.node] += 1);
        // Hosts come before switches and have a single port each.
        let hosts = degrees.iter().position(|degree| *degree > 1).unwrap_or(names.len());
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

    fn drawn(&self, header: &Header, worst: Option<&WorstTree>) -> String {
        let description = format!(
            "A fabric of {} hosts and {} switches. {}",
            self.nodes.iter().filter(|node| node.is_host).count(),
            self.nodes.iter().filter(|node| !node.is_host).count(),
            header.lines.join(" ")
        );
        let mut file = SvgFile::new(WIDTH, (self.bottom + 40.0).ceil(), &header.title, &description);
        let title = Letters { bold: true, ..letters(TITLE) };
        for (place, line) in header.heading.iter().enumerate() {
            file.text((MARGIN, 30.0 + 20.0 * place as f64), Anchor::Start, title, line);
        }
        for (place, line) in header.lines.iter().enumerate() {
            let baseline = header.top() + 17.0 * place as f64;
            file.text((MARGIN, baseline), Anchor::Start, letters(12.5), line);
        }
        draw_key(&mut file, header.key(), header.has_tree);
        // The longer an output was stalled, the higher it lies.
        let mut outputs: Vec<&Output> = self.outputs.iter().collect();
        outputs.sort_by(|one, other| one.stalled.total_cmp(&other.stalled));
        for output in outputs {
            let (from, to) = self.half(output);
            file.line(from, to, pen(output.stalled));
        }
        if let Some(tree) = worst {
            self.draw_tree(&mut file, tree);
        }
        self.draw_nodes(&mut file, worst);
        file.finish()
    }

    /// Draws the branches and the root above all other outputs.
    fn draw_tree(&self, file: &mut SvgFile, tree: &WorstTree) {
        let name = |output: &Output| (self.nodes[output.node].name.clone(), output.port);
        for output in self.outputs.iter().filter(|output| tree.branches.contains(&name(output))) {
            draw_branch(file, self.half(output), pen(output.stalled));
        }
        for output in self.outputs.iter().filter(|output| tree.root == name(output)) {
            let (from, to) = self.half(output);
            file.line(from, to, ROOT);
            draw_root(file, (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1)));
        }
    }

    /// Returns the half of a link that stands for an output.
    fn half(&self, output: &Output) -> ((f64, f64), (f64, f64)) {
        let (from, to) = (self.nodes[output.node].at, self.nodes[output.peer].at);
        (from, (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1)))
    }

    fn draw_nodes(&self, file: &mut SvgFile, worst: Option<&WorstTree>) {
        let (hosts, switches): (Vec<&Node>, Vec<&Node>) = self.nodes.iter().partition(|node| node.is_host);
        for node in &self.nodes {
            let alike = if node.is_host { &hosts } else { &switches };
            let name = node.name.as_str();
            if node.is_host {
                let role = worst.map_or(HostRole::None, |tree| {
                    HostRole::of(tree.contributors.contains(name), tree.victims.contains(name))
                });
                draw_host(file, node.at, self.radius, role, name);
            } else {
                file.named_dot(node.at, 8.0, BLACK, hairline(BLACK), name);
            }
            let beside = if node.is_host {
                (node.at.0, node.at.1 + self.radius + 12.0)
            } else {
                (node.at.0, node.at.1 - 12.0)
            };
            if width(name, 11.0) <= room(node, alike) {
                draw_name(file, beside, letters(11.0), name);
            } else if !node.is_host && is_named(node, alike, worst) {
                let is_root = worst.is_some_and(|tree| tree.root.0 == name);
                draw_name(file, beside, Letters { bold: is_root, ..letters(11.0) }, name);
            }
        }
    }
}

/// Draws a name on a ground that the links shine through.
fn draw_name(file: &mut SvgFile, (x, baseline): (f64, f64), letters: Letters, name: &str) {
    let half = width(name, letters.size) / 2.0;
    let (top, bottom) = (baseline - letters.size * 0.85, baseline + letters.size * 0.2);
    file.polygon(
        &[(x - half, top), (x + half, top), (x + half, bottom), (x - half, bottom)],
        "#ffffff",
        0.75,
    );
    file.text((x, baseline), Anchor::Middle, letters, name);
}

/// Returns true for the switches with names in a row that has no room for all: the root's, and some of the others at
/// equal distances.
fn is_named(node: &Node, alike: &[&Node], worst: Option<&WorstTree>) -> bool {
    let row: Vec<&&Node> = alike.iter().filter(|other| (other.at.1 - node.at.1).abs() < 0.5).collect();
    let place = |name: &str| row.iter().position(|other| other.name == name);
    let longest = row.iter().map(|other| width(&other.name, 11.0)).fold(0.0, f64::max) * BOLD;
    let step = (longest / room(node, alike).max(1.0)).ceil() as usize;
    let (Some(own), root) = (place(&node.name), worst.and_then(|tree| place(&tree.root.0))) else {
        return false;
    };
    match root {
        Some(root) => own.abs_diff(root).is_multiple_of(step),
        None => own.is_multiple_of(step),
    }
}

/// Returns the distance from a node to the next of the same row, in pixels: among all hosts for a host, else among all
/// switches.
fn room(node: &Node, alike: &[&Node]) -> f64 {
    if node.is_host && alike.len() > 64 {
        return 0.0;
    }
    let beside =
        alike.iter().filter(|other| (other.at.1 - node.at.1).abs() < 20.0 && other.name != node.name);
    let apart = |other: &&Node| {
        if (other.at.0 - node.at.0).abs() < 0.5 { 0.0 } else { (other.at.0 - node.at.0).abs() }
    };
    beside.map(apart).fold(WIDTH, f64::min)
}

/// Returns the names of all nodes in the order of the table, and all outputs, the lanes of a port together.
fn outputs(ports: &[PortRow<'_>], simulated: f64) -> (Vec<String>, Vec<Output>) {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::new();
    for port in ports {
        places.entry(&port.node).or_insert_with(|| {
            names.push(port.node.to_string());
            names.len() - 1
        });
    }
    let mut outputs: Vec<Output> = Vec::new();
    for port in ports {
        let stalled = port.stalled_s / simulated.max(f64::MIN_POSITIVE);
        let (node, Some(&peer)) = (places[&*port.node], places.get(&*port.peer)) else {
            continue;
        };
        match outputs.last_mut() {
            Some(last) if last.node == node && last.port == port.port => {
                last.stalled = last.stalled.max(stalled);
            }
            _ => outputs.push(Output { node, port: port.port, peer, stalled }),
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

#[cfg(test)]
mod tests {
    use super::super::engine::style::HEAT;
    use super::*;
    use crate::fixture;

    fn port(node: &'static str, port: u32, peer: &'static str, stalled_s: f64) -> PortRow<'static> {
        PortRow { node: node.into(), port, peer: peer.into(), stalled_s, ..PortRow::default() }
    }

    /// Two leaves with two hosts each, and a spine.
    fn fabric() -> Fabric {
        let cables = [("a", "l1"), ("b", "l1"), ("c", "l2"), ("d", "l2")];
        let mut ports: Vec<PortRow<'_>> =
            cables.iter().map(|(host, leaf)| port(host, 1, leaf, 0.0)).collect();
        for (leaf, hosts) in [("l1", ["a", "b"]), ("l2", ["c", "d"])] {
            ports.extend((1..).zip(hosts).map(|(number, host)| port(leaf, number, host, 0.0)));
            ports.push(port(leaf, 3, "s", 0.5));
        }
        // A pause without waiting packets is no stall.
        let paused = PortRow { paused_s: 0.5, ..port("s", 1, "l1", 0.0) };
        ports.extend([paused, port("s", 2, "l2", 0.0)]);
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
    fn a_crowded_row_has_some_names_and_the_roots() {
        let node = |number: usize| Node {
            name: format!("leaf{number}"),
            is_host: false,
            at: (26.0 * number as f64, 100.0),
        };
        let nodes: Vec<Node> = (1..=36).map(node).collect();
        let row: Vec<&Node> = nodes.iter().collect();
        let named = |worst: Option<&WorstTree>| -> Vec<&str> {
            row.iter().filter(|node| is_named(node, &row, worst)).map(|node| node.name.as_str()).collect()
        };
        assert_eq!(named(None)[..3], ["leaf1", "leaf3", "leaf5"]);
        let files = fixture::files();
        let tree = WorstTree::read(RunFiles::Written(&files)).unwrap().expect("there is a tree");
        let tree = WorstTree { root: ("leaf6".to_owned(), 10), ..tree };
        assert_eq!(named(Some(&tree))[..3], ["leaf2", "leaf4", "leaf6"]);
    }

    #[test]
    fn outputs_that_were_stalled_have_another_pen() {
        let fabric = fabric();
        let wide: Vec<_> = fabric.outputs.iter().filter(|output| pen(output.stalled).width > 1.0).collect();
        assert_eq!(wide.len(), 2);
        let header = Header {
            title: "a title".to_owned(),
            heading: Vec::new(),
            lines: vec!["a line".to_owned()],
            has_tree: false,
        };
        let svg = fabric.drawn(&header, None);
        assert_eq!(svg.matches(&format!("stroke=\"{}\"", HEAT[4])).count(), 3, "two outputs and the key");
        assert!(!svg.contains("<title>root</title>") && !svg.contains("host of"), "{svg}");
    }

    /// In the record made by hand `S1` port 2 is the root, `H1`, `H2` and `H4` are stalled, `F2` from `H2` is the
    /// victim.
    #[test]
    fn root_branches_contributors_and_victims_have_marks_of_their_own() {
        let files = fixture::files();
        let tree = WorstTree::read(RunFiles::Written(&files)).unwrap().expect("there is a tree");
        assert_eq!(tree.root, ("S1".to_owned(), 2));
        assert_eq!(tree.branches.len(), 3);
        assert_eq!(tree.contributors.iter().collect::<Vec<_>>(), ["H1", "H4", "H5"]);
        assert_eq!(tree.victims.iter().collect::<Vec<_>>(), ["H2"]);
        assert_eq!(
            tree.words,
            "The tree with most branches at one sample, that of 15 ms. Root: S1 port 2 to H3, 31.1 KB waiting. 3 branches, \
             3 contributors from 3 hosts, 1 victim from 1 host."
        );
        let svg = drawing(RunFiles::Written(&files)).unwrap();
        assert!(svg.contains("its worst congestion tree, at 15 ms</title>"), "{svg}");
        let fabric = fabric();
        let named = |node: &str, port| (node.to_owned(), port);
        let tree = WorstTree {
            root: named("l2", 1),
            branches: [named("l1", 3), named("s", 2)].into(),
            contributors: ["a", "b"].map(str::to_owned).into(),
            victims: ["b", "d"].map(str::to_owned).into(),
            ..tree
        };
        let header = Header { title: String::new(), heading: Vec::new(), lines: Vec::new(), has_tree: true };
        let svg = fabric.drawn(&header, Some(&tree));
        let dotted = format!("stroke-dasharray=\"{}\"", marks::BRANCH.dash);
        assert_eq!(svg.matches(&dotted).count(), 3, "two branches and the key");
        assert_eq!(svg.matches("<title>root</title>").count(), 2, "the root and the key");
        assert_eq!(
            ["a", "b", "c", "d"].map(|host| svg.matches(&format!("<title>{host}</title>")).count()),
            [1, 2, 1, 1]
        );
    }
}
