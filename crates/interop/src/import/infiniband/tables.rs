//! The routing of an imported cluster: by its own tables, or else on the shortest paths.
//!
//! Invariant: tables are followed along every path before they are written, and a cycle in which packets could wait is
//! named.

use topology::{RoutingSpec, Topology};

use super::cluster::Cluster;
use super::entries::Account;
use super::forwarding::ForwardingTables;
use super::lanes::LaneTables;
use super::port_sets::Entries;
use super::routes::{self, CheckedTables};
use crate::import::account::KeyFate;
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Selection and transport of a scenario with ports selected by load.
pub(super) const SELECTED: SelectionText = SelectionText {
    of_switch: "        selection: LeastLoaded,\n",
    of_adapter: "        delivery: AnyOrder,\n        recovery: SelectiveRepeat,\n",
};
/// Selection of a scenario with hashed groups alone.
pub(super) const HASHED: SelectionText =
    SelectionText { of_switch: "        selection: Hash,\n", of_adapter: "" };
/// No selection, for tables with a port an entry.
pub(super) const SINGLE: SelectionText = SelectionText { of_switch: "", of_adapter: "" };

/// Lines of a scenario for the choice among ports.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelectionText {
    /// Lines of `switch`.
    pub(super) of_switch: &'static str,
    /// Lines of `adapter`.
    pub(super) of_adapter: &'static str,
}

/// Routing of a scenario, and the fields that it needs.
pub(super) struct RoutingText {
    pub(super) text: String,
    /// True if packets could wait for each other in a cycle.
    pub(super) cyclic: bool,
    /// True if some host has several ports.
    pub(super) has_groups: bool,
    /// The choice among several ports.
    pub(super) selection: SelectionText,
}

impl Account<'_> {
    /// Returns the routing without tables: fewest links, unless packets could wait in a cycle on such paths.
    pub(super) fn routing(&mut self, topology: &Topology, lanes: Option<&LaneTables>) -> RoutingText {
        let routes = topology.routes(&RoutingSpec::MinHop, 1).expect("it fits any graph");
        let (text, what) = if routes::cycle(topology, &routes, lanes).is_some() {
            let what = "`UpDown()`: on the paths of `MinHop` packets could wait in a cycle; `--lfts` gives the cluster's own tables";
            ("UpDown()", what)
        } else {
            ("MinHop", "`MinHop`, OpenSM's default with other ties; `--lfts` gives the cluster's own tables")
        };
        self.note("routing", "", KeyFate::Approximated, what);
        RoutingText { text: text.to_owned(), cyclic: false, has_groups: false, selection: SINGLE }
    }

    /// Returns the routing by the cluster's tables.
    pub(super) fn tables(
        &mut self,
        source: SourceText<'_>,
        (cluster, topology): (&Cluster, &Topology),
        lanes: Option<&LaneTables>,
    ) -> Result<RoutingText, Diagnostic> {
        let tables = ForwardingTables::read(source)?;
        let entries = routes::linear_entries(source, &tables, cluster)?;
        let first = self.entries.len();
        let routing = self.checked_tables(source, entries, (cluster, topology), lanes)?;
        self.entries[first..].iter_mut().for_each(|entry| entry.file = Some(source.name.to_owned()));
        Ok(routing)
    }

    /// Returns the routing by entries that have been compared with the cables.
    pub(super) fn checked_tables(
        &mut self,
        source: SourceText<'_>,
        entries: Entries,
        (cluster, topology): (&Cluster, &Topology),
        lanes: Option<&LaneTables>,
    ) -> Result<RoutingText, Diagnostic> {
        let CheckedTables { tables, unreached, example, idle } = routes::checked(entries, cluster, topology);
        let given = format!("{} tables", tables.len());
        self.note(
            "forwarding tables",
            given,
            KeyFate::Used,
            "`routing: Tables`, along which every pair of hosts was followed",
        );
        if let Some(example) = example {
            let pairs = cluster.hosts.len() * (cluster.hosts.len() - 1);
            let what = format!("{example}. `MinHop` gives the paths to such hosts");
            self.note("unreachable pairs", format!("{unreached} of {pairs}"), KeyFate::Changed, what);
        }
        if idle > 0 {
            let what = "entries that no path between hosts uses lead nowhere: left out";
            self.note("idle entries", idle.to_string(), KeyFate::Approximated, what);
        }
        let entries = tables.iter().map(|(name, table)| format!("        {name:?}: {table:?},\n"));
        let text = format!("Tables({{\n{}    }})", entries.collect::<String>());
        let spec = RoutingSpec::Tables(tables);
        let has_groups = spec.has_groups();
        let routes =
            topology.routes(&spec, 1).map_err(|said| source.whole(said.to_string(), "check the tables"))?;
        let cycle = routes::cycle(topology, &routes, lanes);
        let cyclic = cycle.is_some();
        if let Some(cycle) = cycle {
            let what = format!(
                "packets could wait for each other for ever: {cycle}. `dependency_cycles: Allowed`, so that a run shows whether they do"
            );
            self.warnings.push(format!("{}: credit loop: {cycle}", source.name));
            self.note("credit loops", "found", KeyFate::Used, what);
        } else {
            self.note(
                "credit loops",
                "none",
                KeyFate::Used,
                "packets between any two hosts cannot wait in a cycle",
            );
        }
        Ok(RoutingText { text, cyclic, has_groups, selection: SINGLE })
    }
}
