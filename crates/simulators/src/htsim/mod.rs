//! Inputs of htsim: fat trees (`.topo`) and connection matrices (`.cm`).
//!
//! Invariant: every line is read or is a fault with its place. Connections that wait for others are a job. Triggers
//! that a job has only nearly are named, and failures, which scenarios do not have.
//!
//! ```text
//! Nodes 16                         Nodes 4
//! Tiers 2                          Connections 2
//! Podsize 16                       0->3 id 1 start 0 size 2000000
//! Tier 0                           1->3 id 2 trigger 1 size 2000000
//! Downlink_speed_Gbps 100          trigger id 1 oneshot
//! Radix_Down 4
//! ```
//!
//! | module | contents |
//! |---|---|
//! | here | the scenario |
//! | `files` | the content of fat trees |
//! | `matrix` | the content of connection matrices |
//! | `triggers` | the ends that a connection waits for |
//! | `closed` | matrices of triggers that are a closed loop of every host |
//! | `ranks`, `job` | other matrices of triggers, as a job |
//! | `notes` | the account of a matrix |
//!
//! A matrix means different things to the programs that read it, and does not say which it is for:
//!
//! | program | start | `recv_done_trigger` |
//! |---|---|---|
//! | csg-htsim's `htsim_ndp`, `htsim_eqds` | picoseconds, in a float of 32 bits (`connection_matrix.cpp`) | fires |
//! | csg-htsim's `htsim_roce`, `htsim_hpcc` | ignored: all start at 0 (`roce.cpp`, `RoceSrc::connect`) | never fires |
//! | uet-htsim's `htsim_uec` | microseconds (`main_uec.cpp`) | fires |

mod closed;
mod files;
mod job;
mod matrix;
mod notes;
mod ranks;
mod triggers;

use core::fmt::Write;
use core::ops::Range;

use names::{rule, shown};
use topology::{CustomFabric, FatTree};
use units::{Bytes, Rate, Span};

pub use self::files::HtsimTopology;
use self::files::{DELAY, SPEED};
use self::job::MatrixJob;
pub use self::matrix::{HtsimConnection, HtsimMatrix, HtsimTrigger, TriggerKind};
use self::triggers::Starts;
use interop::import::source::SourceText;
use interop::import::{ImportedScenario, KeyAccount, KeyFate};
use scenario::{Diagnostic, ScenarioText};

/// Time of flight for a tier that has none, in ns.
const USUAL_DELAY: u64 = 1000;
/// Most bytes of all connections for which a duration is counted.
const MOST_BYTES: u64 = 1 << 50;

/// Program that a connection matrix is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtsimProgram {
    /// `htsim_ndp` or `htsim_eqds` of csg-htsim.
    CsgNdp,
    /// `htsim_roce` or `htsim_hpcc` of csg-htsim.
    CsgRoce,
    /// `htsim_uec` or `htsim_roce` of uet-htsim.
    Uet,
}

/// Turns a topology and a connection matrix into a scenario. If the program that the matrix is for is left out,
/// starts are in picoseconds.
///
/// # Errors
/// If a file is wrong, the topology is no fat tree of this simulator, or the files differ in their hosts.
pub fn read(
    topo: SourceText<'_>,
    matrix: SourceText<'_>,
    program: Option<HtsimProgram>,
) -> Result<ImportedScenario, Diagnostic> {
    let topology = HtsimTopology::read(topo)?;
    let connections = HtsimMatrix::read(matrix)?;
    if connections.nodes > topology.nodes {
        let message = format!(
            "this matrix is for {} hosts, and the topology has {}",
            connections.nodes, topology.nodes
        );
        return Err(matrix.whole(message, "write matrices of hosts that the topology has"));
    }
    let mut draft = Draft { topo, matrix, topology: &topology, account: Vec::new() };
    let tree = draft.fabric()?;
    let (mut fabric, mut files) = (tree.clone(), Vec::new());
    let starts = Starts::of(matrix, &connections)?;
    let (work, last) = match closed::groups(&connections) {
        Some(groups) => {
            let last = draft.time(&connections.connections[0], program)?;
            draft.note_closed(&connections, &groups, program);
            fabric = closed::topology(&tree, &groups, topology.nodes);
            (format!("traffic: [{}]", closed::traffic(&groups, &connections, last)), last)
        }
        None if connections.is_job() => draft.job(&connections, &starts, program, &mut files)?,
        None => {
            let (flows, last) = draft.flows(&connections, program)?;
            files.push(("flows.txt".to_owned(), flows));
            ("traffic: [FlowList(file: \"flows.txt\")]".to_owned(), last)
        }
    };
    let cables = draft.cables();
    let switch = draft.switches();
    draft.rest();
    let duration = duration(&topology, &connections, last);
    let sample = Span::from_ps((duration.ps() / 1000).max(1));
    let scenario = format!(
        "// Imported from {topo} and {cm}, files of htsim. Flow control, buffers and congestion control are a draft.\n\
         (\n    about: {about:?},\n    duration: \"{duration}\",\n    until_done: true,\n    sample: \
         \"{sample}\",\n    topology: {fabric},\n    routing: Ecmp,\n    cables: {{\n{cables}    }},\n    link: (\n        framing: \
         RoCEv2,\n        mtu: \"4 KiB\",\n        data_lanes: 1,\n        flow_control: Pause(resume_offset: \"8 KiB\", reaction: \
         \"2 us\"),\n    ),\n{switch}    adapter: (receive_buffer: \"1 MiB\", ack_every: 1, max_outstanding: 4096, ack_timeout: 0, \
         retry_count: 7),\n    congestion_control: Off,\n    {work},\n)\n",
        topo = shown::comment(topo.name),
        cm = shown::comment(matrix.name),
        about = format!("Imported from {} and {}.", shown::line(topo.name), shown::line(matrix.name)),
        fabric = fabric.written(),
    );
    Ok(ImportedScenario { scenario, files, account: draft.account, warnings: Vec::new() })
}

/// Puts a connection matrix as a job into the scenario of a fabric: node 0 is its first host.
///
/// # Errors
/// If the file is wrong, the fabric has fewer hosts than it names, or the scenario is wrong itself or has jobs.
pub fn read_into(
    matrix: SourceText<'_>,
    program: Option<HtsimProgram>,
    name: &str,
    base: ScenarioText,
) -> Result<ImportedScenario, Diagnostic> {
    let connections = HtsimMatrix::read(matrix)?;
    let starts = Starts::of(matrix, &connections)?;
    let topology = HtsimTopology::default();
    let mut draft = Draft { topo: matrix, matrix, topology: &topology, account: Vec::new() };
    let (MatrixJob { mut job, hosts, .. }, _) = draft.matrix_job(&connections, &starts, program)?;
    job.account = draft.account;
    job.into_scenario_on(name, base, Some(&hosts))
}

/// Returns a number as a float of 32 bits holds it, in which csg-htsim's loader keeps starts.
fn as_float(number: u64) -> u64 {
    number as f32 as u64
}

/// Returns the longest time: twice the time of all bytes through a single link, after the last start.
fn duration(topology: &HtsimTopology, matrix: &HtsimMatrix, last: Span) -> Span {
    let rate = Rate::gbps(topology.attribute(0, SPEED, 1));
    let total = matrix.connections.iter().map(|own| own.size).fold(0, u64::saturating_add);
    let sending = rate.time_for(Bytes::new(total.min(MOST_BYTES)));
    let all = last.ps().saturating_add(sending.ps().saturating_mul(2));
    Span::from_ps(all.clamp(1_000_000_000, 3_600_000_000_000_000))
}

/// The fabric of a scenario.
#[derive(Clone)]
enum Fabric {
    Tree(FatTree),
    /// The same node by node, with its hosts in another order.
    Custom(CustomFabric),
}

impl Fabric {
    fn written(&self) -> String {
        match self {
            Self::Tree(FatTree { down, up, parallel, .. }) => format!(
                "FatTree(down: {down:?}, up: {up:?}, parallel: {parallel:?}, host_cable: \"host\", trunk_cable: \"trunk\")"
            ),
            Self::Custom(CustomFabric { hosts, switches, links }) => {
                let mut text = format!(
                    "Custom(\n        hosts: {hosts:?},\n        switches: {switches:?},\n        links: [\n"
                );
                for link in links {
                    let (from, to, cable) = (&link.from, &link.to, &link.cable);
                    writeln!(text, "            (from: {from:?}, to: {to:?}, cable: {cable:?}),")
                        .expect("a string takes it");
                }
                text + "        ],\n    )"
            }
        }
    }
}

/// The scenario so far.
struct Draft<'a> {
    topo: SourceText<'a>,
    matrix: SourceText<'a>,
    topology: &'a HtsimTopology,
    account: Vec<KeyAccount>,
}

impl Draft<'_> {
    fn note(
        &mut self,
        key: impl Into<String>,
        given: impl Into<String>,
        fate: KeyFate,
        what: impl Into<String>,
    ) {
        self.account.push(KeyAccount::new(key, given, fate, what));
    }

    /// Enters a part of the connection matrix, with its place.
    fn note_matrix(&mut self, key: &str, given: usize, at: Option<&Range<usize>>, fate: KeyFate, what: &str) {
        let mut entry = KeyAccount::new(key, given.to_string(), fate, what);
        entry.file = Some(self.matrix.name.to_owned());
        entry.place = at.map(|at| self.matrix.excerpt(at));
        self.account.push(entry);
    }

    /// Returns the fat tree.
    fn fabric(&mut self) -> Result<Fabric, Diagnostic> {
        let topology = self.topology;
        let wrong = |message: String, help: &str| Err(self.topo.whole(message, help));
        let attribute = |tier, name| topology.attribute(tier, name, 0);
        let bundle = |tier| topology.attribute(tier, "bundle", 1).max(1);
        let down = attribute(0, "radix_down");
        let pods =
            if topology.tiers == 3 && topology.podsize > 0 { topology.nodes / topology.podsize } else { 1 };
        let podsize = if topology.tiers == 3 { topology.podsize } else { topology.nodes };
        if down == 0 || podsize == 0 || podsize % down != 0 || podsize * pods != topology.nodes {
            let message = format!(
                "{} hosts cannot be dealt to switches of {down} in pods of {podsize}",
                topology.nodes
            );
            return wrong(
                message,
                "write `Nodes`, `Podsize` and `Radix_Down` of tier 0 that divide each other",
            );
        }
        let leaves = podsize / down;
        let up = attribute(0, "radix_up") / bundle(1);
        let expected = [leaves * bundle(1), pods * bundle(2.min(topology.tier.len() - 1))];
        for (tier, right) in (1..topology.tier.len()).zip(expected) {
            let given = attribute(tier, "radix_down");
            if given != right {
                let message = format!("tier {tier} has {given} ports down, and {right} cables lead there");
                return wrong(message, "write as many ports as there are switches below, times `Bundle`");
            }
        }
        if up == 0 || attribute(0, "radix_up") % bundle(1) != 0 {
            return wrong(
                "tier 0 has no whole number of switches above".to_owned(),
                "write `Radix_Up` as a multiple of `Bundle`",
            );
        }
        let (mut children, mut parents, mut parallel) = (vec![down, leaves], vec![up], vec![bundle(1)]);
        if topology.tiers == 3 {
            let cores = attribute(1, "radix_up") / bundle(2);
            if cores == 0 || attribute(1, "radix_up") % bundle(2) != 0 {
                return wrong(
                    "tier 1 has no whole number of switches above".to_owned(),
                    "write `Radix_Up` as a multiple of `Bundle`",
                );
            }
            children.push(pods);
            parents.push(cores);
            parallel.push(bundle(2));
        }
        let given = format!("{} hosts, {} tiers", topology.nodes, topology.tiers);
        self.note(
            "Nodes, Tiers, Podsize, Radix, Bundle",
            given,
            KeyFate::Used,
            "`topology: FatTree`; node 0 is `h1`; flows are hashed (`routing: Ecmp`), by another hash",
        );
        let narrow =
            |all: Vec<u64>| all.into_iter().map(|one| u16::try_from(one).unwrap_or(u16::MAX)).collect();
        let [host_cable, trunk_cable] = ["host", "trunk"].map(str::to_owned);
        let [down, up, parallel] = [children, parents, parallel].map(narrow);
        Ok(Fabric::Tree(FatTree { down, up, parallel, host_cable, trunk_cable }))
    }

    fn cables(&mut self) -> String {
        let topology = self.topology;
        let kind = |tier: usize| {
            (topology.attribute(tier, SPEED, 1), topology.attribute(tier, DELAY, USUAL_DELAY).max(1))
        };
        let written = |name: &str, (rate, delay): (u64, u64)| {
            format!("        \"{name}\": (rate: \"{rate} Gb/s\", propagation: Delay(\"{delay} ns\")),\n")
        };
        let text = written("host", kind(0)) + &written("trunk", kind(1));
        if topology.tiers == 3 && kind(2) != kind(1) {
            self.note(
                "Tier 2 Downlink",
                format!("{} Gb/s, {} ns", kind(2).0, kind(2).1),
                KeyFate::Changed,
                "cables above tier 1 are as those below",
            );
        }
        for tier in 0..topology.tier.len().min(2) {
            let (rate, delay) = kind(tier);
            let (fate, what) = if topology.attribute(tier, DELAY, 0) == 0 {
                (KeyFate::Approximated, "`cables`; the time of flight is assumed")
            } else {
                (KeyFate::Used, "`cables`")
            };
            self.note(format!("Tier {tier} Downlink"), format!("{rate} Gb/s, {delay} ns"), fate, what);
        }
        text
    }

    fn switches(&mut self) -> String {
        let topology = self.topology;
        let latencies: Vec<u64> =
            (0..topology.tier.len()).map(|tier| topology.attribute(tier, "switch_latency_ns", 0)).collect();
        let name = |tier: usize| match tier {
            0 => "leaf*",
            _ if tier + 1 == latencies.len() => "spine*",
            _ => "tier2.*",
        };
        let others: Vec<_> = (1..latencies.len()).filter(|tier| latencies[*tier] != latencies[0]).collect();
        let others: String = others.iter().fold(String::new(), |mut text, tier| {
            writeln!(text, "        \"{}\": (latency: \"{} ns\"),", name(*tier), latencies[*tier])
                .expect("a string takes it");
            text
        });
        self.note(
            "Switch_Latency_ns",
            format!("{latencies:?}"),
            KeyFate::Used,
            "`switch.latency`, by tier where they differ",
        );
        let others = if others.is_empty() { others } else { format!("    switches: {{\n{others}    }},\n") };
        format!(
            "    switch: (buffering: Central, arbiter: RoundRobin, memory: \"64 MB\", sharing: Dynamic(alpha: 8.0, guaranteed: \"0 B\"), \
             latency: \"{} ns\", forwarding: StoreAndForward, speedup: 1.0),\n{others}",
            latencies[0]
        )
    }

    /// Returns the start of a connection; 0 if a trigger starts it.
    fn time(&self, connection: &HtsimConnection, program: Option<HtsimProgram>) -> Result<Span, Diagnostic> {
        let given = connection.start.unwrap_or(0);
        let ps = match program {
            Some(HtsimProgram::Uet) => given.checked_mul(1_000_000),
            Some(HtsimProgram::CsgRoce) => Some(0),
            Some(HtsimProgram::CsgNdp) => Some(as_float(given)),
            None => Some(given),
        };
        ps.filter(|ps| *ps <= 1_000_000_000_000_000).map(Span::from_ps).ok_or_else(|| {
            self.matrix.wrong(&connection.at, "this start is past 1000 s", "write an earlier one")
        })
    }

    /// Makes a job of the connections. Returns the field of the scenario, and the last start.
    fn job(
        &mut self,
        matrix: &HtsimMatrix,
        starts: &Starts,
        program: Option<HtsimProgram>,
        files: &mut Vec<(String, String)>,
    ) -> Result<(String, Span), Diagnostic> {
        let (MatrixJob { job, hosts, .. }, last) = self.matrix_job(matrix, starts, program)?;
        let stem = self.matrix.name.trim_end_matches(".gz").trim_end_matches(".cm");
        // A name in quotes, which it must not end, and a file beside the scenario.
        let name = rule::plain(stem).replace(['"', '\\', '/', ':'], "_");
        let file = format!("{name}.goal");
        let hosts: Vec<String> = hosts.iter().map(|host| format!("\"h{}\"", host + 1)).collect();
        let (program, hosts) = (job.program(&file), hosts.join(", "));
        // Messages that wait for each other take the time of their flight besides that of their bytes.
        let flights = Span::from_us(100 * (job.matched.messages).min(10_000_000));
        files.push((file, job.text));
        Ok((format!("jobs: [(name: \"{name}\", program: {program}, hosts: [{hosts}])]"), last + flights))
    }

    /// Makes a job of the connections, and enters them. Returns the last start besides.
    fn matrix_job(
        &mut self,
        matrix: &HtsimMatrix,
        starts: &Starts,
        program: Option<HtsimProgram>,
    ) -> Result<(MatrixJob, Span), Diagnostic> {
        let times = matrix.connections.iter().map(|own| self.time(own, program));
        let times: Vec<Span> = times.collect::<Result<_, _>>()?;
        matrix.connections.iter().try_for_each(|own| self.check_priority(own))?;
        let own = job::job(matrix, starts, &times);
        self.note_job(matrix, &own.hosts, &own.inexact, program);
        let last = times.iter().copied().max().unwrap_or(Span::ZERO);
        let later = times.iter().filter(|time| **time > Span::ZERO).count();
        if later > 0 {
            let what = "a rank waits for its start by a `calc`, which measures of jobs count as computing";
            self.note_matrix("start above 0", later, None, KeyFate::Approximated, what);
        }
        Ok((own, last))
    }

    fn check_priority(&self, connection: &HtsimConnection) -> Result<(), Diagnostic> {
        match connection.prio {
            Some(prio) if prio > 7 => {
                let message = format!("priority {prio} is out of range");
                Err(self.matrix.wrong(&connection.at, message, "write 0 to 7"))
            }
            _ => Ok(()),
        }
    }

    /// Writes the list of flows, in the order of the file. Returns the last start besides.
    fn flows(
        &mut self,
        matrix: &HtsimMatrix,
        program: Option<HtsimProgram>,
    ) -> Result<(String, Span), Diagnostic> {
        let own: Vec<_> = matrix.connections.iter().filter(|own| own.start.is_some()).collect();
        if own.is_empty() {
            return Err(self
                .matrix
                .whole("no connection has a start time", "write `start 0` for at least one"));
        }
        let (mut text, mut last) = (format!("{}\n", own.len()), Span::ZERO);
        for connection in &own {
            let start = self.time(connection, program)?;
            last = last.max(start);
            self.check_priority(connection)?;
            let prio = connection.prio.unwrap_or(0);
            let HtsimConnection { from, to, size, .. } = connection;
            let (seconds, rest) = (start.ps() / 1_000_000_000_000, start.ps() % 1_000_000_000_000);
            writeln!(text, "{from} {to} {prio} 100 {size} {seconds}.{rest:012}").expect("a string takes it");
        }
        self.note_connections(matrix, program);
        Ok((text, last))
    }

    fn rest(&mut self) {
        let sized: Vec<_> = ["queue_down", "queue_up", "oversubscribed", "ecn_low", "ecn_high"]
            .into_iter()
            .filter(|name| self.topology.tier.iter().any(|tier| tier.contains_key(*name)))
            .collect();
        if !sized.is_empty() {
            let what = "queues in packets of htsim's own transport: memory, PFC and marking are a draft";
            self.note(sized.join(", "), "", KeyFate::Approximated, what);
        }
        let what =
            "not in the files: RoCEv2 over PFC, without congestion control; htsim's transports are others";
        self.note("(transport, switches)", "", KeyFate::Approximated, what);
    }
}
