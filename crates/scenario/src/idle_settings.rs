//! Settings of paths that cannot have an effect in a scenario.
//!
//! Invariant: a setting is listed only if no packet of the run could be sent elsewhere by it, or if it lacks the signal
//! that it works by. Every way of a packet that switches could choose is followed, of data and of answers.

use std::collections::BTreeSet;

use ca_transport::EntropySpec;
use cc_policies::MarkingSpec;
use packet::{NodeId, ServiceLevel};
use switch_arch::spec::{ChoicesSpec, FlowletChoice, SelectionSpec};
use switch_arch::{SelectedPackets, SelectionPlan};
use telemetry::{IdleReason, IdleSettingRecord};
use units::Bytes;
use workload::{Flow, Operation};

use crate::check::node::{adapters, switches};
use crate::plan::Plan;

/// Selectors that choose for some packet, and entropies that some switch hashes.
#[derive(Debug, Default)]
struct UsedChoices {
    selectors: Vec<SelectionSpec>,
    entropies: Vec<EntropySpec>,
}

/// Packets of a flow in one direction.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: NodeId,
    to: NodeId,
    level: ServiceLevel,
    /// Length of the longest.
    longest: Bytes,
}

impl Plan {
    /// Returns the settings of paths that cannot have an effect: routing, selectors and their packets, then entropies.
    #[must_use]
    pub fn idle_settings(&self) -> Vec<IdleSettingRecord> {
        let routing = &self.scenario.routing;
        let of_routing =
            |reason| vec![IdleSettingRecord { setting: format!("routing: {}", routing.word()), reason }];
        if routing.detours().is_some() {
            let stay = !self.workload.flows.iter().any(|flow| self.may_detour(flow));
            let idle = if stay { of_routing(IdleReason::NoDetour) } else { Vec::new() };
            return [idle, self.idle_masks()].concat();
        }
        if !routing.has_groups() {
            return self.idle_masks(); // Selectors and entropies are refused.
        }
        if !self.routes.have_groups() {
            return of_routing(IdleReason::OnePort);
        }
        let used = self.used_choices();
        [self.idle_selectors(&used), self.idle_masks(), self.idle_entropies(&used)].concat()
    }

    /// Returns the selectors of switches without effect, each at its first place in the scenario.
    fn idle_selectors(&self, used: &UsedChoices) -> Vec<IdleSettingRecord> {
        let mut known = vec![SelectionSpec::Hash];
        let mut found = Vec::new();
        for (path, spec) in switches(&self.scenario) {
            let Some(selector) = spec.selection.filter(|selector| !known.contains(selector)) else {
                continue;
            };
            known.push(selector);
            if let Some(reason) = self.idle_selector(selector, used) {
                let setting = format!("{}: {}", path.name("selection"), selector.word());
                found.push(IdleSettingRecord { setting, reason });
            }
        }
        found
    }

    /// Returns the first set of selected packets beside a selector that is the hash of a flow.
    fn idle_masks(&self) -> Vec<IdleSettingRecord> {
        let is_hashed = |selector: SelectionSpec| selector == SelectionSpec::Hash;
        let mut hashed = switches(&self.scenario)
            .filter(|(_, spec)| spec.selected_packets.is_some() && spec.selection.is_none_or(is_hashed));
        let record = hashed.next().map(|(path, _)| IdleSettingRecord {
            setting: path.name("selected_packets").to_string(),
            reason: IdleReason::HashForAll,
        });
        record.into_iter().collect()
    }

    /// Returns the reason for which a selector has no effect; `None` also if no switch has it.
    fn idle_selector(&self, selector: SelectionSpec, used: &UsedChoices) -> Option<IdleReason> {
        let own = self.selections().filter(|own| own.selector == selector);
        let packets: Vec<SelectedPackets> = own.map(|own| own.packets).collect();
        if packets.is_empty() {
            return None;
        }
        if used.selectors.contains(&selector) {
            return self.idle_detail(selector);
        }
        let in_class = self.workload.flows.iter().flat_map(|flow| {
            self.ways(flow)
                .into_iter()
                .filter(|Way { level, .. }| packets.iter().any(|own| own.is_for(*level, flow.transport)))
        });
        let Some(longest) = in_class.map(|way| way.longest).max() else {
            return Some(IdleReason::NotSelected);
        };
        let small = packets.iter().map(SelectedPackets::shortest).min()?;
        Some(if small > longest { IdleReason::TooShort { small, longest } } else { IdleReason::NoneOnTheWay })
    }

    /// Returns a setting of a used selector that has no effect.
    fn idle_detail(&self, selector: SelectionSpec) -> Option<IdleReason> {
        let load = match selector {
            SelectionSpec::Flowlet(spec) if spec.gap >= self.duration() => {
                return Some(IdleReason::GapBeyondRun { gap: spec.gap, duration: self.duration() });
            }
            SelectionSpec::LeastLoaded(load) => load,
            SelectionSpec::Flowlet(spec) => match spec.then {
                FlowletChoice::LeastLoaded(load) => load,
                FlowletChoice::Random | FlowletChoice::RoundRobin(_) => return None,
            },
            SelectionSpec::Hash | SelectionSpec::Random | SelectionSpec::RoundRobin(_) => return None,
        };
        let two = load.choices == ChoicesSpec::Two && *self.path_choices()?.ports.end() <= 2;
        two.then_some(IdleReason::TwoOfTwo)
    }

    /// Returns the entropies of sources without effect, or without the signal that they work by.
    fn idle_entropies(&self, used: &UsedChoices) -> Vec<IdleSettingRecord> {
        let mut known = vec![EntropySpec::Flow];
        let mut found = Vec::new();
        for (path, spec) in adapters(&self.scenario) {
            let entropy = spec.entropy;
            let has = |flow: &Flow| self.nodes.adapter(flow.source).entropy == entropy;
            let mut flows = self.workload.flows.iter().filter(|flow| has(flow));
            if known.contains(&entropy) {
                continue;
            }
            known.push(entropy);
            let is_judging = matches!(entropy, EntropySpec::Bitmap(_) | EntropySpec::Reps(_));
            let reason = if !used.entropies.contains(&entropy) {
                IdleReason::NotHashed
            } else if !is_judging {
                continue;
            } else if !flows.any(has_acknowledgements) {
                IdleReason::NoAnswers
            } else if matches!(self.control.marking, MarkingSpec::Off) {
                IdleReason::NoMarks
            } else {
                continue;
            };
            found.push(IdleSettingRecord {
                setting: format!("{}: {}", path.name("entropy"), entropy.word()),
                reason,
            });
        }
        found
    }

    /// Returns the selectors of switches other than the hash of a flow.
    fn selections(&self) -> impl Iterator<Item = SelectionPlan> + '_ {
        self.nodes.switches.iter().filter_map(|switch| switch.settings.selection)
    }

    /// Follows the packets of flows until each selector and each entropy has been met where it chooses.
    fn used_choices(&self) -> UsedChoices {
        let mut wanted = UsedChoices::default();
        for SelectionPlan { selector, .. } in self.selections() {
            add(&mut wanted.selectors, selector);
        }
        for flow in &self.workload.flows {
            add(&mut wanted.entropies, self.nodes.adapter(flow.source).entropy);
        }
        wanted.entropies.retain(|entropy| !entropy.is_usual());
        let mut used = UsedChoices::default();
        let mut visited = BTreeSet::new();
        for flow in &self.workload.flows {
            if used.selectors.len() == wanted.selectors.len()
                && used.entropies.len() == wanted.entropies.len()
            {
                break;
            }
            let entropy = self.nodes.adapter(flow.source).entropy;
            // Packets of one kind to one host go the same ways from a switch on.
            let kind = wanted.entropies.iter().position(|own| *own == entropy);
            for Way { from, to, level, longest } in self.ways(flow) {
                let mut next = vec![self.graph.ports(from)[0].peer];
                while let Some(at) = next.pop() {
                    if at == to || !visited.insert((at, to, level, flow.transport, longest, kind)) {
                        continue;
                    }
                    let table = self.routes.table(at);
                    next.extend(table.ports(to.lid()).map(|port| self.graph.ports(at)[port.index()].peer));
                    if table.ports(to.lid()).nth(1).is_none() {
                        continue;
                    }
                    let is_adaptive = table.outputs_of(to.lid(), Some(0), true).nth(1).is_some();
                    let own =
                        self.nodes.switch(at).selection.filter(|own| {
                            is_adaptive && own.packets.may_contain(level, flow.transport, longest)
                        });
                    match own {
                        Some(own) => add(&mut used.selectors, own.selector),
                        None if kind.is_some() => add(&mut used.entropies, entropy),
                        None => {}
                    }
                }
            }
        }
        used
    }

    /// Returns the ways of a flow's packets, data and answers.
    fn ways(&self, flow: &Flow) -> [Way; 2] {
        let (there, back, lengths) = (flow.source, flow.destination, self.packet_lengths());
        [(there, back, lengths.data(flow)), (back, there, lengths.answers(flow))].map(
            |(from, to, longest)| Way {
                from,
                to,
                level: self.service_level(flow.service_level, from, to),
                longest,
            },
        )
    }
}

/// Returns true if the data packets of a flow are acknowledged: responses to READs are not.
fn has_acknowledgements(flow: &Flow) -> bool {
    flow.transport.is_reliable() && flow.operation != Operation::RdmaRead
}

/// Adds an item that a list does not have.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use telemetry::IdleReason;

    use crate::{Scenario, ScenarioText};

    fn idle(scenario: &str, sets: &[&str]) -> Vec<(String, IdleReason)> {
        let mut source = ScenarioText::find(scenario).expect("it ships");
        sets.iter().for_each(|set| source.set(set).expect("a field"));
        let plan = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        let found = plan.unwrap_or_else(|said| panic!("{sets:?}: {said}")).idle_settings();
        found.into_iter().map(|own| (own.setting, own.reason)).collect()
    }

    #[test]
    fn settings_that_choose_are_not_listed() {
        for sets in [
            &["routing=Native", "switch.selection=Hash"][..],
            &["switch.selection=Hash"],
            &["switch.selection=RoundRobin"],
            &["switch.selection=LeastLoaded(choices: Two)"],
            &["switch.selection=Flowlet(gap: \"1 us\")"],
            &["switch.selection=RoundRobin", "switch.selected_packets=(services: [Rc], small: \"2 KiB\")"],
            &["adapter.entropy=Random"],
            &["adapter.entropy=Reps", "congestion_control=Guideline"],
            &["adapter.entropy=Bitmap", "congestion_control=Guideline"],
        ] {
            assert_eq!(idle("paths-incast", sets), [], "{sets:?}");
        }
    }

    /// Groups of two ports, datagrams without acknowledgements, and a flow that stays on its switch of a dragonfly.
    #[test]
    fn parts_of_settings_without_effect_are_listed() {
        let two = "topology=FatTree(down: [4, 8], up: [2], host_cable: \"host\", trunk_cable: \"trunk\")";
        let selection = "switch.selection=LeastLoaded(choices: Two)";
        let found = idle("paths-incast", &[two, selection]);
        assert_eq!(found, [("switch.selection: LeastLoaded".to_owned(), IdleReason::TwoOfTwo)]);
        let datagrams =
            "traffic=[Permutation(transport: Ud, operation: Send, at: \"0 s\", bytes: \"4 KiB\")]";
        let found = idle("paths-incast", &[datagrams, "adapter.entropy=Reps"]);
        assert_eq!(found, [("adapter.entropy: Reps".to_owned(), IdleReason::NoAnswers)]);
        let flow = |to: &str| {
            format!(
                "flows=[(name: \"near\", from: \"h1\", to: \"{to}\", start: \"0 s\", message: \"4 KiB\", \
                 load: Saturate(outstanding: 4))]"
            )
        };
        let dragonfly = "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"host\", \
                         local_cable: \"trunk\", global_cable: \"trunk\")";
        let detours = |to: &str| {
            let sets = [dragonfly, &flow(to), "traffic=[]", "link.data_lanes=5", "routing=Ugal"];
            idle("paths-permutation", &sets)
        };
        assert_eq!(detours("h2"), [("routing: Ugal".to_owned(), IdleReason::NoDetour)]);
        assert_eq!(detours("h9"), []);
    }

    /// Masks of packets stay where a sweep has a hash in the place of a selector, and where no packet is left.
    #[test]
    fn packets_without_a_selector_are_listed() {
        let mask = "switch.selected_packets=(services: [Rc])";
        let hashed = [("switch.selected_packets".to_owned(), IdleReason::HashForAll)];
        assert_eq!(idle("paths-incast", &["switch.selection=Hash", mask]), hashed);
        assert_eq!(idle("paths-incast", &["routing=Native", mask]), hashed);
        let none = "switch.selected_packets=(services: [])";
        let found = idle("paths-incast", &["switch.selection=RoundRobin", none]);
        assert_eq!(found, [("switch.selection: RoundRobin".to_owned(), IdleReason::NotSelected)]);
    }

    /// Each setting once, with the reason.
    #[test]
    fn settings_without_effect_are_listed() {
        let selector = "switch.selection: RoundRobin";
        let round_robin = "switch.selection=RoundRobin";
        let within = "traffic=[]";
        let flow = "flows=[(name: \"near\", from: \"h1\", to: \"h2\", start: \"0 s\", message: \"4 KiB\", \
                    load: Saturate(outstanding: 4))]";
        for (sets, setting, reason) in [
            (&["routing=Adaptive(groups: Parallel)"][..], "routing: Adaptive", IdleReason::OnePort),
            (&[round_robin, "switch.selected_packets=(services: [Ud])"], selector, IdleReason::NotSelected),
            (&[round_robin, "switch.selected_packets=(levels: [3])"], selector, IdleReason::NotSelected),
            (&[round_robin, within, flow], selector, IdleReason::NoneOnTheWay),
            (&["adapter.entropy=Random", within, flow], "adapter.entropy: Random", IdleReason::NotHashed),
            (
                &["adapter.entropy=Reps", "congestion_control=Off"],
                "adapter.entropy: Reps",
                IdleReason::NoMarks,
            ),
            (
                &["adapter.entropy=Bitmap", "congestion_control=Off"],
                "adapter.entropy: Bitmap",
                IdleReason::NoMarks,
            ),
        ] {
            assert_eq!(idle("paths-incast", sets), [(setting.to_owned(), reason)], "{sets:?}");
        }
        let read = "traffic=[Permutation(operation: RdmaRead, at: \"0 s\", bytes: \"4 KiB\")]";
        let reps = ["adapter.entropy=Reps", "congestion_control=Guideline", "adapter.max_reads=4", read];
        assert_eq!(
            idle("paths-incast", &reps),
            [("adapter.entropy: Reps".to_owned(), IdleReason::NoAnswers)]
        );
        let none = idle("paths-parking-lot", &["adapters={\"h1\": (entropy: Random)}"]);
        assert!(matches!(&none[..], [(_, IdleReason::NotHashed)]), "h1 sends nothing: {none:?}");
        let too_short = idle("paths-incast", &[round_robin, "switch.selected_packets=(small: \"8 KiB\")"]);
        assert!(matches!(&too_short[..], [(_, IdleReason::TooShort { .. })]), "{too_short:?}");
        let small = "switch.selected_packets=(small: \"2 KB\")";
        let kib = "traffic=[Permutation(at: \"0 s\", bytes: \"1 KiB\")]";
        let too_short = idle("paths-incast", &[round_robin, small, kib]);
        let [(_, IdleReason::TooShort { longest, .. })] = too_short[..] else { panic!("{too_short:?}") };
        assert!((1024..1100).contains(&longest.get()), "{longest:?}");
        let gap = idle("paths-incast", &["switch.selection=Flowlet(gap: \"1 s\")"]);
        assert!(matches!(&gap[..], [(_, IdleReason::GapBeyondRun { .. })]), "{gap:?}");
    }
}
