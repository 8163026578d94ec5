//! How fast each input's buffer is being read, and what is kept for outputs that wait.
//!
//! Invariant: an input is never read faster than its limit, but for a single packet, which is read at the rate of
//! its output. An output that waits for an input is served after boundedly many packets of others.

use link_layer::PortSet;
use packet::PortId;
use units::Rate;

/// How fast each input's buffer is being read, against how fast it can be.
#[derive(Debug)]
pub(crate) struct Readers {
    limited: bool,
    reading: Vec<u64>,
    limit: Vec<u64>,
    busy: PortSet,
    /// Inputs that an output waits for, which output, and how fast it will read.
    claimed: PortSet,
    claims: Vec<(PortId, u64)>,
}

impl Readers {
    pub(crate) fn new(limited: bool, limit: Vec<u64>) -> Self {
        let ports = limit.len();
        Self {
            limited,
            reading: vec![0; ports],
            limit,
            busy: PortSet::EMPTY,
            claimed: PortSet::EMPTY,
            claims: vec![(PortId(0), 0); ports],
        }
    }

    /// Those of `inputs` whose buffer can be read at `rate` for `output` now. An idle one always can: a single
    /// packet is read at the rate of its output. One that another output waits for can only if that leaves
    /// enough for the other.
    pub(crate) fn available(&self, inputs: PortSet, output: PortId, rate: Rate) -> PortSet {
        let mut available = inputs;
        for input in inputs.and(&self.busy) {
            if self.reading[input.index()] + rate.get() > self.limit[input.index()] {
                available.remove(input);
            }
        }
        for input in inputs.and(&self.claimed) {
            let (claimant, kept) = self.claims[input.index()];
            if claimant != output
                && self.reading[input.index()] + rate.get() + kept > self.limit[input.index()]
            {
                available.remove(input);
            }
        }
        available
    }

    /// `output` waits for one of `inputs`, unless it does already or others wait for all of them.
    pub(crate) fn claim(&mut self, output: PortId, rate: Rate, mut inputs: PortSet) {
        if self.claim_of(output).is_some() {
            return;
        }
        if let Some(input) = inputs.find(|input| !self.claimed.contains(*input)) {
            self.claimed.insert(input);
            self.claims[input.index()] = (output, rate.get());
        }
    }

    /// `output` cannot take anything for now: what was kept for it is not, and whether there was something.
    pub(crate) fn release(&mut self, output: PortId) -> bool {
        let input = self.claim_of(output);
        input.into_iter().for_each(|input| self.claimed.remove(input));
        input.is_some()
    }

    fn claim_of(&self, output: PortId) -> Option<PortId> {
        let mut claimed = self.claimed;
        claimed.find(|input| self.claims[input.index()].0 == output)
    }

    /// `output` starts to read `input`, and waits no more.
    pub(crate) fn start(&mut self, input: PortId, output: PortId, rate: Rate) {
        if self.limited {
            self.reading[input.index()] += rate.get();
            self.busy.insert(input);
            if let Some(input) = self.claim_of(output) {
                self.claimed.remove(input);
            }
        }
    }

    /// How fast `input` can be read, in bit/s.
    pub(crate) fn limit(&self, input: PortId) -> u64 {
        self.limit[input.index()]
    }

    /// Whether what has just started from `input` to `output` can be read faster by `more`, as nobody else reads
    /// that input or waits for it.
    pub(crate) fn can_hasten(&self, input: PortId, output: PortId, more: Rate) -> bool {
        let mut this = PortSet::EMPTY;
        this.insert(input);
        !self.available(this, output, more).is_empty()
    }

    /// What has just started from `input` is read faster by `more`.
    pub(crate) fn hasten(&mut self, input: PortId, more: Rate) {
        self.reading[input.index()] += more.get();
    }

    pub(crate) fn done(&mut self, input: PortId, rate: Rate) {
        if self.limited {
            self.reading[input.index()] -= rate.get();
            if self.reading[input.index()] == 0 {
                self.busy.remove(input);
            }
        }
    }
}
