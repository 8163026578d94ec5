//! The budget of a tuning, divided between the search, the judgement and the sensitivity.
//!
//! Invariant: at least half of the runs are for the search. The judgement has all held-out seeds, or the question is
//! refused. Where the other half is short, fewer members of a Pareto front are judged, and the sensitivity has fewer
//! seeds, or none. A sentence then says so.

/// Runs that a tuning asks for, by purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Demand {
    pub(super) runs: usize,
    /// Candidates that are given beforehand: the baseline, and a guideline.
    pub(super) given: usize,
    /// Runs of each of them in the search.
    pub(super) each_given: usize,
    /// Runs of a point of the space with all training seeds.
    pub(super) each: usize,
    /// Settings that are to be judged, without the given settings.
    pub(super) judged: usize,
    pub(super) held_out: usize,
    /// Neighbours of the best point that the sensitivity looks at; 0 without it.
    pub(super) neighbours: usize,
}

/// Runs of a tuning, by purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    demand: Demand,
    /// Runs of points of the space in the search.
    pub(super) points: usize,
    /// Settings that are judged, without the given settings.
    pub(super) judged: usize,
    /// Training seeds of each neighbour of the best point; 0 if the sensitivity is left out.
    pub(super) moved_seeds: usize,
}

impl Demand {
    /// Divides the runs; `None` if they are too few.
    pub(super) fn divided(self) -> Option<Budget> {
        let others = self.runs / 2;
        let judged = self.judged.min((others / self.held_out).saturating_sub(self.given));
        let left = others.checked_sub((self.given + judged) * self.held_out).filter(|_| judged > 0)?;
        let moved_seeds = left.checked_div(self.neighbours).unwrap_or(0).min(self.each);
        let budget = Budget { demand: self, points: 0, judged, moved_seeds };
        let points = budget.search().checked_sub(self.given * self.each_given)?;
        (points >= self.each).then_some(Budget { points, ..budget })
    }

    /// Returns the smallest number of runs that can be divided.
    pub(super) fn least(self) -> usize {
        let is_enough = |runs: &usize| Self { runs: *runs, ..self }.divided().is_some();
        (self.runs..).find(is_enough).expect("a larger budget has room for everything")
    }
}

impl Budget {
    /// Returns the most runs in all.
    #[must_use]
    pub const fn runs(&self) -> usize {
        self.demand.runs
    }

    /// Returns the runs of the search, of baseline and guideline included.
    #[must_use]
    pub const fn search(&self) -> usize {
        self.demand.runs - self.held_out() - self.sensitivity()
    }

    /// Returns the runs on held-out seeds.
    #[must_use]
    pub const fn held_out(&self) -> usize {
        (self.demand.given + self.judged) * self.demand.held_out
    }

    /// Returns the runs of the sensitivity.
    #[must_use]
    pub const fn sensitivity(&self) -> usize {
        self.demand.neighbours * self.moved_seeds
    }

    /// Returns the division in words, before the first run: the runs of each purpose, and the purposes that the budget
    /// has no room for. The search tries at most `points` points of the space.
    pub(super) fn told(&self, points: usize) -> String {
        let Demand { runs, given, each_given, each, held_out, .. } = self.demand;
        let given_names = if given > 1 { "baseline and guideline" } else { "the baseline" };
        let judged = given + self.judged;
        let sensitivity = match (self.demand.neighbours, self.moved_seeds) {
            (0, _) | (_, 0) => String::new(),
            (neighbours, seeds) => format!(
                "; {} for the sensitivity: {neighbours} neighbours of the best point, {}",
                self.sensitivity(),
                with_each(seeds)
            ),
        };
        let mut text = format!(
            "At most {runs} runs: {} for the search, of which {} for {given_names} and {} for {points} other settings, {}; {} on held-out \
             seeds: {judged} settings, {}{sensitivity}.\n",
            self.search(),
            given * each_given,
            self.points,
            format_args!("up to {}", with_each(each)),
            self.held_out(),
            with_each(held_out),
        );
        self.shortened().into_iter().for_each(|sentence| text += &format!("{sentence}\n"));
        text
    }

    /// Returns a sentence for each purpose for which there are fewer runs than were asked for.
    fn shortened(&self) -> Vec<String> {
        let Demand { given, judged, held_out, neighbours, each, .. } = self.demand;
        let (judgement, moved) = ((given + judged) * held_out, neighbours * each);
        let because = |needed: usize| {
            format!("since half of the runs are for the search; {} runs have room for it", 2 * needed)
        };
        let mut sentences = Vec::new();
        if self.judged < judged {
            let own = self.judged;
            sentences.push(format!(
                "Of the settings with the best compromises at most {own} of {judged} are judged, {}.",
                because(judgement)
            ));
        }
        match self.moved_seeds {
            seeds if neighbours == 0 || seeds == each => {}
            0 => sentences.push(format!("The sensitivity is left out, {}.", because(judgement + moved))),
            seeds => sentences.push(format!(
                "The sensitivity has {seeds} of {each} training seeds, {}.",
                because(judgement + moved)
            )),
        }
        sentences
    }
}

fn with_each(seeds: usize) -> String {
    format!("{seeds} {} each", if seeds == 1 { "seed" } else { "seeds" })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The defaults of `tune` for five parameters, with a guideline.
    const USUAL: Demand =
        Demand { runs: 300, given: 2, each_given: 4, each: 4, judged: 1, held_out: 10, neighbours: 10 };

    fn parts(demand: Demand) -> Option<[usize; 4]> {
        let budget = demand.divided()?;
        Some([budget.search(), budget.held_out(), budget.sensitivity(), budget.points])
    }

    #[test]
    fn the_search_has_at_least_half() {
        assert_eq!(parts(USUAL), Some([230, 30, 40, 222]));
        // All of the other half is for the held-out seeds.
        assert_eq!(parts(Demand { runs: 60, ..USUAL }), Some([30, 30, 0, 22]));
        assert_eq!(parts(Demand { runs: 59, ..USUAL }), None);
        assert_eq!(parts(Demand { runs: 100, ..USUAL }), Some([50, 30, 20, 42]));
        // Of several goals fewer members of the front are judged.
        assert_eq!(parts(Demand { judged: 5, runs: 100, ..USUAL }), Some([50, 50, 0, 42]));
        assert_eq!((USUAL.least(), Demand { runs: 9, ..USUAL }.least()), (300, 60));
    }

    #[test]
    fn a_budget_is_told_with_what_it_has_no_room_for() {
        let told = |demand: Demand| demand.divided().expect("there are enough runs").told(55);
        assert_eq!(
            told(USUAL),
            "At most 300 runs: 230 for the search, of which 8 for baseline and guideline and 222 for 55 other settings, up to 4 seeds each; 30 on \
             held-out seeds: 3 settings, 10 seeds each; 40 for the sensitivity: 10 neighbours of the best point, 4 seeds each.\n"
        );
        assert!(told(Demand { runs: 100, ..USUAL }).ends_with(
            ".\nThe sensitivity has 2 of 4 training seeds, since half of the runs are for the search; 140 runs have room for it.\n"
        ));
        let front = told(Demand { runs: 100, judged: 5, given: 1, ..USUAL });
        assert!(front.ends_with(
            "\nOf the settings with the best compromises at most 4 of 5 are judged, since half of the runs are for the search; 120 runs have \
             room for it.\nThe sensitivity is left out, since half of the runs are for the search; 200 runs have room for it.\n"
        ), "{front}");
        assert!(!told(Demand { neighbours: 0, ..USUAL }).contains("sensitivity"));
    }

    proptest! {
        #[test]
        fn no_purpose_takes_from_the_half_of_the_search(
            runs in 1..400_usize,
            given in 1..3_usize,
            each in 1..6_usize,
            rungs in 1..4_usize,
            judged in prop::sample::select(vec![1_usize, 5]),
            held_out in 2..12_usize,
            neighbours in 0..20_usize,
        ) {
            let demand = Demand { runs, given, each_given: each * rungs, each, judged, held_out, neighbours };
            if let Some(budget) = demand.divided() {
                prop_assert!(2 * budget.search() >= runs);
                prop_assert_eq!(budget.search() + budget.held_out() + budget.sensitivity(), runs);
                prop_assert_eq!(budget.points + given * demand.each_given, budget.search());
                prop_assert!(budget.points >= each && (1..=judged).contains(&budget.judged));
                prop_assert_eq!(demand.least(), runs);
            } else {
                prop_assert!(demand.least() > runs);
            }
            // The sentences name numbers of runs that have room for everything.
            let whole = 2 * ((given + judged) * held_out + neighbours * each).max(demand.least());
            let budget = Demand { runs: whole, ..demand }.divided();
            prop_assert!(budget.is_some_and(|budget| budget.shortened().is_empty()));
        }
    }
}
