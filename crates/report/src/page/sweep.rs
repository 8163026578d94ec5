//! The page of a sweep or a tuning: its table as data of the script.
//!
//! Invariant: columns are known by their places in the table, as `sweep` and `tune` write them.
//!
//! | table | settings | measures |
//! |---|---|---|
//! | `results.csv`, a row a run | between `run` and `seed` | between `lost_packets` and `digest` |
//! | `trials.csv`, a row a setting | between `winner` and `violation`, without brackets | the others there, such as `p99(all)_s` |

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::document::Document;
use super::words;
use crate::reader::{ReadError, RunFiles};

/// Name of the collected table in the folder of a sweep.
pub(super) const TABLE: &str = "results.csv";
/// Name of the table of settings in the folder of a tuning.
pub(super) const TRIALS: &str = "trials.csv";
/// Word for a point of the space in the column `setting`.
const SEARCHED: &str = "searched";
/// Folder of the runs in both.
const RUNS: &str = "runs/";

/// Data of the script.
#[derive(Debug, Serialize)]
struct SweepData {
    kind: &'static str,
    /// Address of the folder of the runs, relative to the page or whole.
    runs: String,
    settings: Vec<Setting>,
    measures: Vec<MeasureColumn>,
    /// Seed of each run, or number of seeds of each setting.
    seeds: Vec<Option<u64>>,
    ended: Vec<String>,
    /// Names of the folders of the runs; of a setting, that of its first run, empty if it had none.
    folders: Vec<String>,
    names: Vec<String>,
    /// True for each setting of a tuning that keeps the constraints; `None` in a sweep.
    feasible: Option<Vec<bool>>,
}

/// A setting that a sweep varies.
#[derive(Debug, Serialize)]
struct Setting {
    name: String,
    unit: &'static str,
    /// `number` or `text`. A number may be null: the baseline of a tuning need not have one.
    kind: &'static str,
    values: Vec<Value>,
}

/// A measure of the runs.
#[derive(Debug, Serialize)]
struct MeasureColumn {
    name: String,
    unit: &'static str,
    values: Vec<Option<f64>>,
    /// True where the value is a lower bound; `None` if no value can be.
    censored: Option<Vec<bool>>,
}

/// The collected table, by columns.
struct Table {
    file: &'static str,
    header: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl Table {
    fn read(files: RunFiles<'_>, file: &'static str) -> Result<Self, ReadError> {
        let malformed =
            |error: csv::Error| ReadError::Malformed { file: file.to_owned(), fault: error.to_string() };
        let text = files.text(file)?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(malformed)?.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<Result<_, _>>().map_err(malformed)?;
        Ok(Self { file, header, rows })
    }

    fn place(&self, column: &str) -> Result<usize, ReadError> {
        let missing = || self.malformed(format!("there is no column `{column}`"));
        self.header.iter().position(|name| name == column).ok_or_else(missing)
    }

    fn malformed(&self, fault: String) -> ReadError {
        ReadError::Malformed { file: self.file.to_owned(), fault }
    }

    /// Returns a column of texts.
    fn texts(&self, column: &str) -> Result<Vec<String>, ReadError> {
        Ok(self.cells(self.place(column)?).map(str::to_owned).collect())
    }

    /// Returns a column of flags.
    fn flags(&self, column: &str) -> Result<Vec<bool>, ReadError> {
        Ok(self.cells(self.place(column)?).map(|cell| cell == "true").collect())
    }

    fn cells(&self, place: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| &row[place])
    }

    /// Returns a column of numbers; empty cells have none.
    fn numbers(&self, place: usize) -> Result<Vec<Option<f64>>, ReadError> {
        let number = |(line, cell): (usize, &str)| match cell {
            "" => Ok(None),
            cell => cell.parse().map(Some).map_err(|_| {
                self.malformed(format!("line {}: `{}` cannot be `{cell}`", line + 2, self.header[place]))
            }),
        };
        self.cells(place).enumerate().map(number).collect()
    }

    fn setting(&self, place: usize) -> Setting {
        let (name, unit) = named_unit(&self.header[place]);
        let numbers = self.numbers(place).ok().filter(|numbers| numbers.iter().any(Option::is_some));
        let (kind, unit, values) = match numbers {
            Some(values) => ("number", unit, values.into_iter().map(Value::from).collect()),
            None => ("text", "", self.cells(place).map(Value::from).collect()),
        };
        Setting { name: name.to_owned(), unit, kind, values }
    }

    fn measure(&self, place: usize) -> Result<MeasureColumn, ReadError> {
        let (name, unit) = named_unit(&self.header[place]);
        let flags = format!("{name}_censored");
        let flags = self.header.iter().position(|column| *column == flags);
        let censored = flags.map(|flags| self.cells(flags).map(|cell| cell == "true").collect());
        Ok(MeasureColumn { name: name.to_owned(), unit, values: self.numbers(place)?, censored })
    }
}

/// Returns a column's name without its unit, and the unit.
fn named_unit(column: &str) -> (&str, &'static str) {
    let units = [
        ("_bps", "bit/s"),
        ("_bytes", "B"),
        ("_us", "us"),
        ("_s", "s"),
        ("_m", "m"),
        ("_packets", "packets"),
    ];
    let found = units.iter().find_map(|(end, unit)| Some((column.strip_suffix(end)?, *unit)));
    found.unwrap_or((column, ""))
}

/// Returns the page of a sweep. `folder` is the address of its folder from the page's place: empty, or with `/` at its end.
pub(super) fn page(files: RunFiles<'_>, folder: &str) -> Result<String, ReadError> {
    let data = read(files, folder)?;
    let leads = leads(&data);
    let mut document = Document::new("Sweep", &in_words(&data.settings), &leads);
    let figures = [
        (
            "lines",
            "Lines with intervals",
            "A measure against a setting; other settings are held at the values chosen.",
        ),
        (
            "heat",
            "Heat map",
            "The mean of a measure for each pair of values of two settings; the bar below a number shows its class.",
        ),
        ("front", "Front of two measures", "Each point is a setting, with its means over all seeds."),
        ("parallel", "Parallel coordinates", "Each line is a run, through its settings and a measure."),
    ];
    let varied = data.settings.iter().filter(|setting| setting.is_varied()).count();
    let has = |id: &str| match id {
        _ if data.measures.is_empty() || varied == 0 => false,
        "heat" => varied > 1,
        "front" => data.measures.len() > 1,
        _ => true,
    };
    for (id, heading, sentence) in figures.into_iter().filter(|(id, ..)| has(id)) {
        document.section(id, heading, &[sentence.to_owned()]);
    }
    document.section("runs", "Runs", &["A heading sorts the table.".to_owned()]);
    Ok(document.finish(&data))
}

impl Setting {
    fn is_varied(&self) -> bool {
        self.values.iter().any(|value| *value != self.values[0])
    }
}

fn read(files: RunFiles<'_>, folder: &str) -> Result<SweepData, ReadError> {
    let table = Table::read(files, TABLE)?;
    let (run, seed) = (table.place("run")?, table.place("seed")?);
    let (lost, digest) = (table.place("lost_packets")?, table.place("digest")?);
    let measures = (lost + 1..digest).filter(|place| !table.header[*place].ends_with("_censored"));
    let seeds = table.numbers(seed)?.into_iter().map(|seed| seed.map(|seed| seed as u64)).collect();
    Ok(SweepData {
        kind: "sweep",
        runs: format!("{folder}{RUNS}"),
        settings: (run + 1..seed).map(|place| table.setting(place)).collect(),
        measures: measures.map(|place| table.measure(place)).collect::<Result<_, _>>()?,
        seeds,
        ended: table.texts("ended")?,
        folders: table.texts("name")?,
        names: table.texts("name")?,
        feasible: None,
    })
}

/// Returns the page of a tuning. `folder` is as in [`page`].
pub(super) fn tuning_page(files: RunFiles<'_>, folder: &str) -> Result<String, ReadError> {
    let table = Table::read(files, TRIALS)?;
    let data = read_trials(&table, folder)?;
    let leads = tuning_leads(&table, &data)?;
    let mut document = Document::new("Tuning", &in_words(&data.settings), &leads);
    if data.measures.len() > 1 {
        let front = "Each point is a setting that was tried, with its means over the training seeds.";
        document.section("front", "Front of two measures", &[front.to_owned()]);
    }
    let parallel = "Each line is a setting that was tried, through its parameters and a measure.";
    document.section("parallel", "Parallel coordinates", &[parallel.to_owned()]);
    document.section("runs", "Settings that were tried", &["A heading sorts the table.".to_owned()]);
    let texts = [
        ("winner.set", "The winner, as `--set` takes it"),
        ("tuning.json", "The whole answer, with the judgement on held-out runs"),
    ];
    let texts = texts.into_iter().filter(|(file, _)| files.has(file));
    let texts = texts.map(|(file, about)| Ok((format!("{about}: {file}"), files.text(file)?.into_owned())));
    let texts = texts.collect::<Result<Vec<_>, ReadError>>()?;
    let texts: Vec<_> = texts.iter().map(|(summary, text)| (summary.clone(), text.as_str())).collect();
    document.terms("answer", "Answer", &[("Settings", words::thousands(data.names.len()))], &texts);
    Ok(document.finish(&data))
}

fn read_trials(table: &Table, folder: &str) -> Result<SweepData, ReadError> {
    let (from, to) = (table.place("winner")? + 1, table.place("violation")?);
    let (measures, settings): (Vec<usize>, Vec<usize>) =
        (from..to).partition(|place| table.header[*place].contains('('));
    let seeds = table.numbers(table.place("seeds")?)?;
    let (feasible, front, winner) = (table.flags("feasible")?, table.flags("front")?, table.flags("winner")?);
    let state = |place: usize| match (winner[place], front[place], feasible[place]) {
        (true, ..) => "winner",
        (_, true, _) => "front",
        (.., true) => "feasible",
        (.., false) => "breaks a constraint",
    };
    Ok(SweepData {
        kind: "tuning",
        runs: format!("{folder}{RUNS}"),
        settings: settings.into_iter().map(|place| table.setting(place)).collect(),
        measures: measures
            .into_iter()
            .chain([to])
            .map(|place| table.measure(place))
            .collect::<Result<_, _>>()?,
        seeds: seeds.into_iter().map(|count| count.map(|count| count as u64)).collect(),
        ended: (0..feasible.len()).map(|place| state(place).to_owned()).collect(),
        folders: table.texts("run")?,
        names: table.texts("trial")?.iter().zip(table.texts("setting")?).map(named).collect(),
        feasible: Some(feasible),
    })
}

/// Returns the name of a setting: `trial 1 (baseline)`, `trial 7`.
fn named((trial, setting): (&String, String)) -> String {
    if setting == SEARCHED { format!("trial {trial}") } else { format!("trial {trial} ({setting})") }
}

/// Returns the question and the result of a tuning in sentences.
fn tuning_leads(table: &Table, data: &SweepData) -> Result<Vec<String>, ReadError> {
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
            let settings = settings.collect::<Vec<_>>().join(", ");
            let with = if settings.is_empty() { "" } else { ", with " };
            format!("{} wins{with}{settings}", data.names[place])
        },
    );
    Ok(vec![
        format!(
            "Asked: the best of {} for {}, by means over training seeds.",
            words::count(data.names.len(), "setting"),
            data.measures
                .iter()
                .map(|one| one.name.as_str())
                .filter(|name| *name != "violation")
                .collect::<Vec<_>>()
                .join(", ")
        ),
        format!("Came out: {of_winner}; its score on held-out runs stands in the answer below."),
        format!(
            "{} of {} keep all constraints; {} on the front.",
            words::thousands(count("feasible")?),
            words::count(data.names.len(), "setting"),
            match count("front")? {
                1 => "one is".to_owned(),
                several => format!("{} are", words::thousands(several)),
            }
        ),
    ])
}

fn in_words(settings: &[Setting]) -> String {
    let names: Vec<_> =
        settings.iter().filter(|one| one.is_varied()).map(|setting| setting.name.as_str()).collect();
    if names.is_empty() { "nothing is varied but the seed".to_owned() } else { names.join(", ") }
}

/// Returns the question and the result in sentences.
fn leads(data: &SweepData) -> Vec<String> {
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
    vec![
        format!(
            "Asked: {} of {} with {}.",
            words::count(count, "run"),
            words::count(points.len(), "setting"),
            words::count(seeds.len(), "seed")
        ),
        format!("Ends of the runs: {}.", ends.join(", ")),
        format!(
            "Measures: {}, of which {} lack a value in some run; {} are lower bounds.",
            words::thousands(data.measures.len()),
            words::thousands(lacking),
            words::count(censored.filter(|is| **is).count(), "value")
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputFile;

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
        assert_eq!(data.measures[0].values, [Some(1e9), None, Some(2e9)]);
        assert_eq!(data.measures[1].censored, Some(vec![false, false, true]));
        assert_eq!((data.names[2].as_str(), data.runs.as_str()), ("three", "runs/"));
        assert_eq!(leads(&data)[0], "Asked: 3 runs of 2 settings with 2 seeds.");
        assert_eq!(leads(&data)[1], "Ends of the runs: 2 complete, 1 not run.");
    }

    #[test]
    fn settings_of_a_tuning_have_no_brackets_in_their_names() {
        let rows = "trial,run,setting,seeds,feasible,front,winner,kmin_KB,scheme,p99(all)_s,violation\n\
            1,v-1,baseline,3,true,false,false,,a,0.002,0\n2,v-2,searched,3,true,true,true,9,b,0.001,0\n\
            3,,searched,1,false,false,false,7,a,,0.5\n";
        let files = vec![OutputFile { name: TRIALS.to_owned(), contents: rows.to_owned() }];
        let table = Table::read(RunFiles::Written(&files), TRIALS).unwrap();
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
        assert_eq!(data.ended, ["feasible", "winner", "breaks a constraint"]);
        let leads = tuning_leads(&table, &data).unwrap();
        assert_eq!(
            leads[1],
            "Came out: trial 2 wins, with kmin_KB = 9.0, scheme = b; its score on held-out runs stands in the answer below."
        );
        assert_eq!(leads[2], "2 of 3 settings keep all constraints; one is on the front.");
        assert!(tuning_page(RunFiles::Written(&files), "").unwrap().contains("id=\"front\""));
    }

    #[test]
    fn the_page_escapes_values_and_names_faults() {
        let html = page(RunFiles::Written(&files(ROWS)), "").unwrap();
        assert!(
            html.contains("\\u003c/script>") && html.contains("id=\"heat\"") && html.contains("id=\"front\"")
        );
        let fault = |rows: &str| page(RunFiles::Written(&files(rows)), "").unwrap_err().to_string();
        assert!(fault("run,seed\n1,1\n").contains("no column `lost_packets`"));
        assert!(fault(&ROWS.replace("0.002", "much")).contains("line 4: `p99(all)_s` cannot be `much`"));
    }
}
