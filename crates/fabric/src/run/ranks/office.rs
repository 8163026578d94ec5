//! The meetings of the threads of all ranks.
//!
//! Invariant: one thread of each rank, the first, exchanges messages with other ranks. All mail for other ranks goes
//! through it, as bytes. All threads of all ranks learn the same in a meeting.
//!
//! ```text
//! thread 0   meet own threads    exchange words and mail with other ranks    meet own threads
//! thread 1   meet own threads    .................... wait ..............    meet own threads
//! ```

use core::mem;
use core::ops::Range;
use std::sync::Mutex;
use std::thread;

use parallel::{Clock, Meeting, Member, Ranks, parts_of, rank_of};
use state_codec::{StateReader, StateWriter, Value};
use units::Time;

use crate::run::common_windows::CommonWindows;
use crate::run::threads::{Meetings, NO_WORDS, Signal, WORDS, Words, Work, together};
use crate::run::turns::Turns;
use crate::run::until_done::Counting;
use crate::state::mail::Mailbag;
use crate::state::part::Part;

/// The mail that waits for an exchange.
#[derive(Debug)]
pub(super) struct Office<'a> {
    ranks: &'a dyn Ranks,
    /// Clock by which threads wait.
    clock: Clock,
    /// Number of parts of all ranks.
    parts: usize,
    /// Parts of this rank.
    pub(super) own: Range<usize>,
    /// Mail for other ranks, by rank: the part, and the mail.
    abroad: Vec<Mutex<Vec<u8>>>,
}

/// Windows to be handled.
pub(super) struct AdvanceOrder {
    pub(super) windows: CommonWindows,
    /// End of the last window before, exclusive.
    pub(super) handled: Time,
    /// By part of this rank; empty until the deliveries of finite traffic are counted.
    pub(super) counting: Vec<Counting>,
}

pub(super) struct Advanced {
    /// End of the last window, if any window was handled.
    pub(super) end: Option<Time>,
    pub(super) signal: Signal,
    /// Messages of finite traffic that are missing, if they are counted.
    pub(super) missing: Option<u64>,
}

impl<'a> Office<'a> {
    /// Creates the office of a rank, in a run of `parts` parts.
    pub(super) fn new(ranks: &'a dyn Ranks, parts: usize, clock: Clock) -> Self {
        Self {
            own: parts_of(ranks.rank(), ranks.count(), parts),
            abroad: (0..ranks.count()).map(|_| Mutex::default()).collect(),
            ranks,
            clock,
            parts,
        }
    }

    /// Handles windows, as all other ranks do at the same time. `parts` and `turns` begin with the parts and turns of
    /// this rank. After each window, `look` gets the events that the first part has handled, the end of the window,
    /// and the packet-hops of all parts.
    #[expect(clippy::disallowed_methods, reason = "of several processes, and a page is not one of them")]
    pub(super) fn advance(
        &self,
        (parts, turns): (&mut Vec<Part>, &mut Vec<Turns>),
        order: AdvanceOrder,
        look: impl FnMut(u64, Time, u64) -> Signal,
    ) -> Advanced {
        let AdvanceOrder { windows, handled, counting } = order;
        let own = self.own.len();
        let meeting: Meeting<Mailbag, WORDS> = Meeting::new(self.clock, own);
        let mut members = meeting.members().into_iter();
        let mut counting = counting.into_iter();
        let works = parts.drain(..own).zip(turns.drain(..own));
        let works =
            works.map(|(part, turns)| Work { part, turns, windows, handled, counting: counting.next() });
        let mut works: Vec<_> = works.collect();
        let (first, others) = works.split_first_mut().expect("a rank has a part");
        let member = members.next().expect("a part has a member");
        let mut member =
            OfficeMember { member, office: self, exchange: Some(Exchange::new(self.ranks.count(), own)) };
        let (end, signal) = thread::scope(|scope| {
            for (work, member) in others.iter_mut().zip(members) {
                let mut member = OfficeMember { member, office: self, exchange: None };
                scope.spawn(move || work.run(&mut member, |_, _, _| Signal::None));
            }
            first.run(&mut member, look)
        });
        let missing = first.counting.as_ref().map(|counting| counting.missing);
        let (own_parts, own_turns): (Vec<_>, Vec<_>) =
            works.into_iter().map(|work| (work.part, work.turns)).unzip();
        parts.splice(..0, own_parts);
        turns.splice(..0, own_turns);
        Advanced { end, signal, missing }
    }
}

/// A thread of a rank.
struct OfficeMember<'a> {
    member: Member<'a, Mailbag, WORDS>,
    office: &'a Office<'a>,
    /// Only of the first thread.
    exchange: Option<Exchange>,
}

struct Exchange {
    /// By rank.
    messages: Vec<Vec<u8>>,
    /// Mail that came in, by part of this rank.
    mail: Vec<Mailbag>,
}

impl Meetings for OfficeMember<'_> {
    fn send(&mut self, to: usize, mail: &mut Mailbag) {
        let Office { own, abroad, ranks, parts, .. } = self.office;
        if own.contains(&to) {
            return self.member.send(to - own.start, mail);
        }
        let bag = &abroad[rank_of(to, ranks.count(), *parts)];
        // All threads of this rank append to the same bag, hence the lock. It is never held across a meeting.
        let mut bag = bag.lock().expect("no thread panics with this lock");
        let mut bytes = StateWriter::appending(mem::take(&mut *bag));
        to.put(&mut bytes);
        mail.put(&mut bytes);
        mail.clear();
        *bag = bytes.into_bytes();
    }

    fn come(&mut self, words: Words) {
        self.member.come(words);
    }

    fn wait(&mut self, mut see: impl FnMut(&mut Mailbag)) -> Words {
        // The first thread may exchange mail only when every thread of this rank has written its letters: that is
        // this first meeting.
        let of_rank = together(self.member.wait());
        self.member.receive(&mut see);
        let words = match &mut self.exchange {
            Some(exchange) => exchange.with_ranks(self.office, &self.member, of_rank, &mut see),
            // Only the first thread knows the words of other ranks. The others add nothing, so that all learn the
            // first thread's words below.
            None => NO_WORDS,
        };
        let of_all = together(self.member.meet(words));
        self.member.receive(see);
        of_all
    }
}

impl Exchange {
    fn new(ranks: usize, parts: usize) -> Self {
        Self { messages: vec![Vec::new(); ranks], mail: (0..parts).map(|_| Mailbag::default()).collect() }
    }

    /// Exchanges words and mail with other ranks. Shows the mail for the first part to `see`, and forwards the other
    /// mail through `member`. Returns the words of all ranks together.
    fn with_ranks(
        &mut self,
        office: &Office<'_>,
        member: &Member<'_, Mailbag, WORDS>,
        words: Words,
        see: &mut impl FnMut(&mut Mailbag),
    ) -> Words {
        for (message, bag) in self.messages.iter_mut().zip(&office.abroad) {
            message.clear();
            words.iter().for_each(|word| message.extend(word.to_le_bytes()));
            message.append(&mut bag.lock().expect("no thread panics with this lock"));
        }
        office.ranks.exchange(&mut self.messages);
        let mut all = words;
        // The order of ranks has no effect on results: the event list orders events by time and contents, not by
        // insertion.
        for (rank, message) in self.messages.iter().enumerate() {
            if rank == office.ranks.rank() {
                continue;
            }
            let mut from = StateReader::new(message);
            all = together([all, words_from(&mut from)].into_iter());
            while from.remaining() > 0 {
                let (to, mut mail): (usize, Mailbag) =
                    Value::take(&mut from).expect("ranks are of one build");
                if to == office.own.start {
                    see(&mut mail);
                } else {
                    self.mail[to - office.own.start].append(&mut mail);
                }
            }
        }
        let mail = self.mail.iter_mut().enumerate().filter(|(_, mail)| !mail.is_empty());
        mail.for_each(|(part, mail)| member.send(part, mail));
        all
    }
}

/// Reads the words at the beginning of a message.
fn words_from(from: &mut StateReader<'_>) -> Words {
    [(); WORDS].map(|()| {
        let bytes = from.raw(size_of::<u64>()).expect("a message begins with words");
        u64::from_le_bytes(bytes.try_into().expect("as many bytes as asked for"))
    })
}
