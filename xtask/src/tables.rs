//! `cargo xtask tables [--check] [--results DIR]`: the tables of the book that `backwater` makes.
//!
//! Invariant: a cell of such a table is a number of a file that `backwater` wrote, rounded. Without `--results` the papers of
//! the tables are reproduced first; `cargo xtask ci` compares with what its step `claims` has written. Further runs of tables
//! are made here in any case.
//!
//! Tables of words and numbers, and paragraphs, are blocks of a template (`tables/PAGE.txt`), with a placeholder for each number; the
//! others are made from the rows of a file:
//!
//! | table | file | a cell |
//! |---|---|---|
//! | combinations | `organisations.csv` | four means of a response |
//! | readings | `readings.csv` | a mean and its interval |
//! | identical flows | `identical.csv` | means under three responses |
//! | longest delay, timer | numbers of a figure | the value at a multiple of the guideline's |

mod csv;
mod made;
mod template;

use core::ops::Range;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use self::csv::Csv;
use self::made::Made;
use self::template::{Files as _, blocks};
use crate::cargo::root;
use crate::numbers;

/// A table of the book, and its rows by a file.
struct Table {
    page: &'static str,
    /// Beginning of its header.
    begins: &'static str,
    /// File below the folder of the results.
    file: &'static str,
    /// Returns the rows, a line each, or a description of the number that is missing.
    rows: fn(&Csv) -> Result<String, String>,
}

const TABLES: &[Table] = &[
    Table {
        page: "docs/validation.md",
        begins: "| organisation | marking |",
        file: "repro-santos2003/organisations.csv",
        rows: combinations,
    },
    Table {
        page: "docs/validation.md",
        begins: "| reading |",
        file: "repro-santos2003/readings.csv",
        rows: readings,
    },
    Table {
        page: "docs/validation.md",
        begins: "| marking | two flows",
        file: "repro-santos2003/identical.csv",
        rows: identical,
    },
    Table {
        page: "docs/validation.md",
        begins: "| longest delay |",
        file: "repro-pfister2005/table.csv",
        rows: longest_delay,
    },
    Table {
        page: "docs/validation.md",
        begins: "| timer | 1/10 |",
        file: "repro-pfister2005/timer.csv",
        rows: timer,
    },
];

/// Pages with blocks, and the blocks with a placeholder for each number.
const TEMPLATES: &[(&str, &str)] = &[
    ("docs/validation.md", include_str!("tables/validation.txt")),
    ("docs/lab/review.md", include_str!("tables/review.txt")),
    ("docs/models/dcqcn.md", include_str!("tables/dcqcn.txt")),
    ("docs/models/iba-congestion-control.md", include_str!("tables/iba-congestion-control.txt")),
    ("docs/models/hp-congestion-control.md", include_str!("tables/hp-congestion-control.txt")),
];

/// Writes the tables; with `--check`, compares instead.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let words: Vec<_> = arguments.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let (check, results) = match words[..] {
        [] => (false, None),
        ["--check"] => (true, None),
        ["--results", folder] => (false, Some(folder)),
        ["--check", "--results", folder] => (true, Some(folder)),
        _ => {
            eprintln!("error: `cargo xtask tables` takes `--check` and `--results DIR`, and nothing else");
            return ExitCode::from(2);
        }
    };
    let made = results.map_or_else(Made::anew, |folder| Made::of_papers_in(Path::new(folder)));
    let mut made = match made {
        Ok(made) => made,
        Err(failed) => return failed,
    };
    match renew(&mut made, check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the pages with tables, each once.
fn pages() -> Vec<&'static str> {
    let mut pages: Vec<_> =
        TABLES.iter().map(|table| table.page).chain(TEMPLATES.iter().map(|(page, _)| *page)).collect();
    pages.sort_unstable();
    pages.dedup();
    pages
}

/// Returns the places in the text of a page, in bytes, that this command writes.
pub(crate) fn written(page: &str, text: &str) -> Vec<Range<usize>> {
    let rows = TABLES.iter().filter(|table| table.page == page);
    let rows = rows.filter_map(|table| numbers::rows_below(text, table.begins));
    let blocks = TEMPLATES.iter().filter(|(of, _)| *of == page).flat_map(|(_, text)| blocks(text));
    rows.chain(blocks.filter_map(|block| block.place(page, text).ok())).collect()
}

/// Returns the folders of papers and runs whose files the tables need.
fn folders() -> Result<BTreeSet<String>, String> {
    let of_rows = TABLES.iter().filter_map(|table| table.file.split('/').next().map(str::to_owned));
    let mut folders: BTreeSet<_> = of_rows.collect();
    for block in TEMPLATES.iter().flat_map(|(_, text)| blocks(text)) {
        folders.extend(block.folders()?);
    }
    Ok(folders)
}

/// Renews every page of a table, or compares all of them.
fn renew(made: &mut Made, check: bool) -> Result<(), String> {
    let mut faults = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(root().join(page)).map_err(|cause| format!("{page}: {cause}"))?;
        let (renewed, stale) = renewed(page, &text, made)?;
        match stale.join(", ") {
            stale if stale.is_empty() => eprintln!("tables: those of {page} are up to date"),
            stale if check => {
                faults.push(format!("{page} shows what this version does not give, in {stale}"));
            }
            stale => {
                fs::write(root().join(page), &renewed).map_err(|cause| format!("{page}: {cause}"))?;
                eprintln!("tables: written anew in {page}: {stale}");
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n") + "\nrun `cargo xtask tables`") }
}

/// Returns the page with its tables as the files have them, and the names of those that differ.
fn renewed(page: &str, text: &str, made: &mut Made) -> Result<(String, Vec<String>), String> {
    let (mut renewed, mut stale) = (text.to_owned(), Vec::new());
    for table in TABLES.iter().filter(|table| table.page == page) {
        let before = renewed.clone();
        renewed = table.renewed(&before, made.file(table.file)?)?;
        if renewed != before {
            stale.push(format!("`{}` ({})", table.begins, table.file));
        }
    }
    for block in TEMPLATES.iter().filter(|(of, _)| *of == page).flat_map(|(_, text)| blocks(text)) {
        let (place, filled) = (block.place(page, &renewed)?, block.filled(made)?);
        if renewed[place.clone()] != filled {
            stale.push(format!("`{}`", block.name()));
            renewed.replace_range(place, &filled);
        }
    }
    Ok((renewed, stale))
}

impl Table {
    /// Returns the text of the page with the rows of this table as the file has them.
    fn renewed(&self, page: &str, file: &Csv) -> Result<String, String> {
        let rows = (self.rows)(file).map_err(|missing| format!("{} has no {missing}", self.file))?;
        let from = numbers::line_that_begins(self.page, page, self.begins)? + 2;
        let old = page.lines().skip(from).take_while(|line| line.starts_with('|')).count();
        let lines: Vec<_> =
            page.lines().take(from).chain(rows.lines()).chain(page.lines().skip(from + old)).collect();
        Ok(lines.join("\n") + "\n")
    }
}

/// Rows of the combinations: by organisation and marking, a cell for each response.
fn combinations(file: &Csv) -> Result<String, String> {
    const RESPONSES: [&str; 4] = ["FIMD 2", "LIPD", "AIMD 2", "IBA CCT"];
    let cell = |organisation: &str, marking: &str, response: &str| {
        let at = [("organisation", organisation), ("marking", marking), ("response", response)];
        let number = |column, digits| file.rounded(&at, column, digits);
        let (victim, use_of_root) = (number("victim_gbps", 2)?, number("utilisation", 2)?);
        Ok::<_, String>(format!(
            "{victim} / {use_of_root} / {} / {}",
            number("jain", 2)?,
            number("recovery_ms", 1)?
        ))
    };
    let cells = |organisation: &str, marking: &str| {
        let cells: Result<Vec<_>, _> =
            RESPONSES.iter().map(|response| cell(organisation, marking, response)).collect();
        cells.map(|cells| cells.join(" | "))
    };
    let mut rows = Vec::new();
    for organisation in file.distinct("organisation") {
        rows.push(format!(
            "| {organisation} | none | no control: {} | | | |",
            cell(organisation, "-", "Off")?
        ));
        rows.push(format!("| {organisation} | naive | {} |", cells(organisation, "naive")?));
        let both = cells(organisation, "selective (both)")?;
        // The two triggers have one row as long as no cell differs; a table of two rows says more then.
        let by_inputs = cells(organisation, "selective (input)")?;
        if both == by_inputs {
            rows.push(format!("| {organisation} | selective, either trigger | {both} |"));
        } else {
            rows.push(format!("| {organisation} | selective (both) | {both} |"));
            rows.push(format!("| {organisation} | selective (input) | {by_inputs} |"));
        }
        let none_spared = cells(organisation, "both, none spared")?;
        rows.push(format!("| {organisation} | selective (both), none spared | {none_spared} |"));
        rows.push(format!("| {organisation} | IBA | {} |", cells(organisation, "IBA")?));
    }
    Ok(rows.join("\n"))
}

/// Rows of the readings: four means with their intervals.
fn readings(file: &Csv) -> Result<String, String> {
    let row = |marking: &str| {
        let at = [("marking", marking)];
        let cell = |column: &str, digits| {
            let half = file.rounded(&at, &format!("{column}_ci95"), digits)?;
            Ok::<_, String>(format!("{} ± {half}", file.rounded(&at, column, digits)?))
        };
        let name = if marking == "-" { "no control" } else { marking };
        let (ratio, jain) = (cell("ratio", 2)?, cell("jain", 3)?);
        Ok::<_, String>(format!(
            "| {name} | {ratio} | {jain} | {} | {} |",
            cell("victim", 3)?,
            cell("root", 3)?
        ))
    };
    let rows: Result<Vec<_>, _> = file.distinct("marking").into_iter().map(row).collect();
    rows.map(|rows| rows.join("\n"))
}

/// Rows of identical flows: Jain's index and the use of the link, by number of flows, under three responses.
fn identical(file: &Csv) -> Result<String, String> {
    const ROWS: [(&str, &str, &str, usize); 8] = [
        ("**`PresentAtEvent`: shipped**", "present at the event (shipped)", "jain", 3),
        ("`Naive`", "naive", "jain", 3),
        ("`WhileFull`", "while full", "jain", 3),
        ("`NextDepartures`", "next departures", "jain", 3),
        ("the same, `InputAndQueued(present: 4)`, `ToCongested`", "next, 4 present, to congested", "jain", 3),
        (
            "the same, `InputAndQueued(present: 5)`, `propagation: Off`",
            "next, roots alone, 5 present",
            "jain",
            3,
        ),
        ("use of the link, shipped", "present at the event (shipped)", "use", 2),
        ("the same, `NextDepartures`", "next departures", "use", 2),
    ];
    let row = |(name, marking, column, digits): (&str, &str, &str, usize)| {
        let cell = |flows: &str| {
            let number = |response| {
                let at = [("organisation", flows), ("marking", marking), ("response", response)];
                file.rounded(&at, column, digits)
            };
            Ok::<_, String>(format!("{} / {} / {}", number("LIPD")?, number("FIMD 2")?, number("AIMD 2")?))
        };
        let cells: Result<Vec<_>, _> =
            ["2 flows", "4 flows", "8 flows", "8 flows, 32 KiB"].into_iter().map(cell).collect();
        cells.map(|cells| format!("| {name} | {} |", cells.join(" | ")))
    };
    let rows: Result<Vec<_>, _> = ROWS.into_iter().map(row).collect();
    rows.map(|rows| rows.join("\n"))
}

fn longest_delay(file: &Csv) -> Result<String, String> {
    let at =
        ["0.6399", "2.5596", "10.665", "15.9975", "21.33", "31.995", "42.66", "85.32", "170.64", "682.56"];
    sweep(file, &["second half of the hot spot", "all of it", "lowest 0.1 ms of it"], &at)
}

fn timer(file: &Csv) -> Result<String, String> {
    let at = ["1.024", "2.048", "5.12", "7.168", "10.24", "15.36", "20.48", "40.96", "163.84", "1310.72"];
    sweep(file, &["second half of the hot spot", "all of it"], &at)
}

/// Rows of a figure's lines: their values at some places.
fn sweep(file: &Csv, lines: &[&str], places: &[&str]) -> Result<String, String> {
    let row = |line: &&str| {
        let value = |x: &&str| file.rounded(&[("kind", "line"), ("name", line), ("x", x)], "y", 3);
        let values: Result<Vec<_>, _> = places.iter().map(value).collect();
        values.map(|values| format!("| {line} | {} |", values.join(" | ")))
    };
    let rows: Result<Vec<_>, _> = lines.iter().map(row).collect();
    rows.map(|rows| rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tables --check` itself needs the results, and is a step of `cargo xtask ci`.
    #[test]
    fn every_table_has_its_place() {
        for table in TABLES {
            let page = fs::read_to_string(root().join(table.page)).expect("the page is there");
            numbers::line_that_begins(table.page, &page, table.begins)
                .unwrap_or_else(|fault| panic!("{fault}"));
            assert!(table.file.starts_with("repro-"));
        }
    }

    /// Numbers need the results; words do not.
    #[test]
    fn every_block_has_its_place_and_its_files() {
        for (page, text) in TEMPLATES {
            let there = fs::read_to_string(root().join(page)).expect("the page is there");
            for block in blocks(text) {
                block.place(page, &there).unwrap_or_else(|fault| panic!("{fault}"));
            }
        }
        for folder in folders().expect("placeholders can be read") {
            assert!(folder.starts_with("repro-") || made::is_run(&folder), "nothing makes {folder}");
        }
    }

    #[test]
    fn rows_are_replaced_and_the_rest_is_kept() {
        let file = Csv::parsed("kind,name,x,y\nline,a,1,0.12349\nline,a,2,0.5\n");
        let table = Table {
            page: "page",
            begins: "| at |",
            file: "repro-none/a.csv",
            rows: |file| sweep(file, &["a"], &["1", "2"]),
        };
        let page =
            "Before.\n\n| at | 1 | 2 |\n|---|---|---|\n| a | 0.1 | 0.2 |\n| b | 0.1 | 0.2 |\n\nAfter.\n";
        let renewed = table.renewed(page, &file).expect("all numbers are there");
        assert_eq!(renewed, "Before.\n\n| at | 1 | 2 |\n|---|---|---|\n| a | 0.123 | 0.500 |\n\nAfter.\n");
        assert_eq!(table.renewed(&renewed, &file).as_ref(), Ok(&renewed));
        let lacking = Csv::parsed("kind,name,x,y\nline,a,1,0.12349\n");
        let fault = table.renewed(page, &lacking).expect_err("a number is missing");
        assert!(fault.contains("a.csv has no y") && fault.contains("x 2"), "{fault}");
    }

    #[test]
    fn triggers_that_differ_have_rows_of_their_own() {
        let rows = |by_inputs: &str| {
            let mut text =
                "organisation,marking,response,victim_gbps,utilisation,jain,recovery_ms\n".to_owned();
            text += "VOQ,-,Off,1,1,1,1\n";
            for marking in ["naive", "selective (both)", "selective (input)", "\"both, none spared\"", "IBA"]
            {
                for response in ["FIMD 2", "LIPD", "AIMD 2", "IBA CCT"] {
                    let victim = if marking == "selective (input)" { by_inputs } else { "2" };
                    text += &format!("VOQ,{marking},{response},{victim},0.5,0.25,1\n");
                }
            }
            combinations(&Csv::parsed(&text)).expect("all numbers are there")
        };
        assert_eq!(rows("2").lines().count(), 5);
        assert!(rows("2").contains("| VOQ | selective, either trigger | 2.00 / 0.50 / 0.25 / 1.0 | "));
        assert_eq!(rows("3").lines().count(), 6);
        assert!(rows("3").contains("| VOQ | selective (input) | 3.00 / "));
    }
}
