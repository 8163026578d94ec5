//! InfiniBand's congestion control of a plan, as the attributes of IBA's Annex A10 that subnet managers set.
//!
//! Invariant: what the attributes lack is entered in the account, field by field, with its value.

use std::collections::{BTreeMap, BTreeSet};

use cc_policies::iba::spec::{
    CctSpec, IbaMarkingSpec, IbaResponseSpec, PortControl, PortMarking, VictimMask,
};
use cc_policies::{AnyEcho, Control, MarkingSpec, ResponseSpec, Scheme};
use packet::{NodeId, PortId};

use super::account::{ValueAccount, ValueFate};
use super::addresses::Addresses;
use super::error::ExportError;
use super::ibsim::only_infiniband;
use crate::import::opensm::congestion::{
    AdapterSetting, CongestionSettings, LevelSetting, MARKING_RATE, SwitchSetting, THRESHOLD, VICTIM_MASK,
};
use scenario::Plan;

/// The congestion control of a plan.
pub(super) struct Congestion {
    /// The attributes, with the `Victim_Mask` of no port; `None` if congestion control is off.
    pub(super) settings: Option<CongestionSettings>,
    /// The outputs with a bit in `Victim_Mask`.
    pub(super) victim_mask: VictimMask,
    /// Ports with settings of their own.
    pub(super) ports: Vec<PortMarking>,
    pub(super) account: Vec<ValueAccount>,
}

/// Returns the congestion control of a plan.
///
/// # Errors
/// If the plan is not InfiniBand's, or has another congestion control.
pub(super) fn of(plan: &Plan, target: &'static str) -> Result<Congestion, ExportError> {
    only_infiniband(target, plan)?;
    let mut account = Vec::new();
    if *plan.control() == Control::OFF {
        return Ok(Congestion { settings: None, victim_mask: VictimMask::None, ports: Vec::new(), account });
    }
    let Control { marking: MarkingSpec::Iba(marking), echo, response: ResponseSpec::Iba(response) } =
        plan.control()
    else {
        return Err(ExportError::OtherControl { target, found: plan.congestion_control().to_owned() });
    };
    beside(plan, (marking, *echo, response), &mut account);
    let settings = CongestionSettings {
        switch: switch(marking),
        adapter: adapter(response),
        table: table(&response.cct),
        masks_differ: false,
    };
    let (victim_mask, ports) = (marking.victim_mask, marking.ports.clone());
    Ok(Congestion { settings: Some(settings), victim_mask, ports, account })
}

/// Enters the fields that no attribute has.
fn beside(
    plan: &Plan,
    (marking, echo, response): (&IbaMarkingSpec, AnyEcho, &IbaResponseSpec),
    account: &mut Vec<ValueAccount>,
) {
    let mut left = |field: &str, wanted: String, why: &str| {
        account.push(ValueAccount::left_out(format!("congestion_control.{field}"), wanted, why));
    };
    if let Scheme::Iba(scheme) = plan.scheme()
        && let Some(name) = &scheme.name
    {
        left("name", name.clone(), "no attribute has a name");
    }
    left("echo", format!("{echo:?}"), "no attribute has it: adapters answer as they are built");
    left("marking.compare", format!("{:?}", marking.compare), "no attribute has it: it is the switch's own");
    left("marking.hysteresis", marking.hysteresis.to_string(), "no attribute has it: it is the switch's own");
    left(
        "response.timer_start",
        format!("{:?}", response.timer_start),
        "no attribute has it: it is the adapter's own",
    );
}

fn switch(marking: &IbaMarkingSpec) -> SwitchSetting {
    let victims = u32::from(marking.victim_mask != VictimMask::None) << VICTIM_MASK;
    SwitchSetting {
        control_map: victims | 1 << THRESHOLD | 1 << MARKING_RATE,
        threshold: marking.threshold,
        packet_size: marking.packet_size,
        marking_rate: marking.marking_rate,
        ..SwitchSetting::default()
    }
}

fn adapter(response: &IbaResponseSpec) -> AdapterSetting {
    let mut levels = [LevelSetting {
        timer: response.ccti_timer,
        increase: response.ccti_increase,
        trigger: response.trigger_threshold,
        min: response.ccti_min,
    }; 16];
    for own in &response.service_levels {
        levels[usize::from(own.service_level)] = LevelSetting {
            timer: own.ccti_timer,
            increase: own.ccti_increase,
            trigger: own.trigger_threshold,
            min: own.ccti_min,
        };
    }
    let port_control = u16::from(response.port_control == PortControl::ServiceLevel);
    AdapterSetting { port_control, control_map: u16::MAX, levels }
}

/// Returns the entries of a table: shift and multiplier by index.
fn table(cct: &CctSpec) -> Vec<(u8, u16)> {
    match cct {
        CctSpec::Linear { entries, shift, step } => {
            (0..*entries).map(|index| (*shift, index * step)).collect()
        }
        CctSpec::Entries(entries) => entries.clone(),
    }
}

impl Congestion {
    /// Returns the mask of a switch's own ports.
    pub(super) fn mask_of(&self, plan: &Plan, addresses: &Addresses, switch: NodeId) -> BTreeSet<u8> {
        let graph = plan.graph();
        let ports = graph.ports(switch).iter().zip(&addresses.node(switch).ports);
        let masked = ports.filter(|(end, _)| match self.victim_mask {
            VictimMask::None => false,
            VictimMask::AdapterPorts => graph.is_host(end.peer),
            VictimMask::All => true,
        });
        masked.filter_map(|(_, number)| u8::try_from(*number).ok()).collect()
    }

    /// Returns the ports of a switch with settings of their own: each with the index among its ports. The last setting
    /// of a port holds.
    pub(super) fn ports_of(&self, plan: &Plan, switch: NodeId) -> BTreeMap<PortId, &PortMarking> {
        let own = self.ports.iter().filter(|own| own.switch == plan.graph().name(switch));
        own.filter_map(|own| Some((plan.graph().port_numbered(switch, own.port)?, own))).collect()
    }

    /// Enters the ports with settings of their own in the account, for a target that has none.
    pub(super) fn leave_ports_out(&mut self) {
        let entry = |(index, port): (usize, &PortMarking)| {
            let field = format!("congestion_control.marking.ports[{index}]");
            let why =
                "opensm has one setting for all ports of a switch: `export ibccconfig` writes one of each";
            ValueAccount::left_out(field, format!("port {} of `{}`", port.port, port.switch), why)
        };
        self.account.extend(self.ports.iter().enumerate().map(entry));
    }

    /// Returns a single mask for all switches. A mask that holds for other ports too is entered in the account.
    pub(super) fn mask_of_all(&mut self, plan: &Plan, addresses: &Addresses) -> BTreeSet<u8> {
        let graph = plan.graph();
        let last = graph.switch_ids().map(|switch| addresses.node(switch).last_port).max().unwrap_or(0);
        let every = || (1..=last).filter_map(|port| u8::try_from(port).ok()).collect();
        match self.victim_mask {
            VictimMask::None => BTreeSet::new(),
            VictimMask::All => every(),
            VictimMask::AdapterPorts => {
                let own = |switch| self.mask_of(plan, addresses, switch);
                let mask: BTreeSet<u8> = graph.switch_ids().flat_map(own).collect();
                let too_many = |switch: &NodeId| {
                    let ports = graph.ports(*switch).iter().zip(&addresses.node(*switch).ports);
                    let named = |number: u16| u8::try_from(number).is_ok_and(|number| mask.contains(&number));
                    ports.filter(|(end, number)| !graph.is_host(end.peer) && named(**number)).count()
                };
                let others = graph.switch_ids().filter(|switch| too_many(switch) > 0).count();
                let why = format!(
                    "all switches get one mask, of the ports that lead to adapters at any of them; at {others} of {} switches some of these lead to switches",
                    graph.switches()
                );
                let written = ranges(&mask);
                let fate = ValueFate::Rounded {
                    wanted: "AdapterPorts".to_owned(),
                    written: format!("ports {written}"),
                    difference: None,
                };
                let field = "congestion_control.marking.victim_mask".to_owned();
                self.account.push(ValueAccount { field, fate, why });
                mask
            }
        }
    }
}

/// Writes ports as ranges: `1-18,36`.
fn ranges(ports: &BTreeSet<u8>) -> String {
    let ports: Vec<u8> = ports.iter().copied().collect();
    let run = |run: &[u8]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    };
    ports.chunk_by(|a, b| a + 1 == *b).map(run).collect::<Vec<_>>().join(",")
}

/// Writes a mask of 256 ports with all its digits.
pub(super) fn mask(ports: &BTreeSet<u8>) -> String {
    let digit = |place: u16| {
        let bits = (0..4).filter(|bit| u8::try_from(place * 4 + bit).is_ok_and(|port| ports.contains(&port)));
        let digit = bits.fold(0, |digit, bit| digit | 1 << bit);
        char::from_digit(digit, 16).expect("four bits").to_ascii_uppercase()
    };
    format!("0x{}", (0..64).rev().map(digit).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_a_bit_for_each_port() {
        let ports = BTreeSet::from([1, 2, 3, 36, 255]);
        assert_eq!(mask(&ports), "0x800000000000000000000000000000000000000000000000000000100000000E");
        assert_eq!(ranges(&ports), "1-3,36,255");
    }
}
