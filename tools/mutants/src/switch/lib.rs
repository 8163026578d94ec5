//! The process-wide choice of a mutant, compiled into the copy of the workspace and nowhere else.
//!
//! | variable | effect |
//! |---|---|
//! | `MUTANT` | number of the mutant that takes effect; none by default |
//! | `MUTANT_TRACE` | file that gets the number of each mutant that is reached, a line each; none takes effect |
//!
//! The compiler evaluates constants without mutants, hence the choice between the two times of evaluation.
#![feature(const_eval_select, core_intrinsics)]

use std::env;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

const UNREAD: u32 = u32::MAX;
const TRACED: u32 = u32::MAX - 1;
const MOST_MUTANTS: usize = 1 << 14;

static CHOSEN: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; MOST_MUTANTS] = [const { AtomicBool::new(false) }; MOST_MUTANTS];
static TRACE: Mutex<Option<File>> = Mutex::new(None);

/// Returns true if the mutant of this number takes effect.
#[inline(always)]
pub const fn is(number: u32) -> bool {
    core::intrinsics::const_eval_select((number,), is_at_compile_time, is_at_run_time)
}

const fn is_at_compile_time(_: u32) -> bool {
    false
}

#[inline(always)]
fn is_at_run_time(number: u32) -> bool {
    let chosen = CHOSEN.load(Relaxed);
    if chosen < TRACED {
        return chosen == number;
    }
    !REACHED[number as usize].load(Relaxed) && reach(number)
}

#[cold]
fn reach(number: u32) -> bool {
    if CHOSEN.load(Relaxed) == UNREAD {
        let trace = env::var_os("MUTANT_TRACE");
        let chosen = env::var("MUTANT").ok().and_then(|number| number.parse().ok());
        if let Some(path) = &trace {
            let file = OpenOptions::new().create(true).append(true).open(path).expect("the trace can be written");
            *TRACE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        }
        CHOSEN.store(if trace.is_some() { TRACED } else { chosen.unwrap_or(0) }, Relaxed);
        return is_at_run_time(number);
    }
    if !REACHED[number as usize].swap(true, Relaxed) {
        if let Some(file) = TRACE.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            writeln!(file, "{number}").expect("the trace can be written");
        }
    }
    false
}
