//! Jobs from texts.
//!
//! Invariant: labels belong to their rank, and each names one operation. Edges may name labels of later lines of the
//! rank. Ranks come in any order, each once.

use std::io::BufRead;

use units::Span;

use super::fault::{GoalError, GoalFault, GoalReadError};
use super::labels::Labels;
use super::line::{Comment, Line};
use super::statement::{Inner, Outer, Statement};
use super::{GoalJob, MAX_RANKS};
use crate::job::builder::GraphBuilder;
use crate::job::graph::{Operation, OperationId, Work};

/// Reads a job from a text. A `calc 1` takes `calc_unit`.
///
/// # Errors
/// If the source cannot be read, or a statement is wrong.
///
/// # Panics
/// If `calc_unit` is 0.
pub fn read_text(mut source: impl BufRead, calc_unit: Span) -> Result<GoalJob, GoalReadError> {
    assert!(calc_unit > Span::from_ps(0), "a `calc 1` takes time");
    let mut reader = Reader::default();
    let mut comment = Comment::default();
    let mut number = 0;
    each_line(&mut source, |bytes| {
        number += 1;
        let line = Line::new(bytes, number, &mut comment);
        let mut statement = Statement::new(line, &mut comment, calc_unit);
        if !statement.is_empty() { reader.take(&mut statement) } else { Ok(()) }
    })?;
    if let Some((line, column)) = comment.0 {
        return Err(Box::new(GoalError { line, column, width: 2, fault: GoalFault::OpenComment }).into());
    }
    Ok(reader.finish(number)?)
}

/// Returns the lines of operations, given by rank and number, in a text that [`read_text`] has read.
///
/// # Errors
/// If the source cannot be read, or is another text, which is wrong.
pub fn lines_of(
    mut source: impl BufRead,
    wanted: &[(u32, OperationId)],
) -> Result<Vec<Option<u64>>, GoalReadError> {
    let mut lines = vec![None; wanted.len()];
    let (mut number, mut rank, mut operation) = (0, None, 0);
    let mut comment = Comment::default();
    each_line(&mut source, |bytes| {
        number += 1;
        let line = Line::new(bytes, number, &mut comment);
        let mut statement = Statement::new(line, &mut comment, Span::from_ps(1));
        if statement.is_empty() {
            return Ok(());
        }
        let Some(current) = rank else {
            if let Outer::Rank(begun) = statement.outer()? {
                (rank, operation) = (Some(begun), 0);
            }
            return Ok(());
        };
        match statement.inner()? {
            Inner::Close => rank = None,
            Inner::Edge { .. } => {}
            Inner::Operation { .. } => {
                let here = wanted.iter().zip(&mut lines).filter(|(one, _)| **one == (current, operation));
                here.for_each(|(_, line)| *line = Some(number));
                operation += 1;
            }
        }
        Ok(())
    })?;
    Ok(lines)
}

/// Reads a source line by line.
fn each_line(
    source: &mut impl BufRead,
    mut take: impl FnMut(&[u8]) -> Result<(), Box<GoalError>>,
) -> Result<(), GoalReadError> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let mut bytes = Vec::new();
    let mut is_first = true;
    while source.read_until(b'\n', &mut bytes)? > 0 {
        let line = if is_first { bytes.strip_prefix(MARK).unwrap_or(&bytes) } else { &bytes };
        take(line)?;
        is_first = false;
        bytes.clear();
    }
    Ok(())
}

/// A job up to a line.
#[derive(Debug, Default)]
struct Reader {
    job: GoalJob,
    /// Line of `num_ranks`.
    ranks: Option<u64>,
    /// Lines of the blocks of all ranks.
    blocks: Vec<Option<u64>>,
    /// The rank of the open block.
    rank: Option<u32>,
    builder: GraphBuilder,
    labels: Labels,
    /// Lines of the operations of the open block.
    lines: Vec<u32>,
    later: Vec<LaterEdge>,
}

/// An edge with a label that no operation has yet.
#[derive(Debug)]
struct LaterEdge {
    line: u64,
    later: Box<[u8]>,
    earlier: Box<[u8]>,
    at_start: bool,
}

impl Reader {
    /// Takes the statement of a line.
    fn take(&mut self, statement: &mut Statement<'_, '_>) -> Result<(), Box<GoalError>> {
        let Some(rank) = self.rank else { return self.take_outer(statement) };
        match statement.inner()? {
            Inner::Close => self.close(rank),
            Inner::Operation { label, operation } => self.take_operation(statement, label, operation),
            Inner::Edge { later, earlier, at_start } => {
                match (self.labels.find(later), self.labels.find(earlier)) {
                    (Some(later), Some(earlier)) => self.add_edge(later, earlier, at_start),
                    _ => {
                        let line = statement.line.number();
                        let edge = LaterEdge { line, later: later.into(), earlier: earlier.into(), at_start };
                        self.later.push(edge);
                    }
                }
                Ok(())
            }
        }
    }

    fn take_outer(&mut self, statement: &mut Statement<'_, '_>) -> Result<(), Box<GoalError>> {
        let outer = statement.outer()?;
        let line = &statement.line;
        match (outer, self.ranks) {
            (Outer::Ranks(_), Some(first)) => Err(whole_line(line.number(), GoalFault::RanksTwice { first })),
            (Outer::Ranks(ranks), None) => {
                self.ranks = Some(line.number());
                self.blocks = vec![None; ranks as usize];
                self.job.programs.ranks.resize_with(ranks as usize, Default::default);
                Ok(())
            }
            (Outer::Rank(_), None) => Err(whole_line(line.number(), GoalFault::NoRanks)),
            (Outer::Rank(rank), Some(_)) => {
                self.known(rank, line)?;
                if let Some(first) = self.blocks[rank as usize] {
                    return Err(whole_line(line.number(), GoalFault::RankTwice { rank, first }));
                }
                self.blocks[rank as usize] = Some(line.number());
                self.rank = Some(rank);
                Ok(())
            }
        }
    }

    fn take_operation(
        &mut self,
        statement: &Statement<'_, '_>,
        label: Option<&[u8]>,
        operation: Operation,
    ) -> Result<(), Box<GoalError>> {
        let line = &statement.line;
        match operation.work {
            Work::Send { to: peer, .. } | Work::Receive { from: Some(peer), .. } => self.known(peer, line)?,
            Work::Receive { from: None, .. } | Work::Compute { .. } => {}
        }
        let id = self.builder.add(operation);
        self.lines.push(u32::try_from(line.number()).unwrap_or(u32::MAX));
        let Some(label) = label else { return Ok(()) };
        let Some(before) = self.labels.enter(label, id) else { return Ok(()) };
        let label = String::from_utf8_lossy(label).into_owned();
        let first = u64::from(self.lines[before as usize]);
        Err(whole_line(line.number(), GoalFault::LabelTwice { label, first }))
    }

    /// Ends the block of a rank.
    fn close(&mut self, rank: u32) -> Result<(), Box<GoalError>> {
        for edge in core::mem::take(&mut self.later) {
            self.take_later(rank, &edge)?;
        }
        self.labels.clear();
        let builder = core::mem::take(&mut self.builder);
        self.job.programs.ranks[rank as usize] = builder.build().map_err(|cycle| {
            let lines = cycle.operations.iter().map(|id| u64::from(self.lines[*id as usize]));
            let lines: Vec<_> = lines.collect();
            whole_line(lines[0], GoalFault::Circle { rank, lines })
        })?;
        self.lines.clear();
        self.rank = None;
        Ok(())
    }

    /// Enters an edge of an earlier line, now that all labels are known.
    fn take_later(&mut self, rank: u32, edge: &LaterEdge) -> Result<(), Box<GoalError>> {
        let find = |label: &[u8]| {
            let text = || String::from_utf8_lossy(label).into_owned();
            let fault = || GoalFault::NoLabel { label: text(), rank };
            self.labels.find(label).ok_or_else(|| whole_line(edge.line, fault()))
        };
        let (later, earlier) = (find(&edge.later)?, find(&edge.earlier)?);
        self.add_edge(later, earlier, edge.at_start);
        self.job.forward += 1;
        self.job.first_forward.get_or_insert(edge.line);
        Ok(())
    }

    fn add_edge(&mut self, later: OperationId, earlier: OperationId, at_start: bool) {
        if at_start {
            self.builder.starts_after(later, earlier);
        } else {
            self.builder.requires(later, earlier);
        }
    }

    /// Refuses a rank that the job does not have.
    fn known(&self, rank: u32, line: &Line<'_>) -> Result<(), Box<GoalError>> {
        let ranks = self.blocks.len() as u32;
        debug_assert!(ranks <= MAX_RANKS, "{ranks} ranks");
        if rank < ranks {
            Ok(())
        } else {
            Err(whole_line(line.number(), GoalFault::NoRank { given: rank, ranks }))
        }
    }

    /// Ends the file behind this line.
    fn finish(mut self, last: u64) -> Result<GoalJob, Box<GoalError>> {
        if let Some(rank) = self.rank {
            let begun = self.blocks[rank as usize].expect("an open block has begun");
            return Err(whole_line(begun, GoalFault::OpenRank { rank }));
        }
        if self.ranks.is_none() {
            return Err(whole_line(last.max(1), GoalFault::NoRanks));
        }
        let missing = self.blocks.iter().zip(0..).filter(|(line, _)| line.is_none());
        self.job.missing = missing.map(|(_, rank)| rank).collect();
        Ok(self.job)
    }
}

/// Returns a fault of a line as a whole.
fn whole_line(line: u64, fault: GoalFault) -> Box<GoalError> {
    Box::new(GoalError { line, column: 0, width: 0, fault })
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
