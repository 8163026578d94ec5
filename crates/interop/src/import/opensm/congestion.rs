//! Settings of InfiniBand's congestion control as subnet managers have them: the attributes of IBA's Annex A10.
//!
//! Invariant: a value is in the range of its field in the attribute.
//!
//! | attribute | IBA | field of a scenario's `Iba` |
//! |---|---|---|
//! | `SwitchCongestionSetting` | A10.4.3.6 | `marking` |
//! | `CACongestionSetting` | A10.4.3.8 | `response` |
//! | `CongestionControlTable` | A10.4.3.9 | `response.cct`, `response.ccti_limit` |

use std::collections::BTreeSet;

use crate::import::account::{KeyAccount, KeyFate};

/// The three attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CongestionSettings {
    /// Settings of switches.
    pub switch: SwitchSetting,
    /// Settings of channel adapters.
    pub adapter: AdapterSetting,
    /// Congestion control table: shift and multiplier by index. Its length less 1 is `CCTI_Limit`.
    pub table: Vec<(u8, u16)>,
    /// True if switches have different masks of victims.
    pub masks_differ: bool,
}

/// `SwitchCongestionSetting`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchSetting {
    /// Bits of the parts that hold: 0 `Victim_Mask`, 1 `Credit_Mask`, 2 `Threshold` and `Packet_Size`, 3 credit
    /// starvation, 4 `Marking_Rate`.
    pub control_map: u32,
    /// Ports of `Victim_Mask`, 0 to 255.
    pub victim_mask: BTreeSet<u8>,
    /// Ports of `Credit_Mask`.
    pub credit_mask: BTreeSet<u8>,
    /// `Threshold`, 0 to 15.
    pub threshold: u8,
    /// `Packet_Size`, in credits of 64 bytes.
    pub packet_size: u8,
    /// `CS_Threshold`, 0 to 15: credit starvation.
    pub starvation_threshold: u8,
    /// `CS_ReturnDelay`: shift and multiplier.
    pub starvation_delay: (u8, u16),
    /// `Marking_Rate`.
    pub marking_rate: u16,
}

/// `CACongestionSetting`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdapterSetting {
    /// `Port_Control`: bit 0 is 1 for control by service level.
    pub port_control: u16,
    /// `Control_Map`: a bit for each service level that is controlled.
    pub control_map: u16,
    /// Settings of each service level.
    pub levels: [LevelSetting; 16],
}

/// The entry of a service level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelSetting {
    /// `CCTI_Timer`, in units of 1.024 us.
    pub timer: u16,
    /// `CCTI_Increase`.
    pub increase: u8,
    /// `Trigger_Threshold`.
    pub trigger: u8,
    /// `CCTI_Min`.
    pub min: u8,
}

/// Bits of [`SwitchSetting::control_map`].
pub(crate) const VICTIM_MASK: u32 = 0;
pub(crate) const THRESHOLD: u32 = 2;
const STARVATION: u32 = 3;
pub(crate) const MARKING_RATE: u32 = 4;

/// Keys of the parts of [`CongestionSettings`], by which an account names them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartNames {
    pub(super) victim_mask: &'static str,
    pub(super) credit_mask: &'static str,
    pub(super) threshold: &'static str,
    pub(super) packet_size: &'static str,
    pub(super) starvation: &'static str,
    pub(super) marking_rate: &'static str,
    pub(super) port_control: &'static str,
    pub(super) control_map: &'static str,
    pub(super) timer: &'static str,
    pub(super) table: &'static str,
}

impl SwitchSetting {
    const fn has(&self, bit: u32) -> bool {
        self.control_map >> bit & 1 == 1
    }
}

impl CongestionSettings {
    pub(super) fn scheme(&self, names: PartNames) -> (String, Vec<KeyAccount>) {
        let mut account = Vec::new();
        let marking = self.marking(names, &mut account);
        let response = self.response(names, &mut account);
        (format!("Iba(echo: Cnp, marking: ({marking}), response: ({response}))"), account)
    }

    fn marking(&self, names: PartNames, account: &mut Vec<KeyAccount>) -> String {
        let switch = &self.switch;
        let mut note = |key: &str, given: String, fate, what: &str| {
            account.push(KeyAccount::new(key, given, fate, what));
        };
        let off = "its bit of the control map is 0";
        let external = || switch.victim_mask.iter().filter(|port| (1..=254).contains(*port));
        let (mask, fate, what) = match external().max() {
            _ if !switch.has(VICTIM_MASK) => ("None", KeyFate::NotUsed, off),
            _ if self.masks_differ => (
                "AdapterPorts",
                KeyFate::Changed,
                "switches have different masks: `marking.victim_mask: AdapterPorts`, the ports of adapters at each",
            ),
            None => ("None", KeyFate::Used, "`marking.victim_mask: None`"),
            // A mask that is solid from port 1 on holds for every port of switches with this number of ports.
            Some(most) if external().count() == usize::from(*most) => (
                "All",
                KeyFate::Approximated,
                "`marking.victim_mask: All`: every port, also beyond the last of the mask, if switches have more",
            ),
            Some(_) => (
                "AdapterPorts",
                KeyFate::Changed,
                "`marking.victim_mask: AdapterPorts`: the ports of adapters, not those of the mask; `marking.ports` gives single ports",
            ),
        };
        note(names.victim_mask, format!("{} ports", external().count()), fate, what);
        let (threshold, packet_size) =
            if switch.has(THRESHOLD) { (switch.threshold, switch.packet_size) } else { (0, 0) };
        let fate = if switch.has(THRESHOLD) { KeyFate::Used } else { KeyFate::NotUsed };
        let field = |field: &'static str, bit| if switch.has(bit) { field } else { off };
        note(
            names.threshold,
            switch.threshold.to_string(),
            fate,
            field(
                "`marking.threshold`; its meaning in bytes is the switch's own (docs/models/iba-congestion-control.md)",
                THRESHOLD,
            ),
        );
        note(
            names.packet_size,
            switch.packet_size.to_string(),
            fate,
            field("`marking.packet_size`", THRESHOLD),
        );
        let marking_rate = if switch.has(MARKING_RATE) { switch.marking_rate } else { 0 };
        let fate = if switch.has(MARKING_RATE) { KeyFate::Used } else { KeyFate::NotUsed };
        note(
            names.marking_rate,
            switch.marking_rate.to_string(),
            fate,
            field("`marking.marking_rate`", MARKING_RATE),
        );
        self.starvation(names, account);
        format!(
            "threshold: {threshold}, packet_size: {packet_size}, marking_rate: {marking_rate}, victim_mask: {mask}"
        )
    }

    /// Enters credit starvation, which is not modelled.
    fn starvation(&self, names: PartNames, account: &mut Vec<KeyAccount>) {
        let switch = &self.switch;
        let mut note = |key: &str, given: String, fate, what: &str| {
            account.push(KeyAccount::new(key, given, fate, what));
        };
        let starving = switch.has(STARVATION) && switch.starvation_threshold > 0;
        let (fate, what) = if starving {
            (KeyFate::Changed, "switches do not give back credits early: credit starvation is not modelled")
        } else {
            (KeyFate::NotUsed, "no credit starvation")
        };
        note(names.starvation, switch.starvation_threshold.to_string(), fate, what);
        note(
            names.credit_mask,
            format!("{} ports", switch.credit_mask.len()),
            KeyFate::NotUsed,
            "it is of credit starvation",
        );
    }

    fn response(&self, names: PartNames, account: &mut Vec<KeyAccount>) -> String {
        let adapter = &self.adapter;
        let mut note = |key: &str, given: String, fate, what: String| {
            account.push(KeyAccount::new(key, given, fate, what));
        };
        let by_level = adapter.port_control & 1 == 1;
        let control = if by_level { "ServiceLevel" } else { "QueuePair" };
        note(
            names.port_control,
            format!("{:#06x}", adapter.port_control),
            KeyFate::Used,
            format!("`response.port_control: {control}`"),
        );
        let controlled = |level: usize| adapter.control_map >> level & 1 == 1;
        let count = (0..16).filter(|level| controlled(*level)).count();
        let what = format!(
            "{count} service levels are controlled; the others have `ccti_increase: 0`, which no notification moves"
        );
        note(names.control_map, format!("{:#06x}", adapter.control_map), KeyFate::Used, what);
        let limit = self.table.len().saturating_sub(1);
        let most = u8::try_from(limit).unwrap_or(u8::MAX);
        let level = |level: usize| {
            let LevelSetting { timer, increase, trigger, min } = adapter.levels[level];
            if controlled(level) {
                LevelSetting { timer, increase, trigger: trigger.min(most), min: min.min(most) }
            } else {
                LevelSetting { timer: 1, increase: 0, trigger: 0, min: 0 }
            }
        };
        let cut = |own: &usize| {
            controlled(*own) && adapter.levels[*own].min.max(adapter.levels[*own].trigger) > most
        };
        let cut = (0..16).filter(cut).count();
        let still = (0..16).filter(|own| controlled(*own) && level(*own).timer == 0).count();
        let (fate, what) = if cut > 0 {
            let what = format!(
                "{cut} service levels have a least index or a trigger past the table: its last entry, {most}"
            );
            (KeyFate::Changed, what)
        } else if still == 0 {
            (KeyFate::Used, "`response.ccti_timer`, `ccti_increase`, `trigger_threshold` and `ccti_min`, those that differ in `service_levels`".to_owned())
        } else {
            (
                KeyFate::Changed,
                format!(
                    "{still} service levels with a timer of 0 have 65,535, the longest: the model's timer always runs"
                ),
            )
        };
        note(names.timer, level(0).timer.to_string(), fate, what);
        let timer = |setting: LevelSetting| if setting.timer == 0 { u16::MAX } else { setting.timer };
        let fields = |setting: LevelSetting| {
            let LevelSetting { increase, trigger, min, .. } = setting;
            let timer = timer(setting);
            format!(
                "ccti_timer: {timer}, ccti_increase: {increase}, trigger_threshold: {trigger}, ccti_min: {min}"
            )
        };
        let others = (1..16).filter(|own| level(*own) != level(0));
        let others: Vec<_> =
            others.map(|own| format!("(service_level: {own}, {})", fields(level(own)))).collect();
        let table = self.table(names, account);
        format!(
            "cct: Entries([{table}]), ccti_limit: {limit}, {}, port_control: {control}, service_levels: [{}]",
            fields(level(0)),
            others.join(", ")
        )
    }

    /// Writes the table's entries; an entry without a delay if there is no table.
    fn table(&self, names: PartNames, account: &mut Vec<KeyAccount>) -> String {
        let (table, fate, what) = if self.table.is_empty() {
            let what = "no table is given: one without delays, so that no source slows down";
            ("(0, 0)".to_owned(), KeyFate::Changed, what.to_owned())
        } else {
            let entries: Vec<_> =
                self.table.iter().map(|(shift, times)| format!("({shift}, {times})")).collect();
            let what = format!("`response.cct`, as it stands; `ccti_limit` of {}", self.table.len() - 1);
            (entries.join(", "), KeyFate::Used, what)
        };
        let given = format!("{} entries", self.table.len());
        account.push(KeyAccount::new(names.table, given, fate, what));
        table
    }
}
