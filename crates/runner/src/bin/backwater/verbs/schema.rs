//! `schema`: the columns, fields and types of the files of a result folder, as JSON.

use clap::Args;
use report::parquet::parquet_name;
use report::schema::{self, FileSchema};

use crate::failure::Failure;
use crate::terminal::print_exactly;

#[derive(Args, Debug)]
pub(crate) struct SchemaOptions {
    /// File of a result folder: `ports.csv` gives a Table Schema, `ports.parquet` the same with the types in Parquet,
    /// `summary.json` a JSON Schema. All files without it.
    file: Option<String>,
}

/// Prints the schema of a file, or a descriptor of all files.
pub(crate) fn run(options: &SchemaOptions) -> Result<(), Failure> {
    let Some(name) = &options.file else {
        print_exactly(&schema::package());
        return Ok(());
    };
    let files = schema::files();
    let of = |file: &FileSchema| match &file.name {
        csv if csv == name => file.schema(),
        csv if parquet_name(csv).as_ref() == Some(name) => file.parquet_schema(),
        _ => None,
    };
    let schema = files.iter().find_map(of);
    let Some(schema) = schema else {
        let known =
            files.iter().filter(|file| file.schema().is_some()).map(|file| file.name.clone()).collect();
        return Err(Failure::NoSchema { name: name.clone(), known });
    };
    print_exactly(&schema::pretty(&schema));
    Ok(())
}
