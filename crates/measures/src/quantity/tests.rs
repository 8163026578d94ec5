//! Names of quantities, and their table in the manual.

use std::collections::BTreeSet;
use std::{env, fs};

use super::*;

fn row(quantity: Quantity) -> String {
    let QuantityInfo { name, unit, better, reach, about } = quantity.info();
    let better = better.word();
    let phase = match reach {
        Reach::Run => "no",
        Reach::RunOrPhase | Reach::Phase => "yes",
        Reach::Fabric => "no; `all` only",
        Reach::Job => "no; jobs only",
    };
    format!("| `{name}` | {unit} | {better} | {phase} | {about} |\n")
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/statistics.md");
const HEAD: &str = "| measure | unit | better | phase | definition |\n|---|---|---|---|---|\n";

/// With `INSTA_UPDATE=always` the table is written into the page instead.
#[test]
fn the_page_lists_every_measure_as_it_is_defined_here() {
    let page = fs::read_to_string(PAGE).expect("the page is there");
    let (before, rest) = page.split_once(HEAD).expect("the page has the table");
    let length: usize =
        rest.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    let rows: String = Quantity::ALL.into_iter().map(row).collect();
    if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(PAGE, format!("{before}{HEAD}{rows}{}", &rest[length..])).expect("it can be written");
    } else {
        assert!(
            rest[..length] == rows,
            "`cargo xtask bless` writes the table of docs/statistics.md:\n{rows}"
        );
    }
}

#[test]
fn names_are_unique_and_find_their_quantity() {
    let names: BTreeSet<_> = Quantity::ALL.iter().map(|quantity| quantity.info().name).collect();
    assert_eq!(names.len(), Quantity::ALL.len());
    let titles: BTreeSet<_> = Quantity::ALL.iter().map(|quantity| quantity.title()).collect();
    assert_eq!(titles.len(), Quantity::ALL.len());
    assert!(Quantity::ALL.into_iter().all(|one| Quantity::named(one.info().name) == Some(one)));
    assert!(Quantity::ALL.into_iter().all(|one| one.name() == one.info().name));
    assert_eq!(Quantity::named("P99"), None);
    assert_eq!(Quantity::help("busbv"), "did you mean `busbw`?");
    let all = Quantity::help("bandwidth");
    assert!(Quantity::ALL.into_iter().all(|one| all.contains(&format!("`{}`", one.name()))), "{all}");
}
