//! The keys `cc_*` and, of adaptive routing, `ar_*` of an `opensm.conf`, for `opensm -F FILE`.
//!
//! Invariant: OpenSM (3.3.23) takes every line, and gives every value of `cc_*` back (`opensm -F FILE -c OUT`). Keys of
//! adaptive routing are of NVIDIA's OpenSM, 5.x.
//!
//! OpenSM reads at most 128 entries of `cc_cct`, and lines of at most 1,022 bytes; it drops what is beyond. Longer
//! tables are therefore refused.

use core::fmt::Write;

use cc_policies::iba::spec::VictimMask;
use names::shown::comment;

use super::account::Exported;
use super::adaptive;
use super::addresses::Addresses;
use super::congestion::{self, mask};
use super::error::ExportError;
use crate::import::opensm::congestion::{CongestionSettings, LevelSetting};
use crate::import::opensm::keys::MOST_ENTRIES;
use scenario::Plan;

/// Longest line, in bytes, without its end.
const LONGEST_LINE: usize = 1022;

/// Writes the keys.
///
/// # Errors
/// If the plan is not InfiniBand's, has another congestion control, or a table that OpenSM cannot read.
pub fn export(plan: &Plan, addresses: &Addresses) -> Result<Exported, ExportError> {
    let mut congestion = congestion::of(plan, "opensm")?;
    let head = format!("# Congestion control of `{}`, for opensm -F FILE.\n", comment(plan.name()));
    let tail = adaptive::keys(plan, &mut congestion.account);
    let Some(mut settings) = congestion.settings.take() else {
        return Ok(Exported {
            text: head + "congestion_control FALSE\n" + &tail,
            account: congestion.account,
        });
    };
    congestion.leave_ports_out();
    settings.switch.victim_mask = congestion.mask_of_all(plan, addresses);
    if congestion.victim_mask == VictimMask::AdapterPorts {
        congestion.account.extend(addresses.account());
    }
    let text = head + &keys(&settings)? + &tail;
    Ok(Exported { text, account: congestion.account })
}

fn keys(settings: &CongestionSettings) -> Result<String, ExportError> {
    let CongestionSettings { switch, adapter, table, masks_differ: _ } = settings;
    let (shift, times) = switch.starvation_delay;
    let mut text = format!(
        "congestion_control TRUE\n\
         cc_sw_cong_setting_control_map 0x{:X}\n\
         cc_sw_cong_setting_victim_mask {}\n\
         cc_sw_cong_setting_credit_mask {}\n\
         cc_sw_cong_setting_threshold 0x{:02X}\n\
         cc_sw_cong_setting_packet_size {}\n\
         cc_sw_cong_setting_credit_starvation_threshold 0x{:02X}\n\
         cc_sw_cong_setting_credit_starvation_return_delay {shift}:{times}\n\
         cc_sw_cong_setting_marking_rate {}\n\
         cc_ca_cong_setting_port_control 0x{:04X}\n\
         cc_ca_cong_setting_control_map 0x{:04X}\n",
        switch.control_map,
        mask(&switch.victim_mask),
        mask(&switch.credit_mask),
        switch.threshold,
        switch.packet_size,
        switch.starvation_threshold,
        switch.marking_rate,
        adapter.port_control,
        adapter.control_map,
    );
    for (level, LevelSetting { timer, increase, trigger, min }) in adapter.levels.iter().enumerate() {
        write!(
            text,
            "cc_ca_cong_setting_ccti_timer {level} {timer}\ncc_ca_cong_setting_ccti_increase {level} {increase}\n\
             cc_ca_cong_setting_trigger_threshold {level} {trigger}\ncc_ca_cong_setting_ccti_min {level} {min}\n"
        )
        .expect("a string takes it");
    }
    let entries: Vec<_> = table.iter().map(|(shift, times)| format!("{shift}:{times}")).collect();
    let line = format!("cc_cct {}", entries.join(","));
    if table.len() > MOST_ENTRIES {
        return Err(ExportError::TableTooLong { entries: table.len(), most: MOST_ENTRIES });
    }
    if line.len() > LONGEST_LINE {
        return Err(ExportError::LineTooLong { bytes: line.len(), most: LONGEST_LINE });
    }
    Ok(text + &line + "\n")
}
