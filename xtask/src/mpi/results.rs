//! Results of a run, without what it cost.
//!
//! Invariant: all that describes results is compared; the time, the memory and the command line of a run are not.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Fields of `summary.json` that measure the run instead of describing its results.
const COST: [&str; 3] = ["wall_s", "packet_hops_per_s", "peak_rss_bytes"];

/// Returns the names of the files in a folder and in those in it, in order; none if there is no such folder.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            all.extend(names(&entry.path()).into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            all.push(name);
        }
    }
    all.sort();
    all
}

/// Returns what a file in JSON says of results: without the cost of the run, the command line, and the length of the file with
/// the cost.
pub(super) fn results(text: &[u8]) -> Option<Value> {
    let mut value: Value = serde_json::from_slice(text).ok()?;
    let fields = value.as_object_mut()?;
    COST.iter().chain(&["command"]).for_each(|name| {
        fields.remove(*name);
    });
    for file in fields.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten() {
        if file["name"] == "summary.json" {
            file["bytes"].take();
        }
    }
    Some(value)
}

/// Returns what a run in this folder prints, without the line that measures it.
pub(super) fn results_printed(printed: &[u8], folder: &str) -> String {
    let text = String::from_utf8_lossy(printed).replace(folder, "");
    text.lines().filter(|line| !line.contains(" simulated in ")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_compared_without_the_cost_of_the_run() {
        let run = |wall: &str, hops: &str| {
            results(format!("{{\"wall_s\": {wall}, \"packet_hops\": {hops}}}").as_bytes())
        };
        assert_eq!(run("1.0", "7"), run("2.0", "7"));
        assert_ne!(run("1.0", "7"), run("1.0", "8"));
        let manifest = |bytes: u32, other: u32| {
            let files = format!(
                "{{\"name\": \"summary.json\", \"bytes\": {bytes}}}, {{\"name\": \"f\", \"bytes\": {other}}}"
            );
            results(format!("{{\"command\": [\"{bytes}\"], \"files\": [{files}]}}").as_bytes())
        };
        assert_eq!(manifest(1, 3), manifest(2, 3));
        assert_ne!(manifest(1, 3), manifest(1, 4));
        assert_eq!(results(b"no JSON"), None);
    }
}
