//! Command lines of `ibccconfig`: congestion control, node by node.
//!
//! Invariant: every switch and every adapter has its commands, by its LID. A table has blocks of 64 entries (IBA
//! A10.4.3.9).

use core::fmt::Write;
use std::collections::BTreeMap;

use cc_policies::iba::spec::PortMarking;
use names::shown::comment;
use packet::{NodeId, PortId};

use super::account::Exported;
use super::addresses::Addresses;
use super::congestion::{self, mask};
use super::error::ExportError;
use crate::import::opensm::congestion::{AdapterSetting, LevelSetting, VICTIM_MASK};
use scenario::Plan;

/// Entries of a block of the table, which a single command sets.
const BLOCK: usize = 64;

/// Writes the commands.
///
/// # Errors
/// If the plan is not InfiniBand's, or has another congestion control or none.
pub fn export(plan: &Plan, addresses: &Addresses) -> Result<Exported, ExportError> {
    let mut congestion = congestion::of(plan, "ibccconfig")?;
    let mut settings = congestion.settings.take().ok_or(ExportError::NothingToSet)?;
    let mut text = format!("# Congestion control of `{}`.\n", comment(plan.name()));
    let graph = plan.graph();
    if congestion.ports.iter().any(|own| own.victim_mask) {
        settings.switch.control_map |= 1 << VICTIM_MASK;
    }
    let switch = &settings.switch;
    for node in graph.switch_ids() {
        let own = congestion.ports_of(plan, node);
        let mut victims = congestion.mask_of(plan, addresses, node);
        for (port, own) in &own {
            let number = u8::try_from(addresses.port(node, *port)).ok();
            number
                .map(|number| if own.victim_mask { victims.insert(number) } else { victims.remove(&number) });
        }
        writeln!(
            text,
            "ibccconfig SwitchCongestionSetting {} {:#x} {} {} {:#x} {} {:#x} {}:{} {}",
            addresses.node(node).lid,
            switch.control_map,
            mask(&victims),
            mask(&switch.credit_mask),
            switch.threshold,
            switch.packet_size,
            switch.starvation_threshold,
            switch.starvation_delay.0,
            switch.starvation_delay.1,
            switch.marking_rate,
        )
        .expect("a string takes it");
        ports(&mut text, addresses, node, &own);
    }
    let levels = levels(&settings.adapter);
    let entries: Vec<_> = settings.table.iter().map(|(shift, times)| format!("{shift}:{times}")).collect();
    let limit = entries.len() - 1;
    for host in graph.host_ids() {
        let lid = addresses.node(host).lid;
        for (map, LevelSetting { timer, increase, trigger, min }) in &levels {
            let control = settings.adapter.port_control;
            writeln!(
                text,
                "ibccconfig CACongestionSetting {lid} {control} {map:#06x} {timer} {increase} {trigger} {min}"
            )
            .expect("a string takes it");
        }
        for (block, entries) in entries.chunks(BLOCK).enumerate() {
            let entries = entries.join(" ");
            writeln!(text, "ibccconfig CongestionControlTable {lid} {limit} {block} {entries}")
                .expect("a string takes it");
        }
    }
    congestion.account.extend(addresses.account());
    Ok(Exported { text, account: congestion.account })
}

/// Writes the settings of single ports, which precede the settings of their switch (IBA A10.4.3.7). They are marked as
/// valid, and as settings of congestion control.
fn ports(text: &mut String, addresses: &Addresses, switch: NodeId, own: &BTreeMap<PortId, &PortMarking>) {
    let lid = addresses.node(switch).lid;
    for (port, PortMarking { threshold, packet_size, marking_rate, .. }) in own {
        let number = addresses.port(switch, *port);
        writeln!(
            text,
            "ibccconfig SwitchPortCongestionSetting {lid} {number} 1 0 {threshold:#x} {packet_size} {marking_rate}"
        )
        .expect("a string takes it");
    }
}

/// Returns the settings that differ, each with the map of its service levels, by the lowest of them.
fn levels(adapter: &AdapterSetting) -> Vec<(u16, LevelSetting)> {
    let mut maps: BTreeMap<usize, (u16, LevelSetting)> = BTreeMap::new();
    for (level, setting) in adapter.levels.iter().enumerate() {
        let first = adapter.levels.iter().position(|other| other == setting).unwrap_or(level);
        maps.entry(first).or_insert((0, *setting)).0 |= 1 << level;
    }
    maps.into_values().collect()
}
