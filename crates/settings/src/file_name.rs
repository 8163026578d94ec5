//! Names of files that lie beside a scenario, or in folders there.
//!
//! Invariant: an accepted name leads to no place outside of the folder that it starts from, on any system.

/// Returns true if a name leads to a file in the folder that it starts from, or in a folder below: parts separated by `/`, none
/// of them empty, `.` or `..`.
///
/// ```
/// use settings::file_name::stays_below;
/// assert!(stays_below("sizes.csv") && stays_below("traces/web/sizes.csv"));
/// assert!(!stays_below("../sizes.csv") && !stays_below("/sizes.csv") && !stays_below("traces/"));
/// ```
#[must_use]
pub fn stays_below(name: &str) -> bool {
    // `\\` separates folders on some systems, and `:` names a drive or a stream there.
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']);
    name.split('/').all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_below_its_folder() {
        for name in ["a", "a.csv", "a/b", "a/b.c/d", "...", "a b", ".hidden"] {
            assert!(stays_below(name), "{name}");
        }
        for name in
            ["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "./a", "a\\b", "c:a", "a\0"]
        {
            assert!(!stays_below(name), "{name}");
        }
    }
}
