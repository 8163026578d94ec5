//! DCQCN parameters of ConnectX adapters, by the names of the driver's folders (`rpg_time_reset`), of debugfs
//! (`rp_time_reset`) or of the firmware (`RPG_TIME_RESET_P1`).
//!
//! Invariant: every parameter of the file has an entry in the account, and a name that is none of the vendor's is a
//! fault. Values have the vendor's units.
//!
//! ```text
//! rpg_time_reset 300              name and value, which may stand behind `=` or `:`
//! /sys/class/net/eth0/ecn/roce_rp/rpg_time_reset:300      what `grep . FOLDER/*` prints
//! ```
//!
//! Sources: names, units and meanings by the vendor's page of DCQCN parameters (NVIDIA, DOCA, and Mellanox DOC-2790),
//! names of debugfs by Linux (`drivers/infiniband/hw/mlx5/cong.c`).

use core::ops::Range;
use std::collections::BTreeMap;

use super::account::{KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::{Part, SourceText, decimal};
use scenario::{Diagnostic, help_with_name};

/// A parameter: the driver's name, and the name in debugfs if it differs by more than its beginning. Further the
/// largest value, the unit, and the vendor's default where its documents give a default.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    debugfs: &'static str,
    pub(crate) most: u64,
    pub(crate) unit: &'static str,
    default: Option<u64>,
}

const fn parameter(
    name: &'static str,
    debugfs: &'static str,
    most: u64,
    unit: &'static str,
    default: Option<u64>,
) -> Parameter {
    Parameter { name, debugfs, most, unit, default }
}

const U32: u64 = u32::MAX as u64;

/// Parameters of the reaction point and of the notification point.
pub(crate) const PARAMETERS: [Parameter; 19] = [
    parameter("clamp_tgt_rate", "rp_clamp_tgt_rate", 1, "", None),
    parameter("clamp_tgt_rate_after_time_inc", "rp_clamp_tgt_rate_ati", 1, "", None),
    parameter("rpg_time_reset", "rp_time_reset", 131_071, "us", None),
    parameter("rpg_byte_reset", "rp_byte_reset", 32_767_000, "B", None),
    parameter("rpg_threshold", "rp_threshold", 254, "", None),
    parameter("rpg_max_rate", "rp_max_rate", U32, "Mb/s", Some(0)),
    parameter("rpg_ai_rate", "rp_ai_rate", U32, "Mb/s", None),
    parameter("rpg_hai_rate", "rp_hai_rate", U32, "Mb/s", None),
    parameter("rpg_gd", "rp_gd", 15, "log2", Some(11)),
    parameter("rpg_min_dec_fac", "rp_min_dec_fac", 100, "%", Some(50)),
    parameter("rpg_min_rate", "rp_min_rate", U32, "Mb/s", Some(1)),
    parameter("rate_to_set_on_first_cnp", "rp_rate_to_set_on_first_cnp", U32, "Mb/s", Some(0)),
    parameter("dce_tcp_g", "rp_dce_tcp_g", 1023, "1/1024", Some(1019)),
    parameter("dce_tcp_rtt", "rp_dce_tcp_rtt", 131_071, "us", Some(1)),
    parameter("rate_reduce_monitor_period", "rp_rate_reduce_monitor_period", U32, "us", Some(4)),
    parameter("initial_alpha_value", "rp_initial_alpha_value", 1023, "1/1024", Some(1023)),
    parameter("min_time_between_cnps", "np_min_time_between_cnps", 4095, "us", None),
    parameter("cnp_dscp", "np_cnp_dscp", 63, "", None),
    parameter("cnp_802p_prio", "np_cnp_prio", 7, "", None),
];
/// Names that switch a part on or off, or choose between two others.
const SWITCHES: [&str; 3] = ["np_cnp_prio_mode", "enable", "roce_cc_prio_mask"];

/// The parameters of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mlx5Parameters {
    /// Values by the driver's names, with their bytes in the file.
    pub values: BTreeMap<&'static str, (u64, Range<usize>)>,
}

impl Mlx5Parameters {
    /// Reads a file.
    ///
    /// # Errors
    /// If a line is not a parameter with a value in its range, or a parameter has two values.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let mut parameters = Self::default();
        for line in source.lines().filter(|line| !line.text.starts_with('#')) {
            let line = line.split('#').map_or(line, |(line, _)| line).trimmed();
            let (name, value) = name_and_value(source, line)?;
            let Some(known) = known(source, name)? else { continue };
            let range = || format!("write a whole number from 0 to {}{}", known.most, spaced(known.unit));
            let number = decimal(value.text).filter(|number| *number <= known.most).ok_or_else(|| {
                let message = format!("`{}` is not a value of {}", value.text, known.name);
                source.wrong(&value.range(), message, &range())
            })?;
            if parameters
                .values
                .insert(known.name, (number, value.range()))
                .is_some_and(|(first, _)| first != number)
            {
                let message = format!("{} has a second value", known.name);
                return Err(source.wrong(
                    &value.range(),
                    message,
                    "write the parameters of one port and priority",
                ));
            }
        }
        if parameters.values.is_empty() {
            let help = "write a parameter and its value a line: `rpg_time_reset 300`";
            return Err(source.whole("the file has no parameter of DCQCN", help));
        }
        Ok(parameters)
    }

    fn value(&self, name: &str) -> Option<u64> {
        self.values.get(name).map(|(value, _)| *value)
    }
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

/// Splits a line into a name and the value behind it. A folder before the name is left out.
fn name_and_value<'a>(source: SourceText<'_>, line: Part<'a>) -> Result<(Part<'a>, Part<'a>), Diagnostic> {
    let wrong =
        || source.wrong(&line.range(), "this is not a parameter and its value", "write `rpg_time_reset 300`");
    let is_mark = |letter: char| letter.is_whitespace() || letter == '=' || letter == ':';
    let inside = line.at(line.text.rfind('/').map_or(0, |slash| slash + 1)).1;
    let (name, rest) = inside.at(inside.text.find(is_mark).ok_or_else(wrong)?);
    let marks = rest.text.len() - rest.text.trim_start_matches(is_mark).len();
    let value = rest.at(marks).1.words().next().ok_or_else(wrong)?;
    Ok((name, value))
}

/// Finds the parameter of a name; `None` for names that are none of DCQCN's rates and times.
fn known(source: SourceText<'_>, given: Part<'_>) -> Result<Option<&'static Parameter>, Diagnostic> {
    let last = given.text.to_ascii_lowercase();
    let plain = last.strip_suffix("_p1").or_else(|| last.strip_suffix("_p2")).unwrap_or(&last);
    if SWITCHES.contains(&plain) {
        return Ok(None);
    }
    let found = PARAMETERS.iter().find(|known| known.name == plain || known.debugfs == plain);
    found.map(Some).ok_or_else(|| {
        let names = PARAMETERS.iter().map(|known| known.name);
        let message = format!("`{}` is not a parameter of DCQCN", given.text);
        source.wrong(&given.range(), message, &help_with_name(plain, names, "parameters"))
    })
}

/// Reads a file. The settings are for a scenario with `congestion_control: Dcqcn(...)`.
///
/// # Errors
/// If a line is wrong: see [`Mlx5Parameters::read`].
pub fn read(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    let parameters = Mlx5Parameters::read(source)?;
    let mut draft = Draft { source, parameters: &parameters, response: Vec::new(), account: Vec::new() };
    draft.reaction();
    let echo = draft.notification();
    draft.without_counterpart();
    let Draft { response, mut account, .. } = draft;
    let missing = PARAMETERS.iter().filter(|known| parameters.value(known.name).is_none());
    let missing: Vec<_> = missing.map(|known| format!("`{}`", known.name)).collect();
    if !missing.is_empty() {
        let what = format!(
            "{}: the vendor's default where its documents give one, else the papers' (docs/models/dcqcn.md)",
            missing.join(", ")
        );
        account.push(KeyAccount::new("(missing)", missing.len().to_string(), KeyFate::Approximated, what));
    }
    let mut settings = vec![("congestion_control.response".to_owned(), format!("({})", response.join(", ")))];
    settings.extend(echo.map(|echo| ("congestion_control.echo".to_owned(), echo)));
    Ok(ImportedSettings { settings, account })
}

/// The settings so far.
struct Draft<'a> {
    source: SourceText<'a>,
    parameters: &'a Mlx5Parameters,
    response: Vec<String>,
    account: Vec<KeyAccount>,
}

impl Draft<'_> {
    fn note(&mut self, name: &'static str, fate: KeyFate, what: impl Into<String>) {
        let Some((value, at)) = self.parameters.values.get(name) else { return };
        let unit = PARAMETERS.iter().find(|known| known.name == name).map_or("", |known| known.unit);
        let mut entry = KeyAccount::new(name, format!("{value}{}", spaced(unit)), fate, what);
        entry.place = Some(self.source.excerpt(at));
        self.account.push(entry);
    }

    /// Returns a value of the file, or the vendor's default.
    fn value(&self, name: &str) -> Option<u64> {
        let default = PARAMETERS.iter().find(|known| known.name == name).and_then(|known| known.default);
        self.parameters.value(name).or(default)
    }

    /// Sets a field of the response that has the value as it is, at least `least`.
    fn field(&mut self, name: &'static str, field: &str, least: u64, written: impl Fn(u64) -> String) {
        let Some(value) = self.value(name) else { return };
        self.response.push(format!("{field}: {}", written(value.max(least))));
        if value < least {
            let what = format!("`response.{field}` of {}, the least", written(least));
            self.note(name, KeyFate::Changed, what);
        } else {
            self.note(name, KeyFate::Used, format!("`response.{field}`"));
        }
    }

    fn reaction(&mut self) {
        let flag = |value: u64| (value == 1).to_string();
        let us = |value: u64| format!("\"{value} us\"");
        let rate = |value: u64| format!("\"{value} Mb/s\"");
        self.field("clamp_tgt_rate", "clamp_target", 0, flag);
        self.field("clamp_tgt_rate_after_time_inc", "clamp_after_timer", 0, flag);
        self.field("rpg_time_reset", "timer", 1, us);
        self.field("rpg_threshold", "fast_recovery", 1, |value| value.to_string());
        self.field("rpg_ai_rate", "additive_increase", 1, rate);
        self.field("rpg_hai_rate", "hyper_increase", 1, rate);
        self.field("rpg_min_rate", "min_rate", 1, rate);
        self.field("dce_tcp_rtt", "alpha_timer", 1, us);
        self.response.push("alpha_update: EachInterval".to_owned());
        match self.value("rpg_byte_reset") {
            Some(0) => {
                self.response.push("stages: TimerAlone".to_owned());
                self.note("rpg_byte_reset", KeyFate::Used, "0 is off: `response.stages: TimerAlone`");
            }
            _ => self.field("rpg_byte_reset", "byte_counter", 1, |value| format!("\"{value} B\"")),
        }
        if let Some(keep) = self.value("dce_tcp_g") {
            // alpha becomes g/1024 of itself, so that a new value has the rest as its weight.
            let weight = (1024 - keep) as f64 / 1024.0;
            self.response.push(format!("g: {weight:?}"));
            self.note("dce_tcp_g", KeyFate::Used, format!("`response.g` of {weight}: (1024 - g) / 1024"));
        }
        if let Some(alpha) = self.value("initial_alpha_value") {
            let start = if alpha == 1023 { 1.0 } else { alpha.max(1) as f64 / 1024.0 };
            self.response.push(format!("initial_alpha: {start:?}"));
            let (fate, what) = match alpha {
                0 => (KeyFate::Changed, "`response.initial_alpha` of 1/1024, the least".to_owned()),
                1023 => {
                    (KeyFate::Used, "`response.initial_alpha` of 1, for which its maximum stands".to_owned())
                }
                _ => (KeyFate::Used, "`response.initial_alpha`".to_owned()),
            };
            self.note("initial_alpha_value", fate, what);
        }
    }

    /// Returns the notification point, if the file has it.
    fn notification(&mut self) -> Option<String> {
        let interval = self.parameters.value("min_time_between_cnps");
        if interval == Some(0) {
            let what = "`echo.interval` of 1 ns: every marked packet is answered";
            self.note("min_time_between_cnps", KeyFate::Used, what);
        } else {
            self.note("min_time_between_cnps", KeyFate::Used, "`echo.interval`");
        }
        self.note("cnp_dscp", KeyFate::NotUsed, "packets have no DSCP here");
        let what = "CNPs take the lane of their flow, before its data at their adapter; `echo.service_level` gives another";
        self.note("cnp_802p_prio", KeyFate::Approximated, what);
        interval.map(|us| {
            if us == 0 { "(interval: \"1 ns\")".to_owned() } else { format!("(interval: \"{us} us\")") }
        })
    }

    fn without_counterpart(&mut self) {
        let same = |same: bool, right: &'static str, wrong: &'static str| {
            if same { (KeyFate::Used, right) } else { (KeyFate::Changed, wrong) }
        };
        let value = |name: &str| self.value(name).unwrap_or(0);
        let cnps = self.parameters.value("min_time_between_cnps").unwrap_or(50);
        let entries = [
            (
                "rpg_gd",
                same(
                    value("rpg_gd") == 11,
                    "a cut is by alpha/2",
                    "a cut is by alpha/2, for which 11 stands",
                ),
            ),
            (
                "rpg_min_dec_fac",
                same(
                    value("rpg_min_dec_fac") <= 50,
                    "a cut is at most to half",
                    "a cut may go down to half the rate",
                ),
            ),
            (
                "rate_to_set_on_first_cnp",
                same(
                    value("rate_to_set_on_first_cnp") == 0,
                    "0: the first CNP cuts as others do",
                    "the first CNP cuts as others do",
                ),
            ),
            (
                "rpg_max_rate",
                same(
                    value("rpg_max_rate") == 0,
                    "0: up to the link's rate",
                    "sources send up to the rate of their link",
                ),
            ),
        ];
        let period = value("rate_reduce_monitor_period");
        for (name, (fate, what)) in entries {
            self.note(name, fate, what);
        }
        let (fate, what) = if period <= cnps {
            (
                KeyFate::Approximated,
                "a cut comes with its CNP, not at the end of a period; CNPs are further apart than periods",
            )
        } else {
            (KeyFate::Changed, "each CNP cuts, though CNPs may come several times in a period")
        };
        self.note("rate_reduce_monitor_period", fate, what);
    }
}
