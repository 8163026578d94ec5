//! `schema`: the columns, fields and types of the files of a result folder, as JSON.

use claims::Paper;
use clap::Args;
use results::parquet::parquet_name;
use results::schema::{self, FileSchema};

use crate::failure::Failure;
use crate::terminal::print_exactly;

#[derive(Args, Debug)]
pub(crate) struct SchemaOptions {
    /// File of a result folder: `ports.csv` gives a Table Schema, `ports.parquet` the same with the types in Parquet,
    /// `summary.json` a JSON Schema, `repro-pfister2005/table.csv` the Table Schema of a file of `repro`. All files without it.
    file: Option<String>,
}

/// Prints the schema of a file, or a descriptor of all files.
pub(crate) fn run(options: &SchemaOptions) -> Result<(), Failure> {
    let Some(name) = &options.file else {
        print_exactly(&schema::package(&of_papers()));
        return Ok(());
    };
    let files = schema::files();
    let of = |file: &FileSchema| match &file.name {
        csv if csv == name => file.schema(),
        csv if parquet_name(csv).as_ref() == Some(name) => file.parquet_schema(),
        _ => None,
    };
    let papers = of_papers();
    let of_paper = |file: &FileSchema| if file.name == *name { file.schema() } else { None };
    let schema = files.iter().find_map(of).or_else(|| papers.iter().find_map(of_paper));
    let Some(schema) = schema else {
        let known = files
            .iter()
            .chain(&papers)
            .filter(|file| file.schema().is_some())
            .map(|file| file.name.clone())
            .collect();
        return Err(Failure::NoSchema { name: name.clone(), known });
    };
    print_exactly(&schema::pretty(&schema));
    Ok(())
}

/// Returns the files that `repro` writes.
fn of_papers() -> Vec<FileSchema> {
    Paper::shipped(None).unwrap_or_default().iter().flat_map(Paper::files).collect()
}
