//! How fast each input's buffer is being read, and what is kept for outputs that wait.
//!
//! Invariant: an input is never read faster than its limit, but for a single packet, which is read at the rate of
//! its output. An output that waits for an input is served after boundedly many packets of others.

use packet::PortId;
use units::Rate;

use crate::port_set::PortSet;

/// How fast each input's buffer is being read, against how fast it can be.
#[derive(Debug)]
pub(crate) struct Readers<const WORDS: usize> {
    limited: bool,
    /// By input.
    inputs: Box<[Reader]>,
    /// Inputs that are read as fast as they can be, or faster: nothing more is read there.
    spent: PortSet<WORDS>,
    /// Inputs that not every output can read: they are read, or an output waits for them, and what is left is less
    /// than the fastest output would take.
    tied: PortSet<WORDS>,
    /// The rate of the fastest output, in bit/s.
    fastest: u64,
    /// Inputs that an output waits for.
    claimed: PortSet<WORDS>,
    /// By input: what is kept of it.
    claims: Box<[Claim]>,
}

/// How fast one input's buffer is read and can be, in bit/s.
#[derive(Debug)]
struct Reader {
    reading: u64,
    limit: u64,
}

/// For whom an input is kept that somebody waits for, and how fast that one will read, in bit/s.
#[derive(Clone, Copy, Debug)]
struct Claim {
    claimant: PortId,
    kept: u64,
}

impl<const WORDS: usize> Readers<WORDS> {
    /// Of inputs that can be read as fast as these limits say, by outputs that read at most as fast as `fastest`, all
    /// in bit/s.
    pub(crate) fn new(limited: bool, limits: Vec<u64>, fastest: u64) -> Self {
        let reader = |limit| Reader { reading: 0, limit };
        Self {
            limited,
            claims: vec![Claim { claimant: PortId(0), kept: 0 }; limits.len()].into(),
            inputs: limits.into_iter().map(reader).collect(),
            spent: PortSet::EMPTY,
            tied: PortSet::EMPTY,
            fastest,
            claimed: PortSet::EMPTY,
        }
    }

    /// Those of `inputs` whose buffer can be read at `rate` for `output` now. An idle one always can: a single
    /// packet is read at the rate of its output. One that another output waits for can only if that leaves
    /// enough for the other.
    #[inline]
    pub(crate) fn available(
        &self,
        inputs: PortSet<WORDS>,
        output: PortId,
        rate: impl FnOnce() -> Rate,
    ) -> PortSet<WORDS> {
        let available = inputs.without(&self.spent);
        let tied = available.and(&self.tied);
        // Where all links are alike and the speed-up is a whole number, an input bears another reader or is spent.
        if tied.is_empty() { available } else { self.untied(available, tied, output, rate()) }
    }

    /// Those of `available` that bear to be read at `rate` for `output` too; `tied` may not.
    #[inline(never)]
    fn untied(
        &self,
        mut available: PortSet<WORDS>,
        tied: PortSet<WORDS>,
        output: PortId,
        rate: Rate,
    ) -> PortSet<WORDS> {
        for input in tied {
            if !self.bears(input, rate.get(), output) {
                available.remove(input);
            }
        }
        available
    }

    /// `output` waits for one of `inputs`, unless it does already or others wait for all of them.
    pub(crate) fn claim(&mut self, output: PortId, rate: Rate, mut inputs: PortSet<WORDS>) {
        if self.claim_of(output).is_some() {
            return;
        }
        if let Some(input) = inputs.find(|input| !self.claimed.contains(*input)) {
            self.claimed.insert(input);
            self.claims[input.index()] = Claim { claimant: output, kept: rate.get() };
            self.settle(input);
        }
    }

    /// `output` cannot take anything for now: what was kept for it is not, and whether there was something.
    pub(crate) fn release(&mut self, output: PortId) -> bool {
        let input = self.claim_of(output);
        if let Some(input) = input {
            self.claimed.remove(input);
            self.settle(input);
        }
        input.is_some()
    }

    fn claim_of(&self, output: PortId) -> Option<PortId> {
        let mut claimed = self.claimed;
        claimed.find(|input| self.claims[input.index()].claimant == output)
    }

    /// `output` starts to read `input`, and waits no more.
    #[inline]
    pub(crate) fn start(&mut self, input: PortId, output: PortId, rate: Rate) {
        if self.limited {
            self.inputs[input.index()].reading += rate.get();
            self.settle(input);
            if !self.claimed.is_empty() {
                self.release(output);
            }
        }
    }

    /// How fast `input` can be read, in bit/s.
    pub(crate) fn limit(&self, input: PortId) -> u64 {
        self.inputs[input.index()].limit
    }

    /// Whether what has just started from `input` to `output` can be read faster by `more`, as nobody else reads
    /// that input or waits for it.
    pub(crate) fn can_hasten(&self, input: PortId, output: PortId, more: Rate) -> bool {
        !self.spent.contains(input) && self.bears(input, more.get(), output)
    }

    /// What has just started from `input` is read faster by `more`.
    pub(crate) fn hasten(&mut self, input: PortId, more: Rate) {
        self.inputs[input.index()].reading += more.get();
        self.settle(input);
    }

    #[inline]
    pub(crate) fn done(&mut self, input: PortId, rate: Rate) {
        if self.limited {
            self.inputs[input.index()].reading -= rate.get();
            self.settle(input);
        }
    }

    /// How fast an input is read has changed, or what is kept of it.
    #[inline(always)]
    fn settle(&mut self, input: PortId) {
        let kept = self.claim_on(input).map_or(0, |claim| claim.kept);
        let Reader { reading, limit } = self.inputs[input.index()];
        let spent = reading > 0 && reading >= limit;
        self.spent.set(input, spent);
        self.tied.set(input, !spent && reading + kept > 0 && reading + kept + self.fastest > limit);
    }

    /// What is kept of `input`, if an output waits for it.
    #[inline(always)]
    fn claim_on(&self, input: PortId) -> Option<Claim> {
        self.claimed.contains(input).then(|| self.claims[input.index()])
    }

    /// Whether `output` can read `input` at this rate too. If nobody reads it or waits for it, any output can.
    fn bears(&self, input: PortId, rate: u64, output: PortId) -> bool {
        let Reader { reading, limit } = self.inputs[input.index()];
        let of_others = self.claim_on(input).filter(|claim| claim.claimant != output);
        let busy = reading + of_others.map_or(0, |claim| claim.kept);
        busy == 0 || busy + rate <= limit
    }
}
