//! Reads Parquet files that `writer` made.
//!
//! Invariant: the text is the CSV that the file was made from, byte for byte.

use std::fs::File;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};

use super::ParquetFault;
use crate::format::csv;
use crate::table::decimal;

/// Returns the CSV text of a Parquet file.
pub(super) fn to_csv(file: File) -> Result<String, ParquetFault> {
    let file = SerializedFileReader::new(file)?;
    let columns = file.metadata().file_metadata().schema_descr().columns();
    let header: Vec<_> = columns.iter().map(|column| column.name().to_owned()).collect();
    let row = |row: Result<Row, ParquetError>| -> Result<Vec<String>, ParquetFault> {
        row?.get_column_iter().map(|(name, field)| cell(name, field)).collect()
    };
    let rows = file.get_row_iter(None)?.map(row).collect::<Result<Vec<_>, _>>()?;
    Ok(csv(header, rows.into_iter()))
}

fn cell(column: &str, field: &Field) -> Result<String, ParquetFault> {
    match field {
        Field::Null => Ok(String::new()),
        Field::Str(text) => Ok(text.clone()),
        Field::Bool(flag) => Ok(flag.to_string()),
        Field::Long(count) => Ok(count.to_string()),
        Field::Double(number) => Ok(decimal(*number)),
        _ => Err(ParquetFault::ForeignType { column: column.to_owned() }),
    }
}
