//! The table of judgements on the terminal.
//!
//! Invariant: text depends on papers and judgements only.

use results::format::{aligned, fitted, plain_table};

use crate::judgement::{Bite, Judgement, Verdict};
use crate::language::ClaimRole;
use crate::layout::{WIDTH, wrapped};
use crate::paper::Paper;

/// Note below a table with measures of variation.
const VARIATION_NOTE: &str = "variation: standard deviation over mean, from sample to sample. It falls \
    with the length of a sample (the scenario's `sample`); `--full` uses longer samples.";

/// Returns the papers' references, the table of judgements, and the reasons of known failures.
#[must_use]
pub fn judgements_table(papers: &[Paper], judgements: &[Judgement]) -> String {
    let mut text = String::new();
    for Paper { name, reference, .. } in papers {
        text += &format!("{}\n\n", wrapped(&format!("{name}: {reference}")));
    }
    if judgements.is_empty() {
        return text;
    }
    let mut table = plain_table();
    table.set_header(["claim", "reported result", "measured", "expected", "verdict"]);
    for one in judgements {
        table.add_row([&one.id, &one.statement, &one.measured_words(), &one.expected, one.verdict.word()]);
    }
    text += &aligned(fitted(table, WIDTH, &[1, 2, 3]), 5);
    text += "\n\n";
    if judgements.iter().any(|one| one.measure == "variation") {
        text += &format!("{}\n", wrapped(VARIATION_NOTE));
    }
    for (one, reason) in judgements.iter().filter_map(|one| one.reason.as_ref().map(|reason| (one, reason))) {
        text += &format!("{}\n", wrapped(&format!("{}: {reason}", one.id)));
    }
    text
}

/// Returns the number of statements with each verdict, a line for each kind of statement that there is.
#[must_use]
pub fn totals(judgements: &[Judgement]) -> String {
    let reported: Vec<_> = judgements.iter().filter(|one| one.is_report).collect();
    let of_role = |role| judgements.iter().filter(|one| one.role == role && !one.is_report).collect();
    let lines = [
        ("claims", of_role(ClaimRole::Test)),
        ("fits, on which parameters were searched", of_role(ClaimRole::Fit)),
        ("checks of scenarios", of_role(ClaimRole::Check)),
        ("reported numbers", reported),
    ];
    let some = lines.iter().filter(|(_, of_kind): &&(&str, Vec<&Judgement>)| !of_kind.is_empty());
    let line = |(kind, of_kind): &(&str, Vec<&Judgement>)| {
        let count = |verdict: Verdict| of_kind.iter().filter(|one| one.verdict == verdict).count();
        let verdicts = [
            (Verdict::Pass, "PASS"),
            (Verdict::Fail, "FAIL"),
            (Verdict::Known, "KNOWN (fails, with its reason)"),
            (Verdict::Fixed, "FIXED (met, though marked as failing)"),
            (Verdict::Unsure, "UNSURE"),
            (Verdict::Info, "INFO (within the range measured before)"),
        ];
        let parts = verdicts.iter().filter(|(verdict, _)| count(*verdict) > 0 || *verdict == Verdict::Fail);
        let parts: Vec<_> = parts.map(|(verdict, word)| format!("{} {word}", count(*verdict))).collect();
        format!("{} {kind}: {}", of_kind.len(), parts.join(", "))
    };
    some.map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the table of claims under the runs in which they must fail, and their number in a line.
#[must_use]
pub fn bites_table(bites: &[Bite]) -> String {
    let mut table = plain_table();
    table.set_header(["claim", "under", "measured", "expected", "fails"]);
    for Bite { judgement, alternative, bites } in bites {
        let fails = if *bites { "yes" } else { "NO" };
        let measured = judgement.measured_words();
        table.add_row([&judgement.id, alternative, &measured, &judgement.expected, fails]);
    }
    let toothless = bites.iter().filter(|one| !one.bites).count();
    let failing = bites.len() - toothless;
    format!(
        "{}\n\n{} claims also tried on runs in which they must not hold: {failing} do not hold there, {toothless} do\n",
        aligned(fitted(table, WIDTH, &[1, 2, 3]), 5),
        bites.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_claim_number_expectation_and_verdict() {
        let mut paper = Paper::shipped(Some("gran2011")).unwrap().remove(0);
        paper.reference = "Someone 2000".to_owned();
        let judgement = |verdict, reason: Option<&str>| Judgement {
            paper: paper.name.clone(),
            id: "s1-off-3".to_owned(),
            statement: "F3 halves all three".to_owned(),
            source: "figure 7(c)".to_owned(),
            scenario: "gran2011-scenario1".to_owned(),
            set: vec![],
            tune: vec![],
            measure: "goodput",
            measured: vec![0.499, 0.501],
            ci95: vec![None, None],
            seeds: 1,
            difference: None,
            unit: "C".to_owned(),
            expected: "0.500 C ± 5 %".to_owned(),
            verdict,
            reason: reason.map(str::to_owned),
            role: ClaimRole::Test,
            is_report: false,
        };
        let judgements =
            [judgement(Verdict::Pass, None), judgement(Verdict::Known, Some("the switch is another"))];
        let text = judgements_table(&[paper.clone()], &judgements) + &totals(&judgements);
        insta::assert_snapshot!(text);
    }
}
