//! Every file of a run, with names from strangers in all places where names stand.
//!
//! Invariant tested: whatever the names are, tables have no formulas and are read as they were written, figures are XML, data are
//! JSON, pages have the scripts of this program alone, and nothing acts on a terminal.

use std::sync::Arc;

use names::hostile::PARTS;
use names::rule::is_plain;
use names::shown;
use proptest::prelude::*;
use telemetry::RunRecord;

use crate::csv_text;
use crate::manifest::{self, Manifest};
use crate::page;
use crate::{OutputFile, RunFiles, RunIdentity, Summary, output, sample};

/// Returns the record of the sample, with a text before every name.
fn record(hostile: &str) -> RunRecord {
    let mut record = sample::record();
    // The trees of the record made by hand need a node of their own for each host.
    for host in ["H2", "H3"] {
        let lane = telemetry::LaneRecord { node: host.to_owned(), ..record.lanes[0].clone() };
        record.lanes.push(lane);
    }
    let of = |name: &str| format!("{hostile}{name}");
    for flow in &mut record.flows {
        flow.name = of(flow.name.as_ref()).as_str().into();
        flow.source = Arc::new(of(&flow.source));
        flow.destination = Arc::new(of(&flow.destination));
    }
    record.groups.iter_mut().for_each(|group| group.name = of(&group.name));
    for lane in &mut record.lanes {
        (lane.node, lane.peer) = (of(&lane.node), of(&lane.peer));
    }
    record.phases.iter_mut().for_each(|phase| phase.name = of(&phase.name));
    record.watched.quantities.iter_mut().for_each(|watched| watched.object = of(&watched.object));
    for root in &mut record.congestion.roots {
        (root.node, root.peer) = (of(&root.node), of(&root.peer));
    }
    for branch in record.congestion.worst.iter_mut().flat_map(|worst| &mut worst.branches) {
        (branch.node, branch.peer) = (of(&branch.node), of(&branch.peer));
    }
    record
}

/// Returns the fault of a text that is no well-formed XML: elements that are not closed, markup or references in their texts,
/// characters that XML does not have (XML 1.0, productions 2, 14, 39, 66).
fn fault_of_xml(text: &str) -> Option<String> {
    let is_of_xml = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if let Some(letter) = text.chars().find(|letter| !is_of_xml(*letter)) {
        return Some(format!("U+{:04X}", u32::from(letter)));
    }
    let (mut open, mut rest) = (Vec::new(), text);
    while let Some((before, markup)) = rest.split_once('<') {
        let reference = |part: &str| ["lt;", "gt;", "amp;"].iter().any(|known| part.starts_with(known));
        if let Some(part) = before.split('&').skip(1).find(|part| !reference(part)) {
            return Some(format!("&{part}"));
        }
        let (tag, after) = markup.split_once('>')?;
        rest = after;
        let quotes = tag.matches('"').count();
        if tag.contains('<') || quotes % 2 == 1 {
            return Some(format!("<{tag}>"));
        }
        if let Some(closed) = tag.strip_prefix('/') {
            if open.pop() != Some(closed) {
                return Some(format!("</{closed}>"));
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    open.pop().map(|tag| format!("<{tag}> is not closed"))
}

#[test]
fn ill_formed_xml_is_found() {
    assert_eq!(fault_of_xml("<a x=\"1\"><b/>c &lt; d</a>\n"), None);
    for ill in ["<a>", "<a></b>", "<a>\u{1b}</a>", "<a>b & c</a>", "<a><b></a></b>", "<a>\u{ffff}</a>"] {
        assert!(fault_of_xml(ill).is_some(), "{ill}");
    }
}

/// Checks a file by its kind.
fn check(OutputFile { name, contents }: &OutputFile) -> Result<(), TestCaseError> {
    let is_svg = name.ends_with(".svg");
    let acts = |letter: char| !is_plain(letter) && letter != '\n' && !(is_svg && letter == '\t');
    if let Some(ending) = name.rsplit('.').next().filter(|ending| ["csv", "svg", "json"].contains(ending)) {
        prop_assert!(!contents.contains(acts), "{name}: {:?}", contents.chars().find(|letter| acts(*letter)));
        match ending {
            "svg" => prop_assert_eq!(fault_of_xml(contents), None, "{}", name),
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
        let record = record(&hostile);
        let identity = RunIdentity { scenario: &hostile, ..sample::CONTEXT };
        let summary = Summary::new(identity, &record, sample::cost());
        let mut run = output(&summary, &record, String::new());
        let undrawn = run.undrawn.iter().map(|one| format!("{}: {}", one.file, one.fault)).collect::<Vec<_>>();
        prop_assert_eq!(undrawn, [""; 0]);
        let own = Manifest { command: vec![hostile.clone()], ..manifest::sample("a") };
        run.files.push(OutputFile { name: "run.json".to_owned(), contents: own.json() });
        run.files.iter().try_for_each(check)?;
        // A name is read back as it is shown, by figures, pages and counters.
        let flows = run.files.iter().find(|file| file.name == "flows.csv").unwrap();
        let table = csv_text::table(&flows.contents).unwrap();
        let place = table.header.iter().position(|column| column == "flow").unwrap();
        let shown = shown::line(record.flows[0].name.as_ref()).into_owned();
        prop_assert_eq!(&table.rows[0][place], &*shown);
        let page = page::of_files(RunFiles::Written(&run.files), &own).unwrap();
        let scripts = page.contents.matches("<script").count();
        prop_assert_eq!(scripts, 2, "data and script");
        let data = page.contents.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
        prop_assert!(data.chars().all(is_plain) && serde_json::from_str::<serde_json::Value>(data).is_ok());
        let body = page.contents.split("<body>").nth(1).and_then(|rest| rest.split("<script").next()).unwrap();
        prop_assert!(body.chars().all(|letter| is_plain(letter) || letter == '\n' || letter == '\t'));
    }
}
