//! Lanes in an `opensm.conf`: the keys `qos_*`, for adapters (`qos_ca_*`) and switches (`qos_swe_*`).
//!
//! Invariant: a key of a kind of node precedes the key for all, and the latter precedes OpenSM's own value (3.3.23). At
//! ports between switches the vendor's `qos_sw2sw_*` precede those of switches; a difference is named. Lanes that are
//! not in operation are masked as OpenSM does.

use super::keys::{flag, unknown_key};
use super::known;
use super::options::{OpensmOption, OpensmOptions};
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::source::{SourceText, decimal};
use scenario::Diagnostic;

/// Kinds of nodes with settings that matter here: adapters and external ports of switches.
const KINDS: [&str; 2] = ["qos_ca_", "qos_swe_"];
/// Ports between switches, of the vendor's OpenSM.
const TRUNKS: &str = "qos_sw2sw_";
/// Limits of lanes of the vendor's OpenSM for adapters and switches, which precede `max_op_vls`; 0 is none.
const LIMITS: [&str; 2] = ["max_op_vls_ca", "max_op_vls_sw"];
const PARTS: [&str; 5] = ["max_vls", "high_limit", "vlarb_high", "vlarb_low", "sl2vl"];
/// Values of OpenSM where no key gives a value.
const DEFAULTS: [&str; 5] = [
    "15",
    "0",
    "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0",
    "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4",
    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7",
];
/// Most lanes that are assumed of ports. The file does not have their `VLCap`.
const MOST_LANES: u8 = 8;
/// Most entries of an arbitration table.
const MOST_WEIGHTS: usize = 64;

/// Paths and values of a scenario, and the account.
type Settings = (Vec<(String, String)>, Vec<KeyAccount>);

/// Returns true for keys of lanes.
pub(super) fn is_one(key: &str) -> bool {
    key == "qos"
        || key == "max_op_vls"
        || LIMITS.contains(&key)
        || key == "max_op_vls_rtr"
        || PARTS.iter().any(|part| key.starts_with("qos_") && key.ends_with(part))
}

/// Reads the keys of lanes.
pub(super) fn settings(source: SourceText<'_>, options: &OpensmOptions) -> Result<Settings, Diagnostic> {
    let unknown = unknown(source, options)?;
    let on = options.last("qos").map_or(Ok(false), |line| flag(source, line))?;
    let lines = options.lines.iter().filter(|line| is_one(&line.key) && known::is_known(&line.key));
    let mut account: Vec<KeyAccount> = Vec::new();
    if !on {
        for line in lines {
            let what = if line.key == "qos" { "lanes are the scenario's" } else { "`qos` is off" };
            let fate = if line.key == "qos" { KeyFate::Used } else { KeyFate::NotUsed };
            account.push(KeyAccount::new(line.key.clone(), line.value.clone(), fate, what));
        }
        account.extend(unknown);
        return Ok((Vec::new(), account));
    }
    let reader = Reader { source, options };
    let lanes = reader.lanes()?;
    let [adapters, switches] = [reader.levels(0, lanes)?, reader.levels(1, lanes)?];
    let [of_adapters, of_switches] = [reader.arbitration(0, lanes)?, reader.arbitration(1, lanes)?];
    for line in lines {
        let of_trunks = line.key.strip_prefix(TRUNKS);
        account.push(match of_trunks {
            Some(part) => reader.trunk(line, part, lanes)?,
            None => entry(line),
        });
    }
    account.extend(unknown);
    let what = format!(
        "`link.data_lanes: {lanes}`: the file has no `VLCap`, and {MOST_LANES} are assumed as the most; lanes past these are masked"
    );
    account.push(KeyAccount::new("(lanes)", lanes.to_string(), KeyFate::Approximated, what));
    let discarded = [adapters, switches].concat().iter().filter(|lane| **lane == 15).count();
    if discarded > 0 {
        let what = "service levels mapped to VL15 are discarded there, and use lane 0 here";
        account.push(KeyAccount::new("(VL15)", discarded.to_string(), KeyFate::Changed, what));
    }
    let kept = |lane: u8| if lane == 15 { 0 } else { lane };
    let pairs = (0..).zip(adapters).map(|(level, lane): (u8, u8)| format!("{level}: {}", kept(lane)));
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    // Empty lists take the place of what the scenario may have had.
    let of_switches =
        if of_adapters == of_switches { String::new() } else { format!("(tables: {of_switches})") };
    let levels =
        if adapters == switches { String::new() } else { format!("(lanes: {:?})", switches.map(kept)) };
    let settings = vec![
        ("link.data_lanes".to_owned(), lanes.to_string()),
        ("link.sl_to_vl".to_owned(), format!("{{{pairs}}}")),
        ("link.vl_arbitration".to_owned(), of_adapters),
        ("switch.vl_arbitration".to_owned(), format!("[{of_switches}]")),
        ("switch.sl_to_vl".to_owned(), format!("[{levels}]")),
    ];
    Ok((settings, account))
}

/// Returns entries of keys of lanes that no known version has.
fn unknown(source: SourceText<'_>, options: &OpensmOptions) -> Result<Vec<KeyAccount>, Diagnostic> {
    let prefixes = ["qos_", "qos_ca_", "qos_swe_", "qos_sw0_", "qos_rtr_", TRUNKS];
    let known: Vec<String> =
        prefixes.iter().flat_map(|prefix| PARTS.map(|part| format!("{prefix}{part}"))).collect();
    let is_known = |key: &str| known.iter().any(|own| own == key) || known::is_known(key);
    let unknown = options.lines.iter().filter(|line| line.key.starts_with("qos_") && !is_known(&line.key));
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    unknown.map(|line| unknown_key(source, options, line, &known)).collect()
}

fn entry(line: &OpensmOption) -> KeyAccount {
    let (fate, what) = match line.key.as_str() {
        "qos" => (KeyFate::Used, "lanes are those of the keys below"),
        "max_op_vls" => (KeyFate::Used, "the most lanes in operation"),
        "max_op_vls_rtr" => (KeyFate::NotUsed, "there are no routers"),
        key if LIMITS.contains(&key) && line.value == "0" => (KeyFate::Used, "`max_op_vls` holds"),
        "max_op_vls_ca" => (KeyFate::Used, "the most lanes of adapters"),
        "max_op_vls_sw" => (KeyFate::Used, "the most lanes of switches"),
        key if key.starts_with("qos_sw0_") => (KeyFate::NotUsed, "no data end at a switch's port 0"),
        key if key.starts_with("qos_rtr_") => (KeyFate::NotUsed, "there are no routers"),
        _ if line.value == "(null)" => (KeyFate::Used, "OpenSM's own value"),
        key if key.ends_with("max_vls") => (KeyFate::Used, "`link.data_lanes`"),
        key if key.starts_with("qos_swe_sl2vl") => (KeyFate::Used, "`switch.sl_to_vl`"),
        key if key.ends_with("sl2vl") => (KeyFate::Used, "`link.sl_to_vl`"),
        key if key.starts_with("qos_swe_") => (KeyFate::Used, "`switch.vl_arbitration`"),
        key if key.starts_with("qos_ca_") => (KeyFate::Used, "`link.vl_arbitration`, which adapters have"),
        _ => (KeyFate::Used, "`link.vl_arbitration`"),
    };
    KeyAccount::new(line.key.clone(), line.value.clone(), fate, what)
}

struct Reader<'a> {
    source: SourceText<'a>,
    options: &'a OpensmOptions,
}

impl Reader<'_> {
    /// Returns the value of a part for a kind of node, and its line if a line gives it.
    fn value(&self, kind: usize, part: usize) -> (&str, Option<&OpensmOption>) {
        let unset = |line: &&OpensmOption| is_unset(part, &line.value);
        let keys = [format!("{}{}", KINDS[kind], PARTS[part]), format!("qos_{}", PARTS[part])];
        let line = keys.iter().find_map(|key| self.options.last(key).filter(|line| !unset(line)));
        (line.map_or(DEFAULTS[part], |line| line.value.as_str()), line)
    }

    /// Enters a key of ports between switches. Values of their own, other than those of all ports of switches, are a
    /// change: a scenario has one set of tables for the ports of a switch.
    fn trunk(&self, line: &OpensmOption, name: &str, lanes: u8) -> Result<KeyAccount, Diagnostic> {
        let part = PARTS.iter().position(|part| *part == name).expect("a key of lanes ends with a part");
        let (of_switches, _) = self.value(1, part);
        let plain = |value: &str| value.replace(' ', "").trim_end_matches(',').to_owned();
        let (fate, what) = if is_unset(part, &line.value) {
            (KeyFate::Used, "ports between switches are as other ports of switches")
        } else if plain(&line.value) == plain(of_switches) {
            (KeyFate::Used, "the value of other ports of switches")
        } else {
            match part {
                2 | 3 => drop(self.pairs(&line.value, Some(line), lanes)?),
                4 => drop(self.list(&line.value, Some(line), lanes)?),
                _ => drop(self.limit(&line.value, Some(line))?),
            }
            (
                KeyFate::Changed,
                "ports between switches have another value than other ports of switches; here all have the latter: \
                 `switches` gives single ports",
            )
        };
        Ok(KeyAccount::new(line.key.clone(), line.value.clone(), fate, what))
    }

    fn wrong(&self, line: Option<&OpensmOption>, what: &str, help: &str) -> Diagnostic {
        match line {
            Some(line) => {
                self.source.fault(&line.at, &line.key, format!("`{}` is not {what}", line.value), help).into()
            }
            None => self.source.whole(format!("OpenSM's own value is not {what}"), help),
        }
    }

    /// Returns the number of data lanes in operation: 1, 2, 4, 8 or 15.
    fn lanes(&self) -> Result<u8, Diagnostic> {
        let mut lanes = MOST_LANES;
        for (kind, limit) in LIMITS.into_iter().enumerate() {
            let (value, line) = self.value(kind, 0);
            let most: u8 = decimal(value)
                .filter(|most| (1..=15).contains(most))
                .ok_or_else(|| self.wrong(line, "a number of lanes", "write 1 to 15"))?;
            lanes = lanes.min([15, 8, 4, 2, 1].into_iter().find(|lanes| *lanes <= most).unwrap_or(1));
            let own = self.options.last(limit).filter(|line| line.value != "0");
            if let Some(line) = own.or(self.options.last("max_op_vls")) {
                let code: usize =
                    decimal(&line.value).filter(|code| (1..=5).contains(code)).ok_or_else(|| {
                        self.wrong(Some(line), "a code of IBA", "write 1 to 5, for 1, 2, 4, 8 and 15 lanes")
                    })?;
                lanes = lanes.min([1, 2, 4, 8, 15][code - 1]);
            }
        }
        Ok(lanes)
    }

    /// Returns the lanes by service level of a kind of node. A list that ends early goes on with lane 0, as in OpenSM.
    fn levels(&self, kind: usize, lanes: u8) -> Result<[u8; 16], Diagnostic> {
        let (value, line) = self.value(kind, 4);
        self.list(value, line, lanes)
    }

    fn list(&self, value: &str, line: Option<&OpensmOption>, lanes: u8) -> Result<[u8; 16], Diagnostic> {
        let mut levels = [0; 16];
        let words: Vec<&str> = value.split(',').map(str::trim).collect();
        let words = if words.last() == Some(&"") { &words[..words.len() - 1] } else { &words[..] };
        let wrong = || {
            self.wrong(
                line,
                "a list of lanes",
                "write the lanes of service levels 0 to 15, each 0 to 15: `0,1,2`",
            )
        };
        if words.len() > levels.len() {
            return Err(wrong());
        }
        for (level, word) in levels.iter_mut().zip(words) {
            let lane = decimal(word).filter(|lane| *lane <= 15).ok_or_else(wrong)?;
            *level = masked(lane, lanes);
        }
        Ok(levels)
    }

    /// Returns the arbitration of a kind of node as text.
    fn arbitration(&self, kind: usize, lanes: u8) -> Result<String, Diagnostic> {
        let (value, line) = self.value(kind, 1);
        let limit = self.limit(value, line)?;
        let (high, low) = (self.weights(kind, 2, lanes)?, self.weights(kind, 3, lanes)?);
        Ok(format!("(high: [{high}], low: [{low}], limit_of_high_priority: {limit})"))
    }

    fn limit(&self, value: &str, line: Option<&OpensmOption>) -> Result<u8, Diagnostic> {
        decimal(value)
            .ok_or_else(|| self.wrong(line, "a limit", "write 0 to 255, or -1 for OpenSM's own value"))
    }

    fn weights(&self, kind: usize, part: usize, lanes: u8) -> Result<String, Diagnostic> {
        let (value, line) = self.value(kind, part);
        self.pairs(value, line, lanes)
    }

    fn pairs(&self, value: &str, line: Option<&OpensmOption>, lanes: u8) -> Result<String, Diagnostic> {
        let wrong = || {
            self.wrong(
                line,
                "a table of lanes",
                "write up to 64 pairs of a lane, 0 to 14, and a weight, 0 to 255: `0:4,1:0`",
            )
        };
        let pairs = value.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let pairs: Vec<(u8, u8)> = pairs
            .map(|pair| {
                let (lane, weight) = pair.split_once(':').ok_or_else(wrong)?;
                let lane = decimal(lane.trim()).filter(|lane| *lane < 15).ok_or_else(wrong)?;
                Ok((masked(lane, lanes), decimal(weight.trim()).ok_or_else(wrong)?))
            })
            .collect::<Result<_, Diagnostic>>()?;
        if pairs.len() > MOST_WEIGHTS {
            return Err(wrong());
        }
        let pairs = pairs.iter().map(|(lane, weight)| format!("(lane: {lane}, weight: {weight})"));
        Ok(pairs.collect::<Vec<_>>().join(", "))
    }
}

/// Returns true for a value that leaves the part to other keys.
fn is_unset(part: usize, value: &str) -> bool {
    match part {
        0 => value == "0",
        1 => value == "-1",
        _ => value == "(null)" || value.is_empty(),
    }
}

/// Returns a lane within the lanes in operation; VL15 stays.
const fn masked(lane: u8, lanes: u8) -> u8 {
    if lane == 15 || lanes == 15 { lane } else { lane & (lanes - 1) }
}
