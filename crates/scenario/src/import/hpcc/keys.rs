//! Keys of a `config.txt` that correspond to one field, and keys without effect.
//!
//! Invariant: a key is in one table at most. Reaction points of HPCC's simulator know a timer and no byte counter: their
//! first increases recover the target, the next one adds `RATE_AI`, and all after that `RATE_HAI` (its code).

use super::account::KeyFate;

/// Keys of DCQCN's reaction point: the field, its unit, the key's fate, and a remark.
pub(super) const RESPONSE: [(&str, &str, &str, KeyFate, &str); 7] = [
    (
        "ALPHA_RESUME_INTERVAL",
        "alpha_timer",
        "us",
        KeyFate::Approximated,
        ": that simulator looks in such intervals whether there was a mark",
    ),
    ("CLAMP_TARGET_RATE", "clamp_target", "flag", KeyFate::Used, ", with `clamp_after_timer`"),
    ("RP_TIMER", "timer", "us", KeyFate::Used, ""),
    ("EWMA_GAIN", "g", "number", KeyFate::Used, ""),
    ("FAST_RECOVERY_TIMES", "fast_recovery", "number", KeyFate::Used, ""),
    (
        "RATE_AI",
        "additive_increase",
        "rate",
        KeyFate::Approximated,
        ": of every increase after fast recovery; that simulator adds RATE_HAI from the second one on",
    ),
    ("MIN_RATE", "min_rate", "rate", KeyFate::Used, ""),
];

/// Returns true for a key of DCQCN alone.
pub(super) fn is_of_dcqcn(key: &str) -> bool {
    RESPONSE.iter().any(|(name, ..)| *name == key)
        || key.ends_with("_MAP")
        || ["RATE_DECREASE_INTERVAL", "RATE_HAI"].contains(&key)
}

const OF_HPCC: &str = "it is HPCC's, which is not modelled";
const OUTPUT: &str = "outputs have names of their own: see docs/outputs.md";

/// Keys without effect, and the reason.
pub(super) const UNUSED: [(&str, &str); 26] = [
    ("TRACE_FILE", "single packets are not traced"),
    ("TRACE_OUTPUT_FILE", "single packets are not traced"),
    ("ENABLE_TRACE", "single packets are not traced"),
    ("FCT_OUTPUT_FILE", "`sim --fct-txt` writes `fct.txt`"),
    ("PFC_OUTPUT_FILE", OUTPUT),
    ("QLEN_MON_FILE", OUTPUT),
    ("QLEN_MON_START", OUTPUT),
    ("QLEN_MON_END", OUTPUT),
    ("DCTCP_RATE_AI", "DCTCP's response is not modelled"),
    ("ERROR_RATE_PER_LINK", "wires here lose nothing"),
    ("L2_CHUNK_SIZE", "requesters go back to the packet that is missing, not to a chunk"),
    ("L2_BACK_TO_ZERO", "requesters always go back to the packet that is missing (go-back-N)"),
    ("HAS_WIN", "windows of a round trip are not modelled: `adapter.max_outstanding` is large"),
    ("GLOBAL_T", OF_HPCC),
    ("VAR_WIN", OF_HPCC),
    ("FAST_REACT", OF_HPCC),
    ("U_TARGET", OF_HPCC),
    ("MI_THRESH", OF_HPCC),
    ("INT_MULTI", OF_HPCC),
    ("MULTI_RATE", OF_HPCC),
    ("SAMPLE_FEEDBACK", OF_HPCC),
    ("PINT_LOG_BASE", OF_HPCC),
    ("PINT_PROB", OF_HPCC),
    ("RATE_BOUND", "rates always bound a source"),
    ("ACK_HIGH_PRIO", "acknowledgements go before data at adapters, and in line with it at switches"),
    ("LINK_DOWN", "links do not fail"),
];
