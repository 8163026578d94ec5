//! Tables of a result folder in CSV, in Parquet, or in both.
//!
//! Invariant: each table has a file for each requested format, with the same rows. Other files do not change.

use serde_json::json;

use crate::OutputFile;
use crate::manifest::{FileEntry, Manifest};
use crate::parquet::{self, ParquetColumn, ParquetFault, parquet_name};
use crate::schema::{self, FileFormat, FileSchema};

/// Formats in which tables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableFormats {
    /// CSV.
    pub csv: bool,
    /// Parquet.
    pub parquet: bool,
}

impl Default for TableFormats {
    fn default() -> Self {
        Self { csv: true, parquet: false }
    }
}

/// A table that cannot be written in Parquet.
#[derive(Debug, thiserror::Error)]
#[error("`{file}` cannot be written: {fault}")]
pub struct FormatFault {
    /// Name of the file.
    pub file: String,
    /// The fault.
    pub fault: ParquetFault,
}

impl TableFormats {
    /// Returns the manifest of a run to come, with the names that its tables may have in these formats.
    #[must_use]
    pub fn announced(self, mut manifest: Manifest) -> Manifest {
        if self.parquet {
            let tables = tables();
            let known = |file: &&FileEntry| tables.iter().any(|table| table.name == file.name);
            let names: Vec<_> =
                manifest.files.iter().filter(known).filter_map(|file| parquet_name(&file.name)).collect();
            manifest.files.extend(names.into_iter().map(|name| FileEntry { name, bytes: 0 }));
        }
        manifest
    }

    /// Returns the files with each table in these formats, in the order of the files. The run's `manifest` goes into
    /// the metadata of Parquet files.
    ///
    /// # Errors
    /// If a table cannot be written in Parquet: in a build without it always.
    pub fn of(
        self,
        files: Vec<OutputFile>,
        manifest: &Manifest,
    ) -> Result<Vec<OutputFile<Vec<u8>>>, FormatFault> {
        let tables = if self.parquet { tables() } else { Vec::new() };
        let mut written = Vec::with_capacity(files.len());
        for file in files {
            let table = tables.iter().find(|table| table.name == file.name);
            let binary = table.map(|table| in_parquet(&file, table, manifest)).transpose()?;
            if binary.is_none() || self.csv {
                written.push(OutputFile { name: file.name, contents: file.contents.into_bytes() });
            }
            written.extend(binary);
        }
        Ok(written)
    }
}

/// Returns all tables that the program writes.
fn tables() -> Vec<FileSchema> {
    schema::files().into_iter().filter(|file| matches!(file.format, FileFormat::Table(_))).collect()
}

fn in_parquet(
    file: &OutputFile,
    table: &FileSchema,
    manifest: &Manifest,
) -> Result<OutputFile<Vec<u8>>, FormatFault> {
    let FileFormat::Table(columns) = &table.format else { unreachable!("only tables are asked for") };
    let columns: Vec<_> = columns.iter().map(ParquetColumn::from).collect();
    let mut facts = facts(manifest);
    facts.push(("backwater.table".to_owned(), table.name.clone()));
    facts.extend(table.schema().map(|schema| ("backwater.schema".to_owned(), schema.to_string())));
    let name = parquet_name(&file.name).expect("tables are CSV files");
    match parquet::of_csv(&file.contents, &columns, &facts, &manifest.version) {
        Ok(contents) => Ok(OutputFile { name, contents }),
        Err(fault) => Err(FormatFault { file: name, fault }),
    }
}

/// Returns the origin of a table for the metadata of its file, by name. A run of a single plan has scenario, seed and
/// plan digest; `backwater.plans` has all plans, as in `run.json`.
#[must_use]
pub fn facts(manifest: &Manifest) -> Vec<(String, String)> {
    let fact = |name: &str, value: String| (format!("backwater.{name}"), value);
    let mut facts = vec![
        fact("version", manifest.version.clone()),
        fact("command", json!(manifest.command).to_string()),
        fact("plans", json!(manifest.plans).to_string()),
    ];
    facts.extend(manifest.commit.clone().map(|commit| fact("commit", commit)));
    if let [plan] = &manifest.plans[..] {
        facts.extend([
            fact("scenario", plan.scenario.clone()),
            fact("overrides", json!(plan.overrides).to_string()),
            fact("seed", plan.seed.to_string()),
            fact("plan_digest", plan.plan_digest.clone()),
        ]);
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::sample;

    const BOTH: TableFormats = TableFormats { csv: true, parquet: true };

    fn files() -> Vec<OutputFile> {
        let file =
            |name: &str, contents: &str| OutputFile { name: name.to_owned(), contents: contents.to_owned() };
        let header = "run,asked,topic,phase,what,value,unit,at_least,at_most,measure,better\n";
        vec![file("plan.ron", "()"), file("compare.csv", header), file("traces/mine.csv", "a,b\n")]
    }

    fn names(files: &[OutputFile<Vec<u8>>]) -> Vec<&str> {
        files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn csv_alone_changes_nothing() {
        let written = TableFormats::default().of(files(), &sample("a")).expect("CSV is always there");
        assert_eq!(names(&written), ["plan.ron", "compare.csv", "traces/mine.csv"]);
        assert_eq!(written[2].contents, b"a,b\n");
        assert_eq!(TableFormats::default().announced(sample("a")), sample("a"));
    }

    #[test]
    fn names_of_parquet_files_are_announced() {
        let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 0 };
        let asked = Manifest { files: vec![entry("flows.csv"), entry("traces/mine.csv")], ..sample("a") };
        let announced = BOTH.announced(asked).files;
        assert_eq!(announced, ["flows.csv", "traces/mine.csv", "flows.parquet"].map(entry));
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn a_build_without_parquet_says_so() {
        let fault = BOTH.of(files(), &sample("a")).expect_err("there is no Parquet").to_string();
        assert!(
            fault.starts_with("`compare.parquet` cannot be written: this build of backwater has no Parquet")
        );
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn tables_are_in_each_format_and_other_files_stay() {
        let written = BOTH.of(files(), &sample("a")).expect("Parquet is there");
        assert_eq!(names(&written), ["plan.ron", "compare.csv", "compare.parquet", "traces/mine.csv"]);
        let alone = TableFormats { csv: false, parquet: true };
        let written = alone.of(files(), &sample("a")).expect("Parquet is there");
        assert_eq!(names(&written), ["plan.ron", "compare.parquet", "traces/mine.csv"]);
        assert!(written[1].contents.starts_with(b"PAR1"));
    }

    #[test]
    fn a_table_names_its_origin() {
        let facts = facts(&sample("abc"));
        let of = |name: &str| {
            let name = format!("backwater.{name}");
            facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
        };
        assert_eq!([of("scenario"), of("seed"), of("plan_digest")], [Some("victim"), Some("7"), Some("abc")]);
        assert_eq!(of("command"), Some("[\"backwater\",\"sim\",\"victim\"]"));
        assert_eq!([of("version"), of("commit")], [Some("0.1.0"), None]);
    }
}
