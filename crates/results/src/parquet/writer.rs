//! Writes Parquet files.
//!
//! Invariant: the same text, columns and facts give the same bytes.

use std::sync::Arc;

use csv::{Reader, StringRecord};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::{ParquetColumn, ParquetFault};
use crate::csv_text::texts_of;
use crate::table::ColumnType;

/// Rows of a row group: enough for compression, few enough for memory.
const GROUP_ROWS: usize = 1 << 18;

impl From<ParquetError> for ParquetFault {
    fn from(error: ParquetError) -> Self {
        Self::Malformed(error.to_string())
    }
}

/// Values of a column that are not empty, in the order of the rows.
enum Values {
    Text(Vec<ByteArray>),
    Flags(Vec<bool>),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
}

/// Cells of a column in a row group.
struct Cells<'a> {
    column: ParquetColumn<'a>,
    values: Values,
    /// For each row 1 with a value and 0 without, as Parquet has it; empty if all cells are required.
    present: Vec<i16>,
}

/// Returns a Parquet file with the rows of a CSV text.
pub(super) fn of_csv(
    csv: &str,
    columns: &[ParquetColumn<'_>],
    facts: &[(String, String)],
    version: &str,
) -> Result<Vec<u8>, ParquetFault> {
    let malformed = |error: csv::Error| ParquetFault::Malformed(error.to_string());
    let mut text = Reader::from_reader(csv.as_bytes());
    check_header(&texts_of(text.headers().map_err(malformed)?.clone()), columns)?;
    let schema = Type::group_type_builder("table").with_fields(fields(columns)?).build()?;
    let properties = Arc::new(properties(facts, version));
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties)?;
    let mut cells = empty(columns);
    let mut rows = 0;
    for record in text.records() {
        let record = record.map_err(malformed)?;
        let line = record.position().map_or(0, csv::Position::line);
        for (cell, cells) in texts_of(record).iter().zip(&mut cells) {
            cells.add(cell, line)?;
        }
        rows += 1;
        if rows % GROUP_ROWS == 0 {
            write_group(&mut file, &cells)?;
            cells = empty(columns);
        }
    }
    if rows % GROUP_ROWS != 0 {
        write_group(&mut file, &cells)?;
    }
    Ok(file.into_inner()?)
}

fn check_header(header: &StringRecord, columns: &[ParquetColumn<'_>]) -> Result<(), ParquetFault> {
    for place in 0..header.len().max(columns.len()) {
        let (wanted, found) = (columns.get(place).map(|column| column.name), header.get(place));
        if wanted != found {
            let [wanted, found] = [wanted, found].map(|name| name.unwrap_or_default().to_owned());
            return Err(ParquetFault::Header { wanted, found });
        }
    }
    Ok(())
}

fn fields(columns: &[ParquetColumn<'_>]) -> Result<Vec<Arc<Type>>, ParquetError> {
    let field = |column: &ParquetColumn<'_>| {
        let (physical, logical) = match column.kind {
            ColumnType::String => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Boolean => (PhysicalType::BOOLEAN, None),
            ColumnType::Integer => (PhysicalType::INT64, None),
            ColumnType::Number => (PhysicalType::DOUBLE, None),
        };
        let repetition = if column.required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let field = Type::primitive_type_builder(column.name, physical);
        field.with_logical_type(logical).with_repetition(repetition).build().map(Arc::new)
    };
    columns.iter().map(field).collect()
}

fn properties(facts: &[(String, String)], version: &str) -> WriterProperties {
    let facts = facts.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
    WriterProperties::builder()
        .set_created_by(format!("backwater version {version}"))
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(facts.collect()))
        .build()
}

fn empty<'a>(columns: &[ParquetColumn<'a>]) -> Vec<Cells<'a>> {
    let cells = |column: &ParquetColumn<'a>| {
        let values = match column.kind {
            ColumnType::String => Values::Text(Vec::new()),
            ColumnType::Boolean => Values::Flags(Vec::new()),
            ColumnType::Integer => Values::Integers(Vec::new()),
            ColumnType::Number => Values::Numbers(Vec::new()),
        };
        Cells { column: *column, values, present: Vec::new() }
    };
    columns.iter().map(cells).collect()
}

impl Cells<'_> {
    fn add(&mut self, cell: &str, line: u64) -> Result<(), ParquetFault> {
        let ParquetColumn { name, kind, required } = self.column;
        if !required {
            self.present.push(i16::from(!cell.is_empty()));
            if cell.is_empty() {
                return Ok(());
            }
        }
        let added = match &mut self.values {
            Values::Text(all) => Some(all.push(cell.into())),
            Values::Flags(all) => cell.parse().ok().map(|flag| all.push(flag)),
            Values::Integers(all) => cell.parse().ok().map(|count| all.push(count)),
            Values::Numbers(all) => {
                cell.parse().ok().filter(|number: &f64| number.is_finite()).map(|number| all.push(number))
            }
        };
        let fault = || ParquetFault::Cell { line, column: name.to_owned(), cell: cell.to_owned(), kind };
        added.ok_or_else(fault)
    }

    fn write(&self, mut column: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let present = (!self.column.required).then_some(&self.present[..]);
        match &self.values {
            Values::Text(all) => write::<ByteArrayType>(&mut column, all, present)?,
            Values::Flags(all) => write::<BoolType>(&mut column, all, present)?,
            Values::Integers(all) => write::<Int64Type>(&mut column, all, present)?,
            Values::Numbers(all) => write::<DoubleType>(&mut column, all, present)?,
        }
        column.close()
    }
}

fn write<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<(), ParquetError> {
    column.typed::<T>().write_batch(values, present, None).map(drop)
}

fn write_group(file: &mut SerializedFileWriter<Vec<u8>>, cells: &[Cells<'_>]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for cells in cells {
        let column = group.next_column()?.expect("the schema has as many columns as the table");
        cells.write(column)?;
    }
    group.close().map(drop)
}
