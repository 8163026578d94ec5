//! Names are text from strangers: a host's `NodeDescription`, a flow, a scenario, a line of a sweep.
//!
//! Invariant: [`rule`] alone decides what a name may be, on every reading, and each other module is the only way by which a
//! kind of output shows one. All are pure functions of text, and take any text: also names that the rule refuses are shown
//! without harm, since files that hold names may come from other programs.
//!
//! | module | contents |
//! |---|---|
//! | [`rule`] | names that are accepted, and names made acceptable |
//! | [`shown`] | text for a terminal, and for comments of one line |
//! | [`markup`] | text in SVG and HTML |
//! | [`csv`] | cells that no spreadsheet takes for formulas, and back |
//! | [`json`] | JSON without characters that act on a terminal |
//! | [`shell`] | words of a shell's command line |
//! | [`mod@file`] | names of files and folders |
//! | [`hostile`] | parts of names that have broken out somewhere, for tests |

pub mod csv;
pub mod file;
pub mod hostile;
pub mod json;
pub mod markup;
pub mod rule;
pub mod shell;
pub mod shown;
