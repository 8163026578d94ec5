//! Folders that are free, foreign, torn, or of another run.

use super::*;
use crate::manifest::sample;

/// A temporary folder, removed at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("backwater-{test}-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn names(&self) -> Vec<String> {
        names(&self.0)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

fn file(name: &str, contents: &str) -> OutputFile {
    OutputFile { name: name.to_owned(), contents: contents.to_owned() }
}

/// Returns the manifest of a plan before its run, which may write `a`, `b` and `c`.
fn asked(plan: &str) -> Manifest {
    let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 0 };
    Manifest { files: ["a", "b", "c"].map(entry).to_vec(), ..sample(plan) }
}

/// Writes the files as the results of a plan.
fn write(folder: &Path, plan: &str, force: bool, files: &[OutputFile]) -> Result<(), OutputError> {
    ResultFolder::open(folder, &asked(plan), force)?.write(&sample(plan), files)
}

fn manifest(folder: &Path) -> Manifest {
    former(folder).unwrap().expect("the folder has a manifest")
}

#[test]
fn a_further_file_is_named_and_foreign_ones_stay() {
    let scratch = Scratch::new("further");
    let folder = scratch.0.join("out");
    write(&folder, "p", false, &[file("a", "one")]).unwrap();
    add_file(&folder, &file("b", "three")).unwrap();
    add_file(&folder, &file("a", "four")).unwrap();
    let sizes: Vec<_> = manifest(&folder).files.iter().map(|file| (file.name.clone(), file.bytes)).collect();
    assert_eq!(sizes, [("a".to_owned(), 4), ("b".to_owned(), 5)]);
    fs::write(folder.join("c"), "mine").unwrap();
    assert!(matches!(add_file(&folder, &file("c", "new")), Err(OutputError::Foreign { .. })));
    assert!(matches!(add_file(&scratch.0, &file("c", "new")), Err(OutputError::NoRun { .. })));
    assert_eq!(names(&folder), ["a", "b", "c", MANIFEST]);
}

/// Files that a scenario names may lie in folders, which go with their last file.
#[test]
fn files_keep_their_folders() {
    let scratch = Scratch::new("folders");
    let folder = scratch.0.join("out");
    let files = [file("a", "one"), file("in/deep/b", "two"), file("in/c", "three")];
    let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 0 };
    let asked = Manifest { files: ["a", "in/deep/b", "in/c"].map(entry).to_vec(), ..sample("p") };
    ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &files).unwrap();
    assert_eq!(fs::read_to_string(folder.join("in/deep/b")).unwrap(), "two");
    assert_eq!(
        (names(&folder), names(&folder.join("in"))),
        (vec!["a".to_owned(), "in".to_owned(), MANIFEST.to_owned()], vec!["c".to_owned(), "deep".to_owned()])
    );
    fs::write(folder.join("in/mine"), "mine").unwrap();
    ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &files[..1]).unwrap();
    assert_eq!(names(&folder.join("in")), ["mine"]);
    fs::remove_file(folder.join("in/mine")).unwrap();
    ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &files).unwrap();
    ResultFolder::open(&folder, &asked, false).unwrap().write(&sample("p"), &[]).unwrap();
    assert_eq!(names(&folder), [MANIFEST]);
}

#[test]
fn no_two_files_have_one_name() {
    let scratch = Scratch::new("twice");
    for double in [["a", "a"], ["a", "a/b"], ["b", MANIFEST], ["b", "run.json/c"]] {
        let files = double.map(|name| FileEntry { name: name.to_owned(), bytes: 0 }).to_vec();
        let refused = ResultFolder::open(&scratch.0, &Manifest { files, ..sample("p") }, true);
        assert!(
            matches!(&refused, Err(OutputError::NameOfResult { name }) if name == double[1]),
            "{refused:?}"
        );
    }
}

#[test]
fn opening_leaves_no_trace() {
    let scratch = Scratch::new("open");
    ResultFolder::open(&scratch.0.join("a/b/c"), &asked("p"), false).unwrap();
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn files_of_a_former_run_go_and_foreign_files_stay() {
    let scratch = Scratch::new("former");
    let folder = scratch.0.join("out");
    write(&folder, "p", false, &[file("a", "one"), file("flows.csv", "two")]).unwrap();
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    write(&folder, "p", false, &[file("a", "three"), file("c", "four")]).unwrap();
    assert_eq!(names(&folder), ["a", "c", "mine.txt", MANIFEST]);
    assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "three");
    let sizes: Vec<_> = manifest(&folder).files.into_iter().map(|file| (file.name, file.bytes)).collect();
    assert_eq!(sizes, [("a".to_owned(), 5), ("c".to_owned(), 4)]);
}

#[test]
fn results_of_another_plan_are_overwritten_by_force_alone() {
    let scratch = Scratch::new("other");
    write(&scratch.0, "p", false, &[file("a", "one"), file("flows.csv", "two")]).unwrap();
    let message = write(&scratch.0, "q", false, &[file("a", "three")]).unwrap_err().to_string();
    assert!(message.ends_with("another run: victim with congestion_control=Off, seed 7"), "{message}");
    assert_eq!(names(&scratch.0), ["a", "flows.csv", MANIFEST]);
    write(&scratch.0, "q", true, &[file("a", "three")]).unwrap();
    assert_eq!(names(&scratch.0), ["a", MANIFEST]);
}

#[test]
fn a_file_that_no_manifest_names_is_overwritten_by_force_alone() {
    let scratch = Scratch::new("foreign");
    fs::write(scratch.0.join("b"), "mine").unwrap();
    let refused = write(&scratch.0, "p", false, &[file("a", "one")]).unwrap_err();
    assert!(matches!(refused, OutputError::Foreign { name, .. } if name == "b"));
    assert_eq!(scratch.names(), ["b"]);
    write(&scratch.0, "p", true, &[file("a", "one")]).unwrap();
    assert_eq!(scratch.names(), ["a", MANIFEST]);
}

#[test]
fn an_unreadable_manifest_is_overwritten_by_force_alone() {
    let scratch = Scratch::new("unreadable");
    fs::write(scratch.0.join(MANIFEST), "{").unwrap();
    assert!(matches!(write(&scratch.0, "p", false, &[]), Err(OutputError::Manifest { .. })));
    write(&scratch.0, "p", true, &[file("a", "one")]).unwrap();
    assert_eq!(manifest(&scratch.0).ended, RunEnd::Complete);
}

#[test]
fn a_run_that_fails_leaves_its_manifest_alone() {
    let scratch = Scratch::new("fails");
    write(&scratch.0, "p", false, &[file("a", "one"), file("b", "two")]).unwrap();
    let ended = RunEnd::Deadlock { message: "S1".to_owned() };
    let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
    folder.write(&Manifest { ended: ended.clone(), ..sample("p") }, &[]).unwrap();
    drop(folder);
    assert_eq!(scratch.names(), [MANIFEST]);
    assert_eq!(manifest(&scratch.0).ended, ended);
}

#[test]
fn a_folder_whose_writer_was_killed_is_cleared_by_the_next_run() {
    let scratch = Scratch::new("torn");
    write(&scratch.0, "p", false, &[file("a", "one")]).unwrap();
    let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
    let files = [file("b", "two"), file("c", "three")];
    let entry = |file: &OutputFile| FileEntry { name: file.name.clone(), bytes: 3 };
    let half = Manifest { files: files.iter().map(entry).collect(), ..sample("p") };
    // The writer is killed at its second file, which has no part to take its place.
    let parts = folder.stage(&half, &files).unwrap();
    let part = scratch.names().into_iter().find(|name| name.starts_with(".c.")).unwrap();
    fs::remove_file(scratch.0.join(part)).unwrap();
    assert!(folder.exchange(&half, parts).is_err());
    let torn = manifest(&scratch.0);
    assert_eq!(torn.ended, RunEnd::Writing);
    assert_eq!(torn.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(matches!(write(&scratch.0, "p", true, &[]), Err(OutputError::Busy { .. })), "it is still held");
    drop(folder);
    write(&scratch.0, "p", false, &[file("c", "four")]).unwrap();
    assert_eq!(names(&scratch.0).iter().filter(|name| !name.starts_with('.')).count(), 2);
}

/// No process has the number 4294967295. The test's own is alive.
#[test]
fn temporary_files_of_a_killed_writer_go() {
    let scratch = Scratch::new("abandoned");
    let own = std::process::id();
    let abandoned =
        [".a.4294967295.part", ".run.json.4294967295.part", ".probe.4294967295.part", ".x%y.4294967295.part"];
    let other =
        [&format!(".a.{own}.part.old"), ".foreign.4294967295.part", ".a..part", ".a.12x.part", "a.7.part"];
    for name in abandoned.iter().chain(&other) {
        fs::write(scratch.0.join(name), "half").unwrap();
    }
    write(&scratch.0, "p", false, &[file("a", "one"), file("x/y", "two")]).unwrap();
    let mut expected: Vec<_> = other.iter().map(|name| (*name).to_owned()).collect();
    expected.extend(["a", "run.json", "x"].map(str::to_owned));
    expected.sort();
    assert_eq!(scratch.names(), expected);
}

#[test]
fn a_name_in_a_manifest_leads_to_no_other_folder() {
    let scratch = Scratch::new("names");
    let folder = scratch.0.join("out");
    fs::create_dir(&folder).unwrap();
    fs::write(scratch.0.join("mine"), "mine").unwrap();
    let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 0 };
    let theirs = Manifest { files: ["../mine", "..", "", "/mine"].map(entry).to_vec(), ..sample("p") };
    fs::write(folder.join(MANIFEST), theirs.json()).unwrap();
    write(&folder, "p", false, &[file("a", "one")]).unwrap();
    assert_eq!(scratch.names(), ["mine", "out"]);
}

/// A manifest is a text from others: whatever it names, only files with names of results go, and links alone.
#[test]
fn a_manifest_that_names_other_files_removes_none() {
    let scratch = Scratch::new("forged");
    let folder = scratch.0.join("out");
    let absolute = scratch.0.join("thesis.tex").display().to_string();
    let entry = |name: &str| FileEntry { name: name.to_owned(), bytes: 4 };
    let forged =
        ["../thesis.tex", &absolute, "thesis.tex", "thesis.csv", "in/thesis.tex", "in", ".", "in/flows.csv"];
    let results = ["flows.csv", "flows.parquet", "compare.txt", "winner.ron", "results.csv"];
    for force in [false, true] {
        fs::create_dir_all(folder.join("in")).unwrap();
        let mine = ["thesis.tex", "thesis.csv", "in/thesis.tex", "in/flows.csv", "../thesis.tex"];
        for name in mine.into_iter().chain(results) {
            fs::write(folder.join(name), "mine").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(&absolute, folder.join("ports.csv")).unwrap();
        let files = forged.into_iter().chain(results).chain(["ports.csv"]).map(entry).collect();
        let plan = if force { "other" } else { "p" };
        fs::write(folder.join(MANIFEST), Manifest { files, ..sample(plan) }.json()).unwrap();
        write(&folder, "p", force, &[file("a", "one")]).unwrap();
        for name in mine {
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "mine", "{name}");
        }
        assert_eq!(names(&folder), ["a", "in", MANIFEST, "thesis.csv", "thesis.tex"]);
    }
}

/// A link in the folder leads elsewhere: nothing there is removed or replaced by way of it.
#[cfg(unix)]
#[test]
fn no_link_in_the_folder_is_followed() {
    let scratch = Scratch::new("links");
    let (folder, mine) = (scratch.0.join("out"), scratch.0.join("mine"));
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("a"), "mine").unwrap();
    write(&folder, "p", false, &[]).unwrap();
    std::os::unix::fs::symlink(&mine, folder.join("in")).unwrap();
    let theirs = Manifest { files: vec![FileEntry { name: "in/a".to_owned(), bytes: 4 }], ..sample("p") };
    fs::write(folder.join(MANIFEST), theirs.json()).unwrap();
    write(&folder, "p", false, &[file("a", "one")]).unwrap();
    assert_eq!(fs::read_to_string(mine.join("a")).unwrap(), "mine", "a former file is not removed there");
    let message = write(&folder, "p", true, &[file("in/a", "two")]).unwrap_err().to_string();
    assert!(message.contains("`in/a` leads out of the folder by a link"), "{message}");
    assert_eq!(fs::read_to_string(mine.join("a")).unwrap(), "mine", "nor replaced");
}

#[test]
fn a_file_that_comes_during_the_run_is_not_replaced() {
    let scratch = Scratch::new("meanwhile");
    let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
    fs::write(scratch.0.join("a"), "mine").unwrap();
    let refused = folder.write(&sample("p"), &[file("a", "one")]).unwrap_err();
    assert!(matches!(refused, OutputError::Foreign { name, .. } if name == "a"));
    drop(folder);
    assert_eq!(scratch.names(), ["a"]);
}

/// Where the lock is lost during the run, nothing is written: another process may be at it.
#[test]
fn a_lock_that_is_lost_during_the_run_is_missed() {
    let scratch = Scratch::new("lost");
    let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
    fs::remove_file(scratch.0.join(LOCK)).unwrap();
    let refused = folder.write(&sample("p"), &[file("a", "one")]).unwrap_err();
    assert!(matches!(refused, OutputError::Busy { lock: LockError::Lost(_), .. }), "{refused}");
    assert_eq!(scratch.names(), [""; 0]);
}

/// A file in the lock's place that is no lock is left alone. A killed process leaves the beginning of a lock.
#[test]
fn a_file_that_is_no_lock_stays() {
    let scratch = Scratch::new("no-lock");
    fs::write(scratch.0.join(LOCK), "mine").unwrap();
    let refused = write(&scratch.0, "p", true, &[file("a", "one")]).unwrap_err();
    assert!(refused.to_string().ends_with("is no lock of this program"), "{refused}");
    assert_eq!(fs::read_to_string(scratch.0.join(LOCK)).unwrap(), "mine");
    for left in ["", "backwater", "backwater lock 0123456789abcdef process 1\n"] {
        fs::write(scratch.0.join(LOCK), left).unwrap();
        write(&scratch.0, "p", false, &[file("a", "one")]).unwrap();
        assert_eq!(scratch.names(), ["a", MANIFEST]);
    }
}

#[test]
fn a_folder_below_a_file_is_refused_and_nothing_changes() {
    let scratch = Scratch::new("refused");
    fs::write(scratch.0.join("file"), "mine").unwrap();
    let message = write(&scratch.0.join("file/out"), "p", false, &[]).unwrap_err().to_string();
    assert!(message.ends_with("/file` is no folder"), "{message}");
    assert_eq!(scratch.names(), ["file"]);
}

#[test]
fn a_failure_before_the_exchange_leaves_nothing_behind() {
    let scratch = Scratch::new("half-way");
    let folder = ResultFolder::open(&scratch.0, &asked("p"), false).unwrap();
    fs::create_dir(scratch.0.join("b")).unwrap();
    assert!(folder.write(&sample("p"), &[file("a", "one"), file("b", "two")]).is_err());
    drop(folder);
    assert_eq!(scratch.names(), ["b"]);
}

/// Neither in the place of the folder, nor above it, nor for a lock.
#[test]
fn a_file_or_device_is_no_folder_and_is_named() {
    let scratch = Scratch::new("no-folder");
    fs::write(scratch.0.join("mine"), "x").unwrap();
    let mine = scratch.0.join("mine");
    for (asked_for, named) in [
        (mine.clone(), mine.clone()),
        (mine.join("below/it"), mine.clone()),
        (PathBuf::from("/dev/null"), PathBuf::from("/dev/null")),
    ] {
        for force in [false, true] {
            let refused = ResultFolder::open(&asked_for, &asked("p"), force).unwrap_err();
            assert!(matches!(&refused, OutputError::NoFolder(other) if *other == named), "{refused:?}");
        }
        assert!(matches!(wait_for_lock(&asked_for), Err(OutputError::NoFolder(_))));
    }
    let said = OutputError::NoFolder(PathBuf::from("/dev/null")).to_string();
    assert_eq!(said, "results go to a folder, and `/dev/null` is no folder");
    assert_eq!(
        (scratch.names(), fs::read_to_string(&mine).unwrap()),
        (vec!["mine".to_owned()], "x".to_owned())
    );
    check_folder(&scratch.0.join("new/below")).unwrap();
}
