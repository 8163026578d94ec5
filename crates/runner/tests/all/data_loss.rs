//! Files of others, and former results: no command removes or replaces them.
//!
//! Invariant: what is there before a command that fails is there after it, byte for byte, and nothing else is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::scratch::{Scratch, assert_refused, json, text};

/// A run of some milliseconds.
const RUN: [&str; 5] = ["sim", "one-flow", "--set", "duration=200 us", "--quiet"];
/// A sweep of two.
const SWEEP: [&str; 8] =
    ["sweep", "one-flow", "--set", "duration=200 us", "--seeds", "1..=1", "--vary", "link.mtu=1 KiB,2 KiB"];

/// Returns all files and folders below a folder, with the bytes of files.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let kind = fs::symlink_metadata(&path).unwrap();
        if kind.is_dir() {
            all.extend(files(&path));
        }
        all.push((path.clone(), if kind.is_file() { fs::read(&path).unwrap() } else { vec![] }));
    }
    all.sort();
    all
}

/// A plan of a sweep is a file from others: its names lead to folders that are replaced.
#[test]
fn names_in_the_plan_of_a_sweep_lead_nowhere() {
    let scratch = Scratch::new("loss-names");
    scratch.printed(&[
        "sweep",
        "plan",
        "one-flow",
        "--seeds",
        "1..=1",
        "--set",
        "duration=200 us",
        "--out",
        "s",
    ]);
    fs::create_dir_all(scratch.0.join("thesis/chapters")).unwrap();
    fs::write(scratch.0.join("thesis/chapters/1.tex"), "mine").unwrap();
    let plan = scratch.read("s/sweep.jsonl");
    let name = plan.split("\"name\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let absolute = scratch.0.join("thesis").display().to_string();
    for forged in ["../../thesis", &absolute, "..", "", ".", "a/b", "../thesis", "thesis\\ntouch x\\n#"] {
        fs::write(scratch.0.join("s/sweep.jsonl"), plan.replace(&name, forged)).unwrap();
        let before = files(&scratch.0);
        for verb in [
            &["sweep", "run", "s", "--quiet"][..],
            &["sweep", "collect", "s"],
            &["sweep", "submit", "s", "--engine", "slurm", "--dry-run"],
        ] {
            assert_refused(&scratch.run(verb), "error: s/sweep.jsonl:1:");
            assert_eq!(files(&scratch.0), before, "{forged}");
        }
    }
    fs::write(scratch.0.join("s/sweep.jsonl"), plan).unwrap();
    scratch.printed(&["sweep", "run", "s", "--quiet"]);
}

/// A manifest is a file from others: what it names goes only if it is a result.
#[test]
fn names_in_a_manifest_remove_no_file_of_yours() {
    let scratch = Scratch::new("loss-manifest");
    let compare = ["compare", "one-flow", "one-flow", "--set", "duration=200 us", "--quiet"];
    let absolute = scratch.0.join("thesis.tex").display().to_string();
    let forged = ["../thesis.tex", &absolute, "thesis.tex", "thesis.csv", "in/thesis.tex", "in"];
    for (at, command) in [&RUN[..], &compare, &RUN].into_iter().enumerate() {
        let folder = format!("run{at}");
        let out = ["--out", &folder, "--force"];
        scratch.printed(&[command, &out].concat());
        fs::create_dir(scratch.0.join(&folder).join("in")).unwrap();
        let mine = ["../thesis.tex", "thesis.tex", "thesis.csv", "in/thesis.tex"];
        for name in mine {
            fs::write(scratch.0.join(&folder).join(name), "mine").unwrap();
        }
        let mut manifest = json(&scratch.read(&format!("{folder}/run.json")));
        let files = manifest["files"].as_array_mut().unwrap();
        files.extend(forged.map(|name| serde_json::json!({ "name": name, "bytes": 4 })));
        // The last folder has a writer that was killed.
        if at == 2 {
            manifest["ended"] = serde_json::json!({ "how": "writing" });
        }
        fs::write(scratch.0.join(&folder).join("run.json"), manifest.to_string()).unwrap();
        let fewer: &[&str] =
            if command == compare { &["--set", "sample=20 us"] } else { &["--files", "none"] };
        scratch.printed(&[command, &out, fewer].concat());
        for name in mine {
            assert_eq!(scratch.read(&format!("{folder}/{name}")), "mine", "{command:?}, {name}");
        }
        assert!(!scratch.0.join(&folder).join("flows.csv").exists(), "results go");
    }
}

/// The same in the folder of a sweep's run that is made again.
#[test]
fn names_in_the_manifest_of_a_sweeps_run_remove_no_file_of_yours() {
    let scratch = Scratch::new("loss-unit");
    let sweep = [&SWEEP[..], &["--out", "s", "--quiet", "--files", "flows.csv"]].concat();
    scratch.printed(&sweep);
    let run = format!("s/runs/{}", scratch.names_in("s/runs")[0]);
    let mut manifest = json(&scratch.read(&format!("{run}/run.json")));
    fs::create_dir(scratch.0.join(&run).join("in")).unwrap();
    for name in ["thesis.tex", "in/thesis.tex"] {
        fs::write(scratch.0.join(&run).join(name), "mine").unwrap();
        let files = manifest["files"].as_array_mut().unwrap();
        files.push(serde_json::json!({ "name": name, "bytes": 4 }));
    }
    fs::write(scratch.0.join(&run).join("run.json"), manifest.to_string()).unwrap();
    fs::remove_file(scratch.0.join(&run).join("flows.csv")).unwrap();
    assert_eq!(scratch.run(&sweep).status.code(), Some(0));
    assert!(scratch.0.join(&run).join("flows.csv").exists(), "the run was made again");
    for name in ["thesis.tex", "in/thesis.tex"] {
        assert_eq!(scratch.read(&format!("{run}/{name}")), "mine", "{name}");
    }
}

/// What carries no manifest stays, wherever it stands: in the place of a run, and behind a link.
#[cfg(unix)]
#[test]
fn a_folder_of_yours_in_the_place_of_a_run_stays() {
    let scratch = Scratch::new("loss-place");
    scratch.printed(&[&SWEEP[..], &["--out", "s", "--quiet"]].concat());
    let runs = scratch.names_in("s/runs");
    fs::rename(scratch.0.join("s/runs"), scratch.0.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", scratch.0.join("s/runs")).unwrap();
    let place = scratch.0.join("elsewhere").join(&runs[0]);
    fs::write(place.join("result.json"), "mine").unwrap();
    let before = files(&scratch.0);
    let refused = scratch.run(&[&SWEEP[..], &["--out", "s", "--quiet"]].concat());
    let message = format!(
        "error: `s/runs/{}` is in the place of a result, and carries no manifest: it may be yours\n\
         help: move it away, or choose another folder with `--out DIR`\n",
        runs[0]
    );
    assert_refused(&refused, &message);
    assert_eq!(files(&scratch.0), before);
    fs::rename(&place, scratch.0.join("mine")).unwrap();
    scratch.printed(&[&SWEEP[..], &["--out", "s", "--quiet"]].concat());
    assert_eq!(scratch.names_in("elsewhere"), runs, "a link of yours to the runs is followed");
}

/// Files that `--out` names are replaced by `--force` alone; a page of this program may be made anew.
#[test]
fn a_file_of_yours_is_replaced_by_force_alone() {
    let scratch = Scratch::new("loss-force");
    scratch.printed(&[&RUN[..], &["--out", "run"]].concat());
    scratch.printed(&[&SWEEP[..], &["--out", "s", "--quiet"]].concat());
    let commands = [
        &["figure", "run", "goodput"][..],
        &["report", "run"],
        &["sweep", "collect", "s", "--quiet"],
        &["export", "opensm", "victim"],
        &["export", "counters", "run"],
        &["capture", "one-flow", "--ports", "*:*", "--quiet", "--set", "duration=200 us"],
        &["trace", "one-flow", "--ports", "*:*", "--quiet", "--set", "duration=200 us"],
    ];
    for command in commands {
        fs::write(scratch.0.join("mine"), "mine").unwrap();
        let refused = scratch.run(&[command, &["--out", "mine"]].concat());
        assert_refused(
            &refused,
            "error: `mine` is there\nhelp: choose another name, or overwrite it with `--force`\n",
        );
        assert_eq!(scratch.read("mine"), "mine", "{command:?}");
        let done = scratch.run(&[command, &["--out", "mine", "--force"]].concat());
        assert_eq!(done.status.code(), Some(0), "{command:?}: {}", text(&done.stderr));
        assert_ne!(fs::read(scratch.0.join("mine")).unwrap(), b"mine", "{command:?}");
    }
    scratch.printed(&["report", "run", "--out", "page.html"]);
    scratch.printed(&["report", "run", "--out", "page.html"]);
}

/// Tables of yours that have the names of a sweep's stay, outside of its folder.
#[test]
fn a_table_in_another_folder_stays() {
    let scratch = Scratch::new("loss-table");
    scratch.printed(&[&SWEEP[..], &["--out", "s", "--quiet"]].concat());
    fs::create_dir(scratch.0.join("other")).unwrap();
    fs::write(scratch.0.join("other/results.parquet"), "mine").unwrap();
    scratch.printed(&["sweep", "collect", "s", "--quiet", "--out", "other/results.csv"]);
    assert_eq!(scratch.names_in("other"), ["results.csv", "results.parquet", "results.schema.json"]);
    assert_eq!(scratch.read("other/results.parquet"), "mine");
}

/// Runs a command that can write no byte to any file, as on a full disk.
#[cfg(unix)]
fn on_a_full_disk(scratch: &Scratch, arguments: &[&str]) -> Output {
    // The signal that tells of the limit is ignored, so the system refuses the bytes.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_backwater")]).args(arguments);
    shell.current_dir(&scratch.0).stdin(Stdio::null()).output().unwrap()
}

/// Every command that writes is run once, and again by force where no byte can be written.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let scratch = Scratch::new("loss-full");
    let cluster = "vendid=0x0\n\nswitchguid=0x10(10)\nSwitch 2 \"S-10\" # \"sw\" base port 0 lid 3 lmc 0\n\
                   [1] \"H-20\"[1](21) # \"h1\" lid 1 4xEDR\n[2] \"H-30\"[1](31) # \"h2\" lid 2 4xEDR\n\n\
                   caguid=0x20\nCa 1 \"H-20\" # \"h1\"\n[1](21) \"S-10\"[1] # lid 1 lmc 0 \"sw\" lid 3 4xEDR\n\n\
                   caguid=0x30\nCa 1 \"H-30\" # \"h2\"\n[1](31) \"S-10\"[2] # lid 2 lmc 0 \"sw\" lid 3 4xEDR\n";
    fs::write(scratch.0.join("c.net"), cluster).unwrap();
    let of_run = [&RUN[..], &["--out", "run", "--force"]].concat();
    let of_sweep = [&SWEEP[..], &["--out", "s", "--quiet", "--force"]].concat();
    let watched = |verb, out| {
        let short = ["one-flow", "--ports", "*:*", "--quiet", "--set", "duration=200 us"];
        [&[verb], &short[..], &["--out", out, "--force"]].concat()
    };
    let (of_capture, of_trace) = (watched("capture", "p.pcapng"), watched("trace", "t"));
    let commands = [
        of_run.as_slice(),
        &["figure", "run", "goodput"],
        &["figure", "run", "goodput", "--out", "f.svg", "--force"],
        &["report", "run"],
        &["report", "run", "--out", "r.html", "--force"],
        &["compare", "one-flow", "one-flow", "--set", "duration=200 us", "--quiet", "--out", "c", "--force"],
        of_capture.as_slice(),
        of_trace.as_slice(),
        &["export", "opensm", "victim", "--out", "o.conf", "--force"],
        &["export", "lfts", "victim", "--out", "l", "--force"],
        &["export", "counters", "run", "--out", "counters", "--force"],
        &["new", "roce", "mine.ron", "--force"],
        &["import", "ibnetdiscover", "c.net", "--out", "cluster", "--force"],
        &of_sweep,
        &["sweep", "collect", "s", "--quiet"],
        &["sweep", "collect", "s", "--quiet", "--out", "table.csv", "--force"],
    ];
    for command in commands {
        let done = scratch.run(command);
        assert_eq!(done.status.code(), Some(0), "{command:?}: {}", text(&done.stderr));
    }
    let before = files(&scratch.0);
    assert_eq!(json(&scratch.read("run/run.json"))["ended"]["how"], "complete");
    for command in commands {
        let full = on_a_full_disk(&scratch, command);
        if command[0] == "sweep" && command[1] == "one-flow" {
            // Its runs are there, and are not run again: the table is what cannot be written.
            assert!(
                text(&full.stderr).contains("cannot write to the output folder `s`"),
                "{}",
                text(&full.stderr)
            );
        }
        assert_eq!(full.status.code(), Some(2), "{command:?}: {}", text(&full.stderr));
        let after = files(&scratch.0);
        let changed = before.iter().filter(|file| !after.contains(file)).map(|(path, _)| path);
        assert_eq!(changed.collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "{command:?}");
        let more = after.iter().filter(|file| !before.contains(file)).map(|(path, _)| path);
        assert_eq!(more.collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "{command:?}");
    }
}

/// Streams are written to, whoever runs the program, and never removed.
#[cfg(target_os = "linux")]
#[test]
fn a_stream_is_written_to_and_stays() {
    let scratch = Scratch::new("loss-stream");
    let capture = ["capture", "one-flow", "--ports", "*:*", "--quiet", "--set", "duration=200 us", "--out"];
    for force in [&[][..], &["--force"]] {
        let through = scratch.run(&[&capture[..], &["/dev/stdout"], force].concat());
        assert_eq!(through.status.code(), Some(0), "{}", text(&through.stderr));
        assert!(through.stdout.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]), "pcapng goes through");
        let full = scratch.run(&[&capture[..], &["/dev/full"], force].concat());
        assert_refused(&full, "error: `/dev/full` cannot be written: ");
    }
    assert!(fs::symlink_metadata("/dev/stdout").is_ok() && fs::symlink_metadata("/dev/full").is_ok());
    assert_refused(
        &scratch.run(&[&RUN[..], &["--out", "/dev/full"]].concat()),
        "error: results go to a folder, and `/dev/full` is no folder",
    );
    assert_eq!(scratch.names(), [""; 0]);
}
