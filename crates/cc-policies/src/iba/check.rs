//! Check of the settings of InfiniBand's congestion control.
//!
//! Invariant: settings that pass can be built, and each of their values can have an effect.

use settings::{FieldPath, SettingError};

use super::spec::{CctSpec, IbaMarkingSpec, IbaResponseSpec};

/// Largest `Threshold`: four bits.
const MAX_THRESHOLD: u8 = 15;
/// Largest `CCT_Shift`: two bits.
const MAX_SHIFT: u8 = 3;
/// Largest `CCT_Multiplier`: fourteen bits.
const MAX_MULTIPLIER: u32 = (1 << 14) - 1;
/// Highest service level: four bits.
const MAX_SERVICE_LEVEL: u8 = 15;

/// Fault in the settings of InfiniBand's marking or response. `level` is an index into `service_levels`, `None` for
/// the adapter's own settings; `entry` is an index into a table that is written out.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum IbaError {
    /// `Threshold` out of range.
    #[error("`Threshold` is {given}")]
    Threshold {
        /// Index into `ports`; `None` for the setting of all ports.
        port: Option<usize>,
        /// Value as written.
        given: u8,
    },
    /// Empty table.
    #[error("the congestion control table is empty")]
    NoEntries,
    /// `CCTI_Limit` names an entry that does not exist.
    #[error("`CCTI_Limit` is {limit}, past the last of the table's {entries} entries")]
    LimitPastTable {
        /// `CCTI_Limit` as written.
        limit: u16,
        /// Length of the table.
        entries: usize,
    },
    /// The table has entries that no index reaches.
    #[error(
        "`CCTI_Limit` is {limit}, so the table's entries from {} on can never be reached",
        usize::from(*limit) + 1
    )]
    TablePastLimit {
        /// `CCTI_Limit` as written.
        limit: u16,
        /// Length of the table.
        entries: usize,
    },
    /// `CCT_Shift` out of range.
    #[error("`CCT_Shift` is {given}")]
    Shift {
        /// The entry; `None` for a linear table.
        entry: Option<usize>,
        /// Value as written.
        given: u8,
    },
    /// `CCT_Multiplier` out of range.
    #[error("`CCT_Multiplier` reaches {given}")]
    Multiplier {
        /// The entry; `None` for a linear table.
        entry: Option<usize>,
        /// Value as written, or the value of a linear table's last entry.
        given: u32,
    },
    /// `CCTI_Min` above `CCTI_Limit`.
    #[error("`CCTI_Min` is {given}, above `CCTI_Limit`, which is {limit}")]
    Min {
        /// The service level's settings.
        level: Option<usize>,
        /// Value as written.
        given: u8,
        /// `CCTI_Limit`.
        limit: u16,
    },
    /// `CCTI_Timer` is 0.
    #[error("`CCTI_Timer` is 0, a timer that never rests")]
    Timer {
        /// The service level's settings.
        level: Option<usize>,
    },
    /// `Trigger_Threshold` above `CCTI_Limit`.
    #[error(
        "`Trigger_Threshold` is {given}, above `CCTI_Limit`, which is {limit}, so it can never be reached"
    )]
    Trigger {
        /// The service level's settings.
        level: Option<usize>,
        /// Value as written.
        given: u8,
        /// `CCTI_Limit`.
        limit: u16,
    },
    /// A service level that does not exist.
    #[error("service level {given} does not exist")]
    ServiceLevel {
        /// The service level's settings.
        level: usize,
        /// Value as written.
        given: u8,
    },
    /// Settings for the same service level, twice.
    #[error("service level {given} has its settings already, in entry {first} of this list")]
    ServiceLevelTwice {
        /// The second settings.
        level: usize,
        /// The service level.
        given: u8,
        /// Index of the first settings.
        first: usize,
    },
}

impl SettingError for IbaError {
    fn path(&self) -> FieldPath {
        match *self {
            Self::Threshold { port: None, .. } => "threshold".into(),
            Self::Threshold { port: Some(i), .. } => in_list("ports", i, "threshold"),
            Self::NoEntries => "cct.entries".into(),
            Self::LimitPastTable { .. } | Self::TablePastLimit { .. } => "ccti_limit".into(),
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

    fn help(&self) -> Option<String> {
        Some(match *self {
            Self::Threshold { .. } => {
                format!("write 0 to mark nothing, or 1 (marks late) to {MAX_THRESHOLD} (marks early)")
            }
            Self::NoEntries => "write at least one entry; IBA asks for 128 or more".to_owned(),
            Self::LimitPastTable { entries, .. } => format!("write {}", entries - 1),
            Self::TablePastLimit { limit, entries } => format!(
                "write {} to use all {entries} entries, or shorten the table to {}",
                entries - 1,
                usize::from(limit) + 1
            ),
            Self::Shift { .. } => format!("write 0 to {MAX_SHIFT}: the field has two bits"),
            Self::Multiplier { .. } => {
                format!("keep every entry at {MAX_MULTIPLIER} or below: the field has fourteen bits")
            }
            Self::Min { limit, .. } => format!("write 0 to {limit}"),
            Self::Timer { .. } => "write 1 or more, in units of 1.024 us".to_owned(),
            Self::Trigger { limit, .. } => format!("write 0 to count nothing, or 1 to {limit}"),
            Self::ServiceLevel { .. } => format!("write 0 to {MAX_SERVICE_LEVEL}"),
            Self::ServiceLevelTwice { .. } => "write the settings of each service level once".to_owned(),
        })
    }
}

fn in_list(list: &str, index: usize, field: &str) -> FieldPath {
    FieldPath::from(list).index(index).name(field)
}

fn in_table(entry: Option<usize>, field: &str) -> FieldPath {
    let table = FieldPath::from("cct");
    entry.map_or_else(|| table.name(field), |i| table.index(i))
}

fn in_level(level: Option<usize>, field: &str) -> FieldPath {
    level.map_or_else(|| field.into(), |i| in_list("service_levels", i, field))
}

impl IbaMarkingSpec {
    /// Checks the thresholds.
    ///
    /// # Errors
    /// The first threshold out of range.
    pub fn check(&self) -> Result<(), IbaError> {
        let threshold = |port, given| {
            if given > MAX_THRESHOLD { Err(IbaError::Threshold { port, given }) } else { Ok(()) }
        };
        threshold(None, self.threshold)?;
        self.ports.iter().enumerate().try_for_each(|(i, port)| threshold(Some(i), port.threshold))
    }
}

impl IbaResponseSpec {
    /// Checks the table, and the settings of each service level against it.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), IbaError> {
        check_table(&self.cct, self.ccti_limit)?;
        check_levels(self)
    }
}

/// Checks the table. IBA's `CCTI_Limit` is the index of the last entry: `OpenSM` and PSM set it to the number of
/// entries less 1. If the table and the limit disagree, either is wrong.
fn check_table(cct: &CctSpec, limit: u16) -> Result<(), IbaError> {
    let entries = cct.entry_count();
    if entries == 0 {
        return Err(IbaError::NoEntries);
    }
    match *cct {
        CctSpec::Linear { entries, shift, step } => {
            check_entry(None, shift, u32::from(entries - 1) * u32::from(step))?;
        }
        CctSpec::Entries(ref all) => {
            for (i, &(shift, multiplier)) in all.iter().enumerate() {
                check_entry(Some(i), shift, u32::from(multiplier))?;
            }
        }
    }
    let reached = usize::from(limit) + 1;
    if reached > entries {
        return Err(IbaError::LimitPastTable { limit, entries });
    }
    if reached < entries {
        return Err(IbaError::TablePastLimit { limit, entries });
    }
    Ok(())
}

fn check_entry(entry: Option<usize>, shift: u8, multiplier: u32) -> Result<(), IbaError> {
    if shift > MAX_SHIFT {
        return Err(IbaError::Shift { entry, given: shift });
    }
    if multiplier > MAX_MULTIPLIER {
        return Err(IbaError::Multiplier { entry, given: multiplier });
    }
    Ok(())
}

fn check_levels(response: &IbaResponseSpec) -> Result<(), IbaError> {
    let limit = response.ccti_limit;
    check_level(None, response.ccti_min, response.ccti_timer, response.trigger_threshold, limit)?;
    for (i, own) in response.service_levels.iter().enumerate() {
        let given = own.service_level;
        if given > MAX_SERVICE_LEVEL {
            return Err(IbaError::ServiceLevel { level: i, given });
        }
        let earlier = &response.service_levels[..i];
        if let Some(first) = earlier.iter().position(|other| other.service_level == given) {
            return Err(IbaError::ServiceLevelTwice { level: i, given, first });
        }
        check_level(Some(i), own.ccti_min, own.ccti_timer, own.trigger_threshold, limit)?;
    }
    Ok(())
}

fn check_level(level: Option<usize>, min: u8, timer: u16, trigger: u8, limit: u16) -> Result<(), IbaError> {
    if u16::from(min) > limit {
        return Err(IbaError::Min { level, given: min, limit });
    }
    if timer == 0 {
        return Err(IbaError::Timer { level });
    }
    if u16::from(trigger) > limit {
        return Err(IbaError::Trigger { level, given: trigger, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheme;
    use crate::iba::spec::{
        ComparedLoad, IbaEcho, IbaScheme, PortControl, ServiceLevelSetting, TimerStart, VictimMask,
    };
    use units::Bytes;

    fn good() -> IbaScheme {
        IbaScheme {
            name: None,
            marking: IbaMarkingSpec {
                threshold: 15,
                packet_size: 8,
                marking_rate: 0,
                victim_mask: VictimMask::AdapterPorts,
                compare: ComparedLoad::Sum,
                hysteresis: Bytes::ZERO,
                ports: Vec::new(),
            },
            echo: IbaEcho::Cnp,
            response: IbaResponseSpec {
                port_control: PortControl::QueuePair,
                cct: CctSpec::Linear { entries: 128, shift: 0, step: 1 },
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
        assert_eq!(Scheme::Iba(good()).check(), Ok(()));
        let mut extremes = good();
        extremes.marking.threshold = 0;
        extremes.response.cct = CctSpec::Entries(vec![(3, 16_383)]);
        extremes.response.ccti_limit = 0;
        assert_eq!(Scheme::Iba(extremes).check(), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mistakes: [fn(&mut IbaScheme); 18] = [
            |iba| iba.marking.threshold = 16,
            |iba| iba.response.ccti_limit = 128,
            |iba| iba.response.ccti_limit = 100,
            |iba| iba.response.cct = CctSpec::Linear { entries: 0, shift: 0, step: 1 },
            |iba| iba.response.cct = CctSpec::Entries(vec![]),
            |iba| iba.response.cct = CctSpec::Linear { entries: 128, shift: 4, step: 1 },
            |iba| iba.response.cct = CctSpec::Linear { entries: 128, shift: 0, step: 130 },
            |iba| iba.response.cct = CctSpec::Linear { entries: u16::MAX, shift: 0, step: u16::MAX },
            |iba| iba.response.cct = CctSpec::Entries(vec![(0, 0), (0, 1), (0, 2), (4, 3)]),
            |iba| iba.response.cct = CctSpec::Entries(vec![(0, 0), (0, 16_384)]),
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
                let fault = Scheme::Iba(iba).check().expect_err("a mistake");
                format!("{}: {}; {}", fault.path, fault.message, fault.help.expect("help"))
            })
            .collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
