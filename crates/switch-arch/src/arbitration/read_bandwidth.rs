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
    /// True if the limit of every input is a whole number of reads, all of the same rate. Then only reservations
    /// constrain inputs.
    whole_reads: bool,
    /// Largest number of outputs that read an input at once, if it is the same 1 or 2 for all inputs; else 0. All reads
    /// then have the same rate. For 1 and 2, `read` and `saturated` tell the reads of all inputs, and both are in the
    /// cache line of all other decisions.
    most_reads: u8,
    /// Inputs that are read, if reads are counted so.
    read: PortSet<WORDS>,
    /// Inputs that are read at their limit or faster: no further output can read them.
    saturated: PortSet<WORDS>,
    /// By input; empty if reads are counted by sets.
    inputs: Box<[InputBandwidth]>,
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

state_codec::state!([const WORDS: usize] ReadBandwidth<WORDS> {
    limited: plan,
    whole_reads: plan,
    most_reads: plan,
    read,
    saturated,
    inputs: part,
    constrained,
    fastest: plan,
    reserved,
    reservations: part,
});

/// Read bandwidth of an input's buffer, in bit/s.
#[derive(Clone, Copy, Debug)]
struct InputBandwidth {
    reading: u64,
    /// At least the rate of the input's link, hence more than 0.
    limit: u64,
}

state_codec::state!(InputBandwidth { reading, limit: plan });

/// Read bandwidth of an input that is reserved for an output that waits.
#[derive(Clone, Copy, Debug)]
struct Reservation {
    output: PortId,
    /// In bit/s.
    rate: u64,
}

state_codec::value!(Reservation { output, rate });

impl<const WORDS: usize> ReadBandwidth<WORDS> {
    /// Creates the state of inputs that are not read. `limits` is the read bandwidth of each input's buffer, and
    /// `fastest` the rate of the fastest output. `only_rate` equals `fastest` if every read has this rate. All are in
    /// bit/s.
    pub(crate) fn new(limited: bool, limits: &[u64], fastest: u64, only_rate: Option<u64>) -> Self {
        let reservation = Reservation { output: PortId(0), rate: 0 };
        let whole_reads =
            only_rate.is_some_and(|rate| rate > 0 && limits.iter().all(|limit| limit.is_multiple_of(rate)));
        let most_reads = (1..=2).find(|most| {
            whole_reads && limits.iter().all(|limit| *limit == fastest.saturating_mul(u64::from(*most)))
        });
        let inputs = limits.iter().filter(|_| most_reads.is_none());
        Self {
            limited,
            whole_reads,
            most_reads: most_reads.unwrap_or(0),
            reservations: vec![reservation; limits.len()].into(),
            inputs: inputs.map(|limit| InputBandwidth { reading: 0, limit: *limit }).collect(),
            read: PortSet::EMPTY,
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
        self.of_input(input).reading > 0 || self.reserved.contains(input)
    }

    /// Returns the inputs among `inputs` that `output` can read now at `rate`. An idle input always can be read, since
    /// a single packet is read at the rate of its output. A reserved input can be read if enough remains for the
    /// reservation.
    #[inline]
    pub(crate) fn available(
        &self,
        inputs: PortSet<WORDS>,
        output: PortId,
        rate: impl FnOnce() -> Rate,
    ) -> PortSet<WORDS> {
        let available = inputs.without(&self.saturated);
        let constrained = available.and(&self.constrained);
        // Where all links have the same rate and the speed-up is a whole number, only reservations constrain inputs.
        if constrained.is_empty() {
            available
        } else {
            self.without_unreadable(available, constrained, output, rate())
        }
    }

    /// Removes from `available` the `constrained` inputs that `output` cannot read at `rate`.
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

    /// Reserves an input of `inputs` for `output`, unless `output` has a reservation or all of them are reserved for
    /// others.
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

    /// Cancels the reservation of `output`, which cannot send for now. Returns true if it had a reservation.
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

    /// Starts a read of `input` at `rate` for `output`, and ends the reservation of `output`.
    #[inline(always)]
    pub(crate) fn start(&mut self, input: PortId, output: PortId, rate: Rate) {
        if self.limited {
            self.add(input, rate);
            if !self.reserved.is_empty() {
                self.cancel_reservation(output);
            }
        }
    }

    /// Prefetches the state of an input.
    #[inline]
    pub(crate) fn prefetch(&self, input: PortId) {
        if let Some(input) = self.inputs.get(input.index()) {
            prefetch(input);
        }
    }

    /// Returns the read bandwidth of an input's buffer, in bit/s.
    pub(crate) fn limit(&self, input: PortId) -> u64 {
        self.of_input(input).limit
    }

    /// Returns true if the read of `input` that has just started for `output` can be faster by `more`. The reads and
    /// the reservation of other outputs come first.
    pub(crate) fn can_speed_up(&self, input: PortId, output: PortId, more: Rate) -> bool {
        !self.saturated.contains(input) && self.can_read(input, more.get(), output)
    }

    /// Makes the read that has just started from `input` faster by `more`.
    pub(crate) fn speed_up(&mut self, input: PortId, more: Rate) {
        self.add(input, more);
    }

    /// Ends a read of `input` at `rate`.
    #[inline(always)]
    pub(crate) fn end(&mut self, input: PortId, rate: Rate) {
        if !self.limited {
            return;
        }
        match self.most_reads {
            0 => {
                self.inputs[input.index()].reading -= rate.get();
                self.note_saturation(input);
            }
            most => {
                // With two reads at most, a saturated input has two, so a read remains.
                let is_read_still = most > 1 && self.saturated.contains(input);
                self.read.set(input, is_read_still);
                self.saturated.remove(input);
            }
        }
        self.update(input);
    }

    /// Adds a read of `input` at `rate`.
    #[inline(always)]
    fn add(&mut self, input: PortId, rate: Rate) {
        match self.most_reads {
            0 => {
                self.inputs[input.index()].reading += rate.get();
                self.note_saturation(input);
            }
            most => {
                self.saturated.set(input, most == 1 || self.read.contains(input));
                self.read.insert(input);
            }
        }
        self.update(input);
    }

    fn note_saturation(&mut self, input: PortId) {
        let InputBandwidth { reading, limit } = self.inputs[input.index()];
        self.saturated.set(input, reading >= limit);
    }

    fn of_input(&self, input: PortId) -> InputBandwidth {
        if self.most_reads == 0 {
            return self.inputs[input.index()];
        }
        let reads = u64::from(self.read.contains(input))
            + u64::from(self.most_reads > 1 && self.saturated.contains(input));
        InputBandwidth { reading: reads * self.fastest, limit: u64::from(self.most_reads) * self.fastest }
    }

    /// Brings the set of constrained inputs up to date after a change of an input's reads or reservation.
    #[inline(always)]
    fn update(&mut self, input: PortId) {
        // Without a reservation, an input of whole reads is either saturated or has room for another read. But a set
        // that is not empty has to be brought up to date, since its last reservation may just have ended.
        let is_unconstrained = self.whole_reads && self.reserved.is_empty() && self.constrained.is_empty();
        if !is_unconstrained {
            self.constrain(input);
        }
    }

    #[inline(never)] // Where all links have one rate, few outputs wait for an input.
    fn constrain(&mut self, input: PortId) {
        let reserved = self.reservation_on(input).map_or(0, |reservation| reservation.rate);
        let InputBandwidth { reading, limit } = self.of_input(input);
        let taken = reading + reserved;
        // An input that is read at its limit is in `saturated`, which excludes every output at once.
        self.constrained.set(input, reading < limit && taken > 0 && taken + self.fastest > limit);
    }

    #[inline(always)]
    fn reservation_on(&self, input: PortId) -> Option<Reservation> {
        self.reserved.contains(input).then(|| self.reservations[input.index()])
    }

    /// Returns true if `output` can read `input` at `rate` in addition to the present reads and the reservation of
    /// another output. Any output can read an input that is neither read nor reserved.
    fn can_read(&self, input: PortId, rate: u64, output: PortId) -> bool {
        let InputBandwidth { reading, limit } = self.of_input(input);
        let of_others = self.reservation_on(input).filter(|reservation| reservation.output != output);
        let taken = reading + of_others.map_or(0, |reservation| reservation.rate);
        taken == 0 || taken + rate <= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rates of the outputs, different or all alike, and limits of the inputs, in Gb/s.
    const RATES: [[u64; 4]; 2] = [[8, 16, 4, 16], [8; 4]];
    const LIMITS: [[u64; 3]; 3] = [[8, 16, 24], [16; 3], [8; 3]];

    #[derive(Clone, Copy, Debug)]
    enum Op {
        /// The output starts a read of this input, if it can.
        Start(usize, usize),
        /// The output ends its read.
        End(usize),
        /// The output asks for a reservation of any input that has its bit in the mask.
        Reserve(usize, u8),
        /// The output gives up its reservation.
        Cancel(usize),
    }

    fn op() -> impl Strategy<Value = Op> {
        let (output, input) = (0..4_usize, 0..3_usize);
        prop_oneof![
            3 => (output.clone(), input).prop_map(|(output, input)| Op::Start(output, input)),
            2 => output.clone().prop_map(Op::End),
            1 => (output.clone(), 0..8u8).prop_map(|(output, mask)| Op::Reserve(output, mask)),
            1 => output.prop_map(Op::Cancel),
        ]
    }

    /// Reads and reservations, each written down by itself.
    #[derive(Default)]
    struct Book {
        /// Rates of the outputs, in Gb/s.
        rates: [u64; 4],
        /// By output, the input that it reads.
        reads: [Option<usize>; 4],
        /// By input, the output that it is reserved for.
        reserved: [Option<usize>; 3],
        /// By input, in Gb/s.
        limits: [u64; 3],
    }

    impl Book {
        fn reading(&self, input: usize) -> u64 {
            (0..4).filter(|output| self.reads[*output] == Some(input)).map(|output| self.rates[output]).sum()
        }

        /// Bandwidth that `output` cannot have, in Gb/s.
        fn taken(&self, input: usize, output: usize) -> u64 {
            let of_others = self.reserved[input].filter(|other| *other != output);
            self.reading(input) + of_others.map_or(0, |other| self.rates[other])
        }

        fn can_read(&self, input: usize, output: usize) -> bool {
            let taken = self.taken(input, output);
            taken == 0 || taken + self.rates[output] <= self.limits[input]
        }

        fn cancel(&mut self, output: usize) -> bool {
            let input = self.reserved.iter().position(|other| *other == Some(output));
            input.map(|input| self.reserved[input] = None).is_some()
        }
    }

    fn port(number: usize) -> PortId {
        PortId(number as u16)
    }

    fn ports(numbers: impl Iterator<Item = usize>) -> PortSet<1> {
        let mut set = PortSet::EMPTY;
        numbers.for_each(|number| set.insert(port(number)));
        set
    }

    fn check(bandwidth: &ReadBandwidth<1>, book: &Book) -> Result<(), TestCaseError> {
        let all = ports(0..3);
        for input in 0..3 {
            let in_use = book.reading(input) > 0 || book.reserved[input].is_some();
            prop_assert_eq!(bandwidth.is_in_use(port(input)), in_use);
        }
        for output in (0..4).filter(|output| book.reads[*output].is_none()) {
            let available = bandwidth.available(all, port(output), || Rate::gbps(book.rates[output]));
            let expected = ports((0..3).filter(|input| book.can_read(*input, output)));
            prop_assert_eq!(available, expected, "output {}", output);
        }
        // Where all reads have the same rate, none speeds up.
        let reads = (0..).zip(book.reads).filter(|_| book.rates == RATES[0]);
        for (output, input) in reads.filter_map(|(output, input)| Some((output, input?))) {
            for more in 1..=24 {
                let fits = book.taken(input, output) + more <= book.limits[input];
                prop_assert_eq!(bandwidth.can_speed_up(port(input), port(output), Rate::gbps(more)), fits);
            }
        }
        Ok(())
    }

    proptest! {
        /// An output can read exactly the inputs with enough bandwidth beside the reads of others and a reservation of
        /// another. This holds whatever starts, ends, is reserved or is given up.
        #[test]
        fn reads_and_reservations_are_within_the_limits(has_one_rate in any::<bool>(), limits in 0..3_usize, ops in prop::collection::vec(op(), 0..60)) {
            let mut book = Book { rates: RATES[usize::from(has_one_rate)], limits: LIMITS[limits], ..Book::default() };
            let limits = book.limits.map(|limit| Rate::gbps(limit).get()).to_vec();
            let fastest = book.rates.into_iter().max().map_or(0, |rate| Rate::gbps(rate).get());
            let mut bandwidth = ReadBandwidth::<1>::new(true, &limits, fastest, has_one_rate.then_some(fastest));
            check(&bandwidth, &book)?;
            for op in ops {
                match op {
                    Op::Start(output, input) => {
                        if book.reads[output].is_none() && book.can_read(input, output) {
                            bandwidth.start(port(input), port(output), Rate::gbps(book.rates[output]));
                            book.reads[output] = Some(input);
                            book.cancel(output);
                        }
                    }
                    Op::End(output) => {
                        if let Some(input) = book.reads[output].take() {
                            bandwidth.end(port(input), Rate::gbps(book.rates[output]));
                        }
                    }
                    Op::Reserve(output, mask) => {
                        let named = || (0..3).filter(|input| mask >> input & 1 == 1);
                        bandwidth.reserve(port(output), Rate::gbps(book.rates[output]), ports(named()));
                        // An output has a single reservation: of the first input that is not reserved yet.
                        if !book.reserved.contains(&Some(output))
                            && let Some(input) = named().find(|input| book.reserved[*input].is_none())
                        {
                            book.reserved[input] = Some(output);
                        }
                    }
                    Op::Cancel(output) => {
                        prop_assert_eq!(bandwidth.cancel_reservation(port(output)), book.cancel(output));
                    }
                }
                check(&bandwidth, &book)?;
            }
        }
    }

    #[test]
    fn a_read_that_speeds_up_takes_more_and_gives_it_back() {
        let mut bandwidth = ReadBandwidth::<1>::new(true, &[16], 16, None);
        let (input, output) = (PortId(0), PortId(0));
        bandwidth.start(input, output, Rate::bps(4));
        bandwidth.speed_up(input, Rate::bps(8));
        let can_read = |bandwidth: &ReadBandwidth<1>, rate| {
            !bandwidth.available(ports(0..1), PortId(1), || Rate::bps(rate)).is_empty()
        };
        assert_eq!([4, 5].map(|rate| can_read(&bandwidth, rate)), [true, false]);
        bandwidth.end(input, Rate::bps(12));
        assert!(can_read(&bandwidth, 16) && !bandwidth.is_in_use(input));
    }

    /// Memory that belongs to outputs is read by each of them at its own rate.
    #[test]
    fn without_a_limit_nothing_is_taken() {
        let mut bandwidth = ReadBandwidth::<1>::new(false, &[1], 1, Some(1));
        bandwidth.start(PortId(0), PortId(0), Rate::bps(1));
        assert!(!bandwidth.is_limited() && !bandwidth.is_in_use(PortId(0)));
        assert!(!bandwidth.available(ports(0..1), PortId(1), || Rate::bps(1)).is_empty());
        bandwidth.end(PortId(0), Rate::bps(1));
    }
}
