//! Packets that wait for the host, and the host's rate.
//!
//! Invariant: the host consumes packets singly, in the order of their arrival. A packet occupies the receive buffer
//! until the host has consumed it: a slow host causes backpressure.

use packet::{Packet, PacketId, PacketPool, PacketQueue};
use units::{Bytes, Rate, Span, Time};

/// The host's side of a receive buffer.
#[derive(Clone, Copy, Debug)]
pub struct HostDrain {
    limit: Option<Rate>,
    queue: PacketQueue,
    waiting: u64,
}

state_codec::state!(HostDrain { limit: plan, queue, waiting });

/// Data that the host behind a queue pair has consumed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinkTally {
    /// Payload consumed.
    pub delivered: Bytes,
    /// Data packets accepted.
    pub packets: u64,
    /// Sum of the latencies of all packets, from the start of the first byte to consumption.
    pub latency_sum: Span,
    /// Longest latency of a packet.
    pub latency_max: Span,
    /// Time at which payload was last consumed; meaningless before.
    last: Time,
}

state_codec::value!(SinkTally { delivered, packets, latency_sum, latency_max, last });

impl HostDrain {
    /// A host that consumes payload at this rate, or at once if there is no limit.
    #[must_use]
    pub fn new(limit: Option<Rate>) -> Self {
        Self { limit, queue: PacketQueue::default(), waiting: 0 }
    }

    /// Returns true if the host consumes packets on arrival: then none waits here.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        self.limit.is_none()
    }

    /// Adds an accepted packet. Returns the time at which the host will have consumed it, or `None` if it waits
    /// behind another.
    ///
    /// # Panics
    /// If the host consumes packets on arrival.
    pub fn accept(&mut self, id: PacketId, pool: &mut PacketPool, now: Time) -> Option<Time> {
        let limit = self.limit.expect("a packet waits for a host that takes its time");
        self.waiting += 1;
        let idle = self.queue.is_empty();
        self.queue.push(id, pool);
        idle.then(|| now + limit.time_for(Bytes::new(u64::from(pool[id].payload))))
    }

    /// Removes the first packet, which the host has consumed. Returns the packet, and the time at which the next will
    /// be consumed.
    ///
    /// # Panics
    /// If no packet waits.
    pub fn consumed(&mut self, pool: &PacketPool, now: Time) -> (PacketId, Option<Time>) {
        let id = self.queue.pop(pool).expect("the host takes what waits");
        self.waiting -= 1;
        let next = self.queue.head().zip(self.limit);
        (id, next.map(|(head, limit)| now + limit.time_for(Bytes::new(u64::from(pool[head].payload)))))
    }

    /// Returns the packets that wait or are being consumed.
    pub fn packets<'a>(&self, pool: &'a PacketPool) -> impl Iterator<Item = &'a Packet> {
        self.queue.packets(pool)
    }

    /// Returns the number of packets that wait or are being consumed.
    #[must_use]
    pub const fn waiting(&self) -> u64 {
        self.waiting
    }
}

impl SinkTally {
    /// Returns the time at which payload was last consumed; `None` if none was.
    #[must_use]
    pub fn last(&self) -> Option<Time> {
        (self.packets > 0).then_some(self.last)
    }

    /// Counts a packet that the host has consumed.
    #[inline]
    pub fn consume(&mut self, packet: &Packet, now: Time) {
        let latency = now.since(packet.injected);
        self.last = now;
        self.delivered += Bytes::new(u64::from(packet.payload));
        self.packets += 1;
        self.latency_sum += latency;
        self.latency_max = self.latency_max.max(latency);
    }
}
