//! Standard output and its width, and warnings on standard error.

use std::io::{self, ErrorKind, Write};
use std::sync::Mutex;

use console::Term;
use experiment::VERSION;
use report::UndrawnFigure;
use report::format::{WIDTH, wrapped};

/// Prints to standard output; on a terminal long lines are broken between words. A reader that has gone away
/// (`backwater list | head -1`) is no error.
pub(crate) fn print(text: &str) {
    match columns() {
        Some(columns) => print_exactly(&wrapped(text, columns)),
        None => print_exactly(text),
    }
}

/// Prints text that is to be read by programs, or copied, without a change.
pub(crate) fn print_exactly(text: &str) {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    if let Err(cause) = written
        && cause.kind() != ErrorKind::BrokenPipe
    {
        LOST.lock().expect("no thread panics with it").get_or_insert(cause);
    }
}

/// The first error of standard output.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Returns the error for which some of standard output is lost, as on a full disk.
pub(crate) fn lost() -> Option<io::Error> {
    LOST.lock().expect("no thread panics with it").take()
}

/// Returns the width of the terminal in characters, and that of files if standard output is none.
pub(crate) fn width() -> usize {
    columns().unwrap_or(WIDTH)
}

/// Returns the width of the terminal in characters, but at most `most`, also if standard output is no terminal.
pub(crate) fn width_up_to(most: u16) -> u16 {
    columns().and_then(|columns| u16::try_from(columns).ok()).map_or(most, |columns| columns.min(most))
}

/// Returns the width of the terminal in characters, if standard output is one.
fn columns() -> Option<usize> {
    Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}

/// Warns of each figure whose data are there and cannot be drawn. Those without data are in `run.json` alone.
pub(crate) fn warn_of_undrawn(figures: &[UndrawnFigure]) {
    for UndrawnFigure { file, fault } in figures.iter().filter(|figure| figure.fault.is_failure()) {
        warn(&format!("`{file}` is not drawn: {fault}"));
    }
}

/// Warns of stored results that a build from another commit of the same version has made.
pub(crate) fn warn_of_other_build() {
    warn(&format!(
        "some results that are there were made by another build of version {VERSION}, from the commit that their `run.json` names; \
         they are used as they are: choose another folder to run them again"
    ));
}

/// Prints a warning to standard error.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {text}");
}

/// Prints a remark to standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {text}");
}
