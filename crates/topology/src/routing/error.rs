//! Faults in the routing of a scenario.
//!
//! Invariant: a message names the value and the reason, the help says what to write instead. The caller suggests
//! names similar to an unknown name, since it knows all candidates.

use packet::Course;
use settings::{FieldPath, SettingError};

/// The reason that forwarding tables cannot be made, and the field at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct RoutingError {
    path: FieldPath,
    kind: RoutingErrorKind,
}

/// The reason that forwarding tables cannot be made, without its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoutingErrorKind {
    /// A routing that needs another topology.
    #[error("`{routing}` is not for this topology")]
    DoesNotFit {
        /// The routing.
        routing: &'static str,
        /// Routings of this topology, for the help.
        fits: String,
    },
    /// Two switches on a path of the routing, without a cable between them.
    #[error("`{routing}` leads from `{from}` to `{to}`, and no cable between them is left")]
    NoCableLeft {
        /// The routing.
        routing: &'static str,
        /// The first switch.
        from: String,
        /// The next switch.
        to: String,
        /// Routings that lead around missing cables, for the help; empty if there are none.
        others: &'static str,
    },
    /// Detours through groups in a fabric without groups.
    #[error("a HyperX has no groups that packets could go through")]
    NoGroups,
    /// Detours through groups in a dragonfly of fewer than three.
    #[error("packets go through a third group, and this dragonfly has fewer than three")]
    NoThirdGroup,
    /// More switches than a packet can name as its intermediate switch.
    #[error("{switches} switches are too many for non-minimal routes")]
    TooManySwitches {
        /// Number of switches.
        switches: usize,
    },
    /// No switch of this name.
    #[error("there is no switch `{given}`")]
    UnknownSwitch {
        /// The name as written.
        given: String,
    },
    /// No host of this name.
    #[error("there is no host `{given}`")]
    UnknownHost {
        /// The name as written.
        given: String,
    },
    /// No port of this number.
    #[error("`{switch}` has no port {given}")]
    NoSuchPort {
        /// The switch.
        switch: String,
        /// The port as written.
        given: u16,
        /// Numbers of the switch's ports, in words.
        ports: String,
    },
    /// A port that ends at another host.
    #[error("port {given} of `{switch}` ends at host `{leads_to}`")]
    WrongHost {
        /// The switch.
        switch: String,
        /// The port as written.
        given: u16,
        /// The host at that port.
        leads_to: String,
        /// The destination of the entry.
        host: String,
    },
    /// A word that is no entry of a table.
    #[error("`{given}` is not an entry of a table")]
    WrongEntry {
        /// The word as written.
        given: String,
    },
    /// A table with more or fewer entries than there are hosts.
    #[error("this table has {given} entries, and the topology {hosts} hosts")]
    WrongTable {
        /// Number of entries, as far as they were read.
        given: usize,
        /// Number of hosts.
        hosts: usize,
    },
    /// A switch without a table.
    #[error("switch `{switch}` has no table")]
    MissingTable {
        /// The switch.
        switch: String,
    },
    /// A group of ports on paths of different lengths.
    #[error("ports of `{switch}` for `{host}` lead there over {short} and over {long} links")]
    UnequalPaths {
        /// The switch.
        switch: String,
        /// The host.
        host: String,
        /// Number of links of the shortest such path.
        short: u32,
        /// Number of links of the longest.
        long: u32,
    },
    /// Tables that send packets round in a circle.
    #[error("packets for `{host}` would go round for ever, {cycle}")]
    Loop {
        /// The host.
        host: String,
        /// The switches, in order, the first again at the end.
        cycle: String,
    },
    /// Tables that lead to a switch without an entry for the host.
    #[error("packets for `{host}` would come to `{switch}`, which no entry leads on from")]
    LeadsNowhere {
        /// The host.
        host: String,
        /// The switch.
        switch: String,
    },
}

impl RoutingError {
    pub(super) fn new(path: FieldPath, kind: RoutingErrorKind) -> Self {
        Self { path, kind }
    }

    /// Returns the reason without its place.
    #[must_use]
    pub fn kind(&self) -> &RoutingErrorKind {
        &self.kind
    }
}

impl SettingError for RoutingError {
    /// Returns the path of the field at fault, relative to `routing`; empty for `routing` itself.
    fn path(&self) -> FieldPath {
        self.path.clone()
    }

    fn help(&self) -> Option<String> {
        Some(self.kind.help())
    }
}

/// Returns the topologies of a routing that is for some alone.
fn topologies_of(routing: &str) -> Option<&'static str> {
    Some(match routing {
        "DModK" => "fat trees",
        "DimensionOrder" => "meshes, tori and HyperX",
        "DestinationTags" => "Omega networks",
        "DragonflyMinimal" => "dragonflies",
        "Valiant" | "Ugal" | "Par" => "dragonflies and HyperX",
        _ => return None,
    })
}

impl RoutingErrorKind {
    fn help(&self) -> String {
        match self {
            Self::DoesNotFit { routing, fits } => match topologies_of(routing) {
                Some(topologies) => format!("write {fits}; `{routing}` is for {topologies}"),
                None => format!("write {fits}"),
            },
            Self::NoCableLeft { others: "", .. } => {
                "leave one of them in place: no other path leads there in this topology".to_owned()
            }
            Self::NoCableLeft { others, .. } => {
                format!("write {others}, which leads around it; or leave one of them in place")
            }
            Self::NoGroups | Self::NoThirdGroup => "write `through: Switch`".to_owned(),
            Self::TooManySwitches { .. } => {
                format!(
                    "write `Native`: a packet names one of at most {} switches",
                    u32::from(Course::MOST) + 1
                )
            }
            Self::UnknownSwitch { .. } | Self::UnknownHost { .. } => {
                "name one that the topology has".to_owned()
            }
            Self::NoSuchPort { ports, .. } => format!("write one of ports {ports}"),
            Self::WrongHost { host, .. } => format!("write a port that leads to `{host}`"),
            Self::WrongEntry { .. } => {
                "write a port, `20*6` for six hosts by port 20, `20/21` for any of these ports, `#20/21` for one by hash, \
                 or `-` for no port"
                    .to_owned()
            }
            Self::WrongTable { .. } => {
                "write one entry for each host, in the order of the topology".to_owned()
            }
            Self::MissingTable { .. } => "give every switch a table; `-` stands for no port".to_owned(),
            Self::UnequalPaths { host, .. } => {
                format!("write ports there that are equally far from `{host}`")
            }
            Self::Loop { host, .. } => format!("change the entry for `{host}` of one of these"),
            Self::LeadsNowhere { .. } => "write one there".to_owned(),
        }
    }
}
