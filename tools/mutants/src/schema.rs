//! A crate with as many of its mutants in one build as the compiler accepts.
//!
//! Invariant: a mutant counts as one that does not compile only if the compiler objects to it alone, in the text that
//! cargo-mutants writes. Every other mutant is in the common build, or gets a build of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::compile::{Compiler, Objection};
use crate::listing::Mutant;
use crate::places::Places;
use crate::rewriting::{self, Rewritten};

/// Mutants by the way in which they are tested.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    /// Numbers of the mutants in the common build.
    pub(crate) together: BTreeSet<u32>,
    /// Those of them that the compiler may evaluate too, where they take no effect.
    pub(crate) may_be_constant: BTreeSet<u32>,
    /// Numbers of the mutants that need a build of their own.
    pub(crate) alone: BTreeSet<u32>,
}

/// Writes the mutants into the copy, and finds those that do not compile.
pub(crate) fn write(compiler: &Compiler<'_>, package: &str, mutants: &[Mutant]) -> Result<Schema, String> {
    let mut schema = Schema::default();
    let mut files: BTreeMap<&Path, File<'_>> = BTreeMap::new();
    for of_file in mutants.chunk_by(|a, b| a.file == b.file) {
        let source = compiler.tree.original(&of_file[0].file)?;
        let places = Places::of(source).map_err(|cause| format!("{}: {cause}", of_file[0].file.display()))?;
        // Outside of a function is a constant.
        let chosen = |mutant: &&Mutant| mutant.function.is_some() && places.get(&mutant.span).is_some();
        let together: Vec<_> = of_file.iter().filter(chosen).collect();
        schema.together.extend(together.iter().map(|mutant| mutant.number));
        let constant = together.iter().filter(|mutant| places.may_be_constant(&mutant.span));
        schema.may_be_constant.extend(constant.map(|mutant| mutant.number));
        files.insert(&of_file[0].file, File { source, places, mutants: together });
    }
    loop {
        let rewritten = files.iter().map(|(path, file)| {
            let kept: Vec<_> = file
                .mutants
                .iter()
                .copied()
                .filter(|mutant| schema.together.contains(&mutant.number))
                .collect();
            let rewritten = rewriting::rewrite(file.source, &file.places, &kept);
            compiler.tree.write(path, &rewritten.text).map(|()| (path.to_path_buf(), rewritten, kept))
        });
        let rewritten = rewritten.collect::<Result<Vec<_>, String>>()?;
        let objections = compiler.objections(package, true)?;
        if objections.is_empty() {
            break;
        }
        let refused: BTreeSet<u32> = objections.iter().flat_map(|one| owners(one, &rewritten)).collect();
        if refused.is_empty() {
            return Err(format!(
                "the compiler objects to no mutant in particular:\n{}",
                objections[0].rendered
            ));
        }
        schema.together.retain(|number| !refused.contains(number));
    }
    let apart: Vec<_> = mutants.iter().filter(|mutant| !schema.together.contains(&mutant.number)).collect();
    let written: BTreeMap<_, _> = files
        .keys()
        .map(|path| std::fs::read_to_string(compiler.tree.root().join(path)).map(|text| (*path, text)))
        .collect::<Result<_, _>>()
        .map_err(|cause| cause.to_string())?;
    schema.alone = viable(compiler, package, apart)?;
    written.iter().try_for_each(|(path, text)| compiler.tree.write(path, text))?;
    Ok(schema)
}

struct File<'a> {
    source: &'a str,
    places: Places,
    mutants: Vec<&'a Mutant>,
}

fn owners(objection: &Objection, rewritten: &[(PathBuf, Rewritten, Vec<&Mutant>)]) -> Vec<u32> {
    let of_place = |(file, fault): &(PathBuf, std::ops::Range<usize>)| {
        let (_, text, mutants) = rewritten.iter().find(|(path, _, _)| path == file)?;
        Some(text.owners(fault, mutants)).filter(|owners| !owners.is_empty())
    };
    objection.places.iter().find_map(of_place).unwrap_or_default()
}

/// Returns the numbers of those mutants that compile, each put alone into its function. Several functions are checked at once.
fn viable(compiler: &Compiler<'_>, package: &str, mutants: Vec<&Mutant>) -> Result<BTreeSet<u32>, String> {
    let files: BTreeSet<&Path> = mutants.iter().map(|mutant| mutant.file.as_path()).collect();
    let mut viable = BTreeSet::new();
    let mut rest = mutants;
    while !rest.is_empty() {
        let mut batch: Vec<&Mutant> = Vec::new();
        for mutant in &rest {
            if !batch.iter().any(|other| overlap(mutant, other)) {
                batch.push(mutant);
            }
        }
        rest.retain(|mutant| !batch.contains(mutant));
        while !batch.is_empty() {
            let refused = refused(compiler, package, &files, &batch)?;
            if refused.is_empty() {
                viable.extend(batch.drain(..).map(|mutant| mutant.number));
            }
            batch.retain(|mutant| !refused.contains(&mutant.number));
        }
    }
    Ok(viable)
}

/// Returns true if the two cannot be told apart by the place of a fault.
fn overlap(a: &Mutant, b: &Mutant) -> bool {
    let (Some(one), Some(other)) = (&a.function, &b.function) else { return true };
    a.file == b.file && one.start < other.end && other.start < one.end
}

/// Returns the numbers of mutants of the batch to which the compiler objects.
fn refused(
    compiler: &Compiler<'_>,
    package: &str,
    files: &BTreeSet<&Path>,
    batch: &[&Mutant],
) -> Result<BTreeSet<u32>, String> {
    let mut ranges = BTreeMap::new();
    for file in files {
        let of_file: Vec<_> = batch.iter().copied().filter(|mutant| mutant.file == *file).collect();
        let (text, functions) = rewriting::replaced(compiler.tree.original(file)?, &of_file);
        compiler.tree.write(file, &text)?;
        ranges.insert(file.to_path_buf(), functions);
    }
    let objections = compiler.objections(package, false)?;
    let places = objections.iter().flat_map(|objection| &objection.places);
    let named = places.flat_map(|(file, fault)| {
        let functions = ranges.get(file).into_iter().flatten();
        functions.filter(|(range, _)| range.contains(&fault.start)).map(|(_, number)| *number)
    });
    let named: BTreeSet<u32> = named.collect();
    match batch {
        _ if objections.is_empty() || !named.is_empty() => Ok(named),
        [alone] => Ok(BTreeSet::from([alone.number])),
        _ => {
            let (one, other) = batch.split_at(batch.len() / 2);
            let mut both = refused(compiler, package, files, one)?;
            both.extend(refused(compiler, package, files, other)?);
            Ok(both)
        }
    }
}
