//! A folder in which a test runs the command, and what the command left there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Working folder of a test, empty at its start.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(test: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        // An earlier run that failed may have left it.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let backwater = env!("CARGO_BIN_EXE_backwater");
        Command::new(backwater).args(arguments).current_dir(&self.0).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "", "nothing but errors goes to standard error when piped");
        text(&output.stdout)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_else(|cause| panic!("{file}: {cause}"))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.names_in("")
    }

    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns a text without breaks of lines: a single space stands between words.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|fault| panic!("{fault} in {text}"))
}

/// Asserts a refusal: status 2, a message on standard error, nothing on standard output.
pub(crate) fn assert_refused(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains(message), "no `{message}` in: {}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
}
