//! Outputs that may be able to send, and outputs that wait.
//!
//! Invariant: an output that could send is due by the end of the instant. An output that waits becomes due as soon as
//! the cause may have gone.

use packet::PortId;

use crate::arbitration::{Grant, Request};
use crate::tables::PortSet;

/// Outputs that are due, and outputs that wait.
#[derive(Debug)]
#[repr(C)] // In the order of use.
pub(super) struct Agenda<const WORDS: usize> {
    /// Outputs to decide about once all events of this instant are handled.
    pub(super) due: PortSet<WORDS>,
    /// Outputs that lacked credit for a packet when they last asked.
    pub(super) lacking_credit: PortSet<WORDS>,
    /// Outputs with contenders that cannot be read fast enough at present.
    pub(super) awaiting_read: PortSet<WORDS>,
}

state_codec::value!([const WORDS: usize] Agenda<WORDS> { due, lacking_credit, awaiting_read });

impl<const WORDS: usize> Agenda<WORDS> {
    /// The agenda of an idle switch.
    pub(super) const IDLE: Self =
        Self { due: PortSet::EMPTY, lacking_credit: PortSet::EMPTY, awaiting_read: PortSet::EMPTY };

    /// Returns true if `output` waits for credit or for an input.
    pub(super) fn waits(&self, output: PortId) -> bool {
        self.lacking_credit.contains(output) || self.awaiting_read.contains(output)
    }

    /// Makes all outputs due that wait for an input, since read bandwidth or a reservation was released.
    #[inline]
    pub(super) fn retry_reads(&mut self) {
        self.due.insert_all(&core::mem::take(&mut self.awaiting_read));
    }

    /// Lets the outputs of `requests` that are not in `grants` wait for an input.
    pub(super) fn await_reads(&mut self, requests: &[Request<WORDS>], grants: &[Grant]) {
        requests.iter().for_each(|request| self.awaiting_read.insert(request.output));
        grants.iter().for_each(|grant| self.awaiting_read.remove(grant.output));
    }
}
