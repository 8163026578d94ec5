"""Reads traces of `backwater trace` with Perfetto's own description of the format, and compares their events with what was printed.

Usage: timelines.py TRACE PRINTED [TRACE PRINTED]...

PRINTED is the standard output of the run that wrote TRACE. The package `perfetto` has the messages of google/perfetto; a field that
they do not have, of another type than theirs, or an event that their reader would drop is a fault.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent, TracePacket

# Kind of an event by the name of its track, up to a lane or a number.
KINDS = {
    "waits": "waits",
    "pauses": "pauses",
    "marks": "marks",
    "notifications": "notifications",
    "messages": "messages",
}


class Fault(Exception):
    """A trace that is not as Perfetto reads it."""


def require(holds, message):
    if not holds:
        raise Fault(message)


def without_unknown(message):
    """Refuses fields that the description does not have, at any depth."""
    unknown = [field.field_number for field in UnknownFieldSet(message)]
    require(not unknown, f"{message.DESCRIPTOR.name} has unknown fields {unknown}")
    for field, value in message.ListFields():
        if field.message_type:
            repeated = not hasattr(value, "DESCRIPTOR")
            for inner in value if repeated else [value]:
                without_unknown(inner)


def tracks_of(packets):
    """Returns the tracks by their numbers; each is described once, below one that is described before it."""
    tracks = {}
    for packet in packets:
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            require(track.uuid and track.uuid not in tracks, f"track {track.uuid} is described twice, or has no number")
            require(not track.HasField("parent_uuid") or track.parent_uuid in tracks, f"track {track.uuid} has no parent")
            require(track.name, f"track {track.uuid} has no name")
            tracks[track.uuid] = track
        else:
            require(packet.track_event.track_uuid in tracks, "an event has no track")
    return tracks


def sequence(packets):
    """Checks what Perfetto asks of the packets of a sequence: one number, and its beginning with the first packet."""
    numbers = {packet.trusted_packet_sequence_id for packet in packets}
    require(len(numbers) == 1 and 0 not in numbers, f"packets have the sequences {numbers}")
    cleared = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    begins = [number for number, packet in enumerate(packets) if packet.sequence_flags & cleared]
    require(begins == [0], f"a sequence begins at packets {begins}")


def slices(track, events):
    """Checks that slices of a track, which Perfetto nests by their times, follow one another and end."""
    begun = None
    for event in events:
        if event.track_event.type == TrackEvent.TYPE_SLICE_BEGIN:
            require(begun is None, f"a slice of `{track.name}` begins within another")
            require(event.track_event.name, f"a slice of `{track.name}` has no name")
            begun = event.timestamp
        elif event.track_event.type == TrackEvent.TYPE_SLICE_END:
            require(begun is not None, f"a slice of `{track.name}` ends that has not begun")
            begun = None
    require(begun is None, f"a slice of `{track.name}` does not end")


def counted(tracks, by_track):
    """Returns the number of events by kind; counters stand on tracks of counters alone, with finite values that rise in time."""
    counts = Counter()
    for number, events in by_track.items():
        track = tracks[number]
        types = {event.track_event.type for event in events}
        if track.HasField("counter"):
            require(types == {TrackEvent.TYPE_COUNTER}, f"`{track.name}` is a counter with other events")
            times = [event.timestamp for event in events]
            require(all(one < other for one, other in zip(times, times[1:])), f"`{track.name}` has two values of one time")
            for event in events:
                require(event.track_event.HasField("double_counter_value"), f"`{track.name}` has an event without a value")
                require(abs(event.track_event.double_counter_value) < 1e18, f"`{track.name}` has an infinite value")
            counts["values of counters"] += len(events)
        else:
            require(TrackEvent.TYPE_COUNTER not in types, f"`{track.name}` has values, and is no counter")
            slices(track, events)
            kind = KINDS.get(re.match(r"[a-z]+", track.name)[0])
            require(kind, f"`{track.name}` has events, and is none of {sorted(KINDS)}")
            counts[kind] += sum(event.track_event.type != TrackEvent.TYPE_SLICE_END for event in events)
    return counts


def arrows(events):
    """Checks that each arrow begins before it ends. Returns the numbers of those with both ends, and of those without an end: marks that
    no notification answers, and notifications under way at the end. Perfetto draws the former."""
    begins, ends = defaultdict(list), {}
    for event in events:
        for arrow in event.track_event.flow_ids:
            begins[arrow].append(event.timestamp)
        for arrow in event.track_event.terminating_flow_ids:
            require(arrow not in ends, f"arrow {arrow} ends twice")
            ends[arrow] = event.timestamp
    require(ends.keys() <= begins.keys(), "an arrow ends that has not begun")
    for arrow, times in begins.items():
        require(len(times) == 1, f"arrow {arrow} begins twice")
        require(times[0] <= ends.get(arrow, times[0]), f"arrow {arrow} ends before it begins")
    return len(ends), len(begins) - len(ends)


def printed_counts(text):
    rows = re.findall(r"^ ([a-z ]+?) +([\d,]+) +[\d,]+$", text, re.MULTILINE)
    return {kind: int(count.replace(",", "")) for kind, count in rows}


def check(trace, printed):
    message = Trace()
    message.ParseFromString(trace.read_bytes())
    require(message.IsInitialized() and len(message.packet) > 0, "there are no packets")
    without_unknown(message)
    packets = list(message.packet)
    for packet in packets:
        require(packet.WhichOneof("data") in ("track_descriptor", "track_event"), f"a packet has {packet.WhichOneof('data')}")
    sequence(packets)
    tracks = tracks_of(packets)
    events = [packet for packet in packets if packet.HasField("track_event")]
    by_track = defaultdict(list)
    for event in sorted(events, key=lambda event: event.timestamp):
        by_track[event.track_event.track_uuid].append(event)
    ours, theirs = printed_counts(printed.read_text()), counted(tracks, by_track)
    require(ours, f"{printed} has no counts")
    require(ours == dict(theirs), f"{dict(theirs)} in the trace, {ours} printed")
    kinds = ", ".join(f"{count} {kind}" for kind, count in ours.items())
    drawn, open_ended = arrows(events)
    return f"{len(tracks)} tracks, {kinds}, {drawn} arrows and {open_ended} without an end"


def main():
    files = [Path(name) for name in sys.argv[1:]]
    for trace, printed in zip(files[::2], files[1::2], strict=True):
        try:
            print(f"{trace.stem:<10}{check(trace, printed)}")
        except Fault as fault:
            sys.exit(f"error: {trace}: {fault}")
    print("perfetto and backwater agree")


main()
