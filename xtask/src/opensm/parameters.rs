//! Parameters of congestion control: every scenario's `cc_*` keys, as OpenSM reads and writes them.
//!
//! Invariant: a scenario is either compared or refused by `export opensm` itself; numbers are compared by value, since OpenSM
//! writes hexadecimal ones in its own way.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::Fault;
use super::tools::{backwater, read_settings, said};

/// Name of this part.
pub(super) const NAME: &str = "parameters";
/// Lines of OpenSM for what it does not take. Its exit status is 0 all the same.
const COMPLAINTS: [&str; 3] = ["Unrecognized token", "invalid CCT entry", "Invalid"];
/// Exit status of an export of a scenario that has nothing for OpenSM.
const REFUSED: i32 = 2;

/// Compares the exports of all shipped scenarios. Returns a line for each, and true if nothing differs.
pub(super) fn compared(program: &Path, folder: &Path) -> Result<Vec<(String, bool)>, Fault> {
    fs::create_dir_all(folder)?;
    let list = said(&backwater(program, &[OsStr::new("list")], folder)?, "backwater list")?;
    let mut rows = Vec::new();
    let (mut compared, mut refused) = (0, 0);
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let out = format!("{name}.conf");
        let words = ["export", "opensm", name, "--out", &out];
        let output = backwater(program, &words.map(OsStr::new), folder)?;
        if output.status.code() == Some(REFUSED) {
            refused += 1;
            continue;
        }
        said(&output, &format!("backwater export opensm {name}"))?;
        compared += 1;
        let fragment = folder.join(&out);
        let (written, printed) = read_settings(&fragment, folder)?;
        let given = fs::read_to_string(&fragment)?;
        let complaint = printed.lines().find(|line| COMPLAINTS.iter().any(|words| line.contains(words)));
        let difference =
            complaint.map(|line| line.trim().to_owned()).or_else(|| difference(&given, &written));
        let values = values(&given).len();
        let line = match &difference {
            None => format!("opensm -F: {name:<28} {values:>3} values, the same"),
            Some(difference) => format!("opensm -F: {name:<28} NO: {difference}"),
        };
        rows.push((line, difference.is_none()));
    }
    let line = format!(
        "opensm -F: {compared} scenarios compared, {refused} refused by the export, for other congestion control"
    );
    rows.push((line, compared > 0));
    Ok(rows)
}

/// Returns the values of `congestion_control`, `cc_*` and `qos*`, by key and, where there is one, service level.
fn values(text: &str) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        let Some((key, value)) = line.split_once(char::is_whitespace) else { continue };
        if key != "congestion_control" && !key.starts_with("cc_") && !key.starts_with("qos") {
            continue;
        }
        let by_level = ["ccti_timer", "ccti_increase", "trigger_threshold", "ccti_min"];
        let (key, value) = match value.trim().split_once(char::is_whitespace) {
            Some((level, value)) if by_level.iter().any(|part| key.ends_with(part)) => {
                (format!("{key} {level}"), value)
            }
            _ => (key.to_owned(), value),
        };
        values.insert(key, plain(value.trim()));
    }
    values
}

/// Returns a number without the manner in which it is written; other values as they are.
fn plain(value: &str) -> String {
    let lower = value.to_ascii_lowercase();
    let Some(digits) = lower.strip_prefix("0x") else { return lower };
    let digits = digits.trim_start_matches('0');
    let number = if digits.is_empty() { Ok(0) } else { u64::from_str_radix(digits, 16) };
    // Masks of ports have 256 bits.
    number.map_or_else(|_| format!("0x{digits}"), |number| number.to_string())
}

/// Returns the first value that OpenSM writes otherwise than it was given, in words.
fn difference(given: &str, written: &str) -> Option<String> {
    let (given, written) = (values(given), values(written));
    if given.is_empty() {
        return Some("the export has no values".to_owned());
    }
    let other = given.iter().find(|(key, value)| written.get(*key) != Some(value));
    other.map(|(key, value)| {
        let written = written.get(key).map_or("nothing", String::as_str);
        format!("{key}: {value} given, {written} written")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let given = "congestion_control TRUE\ncc_sw_cong_setting_threshold 0x0f\ncc_ca_cong_setting_ccti_timer 1 150\n\
                     cc_ca_cong_setting_ccti_timer 0 300\ncc_cct 0:0,0:1\n# cc_key 7\nother 1\n";
        let written = "congestion_control TRUE\ncc_sw_cong_setting_threshold 0x0F\ncc_ca_cong_setting_ccti_timer 0 300\n\
                       cc_ca_cong_setting_ccti_timer 1 150\ncc_cct 0:0,0:1\ncc_key 0x0\n";
        assert_eq!(difference(given, written), None);
        let other = difference(given, &written.replace("1 150", "1 151")).expect("one differs");
        assert_eq!(other, "cc_ca_cong_setting_ccti_timer 1: 150 given, 151 written");
        assert!(difference(given, "").expect("all differ").ends_with("nothing written"));
        assert!(difference("", written).is_some());
        let wide = format!("cc_sw_cong_setting_victim_mask 0x{}1FE\n", "0".repeat(61));
        assert_eq!(difference(&wide, "cc_sw_cong_setting_victim_mask 0x1fe\n"), None);
        let mask = format!("cc_sw_cong_setting_victim_mask 0x{}\n", "F".repeat(64));
        assert_eq!(difference(&mask, &mask.to_lowercase()), None);
        assert!(difference(&mask, &mask.replacen('F', "0", 1)).is_some());
    }
}
