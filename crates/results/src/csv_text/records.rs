//! The cells of each line of a CSV text.
//!
//! Invariant: a cell without quotes is a part of the text, not a copy.

use std::borrow::Cow;

/// A line of the text in cells, and the number of the line, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record<'t> {
    pub(super) cells: Vec<Cow<'t, str>>,
    pub(super) line: usize,
}

/// The lines of a text in order. Lines without any character are no records.
#[derive(Clone, Debug)]
pub(super) struct Records<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Records<'t> {
    /// Begins with the first line of a text.
    pub(super) const fn of(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// Reads the next line into `record`, and returns false at the end of the text.
    pub(super) fn read(&mut self, record: &mut Record<'t>) -> bool {
        record.cells.clear();
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && matches!(bytes[self.at], b'\n' | b'\r') {
            self.end_line();
        }
        record.line = self.line;
        if self.at == bytes.len() {
            return false;
        }
        loop {
            if self.at < bytes.len() && bytes[self.at] == b'"' {
                record.cells.push(self.quoted());
            } else {
                record.cells.push(Cow::Borrowed(self.bare()));
            }
            if self.at == bytes.len() {
                return true;
            }
            if bytes[self.at] != b',' {
                self.end_line();
                return true;
            }
            self.at += 1;
        }
    }

    /// Reads up to the end of the cell.
    fn bare(&mut self) -> &'t str {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        // Digits and letters are above the comma.
        while self.at < bytes.len()
            && (bytes[self.at] > b',' || !matches!(bytes[self.at], b',' | b'\n' | b'\r'))
        {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Reads a cell in quotes.
    fn quoted(&mut self) -> Cow<'t, str> {
        let (length, cell) = unquoted(&self.text[self.at + 1..]);
        let start = self.at;
        self.at += 1 + length;
        self.line += self.text[start..self.at].matches('\n').count();
        // A reader takes text after the closing quote as it is.
        match self.bare() {
            "" => cell,
            after => cell + after,
        }
    }

    /// Goes past the end of a line.
    fn end_line(&mut self) {
        let bytes = self.text.as_bytes();
        if bytes[self.at] == b'\r' && bytes.get(self.at + 1) == Some(&b'\n') {
            self.at += 1;
        }
        self.line += usize::from(bytes[self.at] == b'\n');
        self.at += 1;
    }
}

/// Returns the length of a text including its closing quote, and the text with each doubled quote made single.
fn unquoted(text: &str) -> (usize, Cow<'_, str>) {
    let (mut at, mut doubled) = (0, false);
    loop {
        let Some(quote) = text[at..].find('"').map(|length| at + length) else {
            let cell = if doubled { Cow::Owned(text.replace("\"\"", "\"")) } else { Cow::Borrowed(text) };
            return (text.len(), cell);
        };
        if !text[quote + 1..].starts_with('"') {
            let cell = &text[..quote];
            let cell = if doubled { Cow::Owned(cell.replace("\"\"", "\"")) } else { Cow::Borrowed(cell) };
            return (quote + 1, cell);
        }
        (at, doubled) = (quote + 2, true);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records(text: &str) -> Vec<(usize, Vec<String>)> {
        let (mut records, mut record, mut all) = (Records::of(text), Record::default(), Vec::new());
        while records.read(&mut record) {
            all.push((record.line, record.cells.iter().map(ToString::to_string).collect()));
        }
        all
    }

    #[test]
    fn records_know_their_line() {
        let text = "a,b\r\n\"x\ny\",\"z \"\"\"\n\n,\n1,2";
        let found: Vec<_> = records(text).into_iter().map(|(line, cells)| (line, cells.join("|"))).collect();
        let wanted = [(1, "a|b"), (2, "x\ny|z \""), (5, "|"), (6, "1|2")];
        assert_eq!(found, wanted.map(|(line, cells)| (line, cells.to_owned())));
    }

    proptest! {
        #[test]
        fn records_are_those_of_the_csv_crate(text in "([a,\n]|\r\n|\"[ab,\n]{0,3}(\"\")?b?\"){0,12}") {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let wanted: Vec<Vec<String>> = reader
                .records()
                .map(|record| record.unwrap().iter().map(str::to_owned).collect())
                .collect();
            let found: Vec<_> = records(&text).into_iter().map(|(_, cells)| cells).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
