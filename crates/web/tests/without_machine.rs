//! The module's path on this machine, which is asked for nothing: no clock, thread, file, process, socket or variable.
//!
//! A WebAssembly module has none of these, and panics where the standard library asks for the time. Here functions of the C library by
//! which any code asks, ours or that of other packages, are replaced by functions that note who asked.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![expect(unsafe_code, reason = "functions of the C library are replaced, which no safe code can do")]
#![expect(clippy::disallowed_types, reason = "a test sees that a clock is noted")]

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::mem;
use std::backtrace::Backtrace;
use std::time::Instant;
use std::{fs, thread};

use page::numbers::Numbers;
use web::{Case, Session};

thread_local! {
    static IS_NOTED: Cell<bool> = const { Cell::new(false) };
    static NOTES: Cell<Vec<String>> = const { Cell::new(Vec::new()) };
}

/// Runs the work, and returns what it has asked the machine for on this thread: functions, each with the calls that led there.
fn asked(work: impl FnOnce()) -> Vec<String> {
    IS_NOTED.set(true);
    work();
    IS_NOTED.set(false);
    NOTES.take()
}

/// Notes a call of a function, with the places of our own code and of other packages that led there. Returns the function.
fn noted(name: &CStr) -> *mut c_void {
    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    /// `RTLD_NEXT`: libraries after this program.
    const NEXT: *mut c_void = core::ptr::without_provenance_mut(usize::MAX);
    if IS_NOTED.replace(false) {
        let calls = Backtrace::force_capture().to_string();
        let places =
            calls.lines().map(str::trim).filter(|line| line.starts_with("at ") && !line.contains("/rustc/"));
        // The first is this one, the second the function in place of the C library's.
        let places: Vec<_> = places.skip(2).take(8).collect();
        let mut notes = NOTES.take();
        notes.push(format!("{} {}", name.to_string_lossy(), places.join(" ")));
        NOTES.set(notes);
        IS_NOTED.set(true);
    }
    // SAFETY: `name` ends with a zero.
    let found = unsafe { dlsym(NEXT, name.as_ptr()) };
    assert!(!found.is_null(), "the C library has no {name:?}");
    found
}

/// Replaces functions of the C library. Arguments and results are numbers and pointers, which are handed on as they are.
macro_rules! noting {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name has no zero"),
            };
            // SAFETY: this is the function of this name, which has the type that `man` says.
            let function = unsafe {
                mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>(noted(NAME))
            };
            // SAFETY: the caller keeps the promises of that function.
            unsafe { function($($argument),*) }
        }
    )*};
}

noting! {
    // Clocks.
    clock_gettime(clock: c_int, time: *mut c_void) -> c_int;
    gettimeofday(time: *mut c_void, zone: *mut c_void) -> c_int;
    time(time: *mut c_long) -> c_long;
    nanosleep(time: *const c_void, rest: *mut c_void) -> c_int;
    clock_nanosleep(clock: c_int, flags: c_int, time: *const c_void, rest: *mut c_void) -> c_int;
    // Threads and processors.
    pthread_create(thread: *mut c_void, attributes: *const c_void, start: *mut c_void, argument: *mut c_void) -> c_int;
    sched_yield() -> c_int;
    sched_getaffinity(process: c_int, size: usize, set: *mut c_void) -> c_int;
    // Files and folders. A mode that is not given is not read.
    open(path: *const c_char, flags: c_int, mode: u32) -> c_int;
    open64(path: *const c_char, flags: c_int, mode: u32) -> c_int;
    openat(folder: c_int, path: *const c_char, flags: c_int, mode: u32) -> c_int;
    openat64(folder: c_int, path: *const c_char, flags: c_int, mode: u32) -> c_int;
    opendir(path: *const c_char) -> *mut c_void;
    stat64(path: *const c_char, facts: *mut c_void) -> c_int;
    lstat64(path: *const c_char, facts: *mut c_void) -> c_int;
    statx(folder: c_int, path: *const c_char, flags: c_int, mask: u32, facts: *mut c_void) -> c_int;
    access(path: *const c_char, mode: c_int) -> c_int;
    mkdir(path: *const c_char, mode: u32) -> c_int;
    rename(from: *const c_char, to: *const c_char) -> c_int;
    unlink(path: *const c_char) -> c_int;
    realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char;
    getcwd(path: *mut c_char, size: usize) -> *mut c_char;
    // Processes, sockets, variables.
    fork() -> c_int;
    posix_spawnp(process: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const *mut c_char, variables: *const *mut c_char) -> c_int;
    socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
    getenv(name: *const c_char) -> *mut c_char;
}

/// Returns a case of a shipped scenario.
fn case(name: &str, sets: &[&str]) -> Case {
    let shipped = web::scenarios();
    let text = shipped.iter().find(|one| one.name == name).expect("it ships").text;
    Case {
        name: name.to_owned(),
        text: text.to_owned(),
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        seed: Some(7),
    }
}

/// Runs a case as the page does, with a report of progress after each step, until it is over or has failed. Returns the way it ended,
/// and its message.
fn end_of(case: &Case) -> (&'static str, String) {
    let run = || {
        let mut session = Session::new(case)?;
        let _ = session.graph();
        let mut is_over = false;
        while !is_over {
            is_over = session.advance(session.sample_s() * 7.3)?;
            let _ = session.progress(&mut Numbers::default());
        }
        session.finish(0.5)
    };
    match run() {
        Ok(result) => {
            assert!(result.files.iter().any(|file| file.name == "flows.csv"), "{}", case.name);
            ("results", result.digest)
        }
        Err(end) => (end.how, end.message),
    }
}

/// A test that could not see a call would pass for ever.
#[test]
#[expect(clippy::disallowed_methods, reason = "these calls are to be seen")]
fn each_kind_of_call_is_noted() {
    assert!(asked(|| ()).is_empty());
    for (function, work) in [
        ("clock_gettime", (|| assert!(Instant::now().elapsed().as_secs() < 1000)) as fn()),
        ("pthread_create", || thread::spawn(|| ()).join().expect("it does nothing")),
        ("open64", || drop(fs::read("no such file"))),
        ("statx", || drop(fs::metadata("no such file"))),
        ("opendir", || drop(fs::read_dir("no such folder"))),
        ("getenv", || drop(std::env::var("NO_SUCH_VARIABLE"))),
        ("sched_getaffinity", || drop(thread::available_parallelism())),
    ] {
        let notes = asked(work);
        assert!(
            notes.iter().any(|note| note.starts_with(function) && note.contains("without_machine.rs")),
            "{function}: {notes:#?}"
        );
    }
}

#[test]
fn the_check_of_each_shipped_scenario_asks_for_nothing() {
    let notes = asked(|| {
        for one in web::scenarios() {
            let checked = web::check(&case(one.name, &[]));
            assert!(checked.faults.is_empty() && checked.graph.is_some(), "{}", one.name);
        }
    });
    assert_eq!(notes.first(), None);
}

/// Traffic of all 648 hosts from the start.
const DCS648: &str =
    r#"traffic=[Synthetic(destinations: Permutation, arrivals: Poisson(load: 0.9), size: Fixed("16 KiB"))]"#;

/// Credits and pauses, each kind of congestion control, finite traffic, a fabric that prefetches, and every way to end.
#[test]
fn runs_ask_for_nothing_however_they_end() {
    for (name, sets, end) in [
        ("victim", &["duration=22 ms"][..], "results"),
        (
            "roce-victim",
            &["congestion_control=Dcqcn(preset: Recommended)", "flows[3].start=500 us", "duration=2 ms"],
            "results",
        ),
        ("hp2001-window-only", &["duration=300 us"], "results"),
        ("bench-a32-roce", &["traffic=[Permutation(at: \"3 us\", bytes: \"64 KiB\")]"], "results"),
        ("dcs648", &["duration=60 us", "sample=20 us", DCS648], "results"),
        ("ring", &["routing=MinHop", "dependency_cycles=Allowed"], "deadlock"),
        ("victim", &["link.mtu=3 KiB"], "fault"),
        ("victim", &["topology=HpccFile(\"topology.txt\")"], "fault"),
        ("victim", &["duration=200 s", "sample=1 ms"], "refused"),
    ] {
        let mut ended = None;
        let notes = asked(|| ended = Some(end_of(&case(name, sets))));
        let (how, message) = ended.expect("it has run");
        assert_eq!(how, end, "{name} {sets:?}: {message}");
        assert_eq!(notes.first(), None, "{name} {sets:?}");
    }
}
