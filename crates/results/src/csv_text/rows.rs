//! Typed rows of a CSV text.
//!
//! Invariant: a field is read from the column of its name, wherever that stands. A column that is not there, and an
//! empty cell, are a missing value, which only an optional field can have.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::de::{self, DeserializeOwned, DeserializeSeed, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::as_text;
use super::records::{Record, Records};

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    line: usize,
    message: String,
}

impl Display for RowFault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Returns the rows of a text; its first line names the columns.
/// # Errors
/// If a row has another number of cells than the first, or a cell is not a value of its field.
pub fn rows<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, RowFault> {
    let (mut records, mut header, mut record) = (Records::of(text), Record::default(), Record::default());
    records.read(&mut header);
    header.cells.iter_mut().for_each(as_text);
    let mut columns = Columns { header: &header.cells, of_fields: Vec::new() };
    let mut rows = Vec::new();
    while records.read(&mut record) {
        let fault = |message| RowFault { line: record.line, message };
        if record.cells.len() != header.cells.len() {
            let (cells, columns) = (record.cells.len(), header.cells.len());
            return Err(fault(format!("{cells} cells instead of {columns}")));
        }
        record.cells.iter_mut().for_each(as_text);
        let row = T::deserialize(Row { columns: &mut columns, cells: &record.cells });
        rows.push(row.map_err(|error| fault(error.0))?);
    }
    Ok(rows)
}

/// The columns of a text.
struct Columns<'h, 't> {
    header: &'h [Cow<'t, str>],
    /// For each field of the rows, its name and its column, if any; empty before the first row.
    of_fields: Vec<(&'static str, Option<usize>)>,
}

/// An error within a row.
#[derive(Debug)]
struct CellError(String);

impl Display for CellError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CellError {}

impl de::Error for CellError {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// A row that a struct is read from.
struct Row<'a, 'h, 't> {
    columns: &'a mut Columns<'h, 't>,
    cells: &'a [Cow<'t, str>],
}

impl<'de> de::Deserializer<'de> for Row<'_, '_, '_> {
    type Error = CellError;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CellError> {
        let Self { columns: Columns { header, of_fields }, cells } = self;
        if of_fields.is_empty() {
            let place = |field: &&'static str| (*field, header.iter().position(|column| column == field));
            *of_fields = fields.iter().map(place).collect();
        }
        visitor.visit_seq(Fields { cells, left: of_fields.iter() })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, CellError> {
        Err(CellError("a row is read as a struct".to_owned()))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The cells of a row in the order of the fields.
struct Fields<'a, 't> {
    cells: &'a [Cow<'t, str>],
    left: std::slice::Iter<'a, (&'static str, Option<usize>)>,
}

impl<'de> SeqAccess<'de> for Fields<'_, '_> {
    type Error = CellError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, CellError> {
        let Some((name, place)) = self.left.next() else { return Ok(None) };
        let text = place.map(|place| &*self.cells[place]);
        seed.deserialize(Cell { name, text }).map(Some)
    }
}

/// A cell; without a text if there is no column of its name.
#[derive(Clone, Copy)]
struct Cell<'a> {
    name: &'static str,
    text: Option<&'a str>,
}

impl<'a> Cell<'a> {
    fn text(self) -> Result<&'a str, CellError> {
        self.text.ok_or_else(|| CellError(format!("there is no column `{}`", self.name)))
    }

    fn parsed<T: FromStr>(self, what: &str) -> Result<T, CellError> {
        let text = self.text()?;
        text.parse().map_err(|_| CellError(format!("`{}` has `{text}`, which is no {what}", self.name)))
    }
}

/// Reads a cell as a value of this type.
macro_rules! parsed {
    ($($method:ident $visit:ident $what:literal)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CellError> {
            visitor.$visit(self.parsed($what)?)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Cell<'_> {
    type Error = CellError;

    parsed! {
        deserialize_bool visit_bool "`true` or `false`"
        deserialize_u8 visit_u8 "count"
        deserialize_u16 visit_u16 "count"
        deserialize_u32 visit_u32 "count"
        deserialize_u64 visit_u64 "count"
        deserialize_f64 visit_f64 "number"
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CellError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CellError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CellError> {
        match self.text {
            None | Some("") => visitor.visit_none(),
            Some(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CellError> {
        visitor.visit_str(self.text()?)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 f32 char bytes byte_buf unit unit_struct newtype_struct seq tuple tuple_struct map struct
        enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Known {
        name: String,
        #[serde(default)]
        group: Option<String>,
        count: u32,
        value: Option<f64>,
        big: bool,
    }

    #[test]
    fn fields_are_found_by_the_names_of_columns() {
        let text = "value,more,count,name,big\n0.5,x,7,\"a,b\",true\n,,8,,false\n";
        let row =
            |name: &str, count, value, big| Known { name: name.to_owned(), group: None, count, value, big };
        assert_eq!(rows(text), Ok(vec![row("a,b", 7, Some(0.5), true), row("", 8, None, false)]));
        assert_eq!(rows::<Known>("value,count,name,big\n"), Ok(vec![]));
        assert_eq!(rows::<Known>(""), Ok(vec![]));
    }

    #[test]
    fn faults_name_the_line_and_the_column() {
        let fault = |text: &str| rows::<Known>(text).unwrap_err().to_string();
        assert_eq!(
            fault("name,count,big\na,1,true\nb,-1,true\n"),
            "line 3: `count` has `-1`, which is no count"
        );
        assert_eq!(
            fault("name,count,big\na,1,yes\n"),
            "line 2: `big` has `yes`, which is no `true` or `false`"
        );
        assert_eq!(fault("name,big\na,true\n"), "line 2: there is no column `count`");
        assert_eq!(fault("name,count,big\na,1\n"), "line 2: 2 cells instead of 3");
    }
}
