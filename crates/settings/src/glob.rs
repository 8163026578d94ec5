//! Patterns of names: `leaf1`, `h1*`, `s?.1`.
//!
//! Invariant: a pattern without a wildcard matches the name that is equal to it, and no other.

/// Returns true if a name matches a pattern, in which `*` stands for any text, none included, and `?` for any one
/// character. Capital and small letters differ.
///
/// ```
/// assert!(settings::glob::matches("h1*", "h17") && settings::glob::matches("h1*", "h1"));
/// assert!(!settings::glob::matches("h?", "h17"));
/// ```
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    // The rest of the pattern after the last `*`, and the rest of the name that this `*` does not stand for yet.
    let mut retry = None;
    loop {
        let before = name.clone();
        match (pattern.next(), name.next()) {
            (Some('*'), _) => {
                name = before.clone();
                retry = Some((pattern.clone(), before));
            }
            (None, None) => return true,
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            _ => {
                let Some((after, unmatched)) = &mut retry else { return false };
                if unmatched.next().is_none() {
                    return false;
                }
                (pattern, name) = (after.clone(), unmatched.clone());
            }
        }
    }
}

/// Returns true if a pattern can match several names: it has a wildcard.
#[must_use]
pub fn is_wild(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_any_text_or_one_character() {
        let cases = [
            ("h1", ["h1"].as_slice(), ["h", "h11", "H1", ""].as_slice()),
            ("h1*", &["h1", "h17"], &["h2", "xh1"]),
            ("h?", &["h1", "hé"], &["h", "h17"]),
            ("*", &["", "leaf1"], &[]),
            ("*.r1", &["g1.r1", "a.r1.r1"], &["g1.r11", "r1"]),
            ("g*.r?", &["g12.r3", "g.r.r3"], &["g12.r13", "g12"]),
            ("a*b*c", &["abc", "aXbXbXc", "abcc"], &["acb", "ab", "abcd"]),
            ("**", &["", "x"], &[]),
            ("", &[""], &["x"]),
        ];
        for (pattern, alike, others) in cases {
            assert!(alike.iter().all(|name| matches(pattern, name)), "{pattern}");
            assert!(!others.iter().any(|name| matches(pattern, name)), "{pattern}");
        }
        assert_eq!(["h1", "h*", "h?"].map(is_wild), [false, true, true]);
    }

    #[test]
    fn many_wildcards_do_not_take_exponential_time() {
        let name = "a".repeat(5000);
        assert!(!matches(&"*a".repeat(50).replace("a*", "ab*"), &name));
        assert!(matches(&"*a".repeat(50), &name));
    }
}
