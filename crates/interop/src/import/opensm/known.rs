//! The keys that versions of OpenSM know.
//!
//! Invariant: a file without any of them is not OpenSM's. Each list has the keys that `opensm -c FILE` of that
//! version writes.

use super::options::OpensmOptions;
use crate::import::source::SourceText;
use ::settings::nearest;
use scenario::Diagnostic;

/// Keys of OpenSM 3.3.23.
const KEYS: &str = include_str!("keys-3.3.23.txt");
/// Keys that only NVIDIA's OpenSM has (5.21.12).
const OF_VENDOR: &str = include_str!("keys-vendor.txt");

/// Returns true for keys of any version.
pub(super) fn is_known(key: &str) -> bool {
    has(KEYS, key) || is_vendors(key)
}

/// Returns true for keys that only the vendor's OpenSM has.
pub(super) fn is_vendors(key: &str) -> bool {
    has(OF_VENDOR, key)
}

fn has(keys: &str, key: &str) -> bool {
    keys.lines().any(|known| known == key)
}

/// Returns the keys of all versions.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    KEYS.lines().chain(OF_VENDOR.lines())
}

/// Returns an unknown key in backticks, with the key that was probably meant behind it.
pub(super) fn with_near(key: &str) -> String {
    let help = nearest::help(key, all(), "keys");
    if help.starts_with("did you mean") { format!("`{key}` ({help})") } else { format!("`{key}`") }
}

/// Refuses a file that has no key of OpenSM.
pub(super) fn check(source: SourceText<'_>, options: &OpensmOptions) -> Result<(), Diagnostic> {
    // A misspelled key of congestion control, lanes or adaptive routing is named where these are read.
    let is_near = |key: &str| key.starts_with("cc_") || key.starts_with("qos_") || key.starts_with("ar_");
    if options.lines.iter().any(|line| is_known(&line.key) || is_near(&line.key)) {
        return Ok(());
    }
    let help = "write an `opensm.conf`, as `opensm -c FILE` writes it, or command lines of `ibccconfig`";
    Err(source.whole("the file has no key of OpenSM", help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_in_a_single_list() {
        for keys in [KEYS, OF_VENDOR] {
            assert!(keys.lines().is_sorted_by(|one, next| one < next));
        }
        assert!(OF_VENDOR.lines().all(|key| !has(KEYS, key)));
        assert!(is_known("congestion_control") && is_vendors("ar_mode") && !is_known("rpg_ai_rate"));
    }
}
