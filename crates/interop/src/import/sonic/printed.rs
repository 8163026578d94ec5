//! Tables that a switch prints or keeps as text: `show buffer information`, `mmuconfig -l`, `pg_profile_lookup.ini`.
//!
//! Invariant: every line is a heading, a field, a row, or one that the tool prints around them. Any other is a fault.
//!
//! ```text
//! Pool: ingress_lossless_pool         a heading, then fields between lines of dashes
//! ----  --------
//! mode  dynamic
//! size  20627456
//! ----  --------
//!
//! # speed cable size xon xoff threshold xon_offset        pg_profile_lookup.ini: a row for a speed and a length
//! 100000  5m  50176 19456 30720 0
//! ```
//!
//! Sources: `scripts/mmuconfig` of sonic-utilities, which also is `buffershow`; `cfgmgr/buffermgr.cpp` of sonic-swss,
//! which reads the second.

use core::ops::Range;

use super::config::{Fields, SonicConfig, SonicForm};
use crate::import::source::{Part, SourceText, decimal};
use scenario::Diagnostic;

/// Columns of `pg_profile_lookup.ini` behind speed and cable. The last may be missing.
const COLUMNS: [&str; 5] = ["size", "xon", "xoff", "dynamic_th", "xon_offset"];

/// Length of the longest cable, in metres, and speed of the fastest port, in Mb/s.
const LONGEST: u64 = 1_000_000;
pub(super) const FASTEST: u64 = 1_600_000;

/// Headings, and their tables.
const HEADINGS: [(&str, &str); 2] = [("Pool:", "BUFFER_POOL"), ("Profile:", "BUFFER_PROFILE")];
/// Heading without a name of its own.
const PATTERN: &str = "Lossless traffic pattern:";

/// Returns true for what `show buffer information` and `mmuconfig -l` print.
pub(super) fn is_printed(source: SourceText<'_>) -> bool {
    source.lines().any(|line| {
        line.text == PATTERN || HEADINGS.iter().any(|(heading, _)| line.text.starts_with(heading))
    }) && !source.text.trim_start().starts_with(['{', '['])
}

/// Returns true for rows that begin with a speed and a length.
pub(super) fn is_lookup(source: SourceText<'_>) -> bool {
    let first = source.lines().find(|line| !line.text.starts_with('#'));
    let mut words = first.into_iter().flat_map(Part::words).map(|word| word.text);
    let speed: Option<u64> = words.next().and_then(decimal);
    speed.is_some() && words.next().and_then(metres).is_some()
}

/// Returns the length that a table names, in metres: `5m`.
pub(super) fn metres(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('m')?;
    let metres = Some(digits).filter(|digits| !digits.is_empty()).and_then(decimal);
    metres.filter(|metres| *metres <= LONGEST)
}

/// Returns the speed in Mb/s and the length in metres that the name of a profile has:
/// `pg_lossless_100000_5m_profile`, with more behind them in the dynamic model.
pub(super) fn speed_and_length(profile: &str) -> Option<(u64, u64)> {
    let mut parts = profile.strip_prefix("pg_lossless_")?.split('_');
    let speed = parts.next().and_then(decimal).filter(|speed| (1..=FASTEST).contains(speed))?;
    Some((speed, parts.next().and_then(metres)?))
}

/// Reads the pools and profiles that a switch prints.
pub(super) fn pools(source: SourceText<'_>) -> Result<SonicConfig, Diagnostic> {
    let mut config = SonicConfig { form: SonicForm::Printed, ..SonicConfig::default() };
    let mut open: Option<(&str, String)> = None;
    for line in source.lines() {
        let heading = HEADINGS.iter().find_map(|(word, table)| Some((*table, line.behind(word)?.trimmed())));
        if let Some((table, name)) = heading {
            let entries = config.tables.entry(table.to_owned()).or_default();
            if entries.insert(name.text.to_owned(), Fields::new()).is_some() {
                let message = format!("`{}` stands here a second time", name.text);
                return Err(source.wrong(&line.range(), message, "write what a switch prints at once"));
            }
            open = Some((table, name.text.to_owned()));
        } else if line.text == PATTERN {
            open = Some(("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "AZURE".to_owned()));
        } else if !is_around(line.text) {
            let (field, value) = field(source, line)?;
            let Some((table, name)) = &open else {
                let help = "begin with a line such as `Pool: ingress_lossless_pool`";
                return Err(source.wrong(&line.range(), "a field stands before the first pool", help));
            };
            let entries = config.tables.entry((*table).to_owned()).or_default();
            entries.entry(name.clone()).or_default().insert(field.text.to_owned(), value.text.to_owned());
        }
    }
    Ok(config)
}

/// Returns true for lines that a terminal or the tool has around the tables.
fn is_around(line: &str) -> bool {
    const OTHERS: [&str; 3] = ["Total ", "No buffer pool", "No buffer profile"];
    let is_prompt = || {
        ["show ", "mmuconfig", "buffershow", "sudo "].iter().any(|verb| {
            line.split_once(['$', '#', '>'])
                .is_some_and(|(_, command)| command.trim_start().starts_with(verb))
        })
    };
    line.bytes().all(|byte| byte == b'-' || byte == b' ')
        || OTHERS.iter().any(|other| line.starts_with(other))
        || line.ends_with('$')
        || is_prompt()
}

fn field<'a>(source: SourceText<'_>, line: Part<'a>) -> Result<(Part<'a>, Part<'a>), Diagnostic> {
    let mut words = line.words();
    if let (Some(field), Some(value), None) = (words.next(), words.next(), words.next()) {
        return Ok((field, value));
    }
    let (message, help) = if line.text.contains("namespace") {
        ("this is a switch of several ASICs", "write the pools of one of them alone")
    } else {
        (
            "this is neither a heading nor a field and its value",
            "write `Pool: NAME`, `Profile: NAME`, or `size  1000000`",
        )
    };
    Err(source.wrong(&line.range(), message, help))
}

/// Reads headroom by speed and length. Each row is the profile that the switch makes of it.
pub(super) fn lookup(source: SourceText<'_>) -> Result<SonicConfig, Diagnostic> {
    let mut config = SonicConfig { form: SonicForm::Lookup, ..SonicConfig::default() };
    let profiles = config.tables.entry("BUFFER_PROFILE".to_owned()).or_default();
    for line in source.lines().filter(|line| !line.text.starts_with('#')) {
        let words: Vec<Part<'_>> = line.words().collect();
        let wrong = |part: Part<'_>, what: &str| {
            let help = "write speed in Mb/s, cable, size, xon, xoff, threshold and perhaps xon_offset: `100000 5m 50176 19456 30720 0`";
            source.wrong(&part.range(), what, help)
        };
        let [speed, cable, values @ ..] = &words[..] else { return Err(wrong(line, "the row ends early")) };
        if values.len() + 1 < COLUMNS.len() || values.len() > COLUMNS.len() {
            return Err(wrong(line, "this is not a row of 6 or 7 numbers"));
        }
        let speed: u64 = decimal(speed.text)
            .filter(|speed| (1..=FASTEST).contains(speed))
            .ok_or_else(|| wrong(*speed, "this is not a speed in Mb/s"))?;
        let cable = metres(cable.text).ok_or_else(|| wrong(*cable, "this is not a length in metres"))?;
        let own = COLUMNS.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value.text.to_owned()));
        let name = format!("pg_lossless_{speed}_{cable}m_profile");
        if profiles.insert(name, own.collect()).is_some() {
            return Err(wrong(line, "a second row has this speed and cable"));
        }
    }
    Ok(config)
}

/// Finds an entry's heading or row, or the value of its field.
pub(super) fn place(
    source: SourceText<'_>,
    form: SonicForm,
    key: &str,
    field: Option<&str>,
) -> Option<Range<usize>> {
    if form == SonicForm::Lookup {
        let (speed, length) = speed_and_length(key)?;
        let row = source.lines().find(|line| {
            let mut words = line.words().map(|word| word.text);
            words.next().and_then(decimal) == Some(speed) && words.next().and_then(metres) == Some(length)
        })?;
        let column = field.and_then(|field| COLUMNS.iter().position(|column| *column == field));
        return Some(column.and_then(|column| row.words().nth(column + 2)).unwrap_or(row).range());
    }
    let is_heading = |line: &Part<'_>| HEADINGS.iter().any(|(word, _)| line.text.starts_with(word));
    let is_own = |line: &Part<'_>| {
        HEADINGS.iter().any(|(word, _)| line.behind(word).is_some_and(|name| name.trimmed().text == key))
    };
    let mut lines = source.lines().skip_while(|line| !is_own(line));
    let heading = lines.next()?;
    let mut own = lines.take_while(|line| !is_heading(line));
    let value = own.find_map(|line| {
        let mut words = line.words();
        words.next().filter(|name| Some(name.text) == field).and(words.next())
    });
    Some(value.unwrap_or(heading).range())
}
