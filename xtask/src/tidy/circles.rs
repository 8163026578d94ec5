//! Circles of modules inside a crate.
//!
//! Invariant: a module imports only from modules below it, so that a reader can take the files in order. Parent
//! and child may name each other: a folder is one room, and its neighbours see it as one. An import of any module in
//! a folder counts for the folder among the modules beside it. Imports are read as text, from paths that begin with
//! `crate`, `super` or `self`; a name that another module re-exports counts for the module that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Finding;
use super::imports::{Import, imports};

/// Path of a module below its crate's root; empty for the root.
type Module = Vec<String>;

/// The modules of one crate.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// Imports of each module.
    imports: BTreeMap<Module, Vec<Import>>,
    /// Modules of tests alone. They import from whatever they test, and no program has them.
    tests: BTreeSet<Module>,
}

/// A name that ties one module to another.
type Ties = BTreeMap<Module, BTreeMap<Module, String>>;

impl Modules {
    /// Adds the module in `file`, a path relative to the crate's `src` folder.
    pub(super) fn add(&mut self, file: &Path, text: &str) {
        let module = module_of(file);
        let tests = test_modules(text).map(|name| module.iter().cloned().chain([name.to_owned()]).collect());
        self.tests.extend(tests);
        self.imports.insert(module, imports(text));
    }

    /// Number of modules.
    pub(super) fn len(&self) -> usize {
        self.imports.len()
    }

    /// Circles of modules and of folders beside each other, each with the imports that close it. Modules of one line
    /// of descent do not count.
    pub(super) fn circles(&self) -> Vec<String> {
        let ties = self.ties();
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            ties.keys().map(|module| (module, reachable(&ties, module))).collect();
        let mut seen = BTreeSet::new();
        let mut circles = Vec::new();
        for module in ties.keys() {
            let circle: Vec<&Module> = reach[module]
                .iter()
                .copied()
                .filter(|other| reach.get(other).is_some_and(|back| back.contains(module)))
                .collect();
            if circle.len() > 1 && circle.iter().all(|member| seen.insert((*member).clone())) {
                circles.push(described(&circle, &ties));
            }
        }
        circles
    }

    /// Imports between modules and folders beside each other, each with one of the names imported. A folder has the
    /// imports of all modules in it.
    fn ties(&self) -> Ties {
        let mut ties = Ties::new();
        let is_test = |module: &Module| self.tests.iter().any(|test| module.starts_with(test));
        for (module, imports) in self.imports.iter().filter(|(module, _)| !is_test(module)) {
            for import in imports {
                let (target, name) = self.defining(module, &import.path);
                if !target.starts_with(module) && !module.starts_with(&target) {
                    // Every circle of modules closes a circle among the children of the innermost folder that holds
                    // all of it, so nothing is lost when each child stands for all that is in it.
                    let shared = module.iter().zip(&target).take_while(|(one, other)| one == other).count();
                    let name = if module.len() > shared + 1 {
                        format!("{name}, in {}", module.join("::"))
                    } else {
                        name
                    };
                    let [from, to] = [module, &target].map(|path| path[..=shared].to_vec());
                    ties.entry(from).or_default().entry(to).or_insert(name);
                }
            }
        }
        ties
    }

    /// The module that defines the end of `path`, as written in `module`, and the name there.
    fn defining(&self, module: &Module, path: &[String]) -> (Module, String) {
        let (mut target, mut rest) = self.resolved(module, path);
        let mut visited = BTreeSet::new();
        while let Some(name) = rest.first().cloned() {
            let mut imports = self.imports.get(&target).into_iter().flatten();
            let reexport = imports.find(|import| import.public && import.name == name);
            let Some(reexport) = reexport.filter(|_| visited.insert(target.clone())) else { break };
            let (next, below) = self.resolved(&target, &reexport.path);
            if next == target {
                break;
            }
            rest = [below, rest[1..].to_vec()].concat();
            target = next;
        }
        let name = rest.first().cloned().unwrap_or_else(|| "*".to_owned());
        (target, name)
    }

    /// The innermost module on `path`, and the remaining segments.
    fn resolved(&self, module: &Module, path: &[String]) -> (Module, Vec<String>) {
        let mut target =
            if path.first().is_some_and(|first| first == "crate") { Module::new() } else { module.clone() };
        let mut rest = path.iter().skip_while(|segment| match segment.as_str() {
            "crate" | "self" => true,
            "super" => target.pop().is_some(),
            _ => false,
        });
        let mut remaining: Vec<String> = rest.by_ref().cloned().collect();
        // A module between braces has no file of its own: its names stand in the file around it.
        while !self.imports.contains_key(&target) {
            let Some(inline) = target.pop() else { break };
            remaining.insert(0, inline);
        }
        while let Some(segment) = remaining.first() {
            let child: Module = target.iter().chain([segment]).cloned().collect();
            if !self.imports.contains_key(&child) {
                break;
            }
            target = child;
            remaining.remove(0);
        }
        (target, remaining)
    }
}

/// The findings of one crate whose sources lie in `src`, a path relative to the workspace.
pub(super) fn check(src: &Path, modules: &Modules) -> Vec<Finding> {
    let remedy = "move the part that several need to a module below all of them";
    modules.circles().into_iter().map(|circle| Finding::error(src, 1, circle, remedy)).collect()
}

/// Modules that can be reached from `from` by one import or more.
fn reachable<'a>(ties: &'a Ties, from: &'a Module) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        let targets = ties.get(module).into_iter().flat_map(BTreeMap::keys);
        open.extend(targets.filter(|target| reached.insert(*target)));
    }
    reached
}

fn described(circle: &[&Module], ties: &Ties) -> String {
    let names = |module: &Module| module.join("::");
    let arrows = circle.iter().flat_map(|from| {
        let targets = ties[*from].iter().filter(|(target, _)| circle.contains(target));
        targets.map(move |(target, name)| format!("{} -> {} ({name})", names(from), names(target)))
    });
    let arrows: Vec<String> = arrows.collect();
    format!("{} modules import each other in a circle: {}", circle.len(), arrows.join(", "))
}

/// Names of the modules of tests alone that a file declares, each in a file of its own or between braces.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    let is_test = |line: &str| line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test,");
    let declared = text.lines().zip(text.lines().skip(1)).filter(move |(above, _)| is_test(above));
    declared.filter_map(|(_, line)| {
        let rest = line.strip_prefix("mod ")?;
        rest.strip_suffix(';').or_else(|| rest.strip_suffix(" {"))
    })
}

/// The module in a file; `mod.rs`, `lib.rs` and `main.rs` stand for their folder.
fn module_of(file: &Path) -> Module {
    let mut module: Module =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let mut modules = Modules::default();
        files.iter().for_each(|(file, text)| modules.add(Path::new(file), text));
        modules.circles()
    }

    #[test]
    fn modules_that_import_downwards_make_no_circle() {
        let files = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")];
        assert_eq!(circles(&files), [""; 0]);
    }

    #[test]
    fn a_circle_names_each_import_that_closes_it() {
        let files =
            [("lib.rs", ""), ("a.rs", "use crate::b::{self, B};"), ("b.rs", "fn f() -> crate::a::A { A }")];
        assert_eq!(circles(&files), ["2 modules import each other in a circle: a -> b (*), b -> a (A)"]);
    }

    #[test]
    fn parent_and_child_may_name_each_other() {
        let files =
            [("lib.rs", ""), ("a/mod.rs", "mod b; use b::B;"), ("a/b.rs", "use super::A; use crate::a::C;")];
        assert_eq!(circles(&files), [""; 0]);
    }

    #[test]
    fn a_folder_is_one_module_to_those_beside_it() {
        let files = [
            ("lib.rs", ""),
            ("a/mod.rs", "mod b; mod c;"),
            ("a/b.rs", "use crate::d::D;"),
            ("a/c.rs", "pub struct C;"),
            ("d.rs", "use crate::a::c::C; pub struct D;"),
        ];
        let circle = "2 modules import each other in a circle: a -> d (D, in a::b), d -> a (C)";
        assert_eq!(circles(&files), [circle]);
        let apart = [("d.rs", "use crate::a::c::C;"), ("e.rs", "use crate::a::b::B;")];
        let below = [("a/b.rs", "use super::c::C;"), ("a/c.rs", ""), ("a/mod.rs", ""), ("lib.rs", "")];
        assert_eq!(circles(&[&below[..], &apart].concat()), [""; 0]);
    }

    #[test]
    fn tests_in_a_file_of_their_own_import_whatever_they_test() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "#[cfg(test)]\nmod tests;\n"),
            ("a/tests.rs", "use crate::b::B;"),
            ("b.rs", "use crate::a::A;"),
        ];
        assert_eq!(circles(&files), [""; 0]);
        let [lib, (file, _), tests, b] = files;
        assert_eq!(circles(&[lib, (file, "mod tests;"), tests, b]).len(), 1);
    }

    /// `a.rs` has the module `inner` between braces, and `a/inner/deep.rs` is a file below it.
    #[test]
    fn a_file_below_a_module_between_braces_is_read() {
        let files = |attribute: &str| {
            let inline = format!("{attribute}mod inner {{\n    mod deep;\n}}\n");
            let files = [
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", &inline),
                ("a/inner/deep.rs", "use super::X; use super::super::Y; use crate::b::B;"),
                ("b.rs", "use crate::a::inner::X;"),
            ];
            circles(&files)
        };
        let circle = "2 modules import each other in a circle: a -> b (B, in a::inner::deep), b -> a (inner)";
        assert_eq!(files(""), [circle]);
        assert_eq!(files("#[cfg(test)]\n"), [""; 0]);
    }

    #[test]
    fn a_circle_inside_a_folder_is_found() {
        let files = [
            ("lib.rs", ""),
            ("a/mod.rs", ""),
            ("a/b/mod.rs", ""),
            ("a/b/x.rs", "use crate::a::c::C;"),
            ("a/c.rs", "use super::b::B;"),
        ];
        let circle =
            "2 modules import each other in a circle: a::b -> a::c (C, in a::b::x), a::c -> a::b (B)";
        assert_eq!(circles(&files), [circle]);
    }

    #[test]
    fn a_reexported_name_counts_for_the_module_that_defines_it() {
        let files = [
            ("lib.rs", "pub use a::A;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "use crate::A;"),
        ];
        assert_eq!(circles(&files), ["2 modules import each other in a circle: a -> b (B), b -> a (A)"]);
    }
}
