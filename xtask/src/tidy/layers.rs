//! Layers of crates, and further duties of manifests and of the map in ARCHITECTURE.md.
//!
//! Invariant: a crate depends only on crates of a lower layer, in its tests and benchmarks too, and on its own derives. A
//! package without a layer stands outside: it depends on no crate of the workspace, and none depends on it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Finding;

/// The package at the front door, and its folder. The package has the name of its program, so that
/// `cargo install --git` finds it by the name that users know. All other crates have the name of their folder.
const FRONT_DOOR: (&str, &str) = ("backwater", "crates/runner");

/// A crate of the workspace.
#[derive(Debug)]
pub(super) struct Crate {
    pub(super) name: String,
    /// Relative to the workspace.
    pub(super) folder: PathBuf,
    layer: Option<u64>,
    /// The names of all it depends on: normally, to build, or to test.
    needs: Vec<String>,
}

/// The crates that `cargo metadata --no-deps` tells of.
pub(super) fn crates(metadata: &Value, root: &Path) -> Vec<Crate> {
    let of = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let needs = package["dependencies"].as_array()?.iter().filter_map(|need| need["name"].as_str());
        Some(Crate {
            name: package["name"].as_str()?.to_owned(),
            folder: manifest.parent()?.strip_prefix(root).ok()?.to_path_buf(),
            layer: package["metadata"]["backwater"]["layer"].as_u64(),
            needs: needs.map(str::to_owned).collect(),
        })
    };
    metadata["packages"].as_array().into_iter().flatten().filter_map(of).collect()
}

/// One crate's name, layer, dependencies and lints, from its manifest and from the others.
pub(super) fn check_crate(member: &Crate, manifest: &str, all: &[Crate]) -> Vec<Finding> {
    let file = member.folder.join("Cargo.toml");
    let mut found = Vec::new();
    let is_front_door =
        (member.name.as_str(), member.folder.as_path()) == (FRONT_DOOR.0, Path::new(FRONT_DOOR.1));
    if !member.folder.ends_with(&member.name) && !is_front_door {
        let fault = format!("the crate `{}` is in the folder `{}`", member.name, member.folder.display());
        found.push(Finding::error(&file, line_of(manifest, "name"), fault, "give both one name"));
    }
    let is_simulator = member.folder.starts_with("crates");
    if is_simulator && member.layer.is_none() {
        let fault = format!("the crate `{}` has no layer", member.name);
        found.push(Finding::error(&file, 1, fault, "write `layer = N` under `[package.metadata.backwater]`"));
    }
    for need in &member.needs {
        let Some(other) = all.iter().find(|other| other.name == *need) else { continue };
        // Procedural macros have to be a crate of their own, and are part of the crate that hands them on.
        if other.name.strip_suffix("-derive") == Some(&member.name) && other.layer == member.layer {
            continue;
        }
        if other.layer.is_none() || member.layer <= other.layer {
            let fault = format!("{} depends on {}", placed(member), placed(other));
            let remedy = "a crate depends only on crates of a lower layer";
            found.push(Finding::error(&file, line_of(manifest, need), fault, remedy));
        }
    }
    if !section(manifest, "[lints]").any(|line| line == "workspace = true") {
        let fault = "the crate sets its own lints";
        found.push(Finding::error(&file, 1, fault, "write `workspace = true` under `[lints]`"));
    }
    found
}

/// The members of the root manifest: in layer order, each with its layer and one line about it.
pub(super) fn check_root_manifest(manifest: &str, crates: &[Crate]) -> Vec<Finding> {
    let file = Path::new("Cargo.toml");
    let mut found = Vec::new();
    let mut highest = Some(0);
    for (line, path, comment) in members(manifest) {
        let Some(member) = crates.iter().find(|member| member.folder == Path::new(path)) else { continue };
        // What has no layer comes last.
        if highest.is_none() && member.layer.is_some() || highest > member.layer && member.layer.is_some() {
            let remedy = "list the crates lowest layer first, those without a layer last";
            found.push(Finding::error(file, line, format!("{} is out of order", placed(member)), remedy));
        }
        highest = member.layer;
        let layer = member.layer.map_or("-".to_owned(), |layer| layer.to_string());
        let mut words = comment.split_whitespace();
        if words.next() != Some(layer.as_str()) || words.next().is_none() {
            let fault = format!("`{path}` is not introduced");
            let remedy = format!("write `# {layer}  what it is, in one line` after it");
            found.push(Finding::error(file, line, fault, remedy));
        }
    }
    found
}

/// The architecture's page names every crate.
pub(super) fn check_map(file: &Path, text: &str, crates: &[Crate]) -> Vec<Finding> {
    let missing = crates.iter().filter(|member| !text.contains(&format!("`{}`", member.name)));
    missing
        .map(|member| {
            let fault = format!("the crate `{}` is not on the map", member.name);
            Finding::error(file, 1, fault, "give it a line in the code map, its name in backquotes")
        })
        .collect()
}

fn placed(member: &Crate) -> String {
    match member.layer {
        Some(layer) => format!("`{}` (layer {layer})", member.name),
        None => format!("`{}` (no layer)", member.name),
    }
}

/// The number, the path and the comment of each line of the root manifest's `members`.
fn members(manifest: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let lines = (1..).zip(manifest.lines());
    let inside = lines.skip_while(|(_, line)| !line.starts_with("members")).skip(1);
    inside.take_while(|(_, line)| !line.starts_with(']')).filter_map(|(number, line)| {
        let (path, rest) = line.trim().strip_prefix('"')?.split_once('"')?;
        Some((number, path, rest.split_once('#').map_or("", |(_, comment)| comment)))
    })
}

/// The lines of one section of a manifest, trimmed.
fn section<'a>(manifest: &'a str, heading: &str) -> impl Iterator<Item = &'a str> {
    let from = manifest.lines().map(str::trim).skip_while(move |line| *line != heading).skip(1);
    from.take_while(|line| !line.starts_with('['))
}

/// The first line of a manifest that sets `key`, or the first of all.
fn line_of(manifest: &str, key: &str) -> usize {
    let sets = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '.', '=']));
    manifest.lines().position(sets).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "[package]\nname = \"b\"\n\n[lints]\nworkspace = true\n\n[dependencies]\na.workspace = true\n";

    fn member(name: &str, layer: Option<u64>, needs: &[&str]) -> Crate {
        let folder = if layer.is_some() { Path::new("crates").join(name) } else { name.into() };
        let needs = needs.iter().copied().map(str::to_owned).collect();
        Crate { name: name.to_owned(), folder, layer, needs }
    }

    fn told(found: &[Finding]) -> Vec<String> {
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_dependency_points_down() {
        let of = |layer_of_a, layer_of_b| {
            let all = [member("a", layer_of_a, &["serde"]), member("b", layer_of_b, &["a", "serde"])];
            told(&check_crate(&all[1], MANIFEST, &all))
        };
        assert_eq!(of(Some(0), Some(1)), [""; 0]);
        let same = "error: crates/b/Cargo.toml:8: `b` (layer 1) depends on `a` (layer 1): \
                    a crate depends only on crates of a lower layer";
        assert_eq!(of(Some(1), Some(1)), [same]);
        assert_eq!(of(Some(2), Some(1)).len(), 1);
        assert_eq!(of(None, Some(1)).len(), 1);
        assert_eq!(of(Some(0), None).len(), 1);
        let all = [
            member("a-derive", Some(0), &[]),
            member("a", Some(0), &["a-derive"]),
            member("b", Some(0), &["a-derive"]),
        ];
        assert_eq!(told(&check_crate(&all[1], MANIFEST, &all)), [""; 0]);
        assert_eq!(check_crate(&all[2], MANIFEST, &all).len(), 1);
    }

    #[test]
    fn a_manifest_says_what_it_must() {
        let mut alone = member("b", Some(0), &[]);
        assert_eq!(told(&check_crate(&alone, MANIFEST, &[])), [""; 0]);
        let own_lints = "error: crates/b/Cargo.toml:1: the crate sets its own lints: write `workspace = true` under `[lints]`";
        assert_eq!(
            told(&check_crate(&alone, "[package]\n[dependencies]\nworkspace = true\n", &[])),
            [own_lints]
        );
        alone.layer = None;
        let no_layer = "error: crates/b/Cargo.toml:1: the crate `b` has no layer: \
                        write `layer = N` under `[package.metadata.backwater]`";
        assert_eq!(told(&check_crate(&alone, MANIFEST, &[])), [no_layer]);
        let elsewhere = Crate { folder: "crates/c".into(), ..member("b", Some(0), &[]) };
        let two_names =
            "error: crates/c/Cargo.toml:2: the crate `b` is in the folder `crates/c`: give both one name";
        assert_eq!(told(&check_crate(&elsewhere, MANIFEST, &[])), [two_names]);
        let front_door = Crate { folder: FRONT_DOOR.1.into(), ..member(FRONT_DOOR.0, Some(0), &[]) };
        assert_eq!(told(&check_crate(&front_door, MANIFEST, &[])), [""; 0]);
    }

    #[test]
    fn members_are_in_order_and_introduced() {
        let crates = [member("a", Some(0), &[]), member("b", Some(1), &[]), member("tool", None, &[])];
        let check =
            |members: &str| told(&check_root_manifest(&format!("members = [\n{members}]\n"), &crates));
        let [a, b, tool] = ["\"crates/a\", # 0  one\n", "\"crates/b\", # 1  two\n", "\"tool\", # -  three\n"];
        assert_eq!(check(&[a, b, tool].concat()), [""; 0]);
        let order = "error: Cargo.toml:3: `a` (layer 0) is out of order: \
                     list the crates lowest layer first, those without a layer last";
        assert_eq!(check(&[b, a, tool].concat()), [order]);
        assert_eq!(check(&[tool, a].concat()).len(), 1);
        let comment = "error: Cargo.toml:2: `crates/b` is not introduced: \
                       write `# 1  what it is, in one line` after it";
        assert_eq!(check("\"crates/b\",\n"), [comment]);
        assert_eq!(check("\"crates/b\", # 0  two\n"), [comment]);
    }

    #[test]
    fn the_map_names_every_crate() {
        let crates = [member("a", Some(0), &[]), member("b", Some(1), &[])];
        assert_eq!(check_map(Path::new("MAP.md"), "`a` and `b`", &crates), []);
        assert_eq!(check_map(Path::new("MAP.md"), "`a` and b", &crates).len(), 1);
    }

    #[test]
    fn what_cargo_tells_is_read() {
        let metadata = serde_json::json!({ "packages": [{
            "name": "b",
            "manifest_path": "/w/crates/b/Cargo.toml",
            "metadata": { "backwater": { "layer": 1 } },
            "dependencies": [{ "name": "a", "kind": null }, { "name": "c", "kind": "dev" }],
        }, {
            "name": "tool",
            "manifest_path": "/w/tool/Cargo.toml",
            "metadata": null,
            "dependencies": [],
        }] });
        let crates = crates(&metadata, Path::new("/w"));
        assert_eq!(crates.len(), 2);
        assert_eq!((crates[0].layer, crates[1].layer), (Some(1), None));
        assert_eq!(crates[0].folder, Path::new("crates/b"));
        assert_eq!(crates[0].needs, ["a", "c"]);
    }
}
