//! Meetings, and the members that take part in them.
//!
//! Invariant: words and mail of a meeting lie in either of two sets, by the parity of the meeting's number. A member
//! writes to a set again only when all others have come to the meeting in between. They have read the set before they
//! came.

use core::iter;
use std::thread;

use crate::stopwatch::{Clock, Stopwatch};
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering};
use crate::waiting::Waiting;

/// Number of a meeting that never comes: a member that has failed is there.
const FOR_EVER: u64 = u64::MAX;

/// The meetings of a fixed number of members, who tell each other `WORDS` words in each. They also exchange mail of
/// type `T`, such as a list.
///
/// ```
/// use core::mem;
///
/// use parallel::{Clock, Meeting};
///
/// let clock = Clock::of_machine().expect("this is no page");
/// let meeting: Meeting<Vec<&str>, 1> = Meeting::new(clock, 2);
/// let [mut one, mut other] = meeting.members().try_into().ok().expect("two members");
/// std::thread::scope(|scope| {
///     scope.spawn(move || {
///         other.send(0, &mut vec!["hello"]);
///         assert_eq!(other.meet([4]).map(|[word]| word).sum::<u64>(), 7);
///     });
///     assert_eq!(one.meet([3]).map(|[word]| word).sum::<u64>(), 7);
///     one.receive(|mail| assert_eq!(mem::take(mail), ["hello"]));
/// });
/// ```
#[derive(Debug)]
pub struct Meeting<T, const WORDS: usize> {
    clock: Clock,
    places: Box<[Place<WORDS>]>,
    /// Mail by parity of the meeting, receiver and sender.
    boxes: [Box<[Mutex<T>]>; 2],
    waiting: Waiting,
    failed: AtomicBool,
}

/// The place of a member, which it alone writes to. No two are in the same cache line, nor in a pair that is fetched
/// together.
#[derive(Debug)]
#[repr(align(128))]
struct Place<const WORDS: usize> {
    /// Number of the last meeting that the member has come to.
    meeting: AtomicU64,
    /// Words by parity of the meeting.
    words: [[AtomicU64; WORDS]; 2],
}

/// A member of [`Meeting`]s.
///
/// A member that panics lets the others panic at their next meeting, instead of waiting for ever.
#[derive(Debug)]
pub struct Member<'a, T, const WORDS: usize> {
    all: &'a Meeting<T, WORDS>,
    number: usize,
    /// Number of the last meeting that the member has waited for.
    meeting: u64,
    /// Since the last meeting.
    since: Stopwatch,
    /// Number of meetings before which a member lost its processor.
    lost: u64,
}

impl<T: Default, const WORDS: usize> Meeting<T, WORDS> {
    /// Creates the meetings of this number of members, who wait by the clock.
    #[must_use]
    pub fn new(clock: Clock, members: usize) -> Self {
        let place = || Place {
            meeting: AtomicU64::new(0),
            words: [(); 2].map(|()| [(); WORDS].map(|()| AtomicU64::new(0))),
        };
        let boxes = || iter::repeat_with(|| Mutex::new(T::default())).take(members * members).collect();
        Self {
            clock,
            places: iter::repeat_with(place).take(members).collect(),
            boxes: [boxes(), boxes()],
            waiting: Waiting::new(clock, members),
            failed: AtomicBool::new(false),
        }
    }

    /// Returns the members, by number. Call it once: a member must not exist twice.
    #[must_use]
    pub fn members(&self) -> Vec<Member<'_, T, WORDS>> {
        let since = Stopwatch::start(self.clock);
        let member = |number| Member { all: self, number, meeting: 0, since, lost: 0 };
        (0..self.places.len()).map(member).collect()
    }
}

impl<'a, T, const WORDS: usize> Member<'a, T, WORDS> {
    /// Sends mail, which the receiver gets after the next meeting. At most once to each receiver before a meeting.
    /// Leaves in its place what the receiver left of the mail of two meetings ago: nothing but memory, if it takes
    /// all out.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn send(&self, to: usize, mail: &mut T) {
        let last = self.all.places[self.number].meeting.load(Ordering::Relaxed);
        debug_assert_eq!(last, self.meeting, "mail is sent before a member comes to the meeting");
        let mut place =
            self.mail(self.meeting + 1, self.number, to).lock().expect("no member panics with it");
        core::mem::swap(&mut *place, mail);
    }

    /// Comes to the next meeting with these words, and waits for all others. Returns the words of all, by member.
    ///
    /// # Panics
    /// If another member panicked.
    pub fn meet(
        &mut self,
        words: [u64; WORDS],
    ) -> impl Iterator<Item = [u64; WORDS]> + Clone + use<'a, T, WORDS> {
        self.come(words);
        self.wait()
    }

    /// Comes to the next meeting with these words, once all mail for it is sent. The member has read the words and
    /// the mail of the previous meeting. It may do other work before it [waits](Self::wait) for what others send.
    ///
    /// # Panics
    /// If the member has come already.
    pub fn come(&self, words: [u64; WORDS]) {
        let Self { all, meeting, .. } = self;
        let (meeting, own) = (meeting + 1, &all.places[self.number]);
        assert!(own.meeting.load(Ordering::Relaxed) < meeting, "a member comes once to each meeting");
        for (place, word) in own.words[(meeting % 2) as usize].iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        // Publishes the words and the mail: a member that sees this number sees them as well.
        own.meeting.store(meeting, Ordering::Release);
        all.waiting.wake();
    }

    /// Waits for all others at the meeting that this member has [come](Self::come) to. Returns the words of all, by
    /// member, to be read before the next.
    ///
    /// # Panics
    /// If another member panicked, or if this member has not come.
    pub fn wait(&mut self) -> impl Iterator<Item = [u64; WORDS]> + Clone + use<'a, T, WORDS> {
        let all = self.all;
        let meeting = self.meeting + 1;
        let parity = (meeting % 2) as usize;
        let own = &all.places[self.number];
        assert!(own.meeting.load(Ordering::Relaxed) >= meeting, "a member comes before it waits");
        let is_there = |place: &Place<WORDS>| place.meeting.load(Ordering::Acquire) >= meeting;
        let wait_for = |place| all.waiting.until(|| is_there(place));
        let lost = all.places.iter().filter(|place| wait_for(place).is_loss(|| self.since.elapsed())).count();
        self.lost += u64::from(lost > 0);
        self.since = Stopwatch::start(all.clock);
        // A member that panicked counts as present at all meetings, so the wait ends without it.
        assert!(!all.failed.load(Ordering::Relaxed), "another thread of this run panicked");
        self.meeting = meeting;
        all.places
            .iter()
            .map(move |place| place.words[parity].each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Returns the number of meetings so far, and the number of meetings before which a member lost its processor.
    /// The latter is as far as this member knows. It yielded its own processor to another thread, or slept and waited
    /// for longer than it had worked.
    #[must_use]
    pub const fn meetings(&self) -> [u64; 2] {
        [self.meeting, self.lost]
    }

    /// Shows the mail that others sent to this member before the last meeting to `see`, sender by sender. `see` takes
    /// it out before the member comes to the next. Mail that nobody has sent is as a sender left it, or the default.
    pub fn receive(&self, mut see: impl FnMut(&mut T)) {
        for from in (0..self.all.places.len()).filter(|from| *from != self.number) {
            let mut mail =
                self.mail(self.meeting, from, self.number).lock().expect("no member panics with it");
            see(&mut mail);
        }
    }

    fn mail(&self, meeting: u64, from: usize, to: usize) -> &'a Mutex<T> {
        &self.all.boxes[(meeting % 2) as usize][to * self.all.places.len() + from]
    }
}

impl<T, const WORDS: usize> Drop for Member<'_, T, WORDS> {
    fn drop(&mut self) {
        // Otherwise the other members would wait for ever.
        if thread::panicking() {
            self.all.failed.store(true, Ordering::Relaxed);
            self.all.places[self.number].meeting.store(FOR_EVER, Ordering::Release);
            self.all.waiting.wake();
        }
    }
}
