//! Waiting for what another process does, which can only be found out by looking.
//!
//! Invariant: however long a wait is, it keeps no processor from others for more than a millisecond. It ends at most
//! a millisecond after the thing is there, if a processor is free.

use core::time::Duration;
use core::{hint, iter};
use std::thread;

use crate::patience::ANOTHER_TURN;
use crate::stopwatch::{Clock, Stopwatch};

/// Looks between two yields. A yield takes as long as some looks.
const LOOKS: u32 = 16;
/// Time of looks without a nap. On processors of their own, processes differ by less in a window.
const AWAKE: Duration = Duration::from_millis(1);
/// Length of the shortest and of the longest nap.
const NAPS: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(1)];

/// Looks for something again and again until it is there. Between looks other threads and processes get turns, at
/// first by a yield. Naps follow once a yield has given another thread a turn, or after a millisecond: the process
/// that is waited for may need this processor.
///
/// Ranks of MPI wait so, with as many processes as processors or more. MPI itself waits by looking all the time: on a
/// machine with other work each window then takes the turns of others.
///
/// ```
/// use parallel::look_until;
///
/// let mut looks = 0;
/// let found = look_until(|| {
///     looks += 1;
///     (looks == 1000).then_some("there")
/// });
/// assert_eq!((found, looks), ("there", 1000));
/// ```
#[expect(clippy::disallowed_methods, reason = "of processes, and there are none in a page")]
pub fn look_until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let clock = Clock::of_machine().expect("a process has a clock");
    let began = Stopwatch::start(clock);
    while began.elapsed() < AWAKE {
        for _ in 0..LOOKS {
            if let Some(found) = look() {
                return found;
            }
            hint::spin_loop();
        }
        let yielded = Stopwatch::start(clock);
        thread::yield_now();
        // A yield that takes this long shows other work: this process should leave the processor to it.
        if yielded.elapsed() > ANOTHER_TURN {
            break;
        }
    }
    for nap in naps() {
        if let Some(found) = look() {
            return found;
        }
        thread::sleep(nap);
    }
    unreachable!("naps have no end")
}

/// Returns the lengths of naps. Each is twice as long as the previous nap, up to the longest, so that a short wait
/// has short naps.
fn naps() -> impl Iterator<Item = Duration> {
    iter::successors(Some(NAPS[0]), |nap| Some((*nap * 2).min(NAPS[1])))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn naps_are_longer_and_longer_up_to_a_millisecond() {
        let micros: Vec<_> = naps().take(8).map(|nap| nap.as_micros()).collect();
        assert_eq!(micros, [50, 100, 200, 400, 800, 1000, 1000, 1000]);
    }

    /// The wait lasts well into the naps, in which looks are rare. A wait that looked all the time would look a
    /// million times.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "another thread takes its time here")]
    fn a_long_wait_finds_what_comes_and_looks_seldom() {
        let (sender, receiver) = mpsc::channel();
        let sleeper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            sender.send(7).expect("the other waits");
        });
        let mut late_looks = 0;
        let began = Stopwatch::start(Clock::of_machine().expect("this is no page"));
        let found = look_until(|| {
            late_looks += u32::from(began.elapsed() > AWAKE * 2);
            receiver.try_recv().ok()
        });
        assert_eq!(found, 7);
        assert!((1..=2000).contains(&late_looks), "{late_looks} looks");
        sleeper.join().expect("the value is received");
    }
}
