//! The cost of a run in its summary.

/// Returns a summary without the fields that depend on the machine.
pub(crate) fn without_cost(mut summary: serde_json::Value) -> String {
    for field in ["wall_s", "packet_hops_per_s", "peak_rss_bytes"] {
        summary.as_object_mut().unwrap().remove(field).unwrap_or_else(|| panic!("no {field}"));
    }
    summary.to_string()
}
