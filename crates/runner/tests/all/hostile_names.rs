//! Names from strangers, as the commands read, print and write them.
//!
//! Invariant: whatever a file says, nothing that is printed acts on the terminal. No file is written where nobody asked
//! for it, and no exported file or script holds a command of a name.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use crate::scratch::{Scratch, assert_refused, json, text};

/// A name for the terminal, the line, the spreadsheet, the page, and back.
const HOSTILE: &str = "\u{1b}[31mE\u{1b}]0;p\u{7}<b>&\"'\u{202e}=\u{9b}\n\u{2028}N";

/// Returns the shipped scenario `victim` with a name.
fn victim(name: &str) -> String {
    let shipped = include_str!("../../../../fixtures/scenarios/victim.ron");
    let mut lines: Vec<_> =
        shipped.lines().filter(|line| !line.starts_with("    name:")).map(str::to_owned).collect();
    let at = lines.iter().position(|line| line == "(").expect("a scenario");
    lines.insert(at + 1, format!("    name: {name:?},"));
    lines.join("\n") + "\n"
}

/// Settings by which `victim` takes no time.
const SHORT: [&str; 8] = [
    "--set",
    "duration=300 us",
    "--set",
    "flows.far.start=10 us",
    "--set",
    "flows.near.start=20 us",
    "--set",
    "sample=20 us",
];

/// Asserts that a command has printed nothing that acts on a terminal.
fn assert_shown(output: &Output) {
    for printed in [text(&output.stdout), text(&output.stderr)] {
        let acts =
            printed.chars().find(|letter| !names::rule::is_plain(*letter) && !"\n\t".contains(*letter));
        assert_eq!(acts, None, "{printed:?}");
    }
}

#[test]
fn a_scenario_with_such_names_is_refused_by_every_command() {
    let scratch = Scratch::new("names-refused");
    fs::write(scratch.0.join("mine.ron"), victim(HOSTILE)).unwrap();
    let commands = [
        &["check", "mine.ron"][..],
        &["sim", "mine.ron"],
        &["capture", "mine.ron", "--ports", "*:*"],
        &["trace", "mine.ron", "--ports", "*:*"],
        &["compare", "mine.ron", "victim"],
        &["sweep", "mine.ron", "--seeds", "1..=2"],
        &["sweep", "plan", "mine.ron", "--seeds", "1..=2"],
        &["export", "opensm", "mine.ron"],
        &["eval", "mine.ron", "--measures", "goodput(all)"],
    ];
    for command in commands {
        let output = scratch.run(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {}", text(&output.stderr));
        assert_shown(&output);
        let said = text(&output.stderr) + &text(&output.stdout);
        assert!(said.contains("the control character U+001B cannot stand in a name"), "{command:?}: {said}");
    }
    assert_eq!(scratch.names(), ["mine.ron"]);
}

/// A name that is accepted may look like a path: it leads nowhere.
#[test]
fn files_of_a_name_lie_where_the_command_runs() {
    let scratch = Scratch::new("names-paths");
    fs::create_dir_all(scratch.0.join("in/deep")).unwrap();
    for name in ["../../x", "/tmp/backwater-abs", "$(touch INJ)", "-rf", "..", "~", "a b'c\"d"] {
        let file = scratch.0.join("in/deep/mine.ron");
        fs::write(&file, victim(name)).unwrap();
        for verb in ["capture", "trace"] {
            let options = [&[verb, "mine.ron", "--ports", "S1:S2", "--quiet"][..], &SHORT].concat();
            let run = Command::new(env!("CARGO_BIN_EXE_backwater"))
                .args(&options)
                .current_dir(scratch.0.join("in/deep"))
                .output()
                .unwrap();
            assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
        }
        let mut written = scratch.names_in("in/deep");
        written.retain(|file| file != "mine.ron");
        assert_eq!(written.len(), 2, "{name}: {written:?}");
        assert!(written.iter().all(|file| !file.starts_with(['.', '-'])), "{written:?}");
        written.iter().for_each(|file| fs::remove_file(scratch.0.join("in/deep").join(file)).unwrap());
    }
    assert_eq!((scratch.names(), scratch.names_in("in")), (vec!["in".to_owned()], vec!["deep".to_owned()]));
}

/// A shell runs the commands of an export, and no other.
#[test]
fn an_exported_script_runs_no_command_of_a_name() {
    let scratch = Scratch::new("names-script");
    fs::write(scratch.0.join("mine.ron"), victim("x`touch INJ`;$(touch INJ)'\" && touch INJ #")).unwrap();
    for (target, file) in
        [("ibccconfig", "inj.sh"), ("opensm", "opensm.conf"), ("ibsim", "net"), ("lfts", "tables")]
    {
        scratch.run(&["export", target, "mine.ron", "--out", file]);
        assert!(scratch.read(file).lines().next().unwrap().starts_with(if target == "lfts" {
            "Unicast"
        } else {
            "# "
        }));
    }
    let source = "ibccconfig() { echo \"$@\" >> commands; }; . ./inj.sh";
    assert!(Command::new("sh").args(["-c", source]).current_dir(&scratch.0).status().unwrap().success());
    let commands = scratch.read("commands");
    assert_eq!(
        commands.lines().count(),
        scratch.read("inj.sh").lines().filter(|line| line.starts_with("ibcc")).count()
    );
    assert!(!scratch.0.join("INJ").exists());
}

/// A script for Slurm holds words of the plan of a sweep, which was read, and of the folder's path.
#[test]
fn a_script_for_slurm_runs_no_command_of_a_path() {
    let scratch = Scratch::new("names-slurm");
    let plan = |dir: &str| {
        scratch.printed(&[
            "sweep",
            "plan",
            "one-flow",
            "--seeds",
            "1..=2",
            "--set",
            "duration=200 us",
            "--out",
            dir,
        ]);
        scratch.run(&["sweep", "submit", dir, "--engine", "slurm", "--dry-run"])
    };
    let script = text(&plan("it's $(touch INJ) %j; #").stdout);
    assert!(script.contains("#SBATCH --job-name=backwater-one-flow\n"), "{script}");
    assert!(
        script.contains("'\\''s $(touch INJ) %j; #'")
            && script.contains("$(touch INJ) %%j; #/slurm/%a.log\""),
        "{script}"
    );
    for dir in ["a\ntouch INJ\n#", "a\"b", "a\u{1b}b"] {
        let refused = plan(dir);
        assert_refused(&refused, "has characters that a script for Slurm cannot hold");
        assert_shown(&refused);
    }
    assert!(!scratch.0.join("INJ").exists());
}

/// Folders come from others, too: their tables and manifests are read, and nothing in them acts.
#[test]
fn a_folder_of_a_stranger_is_shown_and_drawn() {
    let scratch = Scratch::new("names-folder");
    scratch.printed(&[&["sim", "victim", "--quiet", "--out", "run"][..], &SHORT].concat());
    for file in ["flows.csv", "series.csv", "ports.csv", "phases.csv", "fct.csv"] {
        let table = scratch.read(&format!("run/{file}"));
        let hostile = HOSTILE.replace('"', "\"\"");
        fs::write(
            scratch.0.join("run").join(file),
            table.replace("victim", &format!("\"{hostile}\"")).replace("S1", "\u{1b}S1"),
        )
        .unwrap();
    }
    let manifest = scratch.read("run/run.json");
    fs::write(
        scratch.0.join("run/run.json"),
        manifest.replace("\"scenario\": \"victim\"", "\"scenario\": \"\\u001b[2J\\nhelp: x\\u202e\""),
    )
    .unwrap();
    for command in [
        &["figures", "run"][..],
        &["figure", "run"],
        &["report", "run"],
        &["export", "counters", "run"],
        &["export", "counters", "run", "--form", "ibsim"],
        &["rerun", "run"],
        &["sim", "one-flow", "--set", "duration=200 us", "--out", "run"],
    ] {
        let output = scratch.run(command);
        assert!(output.status.signal().is_none() && output.status.code() != Some(134), "{command:?}");
        assert_shown(&output);
    }
    for figure in ["goodput", "hosts", "completions", "slowdown", "fabric"] {
        let drawn = scratch.read(&format!("run/{figure}.svg"));
        assert!(drawn.chars().all(|letter| names::rule::is_plain(letter) || letter == '\n'), "{figure}");
    }
    // Paths are of the command line, and may be a stranger's all the same.
    let output = scratch.run(&["report", "\u{1b}[31mdir\u{202e}"]);
    assert!(text(&output.stderr).contains("`␛[31mdir<U+202E>`"), "{}", text(&output.stderr));
    assert_shown(&output);
}

#[test]
fn names_of_variants_and_labels_are_refused() {
    let scratch = Scratch::new("names-labels");
    let variant = format!("{}: link.mtu=1 KiB", HOSTILE.replace('=', ""));
    let output = scratch.run(&["sweep", "one-flow", "--seeds", "1..=1", "--variant", &variant, "--out", "s"]);
    assert_refused(&output, "cannot stand in a name");
    assert_shown(&output);
    let output = scratch.run(&[
        "compare",
        &format!("{}=one-flow", HOSTILE.replace('=', "")),
        "b=one-flow",
        "--out",
        "c",
    ]);
    assert_refused(&output, "cannot stand in a name");
    assert_shown(&output);
    assert_eq!(scratch.names(), [""; 0]);
}

/// A name that a spreadsheet would take for a formula is text there, and itself for the program.
#[test]
fn formulas_are_text_in_tables() {
    let scratch = Scratch::new("names-formulas");
    let set = ["--set", "flows.victim.name=\"=cmd|' /C calc'!A0\"", "--set", "flows.near.name=\"-2+3\""];
    scratch.printed(&[&["sim", "victim", "--quiet", "--out", "run"][..], &SHORT, &set].concat());
    let flows = scratch.read("run/flows.csv");
    assert!(flows.contains("\n'=cmd|' /C calc'!A0,") && flows.contains("\n'-2+3,"), "{flows}");
    assert!(json(&scratch.read("run/summary.json"))["phases"].to_string().contains("\"=cmd|' /C calc'!A0\""));
    scratch.printed(&["figure", "run", "goodput"]);
    assert!(scratch.read("run/goodput.svg").contains(">=cmd|' /C calc'!A0<"));
    assert!(scratch.printed(&["rerun", "run"]).starts_with("the same: "));
}
