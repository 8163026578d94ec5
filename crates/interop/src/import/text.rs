//! Texts as files of other people hold them: with bytes that are no UTF-8, in UTF-16, with the colours of a terminal,
//! and with prompts and messages of tools among the output.
//!
//! Invariant: lines keep their numbers, and every omission or replacement has an entry in the account. Commands that
//! set something (`mlxconfig`, `ibccconfig`, `echo`) stay, without their prompt.
//!
//! | in the file | in the text |
//! |---|---|
//! | UTF-16 with its mark (PowerShell), mark of UTF-8, CR before LF | UTF-8 without mark, LF |
//! | bytes that are no UTF-8 | U+FFFD: approximated |
//! | escape sequences, backspaces | none: not used |
//! | `ibwarn: [..] ..`, `user@host:~$ ibnetdiscover`, `Script started on ..` | empty lines: not used |

use super::account::{KeyAccount, KeyFate};

/// A text, and the differences from its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenText {
    /// The text.
    pub text: String,
    /// Entries of replacements and omissions.
    pub account: Vec<KeyAccount>,
}

/// Character in the place of bytes that are no text.
const REPLACED: char = '\u{fffd}';
const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
const BACKSPACE: char = '\u{8}';
/// Beginnings of lines that tools and terminals write beside the output.
const BESIDE: [&str; 7] = [
    "ibwarn:",
    "ibpanic:",
    "ibdebug:",
    "Script started on",
    "Script done on",
    "[sudo] password",
    "Last login:",
];
/// Programs with commands that are settings.
const THAT_SET: [&str; 4] = ["mlxconfig", "mstconfig", "ibccconfig", "echo"];

impl GivenText {
    /// Makes a text of the bytes of a file; `None` if it is none.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let (text, replaced) = decoded(bytes)?;
        let mut given = Self::default();
        if let Some((count, line)) = replaced {
            let what = format!("bytes that are no UTF-8, the first in line {line}, stand as {REPLACED}");
            given.note("(bytes)", count, KeyFate::Approximated, what);
        }
        let (text, escapes) =
            if text.bytes().any(is_of_terminal) { without_escapes(&text) } else { (text, 0) };
        if escapes > 0 {
            given.note(
                "(escapes)",
                escapes,
                KeyFate::NotUsed,
                "colours and corrections of a terminal".to_owned(),
            );
        }
        given.text.reserve(text.len());
        let (mut beside, mut first) = (0, 0);
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let own = line.trim_end_matches('\n').trim_end_matches('\r');
            if let Some(left) = without_terminal(own) {
                given.text.push_str(&left);
                beside += 1;
                first = if first == 0 { number } else { first };
            } else {
                given.text.push_str(own);
            }
            given.text.push_str(if line.ends_with('\n') { "\n" } else { "" });
        }
        if beside > 0 {
            let what = format!("prompts and messages of tools among the output, the first in line {first}");
            given.note("(terminal)", beside, KeyFate::NotUsed, what);
        }
        Some(given)
    }

    fn note(&mut self, key: &str, count: usize, fate: KeyFate, what: String) {
        self.account.push(KeyAccount::new(key, count.to_string(), fate, what));
    }
}

/// Number of sequences that were replaced, and the line of the first.
type Replaced = Option<(usize, usize)>;

/// Decodes a text; `None` for bytes that are none: those of a text have no zero.
fn decoded(bytes: &[u8]) -> Option<(String, Replaced)> {
    for (mark, number) in
        [([0xFF, 0xFE], u16::from_le_bytes as fn([u8; 2]) -> u16), ([0xFE, 0xFF], u16::from_be_bytes)]
    {
        if let Some(rest) = bytes.strip_prefix(&mark) {
            let units = rest.chunks(2).map(|pair| match pair {
                [one, other] => number([*one, *other]),
                // Half a character at the end of a file that was cut.
                _ => 0xFFFD,
            });
            return Some(collected(char::decode_utf16(units).map(Result::ok)));
        }
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.contains(&0) {
        return None;
    }
    if let Ok(text) = str::from_utf8(bytes) {
        return Some((text.to_owned(), None));
    }
    let chunks = bytes.utf8_chunks().flat_map(|chunk| {
        let wrong = (!chunk.invalid().is_empty()).then_some(None);
        chunk.valid().chars().map(Some).chain(wrong)
    });
    Some(collected(chunks))
}

/// Joins characters, with a replacement for those that are none.
fn collected(letters: impl Iterator<Item = Option<char>>) -> (String, Replaced) {
    let (mut text, mut replaced, mut line) = (String::new(), None, 1);
    for letter in letters {
        line += usize::from(letter == Some('\n'));
        if letter.is_none() {
            replaced = Some(replaced.map_or((1, line), |(count, first)| (count + 1, first)));
        }
        text.push(letter.unwrap_or(REPLACED));
    }
    (text, replaced)
}

/// Returns true for the bytes of [`ESCAPE`] and [`BACKSPACE`].
const fn is_of_terminal(byte: u8) -> bool {
    byte == ESCAPE as u8 || byte == BACKSPACE as u8
}

/// Takes the escape sequences of terminals (ECMA-48) out of a text, and the letters before backspaces.
fn without_escapes(text: &str) -> (String, usize) {
    let (mut plain, mut count) = (String::with_capacity(text.len()), 0);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == BACKSPACE {
            count += 1;
            if !plain.ends_with('\n') {
                plain.pop();
            }
            continue;
        }
        if letter != ESCAPE {
            plain.push(letter);
            continue;
        }
        count += 1;
        match letters.next_if(|next| *next != '\n') {
            // A sequence with parameters ends at a letter of this range, and one that a line cuts at its end.
            Some('[') => {
                while letters.next_if(|next| *next != '\n').is_some_and(|next| !('@'..='~').contains(&next)) {
                }
            }
            // A command for the window ends at a bell or at the next escape sequence.
            Some(']') => {
                while letters.next_if(|next| ![ESCAPE, '\n'].contains(next)).is_some_and(|next| next != BELL)
                {
                }
            }
            _ => {}
        }
    }
    (plain, count)
}

/// Returns a line without the additions of a terminal or a tool; `None` if there are none, or if they say something.
fn without_terminal(line: &str) -> Option<String> {
    let text = line.trim_start();
    if BESIDE.iter().any(|beginning| text.starts_with(beginning)) || text.contains(": iberror: ") {
        return Some(String::new());
    }
    let command = behind_prompt(text)?;
    // The prompt says which switch's neighbours follow.
    if command.contains("lldp") {
        return None;
    }
    let mut words = command.split_whitespace().skip_while(|word| *word == "sudo");
    let program = words.next().unwrap_or_default();
    let sets = THAT_SET.contains(&program.rsplit('/').next().unwrap_or(program));
    // Blanks in the place of the prompt leave each letter in its column.
    Some(if sets { " ".repeat(line.len() - command.len()) + command } else { String::new() })
}

/// Returns the command behind a shell's prompt: `[user@host dir]# `, `user@host:dir$ `, `$ `, `PS C:\> `.
fn behind_prompt(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("$ ") {
        return Some(rest);
    }
    if let Some(rest) = line.strip_prefix("PS ") {
        return rest.split_once('>').map(|(_, command)| command).filter(|_| rest.contains(":\\"));
    }
    let end = if line.starts_with('[') {
        line.find(']')? + 1
    } else if line.starts_with(|first: char| first.is_alphanumeric() || first == '_') {
        // Byte by byte: long files have many lines, none of them a prompt.
        let ends = |byte: u8| matches!(byte, b'$' | b'#' | b'%');
        let first = line.bytes().position(|byte| ends(byte) || byte.is_ascii_whitespace())?;
        Some(first)
            .filter(|first| ends(line.as_bytes()[*first]) && !line[..*first].contains(char::is_whitespace))?
    } else {
        return None;
    };
    let (prompt, rest) = line.split_at(end);
    let command = rest.strip_prefix(['$', '#', '%']).filter(|_| prompt.contains('@'))?;
    (command.is_empty() || command.starts_with(char::is_whitespace)).then_some(command)
}
