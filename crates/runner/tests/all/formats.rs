//! Formats of tables, as the command writes and reads them.

#[cfg(feature = "parquet")]
use std::fs;

use crate::scratch::{Scratch, assert_refused, json};

const ONE_FLOW: [&str; 2] = ["sim", "one-flow"];

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_refuses_it_before_the_run() {
    let scratch = Scratch::new("no-parquet");
    for verb in [&ONE_FLOW[..], &["compare", "one-flow", "one-flow:seed=2"]] {
        let refused = scratch.run(&[verb, &["--format", "csv,parquet"]].concat());
        assert_refused(&refused, "this build of backwater writes no Parquet\nhelp: leave out `--format`");
    }
    assert_eq!(scratch.names(), [""; 0]);
}

/// Figures are drawn from Parquet as from CSV, and a run without the format leaves no Parquet of an earlier run.
#[cfg(feature = "parquet")]
#[test]
fn tables_in_parquet_stand_for_those_in_csv() {
    let scratch = Scratch::new("parquet");
    let run = |format: &str, out: &str| {
        scratch.printed(&[&ONE_FLOW[..], &["--quiet", "--format", format, "--out", out]].concat());
        scratch.names_in(out)
    };
    let (csv, parquet) = (run("csv", "csv"), run("parquet", "parquet"));
    let renamed: Vec<_> = csv.iter().map(|name| name.replace(".csv", ".parquet")).collect();
    assert_eq!(parquet, renamed);
    assert!(parquet.contains(&"flows.parquet".to_owned()));
    for figure in ["goodput.svg", "fabric.svg"] {
        fs::remove_file(scratch.0.join("parquet").join(figure)).unwrap();
        scratch.printed(&["figure", "parquet", figure.strip_suffix(".svg").unwrap()]);
        let figures = ["csv", "parquet"].map(|folder| scratch.read(&format!("{folder}/{figure}")));
        assert_eq!(figures[0], figures[1]);
    }
    assert_eq!(run("csv", "parquet"), csv, "the tables in Parquet are gone");
    let both = run("csv,parquet", "both");
    assert!(["flows.csv", "flows.parquet"].iter().all(|name| both.contains(&(*name).to_owned())));
    assert_eq!(scratch.names(), ["both", "csv", "parquet"]);
    fs::write(scratch.0.join("csv/flows.parquet"), "mine").unwrap();
    let refused = scratch.run(&[&ONE_FLOW[..], &["--format", "parquet", "--out", "csv"]].concat());
    assert_refused(&refused, "holds a file `flows.parquet` that no manifest names");
}

#[test]
fn csv_is_the_format_of_tables_unless_another_is_asked_for() {
    let scratch = Scratch::new("csv");
    for (folder, options) in [("plain", &[][..]), ("asked", &["--format", "csv"])] {
        scratch.printed(&[&ONE_FLOW[..], &["--quiet", "--out", folder], options].concat());
    }
    assert_eq!(scratch.names_in("plain"), scratch.names_in("asked"));
    assert_eq!(scratch.read("plain/flows.csv"), scratch.read("asked/flows.csv"));
}

/// A build without Parquet describes it too.
#[test]
fn a_table_in_parquet_has_a_schema() {
    let schema = json(&Scratch::new("parquet-schema").printed(&["schema", "ports.parquet"]));
    assert_eq!(schema["fields"][0]["parquet"], "BYTE_ARRAY (STRING)");
}

const SWEEP: [&str; 7] =
    ["sweep", "one-flow", "--set", "duration=100 us", "--vary", "link.mtu=1 KiB,2 KiB", "--quiet"];

#[cfg(not(feature = "parquet"))]
#[test]
fn a_sweep_in_a_format_that_is_not_there_is_refused_before_its_runs() {
    let scratch = Scratch::new("sweep-no-parquet");
    let refused = scratch.run(&[&SWEEP[..], &["--format", "parquet"]].concat());
    assert_refused(&refused, "this build of backwater writes no Parquet");
    assert_eq!(scratch.names(), [""; 0]);
}

#[cfg(feature = "parquet")]
#[test]
fn the_table_of_a_sweep_is_written_in_the_formats_asked_for() {
    let scratch = Scratch::new("sweep-parquet");
    let tables = || {
        let names = scratch.names_in("mine").into_iter();
        names.filter(|name| name.starts_with("results")).collect::<Vec<_>>()
    };
    scratch.printed(&[&SWEEP[..], &["--out", "mine", "--format", "parquet"]].concat());
    assert_eq!(tables(), ["results.parquet", "results.schema.json"]);
    assert!(fs::read(scratch.0.join("mine/results.parquet")).unwrap().starts_with(b"PAR1"));
    let printed = scratch.printed(&["sweep", "collect", "mine", "--format", "csv,parquet"]);
    assert!(printed.ends_with("wrote mine/results.csv, mine/results.parquet\n"), "{printed}");
    assert_eq!(tables(), ["results.csv", "results.parquet", "results.schema.json"]);
    scratch.printed(&["sweep", "collect", "mine", "--quiet"]);
    assert_eq!(tables(), ["results.csv", "results.schema.json"], "a table that is not written anew goes");
}

#[test]
fn tables_of_papers_have_schemas() {
    let scratch = Scratch::new("paper-schema");
    let schema = json(&scratch.printed(&["schema", "repro-santos2003/organisations.csv"]));
    let of = |name: &str| {
        let mut fields = schema["fields"].as_array().into_iter().flatten();
        fields.find(|field| field["name"] == name).unwrap_or_else(|| panic!("no {name} in {schema}")).clone()
    };
    assert_eq!((&of("seeds")["type"], &of("victim_gbps_ci95")["unit"]), (&"integer".into(), &"Gb/s".into()));
    let package = json(&scratch.printed(&["schema"]));
    let named = |path: &str| {
        let mut resources = package["resources"].as_array().into_iter().flatten();
        resources.find(|resource| resource["path"] == path).unwrap_or_else(|| panic!("no {path}")).clone()
    };
    assert_eq!(named("repro-pfister2005/timer.csv")["schema"]["fields"][4]["name"], "x");
    assert_eq!(named("repro-pfister2005-full/grid.csv").get("parquet"), None, "`repro` writes no Parquet");
    assert_eq!(named("ports.csv")["parquet"], "ports.parquet");
}

#[test]
fn a_format_that_does_not_exist_is_refused() {
    let refused = Scratch::new("format").run(&[&ONE_FLOW[..], &["--format", "arrow"]].concat());
    assert_refused(&refused, "invalid value 'arrow' for '--format <FORMAT>'");
}
