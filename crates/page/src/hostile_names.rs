//! The page of a run, with names from strangers in all places where names stand.
//!
//! Invariant tested: whatever the names are, the page has the scripts of this program alone. Its data are JSON, and
//! nothing in it acts on a terminal.

use names::hostile::PARTS;
use names::rule::is_plain;
use proptest::prelude::*;
use results::manifest::{self, Manifest};
use results::{RunFiles, sample};

use super::of_files;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn names_break_out_of_no_page(parts in proptest::collection::vec(proptest::sample::select(PARTS.as_slice()), 1..4)) {
        let hostile = parts.concat();
        let files = sample::files(&sample::named(&hostile), "");
        let own = Manifest { command: vec![hostile], ..manifest::sample("a") };
        let page = of_files(RunFiles::Written(&files), &own).unwrap();
        let scripts = page.contents.matches("<script").count();
        prop_assert_eq!(scripts, 2, "data and script");
        let data = page.contents.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
        prop_assert!(data.chars().all(is_plain) && serde_json::from_str::<serde_json::Value>(data).is_ok());
        let body = page.contents.split("<body>").nth(1).and_then(|rest| rest.split("<script").next()).unwrap();
        prop_assert!(body.chars().all(|letter| is_plain(letter) || letter == '\n' || letter == '\t'));
    }
}
