//! The page of a tuning.
//!
//! Invariant: the page opens with the answer that `tune` printed, word for word.

use results::manifest::Manifest;
use results::reader::{ReadError, RunFiles};

use super::document::Document;
use super::sweep_data::SweepData;
use super::table::{ColumnTable, RUNS, in_words};
use super::tuning_answer::{self, TuningAnswer};
use super::words;

/// Name of the table of settings in the folder of a tuning.
const TRIALS: &str = "trials.csv";
/// Name of the column with the violation of constraints, beside the columns of goals.
const VIOLATION: &str = "violation";
/// Word for a point of the space in the column `setting`.
const SEARCHED: &str = "searched";

/// Returns the page of a tuning. `folder` is the address of its folder from the page's place: empty, or with `/` at its
/// end.
pub(super) fn page(files: RunFiles<'_>, manifest: &Manifest, folder: &str) -> Result<String, ReadError> {
    let table = ColumnTable::read(files, TRIALS)?;
    let mut data = read_trials(&table, folder)?;
    data.found = tuning_answer::read(files, &table, &data.settings)?;
    data.asked = data.found.as_ref().map_or_else(Vec::new, TuningAnswer::asked);
    let verdict = data.found.as_ref().and_then(|found| found.answer.as_ref());
    // A tuning of a former version has its sentences in the manifest alone.
    let former = manifest.verdict.iter().filter(|_| verdict.is_none()).cloned();
    let leads: Vec<_> = former.chain(leads(&table, &data)?).collect();
    let title = data
        .found
        .as_ref()
        .map_or_else(|| "Tuning".to_owned(), |answer| format!("Tuning of {}", answer.scenario));
    let mut document = Document::new(&title, &in_words(&data.settings), verdict, &leads);
    if let Some(found) = &data.found {
        let set = "Parameters of the scenario as it is, and of the best that was found.";
        document.section("set", "What to set", &[set.to_owned()]);
        let held_out = "The same two on seeds that the search did not see.";
        document.section("held-out", "Held-out seeds", &[held_out.to_owned()]);
        let moved = moved(found);
        document.section("sensitivity", "Effect of each parameter", &[moved]);
    }
    // The violation of constraints is a measure of the table, and no goal that a front could have.
    if data.measures.iter().filter(|one| one.name != VIOLATION).count() > 1 {
        let front = "Each point is a setting that was tried, with its means over the training seeds.";
        document.section("front", "Front of two measures", &[front.to_owned()]);
    }
    let parallel = "Each line is a setting that was tried, through its parameters and a measure.";
    document.section("parallel", "Parallel coordinates", &[parallel.to_owned()]);
    document.section("runs", "Settings that were tried", &["A heading sorts the table.".to_owned()]);
    let texts = [
        ("winner.set", "The winner, as `--set` takes it"),
        ("searched.set", "The best that the search found, for a trial by hand"),
        (tuning_answer::FILE, "The whole answer, with the judgement on held-out runs"),
    ];
    let texts = texts.into_iter().filter(|(file, _)| files.has(file));
    let texts = texts.map(|(file, about)| Ok((format!("{about}: {file}"), files.text(file)?.into_owned())));
    let texts = texts.collect::<Result<Vec<_>, ReadError>>()?;
    let texts: Vec<_> = texts.iter().map(|(summary, text)| (summary.clone(), text.as_str())).collect();
    document.terms("answer", "Answer", &[("Settings", words::thousands(data.names.len()))], &texts);
    Ok(document.finish(&data))
}

/// Returns the sentence on the effect of each parameter, or why there is none.
fn moved(found: &TuningAnswer) -> String {
    let correlation = "Spearman's rank correlation of the parameter with the loss over the trials that have a number for it";
    if !found.has_moves() {
        let why = if found.kept_no_runs {
            "since half of the runs are for the search: more `--runs` have room for it, and `tune` says how many"
        } else {
            "so that no loss is known"
        };
        return format!("{correlation}. No parameter was moved alone, {why}.");
    }
    let of = match found.moved {
        Some((_, true)) | None => "the winner".to_owned(),
        Some((trial, false)) => {
            format!("trial {trial}, the best point of the space on the training seeds and not the winner,")
        }
    };
    format!(
        "The loss of the first objective if a parameter of {of} is moved by a tenth of its range, and {correlation}."
    )
}

fn read_trials(table: &ColumnTable, folder: &str) -> Result<SweepData, ReadError> {
    let (from, to) = (table.place("winner")? + 1, table.place(VIOLATION)?);
    let (measures, settings): (Vec<usize>, Vec<usize>) =
        (from..to).partition(|place| table.header[*place].contains('('));
    let seeds = table.numbers(table.place("seeds")?)?;
    let (feasible, front, winner) = (table.flags("feasible")?, table.flags("front")?, table.flags("winner")?);
    // Where all settings keep the constraints, the violation is no measure: a front of it would be a row of zeros.
    let breaks = feasible.iter().any(|is| !is);
    let state = |place: usize| match (winner[place], front[place], feasible[place]) {
        (true, ..) => "winner",
        (_, true, _) => "front",
        (.., true) => "feasible",
        (.., false) => "breaks a constraint",
    };
    Ok(SweepData {
        kind: "tuning",
        runs: format!("{folder}{RUNS}"),
        asked: Vec::new(),
        found: None,
        settings: settings.into_iter().map(|place| table.setting(place)).collect(),
        measures: measures
            .into_iter()
            .chain(breaks.then_some(to))
            .map(|place| table.measure(place))
            .collect::<Result<_, _>>()?,
        seeds: seeds.into_iter().map(|count| count.map(|count| count as u64)).collect(),
        ended: (0..feasible.len()).map(|place| state(place).to_owned()).collect(),
        folders: table.texts("run")?,
        names: table.texts("trial")?.iter().zip(table.texts("setting")?).map(named).collect(),
        feasible: Some(feasible),
        answer: None,
    })
}

/// Returns the name of a setting: `trial 1 (baseline)`, `trial 7`.
fn named((trial, setting): (&String, String)) -> String {
    if setting == SEARCHED { format!("trial {trial}") } else { format!("trial {trial} ({setting})") }
}

/// Returns the question and the result of a tuning in sentences.
fn leads(table: &ColumnTable, data: &SweepData) -> Result<Vec<String>, ReadError> {
    let count = |column: &str| Ok::<_, ReadError>(table.flags(column)?.iter().filter(|is| **is).count());
    let winner = table.flags("winner")?.iter().position(|is| *is);
    let of_winner = winner.map_or_else(
        || "no setting keeps the constraints".to_owned(),
        |place| {
            let settings = data.settings.iter().filter(|one| !one.values[place].is_null()).map(|one| {
                let value = &one.values[place];
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!(
                    "{} = {text}{}",
                    one.name,
                    if one.unit.is_empty() { "" } else { " " }.to_owned() + one.unit
                )
            });
            // A given candidate differs in fields that the space does not have.
            let is_point = !data.names[place].ends_with(')');
            let settings = settings.filter(|_| is_point).collect::<Vec<_>>().join(", ");
            let with = if settings.is_empty() { "" } else { ", with " };
            format!("{} wins{with}{settings}", data.names[place])
        },
    );
    Ok(vec![
        format!(
            "Asked: the best of {} for {}, the scenario's own settings among them.",
            words::count(data.names.len(), "setting"),
            data.measures
                .iter()
                .map(|one| one.name.as_str())
                .filter(|name| *name != VIOLATION)
                .collect::<Vec<_>>()
                .join(", ")
        ),
        format!("On the training seeds {of_winner}; the score on held-out runs stands in the answer below."),
        format!(
            "{} of {} keep all constraints{}.",
            words::thousands(count("feasible")?),
            words::count(data.names.len(), "setting"),
            match count("front")? {
                // A front of one goal is its best setting.
                _ if data.measures.len() < 3 => String::new(),
                1 => "; one is on the front".to_owned(),
                several => format!("; {} are on the front", words::thousands(several)),
            }
        ),
    ])
}

#[cfg(test)]
mod tests {
    use results::OutputFile;
    use results::manifest::sample;
    use serde_json::Value;

    use super::*;

    /// An answer as `tune` writes it, shortened.
    const ANSWER: &str = r#"{"scenario": "ring", "set": ["duration=5 ms"], "held_out_seeds": [7, 8],
        "objectives": [{"measure": "p99(all)", "goal": "minimise p99(all)", "unit": "seconds"}],
        "parameters": [{"name": "kmin", "path": "a.kmin"}, {"name": "timer", "path": "a.timer"}],
        "baseline": {"objectives": [{"mean": 0.002, "ci95": 0.0001, "seeds": 2}], "kept": [], "runs": 2},
        "judged": [{"trial": 2, "held_out": {"objectives": [{"mean": 0.001, "ci95": null, "seeds": 2}], "kept": []},
                    "gains": [{"mean": 0.001, "ci95": 0.0002, "seeds": 2}]}],
        "winner": {"at_ends": [], "set": ["a.kmin=\"9 KB\""]},
        "sensitivity": [{"parameter": "kmin", "rank_correlation": null,
                         "neighbours": [{"value": "7 KB", "loss": {"mean": 0.0005, "ci95": null, "seeds": 1}}]}]}"#;

    #[test]
    fn the_page_has_what_to_set_and_the_judgement_on_held_out_seeds() {
        let rows = "trial,run,setting,seeds,feasible,front,winner,kmin_KB,timer_us,p99(all)_s,violation\n\
            1,v-1,baseline,3,true,false,false,5,55,0.002,0\n2,v-2,searched,3,true,true,true,9,32.5,0.001,0\n";
        let file =
            |name: &str, contents: &str| OutputFile { name: name.to_owned(), contents: contents.to_owned() };
        let files = [file(TRIALS, rows), file(tuning_answer::FILE, ANSWER)];
        let html = page(RunFiles::Written(&files), &sample("p"), "").unwrap();
        assert!(html.contains("<h1>Tuning of ring</h1>"), "{html}");
        let data = html.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        let answer = &data["found"];
        let parameters = serde_json::json!([
            { "name": "kmin", "path": "a.kmin", "baseline": "5 KB", "winner": "9 KB" },
            { "name": "timer", "path": "a.timer", "baseline": "55 us", "winner": "32.5 us" }
        ]);
        assert_eq!(answer["parameters"], parameters);
        assert_eq!(answer["set"], serde_json::json!(["duration=5 ms", "a.kmin=\"9 KB\""]));
        let objective = &answer["objectives"][0];
        assert_eq!((&objective["unit"], &objective["better"]), (&"s".into(), &"smaller".into()));
        assert_eq!(objective["baseline"], serde_json::json!({ "mean": 0.002, "half": 0.0001 }));
        assert_eq!(objective["gain"]["half"], 0.0002);
        assert_eq!(answer["sensitivity"][0]["neighbours"][0]["loss"]["mean"], 0.0005);
        assert_eq!(data["asked"], serde_json::json!(["p99(all)"]));
        // No setting breaks a constraint, so that there is no front against a row of zeros.
        assert!(!html.contains("id=\"front\""));
        let kept = rows
            .replace("true,false,false,5", "true,true,true,5")
            .replace("true,true,true,9", "true,false,false,9");
        let html = page(
            RunFiles::Written(&[file(TRIALS, &kept), file(tuning_answer::FILE, ANSWER)]),
            &sample("p"),
            "",
        )
        .unwrap();
        assert!(
            html.contains("\"rival\":\"best other setting\"") && html.contains("\"winner\":\"9 KB\""),
            "{html}"
        );
        assert!(html.contains("\"set\":[]"), "the baseline wins, and nothing is to be set");
        // Without neighbours there are no bars, and the page says why.
        let (before, rest) = ANSWER.split_once("\"neighbours\": [").unwrap();
        let alone = format!(
            "{before}\"neighbours\": []}}], \"budget\": {{\"sensitivity\": 0}}{}",
            &rest[rest.find("}]}]").unwrap() + 4..]
        );
        let files = [file(TRIALS, rows), file(tuning_answer::FILE, &alone)];
        let html = page(RunFiles::Written(&files), &sample("p"), "").unwrap();
        let said = "No parameter was moved alone, since half of the runs are for the search: more <code>--runs</code>";
        assert!(html.contains(said) && !html.contains("by a tenth of its range"), "{html}");
        let broken = [file(TRIALS, rows), file(tuning_answer::FILE, "{}")];
        let fault = page(RunFiles::Written(&broken), &sample("p"), "").unwrap_err().to_string();
        assert!(fault.contains("tuning.json") && fault.contains("scenario"), "{fault}");
    }

    /// A winner that is no point of the space, such as a guideline, has values too; another trial is moved.
    #[test]
    fn a_winner_outside_the_space_has_its_values_and_constraints() {
        let rows = "trial,run,setting,seeds,feasible,front,winner,kmin_KB,timer_us,p99(all)_s,violation\n\
            1,v-1,baseline,3,true,false,false,5,,0.002,0\n2,v-2,guideline,3,true,true,true,,32.5,0.001,0\n";
        let with = r#""moved": 7, "constraints": ["goodput(a) >= 1 Gb/s"], "settings": [
            {"parameter": "kmin", "path": "a.kmin", "values": [{"setting": "guideline", "trial": 2, "value": "as the link"}]},
            {"parameter": "timer", "path": "a.timer", "values": [{"setting": "baseline", "trial": 1, "value": "never"}]}],
            "winner""#;
        let answer = ANSWER
            .replacen("\"winner\"", with, 1)
            .replacen("\"kept\": []", "\"kept\": [1]", 1)
            .replacen("\"kept\": []}", "\"kept\": [2], \"runs\": 2}", 1);
        let file =
            |name: &str, contents: &str| OutputFile { name: name.to_owned(), contents: contents.to_owned() };
        let files = [file(TRIALS, rows), file(tuning_answer::FILE, &answer)];
        let html = page(RunFiles::Written(&files), &sample("p"), "").unwrap();
        let data = html.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        let parameters = serde_json::json!([
            { "name": "kmin", "path": "a.kmin", "baseline": "5 KB", "winner": "as the link" },
            { "name": "timer", "path": "a.timer", "baseline": "never", "winner": "32.5 us" }
        ]);
        assert_eq!(data["found"]["parameters"], parameters);
        let constraints = serde_json::json!([
            { "name": "goodput(a) >= 1 Gb/s", "baseline": "kept in 1 of 2 runs", "winner": "kept in 2 of 2 runs" }
        ]);
        assert_eq!(data["found"]["constraints"], constraints);
        assert!(html.contains("a parameter of trial 7, the best point of the space on the training seeds and not the winner, is moved"), "{html}");
    }

    #[test]
    fn settings_of_a_tuning_have_no_brackets_in_their_names() {
        let rows = "trial,run,setting,seeds,feasible,front,winner,kmin_KB,scheme,p99(all)_s,violation\n\
            1,v-1,baseline,3,true,false,false,,a,0.002,0\n2,v-2,searched,3,true,true,true,9,b,0.001,0\n\
            3,,searched,1,false,false,false,7,a,,0.5\n";
        let files = vec![OutputFile { name: TRIALS.to_owned(), contents: rows.to_owned() }];
        let table = ColumnTable::read(RunFiles::Written(&files), TRIALS).unwrap();
        let data = read_trials(&table, "").unwrap();
        let names: Vec<_> = data.settings.iter().map(|one| one.name.as_str()).collect();
        let measures: Vec<_> = data.measures.iter().map(|one| (one.name.as_str(), one.unit)).collect();
        assert_eq!(data.folders, ["v-1", "v-2", ""]);
        assert_eq!(data.names, ["trial 1 (baseline)", "trial 2", "trial 3"]);
        assert_eq!((data.settings[0].kind, &data.settings[0].values[0]), ("number", &Value::Null));
        assert_eq!(
            (names, measures),
            (vec!["kmin_KB", "scheme"], vec![("p99(all)", "s"), ("violation", "")])
        );
        assert!(data.measures.iter().all(|one| one.better == "smaller"));
        assert_eq!(data.ended, ["feasible", "winner", "breaks a constraint"]);
        let leads = leads(&table, &data).unwrap();
        assert_eq!(
            leads[1],
            "On the training seeds trial 2 wins, with kmin_KB = 9.0, scheme = b; the score on held-out runs stands in the answer below."
        );
        assert_eq!(leads[2], "2 of 3 settings keep all constraints.");
        let verdict = Some("Keep the settings.".to_owned());
        let html = page(RunFiles::Written(&files), &Manifest { verdict, ..sample("p") }, "").unwrap();
        let first = html.find("<p class=\"lead\">").expect("there is a sentence");
        assert!(html[first..].starts_with("<p class=\"lead\">Keep the settings.</p>"), "{html}");
        assert!(!html.contains("id=\"front\""), "there is one goal");
    }
}
