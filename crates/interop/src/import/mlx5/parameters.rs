//! The values of the parameters of a file.
//!
//! Invariant: a parameter has one value. Ports and devices of a file with different values are a fault, and so is a
//! name that looks like the vendor's and is none.

use core::fmt::Display;
use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use super::lines::{self, Entry};
use super::table::{
    BESIDE, LINK_TYPE, LINK_TYPES, Named, PARAMETERS, SWITCHES, U32, concerns_dcqcn, is_of_firmware, named,
};
use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::{Diagnostic, help_with_name};

/// The parameters of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mlx5Parameters {
    /// Values by the driver's names, with their bytes in the file.
    pub values: BTreeMap<&'static str, (u64, Range<usize>)>,
    /// Values of the parameters that decide whether these hold, by name.
    pub(super) switches: BTreeMap<&'static str, (u64, Range<usize>)>,
    /// Types of the link by device and port.
    pub(super) link_types: BTreeMap<(usize, Option<char>), (u64, Range<usize>)>,
    /// Priorities at which the reaction point (`roce_rp`) or the notification point (`roce_np`) is on or off.
    pub(super) enabled: BTreeMap<(&'static str, u8), (bool, Range<usize>)>,
    /// Names of parameters that are none of DCQCN's.
    pub(super) others: BTreeSet<String>,
    /// Parameters with another value from the next restart on, and that value.
    pub(super) next: BTreeMap<&'static str, (String, Range<usize>)>,
    /// Ports by number, and devices, that the file has values of.
    pub(super) ports: BTreeSet<(usize, Option<char>)>,
    pub(super) from_next_boot: bool,
}

impl Mlx5Parameters {
    /// Reads a file.
    ///
    /// # Errors
    /// If a line is not a parameter with a value in its range, or a parameter has two values.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let lines = lines::read(source)?;
        let others = lines.others.iter().map(|name| named(name).plain).collect();
        let mut parameters = Self { from_next_boot: lines.from_next_boot, others, ..Self::default() };
        for entry in &lines.entries {
            parameters.enter(source, entry)?;
        }
        if parameters.values.is_empty() {
            let help = "write what `mlxconfig -d DEV query` prints, or a parameter and its value a line: \
                        `rpg_time_reset 300`";
            return Err(source.whole("the file has no parameter of DCQCN", help));
        }
        Ok(parameters)
    }

    fn enter(&mut self, source: SourceText<'_>, entry: &Entry<'_>) -> Result<(), Diagnostic> {
        let Named { plain, port } = named(entry.name.text);
        if let Some(priority) = plain.strip_prefix("enable/") {
            return self.enter_priority(source, entry, priority);
        }
        if plain == LINK_TYPE {
            let word = LINK_TYPES.iter().find(|(word, _)| entry.value.text.eq_ignore_ascii_case(word));
            let value = match word {
                Some((_, value)) => *value,
                None => number(source, LINK_TYPE, entry.value, 3, "")?,
            };
            self.link_types.insert((entry.device, port), (value, entry.value.range()));
            return Ok(());
        }
        if let Some(known) = SWITCHES.into_iter().find(|known| *known == plain) {
            let most = if known == "roce_cc_prio_mask" { 255 } else { U32 };
            let value = number(source, known, entry.value, most, "")?;
            return single(source, &mut self.switches, (known, known, entry), value);
        }
        let found = PARAMETERS.iter().find(|known| known.name == plain || known.debugfs == plain);
        let Some(known) = found else {
            // Assignments of a command may set any parameter of the firmware.
            let is_other = is_of_firmware(entry.name.text) && !concerns_dcqcn(entry.name.text);
            if BESIDE.contains(&&*plain) || is_other {
                self.others.insert(plain);
                return Ok(());
            }
            let names = PARAMETERS.iter().map(|known| known.name);
            let message = format!("`{}` is not a parameter of DCQCN", entry.name.text);
            return Err(source.wrong(
                &entry.name.range(),
                message,
                &help_with_name(&plain, names, "parameters"),
            ));
        };
        let value = number(source, known.name, entry.value, known.most, known.unit)?;
        if let Some(next) = entry.next {
            self.next.insert(known.name, (next.text.to_owned(), next.range()));
        }
        self.ports.insert((entry.device, port));
        single(source, &mut self.values, (known.name, known.name, entry), value)
    }

    /// Enters the switch of a point at a priority.
    fn enter_priority(
        &mut self,
        source: SourceText<'_>,
        entry: &Entry<'_>,
        priority: &str,
    ) -> Result<(), Diagnostic> {
        let wrong = |message: String| {
            let help = "write `roce_rp/enable/3:1`, with a priority from 0 to 7 and 0 or 1";
            source.wrong(&entry.name.range(), message, help)
        };
        let at = decimal(priority).filter(|at| *at <= 7);
        let at: u8 = at.ok_or_else(|| wrong(format!("`{priority}` is not a priority")))?;
        let point = ["roce_rp", "roce_np"].into_iter().find(|point| entry.folder.contains(point));
        let point =
            point.ok_or_else(|| wrong("neither `roce_rp` nor `roce_np` is in the name".to_owned()))?;
        let on = number(source, "enable", entry.value, 1, "")? == 1;
        single(source, &mut self.enabled, ((point, at), &format!("{point}/enable/{at}"), entry), on)
    }

    pub(super) fn value(&self, name: &str) -> Option<u64> {
        self.values.get(name).map(|(value, _)| *value)
    }
}

/// Enters a value, unless the parameter has another one already.
fn single<K: Ord, V: PartialEq + Display>(
    source: SourceText<'_>,
    values: &mut BTreeMap<K, (V, Range<usize>)>,
    (key, name, entry): (K, &str, &Entry<'_>),
    value: V,
) -> Result<(), Diagnostic> {
    if let Some((first, _)) = values.get(&key).filter(|(first, _)| *first != value) {
        let message = format!("{name} has a second value, {value}, and {first} above");
        let help = "write the parameters of one adapter, port and priority";
        return Err(source.wrong(&entry.value.range(), message, help));
    }
    values.entry(key).or_insert((value, entry.value.range()));
    Ok(())
}

/// Reads a value: a number, a word with its number, `True(1)`, or a word of a parameter that is on or off.
fn number(
    source: SourceText<'_>,
    name: &str,
    value: Part<'_>,
    most: u64,
    unit: &str,
) -> Result<u64, Diagnostic> {
    let inside =
        value.text.strip_suffix(')').and_then(|text| text.rsplit_once('(')).map(|(_, inside)| inside);
    let digits = inside.unwrap_or(value.text);
    let number = match digits.to_ascii_lowercase().as_str() {
        "true" if most == 1 => Some(1),
        "false" if most == 1 => Some(0),
        lower if lower.starts_with("0x") => hex(lower).filter(|_| lower.len() > 2),
        _ => decimal(digits).filter(|_| !digits.is_empty()),
    };
    number.filter(|number| *number <= most).ok_or_else(|| {
        let message = format!("`{}` is not a value of {name}", value.text);
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        source.wrong(&value.range(), message, &format!("write a whole number from 0 to {most}{unit}"))
    })
}
