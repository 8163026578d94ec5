//! The page of the run made by hand, against the files that it is made of.

use results::RunFiles;
use results::manifest::{self, MANIFEST, Manifest, RunEnd};
use results::rows::{PathRow, PortRow, SeriesRow, VictimRow};
use results::table::TableRow;
use results::{OutputFile, sample};
use serde_json::Value;

use super::modules::{script, style};
use super::numbers::Numbers;
use super::policy::POLICY;
use super::{PageError, of_folder};

/// Returns the files of the run made by hand, with a name for its first flow.
fn files(name: &str) -> Vec<OutputFile> {
    let mut record = sample::record();
    record.flows[0].name = name.into();
    files_of(record)
}

fn files_of(mut record: telemetry::RunRecord) -> Vec<OutputFile> {
    // The trees of the record made by hand need a node of their own for each host.
    for host in ["H2", "H3"] {
        let lane = telemetry::LaneRecord { node: host.to_owned(), ..record.lanes[0].clone() };
        record.lanes.push(lane);
    }
    let mut files = sample::files(&record, "Scenario(\n)\n");
    files.push(manifest(&manifest::sample("a")));
    files
}

fn manifest(manifest: &Manifest) -> OutputFile {
    OutputFile { name: MANIFEST.to_owned(), contents: manifest.json() }
}

fn page(files: &[OutputFile]) -> String {
    of_folder(RunFiles::Written(files), "").expect("the run has a page").contents
}

/// Returns the text between two marks.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("there is no {from}")) + from.len();
    let length = text[start..].find(to).unwrap_or_else(|| panic!("there is no {to}"));
    &text[start..start + length]
}

fn data(page: &str) -> Value {
    serde_json::from_str(between(page, "id=\"data\">", "</script>")).expect("data are JSON")
}

/// Panics unless every element of a page that has an end is closed, in order.
fn assert_closed(page: &str) {
    let script = between(page, "<script>", "</script>");
    let style = between(page, "<style>", "</style>");
    let text = page.replace(script, "").replace(style, "");
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1).map(|part| part.split('>').next().unwrap_or_default()) {
        let name = tag.split_whitespace().next().unwrap_or_default();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "in {tag}"),
            None if ["!DOCTYPE", "meta"].contains(&name) => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn the_page_is_whole_closed_and_the_same_twice() {
    let files = files("F1");
    let page = page(&files);
    assert_closed(&page);
    assert_eq!(page, self::page(&files));
    for heading in
        ["Goodput over time", "Queues over time", "Rates over time", "The fabric", "Completions", "Margins"]
    {
        assert!(page.contains(&format!(">{heading}</h2>")), "{heading}");
    }
    for value in ["0123456789abcdef", "congestion_control=Off", "backwater sim victim", "Scenario(\n)"] {
        assert!(page.contains(value), "{value}");
    }
}

/// The page opens with the verdict of `summary.json`, word for word.
#[test]
fn the_page_opens_with_the_verdict_of_the_run() {
    let verdict = |files: &[OutputFile]| {
        let summary = files.iter().find(|file| file.name == "summary.json").expect("the file is there");
        let summary: Value = serde_json::from_str(&summary.contents).expect("it is JSON");
        ["loss", "cause", "confidence", "advice"]
            .map(|part| summary["verdict"][part].as_str().expect("there is a verdict").to_owned())
    };
    let shown = |files: &[OutputFile]| {
        let page = page(files);
        let shown = between(&page, "<dl class=\"verdict\">", "</dl>");
        assert!(page.find("<dl class") < page.find("<section"), "before all figures");
        shown.replace("<code>", "`").replace("</code>", "`")
    };
    let moving = files("F1");
    for part in verdict(&moving) {
        let escaped = part.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let escaped = escaped.replace('\'', "&#39;").replace('"', "&quot;");
        assert!(shown(&moving).contains(&format!("<dd>{escaped}</dd>")), "{part}: {}", shown(&moving));
    }
    let stands_still = Some(units::Time::from_ps(700_000_000));
    let still = files_of(telemetry::RunRecord { stands_still, ..sample::record() });
    assert!(shown(&still).contains("The fabric stands still") && !shown(&moving).contains("stands still"));
}

#[test]
fn the_policy_admits_this_script_and_this_style_alone() {
    let page = page(&files("F1"));
    assert_eq!(between(&page, "<script>", "</script>"), script().into_string());
    assert_eq!(between(&page, "<style>", "</style>"), style().into_string());
    assert_eq!(between(&page, "Content-Security-Policy\" content=\"", "\""), POLICY);
    let known = ["http-equiv", "\"http://www.w3.org/2000/svg\"", "/*! https://github.com/leeoniya/uPlot"];
    let known = known.map(|words| page.matches(words).count());
    assert_eq!(known, [1; 3], "the policy, the namespace of drawings, and uPlot's home in its first comment");
    assert_eq!(page.matches("http").count(), 3);
    for reference in [" src=", "href=\"//", "url(", "@import", "style=\"", "onclick=\""] {
        assert!(!page.contains(reference), "{reference}");
    }
}

#[test]
fn a_flow_with_the_name_of_a_script_is_data() {
    let name = "</script><script>alert(1)</script>";
    let page = page(&files(name));
    assert_closed(&page);
    assert!(!page.contains("<script>alert"));
    let data = data(&page);
    let lines = data["panels"][0]["lines"].as_array().expect("there are lines");
    assert!(lines.iter().any(|line| line["name"] == name));
}

#[test]
fn paths_are_those_of_the_file_and_flows_without_a_path_are_counted() {
    let mut files = files("F1");
    assert!(page(&files).contains("has no <code>paths.csv</code>"));
    let (flows, ports) = {
        let read = RunFiles::Written(&files);
        let ports: Vec<PortRow<'_>> = read.rows().expect("the file is there");
        let flows: Vec<String> =
            read.flows().expect("the file is there").iter().map(|row| row.flow.to_string()).collect();
        (flows, ports.iter().map(|row| (row.node.to_string(), row.port)).collect::<Vec<_>>())
    };
    let of_flow = |flow: &str, hop, (node, port): &(String, u32)| PathRow {
        flow: flow.to_owned().into(),
        hop,
        node: node.clone().into(),
        port: *port,
        peer: "".into(),
    };
    let written = |rows: Vec<PathRow<'static>>| OutputFile {
        name: PathRow::FILE.to_owned(),
        contents: PathRow::csv(rows),
    };
    // The first flow has two outputs of one hop, between which switches choose.
    let rows = [(0, 0, 0), (0, 1, 1), (0, 1, 2), (1, 0, 2)];
    files.push(written(rows.map(|(flow, hop, port)| of_flow(&flows[flow], hop, &ports[port])).to_vec()));
    let page = page(&files);
    let paths = &data(&page)["fabric"]["paths"];
    assert_eq!((&paths["lengths"], &paths["left_out_flows"]), (&serde_json::json!([3, 1]), &2.into()));
    assert_eq!(paths["outputs"], serde_json::json!([0, 1, 2, 2]));
    assert!(page.contains("the paths of the first 2 flows, and not of 2 more"));
    let last = files.len() - 1;
    files[last] = written(vec![of_flow("F9", 0, &ports[0])]);
    let fault = of_folder(RunFiles::Written(&files), "").unwrap_err().to_string();
    assert!(fault.contains("`paths.csv`") && fault.contains("`F9` is not flow 1 of `flows.csv`"), "{fault}");
}

#[test]
fn goodput_is_that_of_the_file() {
    let files = files("F1");
    let page = page(&files);
    let data = data(&page);
    let rows: Vec<SeriesRow<'_>> = RunFiles::Written(&files).rows().expect("the file is there");
    let panel = &data["panels"][0];
    let times: Vec<f64> = serde_json::from_value(panel["x"].clone()).expect("times are numbers");
    let mut seen = 0;
    for line in panel["lines"].as_array().expect("there are lines") {
        let kind = line["kind"].as_str().expect("a line has a kind");
        let is_line = |row: &&SeriesRow<'_>| {
            row.kind == kind && (["others", "total"].contains(&kind) || line["name"] == *row.name)
        };
        let values: Vec<_> = rows.iter().filter(is_line).map(|row| (row.time_s, row.goodput_bps)).collect();
        let shown: Vec<f64> = serde_json::from_value(line["y"].clone()).expect("values are numbers");
        assert_eq!(times.iter().copied().zip(shown).collect::<Vec<_>>(), values, "{line}");
        seen += values.len();
    }
    assert_eq!(seen, rows.len());
}

/// Columns on reordering, repeats and chosen ports stand on the page of a run that has them, and on no other.
#[test]
fn columns_on_paths_stand_where_a_run_has_numbers_for_them() {
    let names = |record| {
        let data = data(&page(&files_of(record)));
        let tables = data["tables"].as_array().expect("a list").clone();
        let columns = tables.iter().filter(|one| one["id"] == "flows-csv" || one["id"] == "ports-csv");
        let columns = columns.flat_map(|one| one["columns"].as_array().expect("a list"));
        columns.map(|column| column[0].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let mut without = sample::record();
    without.flows.iter_mut().for_each(|flow| flow.repeats = None);
    let mut chosen = without.clone();
    chosen.lanes.iter_mut().for_each(|lane| lane.chosen = Some(3));
    let (without, repeated, chosen) = (names(without), names(sample::record()), names(chosen));
    let more = |all: &[String]| {
        all.iter().filter(|name| !without.contains(name)).map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        more(&repeated),
        "out_of_order_share largest_distance_packets largest_ahead_bytes retransmitted_packets spurious_packets"
    );
    assert_eq!(more(&chosen), "chosen_share");
    assert!(without.iter().any(|name| name == "pauses_sent"), "{without:?}");
}

#[test]
fn tables_have_the_cells_of_their_files() {
    let files = files("F1");
    let page = page(&files);
    let data = data(&page);
    let tables =
        ["tables", "margins", "completion_tables"].map(|key| data[key].as_array().expect("a list").clone());
    let mut seen = 0;
    for table in tables.concat() {
        let id = table["id"].as_str().expect("a table has a name");
        let file = files.iter().find(|file| file.name.replace('.', "-") == id).expect("the file is there");
        let mut reader = csv::Reader::from_reader(file.contents.as_bytes());
        let header = reader.headers().expect("the file has a header").clone();
        let rows: Vec<_> = reader.records().map(|row| row.expect("the file has rows")).collect();
        assert_eq!(table["rows"], rows.len());
        for (place, column) in table["columns"].as_array().expect("a list").iter().enumerate() {
            let at = header.iter().position(|name| column[0] == name).expect("the column is there");
            let values = &table["values"][place];
            let mut shown: Vec<String> = match values.get("words") {
                None => values.as_array().expect("a list").iter().map(cell).collect(),
                Some(words) => {
                    let at = values["at"].as_array().expect("a list").iter();
                    at.map(|place| cell(&words[whole(place)])).collect()
                }
            };
            let mut wanted: Vec<String> = rows.iter().map(|row| row[at].to_owned()).collect();
            // Rows of some tables stand in another order.
            shown.sort();
            wanted.sort();
            assert_eq!(shown, wanted, "{id}, {column}");
            seen += shown.len();
        }
    }
    assert!(seen > 200, "{seen}");
}

/// Returns a value as it stands in a file.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().expect("it is a number")),
        other => other.to_string(),
    }
}

#[test]
fn the_fabric_has_its_moments_and_its_tree() {
    let data = data(&page(&files("F1")));
    let fabric = &data["fabric"];
    assert_eq!(fabric["moments"], serde_json::json!([0.01, 0.02]));
    assert_eq!(fabric["nodes"], serde_json::json!(["H1", "S1", "H2", "H3"]));
    // Outputs `H1` port 1, `S1` port 2, and the outputs of `H2` and `H3`: 0 and 0.5, 0 and 1 of the intervals.
    let numbers = [0, 0, 0, 0, 5000, 10_000, 0, 0];
    assert_eq!(fabric["load"], super::base64::base64_of_u16(&numbers));
    let tree = serde_json::json!([
        { "moment": 1, "root": 1, "branches": [0], "contributors": [0], "victims": [0] }
    ]);
    assert_eq!(fabric["trees"], tree);
    // The page opens at the tree of the root that its sentences name.
    assert_eq!((&fabric["headline"], &fabric["opens_at"]), (&1.into(), &1.into()));
    let outputs = fabric["outputs"].as_array().expect("a list").len() / 3;
    assert_eq!(fabric["rates_gbps"].as_array().map(Vec::len), Some(outputs));
}

/// Payload and losses are sums over the rows of their flows; shares and words are of the verdict's standings.
#[test]
fn subjects_have_what_their_flows_got_and_lost() {
    let files = files("F1");
    let data = data(&page(&files));
    let flows = RunFiles::Written(&files).flows().expect("the file is there");
    let victims: Vec<VictimRow<'_>> = RunFiles::Written(&files).rows().expect("the file is there");
    let subjects = data["subjects"].as_array().expect("a list");
    assert!(!subjects.is_empty());
    for subject in subjects {
        let is_its = |flow: &str, group: Option<&str>| match subject["kind"].as_str() {
            // Few named flows of a group stand for themselves.
            Some("group") => {
                let is_alone = |one: &Value| one["kind"] == "flow" && one["name"] == flow;
                group.is_some_and(|group| subject["name"] == group) && !subjects.iter().any(is_alone)
            }
            Some("pattern") => {
                group.is_none() && flow.split(':').next().is_some_and(|name| subject["name"] == name)
            }
            _ => subject["name"] == flow,
        };
        let own: Vec<_> = flows.iter().filter(|row| is_its(&row.flow, row.group.as_deref())).collect();
        let delivered: u64 = own.iter().map(|row| row.delivered_bytes).sum();
        let lost: u64 = victims
            .iter()
            .filter(|row| own.iter().any(|flow| flow.flow == row.flow))
            .map(|row| row.lost_bytes)
            .sum();
        assert_eq!(
            (&subject["delivered_bytes"], &subject["lost_bytes"], &subject["flows"]),
            (&delivered.into(), &lost.into(), &own.len().into())
        );
    }
    let lost: u64 = subjects.iter().filter_map(|one| one["lost_bytes"].as_u64()).sum();
    assert_eq!(lost, victims.iter().map(|row| row.lost_bytes).sum::<u64>());
    let summary = &files.iter().find(|file| file.name == "summary.json").expect("the file is there").contents;
    let summary: Value = serde_json::from_str(summary).expect("it is JSON");
    let standings = summary["standings"]["worst"].as_array().expect("a list");
    assert_eq!(standings.len(), subjects.len());
    for (standing, subject) in standings.iter().zip(subjects) {
        for (name, value) in subject.as_object().expect("it has fields") {
            assert_eq!(&standing[name], value, "{name}");
        }
    }
}

/// Returns a number of the data as a place.
fn whole(number: &Value) -> usize {
    number.as_u64().and_then(|number| number.try_into().ok()).expect("it is a place")
}

/// Returns data with the arrays of their ranges, and all numbers as such with a fraction.
fn filled(data: &Value, numbers: &Numbers) -> Value {
    let range = |at: &Value| {
        let [from, length] = [0, 1].map(|place| whole(&at[place]));
        from..from + length
    };
    match data {
        Value::Array(values) => values.iter().map(|value| filled(value, numbers)).collect(),
        Value::Object(fields) => match (fields.get("f64"), fields.get("u16")) {
            (Some(at), _) => serde_json::json!(numbers.floats[range(at)]),
            (_, Some(at)) => super::base64::base64_of_u16(&numbers.shorts[range(at)]).into(),
            _ => fields.iter().map(|(name, value)| (name.clone(), filled(value, numbers))).collect(),
        },
        Value::Number(number) => serde_json::json!(number.as_f64()),
        other => other.clone(),
    }
}

/// Values that are not a number are `null` in JSON.
#[test]
fn numbers_that_are_taken_out_are_those_of_the_page() {
    let files = files("F1");
    let taken = super::data_of_files(RunFiles::Written(&files), &manifest::sample("a"));
    let (json, numbers) = taken.expect("the run has a page");
    assert!(numbers.floats.len() > 100 && numbers.floats.iter().any(|value| value.is_nan()));
    assert!(!numbers.shorts.is_empty());
    let taken: Value = serde_json::from_str(&json).expect("data are JSON");
    let mut taken = filled(&taken, &numbers);
    let leads = taken.as_object_mut().and_then(|data| data.remove("leads"));
    assert_eq!(leads.as_ref().and_then(Value::as_array).map(Vec::len), Some(5));
    assert_eq!(taken, filled(&data(&page(&files)), &numbers));
}

#[test]
fn a_folder_without_results_of_one_run_has_no_page() {
    let fault = |files: &[OutputFile]| of_folder(RunFiles::Written(files), "").unwrap_err();
    assert!(matches!(fault(&[]), PageError::NoManifest));
    let mut plain = files("F1");
    let with = |change: fn(&mut Manifest)| {
        let mut changed = manifest::sample("a");
        change(&mut changed);
        [manifest(&changed)]
    };
    assert!(matches!(fault(&with(|manifest| manifest.plans.clear())), PageError::NotOneRun(_)));
    let twice = with(|manifest| manifest.plans.push(manifest.plans[0].clone()));
    assert!(matches!(fault(&twice), PageError::SeveralRuns(2)));
    let failed = with(|manifest| manifest.ended = RunEnd::Deadlock { message: "S1".to_owned() });
    assert!(matches!(fault(&failed), PageError::NoResults(_)));
    assert!(matches!(fault(&with(|manifest| manifest.ended = RunEnd::Writing)), PageError::Torn));
    plain.retain(|file| file.name != "ports.csv");
    assert_eq!(fault(&plain).to_string(), "there is no `ports.csv`");
}
