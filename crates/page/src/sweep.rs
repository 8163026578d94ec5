//! The page of a sweep.
//!
//! Invariant: the page opens with the answer that the sweep printed, word for word, and lower bounds keep their sign.

use std::collections::{BTreeMap, BTreeSet};

use results::column;
use results::manifest::Manifest;
use results::reader::{ReadError, RunFiles};
use results::rows::SweepRow;
use results::sweep::{ANSWER, SweepAnswer};
use results::table::TableRow;

use super::data::read_parsed;
use super::document::Document;
use super::sweep_data::SweepData;
use super::table::{ColumnTable, RUNS, in_words};
use super::words;

/// Name of the collected table in the folder of a sweep.
const TABLE: &str = SweepRow::FILE;
/// First sentence of a sweep without a question.
const NO_QUESTION: &str = "No question has been asked of these runs: `backwater sweep collect DIR --maximise MEASURE`, or `--minimise`, says \
    which setting is best, by how much and how sure that is, and the next page opens with that answer.";

/// Returns the page of a sweep. `folder` is the address of its folder from the page's place: empty, or with `/` at its
/// end.
pub(super) fn page(files: RunFiles<'_>, manifest: &Manifest, folder: &str) -> Result<String, ReadError> {
    let read = read(files, folder)?;
    // The last answer may be to another question than the command's.
    let of_answer = read.answer.as_ref().map(|answer| vec![answer.measure.clone()]);
    let data = SweepData { asked: of_answer.unwrap_or_else(|| asked(manifest)), ..read };
    let leads = leads(&data, manifest.verdict.as_deref());
    let verdict = data.answer.as_ref().map(|answer| &answer.verdict);
    let title = format!("Sweep of {}", scenarios(&data.names));
    let mut document = Document::new(&title, &in_words(&data.settings), verdict, &leads);
    let figures = [
        (
            "lines",
            "Lines with intervals",
            "A measure against a setting; other settings are held at the values chosen.",
        ),
        (
            "heat",
            "Heat map",
            "The mean of a measure for each pair of values of two settings; bars begin at zero. The best number is bold, \
             under each condition by itself.",
        ),
        (
            "front",
            "Front of two measures",
            "Each point is a setting, with its means over all seeds; conditions are held at the values chosen.",
        ),
        ("parallel", "Parallel coordinates", "Each line is a run, through its settings and a measure."),
    ];
    let varied = data.settings.iter().filter(|setting| setting.is_varied()).count();
    let has = |id: &str| match id {
        _ if data.measures.is_empty() || varied == 0 => false,
        "heat" => varied > 1,
        // Conditions are not chosen, so that a front of nothing else would be a point.
        "front" => data.measures.len() > 1 && has_choice(&data),
        _ => true,
    };
    if let Some(answer) = data.answer.as_ref().filter(|answer| has_settings(answer)) {
        let judged = format!(
            "Settings are judged by {}, where {} is better{}.",
            answer.measure,
            answer.better,
            if answer.conditions.is_empty() { "" } else { ", under each condition by itself" }
        );
        document.section("means", "Means", &[judged]);
    }
    for (id, heading, sentence) in figures.into_iter().filter(|(id, ..)| has(id)) {
        document.section(id, heading, &[sentence.to_owned()]);
    }
    document.section("runs", "Runs", &["A heading sorts the table.".to_owned()]);
    Ok(document.finish(&data))
}

/// Returns true if a setting varies that is no condition.
fn has_choice(data: &SweepData) -> bool {
    let is_condition =
        |name: &String| data.answer.as_ref().is_some_and(|answer| answer.conditions.contains(name));
    data.settings.iter().any(|setting| setting.is_varied() && !is_condition(&setting.name))
}

/// Returns true if the answer has means of settings.
fn has_settings(answer: &SweepAnswer) -> bool {
    answer.cases.iter().any(|case| !case.settings.is_empty())
}

/// Returns the names of the scenarios of runs, without repetition, by the names of their folders.
fn scenarios(names: &[String]) -> String {
    let scenario = |name: &String| match name.rsplit_once("-seed") {
        Some((scenario, _)) => scenario.to_owned(),
        None => name.clone(),
    };
    let different: BTreeSet<String> = names.iter().map(scenario).collect();
    different.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the measures that the command asked for.
fn asked(manifest: &Manifest) -> Vec<String> {
    let mut asked = Vec::new();
    let mut words = manifest.command.iter();
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        if ["--maximise", "--maximize", "--minimise", "--minimize"].contains(&option) {
            asked.extend(if value.is_empty() { words.next().cloned() } else { Some(value.to_owned()) });
        }
    }
    asked
}

fn read(files: RunFiles<'_>, folder: &str) -> Result<SweepData, ReadError> {
    let table = ColumnTable::read(files, TABLE)?;
    let (run, seed) = (table.place(column!(SweepRow: run))?, table.place(column!(SweepRow: seed))?);
    let (lost, digest) =
        (table.place(column!(SweepRow: lost_packets))?, table.place(column!(SweepRow: digest))?);
    let measures = (lost + 1..digest).filter(|place| !table.header[*place].ends_with("_censored"));
    let seeds = table.numbers(seed)?.into_iter().map(|seed| seed.map(|seed| seed as u64)).collect();
    Ok(SweepData {
        kind: "sweep",
        runs: format!("{folder}{RUNS}"),
        asked: Vec::new(),
        found: None,
        settings: (run + 1..seed).map(|place| table.setting(place)).collect(),
        measures: measures.map(|place| table.measure(place)).collect::<Result<_, _>>()?,
        seeds,
        ended: table.texts(column!(SweepRow: ended))?,
        folders: table.texts(column!(SweepRow: name))?,
        names: table.texts(column!(SweepRow: name))?,
        feasible: None,
        answer: files.has(ANSWER).then(|| read_parsed(files, ANSWER, SweepAnswer::read)).transpose()?,
    })
}

/// Returns the contents of a sweep, in sentences; before them the answer of a sweep that has it in its manifest alone.
fn leads(data: &SweepData, verdict: Option<&str>) -> Vec<String> {
    let count = data.names.len();
    let points: BTreeSet<String> = (0..count)
        .map(|run| {
            data.settings.iter().map(|setting| setting.values[run].to_string()).collect::<Vec<_>>().join(",")
        })
        .collect();
    let seeds: BTreeSet<_> = data.seeds.iter().collect();
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    data.ended.iter().for_each(|end| *ends.entry(end).or_default() += 1);
    let ends: Vec<_> = ends
        .iter()
        .map(|(end, count)| format!("{} {}", words::thousands(*count), end.replace('_', " ")))
        .collect();
    let lacking = data.measures.iter().filter(|measure| measure.values.contains(&None)).count();
    let censored = data.measures.iter().filter_map(|measure| measure.censored.as_ref()).flatten();
    let former = || verdict.map_or_else(|| NO_QUESTION.to_owned(), |verdict| verdict.replace('\n', " "));
    let faults = faults(&data.ended);
    let mut leads: Vec<String> = data.answer.is_none().then(former).into_iter().collect();
    leads.extend([
        format!(
            "Asked: {} of {} with {}.",
            words::count(count, "run"),
            words::count(points.len(), "setting"),
            words::count(seeds.len(), "seed")
        ),
        format!("Ends of the runs: {}.", ends.join(", ")),
    ]);
    leads.extend(faults);
    leads.push(format!(
        "Measures: {}, of which {} lack a value in some run; {} are lower bounds.",
        words::thousands(data.measures.len()),
        words::thousands(lacking),
        words::count(censored.filter(|is| **is).count(), "value")
    ));
    leads
}

/// Says which runs have results of a fabric that does not do its work, by the words of the column `ended`. `None` if no
/// run has.
fn faults(ended: &[String]) -> Option<String> {
    let count = |word: &str| ended.iter().filter(|end| *end == word).count();
    let (lossy, still) = (count("not_lossless"), count("stands_still"));
    let lossy = (lossy > 0).then(|| format!("{} dropped packets on lanes with PFC", words::thousands(lossy)));
    let still = (still > 0)
        .then(|| format!("{} stood still to the end, perhaps in a deadlock", words::thousands(still)));
    let faults: Vec<_> = lossy.into_iter().chain(still).collect();
    let of_fabrics = (!faults.is_empty()).then(|| {
        format!(
            "Of a fabric that does not do its work: {}; their measures count like all others.",
            faults.join(", ")
        )
    });
    let unequal = count("sizes_differ");
    let of_jobs = (unequal > 0).then(|| {
        format!(
            "In {} a receive of a job took a message of another size; their measures count like all others.",
            words::count(unequal, "run")
        )
    });
    let all: Vec<_> = of_fabrics.into_iter().chain(of_jobs).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

#[cfg(test)]
mod tests {
    use results::OutputFile;
    use results::manifest::sample;

    use super::*;

    const ROWS: &str = "run,switch.buffer_bytes,scheme,seed,ended,lost_packets,goodput(all)_bps,p99(all)_s,p99(all)_censored,digest,name\n\
        1,1024,Off,1,complete,0,1000000000.0,0.001,false,aa,one\n\
        2,1024,Off,2,not_run,,,,,,two\n\
        3,2048,\"</script>\",1,complete,0,2000000000.0,0.002,true,bb,three\n";

    fn files(rows: &str) -> Vec<OutputFile> {
        vec![OutputFile { name: TABLE.to_owned(), contents: rows.to_owned() }]
    }

    #[test]
    fn columns_are_settings_and_measures_by_their_places() {
        let data = read(RunFiles::Written(&files(ROWS)), "").unwrap();
        let settings: Vec<_> =
            data.settings.iter().map(|one| (one.name.as_str(), one.unit, one.kind)).collect();
        assert_eq!(settings, [("switch.buffer", "B", "number"), ("scheme", "", "text")]);
        let measures: Vec<_> = data.measures.iter().map(|one| (one.name.as_str(), one.unit)).collect();
        assert_eq!(measures, [("goodput(all)", "bit/s"), ("p99(all)", "s")]);
        assert_eq!([0, 1].map(|place| data.measures[place].better), ["larger", "smaller"]);
        assert_eq!(data.measures[0].values, [Some(1e9), None, Some(2e9)]);
        assert_eq!(data.measures[1].censored, Some(vec![false, false, true]));
        assert_eq!((data.names[2].as_str(), data.runs.as_str()), ("three", "runs/"));
        assert_eq!(leads(&data, None)[1], "Asked: 3 runs of 2 settings with 2 seeds.");
        assert_eq!(leads(&data, None)[2], "Ends of the runs: 2 complete, 1 not run.");
    }

    #[test]
    fn faults_of_fabrics_are_told() {
        let ended = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(faults(&ended(&["complete", "not_run", "deadlock"])), None);
        let still = faults(&ended(&["stands_still", "complete"])).unwrap();
        let unequal = faults(&ended(&["sizes_differ", "done", "sizes_differ"])).unwrap();
        assert!(unequal.starts_with("In 2 runs a receive of a job took"), "{unequal}");
        assert!(still.contains("work: 1 stood still to the end, perhaps in a deadlock; their"), "{still}");
        let rows = ROWS.replace(",complete,", ",stands_still,").replace(",not_run,", ",not_lossless,");
        let html = page(RunFiles::Written(&files(&rows)), &sample("p"), "").unwrap();
        let said =
            "work: 1 dropped packets on lanes with PFC, 2 stood still to the end, perhaps in a deadlock;";
        assert!(html.contains(said), "{html}");
    }

    #[test]
    fn the_page_opens_with_the_answer_or_says_how_to_ask() {
        let data = read(RunFiles::Written(&files(ROWS)), "").unwrap();
        assert!(leads(&data, None)[0].contains("sweep collect DIR --maximise MEASURE"));
        assert_eq!(leads(&data, Some("Best of 2.\nAt the edge."))[0], "Best of 2. At the edge.");
        let verdict = results::verdict::Verdict {
            loss: "Best of 2: <B>.".to_owned(),
            cause: "With B: less waiting.".to_owned(),
            confidence: "One seed.".to_owned(),
            advice: "`backwater sweep`".to_owned(),
            kind: results::verdict::VerdictKind::Runs,
            measure: None,
        };
        let answer = SweepAnswer {
            schema: results::sweep::SCHEMA.to_owned(),
            scenarios: vec!["s".to_owned()],
            measure: "p99(all)".to_owned(),
            better: "smaller".to_owned(),
            is_asked: true,
            conditions: Vec::new(),
            choices: vec!["scheme".to_owned()],
            verdict,
            cases: Vec::new(),
        };
        let with_answer =
            [files(ROWS), vec![OutputFile { name: ANSWER.to_owned(), contents: answer.json() }]];
        let html = page(RunFiles::Written(&with_answer.concat()), &sample("p"), "").unwrap();
        assert!(html.contains("<dl class=\"verdict\">") && html.contains("Best of 2: &lt;B&gt;."), "{html}");
        assert!(!html.contains(NO_QUESTION), "{html}");
        // A sweep of conditions alone has nothing to choose.
        assert!(html.contains("id=\"front\""), "{html}");
        let conditions = vec!["switch.buffer".to_owned(), "scheme".to_owned()];
        let of_conditions =
            OutputFile { name: ANSWER.to_owned(), contents: SweepAnswer { conditions, ..answer }.json() };
        let html =
            page(RunFiles::Written(&[files(ROWS), vec![of_conditions]].concat()), &sample("p"), "").unwrap();
        assert!(!html.contains("id=\"front\""), "{html}");
        let verdict = Some("Best of 2 settings: <A>.".to_owned());
        let manifest = Manifest { verdict, ..sample("p") };
        let html = page(RunFiles::Written(&files(ROWS)), &manifest, "").unwrap();
        assert!(html.contains("<p class=\"lead\">Best of 2 settings: &lt;A&gt;.</p>"), "{html}");
    }

    #[test]
    fn the_page_names_its_scenarios_and_opens_on_the_measure_that_was_asked_for() {
        let rows = ROWS.replace("aa,one", "aa,ring-seed1-0a").replace(",,two", ",,ring-seed2-0b");
        let command = ["backwater", "sweep", "ring", "--minimise", "p99(all)", "--maximize=goodput(all)"];
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let manifest = Manifest { command, ..sample("p") };
        let html = page(RunFiles::Written(&files(&rows)), &manifest, "").unwrap();
        assert!(html.contains("<h1>Sweep of ring, three</h1>"), "{html}");
        assert!(html.contains("\"asked\":[\"p99(all)\",\"goodput(all)\"]"), "{html}");
    }

    #[test]
    fn the_page_escapes_values_and_names_faults() {
        let html = page(RunFiles::Written(&files(ROWS)), &sample("p"), "").unwrap();
        assert!(
            html.contains("\\u003c/script>") && html.contains("id=\"heat\"") && html.contains("id=\"front\"")
        );
        let fault =
            |rows: &str| page(RunFiles::Written(&files(rows)), &sample("p"), "").unwrap_err().to_string();
        assert!(fault("run,seed\n1,1\n").contains("no column `lost_packets`"));
        assert!(fault(&ROWS.replace("0.002", "much")).contains("line 4: `p99(all)_s` cannot be `much`"));
    }
}
