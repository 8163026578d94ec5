//! Every file of a run without its figures, with names from strangers in all places where names stand.
//!
//! Invariant tested, for any names: tables have no formulas and are read as they were written, data are JSON, and
//! nothing acts on a terminal.

use names::hostile::PARTS;
use names::rule::is_plain;
use names::shown;
use proptest::prelude::*;

use crate::csv_text;
use crate::manifest::{self, Manifest};
use crate::{FileChoice, MadeFiles, OutputFile, RunIdentity, Summary, sample};

/// Checks a file by its kind.
fn check(OutputFile { name, contents }: &OutputFile) -> Result<(), TestCaseError> {
    let acts = |letter: char| !is_plain(letter) && letter != '\n';
    if let Some(ending) = name.rsplit('.').next().filter(|ending| ["csv", "json"].contains(ending)) {
        prop_assert!(!contents.contains(acts), "{name}: {:?}", contents.chars().find(|letter| acts(*letter)));
        match ending {
            "json" => prop_assert!(serde_json::from_str::<serde_json::Value>(contents).is_ok(), "{name}"),
            _ => {
                let mut reader =
                    csv::ReaderBuilder::new().has_headers(false).from_reader(contents.as_bytes());
                for cell in reader
                    .records()
                    .flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>())
                {
                    let seen = cell.trim_start();
                    let signs = ['=', '+', '-', '@', '|', '＝', '＋', '－', '＠'];
                    let is_formula = seen.starts_with(signs) && seen.chars().count() > 1;
                    prop_assert!(!is_formula || cell.parse::<f64>().is_ok(), "{name}: {cell}");
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn names_break_out_of_no_file(parts in proptest::collection::vec(proptest::sample::select(PARTS.as_slice()), 1..4)) {
        let hostile = parts.concat();
        let record = sample::named(&hostile);
        let identity = RunIdentity { scenario: &hostile, ..sample::CONTEXT };
        let summary = Summary::new(identity, &record, sample::cost());
        let mut files = MadeFiles::new(&summary, &record, String::new()).into_files(|name| FileChoice::All.has(name));
        let own = Manifest { command: vec![hostile.clone()], ..manifest::sample("a") };
        files.push(OutputFile { name: "run.json".to_owned(), contents: own.json() });
        files.iter().try_for_each(check)?;
        // A name is read back as it is shown, by figures, pages and counters.
        let flows = files.iter().find(|file| file.name == "flows.csv").unwrap();
        let table = csv_text::table(&flows.contents).unwrap();
        let place = table.header.iter().position(|column| column == "flow").unwrap();
        let shown = shown::line(record.flows[0].name.as_ref()).into_owned();
        prop_assert_eq!(&table.rows[0][place], &*shown);
    }
}
