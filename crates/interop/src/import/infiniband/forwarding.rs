//! Linear forwarding tables of a subnet: `opensm-lfts.dump`, what `dump_lfts.sh` and `ibroute` print, and
//! `opensm.fdbs`.
//!
//! Invariant: every line is the head of a switch, an entry, a heading or a count; any other is a fault with its place.
//! This is what the file says: nothing has been compared with the cables.
//!
//! ```text
//! Unicast lids [0-9] of switch Lid 2 guid 0x0002c90300000100 ('sw-a'):         opensm-lfts.dump, ibroute
//! 0x0001 001 # Channel Adapter portguid 0x0002c90300000201: 'node-1'
//!
//! Unicast lids [0x0-0x9] of switch DR path slid 0; dlid 0; 0,36 guid 0x0002c90300000100 (sw-a):      dump_lfts.sh
//! 0x0001 001 : (Channel Adapter portguid 0x0002c90300000201: 'node-1')
//!
//! dump_ucast_routes: Switch 0x0002c90300000100         opensm.fdbs
//! 0x0001 : 001  : 01   : yes
//! ```

use core::fmt::Write;
use core::ops::Range;
use std::io::{self, BufRead};

use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

/// Entry of a LID that no port leads to.
pub(super) const NO_PORT: u8 = u8::MAX;

/// The tables of the switches that a file has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForwardingTables {
    /// The tables, in the order of the file.
    pub switches: Vec<SwitchTable>,
}

/// The forwarding table of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchTable {
    /// GUID of the switch.
    pub guid: u64,
    /// Its LID, if the file has it.
    pub lid: Option<u16>,
    /// Its `NodeDescription`, if the file has it.
    pub name: Option<String>,
    /// LIDs and the ports that lead to them, in the order of the file: 0 for the switch itself.
    pub entries: Vec<(u16, u8)>,
    /// Bytes of the file that introduce the switch.
    pub at: Range<usize>,
}

impl ForwardingTables {
    /// Reads the file.
    ///
    /// # Errors
    /// If a line has another form, or a switch has two entries for a LID, or two tables.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let mut tables = Self::default();
        let mut start = 0;
        for text in source.text.split_inclusive('\n') {
            let line = Part { text, start };
            start += text.len();
            if let (Some(table), Some(entry)) = (tables.switches.last_mut(), plain_entry(text.as_bytes())) {
                table.entries.extend(Some(entry).filter(|(_, port)| *port != NO_PORT));
            } else {
                tables.read_line(source, line.trimmed())?;
            }
        }
        tables.check(source)?;
        Ok(tables)
    }

    /// Reads a line of any form.
    fn read_line(&mut self, source: SourceText<'_>, line: Part<'_>) -> Result<(), Diagnostic> {
        if let Some(table) = head(source, line)? {
            self.switches.push(table);
        } else if line.text.starts_with("0x") || line.text.starts_with("0X") {
            let entry = entry(source, line)?;
            let Some(table) = self.switches.last_mut() else {
                let help = "begin with `Unicast lids [0-9] of switch Lid 2 guid 0x0002c90300000100`";
                return Err(source.wrong(&line.range(), "an entry stands before the first switch", help));
            };
            table.entries.extend(entry);
        } else if !line.text.is_empty() && !is_heading(line.text) {
            let help = "write a LID and a port, `0x0001 001`, or the head of a switch";
            return Err(source.wrong(&line.range(), "this is no part of a forwarding table", help));
        }
        Ok(())
    }

    /// Writes the tables as `opensm -R file -U FILE` takes them.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for SwitchTable { guid, lid, name, entries, .. } in &self.switches {
            let last = entries.iter().map(|(lid, _)| *lid).max().unwrap_or(0);
            let (lid, name) = (lid.unwrap_or(0), name.as_deref().unwrap_or_default());
            writeln!(text, "Unicast lids [0-{last}] of switch Lid {lid} guid 0x{guid:016x} ('{name}'):")
                .expect("a string takes it");
            for (lid, port) in entries {
                writeln!(text, "0x{lid:04x} {port:03}").expect("a string takes it");
            }
            writeln!(text, "{} lids dumped", entries.len()).expect("a string takes it");
        }
        text
    }

    fn check(&mut self, source: SourceText<'_>) -> Result<(), Diagnostic> {
        let mut guids = std::collections::BTreeSet::new();
        for table in &mut self.switches {
            if !guids.insert(table.guid) {
                let message = format!("switch 0x{:016x} has a second table", table.guid);
                return Err(source.wrong(&table.at, message, "give each switch one table"));
            }
            let mut lids: Vec<u16> = table.entries.iter().map(|(lid, _)| *lid).collect();
            lids.sort_unstable();
            if let Some(twice) = lids.windows(2).find(|pair| pair[0] == pair[1]) {
                let message = format!("this switch has two entries for LID 0x{:04x}", twice[0]);
                return Err(source.wrong(&table.at, message, "give each LID one entry"));
            }
        }
        if self.switches.is_empty() {
            let help = "write what `dump_lfts.sh` prints, `opensm-lfts.dump` or `opensm.fdbs`";
            return Err(source.whole("the file has no forwarding tables", help));
        }
        Ok(())
    }
}

/// Reads the line that introduces a switch; `None` for another line.
fn head(source: SourceText<'_>, line: Part<'_>) -> Result<Option<SwitchTable>, Diagnostic> {
    if line.text.starts_with("Multicast mlids") {
        let help = "write the unicast tables: `dump_lfts.sh`, not `dump_mfts.sh`";
        return Err(source.wrong(&line.range(), "these are multicast tables", help));
    }
    let guid = if line.text.starts_with("Unicast lids") {
        behind(line, " guid ")
    } else if line.text.contains("dump_ucast_routes") {
        behind(line, "Switch ")
    } else {
        return Ok(None);
    };
    let word = guid.and_then(|rest| rest.words().next());
    let number = word.and_then(|word| hex(word.text).filter(|_| word.text.starts_with("0x")));
    let guid = number.ok_or_else(|| {
        let help = "write `guid 0x0002c90300000100` behind the switch";
        source.wrong(&word.unwrap_or(line).range(), "the switch has no GUID", help)
    })?;
    let lid = behind(line, "switch Lid ").and_then(|rest| decimal(rest.words().next()?.text));
    let name = line.text.strip_suffix("):").and_then(|text| text.split_once('(')).map(|(_, name)| {
        let inside = name.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
        inside.unwrap_or(name).to_owned()
    });
    Ok(Some(SwitchTable { guid, lid, name, entries: Vec::new(), at: line.range() }))
}

/// Returns what stands behind the first of these words.
fn behind<'a>(line: Part<'a>, words: &str) -> Option<Part<'a>> {
    let at = line.text.find(words)?;
    Some(line.at(at + words.len()).1)
}

/// Reads an entry as the tools write it: four hexadecimal digits and three decimal digits. Tables of thousands of hosts
/// have millions of them.
fn plain_entry(line: &[u8]) -> Option<(u16, u8)> {
    let (lid, rest) = line.strip_prefix(b"0x")?.split_at_checked(4)?;
    let rest = rest.strip_prefix(b" : ").or_else(|| rest.strip_prefix(b" "))?;
    let (port, rest) = rest.split_at_checked(3)?;
    if !matches!(rest.first(), None | Some(b' ' | b'\n' | b'\r')) {
        return None;
    }
    let digits = |digits: &[u8], radix: u32| {
        let digit =
            |number: Option<u32>, digit: &u8| Some(number? * radix + char::from(*digit).to_digit(radix)?);
        digits.iter().fold(Some(0), digit)
    };
    Some((u16::try_from(digits(lid, 16)?).ok()?, u8::try_from(digits(port, 10)?).ok()?))
}

/// Reads the text of a file without the descriptions of destinations behind its entries, which are most of it. Lines
/// keep their numbers.
///
/// # Errors
/// If the file cannot be read.
pub fn without_descriptions(mut file: impl BufRead) -> io::Result<Vec<u8>> {
    let (mut bytes, mut line) = (Vec::new(), Vec::new());
    let find = |line: &[u8], words: &[u8]| line.windows(words.len()).position(|window| window == words);
    // Descriptions may hold bytes that are no UTF-8, so that they are cut before anything is decoded.
    while file.read_until(b'\n', &mut line)? > 0 {
        let cut =
            if line.starts_with(b"0x") { find(&line, b" # ").or_else(|| find(&line, b" : (")) } else { None };
        match cut {
            Some(end) => bytes.extend(line[..end].iter().chain(b"\n")),
            None => bytes.extend_from_slice(&line),
        }
        line.clear();
    }
    Ok(bytes)
}

/// Reads an entry; `None` for a LID that no port leads to.
fn entry(source: SourceText<'_>, line: Part<'_>) -> Result<Option<(u16, u8)>, Diagnostic> {
    let mut words = line.words().filter(|word| word.text != ":");
    let lid = words.next().unwrap_or(line);
    let wrong = |part: Part<'_>, what: &str, help: &str| {
        source.wrong(&part.range(), format!("`{}` is not {what}", part.text), help)
    };
    let number = hex(lid.text).and_then(|lid| u16::try_from(lid).ok());
    let number = number.ok_or_else(|| wrong(lid, "a LID", "write four hexadecimal digits: `0x0001`"))?;
    let port = words.next().unwrap_or(line);
    if port.text.eq_ignore_ascii_case("unreachable") {
        return Ok(None);
    }
    let entry: u8 =
        decimal(port.text).ok_or_else(|| wrong(port, "a port", "write a number from 0 to 254"))?;
    Ok(Some((number, entry)).filter(|_| entry != NO_PORT))
}

/// Returns true for headings, counts and comments of the tools.
fn is_heading(line: &str) -> bool {
    const BEGINNINGS: [&str; 6] = ["#", "Lid ", "Port ", "LID ", "*** WARNING", "ibwarn:"];
    const ENDINGS: [&str; 2] = ["lids dumped", "lids dumped."];
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        || ENDINGS.iter().any(|ending| line.ends_with(ending))
}
