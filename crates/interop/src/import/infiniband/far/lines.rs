//! The lines of `ibdiagnet2.far`, one after the other.
//!
//! Invariant: a line that does not fit its section is a fault at its place. Text is kept unread only between the GUID
//! of a switch and its groups, where no description says its form.

use std::collections::{BTreeMap, BTreeSet};

use super::super::forwarding::NO_PORT;
use super::{AdaptiveEntry, AdaptiveTable, AdaptiveTables, LidState, Subgroup};
use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

/// Column names of the table of groups, which stand above a line of dashes.
const GROUP_COLUMNS: [&str; 5] = ["Group", "Sub", "Group", "WHBF", "Ports"];
/// Column names of the forwarding table.
const ENTRY_COLUMNS: [&str; 6] = ["LID", "Static", "Port", "Lid", "State", "Group"];
/// States of a LID, as the file spells them.
const STATES: [(&str, LidState); 3] =
    [("Static", LidState::Static), ("HBF", LidState::Hash), ("Free", LidState::Adaptive)];

/// Reads the tables of all switches.
pub(super) fn tables(source: SourceText<'_>) -> Result<AdaptiveTables, Diagnostic> {
    let mut reader = Reader {
        source,
        tables: AdaptiveTables::default(),
        version: None,
        section: Section::Head,
        top: 0,
        seen: BTreeMap::new(),
    };
    for line in source.lines().filter(|line| !line.text.starts_with('#')) {
        reader.line(line)?;
    }
    reader.finish()
}

/// The part of the file that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Head,
    GroupColumns,
    Groups,
    EntryColumns,
    Entries,
}

struct Reader<'a> {
    source: SourceText<'a>,
    tables: AdaptiveTables,
    version: Option<u32>,
    section: Section,
    /// Largest LID of the forwarding table.
    top: u16,
    /// Entries of the switch by LID: the first byte of each.
    seen: BTreeMap<u16, usize>,
}

impl Reader<'_> {
    fn line(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        if let Some(rest) = line.behind("File version:") {
            return self.file_version(line, rest.trimmed());
        }
        if line.words().next().is_some_and(|word| word.text == "Switch") {
            return self.switch(line);
        }
        if line.text.starts_with("Groups Definition:") {
            return self.groups(line);
        }
        if line.text.starts_with("LFT Definition:") {
            return self.forwarding(line);
        }
        let is_rule = line.text.starts_with("----") && line.text.bytes().all(|byte| byte == b'-');
        match self.section {
            Section::Head => self.undescribed(line),
            Section::GroupColumns if is_rule => self.goes_on(Section::Groups),
            Section::EntryColumns if is_rule => self.goes_on(Section::Entries),
            Section::GroupColumns if line.words().map(|word| word.text).eq(GROUP_COLUMNS) => Ok(()),
            Section::EntryColumns if line.words().map(|word| word.text).eq(ENTRY_COLUMNS) => Ok(()),
            Section::EntryColumns if line.text.starts_with("PLFT_NUM:") => self.private_table(line),
            Section::Groups => self.group(line),
            Section::Entries => self.entry(line),
            Section::GroupColumns => self.wrong(
                line,
                "this is no heading of a table of groups",
                "Group   Sub Group   WHBF   Ports",
            ),
            Section::EntryColumns => self.wrong(
                line,
                "this is no heading of a forwarding table",
                "LID   Static Port   Lid State   Group",
            ),
        }
    }

    fn goes_on(&mut self, section: Section) -> Result<(), Diagnostic> {
        self.section = section;
        Ok(())
    }

    fn wrong<T>(&self, at: Part<'_>, message: impl Into<String>, form: &str) -> Result<T, Diagnostic> {
        Err(self.source.wrong(&at.range(), message, &format!("write `{form}`")))
    }

    fn file_version(&mut self, line: Part<'_>, number: Part<'_>) -> Result<(), Diagnostic> {
        match decimal(number.text).filter(|_| !number.text.is_empty()) {
            Some(version) if self.version.is_none() => self.version = Some(version),
            Some(_) => {
                return self.wrong(
                    line,
                    "the version of the file stands here again",
                    "Switch 0x0002c90300000100",
                );
            }
            None => {
                return self.wrong(line, "the version of the file is not a number", "File version: 2");
            }
        }
        Ok(())
    }

    fn switch(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        if self.version.is_none() {
            return self.wrong(line, "the file does not begin with its version", "File version: 2");
        }
        self.ended(line)?;
        let word = line.words().nth(1).unwrap_or(line);
        let guid = hex(word.text).filter(|_| word.text.starts_with("0x") && word.text.len() > 2);
        let Some(guid) = guid else {
            return self.wrong(word, "the switch has no GUID", "Switch 0x0002c90300000100");
        };
        if let Some(first) = self.tables.switches.iter().find(|table| table.guid == guid) {
            let first = self.source.excerpt(&first.at).line;
            let message = format!("switch 0x{guid:016x} has tables already in line {first}");
            return self.wrong(word, message, "Switch 0x0002c90300000110");
        }
        let behind = line.at(word.start + word.text.len() - line.start).1.trimmed();
        let (at, undescribed) = (line.range(), behind.range());
        let (groups, entries) = (BTreeMap::new(), Vec::new());
        self.tables.switches.push(AdaptiveTable { guid, at, undescribed, groups, entries });
        self.seen.clear();
        self.goes_on(Section::Head)
    }

    /// Keeps a line that stands between a switch and its groups.
    fn undescribed(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        if self.version.is_none() {
            if line.text.starts_with("Unicast lids") {
                let message = "these are linear tables, which have no groups of ports";
                let help = "give this file to `--lfts`; `--far` reads `ibdiagnet2.far`";
                return Err(self.source.wrong(&line.range(), message, help));
            }
            return self.wrong(line, "the file does not begin with its version", "File version: 2");
        }
        let Some(table) = self.tables.switches.last_mut() else {
            return self.wrong(line, "this stands before the first switch", "Switch 0x0002c90300000100");
        };
        if table.undescribed.is_empty() {
            table.undescribed.start = line.start;
        }
        table.undescribed.end = line.range().end;
        Ok(())
    }

    fn groups(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        if self.tables.switches.is_empty() || self.section != Section::Head {
            return self.wrong(line, "groups stand behind the head of a switch", "Switch 0x0002c90300000100");
        }
        self.goes_on(Section::GroupColumns)?;
        let rest = line.behind("Groups Definition:").unwrap_or(line).trimmed();
        if rest.text.is_empty() { Ok(()) } else { self.line(rest) }
    }

    fn forwarding(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        match self.section {
            Section::Groups => {}
            Section::Entries => {
                let message = "this switch has a second forwarding table (a private one, by input and service \
                               level, of dragonflies): a switch has a single table here";
                let help = "import the tables of a tree, or of another routing engine";
                return Err(self.source.wrong(&line.range(), message, help));
            }
            _ => {
                return self.wrong(
                    line,
                    "a forwarding table stands behind the groups of its switch",
                    "Groups Definition:",
                );
            }
        }
        self.section = Section::EntryColumns;
        self.top = 0;
        let rest = line.behind("LFT Definition:").unwrap_or(line).trimmed();
        if rest.text.is_empty() { Ok(()) } else { self.line(rest) }
    }

    /// Reads `PLFT_NUM: 0, top: 0x0030`.
    fn private_table(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        const FORM: &str = "PLFT_NUM: 0, top: 0x0030";
        let mut parts = line.pieces([',']).map(Part::trimmed);
        let (number, top) = (parts.next(), parts.next());
        let number = number.and_then(|part| part.behind("PLFT_NUM:")).map(Part::trimmed);
        let top = top.and_then(|part| part.behind("top:")).map(Part::trimmed);
        let (Some(number), Some(top), None) = (number, top, parts.next()) else {
            return self.wrong(line, "this is not the number and the last LID of a table", FORM);
        };
        if number.text != "0" {
            let message =
                "a private forwarding table, by input and service level: a switch has a single table here";
            return self.wrong(number, message, FORM);
        }
        let lid = hex(top.text).and_then(|lid| u16::try_from(lid).ok());
        let Some(lid) = lid.filter(|_| top.text.starts_with("0x")) else {
            return self.wrong(top, format!("`{}` is not a LID", top.text), FORM);
        };
        self.top = lid;
        Ok(())
    }

    fn group(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        const FORM: &str = "1   0   0   17,20,";
        let words: Vec<Part<'_>> = line.words().collect();
        let [group, part, weight, ports @ ..] = &words[..] else {
            return self.wrong(line, "this is no row of a table of groups", FORM);
        };
        let group_number = self.number(*group, "a group", FORM)?;
        let part_number = self.number(*part, "a subgroup", FORM)?;
        let weight = self.number(*weight, "a weight", FORM)?;
        let ports = self.ports(ports)?;
        let at = line.range();
        let table = self.tables.switches.last_mut().expect("groups have a switch");
        let parts = &mut table.groups.entry(group_number).or_default().parts;
        let known = |port: &&Part<'_>| parts.values().any(|own| own.ports.iter().any(|own| is(port, *own)));
        if let Some(twice) = ports.iter().find(known) {
            let message = format!("port {} is in group {group_number} already", twice.text);
            return self.wrong(*twice, message, FORM);
        }
        let ports = ports.iter().filter_map(|port| decimal(port.text)).collect();
        if let Some(first) = parts.insert(part_number, Subgroup { ports, weight, at }) {
            let first = self.source.excerpt(&first.at).line;
            let message =
                format!("group {group_number} has a subgroup {part_number} already in line {first}");
            return self.wrong(*group, message, FORM);
        }
        Ok(())
    }

    /// Returns the parts of a list of ports, each a number that stands once.
    fn ports<'p>(&self, words: &[Part<'p>]) -> Result<Vec<Part<'p>>, Diagnostic> {
        const FORM: &str = "17,20,";
        let mut known = BTreeSet::new();
        let mut ports = Vec::new();
        for (place, word) in words.iter().enumerate() {
            // A list may have blanks behind its commas.
            if place + 1 < words.len() && !word.text.ends_with(',') {
                return self.wrong(words[place + 1], "no comma stands before this port", FORM);
            }
            for part in word.pieces([',']) {
                let number = decimal::<u8>(part.text).filter(|port| (1..NO_PORT).contains(port));
                let Some(number) = number else {
                    let message = format!("`{}` is not a port, 1 to 254", part.text);
                    return self.wrong(part, message, FORM);
                };
                if !known.insert(number) {
                    return self.wrong(part, format!("port {number} stands here twice"), FORM);
                }
                ports.push(part);
            }
        }
        Ok(ports)
    }

    fn entry(&mut self, line: Part<'_>) -> Result<(), Diagnostic> {
        const FORM: &str = "0x0003   17   Free   1";
        let words: Vec<Part<'_>> = line.words().collect();
        let [lid, port, state, group] = words[..] else {
            return self.wrong(line, "this is no entry of a forwarding table", FORM);
        };
        let number = hex(lid.text).and_then(|number| u16::try_from(number).ok());
        let Some(number) = number.filter(|_| lid.text.starts_with("0x") && lid.text.len() > 2) else {
            return self.wrong(lid, format!("`{}` is not a LID", lid.text), FORM);
        };
        if number > self.top {
            let message = format!("LID {} is above the table's last, 0x{:04x}", lid.text, self.top);
            return self.wrong(lid, message, "PLFT_NUM: 0, top: 0x0030");
        }
        let static_port = self.number(port, "a port", FORM)?;
        let Some((_, lid_state)) = STATES.iter().find(|(name, _)| *name == state.text) else {
            let message = format!("`{}` is no state of a LID that is described", state.text);
            let help = "write `Static`, `HBF` (by hash) or `Free` (adaptive)";
            return Err(self.source.wrong(&state.range(), message, help));
        };
        let group_number = self.number(group, "a group", FORM)?;
        if let Some(first) = self.seen.insert(number, line.start) {
            let first = self.source.excerpt(&(first..first)).line;
            return self.wrong(lid, format!("LID {} has an entry already in line {first}", lid.text), FORM);
        }
        let table = self.tables.switches.last_mut().expect("entries have a switch");
        if *lid_state != LidState::Static && !table.groups.contains_key(&group_number) {
            let switch = self.source.excerpt(&table.at).line;
            let message = format!("the switch of line {switch} has no group {group_number}");
            return self.wrong(group, message, FORM);
        }
        let (state, start) = (*lid_state, line.start);
        table.entries.push(AdaptiveEntry {
            lid: number,
            port: static_port,
            state,
            group: group_number,
            start,
        });
        Ok(())
    }

    fn number<N: core::str::FromStr>(&self, word: Part<'_>, what: &str, form: &str) -> Result<N, Diagnostic> {
        let number = decimal(word.text);
        number.map_or_else(|| self.wrong(word, format!("`{}` is not {what}", word.text), form), Ok)
    }

    /// Checks that the last switch has all its tables, before this line.
    fn ended(&self, line: Part<'_>) -> Result<(), Diagnostic> {
        let Some(last) = self.tables.switches.last() else { return Ok(()) };
        if self.section == Section::Entries {
            return Ok(());
        }
        let first = self.source.excerpt(&last.at).line;
        let message = format!("the switch of line {first} has no forwarding table before this");
        self.wrong(line, message, "LFT Definition:")
    }

    fn finish(self) -> Result<AdaptiveTables, Diagnostic> {
        let Some(version) = self.version else {
            let help = "write `ibdiagnet2.far`, which begins with `File version:`";
            return Err(self.source.whole("the file has no version", help));
        };
        let Some(last) = self.tables.switches.last() else {
            let help = "run `ibdiagnet --routing` on a fabric with adaptive routing";
            return Err(self.source.whole("the file has no switch", help));
        };
        if self.section != Section::Entries {
            let message = "the file ends before this switch's forwarding table";
            return Err(self.source.wrong(&last.at.clone(), message, "write the whole file"));
        }
        Ok(AdaptiveTables { version, ..self.tables })
    }
}

fn is(port: &Part<'_>, number: u8) -> bool {
    decimal::<u8>(port.text) == Some(number)
}
