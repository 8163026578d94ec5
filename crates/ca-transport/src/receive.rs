//! What waits for the host, and how fast it takes it.
//!
//! Invariant: packets are taken in the order of their arrival, one after the other. While a packet
//! waits or is being taken it holds its place in the receive buffer: a slow host pushes back.

use packet::{Packet, PacketId, PacketPool, PacketQueue};
use telemetry::Marks;
use units::{Bytes, Rate, Span, Time};

/// The host's side of a receive buffer.
#[derive(Clone, Copy, Debug)]
pub struct Drain {
    limit: Option<Rate>,
    queue: PacketQueue,
    waiting: u64,
}

/// What the host behind a queue pair has taken. What few packets change stands last.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SinkTally {
    /// Payload taken.
    pub delivered: Bytes,
    /// Data packets accepted.
    pub packets: u64,
    /// Latency of all packets, added up: from the first byte's start to the payload's taking.
    pub latency_sum: Span,
    /// The longest latency of a packet.
    pub latency_max: Span,
    /// When payload was last taken, if it ever was.
    pub last: Option<Time>,
    /// Those of the packets that switches had marked, by the first one's reason.
    pub marks: Marks,
}

impl Drain {
    /// A host that takes payload at this rate; at once if there is no limit.
    #[must_use]
    pub fn new(limit: Option<Rate>) -> Self {
        Self { limit, queue: PacketQueue::default(), waiting: 0 }
    }

    /// Whether it takes packets as they come: then none needs to wait here.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        self.limit.is_none()
    }

    /// A packet has been accepted. Returns when the host will have taken it, if that is the next thing
    /// to wait for; `None` if it queues behind another.
    ///
    /// # Panics
    /// If it takes packets as they come.
    pub fn accept(&mut self, id: PacketId, pool: &mut PacketPool, now: Time) -> Option<Time> {
        let limit = self.limit.expect("a packet waits for a host that takes its time");
        self.waiting += 1;
        let idle = self.queue.is_empty();
        self.queue.push(id, pool);
        idle.then(|| now + limit.time_for(Bytes::new(u64::from(pool[id].payload))))
    }

    /// The host has taken the first packet. Returns it, and when the next will have been taken.
    ///
    /// # Panics
    /// If nothing waits.
    pub fn taken(&mut self, pool: &PacketPool, now: Time) -> (PacketId, Option<Time>) {
        let id = self.queue.pop(pool).expect("the host takes what waits");
        self.waiting -= 1;
        let next = self.queue.head().zip(self.limit);
        (id, next.map(|(head, limit)| now + limit.time_for(Bytes::new(u64::from(pool[head].payload)))))
    }

    /// How many packets wait or are being taken.
    #[must_use]
    pub const fn waiting(&self) -> u64 {
        self.waiting
    }
}

impl SinkTally {
    /// The host has taken a packet's payload.
    pub fn take(&mut self, packet: &Packet, now: Time) {
        let latency = now.since(packet.injected);
        self.last = Some(now);
        self.delivered += Bytes::new(u64::from(packet.payload));
        self.packets += 1;
        self.latency_sum += latency;
        self.latency_max = self.latency_max.max(latency);
        if let Some(reason) = packet.marked {
            self.marks.count(reason);
        }
    }
}
