//! Jobs from the binary form of GOAL, which `txt2bin` writes and `LogGOPSim` and HTSIM-ATLAHS read (`Parser.hpp` of
//! `LogGOPSim` 76451de).
//!
//! Invariant: every number of the file is checked before it is used, and memory grows with the bytes that were read,
//! not with the numbers that they claim.
//!
//! ```text
//! u64 4223 | u32 ranks | u8 highest cpu | u8 highest nic | ranks x (u64 start, u64 end), counted from byte 8
//! block:  u32 nodes | u32 roots | roots x u32 | nodes x 39 bytes | edges x u32: after ends, then after starts
//! node:   u32 predecessors | u8 type | u32 peer | u64 size | u32 tag | u8 cpu | u8 nic
//!         | u32 successors | u32 first | u32 start-successors | u32 first
//! ```
//!
//! Numbers are little endian; edges follow the order of their nodes.

use std::io::Read;

use units::Span;

use super::fault::{BinaryError, BinaryFault, GoalReadError};
use super::{GoalJob, MAX_RANKS};
use crate::job::builder::GraphBuilder;
use crate::job::channel::Channel;
use crate::job::graph::{Graph, Operation, Work};

/// First number of a file.
pub const MAGIC: u64 = 4223;
/// First number of a file that `LogGOPSim` has destroyed.
const DESTROYED: u64 = 2342;
/// Length of an operation in the file.
pub const OPERATION_BYTES: u64 = 39;
/// Byte from which positions count.
const BASE: u64 = 8;

/// Reads a job from a binary file, from its beginning. A computation of size 1 takes `calc_unit`.
///
/// # Errors
/// If the source cannot be read, or a number of the file is wrong.
///
/// # Panics
/// If `calc_unit` is 0.
pub fn read_binary(source: impl Read, calc_unit: Span) -> Result<GoalJob, GoalReadError> {
    assert!(calc_unit > Span::from_ps(0), "a computation of size 1 takes time");
    let mut reader = Reader { source, offset: 0, calc_unit };
    match reader.u64("the first number")? {
        MAGIC => {}
        DESTROYED => return Err(reader.wrong(BinaryFault::Destroyed)),
        given => return Err(reader.wrong(BinaryFault::Magic { given })),
    }
    let ranks = reader.u32("the number of ranks")?;
    if ranks == 0 || ranks > MAX_RANKS {
        return Err(reader.wrong(BinaryFault::Ranks { given: ranks }));
    }
    let [cpus, nics] = reader.bytes("the numbers of cpus and nics")?;
    let mut blocks = Vec::new();
    for _ in 0..ranks {
        blocks.push((reader.u64("the table of blocks")?, reader.u64("the table of blocks")?));
    }
    let mut job = GoalJob::default();
    for (&(start, end), rank) in blocks.iter().zip(0..) {
        let expected = reader.offset - BASE;
        if start < expected || end < start {
            return Err(reader.wrong(BinaryFault::Position { rank, start, end, expected }));
        }
        reader.skip(start - expected)?;
        let limits = Limits { rank, ranks, cpus, nics };
        job.programs.ranks.push(reader.block(&limits, end - start)?);
    }
    Ok(job)
}

/// Numbers that the operations of a rank are checked against.
struct Limits {
    rank: u32,
    ranks: u32,
    cpus: u8,
    nics: u8,
}

struct Reader<R> {
    source: R,
    offset: u64,
    calc_unit: Span,
}

/// Numbers of an operation that its edges must agree with.
#[derive(Clone, Copy)]
struct Claimed {
    predecessors: u32,
    /// Successors after the end and after the start.
    successors: [u32; 2],
}

impl<R: Read> Reader<R> {
    /// Reads the block of a rank.
    fn block(&mut self, limits: &Limits, length: u64) -> Result<Graph, GoalReadError> {
        let rank = limits.rank;
        let too_short = |needed| BinaryFault::Length { rank, given: length, needed };
        if length < 8 {
            return Err(self.wrong(too_short(8)));
        }
        let (nodes, roots) = (self.u32("a block")?, self.u32("a block")?);
        let needed = 8 + 4 * u64::from(roots) + OPERATION_BYTES * u64::from(nodes);
        if needed > length || nodes == u32::MAX {
            return Err(self.wrong(too_short(needed)));
        }
        let mut given_roots = Vec::new();
        for _ in 0..roots {
            given_roots.push(self.u32("the roots of a block")?);
        }
        let mut builder = GraphBuilder::default();
        let mut claims = Vec::new();
        let mut edges = 0;
        for id in 0..nodes {
            let (operation, claimed) = self.operation(limits, id, &mut edges)?;
            builder.add(operation);
            claims.push(claimed);
        }
        let needed = needed + 4 * edges;
        if needed != length {
            return Err(self.wrong(too_short(needed)));
        }
        self.edges(rank, &claims, &mut builder)?;
        let graph = builder.build().map_err(|cycle| {
            const SHOWN: usize = 8;
            let operations = cycle.operations.into_iter().take(SHOWN).collect();
            self.wrong(BinaryFault::Circle { rank, operations })
        })?;
        for (claimed, id) in claims.iter().zip(0..) {
            let (given, counted) = (claimed.predecessors, graph.predecessors(id));
            self.equal(rank, id, "number of predecessors", given, counted)?;
        }
        if !graph.roots().eq(given_roots) {
            return Err(self.wrong(BinaryFault::Roots { rank }));
        }
        Ok(graph)
    }

    /// Reads an operation. Counts its edges.
    fn operation(
        &mut self,
        limits: &Limits,
        id: u32,
        edges: &mut u64,
    ) -> Result<(Operation, Claimed), GoalReadError> {
        const WHERE: &str = "an operation";
        let Limits { rank, ranks, cpus, nics } = *limits;
        let predecessors = self.u32(WHERE)?;
        let [kind] = self.bytes(WHERE)?;
        let (peer, size, tag) = (self.u32(WHERE)?, self.u64(WHERE)?, self.u32(WHERE)?);
        let [cpu, nic] = self.bytes(WHERE)?;
        let above = |what, given: u64, most: u64| {
            (given > most).then_some(BinaryFault::Number { rank, operation: id, what, given, most })
        };
        let any = |number: u32| (number != Channel::ANY).then_some(number);
        let last = u64::from(ranks - 1);
        let (work, fault) = match kind {
            1 => (
                Work::Send { to: peer, bytes: size, tag },
                above("receiver", peer.into(), last).or(above("tag", tag.into(), u64::from(u32::MAX - 1))),
            ),
            2 => {
                let fault = any(peer).and_then(|peer| above("sender", peer.into(), last));
                (Work::Receive { from: any(peer), bytes: size, tag: any(tag) }, fault)
            }
            3 => {
                // The language has neither for a computation; another reader may have a use for them.
                let idle = above("peer of a computation", peer.into(), 0)
                    .or(above("tag of a computation", tag.into(), 0))
                    .or(above("nic of a computation", nic.into(), 0));
                let fault = idle.or(above("length", size, u64::MAX / self.calc_unit.ps()));
                (Work::Compute { span: Span::from_ps(size.wrapping_mul(self.calc_unit.ps())) }, fault)
            }
            given => return Err(self.wrong(BinaryFault::Type { rank, operation: id, given })),
        };
        let fault = fault.or(above("cpu", cpu.into(), cpus.into())).or(above("nic", nic.into(), nics.into()));
        if let Some(fault) = fault {
            return Err(self.wrong(fault));
        }
        let mut successors = [0; 2];
        let places = ["place of the first successor of the end", "place of the first successor of the start"];
        for (count, what) in successors.iter_mut().zip(places) {
            *count = self.u32(WHERE)?;
            let first = self.u32(WHERE)?;
            // An operation without successors has no first one: writers may leave 0 there.
            let is_unused = *count == 0 && first == 0;
            if !is_unused && u64::from(first) != *edges {
                let (given, counted) = (first.into(), *edges);
                return Err(self.wrong(BinaryFault::Differs { rank, operation: id, what, given, counted }));
            }
            *edges += u64::from(*count);
        }
        Ok((Operation { work, cpu, nic }, Claimed { predecessors, successors }))
    }

    /// Reads the edges of a rank.
    fn edges(
        &mut self,
        rank: u32,
        claims: &[Claimed],
        builder: &mut GraphBuilder,
    ) -> Result<(), GoalReadError> {
        let most = (claims.len() as u64).saturating_sub(1);
        for (claimed, id) in claims.iter().zip(0..) {
            for (count, at_start) in claimed.successors.into_iter().zip([false, true]) {
                for _ in 0..count {
                    let later = self.u32("the edges of a block")?;
                    if u64::from(later) > most {
                        let (what, given) = ("successor", later.into());
                        return Err(self.wrong(BinaryFault::Number {
                            rank,
                            operation: id,
                            what,
                            given,
                            most,
                        }));
                    }
                    if at_start { builder.starts_after(later, id) } else { builder.requires(later, id) }
                }
            }
        }
        Ok(())
    }

    fn equal(
        &self,
        rank: u32,
        operation: u32,
        what: &'static str,
        given: u32,
        counted: u32,
    ) -> Result<(), GoalReadError> {
        if given == counted {
            return Ok(());
        }
        let (given, counted) = (given.into(), counted.into());
        Err(self.wrong(BinaryFault::Differs { rank, operation, what, given, counted }))
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, GoalReadError> {
        Ok(u32::from_le_bytes(self.bytes(what)?))
    }

    fn u64(&mut self, what: &'static str) -> Result<u64, GoalReadError> {
        Ok(u64::from_le_bytes(self.bytes(what)?))
    }

    fn bytes<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], GoalReadError> {
        let mut bytes = [0; N];
        match self.source.read_exact(&mut bytes) {
            Ok(()) => {
                self.offset += N as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(self.wrong(BinaryFault::Short { what }))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Skips bytes between two blocks.
    fn skip(&mut self, count: u64) -> Result<(), GoalReadError> {
        let skipped = std::io::copy(&mut self.source.by_ref().take(count), &mut std::io::sink())?;
        self.offset += skipped;
        if skipped == count {
            Ok(())
        } else {
            Err(self.wrong(BinaryFault::Short { what: "a gap between blocks" }))
        }
    }

    /// Returns a fault at the current offset.
    const fn wrong(&self, fault: BinaryFault) -> GoalReadError {
        GoalReadError::Binary(BinaryError { offset: self.offset, fault })
    }
}
