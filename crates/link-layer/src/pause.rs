//! Priority flow control (IEEE 802.1Qbb, now 802.1Q clause 36): PAUSE and RESUME, per priority, which is a lane here.
//!
//! Invariant: a receiver that has asked for a pause asks again until it has room, and never after. It takes in what it
//! has room for, under its threshold or in its headroom, and drops the rest; it counts both.
//!
//! ```text
//! what comes in    own + length <= limit                  own rises: memory of its own, or shared
//!                  headroom + length <= its headroom      headroom rises
//!                  else                                   dropped
//! asks to pause    something is in its headroom, or own >= limit     (XOFF: PAUSE with the longest wait)
//! lets go on       headroom is empty, and own + resume offset <= limit, or nothing is held     (XON: a wait of 0)
//! ```
//!
//! The limit is constant where a lane has memory of its own; else [`Pool`](crate::pool::Pool) says what it is now.
//! Without PFC a receiver has no headroom, asks for nothing, and drops what does not fit.

use packet::{ByLane, Lane};
use units::{Bytes, Span, Time};

use crate::credits::Signal;

/// Length of a PAUSE frame: the shortest that Ethernet knows, with preamble and gap (IEEE 802.1Q 36, 802.3 31B).
pub const PAUSE_FRAME: Bytes = Bytes::new(64 + 20);

/// What PAUSE says on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRule {
    /// Whether the receiver asks at all; if not, it just drops.
    pub asks: bool,
    /// For how long a PAUSE asks, in quanta.
    pub quanta: u16,
    /// How long a quantum is on this link.
    pub quantum: Span,
    /// How long after a PAUSE another one follows, if there is still no room.
    pub refresh: Span,
    /// From a PAUSE's last byte on this wire until the far end starts no further packet.
    pub hearing: Span,
    /// Room that has to come free before RESUME, in bytes.
    pub resume_offset: u32,
}

/// The sender's half: whether it has been asked to pause.
#[derive(Clone, Copy, Debug, Default)]
struct Gate {
    /// Until when, if it is paused.
    until: Option<Time>,
    since: Time,
    paused: Span,
    heard: u32,
}

/// The receiver's half: what it holds, and whether it has asked for a pause.
#[derive(Clone, Copy, Debug, Default)]
struct Intake {
    own: u32,
    headroom: u32,
    /// The limit, where it is constant.
    limit: u32,
    /// All of its headroom.
    headroom_size: u32,
    /// When it asks again, if it has asked.
    refresh_at: Option<Time>,
    asked: u32,
    dropped: u32,
    most_headroom: u32,
    /// What came nearest to its limit, and the limit then.
    nearest: (u32, u32),
    level: Level,
    crossings: u32,
    near_misses: u32,
    first: Option<Time>,
}

/// Where what a lane holds under its threshold stands, as long as it has not asked for a pause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Level {
    /// At most 90 % of the limit.
    #[default]
    Below,
    /// More.
    Near,
    /// More still, after a pause was asked for.
    After,
}

/// Both halves of a lane.
#[derive(Clone, Copy, Debug)]
struct PauseLane {
    gate: Gate,
    intake: Intake,
    alarm: Time,
}

/// What a lane's pauses came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseTally {
    /// PAUSE frames sent, those that ask again included.
    pub sent: u64,
    /// PAUSE frames that took effect here.
    pub heard: u64,
    /// How long it was asked to pause.
    pub paused: Span,
    /// Packets dropped on coming in.
    pub dropped: u64,
    /// What it held under its threshold, when that was nearest to it.
    pub nearest: Bytes,
    /// The threshold then: of shared memory it changes. If nothing ever came in, the most that it can be.
    pub limit: Bytes,
    /// How it came to ask for pauses; none where it asks for none.
    pub crossings: Option<Crossings>,
    /// The most that was in its headroom.
    pub most_headroom: Bytes,
    /// Its headroom.
    pub headroom: Bytes,
}

/// How what a lane held came to its threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// How often it came to ask for a pause; asking again is none.
    pub crossings: u32,
    /// How often it held more than 90 % of the threshold, and then no longer, without having asked. The 90 % are ours.
    pub near_misses: u32,
    /// When it asked for the first time.
    pub first: Option<Time>,
}

/// What a lane may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMemory {
    /// Where it asks for a pause; of shared memory the most that this can be.
    pub limit: u32,
    /// What it may take in beyond that.
    pub headroom: u32,
}

/// What a lane holds under its threshold, before and after a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// In bytes.
    pub before: u32,
    /// In bytes.
    pub after: u32,
}

/// The flow control of a port under PFC, or without any.
#[derive(Clone, Debug)]
pub struct Pauses {
    lanes: ByLane<PauseLane>,
    rule: PauseRule,
}

impl Pauses {
    /// At rest.
    #[must_use]
    pub fn new(rule: PauseRule, memory: &[LaneMemory]) -> Self {
        let lane = |memory: &LaneMemory| PauseLane {
            gate: Gate::default(),
            intake: Intake { limit: memory.limit, headroom_size: memory.headroom, ..Intake::default() },
            alarm: Time::NEVER,
        };
        Self { lanes: memory.iter().map(lane).collect(), rule }
    }

    /// What is said on this link.
    #[must_use]
    pub const fn rule(&self) -> &PauseRule {
        &self.rule
    }

    /// Whether a lane may start a packet.
    #[must_use]
    pub fn admits(&self, lane: Lane) -> bool {
        self.lanes[lane].gate.until.is_none()
    }

    /// A packet of so many bytes has come in on a lane, which may hold `limit` (its own if none is named): what it
    /// holds now and did before; none if there is no room for it.
    pub fn take(&mut self, lane: Lane, bytes: u32, limit: Option<u32>) -> Option<Change> {
        let intake = &mut self.lanes[lane].intake;
        let (before, limit) = (intake.own, limit.unwrap_or(intake.limit));
        if intake.own + bytes <= limit {
            intake.own += bytes;
            intake.heed(limit);
        } else if intake.headroom + bytes <= intake.headroom_size {
            intake.headroom += bytes;
            intake.most_headroom = intake.most_headroom.max(intake.headroom);
        } else {
            intake.dropped += 1;
            return None;
        }
        Some(Change { before, after: intake.own })
    }

    /// A packet of so many bytes has left a lane: its headroom empties first.
    ///
    /// # Panics
    /// If more leaves than was there.
    pub fn let_go(&mut self, lane: Lane, bytes: u32) -> Change {
        let intake = &mut self.lanes[lane].intake;
        let before = intake.own;
        let of_headroom = bytes.min(intake.headroom);
        intake.headroom -= of_headroom;
        intake.own -= bytes - of_headroom;
        Change { before, after: intake.own }
    }

    /// What is to be said to the far end now that a lane may hold `limit` (its own if none is named).
    pub fn reconsider(&mut self, lane: Lane, limit: Option<u32>, now: Time) -> Option<Signal> {
        if !self.rule.asks {
            return None;
        }
        let (rule, intake) = (self.rule, &mut self.lanes[lane].intake);
        let limit = limit.unwrap_or(intake.limit);
        if intake.refresh_at.is_some() {
            let empty = intake.own == 0;
            let has_room = intake.headroom == 0 && (empty || intake.own + rule.resume_offset <= limit);
            return has_room.then(|| {
                intake.refresh_at = None;
                intake.level = if intake.is_near(limit) { Level::After } else { Level::Below };
                Signal::Pause { lane, quanta: 0 }
            });
        }
        let is_full = intake.headroom > 0 || (intake.own > 0 && intake.own >= limit);
        if !is_full {
            intake.settle(limit);
            return None;
        }
        intake.crossings += 1;
        intake.first.get_or_insert(now);
        Some(intake.ask(lane, &rule, now))
    }

    /// The far end asks for a pause of so many quanta, or with 0 to go on.
    pub fn heard(&mut self, lane: Lane, quanta: u16, now: Time) {
        let (quantum, gate) = (self.rule.quantum, &mut self.lanes[lane].gate);
        if quanta == 0 {
            gate.open(now);
            return;
        }
        if gate.until.is_none() {
            gate.since = now;
        }
        gate.until = Some(now + quantum * u64::from(quanta));
        gate.heard += 1;
    }

    /// When something is due on a lane: a pause runs out here, or has to be asked for again.
    #[must_use]
    pub fn deadline(&self, lane: Lane) -> Time {
        let PauseLane { gate, intake, .. } = &self.lanes[lane];
        let until = gate.until.unwrap_or(Time::NEVER);
        until.min(intake.refresh_at.unwrap_or(Time::NEVER))
    }

    /// What is due now: what is to be said, and whether the lane may go on since its pause has run out.
    pub fn on_deadline(&mut self, lane: Lane, now: Time) -> (Option<Signal>, bool) {
        let rule = self.rule;
        let PauseLane { gate, intake, .. } = &mut self.lanes[lane];
        let opens = gate.until.is_some_and(|until| until <= now);
        if opens {
            gate.open(now);
        }
        let asks_again = intake.refresh_at.is_some_and(|refresh| refresh <= now);
        (asks_again.then(|| intake.ask(lane, &rule, now)), opens)
    }

    /// When the one alarm that counts is set for.
    #[must_use]
    pub fn alarm(&self, lane: Lane) -> Time {
        self.lanes[lane].alarm
    }

    /// Sets the alarm.
    pub fn set_alarm(&mut self, lane: Lane, at: Time) {
        self.lanes[lane].alarm = at;
    }

    /// What a lane holds, in all, in bytes.
    #[must_use]
    pub fn held(&self, lane: Lane) -> u32 {
        let intake = &self.lanes[lane].intake;
        intake.own + intake.headroom
    }

    /// What a lane holds under its threshold, in bytes.
    #[must_use]
    pub fn own(&self, lane: Lane) -> u32 {
        self.lanes[lane].intake.own
    }

    /// What a lane may hold under its threshold, where that is constant, in bytes.
    #[must_use]
    pub fn limit(&self, lane: Lane) -> u32 {
        self.lanes[lane].intake.limit
    }

    /// Whether a lane has asked for a pause, and not yet let go on.
    #[must_use]
    pub fn has_asked(&self, lane: Lane) -> bool {
        self.lanes[lane].intake.refresh_at.is_some()
    }

    /// What a lane's pauses came to.
    #[must_use]
    pub fn tally(&self, lane: Lane, now: Time) -> PauseTally {
        let PauseLane { gate, intake, .. } = &self.lanes[lane];
        let running = gate.until.map_or(Span::ZERO, |until| until.min(now).since(gate.since));
        PauseTally {
            sent: u64::from(intake.asked),
            heard: u64::from(gate.heard),
            paused: gate.paused + running,
            dropped: u64::from(intake.dropped),
            nearest: Bytes::new(u64::from(intake.nearest.0)),
            limit: Bytes::new(u64::from(if intake.nearest.0 == 0 { intake.limit } else { intake.nearest.1 })),
            crossings: self.rule.asks.then_some(Crossings {
                crossings: intake.crossings,
                near_misses: intake.near_misses,
                first: intake.first,
            }),
            most_headroom: Bytes::new(u64::from(intake.most_headroom)),
            headroom: Bytes::new(u64::from(intake.headroom_size)),
        }
    }

    /// Packets dropped on coming in, on all lanes.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.lanes.iter().map(|lane| u64::from(lane.intake.dropped)).sum()
    }

    /// Whether nothing is held, and neither end is asked to pause.
    #[must_use]
    pub fn at_rest(&self) -> bool {
        self.lanes.iter().all(|PauseLane { gate, intake, .. }| {
            gate.until.is_none() && intake.refresh_at.is_none() && intake.own + intake.headroom == 0
        })
    }
}

impl Gate {
    fn open(&mut self, now: Time) {
        if self.until.take().is_some() {
            self.paused += now.since(self.since);
        }
    }
}

impl Intake {
    /// What it holds has grown under this limit.
    #[inline]
    fn heed(&mut self, limit: u32) {
        let (load, of) = self.nearest;
        if load == 0 || u64::from(self.own) * u64::from(of) > u64::from(load) * u64::from(limit) {
            self.nearest = (self.own, limit);
        }
    }

    #[inline]
    fn is_near(&self, limit: u32) -> bool {
        u64::from(self.own) * 10 > u64::from(limit) * 9
    }

    /// What it holds, or may hold, has changed, and it need not ask.
    #[inline]
    fn settle(&mut self, limit: u32) {
        let is_near = self.is_near(limit);
        if is_near == (self.level != Level::Below) {
            return;
        }
        self.near_misses += u32::from(self.level == Level::Near);
        self.level = if is_near { Level::Near } else { Level::Below };
    }

    fn ask(&mut self, lane: Lane, rule: &PauseRule, now: Time) -> Signal {
        self.refresh_at = Some(now + rule.refresh);
        self.asked += 1;
        Signal::Pause { lane, quanta: rule.quanta }
    }
}
