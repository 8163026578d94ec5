//! Random changes of a file: bytes, words, numbers, lines, and parts of other files of the same format.
//!
//! Invariant: the same seed makes the same files, of valid UTF-8.

/// Parts of no format in particular, and numbers at the edges of their types.
const PARTS: [&str; 44] = [
    "",
    "-1",
    "0",
    "00",
    "1e9",
    "0.5",
    "1.0000001",
    "NaN",
    "inf",
    "0x",
    "0xffff",
    "0xC000",
    "15",
    "16",
    "127",
    "128",
    "254",
    "255",
    "256",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "1e400",
    "\"",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ":",
    ",",
    "#",
    "=",
    "->",
    "\n",
    "\r\n",
    "\u{e9}\u{1f980}",
];
/// Largest number of times that a line is repeated.
const REPEATS: usize = 40;

/// Random numbers (SplitMix64).
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    /// Draws a number from 0 to `end - 1`, and 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// The files that a reader's changed files begin with, and their words.
pub(crate) struct Seeds {
    files: Vec<String>,
    words: Vec<String>,
}

impl Seeds {
    pub(crate) fn new(files: Vec<String>) -> Self {
        let mut words: Vec<String> = files.iter().flat_map(|file| words_of(file)).collect();
        words.sort_unstable();
        words.dedup();
        Self { files, words }
    }

    /// Returns the files themselves, which every reader accepts.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    /// Writes a changed file over `text`: a seed with a single change, seldom with up to eight.
    pub(crate) fn change(&self, draws: &mut Draws, text: &mut Vec<u8>) {
        text.clear();
        text.extend_from_slice(self.file(draws).as_bytes());
        let changes = if draws.below(2) == 0 { 1 } else { 1 + draws.below(8) };
        for _ in 0..changes {
            let part = PARTS[draws.below(PARTS.len())];
            match draws.below(12) {
                0 => replace_byte(text, draws),
                1 => copy_range(text, draws),
                2 | 3 => change_line(text, draws),
                4..=6 => {
                    let word = &self.words[draws.below(self.words.len())];
                    replace_word(text, draws, word);
                }
                7 | 8 => replace_word(text, draws, part),
                9 => change_number(text, draws),
                10 => splice(text, self.file(draws).as_bytes(), draws),
                _ => insert(text, draws, part),
            }
        }
        if draws.below(64) == 0 {
            text.truncate(draws.below(text.len()));
        }
        if let Err(error) = core::str::from_utf8(text) {
            let valid = error.valid_up_to();
            let whole = String::from_utf8_lossy(&text[valid..]).into_owned();
            text.truncate(valid);
            text.extend_from_slice(whole.as_bytes());
        }
    }

    fn file(&self, draws: &mut Draws) -> &str {
        &self.files[draws.below(self.files.len())]
    }
}

/// Splits a file into words: runs of letters, digits, `_`, `.` and `-`, and single other characters.
fn words_of(file: &str) -> impl Iterator<Item = String> {
    let mut rest = file;
    core::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = rest.bytes().take_while(|byte| is_of_word(*byte)).count().max(first.len_utf8());
        let (word, behind) = rest.split_at(length);
        rest = behind;
        Some(word.to_owned())
    })
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn replace_byte(text: &mut Vec<u8>, draws: &mut Draws) {
    let at = draws.below(text.len() + 1);
    let to = (at + draws.below(3)).min(text.len());
    text.splice(at..to, [draws.below(256) as u8]);
}

fn copy_range(text: &mut Vec<u8>, draws: &mut Draws) {
    let from = draws.below(text.len() + 1);
    let part = text[from..(from + draws.below(60)).min(text.len())].to_vec();
    let at = draws.below(text.len() + 1);
    let to = (at + draws.below(30)).min(text.len());
    text.splice(at..to, part);
}

/// Removes, repeats or moves a line.
fn change_line(text: &mut Vec<u8>, draws: &mut Draws) {
    let (start, end) = line_at(text, draws);
    let line = text[start..end].to_vec();
    match draws.below(4) {
        0 => drop(text.drain(start..end)),
        1 => {
            text.splice(end..end, line);
        }
        2 => {
            let times = 1 + draws.below(REPEATS);
            text.splice(end..end, line.repeat(times));
        }
        _ => {
            text.drain(start..end);
            let (there, _) = line_at(text, draws);
            text.splice(there..there, line);
        }
    }
}

/// Returns the bytes of a line with its end.
fn line_at(text: &[u8], draws: &mut Draws) -> (usize, usize) {
    let at = draws.below(text.len());
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    let end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end + 1);
    (start, end)
}

fn word_at(text: &[u8], draws: &mut Draws) -> (usize, usize) {
    let at = draws.below(text.len());
    let before = text[..at].iter().rev().take_while(|byte| is_of_word(**byte)).count();
    let behind = text[at..].iter().take_while(|byte| is_of_word(**byte)).count();
    (at - before, (at + behind.max(1)).min(text.len()))
}

fn replace_word(text: &mut Vec<u8>, draws: &mut Draws, word: &str) {
    let (start, end) = word_at(text, draws);
    text.splice(start..end, word.bytes());
}

fn insert(text: &mut Vec<u8>, draws: &mut Draws, part: &str) {
    let at = draws.below(text.len() + 1);
    text.splice(at..at, part.bytes());
}

/// Changes a word that is a number by 1, twofold or by a digit; another word stays.
fn change_number(text: &mut Vec<u8>, draws: &mut Draws) {
    let (start, end) = word_at(text, draws);
    let number = core::str::from_utf8(&text[start..end]).ok().and_then(|word| word.parse::<u64>().ok());
    let Some(number) = number else { return };
    let number = match draws.below(4) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        2 => number.wrapping_mul(2),
        _ => number.wrapping_mul(10).wrapping_add(draws.below(10) as u64),
    };
    text.splice(start..end, number.to_string().into_bytes());
}

/// Puts the end of another file behind the beginning of this file.
fn splice(text: &mut Vec<u8>, other: &[u8], draws: &mut Draws) {
    let (cut, _) = line_at(text, draws);
    let (tail, _) = line_at(other, draws);
    text.truncate(cut);
    text.extend_from_slice(&other[tail..]);
}
