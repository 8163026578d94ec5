//! The rounds on a crate whose tests catch some mutants and miss others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mutants::listing::{self, Mutant};
use mutants::outcomes::{self, Outcome, Tested};
use mutants::rounds::{self, Settings, Subject};

const TINY: Subject = Subject { name: "tiny", folder: "", laws: &[] };

fn mutants() -> Vec<Mutant> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture");
    let list = fs::read_to_string(root.join("mutants.json")).unwrap();
    listing::read(&list, |file| fs::read_to_string(root.join(file)).map_err(|e| e.to_string())).unwrap()
}

fn tested(mutants: &[Mutant], standing: Vec<Tested>) -> Vec<Tested> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture");
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rounds");
    let settings = Settings { root, work, jobs: 2, shard: None, least_limit: 1, laws: false };
    rounds::test(&TINY, mutants, standing, &settings).unwrap()
}

#[test]
fn survivors_are_those_that_no_test_asks_about() {
    let mutants = mutants();
    let tested = tested(&mutants, Vec::new());
    assert_eq!(tested.len(), 36);
    let mut changes: BTreeMap<Outcome, Vec<&str>> = BTreeMap::new();
    for one in &tested {
        let change = one.place.split_once(": ").unwrap().1;
        changes.entry(one.outcome).or_default().push(change);
    }
    assert_eq!(
        changes[&Outcome::Missed],
        [
            "replace < with <= in name",
            "replace unasked -> u32 with 0",
            "replace unasked -> u32 with 1",
            "replace + with - in unasked",
            "replace + with * in unasked",
        ]
    );
    assert_eq!(
        changes[&Outcome::Unviable],
        ["replace sum -> Bytes with Default::default()", "replace && with || in odd"]
    );
    assert!(changes[&Outcome::Endless].contains(&"replace > with >= in halvings"), "{changes:?}");
    let of = |change: &str| tested.iter().find(|one| one.place.ends_with(change)).unwrap();
    let constant = of("replace * with + in doubled");
    assert_eq!((constant.alone, constant.outcome), (true, Outcome::Caught), "only the compiler calls it");
    let sum = of("replace + with - in sum");
    assert_eq!((sum.alone, sum.test.as_str()), (false, "asks::three_and_two_are_five"));

    let mut standing = outcomes::standing(&tested, &mutants);
    assert_eq!(standing.len(), 36 - 5, "survivors do not stand");
    let known = "a result of an earlier run";
    standing.iter_mut().for_each(|one| one.test = known.to_owned());
    let again = self::tested(&mutants, standing);
    let missed = |tested: &[Tested]| -> Vec<Tested> {
        tested.iter().filter(|one| one.outcome == Outcome::Missed).cloned().collect()
    };
    assert_eq!(missed(&again), missed(&tested));
    assert_eq!(again.iter().filter(|one| one.test == known).count(), 36 - 5, "they are not tested again");
}
