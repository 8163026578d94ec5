//! Names of tables of `CONFIG_DB`, and the use that is made of each.

use super::adaptive;

/// Tables with an entry in the account for each field, or for their use.
const USED: [&str; 8] = [
    "CABLE_LENGTH",
    "PORT",
    "PORT_QOS_MAP",
    "BUFFER_POOL",
    "BUFFER_PROFILE",
    "BUFFER_PG",
    "QUEUE",
    "WRED_PROFILE",
];

/// Tables that change nothing in a scenario, with the reason.
pub(super) const WITHOUT_EFFECT: [(&str, &str); 18] = [
    ("BUFFER_QUEUE", "queues at outputs are not limited"),
    ("BUFFER_PORT_INGRESS_PROFILE_LIST", "ports have no limit beside those of their priorities"),
    ("BUFFER_PORT_EGRESS_PROFILE_LIST", "queues at outputs are not limited"),
    ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "the dynamic buffer model made profiles by it"),
    ("LOSSLESS_TRAFFIC_PATTERN", "the dynamic buffer model made profiles by it"),
    ("SWITCH_TRIMMING", "packets of priorities without PFC, which carry nothing here, are cut"),
    ("DSCP_TO_TC_MAP", MAP),
    ("DOT1P_TO_TC_MAP", MAP),
    ("MPLS_TC_TO_TC_MAP", MAP),
    ("DSCP_TO_FC_MAP", MAP),
    ("EXP_TO_FC_MAP", MAP),
    ("TC_TO_DSCP_MAP", MAP),
    ("TC_TO_DOT1P_MAP", MAP),
    ("TC_TO_QUEUE_MAP", MAP),
    ("TC_TO_PRIORITY_GROUP_MAP", MAP),
    ("MAP_PFC_PRIORITY_TO_QUEUE", MAP),
    ("PFC_PRIORITY_TO_QUEUE_MAP", MAP),
    ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", MAP),
];
const MAP: &str = "a service level stands for a priority";

/// Tables with conditions.
const JUDGED: [&str; 2] = ["PFC_WD", "SCHEDULER"];

/// Parts of names of tables that concern queues, buffers, PFC or links.
pub(super) const CONCERNED: [&str; 9] =
    ["BUFFER", "CBFC", "LLR", "PFC", "QOS", "QUEUE", "SCHEDULER", "TRIM", "WRED"];

/// Returns true for a table of `CONFIG_DB` that this reader has a rule for.
pub(super) fn is_known(table: &str) -> bool {
    USED.contains(&table)
        || JUDGED.contains(&table)
        || adaptive::TABLES.contains(&table)
        || table.starts_with("LLR_")
        || WITHOUT_EFFECT.iter().any(|(name, _)| *name == table)
}
