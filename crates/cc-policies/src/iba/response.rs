//! Response at the source: an index that BECNs raise and a timer lowers, and a table from the index to a delay
//! between packets.
//!
//! Invariant: the index stays between `CCTI_Min` and `CCTI_Limit`, and its value at an instant does not depend on how
//! often it was read before.
//!
//! The timer is not an event. Its expiries since `anchor` are counted when the state is read, with a single division,
//! and none for a flow at rest. [`TimerStart`] defines `anchor` alone:
//!
//! | | on a BECN at rest | on a BECN above rest |
//! |---|---|---|
//! | `FreeRunning`, `FreeRunningOwnPhase` | the last multiple of the period | stays |
//! | `FirstBecn` | now | stays |
//! | `EachBecn` | now | now |
//!
//! A timer that has run before time zero has an age. Its clock is ahead of the run's by that age, and `anchor` is a
//! time of this clock.

use packet::{ServiceLevel, TransportService};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use units::{Span, Time};

use super::spec::{CctSpec, IbaResponseSpec, PortControl, TimerStart};
use crate::policy::{
    Acknowledgement, ControlState, Notification, NotificationOutcome, Response, StateScope, TrafficKind,
};

/// Unit of `CCTI_Timer`: 1.024 us (`OpenSM`, `ib_types.h`; Linux, `hfi1`: 1024 ns times the value).
pub(crate) const TIMER_UNIT: Span = Span::from_ps(1_024_000);

/// Number of service levels that IBA defines.
const SERVICE_LEVELS: usize = 16;

/// Response of an adapter, shared by all its flows.
///
/// ```
/// use cc_policies::iba::IbaResponse;
/// use cc_policies::iba::spec::{CctSpec, IbaResponseSpec, PortControl, TimerStart};
/// use cc_policies::{Notification, Response};
/// use packet::ServiceLevel;
/// use units::{Span, Time};
///
/// let response = IbaResponse::new(&IbaResponseSpec {
///     port_control: PortControl::QueuePair,
///     cct: CctSpec::Linear { entries: 128, shift: 1, step: 1 },
///     ccti_limit: 127,
///     ccti_increase: 3,
///     ccti_min: 0,
///     ccti_timer: 150,
///     trigger_threshold: 0,
///     timer_start: TimerStart::FreeRunning,
///     service_levels: vec![],
/// });
/// let mut flow = response.at_rest(ServiceLevel(0));
/// response.on_notification(&mut flow, Notification { psn: None, next: 0 }, Time::ZERO);
/// // Entry 3 of this table: half a packet's time, three times.
/// assert_eq!(response.gap(&mut flow, Span::from_ns(1000), Time::ZERO), Span::from_ns(1500));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbaResponse {
    /// The first field, since adapters that differ in the ages of their timers are compared often.
    levels: Box<[LevelSettings; SERVICE_LEVELS]>,
    table: Vec<CctEntry>,
    limit: u16,
    timer_start: TimerStart,
    port_control: PortControl,
}

/// Entry of the congestion control table: two bits and fourteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CctEntry {
    shift: u8,
    multiplier: u16,
}

/// Settings of a service level (IBA `CACongestionEntry`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LevelSettings {
    /// Time for which a free-running timer has run before time zero, less than its period.
    age: Span,
    timer: Span,
    increase: u8,
    min: u8,
    trigger: u8,
}

/// State of a controlled flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IbaState {
    /// An expiry of the timer, or the time of its start, by the timer's clock; without meaning at rest.
    anchor: Time,
    /// Index at `anchor`, plus the increases of later BECNs.
    index: u16,
    service_level: ServiceLevel,
}

state_codec::value!(IbaState { anchor, index, service_level });

const _: () = assert!(size_of::<IbaState>() <= 16, "a controlled flow is two words");

impl CctSpec {
    /// Returns the number of entries.
    #[must_use]
    pub const fn entry_count(&self) -> usize {
        match self {
            Self::Linear { entries, .. } => *entries as usize,
            Self::Entries(entries) => entries.len(),
        }
    }

    fn table(&self) -> Vec<CctEntry> {
        match *self {
            Self::Linear { entries, shift, step } => (0..u32::from(entries))
                .map(|i| i * u32::from(step))
                .map(|multiplier| u16::try_from(multiplier).expect("a checked table"))
                .map(|multiplier| CctEntry { shift, multiplier })
                .collect(),
            Self::Entries(ref all) => {
                all.iter().map(|&(shift, multiplier)| CctEntry { shift, multiplier }).collect()
            }
        }
    }
}

impl IbaResponse {
    /// Returns the response with these settings.
    ///
    /// # Panics
    /// If the settings have not passed [`IbaResponseSpec::check`].
    #[must_use]
    pub fn new(settings: &IbaResponseSpec) -> Self {
        let table = settings.cct.table();
        assert_eq!(table.len(), usize::from(settings.ccti_limit) + 1, "a table that ends at its limit");
        let mut levels = Box::new(
            [LevelSettings {
                age: Span::ZERO,
                timer: TIMER_UNIT * u64::from(settings.ccti_timer),
                increase: settings.ccti_increase,
                min: settings.ccti_min,
                trigger: settings.trigger_threshold,
            }; SERVICE_LEVELS],
        );
        for own in &settings.service_levels {
            levels[usize::from(own.service_level)] = LevelSettings {
                age: Span::ZERO,
                timer: TIMER_UNIT * u64::from(own.ccti_timer),
                increase: own.ccti_increase,
                min: own.ccti_min,
                trigger: own.trigger_threshold,
            };
        }
        assert!(levels.iter().all(|level| level.timer > Span::ZERO), "a timer that takes time");
        Self {
            table,
            limit: settings.ccti_limit,
            timer_start: settings.timer_start,
            port_control: settings.port_control,
            levels,
        }
    }

    /// Draws the ages of the adapter's timers from its stream if they have phases of their own: uniformly within a
    /// period, for each service level.
    #[must_use]
    pub fn with_timer_ages(mut self, mut stream: Pcg64Mcg) -> Self {
        if self.timer_start == TimerStart::FreeRunningOwnPhase {
            for level in &mut *self.levels {
                level.age = Span::from_ps(stream.random_range(0..level.timer.ps()));
            }
        }
        self
    }

    /// Returns the flow's index into the table at `now`, which is not before the flow's last event.
    #[must_use]
    pub fn index(&self, state: &IbaState, now: Time) -> u16 {
        let mut settled = *state;
        self.settle(&mut settled, now);
        settled.index
    }

    fn level(&self, state: &IbaState) -> &LevelSettings {
        &self.levels[usize::from(state.service_level.0)]
    }

    /// Subtracts the expiries up to and including `now` from the index. In the same instant, an expiry precedes a BECN.
    fn settle(&self, state: &mut IbaState, now: Time) {
        let &LevelSettings { age, timer, min, .. } = self.level(state);
        let clock = now + age;
        debug_assert!(clock >= state.anchor, "time runs backwards: {clock} after {}", state.anchor);
        let above_rest = u64::from(state.index - u16::from(min));
        if above_rest == 0 {
            return;
        }
        let expiries = clock.since(state.anchor).ps() / timer.ps();
        state.anchor += timer * expiries;
        // At most the index itself, which fits.
        state.index -= expiries.min(above_rest) as u16;
    }

    /// Handles a BECN.
    fn becn(&self, state: &mut IbaState, now: Time) -> NotificationOutcome {
        self.settle(state, now);
        let level = *self.level(state);
        let (before, clock) = (state.index, now + level.age);
        let at_rest = before == u16::from(level.min);
        match self.timer_start {
            TimerStart::FreeRunning | TimerStart::FreeRunningOwnPhase if at_rest => {
                // At rest no expiries were counted, so the last of them is found anew.
                state.anchor = last_multiple(level.timer, clock);
            }
            TimerStart::FirstBecn if at_rest => state.anchor = clock,
            TimerStart::EachBecn => state.anchor = clock,
            TimerStart::FreeRunning | TimerStart::FreeRunningOwnPhase | TimerStart::FirstBecn => {}
        }
        state.index = before.saturating_add(u16::from(level.increase)).min(self.limit);
        // DEVIATION: IBA logs an event when the index equals `Trigger_Threshold`, which an increase of more than 1
        // skips; here passing it upwards counts. A threshold of 0 counts nothing.
        let trigger = u16::from(level.trigger);
        NotificationOutcome { reached_trigger: before < trigger && trigger <= state.index, decreased: true }
    }
}

impl Response for IbaResponse {
    type State = IbaState;

    fn scope(&self, transport: TransportService, _: TrafficKind) -> StateScope {
        match self.port_control {
            PortControl::QueuePair => StateScope::connection(transport),
            PortControl::ServiceLevel => StateScope::ServiceLevel,
        }
    }

    fn at_rest(&self, service_level: ServiceLevel) -> IbaState {
        let min = self.levels[usize::from(service_level.0)].min;
        IbaState { anchor: Time::ZERO, index: u16::from(min), service_level }
    }

    /// A BECN counts alike on every packet (Gran and Reinemo 2011, 2.2).
    fn on_acknowledged(&self, state: &mut IbaState, ack: Acknowledgement, now: Time) -> NotificationOutcome {
        if ack.marked { self.becn(state, now) } else { NotificationOutcome::default() }
    }

    fn on_notification(&self, state: &mut IbaState, _: Notification, now: Time) -> NotificationOutcome {
        self.becn(state, now)
    }

    fn gap(&self, state: &mut IbaState, packet_time: Span, now: Time) -> Span {
        self.settle(state, now);
        let CctEntry { shift, multiplier } = self.table[usize::from(state.index)];
        // IRD = (packet time >> CCT_Shift) * CCT_Multiplier (Omni-Path fabric manager, citing STL volume 1,
        // 17.3.12, which descends from A10; Linux, `hfi1`, `set_link_ipg`).
        Span::from_ps(packet_time.ps() >> shift) * u64::from(multiplier)
    }

    fn control_state(&self, state: &IbaState, now: Time) -> ControlState {
        let index = self.index(state, now);
        let CctEntry { shift, multiplier } = self.table[usize::from(index)];
        let delay = f64::from(multiplier) / f64::from(1_u32 << shift);
        ControlState { ccti: Some(index), delay: Some(delay), ..ControlState::default() }
    }
}

/// Returns the last multiple of `period` that is not after `clock`.
fn last_multiple(period: Span, clock: Time) -> Time {
    Time::from_ps(clock.ps() - clock.ps() % period.ps())
}
