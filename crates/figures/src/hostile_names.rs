//! Every figure of a run, with names from strangers in all places where names stand.
//!
//! Invariant tested: whatever the names are, each figure is drawn, is XML, and acts on no terminal.

use names::hostile::PARTS;
use names::rule::is_plain;
use proptest::prelude::*;
use results::{RunIdentity, Summary, sample};

use crate::output;

/// Returns the fault of a text that is no well-formed XML (XML 1.0, productions 2, 14, 39, 66). Faults are elements
/// that are not closed, markup or references in their texts, and characters that XML does not have.
fn fault_of_xml(text: &str) -> Option<String> {
    let is_of_xml = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if let Some(letter) = text.chars().find(|letter| !is_of_xml(*letter)) {
        return Some(format!("U+{:04X}", u32::from(letter)));
    }
    let (mut open, mut rest) = (Vec::new(), text);
    while let Some((before, markup)) = rest.split_once('<') {
        let reference = |part: &str| ["lt;", "gt;", "amp;"].iter().any(|known| part.starts_with(known));
        if let Some(part) = before.split('&').skip(1).find(|part| !reference(part)) {
            return Some(format!("&{part}"));
        }
        let (tag, after) = markup.split_once('>')?;
        rest = after;
        let quotes = tag.matches('"').count();
        if tag.contains('<') || quotes % 2 == 1 {
            return Some(format!("<{tag}>"));
        }
        if let Some(closed) = tag.strip_prefix('/') {
            if open.pop() != Some(closed) {
                return Some(format!("</{closed}>"));
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    open.pop().map(|tag| format!("<{tag}> is not closed"))
}

#[test]
fn ill_formed_xml_is_found() {
    assert_eq!(fault_of_xml("<a x=\"1\"><b/>c &lt; d</a>\n"), None);
    for ill in ["<a>", "<a></b>", "<a>\u{1b}</a>", "<a>b & c</a>", "<a><b></a></b>", "<a>\u{ffff}</a>"] {
        assert!(fault_of_xml(ill).is_some(), "{ill}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn names_break_out_of_no_figure(parts in proptest::collection::vec(proptest::sample::select(PARTS.as_slice()), 1..4)) {
        let hostile = parts.concat();
        let record = sample::named(&hostile);
        let identity = RunIdentity { scenario: &hostile, ..sample::CONTEXT };
        let summary = Summary::new(identity, &record, sample::cost());
        let run = output(&summary, &record, String::new());
        let undrawn = run.undrawn.iter().map(|one| format!("{}: {}", one.file, one.fault)).collect::<Vec<_>>();
        prop_assert_eq!(undrawn, [""; 0]);
        for figure in run.files.iter().filter(|file| file.name.ends_with(".svg")) {
            let acts = |letter: char| !is_plain(letter) && letter != '\n' && letter != '\t';
            let found = figure.contents.chars().find(|letter| acts(*letter));
            prop_assert_eq!(found, None, "{}", figure.name);
            prop_assert_eq!(fault_of_xml(&figure.contents), None, "{}", figure.name);
        }
    }
}
