//! The choices of switches with groups of ports, in words.
//!
//! Invariant: a fabric in which every switch has one port for each host has no line.

use core::fmt::Display;
use core::ops::RangeInclusive;

use results::format::grouped;
use scenario::{PacketClass, PathChoices, Plan};
use switch_arch::spec::SelectedPacketsSpec;
use units::Bytes;

use super::counted;

/// Says which switches choose among how many ports, how many paths that makes, and that no choice can end in a deadlock.
pub(super) fn paths(plan: &Plan) -> Option<String> {
    let PathChoices { switches, ports, paths, selectors, entropies, classes, small } = plan.path_choices()?;
    let (all, layers, lanes) = (plan.graph().switches(), plan.routes().layers(), plan.link().data_lanes);
    let entropies = entropies.into_iter().collect::<Vec<_>>().join(" or ");
    let of_entropies =
        if entropies.is_empty() { String::new() } else { format!(" with entropy by {entropies}") };
    let selectors = chosen_by(&selectors.into_iter().collect::<Vec<_>>(), &classes, small);
    let paths = grouped(*paths.start())..=grouped(*paths.end());
    let verdict = match plan.dependency_cycle() {
        None => "packets cannot wait for each other in a cycle, whatever is chosen",
        Some(_) => "packets could wait for each other in a cycle",
    };
    Some(format!(
        "paths: {switches} of {all} switches choose among {} ports, by {selectors}{of_entropies}: {} paths between \
         hosts of different switches; {layers} of {lanes} lanes needed; {verdict}\n",
        range(&ports),
        range(&paths)
    ))
}

/// Says which selectors choose, and for which traffic where they do not choose for all.
fn chosen_by(selectors: &[&str], classes: &[PacketClass], small: Option<Bytes>) -> String {
    let of_size = match small {
        Some(small) if small > SelectedPacketsSpec::default().small => {
            format!(" for packets of {small} or more")
        }
        _ => String::new(),
    };
    let all = selectors.join(" or ") + &of_size;
    if selectors == ["Hash"] || classes.iter().all(|class| class.is_selected) {
        return all;
    }
    let traffic = |is_selected: bool| {
        let own = classes.iter().filter(|class| class.is_selected == is_selected);
        let one_level = classes.iter().all(|class| class.level == classes[0].level);
        let named = own.map(|PacketClass { service, level, flows, .. }| {
            let level = if one_level { String::new() } else { format!(" on service level {}", level.0) };
            format!("{}{level} ({})", service.word(), counted(*flows, "flow"))
        });
        named.collect::<Vec<_>>().join(", ")
    };
    let others = selectors.iter().filter(|word| **word != "Hash").copied().collect::<Vec<_>>().join(" or ");
    match traffic(true) {
        none if none.is_empty() => format!("Hash ({others} for none of this traffic)"),
        some => format!("{all} for {some}, by Hash for {}", traffic(false)),
    }
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

    #[test]
    fn entropies_are_named() {
        let transport = ["adapter.delivery=AnyOrder", "adapter.recovery=SelectiveRepeat"];
        let line = line(&[&["routing=Ecmp", "adapter.entropy=Reps"][..], &transport].concat());
        let line = line.expect("leaves choose");
        assert!(line.contains("4 ports, by Hash with entropy by Reps: 4 paths"), "{line}");
    }

    /// Traffic that no selector is for is named, by service, level and size of packet.
    #[test]
    fn traffic_that_may_choose_is_named() {
        let said = |packets: &str| {
            let selected = format!("switch.selected_packets={packets}");
            let ud = "flows=[(name: \"ud\", from: \"h1\", to: \"h9\", start: \"0 s\", message: \"1 KiB\", \
                      operation: Send, transport: Ud, load: Paced(\"1 Gb/s\"))]";
            let rc = "traffic=[Permutation(at: \"0 s\", bytes: \"4 KiB\")]";
            let transport = ["adapter.delivery=AnyOrder", "adapter.recovery=SelectiveRepeat"];
            let sets = ["routing=Ecmp", "switch.selection=RoundRobin", &selected, ud, rc];
            let line = line(&[&sets[..], &transport].concat()).expect("leaves choose");
            line.split(" ports, by ")
                .nth(1)
                .and_then(|rest| rest.split(": ").next())
                .expect("selectors")
                .to_owned()
        };
        assert_eq!(said("()"), "RoundRobin");
        assert_eq!(said("(services: [Ud])"), "RoundRobin for UD (1 flow), by Hash for RC (32 flows)");
        assert_eq!(said("(services: [Rc])"), "RoundRobin for RC (32 flows), by Hash for UD (1 flow)");
        // The messages over UD have 1 KiB.
        let of_rc = "RoundRobin for packets of 2 KiB or more for RC (32 flows), by Hash for UD (1 flow)";
        assert_eq!(said("(small: \"2 KiB\")"), of_rc);
        assert_eq!(said("(small: \"1 KiB\")"), "RoundRobin for packets of 1 KiB or more");
        assert_eq!(said("(levels: [7])"), "Hash (RoundRobin for none of this traffic)");
        assert_eq!(said("(small: \"8 KiB\")"), "Hash (RoundRobin for none of this traffic)");
    }
}
