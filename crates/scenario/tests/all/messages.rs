//! Files of `fixtures/bad`, each with the exact message that it must give beside it.
//!
//! Invariant: every file that a test takes is compared, and a file that nothing is wrong with fails the test.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the folder of the files.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bad")
}

/// Compares the messages of all files that `is_own` takes by name, `least` of them or more, with those beside them. `said` returns the
/// message for a name and a text, or why there is none. With `BLESS` or `INSTA_UPDATE=always`, messages are written instead.
pub(crate) fn compare(
    least: usize,
    is_own: impl Fn(&str) -> bool,
    said: impl Fn(&str, &str) -> Result<String, String>,
) {
    let blessed = env::var_os("BLESS").is_some()
        || env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always");
    let name = |path: &PathBuf| path.file_name().expect("a file").to_string_lossy().into_owned();
    let entries = fs::read_dir(folder()).expect("the fixtures are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| is_own(&name(file)));
    files.sort();
    assert!(files.len() >= least, "only {} fixtures", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable fixture");
        match said(&name(&file), &text) {
            Err(what) => wrong.push(format!("{}: {what}", name(&file))),
            Ok(said) => {
                let expected = file.with_extension("stderr");
                if blessed {
                    fs::write(&expected, said).expect("a writable folder");
                } else if fs::read_to_string(&expected).unwrap_or_default() != said {
                    wrong.push(format!("{} now says:\n{said}", name(&file)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
