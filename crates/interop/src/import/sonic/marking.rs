//! Thresholds of ECN of a SONiC switch: the profiles of its queues.
//!
//! Invariant: a profile that does not mark turns congestion control off, if all are such.

use std::collections::{BTreeMap, BTreeSet};

use units::{Bytes, Rate};

use super::{Draft, LARGEST, referred};
use crate::import::account::KeyFate;
use crate::import::source::decimal;
use scenario::Diagnostic;

/// Thresholds of ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ramp {
    kmin: u64,
    kmax: u64,
    percent: u64,
}

/// Returns the numbers of queues at the end of a key: `Ethernet0|3-4`.
fn queues(key: &str) -> Option<core::ops::RangeInclusive<u8>> {
    let text = key.rsplit('|').next().unwrap_or_default();
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(decimal(first)?..=decimal(last)?)
}

impl Draft<'_> {
    /// Sets the thresholds of ECN.
    pub(super) fn marking(&mut self, speeds: &BTreeMap<String, Rate>) -> Result<(), Diagnostic> {
        let mut by_speed: BTreeMap<Option<Rate>, BTreeSet<String>> = BTreeMap::new();
        let mut marked: BTreeSet<u8> = BTreeSet::new();
        for (key, fields) in self.config.entries("QUEUE") {
            let profile = referred(fields, "wred_profile");
            if profile.is_empty() {
                continue;
            }
            marked.extend(queues(key).into_iter().flatten());
            // Switches of several ASICs have a host and an ASIC before the port.
            let speed = key.split('|').find_map(|part| speeds.get(part).copied());
            by_speed.entry(speed).or_default().insert(profile.to_owned());
        }
        let lossless = self.usual_priorities()?;
        if !by_speed.is_empty()
            && !lossless.is_empty()
            && lossless.iter().all(|queue| !marked.contains(queue))
        {
            let what = "no queue of a lossless priority has a profile of ECN: here every lane marks";
            self.note("QUEUE.wred_profile", format!("{marked:?}"), KeyFate::Changed, what);
        }
        if by_speed.is_empty() {
            let all: BTreeSet<String> =
                self.config.entries("WRED_PROFILE").map(|(name, _)| name.to_owned()).collect();
            if all.is_empty() {
                return Ok(());
            }
            let (fate, what) = if self.config.entries("QUEUE").next().is_some() {
                (KeyFate::Changed, "no queue refers to a profile of ECN: here every lane marks by it")
            } else {
                (KeyFate::Approximated, "the file has no queues: here every lane marks by the profile")
            };
            self.note("QUEUE.wred_profile", "", fate, what);
            by_speed.insert(None, all);
        }
        let mut ramps = BTreeMap::new();
        for (speed, names) in &by_speed {
            let name = names.first().cloned().unwrap_or_default();
            if names.len() > 1 {
                let what = format!("queues of one speed have several profiles: `{name}` for all");
                self.note("QUEUE", names.len().to_string(), KeyFate::Changed, what);
            }
            let ramp = self.ramp(&name)?;
            ramps.extend(ramp.map(|ramp| (*speed, ramp)));
        }
        let text = |ramp: &Ramp| {
            let Ramp { kmin, kmax, percent } = ramp;
            let pmax = *percent as f64 / 100.0;
            format!("kmin: \"{}\", kmax: \"{}\", pmax: {pmax:?}", Bytes::new(*kmin), Bytes::new(*kmax))
        };
        if !ramps.is_empty() && ramps.len() < by_speed.len() {
            let silent = by_speed.len() - ramps.len();
            let what = "ports of some speeds do not mark, and others do: here all mark, by the profiles that there are";
            self.note("WRED_PROFILE", silent.to_string(), KeyFate::Changed, what);
        }
        let different: BTreeSet<_> = ramps.values().collect();
        match (different.len(), ramps.values().next()) {
            (0, _) | (_, None) => self.set("congestion_control", "Off".to_owned()),
            (1, Some(ramp)) => self.set("congestion_control.marking", format!("({})", text(ramp))),
            _ => {
                let rows = ramps
                    .iter()
                    .filter_map(|(speed, ramp)| Some(format!("(rate: \"{}\", {})", (*speed)?, text(ramp))));
                self.set(
                    "congestion_control.marking",
                    format!("(by_rate: [{}])", rows.collect::<Vec<_>>().join(", ")),
                );
            }
        }
        Ok(())
    }

    /// Reads the thresholds of a profile; `None` if it does not mark.
    fn ramp(&mut self, name: &str) -> Result<Option<Ramp>, Diagnostic> {
        let ecn = self.config.field("WRED_PROFILE", name, "ecn").unwrap_or("ecn_none").to_owned();
        let key = |field: &str| format!("WRED_PROFILE.{name}.{field}");
        if !matches!(
            ecn.as_str(),
            "ecn_none"
                | "ecn_all"
                | "ecn_green"
                | "ecn_green_yellow"
                | "ecn_green_red"
                | "ecn_yellow"
                | "ecn_red"
                | "ecn_yellow_red"
        ) {
            let help = "write `ecn_none`, `ecn_all` or colours: `ecn_green`";
            return Err(self.fault(
                &["WRED_PROFILE", name, "ecn"],
                format!("`{ecn}` is no mode of ECN"),
                help,
            ));
        }
        if !matches!(ecn.as_str(), "ecn_all" | "ecn_green" | "ecn_green_yellow" | "ecn_green_red") {
            self.note(&key("ecn"), ecn, KeyFate::Used, "`congestion_control: Off`: no packet is marked");
            return Ok(None);
        }
        self.note(&key("ecn"), ecn, KeyFate::Used, "switches mark green packets, which all are here");
        let least = self.number("WRED_PROFILE", name, "green_min_threshold", LARGEST)?;
        let most = self.number("WRED_PROFILE", name, "green_max_threshold", LARGEST)?;
        let percent = self.number("WRED_PROFILE", name, "green_drop_probability", 100)?;
        let (Some(kmin), Some(kmax)) = (least, most) else {
            let help = "write `green_min_threshold` and `green_max_threshold`, in bytes";
            return Err(self.fault(&["WRED_PROFILE", name], "the profile has no thresholds", help));
        };
        let percent_or_all = percent.unwrap_or(100);
        let ramp = Ramp { kmin: kmin.max(1), kmax: kmax.max(kmin).max(1), percent: percent_or_all.max(1) };
        self.note(&key("green_min_threshold"), kmin.to_string(), KeyFate::Used, "`marking.kmin`");
        let fate = if kmax >= kmin { KeyFate::Used } else { KeyFate::Changed };
        self.note(&key("green_max_threshold"), kmax.to_string(), fate, "`marking.kmax`, at least `kmin`");
        let fate = if percent == Some(0) { KeyFate::Changed } else { KeyFate::Used };
        self.note(
            &key("green_drop_probability"),
            percent_or_all.to_string(),
            fate,
            "`marking.pmax`, a share of 1, at least 0.01; all are marked above Kmax",
        );
        let colours = self.config.tables["WRED_PROFILE"][name].keys();
        let others = colours.filter(|field| field.starts_with("yellow") || field.starts_with("red")).count();
        if others > 0 {
            self.note(
                &key("yellow, red"),
                others.to_string(),
                KeyFate::NotUsed,
                "packets have no colours here",
            );
        }
        Ok(Some(ramp))
    }
}
