//! What can be wrong with claims before anything is run.
//!
//! Invariant: claims without a fault can be judged, if their runs have the flows and phases they look for.

use super::claims::{Claim, Dimension, Measure, Paper, Unit};
use super::grid::Grid;

impl Paper {
    /// What is wrong with them, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        if self.seeds.quick == 0 || self.seeds.full == 0 {
            return Some("every run needs a seed".to_owned());
        }
        let faults = [self.fault_of_measures(), self.fault_of_claims(), self.fault_of_pictures()];
        faults.into_iter().flatten().next()
    }

    fn fault_of_measures(&self) -> Option<String> {
        let quantities =
            self.references.iter().map(|(name, quantity)| (name, &quantity.run, &quantity.measure));
        let claims = self.claims.iter().map(|claim| (&claim.id, &claim.run, &claim.measure));
        for (name, run, measure) in quantities.chain(claims) {
            if !self.runs.contains_key(run) {
                return Some(format!("{name} looks at `{run}`, which is not among the runs"));
            }
            if let Some(fault) = measure.fault() {
                return Some(format!("{name} {fault}"));
            }
        }
        None
    }

    fn fault_of_claims(&self) -> Option<String> {
        let mut ids: Vec<_> = self.claims.iter().map(|claim| &claim.id).collect();
        ids.sort();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(format!("two claims are called `{}`", twice[0]));
        }
        self.claims.iter().find_map(|claim| {
            let unit = self.fault_of_unit(&claim.id, &claim.measure, &claim.unit);
            unit.or_else(|| self.fault_of_comparison(claim))
        })
    }

    /// Whether a unit does not fit what is measured in it.
    pub(super) fn fault_of_unit(&self, id: &str, measure: &Measure, unit: &Unit) -> Option<String> {
        if let Unit::Of(name) = unit {
            match self.references.get(name) {
                None => {
                    return Some(format!("{id} is measured in `{name}`, which is not among the references"));
                }
                Some(reference) if reference.measure.dimension() != Dimension::Goodput => {
                    return Some(format!("{name} is not a goodput, and nothing can be measured in it"));
                }
                Some(_) => {}
            }
        }
        let fits = measure.dimension() == unit.dimension();
        (!fits).then(|| format!("the unit of {id} does not fit what it measures"))
    }

    fn fault_of_comparison(&self, claim: &Claim) -> Option<String> {
        let name = claim.expect.reference()?;
        let id = &claim.id;
        match self.references.get(name) {
            None => Some(format!("{id} is compared with `{name}`, which is not among the references")),
            Some(reference) if reference.measure.dimension() != claim.measure.dimension() => {
                Some(format!("{id} is compared with `{name}`, which is of another kind"))
            }
            Some(_) => None,
        }
    }

    fn fault_of_pictures(&self) -> Option<String> {
        let tables = self.tables.iter().find_map(|table| table.fault(self));
        let sweeps = || self.sweeps.iter().find_map(|sweep| sweep.fault(self));
        let grid = || self.grid.as_ref().and_then(Grid::fault);
        tables
            .or_else(sweeps)
            .or_else(grid)
            .or_else(|| self.figures.iter().find_map(|figure| figure.fault(self)))
    }
}

impl Measure {
    /// What is wrong with it by itself.
    fn fault(&self) -> Option<&'static str> {
        match self {
            Self::Total { phase: 1.. }
            | Self::Lowest { phase: 1.. }
            | Self::Queue { phase: 1.., .. }
            | Self::QueueSwing { phase: 1.., .. }
            | Self::Pauses
            | Self::Marked
            | Self::Lost => None,
            Self::BackAfter { phase: 2.., share } if *share > 0.0 && *share <= 1.0 => None,
            Self::BackAfter { .. } => {
                Some("needs a phase after the first, and a share above 0 and at most 1")
            }
            _ if self.flows().is_empty() || self.phase() == Some(0) => {
                Some("needs a flow and a phase counted from 1")
            }
            Self::TimeToReach { phase: 1, .. } => Some("needs a phase before its own"),
            Self::TimeToReach { share, .. } if !(*share > 0.0 && *share <= 1.0) => {
                Some("needs a share above 0 and at most 1")
            }
            Self::Held { switches, packet_bytes, .. } if switches.is_empty() || *packet_bytes == 0 => {
                Some("needs a switch and the length of a packet")
            }
            _ => None,
        }
    }
}
