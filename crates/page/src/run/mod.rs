//! The page of a run.
//!
//! Invariant: all numbers come from the files of the folder. A file that the run did not write leaves a sentence that
//! says how to get it.
//!
//! | module | contents |
//! |---|---|
//! | `subjects` | flows and groups with their losses |
//! | `facts` | the parts of `summary.json` that the page needs |
//! | `sentences` | what was run, in words |
//! | `curves` | goodput, queues and rates over time |
//! | `ranks` | ranks of jobs over time, as shares |
//! | `timelines` | the same, rank by rank, with the critical path |
//! | `completions` | completion times of messages |
//! | `paths` | the outputs by which the data of each flow leaves |
//! | `fabric` | the fabric at moments, with its trees |
//! | here | the sections, in order |

mod completions;
mod curves;
mod fabric;
mod facts;
mod paths;
mod ranks;
mod sentences;
mod subjects;
mod timelines;

use results::manifest::{Manifest, PlanIdentity};
use results::reader::{RunFacts, RunFiles};
use results::rows::{
    ContributorRow, FlowRow, IterationRow, MarginRow, MessageRow, PathStepRow, PhaseRow, PortRow, RankRow,
    RootRow, VictimRow,
};
use results::table::TableRow;
use results::verdict::Verdict;
use results::{column, columns};
use serde::Serialize;

use self::fabric::FabricData;
use self::facts::RunSummary;
use self::subjects::Subject;
use self::timelines::Timeline;
use super::PageError;
use super::data::{PageTable, Panel, TableChoice};
use super::document::Document;
use super::numbers::{Form, InJson, Numbers, TakenOut};
use super::words;

/// Longest plan that the page shows, in bytes.
const LONGEST_PLAN: usize = 200_000;

#[derive(Debug, Serialize)]
#[serde(bound = "")]
struct RunData<F: Form = InJson> {
    kind: &'static str,
    /// Phases: name, start and end in s.
    phases: Vec<(String, f64, f64)>,
    end_s: f64,
    subjects: Vec<Subject>,
    /// Ranks of the first jobs over time.
    timelines: Vec<Timeline<F>>,
    panels: Vec<Panel<F>>,
    completions: Option<Panel<F>>,
    fabric: Option<FabricData<F>>,
    margins: Vec<PageTable<F>>,
    completion_tables: Vec<PageTable<F>>,
    tables: Vec<PageTable<F>>,
}

impl RunData {
    fn take_out(self, numbers: &mut Numbers) -> RunData<TakenOut> {
        let timelines = self.timelines.into_iter().map(|one| one.take_out(numbers)).collect();
        let panels = self.panels.into_iter().map(|panel| panel.take_out(numbers)).collect();
        let completions = self.completions.map(|panel| panel.take_out(numbers));
        let fabric = self.fabric.map(|fabric| fabric.take_out(numbers));
        let [margins, completion_tables, tables] = [self.margins, self.completion_tables, self.tables]
            .map(|tables| tables.into_iter().map(|table| table.take_out(numbers)).collect());
        RunData {
            kind: self.kind,
            phases: self.phases,
            end_s: self.end_s,
            subjects: self.subjects,
            timelines,
            panels,
            completions,
            fabric,
            margins,
            completion_tables,
            tables,
        }
    }
}

/// Limits that loads came nearest to.
const MARGINS: TableChoice = TableChoice {
    file: MarginRow::FILE,
    heading: "Limits, the nearest first",
    columns: &[],
    if_any: &[],
    by: Some(column!(MarginRow: highest_share)),
    most: 1000,
};

/// Messages that took longest in comparison.
const MESSAGES: TableChoice = TableChoice {
    file: MessageRow::FILE,
    heading: "Messages, the most delayed first",
    columns: columns!(MessageRow:
        flow, src, dst, message, size_bytes, posted_s, completed_s, fct_us, slowdown, age_s
    ),
    if_any: &[],
    by: Some(column!(MessageRow: slowdown)),
    most: 500,
};

/// Tables of the section before the last.
const TABLES: [TableChoice; 9] = [
    TableChoice {
        file: PhaseRow::FILE,
        heading: "Goodput by phase",
        columns: columns!(PhaseRow: change, from_s, to_s, kind, name, goodput_bps, second_half_goodput_bps),
        if_any: &[],
        by: None,
        most: 5000,
    },
    TableChoice {
        file: FlowRow::FILE,
        heading: "Flows",
        columns: columns!(FlowRow:
            flow, src, dst, group, start_s, size_bytes, completed_s, delivered_bytes, mean_goodput_bps, alone_bps,
            mean_packet_latency_us, max_packet_latency_us, received_becns, out_of_order_share,
            largest_distance_packets, largest_ahead_bytes, retransmitted_packets, spurious_packets
        ),
        if_any: columns!(FlowRow:
            out_of_order_share, largest_distance_packets, largest_ahead_bytes, retransmitted_packets, spurious_packets
        ),
        by: None,
        most: 12_000,
    },
    TableChoice {
        file: PathStepRow::FILE,
        heading: "Critical paths of jobs",
        columns: &[],
        if_any: &[],
        by: None,
        most: 2000,
    },
    TableChoice {
        file: IterationRow::FILE,
        heading: "Iterations of jobs",
        columns: &[],
        if_any: &[],
        by: None,
        most: 2000,
    },
    TableChoice {
        file: RankRow::FILE,
        heading: "Ranks of jobs",
        columns: &[],
        if_any: &[],
        by: None,
        most: 2000,
    },
    TableChoice {
        file: RootRow::FILE,
        heading: "Roots of congestion trees",
        columns: &[],
        if_any: &[],
        by: Some(column!(RootRow: lost_bytes)),
        most: 500,
    },
    TableChoice {
        file: ContributorRow::FILE,
        heading: "Contributors",
        columns: &[],
        if_any: &[],
        by: Some(column!(ContributorRow: through_bytes)),
        most: 1000,
    },
    TableChoice {
        file: VictimRow::FILE,
        heading: "Victims",
        columns: &[],
        if_any: &[],
        by: Some(column!(VictimRow: lost_bytes)),
        most: 1000,
    },
    TableChoice {
        file: PortRow::FILE,
        heading: "Ports",
        columns: columns!(PortRow:
            node, port, peer, lane, link_rate_bps, utilisation, stalled_s, paused_s,
            sampled_queue_peak_bytes, sampled_queue_mean_bytes, root_samples, chosen_share, buffer_peak_bytes,
            pauses_sent
        ),
        if_any: columns!(PortRow: chosen_share),
        by: Some(column!(PortRow: stalled_s)),
        most: 2000,
    },
];

/// Returns the data of the page's script as JSON without its numbers, and the numbers. The JSON has the sentences at
/// the head of the page as `leads`.
pub(super) fn json_and_numbers(
    files: RunFiles<'_>,
    manifest: &Manifest,
) -> Result<(String, Numbers), PageError> {
    let summary = RunSummary::read(files)?;
    let facts = files.summary()?;
    let said = summary.verdict.iter().flat_map(Verdict::parts);
    let said = said.map(|(label, text)| format!("{label}: {text}"));
    let leads = said.chain(sentences::leads(summary.verdict.is_some(), manifest));
    let leads = leads.chain(summary.on_paths()).collect();
    let mut numbers = Numbers::default();
    let data = WithLeads { leads, data: data(files, (&summary, &facts))?.take_out(&mut numbers) };
    Ok((serde_json::to_string(&data).expect("data are plain"), numbers))
}

/// Data of the script, with the sentences at the head of the page.
#[derive(Serialize)]
struct WithLeads {
    leads: Vec<String>,
    #[serde(flatten)]
    data: RunData<TakenOut>,
}

fn data(files: RunFiles<'_>, (summary, facts): (&RunSummary, &RunFacts)) -> Result<RunData, PageError> {
    let jobs = ranks::read(files, facts)?;
    Ok(RunData {
        kind: "run",
        phases: facts.phases.iter().map(|phase| (phase.name.clone(), phase.from_s, phase.to_s)).collect(),
        end_s: facts.end_s(),
        subjects: summary.standings.worst.clone(),
        timelines: timelines::of(files, &jobs)?,
        panels: ranks::panel(&jobs).into_iter().chain(curves::panels(files, facts)?).collect(),
        completions: completions::panel(files)?,
        fabric: fabric::read(files, facts.simulated_s, summary.congestion.worst_roots.first())?,
        margins: MARGINS.read(files)?.into_iter().collect(),
        completion_tables: MESSAGES.read(files)?.into_iter().collect(),
        tables: TABLES.iter().filter_map(|table| table.read(files).transpose()).collect::<Result<_, _>>()?,
    })
}

pub(super) fn page(files: RunFiles<'_>, manifest: &Manifest) -> Result<String, PageError> {
    let summary = RunSummary::read(files)?;
    let facts = files.summary()?;
    let plan = &manifest.plans[0];
    let data = data(files, (&summary, &facts))?;
    let subtitle = sentences::run(files, &facts, plan)?;
    let verdict = summary.verdict.as_ref().map(|verdict| sentences::to_paste(verdict, manifest));
    let mut leads = sentences::leads(verdict.is_some(), manifest);
    leads.extend(verdict.as_ref().and_then(sentences::place_of_command));
    leads.extend(summary.on_paths());
    let title = sentences::title(&summary.scenario, plan);
    let mut document = Document::new(&title, &subtitle, verdict.as_ref(), &leads);
    if !data.subjects.is_empty() {
        document.section("hurt", "Who was held back", &[subjects::about(&summary.standings)]);
    }
    // Ranks stand above the fabric: what held them up is looked for in it.
    let (ranks, others): (Vec<_>, Vec<_>) = data.panels.iter().partition(|panel| panel.id == ranks::ID);
    for panel in ranks {
        let about = data.timelines.iter().map(|one| one.about.clone());
        document.section(panel.id, &panel.heading, &about.chain([panel.about.clone()]).collect::<Vec<_>>());
    }
    document.section("fabric", "The fabric", &[fabric::about(data.fabric.as_ref())]);
    for panel in others {
        let sentences = [Some(panel.about.clone()), panel.note()].into_iter().flatten();
        document.section(panel.id, &panel.heading, &sentences.collect::<Vec<_>>());
    }
    for (id, heading, missing) in curves::missing(&data.panels) {
        document.section(id, heading, &[missing.to_owned()]);
    }
    document.section("completions", "Completions", &completions::about(&summary, data.completions.as_ref()));
    let nearest = "Each row is a limit at a port and lane, and the load that came nearest to it: a reason why packets were \
                   marked, paused or stalled, or were not.";
    document.section("margins", "Margins", &[nearest.to_owned()]);
    document.section("tables", "Tables", &["A heading sorts its table.".to_owned()]);
    provenance(&mut document, files, (&summary, manifest, plan))?;
    Ok(document.finish(&data))
}

/// Adds parameters and provenance.
fn provenance(
    document: &mut Document,
    files: RunFiles<'_>,
    (summary, manifest, plan): (&RunSummary, &Manifest, &PlanIdentity),
) -> Result<(), PageError> {
    let none = || "none".to_owned();
    let text = files.text("plan.ron")?;
    let (shown, length) = if text.len() <= LONGEST_PLAN {
        (text.as_ref(), String::new())
    } else {
        let end = (0..=LONGEST_PLAN).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        (&text[..end], format!(", the first {end} of {} bytes", text.len()))
    };
    let mut terms = vec![
        ("Scenario", plan.scenario.clone()),
        ("Overrides", if plan.overrides.is_empty() { none() } else { plan.overrides.join(", ") }),
        ("Seed", plan.seed.to_string()),
        ("Command", manifest.command.join(" ")),
        ("Version", manifest.version.clone()),
        ("Commit", manifest.commit.clone().unwrap_or_else(none)),
        ("Digest of the plan", plan.plan_digest.clone()),
        ("Digest of the run", summary.digest.clone()),
        ("Ended", sentences::end(manifest)),
        ("Events", words::thousands(summary.events)),
        (
            "Packets",
            format!(
                "{} delivered, {} lost",
                words::thousands(summary.delivered_packets),
                words::thousands(summary.dropped_packets)
            ),
        ),
        ("Elapsed time", words::time(summary.wall_s)),
    ];
    if !plan.own_policies.is_empty() {
        terms.push(("Policies of the program's own", plan.own_policies.join(", ")));
    }
    let plan = (format!("All parameters: plan.ron{length}, a scenario that repeats the run"), shown);
    document.terms("provenance", "Parameters and provenance", &terms, &[plan]);
    Ok(())
}
