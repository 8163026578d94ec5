//! The packages that a change concerns: those with changed files, those whose sources name a changed file, and those above.
//!
//! Invariant: a changed file that no package has or names concerns all packages, unless it is prose.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cargo::{cargo, output, root};

/// Files and folders that all packages are built by.
const OF_ALL: [&str; 4] = ["Cargo.", "rust-toolchain.toml", "clippy.toml", ".cargo/"];

/// A package of the workspace.
#[derive(Debug)]
struct Package {
    name: String,
    /// Folder, from the root, with a slash at its end.
    folder: String,
    /// Packages of the workspace that it depends on, in its tests too.
    needs: BTreeSet<String>,
}

/// Returns the names of the packages that the change since `base` concerns, uncommitted and new files included. Without a base, the change
/// begins where the present branch left the one that it follows, or `main`.
///
/// # Errors
/// If git or cargo does not answer.
pub(crate) fn packages(base: Option<&str>) -> io::Result<Vec<String>> {
    let base = base.map_or_else(first_commit, str::to_owned);
    let changed =
        git(&["diff", "--name-only", &base])? + &git(&["ls-files", "--others", "--exclude-standard"])?;
    let files: BTreeSet<&str> = changed.lines().collect();
    let packages = workspace()?;
    let Some(mut concerned) = concerned(&packages, &files) else {
        return Ok(packages.into_iter().map(|package| package.name).collect());
    };
    // Each pass finds the packages just above; there are as many passes as layers.
    loop {
        let before = concerned.len();
        let above = packages.iter().filter(|package| !package.needs.is_disjoint(&concerned));
        let above: Vec<_> = above.map(|package| package.name.clone()).collect();
        concerned.extend(above);
        if concerned.len() == before {
            return Ok(concerned.into_iter().collect());
        }
    }
}

/// Returns the packages that have or name these files; `None` if a file may concern any.
fn concerned(packages: &[Package], files: &BTreeSet<&str>) -> Option<BTreeSet<String>> {
    let mut concerned = BTreeSet::new();
    if files.iter().any(|file| OF_ALL.iter().any(|place| file.starts_with(place))) {
        return None;
    }
    for file in files {
        if let Some(owner) = packages.iter().find(|package| file.starts_with(&package.folder)) {
            concerned.insert(owner.name.clone());
            continue;
        }
        let naming: Vec<_> = packages.iter().filter(|package| names(package, file)).collect();
        if naming.is_empty() && !file.ends_with(".md") {
            return None;
        }
        concerned.extend(naming.into_iter().map(|package| package.name.clone()));
    }
    Some(concerned)
}

/// Returns true if a source of the package names the file, or a folder below the first that it lies in.
fn names(package: &Package, file: &str) -> bool {
    let places: Vec<_> = Path::new(file)
        .ancestors()
        .filter(|place| *place == Path::new(file) || place.components().count() > 1)
        .filter_map(Path::to_str)
        .collect();
    sources(&root().join(&package.folder)).iter().any(|text| places.iter().any(|place| text.contains(place)))
}

/// Returns the Rust sources below a folder.
fn sources(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            texts.extend(fs::read_to_string(&path));
        }
    }
    texts
}

/// Returns the packages of the workspace.
fn workspace() -> io::Result<Vec<Package>> {
    let text = output(&mut cargo(&["metadata", "--no-deps", "--format-version=1", "--locked"]))?;
    let metadata: Value = serde_json::from_slice(&text)?;
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let package = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let folder = manifest.parent()?.strip_prefix(root).ok()?;
        let needs = package["dependencies"].as_array()?.iter().filter(|needed| needed["path"].is_string());
        Some(Package {
            name: package["name"].as_str()?.to_owned(),
            folder: format!("{}/", folder.to_str()?),
            needs: needs.filter_map(|needed| Some(needed["name"].as_str()?.to_owned())).collect(),
        })
    };
    let packages = metadata["packages"].as_array().into_iter().flatten();
    Ok(packages.filter_map(package).collect())
}

/// Returns the commit with which the present branch left the one that it follows, or `main`; else the present commit.
fn first_commit() -> String {
    let left = |other| git(&["merge-base", "HEAD", other]).ok();
    let found = left("@{upstream}").or_else(|| left("main"));
    found.map_or_else(|| "HEAD".to_owned(), |commit| commit.trim().to_owned())
}

fn git(arguments: &[&str]) -> io::Result<String> {
    let answer = Command::new("git").current_dir(root()).args(arguments).output()?;
    if answer.status.success() {
        return String::from_utf8(answer.stdout).map_err(io::Error::other);
    }
    Err(io::Error::other(format!(
        "`git {}` failed: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&answer.stderr)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Option<Vec<String>> {
        let packages = workspace().expect("cargo describes the workspace");
        concerned(&packages, &files.iter().copied().collect()).map(|found| found.into_iter().collect())
    }

    #[test]
    fn a_change_concerns_the_packages_that_have_or_name_its_files() {
        assert_eq!(found(&["crates/units/src/time.rs"]), Some(vec!["units".to_owned()]));
        let of_page = found(&["docs/outputs.md"]).expect("it is prose");
        assert!(of_page.contains(&"results".to_owned()), "a test compares the page: {of_page:?}");
        // Put together, so that this source does not name it.
        assert_eq!(found(&[&["docs/", "unnamed.md"].concat()]), Some(Vec::new()));
        assert_eq!(found(&["crates/units/src/time.rs", "Cargo.lock"]), None);
        let of_laws = found(&["fixtures/laws/chain.ron"]).expect("tests name its folder");
        assert!(of_laws.contains(&"fabric".to_owned()), "{of_laws:?}");
    }

    #[test]
    fn packages_know_those_below_them() {
        let packages = workspace().expect("cargo describes the workspace");
        let fabric = packages.iter().find(|package| package.name == "fabric").expect("it is a package");
        assert!(fabric.needs.contains("event-kernel") && fabric.folder == "crates/fabric/");
    }
}
