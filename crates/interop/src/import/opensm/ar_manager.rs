//! `ar_mgr.conf`: options of the adaptive routing manager, a plug-in of OpenSM before 5.0.
//!
//! Invariant: every option has an entry in the account. A line that is none is a fault, though the manager would take
//! its defaults for all options then.
//!
//! ```text
//! ENABLE: true;
//! AR_ALGORITHM: TREE;            LAG or TREE
//! AR_MODE: bounded;              bounded or free
//! AGEING_TIME: 30;               us without a packet before a flow may change its port, if bounded
//! SWITCH 0x0002c90300000100 {    options of a single switch
//!     ENABLE: false;
//! }
//! ```
//!
//! Source: Mellanox OFED user manual 2.1 to 2.3, "Adaptive Routing Manager Options File".

use super::adaptive::{self, BY_LOAD, Groups};
use super::values::number;
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::settings::ImportedSettings;
use crate::import::source::{Part, SourceText, hex};
use scenario::Diagnostic;

/// Options of the manual.
const OPTIONS: [&str; 8] = [
    "ENABLE",
    "AR_ALGORITHM",
    "AR_MODE",
    "AGEING_TIME",
    "MAX_ERRORS",
    "ERROR_WINDOW",
    "LOG_FILE",
    "LOG_SIZE",
];
/// Time without a packet before a flow may change its port, if the file has none, in us.
const USUAL_AGEING: u64 = 30;
/// Largest such time here: a second.
const LONGEST_AGEING: u64 = 1_000_000;

/// An option, and the switch that it is for.
struct ManagerOption<'a> {
    switch: Option<u64>,
    key: Part<'a>,
    value: Part<'a>,
}

/// Returns true if the first line of a file is an option or a switch of the manager.
pub(super) fn is_one(source: SourceText<'_>) -> bool {
    let first = source.lines().find(|line| !line.text.starts_with('#'));
    let Some(first) = first else { return false };
    let key = first.split(':').map_or(first, |(key, _)| key.trimmed());
    OPTIONS.contains(&key.text) || first.words().next().is_some_and(|word| word.text == "SWITCH")
}

/// Reads the options.
pub(super) fn settings(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    let options = options(source)?;
    let mut reader = Reader { source, options, found: ImportedSettings::default() };
    reader.general()?;
    reader.switches();
    Ok(reader.found)
}

/// Splits the file into options.
fn options(source: SourceText<'_>) -> Result<Vec<ManagerOption<'_>>, Diagnostic> {
    let mut options: Vec<ManagerOption<'_>> = Vec::new();
    let mut switch = None;
    for line in source.lines().filter(|line| !line.text.starts_with('#')) {
        let mut words = line.words();
        if words.next().is_some_and(|word| word.text == "SWITCH") {
            let guid = words.next().and_then(|word| hex(word.text).filter(|_| word.text.starts_with("0x")));
            let opens = words.next().is_some_and(|word| word.text == "{") && words.next().is_none();
            if switch.is_some() || guid.is_none() || !opens {
                let help = "write `SWITCH 0x0002c90300000100 {`, its options, and `}` in a line of its own";
                return Err(source.wrong(&line.range(), "this opens no options of a switch", help));
            }
            switch = guid;
            continue;
        }
        if line.text == "}" && switch.is_some() {
            switch = None;
            continue;
        }
        let pair = line.text.strip_suffix(';').and_then(|_| line.at(line.text.len() - 1).0.split(':'));
        let Some((key, value)) = pair.map(|(key, value)| (key.trimmed(), value.trimmed())) else {
            let help = "write `KEY: value;`, such as `AR_MODE: free;`";
            return Err(source.wrong(&line.range(), "this is no option of the manager", help));
        };
        let twice = options.iter().find(|own| own.switch == switch && own.key.text == key.text);
        if let Some(first) = twice {
            let first = source.excerpt(&first.key.range()).line;
            let message = format!("`{}` has a value already in line {first}", key.text);
            return Err(source.wrong(&key.range(), message, "give each option once"));
        }
        options.push(ManagerOption { switch, key, value });
    }
    if switch.is_some() {
        return Err(source.whole("the options of the last switch have no end", "write `}` behind them"));
    }
    Ok(options)
}

struct Reader<'a> {
    source: SourceText<'a>,
    options: Vec<ManagerOption<'a>>,
    found: ImportedSettings,
}

impl<'a> Reader<'a> {
    fn general(&mut self) -> Result<(), Diagnostic> {
        let is_on = self.choice("ENABLE", [("true", true), ("false", false)])?.unwrap_or(true);
        let algorithm =
            self.choice("AR_ALGORITHM", [("LAG", Groups::Parallel), ("TREE", Groups::Shortest)])?;
        let is_free = self.choice("AR_MODE", [("free", true), ("bounded", false)])?.unwrap_or(false);
        let ageing = self
            .value("AGEING_TIME")
            .map(|value| number(self.source, &value.range(), value.text, u64::from(u32::MAX)));
        let ageing = ageing.transpose()?;
        self.found.without_choice = !is_on;
        if !is_on {
            for key in OPTIONS {
                let fate = if key == "ENABLE" { KeyFate::Used } else { KeyFate::NotUsed };
                self.enter(key, fate, "no adaptive routing is in force");
            }
            return Ok(());
        }
        self.enter("ENABLE", KeyFate::Used, "`switch.selection`");
        let groups = algorithm.unwrap_or(Groups::Parallel);
        let what = format!("`routing: {}`", groups.routing());
        let absent = format!("not in the file: LAG, the only one before 2.3, {what}");
        self.enter_or("AR_ALGORITHM", KeyFate::Used, &what, &absent);
        let gap = ageing.unwrap_or(USUAL_AGEING);
        if is_free {
            self.enter("AR_MODE", KeyFate::Used, "`switch.selection: LeastLoaded`, for each packet anew");
            self.enter("AGEING_TIME", KeyFate::NotUsed, "only `AR_MODE: bounded` uses it");
            adaptive::set(&mut self.found, groups, BY_LOAD);
        } else {
            if !(1..=LONGEST_AGEING).contains(&gap) {
                let at = self.value("AGEING_TIME").map_or(0..0, Part::range);
                let message = format!("a flow keeps its port for {gap} us without a packet");
                return Err(self.source.wrong(&at, message, "write 1 to 1000000"));
            }
            let what = "`switch.selection: Flowlet`: a flow keeps its port while it sends";
            let absent = "not in the file: bounded, the manual's default, `switch.selection: Flowlet`";
            self.enter_or("AR_MODE", KeyFate::Used, what, absent);
            let absent = "not in the file: 30 us, the manual's default, `switch.selection.gap`";
            self.enter_or("AGEING_TIME", KeyFate::Used, "`switch.selection.gap`", absent);
            adaptive::set(&mut self.found, groups, &format!("Flowlet(gap: \"{gap} us\", then: {BY_LOAD})"));
            let what = "not public: as many states of flows as `switch.selection.entries` has by default";
            self.found.account.push(KeyAccount::new("(flows)", "", KeyFate::Approximated, what));
        }
        for key in ["MAX_ERRORS", "ERROR_WINDOW", "LOG_FILE", "LOG_SIZE"] {
            self.enter(key, KeyFate::NotUsed, "it concerns the manager alone");
        }
        self.unknown();
        Ok(())
    }

    /// Enters options that the manual does not have.
    fn unknown(&mut self) {
        let unknown = self.options.iter().filter(|own| !OPTIONS.contains(&own.key.text));
        let unknown: Vec<String> = unknown.map(|own| own.key.text.to_owned()).collect();
        for key in unknown {
            self.enter(
                &key,
                KeyFate::Changed,
                "no option of the manual 2.1 to 2.3: its meaning is not known here",
            );
        }
    }

    /// Enters the options of single switches, which all have the same selection here.
    fn switches(&mut self) {
        let of_switches: Vec<&ManagerOption<'_>> =
            self.options.iter().filter(|own| own.switch.is_some()).collect();
        let Some(first) = of_switches.first() else { return };
        let as_all = |own: &&&ManagerOption<'_>| {
            let general = self.value(own.key.text).map(|value| value.text);
            let usual = match own.key.text {
                "ENABLE" => Some("true"),
                "AGEING_TIME" => Some("30"),
                _ => None,
            };
            general.or(usual) == Some(own.value.text)
        };
        let others = of_switches.len() - of_switches.iter().filter(as_all).count();
        let (fate, what) = if others == 0 {
            (KeyFate::Used, "as all switches")
        } else {
            (KeyFate::Changed, "options of single switches: all switches have the general ones here")
        };
        let mut entry = KeyAccount::new("SWITCH", format!("{} options", of_switches.len()), fate, what);
        entry.place = Some(self.source.excerpt(&first.key.range()));
        self.found.account.push(entry);
    }

    /// Returns the general value of an option.
    fn value(&self, key: &str) -> Option<Part<'a>> {
        let own = self.options.iter().find(|own| own.switch.is_none() && own.key.text == key);
        own.map(|own| own.value)
    }

    fn choice<T: Copy, const N: usize>(
        &self,
        key: &str,
        values: [(&str, T); N],
    ) -> Result<Option<T>, Diagnostic> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let own = values.iter().find(|(name, _)| *name == value.text);
        own.map(|(_, meaning)| Some(*meaning)).ok_or_else(|| {
            let names: Vec<_> = values.iter().map(|(name, _)| format!("`{name}`")).collect();
            let message = format!("`{}` is no value of `{key}`", value.text);
            self.source.wrong(&value.range(), message, &format!("write {}", names.join(" or ")))
        })
    }

    fn enter(&mut self, key: &str, fate: KeyFate, what: impl Into<String>) {
        let own = self.options.iter().find(|own| own.switch.is_none() && own.key.text == key);
        let Some(own) = own else { return };
        let mut entry = KeyAccount::new(key, own.value.text, fate, what);
        entry.place = Some(self.source.excerpt(&own.value.range()));
        self.found.account.push(entry);
    }

    fn enter_or(&mut self, key: &str, fate: KeyFate, what: &str, absent: &str) {
        if self.value(key).is_some() {
            self.enter(key, fate, what);
        } else {
            let key = format!("({key})");
            self.found.account.push(KeyAccount::new(key, "", KeyFate::Approximated, absent));
        }
    }
}
