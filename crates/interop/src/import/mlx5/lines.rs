//! Lines of files with an adapter's parameters, in every form in which tools print or set them.
//!
//! Invariant: a line is a parameter with its values, a part of the tool's output that is known by its beginning, or a
//! fault. Nothing behind a value is passed over, except for a comment.
//!
//! | form | example |
//! |---|---|
//! | name and value | `rpg_time_reset 300`, `RPG_TIME_RESET_P1 = 300` |
//! | driver's folder or debugfs by `grep -r .` | `/sys/class/net/eth0/ecn/roce_rp/enable/3:1` |
//! | `echo`, as scripts write into these folders | `echo 300 > /sys/class/net/eth0/ecn/roce_rp/rpg_time_reset` |
//! | `mlxconfig query` | a head, then `RPG_TIME_RESET_P1  300  300  300` below the names of the columns |
//! | `mlxconfig set` | `mlxconfig -d DEV -y set RPG_TIME_RESET_P1=300 RPG_AI_RATE_P1=5` |

use std::collections::BTreeSet;

use super::table::{concerns_dcqcn, is_of_firmware};
use crate::import::source::{Part, SourceText};
use scenario::Diagnostic;

/// A parameter as a line has it.
pub(super) struct Entry<'a> {
    /// Name without a folder.
    pub(super) name: Part<'a>,
    /// Folders before the name, as far as the line has them.
    pub(super) folder: &'a str,
    /// The value that holds now, or that the line sets.
    pub(super) value: Part<'a>,
    /// The value from the next restart on, if the line has it beside the present value.
    pub(super) next: Option<Part<'a>>,
    /// Number of the device in the output of `mlxconfig`; 0 where a file names none.
    pub(super) device: usize,
}

/// The entries of a file, and the meaning of their columns.
pub(super) struct Entries<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    /// The values hold from the next restart on: `mlxconfig` printed no others, or sets them.
    pub(super) from_next_boot: bool,
    /// Parameters of the firmware that do not concern DCQCN, or have no value (`N/A`).
    pub(super) others: BTreeSet<&'a str>,
}

/// A column of `mlxconfig`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Default,
    Current,
    NextBoot,
    New,
}

/// Beginnings of lines in the head and at the end of the output of `mlxconfig`.
const OF_THE_TOOL: [&str; 14] = [
    "Device #",
    "Device type:",
    "Device:",
    "Name:",
    "Description:",
    "Part Number:",
    "PSID:",
    "-----",
    "The '*' shows",
    "Apply new Configuration?",
    "Applying...",
    "-I-",
    "-W-",
    "-E-",
];

const PLAIN: &str = "write a name and its value: `rpg_time_reset 300`";

/// Reads the lines of a file.
pub(super) fn read(source: SourceText<'_>) -> Result<Entries<'_>, Diagnostic> {
    let mut reader = Reader {
        source,
        columns: None,
        device: 0,
        continued: false,
        found: Entries { entries: Vec::new(), from_next_boot: false, others: BTreeSet::new() },
    };
    for line in source.lines() {
        reader.line(line)?;
    }
    Ok(reader.found)
}

struct Reader<'a> {
    source: SourceText<'a>,
    /// Columns below which values stand, once a head has named them.
    columns: Option<Vec<Column>>,
    device: usize,
    /// The line before was a command of `mlxconfig set` that goes on here.
    continued: bool,
    found: Entries<'a>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: Part<'a>) -> Result<(), Diagnostic> {
        let line = without_comment(line);
        if line.text.is_empty() {
            return Ok(());
        }
        if let Some(titles) = line.behind("Configurations:") {
            self.columns = Some(self.columns(titles)?);
            return Ok(());
        }
        if OF_THE_TOOL.iter().any(|beginning| line.text.starts_with(beginning)) {
            self.device += usize::from(line.text.starts_with("Device #"));
            return Ok(());
        }
        let words: Vec<Part<'a>> = line.words().collect();
        let program = words.iter().position(|word| is_program(word.text));
        if let Some(at) = program.filter(|at| *at <= 1) {
            return self.command(&words[at + 1..], line);
        }
        if self.continued {
            return self.assignments(&words, line);
        }
        if words[0].text == "echo" {
            return self.echo(&words, line);
        }
        // A star marks values that the next restart changes, `RO` those that nobody can set.
        let marks = words.iter().take_while(|word| ["*", "RO", "-"].contains(&word.text)).count();
        let Some(first) = words.get(marks) else {
            return Err(self.source.wrong(&line.range(), "this is not a parameter and its value", PLAIN));
        };
        self.row(*first, line)
    }

    /// Reads the names of the columns, behind `Configurations:`.
    fn columns(&self, titles: Part<'_>) -> Result<Vec<Column>, Diagnostic> {
        let mut columns = Vec::new();
        let mut words = titles.words();
        while let Some(word) = words.next() {
            columns.push(match word.text {
                "Default" => Column::Default,
                "Current" => Column::Current,
                "New" => Column::New,
                "Next" if words.next().is_some_and(|boot| boot.text == "Boot") => Column::NextBoot,
                _ => {
                    let message = format!("`{}` is not a column of `mlxconfig`", word.text);
                    let help = "write what `mlxconfig -d DEV query` prints: Default, Current, Next Boot";
                    return Err(self.source.wrong(&word.range(), message, help));
                }
            });
        }
        if columns.is_empty() || columns == [Column::Default] {
            let help = "write what `mlxconfig -d DEV query` prints, without `-e` or with its three columns";
            return Err(self.source.wrong(&titles.range(), "no column has the values that hold", help));
        }
        Ok(columns)
    }

    /// Reads a command: `set` with its assignments. A query has no values.
    fn command(&mut self, words: &[Part<'a>], line: Part<'a>) -> Result<(), Diagnostic> {
        let verb = words.iter().position(|word| ["s", "set", "q", "query", "i"].contains(&word.text));
        match verb.map(|at| (words[at].text, &words[at + 1..])) {
            Some(("s" | "set", assignments)) => self.assignments(assignments, line),
            Some(_) => Ok(()),
            None => Err(self.source.wrong(
                &line.range(),
                "the command of `mlxconfig` neither queries nor sets",
                "write `mlxconfig -d DEV set RPG_AI_RATE_P1=5`, or what `mlxconfig -d DEV query` prints",
            )),
        }
    }

    /// Reads `NAME=VALUE` words, up to the end of the command; a backslash goes on in the next line.
    fn assignments(&mut self, words: &[Part<'a>], line: Part<'a>) -> Result<(), Diagnostic> {
        self.continued = words.last().is_some_and(|word| word.text == "\\");
        let last = words.len() - usize::from(self.continued);
        for word in &words[..last] {
            let Some((name, value)) = word.split('=').filter(|(_, value)| !value.text.is_empty()) else {
                let message = format!("`{}` is no assignment", word.text);
                return Err(self.source.wrong(&word.range(), message, "write `RPG_AI_RATE_P1=5`"));
            };
            self.found.from_next_boot = true;
            self.found.entries.push(Entry {
                name: name.trimmed(),
                folder: "",
                value: value.trimmed(),
                next: None,
                device: self.device,
            });
        }
        if last == 0 && !self.continued {
            return Err(self.source.wrong(
                &line.range(),
                "the command sets nothing",
                "write `RPG_AI_RATE_P1=5`",
            ));
        }
        Ok(())
    }

    /// Reads `echo VALUE > FILE`, or `echo VALUE | sudo tee FILE`.
    fn echo(&mut self, words: &[Part<'a>], line: Part<'a>) -> Result<(), Diagnostic> {
        let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
        let (value, file) = match texts[..] {
            ["echo", _, ">", _] => (words[1], words[3]),
            ["echo", _, "|", "sudo", "tee", _] => (words[1], words[5]),
            ["echo", _, "|", "tee", _] => (words[1], words[4]),
            _ => {
                let help = "write `echo 300 > /sys/class/net/eth0/ecn/roce_rp/rpg_time_reset`";
                return Err(self.source.wrong(&line.range(), "this command sets no parameter", help));
            }
        };
        let (name, folder) = without_folder(file);
        self.found.entries.push(Entry { name, folder, value, next: None, device: self.device });
        Ok(())
    }

    /// Reads a name and its values, with `=` or `:` between them or white space alone.
    fn row(&mut self, first: Part<'a>, line: Part<'a>) -> Result<(), Diagnostic> {
        let wrong = || self.source.wrong(&line.range(), "this is not a parameter and its value", PLAIN);
        // Folders of PCI devices have colons in their names: a mark stands behind the last folder.
        let own = first.text.rfind('/').map_or(0, |slash| slash + 1);
        let mark = first.text[own..].find(['=', ':']).map(|at| own + at);
        let path = first.at(mark.unwrap_or(first.text.len())).0;
        let (name, folder) = without_folder(path);
        let tail = line.at(path.range().end - line.start).1.trimmed();
        let is_mark = |letter: char| letter.is_whitespace() || letter == '=' || letter == ':';
        let behind = tail.text.trim_start_matches(is_mark);
        let values: Vec<Part<'a>> = tail.at(tail.text.len() - behind.len()).1.words().collect();
        let Some(first) = values.first().filter(|_| !name.text.is_empty()) else { return Err(wrong()) };
        if is_of_firmware(name.text) && !concerns_dcqcn(name.text) {
            // Their values may be lists, or words with blanks.
            self.found.others.insert(name.text);
            return Ok(());
        }
        let (value, next) = if is_of_firmware(name.text) {
            self.of_columns(&values, line)?
        } else if values.len() == 1 {
            (*first, None)
        } else {
            let message = format!("`{}` stands behind the value", values[1].text);
            let help = "write the value alone, in the vendor's unit, and a comment behind `#`";
            return Err(self.source.wrong(&values[1].range(), message, help));
        };
        if value.text == "N/A" {
            self.found.others.insert(name.text);
            return Ok(());
        }
        self.found.entries.push(Entry { name, folder, value, next, device: self.device });
        Ok(())
    }

    /// Returns the value that holds among the values of a row, and that of the next restart beside it.
    fn of_columns(
        &mut self,
        values: &[Part<'a>],
        line: Part<'a>,
    ) -> Result<(Part<'a>, Option<Part<'a>>), Diagnostic> {
        // Rows that were filtered out of the output have no head. The tool has no other form with three columns.
        let columns = match (&self.columns, values.len()) {
            (Some(columns), _) => columns.clone(),
            (None, 1) => vec![Column::Current],
            (None, 3) => vec![Column::Default, Column::Current, Column::NextBoot],
            (None, _) => {
                let help = "keep the line `Configurations:`, which names the columns";
                return Err(self.source.wrong(
                    &line.range(),
                    "the columns of these values are not known",
                    help,
                ));
            }
        };
        if columns.len() != values.len() {
            let message = format!("{} values stand below {} columns", values.len(), columns.len());
            let help = "write the row as `mlxconfig` prints it, with nothing behind it";
            return Err(self.source.wrong(&line.range(), message, help));
        }
        let of = |wanted: Column| columns.iter().position(|column| *column == wanted).map(|at| values[at]);
        let (new, current, next) = (of(Column::New), of(Column::Current), of(Column::NextBoot));
        self.found.from_next_boot |= new.is_some() || current.is_none();
        let value = new.or(current).or(next).ok_or_else(|| {
            self.source.wrong(&line.range(), "no column has the value that holds", "give `Current` as well")
        })?;
        Ok((value, next.filter(|next| current.is_some_and(|now| now.text != next.text))))
    }
}

/// Returns a line without the comment behind it, which white space precedes.
fn without_comment(line: Part<'_>) -> Part<'_> {
    let mut marks = line.text.match_indices('#').map(|(at, _)| at);
    let before = |at: &usize| line.text[..*at].chars().next_back().is_none_or(char::is_whitespace);
    // The head of the tool's output numbers devices.
    let end = marks.find(|at| before(at) && !line.text.starts_with("Device #"));
    end.map_or(line, |end| line.at(end).0.trimmed())
}

fn is_program(word: &str) -> bool {
    ["mlxconfig", "mstconfig"].contains(&word.rsplit('/').next().unwrap_or(word))
}

/// Splits a path before its last part. The switches of priorities, `enable/3`, keep their folder.
fn without_folder(path: Part<'_>) -> (Part<'_>, &str) {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let slash = match path.text.rsplit_once('/') {
        Some((before, last)) if is_number(last) => before.rfind('/').map_or(0, |at| at + 1),
        Some((before, _)) => before.len() + 1,
        None => 0,
    };
    let (folder, name) = path.at(slash);
    (name, folder.text)
}
