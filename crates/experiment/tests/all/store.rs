//! The store of results: what is there whole is used, everything else is run again.
//!
//! Invariant: results do not depend on the number of threads, nor on the fate of earlier processes.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use experiment::store::{BatchEvent, BatchOptions, Origin, RunBudget, Stored, UnitCost, UnitEnd};
use experiment::{IdentifiedUnit, Store, StoreError, Unit, UnitResult, UnitSeeds};
use results::FileChoice;
use results::manifest::Manifest;
use units::Bytes;

/// A folder that is empty at the start of its test.
fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store").join(test);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn unit(scenario: &str, overrides: &[&str], seed: u64) -> IdentifiedUnit {
    let overrides = overrides.iter().map(|&one| one.to_owned()).collect();
    let unit =
        Unit { scenario: scenario.to_owned(), overrides, seeds: UnitSeeds::of_run(seed), drain: false };
    unit.identify().expect("the unit is right")
}

fn short(seeds: u64) -> Vec<IdentifiedUnit> {
    (1..=seeds).map(|seed| unit("one-flow", &["duration=200 us"], seed)).collect()
}

/// Runs units, and returns their results without their cost, and the names of those that were run, in order of names.
fn run(
    store: &Store,
    units: &[IdentifiedUnit],
    options: &BatchOptions<'_>,
) -> (Vec<UnitResult>, Vec<String>) {
    let ran = Mutex::new(Vec::new());
    let watch = |event: BatchEvent<'_>| {
        if let BatchEvent::Finished(result) = event {
            ran.lock().unwrap().push(result.name.clone());
        }
    };
    let results = store.run(units, options, &watch).expect("the batch ends");
    let mut ran = ran.into_inner().unwrap();
    ran.sort();
    let cost = UnitCost { wall_s: 0.0, events: 0 };
    (results.into_iter().map(|result| UnitResult { cost, ..result }).collect(), ran)
}

#[test]
fn results_are_computed_once_in_the_order_of_the_units_by_any_number_of_threads() {
    let options = |threads| BatchOptions { threads: NonZeroUsize::new(threads), ..BatchOptions::default() };
    let (one, two) = (Store::open(&scratch("one")), Store::open(&scratch("two")));
    let mut units = short(4);
    units.push(units[0].clone());
    let (results, ran) = run(&one, &units, &options(1));
    assert_eq!((results.len(), ran.len()), (5, 4), "equal units are run once");
    assert_eq!(results[0], results[4]);
    assert!(results.iter().zip(&units).all(|(result, unit)| result.name == unit.name()));
    assert_eq!(run(&two, &units, &options(2)).0, results);
    let (again, ran) = run(&one, &units, &options(2));
    assert_eq!((again, ran), (results, vec![]));
    assert_eq!(fs::read_dir(one.folder().join("runs")).unwrap().count(), 4, "nothing else is left there");
}

#[test]
fn a_run_leaves_its_result_and_the_files_that_are_asked_for() {
    let names = |list: &str, scenario: &str| {
        let store = Store::open(&scratch("files"));
        let units = [unit(scenario, &["duration=200 us"], 1)];
        let keep = FileChoice::read(list).unwrap();
        run(&store, &units, &BatchOptions { keep, ..BatchOptions::default() });
        assert!(matches!(store.stored(&units[0]), Stored::Found(_)), "{list}");
        assert!(store.completions(units[0].name()).is_some_and(|groups| groups[0].group == "all"));
        let files = fs::read_dir(store.folder_of(&units[0])).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(names("none", "one-flow"), "result.json");
    assert_eq!(names("plan.ron,hosts.svg", "one-flow"), "hosts.svg plan.ron result.json run.json");
    assert_eq!(names("report.html", "one-flow"), "report.html result.json run.json");
    assert!(names("all", "one-flow").contains(" flows.csv "));
}

#[test]
fn a_figure_that_a_run_cannot_draw_is_named() {
    let store = Store::open(&scratch("undrawn"));
    // Too short for a message.
    let units = [unit("one-flow", &["duration=4 us", "sample=1 us"], 1)];
    let keep = FileChoice::read("completions.svg,hosts.svg").unwrap();
    run(&store, &units, &BatchOptions { keep, ..BatchOptions::default() });
    let text = fs::read_to_string(store.folder_of(&units[0]).join("run.json")).unwrap();
    let manifest = Manifest::read(&text).unwrap();
    let [undrawn] = &manifest.undrawn[..] else { panic!("{text}") };
    assert_eq!((&*undrawn.file, &*undrawn.reason), ("completions.svg", "no message was delivered"));
    assert_eq!(
        manifest.files.iter().map(|file| &*file.name).collect::<Vec<_>>(),
        ["hosts.svg", "result.json"]
    );
}

/// A fault of a folder, and what makes it.
type Fault = (&'static str, fn(&Path));

/// Faults of a folder.
const FAULTS: [Fault; 6] = [
    ("truncated", |folder| {
        let text = fs::read_to_string(folder.join("result.json")).unwrap();
        fs::write(folder.join("result.json"), &text[..text.len() / 2]).unwrap();
    }),
    ("flipped", |folder| {
        let mut bytes = fs::read(folder.join("result.json")).unwrap();
        let place = bytes.len() - 20;
        bytes[place] ^= 1;
        fs::write(folder.join("result.json"), bytes).unwrap();
    }),
    ("another-file", |folder| {
        let mut bytes = fs::read(folder.join("plan.ron")).unwrap();
        bytes[100] ^= 4;
        fs::write(folder.join("plan.ron"), bytes).unwrap();
    }),
    ("lacking", |folder| fs::remove_file(folder.join("summary.json")).unwrap()),
    ("empty", |folder| fs::write(folder.join("result.json"), "").unwrap()),
    ("of-another-plan", |folder| {
        let other = fs::read_dir(folder.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        let other = other.into_iter().find(|other| other != folder).unwrap();
        fs::remove_dir_all(folder).unwrap();
        fs::rename(other, folder).unwrap();
    }),
];

#[test]
fn torn_and_foreign_folders_are_found_and_redone() {
    for (fault, make) in FAULTS {
        let store = Store::open(&scratch(fault));
        let units = short(2);
        let keep = FileChoice::read("plan.ron,summary.json").expect("a run has them");
        let (results, _) = run(&store, &units, &BatchOptions { keep, ..BatchOptions::default() });
        make(&store.folder_of(&units[0]));
        assert!(matches!(store.stored(&units[0]), Stored::Unusable(_)), "{fault}");
        assert_eq!(store.result(&units[0]), None, "{fault}");
        let (again, ran) = run(&store, &units, &BatchOptions::default());
        assert_eq!(again, results, "{fault}");
        assert!(ran.contains(&results[0].name), "{fault}");
        assert!(store.result(&units[0]).is_some() && store.result(&units[1]).is_some(), "{fault}");
        assert_eq!(fs::read_dir(store.folder().join("runs")).unwrap().count(), 2, "{fault}");
    }
}

/// Things in the place of a unit's folder that carry no manifest.
const FOREIGN: [Fault; 5] = [
    ("a-file", |folder| fs::write(folder, "mine").unwrap()),
    ("a-folder", |folder| {
        fs::create_dir_all(folder.join("chapters")).unwrap();
        fs::write(folder.join("chapters/1.tex"), "mine").unwrap();
    }),
    ("an-empty-folder", |folder| fs::create_dir_all(folder).unwrap()),
    ("another-manifest", |folder| {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("run.json"), "{}").unwrap();
        fs::write(folder.join("result.json"), "{}").unwrap();
    }),
    ("a-link", |folder| {
        let elsewhere = folder.parent().unwrap().parent().unwrap().join("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        fs::write(elsewhere.join("mine"), "mine").unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder).unwrap();
    }),
];

/// Returns all files below a folder, with their bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            all.push((path.clone(), vec![]));
            all.extend(files(&path));
        } else {
            all.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

#[cfg(unix)]
#[test]
fn what_carries_no_manifest_is_never_replaced() {
    for (kind, make) in FOREIGN {
        let store = Store::open(&scratch(kind));
        let units = short(2);
        fs::create_dir_all(store.folder().join("runs")).unwrap();
        make(&store.folder_of(&units[1]));
        let before = files(store.folder());
        let refused = store.run(&units, &BatchOptions::default(), &|_| {});
        let path = store.folder_of(&units[1]);
        assert!(
            matches!(&refused, Err(StoreError::Foreign(foreign)) if *foreign == path),
            "{kind}: {refused:?}"
        );
        assert_eq!(files(store.folder()), before, "{kind}: nothing has changed");
    }
}

/// A result is made anew, while the folder has further files and the other unit's result.
#[test]
fn files_that_no_manifest_names_outlive_their_result() {
    let store = Store::open(&scratch("notes"));
    let units = short(1);
    let (results, _) = run(&store, &units, &BatchOptions::default());
    let folder = store.folder_of(&units[0]);
    fs::create_dir(folder.join("notes")).unwrap();
    fs::write(folder.join("notes/1.txt"), "mine").unwrap();
    fs::write(folder.join("result.json"), "").unwrap();
    assert_eq!(run(&store, &units, &BatchOptions::default()).0, results);
    assert_eq!(fs::read_to_string(folder.join("notes/1.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(store.folder().join("runs")).unwrap().count(), 1);
}

/// A ring of switches in which packets wait for each other.
fn deadlocked() -> IdentifiedUnit {
    let flow = |i: usize| {
        let to = (i + 2) % 7 + 1;
        format!(
            "(name: \"F{i}\", from: \"h{i}\", to: \"h{to}\", start: \"0 s\", message: \"64 KiB\", load: Saturate(outstanding: 4))"
        )
    };
    let flows = format!("flows=[{}]", (1..=7).map(flow).collect::<Vec<_>>().join(", "));
    let ring = "topology=Torus(sizes: [7], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")";
    let rest = ["dependency_cycles=Allowed", "congestion_control=Off", "duration=20 ms", "sample=100 us"];
    unit("bench-a32", &[&[ring, "routing=MinHop", "traffic=[]", &flows][..], &rest].concat(), 1)
}

#[test]
fn a_deadlock_is_a_result() {
    let store = Store::open(&scratch("deadlock"));
    let units = [deadlocked(), short(1).remove(0)];
    let (results, _) = run(&store, &units, &BatchOptions::default());
    assert!(matches!(&results[0].ended, UnitEnd::Deadlock { message } if message.contains("waits for room")));
    assert_eq!((results[0].digest.clone(), &results[1].ended), (None, &UnitEnd::Complete));
    assert_eq!(run(&store, &units, &BatchOptions::default()), (results, vec![]));
}

#[test]
fn a_run_past_its_budget_is_a_result_until_the_budget_grows() {
    let store = Store::open(&scratch("budget"));
    let units = [unit("one-flow", &["duration=200 ms", "sample=1 ms"], 1)];
    let of = |wall: Option<u64>, memory| BatchOptions {
        budget: RunBudget { wall: wall.map(Duration::from_millis), memory },
        ..BatchOptions::default()
    };
    let (results, _) = run(&store, &units, &of(None, Some(Bytes::new(1))));
    assert!(matches!(results[0].ended, UnitEnd::OverMemory { budget_bytes: 1, .. }), "{results:?}");
    let (results, ran) = run(&store, &units, &of(Some(1), None));
    assert!(matches!(results[0].ended, UnitEnd::OverTime { .. }), "{results:?}");
    assert_eq!((ran.len(), results[0].digest.clone()), (1, None), "half a run has no results");
    let (_, ran) = run(&store, &units, &of(Some(1), None));
    assert_eq!(ran.len(), 0, "the same budget gives the same end");
    let (results, ran) = run(&store, &units, &of(None, None));
    assert_eq!((ran.len(), &results[0].ended), (1, &UnitEnd::Complete));
    let (_, ran) = run(&store, &units, &of(Some(1), None));
    assert_eq!(ran.len(), 0, "a complete result stays");
}

#[test]
fn results_of_another_build_are_used_and_named() {
    let store = Store::open(&scratch("build"));
    let of = |commit: &str| BatchOptions {
        origin: Origin { commit: Some(commit.to_owned()), command: vec![] },
        ..BatchOptions::default()
    };
    let units = short(2);
    run(&store, &units[..1], &of("a"));
    let said = Mutex::new(Vec::new());
    let watch = |event: BatchEvent<'_>| {
        if let BatchEvent::OtherBuild { results } = event {
            said.lock().unwrap().push(results);
        }
    };
    store.run(&units, &of("a"), &watch).unwrap();
    assert!(said.lock().unwrap().is_empty());
    store.run(&units, &of("b"), &watch).unwrap();
    assert_eq!(*said.lock().unwrap(), [2]);
}

#[test]
fn an_interrupt_keeps_what_is_finished() {
    let store = Store::open(&scratch("interrupt"));
    let flag = AtomicBool::new(false);
    let threads = NonZeroUsize::new(1);
    let options = BatchOptions { interrupt: Some(&flag), threads, ..BatchOptions::default() };
    let units = short(3);
    let watch = |event: BatchEvent<'_>| {
        if matches!(event, BatchEvent::Finished(_)) {
            flag.store(true, Ordering::Relaxed);
        }
    };
    let ended = store.run(&units, &options, &watch);
    assert!(matches!(ended, Err(StoreError::Interrupted { done: 1, asked: 3 })), "{ended:?}");
    assert_eq!(run(&store, &units, &BatchOptions::default()).1.len(), 2);
}

#[test]
fn folders_of_dead_processes_are_removed() {
    let store = Store::open(&scratch("dead"));
    let dead = store.folder().join("runs/.writing-1-0-0");
    // A folder of such a name that no process of this program has made.
    let foreign = store.folder().join("runs/.writing-mine");
    fs::create_dir_all(&foreign).unwrap();
    fs::write(foreign.join("lock"), "mine").unwrap();
    let make = || {
        fs::create_dir_all(dead.join("0")).unwrap();
        fs::write(dead.join("lock"), "backwater: results that are being written\n").unwrap();
    };
    // Also if nothing is to be done.
    for _ in 0..2 {
        make();
        run(&store, &short(1), &BatchOptions::default());
        assert!(!dead.exists() && foreign.join("lock").exists());
    }
}

#[test]
fn a_scenario_that_changes_meanwhile_is_refused() {
    let folder = scratch("changed");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mine.ron");
    let text = scenario::shipped().iter().find(|one| one.name == "one-flow").unwrap().text;
    fs::write(&file, text).unwrap();
    let named = unit(file.to_str().unwrap(), &["duration=200 us"], 1);
    fs::write(&file, text.replace("2 KiB", "1 KiB")).unwrap();
    let ended = Store::open(&folder).run(&[named], &BatchOptions::default(), &|_| {});
    assert!(matches!(ended, Err(StoreError::Changed { .. })), "{ended:?}");
    assert!(!folder.join("runs").exists(), "nothing is left behind");
}
