//! Programs of a job's ranks: from a file, or from collectives, computations and sequences of them.
//!
//! Invariant: a program that is returned has a receive for each send, and no circle.

use std::sync::Arc;

use settings::FieldPath;
use units::Span;

use super::places::Places;
use crate::environment::Environment;
use crate::error::{FileError, FileFault, InField, InFile, JobError, WorkloadError};
use crate::job::assembly::{Groups, Part, Pipeline};
use crate::job::collective::{Barrier, Collective, CollectiveError, CollectiveKind};
use crate::job::goal::{self, GoalReadError};
use crate::job::{Job, MOST_TAGS, Programs, matching};
use crate::spec::{BarrierSpec, GroupSpec, JobSpec, ProgramSpec, WrittenCollective};

/// Most operations of all ranks that are listed: 36 bytes each.
const MOST_OPERATIONS: u64 = 1 << 27;

/// Programs, and the collective that they are, with its number of groups.
pub(super) struct Written {
    pub(super) programs: Programs,
    pub(super) collective: Option<Arc<(Collective, u32)>>,
}

/// Makes the programs of a job's ranks.
pub(super) fn written(
    spec: &JobSpec,
    places: &Places,
    environment: &Environment<'_>,
) -> Result<Written, WorkloadError> {
    let (part, ranks, collective) = match &spec.program {
        ProgramSpec::Goal { file, calc_unit } => {
            let (programs, wildcards) = from_file(file, *calc_unit, environment)?;
            if is_whole(spec) {
                return Ok(Written { programs, collective: None });
            }
            if wildcards > 0 {
                return Err(JobError::Wildcards { wildcards }).in_field("barrier");
            }
            let ranks = programs.ranks.len() as u32;
            (Part::Listed(programs), ranks, None)
        }
        program => {
            let ranks = ranks(program).unwrap_or_else(|| places.ranks());
            let part = part(program, ranks, &"program".into())?;
            let collective = only_collective(&part);
            (part, ranks, collective)
        }
    };
    let part = repeated(part, spec, ranks);
    let operations = if part.is_formula() { 0 } else { part.operations(ranks) };
    let counts = [(operations, MOST_OPERATIONS, "operations"), (part.tags(), u64::from(MOST_TAGS), "tags")];
    if let Some((given, most, what)) = counts.into_iter().find(|(given, most, _)| given > most) {
        return Err(JobError::TooMany { given, most, what }).in_field("program");
    }
    let programs = part.programs(ranks);
    // Collectives alone are known to end; the passes of a pipeline may wait for each other's.
    if has_pipeline(&spec.program) {
        matching::check(&programs, None)
            .map_err(|circle| JobError::Mismatch(Box::new(circle)))
            .in_field("program")?;
    }
    Ok(Written { programs, collective })
}

/// Returns true if the programs of a file are the job's.
fn is_whole(spec: &JobSpec) -> bool {
    spec.barrier != BarrierSpec::Job && (spec.iterations == 1 || spec.barrier == BarrierSpec::Rank)
}

fn has_pipeline(program: &ProgramSpec) -> bool {
    match program {
        ProgramSpec::Pipeline { .. } => true,
        ProgramSpec::Sequence(parts) | ProgramSpec::Parallel(parts) => parts.iter().any(has_pipeline),
        _ => false,
    }
}

/// Checks that a job with the programs of a file ends if long messages between hosts wait for their receives.
pub(super) fn check_rendezvous(
    spec: &JobSpec,
    job: &Job,
    environment: &Environment<'_>,
) -> Result<(), WorkloadError> {
    let (Some(least), ProgramSpec::Goal { file, .. }) = (spec.rendezvous, &spec.program) else {
        return Ok(());
    };
    let is_away = |from: u32, to: u32| job.hosts[from as usize] != job.hosts[to as usize];
    let asks = |from, to, bytes| job.asks(bytes) && is_away(from, to);
    let Err(circle) = matching::check_asking(&job.programs, asks) else { return Ok(()) };
    let text = environment.file(file).in_field("program.file")?;
    // A program with a barrier, or with all iterations in it, has other numbers than the file.
    let is_file = is_whole(spec);
    let lines = goal::lines_of(text.as_bytes(), &circle.operations()).ok().filter(|_| is_file);
    let circle = Box::new(circle.at_lines(&lines.unwrap_or_default()));
    Err(JobError::Rendezvous { least, circle }).in_field("rendezvous")
}

/// Adds the job's barrier to the program, or the iterations that do not wait for each other.
fn repeated(part: Part, spec: &JobSpec, ranks: u32) -> Part {
    match spec.barrier {
        BarrierSpec::Job if ranks > 1 => {
            let kind = CollectiveKind::Barrier(Barrier::Dissemination);
            let collective = Collective::new(kind, ranks, 0, 1).expect("a barrier of two ranks or more");
            let groups = Groups { ranks, size: ranks, stride: 1 };
            Part::Sequence(vec![part, Part::Collective { collective, groups }])
        }
        BarrierSpec::None if spec.iterations > 1 => Part::Parallel(vec![part; spec.iterations as usize]),
        BarrierSpec::None | BarrierSpec::Rank | BarrierSpec::Job => part,
    }
}

/// Returns the collective that a part is, with its number of groups, also as the only part of a sequence.
fn only_collective(part: &Part) -> Option<Arc<(Collective, u32)>> {
    match part {
        Part::Collective { collective, groups } => {
            Some(Arc::new((collective.clone(), groups.ranks / groups.size)))
        }
        Part::Sequence(parts) | Part::Parallel(parts) => match &parts[..] {
            [only] => only_collective(only),
            _ => None,
        },
        Part::Compute(_) | Part::Listed(_) | Part::Pipeline(_) => None,
    }
}

/// Returns the number of ranks that a program says: each collective names some.
fn ranks(program: &ProgramSpec) -> Option<u32> {
    match program {
        ProgramSpec::Sequence(parts) | ProgramSpec::Parallel(parts) => {
            let talking = parts.iter().filter(|part| !matches!(part, ProgramSpec::Compute(_)));
            talking.map(ranks).collect::<Option<Vec<u32>>>()?.into_iter().max()
        }
        ProgramSpec::Pipeline { ranks, .. } => *ranks,
        _ => program.collective()?.ranks,
    }
}

/// Makes a part of the program of these ranks, at a place of the scenario.
fn part(program: &ProgramSpec, ranks: u32, place: &FieldPath) -> Result<Part, WorkloadError> {
    match program {
        ProgramSpec::Goal { .. } => Err(WorkloadError::at(place.clone(), JobError::FileInside)),
        ProgramSpec::Compute(span) => Ok(Part::Compute(*span)),
        ProgramSpec::Sequence(parts) => Ok(Part::Sequence(all_parts(parts, ranks, place)?)),
        ProgramSpec::Parallel(parts) => Ok(Part::Parallel(all_parts(parts, ranks, place)?)),
        ProgramSpec::Pipeline { group, microbatches, bytes, forward, backward, ranks: given } => {
            let groups = groups(*group, given.unwrap_or(ranks), place)?;
            let at = |field| place.clone().name(field);
            if *microbatches == 0 {
                let field = "microbatches";
                return Err(WorkloadError::at(at(field), JobError::Zero { field }));
            }
            let [forward, backward] =
                [part(forward, ranks, &at("forward"))?, part(backward, ranks, &at("backward"))?];
            let (microbatches, bytes) = (*microbatches, bytes.get());
            Ok(Part::Pipeline(Box::new(Pipeline { groups, microbatches, bytes, forward, backward })))
        }
        _ => {
            let written = program.collective().expect("all other programs are collectives");
            if let ProgramSpec::AllReduce { algorithm, channels, server, .. } = *program
                && !algorithm.is_ring()
                && let Some((_, field)) =
                    [(channels, "channels"), (server, "server")].into_iter().find(|(n, _)| *n != 1)
            {
                return Err(WorkloadError::at(place.clone().name(field), JobError::NoRing { field }));
            }
            collective(written, ranks, place)
        }
    }
}

fn all_parts(parts: &[ProgramSpec], ranks: u32, place: &FieldPath) -> Result<Vec<Part>, WorkloadError> {
    if parts.is_empty() {
        return Err(WorkloadError::at(place.clone(), JobError::NoPrograms));
    }
    parts.iter().enumerate().map(|(i, program)| part(program, ranks, &place.clone().index(i))).collect()
}

fn collective(
    WrittenCollective { kind, bytes, chunks, steps, ranks: given, group }: WrittenCollective,
    all: u32,
    place: &FieldPath,
) -> Result<Part, WorkloadError> {
    let ranks = given.unwrap_or(all);
    let at = |field: &str| place.clone().name(field);
    let groups = match group {
        None => Groups { ranks, size: ranks, stride: 1 },
        Some(group) => groups(group, ranks, place)?,
    };
    let collective = Collective::new(kind, groups.size, bytes.get(), chunks)
        .and_then(|all| if let Some(steps) = steps { all.first_steps(steps) } else { Ok(all) });
    let collective = collective.map_err(|error| {
        let ranks = if group.is_some() {
            at("group")
        } else if given.is_some() {
            at("ranks")
        } else {
            place.clone()
        };
        let path = match error {
            CollectiveError::TooFewRanks { .. } => ranks,
            CollectiveError::NotPowerOfTwo { .. } => at("algorithm"),
            CollectiveError::Groups { field, .. } | CollectiveError::Zero { field } => field_of(field, place),
            CollectiveError::Root { .. } => at("root"),
            CollectiveError::TooManyChunks { .. } | CollectiveError::TooManyOperations { .. } => at("chunks"),
            CollectiveError::TooManySteps { .. } | CollectiveError::NoSteps => at("steps"),
            CollectiveError::MessageTooLong { .. } => at("bytes"),
        };
        WorkloadError::at(path, JobError::Collective(error))
    })?;
    Ok(Part::Collective { collective, groups })
}

/// Checks groups among these ranks.
fn groups(
    GroupSpec { size, stride }: GroupSpec,
    ranks: u32,
    place: &FieldPath,
) -> Result<Groups, WorkloadError> {
    let at = place.clone().name("group");
    if let Some((_, field)) =
        [(size, "size"), (stride, "stride")].into_iter().find(|(number, _)| *number == 0)
    {
        return Err(WorkloadError::at(at.name(field), JobError::Zero { field }));
    }
    if ranks == 0 || !u64::from(ranks).is_multiple_of(u64::from(size) * u64::from(stride)) {
        return Err(WorkloadError::at(at, JobError::Groups { size, stride, ranks }));
    }
    Ok(Groups { ranks, size, stride })
}

/// Returns the place of a field of a collective or of its algorithm.
fn field_of(field: &'static str, place: &FieldPath) -> FieldPath {
    match field {
        "chunks" | "channels" | "server" | "steps" => place.clone().name(field),
        _ => place.clone().name("algorithm").name(field),
    }
}

/// Reads the programs of a file, and counts receives from any source or with any tag.
fn from_file(
    file: &str,
    calc_unit: Span,
    environment: &Environment<'_>,
) -> Result<(Programs, u64), WorkloadError> {
    if calc_unit.ps() == 0 {
        return Err(JobError::CalcUnit).in_field("program.calc_unit");
    }
    let text = environment.file(file).in_field("program.file")?;
    let fault = |error: GoalReadError| match error {
        GoalReadError::Text(error) => {
            let line = usize::try_from(error.line).expect("a line of a text in memory");
            let (at, column) = (error.range(text), error.column);
            FileError::from(Box::new(InFile {
                file: file.to_owned(),
                line,
                column,
                at,
                fault: FileFault::Goal(error.fault),
            }))
        }
        other => unreachable!("a text in memory is read: {other}"),
    };
    let programs =
        goal::read_text(text.as_bytes(), calc_unit).map_err(fault).in_field("program.file")?.programs;
    match matching::check(&programs, None) {
        Ok(matched) => Ok((programs, matched.wildcards)),
        Err(mismatch) => {
            let lines = goal::lines_of(text.as_bytes(), &mismatch.operations()).unwrap_or_default();
            Err(JobError::Mismatch(Box::new(mismatch.at_lines(&lines)))).in_field("program.file")
        }
    }
}
