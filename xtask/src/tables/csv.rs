//! Files of comma-separated values as `backwater` writes them: a header, and fields with quotes where they have commas.
//!
//! Invariant: every row has a field for each column.

use std::fs;
use std::path::Path;

/// A file of comma-separated values.
pub(super) struct Csv {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Csv {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        fs::read_to_string(path)
            .map(|text| Self::parsed(&text))
            .map_err(|cause| format!("{}: {cause}: run `backwater repro` first", path.display()))
    }

    /// Returns the file of this text.
    pub(super) fn parsed(text: &str) -> Self {
        let mut lines = text.lines().map(fields);
        let header = lines.next().unwrap_or_default();
        Self { rows: lines.filter(|row| row.len() == header.len()).collect(), header }
    }

    /// Returns the values of a column, each once, in the order of the file.
    pub(super) fn distinct(&self, column: &str) -> Vec<&str> {
        let mut values: Vec<&str> = Vec::new();
        for row in &self.rows {
            if let Some(value) = self.field(row, column).filter(|value| !values.contains(value)) {
                values.push(value);
            }
        }
        values
    }

    /// Returns a number of the only row with these fields, rounded; else a description of the missing number.
    pub(super) fn rounded(&self, at: &[(&str, &str)], column: &str, digits: usize) -> Result<String, String> {
        let is_here =
            |row: &&Vec<String>| at.iter().all(|(column, value)| self.field(row, column) == Some(value));
        let mut found = self.rows.iter().filter(is_here);
        let number = found.next().and_then(|row| self.field(row, column)?.parse::<f64>().ok());
        match (number, found.next()) {
            (Some(number), None) => Ok(format!("{number:.digits$}")),
            _ => {
                let place: Vec<_> = at.iter().map(|(column, value)| format!("{column} {value}")).collect();
                Err(format!("{column} in exactly one row of {}", place.join(", ")))
            }
        }
    }

    /// Returns the rows with these fields.
    pub(super) fn rows_at(&self, at: &[(&str, &str)]) -> impl Iterator<Item = &[String]> {
        let is_here =
            move |row: &&Vec<String>| at.iter().all(|(column, value)| self.field(row, column) == Some(value));
        self.rows.iter().filter(is_here).map(Vec::as_slice)
    }

    /// Returns the field of a row in a column.
    pub(super) fn field<'a>(&'a self, row: &'a [String], column: &str) -> Option<&'a str> {
        let place = self.header.iter().position(|name| name == column)?;
        row.get(place).map(String::as_str)
    }
}

/// Returns the fields of a line. Quotes enclose fields with commas.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => fields.last_mut().expect("it is never empty").push(letter),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_enclose_commas() {
        let file = Csv::parsed("marking,jain\n\"next, 4 present\",0.5\nnaive,1\nnaive,2\n");
        assert_eq!(file.distinct("marking"), ["next, 4 present", "naive"]);
        assert_eq!(file.rounded(&[("marking", "next, 4 present")], "jain", 2).as_deref(), Ok("0.50"));
        assert!(file.rounded(&[("marking", "naive")], "jain", 2).is_err(), "two rows");
        assert!(file.rounded(&[("marking", "none")], "jain", 2).is_err());
    }
}
