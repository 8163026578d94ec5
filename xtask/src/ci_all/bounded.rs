//! A process that may take some time, and is ended with all that it has started.
//!
//! Invariant: processes are found by who started them, not by their group, so that an interrupt of a terminal reaches them all.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time between two looks at a process.
const LOOK: Duration = Duration::from_millis(50);
/// Time that a process has to end by itself after it is asked to.
const GRACE: Duration = Duration::from_secs(10);

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    InTime(ExitStatus),
    TooLong,
}

/// Runs a command for at most so long.
///
/// # Errors
/// If it cannot be started.
pub(super) fn run(command: &mut Command, at_most: Duration) -> io::Result<Ended> {
    let mut child = command.spawn()?;
    if let Some(status) = wait(&mut child, at_most)? {
        return Ok(Ended::InTime(status));
    }
    // Whoever loses its parent has another one: the list is made before the first ends.
    let all = with_descendants(child.id(), &processes());
    signal("-TERM", &all);
    // The first may end at once and leave others, such as a daemon, to end by themselves.
    let began = Instant::now();
    while began.elapsed() < GRACE && (child.try_wait()?.is_none() || alive(&all)) {
        sleep(LOOK);
    }
    signal("-KILL", &all);
    // Where there are no `ps` and `kill`.
    let _ = child.kill();
    child.wait()?;
    Ok(Ended::TooLong)
}

/// Waits for the end of a process, for at most so long.
fn wait(child: &mut Child, at_most: Duration) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    loop {
        let status = child.try_wait()?;
        if status.is_some() || began.elapsed() >= at_most {
            return Ok(status);
        }
        sleep(LOOK);
    }
}

/// Returns all processes, each with its parent.
fn processes() -> Vec<[u32; 2]> {
    let list = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).stdin(Stdio::null()).output();
    let text = list.map(|list| String::from_utf8_lossy(&list.stdout).into_owned()).unwrap_or_default();
    let pair = |line: &str| {
        let mut numbers = line.split_whitespace().map_while(|word| word.parse().ok());
        Some([numbers.next()?, numbers.next()?])
    };
    text.lines().filter_map(pair).collect()
}

/// Returns a process and all that it and they have started.
fn with_descendants(first: u32, all: &[[u32; 2]]) -> Vec<u32> {
    let mut found = vec![first];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(all.iter().filter(|[_, by]| *by == parent).map(|[process, _]| *process));
        next += 1;
    }
    found
}

fn alive(processes: &[u32]) -> bool {
    signal("-0", &processes[1..])
}

/// Sends a signal to all processes that are still there. Returns true if one is.
fn signal(signal: &str, processes: &[u32]) -> bool {
    let mut is_there = false;
    for process in processes {
        let mut kill = Command::new("kill");
        kill.args([signal, &process.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        is_there |= kill.status().is_ok_and(|status| status.success());
    }
    is_there
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    #[test]
    fn a_process_in_time_has_its_status() {
        let Ended::InTime(status) = run(&mut shell("exit 3"), Duration::from_secs(60)).expect("it starts")
        else {
            panic!("it takes no minute")
        };
        assert_eq!(status.code(), Some(3));
    }

    #[test]
    fn a_process_that_takes_too_long_ends_with_those_that_it_started() {
        // A number of seconds that no other process sleeps for.
        let ended = run(&mut shell("sleep 54321.5 & sleep 54321.5; true"), Duration::from_millis(300));
        assert_eq!(ended.expect("it starts"), Ended::TooLong);
        let list = Command::new("ps").args(["-A", "-o", "args="]).output().expect("there is a ps");
        assert!(!String::from_utf8_lossy(&list.stdout).contains("sleep 54321.5"), "they go on");
    }

    #[test]
    fn descendants_are_found_by_their_parents() {
        let all = [[7, 1], [8, 7], [9, 8], [10, 1], [11, 7]];
        assert_eq!(with_descendants(7, &all), [7, 8, 11, 9]);
    }
}
