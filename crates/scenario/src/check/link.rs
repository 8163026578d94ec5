//! Cables, lanes and credits.

use link_layer::flow_control::credits::BLOCK;
use link_layer::spec::{CableSpec, CreditSpec, Discipline, LinkSpec, Propagation, VlWeight};
use packet::{Framing, Lane, Mtu};
use settings::FieldPath;
use units::{Bytes, Length, Span};

use crate::format::Scenario;
use crate::text::Faults;

/// The most entries of a lane arbitration table (IBA 14.2.5.9).
const MOST_ENTRIES: usize = 64;

/// Whether every cable says in one way how fast it is: without that nothing else can be judged.
pub(super) fn check_rates(scenario: &Scenario, faults: &mut Faults<'_>) -> bool {
    let before = faults.found.len();
    let (slowest, fastest) = (CableSpec::SLOWEST, CableSpec::FASTEST);
    for (name, cable) in &scenario.cables {
        let path = FieldPath::from("cables").name(name);
        let right = "write `rate: \"40 Gb/s\"`, or `width: X4, speed: QDR`";
        match (cable.rate, cable.width, cable.speed) {
            (Some(rate), None, None) if !(slowest..=fastest).contains(&rate) => {
                let help = format!("write \"{slowest}\" to \"{fastest}\"");
                faults.add(&path.name("rate"), format!("a rate of {rate} is out of range"), help);
            }
            (Some(_), None, None) | (None, Some(_), Some(_)) => {}
            (Some(_), width, _) => {
                let field = if width.is_some() { "width" } else { "speed" };
                let message = format!("`rate` says how fast the cable is, so `{field}` says it twice");
                faults.add(&path.name(field), message, right);
            }
            (None, Some(_), None) => faults.add(&path, "a `width` without a `speed` is no rate", right),
            (None, None, Some(_)) => faults.add(&path, "a `speed` without a `width` is no rate", right),
            (None, None, None) => faults.add(&path, "nothing says how fast the cable is", right),
        }
    }
    faults.found.len() == before
}

/// A wire takes time, or two ends of it would have to decide at one instant.
pub(super) fn check_cables(scenario: &Scenario, faults: &mut Faults<'_>) {
    for (name, cable) in &scenario.cables {
        let path = FieldPath::from("cables").name(name).name("propagation");
        let message = "a cable takes no time to cross";
        match cable.propagation {
            Propagation::Cable(length) if length == Length::default() => {
                faults.add(&path, message, "write a length of at least \"1 mm\"");
            }
            Propagation::Delay(Span::ZERO) => {
                faults.add(&path, message, "write a delay of at least \"1 ps\"");
            }
            Propagation::Cable(_) | Propagation::Delay(_) => {}
        }
    }
}

/// What all links have in common.
pub(super) fn check(scenario: &Scenario, faults: &mut Faults<'_>) {
    let link = &scenario.link;
    let path = FieldPath::from("link");
    if link.framing == Framing::InfiniBand && Mtu::OF_ETHERNET.contains(&link.mtu) {
        let message = format!("IBA knows no MTU of {}", Bytes::from(link.mtu));
        let help =
            format!("write \"1 KiB\", \"2 KiB\" or another of IBA's, or `{}: RoCEv2`", path.name("framing"));
        faults.add(&path.name("mtu"), message, help);
    }
    if !faults.has(&path.name("data_lanes")) {
        let before = faults.found.len();
        check_mapping(scenario, faults);
        check_strict(&path.name("vl_arbitration").name("strict"), link, faults);
        for (table, entries) in [("high", &link.vl_arbitration.high), ("low", &link.vl_arbitration.low)] {
            check_table(&path.name("vl_arbitration").name(table), entries, link.data_lanes, faults);
        }
        if faults.found.len() == before {
            check_every_lane_served(scenario, faults);
        }
    }
    if let Discipline::Credits(credits) = &link.flow_control {
        check_credits(scenario, credits, faults);
    }
}

fn check_mapping(scenario: &Scenario, faults: &mut Faults<'_>) {
    for (level, lane) in &scenario.link.sl_to_vl {
        let path = FieldPath::from("link.sl_to_vl").name(&level.to_string());
        if *level > 15 {
            let message = format!("there is no service level {level}");
            faults.add_name(&path, message, "write a service level from 0 to 15");
        }
        check_lane(&path, *lane, scenario.link.data_lanes, faults);
    }
}

/// A lane has to be one of the data lanes.
pub(super) fn check_lane(path: &FieldPath, lane: u8, data_lanes: u8, faults: &mut Faults<'_>) {
    if lane >= data_lanes {
        let message = format!("lane {lane} is not configured");
        let help = match data_lanes {
            1 => "with 1 data lane, write 0; or raise `link.data_lanes`".to_owned(),
            lanes => format!("with {lanes} data lanes, write 0 to {}; or raise `link.data_lanes`", lanes - 1),
        };
        faults.add(path, message, help);
    }
}

/// Each lane of strict priority is there, and once.
fn check_strict(path: &FieldPath, link: &LinkSpec, faults: &mut Faults<'_>) {
    let strict = &link.vl_arbitration.strict;
    for (i, lane) in strict.iter().enumerate() {
        check_lane(&path.index(i), *lane, link.data_lanes, faults);
        if strict[..i].contains(lane) {
            faults.add(&path.index(i), format!("lane {lane} stands here twice"), "write it once");
            continue;
        }
        let tables = [("high", &link.vl_arbitration.high), ("low", &link.vl_arbitration.low)];
        for (table, entries) in tables {
            if entries.iter().any(|entry| entry.lane == *lane) {
                let message = format!("lane {lane} is strict, so its entry in `{table}` has no effect");
                faults.add(&path.index(i), message, "write it in one of the two");
            }
        }
    }
}

fn check_table(path: &FieldPath, entries: &[VlWeight], data_lanes: u8, faults: &mut Faults<'_>) {
    if entries.len() > MOST_ENTRIES {
        let message = format!("the table has {} entries", entries.len());
        faults.add(path, message, format!("write at most {MOST_ENTRIES} of them (IBA 7.6.9)"));
    }
    for (i, entry) in entries.iter().enumerate() {
        check_lane(&path.index(i).name("lane"), entry.lane, data_lanes, faults);
    }
}

/// A lane that packets take must have its turn, if lanes have turns by table.
fn check_every_lane_served(scenario: &Scenario, faults: &mut Faults<'_>) {
    let tables = &scenario.link.vl_arbitration;
    if tables.high.is_empty() && tables.low.is_empty() {
        return;
    }
    let served = |lane: Lane| {
        if tables.strict.contains(&lane.0) {
            return true;
        }
        let mut entries = tables.high.iter().chain(&tables.low);
        entries.any(|entry| entry.lane == lane.0 && entry.weight > 0)
    };
    let mut unserved: Vec<_> = scenario.link.lanes_by_service_level().into_iter().collect();
    unserved.retain(|lane| !served(*lane));
    unserved.sort_unstable();
    unserved.dedup();
    for lane in unserved {
        let message = format!("{lane} has no weight in either table, so its packets would wait for ever");
        let help = format!(
            "give lane {0} an entry such as `(lane: {0}, weight: 64)`, or let no service level lead to it",
            lane.0
        );
        faults.add(&"link.vl_arbitration".into(), message, help);
    }
}

fn check_credits(scenario: &Scenario, credits: &CreditSpec, faults: &mut Faults<'_>) {
    let path = FieldPath::from("link.flow_control");
    let (smallest, whose) = smallest_buffer(scenario);
    let blocks = smallest.get() / BLOCK;
    let in_range = !faults.has(&path.name("update_blocks"));
    if in_range && u64::from(credits.update_blocks) > blocks.max(1) {
        let message = format!(
            "{} blocks never come free at once in the smallest buffer, `{whose}`: it holds {blocks}",
            credits.update_blocks
        );
        faults.add(&path.name("update_blocks"), message, format!("write 1 to {blocks}"));
    }
    if credits.update_interval == Span::ZERO {
        let message = "an interval of 0 would return credits without end";
        faults.add(&path.name("update_interval"), message, "write at least \"1 ps\"; \"4.096 us\" is usual");
    }
}

/// The smallest buffer of all, and where it is written.
fn smallest_buffer(scenario: &Scenario) -> (Bytes, FieldPath) {
    let smallest = super::node::buffers(scenario).into_iter().min_by_key(|(_, size)| *size);
    let (path, size) = smallest.expect("a scenario gives switches and adapters their buffers");
    (size, path)
}
