//! Tests of tables in Parquet: there and back, for every table of a run.

use std::fs::{self, File};

use parquet::file::reader::{FileReader, SerializedFileReader};

use super::*;
use crate::schema::{FileFormat, files};
use crate::{Summary, sample};

/// Writes the bytes to a file of this test, and opens it.
fn opened(test: &str, bytes: &[u8]) -> File {
    let path = std::env::temp_dir().join(format!("backwater-{test}-{}.parquet", std::process::id()));
    fs::write(&path, bytes).expect("a writable folder");
    let file = File::open(&path).expect("the file is there");
    fs::remove_file(&path).expect("the file is there");
    file
}

const COLUMNS: [ParquetColumn<'static>; 4] = [
    ParquetColumn { name: "name", kind: ColumnType::String, required: true },
    ParquetColumn { name: "word", kind: ColumnType::String, required: false },
    ParquetColumn { name: "sent_bytes", kind: ColumnType::Integer, required: false },
    ParquetColumn { name: "time_s", kind: ColumnType::Number, required: true },
];

#[test]
fn every_table_of_a_run_comes_back_as_it_was() {
    let mut tables = 0;
    for written in sample::files(&sample::record(), "") {
        let file = files().into_iter().find(|file| file.name == written.name).expect("a known file");
        let FileFormat::Table(columns) = file.format else { continue };
        let columns: Vec<_> = columns.iter().map(ParquetColumn::from).collect();
        let bytes = of_csv(&written.contents, &columns, &[], "0.1.0").expect("a table");
        assert_eq!(
            to_csv(opened("back", &bytes)).expect("a Parquet file"),
            written.contents,
            "{}",
            written.name
        );
        tables += 1;
    }
    assert_eq!(tables, 15);
}

/// Text with commas, quotes and the beginning of a formula; nulls; extreme integers; numbers that need 17 digits.
#[test]
fn cells_of_every_kind_come_back() {
    let text = "name,word,sent_bytes,time_s\n\"'=a,\"\"b\"\"c\",,9223372036854775807,0.1\né,x,,0.30000000000000004\n";
    let facts = [("backwater.version".to_owned(), "0.1.0".to_owned())];
    let bytes = of_csv(text, &COLUMNS, &facts, "0.1.0").expect("a table");
    assert_eq!(bytes, of_csv(text, &COLUMNS, &facts, "0.1.0").expect("a table"), "the same bytes each time");
    assert_eq!(to_csv(opened("cells", &bytes)).expect("a Parquet file"), text);
    let file = SerializedFileReader::new(opened("facts", &bytes)).expect("a Parquet file");
    let metadata = file.metadata().file_metadata();
    let facts = metadata.key_value_metadata().expect("there are facts");
    assert_eq!((facts[0].key.as_str(), facts[0].value.as_deref()), ("backwater.version", Some("0.1.0")));
    assert_eq!(metadata.num_rows(), 2);
}

#[test]
fn a_table_without_rows_keeps_its_columns() {
    let text = "name,word,sent_bytes,time_s\n";
    let bytes = of_csv(text, &COLUMNS, &[], "0.1.0").expect("a table");
    assert_eq!(to_csv(opened("none", &bytes)).expect("a Parquet file"), text);
}

#[test]
fn more_rows_than_a_group_holds_come_back_in_order() {
    let rows: String = (0..300_000).map(|row| format!("n{},,{row},{}.5\n", row % 7, row)).collect();
    let text = format!("name,word,sent_bytes,time_s\n{rows}");
    let bytes = of_csv(&text, &COLUMNS, &[], "0.1.0").expect("a table");
    assert!(to_csv(opened("groups", &bytes)).expect("a Parquet file") == text);
    assert!(bytes.len() < text.len());
}

#[test]
fn a_cell_of_another_type_and_a_foreign_header_are_refused() {
    let refused = |text: &str| of_csv(text, &COLUMNS, &[], "0.1.0").expect_err("a fault").to_string();
    assert_eq!(
        refused("name,word,sent_bytes,time_s\na,,9223372036854775808,1.0\n"),
        "line 2: `9223372036854775808` in the column `sent_bytes` is no integer of a Parquet file, which has 64 bits and a \
         sign"
    );
    assert_eq!(
        refused("name,word,sent_bytes,time_s\na,,1,\n"),
        "line 2: `` in the column `time_s` is no number of a Parquet file"
    );
    assert_eq!(
        refused("name,word,time_s\na,,1\n"),
        "`time_s` stands in the header where the table has the column `sent_bytes`"
    );
}
