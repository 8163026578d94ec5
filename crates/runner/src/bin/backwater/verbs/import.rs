//! `import`: a scenario from the files of a cluster or of another simulator.
//!
//! Invariant: the fate of every key is printed. A file that the scenario would change into another experiment is
//! refused, unless the user accepts that. The scenario is checked before it is written: nothing is left of one that
//! cannot run.

mod chakra;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use backwater::provenance::manifest;
use clap::{Args, Subcommand, ValueEnum};
use interop::import::infiniband::fabric::width_and_speed;
use interop::import::infiniband::forwarding::without_descriptions;
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::lldp::LldpOptions;
use interop::import::sonic::fabric::UsualPorts;
use interop::import::text::GivenText;
use interop::import::{
    self, ImportedScenario, ImportedSettings, KeyAccount, KeyFate, SettingsTarget, SourceText, goal, lldp,
    mlx5, opensm, sonic,
};
use link_layer::spec::{Speed, Width};
use names::shell::word;
use names::{rule, shown};
use results::format::{aligned, fitted, plain_table};
use results::manifest::FolderKind;
use results::remarks;
use results::tables::printed;
use results::{OutputFile, ResultFolder};
use scenario::{Diagnostic, LocatedFault, Plan, Scenario, ScenarioText, draft};
use simulators::htsim::HtsimProgram;
use simulators::{hpcc, htsim};
use telemetry::IdleSettingRecord;
use units::{Bytes, Length, Rate, Span, UnitError};

use crate::arguments::{self, bytes};
use crate::failure::Failure;
use crate::given_file;
use crate::terminal::{print, warn, width_up_to};

/// Largest width of the printed table, in characters.
const WIDTH: u16 = 120;
/// Characters of a value in the printed table.
const VALUE: usize = 20;

#[derive(Debug, Subcommand)]
pub(crate) enum ImportFormat {
    /// `config.txt` of HPCC's simulator, with the topology and flows that it names.
    Hpcc(ImportHpccOptions),
    /// An InfiniBand subnet: what `ibnetdiscover` prints (plain, `-g` or `-p`), a net file of ibsim, or OpenSM's
    /// `opensm-subnet.lst`.
    Ibnetdiscover(ImportClusterOptions),
    /// `ibdiagnet2.db_csv`: nodes, cables, lengths, lane arbitration and counters of an InfiniBand subnet in a single
    /// file.
    Ibdiagnet(ImportClusterOptions),
    /// Lanes, congestion control and adaptive routing of a subnet manager: the keys `cc_*`, `qos_*` and `ar_*` of an
    /// `opensm.conf`, an older `ar_mgr.conf`, or command lines of `ibccconfig`.
    Opensm(ImportSettingsOptions),
    /// DCQCN parameters of a ConnectX adapter: what `mlxconfig query` prints or `mlxconfig set` sets, the driver's
    /// folder by `grep -r .`, or names and values.
    Mlx5(ImportAdapterOptions),
    /// A SONiC switch: thresholds of ECN, PFC and shared memory, and adaptive routing (ARS), by its `config_db.json`, a
    /// dump of its database, or what `show buffer information` prints.
    Sonic(ImportSonicOptions),
    /// The cables of a RoCEv2 fabric: `show lldp table` of its SONiC switches, `netq show lldp`, `nv show interface
    /// lldp`, or a list of cables (CSV, as `NetBox` has it).
    Lldp(ImportLldpOptions),
    /// A fat tree (`.topo`) and a connection matrix (`.cm`) of htsim.
    Htsim(ImportHtsimOptions),
    /// A job in GOAL, as text or in the binary form of `LogGOPSim` and HTSIM-ATLAHS, on the fabric of a scenario.
    Goal(ImportGoalOptions),
    /// A job from execution traces of `MLCommons` Chakra, as `PyTorch`'s converters write them and ASTRA-sim reads
    /// them, on the fabric of a scenario.
    Chakra(chakra::ImportChakraOptions),
}

#[derive(Args, Debug)]
pub(crate) struct ImportGoalOptions {
    /// The file.
    file: PathBuf,
    /// Scenario of the fabric, whose hosts run the ranks in their order: a file or the name of a shipped one.
    #[arg(long, value_name = "SCENARIO")]
    into: String,
    /// Time of `calc 1`, which the file does not say [default: `1 ns`].
    #[arg(long, value_name = "TIME", value_parser = calc_unit)]
    calc_unit: Option<Span>,
    #[command(flatten)]
    result: ImportResult,
}

#[derive(Args, Debug)]
pub(crate) struct ImportHtsimOptions {
    /// The fat tree and the connection matrix; with `--into` the matrix alone.
    #[arg(required = true, num_args = 1..=2, value_names = ["TOPO", "CM"])]
    files: Vec<PathBuf>,
    /// Scenario of the fabric, whose hosts are the nodes of the matrix in their order: a file or the name of a shipped
    /// one. All connections become a job.
    #[arg(long, value_name = "SCENARIO")]
    into: Option<String>,
    /// Program that the matrix is for, which decides the unit of start times and the triggers that fire [default:
    /// `csg-ndp`, as assumed].
    #[arg(long, value_enum)]
    program: Option<ProgramName>,
    #[command(flatten)]
    result: ImportResult,
}

/// Programs that read connection matrices.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProgramName {
    /// csg-htsim's `htsim_ndp` and `htsim_eqds`: picoseconds.
    CsgNdp,
    /// csg-htsim's `htsim_roce` and `htsim_hpcc`: all connections start at 0, and no `recv_done_trigger` fires.
    CsgRoce,
    /// uet-htsim: microseconds.
    Uet,
}

#[derive(Args, Debug)]
pub(crate) struct ImportSettingsOptions {
    /// The file.
    file: PathBuf,
    /// Scenario that gets the settings: a file or the name of a shipped one. If left out, a small fabric of the kind.
    #[arg(long, value_name = "SCENARIO")]
    into: Option<String>,
    #[command(flatten)]
    result: ImportResult,
}

#[derive(Args, Debug)]
pub(crate) struct ImportAdapterOptions {
    #[command(flatten)]
    settings: ImportSettingsOptions,
    /// Unit of `rpg_byte_reset`, which the vendor's documents leave open [default: `64 B`, as assumed].
    #[arg(long, value_name = "BYTES", value_parser = byte_reset_unit)]
    byte_reset_unit: Option<Bytes>,
}

#[derive(Args, Debug)]
pub(crate) struct ImportSonicOptions {
    #[command(flatten)]
    settings: ImportSettingsOptions,
    /// Buffers of the switch at run time, which hold in place of the configuration's: what `show buffer information`
    /// prints, a dump of `APPL_DB`, or `pg_profile_lookup.ini` of the switch's folder.
    #[arg(long, value_name = "FILE")]
    buffers: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ImportHpccOptions {
    /// The file `config.txt`.
    config: PathBuf,
    #[command(flatten)]
    result: ImportResult,
}

#[derive(Args, Debug)]
pub(crate) struct ImportClusterOptions {
    /// The file.
    file: PathBuf,
    /// Length of the cables of hosts, and of those between switches unless `--trunk-length` is given [default: `10 m`].
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    length: Option<Length>,
    /// Length of the cables between switches.
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    trunk_length: Option<Length>,
    /// Forwarding tables of the cluster: what `dump_lfts.sh` prints, `opensm-lfts.dump` or `opensm.fdbs`.
    #[arg(long, value_name = "FILE")]
    lfts: Option<PathBuf>,
    /// Port groups of switches with adaptive routing, in the place of `--lfts`: `ibdiagnet2.far`, as `ibdiagnet
    /// --routing` writes it.
    #[arg(long, value_name = "FILE", conflicts_with = "lfts")]
    far: Option<PathBuf>,
    /// Lanes by service level, input and output: `opensm-sl2vl.dump`.
    #[arg(long, value_name = "FILE")]
    sl2vl: Option<PathBuf>,
    /// Lane arbitration tables by port: what `smpquery vlarb LID PORT` prints, for one port after the other, and
    /// `smpquery portinfo LID PORT` for its limit of high priority.
    #[arg(long, value_name = "FILE", requires = "sl2vl")]
    vlarb: Option<PathBuf>,
    /// Width and speed of links for which the file has none, such as `4xEDR` [default: `4xSDR`, as in ibsim].
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    speed: Option<(Width, Speed)>,
    #[command(flatten)]
    result: ImportResult,
}

#[derive(Args, Debug)]
pub(crate) struct ImportLldpOptions {
    /// The files: a table of each switch, called as the switch unless a prompt names it, or a list
    /// `node,port,node,port,rate,length`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// `config_db.json` of a switch, for the speeds of its ports and the lengths of its cables. May be given for each
    /// switch.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Pattern of the names of hosts, such as `gpu-*`: all other nodes are switches. May be given several times.
    #[arg(long, value_name = "PATTERN")]
    hosts: Vec<String>,
    /// Pattern of the names of switches without a table of their own. May be given several times.
    #[arg(long, value_name = "PATTERN")]
    switches: Vec<String>,
    /// Rate of the cables of hosts, and of those between switches unless `--trunk-rate` is given, for which no file
    /// has one [default: `100 Gb/s`].
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate: Option<Rate>,
    /// Rate of the cables between switches for which no file has one.
    #[arg(long, value_name = "RATE", value_parser = rate)]
    trunk_rate: Option<Rate>,
    /// Length of the cables of hosts, and of those between switches unless `--trunk-length` is given, for which no
    /// file has one [default: `3 m`, and `30 m` between switches].
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    length: Option<Length>,
    /// Length of the cables between switches for which no file has one.
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    trunk_length: Option<Length>,
    #[command(flatten)]
    result: ImportResult,
}

/// What becomes of an imported scenario.
#[derive(Args, Debug)]
struct ImportResult {
    /// Folder for the scenario and its files [default: `out/import-NAME`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Carry on where the scenario is another experiment than the files, with a warning for each such part.
    #[arg(long)]
    approximate: bool,
    /// Overwrite files of another command, and files that no manifest names.
    #[arg(long)]
    force: bool,
}

/// Parses the length of a cable.
fn length(text: &str) -> Result<Length, String> {
    text.parse().map_err(|error: UnitError| format!("{error}; write {}", error.expected()))
}

/// Parses the unit of the byte counter, at least a byte and at most a mebibyte.
pub(super) fn byte_reset_unit(text: &str) -> Result<Bytes, String> {
    bytes(text, &(Bytes::new(1)..=Bytes::new(1 << 20)))
}

/// Parses the time of `calc 1`.
fn calc_unit(text: &str) -> Result<Span, String> {
    let unit: Span =
        text.parse().map_err(|error: UnitError| format!("{error}; write {}", error.expected()))?;
    if unit > Span::from_ps(0) {
        Ok(unit)
    } else {
        Err("a `calc` would take no time; write \"1 ns\"".to_owned())
    }
}

/// Parses the rate of a cable.
fn rate(text: &str) -> Result<Rate, String> {
    arguments::rate(text, &(Rate::gbps(1)..=Rate::gbps(800)))
}

/// Parses the width and the speed of a link.
fn speed(text: &str) -> Result<(Width, Speed), String> {
    width_and_speed(text).ok_or_else(|| "write 1, 2, 4, 8 or 12, `x` and a speed: `4xEDR`".to_owned())
}

/// Converts the files.
pub(crate) fn run(format: &ImportFormat) -> Result<(), Failure> {
    match format {
        ImportFormat::Hpcc(options) => import_hpcc(options),
        ImportFormat::Ibnetdiscover(options) | ImportFormat::Ibdiagnet(options) => import_cluster(options),
        ImportFormat::Opensm(options) => {
            if let Some(scenario) = &options.into {
                SettingsTarget::OpenSm.takes(&ScenarioText::find(scenario)?)?;
            }
            // Groups of ports need switches with several between them.
            import_settings(options, opensm::read, |settings| {
                let hosts = if settings.have_groups() { 72 } else { 36 };
                Ok(draft::FatTree { speed: Speed::Edr, hosts }.scenario()?)
            })
        }
        ImportFormat::Mlx5(ImportAdapterOptions { settings, byte_reset_unit }) => {
            import_settings(settings, |source| mlx5::read(source, *byte_reset_unit), |_| leaf_spine_of(None))
        }
        ImportFormat::Sonic(options) => import_sonic(options),
        ImportFormat::Lldp(options) => import_lldp(options),
        ImportFormat::Htsim(options) => import_htsim(options),
        ImportFormat::Goal(options) => import_goal(options),
        ImportFormat::Chakra(options) => chakra::import(options),
    }
}

/// Files as they come, with entries of what their texts lack.
#[derive(Default)]
struct GivenFiles {
    notes: RefCell<Vec<KeyAccount>>,
}

impl GivenFiles {
    fn text(&self, file: &Path) -> Result<String, Failure> {
        Ok(self.noted(file, given_file::as_it_comes(file)?))
    }

    /// Reads a file of forwarding tables, without the descriptions of their destinations.
    fn tables(&self, file: &Path) -> Result<String, Failure> {
        Ok(self.noted(file, given_file::by_lines(file, without_descriptions)?))
    }

    fn noted(&self, file: &Path, given: GivenText) -> String {
        let of_file = |entry| KeyAccount { file: Some(last_part(file)), ..entry };
        self.notes.borrow_mut().extend(given.account.into_iter().map(of_file));
        given.text
    }
}

/// Reads a configuration of HPCC's simulator.
fn import_hpcc(ImportHpccOptions { config, result }: &ImportHpccOptions) -> Result<(), Failure> {
    let files = GivenFiles::default();
    let text = files.text(config)?;
    let imported = hpcc::read(&last_part(config), &text, &|wanted| found(&files, config, wanted))?;
    result.write(config, imported, files)
}

/// Reads the files of an InfiniBand subnet.
fn import_cluster(options: &ImportClusterOptions) -> Result<(), Failure> {
    let ImportClusterOptions { file, length, trunk_length, lfts, far, sl2vl, vlarb, speed, result } = options;
    let given = GivenFiles::default();
    let read = |file: &PathBuf| Ok::<_, Failure>((given.text(file)?, last_part(file)));
    let (first, name) = read(file)?;
    let tables = |file: &PathBuf| Ok::<_, Failure>((given.tables(file)?, last_part(file)));
    let lfts = lfts.as_ref().map(tables).transpose()?;
    let [far, sl2vl, vlarb] = [far, sl2vl, vlarb].map(|file| file.as_ref().map(read).transpose());
    let (far, sl2vl, vlarb) = (far?, sl2vl?, vlarb?);
    let [lfts, far, sl2vl, vlarb] = [&lfts, &far, &sl2vl, &vlarb].map(|file| file.as_ref().map(source));
    let files = ClusterFiles { lfts, far, sl2vl, vlarb };
    let options = ClusterOptions { length: *length, trunk_length: *trunk_length, speed: *speed };
    let imported = infiniband::import(SourceText { name: &name, text: &first }, files, &options)?;
    result.write(file, imported, given)
}

/// Reads a file of settings, and puts them into a scenario.
fn import_settings(
    ImportSettingsOptions { file, into, result }: &ImportSettingsOptions,
    read: impl Fn(SourceText<'_>) -> Result<ImportedSettings, Diagnostic>,
    draft: fn(&ImportedSettings) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let files = GivenFiles::default();
    let (text, name) = (files.text(file)?, last_part(file));
    let source = SourceText { name: &name, text: &text };
    let settings = read(source)?;
    let (settings, base) = match into {
        Some(scenario) => {
            let base = ScenarioText::find(scenario)?;
            (settings.keeping_routing_of(&base)?, base)
        }
        None => {
            let base = own_draft(file, &draft(&settings)?);
            (settings, base)
        }
    };
    let imported = settings.into_scenario(base.clone())?;
    if into.is_some() && check(&imported, "", "").is_err() {
        // A fault that the scenario has by itself is shown at its place there.
        Scenario::read(&base).and_then(|own| own.check(&base))?;
    }
    result.write(file, imported, files)
}

/// Reads a SONiC switch, puts its settings into a scenario, and compares its ports with the scenario's cables.
fn import_sonic(options: &ImportSonicOptions) -> Result<(), Failure> {
    let ImportSonicOptions { settings: ImportSettingsOptions { file, into, result }, buffers } = options;
    let given = GivenFiles::default();
    let read = |file: &PathBuf| Ok::<_, Failure>((given.text(file)?, last_part(file)));
    let first = read(file)?;
    let second = buffers.as_ref().map(read).transpose()?;
    let (config, buffers) = (source(&first), second.as_ref().map(source));
    let settings = sonic::read_with(config, buffers)?;
    let base = match into {
        Some(scenario) => ScenarioText::find(scenario)?,
        None => own_draft(file, &leaf_spine_of(sonic::fabric::usual_ports((config, buffers))?)?),
    };
    SettingsTarget::Sonic.takes(&base)?;
    let settings = if into.is_some() { settings.keeping_routing_of(&base)? } else { settings };
    let mut imported = settings.into_scenario(base)?;
    let scenario = ScenarioText::new("imported", &imported.scenario).with_files(imported.files.clone());
    // A scenario that is wrong is reported where it has been written.
    if let Ok(plan) = Scenario::read(&scenario).and_then(|read| read.check(&scenario)) {
        let (account, warnings) = sonic::fabric::compared((config, buffers), &plan)?;
        imported.account.extend(account);
        imported.warnings.extend(warnings);
    }
    result.write(file, imported, given)
}

/// Names a draft after the file for which it is made.
fn own_draft(file: &Path, draft: &str) -> ScenarioText {
    let scenario = format!("{}.ron", stem(file));
    ScenarioText::new(&scenario, &draft.replace("FILE", &shown::comment(&word(&scenario))))
}

/// Returns a small fabric of leaves and spines, with the speeds and lengths of a switch's ports.
fn leaf_spine_of(ports: Option<UsualPorts>) -> Result<String, Failure> {
    let usual = Rate::gbps(100);
    let (hosts, trunks) = ports.map_or((usual, usual), |ports| (ports.hosts, ports.trunks));
    let mut text = draft::LeafSpine { rate: hosts, leaves: 4, spines: 4, hosts: 8 }.scenario()?;
    let cable = |name: &str, rate: Rate, length: &str| {
        format!("\"{name}\": (rate: \"{rate}\", propagation: Cable(\"{length}\"))")
    };
    let lengths = [
        ("host", hosts, "3 m", ports.and_then(|ports| ports.host_length)),
        ("trunk", trunks, "30 m", ports.and_then(|ports| ports.trunk_length)),
    ];
    for (name, rate, before, length) in lengths {
        let length = length.map_or_else(|| before.to_owned(), |length| length.to_string());
        text = text.replace(&cable(name, hosts, before), &cable(name, rate, &length));
    }
    Ok(text)
}

/// Reads the neighbours of switches.
fn import_lldp(options: &ImportLldpOptions) -> Result<(), Failure> {
    let given = GivenFiles::default();
    let read = |files: &[PathBuf]| -> Result<Vec<(String, String)>, Failure> {
        files.iter().map(|file| Ok((given.text(file)?, last_part(file)))).collect()
    };
    let (files, configs) = (read(&options.files)?, read(&options.config)?);
    let [tables, configs] = [&files, &configs].map(|files| files.iter().map(source).collect::<Vec<_>>());
    let ImportLldpOptions { rate, trunk_rate, length, trunk_length, .. } = *options;
    let (hosts, switches) = (options.hosts.clone(), options.switches.clone());
    let own = LldpOptions { hosts, switches, rate, trunk_rate, length, trunk_length };
    let imported = lldp::import(&tables, &configs, &own)?;
    // Several tables make a fabric that none of them names.
    let name = if let [only] = &options.files[..] { only } else { Path::new("fabric.lldp") };
    options.result.write(name, imported, given)
}

/// Reads a fat tree and a connection matrix of htsim.
fn import_htsim(options: &ImportHtsimOptions) -> Result<(), Failure> {
    let ImportHtsimOptions { files, into, program, result } = options;
    let given = GivenFiles::default();
    let program = program.map(|program| match program {
        ProgramName::CsgNdp => HtsimProgram::CsgNdp,
        ProgramName::CsgRoce => HtsimProgram::CsgRoce,
        ProgramName::Uet => HtsimProgram::Uet,
    });
    match (&files[..], into) {
        ([cm], Some(into)) => {
            let (text, base) = ((given.text(cm)?, last_part(cm)), ScenarioText::find(into)?);
            result.write(cm, htsim::read_into(source(&text), program, &stem(cm), base)?, given)
        }
        ([topo, cm], None) => {
            let files = [(given.text(topo)?, last_part(topo)), (given.text(cm)?, last_part(cm))];
            result.write(topo, htsim::read(source(&files[0]), source(&files[1]), program)?, given)
        }
        (_, into) => Err(Failure::HtsimFiles { into: into.is_some() }),
    }
}

/// Reads a job in GOAL, and puts it into a scenario.
fn import_goal(options: &ImportGoalOptions) -> Result<(), Failure> {
    let ImportGoalOptions { file, into, calc_unit, result } = options;
    let given = GivenFiles::default();
    let (name, calc_unit) = (last_part(file), calc_unit.unwrap_or(goal::CALC_UNIT));
    let bytes = given_file::bytes(file)?;
    let job = if goal::is_binary(&bytes) {
        goal::from_binary(&name, &bytes, calc_unit)?
    } else {
        let text = given.noted(file, given_file::as_text(file, &bytes)?);
        drop(bytes);
        goal::from_text(&name, text, calc_unit)?
    };
    result.write(file, job.into_scenario(&stem(file), ScenarioText::find(into)?)?, given)
}

/// Returns a text with its file's name as a reader takes it.
fn source((text, name): &(String, String)) -> SourceText<'_> {
    SourceText { name, text }
}

/// Returns a file's name without its ending, and without `.gz` behind it, as files that are made for it have it.
fn stem(file: &Path) -> String {
    let is_zipped = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let plain = if is_zipped { file.with_extension("") } else { file.to_path_buf() };
    let stem = plain.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    rule::plain(&stem).replace(['/', '\\', ':'], "_")
}

/// Returns the last part of a file's path.
fn last_part(file: &Path) -> String {
    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

impl ImportResult {
    /// Writes the scenario of a file and what belongs beside it, prints the fate of every key, and checks the scenario.
    fn write(&self, file: &Path, mut imported: ImportedScenario, given: GivenFiles) -> Result<(), Failure> {
        let name = last_part(file);
        imported.account.extend(given.notes.into_inner());
        if let Some(changes) = import::changes(&imported.account, &name).filter(|_| !self.approximate) {
            return Err(changes.into());
        }
        let stem = stem(file);
        let scenario = format!("{stem}.ron");
        imported.account.extend(idle_settings(&check(&imported, &scenario, &name)?));
        let changed = imported.account.iter().filter(|key| key.fate == KeyFate::Changed);
        for KeyAccount { key, what, file, .. } in changed {
            warn(&format!("{}: {key}: {what}", file.as_ref().unwrap_or(&name)));
        }
        imported.warnings.iter().for_each(|warning| warn(warning));
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from("out").join(format!("import-{stem}")));
        let mut files = vec![OutputFile { name: scenario, contents: imported.scenario }];
        files.extend(imported.files.into_iter().map(|(name, contents)| OutputFile { name, contents }));
        let manifest = manifest(FolderKind::Import, Vec::new(), files.iter().map(|file| file.name.clone()));
        ResultFolder::open(&out, &manifest, self.force)?.write(&manifest, &files)?;
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        print(&format!("{}\n\n{}", account(&imported.account), printed::written(&out, &names)));
        Ok(())
    }
}

/// Checks the scenario of a file. A fault names the user's file and the field, as the scenario is written nowhere.
fn check(imported: &ImportedScenario, scenario: &str, file: &str) -> Result<Plan, Diagnostic> {
    let source = ScenarioText::new(scenario, &imported.scenario).with_files(imported.files.clone());
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    let of_file = |fault: &LocatedFault| LocatedFault {
        file: file.to_owned(),
        place: None,
        message: format!("the scenario of this file cannot run: {}", fault.message),
        ..fault.clone()
    };
    checked.map_err(|said| Diagnostic::new(said.faults().iter().map(of_file).collect()))
}

/// Returns an entry for each setting of paths that cannot have an effect in the scenario.
fn idle_settings(plan: &Plan) -> impl Iterator<Item = KeyAccount> {
    let entry = |idle: IdleSettingRecord| {
        let field = idle.setting.split(':').next().unwrap_or_default();
        KeyAccount::new(format!("(effect of {field})"), "", KeyFate::NotUsed, remarks::idle_setting(&idle))
    };
    plan.idle_settings().into_iter().map(entry)
}

/// Returns the text of a file that a configuration names: at its path, from the configuration's folder or one above it,
/// or by the last parts of its path in the configuration's folder.
fn found(files: &GivenFiles, config: &Path, wanted: &str) -> Option<String> {
    let folder = config.parent().unwrap_or(Path::new(""));
    // Configurations name files from the folder in which their simulator is started.
    let whole = std::path::absolute(config).unwrap_or_else(|_| config.to_owned());
    let above: Vec<_> = whole.ancestors().skip(1).map(|folder| folder.join(wanted)).collect();
    // Paths of another machine may be those of Windows, where ns3-rdma was written.
    let parts: Vec<_> = wanted.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let below = (0..parts.len())
        .map(|first| parts[first..].iter().fold(folder.to_owned(), |path, part| path.join(part)));
    [PathBuf::from(wanted)].into_iter().chain(above).chain(below).find_map(|path| files.text(&path).ok())
}

fn account(entries: &[KeyAccount]) -> String {
    let mut table = plain_table();
    table.set_header(["key", "value", "fate", "used for, or reason"]);
    for KeyAccount { key, given, fate, what, .. } in entries {
        // Maps are long, and can be read in the configuration.
        let short = match given.char_indices().nth(VALUE) {
            Some((end, _)) => format!("{} ...", &given[..end]),
            None => given.clone(),
        };
        let cells = [key.as_str(), &short, fate.word(), what].map(shown::line);
        table.add_row(cells);
    }
    aligned(fitted(table, width_up_to(WIDTH), &[3]), 4)
}
