//! Lessons of the playground, each sentence of theirs against the run's own numbers.
//!
//! A lesson (`web/src/lessons.json`) has a run of its own and two to try. Each sentence states checks, `LEFT OP
//! RIGHT`, over the files of the sentence's run, or, after `base`, over those of the lesson's own:
//!
//! | quantity | value |
//! |---|---|
//! | `goodput NAME` | goodput of a flow, group or `total` over the second half of the last phase, in Gb/s |
//! | `rate NAME FROM TO`, `swing NAME FROM TO` | mean, and standard deviation, of the series' goodput between two times in ms, in Gb/s |
//! | `roots` | number of outputs that were a root |
//! | `root NODE-PORT COLUMN` | a column of `roots.csv`; `from` in ms; 0 if the output was no root |
//! | `victim FLOW NODE-PORT`, `contributes FLOW NODE-PORT` | samples in which a flow was the root's victim, or contributor |
//! | `load NODE PEER`, `stalled NODE PEER` | share of the link used, summed over lanes, and of the run for which it was stalled |
//! | `slowdown GROUP p50 END` | quantile of messages' times over those on the empty fabric: its `at_least` or `at_most` |
//! | `slow GROUP US` | messages that took longer than a time in us, or had waited for longer at the end |
//! | `reordered GROUP` | share of a group's packets that arrived while a packet before them was missing |
//! | `crossing GROUP NODE PEER` | flows of a group that may take the link |
//! | `marked FLOW`, `marks`, `pauses`, `drops` | packets marked of a flow, of all; PAUSE frames; packets dropped |
//!
//! Terms are added and subtracted, and may have a factor: `0.5 * goodput F1 + goodput F2`. `~` means within 6 %.
//! `message TEXT` holds if the run ended early, with these words.

use std::collections::BTreeMap;
use std::path::Path;

use page::numbers::Numbers;
use results::csv_text::{self, CsvTable};
use serde_json::Value;
use web::{Case, Session};

/// Share by which numbers may differ that a lesson calls the same, or states in words (half, two thirds).
const ALIKE: f64 = 0.06;

/// A run of a lesson: its files, or the message with which it ended early.
struct Ran {
    files: BTreeMap<String, String>,
    message: String,
    how: String,
    end_s: f64,
}

type Row = BTreeMap<String, String>;

impl Ran {
    fn new(scenario: &str, sets: &[String]) -> Self {
        let shipped = web::scenarios().into_iter().find(|one| one.name == scenario).expect("it ships");
        let case = Case {
            name: scenario.to_owned(),
            text: shipped.text.to_owned(),
            sets: sets.to_vec(),
            seed: None,
        };
        let mut session = Session::new(&case).unwrap_or_else(|end| panic!("{scenario} {sets:?}: {end}"));
        let ended = loop {
            match session.advance(1e-3) {
                Ok(false) => {}
                Ok(true) => break None,
                Err(end) => break Some(end),
            }
        };
        if let Some(end) = ended {
            return Self {
                files: BTreeMap::new(),
                message: end.message,
                how: end.how.to_owned(),
                end_s: f64::NAN,
            };
        }
        let end_s = session.progress(&mut Numbers::default()).now_s;
        let result = session.finish(1.0).expect("it ends well");
        let files = result.files.into_iter().map(|file| (file.name.to_string(), file.contents)).collect();
        Self { files, message: String::new(), how: String::new(), end_s }
    }

    /// Returns the rows of a table for which `is_wanted` holds.
    fn rows(&self, file: &str, is_wanted: impl Fn(&Row) -> bool) -> Vec<Row> {
        let Some(text) = self.files.get(file) else {
            panic!("no {file}: the run ended early: {}", self.message)
        };
        let CsvTable { header, rows } = csv_text::table(text).expect("a table");
        let named =
            rows.iter().map(|cells| header.iter().cloned().zip(cells.iter().map(str::to_owned)).collect());
        named.filter(is_wanted).collect()
    }

    fn goodput(&self, name: &str) -> f64 {
        let rows = self.rows("phases.csv", |_| true);
        let last = rows.last().expect("a phase")["change"].clone();
        let found = rows.iter().find(|row| row["change"] == last && row["name"] == name);
        number(found.unwrap_or_else(|| panic!("no phase has {name}")), "second_half_goodput_bps") / 1e9
    }

    /// Returns the samples of a flow's goodput between two times in ms, in Gb/s.
    fn samples(&self, name: &str, from_ms: f64, to_ms: f64) -> Vec<f64> {
        let time = |row: &Row| number(row, "time_s") * 1e3;
        let is_wanted =
            |row: &Row| row["name"] == name && time(row) > from_ms + 1e-9 && time(row) <= to_ms + 1e-9;
        let values: Vec<f64> =
            self.rows("series.csv", is_wanted).iter().map(|row| number(row, "goodput_bps") / 1e9).collect();
        assert!(!values.is_empty(), "no sample of {name} from {from_ms} to {to_ms} ms");
        values
    }

    fn summary(&self) -> Value {
        serde_json::from_str(&self.files["summary.json"]).expect("JSON")
    }

    /// Returns the value of a quantity.
    fn quantity(&self, words: &[&str]) -> f64 {
        let at = |row: &Row, place: &str| format!("{}-{}", row["root_node"], row["root_port"]) == place;
        let ms = |text: &str| text.parse::<f64>().expect("a time in ms");
        match *words {
            ["goodput", name] => self.goodput(name),
            ["rate", name, from, to] => mean(&self.samples(name, ms(from), ms(to))),
            ["swing", name, from, to] => {
                let values = self.samples(name, ms(from), ms(to));
                let middle = mean(&values);
                mean(&values.iter().map(|value| (value - middle).powi(2)).collect::<Vec<_>>()).sqrt()
            }
            ["roots"] => self.rows("roots.csv", |_| true).len() as f64,
            ["root", place, "from"] => {
                let rows = self.rows("roots.csv", |row| at(row, place));
                number(rows.first().unwrap_or_else(|| panic!("no root {place}")), "from_s") * 1e3
            }
            ["root", place, column] => {
                self.rows("roots.csv", |row| at(row, place)).iter().map(|row| number(row, column)).sum()
            }
            [file @ ("victim" | "contributes"), flow, place] => {
                let file = if file == "victim" { "victims.csv" } else { "contributors.csv" };
                let rows = self.rows(file, |row| row["flow"] == flow && at(row, place));
                rows.iter().map(|row| number(row, "samples")).sum()
            }
            [what @ ("load" | "stalled"), node, peer] => {
                let rows = self.rows("ports.csv", |row| row["node"] == node && row["peer"] == peer);
                assert!(!rows.is_empty(), "no output {node} to {peer}");
                let of = |row| {
                    if what == "load" {
                        number(row, "utilisation")
                    } else {
                        number(row, "stalled_s") / self.end_s
                    }
                };
                rows.iter().map(of).sum()
            }
            ["slowdown", group, quantile, end @ ("at_least" | "at_most")] => {
                let summary = self.summary();
                let found = list(&summary["groups"]).iter().find(|one| one["group"] == *group);
                let value = &found.unwrap_or_else(|| panic!("no group {group}"))["slowdown"][quantile];
                let value = value.as_f64().or_else(|| value[end].as_f64());
                value.unwrap_or_else(|| panic!("{quantile} of {group} has no {end}"))
            }
            ["slow", group, us] => {
                let time = |row: &Row| number(row, "fct_us").max(number(row, "age_s") * 1e6);
                let is_slow = |row: &Row| is_of(row, group) && time(row) > us.parse().expect("a time in us");
                self.rows("fct.csv", is_slow).len() as f64
            }
            ["reordered", group] => {
                let rows = self.rows("flows.csv", |row| row["group"] == *group);
                let packets = |row| number(row, "delivered_packets");
                let all: f64 = rows.iter().map(packets).sum();
                rows.iter().map(|row| number(row, "out_of_order_share") * packets(row)).sum::<f64>() / all
            }
            ["crossing", group, node, peer] => {
                let is_there = |row: &Row| is_of(row, group) && row["node"] == node && row["peer"] == peer;
                self.rows("paths.csv", is_there).len() as f64
            }
            ["marked", flow] => {
                let rows = self.rows("flows.csv", |row| row["flow"] == flow);
                let marks = |row: &Row| -> f64 {
                    row.keys().filter(|name| name.starts_with("marked_")).map(|name| number(row, name)).sum()
                };
                marks(rows.first().unwrap_or_else(|| panic!("no flow {flow}")))
            }
            ["marks"] => {
                let rows = self.rows("ports.csv", |_| true);
                let columns = rows[0].keys().filter(|name| name.starts_with("marked_"));
                columns.map(|name| rows.iter().map(|row| number(row, name)).sum::<f64>()).sum()
            }
            ["pauses"] => self.summary()["pauses"]["pauses"].as_f64().unwrap_or(0.0),
            ["drops"] => self.summary()["dropped_packets"].as_f64().expect("a count"),
            [constant] => constant.parse().unwrap_or_else(|_| panic!("unknown quantity `{constant}`")),
            _ => panic!("unknown quantity `{}`", words.join(" ")),
        }
    }
}

fn number(row: &Row, column: &str) -> f64 {
    let cell = row.get(column).unwrap_or_else(|| panic!("no column {column}"));
    if cell.is_empty() { 0.0 } else { cell.parse().unwrap_or_else(|_| panic!("{column} is `{cell}`")) }
}

/// Returns true for a row of a flow of a group that stands for a pattern of traffic.
fn is_of(row: &Row, group: &str) -> bool {
    row["flow"].split(':').next() == Some(group)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the value of a side of a check.
fn value(words: &[&str], of: &Ran, base: &Ran) -> f64 {
    let mut sum = 0.0;
    let mut sign = 1.0;
    for term in words.split_inclusive(|word| matches!(*word, "+" | "-")) {
        let (term, next) = match term.split_last() {
            Some((&"+", term)) => (term, 1.0),
            Some((&"-", term)) => (term, -1.0),
            _ => (term, 1.0),
        };
        let (factor, term) = match term {
            [factor, "*", rest @ ..] => (factor.parse().expect("a factor"), rest),
            _ => (1.0, term),
        };
        let (ran, term) = match term {
            ["base", rest @ ..] => (base, rest),
            _ => (of, term),
        };
        sum += sign * factor * ran.quantity(term);
        sign = next;
    }
    sum
}

/// Returns true if a check holds, and its two values.
fn holds(check: &str, of: &Ran, base: &Ran) -> (bool, [f64; 2]) {
    if let Some(text) = check.strip_prefix("message ") {
        return (of.message.contains(text), [f64::NAN; 2]);
    }
    let words: Vec<&str> = check.split_whitespace().collect();
    let place = words.iter().position(|word| matches!(*word, "<" | ">" | "=" | "~"));
    let place = place.unwrap_or_else(|| panic!("`{check}` has no <, >, = or ~"));
    let [left, right] = [&words[..place], &words[place + 1..]].map(|side| value(side, of, base));
    let is_so = match words[place] {
        "<" => left < right,
        ">" => left > right,
        "=" => (left - right).abs() <= 1e-9 * right.abs(),
        _ => (left - right).abs() <= ALIKE * left.abs().max(right.abs()),
    };
    (is_so, [left, right])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn texts(value: &Value) -> Vec<String> {
    list(value).iter().map(|one| one.as_str().expect("a text").to_owned()).collect()
}

/// Each run of each lesson ends as stated, with the goodputs that are stated, to their last digit; and each sentence
/// holds. Every second lesson is in the other test, so that two processors share them.
#[test]
fn every_sentence_of_a_lesson_holds_in_its_run() {
    every_second_lesson_holds(0);
}

#[test]
fn every_sentence_of_the_other_lessons_holds_in_its_run() {
    every_second_lesson_holds(1);
}

/// Judges every second lesson, from this one on.
fn every_second_lesson_holds(first: usize) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/lessons.json");
    let lessons: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut faults = Vec::new();
    let (mut numbers, mut checks) = (0, 0);
    for lesson in list(&lessons).iter().skip(first).step_by(2) {
        let scenario = lesson["scenario"].as_str().unwrap();
        let base = Ran::new(scenario, &texts(&lesson["base"]["sets"]));
        let mut judge = |said: &Value, sentence: &str, ran: &Ran| {
            let all = texts(&said["holds"]);
            if all.is_empty() {
                faults.push(format!("{scenario}: no check stands for `{sentence}`"));
            }
            for check in all {
                checks += 1;
                let (is_so, values) = holds(&check, ran, &base);
                if !is_so {
                    faults
                        .push(format!("{scenario}: `{sentence}` needs `{check}`, but these are {values:?}"));
                }
            }
        };
        for said in list(&lesson["sentences"]) {
            judge(said, said["says"].as_str().unwrap(), &base);
        }
        let (guess, tried) = (&lesson["guess"], lesson["guess"]["try"].as_u64());
        let asks = guess["asks"].as_str().unwrap();
        if tried.is_none() {
            judge(guess, asks, &base);
        }
        for (place, sight) in core::iter::once(&lesson["base"]).chain(list(&lesson["tries"])).enumerate() {
            let own = (place > 0).then(|| Ran::new(scenario, &texts(&sight["sets"])));
            let ran = own.as_ref().unwrap_or(&base);
            assert_eq!(ran.how, sight["ends"].as_str().unwrap_or(""), "{scenario}: {}", ran.message);
            assert_eq!(
                list(&sight["stated"]).is_empty(),
                !ran.how.is_empty(),
                "{scenario}: numbers are stated"
            );
            if tried == (place as u64).checked_sub(1) && tried.is_some() {
                judge(guess, asks, ran);
            }
            for said in list(&sight["see"]) {
                judge(said, said["says"].as_str().unwrap(), ran);
            }
            for stated in list(&sight["stated"]) {
                let (name, gbps) = (stated["name"].as_str().unwrap(), stated["gbps"].as_str().unwrap());
                let decimals = gbps.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                let given = ran.goodput(name);
                assert_eq!(format!("{given:.decimals$}"), gbps, "{name} of {scenario}");
                numbers += 1;
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(numbers > 23 && checks > 65, "{numbers} numbers, {checks} checks");
}
