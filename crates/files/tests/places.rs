//! Files at places that the command line names, folders that carry a manifest, and workshops.
//!
//! Invariant tested: whatever fails, the former file is there; what is not the program's own is never removed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use files::{
    MadeFolders, NewFile, NewFileError, OwnedFolder, Part, Replacing, Workshop, remove_own, replace_own,
};

/// A folder that is empty at the start of its test.
fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_new_file_gets_to_its_place_whole_or_not_at_all() {
    let folder = scratch("whole");
    let place = folder.join("a/b/new");
    let mut file = NewFile::open(&place, Replacing::Nothing).unwrap();
    file.write_all(b"half").unwrap();
    assert!(!place.exists(), "it is beside its place until it is finished");
    drop(file);
    assert_eq!(names(&folder), [""; 0], "and goes with the folders that were made for it");
    files::write(&place, "whole", Replacing::Nothing).unwrap();
    assert_eq!((read(&place), names(place.parent().unwrap())), ("whole".to_owned(), vec!["new".to_owned()]));
}

#[test]
fn a_file_that_is_there_outlives_a_new_one_that_is_not_finished() {
    let folder = scratch("former");
    let place = folder.join("file");
    fs::write(&place, "former").unwrap();
    assert!(matches!(files::write(&place, "new", Replacing::Nothing), Err(NewFileError::There)));
    let mut file = NewFile::open(&place, Replacing::Anything).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(read(&place), "former");
    drop(file);
    assert_eq!((read(&place), names(&folder)), ("former".to_owned(), vec!["file".to_owned()]));
    files::write(&place, "new", Replacing::Anything).unwrap();
    assert_eq!((read(&place), names(&folder)), ("new".to_owned(), vec!["file".to_owned()]));
}

/// Another process writes the file between the beginning and the end.
#[test]
fn a_file_that_comes_meanwhile_is_not_replaced() {
    let folder = scratch("meanwhile");
    let place = folder.join("file");
    let mut file = NewFile::open(&place, Replacing::Nothing).unwrap();
    file.write_all(b"new").unwrap();
    fs::write(&place, "theirs").unwrap();
    assert!(matches!(file.finish(), Err(NewFileError::There)));
    assert_eq!((read(&place), names(&folder)), ("theirs".to_owned(), vec!["file".to_owned()]));
}

#[test]
fn folders_and_names_that_are_none_are_refused() {
    let folder = scratch("refused");
    for place in [folder.clone(), folder.join(".."), PathBuf::from("/"), folder.join("a/..")] {
        for replacing in [Replacing::Nothing, Replacing::Anything] {
            assert!(
                matches!(files::write(&place, "", replacing), Err(NewFileError::Refused(_))),
                "{place:?}"
            );
        }
    }
    assert_eq!(names(&folder), [""; 0]);
}

#[cfg(unix)]
#[test]
fn the_permissions_and_the_links_of_a_replaced_file_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = scratch("links");
    let (file, link) = (folder.join("file"), folder.join("link"));
    fs::write(&file, "former").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file", &link).unwrap();
    files::write(&link, "new", Replacing::Anything).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        (read(&file), fs::metadata(&file).unwrap().permissions().mode() & 0o777),
        ("new".to_owned(), 0o640)
    );
    symlink("nowhere", folder.join("dangling")).unwrap();
    let refused = files::write(&folder.join("dangling"), "new", Replacing::Nothing);
    assert!(matches!(refused, Err(NewFileError::There)), "a link that leads nowhere is something, too");
}

/// A pipe is written to, with or without force, and stays a pipe.
#[cfg(target_os = "linux")]
#[test]
fn streams_are_written_to_and_never_removed() {
    use std::os::unix::fs::FileTypeExt;
    let folder = scratch("streams");
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for replacing in [Replacing::Nothing, Replacing::Anything] {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        files::write(&pipe, "through", replacing).unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    }
    for replacing in [Replacing::Nothing, Replacing::Anything] {
        files::write(Path::new("/dev/null"), "gone", replacing).unwrap();
        let full = files::write(Path::new("/dev/full"), "too much", replacing);
        assert!(matches!(full, Err(NewFileError::Refused(_))));
        assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    }
}

#[test]
fn a_part_goes_unless_it_gets_to_its_place() {
    let folder = scratch("part");
    fs::write(folder.join("a"), "former").unwrap();
    drop(Part::write(&folder, "in/deep/b", "two").unwrap());
    assert_eq!(names(&folder), ["a"]);
    let parts = [Part::write(&folder, "a", "one").unwrap(), Part::write(&folder, "in/b", "two").unwrap()];
    assert_eq!(read(&folder.join("a")), "former");
    parts.into_iter().for_each(|part| part.place().unwrap());
    assert_eq!((read(&folder.join("a")), read(&folder.join("in/b"))), ("one".to_owned(), "two".to_owned()));
    assert_eq!(
        (names(&folder), names(&folder.join("in"))),
        (vec!["a".into(), "in".into()], vec!["b".to_owned()])
    );
    for name in ["../a", "/a", "", "..", "in/../../a"] {
        assert!(Part::write(&folder, name, "out").is_err(), "{name}");
    }
    assert!(Part::write(&folder, "in", "a folder").is_err());
}

#[test]
fn only_a_folder_with_a_manifest_is_owned() {
    let folder = scratch("owned");
    let is_manifest = |text: &str| text == "manifest";
    let owned = |path| OwnedFolder::proven(path, "run.json", is_manifest);
    assert!(owned(&folder).is_none());
    fs::write(folder.join("run.json"), "other").unwrap();
    assert!(owned(&folder).is_none());
    fs::write(folder.join("run.json"), "manifest").unwrap();
    fs::write(folder.join("a"), "").unwrap();
    fs::create_dir_all(folder.join("in/deep")).unwrap();
    fs::write(folder.join("in/deep/b"), "").unwrap();
    let mine = folder.with_file_name("owned-mine");
    fs::write(&mine, "mine").unwrap();
    let proven = owned(&folder).unwrap();
    for name in ["../owned-mine", "a", "in/deep/b", "gone"] {
        proven.remove(name).unwrap();
    }
    assert_eq!((names(&folder), read(&mine)), (vec!["run.json".to_owned()], "mine".to_owned()));
    assert!(owned(&mine).is_none(), "a file is no folder");
    proven.discard().unwrap();
    assert!(!folder.exists() && mine.exists());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_goes_alone() {
    let folder = scratch("linked");
    let (real, link) = (folder.join("real"), folder.join("link"));
    fs::create_dir(&real).unwrap();
    fs::write(real.join("run.json"), "").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    OwnedFolder::proven(&link, "run.json", |_| true).unwrap().discard().unwrap();
    assert_eq!((names(&folder), names(&real)), (vec!["real".to_owned()], vec!["run.json".to_owned()]));
}

#[test]
fn a_workshop_replaces_owned_folders_and_gives_back_what_is_yours() {
    let home = scratch("workshop").join("runs");
    let workshop = Workshop::open(&home).unwrap();
    let make = |text: &'static str| workshop.make([("run.json", text.as_bytes()), ("in/a", b"")]).unwrap();
    let place = home.join("unit");
    workshop.place(&make("one"), &place).unwrap();
    fs::write(place.join("notes"), "mine").unwrap();
    let second = make("two");
    assert_eq!(workshop.place(&second, &place).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    let owned = OwnedFolder::proven(&place, "run.json", |text| text == "one").unwrap();
    let gone = workshop.take_away(owned).unwrap().unwrap();
    workshop.place(&second, &place).unwrap();
    workshop.sync_soon(second).unwrap();
    workshop.sync().unwrap();
    Workshop::give_back(&gone, &place, |name| ["run.json", "in"].contains(&name)).unwrap();
    drop(workshop);
    assert_eq!(names(&home), ["unit"], "the workshop goes with what was taken away");
    assert_eq!(
        (names(&place), read(&place.join("run.json"))),
        (vec!["in".into(), "notes".into(), "run.json".to_owned()], "two".to_owned())
    );
}

#[test]
fn made_folders_go_unless_they_are_kept() {
    let folder = scratch("made");
    drop(MadeFolders::down_to(&folder.join("a/b")).unwrap());
    assert_eq!(names(&folder), [""; 0]);
    let made = MadeFolders::down_to(&folder.join("a/b")).unwrap();
    fs::write(folder.join("a/mine"), "").unwrap();
    drop(made);
    assert_eq!(names(&folder.join("a")), ["mine"], "what was written into meanwhile stays");
    MadeFolders::of_file(&folder.join("c/file")).unwrap().keep();
    assert!(folder.join("c").is_dir());
    fs::write(folder.join("file"), "").unwrap();
    assert!(MadeFolders::down_to(&folder.join("file/d/e")).is_err());
}

#[test]
fn own_files_alone_are_replaced_and_removed() {
    let folder = scratch("own");
    let (file, other) = (folder.join("state"), folder.join("state.writing"));
    let is_own = |path: &Path| read(path).starts_with("state");
    replace_own(&file, &other, b"state 1", is_own).unwrap();
    replace_own(&file, &other, b"state 2", is_own).unwrap();
    assert_eq!((names(&folder), read(&file)), (vec!["state".to_owned()], "state 2".to_owned()));
    fs::write(&other, "mine").unwrap();
    assert!(replace_own(&file, &other, b"state 3", is_own).is_err());
    assert_eq!((read(&file), read(&other)), ("state 2".to_owned(), "mine".to_owned()));
    remove_own(&other, is_own).unwrap();
    remove_own(&file, is_own).unwrap();
    remove_own(&file, is_own).unwrap();
    assert_eq!(names(&folder), ["state.writing"]);
}
