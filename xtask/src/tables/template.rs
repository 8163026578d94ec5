//! Blocks of pages whose numbers files have: tables and paragraphs, with a placeholder for each number.
//!
//! Invariant: words are the page's own. A block is written anew only if the page has all text between the placeholders, so that
//! no edit of a page is undone.
//!
//! | placeholder | a number of |
//! |---|---|
//! | `{PAPER CLAIM; FORM}` | `repro-PAPER/claims.csv`; `CLAIM#2` is the second number of the claim, `CLAIM @ RUN` that under another run |
//! | `{FILE; COLUMN=VALUE & ...; COLUMN; FORM}` | the one row of a file with these values |
//!
//! A form is the number of decimals, and then, in this order, where wanted:
//!
//! | sign | meaning |
//! |---|---|
//! | `*F`, `/F` | multiplied, or divided, by F |
//! | `d` | the difference of the claim, with its sign |
//! | `r` | the range of all numbers of the claim |
//! | `~` | half the width of the interval behind it, unless that is rounded to zero; of a range the widest |
//! | `!` | bold if the claim does not hold |

use core::ops::Range;

use super::csv::Csv;

/// The files that placeholders name.
pub(super) trait Files {
    /// Returns the file of this path below the folder of the results.
    fn file(&mut self, path: &str) -> Result<&Csv, String>;
}

/// A block of a page: a whole table, or other lines that follow each other.
pub(super) struct Block<'a> {
    text: &'a str,
}

/// A piece of a block.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Words(&'a str),
    Number(&'a str),
}

/// Returns the blocks of a file of templates.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    text.split("\n\n").map(|text| Block { text: text.trim_matches('\n') }).filter(|one| !one.text.is_empty())
}

impl<'a> Block<'a> {
    /// Returns the beginning, as messages name the block.
    pub(super) fn name(&self) -> &'a str {
        let line = self.text.lines().next().unwrap_or_default();
        let short = line.char_indices().nth(60).map_or(line, |(at, _)| &line[..at]);
        short.split('{').next().unwrap_or_default()
    }

    fn pieces(&self) -> Result<Vec<Piece<'a>>, String> {
        let mut pieces = Vec::new();
        let mut rest = self.text;
        while let Some((words, behind)) = rest.split_once('{') {
            let (number, behind) = behind
                .split_once('}')
                .ok_or_else(|| format!("`{}` has a brace that is open", self.name()))?;
            pieces.extend([Piece::Words(words), Piece::Number(number)]);
            rest = behind;
        }
        pieces.push(Piece::Words(rest));
        Ok(pieces)
    }

    /// Returns the papers and runs of the placeholders, as the names of their folders.
    pub(super) fn folders(&self) -> Result<Vec<String>, String> {
        let numbers = self.pieces()?.into_iter().filter_map(|piece| match piece {
            Piece::Number(number) => Some(number),
            Piece::Words(_) => None,
        });
        numbers.map(|number| Ok(Placeholder::read(number)?.folder())).collect()
    }

    /// Returns the place of the block in a page: the bytes from its first line to its last.
    pub(super) fn place(&self, name: &str, page: &str) -> Result<Range<usize>, String> {
        let lines = self.text.lines().count();
        // A table is there as a whole.
        let is_table = self.text.lines().nth(1).is_some_and(|line| line.trim_start().starts_with("|---"));
        let starts: Vec<_> =
            core::iter::once(0).chain(page.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut found = None;
        for window in starts.windows(lines + 1) {
            let place = window[0]..window[lines] - 1;
            let goes_on = is_table && page[window[lines]..].trim_start_matches(" ").starts_with("|");
            if goes_on || !self.has_words_of(&page[place.clone()])? {
                continue;
            }
            if found.replace(place).is_some() {
                return Err(format!("{name} has the block `{}` twice", self.name()));
            }
        }
        found.ok_or_else(|| {
            format!(
                "{name} and its file in xtask/src/tables/ have other words in the block `{}`: write them in both, and let \
                 `cargo xtask tables` write the numbers",
                self.name()
            )
        })
    }

    /// Returns true if the text is that of the block, whatever its numbers.
    fn has_words_of(&self, text: &str) -> Result<bool, String> {
        let pieces = self.pieces()?;
        let words: Vec<_> = pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Words(words) => Some(*words),
                Piece::Number(_) => None,
            })
            .collect();
        let (first, others) = words.split_first().expect("a block has words");
        let Some(mut rest) = text.strip_prefix(first) else {
            return Ok(false);
        };
        let Some((last, between)) = others.split_last() else {
            return Ok(rest.is_empty());
        };
        for words in between {
            // A number has digits, signs and a few words, and no line break.
            match rest.find(words).filter(|at| !rest[..*at].contains('\n')) {
                Some(at) => rest = &rest[at + words.len()..],
                None => return Ok(false),
            }
        }
        Ok(rest.ends_with(last) && !rest[..rest.len() - last.len()].contains('\n'))
    }

    /// Returns the block with its numbers.
    pub(super) fn filled(&self, files: &mut impl Files) -> Result<String, String> {
        let mut text = String::new();
        for piece in self.pieces()? {
            match piece {
                Piece::Words(words) => text += words,
                Piece::Number(number) => {
                    let value = Placeholder::read(number).and_then(|place| place.value(files));
                    text += &value.map_err(|fault| format!("{{{number}}}: {fault}"))?;
                }
            }
        }
        Ok(text)
    }
}

/// A number of a file, and its form.
struct Placeholder<'a> {
    place: Place<'a>,
    form: Form,
}

enum Place<'a> {
    Claim { paper: &'a str, claim: &'a str, number: Option<&'a str>, under: &'a str },
    Cell { file: &'a str, at: Vec<(&'a str, &'a str)>, column: &'a str },
}

/// The looks of a number.
struct Form {
    decimals: usize,
    factor: f64,
    difference: bool,
    range: bool,
    interval: bool,
    bold: bool,
}

/// A number, half the width of its interval, and the verdict on its claim.
struct Found {
    mean: f64,
    half: Option<f64>,
    fails: bool,
}

impl<'a> Placeholder<'a> {
    fn read(text: &'a str) -> Result<Self, String> {
        let fields: Vec<_> = text.split(';').map(str::trim).collect();
        let fault = || {
            format!("`{text}` is neither `PAPER CLAIM; FORM` nor `FILE; COLUMN=VALUE & ...; COLUMN; FORM`")
        };
        match fields[..] {
            [claim, form] => {
                let (paper, claim) = claim.split_once(' ').ok_or_else(fault)?;
                let (claim, under) = claim.split_once(" @ ").unwrap_or((claim, ""));
                let (claim, number) =
                    claim.split_once('#').map_or((claim, None), |(claim, number)| (claim, Some(number)));
                let place = Place::Claim { paper, claim, number, under };
                Ok(Self { place, form: Form::read(form)? })
            }
            [file, at, column, form] => {
                let pairs: Option<Vec<_>> = at.split(" & ").map(|pair| pair.split_once('=')).collect();
                let place = Place::Cell { file, at: pairs.ok_or_else(fault)?, column };
                Ok(Self { place, form: Form::read(form)? })
            }
            _ => Err(fault()),
        }
    }

    fn folder(&self) -> String {
        match &self.place {
            Place::Claim { paper, .. } => format!("repro-{paper}"),
            Place::Cell { file, .. } => file.split('/').next().unwrap_or_default().to_owned(),
        }
    }

    fn value(&self, files: &mut impl Files) -> Result<String, String> {
        let found = match &self.place {
            Place::Claim { paper, claim, number, under } => {
                let file = files.file(&format!("repro-{paper}/claims.csv"))?;
                let mut at = vec![("claim", *claim), ("under", *under)];
                at.extend(number.map(|number| ("number", number)));
                let column = if self.form.difference { "difference" } else { "measured" };
                numbers(file, &at, column)
            }
            Place::Cell { file, at, column } => numbers(files.file(file)?, at, column),
        };
        self.form.text(&found)
    }
}

/// Returns the numbers of the rows with these fields.
fn numbers(file: &Csv, at: &[(&str, &str)], column: &str) -> Vec<Found> {
    let half = format!("{column}_ci95");
    let number = |row: &[String], column: &str| file.field(row, column)?.parse::<f64>().ok();
    file.rows_at(at)
        .filter_map(|row| {
            let mean = number(row, column)?;
            let fails = matches!(file.field(row, "verdict"), Some("KNOWN" | "FAIL"));
            Some(Found { mean, half: number(row, &half), fails })
        })
        .collect()
}

impl Form {
    fn read(text: &str) -> Result<Self, String> {
        let fault = || format!("`{text}` is no form of a number");
        let digits = text.chars().take_while(char::is_ascii_digit).count();
        let mut rest = &text[digits..];
        let mut form = Self {
            decimals: text[..digits].parse().map_err(|_| fault())?,
            factor: 1.0,
            difference: false,
            range: false,
            interval: false,
            bold: false,
        };
        if let Some(sign @ ('*' | '/')) = rest.chars().next() {
            let end = rest[1..].find(|letter: char| !letter.is_ascii_digit() && letter != '.');
            let (factor, behind) = rest[1..].split_at(end.unwrap_or(rest.len() - 1));
            let factor: f64 = factor.parse().map_err(|_| fault())?;
            form.factor = if sign == '*' { factor } else { 1.0 / factor };
            rest = behind;
        }
        for (sign, set) in [
            ('d', &mut form.difference),
            ('r', &mut form.range),
            ('~', &mut form.interval),
            ('!', &mut form.bold),
        ] {
            if let Some(behind) = rest.strip_prefix(sign) {
                (*set, rest) = (true, behind);
            }
        }
        if rest.is_empty() { Ok(form) } else { Err(fault()) }
    }

    fn text(&self, found: &[Found]) -> Result<String, String> {
        if found.is_empty() || (found.len() > 1 && !self.range) {
            return Err(format!("the file has {} such numbers", found.len()));
        }
        let decimals = self.decimals;
        let number = |value: f64| grouped(&format!("{:.decimals$}", value * self.factor));
        let of = |order: fn(f64, f64) -> f64| found.iter().map(|one| one.mean).reduce(order).map(number);
        let (low, high) = (of(f64::min).unwrap_or_default(), of(f64::max).unwrap_or_default());
        let mut text = if low == high { low } else { format!("{low} to {high}") };
        if self.difference && !text.starts_with('-') {
            text.insert(0, '+');
        }
        let widest = found.iter().filter_map(|one| one.half).reduce(f64::max).map(number);
        if let Some(half) =
            widest.filter(|half| self.interval && half.contains(|digit| ('1'..='9').contains(&digit)))
        {
            text += &format!(" ± {half}");
        }
        Ok(if self.bold && found.iter().any(|one| one.fails) { format!("**{text}**") } else { text })
    }
}

/// Returns a number with commas between its thousands.
fn grouped(number: &str) -> String {
    let start = number.find(|letter: char| letter.is_ascii_digit()).unwrap_or_default();
    let end = number.find('.').unwrap_or(number.len());
    let mut text = number.to_owned();
    let mut at = end;
    while at > start + 3 {
        at -= 3;
        text.insert(at, ',');
    }
    // A zero has no sign.
    if text.contains(|letter: char| ('1'..='9').contains(&letter)) {
        text
    } else {
        text.trim_start_matches('-').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One(Csv);

    impl Files for One {
        fn file(&mut self, path: &str) -> Result<&Csv, String> {
            if path == "repro-a/claims.csv" { Ok(&self.0) } else { Err(format!("no {path}")) }
        }
    }

    const CLAIMS: &str = "claim,under,number,measured,measured_ci95,difference,difference_ci95,verdict\n\
                          sum,,1,0.9251,0.0031,-0.0004,0.02,KNOWN\n\
                          sum,off,1,17946.9,,,,FAIL\n\
                          each,,1,0.25,0,,,PASS\n\
                          each,,2,0.3,0.04,,,PASS\n";

    fn filled(text: &str) -> Result<String, String> {
        blocks(text).next().expect("a block").filled(&mut One(Csv::parsed(CLAIMS)))
    }

    #[test]
    fn numbers_have_their_form() {
        for (placeholder, text) in [
            ("a sum; 2", "0.93"),
            ("a sum; 3~!", "**0.925 ± 0.003**"),
            ("a sum; 2~", "0.93"),
            ("a sum; 3d~", "+0.000 ± 0.020"),
            ("a sum; 1*100", "92.5"),
            ("a sum @ off; 0", "17,947"),
            ("a sum @ off; 1/1000", "17.9"),
            ("a each; 2r~!", "0.25 to 0.30 ± 0.04"),
            ("a each#2; 1", "0.3"),
            ("repro-a/claims.csv; claim=each & number=2; measured; 1~", "0.3"),
        ] {
            assert_eq!(filled(&format!("| {{{placeholder}}} |")), Ok(format!("| {text} |")), "{placeholder}");
        }
        for (placeholder, fault) in [
            ("a each; 2", "2 such numbers"),
            ("a none; 2", "0 such numbers"),
            ("b sum; 2", "no repro-b/claims.csv"),
            ("a sum; 2x", "no form"),
            ("a sum", "neither"),
        ] {
            let found = filled(&format!("{{{placeholder}}}")).expect_err(placeholder);
            assert!(found.contains(fault), "{placeholder}: {found}");
        }
    }

    #[test]
    fn a_block_is_found_by_its_words() {
        let template = "| a | b |\n|---|---|\n| sum | {a sum; 2} |";
        let block = blocks(template).next().expect("a block");
        let page = "Before.\n\n| a | b |\n|---|---|\n| sum | 0.5 |\n\nAfter.\n";
        let place = block.place("page", page).expect("the words are there");
        assert_eq!(&page[place], "| a | b |\n|---|---|\n| sum | 0.5 |");
        for other in [
            page.replace("sum", "the sum"),
            page.replace("0.5 |", "0.5 |\n| more | 1 |"),
            page.replace("After.", "| a | b |\n|---|---|\n| sum | 0.6 |"),
        ] {
            assert!(block.place("page", &other).is_err(), "{other}");
        }
    }
}
