//! The memory that packets occupy: a buffer for each port and lane, or one that all of them share.
//!
//! Invariant: a packet is charged to the port and lane by which it came, from its arrival until its tail has left.
//! Whoever is allowed more room is announced it, now or by an alarm of its own, and the marker learns of it.

use cc_policies::AnyMarker;
use cc_policies::policy::{BufferView, Marker};
use link_layer::credits::{BLOCK, blocks};
use link_layer::memory::Allowance;
use link_layer::{Outlet, Pool, Port, Share, SharedMemory};
use packet::{Lane, PortId};
use units::Bytes;

use crate::port::SwitchPort;
use crate::setup::SwitchWake;

/// The memory of a switch.
#[derive(Debug)]
pub(crate) struct Memory {
    shared: Option<Box<SharedMemory>>,
    /// The same under PFC, or without flow control.
    pool: Option<Box<Pool>>,
    lanes: usize,
    longest_packet: Bytes,
}

impl Memory {
    /// Of a switch with so many lanes; none is shared where each port and lane has its own buffer.
    pub(crate) fn new(
        shared: Option<SharedMemory>,
        pool: Option<Pool>,
        lanes: usize,
        longest_packet: Bytes,
    ) -> Self {
        Self { shared: shared.map(Box::new), pool: pool.map(Box::new), lanes, longest_packet }
    }

    /// A packet has come in at a port and lane under credits.
    #[inline(never)] // The loop of all nodes takes 1.5 % fewer instructions without its body.
    pub(crate) fn stored(
        &mut self,
        ports: &mut [SwitchPort],
        marker: &mut AnyMarker,
        (input, lane): (PortId, Lane),
        length: Bytes,
        outlet: &mut impl Outlet<SwitchWake>,
    ) {
        let port = &mut ports[input.index()];
        port.link.stored(lane, length, outlet);
        if self.shared.is_some() {
            self.make_good(port, (input, lane), outlet);
        }
        if marker.heeds_buffers() {
            self.tell(ports, marker, (input, lane));
        }
    }

    /// A packet that came by this port and lane has left.
    #[inline(never)] // As above.
    pub(crate) fn freed(
        &mut self,
        ports: &mut [SwitchPort],
        marker: &mut AnyMarker,
        (input, lane): (PortId, Lane),
        length: Bytes,
        outlet: &mut impl Outlet<SwitchWake>,
    ) {
        if ports[input.index()].link.is_pausing() {
            self.let_go(ports, (input, lane), length, outlet);
        } else if self.shared.is_none() {
            ports[input.index()].link.freed(lane, length, outlet, SwitchWake::Credit);
        } else {
            self.share_out(ports, marker, (input, lane), length, outlet);
        }
        if marker.heeds_buffers() {
            self.tell(ports, marker, (input, lane));
        }
    }

    /// A packet has come in at a port and lane under PFC, or without flow control: whether it is kept.
    #[inline(never)] // As above.
    pub(crate) fn take_in(
        &mut self,
        ports: &mut [SwitchPort],
        marker: &mut AnyMarker,
        (input, lane): (PortId, Lane),
        length: Bytes,
        outlet: &mut impl Outlet<SwitchWake>,
    ) -> bool {
        let link = &mut ports[input.index()].link;
        let limit = self.pool.as_ref().map(|pool| pool.limit(held(link, lane)));
        let Some(change) = link.take(lane, length, limit) else { return false };
        let receiver = self.at(input, lane);
        let limit = self.pool.as_mut().map(|pool| {
            pool.changed(change);
            pool.limit(change.after)
        });
        link.reconsider(lane, limit, outlet, SwitchWake::Credit);
        if let Some(pool) = &mut self.pool {
            pool.asks(receiver, has_asked(link, lane));
        }
        if marker.heeds_buffers() {
            self.tell(ports, marker, (input, lane));
        }
        true
    }

    /// What a packet leaves free lets its port and lane go on; of shared memory, whoever asked for a pause.
    fn let_go(
        &mut self,
        ports: &mut [SwitchPort],
        (input, lane): (PortId, Lane),
        length: Bytes,
        outlet: &mut impl Outlet<SwitchWake>,
    ) {
        let link = &mut ports[input.index()].link;
        let change = link.let_go(lane, length);
        let Some(pool) = &mut self.pool else {
            return link.reconsider(lane, None, outlet, SwitchWake::Credit);
        };
        pool.changed(change);
        let mut next = pool.asking_from(0);
        while let Some(receiver) = next {
            let (port, lane) = place(receiver, self.lanes);
            let link = &mut ports[port].link;
            let limit = pool.limit(held(link, lane));
            link.reconsider(lane, Some(limit), outlet, SwitchWake::Credit);
            pool.asks(receiver, has_asked(link, lane));
            next = pool.asking_from(receiver + 1);
        }
    }

    /// The marker, which heeds that, learns what a port and lane now hold.
    #[inline(never)] // Few markers do.
    fn tell(&self, ports: &[SwitchPort], marker: &mut AnyMarker, (input, lane): (PortId, Lane)) {
        let link = &ports[input.index()].link;
        let share = link.share(lane);
        let view = match (&self.pool, link.pauses()) {
            (Some(pool), Some(pauses)) => {
                let own = pauses.own(lane);
                let room = pool.limit(own).saturating_sub(own);
                BufferView {
                    held: Bytes::new(u64::from(pauses.held(lane))),
                    room: Bytes::new(u64::from(room)),
                }
            }
            _ => self.view(share),
        };
        marker.buffer_changed(input, lane, view);
    }

    /// Where a port and lane stand in a table of them.
    #[inline]
    pub(crate) const fn at(&self, port: PortId, lane: Lane) -> usize {
        port.index() * self.lanes + lane.index()
    }

    /// Number of data lanes.
    pub(crate) const fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether what a port and lane may take in depends on what others hold.
    pub(crate) const fn is_shared(&self) -> bool {
        self.shared.is_some() || self.pool.is_some()
    }

    /// Whether no port and lane uses any of what is shared.
    pub(crate) fn is_whole(&self) -> bool {
        self.shared.as_deref().is_none_or(SharedMemory::is_whole)
            && self.pool.as_deref().is_none_or(Pool::is_whole)
    }

    /// A port and lane that took a packet in gets its room back, as far as the shared memory allows.
    fn make_good(
        &mut self,
        port: &mut SwitchPort,
        (input, lane): (PortId, Lane),
        outlet: &mut impl Outlet<SwitchWake>,
    ) {
        let receiver = self.at(input, lane);
        let Some(shared) = &mut self.shared else { return };
        let blocks = shared.stored(receiver, port.link.share(lane));
        if blocks > 0 {
            port.link.allow(lane, blocks);
            port.link.announce(lane, self.longest_packet, outlet, SwitchWake::Credit);
        }
    }

    /// What comes free of the shared memory goes back to the port and lane that is guaranteed it, or to those that
    /// want it. All are told in this instant or have an alarm set, so nobody waits for an event of its own.
    fn share_out(
        &mut self,
        ports: &mut [SwitchPort],
        marker: &mut AnyMarker,
        (input, lane): (PortId, Lane),
        length: Bytes,
        outlet: &mut impl Outlet<SwitchWake>,
    ) {
        let (lanes, longest, receiver) = (self.lanes, self.longest_packet, self.at(input, lane));
        let Some(shared) = &mut self.shared else { return };

        let link = &mut ports[input.index()].link;
        link.release(lane, length);
        let guaranteed = shared.freed(receiver, link.share(lane), blocks(length));
        link.allow(lane, guaranteed);
        let mut allowed = guaranteed > 0;
        while let Some(Allowance { receiver: next, blocks }) = shared.next(|receiver| {
            let (port, lane) = place(receiver, lanes);
            ports[port].link.share(lane)
        }) {
            let (port, next_lane) = place(next, lanes);
            let link = &mut ports[port].link;
            link.allow(next_lane, blocks);
            if next == receiver {
                allowed = true;
                continue;
            }
            link.announce(next_lane, longest, outlet, SwitchWake::Credit);
            let view = view(Some(shared), link.share(next_lane));
            marker.buffer_changed(PortId(port as u16), next_lane, view);
        }
        if allowed {
            ports[input.index()].link.announce(lane, longest, outlet, SwitchWake::Credit);
        }
    }

    fn view(&self, share: Share) -> BufferView {
        view(self.shared.as_deref(), share)
    }
}

/// The port and lane at a place in a table of them: [`Memory::at`] the other way round.
fn place(receiver: usize, lanes: usize) -> (usize, Lane) {
    (receiver / lanes, Lane((receiver % lanes) as u8))
}

/// What a lane holds under its threshold.
fn held(link: &Port, lane: Lane) -> u32 {
    link.pauses().map_or(0, |pauses| pauses.own(lane))
}

fn has_asked(link: &Port, lane: Lane) -> bool {
    link.pauses().is_some_and(|pauses| pauses.has_asked(lane))
}

/// What a marker sees of a port and lane: what it holds, and what its sender may still send or could be let send
/// now. Of shared memory the latter changes with what others do. It is told when it changes by what the port and
/// lane itself takes in, lets go or is given, and that is exact for whether a packet of the MTU has room: who has
/// less room than one wants more, and is given it as soon as there is some.
fn view(shared: Option<&SharedMemory>, share: Share) -> BufferView {
    let room = u32::from(share.room) + shared.map_or(0, |shared| shared.available(share));
    BufferView { held: Bytes::new(u64::from(share.held) * BLOCK), room: Bytes::new(u64::from(room) * BLOCK) }
}
