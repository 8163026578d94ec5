//! The fabric at moments: nodes, outputs, load, stalls, and congestion trees.
//!
//! Invariant: outputs come from `ports.csv`, the lanes of a port together. Loads are sums over lanes, and a port's
//! stall is the longest stall of a lane.

use std::collections::BTreeMap;

use results::reader::{ReadError, RunFiles};
use results::rows::{OutputMomentRow, PathRow, PortRow, TreeMomentRow, TreeRow};
use results::table::TableRow;
use serde::Serialize;

use super::facts::RootFacts;
use super::paths::{self, PathData};
use crate::numbers::{Form, InJson, Numbers, Shares, TakenOut};
use crate::words;

#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub(super) struct FabricData<F: Form = InJson> {
    /// Names of all nodes, hosts first.
    nodes: Vec<String>,
    /// Number of hosts.
    hosts: usize,
    /// Outputs: node, port and peer, in turn.
    outputs: Vec<u32>,
    /// Ends of the intervals, in s; none if the run recorded no moments.
    moments: Vec<f64>,
    /// Load, moment by moment and output by output.
    load: F::Shares,
    /// Share of the interval for which the output was stalled, likewise.
    stalled: F::Shares,
    /// Over the whole run: load and stalls of each output.
    whole_load: F::Shares,
    whole_stalled: F::Shares,
    /// Trees at the moments.
    trees: Vec<TreeData>,
    /// Roots at each moment that are not among `trees`, by output.
    further_roots: Vec<Vec<u32>>,
    /// Bytes that wait for an output at a moment, moment by moment and output by output, in units of `queue_unit`.
    queue: F::Shares,
    queue_unit: f64,
    /// Rate of each output's link in Gb/s.
    rates_gbps: Vec<f64>,
    /// Output that is the root which cost most, as the sentences at the head of the page name it.
    headline: Option<u32>,
    /// The moment that shows the run at its worst.
    opens_at: Option<usize>,
    /// Paths of flows; `None` without `paths.csv`.
    paths: Option<PathData<F>>,
}

impl FabricData {
    pub(super) fn take_out(self, numbers: &mut Numbers) -> FabricData<TakenOut> {
        let paths = self.paths.map(|paths| paths.take_out(numbers));
        let mut shares = |Shares(parts)| numbers.add_parts(parts);
        // Shares are taken out in the order of the fields.
        FabricData {
            nodes: self.nodes,
            hosts: self.hosts,
            outputs: self.outputs,
            moments: self.moments,
            load: shares(self.load),
            stalled: shares(self.stalled),
            whole_load: shares(self.whole_load),
            whole_stalled: shares(self.whole_stalled),
            trees: self.trees,
            further_roots: self.further_roots,
            queue: shares(self.queue),
            queue_unit: self.queue_unit,
            rates_gbps: self.rates_gbps,
            headline: self.headline,
            opens_at: self.opens_at,
            paths,
        }
    }
}

/// A congestion tree at a moment.
#[derive(Debug, Serialize)]
struct TreeData {
    moment: u32,
    root: u32,
    branches: Vec<u32>,
    contributors: Vec<u32>,
    victims: Vec<u32>,
}

/// Places of nodes and outputs by their names.
struct Places<'a> {
    nodes: BTreeMap<&'a str, u32>,
    outputs: BTreeMap<(u32, u32), u32>,
}

impl Places<'_> {
    fn node(&self, file: &str, name: &str) -> Result<u32, ReadError> {
        let unknown = || ReadError::Malformed {
            file: file.to_owned(),
            fault: format!("`ports.csv` has no node `{name}`"),
        };
        self.nodes.get(name).copied().ok_or_else(unknown)
    }

    fn output(&self, file: &str, name: &str, port: u32) -> Result<u32, ReadError> {
        let unknown = || ReadError::Malformed {
            file: file.to_owned(),
            fault: format!("`ports.csv` has no port {port} of `{name}`"),
        };
        self.outputs.get(&(self.node(file, name)?, port)).copied().ok_or_else(unknown)
    }
}

/// Reads the fabric; `None` if it has no ports. `worst` is the root that cost most.
pub(super) fn read(
    files: RunFiles<'_>,
    simulated_s: f64,
    worst: Option<&RootFacts>,
) -> Result<Option<FabricData>, ReadError> {
    let ports: Vec<PortRow<'_>> = files.rows()?;
    if ports.is_empty() {
        return Ok(None);
    }
    let mut places = Places { nodes: BTreeMap::new(), outputs: BTreeMap::new() };
    let mut nodes = Vec::new();
    for port in &ports {
        places.nodes.entry(&port.node).or_insert_with(|| {
            nodes.push(port.node.to_string());
            nodes.len() as u32 - 1
        });
    }
    let (mut outputs, mut whole_load, mut whole_stalled) = (Vec::new(), Vec::new(), Vec::new());
    let (mut hosts, mut rates_gbps) = (0, Vec::new());
    for port in &ports {
        let [node, peer] = [&port.node, &port.peer].map(|name| places.node(PortRow::FILE, name));
        let (node, peer) = (node?, peer?);
        let next = places.outputs.len() as u32;
        let place = *places.outputs.entry((node, port.port)).or_insert(next) as usize;
        if place == whole_load.len() {
            outputs.extend([node, port.port, peer]);
            whole_load.push(0.0);
            whole_stalled.push(0.0_f64);
            rates_gbps.push(port.link_rate_bps / 1e9);
        }
        whole_load[place] += port.utilisation;
        whole_stalled[place] = whole_stalled[place].max(port.stalled_s / simulated_s.max(f64::MIN_POSITIVE));
        if port.congested_samples.is_none() {
            hosts = hosts.max(node as usize + 1);
        }
    }
    let mut data = FabricData {
        nodes,
        hosts,
        outputs,
        moments: Vec::new(),
        load: Shares::default(),
        stalled: Shares::default(),
        whole_load: Shares::of(&whole_load),
        whole_stalled: Shares::of(&whole_stalled),
        trees: Vec::new(),
        further_roots: Vec::new(),
        queue: Shares::default(),
        queue_unit: 1.0,
        rates_gbps,
        headline: None,
        opens_at: None,
        paths: paths::read(files, |node, port| places.output(PathRow::FILE, node, port))?,
    };
    // Names in `summary.json` are raw, and those in tables have no control characters.
    data.headline = worst.and_then(|root| places.output(PortRow::FILE, &root.node, root.port).ok());
    if files.has(OutputMomentRow::FILE) {
        let weights = read_moments(files, &places, &mut data)?;
        data.opens_at = data.worst_tree().map_or_else(
            // The first of equals.
            || (0..weights.len()).rev().max_by(|one, other| weights[*one].total_cmp(&weights[*other])),
            |tree| Some(tree.moment as usize),
        );
    }
    Ok(Some(data))
}

/// Reads the moments; returns the weight of each: how long its outputs were stalled, and a little of their load.
fn read_moments(
    files: RunFiles<'_>,
    places: &Places<'_>,
    data: &mut FabricData,
) -> Result<Vec<f64>, ReadError> {
    let rows: Vec<OutputMomentRow<'_>> = files.rows()?;
    data.moments = rows.iter().map(|row| row.time_s).collect();
    data.moments.dedup();
    let moments = data.moments.clone();
    let moment = |time: f64| moments.binary_search_by(|one| one.total_cmp(&time)).ok();
    let count = places.outputs.len();
    let (mut load, mut stalled) = (vec![0.0; count * moments.len()], vec![0.0_f64; count * moments.len()]);
    let (mut queue, mut weights) = (vec![0; count * moments.len()], vec![0.0; moments.len()]);
    for row in &rows {
        let output = places.output(OutputMomentRow::FILE, &row.node, row.port)? as usize;
        if let Some(moment) = moment(row.time_s) {
            let at = moment * count + output;
            load[at] += row.utilisation;
            stalled[at] = stalled[at].max(row.stalled_share);
            queue[at] += row.queue_bytes.unwrap_or(0);
            weights[moment] += row.stalled_share + row.utilisation / 1e6;
        }
    }
    (data.load, data.stalled) = (Shares::of(&load), Shares::of(&stalled));
    let longest = queue.iter().copied().max().unwrap_or(0);
    data.queue_unit = (longest as f64 / f64::from(u16::MAX)).max(1.0);
    data.queue = Shares(queue.iter().map(|bytes| (*bytes as f64 / data.queue_unit).round() as u16).collect());
    let parts: Vec<TreeMomentRow<'_>> = files.rows()?;
    let file = TreeMomentRow::FILE;
    for part in &parts {
        let Some(moment) = moment(part.time_s) else { continue };
        let root = places.output(file, &part.root_node, part.root_port)?;
        let is_new = data.trees.last().is_none_or(|tree| (tree.moment, tree.root) != (moment as u32, root));
        if is_new {
            let [branches, contributors, victims] = [const { Vec::new() }; 3];
            data.trees.push(TreeData { moment: moment as u32, root, branches, contributors, victims });
        }
        let Some(tree) = data.trees.last_mut() else { continue };
        match (&*part.role, &part.node, part.port, &part.host) {
            ("branch", Some(node), Some(port), _) => tree.branches.push(places.output(file, node, port)?),
            ("contributor", _, _, Some(host)) => tree.contributors.push(places.node(file, host)?),
            ("victim", _, _, Some(host)) => tree.victims.push(places.node(file, host)?),
            (role, ..) => {
                let fault = format!("a row of role `{role}` lacks its output or host");
                return Err(ReadError::Malformed { file: file.to_owned(), fault });
            }
        }
    }
    data.further_roots = vec![Vec::new(); moments.len()];
    let trees: Vec<TreeRow<'_>> = files.rows()?;
    for row in &trees {
        let Some(moment) = moment(row.time_s) else { continue };
        let root = places.output(TreeRow::FILE, &row.root_node, row.root_port)?;
        let is_known = data.trees.iter().any(|tree| (tree.moment as usize, tree.root) == (moment, root));
        if !is_known && !data.further_roots[moment].contains(&root) {
            data.further_roots[moment].push(root);
        }
    }
    Ok(weights)
}

impl FabricData {
    /// Returns the tree that shows the run at its worst: of the root that cost most, if a moment has a tree of it, the
    /// tree with most branches, then most hosts of victims, then the first.
    fn worst_tree(&self) -> Option<&TreeData> {
        let rank =
            |tree: &&TreeData| (Some(tree.root) == self.headline, tree.branches.len(), tree.victims.len());
        // The last of equals in the opposite order is the first.
        self.trees.iter().rev().max_by_key(rank)
    }

    /// Returns the name of an output.
    fn output(&self, output: u32) -> String {
        let at = 3 * output as usize;
        let [node, peer] = [0, 2].map(|part| &self.nodes[self.outputs[at + part] as usize]);
        format!("{node} port {} to {peer}", self.outputs[at + 1])
    }
}

/// Returns the sentence on the figure of the fabric.
pub(super) fn about(fabric: Option<&FabricData>) -> String {
    let Some(fabric) = fabric else { return "The fabric has no ports.".to_owned() };
    let size = format!(
        "{} and {}.",
        words::count(fabric.hosts, "host"),
        words::count(fabric.nodes.len() - fabric.hosts, "switch"),
    );
    let paths = paths::about(fabric.paths.as_ref()).map_or_else(String::new, |about| format!(" {about}"));
    if fabric.moments.is_empty() {
        return format!(
            "{size} The run recorded no moments (`timeline.csv`): the picture shows the whole run.{paths}"
        );
    }
    let trees = fabric.worst_tree().map_or_else(
        || "There is no congestion tree at any of them.".to_owned(),
        |tree| {
            let at = words::time(fabric.moments[tree.moment as usize]);
            format!(
                "It opens at {at}, with the worst tree, of {}: {}, {} and {}.",
                fabric.output(tree.root),
                words::count(tree.branches.len(), "branch"),
                words::count(tree.contributors.len(), "contributing host"),
                match tree.victims.len() {
                    1 => "1 host with a victim".to_owned(),
                    several => format!("{} with victims", words::count(several, "host")),
                },
            )
        },
    );
    let intervals = words::count(fabric.moments.len(), "moment");
    format!(
        "{size} There are {intervals}, each with the load and the stalls of the interval that ends with it. {trees}{paths}"
    )
}
