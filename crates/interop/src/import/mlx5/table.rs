//! The table of parameters: names, units and ranges, and the forms that a name has.
//!
//! Invariant: the driver's name of a parameter is the firmware's without its port, in small letters.

/// A parameter: the driver's name, and the name in debugfs if it differs by more than its beginning. Further the
/// largest value, the unit, and the vendor's default where its documents give a default.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(super) debugfs: &'static str,
    pub(crate) most: u64,
    pub(crate) unit: &'static str,
    pub(super) default: Option<u64>,
}

const fn parameter(
    name: &'static str,
    debugfs: &'static str,
    most: u64,
    unit: &'static str,
    default: Option<u64>,
) -> Parameter {
    Parameter { name, debugfs, most, unit, default }
}

pub(super) const U32: u64 = u32::MAX as u64;

/// Parameters of the reaction point and of the notification point. The unit of `rpg_byte_reset` is the caller's.
pub(crate) const PARAMETERS: [Parameter; 19] = [
    parameter("clamp_tgt_rate", "rp_clamp_tgt_rate", 1, "", None),
    parameter("clamp_tgt_rate_after_time_inc", "rp_clamp_tgt_rate_ati", 1, "", None),
    parameter("rpg_time_reset", "rp_time_reset", 131_071, "us", None),
    parameter("rpg_byte_reset", "rp_byte_reset", 32_767, "", None),
    parameter("rpg_threshold", "rp_threshold", 254, "", None),
    parameter("rpg_max_rate", "rp_max_rate", U32, "Mb/s", Some(0)),
    parameter("rpg_ai_rate", "rp_ai_rate", U32, "Mb/s", None),
    parameter("rpg_hai_rate", "rp_hai_rate", U32, "Mb/s", None),
    parameter("rpg_gd", "rp_gd", 15, "log2", Some(11)),
    parameter("rpg_min_dec_fac", "rp_min_dec_fac", 100, "%", Some(50)),
    parameter("rpg_min_rate", "rp_min_rate", U32, "Mb/s", Some(1)),
    parameter("rate_to_set_on_first_cnp", "rp_rate_to_set_on_first_cnp", U32, "Mb/s", Some(0)),
    parameter("dce_tcp_g", "rp_dce_tcp_g", 1023, "1/1024", Some(1019)),
    parameter("dce_tcp_rtt", "rp_dce_tcp_rtt", 131_071, "us", Some(1)),
    parameter("rate_reduce_monitor_period", "rp_rate_reduce_monitor_period", U32, "us", Some(4)),
    parameter("initial_alpha_value", "rp_initial_alpha_value", 1023, "1/1024", Some(1023)),
    parameter("min_time_between_cnps", "np_min_time_between_cnps", 4095, "us", None),
    parameter("cnp_dscp", "np_cnp_dscp", 63, "", None),
    parameter("cnp_802p_prio", "np_cnp_prio", 7, "", None),
];

/// Parameters that decide whether those of DCQCN hold at all, by their names without a port.
pub(super) const SWITCHES: [&str; 6] = [
    "roce_cc_prio_mask",
    "roce_cc_algorithm",
    "roce_cc_legacy_dcqcn",
    "user_programmable_cc",
    "roce_cc_cnp_moderation",
    "roce_adaptive_routing_en",
];
/// Parameter with the type of a port's link, without its port, and its values by word.
pub(super) const LINK_TYPE: &str = "link_type";
pub(super) const LINK_TYPES: [(&str, u64); 3] = [("IB", 1), ("ETH", 2), ("VPI", 3)];
/// Names beside DCQCN's in the same folders.
pub(super) const BESIDE: [&str; 3] = ["np_cnp_prio_mode", "rtt_resp_dscp", "rtt_resp_dscp_valid"];
/// Beginnings of the firmware's names of DCQCN parameters: a name of this kind that is none is a fault.
const OF_DCQCN: [&str; 8] = [
    "rpg_",
    "dce_tcp_",
    "clamp_tgt_",
    "rate_to_set_",
    "rate_reduce_",
    "initial_alpha",
    "min_time_between_",
    "cnp_",
];

/// A name as the tables have it, and the port that it names.
pub(super) struct Named {
    /// Name in small letters, without the port.
    pub(super) plain: String,
    /// Number of the port at the end of a name of the firmware.
    pub(super) port: Option<char>,
}

/// Returns true for names of the firmware that are DCQCN's, or look like it, or decide whether DCQCN holds.
pub(super) fn concerns_dcqcn(name: &str) -> bool {
    let Named { plain, .. } = named(name);
    plain == LINK_TYPE
        || SWITCHES.contains(&&*plain)
        || OF_DCQCN.iter().any(|beginning| plain.starts_with(beginning))
}

/// Returns a name in small letters without the port at its end.
pub(super) fn named(given: &str) -> Named {
    let lower = given.to_ascii_lowercase();
    let port =
        lower.strip_suffix(|port: char| port.is_ascii_digit()).and_then(|text| text.strip_suffix("_p"));
    match port.filter(|_| is_of_firmware(given)) {
        Some(plain) => Named { plain: plain.to_owned(), port: lower.chars().next_back() },
        None => Named { plain: lower, port: None },
    }
}

/// Returns true for names as the firmware's tool prints them.
pub(super) fn is_of_firmware(name: &str) -> bool {
    let letter = |letter: u8| matches!(letter, b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'[' | b']' | b'.' | b'x');
    name.starts_with(|first: char| first.is_ascii_uppercase()) && name.bytes().all(letter)
}
