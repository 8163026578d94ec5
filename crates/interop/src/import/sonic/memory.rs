//! Shared memory of a SONiC switch: its pool, and the profiles of its priority groups.
//!
//! Invariant: the shared part of a scenario's memory is the size of the pool, on a switch with the ports of the file.

use std::collections::{BTreeMap, BTreeSet};

use units::{Bytes, Rate};

use super::profiles::{BySpeed, port_of};
use super::{Draft, LARGEST, Ports, referred};
use crate::import::account::KeyFate;
use crate::import::source::decimal;
use scenario::Diagnostic;

/// Fewest ports for which memory is divided, so that a part of a configuration will do.
pub(super) const LEAST_PORTS: usize = 32;

/// The profile of a priority group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Profile {
    xoff: u64,
    guaranteed: u64,
    /// `dynamic_th`; `None` for a fixed threshold.
    dynamic: Option<i8>,
    resume_offset: Option<u64>,
}

impl Draft<'_> {
    fn profile(&self, name: &str) -> Result<Profile, Diagnostic> {
        let number = |field| self.number("BUFFER_PROFILE", name, field, LARGEST);
        let xoff = number("xoff")?.unwrap_or(0);
        let size = number("size")?.unwrap_or(0);
        let dynamic = self.config.field("BUFFER_PROFILE", name, "dynamic_th").map(|text| {
            text.parse().ok().filter(|power| (-8..=8).contains(power)).ok_or_else(|| {
                let message = format!("`{text}` is not a power of two that alpha can be");
                let help = "write -8 to 8: alpha is 2 to this power";
                self.fault(&["BUFFER_PROFILE", name, "dynamic_th"], message, help)
            })
        });
        // Some switches count the headroom as part of the profile's size.
        let xon = number("xon")?.unwrap_or(0);
        let guaranteed = if size >= xoff + xon && xoff > 0 { size - xoff } else { size };
        Ok(Profile { xoff, guaranteed, dynamic: dynamic.transpose()?, resume_offset: number("xon_offset")? })
    }

    /// Reads the profile of each speed, the first of several.
    fn read_profiles(&mut self, by_speed: &BySpeed) -> Result<BTreeMap<Option<Rate>, Profile>, Diagnostic> {
        let mut read = BTreeMap::new();
        for (speed, names) in by_speed {
            let all: Result<BTreeSet<Profile>, Diagnostic> =
                names.iter().map(|name| self.profile(name)).collect();
            let all = all?;
            let text = names.iter().cloned().collect::<Vec<_>>().join(", ");
            let without_headroom: BTreeSet<Profile> =
                all.iter().map(|profile| Profile { xoff: 0, ..*profile }).collect();
            self.headroom_differs |= all.len() > without_headroom.len();
            if without_headroom.len() > 1 {
                let what = format!("{text}: ports of one speed have several profiles: the first for all");
                self.note("BUFFER_PG", text.clone(), KeyFate::Changed, what);
            }
            // Ports without a cable have the largest headroom.
            let largest = all.iter().map(|profile| profile.xoff).max().unwrap_or(0);
            read.extend(all.first().map(|profile| (*speed, Profile { xoff: largest, ..*profile })));
        }
        Ok(read)
    }

    /// Sets memory, headroom and thresholds of PFC.
    pub(super) fn memory(&mut self, ports: &Ports, lanes: usize) -> Result<(), Diagnostic> {
        let speeds = &ports.speeds;
        let by_speed = self.profiles(speeds);
        let read = self.read_profiles(&by_speed)?;
        let Some(pool) = self.pool(&by_speed) else {
            if let Some(usual) = most_common(speeds, &read) {
                let what = "there is no ingress_lossless pool: the scenario's own memory holds";
                self.note("BUFFER_POOL", "", KeyFate::Changed, what);
                self.thresholds(&usual, &read, &by_speed);
            }
            return Ok(());
        };
        let size = self.number("BUFFER_POOL", &pool, "size", u64::MAX)?;
        self.other_pools(&pool);
        let Some(usual) = most_common(speeds, &read) else {
            return self.calculated((&pool, size), ports, lanes);
        };
        match size.filter(|size| *size > 0) {
            Some(size) => self.pool_and_reserve((&pool, size), ports, (lanes, &usual, &read))?,
            None => self.no_size(&pool),
        }
        self.thresholds(&usual, &read, &by_speed);
        Ok(())
    }

    /// Returns the lossless pool at the ingress: that of the profiles with headroom, or else the one with this name.
    fn pool(&self, by_speed: &BySpeed) -> Option<String> {
        let of_profile = by_speed.values().flatten().find_map(|name| {
            let fields = self.config.tables.get("BUFFER_PROFILE")?.get(name)?;
            let pool = referred(fields, "pool");
            self.config.tables.get("BUFFER_POOL")?.contains_key(pool).then(|| pool.to_owned())
        });
        let pools = || self.config.entries("BUFFER_POOL").map(|(name, _)| name.to_owned());
        of_profile.or_else(|| pools().find(|name| name.contains("ingress_lossless")))
    }

    /// Enters a pool without a size, which the dynamic buffer model computes.
    pub(super) fn no_size(&mut self, pool: &str) {
        let what = "no size: the dynamic buffer model computes it at run time, and `show buffer information` has it (`--buffers FILE`); \
                    here the scenario's own memory holds";
        self.note(&format!("BUFFER_POOL.{pool}"), "", KeyFate::Changed, what);
    }

    /// Sets the memory: the pool, and the headroom and guarantees of all ports beside it.
    fn pool_and_reserve(
        &mut self,
        (pool, size): (&str, u64),
        ports: &Ports,
        (lanes, usual, read): (usize, &Profile, &BTreeMap<Option<Rate>, Profile>),
    ) -> Result<(), Diagnostic> {
        let count = ports.speeds.len().max(LEAST_PORTS);
        let largest = read.values().map(|profile| profile.xoff).max().unwrap_or(0);
        let (own, receivers) = self.reserved(&ports.speeds)?;
        let others = (count as u64 * lanes as u64).saturating_sub(receivers);
        let reserve = own.saturating_add(others.saturating_mul(largest.saturating_add(usual.guaranteed)));
        let what = format!("this is shared, beside headroom and guarantees of {count} ports");
        self.set_memory((pool, size), reserve, (count, lanes), (KeyFate::Used, &what));
        Ok(())
    }

    /// Sets `switch.memory` and `switch.provisioned`, and enters the pool. `reserve` is memory beside the pool.
    pub(super) fn set_memory(
        &mut self,
        (pool, size): (&str, u64),
        reserve: u64,
        (ports, lanes): (usize, usize),
        (fate, what): (KeyFate, &str),
    ) {
        let memory = size.saturating_add(reserve);
        self.set("switch.memory", format!("\"{}\"", Bytes::new(memory.min(LARGEST))));
        self.set("switch.provisioned", format!("(ports: {}, lanes: {lanes})", ports.min(254)));
        let what = format!("`switch.memory` of {}: {what}", Bytes::new(memory.min(LARGEST)));
        let (fate, what) = if memory > LARGEST {
            let deep = format!(
                "deep buffers, {memory} B with what is reserved, and a scenario's switch has at most 1 GiB: 1 GiB here"
            );
            (KeyFate::Changed, deep)
        } else {
            (fate, what)
        };
        self.note(&format!("BUFFER_POOL.{pool}.size"), size.to_string(), fate, what);
        if let Some(shared) = self.config.field("BUFFER_POOL", pool, "xoff").map(str::to_owned) {
            let what = "each port and lane has its headroom alone; there they share this pool";
            self.note(&format!("BUFFER_POOL.{pool}.xoff"), shared, KeyFate::Approximated, what);
        }
    }

    /// Enters the pools that limit nothing here.
    fn other_pools(&mut self, pool: &str) {
        let names: Vec<String> =
            self.config.entries("BUFFER_POOL").map(|(name, _)| name.to_owned()).collect();
        for other in names.iter().filter(|name| *name != pool) {
            let what = "queues at outputs are not limited: a lane with PFC has room for all that came in";
            self.note(&format!("BUFFER_POOL.{other}"), "", KeyFate::NotUsed, what);
        }
    }

    /// Returns the headroom and the guarantees of the ports' own priorities, and the number of these.
    fn reserved(&self, speeds: &BTreeMap<String, Rate>) -> Result<(u64, u64), Diagnostic> {
        let (mut bytes, mut receivers) = (0, 0);
        for (key, fields) in self.config.entries("BUFFER_PG") {
            let port = port_of(key);
            let priorities = key.split_once('|').map_or("", |(_, priorities)| priorities);
            let name = referred(fields, "profile");
            if !speeds.contains_key(port) || !self.has_headroom(name) {
                continue;
            }
            let (first, last) = priorities.split_once('-').unwrap_or((priorities, priorities));
            let (first, last): (Option<u64>, Option<u64>) = (decimal(first), decimal(last));
            let count = last.zip(first).map_or(1, |(last, first)| last.saturating_sub(first).min(7) + 1);
            let Profile { xoff, guaranteed, .. } = self.profile(name)?;
            bytes += count * (xoff + guaranteed);
            receivers += count;
        }
        Ok((bytes, receivers))
    }

    fn thresholds(&mut self, usual: &Profile, read: &BTreeMap<Option<Rate>, Profile>, names: &BySpeed) {
        let alpha = |profile: &Profile| profile.dynamic.map_or(1.0, |power| 2f64.powi(power.into()));
        let bytes = |count: u64| format!("\"{}\"", Bytes::new(count));
        self.set(
            "switch.sharing",
            format!("Dynamic(alpha: {:?}, guaranteed: {})", alpha(usual), bytes(usual.guaranteed)),
        );
        let others = read.iter().filter(|(_, profile)| {
            (profile.dynamic, profile.guaranteed) != (usual.dynamic, usual.guaranteed)
        });
        let others = others.filter_map(|(speed, profile)| {
            let speed = (*speed)?;
            Some(format!(
                "(rate: \"{speed}\", alpha: {:?}, guaranteed: {})",
                alpha(profile),
                bytes(profile.guaranteed)
            ))
        });
        let others: Vec<_> = others.collect();
        if !others.is_empty() {
            self.set("switch.shares", format!("[{}]", others.join(", ")));
        }
        let offset = usual.resume_offset.unwrap_or(0);
        self.set("link.flow_control.resume_offset", bytes(offset));
        let one_headroom = !self.headroom_differs && read.values().all(|profile| profile.xoff == usual.xoff);
        if one_headroom {
            self.set("link.flow_control.headroom", bytes(usual.xoff));
        }
        for (speed, profile) in read {
            let name = names.get(speed).and_then(|names| names.first()).cloned().unwrap_or_default();
            let whose = speed.map_or_else(String::new, |speed| format!(" of ports at {speed}"));
            self.note_profile((&name, &whose), profile, (offset, one_headroom));
        }
    }

    /// Enters the profile of the ports of a speed. `offset` is the `resume_offset` of all ports.
    fn note_profile(
        &mut self,
        (name, whose): (&str, &str),
        profile: &Profile,
        (offset, one_headroom): (u64, bool),
    ) {
        let key = |field: &str| format!("BUFFER_PROFILE.{name}.{field}");
        let (fate, what) = match profile.dynamic {
            // The driver takes the least as none, and the largest as all.
            Some(power @ (-8 | 8)) => (
                KeyFate::Changed,
                format!("alpha {}{whose}: 2^{power} here", if power < 0 { "0" } else { "without limit" }),
            ),
            Some(power) => {
                (KeyFate::Used, format!("alpha 2^{power}{whose}: `switch.sharing`, `switch.shares`"))
            }
            None => (KeyFate::Changed, format!("a fixed threshold{whose}: alpha 1 here")),
        };
        let given = profile.dynamic.map_or_else(String::new, |power| power.to_string());
        self.note(
            &key(if profile.dynamic.is_some() { "dynamic_th" } else { "static_th" }),
            given,
            fate,
            what,
        );
        let (fate, what) = if one_headroom {
            (KeyFate::Used, "`link.flow_control.headroom`")
        } else {
            (
                KeyFate::Approximated,
                "ports differ: each has the headroom that its cable needs (`backwater headroom`)",
            )
        };
        self.note(&key("xoff"), profile.xoff.to_string(), fate, what);
        let what = format!("`guaranteed` of {}", Bytes::new(profile.guaranteed));
        self.note(&key("size"), "", KeyFate::Used, what);
        let fate =
            if profile.resume_offset.unwrap_or(0) == offset { KeyFate::Used } else { KeyFate::Changed };
        let given = profile.resume_offset.map_or_else(String::new, |offset| offset.to_string());
        self.note(
            &key("xon_offset"),
            given,
            fate,
            format!("`resume_offset` of {} for all ports", Bytes::new(offset)),
        );
        self.note(
            &key("xon"),
            "",
            KeyFate::Approximated,
            "RESUME is sent below the threshold alone, not at a fixed fill",
        );
    }
}

/// Returns the profile of the speed that most ports have.
fn most_common(speeds: &BTreeMap<String, Rate>, read: &BTreeMap<Option<Rate>, Profile>) -> Option<Profile> {
    let count = |speed: &Option<Rate>| speeds.values().filter(|own| Some(**own) == *speed).count();
    read.iter().max_by_key(|(speed, _)| count(speed)).map(|(_, profile)| *profile)
}
