//! Read bandwidth of each input's buffer: in use, and reserved for outputs that wait.
//!
//! Invariant: an input is never read faster than its limit, except by a single packet, which is read at the rate of its
//! output. An output that waits for an input is served after boundedly many packets of others.

use packet::PortId;
use prefetch::prefetch;
use units::Rate;

use crate::tables::PortSet;

/// Read bandwidth of all inputs.
#[derive(Debug)]
pub(crate) struct ReadBandwidth<const WORDS: usize> {
    /// False where packets are not read at inputs: then nothing is limited.
    limited: bool,
    /// By input.
    inputs: Box<[InputBandwidth]>,
    /// Inputs that are read at their limit or faster: no further output can read them.
    saturated: PortSet<WORDS>,
    /// Inputs that not every output can read: they are read or reserved, and the remaining bandwidth is less than the
    /// rate of the fastest output.
    constrained: PortSet<WORDS>,
    /// Rate of the fastest output, in bit/s.
    fastest: u64,
    /// Inputs with a reservation.
    reserved: PortSet<WORDS>,
    /// By input; valid for the inputs in `reserved`.
    reservations: Box<[Reservation]>,
}

/// Read bandwidth of one input's buffer, in bit/s.
#[derive(Debug)]
struct InputBandwidth {
    reading: u64,
    limit: u64,
}

/// Read bandwidth of an input that is reserved for an output that waits.
#[derive(Clone, Copy, Debug)]
struct Reservation {
    output: PortId,
    /// In bit/s.
    rate: u64,
}

impl<const WORDS: usize> ReadBandwidth<WORDS> {
    /// Creates the state of inputs that are not read. `limits` is the read bandwidth of each input's buffer and `fastest`
    /// the rate of the fastest output, in bit/s.
    pub(crate) fn new(limited: bool, limits: Vec<u64>, fastest: u64) -> Self {
        let reservation = Reservation { output: PortId(0), rate: 0 };
        Self {
            limited,
            reservations: vec![reservation; limits.len()].into(),
            inputs: limits.into_iter().map(|limit| InputBandwidth { reading: 0, limit }).collect(),
            saturated: PortSet::EMPTY,
            constrained: PortSet::EMPTY,
            fastest,
            reserved: PortSet::EMPTY,
        }
    }

    /// Returns true if packets are read out of buffers at their inputs.
    #[inline]
    pub(crate) const fn is_limited(&self) -> bool {
        self.limited
    }

    /// Returns true if an input is read or reserved.
    pub(crate) fn is_in_use(&self, input: PortId) -> bool {
        self.inputs[input.index()].reading > 0 || self.reserved.contains(input)
    }

    /// Returns those of `inputs` that `output` can read now at `rate`. An idle input always can be read, since a single
    /// packet is read at the rate of its output. A reserved input can be read if enough remains for the reservation.
    #[inline]
    pub(crate) fn available(
        &self,
        inputs: PortSet<WORDS>,
        output: PortId,
        rate: impl FnOnce() -> Rate,
    ) -> PortSet<WORDS> {
        let available = inputs.without(&self.saturated);
        let constrained = available.and(&self.constrained);
        // Where all links have one rate and the speed-up is a whole number, no input is constrained.
        if constrained.is_empty() {
            available
        } else {
            self.without_unreadable(available, constrained, output, rate())
        }
    }

    /// Removes from `available` those of the `constrained` inputs that `output` cannot read at `rate`.
    #[inline(never)]
    fn without_unreadable(
        &self,
        mut available: PortSet<WORDS>,
        constrained: PortSet<WORDS>,
        output: PortId,
        rate: Rate,
    ) -> PortSet<WORDS> {
        for input in constrained {
            if !self.can_read(input, rate.get(), output) {
                available.remove(input);
            }
        }
        available
    }

    /// Reserves one of `inputs` for `output`, unless it has a reservation or all of them are reserved for others.
    pub(crate) fn reserve(&mut self, output: PortId, rate: Rate, mut inputs: PortSet<WORDS>) {
        if self.reservation_of(output).is_some() {
            return;
        }
        if let Some(input) = inputs.find(|input| !self.reserved.contains(*input)) {
            self.reserved.insert(input);
            self.reservations[input.index()] = Reservation { output, rate: rate.get() };
            self.update(input);
        }
    }

    /// Cancels the reservation of `output`, which cannot send for now. Returns true if there was one.
    pub(crate) fn cancel_reservation(&mut self, output: PortId) -> bool {
        let input = self.reservation_of(output);
        if let Some(input) = input {
            self.reserved.remove(input);
            self.update(input);
        }
        input.is_some()
    }

    /// Returns the input that is reserved for `output`.
    fn reservation_of(&self, output: PortId) -> Option<PortId> {
        let mut reserved = self.reserved;
        reserved.find(|input| self.reservations[input.index()].output == output)
    }

    /// Starts a read of `input` at `rate` for `output`, whose reservation ends.
    #[inline(always)]
    pub(crate) fn start(&mut self, input: PortId, output: PortId, rate: Rate) {
        if self.limited {
            self.inputs[input.index()].reading += rate.get();
            self.update(input);
            if !self.reserved.is_empty() {
                self.cancel_reservation(output);
            }
        }
    }

    /// Prefetches the state of an input.
    #[inline]
    pub(crate) fn prefetch(&self, input: PortId) {
        prefetch(&self.inputs[input.index()]);
    }

    /// Returns the read bandwidth of an input's buffer, in bit/s.
    pub(crate) fn limit(&self, input: PortId) -> u64 {
        self.inputs[input.index()].limit
    }

    /// Returns true if the read that has just started from `input` for `output` can be faster by `more`: no other output
    /// reads the input or has reserved it.
    pub(crate) fn can_speed_up(&self, input: PortId, output: PortId, more: Rate) -> bool {
        !self.saturated.contains(input) && self.can_read(input, more.get(), output)
    }

    /// Makes the read that has just started from `input` faster by `more`.
    pub(crate) fn speed_up(&mut self, input: PortId, more: Rate) {
        self.inputs[input.index()].reading += more.get();
        self.update(input);
    }

    /// Ends a read of `input` at `rate`.
    #[inline(always)]
    pub(crate) fn end(&mut self, input: PortId, rate: Rate) {
        if self.limited {
            self.inputs[input.index()].reading -= rate.get();
            self.update(input);
        }
    }

    /// Brings the sets up to date after a change of an input's reads or reservation.
    #[inline(always)]
    fn update(&mut self, input: PortId) {
        let reserved = self.reservation_on(input).map_or(0, |reservation| reservation.rate);
        let InputBandwidth { reading, limit } = self.inputs[input.index()];
        let saturated = reading > 0 && reading >= limit;
        let taken = reading + reserved;
        self.saturated.set(input, saturated);
        self.constrained.set(input, !saturated && taken > 0 && taken + self.fastest > limit);
    }

    /// Returns the reservation of `input`.
    #[inline(always)]
    fn reservation_on(&self, input: PortId) -> Option<Reservation> {
        self.reserved.contains(input).then(|| self.reservations[input.index()])
    }

    /// Returns true if `output` can read `input` at `rate` in addition to the present reads and the reservation of
    /// another output. Any output can read an input that is neither read nor reserved.
    fn can_read(&self, input: PortId, rate: u64, output: PortId) -> bool {
        let InputBandwidth { reading, limit } = self.inputs[input.index()];
        let of_others = self.reservation_on(input).filter(|reservation| reservation.output != output);
        let taken = reading + of_others.map_or(0, |reservation| reservation.rate);
        taken == 0 || taken + rate <= limit
    }
}
