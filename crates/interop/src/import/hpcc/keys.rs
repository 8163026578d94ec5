//! Keys of a `config.txt` without effect on results, and the reason for each.
//!
//! Invariant: no key that may change an experiment stands here.

/// Returns true for a key of DCQCN alone.
pub(super) fn is_of_dcqcn(key: &str) -> bool {
    const KEYS: [&str; 9] = [
        "ALPHA_RESUME_INTERVAL",
        "RATE_DECREASE_INTERVAL",
        "CLAMP_TARGET_RATE",
        "RP_TIMER",
        "EWMA_GAIN",
        "FAST_RECOVERY_TIMES",
        "RATE_AI",
        "RATE_HAI",
        "MIN_RATE",
    ];
    KEYS.contains(&key) || key.ends_with("_MAP")
}

const OF_HPCC: &str = "it is HPCC's";
const OF_SINGLE_PACKETS: &str = "single packets are not traced";
const OUTPUT: &str = "outputs have names of their own: see docs/outputs.md";
const LOSSES: &str = "it counts after losses only, and nothing is lost";

/// Keys without effect, and the reason.
pub(super) const UNUSED: [(&str, &str); 24] = [
    ("TRACE_FILE", OF_SINGLE_PACKETS),
    ("TRACE_OUTPUT_FILE", OF_SINGLE_PACKETS),
    ("ENABLE_TRACE", OF_SINGLE_PACKETS),
    ("FCT_OUTPUT_FILE", "`sim --fct-txt` writes `fct.txt`"),
    ("PFC_OUTPUT_FILE", OUTPUT),
    ("QLEN_MON_FILE", OUTPUT),
    ("QLEN_MON_START", OUTPUT),
    ("QLEN_MON_END", OUTPUT),
    ("DATA_RATE", "links have the rates of the topology"),
    ("LINK_DELAY", "links have the delays of the topology"),
    ("USE_DYNAMIC_PFC_THRESHOLD", "it has no effect in that simulator: thresholds are always dynamic"),
    ("DCTCP_RATE_AI", "it is DCTCP's"),
    ("L2_CHUNK_SIZE", LOSSES),
    ("L2_BACK_TO_ZERO", LOSSES),
    ("U_TARGET", OF_HPCC),
    ("MI_THRESH", OF_HPCC),
    ("INT_MULTI", OF_HPCC),
    ("MULTI_RATE", OF_HPCC),
    ("FAST_REACT", OF_HPCC),
    ("SAMPLE_FEEDBACK", OF_HPCC),
    ("PINT_LOG_BASE", OF_HPCC),
    ("PINT_PROB", OF_HPCC),
    ("GLOBAL_T", "without a window it has no effect"),
    ("VAR_WIN", "without a window it has no effect"),
];
