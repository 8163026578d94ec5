//! DCQCN parameters of ConnectX adapters, by the names of the driver's folders (`rpg_time_reset`), of debugfs
//! (`rp_time_reset`) or of the firmware (`RPG_TIME_RESET_P1`).
//!
//! Invariant: every parameter of the file has an entry in the account; parameters of the firmware that are none of
//! DCQCN's share an entry. Values have the vendor's units. The unit of `rpg_byte_reset` is assumed, unless the user
//! gives it.
//!
//! | module | contents |
//! |---|---|
//! | `lines` | names and values, in every form in which tools print or set them |
//! | `table` | the table of names, units and ranges |
//! | `parameters` | the values of a file |
//! | `beside` | parameters that decide whether those of DCQCN hold, and at which priorities |
//!
//! Sources: names, units and meanings by the vendor's page of DCQCN parameters (NVIDIA, DOCA, and Mellanox DOC-2790),
//! names of debugfs by Linux (`drivers/infiniband/hw/mlx5/cong.c`), forms by the output of `mlxconfig` in public
//! files. docs/clusters.md lists the proof of each unit.

mod beside;
mod lines;
mod parameters;
mod table;

use units::{Bytes, grouped};

use super::account::{KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::SourceText;
use scenario::Diagnostic;

pub use self::parameters::Mlx5Parameters;
pub(crate) use self::table::{PARAMETERS, Parameter};

/// Unit of `rpg_byte_reset` where the user gives none.
///
/// The vendor's tool says bytes, of which neither the default of 32,767 nor its documented 150 can be: at 100 Gb/s the
/// counter would expire each 2.6 us, and the timer of 300 us, which operators tune with effect, never. Two programs
/// whose parameters are those of the vendor's page count in 64 bytes (Google's isekai, `rdma_roce_cc_dcqcn.cc`, and a
/// simulator that names the page beside `64 * 32767`). The default is then 2.1 MB, 168 us at 100 Gb/s.
pub const BYTE_RESET_UNIT: Bytes = Bytes::new(64);

/// Parameters of an adapter as it comes from the vendor, as `mlxconfig query` prints them.
pub(crate) const OF_THE_VENDOR: &str = "clamp_tgt_rate 0\nclamp_tgt_rate_after_time_inc 1\nrpg_time_reset 300\n\
    rpg_byte_reset 32767\nrpg_threshold 1\nrpg_ai_rate 5\nrpg_hai_rate 50\n";

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

/// Reads a file. The settings are for a scenario with `congestion_control: Dcqcn(...)`. `byte_reset_unit` is the unit
/// of `rpg_byte_reset`, if the user knows it.
///
/// # Errors
/// If a line is wrong: see [`Mlx5Parameters::read`].
pub fn read(source: SourceText<'_>, byte_reset_unit: Option<Bytes>) -> Result<ImportedSettings, Diagnostic> {
    let parameters = Mlx5Parameters::read(source)?;
    let mut draft =
        Draft { source, parameters: &parameters, byte_reset_unit, response: Vec::new(), account: Vec::new() };
    draft.reaction();
    let echo = draft.notification();
    draft.without_counterpart();
    draft.beside();
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
    Ok(ImportedSettings { settings, account, ..ImportedSettings::default() })
}

/// The settings so far.
struct Draft<'a> {
    source: SourceText<'a>,
    parameters: &'a Mlx5Parameters,
    byte_reset_unit: Option<Bytes>,
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
            Some(value) => self.byte_counter(value),
            None => {}
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

    /// Sets the byte counter, in the unit that the user gives or else the assumed one.
    fn byte_counter(&mut self, value: u64) {
        let unit = self.byte_reset_unit.unwrap_or(BYTE_RESET_UNIT);
        let bytes = value.saturating_mul(unit.get());
        self.response.push(format!("byte_counter: \"{bytes} B\""));
        let field = format!("`response.byte_counter` of {} B", grouped(bytes));
        if self.byte_reset_unit.is_some() {
            let what = format!("{field}: in units of {} B, as given", unit.get());
            self.note("rpg_byte_reset", KeyFate::Used, what);
            return;
        }
        // At this rate the counter and the timer would expire together: which of them leads is the effect of the unit.
        let timer = self.value("rpg_time_reset").unwrap_or(300).max(1);
        let gbps = bytes as f64 * 8.0 / timer as f64 / 1000.0;
        let what = format!(
            "{field}: the unit of 64 B is assumed, as in two programs made from the vendor's page. Above \
                {gbps:.1} Gb/s \
             the counter, not the timer of {timer} us, decides how fast rates recover; with 1 B above {:.2} Gb/s, with \
             1000 B above {:.0} Gb/s: `--byte-reset-unit` gives another",
            gbps / 64.0,
            gbps * 1000.0 / 64.0
        );
        self.note("rpg_byte_reset", KeyFate::Approximated, what);
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
        let what = "CNPs take the lane of their flow, before its data at their adapter; `echo.service_level` \
            gives another";
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
