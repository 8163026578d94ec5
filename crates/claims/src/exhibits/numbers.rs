//! The numbers of the claims as a file, `claims.csv`, from which tables of pages are made.
//!
//! Invariant: every number of every claim has a row, in the order of the claims file.

use results::OutputFile;
use results::table::{ColumnSchema, ColumnType, INTERVAL};

/// Name of the file, without `.csv`.
pub(crate) const NAME: &str = "claims";

/// A single number of a claim.
#[derive(Clone, Debug)]
pub struct ClaimNumber<'a> {
    /// Short name of the claim.
    pub claim: &'a str,
    /// Run under which the claim must fail, if the number comes from it; `None` for the claim's own run.
    pub under: Option<&'a str>,
    /// Place of the number among the claim's numbers, from 1.
    pub number: usize,
    /// Mean over the seeds.
    pub measured: f64,
    /// Half the width of its 95 % interval; `None` for a single seed.
    pub ci95: Option<f64>,
    /// Unit of the numbers.
    pub unit: &'a str,
    /// Number of seeds.
    pub seeds: usize,
    /// Difference from the reference, paired by seed, and half the width of its interval.
    pub difference: Option<(f64, Option<f64>)>,
    /// Word of the verdict.
    pub verdict: &'static str,
}

/// Returns the file.
#[must_use]
pub fn file(numbers: &[ClaimNumber<'_>]) -> OutputFile {
    let decimal = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
    let row = |one: &ClaimNumber<'_>| {
        vec![
            one.claim.to_owned(),
            one.under.unwrap_or_default().to_owned(),
            one.number.to_string(),
            one.unit.to_owned(),
            one.seeds.to_string(),
            decimal(Some(one.measured)),
            decimal(one.ci95),
            decimal(one.difference.map(|(mean, _)| mean)),
            decimal(one.difference.and_then(|(_, half)| half)),
            one.verdict.to_owned(),
        ]
    };
    let header = columns().into_iter().map(|column| column.name.into_owned()).collect();
    OutputFile {
        name: format!("{NAME}.csv"),
        contents: results::format::csv(header, numbers.iter().map(row)),
    }
}

pub(crate) fn columns() -> Vec<ColumnSchema> {
    let column = |name, kind, required, meaning| ColumnSchema::new(name, kind, required, meaning);
    let half = |of: &str| format!("half the width of the 95 % interval of `{of}`; empty for one seed");
    vec![
        column("claim", ColumnType::String, true, "short name of the claim"),
        column(
            "under",
            ColumnType::String,
            false,
            "run under which the claim must fail, with `--teeth`; empty for its own run",
        ),
        column("number", ColumnType::Integer, true, "place among the numbers of the claim, from 1"),
        column("unit", ColumnType::String, false, "unit of the numbers; empty for none"),
        column("seeds", ColumnType::Integer, true, "number of seeds"),
        column("measured", ColumnType::Number, true, "mean over the seeds"),
        ColumnSchema::new(format!("measured{INTERVAL}"), ColumnType::Number, false, half("measured")),
        column(
            "difference",
            ColumnType::Number,
            false,
            "difference from the run that the claim compares with, paired by seed; empty without one",
        ),
        ColumnSchema::new(format!("difference{INTERVAL}"), ColumnType::Number, false, half("difference")),
        column("verdict", ColumnType::String, true, "verdict on the claim, as it is printed"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhibits::assert_as_schema;

    #[test]
    fn the_file_is_as_its_schema_says() {
        let own = ClaimNumber {
            claim: "fair",
            under: None,
            number: 1,
            measured: 0.5,
            ci95: Some(0.25),
            unit: "C",
            seeds: 2,
            difference: Some((-1.0, None)),
            verdict: "PASS",
        };
        let other =
            ClaimNumber { under: Some("off, slow"), ci95: None, unit: "", difference: None, ..own.clone() };
        let file = file(&[own, other]);
        assert_as_schema(&file, &columns());
        let rows =
            "fair,,1,C,2,0.500000,0.250000,-1.000000,,PASS\nfair,\"off, slow\",1,,2,0.500000,,,,PASS\n";
        assert!(file.contents.ends_with(rows), "{}", file.contents);
    }
}
