//! Names from strangers, on every reading: scenario files, overrides and clusters.
//!
//! Invariant tested: a name that the rule refuses is refused with its place wherever a scenario has names. It is
//! replaced where it comes with a whole cluster. Messages about it act on no terminal, and an accepted name breaks out
//! of no exported file.

use interop::export::addresses::Addresses;
use interop::export::{ibccconfig, ibsim, lfts, mlx5, opensm, sonic};
use interop::import::SourceText;
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use names::hostile::PARTS;
use names::rule::{self, is_plain};
use names::shown;
use proptest::prelude::*;
use scenario::{Diagnostic, Plan, Scenario, ScenarioText, shipped};

fn text_of(name: &str) -> &'static str {
    shipped().iter().find(|scenario| scenario.name == name).expect("it ships").text
}

fn checked(text: &ScenarioText) -> Result<Plan, Diagnostic> {
    Scenario::read(text)?.check(text)
}

/// Places of names in the scenario `victim`: what stands there, before the name and after it.
const PLACES: [(&str, [&str; 2]); 6] = [
    ("name", ["    name: \"victim\",", "    name: @,"]),
    ("host", ["\"H3\"", "@"]),
    ("switch", ["\"S2\"", "@"]),
    ("cable", ["\"trunk\"", "@"]),
    ("flow", ["(name: \"near\"", "(name: @"]),
    ("group", ["(name: \"near\",", "(name: \"near\", group: @,"]),
];

fn with(place: &str, name: &str) -> String {
    let text = text_of("victim");
    let text = if text.contains("    name: ") {
        text.to_owned()
    } else {
        text.replacen("(\n", "(\n    name: \"victim\",\n", 1)
    };
    let (_, [from, to]) = PLACES.iter().find(|(known, _)| *known == place).expect("a known place");
    assert!(text.contains(from), "{place}");
    text.replace(from, &to.replace('@', &format!("{name:?}")))
}

/// Asserts that what is printed acts on no terminal.
fn assert_shown(fault: &Diagnostic) -> Result<(), TestCaseError> {
    let printed = fault.render(false);
    prop_assert!(printed.chars().all(|letter| is_plain(letter) || letter == '\n'), "{printed:?}");
    let coloured = fault.render(true);
    prop_assert_eq!(shown::coloured(&coloured), coloured.clone(), "colours alone");
    Ok(())
}

/// Returns the cells of a line of CSV, as RFC 4180 has them.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => {
                cells.last_mut().expect("a cell").push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.last_mut().expect("a cell").push(letter),
        }
    }
    cells
}

fn is_of_rule(fault: &str) -> bool {
    fault.contains("cannot stand in a name") || fault.contains("a name cannot ")
}

fn hostile() -> impl Strategy<Value = String> {
    let parts = proptest::collection::vec(proptest::sample::select(PARTS.as_slice()), 1..4);
    prop_oneof![
        8 => parts.prop_map(|parts| parts.concat()),
        1 => (200_usize..300).prop_map(|length| "x".repeat(length)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn names_are_refused_by_the_rule_wherever_they_stand(hostile in hostile(), place in 0..PLACES.len()) {
        let place = PLACES[place].0;
        let name = format!("{hostile}x");
        let outcome = checked(&ScenarioText::new("mine.ron", &with(place, &name)));
        let fault = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
        prop_assert_eq!(is_of_rule(&fault), rule::check(&name).is_err(), "{}: {}", place, fault);
        if let Err(fault) = &outcome {
            assert_shown(fault)?;
        }
    }

    #[test]
    fn overrides_and_prose_are_checked_too(hostile in hostile()) {
        let mut text = ScenarioText::new("mine.ron", text_of("victim"));
        let set = text.set(&format!("flows.near.name={hostile:?}")).and_then(|()| checked(&text).map(drop));
        let fault = set.as_ref().err().map(ToString::to_string).unwrap_or_default();
        prop_assert_eq!(is_of_rule(&fault), rule::check(&hostile).is_err(), "{}", fault);
        if let Err(fault) = &set {
            assert_shown(fault)?;
        }
        let mut text = ScenarioText::new("mine.ron", text_of("victim"));
        let set = text.set(&format!("about={hostile:?}")).and_then(|()| checked(&text).map(drop));
        prop_assert_eq!(set.is_err(), rule::check_prose(&hostile).is_err());
    }

    /// A file's name is the scenario's, as far as it can be.
    #[test]
    fn the_name_of_a_file_becomes_that_of_a_scenario(hostile in hostile()) {
        let stem = hostile.replace(['/', '\0', '.'], "");
        let plan = checked(&ScenarioText::new(&format!("{stem}x.ron"), text_of("ring"))).expect("the text is right");
        prop_assert_eq!(rule::check(plan.name()), Ok(()));
    }

    /// The first line of each file is a comment; every other line is a setting of this program's.
    #[test]
    fn an_accepted_name_breaks_out_of_no_exported_file(hostile in hostile()) {
        let name = rule::plain(&hostile);
        let named = |scenario: &str| {
            let mut text = ScenarioText::new("mine.ron", text_of(scenario));
            text.set(&format!("name={name:?}")).expect("a name");
            checked(&text).expect("the name is accepted")
        };
        let of_line = |text: &str, beginnings: &[&str]| -> Result<(), TestCaseError> {
            for line in text.split('\n').filter(|line| !line.is_empty()) {
                prop_assert!(beginnings.iter().any(|known| line.starts_with(known)), "{line}");
                prop_assert!(line.chars().all(|letter| is_plain(letter) || letter == '\t'), "{line:?}");
            }
            Ok(())
        };
        let victim = named("victim");
        let addresses = Addresses::assigned(&victim).expect("it is InfiniBand");
        of_line(&ibccconfig::export(&victim, &addresses).expect("it has IBA's control").text, &["# ", "ibccconfig "])?;
        of_line(&opensm::export(&victim, &addresses).expect("it has IBA's control").text, &["# ", "cc_", "congestion_control "])?;
        let net = ["# ", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "Switch\t", "Ca\t", "["];
        of_line(&ibsim::export(&victim, &addresses).expect("it is InfiniBand").text, &net)?;
        let tables: String = lfts::export(&victim, &addresses).expect("it is InfiniBand").tables().collect();
        of_line(&tables, &["Unicast lids ", "0x", "5 lids", "6 lids", "7 lids"])?;
        let roce = named("roce400-leaf-spine");
        of_line(&mlx5::export(&roce, None).expect("it is RoCEv2").text, &["# ", "rpg_", "dce_", "min_", "initial_", "rate_", "clamp_"])?;
        let leaf = roce.graph().switch_ids().next().expect("there is a switch");
        let tables = sonic::export(&roce, leaf).expect("it is RoCEv2").text;
        prop_assert!(serde_json::from_str::<serde_json::Value>(&tables).is_ok());
    }

    /// A stranger's `NodeDescription` is changed as little as it must, and never refused.
    #[test]
    fn descriptions_of_nodes_become_names(one in hostile(), other in hostile()) {
        let description = |text: &str| text.replace(['"', '\n', '\r', '\u{85}', '\u{2028}'], " ");
        let (one, other) = (description(&one), description(&other));
        let net = format!(
            "vendid=0x0\nswitchguid=0x10(10)\nSwitch\t2 \"S-10\"\t\t# \"{one}\" base port 0 lid 3 lmc 0\n\
             [1]\t\"H-20\"[1](21)\t\t# \"h1\" lid 1 4xEDR\n[2]\t\"H-30\"[1](31)\t\t# \"{other}\" lid 2 4xEDR\n\n\
             caguid=0x20\nCa\t1 \"H-20\"\t\t# \"h1\"\n[1](21)\t\"S-10\"[1]\t\t# lid 1 lmc 0 \"{one}\" lid 3 4xEDR\n\n\
             caguid=0x30\nCa\t1 \"H-30\"\t\t# \"{other}\"\n[1](31)\t\"S-10\"[2]\t\t# lid 2 lmc 0 \"{one}\" lid 3 4xEDR\n"
        );
        let file = "c\u{1b}[2J\n),\"x\".net";
        let imported = infiniband::import(SourceText { name: file, text: &net }, ClusterFiles::default(), &ClusterOptions::default());
        let imported = match imported {
            Ok(imported) => imported,
            Err(fault) => return assert_shown(&fault),
        };
        let plan = checked(&ScenarioText::new("cluster.ron", &imported.scenario)).unwrap_or_else(|fault| panic!("{fault}\n{}", imported.scenario));
        for name in plan.graph().names() {
            prop_assert_eq!(rule::check(name), Ok(()));
        }
        prop_assert!(imported.scenario.chars().all(|letter| is_plain(letter) || letter == '\n'));
        for (_, table) in &imported.files {
            for cell in table.lines().flat_map(cells) {
                let seen = cell.trim_start();
                prop_assert!(!seen.starts_with(['=', '+', '@', '|', '＝', '＋', '－', '＠']) || seen.chars().count() == 1, "{cell}");
            }
        }
        let [nodes, ports] = [0, 1].map(|at| SourceText { name: &imported.files[at].0, text: &imported.files[at].1 });
        if let Err(fault) = Addresses::of_cluster(&plan, nodes, ports) {
            return Err(TestCaseError::fail(format!("names are found in the tables again: {fault}")));
        }
    }
}
