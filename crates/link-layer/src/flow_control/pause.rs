//! Priority flow control (IEEE 802.1Qbb, now 802.1Q clause 36): PAUSE and RESUME per priority, which is a lane here.
//!
//! Invariant: a receiver that has requested a pause repeats the request until it has room, and never after. It admits
//! the packets that fit under its threshold or into its headroom, drops all others, and counts both.
//!
//! ```text
//! packet arrives   load + length <= limit                  load rises: own memory, or shared
//!                  headroom + length <= headroom size      headroom rises
//!                  otherwise                               dropped
//! PAUSE (XOFF)     headroom is occupied, or load >= limit
//! RESUME (XON)     headroom is empty, and load + resume offset <= limit, or nothing is held
//! ```
//!
//! The limit is constant if a lane has memory of its own; otherwise [`MemoryPool`](crate::memory::MemoryPool) yields
//! the present limit. A receiver without flow control has no headroom, requests no pause, and drops every packet that
//! does not fit.

use packet::Lane;
use units::{Bytes, Span, Time};

use super::lasting::LastingUse;
use super::signal::Signal;

/// Length of a PAUSE frame: the shortest frame of Ethernet, with preamble and gap (IEEE 802.1Q 36, 802.3 31B).
pub const PAUSE_FRAME: Bytes = Bytes::new(64 + 20);

/// Parameters of pauses on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRule {
    /// Duration that a PAUSE requests, in quanta.
    pub quanta: u16,
    /// Duration of a quantum on this link.
    pub quantum: Span,
    /// Time after a PAUSE at which another follows if there is still no room.
    pub refresh: Span,
    /// Delay from the last byte of a PAUSE on this wire until the far end starts no further packet.
    pub effect_delay: Span,
    /// Bytes below the threshold that must be free before RESUME.
    pub resume_offset: u32,
}

/// Memory of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMemory {
    /// Threshold at which the receiver requests a pause, in bytes; of shared memory, the highest it can be.
    pub limit: u32,
    /// Bytes that the receiver admits beyond the threshold.
    pub headroom: u32,
    /// True under PFC; false for a lane without flow control, where the receiver requests no pause.
    pub pauses: bool,
}

/// Flow control of a port and lane under PFC, or without flow control: its sender and its receiver.
#[derive(Clone, Copy, Debug)]
pub struct PauseLane {
    gate: PauseGate,
    intake: PauseIntake,
    timer: Time,
}

state_codec::state!(PauseLane { gate, intake: part, timer });

/// The sender: paused or not.
#[derive(Clone, Copy, Debug, Default)]
struct PauseGate {
    /// End of the present pause.
    until: Option<Time>,
    since: Time,
    paused: Span,
    received: u32,
}

state_codec::value!(PauseGate { until, since, paused, received });

/// The receiver: its load, and the pause that it has requested.
#[derive(Clone, Copy, Debug, Default)]
struct PauseIntake {
    /// Bytes held under the threshold.
    load: u32,
    /// Bytes held in the headroom.
    headroom: u32,
    /// Threshold if it is constant, else the highest that it can be.
    limit: u32,
    headroom_size: u32,
    /// Time of the next PAUSE, while a pause is requested.
    refresh_at: Option<Time>,
    sent: u32,
    dropped: u32,
    most_headroom: u32,
    /// Load that came nearest to its threshold, and that threshold.
    nearest: (u32, u32),
    nearness: Nearness,
    /// True under PFC.
    pauses: bool,
    crossings: u32,
    near_misses: u32,
    first: Option<Time>,
}

state_codec::state!(PauseIntake {
    load,
    headroom,
    limit: plan,
    headroom_size: plan,
    refresh_at,
    sent,
    dropped,
    most_headroom,
    nearest,
    nearness,
    pauses: plan,
    crossings,
    near_misses,
    first,
});

/// The load's distance from the threshold while no pause is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Nearness {
    /// At most 90 % of the limit.
    #[default]
    Below,
    /// Above 90 %.
    Near,
    /// Above 90 %, after a pause had been requested.
    NearAfterPause,
}

state_codec::value!(enum Nearness { 0 = Below, 1 = Near, 2 = NearAfterPause });

/// Statistics of a lane's pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseTally {
    /// PAUSE frames sent, repetitions included.
    pub sent: u64,
    /// PAUSE frames that took effect here.
    pub received: u64,
    /// Total time for which this end was paused.
    pub paused: Span,
    /// Packets dropped on arrival.
    pub dropped: u64,
    /// Load under the threshold when it came nearest to the threshold.
    pub nearest: Bytes,
    /// The threshold at that time, since the threshold of shared memory changes; the highest threshold if no packet has
    /// arrived.
    pub limit: Bytes,
    /// Crossings of the threshold; `None` without PFC.
    pub crossings: Option<PauseCrossings>,
    /// Highest load of the headroom.
    pub most_headroom: Bytes,
    /// Size of the headroom.
    pub headroom: Bytes,
}

state_codec::value!(PauseTally {
    sent,
    received,
    paused,
    dropped,
    nearest,
    limit,
    crossings,
    most_headroom,
    headroom,
});

/// Approaches of a lane's load to its threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseCrossings {
    /// Pauses requested, without repetitions.
    pub crossings: u32,
    /// Times that the load rose above 90 % of the threshold and fell again without a pause. The 90 % are ours.
    pub near_misses: u32,
    /// Time of the first request.
    pub first: Option<Time>,
}

state_codec::value!(PauseCrossings { crossings, near_misses, first });

/// Load of a lane under its threshold before and after a packet, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadChange {
    /// Load before.
    pub before: u32,
    /// Load after.
    pub after: u32,
}

impl PauseLane {
    /// A lane at rest with this memory.
    #[must_use]
    pub fn new(memory: LaneMemory) -> Self {
        let LaneMemory { limit, headroom, pauses } = memory;
        let intake = PauseIntake { limit, headroom_size: headroom, pauses, ..PauseIntake::default() };
        Self { gate: PauseGate::default(), intake, timer: Time::NEVER }
    }

    // The sender.

    /// Returns true if a packet may start: no pause is in effect.
    #[inline]
    #[must_use]
    pub const fn may_start(&self) -> bool {
        self.gate.until.is_none()
    }

    /// Handles a PAUSE of `quanta`, or a RESUME if they are 0.
    pub fn on_pause(&mut self, quanta: u16, rule: &PauseRule, now: Time) {
        let gate = &mut self.gate;
        if quanta == 0 {
            gate.open(now);
            return;
        }
        // A repetition extends the pause, which is counted from its first PAUSE.
        if gate.until.is_none() {
            gate.since = now;
        }
        gate.until = Some(now + rule.quantum * u64::from(quanta));
        gate.received += 1;
    }

    // The receiver.

    /// Stores a packet of this length under the threshold `limit` (the lane's own if `None`), or in the headroom.
    /// Returns the change of the load, or `None` if the packet is dropped.
    #[inline]
    pub fn admit(&mut self, bytes: u32, limit: Option<u32>) -> Option<LoadChange> {
        let intake = &mut self.intake;
        let (before, limit) = (intake.load, limit.unwrap_or(intake.limit));
        if intake.load + bytes <= limit {
            intake.load += bytes;
            intake.note_nearest(limit);
        } else if intake.headroom + bytes <= intake.headroom_size {
            intake.headroom += bytes;
            intake.most_headroom = intake.most_headroom.max(intake.headroom);
        } else {
            intake.dropped += 1;
            return None;
        }
        Some(LoadChange { before, after: intake.load })
    }

    /// Releases a packet of this length, from the headroom first. Returns the change of the load.
    ///
    /// # Panics
    /// If more bytes are released than are held.
    #[inline]
    pub fn release(&mut self, bytes: u32) -> LoadChange {
        let intake = &mut self.intake;
        let before = intake.load;
        let of_headroom = bytes.min(intake.headroom);
        intake.headroom -= of_headroom;
        intake.load -= bytes - of_headroom;
        LoadChange { before, after: intake.load }
    }

    /// Compares the load with the threshold `limit` (the lane's own if `None`) after either has changed. Returns the
    /// PAUSE or RESUME that is then due on `lane`.
    #[inline]
    pub fn update_pause(
        &mut self,
        lane: Lane,
        rule: &PauseRule,
        limit: Option<u32>,
        now: Time,
    ) -> Option<Signal> {
        let intake = &mut self.intake;
        if !intake.pauses {
            return None;
        }
        let limit = limit.unwrap_or(intake.limit);
        if intake.refresh_at.is_some() {
            return intake.end_pause(lane, rule, limit);
        }
        // With nothing held, no release of this lane would follow to end the pause.
        let is_full = intake.headroom > 0 || (intake.load > 0 && intake.load >= limit);
        if is_full {
            return Some(intake.begin_pause(lane, rule, now));
        }
        intake.update_nearness(limit);
        None
    }

    /// Returns true from a PAUSE to the RESUME that ends it.
    #[inline]
    #[must_use]
    pub const fn requests_pause(&self) -> bool {
        self.intake.refresh_at.is_some()
    }

    /// Returns true if the pause that is requested can never end. The bytes in `lasting` stay, and the threshold is at
    /// most `limit` with this load.
    #[must_use]
    pub fn pauses_for_ever(&self, rule: &PauseRule, lasting: LastingUse, limit: u32) -> bool {
        // Any release empties the headroom first. So it stays occupied only if all bytes stay, and no packet comes in
        // to replace them.
        let headroom_stays = lasting.closed && lasting.bytes == self.held() && self.intake.headroom > 0;
        let load_stays =
            lasting.bytes > 0 && u64::from(lasting.bytes) + u64::from(rule.resume_offset) > u64::from(limit);
        self.requests_pause() && (headroom_stays || load_stays)
    }

    /// Returns the bytes held, in the headroom too.
    #[inline]
    #[must_use]
    pub const fn held(&self) -> u32 {
        self.intake.load + self.intake.headroom
    }

    /// Returns the bytes held under the threshold.
    #[inline]
    #[must_use]
    pub const fn load(&self) -> u32 {
        self.intake.load
    }

    /// Returns the threshold in bytes if it is constant, else the highest that it can be.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.intake.limit
    }

    /// Returns the packets dropped on arrival.
    #[must_use]
    pub const fn dropped(&self) -> u32 {
        self.intake.dropped
    }

    // Both.

    /// Returns the time at which a pause ends here, or a PAUSE must be repeated.
    #[inline]
    #[must_use]
    pub fn deadline(&self) -> Time {
        let until = self.gate.until.unwrap_or(Time::NEVER);
        until.min(self.intake.refresh_at.unwrap_or(Time::NEVER))
    }

    /// Handles the deadlines of `lane` that have come. Returns the PAUSE to repeat, and true if this end's pause is
    /// over.
    pub fn on_deadline(&mut self, lane: Lane, rule: &PauseRule, now: Time) -> (Option<Signal>, bool) {
        let Self { gate, intake, .. } = self;
        let opens = gate.until.is_some_and(|until| until <= now);
        if opens {
            gate.open(now);
        }
        let repeats = intake.refresh_at.is_some_and(|refresh| refresh <= now);
        (repeats.then(|| intake.request_pause(lane, rule, now)), opens)
    }

    /// Returns the time of the lane's earliest timer. Any other timer of the lane is stale.
    #[inline]
    #[must_use]
    pub const fn timer(&self) -> Time {
        self.timer
    }

    /// Notes the time of the lane's earliest timer; `NEVER` clears it.
    pub fn set_timer(&mut self, at: Time) {
        self.timer = at;
    }

    /// Returns the statistics up to `now`.
    #[must_use]
    pub fn tally(&self, now: Time) -> PauseTally {
        let Self { gate, intake, .. } = self;
        let running = gate.until.map_or(Span::ZERO, |until| until.min(now).since(gate.since));
        PauseTally {
            sent: u64::from(intake.sent),
            received: u64::from(gate.received),
            paused: gate.paused + running,
            dropped: u64::from(intake.dropped),
            nearest: Bytes::new(u64::from(intake.nearest.0)),
            limit: Bytes::new(u64::from(if intake.nearest.0 == 0 { intake.limit } else { intake.nearest.1 })),
            crossings: intake.pauses.then_some(PauseCrossings {
                crossings: intake.crossings,
                near_misses: intake.near_misses,
                first: intake.first,
            }),
            most_headroom: Bytes::new(u64::from(intake.most_headroom)),
            headroom: Bytes::new(u64::from(intake.headroom_size)),
        }
    }

    /// Returns true if nothing is held and neither end is to pause.
    #[must_use]
    pub const fn at_rest(&self) -> bool {
        self.may_start() && !self.requests_pause() && self.held() == 0
    }
}

impl PauseGate {
    fn open(&mut self, now: Time) {
        if self.until.take().is_some() {
            self.paused += now.since(self.since);
        }
    }
}

impl PauseIntake {
    /// Notes the load, which has grown, if none has come nearer to its threshold.
    #[inline]
    fn note_nearest(&mut self, limit: u32) {
        let (load, of) = self.nearest;
        if load == 0 || u64::from(self.load) * u64::from(of) > u64::from(load) * u64::from(limit) {
            self.nearest = (self.load, limit);
        }
    }

    #[inline]
    fn is_near(&self, limit: u32) -> bool {
        u64::from(self.load) * 10 > u64::from(limit) * 9
    }

    /// Counts a near miss when the load falls away from a threshold that it has not reached.
    #[inline]
    fn update_nearness(&mut self, limit: u32) {
        let is_near = self.is_near(limit);
        if is_near == (self.nearness != Nearness::Below) {
            return;
        }
        self.near_misses += u32::from(self.nearness == Nearness::Near);
        self.nearness = if is_near { Nearness::Near } else { Nearness::Below };
    }

    /// Requests a pause, which is not a repetition.
    #[inline(never)] // Most packets cross no threshold.
    fn begin_pause(&mut self, lane: Lane, rule: &PauseRule, now: Time) -> Signal {
        self.crossings += 1;
        self.first.get_or_insert(now);
        self.request_pause(lane, rule, now)
    }

    /// Ends the pause that is requested, if there is room.
    #[inline(never)] // As above.
    fn end_pause(&mut self, lane: Lane, rule: &PauseRule, limit: u32) -> Option<Signal> {
        let has_room = self.headroom == 0 && (self.load == 0 || self.load + rule.resume_offset <= limit);
        has_room.then(|| {
            self.refresh_at = None;
            // The fall after a pause must not count as a near miss.
            self.nearness = if self.is_near(limit) { Nearness::NearAfterPause } else { Nearness::Below };
            Signal::Pause { lane, quanta: 0 }
        })
    }

    fn request_pause(&mut self, lane: Lane, rule: &PauseRule, now: Time) -> Signal {
        self.refresh_at = Some(now + rule.refresh);
        self.sent += 1;
        Signal::Pause { lane, quanta: rule.quanta }
    }
}
