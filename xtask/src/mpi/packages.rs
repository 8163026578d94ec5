//! Packages that the test of ranks needs.
//!
//! Invariant: each is looked for where the build, or the shell, looks for it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Packages of Debian that are needed.
const PACKAGES: &str = "apt-get install openmpi-bin libopenmpi-dev libclang-dev";

/// Returns what is missing to run and, if it `builds`, to build, with the way to get it; `None` if nothing is.
pub(super) fn missing(builds: bool) -> Option<String> {
    missing_of(builds, found, has_libclang())
}

fn missing_of(builds: bool, is_there: impl Fn(&str) -> bool, has_libclang: bool) -> Option<String> {
    let needed = [
        (true, is_there("mpirun"), "`mpirun` (package openmpi-bin)"),
        (builds, is_there("mpicc"), "`mpicc` (package libopenmpi-dev)"),
        (builds, has_libclang, "`libclang.so` (package libclang-dev)"),
    ];
    let lacking = needed.iter().filter(|(needed, there, _)| *needed && !there);
    let lacking: Vec<_> = lacking.map(|(.., name)| *name).collect();
    (!lacking.is_empty()).then(|| {
        format!("error: {} cannot be found\nhelp: install them, on Debian: {PACKAGES}", lacking.join(", "))
    })
}

fn found(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Returns true if the library by which MPI's headers are read is where the build looks for it.
fn has_libclang() -> bool {
    let named = env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let llvm = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = llvm.map(|entry| entry.path().join("lib")).filter(|path| path.parent().is_some_and(is_llvm));
    let usual = [
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
    ];
    let folders = named.into_iter().chain(llvm).chain(usual.map(PathBuf::from));
    folders.into_iter().any(|folder| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.into_iter().any(|name| {
            name.to_string_lossy().starts_with("libclang.so")
                || name.to_string_lossy().starts_with("libclang-")
        })
    })
}

fn is_llvm(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("llvm"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_packages_are_named_with_the_way_to_get_them() {
        assert_eq!(missing_of(true, |_| true, true), None);
        assert_eq!(missing_of(false, |program| program == "mpirun", false), None);
        let message = missing_of(true, |program| program == "mpirun", false).expect("two are missing");
        assert!(message.starts_with(
            "error: `mpicc` (package libopenmpi-dev), `libclang.so` (package libclang-dev) cannot"
        ));
        assert!(message.ends_with(PACKAGES), "{message}");
        assert!(!found("no-such-program"));
    }
}
