//! `cargo xtask tidy`: house rules that neither the compiler nor clippy knows.
//!
//! Invariant: every rule is a pure function from text to findings, and every finding names a file, a
//! line, the fault and the remedy.
//!
//! | rules | module |
//! |---|---|
//! | layers point down; the root manifest lists crates in their order; lints are the workspace's | [`layers`] |
//! | files open with their purpose, stay short, and hold no tabs, no trailing blanks, no bare `allow` | [`text`] |
//! | relative links lead somewhere | [`links`] |
//! | paths that the pages for contributors name are there | [`paths`] |
//! | modules of a crate import downwards, and so do its folders | [`circles`], from the [`imports`] of each file |
//! | no crate is larger than a tenth of the whole | [`sizes`] |
//! | comments name their subject | [`prose`] |
//! | each field and choice of the scenario format has a use | [`options`] |
//! | workflows name actions by digest and packages by version | [`workflows`] |
//! | words of Markdown by hand do not grow | [`words`] |
//! | files are written and removed in one place, and names are printed and written by one way | [`single`] |

mod circles;
mod imports;
mod layers;
mod links;
mod options;
mod paths;
mod prose;
mod single;
mod sizes;
mod text;
mod words;
mod workflows;

use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{cargo, root};
use crate::help;

use circles::Modules;
use options::Options;
use prose::Prose;
use sizes::Sizes;
use words::Words;

/// A violation of a rule in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    /// Path relative to the workspace.
    file: PathBuf,
    /// Line number, from 1.
    line: usize,
    grade: Grade,
    fault: String,
    remedy: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    Error,
    Warning,
}

impl Finding {
    fn error(file: &Path, line: usize, fault: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (fault, remedy) = (fault.into(), remedy.into());
        Self { file: file.to_path_buf(), line, grade: Grade::Error, fault, remedy }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { file, line, grade, fault, remedy } = self;
        let grade = match grade {
            Grade::Error => "error",
            Grade::Warning => "warning",
        };
        write!(f, "{grade}: {}:{line}: {fault}: {remedy}", file.display())
    }
}

/// Checks the whole workspace.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("tidy", arguments) {
        return refused;
    }
    let (findings, survey) = match survey(&root()) {
        Ok(surveyed) => surveyed,
        Err(cause) => {
            eprintln!("error: tidy cannot look: {cause}");
            return ExitCode::FAILURE;
        }
    };
    findings.iter().for_each(|finding| eprintln!("{finding}"));
    survey.iter().for_each(|line| eprintln!("tidy: {line}"));
    match findings.iter().filter(|finding| finding.grade == Grade::Error).count() {
        0 => ExitCode::SUCCESS,
        errors => {
            eprintln!("tidy: {errors} to mend");
            ExitCode::FAILURE
        }
    }
}

/// Every finding, and the figures of the survey, a line each.
fn survey(root: &Path) -> io::Result<(Vec<Finding>, Vec<String>)> {
    let crates = layers::crates(&metadata(cargo(&["metadata", "--format-version", "1", "--no-deps"]))?, root);
    let mut found = layers::check_root_manifest(&fs::read_to_string(root.join("Cargo.toml"))?, &crates);
    for member in &crates {
        let manifest = fs::read_to_string(root.join(&member.folder).join("Cargo.toml"))?;
        found.extend(layers::check_crate(member, &manifest, &crates));
    }
    let map = Path::new("ARCHITECTURE.md");
    if let Ok(text) = fs::read_to_string(root.join(map)) {
        found.extend(layers::check_map(map, &text, &crates));
    }
    let sources: Vec<PathBuf> = crates.iter().map(|member| member.folder.join("src")).collect();
    let mut modules: Vec<Modules> = sources.iter().map(|_| Modules::default()).collect();
    let mut prose = Prose::default();
    let mut words = Words::default();
    let mut options = Options::default();
    let mut sizes = Sizes::of(crates.iter().map(|member| member.folder.clone()));
    for file in files(root)? {
        let Some(check) = file.extension().and_then(|extension| check_of(extension.to_str()?)) else {
            continue;
        };
        let text = fs::read_to_string(root.join(&file))?;
        found.extend(check(root, &file, &text));
        options.add(&file, &text);
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => {
                prose.add(&text);
                sizes.add(&file, &text);
            }
            Some("md") => words.add(&file, &text),
            _ => {}
        }
        let home = sources.iter().position(|src| file.starts_with(src));
        if let Some((at, below)) = home.and_then(|at| Some((at, file.strip_prefix(&sources[at]).ok()?))) {
            modules[at].add(below, &text);
        }
    }
    let circles: Vec<Finding> =
        sources.iter().zip(&modules).flat_map(|(src, modules)| circles::check(src, modules)).collect();
    let count: usize = modules.iter().map(Modules::len).sum();
    let (words, too_many) = words.judged();
    let (options, unused) = options.judged(&fs::read_to_string(root.join(options::SCHEMA))?)?;
    let survey = vec![
        format!(
            "{count} modules in {} crates, {} circles beyond parent and child",
            crates.len(),
            circles.len()
        ),
        prose.to_string(),
        words,
        sizes.to_string(),
        options,
    ];
    found.extend(circles.into_iter().chain(too_many).chain(unused).chain(sizes.check()));
    if !prose.is_plain() {
        let remedy = "name the subject, in sentences that say the thing: CONTRIBUTING.md, \"Prose\"";
        let fault = "a figure of the comments' English is over its limit: see the survey below";
        found.push(Finding::error(Path::new("crates"), 1, fault, remedy));
    }
    Ok((found, survey))
}

type Check = fn(&Path, &Path, &str) -> Vec<Finding>;

/// The check for files with this extension.
fn check_of(extension: &str) -> Option<Check> {
    match extension {
        "rs" => Some(|_, file, text| {
            [text::check_rust(file, text), text::check_lines(file, text), single::check(file, text)].concat()
        }),
        "md" => Some(|root, file, text| {
            let leads =
                |target: &str| root.join(file).parent().is_some_and(|from| from.join(target).exists());
            let found = [links::check(file, text, leads), text::check_lines(file, text)].concat();
            let named = |path: &str| leads(path) || root.join(path).exists();
            if paths::concerns(file) { [found, paths::check(file, text, named)].concat() } else { found }
        }),
        "yml" => Some(|_, file, text| [workflows::check(file, text), text::check_lines(file, text)].concat()),
        "ron" | "toml" => Some(|_, file, text| text::check_lines(file, text)),
        _ => None,
    }
}

fn metadata(mut command: Command) -> io::Result<serde_json::Value> {
    let output = command.stderr(Stdio::inherit()).output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Every file of the workspace, relative to it, in a stable order, without build products and results.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let (name, kind) = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)))?;
            let at_root = folder.as_os_str().is_empty();
            let built =
                name == "out" || name == "node_modules" || at_root && (name == "target" || name == ".git");
            match folder.join(name) {
                path if kind.is_dir() && !built => folders.push(path),
                path if kind.is_file() => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}
