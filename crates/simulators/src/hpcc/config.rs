//! A `config.txt`: a key and its values in each line, and the account of its keys and of the files that it names.
//!
//! Invariant: a value that cannot be read is a fault with its place. A key that the file lacks has the value that
//! HPCC's simulator gives it (`third.cc`). Attributes of ns-3 (`ns3::RdmaHw::Mtu`, of ns-3-alibabacloud) have the keys
//! that they replace.

use core::ops::Range;
use std::collections::BTreeMap;

use units::{Rate, Span};

use super::keys;
use interop::import::source::SourceText;
use interop::import::{KeyAccount, KeyFate};
use scenario::{Diagnostic, Excerpt, LocatedFault};

/// A key with its values, and the places of both in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConfigKey<'a> {
    /// HPCC's name of the key.
    pub(super) name: &'a str,
    /// Name of the key in the file.
    label: &'a str,
    pub(super) given: &'a str,
    start: usize,
}

/// A configuration, and the account of its keys so far.
pub(super) struct Config<'a> {
    pub(super) name: &'a str,
    text: &'a str,
    keys: Vec<ConfigKey<'a>>,
    account: BTreeMap<String, KeyAccount>,
    /// Entries of the files that the configuration names.
    of_files: Vec<KeyAccount>,
}

impl<'a> Config<'a> {
    pub(super) fn new(name: &'a str, text: &'a str) -> Result<Self, Diagnostic> {
        Ok(Self { name, text, keys: keys(name, text)?, account: BTreeMap::new(), of_files: Vec::new() })
    }

    pub(super) fn key(&self, name: &str) -> Option<ConfigKey<'a>> {
        self.keys.iter().find(|key| key.name == name).copied()
    }

    /// Returns the keys without an entry in the account.
    pub(super) fn unsettled(&self) -> Vec<ConfigKey<'a>> {
        self.keys.iter().copied().filter(|key| !self.account.contains_key(key.name)).collect()
    }

    /// Returns the account: changes by keys that the file lacks, then its keys in their order, then its files.
    pub(super) fn into_account(mut self) -> Vec<KeyAccount> {
        let named: Vec<_> = self.keys.iter().filter_map(|key| self.account.remove(key.name)).collect();
        self.account.into_values().chain(named).chain(self.of_files).collect()
    }

    /// Returns true if the file has any of these keys.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.keys.iter().any(|key| names.contains(&key.name))
    }

    /// Enters a part of a file that the configuration names, with its place there.
    pub(super) fn note_part(
        &mut self,
        source: SourceText<'_>,
        at: Option<&Range<usize>>,
        (key, given): (&str, String),
        fate: KeyFate,
        what: impl Into<String>,
    ) {
        let mut entry = KeyAccount::new(key, given, fate, what);
        entry.file = Some(source.name.to_owned());
        entry.place = at.map(|at| source.excerpt(at));
        self.of_files.push(entry);
    }

    /// Enters a key in the account. A key that the file lacks has an entry only if it changes the experiment.
    pub(super) fn note(&mut self, name: &str, fate: KeyFate, what: impl Into<String>) {
        let key = self.key(name);
        if key.is_none() && fate != KeyFate::Changed {
            return;
        }
        let (given, place) = (key.map_or("", |key| key.given).to_owned(), key.map(|key| self.place(key)));
        let (key, what) = (key.map_or(name, |key| key.label).to_owned(), what.into());
        self.account.insert(name.to_owned(), KeyAccount { key, given, fate, what, place, file: None });
    }

    fn place(&self, key: ConfigKey<'_>) -> Box<Excerpt> {
        Box::new(Excerpt::new(self.text, key.start, key.start + key.given.len()))
    }

    /// Returns the fault of a key's values.
    pub(super) fn wrong(&self, name: &str, message: String, help: &str) -> Diagnostic {
        let key = self.key(name);
        let place = key.map(|key| self.place(key));
        let (file, path) = (self.name.to_owned(), key.map_or(name, |key| key.label).to_owned());
        LocatedFault { file, place, path, message, help: Some(help.to_owned()) }.into()
    }

    /// Returns a key that has to be there; `example` is the help if it is not.
    pub(super) fn required(&self, name: &str, example: &str) -> Result<ConfigKey<'a>, Diagnostic> {
        let missing =
            || self.wrong(name, "this key is missing".to_owned(), &format!("write `{name} {example}`"));
        self.key(name).ok_or_else(missing)
    }

    /// Returns a number of at least 0, or `default` if the file lacks the key.
    pub(super) fn number(&self, name: &str, default: f64) -> Result<f64, Diagnostic> {
        let Some(key) = self.key(name) else { return Ok(default) };
        let written = match key.given {
            "true" => "1",
            "false" => "0",
            given => given,
        };
        let number = written.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
        let wrong =
            || self.wrong(name, format!("`{}` is not a number", key.given), "write a number of at least 0");
        number.ok_or_else(wrong)
    }

    /// Returns a whole number below 2^32, or `default` if the file lacks the key.
    pub(super) fn whole(&self, name: &str, default: u32) -> Result<u32, Diagnostic> {
        let number = self.number(name, f64::from(default))?;
        if number.fract() == 0.0 && number <= f64::from(u32::MAX) {
            return Ok(number as u32);
        }
        let given = self.key(name).map_or("", |key| key.given);
        Err(self.wrong(name, format!("`{given}` is not a whole number"), "write a whole number below 2^32"))
    }

    /// Returns true for any number but 0.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool, Diagnostic> {
        Ok(self.number(name, f64::from(u8::from(default)))? != 0.0)
    }

    /// Returns a time above 0, which is given in microseconds.
    pub(super) fn microseconds(&self, name: &str, default: f64) -> Result<Span, Diagnostic> {
        let us = self.number(name, default)?;
        let span = Span::from_ps((us * 1e6).round() as u64);
        let range = Span::from_ns(10)..=Span::from_us(1_000_000);
        if range.contains(&span) {
            return Ok(span);
        }
        Err(self.wrong(
            name,
            format!("{us} us cannot be an interval"),
            "write 0.01 to 1000000, in microseconds",
        ))
    }

    /// Returns a rate of ns-3 in whole kb/s, and whether it is exact.
    pub(super) fn rate(&self, name: &str, given: &str) -> Result<(Rate, bool), Diagnostic> {
        let wrong = || self.wrong(name, format!("`{given}` is not a rate"), "write `50Mb/s`");
        let bits = bits_per_second(given).ok_or_else(wrong)?;
        let kilobits = (bits / 1e3).round();
        Ok((Rate::bps(kilobits as u64 * 1000), kilobits * 1e3 == bits))
    }

    /// Returns `COUNT RATE VALUE RATE VALUE ...` as pairs, and the number of pairs behind these. That simulator
    /// reads as many as the count says, and takes the rest for keys that it does not know.
    pub(super) fn pairs(&self, key: ConfigKey<'_>) -> Result<(Vec<(u64, f64)>, usize), Diagnostic> {
        let wrong = || {
            let message = format!("`{}` is not a count and so many pairs", key.given);
            self.wrong(
                key.name,
                message,
                "write `1 25000000000 400`: how many, then a rate and a value for each",
            )
        };
        let words: Vec<_> = key.given.split_whitespace().collect();
        let numbers = words.iter().map(|word| word.parse().ok().filter(|number: &f64| *number >= 0.0));
        let numbers: Vec<f64> = numbers.collect::<Option<_>>().ok_or_else(wrong)?;
        match numbers.split_first() {
            Some((count, rest))
                if count.fract() == 0.0
                    && rest.len() as f64 >= 2.0 * count
                    && rest.len().is_multiple_of(2)
                    && rest.iter().all(|one| one.is_finite()) =>
            {
                let pairs: Vec<_> = rest.chunks_exact(2).map(|pair| (pair[0] as u64, pair[1])).collect();
                let behind = pairs.len() - *count as usize;
                Ok((pairs[..*count as usize].to_vec(), behind))
            }
            _ => Err(wrong()),
        }
    }
}

fn keys<'a>(file: &str, text: &'a str) -> Result<Vec<ConfigKey<'a>>, Diagnostic> {
    let mut keys: Vec<ConfigKey<'a>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let here = start;
        start += line.len();
        let line = line.split(['#', '{']).next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let at = here + (line.as_ptr() as usize - text[here..].as_ptr() as usize);
        let (name, given) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let given = given.trim();
        let wrong = |message: String, help: &str| {
            let place = Some(Box::new(Excerpt::new(text, at, at + name.len())));
            let (file, path) = (file.to_owned(), name.to_owned());
            Err(LocatedFault { file, place, path, message, help: Some(help.to_owned()) }.into())
        };
        if given.is_empty() {
            return wrong(format!("`{name}` has no value"), "write a key and its value in one line");
        }
        let key = keys::of_attribute(name).unwrap_or(name);
        if keys.iter().any(|known| known.name == key) {
            return wrong(format!("`{name}` is given twice"), "write it once");
        }
        let start = given.as_ptr() as usize - text.as_ptr() as usize;
        keys.push(ConfigKey { name: key, label: name, given, start });
    }
    Ok(keys)
}

/// Reads ns-3's `DataRate`, up to 10^15 bit/s: a number and a unit, or bit/s.
fn bits_per_second(text: &str) -> Option<f64> {
    let unit_at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let prefix =
        unit.trim_end_matches("bps").trim_end_matches("b/s").trim_end_matches("Bps").trim_end_matches("B/s");
    let bits = if unit.ends_with("Bps") || unit.ends_with("B/s") { 8.0 } else { 1.0 };
    let scale = match prefix {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return None,
    };
    if !prefix.is_empty() && prefix.len() == unit.len() {
        return None; // A prefix without a unit.
    }
    number.parse().ok().map(|number: f64| number * bits * scale).filter(|bits| *bits <= 1e15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_ns_3() {
        let read = |text| bits_per_second(text);
        assert_eq!(["50Mb/s", "50Mbps", "50000000.0", "6.25MB/s", "50000kbps"].map(read), [Some(50e6); 5]);
        assert_eq!(["25Gbps", "0Mb/s"].map(read), [Some(25e9), Some(0.0)]);
        assert_eq!(["", "fast", "50M", "50 Mb/s", "5Tb/s"].map(read), [None; 5]);
    }
}
