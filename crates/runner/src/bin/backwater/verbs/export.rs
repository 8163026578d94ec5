//! `export`: files for a cluster's own tools, from a scenario or from the winner of a tuning.
//!
//! Invariant: the file alone goes to standard output. Each value that it holds differently, or not at all, is a line on
//! standard error.

mod counters;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use interop::export::addresses::Addresses;
use interop::export::{
    ExportError, Exported, PortNames, ValueAccount, ValueFate, goal, ibccconfig, ibsim, lfts, mlx5, opensm,
    sonic,
};
use interop::import::SourceText;
use packet::NodeId;
use results::manifest::{FolderKind, MANIFEST, Manifest};
use scenario::{Plan, Scenario, ScenarioText, help_with_name};
use units::Bytes;

use self::counters::ExportCountersOptions;
use super::import::byte_reset_unit;
use crate::failure::Failure;
use crate::given_file::text;
use crate::new_file;
use crate::terminal::{note, print_exactly, warn};

/// Tables beside an imported cluster, with the addresses of its nodes.
const TABLES: [&str; 2] = ["nodes.csv", PORTS];
/// Table of ports beside an imported cluster.
const PORTS: &str = "ports.csv";
/// The winner of a tuning, as overrides.
const WINNER: &str = "winner.set";
const FOLDER: &str = "name a folder that `tune` has written";

#[derive(Debug, Subcommand)]
pub(crate) enum ExportTarget {
    /// Forwarding tables of an InfiniBand scenario, as `opensm -R file -U FILE` takes them.
    Lfts(ExportFabricOptions),
    /// Nodes and cables of an InfiniBand scenario, as a net file of ibsim.
    Ibsim(ExportFabricOptions),
    /// Congestion control of an InfiniBand scenario: the keys `cc_*` of an `opensm.conf`.
    Opensm(ExportFabricOptions),
    /// Congestion control of an InfiniBand scenario: command lines of `ibccconfig`, node by node.
    Ibccconfig(ExportFabricOptions),
    /// DCQCN of a RoCEv2 scenario: parameters of ConnectX adapters, by the names of the driver.
    Mlx5(ExportAdapterOptions),
    /// Counters of ports after a run, as `perfquery`, ibsim or `ethtool -S` have them.
    Counters(ExportCountersOptions),
    /// ECN, PFC and shared memory of a switch of a RoCEv2 scenario: tables of `config_db.json` of SONiC.
    Sonic(ExportSwitchOptions),
    /// The program of a job as text in GOAL, which `LogGOPSim` and HTSIM-ATLAHS replay once `txt2bin` has read it.
    Goal(ExportGoalOptions),
}

#[derive(Args, Debug)]
pub(crate) struct ExportGoalOptions {
    #[command(flatten)]
    source: ExportSource,
    /// Name of the job [default: the only one].
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    #[command(flatten)]
    result: ExportResult,
}

#[derive(Args, Debug)]
pub(crate) struct ExportAdapterOptions {
    #[command(flatten)]
    source: ExportSource,
    /// Unit of `rpg_byte_reset`, which the vendor's documents leave open [default: `64 B`, as in `import mlx5`].
    #[arg(long, value_name = "BYTES", value_parser = byte_reset_unit)]
    byte_reset_unit: Option<Bytes>,
    #[command(flatten)]
    result: ExportResult,
}

#[derive(Args, Debug)]
pub(crate) struct ExportSwitchOptions {
    #[command(flatten)]
    source: ExportSource,
    /// Name of the switch [default: the first one; others that differ are named].
    #[arg(long, value_name = "NAME")]
    switch: Option<String>,
    /// Folder of an imported fabric, with `ports.csv`, which has the names of ports [default: the scenario's folder, if
    /// it is there].
    #[arg(long, value_name = "DIR")]
    cluster: Option<PathBuf>,
    /// Call ports `Ethernet0`, `Ethernet4` and so on, in their order.
    #[arg(long, conflicts_with = "cluster")]
    assigned: bool,
    #[command(flatten)]
    result: ExportResult,
}

#[derive(Args, Debug)]
pub(crate) struct ExportFabricOptions {
    #[command(flatten)]
    source: ExportSource,
    /// Folder with the tables of an imported cluster, `nodes.csv` and `ports.csv`, whose GUIDs, LIDs and numbers of
    /// ports hold [default: the scenario's folder, if they are there].
    #[arg(long, value_name = "DIR")]
    cluster: Option<PathBuf>,
    /// Assign GUIDs, LIDs and numbers of ports, also if tables of a cluster are beside the scenario.
    #[arg(long, conflicts_with = "cluster")]
    assigned: bool,
    #[command(flatten)]
    result: ExportResult,
}

/// The scenario of an export.
#[derive(Args, Debug)]
struct ExportSource {
    /// File, or name of a shipped scenario.
    scenario: String,
    /// Override of a field: `--set congestion_control=Off`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Folder of a tuning of the scenario, whose overrides and winner (`winner.set`) precede those of `--set`.
    #[arg(long, value_name = "DIR")]
    tuned: Option<PathBuf>,
    /// File with overrides, one a line, such as the `searched.set` of a tuning without a winner. They precede those of
    /// `--set`.
    #[arg(long, value_name = "FILE")]
    set_file: Vec<PathBuf>,
}

/// The file of an export.
#[derive(Args, Debug)]
struct ExportResult {
    /// File to be written [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file if it is there.
    #[arg(long, requires = "out")]
    force: bool,
}

struct ExportedPlan {
    text: ScenarioText,
    plan: Plan,
}

pub(crate) fn run(target: &ExportTarget) -> Result<(), Failure> {
    match target {
        ExportTarget::Lfts(options) => export_tables(options),
        ExportTarget::Counters(options) => options.run(),
        ExportTarget::Ibsim(options) => options.export(ibsim::export),
        ExportTarget::Opensm(options) => options.export(opensm::export),
        ExportTarget::Ibccconfig(options) => options.export(ibccconfig::export),
        ExportTarget::Mlx5(ExportAdapterOptions { source, byte_reset_unit, result }) => {
            let of = source.read()?;
            result.whole(of.checked(mlx5::export(&of.plan, *byte_reset_unit))?)
        }
        ExportTarget::Sonic(options) => export_switch(options),
        ExportTarget::Goal(ExportGoalOptions { source, job, result }) => {
            let of = source.read()?;
            result.whole(of.checked(goal::export(&of.plan, job.as_deref()))?)
        }
    }
}

/// Writes the tables of a switch, and names other switches with different tables.
fn export_switch(options: &ExportSwitchOptions) -> Result<(), Failure> {
    let ExportSwitchOptions { source, switch, result, .. } = options;
    let of = source.read()?;
    let graph = of.plan.graph();
    let is_switch = |name: &String| graph.find(name).filter(|node| !graph.is_host(*node));
    let chosen = match switch {
        Some(given) => is_switch(given).ok_or_else(|| {
            let names = graph.switch_ids().map(|switch| graph.name(switch));
            Failure::NoSwitch { given: given.clone(), help: help_with_name(given, names, "switches") }
        })?,
        None => graph.switch_ids().next().expect("a fabric has a switch"),
    };
    let names = options.port_names(&of)?;
    if names.is_none() && !options.assigned && graph.has_given_numbers(chosen) {
        let switch = graph.name(chosen).to_owned();
        return of.checked(Err(ExportError::UnnamedPorts { switch }));
    }
    let mut exported = of.checked(sonic::export_named(&of.plan, chosen, names.as_ref()))?;
    if switch.is_none() {
        // Settings are compared under assigned names, as those of clusters may differ from switch to switch.
        let first = of.checked(sonic::export(&of.plan, chosen))?;
        let differs =
            |other: &NodeId| sonic::export(&of.plan, *other).map_or(true, |own| own.text != first.text);
        let others: Vec<&str> = graph.switch_ids().filter(differs).map(|other| graph.name(other)).collect();
        exported.account.extend(other_switches(graph.name(chosen), &others));
    }
    result.whole(exported)
}

/// Enters the switches with tables that differ from the written tables.
fn other_switches(chosen: &str, others: &[&str]) -> Option<ValueAccount> {
    const MOST_NAMED: usize = 4;
    let named = others.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = others.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let fate = ValueFate::Assumed { written: format!("`{chosen}`, the first") };
    let why = format!("{named}{more} have other tables: `--switch NAME`");
    (!others.is_empty()).then(|| ValueAccount { field: "switch".to_owned(), fate, why })
}

/// Writes forwarding tables, switch by switch.
fn export_tables(options: &ExportFabricOptions) -> Result<(), Failure> {
    let of = options.source.read()?;
    let addresses = options.addresses(&of)?;
    let tables = of.checked(lfts::export(&of.plan, &addresses))?;
    options.result.write(tables.tables(), &tables.account)
}

impl ExportSwitchOptions {
    /// Returns the names of ports in an imported fabric, from the folder that is given or the scenario's.
    fn port_names(&self, of: &ExportedPlan) -> Result<Option<PortNames>, Failure> {
        let beside = || of.text.folder().map(|folder| folder.join(PORTS)).filter(|file| file.is_file());
        let file = match &self.cluster {
            Some(folder) => Some(folder.join(PORTS)),
            None => Some(()).filter(|()| !self.assigned).and_then(|()| beside()),
        };
        let Some(file) = file else { return Ok(None) };
        let (name, table) = (file.display().to_string(), text(&file)?);
        if self.cluster.is_none() && !PortNames::are_in(&table) {
            return Ok(None);
        }
        Ok(Some(PortNames::read(&of.plan, SourceText { name: &name, text: &table })?))
    }
}

impl ExportFabricOptions {
    /// Writes the file of a target that needs addresses.
    fn export(&self, target: fn(&Plan, &Addresses) -> Result<Exported, ExportError>) -> Result<(), Failure> {
        let of = self.source.read()?;
        let addresses = self.addresses(&of)?;
        self.result.whole(of.checked(target(&of.plan, &addresses))?)
    }

    /// Returns the addresses of the scenario's nodes: an imported cluster's, or assigned addresses.
    fn addresses(&self, of: &ExportedPlan) -> Result<Addresses, Failure> {
        let folder = if self.assigned {
            None
        } else {
            self.cluster.as_deref().or_else(|| of.text.folder().filter(|folder| has_tables(folder)))
        };
        let Some(folder) = folder else { return of.checked(Addresses::assigned(&of.plan)) };
        let files = TABLES.map(|name| folder.join(name));
        let names = files.each_ref().map(|file| file.display().to_string());
        let [nodes, ports] = [text(&files[0])?, text(&files[1])?];
        let source = |name, text| SourceText { name, text };
        Ok(Addresses::of_cluster(&of.plan, source(&names[0], &nodes), source(&names[1], &ports))?)
    }
}

fn has_tables(folder: &Path) -> bool {
    TABLES.iter().all(|name| folder.join(name).is_file())
}

impl ExportSource {
    /// Reads and checks the scenario with all overrides.
    fn read(&self) -> Result<ExportedPlan, Failure> {
        let files = self.set_file.iter().map(|file| text(file)).collect::<Result<Vec<_>, _>>()?;
        let of_files: Vec<_> = files
            .iter()
            .flat_map(|file| file.lines())
            .filter(|line| !line.trim().is_empty())
            .map(str::to_owned)
            .collect();
        let mut text = ScenarioText::find(&self.scenario)?;
        let tuned = self.tuned.as_deref().map(winner).transpose()?;
        let tuned_set = tuned.iter().flat_map(|(_, set)| set);
        for assignment in tuned_set.chain(&of_files).chain(&self.set) {
            text.set(assignment)?;
        }
        let plan = Scenario::read(&text)?.check(&text)?;
        if let Some((scenario, _)) = tuned.filter(|(scenario, _)| scenario != plan.name()) {
            warn(&format!("the tuning is of `{scenario}`, and its winner is put into `{}`", plan.name()));
        }
        Ok(ExportedPlan { text, plan })
    }
}

/// Returns the scenario of a tuning, and its overrides with the winner's.
fn winner(folder: &Path) -> Result<(String, Vec<String>), Failure> {
    let refused =
        |why: String, help: &'static str| Failure::NoWinner { folder: folder.to_owned(), why, help };
    let manifest = Manifest::read(&text(&folder.join(MANIFEST))?)
        .map_err(|error| refused(format!("its `{MANIFEST}` is no manifest: {error}"), FOLDER))?;
    let [plan] = &manifest.plans[..] else {
        return Err(refused("it is not the folder of one tuning".to_owned(), FOLDER));
    };
    if manifest.kind != FolderKind::Tuning {
        return Err(refused("it is not the folder of a tuning".to_owned(), FOLDER));
    }
    let file = folder.join(WINNER);
    if !file.is_file() {
        let verdict = manifest.verdict.unwrap_or_else(|| "the tuning has not ended".to_owned());
        return Err(refused(
            verdict,
            "leave out `--tuned`: the scenario's own settings are to be kept; `--set-file DIR/searched.set` takes the best that the search found",
        ));
    }
    let winner = text(&file)?;
    let set = plan.overrides.iter().cloned().chain(winner.lines().map(str::to_owned));
    Ok((plan.scenario.clone(), set.collect()))
}

impl ExportedPlan {
    /// Returns what was made of the plan, or the fault with its place in the scenario.
    fn checked<T>(&self, made: Result<T, ExportError>) -> Result<T, Failure> {
        made.map_err(|error| error.diagnostic(&self.text).into())
    }
}

impl ExportResult {
    fn whole(&self, Exported { text, account }: Exported) -> Result<(), Failure> {
        self.write(core::iter::once(text), &account)
    }

    /// Writes the parts of the file, then the account.
    fn write(&self, parts: impl Iterator<Item = String>, account: &[ValueAccount]) -> Result<(), Failure> {
        match &self.out {
            None => parts.for_each(|part| print_exactly(&part)),
            Some(file) => self.write_file(file, parts)?,
        }
        account.iter().for_each(|entry| note(&entry.to_string()));
        Ok(())
    }

    fn write_file(&self, file: &Path, mut parts: impl Iterator<Item = String>) -> Result<(), Failure> {
        let mut open = new_file::open(file, self.force)?;
        let written = parts.try_for_each(|part| open.write_all(part.as_bytes()));
        written.map_err(|cause| new_file::failure(file, cause))?;
        new_file::finish(file, open)
    }
}
