//! Entropy values: a number in each packet that switches hash together with the flow, so that a source chooses paths without
//! knowledge of the fabric.
//!
//! Invariant: a source knows packets by their number and value alone. It never sends, and it draws from the stream of its
//! adapter only when a queue pair is opened or a packet is made. Values are above 0: 0 stands for no value.
//!
//! | source | state of a queue pair | learns from | module |
//! |---|---|---|---|
//! | `Flow` | none | | |
//! | `Random` | none | | |
//! | `RoundRobin` | the next value | | |
//! | `Bitmap` | penalties by value | marks, repeats | [`bitmap`] |
//! | `Reps` | the last good values | unmarked acknowledgements, time-outs | [`reps`] |

pub mod bitmap;
pub mod reps;
mod spec;

pub use spec::{BitmapSpec, EntropySpec, RepsSpec};

use event_kernel::Stream;
use packet::Psn;
use rand::RngExt;
use units::Time;

use self::bitmap::PenaltyBitmap;
use self::reps::RecycledValues;

/// Source of the entropy values of a queue pair that posts messages.
#[derive(Clone, Debug)]
pub enum EntropySource {
    /// A value drawn anew for each packet.
    Random,
    /// The values in turn.
    RoundRobin {
        /// Value of the next packet.
        next: u16,
    },
    /// The values in turn, without those that have a penalty.
    Bitmap(Box<PenaltyBitmap>),
    /// The values of packets that arrived unmarked.
    Reps(Box<RecycledValues>),
}

state_codec::state!(enum EntropySource {
    0 = Random,
    1 = RoundRobin { next },
    2 = Bitmap(bitmap: part),
    3 = Reps(values: part),
});

impl EntropySource {
    /// Makes the source of a queue pair; `None` if all its packets have the same value.
    #[must_use]
    pub fn new(spec: EntropySpec, stream: &mut Stream) -> Option<Self> {
        match spec {
            EntropySpec::Flow => None,
            EntropySpec::Random => Some(Self::Random),
            // Queue pairs that begin together would choose the same sequence of ports at a switch without salt.
            EntropySpec::RoundRobin => Some(Self::RoundRobin { next: drawn(stream) }),
            EntropySpec::Bitmap(BitmapSpec { values }) => {
                let first = stream.random_range(0..values) as u16;
                Some(Self::Bitmap(Box::new(PenaltyBitmap::new(values, first))))
            }
            EntropySpec::Reps(RepsSpec { kept, freeze }) => {
                Some(Self::Reps(Box::new(RecycledValues::new(kept, freeze))))
            }
        }
    }

    /// Returns the value of the packet with this number; `again` if the packet was sent before.
    pub fn next(&mut self, psn: Psn, again: bool, stream: &mut Stream, now: Time) -> u16 {
        match self {
            Self::Random => drawn(stream),
            Self::RoundRobin { next } => {
                let value = *next;
                *next = next.checked_add(1).unwrap_or(1);
                value
            }
            Self::Bitmap(bitmap) => bitmap.next(psn, again),
            Self::Reps(values) => values.next(stream, now),
        }
    }

    /// Handles an acknowledgement that repeats the value of a packet, and whether the packet came marked.
    pub fn on_echo(&mut self, value: u16, marked: bool) {
        match self {
            Self::Random | Self::RoundRobin { .. } => {}
            Self::Bitmap(bitmap) => bitmap.on_echo(value, marked),
            Self::Reps(values) => values.on_echo(value, marked),
        }
    }

    /// Handles a time-out without progress.
    pub fn on_timeout(&mut self, now: Time) {
        match self {
            Self::Random | Self::RoundRobin { .. } => {}
            Self::Bitmap(bitmap) => bitmap.on_timeout(),
            Self::Reps(values) => values.on_timeout(now),
        }
    }
}

/// Draws a value.
fn drawn(stream: &mut Stream) -> u16 {
    stream.random_range(1..=u16::MAX)
}

/// The sources of an adapter's endpoints, and the stream that they draw from.
#[derive(Clone, Debug)]
pub struct EntropySources {
    spec: EntropySpec,
    stream: Stream,
    /// Sources by endpoint; endpoints that send no data have none.
    sources: Vec<Option<EntropySource>>,
}

state_codec::state!(EntropySources { spec: plan, stream, sources: part });

impl EntropySources {
    /// Makes the sources of an adapter; `None` if all packets of a queue pair have the same value.
    #[must_use]
    pub fn new(spec: EntropySpec, stream: Stream) -> Option<Box<Self>> {
        (spec != EntropySpec::Flow).then(|| Box::new(Self { spec, stream, sources: Vec::new() }))
    }

    /// Gives an endpoint that will send data a source.
    pub fn open(&mut self, endpoint: u32) {
        let count = self.sources.len().max(endpoint as usize + 1);
        self.sources.resize(count, None);
        self.sources[endpoint as usize] = EntropySource::new(self.spec, &mut self.stream);
    }

    /// Returns the value of a packet of this endpoint; 0 if it has no source.
    pub fn next(&mut self, endpoint: u32, psn: Psn, again: bool, now: Time) -> u16 {
        let source = self.sources.get_mut(endpoint as usize).and_then(Option::as_mut);
        source.map_or(0, |source| source.next(psn, again, &mut self.stream, now))
    }

    /// Returns the source of an endpoint.
    pub fn of(&mut self, endpoint: u32) -> Option<&mut EntropySource> {
        self.sources.get_mut(endpoint as usize)?.as_mut()
    }
}
