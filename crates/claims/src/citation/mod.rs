//! Citations: BibTeX of this program, and of the papers and standards behind the models that a run used.
//!
//! Invariant: an entry is cited for a field of the scenario, which its comment names. Each entry appears once, whatever
//! the number of fields that lead to it.
//!
//! | module | contents |
//! |---|---|
//! | here | the entries that a scenario leads to, and their text |
//! | `entries` | the entries |

mod entries;

use ca_transport::spec::AdapterSpec;
use ca_transport::{EntropySpec, RecoverySpec};
use cc_policies::control::{Control, MarkingSpec, ResponseSpec};
use cc_policies::scheme::Scheme;
use experiment::VERSION;
use link_layer::spec::Discipline;
use packet::Framing;
use scenario::Scenario;
use switch_arch::spec::{
    ArbiterSpec, BufferingSpec, ChoicesSpec, FlowletChoice, LeastLoadedSpec, SelectionSpec, Sharing,
    SwitchSpec,
};
use topology::{RoutingSpec, TopologySpec};
use workload::spec::PatternSpec;

use self::entries::{ENTRIES, Entry};
use crate::paper::PAPERS;

/// A run as a citation names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedRun {
    /// Name of the scenario.
    pub scenario: String,
    /// Overrides, each as `PATH=VALUE`.
    pub overrides: Vec<String>,
    /// Seed.
    pub seed: u64,
    /// Digest of the run; `None` if it has no results.
    pub digest: Option<String>,
}

/// Entries that are cited, each with the fields for which it is.
#[derive(Clone, Debug, Default)]
pub struct Citations {
    cited: Vec<(&'static Entry, Vec<String>)>,
}

impl Citations {
    /// Adds the sources of the models that a scenario uses. `name` is the name of the scenario.
    pub fn add(&mut self, scenario: &Scenario, name: &str) {
        self.add_paper(name);
        self.add_control(&scenario.congestion_control);
        for switch in [&scenario.switch].into_iter().chain(scenario.switches.values()) {
            self.add_switch(switch);
        }
        for adapter in [&scenario.adapter].into_iter().chain(scenario.adapters.values()) {
            self.add_adapter(adapter);
        }
        self.add_topology(&scenario.topology, &scenario.routing);
        match scenario.link.framing {
            Framing::InfiniBand => self.cite("ibta", "link.framing: InfiniBand"),
            Framing::RoCEv2 => self.cite("rocev2", "link.framing: RoCEv2"),
            Framing::Hpcc => self.cite("li2019", "link.framing: Hpcc"),
        }
        if matches!(scenario.link.flow_control, Discipline::Pause(_)) {
            self.cite("pfc", "link.flow_control: Pause");
        }
        for pattern in &scenario.traffic {
            match pattern {
                PatternSpec::HotSpot(_) => self.cite("pfister1985", "traffic: HotSpot"),
                PatternSpec::Synthetic(_) => self.cite("dally2004", "traffic: Synthetic"),
                _ => {}
            }
        }
    }

    /// Adds the paper that a shipped scenario repeats.
    fn add_paper(&mut self, name: &str) {
        let is_of = |(paper, _): &&(&str, &str)| {
            let rest = name.strip_prefix(paper);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let shipped = scenario::shipped().iter().any(|one| one.name == name);
        if let Some((paper, _)) = PAPERS.iter().filter(|_| shipped).find(is_of) {
            self.cite(paper, &format!("scenario {name}"));
        }
        if shipped && name.starts_with("conext2016") {
            self.cite("zhu2016", &format!("scenario {name}"));
        }
    }

    fn add_control(&mut self, scheme: &Scheme) {
        match scheme {
            Scheme::Off => {}
            Scheme::Guideline => self.cite("pfister2005", "congestion_control: Guideline"),
            Scheme::Iba(iba) => {
                if iba.name.as_deref() == Some("Guideline") {
                    self.cite("pfister2005", "congestion_control: Guideline");
                }
                self.add_decisions(&iba.clone().into());
            }
            Scheme::Hp(hp) => self.add_decisions(&hp.clone().into()),
            Scheme::Dcqcn(dcqcn) => self.add_decisions(&dcqcn.clone().into()),
            Scheme::Mixed(control) => self.add_decisions(control),
        }
    }

    fn add_decisions(&mut self, control: &Control) {
        let marking = "congestion_control.marking";
        match control.marking {
            // A rule of the user's own has a source that the user knows.
            MarkingSpec::Off | MarkingSpec::Own(_) => {}
            MarkingSpec::Iba(_) => self.cite("ibta", &format!("{marking}: Iba (Annex A10)")),
            MarkingSpec::Hp(_) => self.cite_all(&["hp2001", "santos2002"], &format!("{marking}: Hp")),
            MarkingSpec::Red(_) => self.cite_all(&["floyd1993", "zhu2015"], &format!("{marking}: Red")),
        }
        let response = "congestion_control.response";
        match control.response {
            ResponseSpec::Off | ResponseSpec::Own(_) => {}
            ResponseSpec::Iba(_) => {
                self.cite_all(&["ibta", "gran2011"], &format!("{response}: Iba (Annex A10)"));
            }
            ResponseSpec::Hp(_) => self.cite_all(&["hp2001", "santos2003"], &format!("{response}: Hp")),
            ResponseSpec::Dcqcn(_) => self.cite("zhu2015", &format!("{response}: Dcqcn")),
            ResponseSpec::DcqcnTimed(_) => {
                self.cite_all(&["zhu2015", "zhu2016"], &format!("{response}: DcqcnTimed"));
            }
        }
    }

    fn add_switch(&mut self, switch: &SwitchSpec) {
        let buffering = "switch.buffering";
        match switch.buffering {
            BufferingSpec::InputFifo => self.cite("karol1987", &format!("{buffering}: InputFifo")),
            BufferingSpec::InputVoq => self.cite("mckeown1999", &format!("{buffering}: InputVoq")),
            BufferingSpec::Output => self.cite("karol1987", &format!("{buffering}: Output")),
            BufferingSpec::Central => {}
            BufferingSpec::CombinedInputOutput => {
                self.cite("dai2000", &format!("{buffering}: CombinedInputOutput"));
            }
        }
        if matches!(switch.sharing, Some(Sharing::Dynamic { .. })) {
            self.cite("choudhury1998", "switch.sharing: Dynamic");
        }
        if matches!(switch.arbiter, ArbiterSpec::Islip { .. }) {
            self.cite("mckeown1999", "switch.arbiter: Islip");
        }
        let selection = "switch.selection";
        match switch.selection {
            Some(SelectionSpec::LeastLoaded(spec)) => self.add_choices(spec, selection),
            Some(SelectionSpec::Flowlet(spec)) => {
                self.cite("vanini2017", &format!("{selection}: Flowlet"));
                if let FlowletChoice::LeastLoaded(spec) = spec.then {
                    self.add_choices(spec, &format!("{selection}: Flowlet"));
                }
            }
            Some(SelectionSpec::Hash | SelectionSpec::Random | SelectionSpec::RoundRobin(_)) | None => {}
        }
    }

    fn add_choices(&mut self, spec: LeastLoadedSpec, field: &str) {
        if spec.choices == ChoicesSpec::Two {
            self.cite("mitzenmacher2001", &format!("{field} (choices: Two)"));
        }
    }

    fn add_adapter(&mut self, adapter: &AdapterSpec) {
        if matches!(adapter.recovery, RecoverySpec::SelectiveRepeat(_)) {
            self.cite("mittal2018", "adapter.recovery: SelectiveRepeat");
        }
        if matches!(adapter.entropy, EntropySpec::Reps(_)) {
            self.cite("bonato2024", "adapter.entropy: Reps");
        }
    }

    fn add_topology(&mut self, topology: &TopologySpec, routing: &RoutingSpec) {
        let cite = |key, word: &str| (key, format!("topology: {word}"));
        let source = match topology {
            TopologySpec::Clos(_) => Some(cite("clos1953", "Clos")),
            TopologySpec::FatTree(_) => {
                self.cite("leiserson1985", "topology: FatTree");
                // The same report describes a routing, which need not be the run's.
                Some(cite("zahavi2010", "FatTree (the parameters of its shape, not its routing)"))
            }
            TopologySpec::KaryNTree(_) => Some(cite("petrini1997", "KaryNTree")),
            TopologySpec::Omega(_) => Some(cite("lawrie1975", "Omega")),
            TopologySpec::Mesh(_) => Some(cite("dally2004", "Mesh")),
            TopologySpec::Torus(_) => Some(cite("dally2004", "Torus")),
            TopologySpec::HyperX(_) => Some(cite("ahn2009", "HyperX")),
            TopologySpec::Dragonfly(_) => Some(cite("kim2008", "Dragonfly")),
            TopologySpec::HpccFile(_) => Some(cite("li2019", "HpccFile")),
            TopologySpec::Custom(_)
            | TopologySpec::TwoSwitches(_)
            | TopologySpec::Crossbar(_)
            | TopologySpec::Chain(_)
            | TopologySpec::Dcs648(_) => None,
        };
        if let Some((key, field)) = source {
            self.cite(key, &field);
        }
        match routing {
            RoutingSpec::DModK => self.cite("zahavi2010", "routing: DModK"),
            RoutingSpec::UpDown { .. } => self.cite("schroeder1991", "routing: UpDown"),
            RoutingSpec::Ecmp | RoutingSpec::Adaptive { .. } => {
                self.cite("rfc2992", &format!("routing: {}", routing.word()));
            }
            RoutingSpec::Valiant(_) => self.cite_all(&["valiant1981", "valiant1982"], "routing: Valiant"),
            RoutingSpec::Ugal(_) => self.cite_all(&["singh2005", "kim2008"], "routing: Ugal"),
            RoutingSpec::Par(_) => self.cite("jiang2009", "routing: Par"),
            _ => {}
        }
    }

    fn cite_all(&mut self, keys: &[&str], field: &str) {
        keys.iter().for_each(|key| self.cite(key, field));
    }

    fn cite(&mut self, key: &str, field: &str) {
        // A comparison with a simulator has no paper.
        let Some(entry) = ENTRIES.iter().find(|entry| entry.key == key) else { return };
        match self.cited.iter_mut().find(|(known, _)| known.key == key) {
            Some((_, fields)) if fields.iter().any(|known| known == field) => {}
            Some((_, fields)) => fields.push(field.to_owned()),
            None => self.cited.push((entry, vec![field.to_owned()])),
        }
    }

    /// Returns the entries as BibTeX, the program's first. `commit` is that of the program that made the runs,
    /// `version` its version.
    #[must_use]
    pub fn bibtex(&self, version: &str, commit: Option<&str>, runs: &[CitedRun]) -> String {
        let mut text = program(version, commit, runs);
        for (entry, fields) in &self.cited {
            text += &format!("\n% {}\n{entry}", fields.join("; "));
        }
        text
    }
}

/// Largest number of runs that are named.
const MOST_NAMED: usize = 4;

/// Returns the entry of this program.
fn program(version: &str, commit: Option<&str>, runs: &[CitedRun]) -> String {
    let named = runs.iter().take(MOST_NAMED).map(|run| {
        let digest =
            run.digest.as_ref().map_or_else(|| "no results".to_owned(), |digest| format!("digest {digest}"));
        let with = if run.overrides.is_empty() { "" } else { " with " };
        format!("{}{with}{}, seed {}, {digest}", run.scenario, run.overrides.join(", "), run.seed)
    });
    let more = runs.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("{more} further runs"));
    let commit = commit.map(|commit| format!("commit {commit}"));
    let note = commit.into_iter().chain(named).chain(more).collect::<Vec<_>>().join("; ");
    let overrides = runs.iter().flat_map(|run| &run.overrides).collect::<std::collections::BTreeSet<_>>();
    let overrides: String =
        overrides.iter().take(MOST_NAMED).map(|set| format!("% --set {}\n", line(set))).collect();
    let from =
        if version == VERSION { String::new() } else { format!("% made by version {}\n", line(version)) };
    format!(
        "% Backwater\n{from}{overrides}@misc{{backwater,\n  author = {{{{The Backwater developers}}}},\n  title = {{Backwater: a \
         packet-level simulator of congestion in lossless fabrics}},\n  year = {{{YEAR}}},\n  version = {{{}}},\n  \
         note = {{{}}},\n}}\n",
        escaped(version),
        escaped(&format!("Version {version}; {note}"))
    )
}

/// Year of this version, as in `CITATION.cff`.
const YEAR: u32 = 2026;

/// Returns a text on a single line: a line end would leave the comment.
fn line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Returns a text as LaTeX prints it.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in line(text).chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', letter]),
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use scenario::ScenarioText;

    use super::*;

    /// Returns the keys that a shipped scenario leads to.
    fn keys(name: &str, set: &[&str]) -> Vec<&'static str> {
        let mut text = ScenarioText::find(name).unwrap();
        set.iter().for_each(|set| text.set(set).unwrap());
        let mut citations = Citations::default();
        citations.add(&Scenario::read(&text).unwrap(), name);
        citations.cited.iter().map(|(entry, _)| entry.key).collect()
    }

    #[test]
    fn models_lead_to_their_sources() {
        assert_eq!(keys("gran2011-scenario1", &[]), ["gran2011", "ibta", "mckeown1999"]);
        let off = keys("gran2011-scenario1", &["congestion_control=Off", "switch.buffering=InputFifo"]);
        assert_eq!(off, ["gran2011", "karol1987", "ibta"]);
        let roce = keys("roce-victim", &["congestion_control=Dcqcn()"]);
        assert!(["zhu2015", "rocev2", "pfc"].iter().all(|key| roce.contains(key)), "{roce:?}");
        let guideline = keys("victim", &["congestion_control=Guideline"]);
        assert!(guideline.contains(&"pfister2005"), "{guideline:?}");
    }

    /// The comment of an entry names the field as the scenario has it.
    #[test]
    fn groups_of_ports_are_cited_for_the_routing_that_makes_them() {
        for routing in ["Ecmp", "Adaptive"] {
            let mut text = ScenarioText::find("paths-incast").unwrap();
            text.set(&format!("routing={routing}")).unwrap();
            let mut citations = Citations::default();
            citations.add(&Scenario::read(&text).unwrap(), "paths-incast");
            let fields = citations.cited.iter().find(|(entry, _)| entry.key == "rfc2992").map(|(_, of)| of);
            assert_eq!(fields, Some(&vec![format!("routing: {routing}")]));
        }
    }

    /// A method is cited for the field that asks for it, and not without it.
    #[test]
    fn methods_of_paths_lead_to_their_sources() {
        let dragonfly = "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"host\", \
                         local_cable: \"trunk\", global_cable: \"trunk\")";
        let in_order = ["adapter.delivery=InOrder", "adapter.recovery=GoBackN"];
        let methods = [
            (&["valiant1981", "valiant1982"][..], "routing=Valiant", "routing: Valiant"),
            (&["singh2005"], "routing=Ugal", "routing: Ugal"),
            (&["jiang2009"], "routing=Par(through: Group)", "routing: Par"),
            (&["vanini2017"], "switch.selection=Flowlet(then: Random)", "switch.selection: Flowlet"),
            (
                &["mitzenmacher2001"],
                "switch.selection=LeastLoaded(choices: Two)",
                "switch.selection (choices: Two)",
            ),
            (
                &["mitzenmacher2001"],
                "switch.selection=Flowlet(then: LeastLoaded(choices: Two))",
                "switch.selection: Flowlet (choices: Two)",
            ),
            (&["bonato2024"], "adapter.entropy=Reps", "adapter.entropy: Reps"),
            (
                &["mittal2018"],
                "adapter.recovery=SelectiveRepeat(few: 4)",
                "adapter.recovery: SelectiveRepeat",
            ),
        ];
        let cited = |sets: &[&str]| {
            let mut text = ScenarioText::find("paths-incast").unwrap();
            sets.iter().for_each(|set| text.set(set).unwrap());
            let mut citations = Citations::default();
            citations.add(&Scenario::read(&text).unwrap(), "paths-incast");
            citations.cited
        };
        let without = cited(&in_order);
        for (sources, set, field) in methods {
            let with = cited(&[dragonfly, in_order[0], in_order[1], set]);
            for key in sources {
                assert!(without.iter().all(|(entry, _)| entry.key != *key), "{key} without {set}");
                let fields = with.iter().find(|(entry, _)| entry.key == *key).map(|(_, of)| of);
                assert!(fields.is_some_and(|of| of.iter().any(|known| known == field)), "{set}: {fields:?}");
            }
        }
        // UGAL is of the same source as the dragonfly, which stands once, with both fields.
        let both = cited(&[dragonfly, "routing=Ugal"]);
        let fields = both.iter().find(|(entry, _)| entry.key == "kim2008").map(|(_, of)| of);
        assert_eq!(fields, Some(&vec!["topology: Dragonfly".to_owned(), "routing: Ugal".to_owned()]));
    }

    #[test]
    fn entries_have_distinct_keys_and_every_paper_has_one() {
        let keys: std::collections::BTreeSet<_> = ENTRIES.iter().map(|entry| entry.key).collect();
        assert_eq!(keys.len(), ENTRIES.len());
        // Three sets of claims have no paper: laws of paths, of jobs, and another simulator.
        for (paper, _) in PAPERS.iter().filter(|(paper, _)| !["cross", "jobs", "paths"].contains(paper)) {
            assert!(keys.contains(paper), "{paper}");
        }
        // A DOI of the claims is that of the entry.
        for (paper, text) in PAPERS {
            let Some(doi) = text.split("DOI ").nth(1).and_then(|rest| rest.split(['"', ';', ',']).next())
            else {
                continue;
            };
            let entry = ENTRIES.iter().find(|entry| entry.key == *paper).unwrap().to_string();
            assert!(entry.contains(&format!("doi = {{{doi}}}")), "{entry}");
        }
    }

    #[test]
    fn the_text_is_bibtex() {
        let mut text = ScenarioText::find("victim").unwrap();
        text.set("congestion_control=Off").unwrap();
        let mut citations = Citations::default();
        citations.add(&Scenario::read(&text).unwrap(), "my_fabric");
        let run = CitedRun {
            scenario: "my_fabric".to_owned(),
            overrides: vec!["congestion_control=Off".to_owned()],
            seed: 7,
            digest: Some("22bb2b58026792a3".to_owned()),
        };
        let bibtex = citations.bibtex(VERSION, Some("abc"), &[run]);
        assert_eq!(bibtex.matches('{').count(), bibtex.matches('}').count());
        assert!(
            bibtex.contains("my\\_fabric with congestion\\_control=Off, seed 7, digest 22bb2b58026792a3"),
            "{bibtex}"
        );
        assert!(bibtex.contains("% --set congestion_control=Off\n@misc{backwater,"), "{bibtex}");
        // Every line outside an entry is a comment or empty.
        let outside = bibtex.lines().filter(|line| !line.starts_with(['@', ' ', '}']));
        assert!(outside.into_iter().all(|line| line.is_empty() || line.starts_with('%')), "{bibtex}");
    }

    #[test]
    fn title_and_year_are_those_of_the_citation_file() {
        let file = include_str!("../../../../CITATION.cff");
        let entry = program(VERSION, None, &[]);
        assert!(
            file.contains(&format!("date-released: \"{YEAR}-"))
                && file.contains(&format!("version: {VERSION}"))
        );
        let title = file.lines().find_map(|line| line.strip_prefix("title: ")).unwrap().trim_matches('"');
        assert!(entry.contains(&format!("title = {{{title}}}")), "{entry}");
    }
}
