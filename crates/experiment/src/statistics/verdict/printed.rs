//! A verdict in sentences.
//!
//! Invariant: every sentence names its numbers; nothing is called better without the words that say how sure it is.

use std::fmt::{self, Display, Formatter};

use results::format::{capital, counted, listed, lowered};

use super::{Comparison, MOST_MORE, Test, Verdict};
use crate::statistics::estimate::Estimate;
use measures::Direction;

/// Largest number of edges that are named.
const MOST_EDGES: usize = 4;
/// Share of the larger number from which a difference is no tie, even if the seeds do not tell it from chance.
const FAR: f64 = 0.1;
/// Largest number of settings that are named as not differing from the best.
const MOST_TIES: usize = 3;

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sentences = [
            Some(self.of_best()),
            self.told().map(|one| self.of_comparison(one)),
            self.of_ties(),
            self.of_unknown(),
            self.of_edges(),
            self.of_left_out(),
        ];
        f.write_str(&sentences.into_iter().flatten().collect::<Vec<_>>().join("\n"))
    }
}

impl Verdict {
    /// Returns the finding without its certainty: the best setting, its mean, and its difference from another.
    #[must_use]
    pub fn finding(&self) -> String {
        let best = self.of_best();
        let Some(comparison) = self.told() else { return best };
        let difference = self.difference(comparison);
        format!("{}: {}.", best.trim_end_matches('.'), lowered(&difference))
    }

    /// Returns the certainty of the finding, in sentences.
    #[must_use]
    pub fn certainty(&self) -> String {
        let tested = self.told().filter(|one| !one.is_equal() && !one.is_impossible());
        let of_comparison = tested.map(|one| {
            let certainty = self.certainty_of(one);
            capital(&certainty)
        });
        let sentences = [of_comparison, self.of_ties(), self.of_unknown(), self.of_left_out()];
        sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Returns finding and certainty of runs that draw nothing at random, so that no seed gives other numbers.
    #[must_use]
    pub fn without_chance(&self) -> String {
        let has_difference = self.told().is_some_and(|one| !one.is_equal() && !one.is_impossible());
        let exact = if has_difference {
            "Nothing is drawn at random, so that every seed gives this difference."
        } else {
            "Nothing is drawn at random, so that every seed gives these numbers."
        };
        let sentences = [Some(self.finding()), Some(exact.to_owned()), self.of_unknown()];
        sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Returns the sentence on values of the best setting beyond which none was tried; `None` if there are none.
    #[must_use]
    pub fn edges(&self) -> Option<String> {
        self.of_edges()
    }

    /// Returns the comparison that is told in a sentence of its own: not if its order is open, or if nothing differs.
    fn told(&self) -> Option<&Comparison> {
        self.comparison().filter(|one| !one.is_open() && !self.all_are_equal())
    }

    /// Returns true if all settings have the same number in every seed.
    #[must_use]
    pub fn all_are_equal(&self) -> bool {
        !self.others.is_empty() && self.others.iter().all(Comparison::is_equal)
    }

    fn of_best(&self) -> String {
        let count = self.others.len() + 1;
        let settings =
            if count == 1 { "The only setting".to_owned() } else { format!("Best of {count} settings") };
        let direction = match self.question.better {
            Direction::Smaller => "smaller",
            Direction::Larger => "larger",
        };
        let number =
            self.best.estimate.map_or_else(|| "not known in every seed".to_owned(), |one| self.spelled(&one));
        let seeds = counted(self.seeds, "seed");
        let measure = &self.question.measure;
        if let Some(open) = self.comparison().filter(|one| one.is_open()) {
            return format!(
                "No setting is known to be the best by {measure} ({direction} is better): {} has {number} over {seeds}, and the number of {} \
                 is a bound, which leaves the order open.",
                self.best.name, open.other.name
            );
        }
        if self.all_are_equal() {
            return format!("All {count} settings have the same {measure}: {number} over {seeds}.");
        }
        format!("{settings} by {measure} ({direction} is better): {}, {number} over {seeds}.", self.best.name)
    }

    fn of_comparison(&self, comparison: &Comparison) -> String {
        let difference = self.difference(comparison);
        if comparison.is_equal() || comparison.is_impossible() {
            return format!("{difference}.");
        }
        format!("{difference}: {}", self.certainty_of(comparison))
    }

    /// Returns the difference of the best from another setting, without a point.
    pub(crate) fn difference(&self, comparison: &Comparison) -> String {
        let other = self.name_of(comparison);
        let difference = match (comparison.advantage, comparison.test) {
            _ if comparison.is_equal() => return format!("It does not differ from {other}"),
            _ if comparison.is_impossible() => {
                return format!("No run of {} has a number", comparison.other.name);
            }
            (Some(advantage), Test::PairedT) => {
                format!("{}{} {}", self.spelled(&advantage), share(&advantage, comparison), self.than())
            }
            (Some(advantage), Test::Signs) if advantage.mean > 0.0 => {
                format!("At least {} {}", self.question.unit.spelled(advantage.mean), self.than())
            }
            _ => format!(
                "Better in {} and worse in {} of {} compared with",
                comparison.wins.0,
                comparison.wins.1,
                counted(self.seeds, "seed")
            ),
        };
        format!("{difference} {other}")
    }

    /// Returns the end of the sentence about a comparison: whether it is significant, and by which test.
    fn certainty_of(&self, comparison: &Comparison) -> String {
        let Some(chance) = comparison.corrected_chance else {
            return "one seed shows no spread, so nothing says whether that is chance; run several."
                .to_owned();
        };
        if comparison.significant && comparison.test == Test::PairedT && comparison.is_alike() {
            return "the same in every seed.".to_owned();
        }
        if let Some(more) = comparison.more_seeds.filter(|_| comparison.is_undecidable()) {
            return self.too_few(comparison.wins.0, more);
        }
        let test = match comparison.test {
            Test::PairedT => "paired t test",
            Test::Signs | Test::Impossible => "sign test, since a number is not known",
        };
        let correction = self.correction();
        let verdict = if comparison.significant { "significant" } else { "not significant" };
        let more = comparison.more_seeds.map(|more| match more {
            0..=MOST_MORE => format!("; about {} would settle it", counted(more, "more seed")),
            _ => format!("; more than {MOST_MORE} more seeds would be needed to tell them apart"),
        });
        let chance = chance_in_words(chance);
        format!("{verdict} ({test}, {chance}{correction}){}.", more.unwrap_or_default())
    }

    fn correction(&self) -> String {
        match self.others.iter().filter(|one| !one.is_impossible()).count() {
            0 | 1 => String::new(),
            comparisons => format!(" after Holm's correction for {comparisons} comparisons"),
        }
    }

    /// Says that so few seeds cannot be significant by the sign test, and how many can.
    fn too_few(&self, wins: usize, more: usize) -> String {
        let correction = self.correction();
        format!(
            "{} cannot be significant by the sign test, which is used since a number is a bound or missing; {} are \
             needed{correction}.",
            counted(wins, "seed"),
            wins + more
        )
    }

    fn of_ties(&self) -> Option<String> {
        if self.all_are_equal() {
            return None;
        }
        let others = self.others.iter().enumerate();
        let ties = others
            .filter(|(place, one)| Some(*place) != self.against && !one.significant && !one.is_impossible());
        let (undecided, ties): (Vec<_>, Vec<_>) =
            ties.map(|(_, one)| one).partition(|one| one.is_undecidable());
        let (apart, ties): (Vec<_>, Vec<_>) = ties.into_iter().partition(|one| self.is_far(one));
        let differ = if ties.len() == 1 { "does" } else { "do" };
        let names = || match ties.len() {
            1..=MOST_TIES => listed(&ties.iter().map(|one| one.other.name.clone()).collect::<Vec<_>>()),
            count => counted(count, "other setting"),
        };
        let ties = (!ties.is_empty() && self.seeds > 1)
            .then(|| format!("{} {differ} not differ significantly from the best.", names()));
        let apart = self.of_apart(&apart).filter(|_| self.seeds > 1);
        let sentences: Vec<_> = self.of_undecided(&undecided).into_iter().chain(apart).chain(ties).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Returns true if the best is better by a clear share of the larger number, on average.
    fn is_far(&self, comparison: &Comparison) -> bool {
        let numbers = [self.best.estimate, comparison.other.estimate];
        let larger = numbers.iter().flatten().map(|one| one.mean.abs()).fold(0.0, f64::max);
        let ahead = comparison.advantage.filter(|_| comparison.test == Test::PairedT);
        ahead.is_some_and(|advantage| advantage.mean > FAR * larger)
    }

    /// Says of settings whose means lie far behind that the seeds do not tell whether that is chance.
    fn of_apart(&self, apart: &[&Comparison]) -> Option<String> {
        let named = |one: &&Comparison| {
            let number = one.other.estimate.map(|one| self.spelled(&one)).unwrap_or_default();
            format!("{} ({number})", one.other.name)
        };
        let names = match apart.len() {
            0 => return None,
            1..=MOST_TIES => listed(&apart.iter().map(named).collect::<Vec<_>>()),
            count => counted(count, "setting that lies far behind"),
        };
        Some(format!("{} are too few to tell {names} from the best.", counted(self.seeds, "seed")))
    }

    /// Says how far settings lie behind for which the seeds are too few to decide.
    fn of_undecided(&self, undecided: &[&Comparison]) -> Option<String> {
        let most = undecided.iter().filter_map(|one| one.more_seeds.map(|more| (one.wins.0, more)));
        let (wins, more) = most.max_by_key(|(_, more)| *more)?;
        let bounds: Option<Vec<f64>> = undecided.iter().map(|one| Some(one.advantage?.mean)).collect();
        let least = bounds.map(|all| all.into_iter().fold(f64::INFINITY, f64::min));
        let by = least.filter(|least| *least > 0.0);
        let by = by
            .map_or_else(String::new, |least| format!(", by at least {}", self.question.unit.spelled(least)));
        let is = if undecided.len() == 1 { "is" } else { "are" };
        let settings = counted(undecided.len(), "other setting");
        let said = self.against.is_some_and(|place| self.others[place].is_undecidable());
        let few = if said {
            String::new()
        } else {
            format!(": {}", self.too_few(wins, more).trim_end_matches('.'))
        };
        Some(format!("{settings} {is} worse in every seed that tells{by}{few}."))
    }

    fn of_unknown(&self) -> Option<String> {
        let all = || self.others.iter().map(|one| &one.other).chain([&self.best]);
        let (censored, missing) = all().fold((0, 0), |sum, one| (sum.0 + one.censored, sum.1 + one.missing));
        let settings = all().filter(|one| one.unknown() > 0).count();
        let rank = if self.best.unknown() == 0 { "which rank last" } else { "the best among them" };
        (settings > 0).then(|| {
            format!(
                "Not all numbers are known: {censored} censored (unfinished at the end of the run) and {missing} missing, in {}, \
                 {rank}.",
                counted(settings, "setting")
            )
        })
    }

    fn of_edges(&self) -> Option<String> {
        let edge = |edge: &super::EdgeOfTried| {
            let end = if edge.is_largest { "largest" } else { "smallest" };
            format!("{}={} is the {end} tried", edge.path, edge.value)
        };
        let edges: Vec<_> = self.best.edges.iter().take(MOST_EDGES).map(edge).collect();
        let more = self.best.edges.len().saturating_sub(MOST_EDGES);
        let more = if more > 0 { format!(", and {more} more values are at an edge") } else { String::new() };
        (!edges.is_empty() && !self.all_are_equal())
            .then(|| format!("At the edge: {}{more}; the best may lie beyond.", edges.join(", ")))
    }

    fn of_left_out(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            format!("{} left out, since not every setting has their seeds.", counted(self.left_out, "run"))
        })
    }

    fn name_of(&self, comparison: &Comparison) -> String {
        let name = &comparison.other.name;
        if self.question.baseline == Some(comparison.other.place) {
            format!("the baseline {name}")
        } else if self.question.baseline == Some(self.best.place) {
            format!("{name}, the next best (the best is the baseline)")
        } else {
            format!("{name}, the next best")
        }
    }

    const fn than(&self) -> &'static str {
        match self.question.better {
            Direction::Smaller => "less than",
            Direction::Larger => "more than",
        }
    }

    /// Returns a number with its interval: `2.41 ms ± 0.12 ms`.
    fn spelled(&self, estimate: &Estimate) -> String {
        estimate.spelled(self.question.unit)
    }
}

/// Returns a chance, with a bound in place of a number that rounds to none: `p = 0.03`, `p < 0.01`, `p < 0.0001`.
pub(crate) fn chance_in_words(chance: f64) -> String {
    match chance {
        tiny if tiny < 1e-4 => "p < 0.0001".to_owned(),
        small if small < 0.01 => "p < 0.01".to_owned(),
        chance => format!("p = {chance:.2}"),
    }
}

/// Returns the advantage as a share of the other setting's number: ` (18 %)`.
fn share(advantage: &Estimate, comparison: &Comparison) -> String {
    let other = comparison.other.estimate.map(|other| other.mean.abs()).filter(|mean| *mean > 0.0);
    other.map_or_else(String::new, |mean| match 100.0 * advantage.mean / mean {
        percent if percent.abs() < 0.05 => " (less than 0.1 %)".to_owned(),
        percent => format!(" ({percent:.1} %)"),
    })
}
