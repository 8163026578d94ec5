//! InfiniBand clusters: a subnet from the files of `ibnetdiscover`, ibsim and OpenSM.
//!
//! Invariant: every node, cable and table of the files is in the scenario, or in the account with the reason. A
//! difference that makes another experiment is marked as changed.
//!
//! | module | contents |
//! |---|---|
//! | [`fabric`] | the content of a file: nodes, ports, cables |
//! | `net_file` | `ibnetdiscover`, plain or grouped, and net files of ibsim |
//! | `port_list` | `ibnetdiscover -p` |
//! | `subnet_list` | `opensm-subnet.lst` |
//! | `sections` | the sections of `ibdiagnet2.db_csv` |
//! | `db_csv` | `ibdiagnet2.db_csv`, also with counters, lane arbitration and lengths |
//! | `wiring` | which port leads to which |
//! | [`forwarding`] | the content of a file of forwarding tables |
//! | [`far`] | the content of a file of tables of adaptive routing |
//! | [`lanes`] | the content of a file of service levels and lanes, and the lanes of a scenario |
//! | [`arbitration`] | the content of lane arbitration tables by port, and a scenario's tables |
//! | `cluster` | hosts, switches and cables, checked against each other |
//! | `names` | names that scenarios can hold, each once |
//! | `port_sets` | entries of tables with one port or several |
//! | `routes` | forwarding tables, checked along every path |
//! | `tables` | the routing of the scenario, and its account |
//! | `adaptive` | tables of adaptive routing, compared with the cables, and their account |
//! | `entries` | the account, and what of the scenario it decides: lanes, lengths |
//! | `database` | the account of `ibdiagnet2.db_csv` |
//! | `text` | the scenario, and tables of nodes and ports |

mod adaptive;
pub mod arbitration;
mod cluster;
mod database;
mod db_csv;
mod entries;
pub mod fabric;
pub mod far;
pub mod forwarding;
pub mod lanes;
pub(crate) mod names;
mod net_file;
mod port_list;
mod port_sets;
pub(crate) mod routes;
mod sections;
mod subnet_list;
mod tables;
mod text;
mod wiring;

use link_layer::spec::{Speed, Width};
use units::Length;

pub use self::fabric::IbFabric;
use self::sections::Database;
use super::account::ImportedScenario;
use super::source::SourceText;
use scenario::Diagnostic;

/// What the files of a cluster do not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterOptions {
    /// Length of the cables of hosts.
    pub length: Option<Length>,
    /// Length of the cables between switches; the length of hosts' cables if left out.
    pub trunk_length: Option<Length>,
    /// Width and speed of links for which the file has none.
    pub speed: Option<(Width, Speed)>,
}

/// Reads a file of any of the formats.
///
/// # Errors
/// If it has another format, or something is wrong with a line.
pub fn read(source: SourceText<'_>) -> Result<IbFabric, Diagnostic> {
    let first = source.lines().find(|line| !line.text.starts_with('#'));
    let Some(first) = first else {
        return Err(source.whole("the file is empty", "write what `ibnetdiscover` prints"));
    };
    let mut words = first.words().map(|word| word.text);
    match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
        ("CA" | "SW" | "RT", second) if second.bytes().all(|byte| byte.is_ascii_digit()) => {
            port_list::read(source)
        }
        (word, _) if word.starts_with('{') => subnet_list::read(source),
        (word, _) if sections::is_start(word) => Database::read(source)?.fabric(),
        ("Ca" | "Switch" | "Rt", ":") => Err(source.wrong(
            &first.range(),
            "this is a list of nodes without their cables",
            "run `ibnetdiscover` without `-l`, `-H`, `-S` and `-R`",
        )),
        ("CA:" | "Switch:" | "Router:", _) => Err(source.wrong(
            &first.range(),
            "this is the output of `iblinkinfo`",
            "run `ibnetdiscover`, or `ibnetdiscover -p`",
        )),
        _ => net_file::read(source),
    }
}

/// Files of a cluster beside the file of its nodes and cables.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterFiles<'a> {
    /// Forwarding tables.
    pub lfts: Option<SourceText<'a>>,
    /// Port groups and forwarding tables of switches with adaptive routing, in the place of `lfts`.
    pub far: Option<SourceText<'a>>,
    /// Tables of service levels to lanes.
    pub sl2vl: Option<SourceText<'a>>,
    /// Lane arbitration tables by port, which need the tables of service levels to lanes.
    pub vlarb: Option<SourceText<'a>>,
}

/// Turns the files of a cluster into a scenario.
///
/// # Errors
/// If a file has another format, contradicts itself or the others, or describes no two hosts.
pub fn import(
    source: SourceText<'_>,
    files: ClusterFiles<'_>,
    options: &ClusterOptions,
) -> Result<ImportedScenario, Diagnostic> {
    let first = source.lines().find(|line| !line.text.starts_with('#'));
    let is_database = first.is_some_and(|line| sections::is_start(line.text));
    let database = is_database.then(|| Database::read(source)).transpose()?;
    let fabric = database.as_ref().map_or_else(|| read(source), Database::fabric)?;
    let cluster = cluster::Cluster::new(source, &fabric, options.speed)?;
    text::scenario((source, &fabric), &cluster, (files, options), database.as_ref())
}
