//! Changes files at random and gives them to every reader of imported files. No reader may panic or take long.
//!
//! Invariant: the same seed makes the same files. `cargo run --profile fuzz -p simulators --example fuzz_imports --
//! COUNT [SEED [READER]]`: the profile `fuzz` checks for overflows. With a reader's name, its messages are listed.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the time that a reader takes is measured, and decides no result"
)]

mod change;
mod jobs;
mod outcomes;
mod readers;

use std::env;
use std::panic;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::change::Draws;
use crate::outcomes::{Outcome, Outcomes};
use crate::readers::{Reader, readers};

/// Longest time of a file. Files have a few hundred bytes to a few kilobytes, and take microseconds.
const LONGEST: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let number = |place: usize| words.get(place).map(|word| word.parse::<u64>());
    let (Some(Ok(count)), seed) = (number(0), number(1).unwrap_or(Ok(1)).unwrap_or(1)) else {
        eprintln!("error: the number of files is missing\nhelp: write `fuzz_imports 1000000`");
        return ExitCode::from(2);
    };
    let only = words.get(2);
    for reader in readers().iter().filter(|reader| only.is_none_or(|name| name == reader.name)) {
        let start = Instant::now();
        match run(reader, count, seed) {
            Ok(outcomes) => print(reader.name, &outcomes, start.elapsed(), only.is_some()),
            Err(fault) => {
                eprintln!("error: {}: {fault}", reader.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Gives files to a reader. An error is the fault that a file showed, with the file.
fn run(reader: &Reader, count: u64, seed: u64) -> Result<Outcomes, String> {
    for file in reader.seeds.files() {
        if let Outcome::Refused(message) = (reader.read)(file) {
            return Err(format!("a file to begin with is refused: {message}\n{file}"));
        }
    }
    let (mut outcomes, mut draws, mut bytes) = (Outcomes::default(), Draws(seed), Vec::new());
    for number in 0..count {
        reader.seeds.change(&mut draws, &mut bytes);
        let file = core::str::from_utf8(&bytes).expect("changed files are UTF-8");
        let timed = || {
            let start = Instant::now();
            let outcome = panic::catch_unwind(|| (reader.read)(file));
            let outcome =
                outcome.map_err(|_| format!("file {number} of seed {seed} makes the reader panic:\n{file}"));
            outcome.map(|outcome| (outcome, start.elapsed()))
        };
        let (outcome, mut elapsed) = timed()?;
        if elapsed > LONGEST {
            // Other programs may have held the processor.
            elapsed = elapsed.min(timed()?.1).min(timed()?.1);
        }
        if elapsed > LONGEST {
            return Err(format!("file {number} of seed {seed} takes {elapsed:?}:\n{file}"));
        }
        outcomes.count(outcome, elapsed);
    }
    Ok(outcomes)
}

fn print(name: &str, outcomes: &Outcomes, elapsed: Duration, messages: bool) {
    let Outcomes { accepted, changed, refused, messages: kinds, slowest } = outcomes;
    println!(
        "{name}: {} files, {accepted} accepted, {changed} another experiment, {refused} refused with {} messages, {:.0} s, slowest \
         {slowest:.1?}",
        accepted + changed + refused,
        kinds.len(),
        elapsed.as_secs_f64(),
    );
    for (kind, count) in kinds.iter().filter(|_| messages) {
        println!("  {count:>9}  {kind}");
    }
}
