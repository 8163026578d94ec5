//! Standard output and its width, and warnings and failures on standard error.
//!
//! Invariant: everything that is printed goes through here. Nothing of it acts on the terminal but our own colours:
//! names in it may come from others. Output for programs is exact unless a terminal shows it.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::Mutex;

use console::Term;
use experiment::VERSION;
use figures::UndrawnFigure;
use names::shown;
use results::format::{WIDTH, wrapped};

/// Prints to standard output; on a terminal long lines are broken between words. A reader that has gone away
/// (`backwater list | head -1`) is no error.
pub(crate) fn print(text: &str) {
    let text = shown::lines(text);
    match columns() {
        Some(columns) => write(&wrapped(&text, columns)),
        None => write(&text),
    }
}

/// Prints text that is to be read by programs, or copied: without a change, unless it is shown on a terminal.
pub(crate) fn print_exactly(text: &str) {
    if io::stdout().is_terminal() { write(&shown::lines(text)) } else { write(text) }
}

fn write(text: &str) {
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

/// Returns the width of the terminal in characters, or the width of files if standard output is no terminal.
pub(crate) fn width() -> usize {
    columns().unwrap_or(WIDTH)
}

/// Returns the width of the terminal in characters, but at most `most`, also if standard output is no terminal.
pub(crate) fn width_up_to(most: u16) -> u16 {
    columns().and_then(|columns| u16::try_from(columns).ok()).map_or(most, |columns| columns.min(most))
}

/// Returns the width in characters, if standard output is a terminal.
fn columns() -> Option<usize> {
    Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}

/// Warns of each figure with data that cannot be drawn. Figures without data are in `run.json` alone.
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
    tell(&format!("warning: {text}"));
}

/// Prints a remark to standard error.
pub(crate) fn note(text: &str) {
    tell(&format!("note: {text}"));
}

/// Prints a line to standard error. A closed or full standard error is no reason to stop.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{}", shown::lines(text));
}

/// Prints a failure to standard error, with the colours that it has of its own, if any.
pub(crate) fn fail(text: &str, has_colours: bool) {
    if has_colours {
        let _ = writeln!(io::stderr(), "{}", shown::coloured(text));
    } else {
        tell(text);
    }
}

/// Returns true if standard error is a terminal.
pub(crate) fn shows_errors() -> bool {
    io::stderr().is_terminal()
}
