//! Signals of flow control, which a receiver sends back over its link.
//!
//! Invariant: a signal states absolute values, so a later signal replaces an earlier signal.

use packet::Lane;

/// A signal of flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Flow-control packet (IBA volume 1, 7.9.4).
    Credit {
        /// Lane of the counters.
        lane: Lane,
        /// FCTBS: blocks that its sender has sent in total on this lane, modulo 4096.
        fctbs: u16,
        /// FCCL: total up to which its receiver may send on this lane, modulo 4096.
        fccl: u16,
    },
    /// PAUSE frame for a priority (IEEE 802.1Qbb); RESUME if `quanta` is 0.
    Pause {
        /// Lane to pause.
        lane: Lane,
        /// Duration of the pause in quanta of 512 bit times.
        quanta: u16,
    },
}

state_codec::value!(enum Signal { 0 = Credit { lane, fctbs, fccl }, 1 = Pause { lane, quanta } });
