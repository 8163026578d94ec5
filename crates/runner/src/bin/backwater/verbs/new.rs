//! `new`: a commented scenario file to begin with.
//!
//! Invariant: a file that is there is replaced with `--force` only, and a file is written only if it passes the check.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use link_layer::spec::Speed;
use names::shell::word;
use names::shown;
use scenario::draft::{self, DraftError};
use scenario::{Scenario, ScenarioText};
use units::Rate;

use crate::arguments::rate;
use crate::failure::Failure;
use crate::given_file;
use crate::new_file;
use crate::terminal::print;

/// Kinds of fabric.
#[derive(Debug, Subcommand)]
pub(crate) enum NewFabric {
    /// InfiniBand fat tree with full bandwidth, of the switches that are usual at the speed.
    Ib {
        /// Signalling speed of all cables.
        #[arg(long, value_enum, default_value = "hdr")]
        speed: SpeedName,
        /// Number of hosts.
        #[arg(long, default_value_t = 256)]
        hosts: u32,
        #[command(flatten)]
        file: NewFile,
    },
    /// RoCEv2 leaf-spine fabric.
    Roce {
        /// Rate of all cables: 10G, 25G, 40G, 50G, 100G, 200G, 400G, 800G.
        #[arg(long, default_value = "400G", value_parser = ethernet_rate)]
        speed: Rate,
        /// Number of leaf switches.
        #[arg(long, default_value_t = 16)]
        leaves: u32,
        /// Number of spine switches.
        #[arg(long, default_value_t = 8)]
        spines: u32,
        /// Number of hosts at each leaf.
        #[arg(long, default_value_t = 16)]
        hosts_per_leaf: u32,
        #[command(flatten)]
        file: NewFile,
    },
    /// InfiniBand dragonfly.
    Dragonfly {
        /// Signalling speed of all cables.
        #[arg(long, value_enum, default_value = "hdr")]
        speed: SpeedName,
        /// Number of switches in a group (a).
        #[arg(long, default_value_t = 4)]
        routers: u32,
        /// Number of hosts at each switch (p).
        #[arg(long, default_value_t = 2)]
        hosts: u32,
        /// Number of cables from each switch to other groups (h).
        #[arg(long, default_value_t = 2)]
        global: u32,
        #[command(flatten)]
        file: NewFile,
    },
    /// InfiniBand fat tree with a job: an all-reduce with a rank on each host, and an incast in its way.
    Job {
        /// Signalling speed of all cables.
        #[arg(long, value_enum, default_value = "ndr")]
        speed: SpeedName,
        /// Number of hosts.
        #[arg(long, default_value_t = 128)]
        hosts: u32,
        #[command(flatten)]
        file: NewFile,
    },
    /// RoCEv2 fabric of a topology file in HPCC's form, which lies beside the scenario.
    File {
        /// The topology file.
        topology: PathBuf,
        #[command(flatten)]
        file: NewFile,
    },
}

/// The file to be written.
#[derive(Args, Debug)]
pub(crate) struct NewFile {
    /// File to be written.
    file: PathBuf,
    /// Overwrite the file if it is there.
    #[arg(long)]
    force: bool,
}

/// Signalling speeds, by IBA's names.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SpeedName {
    Sdr,
    Ddr,
    Qdr,
    Fdr10,
    Fdr,
    Edr,
    Hdr,
    Ndr,
    Xdr,
}

impl From<SpeedName> for Speed {
    fn from(name: SpeedName) -> Self {
        Self::ALL[name as usize]
    }
}

/// Parses a rate as Ethernet names it, `400G`, or as scenarios do, `400 Gb/s`.
fn ethernet_rate(text: &str) -> Result<Rate, String> {
    rate(text, &(Rate::gbps(1)..=Rate::gbps(800)))
}

pub(crate) fn run(fabric: &NewFabric) -> Result<(), Failure> {
    let (text, NewFile { file, force }) = match fabric {
        NewFabric::Ib { speed, hosts, file } => {
            (draft::FatTree { speed: (*speed).into(), hosts: *hosts }.scenario()?, file)
        }
        NewFabric::Roce { speed, leaves, spines, hosts_per_leaf, file } => {
            let fabric =
                draft::LeafSpine { rate: *speed, leaves: *leaves, spines: *spines, hosts: *hosts_per_leaf };
            (fabric.scenario()?, file)
        }
        NewFabric::Dragonfly { speed, routers, hosts, global, file } => {
            let fabric = draft::Dragonfly {
                speed: (*speed).into(),
                routers: *routers,
                hosts: *hosts,
                global: *global,
            };
            (fabric.scenario()?, file)
        }
        NewFabric::Job { speed, hosts, file } => {
            (draft::FatTree { speed: (*speed).into(), hosts: *hosts }.with_job()?, file)
        }
        NewFabric::File { topology, file } => (of_file(topology, &file.file)?, file),
    };
    let shown = file.display().to_string();
    let text = text.replace("FILE", &shown::comment(&word(&shown)));
    let folder = file.parent().unwrap_or_else(|| Path::new(""));
    let source = ScenarioText::new(&shown, &text).beside(folder);
    Scenario::read(&source)?.check(&source)?;
    new_file::write(file, &text, *force)?;
    print(&format!("written: {shown}\nrun it with: backwater sim {}\n", word(&shown)));
    Ok(())
}

fn of_file(topology: &Path, scenario: &Path) -> Result<String, Failure> {
    let shown = topology.display().to_string();
    let text = given_file::text(topology)?;
    let beside = topology.parent() == scenario.parent();
    let name = topology.file_name().filter(|_| beside).ok_or_else(|| {
        let folder = scenario.parent().unwrap_or_else(|| Path::new("")).display().to_string();
        Failure::TopologyElsewhere { file: shown.clone(), folder }
    })?;
    Ok(draft::of_file(&name.to_string_lossy(), &text)?)
}

impl From<DraftError> for Failure {
    fn from(error: DraftError) -> Self {
        Self::Draft { help: error.help.clone(), message: error.to_string() }
    }
}
