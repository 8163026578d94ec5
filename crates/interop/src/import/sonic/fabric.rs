//! A SONiC switch beside the cables of a scenario: speeds, lengths and headroom.
//!
//! Invariant: a difference that lets a switch drop packets, or gives thresholds to ports of another speed, is said.

use std::collections::{BTreeMap, BTreeSet};

use scenario::{Diagnostic, Plan, PortHeadroom};
use units::{Bytes, Length, Rate};

use super::calculated::USUAL_RATE;
use super::{Draft, LARGEST};
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::source::SourceText;

/// The cables of a draft for a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsualPorts {
    /// Speed that most ports have.
    pub hosts: Rate,
    /// Highest speed.
    pub trunks: Rate,
    /// Length of most cables at the first speed.
    pub host_length: Option<Length>,
    /// Length of the longest cable.
    pub trunk_length: Option<Length>,
}

/// Returns the speeds and lengths of a switch's ports; `None` if the files have neither.
///
/// # Errors
/// If a file has none of the forms, or a value is no number in its range.
pub fn usual_ports(
    (source, buffers): (SourceText<'_>, Option<SourceText<'_>>),
) -> Result<Option<UsualPorts>, Diagnostic> {
    let mut draft = Draft::new(source, buffers)?;
    let ports = draft.read_ports()?;
    let declared = draft.ports_of_profiles()?;
    let mut speeds: BTreeMap<Rate, usize> = declared.speeds.iter().map(|speed| (*speed, 0)).collect();
    ports.speeds.values().for_each(|speed| *speeds.entry(*speed).or_default() += 1);
    // Of several that are equally common the slowest and shortest: hosts are near.
    let most = |counts: &BTreeMap<u64, usize>| {
        counts.iter().rev().max_by_key(|(_, count)| **count).map(|(value, _)| *value)
    };
    let by_rate = speeds.iter().map(|(speed, count)| (speed.get(), *count)).collect();
    let hosts = most(&by_rate).map(Rate::bps);
    let mut lengths: BTreeMap<u64, usize> = declared.lengths.iter().map(|own| (own.metres, 0)).collect();
    let of_hosts = |port: &&String| hosts.is_none() || ports.speeds.get(*port).copied() == hosts;
    ports
        .lengths
        .keys()
        .filter(of_hosts)
        .for_each(|port| *lengths.entry(ports.lengths[port]).or_default() += 1);
    if speeds.is_empty() && lengths.is_empty() {
        return Ok(None);
    }
    let metres = |length: u64| Length::from_mm(length * 1000);
    Ok(Some(UsualPorts {
        hosts: hosts.unwrap_or(USUAL_RATE),
        trunks: speeds.keys().next_back().copied().unwrap_or(USUAL_RATE),
        host_length: most(&lengths).map(metres),
        trunk_length: lengths.keys().next_back().copied().map(metres),
    }))
}

/// Speeds and lengths of the cables of a switch's ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchPorts {
    /// Name of the switch in its own configuration.
    pub hostname: Option<String>,
    /// Speeds by port.
    pub speeds: BTreeMap<String, Rate>,
    /// Lengths by port.
    pub lengths: BTreeMap<String, Length>,
}

/// Returns the ports of a switch by its configuration.
///
/// # Errors
/// If the file has none of the forms, or a value is no number in its range.
pub fn switch_ports(source: SourceText<'_>) -> Result<SwitchPorts, Diagnostic> {
    let draft = Draft::new(source, None)?;
    let ports = draft.read_ports()?;
    let hostname = draft.config.field("DEVICE_METADATA", "localhost", "hostname").map(str::to_owned);
    let lengths = ports.lengths.into_iter().map(|(port, metres)| (port, Length::from_mm(metres * 1000)));
    Ok(SwitchPorts { hostname, speeds: ports.speeds, lengths: lengths.collect() })
}

/// Adds the differences between a switch and the fabric that got its settings.
///
/// # Errors
/// If a file has none of the forms, or a value is no number in its range.
pub fn compared(
    (source, buffers): (SourceText<'_>, Option<SourceText<'_>>),
    plan: &Plan,
) -> Result<(Vec<KeyAccount>, Vec<String>), Diagnostic> {
    let mut draft = Draft::new(source, buffers)?;
    draft.account.clear();
    let ports = draft.ports_of_profiles()?;
    let mut warnings = Vec::new();
    let at_switches: Vec<PortHeadroom> =
        plan.headrooms().into_iter().filter(|own| !plan.graph().is_host(own.node)).collect();
    draft.speeds_of(&at_switches, &ports);
    let cable = |own: &PortHeadroom| (own.cable.rate, own.cable.flight);
    let cables: BTreeMap<_, PortHeadroom> = at_switches.iter().map(|own| (cable(own), *own)).collect();
    for own in cables.into_values() {
        let metres = own.cable.flight.ps() as f64 / 5000.0;
        let (declared, given) = ports.headroom_at(own.cable.rate, metres);
        let given = given.unwrap_or(own.given);
        if own.needed.total() <= given {
            continue;
        }
        let said = format!(
            "headroom of {given} a port and lane, and cables of {metres} m at {} need {} (`backwater headroom`): switches can drop packets",
            own.cable.rate,
            own.needed.total()
        );
        match declared.filter(|length| (*length as f64) < metres) {
            Some(length) => {
                let what = format!("for cables of up to {length}m at this speed: {said}");
                draft.note("CABLE_LENGTH", format!("{length}m"), KeyFate::Changed, what);
            }
            None => {
                warnings.push(format!("{}: {said}", source.name));
                draft.note("(headroom)", given.to_string(), KeyFate::Approximated, said);
            }
        }
    }
    Ok((draft.account, warnings))
}

/// Speeds and lengths for which a switch has settings.
struct Declared {
    speeds: BTreeSet<Rate>,
    lengths: Vec<DeclaredLength>,
}

/// A length of cables for which a switch has settings.
struct DeclaredLength {
    /// Speed of the ports; `None` if it is not known.
    speed: Option<Rate>,
    metres: u64,
    /// Headroom of its profile, if the profile's name tells the length.
    headroom: Option<Bytes>,
}

impl Declared {
    /// Returns the shortest length of a profile for a cable, else the longest there is, and the headroom of that
    /// length.
    fn headroom_at(&self, rate: Rate, metres: f64) -> (Option<u64>, Option<Bytes>) {
        let own = || self.lengths.iter().filter(|own| own.speed.is_none_or(|speed| speed == rate));
        let long_enough = own().filter(|own| own.metres as f64 >= metres).min_by_key(|own| own.metres);
        let found = long_enough.or_else(|| own().max_by_key(|own| own.metres));
        (found.map(|own| own.metres), found.and_then(|own| own.headroom))
    }
}

impl Draft<'_> {
    /// Returns the speeds and lengths of ports, and those that the names of their profiles tell.
    fn ports_of_profiles(&mut self) -> Result<Declared, Diagnostic> {
        let ports = self.read_ports()?;
        self.give_profiles(&ports)?;
        self.account.clear();
        let names: BTreeSet<String> = self.profiles(&ports.speeds).into_values().flatten().collect();
        let rate = |speed: u64| speed.checked_mul(1_000_000).map(Rate::bps);
        let mut lengths = Vec::new();
        for name in &names {
            let Some((speed, metres)) = super::printed::speed_and_length(name) else { continue };
            let headroom = self.number("BUFFER_PROFILE", name, "xoff", LARGEST)?.map(Bytes::new);
            lengths.push(DeclaredLength { speed: rate(speed), metres, headroom });
        }
        if lengths.is_empty() {
            let of_port = |(port, metres): (&String, &u64)| {
                let (speed, metres) = (ports.speeds.get(port).copied(), *metres);
                DeclaredLength { speed, metres, headroom: None }
            };
            lengths = ports.lengths.iter().map(of_port).collect();
        }
        let mut speeds: BTreeSet<Rate> = ports.speeds.values().copied().collect();
        if speeds.is_empty() {
            speeds = lengths.iter().filter_map(|own| own.speed).collect();
        }
        Ok(Declared { speeds, lengths })
    }

    /// Enters rates of the fabric's cables that no port of the switch has.
    fn speeds_of(&mut self, at_switches: &[PortHeadroom], ports: &Declared) {
        let rates: BTreeSet<Rate> = at_switches.iter().map(|own| own.cable.rate).collect();
        let strange: Vec<String> = rates.difference(&ports.speeds).map(ToString::to_string).collect();
        if ports.speeds.is_empty() || strange.is_empty() {
            return;
        }
        let own = ports.speeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let what = format!(
            "the switch's ports have {own}, and cables of the scenario {}: headroom and thresholds of other ports hold there",
            strange.join(", ")
        );
        self.note("PORT", own, KeyFate::Changed, what);
    }
}
