//! Every order in which members of a meeting can run, and every value that they can read: `cargo xtask test-parallel`.
#![cfg(loom)]

use loom::sync::Arc;
use loom::thread;
use parallel::{Clock, Handoff, Meeting, Member};

fn clock() -> Clock {
    Clock::of_machine().expect("this is no page")
}

/// Two meetings of two members: each word and each piece of mail is of its meeting, and nobody sleeps for ever.
fn attend(mut member: Member<'_, Vec<(u64, usize)>, 1>, number: usize, meetings: u64) {
    for meeting in 1..=meetings {
        member.send(1 - number, &mut vec![(meeting, number)]);
        member.come([meeting * 10 + number as u64]);
        let words: Vec<_> = member.wait().collect();
        assert_eq!(words, [[meeting * 10], [meeting * 10 + 1]]);
        let mut received = Vec::new();
        member.receive(|mail| received.append(mail));
        assert_eq!(received, [(meeting, 1 - number)]);
    }
}

fn explore(meetings: u64) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let meeting = Arc::new(Meeting::new(clock(), 2));
        let other = {
            let meeting = Arc::clone(&meeting);
            thread::spawn(move || {
                let member = meeting.members().pop().expect("there are two");
                attend(member, 1, meetings);
            })
        };
        let member = meeting.members().swap_remove(0);
        attend(member, 0, meetings);
        other.join().expect("the other member attends all meetings");
    });
}

#[test]
fn one_meeting() {
    explore(1);
}

/// The second meeting writes to the other set, the third to the first set again.
#[test]
fn three_meetings() {
    explore(3);
}

/// Two values go over, and their answers come back; then the place is closed.
#[test]
fn values_are_handed_over_once_and_in_order() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (there, back) = (Arc::new(Handoff::new(clock())), Arc::new(Handoff::new(clock())));
        let other = {
            let (there, back) = (Arc::clone(&there), Arc::clone(&back));
            thread::spawn(move || {
                while let Some(value) = there.take() {
                    back.give(value * 10);
                }
            })
        };
        for value in [1, 2] {
            there.give(value);
            assert_eq!(back.take(), Some(value * 10));
        }
        there.close();
        other.join().expect("the other thread ends once the place is closed");
    });
}

/// The second value waits until the first is taken.
#[test]
fn a_value_waits_for_the_one_before() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let place = Arc::new(Handoff::new(clock()));
        let giver = {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                place.give(1);
                place.give(2);
                place.close();
            })
        };
        assert_eq!([place.take(), place.take(), place.take()], [Some(1), Some(2), None]);
        giver.join().expect("both values are taken");
    });
}
