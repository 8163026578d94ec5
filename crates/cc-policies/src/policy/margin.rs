//! Distance of a load from its limit: the answer to "why did nothing happen?".
//!
//! Invariant: counting changes no decision. A rise that ends above the limit is a crossing; a rise over 90 % of the
//! limit that falls back is a near miss. The 90 % are ours.

/// Smallest distance of a load from its limit, and counts of crossings and near misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// Load that came nearest to its limit, in bytes.
    pub load: u64,
    /// The limit at that time, in bytes. Some limits depend on the number of inputs with waiting packets.
    pub limit: u64,
    /// Number of rises above the limit.
    pub crossings: u32,
    /// Number of rises over 90 % of the limit that fell below that again without exceeding the limit.
    pub near_misses: u32,
}

state_codec::value!(Margin { load, limit, crossings, near_misses });

/// Position of a load relative to its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MarginLevel {
    /// At most 90 % of the limit.
    #[default]
    Below,
    /// More than 90 %, and not over the limit since it was below.
    Near,
    /// Over the limit, or not yet far enough below it.
    Over,
    /// Not over the limit any more, and not below 90 % since.
    After,
}

state_codec::value!(enum MarginLevel { 0 = Below, 1 = Near, 2 = Over, 3 = After });

impl Default for Margin {
    fn default() -> Self {
        // With a limit of 0, no load would count as nearer than this.
        Self { load: 0, limit: 1, crossings: 0, near_misses: 0 }
    }
}

impl Margin {
    /// Counts a load that stood at `was` and is now `load`, against `limit`. Returns the new position.
    #[inline]
    pub(crate) fn step(&mut self, was: MarginLevel, load: u64, limit: u64, is_over: bool) -> MarginLevel {
        if load * self.limit > self.load * limit {
            (self.load, self.limit) = (load, limit);
        }
        let level = if is_over {
            MarginLevel::Over
        } else if load * 10 <= limit * 9 {
            MarginLevel::Below
        } else if matches!(was, MarginLevel::Over | MarginLevel::After) {
            MarginLevel::After
        } else {
            MarginLevel::Near
        };
        self.crossings += u32::from(level == MarginLevel::Over && was != MarginLevel::Over);
        self.near_misses += u32::from(level == MarginLevel::Below && was == MarginLevel::Near);
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts a load against a limit of 100, which it has to fall below 80 to leave again.
    fn after(loads: &[u64]) -> Margin {
        let (mut margin, mut level) = (Margin::default(), MarginLevel::Below);
        for load in loads {
            let is_over = *load > if level == MarginLevel::Over { 80 } else { 100 };
            level = margin.step(level, *load, 100, is_over);
        }
        margin
    }

    #[test]
    fn a_rise_is_a_crossing_or_a_near_miss_never_both() {
        for (loads, crossings, near_misses) in [
            (&[50, 90, 50][..], 0, 0),
            (&[50, 91, 100, 95, 90], 0, 1),
            (&[95, 80, 95, 80], 0, 2),
            (&[95, 101, 81, 95, 102, 80], 1, 0),
            (&[101, 80, 101, 80], 2, 0),
            (&[95], 0, 0),
        ] {
            let margin = after(loads);
            assert_eq!((margin.crossings, margin.near_misses), (crossings, near_misses), "{loads:?}");
            assert_eq!((margin.load, margin.limit), (*loads.iter().max().unwrap(), 100), "{loads:?}");
        }
    }

    #[test]
    fn without_hysteresis_falling_from_above_is_no_near_miss() {
        let mut margin = Margin::default();
        let mut level = MarginLevel::Below;
        for load in [101, 95, 91, 90, 95, 90] {
            level = margin.step(level, load, 100, load > 100);
        }
        assert_eq!((margin.crossings, margin.near_misses), (1, 1));
    }

    #[test]
    fn the_nearest_is_by_share_where_limits_differ() {
        let mut margin = Margin::default();
        for (load, limit) in [(50, 100), (30, 50), (90, 200)] {
            margin.step(MarginLevel::Below, load, limit, false);
        }
        assert_eq!((margin.load, margin.limit), (30, 50));
    }
}
