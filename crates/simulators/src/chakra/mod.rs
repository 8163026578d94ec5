//! Execution traces of `MLCommons` Chakra (`NAME.RANK.et`), as `PyTorch`'s converters write them and ASTRA-sim reads
//! them.
//!
//! Invariant: every node is replayed, or is counted in the account with the reason. Ranks' collectives match, sends and
//! receives match, and no nodes wait in a circle, or the traces are refused with the nodes' names and offsets.
//!
//! | module | contents |
//! |---|---|
//! | here | the traces of a job, and its programs |
//! | `wire` | fields of protocol buffers |
//! | `faults` | faults, and fields of the schema's types |
//! | `schema`, `attributes` | messages of the schema |
//! | `order` | data dependencies, and the order that they give |
//! | `roles` | roles of nodes in a job |
//! | `groups` | process groups |
//! | `calls` | collectives matched over ranks |
//! | [`algorithms`] | collectives by name, and their algorithms |
//! | `programs` | operations of a rank |
//! | `account` | the fate of every part of the traces |

mod account;
pub mod algorithms;
mod attributes;
mod calls;
mod faults;
mod groups;
mod order;
mod programs;
mod roles;
mod schema;
mod wire;

use interop::import::{ImportedJob, KeyAccount, KeyFate, SourceText};
use scenario::{Diagnostic, LocatedFault};
use workload::job::collective::Collective;
use workload::job::{Mismatch, Programs};

use self::algorithms::Algorithms;
use self::calls::{Calls, NamedNode};
use self::faults::{SchemaFault, TraceError};
use self::order::Order;
use self::programs::{Program, Tags};
use self::roles::Role;
use self::schema::Trace;
use self::wire::WireError;

/// Longest duration of a node: 1,000 s, in microseconds.
const LONGEST: u64 = 1_000_000_000;
/// Nodes of a circle that a message names.
const SHOWN: usize = 8;

/// The trace of a rank.
#[derive(Clone, Copy, Debug)]
pub struct ChakraFile<'a> {
    /// Name of the file in messages.
    pub name: &'a str,
    /// Bytes of the file, decompressed.
    pub bytes: &'a [u8],
}

/// Settings that traces lack.
#[derive(Clone, Debug)]
pub struct ChakraOptions<'a> {
    /// Ranks of process groups, as JSON: `{"1": [0, 4]}`.
    pub groups: Option<SourceText<'a>>,
    /// Algorithms of collectives.
    pub algorithms: Algorithms,
    /// Number of ranks that all run the only trace; `None` if each rank has its own.
    pub copies: Option<u32>,
}

/// A rank: its trace, and the roles of the trace's nodes.
struct Rank<'a> {
    number: u32,
    file: &'a str,
    trace: &'a Trace<'a>,
    order: &'a Order,
    roles: Vec<Role>,
}

/// Reads the traces of ranks 0, 1 and so on.
///
/// # Errors
/// If a file is no trace of the schema, or traces do not fit together.
pub fn read(files: &[ChakraFile<'_>], options: &ChakraOptions<'_>) -> Result<ImportedJob, Diagnostic> {
    let given = options.groups.map(groups::given).transpose()?.unwrap_or_default();
    let mut traces = Vec::new();
    for file in files {
        let trace = Trace::read(file.bytes).map_err(|error| refused(file.name, &error))?;
        let order = Order::of(&trace).map_err(|circle| in_a_circle(file.name, &trace, &circle))?;
        traces.push((file.name, trace, order));
    }
    let ranks = ranks(&traces, options.copies)?;
    let calls = Calls::of(&ranks, &given)?;
    let collectives = collectives(&ranks, &calls, &options.algorithms)?;
    let tags = Tags { first: first_tag(&ranks), groups: calls.groups.len() as u32 };
    let mut graphs = Vec::with_capacity(ranks.len());
    let mut nodes = Vec::with_capacity(ranks.len());
    for rank in &ranks {
        let built = programs::build(rank, &calls, &collectives, tags).ok_or_else(|| {
            let message = "the operations or tags of this rank exceed their numbers";
            fault(rank.file, message.to_owned(), "take fewer iterations, or fewer `--chunks`")
        })?;
        let Program { graph, nodes: of_rank } = built;
        graphs.push(graph);
        nodes.push(of_rank);
    }
    let account = account::account(&ranks, &calls, options);
    let warnings = account::warnings(&ranks);
    let mut job = ImportedJob::of_programs(Programs { ranks: graphs }, account, warnings)
        .map_err(|mismatch| unmatched(&ranks, &nodes, &mismatch))?;
    let what =
        format!("messages of {} bytes, in {} operations", job.matched.bytes, job.programs.operations());
    job.account.push(KeyAccount::new("(messages)", job.matched.messages.to_string(), KeyFate::Used, what));
    Ok(job)
}

/// Returns the ranks, with the roles of their nodes.
fn ranks<'a>(
    traces: &'a [(&'a str, Trace<'a>, Order)],
    copies: Option<u32>,
) -> Result<Vec<Rank<'a>>, Diagnostic> {
    let count = copies.map_or(traces.len() as u32, |copies| copies.max(1));
    let mut ranks = Vec::new();
    for number in 0..count {
        let (file, trace, order) = match (traces, copies) {
            ([only], Some(_)) => only,
            (_, Some(_)) => {
                let message =
                    format!("there are traces of {} ranks, and a single trace can be copied", traces.len());
                return Err(fault(traces[0].0, message, "leave out `--ranks`"));
            }
            (own, None) => &own[number as usize],
        };
        let mut roles = Vec::with_capacity(trace.nodes.len());
        for node in &trace.nodes {
            let role = roles::role(node, number).map_err(|error| refused(file, &error))?;
            let is_message = matches!(role, Role::Send { .. } | Role::Receive { .. });
            if is_message && copies.is_some() {
                let message =
                    format!("{}: copies of a message would all have one other end", NamedNode(node, file));
                return Err(fault(file, message, "give the trace of each rank, without `--ranks`"));
            }
            if node.duration > LONGEST {
                let message = format!(
                    "{} takes {} us, and at most 1000 s can be",
                    NamedNode(node, file),
                    node.duration
                );
                return Err(fault(file, message, "write `duration_micros` in microseconds"));
            }
            roles.push(role);
        }
        ranks.push(Rank { number, file, trace, order, roles });
    }
    Ok(ranks)
}

/// Returns the collectives of each group; `None` in groups of a single rank, which send no messages.
fn collectives(
    ranks: &[Rank<'_>],
    calls: &Calls,
    algorithms: &Algorithms,
) -> Result<Vec<Vec<Option<Collective>>>, Diagnostic> {
    let of_group = |group: &calls::GroupCalls| {
        let members = &group.group.members;
        let of_call = |call: &calls::Call| {
            if members.len() < 2 {
                return Ok(None);
            }
            let built = algorithms.collective(call.kind, members.len() as u32, call.bytes);
            built.map(Some).map_err(|error| {
                let rank = &ranks[members[0] as usize];
                let node = NamedNode(call.node(rank.trace), rank.file);
                let message = format!("{node}, {call} by {} ranks: {error}", members.len());
                fault(rank.file, message, "choose another algorithm by `--algorithm`, or other `--chunks`")
            })
        };
        group.collectives().iter().map(of_call).collect()
    };
    calls.groups.iter().map(of_group).collect()
}

/// Returns the first tag above the tags of nodes.
fn first_tag(ranks: &[Rank<'_>]) -> u32 {
    let tags = ranks.iter().flat_map(|rank| &rank.roles).filter_map(|role| match role {
        Role::Send { tag, .. } | Role::Receive { tag, .. } => Some(tag + 1),
        _ => None,
    });
    tags.max().unwrap_or(0)
}

/// Returns a fault of a file that has no lines.
fn fault(file: &str, message: String, help: &str) -> Diagnostic {
    let (file, path) = (file.to_owned(), String::new());
    LocatedFault { file, place: None, path, message, help: Some(help.to_owned()) }.into()
}

fn refused(file: &str, error: &TraceError) -> Diagnostic {
    let help = match error {
        TraceError::Wire(WireError { at: 0, .. }) => {
            "give a trace of Chakra (`NAME.RANK.et`), whole: this is another file, or a part of one"
        }
        TraceError::Wire(_) => "copy the file again, whole, from the tool that wrote it",
        TraceError::Schema { fault: SchemaFault::Attribute { .. }, .. } => {
            "correct the tool that wrote the trace"
        }
        TraceError::Schema { fault: SchemaFault::Twice { .. }, .. } => "give each node an id of its own",
        TraceError::Schema { .. } => {
            "give a trace of Chakra's schema as it is since October 2023 (`NAME.RANK.et`); older ones are converted by their own tools"
        }
    };
    fault(file, error.to_string(), help)
}

fn in_a_circle(file: &str, trace: &Trace<'_>, circle: &[u32]) -> Diagnostic {
    let node = |place: &u32| {
        let node = &trace.nodes[*place as usize];
        format!("node {} `{}` (byte {})", node.id, node.name, node.at)
    };
    let mut names: Vec<String> = circle.iter().take(SHOWN).map(node).collect();
    if circle.len() > SHOWN {
        names.push(format!("{} more", circle.len() - SHOWN));
    }
    names.extend(circle.first().map(node));
    let message = format!("nodes wait for each other in a circle: {}", names.join(" <- "));
    fault(file, message, "let one of these nodes have fewer `data_deps`")
}

/// Returns the fault of messages that do not match, with the names of their nodes.
fn unmatched(ranks: &[Rank<'_>], nodes: &[Vec<u32>], mismatch: &Mismatch) -> Diagnostic {
    let operations = mismatch.operations();
    let named = |(rank, operation): &(u32, u32)| {
        let own = &ranks[*rank as usize];
        let node = &own.trace.nodes[nodes[*rank as usize][*operation as usize] as usize];
        format!("operation {operation} of rank {rank} is of {}", NamedNode(node, own.file))
    };
    let names: Vec<String> = operations.iter().take(SHOWN).map(named).collect();
    let file = operations.first().map_or(ranks[0].file, |(rank, _)| ranks[*rank as usize].file);
    let behind = if names.is_empty() { String::new() } else { format!("; {}", names.join("; ")) };
    fault(file, format!("{mismatch}{behind}"), mismatch.help())
}
