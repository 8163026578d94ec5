//! Adaptive routing of NVIDIA's OpenSM as fields of a scenario.
//!
//! Invariant: a value without a counterpart here is a change of its own. An assumption has an entry that names it.
//!
//! | key | value | in a scenario |
//! |---|---|---|
//! | `routing_engine` | `ar_updn`, `ar_ftree` | `routing: Adaptive` |
//! | | `ar_torus`, `ar_dor` | `routing: Adaptive(groups: Parallel)` |
//! | | `dfp`, `dfp2`, `kdor-hc`, `kdor-ghc` | none |
//! | | a name of no known engine | none: changed, with the nearest names |
//! | `adv_routing_engine` | `ar_tree`, `ar_lag` | the first, the second of these |
//! | `ar_sl_mask`, `ar_transport_mask` | bits | `switch.selected_packets` |
//!
//! Sources: the comments that `opensm -c` of 5.21.12 writes (`linlinw5/rdma_ib_tutorial`, `conf/opensm_full.conf`), and
//! the vendor's "`HowTo` Configure Adaptive Routing and SHIELD" for the groups of an engine.

use packet::TransportService;

use super::options::OpensmOptions;
use super::{keys, known};
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::settings::{self, ImportedSettings};
use crate::import::source::SourceText;
use ::settings::nearest;
use scenario::Diagnostic;

/// Selection for packets that may take any port at any time.
pub(super) const BY_LOAD: &str = "LeastLoaded";
/// Reason for the measure of load.
const LOAD: &str = "not public: `LeastLoaded` compares the bytes that wait at the output and lane, then the far end's \
                    credits";
/// Engines with groups of their own kind, with paths that are not the shortest.
const NON_MINIMAL: [&str; 4] = ["dfp", "dfp2", "kdor-hc", "kdor-ghc"];
/// Adaptive engines with counterparts here.
const ENGINES: [&str; 4] = ["ar_updn", "ar_ftree", "ar_torus", "ar_dor"];
/// Engines with a port for each destination, of OpenSM 3.3.23 and of the vendor's 5.21, and words for none.
const STATIC: [&str; 16] = [
    "minhop",
    "updn",
    "dnup",
    "file",
    "ftree",
    "pqft",
    "lash",
    "dor",
    "torus-2QoS",
    "nue",
    "dfsssp",
    "sssp",
    "chain",
    "auto",
    "null",
    "(null)",
];
/// Values with which `opensm -c` writes the masks.
const ALL_LEVELS: u64 = 0xFFFF;
const USUAL_TRANSPORTS: u64 = 0xA;
/// Transports by bit of `ar_transport_mask`; DCT has no counterpart.
pub(crate) const TRANSPORTS: [(u8, TransportService); 3] =
    [(0, TransportService::Ud), (1, TransportService::Rc), (2, TransportService::Uc)];
const DCT: u8 = 3;
/// Beginnings of keys that only shape adaptive routing.
const SHAPING: [&str; 6] =
    ["ar_", "adv_routing_engine", "enable_ar_", "hbf_", "cache_ar_group_id", "enable_vl_packing"];

/// Groups of ports that routing makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Groups {
    /// All ports on shortest paths.
    Shortest,
    /// Parallel cables to a neighbour.
    Parallel,
}

/// Returns true for keys of adaptive routing.
pub(super) fn is_one(key: &str) -> bool {
    key == "routing_engine" || SHAPING.iter().any(|beginning| key.starts_with(beginning))
}

impl Groups {
    pub(super) const fn routing(self) -> &'static str {
        match self {
            Self::Shortest => settings::SHORTEST,
            Self::Parallel => settings::PARALLEL,
        }
    }
}

/// Sets the groups, the selection and the transport that it needs.
pub(super) fn set(found: &mut ImportedSettings, groups: Groups, selection: &str) {
    found.settings.extend(settings::adaptive(groups.routing(), selection));
    let load = KeyAccount::new("(measure of load)", "", KeyFate::Approximated, LOAD);
    found.account.extend([settings::order_of_packets(), load]);
}

/// Reads the keys. `is_vendors` is true if the file has any key that only the vendor's OpenSM knows.
pub(super) fn settings(
    source: SourceText<'_>,
    options: &OpensmOptions,
    is_vendors: bool,
) -> Result<ImportedSettings, Diagnostic> {
    let mut reader = Reader { source, options, found: ImportedSettings::default() };
    let mode = reader.number("ar_mode", 3)?;
    let levels = reader.number("ar_sl_mask", ALL_LEVELS)?;
    let transports = reader.number("ar_transport_mask", 0xFF)?;
    let shape = reader.number("ar_tree_asymmetric_flow", 3)?;
    let hashed = reader.number("hbf_sl_mask", ALL_LEVELS)?;
    let off = mode == Some(0)
        || levels == Some(0)
        || transports == Some(0)
        || reader.word("adv_routing_engine").eq_ignore_ascii_case("none");
    let engine = Engine::of(reader.word("routing_engine"), reader.word("adv_routing_engine"));
    match engine {
        _ if off => reader.static_routes(is_vendors, true),
        Engine::Static => reader.static_routes(is_vendors, false),
        Engine::Unlike => reader.unlike(),
        Engine::Grouped(groups) => {
            reader.grouped(groups);
            reader.masks(levels, transports, hashed);
            reader.details(mode, shape);
        }
    }
    let engines = reader.word("routing_engine");
    // Nothing is known of the paths of an engine that is none.
    let is_static = engine == Engine::Static && !engines.is_empty() && unknown(engines).is_none();
    reader.found.without_choice = off || is_static;
    reader.rest(off || engine == Engine::Static)?;
    Ok(reader.found)
}

/// The kind of routes that a file asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    /// A port for each destination.
    Static,
    /// Groups that a scenario has as well.
    Grouped(Groups),
    /// Groups that it has not.
    Unlike,
}

impl Engine {
    /// Returns the routes of an engine and of the advanced engine beside it.
    fn of(engines: &str, advanced: &str) -> Self {
        let advanced = advanced.to_ascii_lowercase();
        match (adaptive(engines), advanced.as_str()) {
            (Some(name), _) if NON_MINIMAL.contains(&name) => Self::Unlike,
            (_, "ar_tree") | (Some("ar_updn" | "ar_ftree"), "" | "auto" | "(null)") => {
                Self::Grouped(Groups::Shortest)
            }
            (_, "ar_lag") | (Some("ar_torus" | "ar_dor"), "" | "auto" | "(null)") => {
                Self::Grouped(Groups::Parallel)
            }
            (None, advanced) if !advanced.starts_with("ar_") => Self::Static,
            _ => Self::Unlike,
        }
    }
}

/// Returns the names of a list of engines.
fn names(engines: &str) -> impl Iterator<Item = &str> {
    engines.split([',', ' ']).map(str::trim)
}

/// Returns the first adaptive engine of a list.
fn adaptive(engines: &str) -> Option<&str> {
    names(engines).find(|name| name.starts_with("ar_") || NON_MINIMAL.contains(name))
}

/// Returns the first engine of a list that no known version of OpenSM has. Versions compare letter by letter.
fn unknown(engines: &str) -> Option<&str> {
    let is_known = |name: &str| name.is_empty() || known_engines().any(|known| known == name);
    names(engines).find(|name| !is_known(name) && *name != "no_fallback")
}

fn known_engines() -> impl Iterator<Item = &'static str> {
    ENGINES.into_iter().chain(NON_MINIMAL).chain(STATIC)
}

/// Says that an engine is not known, with the name that was probably meant.
fn unknown_engine(name: &str) -> String {
    let help = nearest::help(name, known_engines(), "engines");
    format!("`{name}` is no engine that this import knows: {help}")
}

struct Reader<'a> {
    source: SourceText<'a>,
    options: &'a OpensmOptions,
    found: ImportedSettings,
}

impl Reader<'_> {
    fn word(&self, key: &str) -> &str {
        self.options.last(key).map_or("", |line| line.value.as_str())
    }

    fn number(&self, key: &str, most: u64) -> Result<Option<u64>, Diagnostic> {
        self.options.number(self.source, key, most)
    }

    /// Enters a key of the file.
    fn enter(&mut self, key: &str, fate: KeyFate, what: impl Into<String>) {
        self.found.account.extend(self.options.entry(key, fate, what));
    }

    /// Enters a key of the file, or what its absence means.
    fn enter_or(&mut self, key: &str, fate: KeyFate, what: &str, absent: &str) {
        if self.options.last(key).is_some() {
            self.enter(key, fate, what);
        } else {
            let key = format!("({key})");
            self.found.account.push(KeyAccount::new(key, "", KeyFate::Approximated, absent));
        }
    }

    fn static_routes(&mut self, is_vendors: bool, off: bool) {
        let table = "`import ibnetdiscover --lfts` takes the tables that it made";
        match unknown(self.word("routing_engine")).map(unknown_engine) {
            Some(what) => self.enter("routing_engine", KeyFate::Changed, what),
            None => self.enter("routing_engine", KeyFate::NotUsed, table),
        }
        if self.options.last("routing_engine").is_none() && is_vendors && !off {
            let what = "not in the file: the vendor's OpenSM takes `ar_updn` from 5.10 on, whose switches choose ports by \
                        load; here the scenario's routing stays, and `routing_engine ar_updn` in the file replaces it";
            let entry = KeyAccount::new("(routing_engine)", "", KeyFate::Approximated, what);
            self.found.account.push(entry);
        }
    }

    /// Enters an engine with routes that no routing here has.
    fn unlike(&mut self) {
        let engine = adaptive(self.word("routing_engine"));
        let unknown = engine.filter(|name| !NON_MINIMAL.contains(name) && !ENGINES.contains(name));
        let what = match unknown {
            Some(name) => unknown_engine(name),
            None => "switches choose among ports of groups that no routing here makes: each pair of hosts keeps its path. \
                     `import ibnetdiscover --far` takes the groups of a fabric"
                .to_owned(),
        };
        let key = if engine.is_some() { "routing_engine" } else { "adv_routing_engine" };
        self.enter(key, KeyFate::Changed, what);
    }

    fn grouped(&mut self, groups: Groups) {
        let (routing, advanced) = (groups.routing(), self.word("adv_routing_engine").to_ascii_lowercase());
        let is_named = ["ar_tree", "ar_lag"].contains(&advanced.as_str());
        let engines = self.word("routing_engine").to_owned();
        let first = names(&engines).find(|name| !name.is_empty()).unwrap_or("");
        if is_named {
            let what = format!("`routing: {routing}`");
            self.enter("adv_routing_engine", KeyFate::Used, what);
            self.enter(
                "routing_engine",
                KeyFate::Approximated,
                "paths of a length: among these groups choose",
            );
        } else if !first.starts_with("ar_") {
            let what = format!(
                "`routing: {routing}`: OpenSM takes the first engine of the list that succeeds, and `{first}` is not adaptive"
            );
            self.enter("routing_engine", KeyFate::Changed, what);
        } else if groups == Groups::Shortest {
            let what = format!("`routing: {routing}`: all ports on shortest paths (algorithm TREE)");
            self.enter("routing_engine", KeyFate::Used, what);
        } else {
            let what = format!(
                "`routing: {routing}`: assumed of this engine, parallel cables to the neighbour of the static path (algorithm LAG)"
            );
            self.enter("routing_engine", KeyFate::Approximated, what);
        }
        set(&mut self.found, groups, BY_LOAD);
        let what = "not in the file: each packet anew (`Free`); `ibdiagnet2.far` has the states of a fabric";
        self.found.account.push(KeyAccount::new("(states)", "", KeyFate::Approximated, what));
    }

    /// Sets the packets that may be selected.
    fn masks(&mut self, levels: Option<u64>, transports: Option<u64>, hashed: Option<u64>) {
        let (level_bits, bits) = (levels.unwrap_or(ALL_LEVELS), transports.unwrap_or(USUAL_TRANSPORTS));
        let services = TRANSPORTS
            .iter()
            .filter(|(bit, _)| bits >> bit & 1 == 1)
            .map(|(_, service)| format!("{service:?}"));
        let services = services.collect::<Vec<_>>().join(", ");
        let mut fields = vec![format!("services: [{services}]")];
        if level_bits != ALL_LEVELS {
            let levels =
                (0..16).filter(|level| level_bits >> level & 1 == 1).map(|level: u8| level.to_string());
            fields.insert(0, format!("levels: [{}]", levels.collect::<Vec<_>>().join(", ")));
        }
        let value = format!("({})", fields.join(", "));
        self.found.settings.push(("switch.selected_packets".to_owned(), value));
        let what = "`switch.selected_packets.levels`";
        let all = "not in the file: all service levels, as OpenSM writes it";
        self.enter_or("ar_sl_mask", KeyFate::Used, what, all);
        let (fate, what) = match bits >> DCT & 1 {
            1 if bits >> 1 & 1 == 1 => {
                (KeyFate::Used, "`switch.selected_packets.services`; bit 3 is DCT, which no adapter has here")
            }
            1 => (
                KeyFate::Changed,
                "bit 3 is DCT, which no adapter has here: its packets are not among those selected",
            ),
            _ => (KeyFate::Used, "`switch.selected_packets.services`"),
        };
        self.enter_or("ar_transport_mask", fate, what, "not in the file: `Rc`, as OpenSM writes it (0x000A)");
        // Packets that may not be selected go by hash here.
        let (fate, what) = match hashed {
            Some(mask) if mask & !level_bits == !level_bits & ALL_LEVELS => {
                (KeyFate::Used, "packets that are not selected go by a hash of the flow")
            }
            _ => (
                KeyFate::Changed,
                "there packets of some levels that are not selected keep the static port; here all go by a hash of the flow",
            ),
        };
        self.enter("hbf_sl_mask", fate, what);
    }

    /// Enters the keys that shape groups and the choice.
    fn details(&mut self, mode: Option<u64>, shape: Option<u64>) {
        let (fate, what) = match mode {
            Some(2) => (
                KeyFate::Changed,
                "with notifications: there neighbours learn of congested ports; here a switch knows its own ports and credits",
            ),
            _ => (KeyFate::Used, "`switch.selection: LeastLoaded`: by the switch's own ports"),
        };
        self.enter("ar_mode", fate, what);
        let what = "adapters here take packets in any order";
        self.enter("enable_ar_by_device_cap", KeyFate::Used, what);
        let (fate, what) = match shape {
            Some(2 | 3) => (
                KeyFate::Changed,
                "groups of a tree that is not symmetric leave ports out or give some priority; here they have all shortest paths",
            ),
            _ => (KeyFate::Approximated, "in a symmetric tree it changes no group"),
        };
        self.enter("ar_tree_asymmetric_flow", fate, what);
        for key in ["hbf_hash_type", "hbf_hash_fields", "hbf_seed", "hbf_seed_type"] {
            self.enter(key, KeyFate::Approximated, "another hash: of the flow, with a number of each switch");
        }
        let weights = self.word("hbf_weights").to_ascii_lowercase();
        let fate = if weights == "auto" { KeyFate::Approximated } else { KeyFate::Changed };
        self.enter("hbf_weights", fate, "groups have no subgroups here, so that all ports weigh the same");
    }

    /// Enters the keys of adaptive routing without an entry so far.
    fn rest(&mut self, is_static: bool) -> Result<(), Diagnostic> {
        let what = if is_static {
            "no adaptive routing is in force"
        } else {
            "it concerns the manager's work on groups, or shapes none here"
        };
        let lines = &self.options.lines;
        let own: std::collections::BTreeSet<&str> =
            lines.iter().map(|line| line.key.as_str()).filter(|key| is_one(key)).collect();
        for key in own {
            if self.found.account.iter().any(|entry| entry.key == key) {
                continue;
            }
            if known::is_known(key) {
                self.enter(key, KeyFate::NotUsed, what);
                continue;
            }
            let known: Vec<_> = known::all().filter(|key| is_one(key)).collect();
            let line = self.options.last(key).expect("a key of these lines");
            self.found.account.push(keys::unknown_key(self.source, self.options, line, &known)?);
        }
        Ok(())
    }
}
