//! Meetings of real threads: words and mail of many meetings, more members than processors, and a member that panics.
#![cfg(not(loom))]
#![expect(clippy::disallowed_methods, reason = "threads are what these tests are about")]

use std::panic;
use std::thread;

use parallel::{Clock, Meeting, Member};

/// Meetings of each test: few where Miri interprets them.
const MEETINGS: u64 = if cfg!(miri) { 12 } else { 500 };

fn clock() -> Clock {
    Clock::of_machine().expect("this is no page")
}

/// Work of a member that differs from meeting to meeting, so that each member is at times the last.
fn work(number: u64, meeting: u64) {
    let steps = (number * 7 + meeting * 13) % 17;
    for _ in 0..steps * steps {
        core::hint::spin_loop();
    }
}

/// Comes to all meetings, works on, and waits for the others. Comes with a word that only this member has at this
/// meeting. Sends each other member as many pieces of mail as the meeting's number has units.
fn attend(mut member: Member<'_, Vec<[u64; 3]>, 2>, number: u64, members: u64, meetings: u64) {
    let mut mail = Vec::new();
    for meeting in 1..=meetings {
        work(number, meeting);
        for to in (0..members).filter(|to| *to != number) {
            mail.extend((0..meeting % 10).map(|piece| [meeting, number, piece]));
            member.send(to as usize, &mut mail);
            assert!(mail.is_empty());
        }
        member.come([meeting, number * meeting]);
        work(number, meeting + 5);
        let words: Vec<_> = member.wait().collect();
        assert_eq!(words, (0..members).map(|other| [meeting, other * meeting]).collect::<Vec<_>>());
        let mut received = Vec::new();
        member.receive(|mail| received.append(mail));
        let others = (0..members).filter(|other| *other != number);
        let expected = others.flat_map(|other| (0..meeting % 10).map(move |piece| [meeting, other, piece]));
        assert_eq!(received, expected.collect::<Vec<_>>());
    }
}

#[test]
fn words_and_mail_belong_to_their_meeting() {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    for members in [1, 2, 3, processors + 2] {
        let meeting = Meeting::new(clock(), members);
        thread::scope(|scope| {
            for (number, member) in (0..).zip(meeting.members()) {
                scope.spawn(move || attend(member, number, members as u64, MEETINGS));
            }
        });
    }
}

/// The others do not wait for a member that panicked, whether they spin or sleep.
#[test]
fn a_panic_ends_all() {
    for meetings in [0, 1, MEETINGS / 5] {
        let ended = panic::catch_unwind(|| {
            let meeting: Meeting<(), 1> = Meeting::new(clock(), 3);
            thread::scope(|scope| {
                for (number, mut member) in (0..).zip(meeting.members()) {
                    scope.spawn(move || {
                        for _ in 0..meetings {
                            let _ = member.meet([number]);
                        }
                        assert!(number > 0, "the first member fails");
                        let _ = member.meet([number]);
                        unreachable!("a meeting without all members");
                    });
                }
            });
        });
        assert!(ended.is_err());
    }
}
