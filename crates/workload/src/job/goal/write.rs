//! Jobs written as GOAL, as text or in the binary form of `LogGOPSim`.
//!
//! Invariant: reading a file gives the programs from which it was written, edge by edge. Operations are called `l1`,
//! `l2` and so on in their order, and edges stand behind them, since `txt2bin` takes no label before its operation.

use std::io::{self, Write};

use units::Span;

use super::super::graph::{Graph, Operation, OperationId, Programs, Work};
use super::{CALC_UNIT, MAGIC, OPERATION_BYTES};

/// Number that stands for any rank or tag in the binary form.
const ANY: u32 = u32::MAX;

/// Returns the unit in which all computations are whole numbers: 1 ns, or 1 ps if that is too long.
#[must_use]
pub fn calc_unit(programs: &Programs) -> Span {
    let is_whole =
        |graph: &Graph| operations(graph).all(|(_, operation)| units_of(operation, CALC_UNIT).is_some());
    if programs.ranks.iter().all(is_whole) { CALC_UNIT } else { Span::from_ps(1) }
}

/// Writes a text. A `calc 1` takes `calc_unit`.
///
/// # Errors
/// If the target cannot be written.
///
/// # Panics
/// If a computation is not a multiple of `calc_unit`.
pub fn write_text(programs: &Programs, calc_unit: Span, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "num_ranks {}", programs.ranks.len())?;
    for (graph, rank) in programs.ranks.iter().zip(0_u32..) {
        writeln!(out, "\nrank {rank} {{")?;
        for (id, operation) in operations(graph) {
            write_operation(id, operation, calc_unit, out)?;
        }
        for (id, _) in operations(graph) {
            for (word, successors) in
                [("requires", graph.after_end(id)), ("irequires", graph.after_start(id))]
            {
                for next in successors {
                    writeln!(out, "l{} {word} l{}", u64::from(next) + 1, u64::from(id) + 1)?;
                }
            }
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}

fn write_operation(
    id: OperationId,
    operation: Operation,
    calc_unit: Span,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "l{}: ", u64::from(id) + 1)?;
    let any = |number: Option<u32>| number.map_or_else(|| "-1".to_owned(), |number| number.to_string());
    match operation.work {
        Work::Send { to, bytes, tag } => write!(out, "send {bytes}b to {to} tag {tag}")?,
        Work::Receive { from, bytes, tag } => {
            write!(out, "recv {bytes}b from {} tag {}", any(from), any(tag))?;
        }
        Work::Compute { .. } => write!(out, "calc {}", whole(operation, calc_unit))?,
    }
    if operation.cpu > 0 {
        write!(out, " cpu {}", operation.cpu)?;
    }
    // A computation occupies no network interface, and the language has no word for one.
    if operation.nic > 0 && !matches!(operation.work, Work::Compute { .. }) {
        write!(out, " nic {}", operation.nic)?;
    }
    writeln!(out)
}

/// Writes the binary form. A computation of size 1 takes `calc_unit`.
///
/// # Errors
/// If the target cannot be written.
///
/// # Panics
/// If a computation is not a multiple of `calc_unit`.
pub fn write_binary(programs: &Programs, calc_unit: Span, out: &mut impl Write) -> io::Result<()> {
    let all = || programs.ranks.iter().flat_map(operations).map(|(_, operation)| operation);
    let ranks = programs.ranks.len() as u32;
    out.write_all(&MAGIC.to_le_bytes())?;
    out.write_all(&ranks.to_le_bytes())?;
    let highest = [all().map(|operation| operation.cpu).max(), all().map(|operation| operation.nic).max()];
    out.write_all(&highest.map(Option::unwrap_or_default))?;
    // Positions count from the number of ranks, which the magic number precedes.
    let mut start = 4 + 2 + 16 * u64::from(ranks);
    for graph in &programs.ranks {
        let end = start + block_bytes(graph);
        out.write_all(&start.to_le_bytes())?;
        out.write_all(&end.to_le_bytes())?;
        start = end;
    }
    programs.ranks.iter().try_for_each(|graph| write_block(graph, calc_unit, out))
}

/// Returns the length of a rank's block.
fn block_bytes(graph: &Graph) -> u64 {
    let edges = |(id, _)| graph.after_end(id).len() + graph.after_start(id).len();
    let edges: usize = operations(graph).map(edges).sum();
    8 + 4 * (graph.roots().count() + edges) as u64 + OPERATION_BYTES * graph.operations() as u64
}

fn write_block(graph: &Graph, calc_unit: Span, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&(graph.operations() as u32).to_le_bytes())?;
    out.write_all(&(graph.roots().count() as u32).to_le_bytes())?;
    for root in graph.roots() {
        out.write_all(&root.to_le_bytes())?;
    }
    let mut edges = 0_u32;
    for (id, operation) in operations(graph) {
        let (kind, peer, size, tag) = match operation.work {
            Work::Send { to, bytes, tag } => (1_u8, to, bytes, tag),
            Work::Receive { from, bytes, tag } => (2, from.unwrap_or(ANY), bytes, tag.unwrap_or(ANY)),
            Work::Compute { .. } => (3, 0, whole(operation, calc_unit), 0),
        };
        out.write_all(&graph.predecessors(id).to_le_bytes())?;
        out.write_all(&[kind])?;
        out.write_all(&peer.to_le_bytes())?;
        out.write_all(&size.to_le_bytes())?;
        out.write_all(&tag.to_le_bytes())?;
        out.write_all(&[operation.cpu, operation.nic])?;
        for successors in [graph.after_end(id), graph.after_start(id)] {
            out.write_all(&(successors.len() as u32).to_le_bytes())?;
            out.write_all(&edges.to_le_bytes())?;
            edges += successors.len() as u32;
        }
    }
    for (id, _) in operations(graph) {
        for next in graph.after_end(id).chain(graph.after_start(id)) {
            out.write_all(&next.to_le_bytes())?;
        }
    }
    Ok(())
}

fn operations(graph: &Graph) -> impl Iterator<Item = (OperationId, Operation)> {
    (0..graph.operations() as u32).map(|id| (id, graph.operation(id)))
}

/// Returns the length of a computation in units, 0 for messages; `None` if it is no whole number.
fn units_of(operation: Operation, unit: Span) -> Option<u64> {
    match operation.work {
        Work::Compute { span } => (span.ps() % unit.ps() == 0).then(|| span.ps() / unit.ps()),
        Work::Send { .. } | Work::Receive { .. } => Some(0),
    }
}

fn whole(operation: Operation, unit: Span) -> u64 {
    units_of(operation, unit).unwrap_or_else(|| panic!("{operation:?} in units of {unit}"))
}
