//! `config_db.json` of a SONiC switch: thresholds of ECN and PFC, and shared memory.
//!
//! Invariant: each port and lane of the switch has the profile of its own thresholds. Powers of two that alpha is not,
//! and whole percents that Pmax is not, are entered in the account with the difference.
//!
//! | table | from |
//! |---|---|
//! | `PORT` | rates of cables, by the names of an imported fabric's ports, else `Ethernet0`, `Ethernet4` and so on |
//! | `PORT_QOS_MAP` | lanes with PFC, as priorities: for each lane the lowest service level that names it |
//! | `BUFFER_POOL`, `BUFFER_PROFILE`, `BUFFER_PG` | shared memory; headroom, guarantee and alpha |
//! | `WRED_PROFILE`, `QUEUE` | Kmin, Kmax and Pmax by rate |

use std::collections::{BTreeMap, BTreeSet};

use cc_policies::dcqcn::spec::{MarkedAt, RateThresholds};
use cc_policies::{Control, MarkingSpec};
use link_layer::resolve::SharingPlan;
use link_layer::spec::{Discipline, PauseSpec};
use link_layer::{Alpha, Share};
use packet::{Lane, NodeId, PortId};
use serde_json::{Map, Value, json};
use units::{Bytes, Rate};

use super::PortNames;
use super::account::{Exported, ValueAccount, ValueFate};
use super::error::ExportError;
use super::mlx5::only_ethernet;
use scenario::Plan;

/// Distance of the names of ports: each has the number of its first electrical lane, of four.
const NAMES_APART: usize = 4;
/// Bits a second of a Mb/s.
const BPS_PER_MBPS: u64 = 1_000_000;
/// Largest power of two that alpha may be.
const MOST_POWER: i32 = 7;
/// Priorities of a tag (IEEE 802.1Q).
const PRIORITIES: u8 = 8;
const POOL: &str = "ingress_lossless_pool";

type Table = BTreeMap<String, Value>;

/// Writes the tables of a switch, with names of ports in their order.
///
/// # Errors
/// If the plan is not RoCEv2's, or has no PFC, no shared memory, or another marking than RED's.
pub fn export(plan: &Plan, switch: NodeId) -> Result<Exported, ExportError> {
    export_named(plan, switch, None)
}

/// Writes the tables of a switch, with the names of its ports in an imported fabric, if there are any.
///
/// # Errors
/// As [`export`].
pub fn export_named(plan: &Plan, switch: NodeId, names: Option<&PortNames>) -> Result<Exported, ExportError> {
    only_ethernet("sonic", plan)?;
    let Discipline::Pause(pause) = &plan.link().flow_control else { return Err(ExportError::NoPfc) };
    let SharingPlan::Bytes { shared, shares } = &plan.nodes().switch(switch).sharing else {
        return Err(ExportError::MemoryNotShared { switch: plan.graph().name(switch).to_owned() });
    };
    let assigned = || (0..plan.graph().ports(switch).len()).map(assigned_name).collect();
    let ports = names.map_or_else(assigned, |names| names.of(switch));
    let mut draft = Draft { plan, switch, ports, tables: BTreeMap::new(), account: Vec::new() };
    draft.ports(names.is_none());
    let priorities = draft.priorities();
    draft.memory(*shared, pause);
    draft.profiles(shares, pause, &priorities);
    draft.marking(&priorities)?;
    draft.beside(pause);
    let tables: Map<String, Value> =
        draft.tables.iter().map(|(name, table)| ((*name).to_owned(), json!(table))).collect();
    let text =
        names::json::escaped(serde_json::to_string_pretty(&tables).expect("tables are plain data") + "\n");
    Ok(Exported { text, account: draft.account })
}

/// The tables so far.
struct Draft<'a> {
    plan: &'a Plan,
    switch: NodeId,
    /// Names of the switch's ports, in order.
    ports: Vec<String>,
    tables: BTreeMap<&'static str, Table>,
    account: Vec<ValueAccount>,
}

impl Draft<'_> {
    fn enter(&mut self, table: &'static str, key: impl Into<String>, fields: Value) {
        self.tables.entry(table).or_default().insert(key.into(), fields);
    }

    /// Enters a value without a place.
    fn left(&mut self, field: &str, wanted: impl Into<String>, why: &str) {
        self.account.push(ValueAccount::left_out(field, wanted, why));
    }

    fn rates(&self) -> Vec<(PortId, Rate)> {
        let ends = self.plan.graph().ports(self.switch);
        (0..).map(PortId).zip(ends.iter().map(|end| self.plan.cable(end.cable).rate)).collect()
    }

    fn name(&self, port: PortId) -> String {
        self.ports[port.index()].clone()
    }

    /// Writes the speeds of ports. Their names may be assigned.
    fn ports(&mut self, assigned: bool) {
        let mut seen = BTreeSet::new();
        for (port, rate) in self.rates() {
            let speed = speed(rate);
            let written = Rate::bps(speed * BPS_PER_MBPS);
            if written != rate && seen.insert(rate) {
                let difference = written.get() as f64 / rate.get() as f64 - 1.0;
                let why = "`speed` is a whole number of Mb/s";
                self.account.push(ValueAccount::rounded("cables", (rate, written), difference, why));
            }
            self.enter("PORT", self.name(port), json!({ "speed": speed.to_string() }));
        }
        if !assigned {
            return;
        }
        let written = format!("Ethernet0 to {}", self.ports.last().map_or("Ethernet0", String::as_str));
        let why = "names of the switch's ports, in the order of the scenario's: replace them by those of the switch";
        self.account.push(ValueAccount::assumed("PORT", written, why));
    }

    /// Returns the priority of each lane with PFC, and names it for all ports.
    fn priorities(&mut self) -> BTreeMap<Lane, u8> {
        let link = self.plan.link();
        let explicit = &self.plan.scenario().link.sl_to_vl;
        let of_lane = |lane: Lane| {
            let levels = (0..PRIORITIES).filter(|level| link.lanes[usize::from(*level)] == lane);
            levels.min_by_key(|level| (!explicit.contains_key(level), *level))
        };
        let lanes: Vec<Lane> = (0..link.data_lanes).map(Lane).collect();
        let priorities: BTreeMap<Lane, u8> = lanes
            .iter()
            .filter(|lane| link.pauses(**lane))
            .filter_map(|lane| Some((*lane, of_lane(*lane)?)))
            .collect();
        let sorted: BTreeSet<u8> = priorities.values().copied().collect();
        let text = sorted.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        for (port, _) in self.rates() {
            self.enter("PORT_QOS_MAP", self.name(port), json!({ "pfc_enable": text }));
        }
        for lane in lanes.iter().filter(|lane| !priorities.contains_key(lane)) {
            let why = if link.pauses(*lane) {
                "no service level from 0 to 7 leads to it, so that no priority of a tag has its PFC and memory"
            } else {
                "its priority has no PFC, and no entries: the switch's own settings hold"
            };
            self.left("link.data_lanes", format!("lane {}", lane.0), why);
        }
        // The lanes that `import sonic` makes of these priorities.
        let again = |level: u8| {
            let place = sorted.iter().position(|priority| *priority == level);
            Lane(place.map_or(level % sorted.len().max(1) as u8, |place| place as u8))
        };
        if (0..16).any(|level| again(level) != link.lanes[usize::from(level)]) {
            let wanted = format!("{:?}", link.lanes.map(|lane| lane.0));
            let why = "priorities have queues of their own, in their order: other service levels are for maps of DSCP";
            self.left("link.sl_to_vl", wanted, why);
        }
        priorities
    }

    fn memory(&mut self, shared: Bytes, pause: &PauseSpec) {
        let fields = json!({ "type": "ingress", "mode": "dynamic", "size": shared.get().to_string() });
        self.enter("BUFFER_POOL", POOL, fields);
        if let Some(lanes) = &pause.pfc_enable {
            self.left(
                "link.flow_control.pfc_enable",
                format!("{lanes:?}"),
                "`pfc_enable` of the ports has the priorities of these lanes",
            );
        }
    }

    /// Writes the profile of each port and lane with PFC.
    fn profiles(&mut self, shares: &[Share], pause: &PauseSpec, priorities: &BTreeMap<Lane, u8>) {
        let lanes = usize::from(self.plan.link().data_lanes);
        let mut known: BTreeMap<(u64, u64, u64, i32), String> = BTreeMap::new();
        let mut rounded: BTreeSet<(String, i32)> = BTreeSet::new();
        // By the speeds that names have: rates of the same speed share their numbers.
        let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
        for (port, rate) in self.rates() {
            let speed = speed(rate);
            let own = self.plan.nodes().port(self.switch, port);
            for (lane, priority) in priorities {
                let share = shares[port.index() * lanes + lane.index()];
                let limit = own.thresholds().get(lane.index()).copied().unwrap_or_default();
                let headroom = own.capacity[lane.index()] - limit;
                let power = power(share.alpha);
                self.note_alpha(share.alpha, power, &mut rounded);
                let key = (speed, headroom.get(), share.guaranteed.get(), power);
                let profile = known.entry(key).or_insert_with(|| {
                    let number = numbers.entry(speed).or_insert(0);
                    *number += 1;
                    format!("pg_lossless_{speed}_{number}_profile")
                });
                let fields = json!({ "profile": profile });
                let key = format!("{}|{priority}", self.name(port));
                self.tables.entry("BUFFER_PG").or_default().insert(key, fields);
            }
        }
        for ((_, xoff, size, power), profile) in known {
            let fields = json!({
                "pool": POOL, "size": size.to_string(), "xon": size.to_string(), "xoff": xoff.to_string(),
                "xon_offset": pause.resume_offset(self.plan.link().mtu).get().to_string(), "dynamic_th": power.to_string(),
            });
            self.enter("BUFFER_PROFILE", profile, fields);
        }
        let why = "the fixed fill for RESUME, which scenarios lack: as large as `size`, as switches have it";
        self.account.push(ValueAccount::assumed("BUFFER_PROFILE.xon", "`size`", why));
    }

    /// Enters an alpha that is no power of two, once.
    fn note_alpha(&mut self, alpha: Option<Alpha>, power: i32, rounded: &mut BTreeSet<(String, i32)>) {
        let written = f64::powi(2.0, power);
        let why = format!("`dynamic_th` is a power of two from -{MOST_POWER} to {MOST_POWER}");
        let field = "switch.sharing.alpha";
        let Some(wanted) = alpha.map(Alpha::factor) else {
            if rounded.insert(("Complete".to_owned(), power)) {
                let fate = ValueFate::Rounded {
                    wanted: "Complete, without a threshold".to_owned(),
                    written: written.to_string(),
                    difference: None,
                };
                self.account.push(ValueAccount { field: field.to_owned(), fate, why });
            }
            return;
        };
        if wanted != written && rounded.insert((wanted.to_string(), power)) {
            let difference = written / wanted - 1.0;
            self.account.push(ValueAccount::rounded(field, (wanted, written), difference, why));
        }
    }

    /// Writes the thresholds of ECN.
    fn marking(&mut self, priorities: &BTreeMap<Lane, u8>) -> Result<(), ExportError> {
        let marking = match &self.plan.control() {
            Control { marking: MarkingSpec::Red(marking), .. } => Some(marking),
            Control { marking: MarkingSpec::Off, .. } => None,
            Control { marking: MarkingSpec::Iba(_) | MarkingSpec::Hp(_) | MarkingSpec::Own(_), .. } => {
                let found = self.plan.congestion_control().to_owned();
                return Err(ExportError::NotDcqcn { target: "sonic", found });
            }
        };
        let mut known: BTreeMap<Option<(u64, Bytes, Bytes, u64)>, String> = BTreeMap::new();
        for (port, rate) in self.rates() {
            let (speed, thresholds) = (speed(rate), marking.and_then(|marking| marking.thresholds(rate)));
            let key = thresholds.map(|own| (speed, own.kmin, own.kmax, own.pmax.to_bits()));
            let of_speed = known.keys().flatten().filter(|(other, ..)| *other == speed).count();
            let profile = match (known.get(&key), thresholds) {
                (Some(profile), _) => profile.clone(),
                (None, None) => "OFF".to_owned(),
                (None, Some(_)) if of_speed == 0 => format!("ECN_{speed}"),
                // Another rate of this speed has others.
                (None, Some(_)) => format!("ECN_{speed}_{}", of_speed + 1),
            };
            if known.insert(key, profile.clone()).is_none() {
                let fields = thresholds.map_or_else(|| json!({ "ecn": "ecn_none" }), |own| self.ramp(own));
                self.enter("WRED_PROFILE", profile.clone(), fields);
            }
            for priority in priorities.values() {
                let fields = json!({ "wred_profile": profile });
                self.enter("QUEUE", format!("{}|{priority}", self.name(port)), fields);
            }
        }
        if let Some(marking) = marking.filter(|marking| marking.at != MarkedAt::Departure) {
            let why = "it is the switch's own";
            self.left("congestion_control.marking.at", format!("{:?}", marking.at), why);
        }
        if marking.is_some() {
            let why = "they are the adapters': `export mlx5`";
            self.left("congestion_control.response", "echo and response", why);
        }
        Ok(())
    }

    /// Returns the fields of a profile.
    fn ramp(&mut self, RateThresholds { kmin, kmax, pmax, rate }: RateThresholds) -> Value {
        let percent = (pmax * 100.0).round().clamp(1.0, 100.0);
        let written = percent / 100.0;
        if written != pmax {
            let why = format!("`green_drop_probability` is a whole percent, here of ports at {rate}");
            let difference = written / pmax - 1.0;
            let field = "congestion_control.marking.pmax";
            self.account.push(ValueAccount::rounded(field, (pmax, written), difference, why));
        }
        json!({
            "ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": kmin.get().to_string(),
            "green_max_threshold": kmax.get().to_string(), "green_drop_probability": percent.to_string(),
        })
    }

    /// Enters the fields of PFC and of queues that no table has.
    fn beside(&mut self, pause: &PauseSpec) {
        let own = "it is the hardware's own";
        if let Some(reaction) = pause.reaction {
            self.left("link.flow_control.reaction", reaction.to_string(), own);
        }
        self.left("link.flow_control.quanta", pause.quanta.to_string(), own);
        if let Some(refresh) = pause.refresh {
            self.left("link.flow_control.refresh", refresh.to_string(), own);
        }
        let switch = self.plan.nodes().switch(self.switch);
        if let Some(limit) = switch.egress_limit {
            self.left(
                "switch.egress_limit",
                limit.to_string(),
                "queues of lossless priorities are not limited at the egress",
            );
        }
        if switch.egress_pool.is_some() {
            self.left(
                "switch.egress_pool",
                "a pool of lanes without PFC",
                "it is a pool of type `egress`, which is not written",
            );
        }
        let own = switch.vl_arbitration.is_some();
        if own || self.plan.link().vl_arbitration != Default::default() {
            self.left(
                if own { "switch.vl_arbitration" } else { "link.vl_arbitration" },
                "lanes with weights or strict priority",
                "it is `SCHEDULER`, which is not written",
            );
        }
    }
}

fn assigned_name(place: usize) -> String {
    format!("Ethernet{}", place * NAMES_APART)
}

/// Returns a rate in Mb/s.
fn speed(rate: Rate) -> u64 {
    (rate.get() + BPS_PER_MBPS / 2) / BPS_PER_MBPS
}

/// Returns the power of two that is nearest to alpha by its ratio; the largest power without a threshold.
fn power(alpha: Option<Alpha>) -> i32 {
    let power = alpha.map_or(f64::from(MOST_POWER), |alpha| alpha.factor().log2().round());
    (power as i32).clamp(-MOST_POWER, MOST_POWER)
}
