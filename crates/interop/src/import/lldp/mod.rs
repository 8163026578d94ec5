//! Cables of a RoCEv2 fabric: the neighbours that switches see by LLDP, or a list of cables.
//!
//! Invariant: every cable of the files is in the scenario, or in the account with the reason. Both ends of a cable that
//! both list are the same cable.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | the content of a file: a row for each neighbour |
//! | `columns` | headings of columns, and rates and lengths in cells |
//! | `identity` | names of one node |
//! | `wiring` | which port leads to which |
//! | `fabric` | hosts, switches and cables |
//! | `text` | the scenario, its account, and a table of ports |

mod columns;
mod fabric;
mod identity;
mod rows;
mod text;
mod wiring;

use units::{Length, Rate};

pub use self::rows::{NeighbourRow, NeighbourRows};
use super::account::ImportedScenario;
use super::source::SourceText;
use scenario::Diagnostic;

/// What the files do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LldpOptions {
    /// Patterns of the names of hosts. If there are any, all other nodes are switches.
    pub hosts: Vec<String>,
    /// Patterns of the names of switches.
    pub switches: Vec<String>,
    /// Rate of the cables of hosts for which no file has one.
    pub rate: Option<Rate>,
    /// Rate of cables between switches; that of hosts' cables if left out.
    pub trunk_rate: Option<Rate>,
    /// Length of the cables of hosts for which no file has one.
    pub length: Option<Length>,
    /// Length of cables between switches; that of hosts' cables if left out.
    pub trunk_length: Option<Length>,
}

/// Reads a file.
///
/// # Errors
/// If it has none of the forms, or a row is wrong.
pub fn read(source: SourceText<'_>) -> Result<NeighbourRows, Diagnostic> {
    rows::read(source)
}

/// Turns files of neighbours into a scenario. `configs` are configurations of the fabric's SONiC switches, for the
/// speeds of ports and the lengths of cables.
///
/// # Errors
/// If a file has none of the forms, contradicts itself or another, or describes fewer than three hosts.
pub fn import(
    files: &[SourceText<'_>],
    configs: &[SourceText<'_>],
    options: &LldpOptions,
) -> Result<ImportedScenario, Diagnostic> {
    let mut rows: Vec<NeighbourRows> = files.iter().map(|file| read(*file)).collect::<Result<_, _>>()?;
    let identities = identity::Identities::unify(files, &mut rows)?;
    let wiring = wiring::Wiring::new(files, &rows)?;
    let ports = fabric::ports(configs, &identities)?;
    let mut fabric = fabric::Fabric::new(files, &wiring, (&ports, options))?;
    fabric.found.merged = identities.merged;
    text::scenario(files, &fabric, (&rows, options))
}
