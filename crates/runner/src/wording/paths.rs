//! The choices of switches with groups of ports, in words.
//!
//! Invariant: a fabric in which every switch has one port for each host has no line.

use core::fmt::Display;
use core::ops::RangeInclusive;

use results::format::grouped;
use scenario::{PathChoices, Plan};

/// Says which switches choose among how many ports, how many paths that makes, and that no choice can end in a deadlock.
pub(super) fn paths(plan: &Plan) -> Option<String> {
    let PathChoices { switches, ports, paths, selectors } = plan.path_choices()?;
    let (all, layers, lanes) = (plan.graph().switches(), plan.routes().layers(), plan.link().data_lanes);
    let selectors = selectors.into_iter().collect::<Vec<_>>().join(" or ");
    let paths = grouped(*paths.start())..=grouped(*paths.end());
    let verdict = match plan.dependency_cycle() {
        None => "packets cannot wait for each other in a cycle, whatever is chosen",
        Some(_) => "packets could wait for each other in a cycle",
    };
    Some(format!(
        "paths: {switches} of {all} switches choose among {} ports, by {selectors}: {} paths between hosts of different \
         switches; {layers} of {lanes} lanes needed; {verdict}\n",
        range(&ports),
        range(&paths)
    ))
}

fn range<T: Display + PartialEq>(range: &RangeInclusive<T>) -> String {
    let (least, most) = (range.start(), range.end());
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulation;

    fn line(sets: &[&str]) -> Option<String> {
        let mut simulation = Simulation::find("bench-a32").expect("it ships");
        for set in sets {
            simulation = simulation.set(set).expect("a field");
        }
        paths(&simulation.check().expect("nothing is wrong"))
    }

    #[test]
    fn choices_have_a_line() {
        assert_eq!(line(&[]), None);
        assert_eq!(
            line(&["routing=Ecmp"]).as_deref(),
            Some(
                "paths: 8 of 12 switches choose among 4 ports, by Hash: 4 paths between hosts of different switches; 1 of 1 \
                 lanes needed; packets cannot wait for each other in a cycle, whatever is chosen\n"
            )
        );
    }
}
