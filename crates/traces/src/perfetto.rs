//! Traces for Perfetto (ui.perfetto.dev): tracks with slices, instants and counters, and arrows between them.
//!
//! Invariant: a track is described before it has an event. Slices of a track do not overlap: one ends before the next begins. Events may come
//! in any order of time: readers sort them, and keep the order of the file for those of one time.
//!
//! Times are whole nanoseconds, rounded down. Field numbers: `protos/perfetto/trace` of google/perfetto, `TracePacket`, `TrackDescriptor`,
//! `CounterDescriptor`, `TrackEvent` and `DebugAnnotation`.

use std::io::{self, Write};

use units::Time;

use crate::protobuf::Message;

/// Packets of a trace (`Trace.packet`).
const PACKET: u32 = 1;
/// The sequence that all packets belong to: a trace has one writer.
const SEQUENCE: u64 = 1;

/// Writes a trace.
#[derive(Debug)]
pub struct PerfettoWriter<W> {
    file: W,
    tracks: u64,
    /// Arrows that have begun.
    arrows: u64,
    begun: bool,
}

/// A track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackId(u64);

/// An arrow between two or more events, in the order of their times: a `flow` of Perfetto.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrowId(u64);

/// A further fact about an event, by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact<'a> {
    /// A whole number.
    Count(&'a str, u64),
    /// A text.
    Text(&'a str, &'a str),
}

/// The part that an event has in arrows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrows {
    /// Arrow that begins here, or passes.
    pub through: Option<ArrowId>,
    /// Arrow that ends here.
    pub to: Option<ArrowId>,
}

impl<W: Write> PerfettoWriter<W> {
    /// Begins a trace.
    #[must_use]
    pub fn new(file: W) -> Self {
        Self { file, tracks: 0, arrows: 0, begun: false }
    }

    /// Adds a track of slices and instants, or one that only groups others, below `parent`.
    ///
    /// # Errors
    /// If the file cannot be written, as all methods.
    pub fn track(&mut self, parent: Option<TrackId>, name: &str) -> io::Result<TrackId> {
        self.described(parent, name, None)
    }

    /// Adds a track of a counter in this unit.
    ///
    /// # Errors
    /// As [`PerfettoWriter::track`].
    pub fn counter(&mut self, parent: Option<TrackId>, name: &str, unit: &str) -> io::Result<TrackId> {
        self.described(parent, name, Some(Message::default().text(6, unit)))
    }

    /// Returns a new arrow.
    pub fn arrow(&mut self) -> ArrowId {
        self.arrows += 1;
        ArrowId(self.arrows)
    }

    /// Adds a slice.
    ///
    /// # Errors
    /// As [`PerfettoWriter::track`].
    pub fn slice(
        &mut self,
        track: TrackId,
        (from, to): (Time, Time),
        name: &str,
        facts: &[Fact<'_>],
    ) -> io::Result<()> {
        self.event(from, &with_facts(Message::default().uint(9, 1).uint(11, track.0).text(23, name), facts))?;
        self.event(to, &Message::default().uint(9, 2).uint(11, track.0))
    }

    /// Adds an instant.
    ///
    /// # Errors
    /// As [`PerfettoWriter::track`].
    pub fn instant(
        &mut self,
        track: TrackId,
        at: Time,
        name: &str,
        facts: &[Fact<'_>],
        arrows: Arrows,
    ) -> io::Result<()> {
        let mut event = with_facts(Message::default().uint(9, 3).uint(11, track.0).text(23, name), facts);
        if let Some(ArrowId(arrow)) = arrows.through {
            event = event.fixed(47, arrow);
        }
        if let Some(ArrowId(arrow)) = arrows.to {
            event = event.fixed(48, arrow);
        }
        self.event(at, &event)
    }

    /// Adds a value of a counter, which holds until the next.
    ///
    /// # Errors
    /// As [`PerfettoWriter::track`].
    pub fn value(&mut self, counter: TrackId, at: Time, value: f64) -> io::Result<()> {
        self.event(at, &Message::default().uint(9, 4).uint(11, counter.0).double(44, value))
    }

    /// Ends the trace, and returns the file.
    ///
    /// # Errors
    /// As [`PerfettoWriter::track`].
    pub fn finish(mut self) -> io::Result<W> {
        self.file.flush()?;
        Ok(self.file)
    }

    fn described(
        &mut self,
        parent: Option<TrackId>,
        name: &str,
        counter: Option<Message>,
    ) -> io::Result<TrackId> {
        self.tracks += 1;
        let mut track = Message::default().uint(1, self.tracks).text(2, name);
        if let Some(TrackId(parent)) = parent {
            track = track.uint(5, parent);
        }
        if let Some(counter) = counter {
            track = track.message(8, &counter);
        }
        self.packet(Message::default().message(60, &track))?;
        Ok(TrackId(self.tracks))
    }

    fn event(&mut self, at: Time, event: &Message) -> io::Result<()> {
        self.packet(Message::default().uint(8, at.ps() / 1000).message(11, event))
    }

    fn packet(&mut self, packet: Message) -> io::Result<()> {
        /// The sequence begins with this packet (`SEQ_INCREMENTAL_STATE_CLEARED`).
        const BEGINS: u64 = 1;
        let mut packet = packet.uint(10, SEQUENCE);
        if !self.begun {
            packet = packet.uint(13, BEGINS);
            self.begun = true;
        }
        self.file.write_all(Message::default().message(PACKET, &packet).bytes())
    }
}

/// Adds facts to an event.
fn with_facts(event: Message, facts: &[Fact<'_>]) -> Message {
    facts.iter().fold(event, |event, fact| {
        let fact = match fact {
            Fact::Count(name, value) => Message::default().text(10, name).uint(3, *value),
            Fact::Text(name, value) => Message::default().text(10, name).text(6, value),
        };
        event.message(4, &fact)
    })
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    /// The bytes of a small trace, computed by hand from the field numbers.
    #[test]
    fn a_small_trace() {
        let mut writer = PerfettoWriter::new(Vec::new());
        let port = writer.track(None, "S").expect("memory");
        let at = Span::from_us(1).after_start();
        let arrow = writer.arrow();
        let arrows = Arrows { through: Some(arrow), to: None };
        writer.instant(port, at, "m", &[Fact::Count("n", 5)], arrows).expect("memory");
        let bytes = writer.finish().expect("memory");
        let track = [
            &[0x0A, 0x0C][..],         // packet of 12 bytes
            &[0xE2, 0x03, 0x05],       // track_descriptor
            &[0x08, 1, 0x12, 1, b'S'], // uuid, name
            &[0x50, 1, 0x68, 1],       // sequence, its beginning
        ]
        .concat();
        assert_eq!(bytes[..track.len()], track);
        let fact = [0x22, 5, 0x52, 1, b'n', 0x18, 5];
        let event =
            [&[0x48, 3, 0x58, 1, 0xBA, 1, 1, b'm'][..], &fact, &[0xF9, 2, 1, 0, 0, 0, 0, 0, 0, 0]].concat();
        let length = event.len() as u8;
        let packet = [&[0x0A, length + 7, 0x40, 0xE8, 7, 0x5A, length][..], &event, &[0x50, 1]].concat();
        assert_eq!(bytes[track.len()..], packet);
    }
}
