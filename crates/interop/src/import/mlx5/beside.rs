//! Parameters that decide whether those of DCQCN hold, at which priorities, and from when on.
//!
//! Invariant: a file by which the adapter does not run DCQCN, or not at both ends, is another experiment.

use core::ops::Range;

use super::Draft;
use super::table::{LINK_TYPES, SWITCHES};
use crate::import::account::{KeyAccount, KeyFate};

impl Draft<'_> {
    /// Enters switches, ports and other parameters.
    pub(super) fn beside(&mut self) {
        for name in SWITCHES {
            if let Some((value, at)) = self.parameters.switches.get(name).cloned() {
                let (fate, what) = of_switch(name, value);
                self.enter(name, value.to_string(), (fate, what), Some(&at));
            }
        }
        self.link_types();
        self.priorities("roce_rp", "sources do not slow down");
        self.priorities("roce_np", "no mark is answered");
        let ports = self.parameters.ports.len();
        if ports > 1 {
            let what = (KeyFate::Used, "all have the same values");
            self.enter("(ports)", ports.to_string(), what, None);
        }
        if self.parameters.from_next_boot {
            let what = "the file has the values of the next restart, from which on they hold";
            self.enter("(next boot)", "", (KeyFate::Used, what), None);
        }
        for (name, (next, at)) in &self.parameters.next {
            let what = format!("`{name}` has this value from the next restart on: the present one is used");
            let mut entry = KeyAccount::new("(next boot)", next.clone(), KeyFate::NotUsed, what);
            entry.place = Some(self.source.excerpt(at));
            self.account.push(entry);
        }
        let others = self.parameters.others.len();
        if others > 0 {
            let what = (KeyFate::NotUsed, "parameters of the adapter that are none of DCQCN's");
            self.enter("(other parameters)", others.to_string(), what, None);
        }
    }

    /// Enters the types of the ports' links.
    fn link_types(&mut self) {
        let all: Vec<(u64, Range<usize>)> = self.parameters.link_types.values().cloned().collect();
        let Some((value, at)) = all.iter().min_by_key(|(value, _)| *value) else { return };
        let given = LINK_TYPES.iter().find(|(_, known)| known == value).map_or("", |(word, _)| *word);
        let fate = match value {
            1 if all.iter().all(|(value, _)| *value == 1) => (
                KeyFate::Changed,
                "the adapter's ports are InfiniBand's, and DCQCN is RoCEv2's; here it acts",
            ),
            1 => (
                KeyFate::Changed,
                "a port is InfiniBand's, where DCQCN does not act; here it acts at every host",
            ),
            2 => (KeyFate::Used, "Ethernet, on which DCQCN acts"),
            _ => (KeyFate::Approximated, "the port's type is that of its cable: here RoCEv2 over Ethernet"),
        };
        self.enter("link_type", given, fate, Some(at));
    }

    fn enter(
        &mut self,
        key: &str,
        given: impl Into<String>,
        (fate, what): (KeyFate, &str),
        at: Option<&Range<usize>>,
    ) {
        let mut entry = KeyAccount::new(key, given, fate, what);
        entry.place = at.map(|at| self.source.excerpt(at));
        self.account.push(entry);
    }

    /// Enters the priorities at which a point is on.
    fn priorities(&mut self, point: &'static str, without: &str) {
        let of_point = self.parameters.enabled.iter().filter(|((own, _), _)| *own == point);
        let all: Vec<(u8, bool, Range<usize>)> =
            of_point.map(|((_, at), (on, place))| (*at, *on, place.clone())).collect();
        let Some((.., place)) = all.first() else { return };
        let on: Vec<String> = all.iter().filter(|(_, on, _)| *on).map(|(at, ..)| at.to_string()).collect();
        let (fate, what) = match on.len() {
            0 => (
                KeyFate::Changed,
                format!("it is off at every priority of the file: {without}; here it acts"),
            ),
            count if count == all.len() => (KeyFate::Used, "at every priority of the file".to_owned()),
            _ => (KeyFate::Approximated, "on at these priorities; here it acts on every lane".to_owned()),
        };
        self.enter(&format!("{point}/enable"), on.join(","), (fate, &what), Some(place));
    }
}

/// Returns the fate of a parameter beside DCQCN's.
fn of_switch(name: &str, value: u64) -> (KeyFate, &'static str) {
    match (name, value) {
        ("roce_cc_prio_mask", 255) => (KeyFate::Used, "DCQCN at all priorities"),
        ("roce_cc_prio_mask", 0) => {
            (KeyFate::Changed, "DCQCN is off at all priorities; here sources slow down")
        }
        ("roce_cc_prio_mask", _) => {
            (KeyFate::Approximated, "DCQCN at the priorities of this mask; here on every lane")
        }
        ("roce_cc_algorithm", 0) => (KeyFate::Used, "ECN: the parameters are DCQCN's"),
        ("roce_cc_algorithm", _) => {
            (KeyFate::Changed, "the adapter runs another algorithm than ECN, DCQCN; here it runs DCQCN")
        }
        ("roce_cc_legacy_dcqcn", 1) => (KeyFate::Used, "the adapter runs DCQCN alone"),
        ("roce_cc_legacy_dcqcn", _) => (
            KeyFate::Changed,
            "the adapter may run its programmable algorithm, which measures round trips and ignores these parameters; \
             here it runs DCQCN",
        ),
        ("user_programmable_cc", 0) => (KeyFate::Used, "no user's program replaces the algorithm"),
        ("user_programmable_cc", _) => {
            (KeyFate::Changed, "a user's program may replace DCQCN (DOCA PCC); here the adapter runs DCQCN")
        }
        ("roce_cc_cnp_moderation", 0) => {
            (KeyFate::Approximated, "the device's own: time between CNPs is by queue pair here")
        }
        ("roce_cc_cnp_moderation", _) => {
            (KeyFate::Changed, "CNPs are moderated by another rule than the device's own; here by queue pair")
        }
        (_, 0) => (KeyFate::Used, "each flow keeps its path"),
        _ => (
            KeyFate::Approximated,
            "switches may spread this adapter's packets; here each flow keeps its path",
        ),
    }
}
