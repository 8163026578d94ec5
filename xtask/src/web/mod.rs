//! `cargo xtask web`: the simulator as a WebAssembly module, and the playground around it, as a static folder.
//!
//! Invariant: nothing is installed in the system. What is missing is named, each with the way to get it; programs of the repository's own
//! are built under `target`.
//!
//! | module | contents |
//! |---|---|
//! | here | the steps: module, bindings, page |
//! | `compiler` | the compiler for the target, rustup's or Debian's |
//! | `trying` | `cargo xtask test-web` |

mod compiler;
mod trying;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::root;
use crate::{help, pages};

use compiler::Compiler;

pub(crate) use trying::run as run_test;

/// Programs of the page, as `npm ci` puts them into `web/node_modules`.
const PAGE_TOOLS: [&str; 2] = ["vite/bin/vite.js", "typescript/bin/tsc"];

/// Largest module packed by gzip, in bytes, that a reader should have to wait for.
const MOST_PACKED: usize = 1_750_000;

/// Words of the standard library in every module that can ask for the time or start a thread: both panic there. They are in no other, since code
/// that is never called is left out.
const FORBIDDEN: [(&str, &str); 2] = [
    ("time not implemented on this platform", "ask for the time"),
    ("failed to spawn thread", "start a thread"),
];

/// Builds the playground into target/web.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("web", arguments) {
        return refused;
    }
    match build() {
        Ok(folder) => {
            eprintln!(
                "web: {}; serve this folder, for example with `python3 -m http.server`",
                folder.display()
            );
            ExitCode::SUCCESS
        }
        Err(faults) => {
            eprintln!("{faults}");
            ExitCode::FAILURE
        }
    }
}

/// Builds module and page. Returns the folder of the page, or what is missing or has failed.
pub(super) fn build() -> Result<PathBuf, String> {
    if let Some(missing) = lacking() {
        return Err(missing);
    }
    let compiler = Compiler::find()?;
    let module = compiler.module()?;
    let bytes = fs::read(&module).map_err(|cause| format!("error: {}: {cause}", module.display()))?;
    able_to_panic(&bytes)?;
    let bound = root().join("target/web-module");
    bind(&module, &bound)?;
    let page = root().join("web");
    for step in [
        &["typescript/bin/tsc", "--noEmit", "--project", "tsconfig.components.json"][..],
        &["typescript/bin/tsc", "--noEmit"],
        &["vite/bin/vite.js", "build", "--logLevel", "warn"],
    ] {
        let mut command = Command::new("node");
        command.arg(page.join("node_modules").join(step[0])).args(&step[1..]).current_dir(&page);
        succeeded(command)?;
    }
    let folder = root().join("target/web");
    report(&folder)?;
    Ok(folder)
}

/// Returns what is missing to build, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    all_of([Compiler::find().err(), missing_page_tools()])
}

/// Returns what is missing to build and to try the playground, with the way to get it; `None` if nothing is.
pub(crate) fn lacking_to_test() -> Option<String> {
    all_of([lacking(), pages::lacking()])
}

fn all_of(messages: [Option<String>; 2]) -> Option<String> {
    messages.into_iter().flatten().reduce(|one, other| format!("{one}\n{other}"))
}

/// Returns what a module could do that a page cannot.
fn able_to_panic(module: &[u8]) -> Result<(), String> {
    let contains = |words: &str| module.windows(words.len()).any(|window| window == words.as_bytes());
    match FORBIDDEN.iter().find(|(words, _)| contains(words)) {
        None => Ok(()),
        Some((_, what)) => Err(format!(
            "error: the module can {what}, which panics in a page\n\
             help: pass a `parallel::Clock` to the code that does, as an `Option`, and do without it there"
        )),
    }
}

/// Returns what is missing for the page, with the way to get it.
fn missing_page_tools() -> Option<String> {
    let has_node = Command::new("node").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !has_node.is_ok_and(|status| status.success()) {
        return Some("error: Node.js is not there\nhelp: install version 20 or newer, with npm (Debian: `apt-get install nodejs npm`)".to_owned());
    }
    let tools = root().join("web/node_modules");
    let is_complete = PAGE_TOOLS.iter().all(|tool| tools.join(tool).is_file());
    (!is_complete).then(|| "error: the programs that build the page are not there\nhelp: `npm ci --prefix web` puts those of web/package-lock.json into web/node_modules".to_owned())
}

/// Writes the JavaScript by which the page calls the module, by `tools/web-bindings`, which is built first.
fn bind(module: &Path, folder: &Path) -> Result<(), String> {
    let tool = root().join("tools/web-bindings/Cargo.toml");
    let target = root().join("target/web-bindings");
    let mut command = Command::new("cargo");
    command.args(["run", "--quiet", "--locked", "--manifest-path"]).arg(tool).arg("--target-dir").arg(target);
    command.arg("--").arg(module).arg(folder);
    succeeded(command)
}

/// Runs a step to its end.
fn succeeded(mut command: Command) -> Result<(), String> {
    let shown = format!(
        "{} {}",
        command.get_program().display(),
        command.get_args().map(|one| one.to_string_lossy()).collect::<Vec<_>>().join(" ")
    );
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("error: `{shown}` failed: {status}")),
        Err(cause) => Err(format!("error: `{shown}` cannot be started: {cause}")),
    }
}

/// Prints the sizes of the module and of all files, or returns that the module is too large.
fn report(folder: &Path) -> Result<(), String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, size) = (entry.path(), entry.metadata().map_or(0, |metadata| metadata.len()));
            if path.is_dir() { folders.push(path) } else { files.push((path, size)) }
        }
    }
    let all: u64 = files.iter().map(|(_, size)| size).sum();
    let module = files.iter().find(|(path, _)| path.extension().is_some_and(|end| end == "wasm"));
    let (module, size) = module.ok_or("error: the page has no module")?;
    let packed = Command::new("gzip").args(["-9", "-c"]).arg(module).output();
    let Some(packed) = packed.ok().filter(|packed| packed.status.success()) else {
        eprintln!("web: the module has {size} bytes; all files {all} bytes; not packed, there is no gzip");
        return Ok(());
    };
    let packed = packed.stdout.len();
    eprintln!("web: the module has {size} bytes, packed by gzip {packed} bytes; all files {all} bytes");
    if packed <= MOST_PACKED {
        return Ok(());
    }
    Err(format!(
        "error: the module has {packed} bytes packed by gzip, more than {MOST_PACKED}\n\
         help: build it without `profile.release.strip` of xtask/src/web/compiler.rs, and see its name section for what has grown"
    ))
}

#[cfg(test)]
mod tests {
    use super::able_to_panic;

    #[test]
    fn a_module_that_asks_for_the_time_is_refused() {
        assert_eq!(able_to_panic(b"\0asm panicked at"), Ok(()));
        let refused = able_to_panic(b"\0asm time not implemented on this platform library/std");
        assert!(refused.is_err_and(|message| message.starts_with("error: the module can ask for the time")));
    }
}
