//! Names of files and folders: those that others give, and those that are made of other names.
//!
//! Invariant: an accepted name leads to no place outside of the folder that it starts from, on any system, and so does a name
//! that is made here.

use crate::rule;

/// Longest name of a file or folder that is made here, in characters.
pub const LONGEST: usize = 120;
/// The same in bytes: file systems allow 255, and temporary files have longer names.
const MOST_BYTES: usize = 200;

/// Returns true if a name leads to a file in the folder that it starts from, or in a folder below: parts separated by `/`, none
/// of them empty, `.` or `..`.
///
/// ```
/// use names::file::stays_below;
/// assert!(stays_below("sizes.csv") && stays_below("traces/web/sizes.csv"));
/// assert!(!stays_below("../sizes.csv") && !stays_below("/sizes.csv") && !stays_below("traces/"));
/// ```
#[must_use]
pub fn stays_below(name: &str) -> bool {
    name.split('/').all(is_part)
}

/// Returns true if a name leads to a file or folder in the folder that it starts from, and not below one in it.
#[must_use]
pub fn is_part(name: &str) -> bool {
    // `\\` separates folders on some systems, and `:` names a drive or a stream there.
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', ':', '\0'])
}

/// Returns a name for a file or folder that is made of a text: with characters replaced that a path, a shell or a terminal would
/// take for something else. The rest of a long one is left out, and `rest` of the whole text stands for it.
#[must_use]
pub fn made_of(text: &str, rest: impl FnOnce(&str) -> String) -> String {
    let is_quote = |letter: &char| "\"'".contains(*letter);
    // Fillers of Hangul are letters that cannot be seen.
    let stays =
        |letter: char| letter.is_alphanumeric() && rule::is_plain(letter) || "-_+.,=".contains(letter);
    let plain = |letter: char| if stays(letter) { letter } else { '_' };
    let name: String = text.chars().filter(|letter| !is_quote(letter)).map(plain).collect();
    let name = match name.chars().next() {
        // A name of dots alone leads to another folder, a leading dot hides one, and programs take a leading `-` for an option.
        None | Some('.' | '-') => format!("_{}", name.get(1..).unwrap_or_default()),
        Some(_) => name,
    };
    if name.chars().count() <= LONGEST && name.len() <= MOST_BYTES {
        return name;
    }
    let end = format!("~{}", rest(text));
    let (letters, bytes) = (LONGEST - end.chars().count(), MOST_BYTES - end.len());
    let kept = name.char_indices().take(letters).take_while(|(at, letter)| at + letter.len_utf8() <= bytes);
    kept.map(|(_, letter)| letter).chain(end.chars()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hostile;

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
        assert!(is_part("a.b") && !is_part("a/b") && !is_part(".."));
    }

    #[test]
    fn a_name_is_made_of_any_text() {
        let of = |text: &str| made_of(text, |_| "12345678".to_owned());
        assert_eq!(of("victim,duration=\"1 s\""), "victim,duration=1_s");
        assert_eq!(of("../a b"), "_._a_b");
        assert_eq!(of(".."), "_.");
        assert_eq!(of("-rf"), "_rf");
        assert_eq!(of(""), "_");
        assert_eq!(of(&"x".repeat(121)), format!("{}~12345678", "x".repeat(111)));
        assert!(of(&"节".repeat(120)).len() <= MOST_BYTES);
    }

    proptest! {
        #[test]
        fn no_text_leads_out_of_the_folder(text in hostile::texts()) {
            let name = made_of(&text, |_| "0".repeat(8));
            prop_assert!(is_part(&name) && !name.starts_with(['.', '-', '~']), "{}", name);
            prop_assert!(name.len() <= MOST_BYTES && name.chars().count() <= LONGEST);
            prop_assert_eq!(rule::check(&name), Ok(()));
            prop_assert!(!name.contains(char::is_whitespace));
        }
    }
}
