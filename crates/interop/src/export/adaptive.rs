//! Adaptive routing of a plan as keys of NVIDIA's OpenSM.
//!
//! Invariant: what the keys lack is entered in the account, field by field. A plan with a port for each destination has
//! no keys.

use std::collections::BTreeSet;

use switch_arch::spec::{SelectedPacketsSpec, SelectionSpec, SwitchSpec};
use topology::{GroupsSpec, RoutingSpec};

use super::account::ValueAccount;
use crate::import::opensm::adaptive::TRANSPORTS;
use scenario::Plan;

/// Returns the lines for a plan's adaptive routing; none without it.
pub(super) fn keys(plan: &Plan, account: &mut Vec<ValueAccount>) -> String {
    let scenario = plan.scenario();
    let RoutingSpec::Adaptive { groups } = &scenario.routing else { return String::new() };
    let engine = match groups {
        GroupsSpec::Shortest => {
            let why = "in trees its paths are the shortest, as here";
            account.push(ValueAccount::assumed("routing_engine", "ar_updn", why));
            "routing_engine ar_updn\nadv_routing_engine ar_tree\n"
        }
        GroupsSpec::Parallel => {
            let why = "the static path to which the groups belong; `export lfts` has the plan's own";
            account.push(ValueAccount::assumed("routing_engine", "minhop", why));
            "routing_engine minhop\nadv_routing_engine ar_lag\n"
        }
    };
    beside(plan, account);
    let SelectedPacketsSpec { levels, services, small } =
        scenario.switch.selected_packets.clone().unwrap_or_default();
    let level_bits = levels.iter().fold(0u16, |bits, level| bits | 1 << (level & 15));
    let selected = TRANSPORTS.iter().filter(|(_, service)| services.contains(service));
    let service_bits = selected.fold(0u8, |bits, (bit, _)| bits | 1 << bit);
    // Reliable datagrams cannot be selected here either, so that they are no difference.
    let why = "switches of the vendor know no size below which packets keep a path";
    account.push(ValueAccount::left_out("switch.selected_packets.small", small.to_string(), why));
    format!("{engine}ar_mode 1\nar_sl_mask 0x{level_bits:04X}\nar_transport_mask 0x{service_bits:04X}\n")
}

/// Enters the fields that no key has.
fn beside(plan: &Plan, account: &mut Vec<ValueAccount>) {
    let scenario = plan.scenario();
    let others: BTreeSet<&str> = [&scenario.switch]
        .into_iter()
        .chain(scenario.switches.values())
        .filter_map(|switch| switch.selection)
        .filter(|selection| !matches!(selection, SelectionSpec::LeastLoaded(_)))
        .map(|selection| selection.word())
        .collect();
    if others.is_empty() {
        let why = "the device's own measure of load and choice among equal ports";
        account.push(ValueAccount::left_out("switch.selection", "LeastLoaded", why));
    } else {
        let why = "the keys turn adaptive routing on, by the device's own measure of load for each packet";
        let others = others.into_iter().collect::<Vec<_>>().join(", ");
        account.push(ValueAccount::left_out("switch.selection", others, why));
    }
    let packets = |switch: &&SwitchSpec| switch.selected_packets != scenario.switch.selected_packets;
    let differ = scenario.switches.values().filter(packets).count();
    if differ > 0 {
        let why = "masks hold for all switches";
        let wanted = format!("others at {differ} switches");
        account.push(ValueAccount::left_out("switches.selected_packets", wanted, why));
    }
    let why =
        "adapters decide by themselves whether they take packets in any order (`enable_ar_by_device_cap`)";
    account.push(ValueAccount::left_out("adapter.delivery, adapter.recovery", "AnyOrder", why));
}
