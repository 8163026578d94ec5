//! The files of a run made by hand, for the tests of figures.

use results::{OutputFile, Summary, sample};

pub(crate) fn files() -> Vec<OutputFile> {
    let record = sample::record();
    let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
    crate::output(&summary, &record, String::new()).files
}
