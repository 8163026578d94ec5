//! What a scheme may not say.
//!
//! Invariant: a scheme that passes can be built, and every part of what it says can have an effect.
//! Each error names the field by its path below `congestion_control`, and says what would be right.

use crate::dcqcn::check::{self as dcqcn, DcqcnError};
use crate::hp::check::{HpError, check_response as check_hp_response};
use crate::spec::{
    Cct, EchoChoice, Iba, IbaMarking, IbaResponse, MarkingChoice, Mixed, ResponseChoice, Scheme,
};

/// The largest `Threshold`: four bits.
const MAX_THRESHOLD: u8 = 15;
/// The largest `CCT_Shift`: two bits.
const MAX_SHIFT: u8 = 3;
/// The largest `CCT_Multiplier`: fourteen bits.
const MAX_MULTIPLIER: u32 = (1 << 14) - 1;
/// The highest service level: four bits.
const MAX_SERVICE_LEVEL: u8 = 15;

/// Why a scheme is refused. `level` is the place in `service_levels` of settings that are wrong there,
/// none for the adapter's own; `entry` likewise the place in a table that is written out.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// `Threshold` out of range.
    #[error(
        "`Threshold` is {given}: write 0 to mark nothing, or 1 (marks late) to {MAX_THRESHOLD} (marks early)"
    )]
    Threshold {
        /// The port that is singled out, by its place in the list; none for the fabric's own.
        port: Option<usize>,
        /// As given.
        given: u8,
    },
    /// An empty table.
    #[error("the congestion control table is empty: write at least one entry; IBA asks for 128 or more")]
    NoEntries,
    /// `CCTI_Limit` names an entry that does not exist.
    #[error("`CCTI_Limit` is {limit}, past the last of the table's {entries} entries: write {}", entries - 1)]
    LimitPastTable {
        /// `CCTI_Limit` as given.
        limit: u16,
        /// Length of the table.
        entries: usize,
    },
    /// The table has entries that no index reaches.
    #[error(
        "`CCTI_Limit` is {limit}, so the table's entries from {} on can never be reached: write {} to use \
         all {entries} entries, or shorten the table to {}",
        usize::from(*limit) + 1, entries - 1, usize::from(*limit) + 1
    )]
    TablePastLimit {
        /// `CCTI_Limit` as given.
        limit: u16,
        /// Length of the table.
        entries: usize,
    },
    /// `CCT_Shift` out of range.
    #[error("`CCT_Shift` is {given}: it has two bits, so write 0 to {MAX_SHIFT}")]
    Shift {
        /// Which entry.
        entry: Option<usize>,
        /// As given.
        given: u8,
    },
    /// `CCT_Multiplier` out of range.
    #[error(
        "`CCT_Multiplier` reaches {given}: it has fourteen bits, so keep every entry at {MAX_MULTIPLIER} or \
         below"
    )]
    Multiplier {
        /// Which entry.
        entry: Option<usize>,
        /// As given, or as the last entry of a linear table has it.
        given: u32,
    },
    /// `CCTI_Min` above `CCTI_Limit`.
    #[error("`CCTI_Min` is {given}, above `CCTI_Limit`, which is {limit}: write 0 to {limit}")]
    Min {
        /// Where.
        level: Option<usize>,
        /// As given.
        given: u8,
        /// `CCTI_Limit`.
        limit: u16,
    },
    /// `CCTI_Timer` is 0.
    #[error("`CCTI_Timer` is 0, a timer that never rests: write 1 or more, in units of 1.024 us")]
    Timer {
        /// Where.
        level: Option<usize>,
    },
    /// `Trigger_Threshold` above `CCTI_Limit`.
    #[error(
        "`Trigger_Threshold` is {given}, above `CCTI_Limit`, which is {limit}, so it can never be reached: \
         write 0 to count nothing, or 1 to {limit}"
    )]
    Trigger {
        /// Where.
        level: Option<usize>,
        /// As given.
        given: u8,
        /// `CCTI_Limit`.
        limit: u16,
    },
    /// A service level that does not exist.
    #[error("service level {given} does not exist: write 0 to {MAX_SERVICE_LEVEL}")]
    ServiceLevel {
        /// Where.
        level: usize,
        /// As given.
        given: u8,
    },
    /// Settings for one service level, twice.
    #[error("service level {given} has its settings already, in entry {first} of this list: write them once")]
    ServiceLevelTwice {
        /// Where.
        level: usize,
        /// As given.
        given: u8,
        /// Where it was before, counted from 0.
        first: usize,
    },
    /// Something of the HP proposal.
    #[error(transparent)]
    Hp(#[from] HpError),
    /// Something of DCQCN.
    #[error(transparent)]
    Dcqcn(#[from] DcqcnError),
}

impl Scheme {
    /// Whether the scheme can be built.
    ///
    /// # Errors
    /// The first of its mistakes.
    pub fn check(&self) -> Result<(), PolicyError> {
        match self {
            Self::Off | Self::Guideline => Ok(()),
            Self::Iba(iba) => check_iba(iba),
            Self::Hp(hp) => Ok(check_hp_response(&hp.response)?),
            Self::Dcqcn(all) => {
                dcqcn::check_marking(&all.marking)?;
                dcqcn::check_echo(&all.echo)?;
                Ok(dcqcn::check_response(&all.response)?)
            }
            Self::Mixed(mixed) => check_mixed(mixed),
        }
    }
}

fn check_mixed(mixed: &Mixed) -> Result<(), PolicyError> {
    match &mixed.marking {
        MarkingChoice::Off | MarkingChoice::Hp(_) => {}
        MarkingChoice::Iba(marking) => check_marking(marking)?,
        MarkingChoice::Red(marking) => dcqcn::check_marking(marking)?,
    }
    if let EchoChoice::Dcqcn(echo) = &mixed.echo {
        dcqcn::check_echo(echo)?;
    }
    match &mixed.response {
        ResponseChoice::Off => Ok(()),
        ResponseChoice::Iba(response) => check_response(response),
        ResponseChoice::Hp(response) => Ok(check_hp_response(response)?),
        ResponseChoice::Dcqcn(response) => Ok(dcqcn::check_response(response)?),
    }
}

impl PolicyError {
    /// The field that is wrong, below `congestion_control`: `response.ccti_limit`.
    #[must_use]
    pub fn path(&self) -> String {
        match *self {
            Self::Hp(error) => error.path(),
            Self::Dcqcn(error) => error.path(),
            Self::Threshold { port: None, .. } => "marking.threshold".to_owned(),
            Self::Threshold { port: Some(i), .. } => format!("marking.ports[{i}].threshold"),
            Self::NoEntries => "response.cct.entries".to_owned(),
            Self::LimitPastTable { .. } | Self::TablePastLimit { .. } => "response.ccti_limit".to_owned(),
            Self::Shift { entry, .. } => in_table(entry, "shift"),
            Self::Multiplier { entry, .. } => in_table(entry, "step"),
            Self::Min { level, .. } => in_level(level, "ccti_min"),
            Self::Timer { level } => in_level(level, "ccti_timer"),
            Self::Trigger { level, .. } => in_level(level, "trigger_threshold"),
            Self::ServiceLevel { level, .. } | Self::ServiceLevelTwice { level, .. } => {
                in_level(Some(level), "service_level")
            }
        }
    }
}

fn in_table(entry: Option<usize>, field: &str) -> String {
    entry.map_or_else(|| format!("response.cct.{field}"), |i| format!("response.cct[{i}]"))
}

fn in_level(level: Option<usize>, field: &str) -> String {
    level.map_or_else(|| format!("response.{field}"), |i| format!("response.service_levels[{i}].{field}"))
}

fn check_iba(iba: &Iba) -> Result<(), PolicyError> {
    check_marking(&iba.marking)?;
    check_response(&iba.response)
}

fn check_marking(marking: &IbaMarking) -> Result<(), PolicyError> {
    if marking.threshold > MAX_THRESHOLD {
        return Err(PolicyError::Threshold { port: None, given: marking.threshold });
    }
    for (i, port) in marking.ports.iter().enumerate() {
        if port.threshold > MAX_THRESHOLD {
            return Err(PolicyError::Threshold { port: Some(i), given: port.threshold });
        }
    }
    Ok(())
}

fn check_response(response: &IbaResponse) -> Result<(), PolicyError> {
    check_table(&response.cct, response.ccti_limit)?;
    check_levels(response)
}

/// IBA's `CCTI_Limit` is the index of the last entry (as `OpenSM` and PSM set it: the number of entries
/// less one), so a table and a limit that disagree are a mistake in one of them.
fn check_table(cct: &Cct, limit: u16) -> Result<(), PolicyError> {
    let entries = cct.entry_count();
    if entries == 0 {
        return Err(PolicyError::NoEntries);
    }
    match *cct {
        Cct::Linear { entries, shift, step } => {
            check_entry(None, shift, u32::from(entries - 1) * u32::from(step))?;
        }
        Cct::Entries(ref all) => {
            for (i, &(shift, multiplier)) in all.iter().enumerate() {
                check_entry(Some(i), shift, u32::from(multiplier))?;
            }
        }
    }
    let reached = usize::from(limit) + 1;
    if reached > entries {
        return Err(PolicyError::LimitPastTable { limit, entries });
    }
    if reached < entries {
        return Err(PolicyError::TablePastLimit { limit, entries });
    }
    Ok(())
}

fn check_entry(entry: Option<usize>, shift: u8, multiplier: u32) -> Result<(), PolicyError> {
    if shift > MAX_SHIFT {
        return Err(PolicyError::Shift { entry, given: shift });
    }
    if multiplier > MAX_MULTIPLIER {
        return Err(PolicyError::Multiplier { entry, given: multiplier });
    }
    Ok(())
}

fn check_levels(response: &IbaResponse) -> Result<(), PolicyError> {
    let limit = response.ccti_limit;
    check_level(None, response.ccti_min, response.ccti_timer, response.trigger_threshold, limit)?;
    for (i, own) in response.service_levels.iter().enumerate() {
        let given = own.service_level;
        if given > MAX_SERVICE_LEVEL {
            return Err(PolicyError::ServiceLevel { level: i, given });
        }
        let earlier = &response.service_levels[..i];
        if let Some(first) = earlier.iter().position(|other| other.service_level == given) {
            return Err(PolicyError::ServiceLevelTwice { level: i, given, first });
        }
        check_level(Some(i), own.ccti_min, own.ccti_timer, own.trigger_threshold, limit)?;
    }
    Ok(())
}

fn check_level(
    level: Option<usize>,
    min: u8,
    timer: u16,
    trigger: u8,
    limit: u16,
) -> Result<(), PolicyError> {
    if u16::from(min) > limit {
        return Err(PolicyError::Min { level, given: min, limit });
    }
    if timer == 0 {
        return Err(PolicyError::Timer { level });
    }
    if u16::from(trigger) > limit {
        return Err(PolicyError::Trigger { level, given: trigger, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{
        Compare, IbaEcho, IbaMarking, PortControl, ServiceLevelSetting, TimerStart, VictimMask,
    };
    use units::Bytes;

    fn good() -> Iba {
        Iba {
            marking: IbaMarking {
                threshold: 15,
                packet_size: 8,
                marking_rate: 0,
                victim_mask: VictimMask::AdapterPorts,
                compare: Compare::Sum,
                hysteresis: Bytes::ZERO,
                ports: Vec::new(),
            },
            echo: IbaEcho::Cnp,
            response: IbaResponse {
                port_control: PortControl::QueuePair,
                cct: Cct::Linear { entries: 128, shift: 0, step: 1 },
                ccti_limit: 127,
                ccti_increase: 1,
                ccti_min: 0,
                ccti_timer: 150,
                trigger_threshold: 0,
                timer_start: TimerStart::FirstBecn,
                service_levels: vec![level(0), level(15)],
            },
        }
    }

    fn level(service_level: u8) -> ServiceLevelSetting {
        ServiceLevelSetting {
            service_level,
            ccti_increase: 0,
            ccti_min: 0,
            ccti_timer: 1,
            trigger_threshold: 0,
        }
    }

    #[test]
    fn what_is_right_passes() {
        assert_eq!(Scheme::Off.check(), Ok(()));
        assert_eq!(Scheme::Iba(good()).check(), Ok(()));
        let mut extremes = good();
        extremes.marking.threshold = 0;
        extremes.response.cct = Cct::Entries(vec![(3, 16_383)]);
        extremes.response.ccti_limit = 0;
        assert_eq!(Scheme::Iba(extremes).check(), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mistakes: [fn(&mut Iba); 18] = [
            |iba| iba.marking.threshold = 16,
            |iba| iba.response.ccti_limit = 128,
            |iba| iba.response.ccti_limit = 100,
            |iba| iba.response.cct = Cct::Linear { entries: 0, shift: 0, step: 1 },
            |iba| iba.response.cct = Cct::Entries(vec![]),
            |iba| iba.response.cct = Cct::Linear { entries: 128, shift: 4, step: 1 },
            |iba| iba.response.cct = Cct::Linear { entries: 128, shift: 0, step: 130 },
            |iba| iba.response.cct = Cct::Linear { entries: u16::MAX, shift: 0, step: u16::MAX },
            |iba| iba.response.cct = Cct::Entries(vec![(0, 0), (0, 1), (0, 2), (4, 3)]),
            |iba| iba.response.cct = Cct::Entries(vec![(0, 0), (0, 16_384)]),
            |iba| iba.response.ccti_min = 128,
            |iba| iba.response.ccti_timer = 0,
            |iba| iba.response.trigger_threshold = 128,
            |iba| iba.response.service_levels[1].ccti_min = 255,
            |iba| iba.response.service_levels[1].ccti_timer = 0,
            |iba| iba.response.service_levels[1].trigger_threshold = 255,
            |iba| iba.response.service_levels[1].service_level = 16,
            |iba| iba.response.service_levels[1].service_level = 0,
        ];
        let said: Vec<_> = mistakes
            .iter()
            .map(|mistake| {
                let mut iba = good();
                mistake(&mut iba);
                let error = Scheme::Iba(iba).check().expect_err("a mistake");
                format!("{}: {error}", error.path())
            })
            .collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
