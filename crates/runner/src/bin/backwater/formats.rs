//! `--format`: the formats in which tables are written.
//!
//! Invariant: a format that this build does not write is refused before a run.

use clap::{Args, ValueEnum};
use results::{TableFormats, parquet};

use crate::failure::Failure;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableFormat {
    /// Comma-separated text.
    Csv,
    /// Apache Parquet, with types and with the run's origin in its metadata.
    Parquet,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct FormatOptions {
    /// Formats of tables: `csv`, `parquet`, or both as `csv,parquet`. Parquet files have the types of their columns, and the run's
    /// origin in their metadata; they need a build with the feature `parquet`.
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        value_delimiter = ',',
        default_value = "csv",
        hide_possible_values = true
    )]
    format: Vec<TableFormat>,
}

impl FormatOptions {
    /// Returns the formats, if this build has them.
    pub(crate) fn checked(&self) -> Result<TableFormats, Failure> {
        let has = |format| self.format.contains(&format);
        let formats = TableFormats { csv: has(TableFormat::Csv), parquet: has(TableFormat::Parquet) };
        if formats.parquet && !parquet::IS_BUILT { Err(Failure::NoParquet) } else { Ok(formats) }
    }
}
