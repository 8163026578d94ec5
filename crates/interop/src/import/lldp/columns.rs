//! Columns of a table of cables, by their headings, and rates and lengths in cells.
//!
//! Sources of headings: `scripts/lldpshow` of sonic-utilities, the documentation of NVIDIA's `netq show lldp` and `nv
//! show interface lldp`, and `NetBox`'s form for the import of cables (`dcim/forms/bulk_import.py`).

use units::{Length, Rate};

/// Meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Node,
    Port,
    Peer,
    PeerPort,
    PeerDescription,
    Capability,
    Rate,
    Length,
    LengthUnit,
    Kind,
    Status,
}

/// Headings without blanks, marks and capitals.
const HEADINGS: [(Column, &[&str]); 11] = [
    (
        Column::Node,
        &[
            "node",
            "nodea",
            "devicea",
            "device",
            "hostname",
            "switch",
            "switcha",
            "localdevice",
            "sideadevice",
            "sourcedevice",
        ],
    ),
    (
        Column::Port,
        &[
            "port",
            "porta",
            "localport",
            "ifname",
            "interface",
            "interfacea",
            "localinterface",
            "sideaname",
            "sourceport",
        ],
    ),
    (
        Column::Peer,
        &[
            "peer",
            "peernode",
            "peerhostname",
            "nodeb",
            "deviceb",
            "switchb",
            "remotedevice",
            "remotehost",
            "neighbor",
            "neighbour",
            "sidebdevice",
            "destinationdevice",
        ],
    ),
    (
        Column::PeerPort,
        &[
            "peerport",
            "peerinterface",
            "peerifname",
            "portb",
            "interfaceb",
            "remoteport",
            "remoteportid",
            "remoteinterface",
            "neighborport",
            "neighbourport",
            "sidebname",
            "destinationport",
        ],
    ),
    (Column::PeerDescription, &["remoteportdescr"]),
    (Column::Capability, &["capability"]),
    (Column::Rate, &["speed", "rate", "bandwidth"]),
    (Column::Length, &["length", "cablelength"]),
    (Column::LengthUnit, &["lengthunit"]),
    (Column::Kind, &["sideatype", "sidebtype"]),
    (Column::Status, &["status", "cablestatus"]),
];

/// Returns the meaning of a heading; `None` for one that is none of these.
pub(super) fn column(heading: &str) -> Option<Column> {
    let plain: String = heading
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    HEADINGS.iter().find(|(_, names)| names.contains(&plain.as_str())).map(|(column, _)| *column)
}

/// Returns true for the status of a cable that is there, false for one that is not: those of `NetBox`
/// (`LinkStatusChoices` in `dcim/choices.py`), and usual words of lists.
pub(super) fn is_connected(status: &str) -> Option<bool> {
    match status.to_ascii_lowercase().as_str() {
        "" | "connected" | "active" | "up" => Some(true),
        "planned" | "decommissioning" | "inactive" | "down" | "disconnected" => Some(false),
        _ => None,
    }
}

/// Splits a number from what stands behind it.
fn number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let value: f64 = text[..end].parse().ok()?;
    Some((value, text[end..].trim()))
}

/// Reads the rate of a link: `100G`, `100 Gb/s`, `100GbE`, `100GBASE-SR4`, or megabits as SONiC counts them, `100000`.
pub(super) fn rate(text: &str) -> Option<Rate> {
    let (value, unit) = number(text.trim())?;
    let unit = unit.to_ascii_lowercase();
    let megabits = match unit.chars().next() {
        None if value >= 1000.0 => value,
        Some('m') => value,
        Some('g') => value * 1000.0,
        Some('t') => value * 1_000_000.0,
        _ => return None,
    };
    (1.0..=1_600_000.0).contains(&megabits).then(|| Rate::bps((megabits * 1e6) as u64))
}

/// Reads the length of a cable, in metres unless it says otherwise.
pub(super) fn length(text: &str, unit: &str) -> Option<Length> {
    let (value, own) = number(text.trim())?;
    let millimetres = match if own.is_empty() { unit } else { own }.to_ascii_lowercase().as_str() {
        "" | "m" | "meter" | "meters" | "metre" | "metres" => 1000.0,
        "cm" => 10.0,
        "mm" => 1.0,
        "km" => 1_000_000.0,
        "ft" | "feet" => 304.8,
        "in" | "inches" => 25.4,
        _ => return None,
    };
    let millimetres = value * millimetres;
    (millimetres <= 1e9).then(|| Length::from_mm(millimetres.round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_several_tools_are_known() {
        for (heading, expected) in [
            ("LocalPort", Column::Port),
            ("RemotePortID", Column::PeerPort),
            ("Peer Hostname", Column::Peer),
            ("side_a_device", Column::Node),
            ("side_b_name", Column::PeerPort),
            ("Remote Host", Column::Peer),
            ("length_unit", Column::LengthUnit),
        ] {
            assert_eq!(column(heading), Some(expected), "{heading}");
        }
        assert_eq!(column("Last Changed"), None);
    }

    #[test]
    fn rates_and_lengths_have_units() {
        for text in ["100G", "100 Gb/s", "100Gbps", "100000", "100GBASE-SR4", "0.1T", "100000M"] {
            assert_eq!(rate(text), Some(Rate::gbps(100)), "{text}");
        }
        for text in ["", "fast", "100", "-1G", "9999999"] {
            assert_eq!(rate(text), None, "{text}");
        }
        for (text, unit, millimetres) in [
            ("5m", "", 5000),
            ("5", "", 5000),
            ("5", "ft", 1524),
            ("0.5 km", "ft", 500_000),
            ("30", "cm", 300),
        ] {
            assert_eq!(length(text, unit), Some(Length::from_mm(millimetres)), "{text} {unit}");
        }
        for (text, unit) in [("long", ""), ("5", "yd"), ("5 chains", "m"), ("9999999", "km")] {
            assert_eq!(length(text, unit), None, "{text} {unit}");
        }
    }
}
