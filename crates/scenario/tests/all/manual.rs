//! The manual: the page in `docs` is that of the types, and every field is explained.

use std::{env, fs};

use cc_policies::{AnyEcho, MarkingSpec, ResponseSpec, Scheme};
use scenario::manual::{self, Entry, Field};
use serde::de::DeserializeOwned;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenario.md");

/// Every entry of which the page has a section, with the fields of its choices.
fn entries() -> Vec<Entry> {
    let page = manual::page();
    let titles =
        page.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(" `")?.strip_suffix('`'));
    let mut entries = manual::find("").expect("the scenario has an entry");
    for path in titles {
        let found = manual::find(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let exact = found.into_iter().find(|entry| entry.place.name == path);
        entries.push(exact.unwrap_or_else(|| panic!("`fields {path}` prints another place")));
    }
    entries
}

fn fields(entry: &Entry) -> impl Iterator<Item = &Field> {
    entry.fields.iter().chain(entry.choices.iter().flat_map(|choice| &choice.fields))
}

#[test]
fn the_page_is_that_of_the_types() {
    let wanted = manual::page();
    if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(PAGE, wanted).expect("the page can be written");
        return;
    }
    let present = fs::read_to_string(PAGE).expect("the page is there");
    let differs = present.lines().zip(wanted.lines()).find(|(present, wanted)| present != wanted);
    assert_eq!(differs, None, "`cargo xtask bless` writes docs/scenario.md anew");
    assert_eq!(present, wanted, "`cargo xtask bless` writes docs/scenario.md anew");
}

/// Returns the names of an enum's variants, which the reader lists where it meets a wrong one.
fn variants<T: DeserializeOwned>() -> Vec<String> {
    let error = serde_json::from_str::<T>("\"?\"").err().expect("there is no such variant").to_string();
    let (_, names) = error.split_once("expected").expect("the reader lists the right names");
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The types say which policies there are, and the manual knows each, with fields or without.
#[test]
fn every_policy_has_an_entry() {
    let mut found = 0;
    for (path, names) in [
        ("congestion_control", variants::<Scheme>()),
        ("congestion_control.Mixed.marking", variants::<MarkingSpec>()),
        ("congestion_control.Mixed.echo", variants::<AnyEcho>()),
        ("congestion_control.Mixed.response", variants::<ResponseSpec>()),
    ] {
        for name in names {
            let path = format!("{path}.{name}");
            let entries = manual::find(&path).unwrap_or_else(|error| panic!("{error}; {}", error.help));
            let [entry] = entries.as_slice() else { panic!("{path} is several places") };
            assert_eq!(entry.place.name, path);
            assert!(!entry.place.about.is_empty() || !entry.about_type.is_empty(), "{path}");
            found += 1;
        }
    }
    assert!(found >= 6 + 5 + 5 + 6, "{found} policies");
}

#[test]
fn every_choice_leads_to_a_place() {
    for entry in entries() {
        let of_enum =
            |name: &&str| name.chars().all(char::is_alphanumeric) && name.starts_with(char::is_uppercase);
        for name in entry.choices.iter().map(|choice| choice.name.as_str()).filter(of_enum) {
            let path = format!("{}.{name}", entry.place.name);
            manual::find(&path).unwrap_or_else(|error| panic!("{error}; {}", error.help));
        }
    }
}

#[test]
fn every_link_of_the_page_leads_to_a_section() {
    let page = manual::page();
    let anchor = |title: &str| {
        let kept = title.chars().filter(|letter| letter.is_alphanumeric() || *letter == '_');
        kept.collect::<String>().to_lowercase()
    };
    let titles: Vec<_> = page.lines().filter(|line| line.starts_with("##")).map(anchor).collect();
    let mut unique = titles.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), titles.len(), "two sections have one anchor");
    let links = page.split("](#").skip(1).filter_map(|rest| rest.split_once(')'));
    let mut count = 0;
    for (link, _) in links {
        assert!(titles.iter().any(|title| title == link), "no section `{link}`");
        count += 1;
    }
    assert!(count > 100, "the page has {count} links");
}

#[test]
fn every_field_and_choice_is_explained_without_words_of_rust() {
    let (mut seen, mut faults) = (0, Vec::new());
    for entry in entries() {
        let path = &entry.place.name;
        let mut check = |name: &str, about: &str| {
            seen += 1;
            let rust = ["[`", "::", "Self", "crate"].iter().any(|word| about.contains(word));
            if about.is_empty() || rust || about.starts_with("As in ") {
                faults.push(format!("{path}.{name}: {about:?}"));
            }
        };
        check("", &entry.place.about);
        entry.choices.iter().for_each(|choice| check(&choice.name, &choice.about));
        fields(&entry).for_each(|field| check(&field.name, &field.about));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 400, "{seen} fields and choices");
}

#[test]
fn a_field_that_may_be_left_out_says_what_holds_then() {
    let mut faults = Vec::new();
    for entry in entries() {
        let silent = |field: &&Field| {
            !field.required && field.default.is_none() && !field.about.to_lowercase().contains("left out")
        };
        faults.extend(
            fields(&entry).filter(silent).map(|field| format!("{}.{}", entry.place.name, field.name)),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_field_and_choice_of_the_shipped_scenarios_is_in_the_manual() {
    let page = manual::page();
    for shipped in scenario::shipped() {
        for line in shipped.text.lines() {
            let code = line.split("//").next().unwrap_or_default();
            let keys = code.match_indices(": ").filter_map(|(at, _)| {
                code[..at].rsplit(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next()
            });
            let keys = keys.filter(|key| key.starts_with(|letter: char| letter.is_ascii_lowercase()));
            for key in keys.filter(|_| !code.contains('"')) {
                assert!(
                    page.contains(&format!("| `{key}` |")),
                    "{}: `{key}` is not in the page",
                    shipped.name
                );
            }
        }
    }
}
