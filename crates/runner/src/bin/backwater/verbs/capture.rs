//! `capture`: packets at chosen ports, as pcapng.
//!
//! Invariant: an existing file is replaced with `--force` only, by a whole file. Nothing is written if an option or the
//! scenario is wrong. The file of a run that fails has the packets up to there.

use std::io::BufWriter;
use std::path::PathBuf;

use backwater::capture::filter::{Filter, FilterSpec, Kind};
use backwater::capture::{CaptureError, CaptureReport, CaptureRequest, KindCounts, capture, format_of};
use backwater::{Plan, RunOptions};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use files::NewFile;
use packet::{NodeId, PortId};
use results::format::{aligned, grouped, plain_table};
use scenario::help_with_ports;
use serde_json::json;
use traces::frame::LinkFormat;
use units::Span;

use crate::arguments;
use crate::ending;
use crate::failure::Failure;
use crate::folder_name;
use crate::interrupt;
use crate::memory::MemoryOptions;
use crate::new_file;
use crate::overrides::ChangeOptions;
use crate::progress::ProgressReport;
use crate::terminal::{print, print_exactly};
use crate::threads::ThreadOptions;
use crate::until_done::{DrainOptions, EndOptions};

#[derive(Args, Debug)]
pub(crate) struct CaptureOptions {
    /// File, or name of a shipped scenario (see `list`).
    scenario: String,
    /// Ports to capture at, both directions: `leaf1:3`, `leaf1:h3` (the port whose cable leads to `h3`), `leaf*:h*`, `h1` (all its ports).
    /// `*` stands for any text and `?` for any one character. May be given several times.
    #[arg(long, value_name = "PORTS", required = true)]
    ports: Vec<String>,
    /// File to write [default: NAME.pcapng, with the scenario's name].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    filter: FilterOptions,
    /// Most packets in the file. The run goes on and counts those that are left out.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: u64,
    /// Bytes to write of each packet at most [default: whole packets]. 96 hold all headers. Without its end a packet has no ICRC, VCRC or
    /// FCS; its length is kept.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    snap: Option<u32>,
    #[command(flatten)]
    change: ChangeOptions,
    #[command(flatten)]
    end: EndOptions,
    #[command(flatten)]
    drain: DrainOptions,
    /// Print the counts as JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Print no progress and no table, only errors and the output of `--json`.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    threads: ThreadOptions,
    #[command(flatten)]
    memory: MemoryOptions,
}

/// Conditions on packets. A packet has to meet all that are given, and of one that is given several times one of its values.
#[derive(Args, Debug)]
struct FilterOptions {
    /// Take only packets of this flow, by name or pattern: its data, and what answers it.
    #[arg(long, value_name = "NAME")]
    flow: Vec<String>,
    /// Take only packets that this host sends, by name or pattern.
    #[arg(long, value_name = "HOST")]
    from: Vec<String>,
    /// Take only packets for this host.
    #[arg(long, value_name = "HOST")]
    to: Vec<String>,
    /// Take only packets of this lane, or priority.
    #[arg(long, value_name = "N")]
    lane: Vec<u8>,
    /// Take only packets of these kinds. A PAUSE frame has no flow, sender or receiver.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<KindArgument>,
    /// Take only packets that the port sends, or only those that it receives.
    #[arg(long, value_name = "DIRECTION")]
    direction: Option<DirectionArgument>,
    /// Take packets from this simulated time on.
    #[arg(long, value_name = "TIME", value_parser = arguments::span)]
    begin: Option<Span>,
    /// Take packets before this simulated time.
    #[arg(long = "end", value_name = "TIME", value_parser = arguments::span)]
    before: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
struct KindArgument(Kind);

impl ValueEnum for KindArgument {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self(Kind::Data), Self(Kind::ReadRequest), Self(Kind::Ack), Self(Kind::Cnp), Self(Kind::Pause)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.word()))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DirectionArgument {
    In,
    Out,
}

impl FilterOptions {
    fn of(&self, plan: &Plan) -> Result<Filter, Failure> {
        let spec = FilterSpec {
            flows: self.flow.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            lanes: self.lane.clone(),
            kinds: self.kind.iter().map(|kind| kind.0).collect(),
            outbound: self.direction.map(|direction| matches!(direction, DirectionArgument::Out)),
            begin: self.begin,
            end: self.before,
        };
        Ok(Filter::new(&spec, plan)?)
    }
}

/// Runs the scenario, writes the file, prints the counts.
pub(crate) fn run(options: &CaptureOptions) -> Result<(), Failure> {
    let plan = options.end.plan(&options.scenario, options.change.set(), options.change.seed)?;
    let format = format_of(&plan).map_err(Failure::NoFormat)?;
    let request = CaptureRequest {
        ports: ports(&options.ports, &plan)?,
        filter: options.filter.of(&plan)?,
        most: options.most,
        snap: options.snap,
        comment: comment(&plan),
    };
    options.memory.check(&[&plan])?;
    let path = options.out.clone().unwrap_or_else(|| folder_name::of_file(plan.name(), "pcapng"));
    let mut file = new_file::open(&path, options.force)?;
    let captured = captured(&plan, options, &request, &mut file);
    if matches!(captured, Ok(_) | Err(CaptureError::Run(_))) {
        new_file::finish(&path, file)?;
    }
    let report = captured.map_err(|error| match error {
        CaptureError::Run(error) => error.into(),
        CaptureError::NoFormat => Failure::NoFormat(error),
        CaptureError::Unwritable(cause) => new_file::failure(&path, cause),
    })?;
    let written = Written { path: path.display().to_string(), format, request: &request, report: &report };
    if options.json {
        print_exactly(&written.json());
    } else if !options.quiet {
        print(&written.printed());
    }
    ending::checked(&plan, &report.record, options.drain.drain)
}

fn captured(
    plan: &Plan,
    options: &CaptureOptions,
    request: &CaptureRequest,
    file: &mut NewFile,
) -> Result<CaptureReport, CaptureError> {
    let division = options.threads.divide(plan, options.quiet);
    let partition = division.partition.as_ref();
    let mut report = ProgressReport::new(plan.duration(), plan.until_done(), !options.quiet);
    let interrupt = Some(interrupt::watched());
    let run = RunOptions { drain: options.drain.drain, interrupt, partition, ..RunOptions::default() };
    capture(plan, run, request, BufWriter::new(file), &mut |progress| report.update(progress))
}

/// Returns the ports that the texts select, in the order of nodes and ports, each once.
fn ports(given: &[String], plan: &Plan) -> Result<Vec<(NodeId, PortId)>, Failure> {
    let graph = plan.graph();
    let mut ports = Vec::new();
    for given in given {
        let found = graph.select_ports(given).map_err(|error| Failure::NoPorts {
            given: given.clone(),
            help: help_with_ports(&error, graph),
            message: error.to_string(),
        })?;
        ports.extend(found);
    }
    ports.sort_unstable();
    ports.dedup();
    Ok(ports)
}

/// Returns the remark in the file: all that the packets depend on, so that no two runs of a command differ.
fn comment(plan: &Plan) -> String {
    format!(
        "scenario {}, seed {}, plan {}. Simulated: payloads are zeros, times are rounded down to nanoseconds.",
        plan.name(),
        plan.seed(),
        plan.digest()
    )
}

struct Written<'a> {
    path: String,
    format: LinkFormat,
    request: &'a CaptureRequest,
    report: &'a CaptureReport,
}

impl Written<'_> {
    /// Returns the counts as a table, and what is left out.
    fn printed(&self) -> String {
        let (report, total) = (self.report, self.report.total());
        let link = match self.format {
            LinkFormat::InfiniBand => "InfiniBand (ERF)",
            LinkFormat::Ethernet => "Ethernet",
        };
        let ports = self.request.ports.len();
        let mut text = format!(
            "{}: {} packets at {ports} {} of {link}, {} bytes\n\n{}\n",
            self.path,
            grouped(total.written),
            if ports == 1 { "port" } else { "ports" },
            grouped(report.packet_bytes),
            self.table(total)
        );
        if let Some(at) = report.limit_reached {
            text += &format!(
                "\nThe limit of {} packets was reached at {}: {} later packets are left out. `--most N` changes it.\n",
                grouped(self.request.most),
                at.since_start(),
                grouped(total.taken - total.written)
            );
        }
        if total.passed == 0 {
            text += "\nNo packet passed the ports.\n";
        } else if total.taken == 0 {
            text += &format!("\nThe filter ({}) takes none of them.\n", self.request.filter.words());
        }
        if let Some(snap) = self.request.snap {
            text += &format!("\nOf each packet at most {snap} bytes are written.\n");
        }
        text + &format!("\ndigest {:016x}, that of the same run by `sim`\n", report.record.digest)
    }

    fn table(&self, total: KindCounts) -> String {
        let mut table = plain_table();
        table.set_header(["kind", "passed", "taken", "written", "with FECN", "with BECN"]);
        let all = self.report.kinds.iter().map(|(kind, counts)| (kind.word(), *counts));
        for (word, counts) in all.chain([("all", total)]) {
            let KindCounts { passed, taken, written, written_fecn, written_becn } = counts;
            let counts = [passed, taken, written, written_fecn, written_becn].map(grouped);
            table.add_row([word.to_owned()].into_iter().chain(counts));
        }
        aligned(table, 1)
    }

    fn json(&self) -> String {
        let (report, total) = (self.report, self.report.total());
        let kinds: serde_json::Map<_, _> =
            report.kinds.iter().map(|(kind, counts)| (kind.word().to_owned(), json!(counts))).collect();
        let value = json!({
            "file": self.path,
            "ports": self.request.ports.len(),
            "packets": total,
            "kinds": kinds,
            "packet_bytes": report.packet_bytes,
            "limit": self.request.most,
            "limit_reached_s": report.limit_reached.map(|at| at.since_start().seconds()),
            "digest": format!("{:016x}", report.record.digest),
        });
        names::json::escaped(format!("{value:#}\n"))
    }
}
